#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: a process' stream from many threads, over sockets, in folders, in files of settings, and with hostile texts."""

import collections
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from datetime import datetime
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import process  # noqa: E402
from tap import Tap  # noqa: E402
from driver import ROOT, DRIVER, clean_environment, field, drive, received  # noqa: E402

FLOOD = 500_000
# Less than what the clock is set by.
SHORT_S = 3600


def flood(program, nr_events, variables):
    """Two threads that write at once; returns what was said on stderr, and the status."""
    done = process.run(
        [program, "1.0", "v.c", "1"], input=f"flood\tx.c\t1\t2\t{nr_events}\n".encode(),
        env=clean_environment(**variables), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )
    return done.stderr.decode(), done.returncode


def count_events(path):
    """How many data each thread has, in order, and lines that are no JSON."""
    counts, broken = collections.Counter(), []
    with open(path, "rb") as stream:
        for line in stream:
            try:
                event = json.loads(line)
            except ValueError:
                broken.append(line)
                continue
            if event["event"] != "data":
                continue
            if event["value"] != str(counts[event["key"]]):
                broken.append(line)
            counts[event["key"]] += 1
    return counts, broken


def check_flood(tap, folder):
    """Two threads write a million events to one file."""
    path = folder / "flood"
    said, status = flood(DRIVER, FLOOD, {"GIT_TRACE2_EVENT": str(path)})
    counts, broken = count_events(path)
    tap.ok(
        (said, status) == ("", 0) and dict(counts) == {"flood0": FLOOD, "flood1": FLOOD} and not broken,
        f"two threads write {2 * FLOOD} events to one file: none is lost, no line is mixed",
        said, status, counts, broken[:3],
    )
    path.unlink()


def check_races(tap, folder):
    """The same under ThreadSanitizer, to all targets, with a signal on top."""
    variables = {f"GIT_TRACE2{suffix}": str(folder / f"race{suffix}") for suffix in ("", "_PERF", "_EVENT")}
    said, status = flood(ROOT / "build/trace2/driver-threads", 3000, variables)
    tap.ok((said, status) == ("", 0), "ThreadSanitizer has nothing to say of two threads", said, status)
    words = "thread\nthread_start\tx.c\t1\ta\nraise\tx.c\t1\t13\nthread_end\n"
    done = process.run(
        [ROOT / "build/trace2/driver-threads", "1", "v.c", "1"], input=words.encode(),
        env=clean_environment(**variables), capture_output=True,
    )
    tap.ok(
        done.returncode == -signal.SIGPIPE and done.stderr == b"",
        "nor of a signal that is reported by the handler", done,
    )
    last = json.loads((folder / "race_EVENT").read_text().splitlines()[-1])
    tap.ok(last["event"] == "signal" and last["signo"] == 13, "which is the last event", last)


def check_stream(tap, folder):
    """A stream over a socket is what a file would have."""
    path = folder / "stream"
    with received(socket.SOCK_STREAM, path) as out:
        said, status = flood(DRIVER, 20000, {"GIT_TRACE2_EVENT": f"af_unix:stream:{path}"})
    (folder / "received").write_bytes(b"".join(out))
    counts, broken = count_events(folder / "received")
    tap.ok(
        (said, status) == ("", 0) and dict(counts) == {"flood0": 20000, "flood1": 20000} and not broken,
        "a stream socket receives all of it", said, status, counts, broken[:3],
    )


def check_datagrams(tap, folder):
    """One line in each datagram, with its newline."""
    path = folder / "datagrams"
    with received(socket.SOCK_DGRAM, path) as out:
        said, status = flood(DRIVER, 5000, {"GIT_TRACE2_EVENT": f"af_unix:{path}"})
    whole = [data for data in out if data.endswith(b"\n") and data.count(b"\n") == 1 and json.loads(data)]
    data = [line for line in whole if b'"event":"data"' in line]
    tap.ok(
        (said, status) == ("", 0) and len(whole) == len(out) and len(data) == 10000 and b'"event":"atexit"' in out[-1],
        "a datagram socket receives a line in each", said, status, len(whole), len(out), len(data),
    )


HOSTILE = ("two\nlines", "a\ttab\r", "bell\x07 esc\x1b[31m", "\udcff\udcc3(", "nel\x85 ls\u2028", "bar | bar", "\x7f", "ä€😀", '"\\')


def say_hostile(text):
    """The text wherever one may stand."""
    value = field(text)
    yield f"start\tx.c\t1\t{value}\t{value}"
    yield from (f"{name}\tx.c\t1\t{value}" for name in ("cmd_name", "cmd_mode", "cmd_path", "cmd_ancestry", "printf"))
    yield f"error\tx.c\t1\t%s\t{value}"
    yield f"alias\tx.c\t1\t{value}\t{value}"
    yield f"child_start\tx.c\t1\t{value}\t{value}\t{value}\tshell\tno\t{value}"
    yield f"child_ready\tx.c\t1\t0\t1\t{value}"
    yield f"exec\tx.c\t1\t{value}\t{value}"
    yield f"def_param\tx.c\t1\t{value}\t{value}\t{value}"
    yield f"def_repo\tx.c\t1\t1\t{value}"
    yield f"region_enter\tx.c\t1\t{value}\t{value}\t1\t{value}"
    yield f"data\tx.c\t1\t{value}\t1\t{value}\t{value}"
    yield "thread"
    yield f"thread_start\t{value}\t1\t{value}"
    yield "thread_exit\tx.c\t1"
    yield "thread_end"


def judge_hostile(driven, nr_sayings):
    """What is not as it ought to be: a line for each event, columns where they belong, JSON in UTF-8."""
    events = driven["event"].splitlines(keepends=True)
    if driven["event"].count("\n") != nr_sayings:
        yield f"{len(events)} EVENT lines, {nr_sayings} due"
    for line in driven["event"].split("\n")[:-1]:
        json.loads(line)
    for line in driven["perf"].splitlines():
        columns = line.split("|", 8)
        if len(columns) != 9 or len(columns[6].strip()) > 9 or len(columns[3].strip()) > 12:
            yield f"columns: {line!r}"
    if len(driven["perf"].splitlines()) != nr_sayings:
        yield f"{len(driven['perf'].splitlines())} PERF lines, {nr_sayings} due"
    for target in ("normal", "perf"):
        if any(ord(sign) < 32 and sign != "\n" or 0x7F <= ord(sign) < 0xA0 for sign in driven[target]):
            yield f"{target}: a control character"


def check_hostile(tap):
    """Texts with whatever bytes, in every place."""
    for text in HOSTILE:
        messages = list(say_hostile(text))
        driven, done = drive("".join(line + "\n" for line in messages))
        due = len(messages) + 2 - len(["thread", "thread_end"])
        tap.nothing([*judge_hostile(driven, due), *([done.stderr] if done.stderr else [])], f"{text!r}", most=5)


def check_settings(tap, folder):
    """Files of settings, and a program's own prefix."""
    (folder / "system").write_text(f"[trace2]\n\tnormalTarget = {folder}/n\n\tnormalBrief = 1\n\tconfigParams = one.*\n[one]\n\ta = 1\n")
    (folder / "user").write_text(f"[trace2]\n\tnormalTarget = {folder}/u\n[one]\n\tb = 2\n")
    words = "cmd_name\tx.c\t1\tm\nset_config\tx.c\t1\tone.c\t3\nset_config\tx.c\t1\ttwo.c\t3\n"
    off = {f"OWN{suffix}": "" for suffix in ("", "_PERF", "_EVENT")}
    variables = {"SPEAK_PREFIX": "OWN", "OWN_ENV_VARS": "TZ", **off}
    _, done = drive(words, None, variables, [folder / "system", folder / "user"], prefix="OWN")
    want = "version 1.0\ncmd_name m (m)\ndef_param scope:system one.a=1\ndef_param scope:global one.b=2\n" \
        "def_param scope:command TZ=XXX-5:30\ndef_param scope:unknown one.c=3\n"
    got = (folder / "u").read_text() if (folder / "u").exists() else "(nothing)"
    tap.ok(
        got.startswith(want) and not (folder / "n").exists() and done.stderr == b"",
        "settings of the user are over those of the system, and report parameters", got, done.stderr,
    )


def check_includes(tap, folder):
    """Files that a file includes are those that git finds, and count where git lets them."""
    home = folder / "home"
    (home / "sub").mkdir(parents=True)
    head = f"[trace2]\n\tnormalBrief = 1\n\tnormalTarget = {folder}/"
    texts = {
        "user": f"{head}first\n[include]\n\tpath = nowhere\n\tpath = sub/more\n[include \"x\"]\n\tpath = sub/wrong\n",
        "sub/more": f"{head}second\n[include]\n\tpath = sibling\n\tPath = ~/third\n[trace2]\n\tconfigParams = one.*,include.*\n",
        "sub/sibling": f"{head}sibling\n[one]\n\ta = 1\n",
        "sub/wrong": f"{head}wrong\n",
        "third": f"[trace2]\n\tnormalTarget = {folder}/REPORTED\n[one]\n\tb = 2\n",
    }
    for name, text in texts.items():
        (home / name).write_text(text)
    reported = []
    for words in (["git", "version"], [DRIVER, "1.0", "v.c", "1", home / "nowhere", home / "user"]):
        variables = clean_environment(HOME=str(home), GIT_CONFIG_GLOBAL=str(home / "user"))
        done = process.run(words, input=b"cmd_name\tx.c\t1\tm\n", env=variables, capture_output=True, cwd=folder)
        path = folder / "REPORTED"
        lines = path.read_text().splitlines() if path.exists() else ["(nothing)"]
        reported.append((done.returncode, [line for line in lines if line.startswith("def_param")]))
        path.unlink(missing_ok=True)
    others = [name for name in ("first", "second", "sibling", "wrong") if (folder / name).exists()]
    tap.ok(reported[0] == reported[1] and len(reported[0][1]) == 7 and not others, "files include others as git's do", *reported, others)


def check_lists(tap, folder):
    """Parameters that the program listed itself are not listed again with its name."""
    (folder / "listed").write_text("[one]\n\ta = 1\n")
    variables = {"GIT_TRACE2_CONFIG_PARAMS": "one.*", "GIT_TRACE2_ENV_VARS": "TZ"}
    for words, want in (
        (("list_config", "cmd_name"), ["one.a", "m", "TZ"]), (("list_env_vars", "cmd_name"), ["TZ", "m", "one.a"]),
        (("list_config", "list_env_vars", "list_config"), ["one.a", "TZ", "one.a"]),
        (("cmd_name", "list_config", "list_env_vars"), ["m", "one.a", "TZ"]),
        (("cmd_name", "list_config", "list_config"), ["m", "one.a", "TZ", "one.a"]),
        (("list_config", "list_env_vars", "cmd_name", "list_config", "list_env_vars"), ["one.a", "TZ", "m", "one.a", "TZ"]),
    ):
        driven, done = drive("".join(f"{word}\tx.c\t1\tm\n" for word in words), None, variables, ["/nowhere", folder / "listed"])
        events = [json.loads(line) for line in driven["event"].splitlines()[1:-1]]
        reported = [event.get("param", event.get("name")) for event in events]
        tap.ok(reported == want and done.stderr == b"", f"{' '.join(words)}: {want}", reported, done)


def check_silence(tap, folder):
    """Without a target nothing is written, and children keep their parent."""
    script = "cmd_name\tx.c\t1\tm\nraise\tx.c\t1\t0\n"
    done = process.run(
        ["sh", "-c", f'"{DRIVER}" 1 v.c 1; echo "$GIT_TRACE2_PARENT_SID"'], input=script.encode(),
        env=clean_environment(GIT_TRACE2_PARENT_SID="p", GIT_TRACE2_EVENT="0"), capture_output=True, cwd=folder,
    )
    tap.ok(done.stdout == b"p\n" and done.stderr == b"", "a program without a target says nothing", done)


def check_steps(tap, folder):
    """Lines say what the clock on the wall says, as git's do; how long something took does not depend on it."""
    paths = {suffix: folder / f"steps{suffix}" for suffix in ("_EVENT", "_PERF")}
    done = process.run(
        [ROOT / "build/trace2/clock_steps"], capture_output=True,
        env=clean_environment(**{f"GIT_TRACE2{suffix}": str(path) for suffix, path in paths.items()}),
    )
    events = [json.loads(line) for line in paths["_EVENT"].read_text().splitlines()]
    times = [datetime.fromisoformat(event["time"].rstrip("Z")) for event in events]
    hours = [round((time - times[0]).total_seconds() / 3600, 1) for time in times]
    tap.ok(
        done.returncode == -signal.SIGPIPE and hours == [0, 0, 3, -1, -1], "lines follow a clock that is set, that of a signal too",
        done, hours, events,
    )
    clocks = [datetime.strptime(line[:15], "%H:%M:%S.%f") for line in paths["_PERF"].read_text().splitlines()]
    hours = [round((clock - clocks[0]).total_seconds() / 3600, 1) % 24 for clock in clocks]
    tap.ok(hours == [0, 0, 3, 23, 23], "and so do those for people", hours, clocks)
    tap.ok(events[3]["t_rel"] < SHORT_S and events[4]["t_abs"] < SHORT_S, "but durations do not", events)


def check_full(tap):
    """A destination that fails turns itself off, and the program goes on."""
    for debug in ("", "1"):
        variables = {"GIT_TRACE2_PERF": "/dev/full", "GIT_TRACE2_DST_DEBUG": debug}
        driven, done = drive("cmd_mode\tx.c\t1\tm\nexit\tx.c\t1\t0\n", None, variables)
        want = "warning: unable to write trace to 'GIT_TRACE2_PERF': No space left on device\n" if debug else ""
        tap.ok(
            done.returncode == 0 and done.stderr.decode() == want and driven["normal"].count("\n") == 4,
            f"a full disk turns one target off, with debugging '{debug}'", done, driven,
        )


def main():
    """All of it in one folder."""
    tap = Tap()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        check_flood(tap, folder)
        check_races(tap, folder)
        check_stream(tap, folder)
        check_datagrams(tap, folder)
        check_settings(tap, folder)
        check_includes(tap, folder)
        check_lists(tap, folder)
        check_silence(tap, folder)
        check_steps(tap, folder)
    check_hostile(tap)
    check_full(tap)
    return tap.finish()


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main())
