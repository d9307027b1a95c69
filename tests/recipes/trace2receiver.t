#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: by the rules of trace2receiver's parser, sessions of ktrack are accepted, and its shipped configuration is.

trace2receiver itself is not run: it is in no registry. What it keeps and drops is what ktrack-telemetry(7) states.
"""

import re
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "outputs"), str(HERE.parent)]

import cases  # noqa: E402
import packages  # noqa: E402
from tap import tested  # noqa: E402
from trace2receiver import Receiver, Rejected, config_wrong, settings_read  # noqa: E402

FOLDER = HERE.parents[1] / "scripts/packaging/trace2receiver"
# Kinds of lines of which less may be kept than is written: the page lists them.
MAY_DROP = {"data", "data_json", "error"}


class Listener:
    """A stream socket that keeps what each connection wrote."""

    def __init__(self, path):
        self.socket, self.connections = socket.socket(socket.AF_UNIX), []
        self.socket.bind(str(path))
        self.socket.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            connection = self.socket.accept()[0]
            with connection, connection.makefile("rb") as lines:
                self.connections.append(lines.readlines())

    def sent(self, folder, *words):
        """(lines of the connection of one export, what is wrong)."""
        before = len(self.connections)
        _, wrong = cases.run(folder, "export", *words)
        for _ in range(100):
            if len(self.connections) > before:
                return self.connections[-1], wrong
            threading.Event().wait(0.05)
        return [], [*wrong, "no connection"]


def receive(lines):
    """(receiver, what is wrong)."""
    receiver = Receiver()
    try:
        for line in lines:
            receiver.read(line)
    except (Rejected, ValueError) as problem:
        return receiver, [f"rejected: {problem}"]
    return receiver, [] if receiver.is_kept() else ["nothing is kept"]


def count(lines, kind):
    """How many lines of a kind there are."""
    return sum(f'{{"event":"{kind}"'.encode() in line for line in lines)


def check_case(tap, listener, target, name):
    """A golden case: every slice is a span."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make(name, Path(folder, "trace.dat"))
        lines, wrong = listener.sent(folder, *cases.rules_of(name), target, "trace.dat")
    receiver, more = receive(lines)
    wrong += more
    if len(receiver.spans) != count(lines, "region_leave"):
        wrong.append(f"{len(receiver.spans)} spans of {count(lines, 'region_leave')} slices")
    wrong += [f"dropped: {number} {kind}" for kind, number in receiver.dropped.items() if kind not in MAY_DROP]
    tap.nothing(wrong, f"{name.replace('-', ' ')}: {len(receiver.spans)} spans")


def check_rules(tap):
    """The rules themselves: each damage that the receiver rejects."""
    common = b'{"event":"%s","sid":"a","thread":"main","time":"2026-01-02T03:04:05.678Z"%s}\n'
    good = [common % (b"version", b',"evt":"4","exe":"1"'), common % (b"start", b',"argv":["x"]')]
    tap.nothing(receive(good)[1], "the rules accept a session")
    for line in (
        common % (b"error", b',"msg":"x"'),
        common % (b"data", b',"nesting":1,"category":"c","key":"k","value":true'),
        common % (b"region_enter", b',"nesting":true'),
        common.replace(b"T03", b" 03") % (b"printf", b',"msg":"x"'),
        b"{damaged\n",
    ):
        tap.ok(bool(receive([*good, line])[1]), f"and reject {line[:60].decode()}")


def check_drops(tap, listener, target):
    """What the page states as dropped."""
    page = re.sub(r"\\f.|\\", "", (HERE.parents[1] / "userspace/doc/ktrack-telemetry.7").read_text())
    with tempfile.TemporaryDirectory() as folder:
        cases.make("loss-on-two-cpus", Path(folder, "trace.dat"))
        lines, _ = listener.sent(folder, target, "trace.dat")
    receiver, _ = receive(lines)
    tap.ok(receiver.dropped == {"error": count(lines, "error") - 1} and count(lines, "error") > 1, "only the first loss is kept", receiver.dropped)
    tap.ok("all but the first error" in page, "as the page states")
    with tempfile.TemporaryDirectory() as folder:
        cases.make_of("event demo:depth 100 s64 counter_value\n" + "".join(f"{time}us 7@0 depth {time}\n" for time in range(9)), Path(folder, "trace.dat"))
        lines, _ = listener.sent(folder, target, "trace.dat")
    receiver, _ = receive(lines)
    tap.ok(receiver.dropped == {"data": 8}, "of samples of a name only the last is kept", receiver.dropped)
    tap.ok("all but the last instant or sample of one name" in page, "as the page states")


def check_config(tap):
    """The shipped files, and the page's command."""
    config, filters = (settings_read((FOLDER / name).read_text()) for name in ("config.yml", "filter.yml"))
    tap.nothing(config_wrong(config, filters), "the configuration is accepted")
    receiver = config["receivers"]["trace2receiver"]
    command = packages.recipes("trace2receiver")[""]
    tap.ok(f"--event=af_unix:stream:{receiver['socket']}\n" in command, "the page's command writes to its socket", command)
    tap.ok(receiver["filter"] == f"/usr/share/ktrack/trace2receiver/{FOLDER.joinpath('filter.yml').name}", "its filter is where it is installed", receiver)
    for name, (one, other) in {
        "another name of a setting": ({**config, "receivers": {"trace2receiver": {"target": "/x"}}}, filters),
        "an unknown level": (config, {"defaults": {"ruleset": "all"}}),
        "a receiver without a definition": ({**config, "receivers": {"trace2receiver": receiver}, "exporters": {}}, filters),
    }.items():
        tap.ok(bool(config_wrong(one, other)), f"which {name} is not")
    options = re.findall(r"--[a-z-]+", command)
    known = subprocess.run([cases.KTRACK, "stream", "--help-all"], capture_output=True, text=True, check=False).stdout
    tap.ok(len(options) == 2 and all(option in known for option in options), "its options exist", options)


@tested
def main(tap):
    """All checks."""
    check_rules(tap)
    check_config(tap)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "socket")
        listener, target = Listener(path), f"--event=af_unix:stream:{path}"
        for name in cases.nested_names():
            check_case(tap, listener, target, name)
        check_drops(tap, listener, target)
