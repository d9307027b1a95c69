#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: programs that misuse libtrace2 neither crash nor damage a stream."""

import collections
import re
import signal
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from tap import tested  # noqa: E402
from driver import ROOT, events_of, run  # noqa: E402

MISUSE = ROOT / "build/trace2/misuse"
MISUSE_THREADS = ROOT / "build/trace2/misuse-threads"

# What is handed over as JSON, and what EVENT has of it.
JSONS = (
    ('{"a":[1,-2.5e+3,true,false,null,{}],"b":"\\u00e4\\n"}', '{"a":[1,-2.5e+3,true,false,null,{}],"b":"\\u00e4\\n"}'),
    (' { "a" :\n\t[ ] ,\r\n"b" : "c d" } ', '{"a":[],"b":"c d"}'),
    ('"two\nlines"', '"two\\nlines"'),
    (b'"\xff"', '"\ufffd"'),
    ("", '""'),
    ("{", '"{"'),
    ("1 2", '"1 2"'),
    ('{"a":1,}', '"{\\"a\\":1,}"'),
    ("01", '"01"'),
    ("-", '"-"'),
    ("[1}", '"[1}"'),
    ('1},"x":{', '"1},\\"x\\":{"'),
    ("NaN", '"NaN"'),
    ("[" * 1000 + "]" * 1000, '"' + "[" * 1000 + "]" * 1000 + '"'),
    ("a\nb", '"a\\nb"'),
)


def use(*words, program=MISUSE, **variables):
    """Runs the program in a manner; returns its EVENT streams, the others in one text, and how it ended."""
    streams, done = run([program, *words], environment=variables, stdout=-1)
    targets = "".join(text for name in ("normal", "perf") for text in streams[name].values())
    return [events_of(text) for text in streams["event"].values()], targets, done


def kinds(events):
    """How many there are of each kind."""
    return collections.Counter(event["event"] for event in events)


def check_nothing(tap):
    """NULL in every place of every function."""
    (events,), targets, done = use("nothing")
    reported = kinds(events)
    expected = set("version start error cmd_path cmd_ancestry cmd_name cmd_mode alias def_param exec exit child_start child_ready "
                   "child_exit def_repo region_enter region_leave data data_json printf th_timer timer th_counter counter "
                   "atexit".split())
    tap.ok(done.returncode == 0 and done.stderr == b"" and set(reported) == expected, "nothing, wherever something may be",
           done, expected ^ set(reported))
    tap.ok(events[0]["exe"] == "" and events[1]["argv"] == [] and "(null)" not in targets, "is reported as nothing", events[:2], targets)
    streams, _, done = use("nobody")
    tap.ok(done.returncode == 0 and [set(kinds(one)) for one in streams] == [{"version", "atexit"}], "as is a program", done, streams)


def check_json(tap):
    """JSON of any making stays JSON, on one line."""
    given = [text if isinstance(text, bytes) else text.encode() for text, _ in JSONS]
    streams, done = run(["env", MISUSE, "json", *given], stdout=-1)
    lines = [line for text in streams["event"].values() for line in text.splitlines()[1:-1]]
    values = [re.search(r'"key":"k","value":(.*)\}$', line).group(1) for line in lines]
    wanted = [want for _, want in JSONS]
    tap.ok(done.returncode == 0 and values == wanted, "JSON of any making stays JSON on one line",
           *[pair for pair in zip(values, wanted) if pair[0] != pair[1]], len(values), done)


def check_borrowed(tap):
    """A descriptor of the program's may become another file's."""
    _, _, done = use("borrowed", GIT_TRACE2_EVENT="9")
    tap.ok((done.returncode, done.stdout) == (0, b"alive\n"), "a borrowed descriptor that becomes a broken pipe kills nobody", done)


def check_interrupted(tap):
    """Signals of the program's own end no stream."""
    _, _, done = use("interrupted", GIT_TRACE2_EVENT="9")
    tap.ok((done.returncode, done.stdout) == (0, b"2002\n"), "writing that is interrupted goes on", done)


def check_forks(tap):
    """A child's words are not its parent's."""
    streams, _, done = use("fork")
    modes = [event["name"] for events in streams for event in events if event["event"] == "cmd_mode"]
    tap.ok(
        done.returncode == 0 and modes == ["of the parent"] and len(streams) == 1 and kinds(streams[0])["atexit"] == 1,
        "a child that only forked is silent", done, streams,
    )
    streams, _, done = use("fork-begin")
    streams.sort(key=lambda events: len(events[0]["sid"]))
    reported = [
        [event.get("hierarchy", event.get("count")) for event in events if event["event"] in ("cmd_name", "counter")]
        for events in streams
    ]
    tap.ok(
        done.returncode == 0 and reported == [["parent", 3], ["parent/child", 4]],
        "unless it begins a session of its own, with sums of its own", done, reported,
    )
    sids = [events[0]["sid"] for events in streams]
    tap.ok(
        len(sids) == 2 and sids[1].startswith(sids[0] + "/") and all(kinds(one)["atexit"] == 1 for one in streams),
        "which is below its parent's", sids, streams,
    )


def check_pipes(tap):
    """SIGPIPE is reported if it ends the process."""
    for manner in ("pipe-ignore", "pipe-handle"):
        (events,), _, done = use(manner)
        tap.ok(
            done.returncode == 0 and done.stdout == b"Broken pipe\n" and not kinds(events)["signal"]
            and kinds(events)["cmd_mode"] == 1,
            f"{manner}: a SIGPIPE that does not kill is not reported", done, events,
        )
    (events,), _, done = use("pipe-die")
    tap.ok(done.returncode == -signal.SIGPIPE and events[-1]["event"] == "signal", "one that kills is", done, events)


def check_rest(tap):
    """errno, long beginnings, and threads that start twice."""
    (events,), _, done = use("errno")
    errors = [event["msg"] for event in events if event["event"] == "error"]
    tap.ok(done.stdout == b"1\n1\n" and errors == ["Not a directory"], "errno stays what it was", done, errors)
    (events,), _, done = use("clock")
    tap.ok(
        done.returncode == 7 and 0.02 < events[1]["t_abs"] < 60 and [event["code"] for event in events[-2:]] == [7, 7],
        "time counts from the clock's beginning, and the status is passed on", done, events,
    )
    (events,), _, done = use("cancelled")
    tap.ok(
        done.returncode == 7 and kinds(events)["atexit"] == 1 and events[-1]["code"] == 7,
        "threads that are cancelled while they write keep nobody waiting, and statuses have eight bits", done, events,
    )
    (events,), _, done = use("twice")
    counts = [event["count"] for event in events if event["event"] == "counter"]
    tap.ok(done.returncode == 0 and counts == [28], "a thread that starts twice loses no sum", done, counts)


def check_races(tap):
    """Threads that share all that can be shared, under ThreadSanitizer."""
    (events,), _, done = use("race", program=MISUSE_THREADS)
    reported = kinds(events)
    sums = [(event["event"], event.get("count", event.get("intervals"))) for event in events if event["event"] in ("timer", "counter")]
    names = [event["hierarchy"] for event in events if event["event"] == "cmd_name"]
    ids = sorted(event["child_id"] for event in events if event["event"] == "child_start")
    tap.ok(done.returncode == 0 and done.stderr == b"", "ThreadSanitizer has nothing to say", done)
    tap.ok(
        reported["def_repo"] == 1 and reported["region_leave"] == 800 and sums == [("timer", 800), ("counter", 800)] and ids == list(range(800)),
        "a repository is reported once, and nothing is lost", reported, sums,
    )
    tap.ok(sorted(names) == ["n", "n/n", "n/n/n", "n/n/n/n"] and events[-1]["code"] == 1, "names stand below one another", names)
    (events,), _, done = use("late", program=MISUSE_THREADS)
    tap.ok(
        done.returncode == 0 and done.stderr == b"" and kinds(events)["cmd_mode"] == 8,
        "what is said when a thread is gone is reported", done, events,
    )


@tested
def main(tap):
    """All manners."""
    check_nothing(tap)
    check_json(tap)
    check_borrowed(tap)
    check_interrupted(tap)
    check_forks(tap)
    check_pipes(tap)
    check_rest(tap)
    check_races(tap)
