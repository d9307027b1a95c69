#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: outputs whose names end with .zst are compressed, and zstd reads what the same output has without that name."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import cases  # noqa: E402
import process  # noqa: E402
from tap import Tap  # noqa: E402

KINDS = ("event", "perf", "normal", "chrome", "otlp", "otlp-metrics")
OTHERS = ("perfetto", "fxt", "html", "sqlite")
CASE = "extra-fields-are-attached"
# Long enough that ktrack writes many blocks.
LONG = """event demo:io 100 char track_event_type; string slice_name
repeat 200000
+100 7@0 io B read
+100 7@0 io E read
end
"""
# What differs between two runs: the words of the command line, and the identity of the session.
OWN = re.compile(rb"--[a-z-]+=[^ \"',]*|20\d{6}T\d{6}\.\d{6}Z-\w+-\w+|P[0-9a-f]{8}")


def decoded(path):
    """(content, status) of a file, by zstd."""
    done = subprocess.run(["zstd", "-dc", path], capture_output=True, check=False)
    return done.stdout, done.returncode


def said(folder, *words):
    """(status, messages) of ktrack."""
    environment = {name: value for name, value in os.environ.items() if "TRACE2" not in name}
    done = process.run([cases.KTRACK, *words], cwd=folder, env=environment, capture_output=True, text=True)
    lines = [line for line in done.stderr.splitlines() if not cases.NOTE.fullmatch(line)]
    return done.returncode, lines


def check_kinds(tap, folder):
    """Each kind, compressed and not."""
    for kind in KINDS:
        for name in ("out", "out.zst"):
            cases.run(folder, "export", "--sid=one", f"--{kind}={name}", "trace.dat")
        content, status = decoded(folder / "out.zst")
        plain = (folder / "out").read_bytes()
        tap.ok(status == 0 and len(plain) > 100, f"--{kind}: zstd reads it", status, len(plain))
        tap.ok(OWN.sub(b"", content) == OWN.sub(b"", plain), f"--{kind}: which is what the output has otherwise", content[:500].decode())
        (folder / "out").unlink()
        (folder / "out.zst").unlink()


def check_several(tap, folder):
    """Several outputs of one run."""
    words = [f"--{kind}={kind}.zst" for kind in KINDS]
    _, wrong = cases.run(folder, "export", *words, "--html=page.html", "trace.dat")
    sizes = [len(decoded(folder / f"{kind}.zst")[0]) for kind in KINDS]
    tap.ok(not wrong and min(sizes) > 100 and (folder / "page.html").exists(), "all of them in one run", *wrong, sizes)


def check_append(tap, folder):
    """A frame for each run; nothing is added to what cannot be continued."""
    for _ in range(3):
        cases.run(folder, "export", "--append", "--event=log.zst", "trace.dat")
    content, status = decoded(folder / "log.zst")
    tap.ok(status == 0 and content.count(b'"event":"atexit"') == 3, "--append adds a session", status, content[-300:].decode())
    whole = (folder / "log.zst").read_bytes()
    for data, problem in (
        (whole[:-9], "its last frame is incomplete; write to another file, and read this one with 'zstd -dc'"),
        (b"plain text\n", "not compressed with zstd; write to another file"),
    ):
        (folder / "log.zst").write_bytes(data)
        status, lines = said(folder, "export", "--append", "--event=log.zst", "trace.dat")
        tap.ok((status, lines) == (1, [f"ktrack: log.zst: {problem}"]), f"nothing is added: {problem.partition(';')[0]}", status, *lines)
        tap.ok((folder / "log.zst").read_bytes() == data, "and the file stays as it is")
    # The remedy of the message.
    (folder / "log.zst").write_bytes(whole[:-9])
    content, status = decoded(folder / "log.zst")
    tap.ok(status != 0 and content.count(b'"event":"atexit"') >= 2, "zstd reads the frames before the incomplete one", status)
    _, wrong = cases.run(folder, "export", "--event=log.zst", "trace.dat")
    content, status = decoded(folder / "log.zst")
    tap.ok(not wrong and status == 0 and content.count(b'"event":"atexit"') == 1, "without --append it is replaced", *wrong, status)


def check_refused(tap, folder):
    """What cannot be compressed."""
    for kind in OTHERS:
        status, lines = said(folder, "export", f"--{kind}=out.zst", "trace.dat")
        wanted = [f"ktrack: out.zst: --{kind} does not compress; leave out '.zst'"]
        tap.ok((status, lines) == (2, wanted) and not (folder / "out.zst").exists(), f"--{kind} does not", status, *lines)
    status, lines = said(folder, "export", "--event=both.zst", "--perf=both.zst", "trace.dat")
    wanted = ["ktrack: both.zst: named twice; write a compressed file to its own path"]
    tap.ok((status, lines) == (1, wanted), "two outputs share no compressed file", status, *lines)
    environment = {"KTRACK_TRACE2_EVENT": str(folder / "set.zst"), "PATH": os.environ["PATH"], "HOME": str(folder)}
    done = subprocess.run([cases.KTRACK, "export", "trace.dat"], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    wanted = f"ktrack: KTRACK_TRACE2_EVENT: not compressed; write --event={folder}/set.zst instead"
    tap.ok(done.returncode == 1 and wanted in done.stderr, "a setting does not, and names the option that does", done.stderr)
    (folder / "directory.zst").mkdir()
    _, wrong = cases.run(folder, "export", "--event=directory.zst", "trace.dat")
    files = list((folder / "directory.zst").iterdir())
    tap.ok(not wrong and files and files[0].read_bytes().startswith(b'{"event"'), "a directory is one, whatever its name", *wrong, files)


def check_failures(tap, folder):
    """A disk that is full, a library that is missing."""
    for kind in KINDS:
        (folder / "full.zst").unlink(missing_ok=True)
        (folder / "full.zst").symlink_to("/dev/full")
        status, lines = said(folder, "export", f"--{kind}=full.zst", "trace.dat")
        tap.ok(status == 1 and len(lines) == 1 and "cannot write to full.zst: No space left on device" in lines[0], f"--{kind}: a full disk is reported", status, *lines)
    (folder / "libraries").mkdir()
    (folder / "libraries/libzstd.so.1").write_bytes(b"")
    done = subprocess.run(
        [cases.KTRACK, "export", "--event=none.zst", "trace.dat"],
        cwd=folder,
        env={"LD_LIBRARY_PATH": str(folder / "libraries")},
        capture_output=True,
        text=True,
        check=False,
    )
    remedy = "libzstd.so.1: cannot be loaded; install libzstd (Debian's package libzstd1)"
    tap.ok(done.returncode == 1 and remedy in done.stderr, "without libzstd, ktrack says what to install", done.stderr)


def check_closing_line(tap, folder):
    """The last line of a run on a terminal proposes no viewer for what none can open."""
    shell = f"{cases.KTRACK} export --chrome=view.json.zst trace.dat"
    done = subprocess.run(["script", "-qec", shell, "/dev/null"], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    tap.ok("view.json.zst: " in done.stdout and "chrome://tracing" not in done.stdout, "no viewer is proposed", done.stdout)


def check_killed(tap, folder):
    """SIGKILL: what was written can be read, whole lines or not."""
    cases.make_of(LONG, folder / "long.dat")
    os.mkfifo(folder / "pipe.zst")
    ktrack = subprocess.Popen([cases.KTRACK, "export", "--event=pipe.zst", "long.dat"], cwd=folder, stderr=subprocess.DEVNULL)
    with open(folder / "pipe.zst", "rb") as pipe:
        # The compressed pipe is full while the export goes on.
        data = pipe.read(100000)
        ktrack.send_signal(signal.SIGKILL)
        ktrack.wait()
        data += pipe.read()
    (folder / "killed.zst").write_bytes(data)
    content, status = decoded(folder / "killed.zst")
    lines = content.split(b"\n")
    tap.ok(status != 0 and len(lines) > 10000 and content.startswith(b'{"event":"version"'), "after SIGKILL zstd reads what was written", status, len(lines))
    tap.nothing([line[:100].decode() for line in lines[:-1] if not line.endswith(b"}")][:3], "in whole lines")
    _, wrong = cases.run(folder, "export", "--event=long.zst", "long.dat")
    size, ratio = (folder / "long.zst").stat().st_size, 10
    tap.ok(not wrong and size * ratio < len(decoded(folder / "long.zst")[0]), f"lines of slices are compressed to less than 1/{ratio}", size)


def check_limits(tap, folder):
    """Files of sessions in a directory: number, size, age; other files stay."""
    target = folder / "sessions"
    target.mkdir()
    for name in ("notes.txt", "20260101T000000", "report.event"):
        (target / name).write_text("x" * 100000)
    others = set(target.iterdir())

    def sessions():
        return sorted(path for path in set(target.iterdir()) - others)

    for _ in range(4):
        cases.run(folder, "export", "--event=sessions", "--max-files=3", "trace.dat")
        time.sleep(0.002)
    kept = sessions()
    tap.ok(len(kept) == 3, "--max-files keeps that many", kept)
    cases.run(folder, "export", "--event=sessions", "--perf=sessions", "--max-files=3", "trace.dat")
    names = sessions()
    newest = [path for path in names if path.name.endswith(".1")]
    tap.ok(len(names) == 3 and len(newest) == 1 and newest[0].with_suffix("") in names, "both files of the new session stay", names)
    for path in names[:1]:
        os.utime(path, (1, 1))
    cases.run(folder, "export", "--event=sessions", "--max-age=24h", "trace.dat")
    tap.ok(names[0] not in sessions() and len(sessions()) == 3, "--max-age removes older ones", sessions())
    cases.run(folder, "export", "--event=sessions", "--max-size=1k", "trace.dat")
    tap.ok(len(sessions()) == 1 and sessions()[0].stat().st_size > 1024, "--max-size removes all but the one that is written", sessions())
    tap.ok(all(path.exists() for path in others), "other files stay", list(target.iterdir()))
    status, lines = said(folder, "export", "--event=lines", "--max-age=1h", "trace.dat")
    wanted = ["ktrack: --max-files, --max-size, --max-age: no output is a directory; write --event=DIRECTORY"]
    tap.ok((status, lines) == (1, wanted), "a file has no such limits", status, *lines)


def main():
    """Returns the exit status."""
    tap = Tap()
    if not shutil.which("zstd"):
        tap.skip("compressed outputs", "zstd is not installed")
        return tap.finish()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases.make(CASE, folder / "trace.dat")
        for check in (check_kinds, check_several, check_append, check_refused, check_failures, check_closing_line, check_killed, check_limits):
            check(tap, folder)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
