#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: what ktrack export reports of each case's trace.dat; --update rewrites it.

The whole stream of each case is held against the strict reader of tests/stream/, and standard error against the stream. The lines of
the case's subject are compared byte by byte with NAME.event; one case compares all lines. A mutant of tests/mutants.d/ names
each case.
"""

import argparse
import difflib
import itertools
import json
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "stream")]

import process  # noqa: E402
from making.layout import write_file  # noqa: E402
from making.script import Reader  # noqa: E402
from reading.stream import check_lines, split_sessions  # noqa: E402
from tap import tested  # noqa: E402

KTRACK = HERE.parents[1] / "build/ktrack"
SID = "golden"
CASES = (".script", ".args")
# What a case may be about, by the lines that show it. The strict reader derives sums from records, and threads from both.
RECORDS = rb'"event":"region_(enter|leave)"|"event":"data"|"event":"data_json".*"category":"[^"]+:[^"]+","key"'
REPORTS = rb'"event":"(error|counter|th_counter)"'
SUBJECTS = {
    "records": RECORDS,  # slices, instants and samples
    "reports": REPORTS,  # losses, malformed records, what ktrack counted
    "tracks": rb'"category":"track"',  # what identifies a track, and its name
    "sums": rb'"event":"(th_)?timer"|"category":"summary"',
    "parameters": rb'"event":"def_param"',  # of the recording
    "sessions": rb'"event":"(version|start|exit|atexit)"',
    "all": rb"",
}
USUAL = ("records", "reports")
MUTANTS = HERE.parent / "mutants.d"
NAMED = re.compile(r"^red tests/golden/golden\.t (\S+) : ", re.MULTILINE)
EXIT_CODE = re.compile(rb'"event":"atexit",.*"code":(\d+)}\n$')
# What another version of ktrack says otherwise: where in its source an event is from, its number.
SCRUBS = (
    (re.compile(rb'"file":"[^"]+","line":[0-9]+'), b'"file":"FILE","line":1'),
    (re.compile(rb'("event":"version",.*"exe":")[^"]+'), rb"\1VERSION"),
)

# The same records in every layout that a file can have.
LAYOUTS = [
    {
        "version": version,
        "compression": compression,
        "order": order,
        "long": long_size,
        "page": page,
    }
    for version, compression in (("6", "none"), ("7", "none"), ("7", "zlib"), ("7", "zstd"))
    for order in ("little", "big")
    for long_size in ("4", "8")
    for page in ("4096", "65536")
]
LAYOUT_CASES = ("several-buffers", "extra-fields-of-every-type", "loss-on-two-cpus", "symbols", "rules-marker")


class Case:
    """One case: NAME.event is the result.

    NAME.args, where there is one, has in each line an export's options, or `script OTHER` for
    another script than NAME, or `about SUBJECT...` for the lines that are compared (by default
    records and reports), or `keep REGEX` for these lines, too, or `note TEXT` for what exports may
    also print.
    """

    def __init__(self, name):
        self.name, self.script, self.runs, self.notes = name, name, [], []
        patterns = []
        path = HERE / f"{name}.args"
        for line in path.read_text().splitlines() if path.exists() else ():
            word, _, rest = line.partition(" ")
            if word == "script":
                self.script = rest
            elif word == "about":
                patterns += [SUBJECTS[subject] for subject in rest.split()]
            elif word == "keep":
                patterns.append(rest.encode())
            elif word == "note":
                self.notes.append(f"ktrack: {rest}")
            else:
                self.runs.append(shlex.split(line))
        self.runs = self.runs or [[]]
        self.patterns = [re.compile(pattern) for pattern in patterns or (SUBJECTS[subject] for subject in USUAL)]
        self.expected = HERE / f"{name}.event"

    def read(self):
        """The expected bytes."""
        return self.expected.read_bytes() if self.expected.exists() else b""

    def select(self, stream):
        """The lines of a stream that are compared."""
        lines = stream.splitlines(keepends=True)
        return b"".join(line for line in lines if any(pattern.search(line) for pattern in self.patterns))


def list_cases():
    """All cases: every script is one, and so is every other export of one."""
    return [
        Case(name)
        for name in sorted({path.stem for path in HERE.iterdir() if path.suffix in CASES})
    ]


def make_file(script, path, **settings):
    """Makes a case's trace.dat."""
    reader = Reader(script, HERE)
    for name, value in settings.items():
        reader.take(f"{name} {value}".encode())
    with open(HERE / f"{script}.script", "rb") as lines, open(path, "wb") as out:
        write_file(out, reader.read(lines))


def scrub(stream):
    """A stream without what changes from build to build."""
    for pattern, text in SCRUBS:
        stream = pattern.sub(text, stream)
    return stream


def export(folder, words, pipe=None):
    """Runs ktrack export on trace.dat, or on a pipe; returns (status, output, errors)."""
    environment = {name: value for name, value in os.environ.items() if "TRACE2" not in name}
    done = process.run(
        ["ktrack", "export", f"--sid={SID}", *words, "trace.dat" if pipe is None else "-"],
        executable=KTRACK,
        cwd=folder,
        env=environment,
        input=pipe,
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def clock_note(stream):
    """What standard error reports if the stream's last session has no wall clock; None if it has one."""
    params = {line["param"]: line["value"] for line in last_session(stream) if line["event"] == "def_param"}
    if params["time_source"] != "none":
        return None
    clock = params["clock"]
    option = "" if clock == "boot" else " --clock=boot"
    return (
        f"ktrack: trace.dat: the wall clock is unknown (clock {clock}), times begin in 1970;"
        f" give --wall-clock=TIME, or record with 'ktrack record{option}'"
    )


def last_session(stream):
    """The events of a stream's last session."""
    return [json.loads(line) for line in split_sessions(stream)[-1]]


def loss_note(stream, words):
    """What standard error reports of the losses that a stream's last session counts; None without any."""
    lines = last_session(stream)
    lost = {
        line["name"]: line["count"]
        for line in lines
        if line["event"] == "counter" and line["name"].startswith("lost_")
    }
    gaps, unknown = lost.get("lost_gaps", 0), lost.get("lost_gaps_unknown", 0)
    if not gaps:
        return None
    note = f"ktrack: trace.dat: lost {count_noun(lost.get('lost_records'), 'record')} in {count_noun(gaps, 'gap')}"
    note += f", {unknown} of unknown size" if unknown and "lost_records" in lost else ""
    shares = [line["args"]["records"] for line in lines if line["event"] == "error" and line.get("args", {}).get("buffer") == "convention"]
    note += f", {sum(filter(None, shares))} of the convention's tracepoints" if shares else ""
    return note + ("; exit status 3 because of --fail-on-loss" if "--fail-on-loss" in words else "")


def count_noun(count, noun):
    """As in `1 gap`."""
    return f"{count} {noun}{'s' * (count != 1)}" if count else f"an unknown number of {noun}s"


def check_notes(case, words, stream, errors):
    """What is wrong with standard error: lines that are not expected, and losses without a line."""
    notes = [note for note in (clock_note(stream), loss_note(stream, words)) if note] if stream else []
    lines = errors.splitlines()
    yield from (line for line in lines if line not in (*notes, *case.notes))
    yield from (f"missing: {note}" for note in notes if note not in lines)


def run_case(case, folder):
    """All runs of a case; returns (its streams, what is wrong with the runs)."""
    streams, wrong = [], []
    for words in case.runs:
        status, output, errors = export(folder, words)
        target = folder / "out.event"
        last = output or (target.read_bytes() if target.exists() else b"")
        wrong += [f"{shlex.join(words)}: {line}" for line in check_notes(case, words, last, errors)]
        code = EXIT_CODE.search(last)
        if not code or int(code[1]) != status:
            wrong.append(f"{shlex.join(words)}: exit status {status} is not that of the stream")
        streams.append(output)
    if (folder / "out.event").exists():
        streams.append((folder / "out.event").read_bytes())
    return scrub(b"".join(streams)), wrong


def wrong_form(stream):
    """What the strict reader says of each session."""
    for lines in split_sessions(stream):
        for number, rule, message in itertools.islice(check_lines(lines, SID), 10):
            yield f"line {number}: {rule}: {message}"


def show_difference(expected, found):
    """How two streams differ, for people."""
    texts = [text.decode(errors="replace").splitlines() for text in (expected, found)]
    yield from itertools.islice(
        difflib.unified_diff(*texts, "expected", "found", n=0, lineterm=""), 20
    )


def run_script(case, **settings):
    """run_case() of a file that is made for it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_file(case.script, folder / "trace.dat", **settings)
        return run_case(case, folder)


def check_case(tap, case, is_updating):
    """One case: the runs and the form of the whole stream, and the lines of its subject."""
    stream, wrong = run_script(case)
    wrong += wrong_form(stream)
    found, text = case.select(stream), case.name.replace("-", " ")
    if is_updating and not wrong:
        case.expected.write_bytes(found)
    tap.nothing(wrong, f"{text}: form and messages")
    tap.nothing(list(show_difference(case.read(), found)) if found else ["no line is compared"], f"{text}: the subject")


def check_layouts(tap, case):
    """A case's records in all layouts of the file: each has the same stream, all lines of it. Through a pipe, too."""
    whole, wrong = run_script(case)
    tap.nothing(wrong + list(show_difference(case.read(), case.select(whole))), f"{case.name}: the layouts are compared with the golden's stream")
    for settings in LAYOUTS:
        stream, wrong = run_script(case, **settings)
        what = ", ".join(" ".join(pair) for pair in settings.items())
        tap.nothing(wrong + list(show_difference(whole, stream)), f"{case.name} in {what}")
    check_pipe(tap, case, whole)


def check_pipe(tap, case, whole):
    """A case's file through a pipe: the stream is the same but for the source's name."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_file(case.script, folder / "trace.dat")
        status, output, errors = export(folder, case.runs[0], (folder / "trace.dat").read_bytes())
    stream = scrub(output).replace(b'"-"', b'"trace.dat"')
    notes = [note.replace("trace.dat", "-", 1) for note in (clock_note(stream), loss_note(stream, [])) if note]
    is_same = (status, errors.splitlines(), stream) == (0, notes, whole)
    tap.ok(is_same, f"{case.name} on standard input", errors, *show_difference(whole, stream))


def check_mutants(tap):
    """Each case is named by a mutant that it must notice, and mutants name only cases."""
    named = {name for path in MUTANTS.iterdir() for name in NAMED.findall(path.read_text())}
    names = {case.name for case in list_cases()}
    tap.nothing(sorted(names - named), "every case is named by a mutant")
    tap.nothing(sorted(named - names), "mutants name cases that exist")


@tested
def main(tap):
    """All checks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", help="expect what comes out now")
    parser.add_argument("names", metavar="CASE", nargs="*", help="only these")
    options = parser.parse_args()
    for case in list_cases():
        if not options.names or case.name in options.names:
            check_case(tap, case, options.update)
    for name in LAYOUT_CASES if not options.names else ():
        check_layouts(tap, Case(name))
    if not options.names:
        check_mutants(tap)
