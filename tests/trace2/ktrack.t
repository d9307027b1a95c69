#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: ktrack's own targets: any at once, everywhere they can go, from options, the environment and files of settings."""

import json
import os
import socket
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "stream")]

import process  # noqa: E402
from derived import disagreements  # noqa: E402
from driver import received  # noqa: E402
from reading.stream import check_lines  # noqa: E402
from tap import tested  # noqa: E402

KTRACK = ROOT / "build/ktrack"
SCRIPTS = sorted((HERE.parent / "golden").glob("*.script"))
SCRIPT = "scopes-process-cpu-custom-thread"
HIDDEN = ("KTRACK_", "GIT_TRACE2", "XDG_CONFIG_HOME", "SUDO_")


class Bench:
    """A folder with a trace, and ktrack run there."""

    def __init__(self, folder):
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir()

    def trace(self, name):
        """A trace.dat made of a script, of a machine whose wall clock is known."""
        path = self.folder / f"{name}.dat"
        words = [HERE.parent / "golden/mktrace", "--set=wall=1700000000000000", HERE.parent / f"golden/{name}.script", path]
        process.run([str(word) for word in words], check=True)
        return path

    def export(self, trace, *words, **variables):
        """Runs ktrack export; variables are added to a clean environment."""
        if "--event=e" not in words:
            words = ("--sid=S", *words)
        kept = {key: value for key, value in os.environ.items() if not key.startswith(HIDDEN)}
        environment = {**kept, "HOME": str(self.home), "TZ": "UTC", **variables}
        command = [str(word) for word in (KTRACK, "export", *words, trace)]
        return process.run(command, env=environment, capture_output=True, cwd=self.folder)

    def text(self, name):
        """What a file holds."""
        path = self.folder / name
        return path.read_bytes().decode("utf-8", "replace") if path.exists() else None


def check_agreement(tap, bench):
    """Every golden trace in all three targets at once: EVENT is right, and the others say the same."""
    for script in SCRIPTS:
        done = bench.export(bench.trace(script.stem), "--event=e", "--perf=p", "--normal=n")
        events = [json.loads(line) for line in bench.text("e").splitlines()]
        troubles = list(disagreements(events, bench.text("p"), bench.text("n")))
        troubles += [str(one) for one in check_lines(bench.text("e").encode().splitlines(keepends=True))]
        tap.nothing(troubles, f"{script.stem}: three targets agree, status {done.returncode}", most=3)


def check_places(tap, bench, trace):
    """What the command line can name."""
    want = bench.export(trace).stdout
    tap.ok(want.startswith(b'{"event":"version"'), "EVENT goes to standard output where nothing names a target")
    tap.ok(scrubbed(bench.export(trace, "--event=1").stderr) == scrubbed(want), "1 is standard error")
    bench.export(trace, f"--event={bench.folder}/absolute")
    tap.ok(scrubbed(bench.text("absolute").encode()) == scrubbed(want), "an absolute path")
    tap.ok((bench.folder / "absolute").stat().st_mode & 0o777 == 0o600, "is for its owner alone")
    (bench.folder / "many").mkdir()
    for _ in range(2):
        bench.export(trace, "--event=many", "--perf=many")
    names = sorted(path.name for path in (bench.folder / "many").iterdir())
    tap.ok(names == ["S", "S.1", "S.2", "S.3"], "a folder gets a file for each session and target", names)
    done = bench.export(trace, "--event=0", "--perf=false")
    tap.ok((done.stdout, done.stderr, done.returncode) == (b"", b"", 0), "0 and false are nowhere", done)
    bench.export(trace, "--normal=x")
    bench.export(trace, "--normal=x", "--append")
    tap.ok(bench.text("x").count("atexit ") == 2, "files are added to where that is asked for", bench.text("x"))
    done = bench.export(trace, "--event=af_unix:stream:/nowhere")
    tap.ok(
        done.returncode == 1 and b"could not connect to socket '/nowhere'" in done.stderr and done.stderr.count(b"\n") == 1,
        "a socket that is not there is a failure, in one line", done,
    )


def scrubbed(stream):
    """EVENT lines without the words that named the target."""
    return [line for line in stream.splitlines() if b'"event":"start"' not in line]


def check_sockets(tap, bench, trace):
    """A stream arrives whole, and so does each datagram."""
    want = scrubbed(bench.export(trace).stdout)
    with received(socket.SOCK_STREAM, bench.folder / "stream") as out:
        bench.export(trace, f"--event=af_unix:{bench.folder}/stream")
    tap.ok(scrubbed(b"".join(out)) == want, "a stream socket receives all")
    with received(socket.SOCK_DGRAM, bench.folder / "datagrams") as out:
        bench.export(trace, f"--event=af_unix:dgram:{bench.folder}/datagrams")
    tap.ok(
        all(data.count(b"\n") == 1 for data in out) and scrubbed(b"".join(out)) == want, "datagrams hold a line each",
    )


def check_settings(tap, bench, trace):
    """Options are over the environment, that over the user's file."""
    config = bench.home / ".config/ktrack"
    config.mkdir(parents=True)
    (config / "config").write_text(
        f"[trace2]\n\tperfTarget = {bench.folder}/user.perf\n\tperfBrief = true\n\teventTarget = {bench.folder}/user.event\n"
        "\tconfigParams = demo.*\n[demo]\n\tkey = value\n"
    )
    environment = {"KTRACK_TRACE2_EVENT": str(bench.folder / "env.event"), "KTRACK_TRACE2_ENV_VARS": "TZ",
                   "KTRACK_TRACE2_EVENT_NESTING": "1"}
    done = bench.export(trace, "--normal=option.normal", **environment)
    tap.ok(
        done.stdout == b"" and bench.text("user.event") is None and bench.text("env.event") and bench.text("option.normal"),
        "the environment is over the user's file, and standard output is not used", done, os.listdir(bench.folder),
    )
    tap.ok(bench.text("user.perf").startswith("d0 | main "), "the user's file counts for the rest, brief forms too")
    events = [json.loads(line) for line in bench.text("env.event").splitlines()]
    reported = [(e["scope"], e["param"], e["value"]) for e in events if e["event"] == "def_param"][-2:]
    tap.ok(reported == [("global", "demo.key", "value"), ("command", "TZ", "UTC")], "parameters that are asked for are reported", reported)
    tap.ok(
        not [e for e in events if e.get("nesting", 0) > 1] and "counter" not in [e["event"] for e in events],
        "nesting is limited where that is set",
    )
    bench.export(trace, "--event=option.event", **environment)
    tap.ok(bench.text("env.event").count('"atexit"') == 1 and bench.text("option.event"), "an option replaces its kind")
    done = bench.export(trace, "--normal=n", KTRACK_TRACE2_EVENT="nonsense")
    want = b"ktrack: trace2: unknown value for 'KTRACK_TRACE2_EVENT': 'nonsense'\n"
    tap.ok((done.returncode, done.stderr) == (1, want), "a setting that is no target is a failure", done)
    (config / "config").write_text("[trace2]\n\tevent target = /nowhere\n")
    for debug, want in (("0", b""), ("1", f"ktrack: trace2: {config}/config:2: neither a section nor a setting\n".encode())):
        done = bench.export(trace, "--normal=n", KTRACK_TRACE2_DST_DEBUG=debug)
        tap.ok((done.returncode, done.stderr) == (0, want), f"a setting that cannot be read is left out, with debugging '{debug}'", done)


def check_owners(tap, bench, trace):
    """Under sudo, files that targets make belong to the user behind it, those that were there stay."""
    if os.geteuid() != 0:
        tap.skip("files are given to the user behind sudo", "only root can give files away")
        return
    (bench.folder / "own").mkdir()
    (bench.folder / "there").write_text("")
    done = bench.export(
        trace, KTRACK_TRACE2=str(bench.folder / "new"), KTRACK_TRACE2_PERF=str(bench.folder / "there"),
        KTRACK_TRACE2_EVENT=str(bench.folder / "own"), SUDO_UID="12345", SUDO_GID="23456",
    )
    owners = [(path.stat().st_uid, path.stat().st_gid) for path in (bench.folder / "new", bench.folder / "own/S", bench.folder / "there")]
    mine = (os.geteuid(), os.getegid())
    tap.ok(done.returncode == 0 and owners == [(12345, 23456)] * 2 + [mine], "files are given to the user behind sudo", done, owners)


@tested
def main(tap):
    """All of it in one folder."""
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name))
        check_agreement(tap, bench)
        trace = bench.trace(SCRIPT)
        check_places(tap, bench, trace)
        check_sockets(tap, bench, trace)
        check_settings(tap, bench, trace)
        check_owners(tap, bench, trace)
