#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: export of several recordings: each one's tracks are those of its own export, in the order of wall-clock time."""

import json
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "stream")]

import cases  # noqa: E402
import chrome  # noqa: E402
import fxt  # noqa: E402
import model  # noqa: E402
import otlp  # noqa: E402
import perfetto  # noqa: E402
import sqlite  # noqa: E402
from pages import visit_pages  # noqa: E402
from reading.stream import check_lines, read_plain  # noqa: E402
from tap import Tap  # noqa: E402
from window import times_of, windows_of  # noqa: E402

STRICT = HERE.parent / "stream/check-stream"


def compare_perfetto(stream, data):
    """Differences but for names and places of tracks, which are below their machines."""
    return [line for line in perfetto.compare(stream, data) if " is called " not in line and " is below " not in line]


# Golden cases that are merged, with the nanoseconds by which the second one begins later.
PAIRS = (
    ("demo-tracepoints", "demo-tracepoints", 0),
    ("demo-tracepoints", "names-of-tasks", 2000),
    ("flows-connect-slices-and-instants", "flows-connect-slices-and-instants", 1000),
    ("async-slices-overlap-on-lanes", "requests-in-slots", 3000),
    ("counters-of-every-integer-type", "extra-fields-of-every-type", -4000),
    ("loss-on-two-cpus", "loss-before-inside-and-between-slices", 5000),
    ("loss-of-unknown-size", "begin-never-closed", 1000),
    ("malformed-records", "end-without-begin", 1000),
    ("threads-that-end-each-others-slices", "several-buffers", 1000),
    ("rules-sched-6.12", "rules-sched-6.12", 7000),
    ("nothing-in-it", "demo-tracepoints", 1000),
)
COMPARED = {"chrome": chrome.compare, "perfetto": compare_perfetto, "fxt": fxt.compare, "otlp": otlp.compare, "otlp-metrics": otlp.compare_metrics}
WINDOWS = 3
WALL_US = 1700000000000000
SMALL = """event demo:work 100 char track_event_type; string slice_name
0   7@0 work B one
2us 7@0 work E ""
"""


def settings(host, start_s, wall_us, error_ns=None):
    """The head of a script."""
    error = "" if error_ns is None else f'writer "ktrack 0.2.0 thread 1\\n# wall-error {error_ns}"\n'
    return f"host {host}\nstart {start_s}s\nwall {wall_us - start_s * 1000000}\n{error}"


def make_case(path, name, *head):
    """A golden case that is the recording of a host."""
    lines = (cases.GOLDEN / f"{name}.script").read_text().splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(("wall ", "start ", "writer ", "host "))]
    cases.make_of(settings(*head) + "".join(kept), path)


def things_of(stream, host=None):
    """What is on the tracks of a host, in nanoseconds since 1970; names of flows without it."""
    events = read_plain(stream)
    start = next(event["time"] for event in events if event["event"] == "start")
    offset = round(1e9 * float(start[17:-1]))
    found = []
    for track in model.read_event(stream).values():
        if host is not None and track.identity["host"] != host:
            continue
        identity = {key: value for key, value in track.identity.items() if key != "host"}
        text = json.dumps([identity, track.describe()[1:]], default=str, sort_keys=True)
        found.append((text if host is None else text.replace(f'"{host}/', '"'), offset))
    return found


def moved(things):
    """The same with times that begin with the first one's second."""
    result = []
    for text, offset in things:
        identity, parts = json.loads(text)
        for part in parts:
            for place in (1, 2) if part[0] == "slice" else (1,):
                part[place] += offset
        result.append(json.dumps([identity, parts], sort_keys=True))
    return sorted(result)


def strict_lines(stream):
    """Complaints of the strict reader about lines."""
    return [f"line {number}: {rule}: {text}" for number, rule, text in check_lines(stream.splitlines(keepends=True))]


def strict(folder, path):
    """Complaints of the strict reader."""
    done = subprocess.run([STRICT, path], cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode else []


def check_pair(tap, one, other, later_ns):
    """Two golden cases as recordings of two hosts, whose clocks differ by an hour."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_case(folder / "a.dat", one, "alpha", 5, WALL_US)
        make_case(folder / "b.dat", other, "beta", 3605, WALL_US + later_ns // 1000)
        rules = list(dict.fromkeys([*cases.rules_of(one), *cases.rules_of(other)])) if one == other else []
        alone = [cases.run(folder, "export", *rules, file)[0] for file in ("a.dat", "b.dat")]
        outputs = [f"--{kind}=out.{kind}" for kind in COMPARED]
        stream, _ = cases.run(folder, "export", *rules, "--event", "--rows=tracepoint", *outputs, "--sqlite=out.db", "a.dat", "b.dat")
        (folder / "event").write_bytes(stream)
        title = f"{one} and {other}".replace("-", " ")
        tap.nothing(strict(folder, "event"), f"{title}: the stream keeps all rules")
        for host, expected in zip(("alpha", "beta"), alone):
            wanted, found = moved(things_of(expected)), moved(things_of(stream, host))
            tap.nothing([f"missing {text}" for text in wanted if text not in found][:3] + [f"new {text}" for text in found if text not in wanted][:3], f"{title}: tracks of {host}")
        for kind, compare in COMPARED.items():
            cases.check(tap, f"{title}: {kind}", stream, (folder / f"out.{kind}").read_bytes(), [], compare)
        tap.nothing(sqlite.compare(stream, folder / "out.db"), f"{title}: SQLite")


def start_of(stream):
    """When a stream begins, in nanoseconds since 1970."""
    return next(round(1e9 * float(event["time"][17:-1])) for event in read_plain(stream) if event["event"] == "start")


def window_words(from_ns, to_ns):
    """Options of a window, of which the begin may be before the recording."""
    return [f"--from={from_ns}ns"] * (from_ns > 0) + [f"--to={to_ns}ns"]


def shown(stream, host=None):
    """What a window shows; slices that nothing ends reach to the last event of all machines."""
    things = [json.loads(text) for text in (moved(things_of(stream, host)) if stream else [])]
    for _, parts in things:
        for part in parts:
            if part[0] == "slice" and "unfinished" in part[6]:
                part[2] = None
    return sorted(json.dumps(one, sort_keys=True) for one in things)


def windows_differ(folder, rules, starts, from_ns, to_ns):
    """How a window of both recordings differs from that of each, and from both parts of this time."""
    files = ("a.dat", "b.dat")
    stream, wrong = cases.run(folder, "export", *rules, "--event", *window_words(from_ns, to_ns), *files)
    wrong = [line for line in [*wrong, *strict_lines(stream)] if "match" not in line and "clock" not in line]
    saved = []
    for file, host, later in zip(files, ("alpha", "beta"), starts):
        own, alone = (from_ns - later, to_ns - later), b""
        if own[1] > 0:
            alone, _ = cases.run(folder, "export", *rules, "--event", *window_words(*own), file)
        wanted, found = shown(alone), shown(stream, host)
        wrong += [f"{host} misses {text}" for text in wanted if text not in found] + [f"{host} has {text}" for text in found if text not in wanted]
        part = folder / f"part-{file}"
        part.unlink(missing_ok=True)
        if own[1] > 0:
            cases.run(folder, "export", f"--save={part}", "--event=/dev/null", *rules, *window_words(max(own[0], 1), own[1]), file)
        saved.append(part)
    if all(part.exists() for part in saved) and all(from_ns > later for later in starts):
        parts, _ = cases.run(folder, "export", *rules, "--event", *saved)
        one, other = ([f"{host} {text}" for host in ("alpha", "beta") for text in shown(events, host)] for events in (stream, parts))
        wrong += [f"parts lack {text}" for text in one if text not in other] + [f"parts have {text}" for text in other if text not in one]
    return [f"{from_ns} to {to_ns}: {line}" for line in wrong]


def check_windows(tap, one, other, later_ns):
    """--from and --to of two recordings show what those of each show; so do parts of these."""
    rules = list(dict.fromkeys([*cases.rules_of(one), *cases.rules_of(other)])) if one == other else []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_case(folder / "a.dat", one, "alpha", 5, WALL_US)
        make_case(folder / "b.dat", other, "beta", 3605, WALL_US + later_ns // 1000)
        whole, *alone = (cases.run(folder, "export", "--event", *rules, *files)[0] for files in (("a.dat", "b.dat"), ("a.dat",), ("b.dat",)))
        starts = [start_of(stream) - start_of(whole) for stream in alone]
        times = times_of(model.read_event(whole))
        wrong = [line for window in windows_of(f"{one} {other}", times, WINDOWS) for line in windows_differ(folder, rules, starts, *window)]
        tap.nothing(wrong, f"{one} and {other}: windows of time".replace("-", " "))


def check_hosts(tap, folder):
    """Each output separates the machines."""
    for host, later in (("alpha", 0), ("beta", 1)):
        cases.make_of(settings(host, 5 + 100 * later, WALL_US + later) + "task 7 worker 7\n" + SMALL + f"lost 0 {later + 3}\n9us 7@0 work I mark\n", folder / f"{host}.dat")
    stream, _ = cases.run(folder, "export", "--event", "--rows=tracepoint", "--chrome=c", "--perfetto=p", "--sqlite=s", "--otlp=o", "--html=h", "--label=site=x", "alpha.dat", "beta.dat")
    events = read_plain(stream)
    about = {event["param"]: event["value"] for event in events if event["event"] == "def_param"}
    wanted = {"machine.1.host": "alpha", "machine.2.host": "beta", "machine.2.source": "beta.dat", "machine.2.shift_ns": "-99999999000", "label.site": "x", "source": "alpha.dat beta.dat"}
    tap.ok(wanted.items() <= about.items() and "machine.1.wall_error_ns" not in about, "parameters", about)
    lost = [(event["args"]["host"], event["args"]["records"], event["fmt"]) for event in events if event["event"] == "error"]
    tap.ok(sorted(lost) == [(host, records, "lost %lu records on cpu %d of machine '%s'") for host, records in (("alpha", 3), ("beta", 4))], "losses", lost)
    sums = {event["name"]: event["count"] for event in events if event["event"] == "counter"}
    tap.ok(sums["lost_records"] == 7 and sums["lost_gaps"] == 2, "sums", sums)
    timers = [event for event in events if event["event"] == "timer"]
    tap.ok(len(timers) == 1 and timers[0]["intervals"] == 2, "one timer for a name", timers)
    pids = {event["pid"]: event["args"]["name"] for event in json.loads((folder / "c").read_text()) if event["name"] == "process_name"}
    tap.ok(sorted(pids.values()) == ["alpha: worker", "beta: worker", "ktrack"], "Chrome: processes", pids)
    with sqlite3.connect(folder / "s") as database:
        rows = database.execute("SELECT m.host, m.recording_id IS NOT NULL, t.label, l.records FROM machine m JOIN track t USING(host) JOIN loss l USING(host) ORDER BY 1").fetchall()
    tap.ok(rows == [(host, 1, f"work tid 7 worker on {host}", records) for host, records in (("alpha", 3), ("beta", 4))], "SQLite: hosts", rows)
    lines = [json.loads(line)["resourceSpans"][0] for line in (folder / "o").read_text().splitlines()]
    hosts = [next((one["value"]["stringValue"] for one in line["resource"]["attributes"] if one["key"] == "host.name"), None) for line in lines]
    last = lines[-1]["scopeSpans"][0]["spans"][-1]["name"]
    tap.ok(hosts == ["beta", "alpha", None] and last == "recording", "OTLP: resources; the recording is the last span", hosts, last)
    descriptors = perfetto.read_sequence((folder / "p").read_bytes())[0].descriptors
    parents = [descriptors[parent_of(one)] for one in descriptors.values() if "tracepoint" in str(one.get("description"))]
    threads = {(one["machine_id"][0], one["thread"][0]["pid"][0], one["thread"][0]["thread_name"][0]) for one in parents}
    is_apart = len({number for number, *_ in threads} - {0}) == 2 and {one[1:] for one in threads} == {(7, "worker")}
    tap.ok(is_apart, "Perfetto: threads of each machine", threads)
    about = perfetto.read_sequence((folder / "p").read_bytes())[0].about
    found = sorted((one.get("name") or "", one.get("host"), one.get("label.site"), one.get("shift_ns"), one["source"]) for one in about.values())
    tap.ok(found == [("", None, "x", None, "alpha.dat beta.dat"), ("alpha", "alpha", None, 0, "alpha.dat"), ("beta", "beta", None, -99999999000, "beta.dat")], "Perfetto: facts of the machines", found)


def check_order(tap, folder):
    """Of records with equal times, those of the machine that is named first come first."""
    for host, start in (("alpha", 5), ("beta", 105)):
        cases.make_of(settings(host, start, WALL_US) + SMALL.replace("2us", "1us 7@0 work I half\n2us"), folder / f"{host}.dat")
    for order in (("alpha", "beta"), ("beta", "alpha")):
        stream, _ = cases.run(folder, "export", "--event", *(f"{host}.dat" for host in order))
        tracks = {f"th{number:02}": track.identity["host"] for number, track in model.read_event(stream).items()}
        events = [event for event in read_plain(stream) if event["event"] in ("region_enter", "region_leave", "data", "data_json")]
        found = [(event["t_abs"], tracks[event["thread"].partition(":")[0]]) for event in events if event.get("category") not in ("track", None)]
        tap.ok(len(found) >= 4 and found == sorted(found, key=lambda one: (one[0], order.index(one[1]))), f"records of equal times: {order[0]} is first", found)


def parent_of(descriptor):
    """The number of its parent."""
    return descriptor.get("parent_uuid", [None])[0]


def errors(folder, *words):
    """(exit status, messages)."""
    done = subprocess.run([cases.KTRACK, "export", "--event=/dev/null", *words], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def check_messages(tap, folder):
    """What is refused, and what is said of clocks."""
    made = {"a": ("alpha", 2000000), "b": ("beta", 3000000), "c": ("alpha", 9000000), "d": ("delta", None)}
    for name, (host, error) in made.items():
        cases.make_of(settings(host, 5, WALL_US, error) + SMALL.replace("demo", f"demo{name}"), folder / f"{name}.dat")
    cases.make_of(SMALL, folder / "none.dat")
    cases.make_of(settings("far", 5, 4500000000000000) + SMALL, folder / "far.dat")
    limit = "ktrack: a.dat b.dat: times of different machines may be wrong by 5.00ms, by what their kernels report of the errors of their clocks\n"
    unknown = "ktrack: delta: the error of its wall clock is unknown, and with it the order of its records and those of other machines\n"
    rows = (
        (("a.dat", "b.dat"), 0, limit),
        (("a.dat", "c.dat"), 0, ""),
        (("a.dat", "c.dat", "b.dat"), 0, limit.replace("a.dat b.dat", "a.dat c.dat b.dat").replace("5.00ms", "12.0ms")),
        (("a.dat", "d.dat"), 0, unknown),
        (("a.dat", "a.dat"), 2, "ktrack: 'a.dat': the source is given twice\n"),
        (("a.dat", "-"), 2, "ktrack: '-': cannot be merged with others; export it to a file, or alone\n"),
        (("a.dat", "tracefs"), 2, "ktrack: 'tracefs': cannot be merged with others; export it to a file, or alone\n"),
        (("--save=p.dat", "--from=1us", "a.dat", "b.dat"), 2, "ktrack: --save: only for a single source; save a part of each, and export these together\n"),
        (("--wall-clock=5", "a.dat", "b.dat"), 2, "ktrack: --wall-clock: only for a single source; several are merged by the wall clocks that they state\n"),
        (("a.dat", "none.dat"), 1, "ktrack: none.dat: the wall clock is unknown (clock boot), so that it cannot be merged; export it alone, or record with 'ktrack record'\n"),
        (("a.dat", "far.dat"), 1, "ktrack: far.dat: its wall clock is more than 73 years from that of a.dat, so that they cannot be merged; export it alone\n"),
        (("a.dat", "missing.dat"), 1, "ktrack: cannot open missing.dat: No such file or directory\n"),
        (("-e", "demob", "a.dat", "b.dat"), 0, f"ktrack: a.dat: no track events match -e; ktrack stat a.dat lists all of them\n{limit}"),
        (("-e", "other", "a.dat", "b.dat"), 1, "ktrack: 'other': no tracepoint of the sources matches; leave out -e, or see 'ktrack list SOURCE'\n"),
        (("-r", "block", "a.dat", "b.dat"), 1, "ktrack: -r: the sources have none of the tracepoints that the rules use; see 'ktrack list --rules'\n"),
        (("--perf=b.dat", "a.dat", "b.dat"), 1, "ktrack: b.dat: the source; write to another file\n"),
    )
    for words, status, text in rows:
        found = errors(folder, *words)
        tap.ok(found == (status, text), " ".join(words), *found)


def check_damage(tap, folder):
    """One of the files ends early: the rest of it, and all of the other, are exported."""
    long = settings("alpha", 5, WALL_US) + 'event demo:work 100 char track_event_type; string slice_name\nrepeat 2000\n+1us 7@0 work B one\n+1us 7@0 work E ""\nend\n'
    long = f"version 6\n{long}"
    cases.make_of(long, folder / "whole.dat")
    cases.make_of(long.replace("alpha", "beta"), folder / "cut.dat")
    data = (folder / "cut.dat").read_bytes()
    (folder / "cut.dat").write_bytes(data[: len(data) - 9000])
    stream, _ = cases.run(folder, "export", "--event", "whole.dat", "cut.dat", status=1)
    hosts = [track.identity["host"] for track in model.read_event(stream).values() for _ in track.slices]
    last = read_plain(stream)[-1]
    tap.ok(hosts.count("alpha") == 2000 and 0 < hosts.count("beta") < 2000, "slices of both", hosts.count("alpha"), hosts.count("beta"))
    tap.ok((last["event"], last["code"]) == ("atexit", 1), "the stream ends in order with status 1", last)


def check_page(tap, pages):
    """Machines are the tree's first lines, and facts of the recording."""
    folder = pages.folder
    for host, later in (("alpha", 0), ("beta", 1)):
        cases.make_of(settings(host, 5, WALL_US + later, 1000000) + f"task 7 {host}-worker 7\n" + SMALL, folder / f"{host}.dat")
    cases.run(folder, "export", "--html=page.html", "alpha.dat", "beta.dat")
    pages.browser.load(folder / "page.html")
    lines = pages.browser.run("return ktrack.picture.tree.children.map((one) => [one.label, one.children.map((child) => child.label)]);")
    tap.ok(lines == [["machine alpha", ["alpha-worker 7"]], ["machine beta", ["beta-worker 7"]]], "the tree", lines)
    text = pages.browser.run('return document.getElementById("details").innerText;')
    tap.ok("beta.dat" in text and "wall clock may be wrong by 1" in text, "facts of the machines", text)


def check_all(tap):
    for pair in PAIRS:
        check_pair(tap, *pair)
    for pair in PAIRS:
        check_windows(tap, *pair)
    for check in (check_hosts, check_order, check_messages, check_damage):
        with tempfile.TemporaryDirectory() as folder:
            check(tap, Path(folder))


def main():
    tap = Tap()
    check_all(tap)
    return visit_pages(tap, [check_page])


if __name__ == "__main__":
    sys.exit(main())
