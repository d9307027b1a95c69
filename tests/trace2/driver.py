# SPDX-License-Identifier: GPL-2.0-only
"""Runs git, replays its events with libtrace2's driver, and compares the output of both."""

import json
import os
import re
import socket
import subprocess
import tempfile
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

import process

ROOT = Path(__file__).resolve().parents[2]
DRIVER = ROOT / "build/trace2/driver"
TARGETS = {"": "normal", "_PERF": "perf", "_EVENT": "event"}

# What differs between two runs of the same: clocks, timestamps of session ids, versions of the form.
SCRUBS = (
    (re.compile(r"\d{8}T\d{6}\.\d{6}Z-(H[0-9a-f]{8}|Localhost)-P[0-9a-f]{8}"), r"TIMESTAMP-\1-PID"),
    (re.compile(r"^\d\d:\d\d:\d\d\.\d{6} ", re.MULTILINE), "CLOCK "),
    (re.compile(r'"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"'), '"time":TIME'),
    (re.compile(r"(elapsed:)\d+\.\d{6}\b"), r"\1SECONDS"),
    (re.compile(r'("t_\w+":)\d+\.\d{6}\b'), r"\1SECONDS"),
    (re.compile(r"((?:total|min|max):)\d+\.\d{6}\b"), r"\1SECONDS"),
    (re.compile(r"\| [ \d]\d\.\d{6} (?=\|)"), "|  S.SSSSSS "),
    (re.compile(r'"evt":"\d"'), '"evt":EVT'),
)
# Messages of the libraries themselves have files and lines of their own.
OWN = "atexit|signal|th_timer|timer|th_counter|counter"
OWN_LINES = (
    (re.compile(rf"^(CLOCK )\S+:\d+ +(?=(?:{OWN}) )", re.MULTILINE), r"\1PLACE "),
    (re.compile(rf"^(CLOCK )\S+:\d+ *(?=\| d\d \| .{{24}} \| (?:{OWN}) )", re.MULTILINE), r"\1PLACE "),
    (re.compile(rf'^(\{{"event":"(?:{OWN})".*?)"file":"[^"]*","line":\d+', re.MULTILINE), r'\1"place":PLACE'),
)


def scrub(text):
    """A stream without what may differ."""
    for pattern, word in SCRUBS + OWN_LINES:
        text = pattern.sub(word, text)
    return text


def clean_environment(**more):
    """No settings of this machine's."""
    kept = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "LC_ALL": "C", "TZ": "XXX-5:30"}
    kept.update(GIT_CONFIG_NOSYSTEM="1", GIT_AUTHOR_NAME="A", GIT_AUTHOR_EMAIL="a@b", GIT_COMMITTER_NAME="A")
    kept.update(GIT_COMMITTER_EMAIL="a@b", GIT_AUTHOR_DATE="@1 +0000", GIT_COMMITTER_DATE="@1 +0000")
    kept.update(more)
    return kept


def run(words, text="", folder=None, environment=None, stdout=subprocess.DEVNULL, prefix="GIT_TRACE2", **more):
    """Runs a program with all three targets in folders; returns {target: {file: text}}, and its status."""
    with tempfile.TemporaryDirectory() as name:
        variables = dict(environment or {})
        for suffix, target in TARGETS.items():
            (Path(name) / target).mkdir()
            variables.setdefault(prefix + suffix, str(Path(name) / target))
        variables.setdefault(prefix + "_EVENT_NESTING", "100")
        done = process.run(
            [word if isinstance(word, bytes) else str(word) for word in words], input=text.encode("utf-8", "surrogateescape"), cwd=folder,
            env=clean_environment(**variables), stdout=stdout, stderr=subprocess.PIPE, **more,
        )
        streams = {}
        for target in TARGETS.values():
            files = sorted((Path(name) / target).iterdir())
            streams[target] = {file.name: file.read_bytes().decode("utf-8", "replace") for file in files}
        return streams, done


def receive(own, out):
    """All that comes to a socket, from one connection if it listens."""
    with suppress(OSError):  # nobody has connected
        connection = own.accept()[0] if own.type == socket.SOCK_STREAM else own
        while data := connection.recv(65536):
            out.append(data)


@contextmanager
def received(kind, path):
    """A list that has all that programs sent to a socket, once the context is left: they have ended then."""
    out = []
    with socket.socket(socket.AF_UNIX, kind) as own:
        own.bind(str(path))
        if kind == socket.SOCK_STREAM:
            own.listen()
        reader = threading.Thread(target=receive, args=(own, out))
        reader.start()
        try:
            yield out
        finally:
            own.shutdown(socket.SHUT_RDWR)
            reader.join()


def field(value):
    """A field of a saying."""
    if value is None:
        return "\\0"
    return str(value).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


def saying(name, event, *values):
    """A line for the driver at the source location of the event."""
    head = [name, field(event.get("file")), str(event.get("line", 0))]
    return "\t".join(head + [field(value) for value in values])


def error_values(event):
    """The format of an error, and the texts that make its message of it; all formats here have only %s."""
    if "fmt" not in event:
        return ()
    parts = re.split(r"%s", event["fmt"])
    match = re.fullmatch("(.*)".join(re.escape(part) for part in parts), event["msg"], re.DOTALL)
    if not match:
        raise ValueError(f"no texts for {event['fmt']!r}")
    return (event["fmt"], *match.groups())


def child_values(event):
    """That a command is git's own shows nowhere: "git" is a word like the others."""
    name = event.get("hook_name")
    kind = None if event["child_class"] in ("?", "hook") else event["child_class"]
    return (kind, name, event.get("cd"), "shell" if event["use_shell"] else "no", "no", *event["argv"])


def number(event):
    """The repository that an event is about."""
    return event.get("repo")


MAKERS = {
    "start": lambda e: e["argv"],
    "exit": lambda e: (e["code"],),
    "error": error_values,
    "cmd_path": lambda e: (e["path"],),
    "cmd_ancestry": lambda e: e["ancestry"],
    "cmd_name": lambda e: (e["name"],),
    "cmd_mode": lambda e: (e["name"],),
    "alias": lambda e: (e["alias"], *e["argv"]),
    "child_start": child_values,
    "child_exit": lambda e: (e["child_id"], e["pid"], e["code"]),
    "child_ready": lambda e: (e["child_id"], e["pid"], e["ready"]),
    "exec": lambda e: (e.get("exe"), *e["argv"]),
    "exec_result": lambda e: (e["exec_id"], e["code"]),
    "def_param": lambda e: (e["scope"], e["param"], e.get("value")),
    "def_repo": lambda e: (e["repo"], e["worktree"]),
    "region_enter": lambda e: (e.get("category"), e.get("label"), number(e), e.get("msg")),
    "region_leave": lambda e: (e.get("category"), e.get("label"), number(e), e.get("msg")),
    "data": lambda e: (e["category"], number(e), e["key"], e["value"]),
    "data_json": lambda e: (e["category"], number(e), e["key"], json.dumps(e["value"], separators=(",", ":"))),
    "signal": lambda e: (e["signo"],),
}
UNSAID = ("version", "too_many_files", "atexit")
NAMES = {"signal": "raise"}


def events_of(stream):
    """The events of an EVENT stream."""
    return [json.loads(line) for line in stream.splitlines()]


def script_of(events):
    """Input for the driver that produces the same events."""
    lines = []
    for event in events:
        kind = event["event"]
        if kind not in UNSAID:
            lines.append(saying(NAMES.get(kind, kind), event, *MAKERS[kind](event)))
    if events[-1]["event"] not in ("atexit", "signal"):
        lines.append(saying("vanish", {}))
    return "".join(line + "\n" for line in lines)


def parents_of(events):
    """The environment that a session's parent left."""
    sid = events[0]["sid"]
    names = [event for event in events if event["event"] == "cmd_name"]
    variables = {}
    if "/" in sid:
        variables["GIT_TRACE2_PARENT_SID"] = sid.rpartition("/")[0]
    if names and "/" in names[0].get("hierarchy", ""):
        variables["GIT_TRACE2_PARENT_NAME"] = names[0]["hierarchy"].rpartition("/")[0]
    return variables


def drive(script, version=None, environment=None, files=(), **more):
    """The streams of the only process of the driver."""
    version = version or {"exe": "1.0", "file": "v.c", "line": 1}
    words = [DRIVER, version["exe"], version.get("file", ""), version.get("line", 0), *files]
    streams, done = run(words, script, environment=environment, **more)
    return {target: "".join(texts.values()) for target, texts in streams.items()}, done


def difference(got, want):
    """The first two lines that are not the same; None where all are."""
    got_lines, want_lines = scrub(got).splitlines(), scrub(want).splitlines()
    for index in range(max(len(got_lines), len(want_lines))):
        pair = [lines[index] if index < len(lines) else "(nothing)" for lines in (got_lines, want_lines)]
        if pair[0] != pair[1]:
            return f"line {index + 1}\n  libtrace2 {pair[0]}\n  git       {pair[1]}"
    return None
