#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: what ktrack export says of each case's trace.dat, byte by byte; --update rewrites it."""

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
from reading.stream import check_lines  # noqa: E402
from tap import Tap  # noqa: E402

KTRACK = HERE.parents[1] / "build/ktrack"
SID = "golden"
CASES = (".script", ".args")
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
    another script than NAME, or `keep REGEX` for the lines that are compared, or `note TEXT` for
    what exports may also print.
    """

    def __init__(self, name):
        self.name, self.script, self.runs, self.notes = name, name, [], []
        self.keep = re.compile(b"")
        path = HERE / f"{name}.args"
        for line in path.read_text().splitlines() if path.exists() else ():
            word, _, rest = line.partition(" ")
            if word == "script":
                self.script = rest
            elif word == "keep":
                self.keep = re.compile(rest.encode())
            elif word == "note":
                self.notes.append(f"ktrack: {rest}")
            else:
                self.runs.append(shlex.split(line))
        self.runs = self.runs or [[]]
        self.expected = HERE / f"{name}.event"

    def read(self):
        """The expected bytes."""
        return self.expected.read_bytes() if self.expected.exists() else b""


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


def split_sessions(stream):
    """The lines of each session."""
    sessions = []
    for line in stream.splitlines(keepends=True):
        if line.startswith(b'{"event":"version"') or not sessions:
            sessions.append([])
        sessions[-1].append(line)
    return sessions


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


def check_case(tap, case, is_updating):
    """One case: the runs, the form, the bytes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_file(case.script, folder / "trace.dat")
        stream, wrong = run_case(case, folder)
    wrong += wrong_form(stream)
    kept = b"".join(line for line in stream.splitlines(keepends=True) if case.keep.search(line))
    if is_updating and not wrong:
        case.expected.write_bytes(kept)
    tap.nothing(wrong + list(show_difference(case.read(), kept)), case.name.replace("-", " "))


def check_layout(tap, case, settings):
    """A case's records in another layout of the file: the stream is the same."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_file(case.script, folder / "trace.dat", **settings)
        stream, wrong = run_case(case, folder)
    what = ", ".join(" ".join(pair) for pair in settings.items())
    tap.nothing(wrong + list(show_difference(case.read(), stream)), f"{case.name} in {what}")


def check_pipe(tap, case):
    """A case's file through a pipe: the stream is the same but for the source's name."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_file(case.script, folder / "trace.dat")
        status, output, errors = export(folder, case.runs[0], (folder / "trace.dat").read_bytes())
    stream = scrub(output).replace(b'"-"', b'"trace.dat"')
    notes = [note.replace("trace.dat", "-", 1) for note in (clock_note(stream), loss_note(stream, [])) if note]
    is_same = (status, errors.splitlines(), stream) == (0, notes, case.read())
    tap.ok(is_same, f"{case.name} on standard input", errors, *show_difference(case.read(), stream))


def main():
    """Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", help="expect what comes out now")
    parser.add_argument("names", metavar="CASE", nargs="*", help="only these")
    options = parser.parse_args()
    tap = Tap()
    for case in list_cases():
        if not options.names or case.name in options.names:
            check_case(tap, case, options.update)
    for name in LAYOUT_CASES if not options.names else ():
        for settings in LAYOUTS:
            check_layout(tap, Case(name), settings)
        check_pipe(tap, Case(name))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
