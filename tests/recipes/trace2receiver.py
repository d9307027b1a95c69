# SPDX-License-Identifier: GPL-2.0-only
"""The rules of trace2receiver (git-ecosystem, 2026) for the lines of one connection, and for its configuration.

A line that breaks a rule of Receiver.require() rejects the whole connection there.
"""

import json
import re

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
NUMBER, ANY = (int, float), object
# The keys that a kind of event needs, and their types.
NEEDED = {
    "version": {"evt": str, "exe": str},
    "start": {"argv": list},
    "exit": {"code": NUMBER},
    "atexit": {"code": NUMBER},
    "signal": {"signo": NUMBER},
    "error": {"msg": str, "fmt": str},
    "cmd_path": {"path": str},
    "cmd_ancestry": {"ancestry": list},
    "cmd_name": {"name": str, "hierarchy": str},
    "cmd_mode": {"name": str},
    "alias": {"alias": str, "argv": list},
    "child_start": {"child_id": NUMBER, "child_class": str, "use_shell": bool, "argv": list},
    "child_exit": {"child_id": NUMBER, "pid": NUMBER, "code": NUMBER},
    "child_ready": {"child_id": NUMBER, "pid": NUMBER, "ready": str},
    "exec": {"exec_id": NUMBER, "argv": list},
    "exec_result": {"exec_id": NUMBER, "code": NUMBER},
    "def_param": {"param": str, "value": str},
    "def_repo": {"repo": NUMBER, "worktree": str},
    "region_enter": {"nesting": NUMBER},
    "region_leave": {"nesting": NUMBER},
    "data": {"nesting": NUMBER, "category": str, "key": str, "value": (str, *NUMBER)},
    "data_json": {"nesting": NUMBER, "category": str, "key": str, "value": ANY},
    "timer": {"category": str, "name": str, "intervals": NUMBER, "t_total": NUMBER, "t_min": NUMBER, "t_max": NUMBER},
    "counter": {"category": str, "name": str, "count": NUMBER},
}
NEEDED.update({"th_timer": NEEDED["timer"], "th_counter": NEEDED["counter"]})
# Texts that may be left out, but are nothing else.
OPTIONAL = {"region_enter": ("category", "label", "msg"), "region_leave": ("category", "label", "msg"), "def_param": ("scope",)}
SETTINGS = {"receivers": {"pipe", "socket", "enable_commands", "pii", "filter"}, "filter": {"keynames", "nicknames", "rulesets", "defaults"}}
LEVELS = {"dl:drop", "dl:summary", "dl:process", "dl:verbose"}


class Rejected(Exception):
    """Why nothing of the connection is kept."""


class Receiver:
    """What is kept of a connection, and how many lines of each kind are dropped."""

    def __init__(self):
        self.threads, self.spans, self.data, self.errors, self.dropped = {"main": []}, [], {}, 0, {}
        self.sid = self.argv = self.end = None

    def require(self, event, names):
        """A key of the right type; a truth value is no number."""
        for name, kind in names.items():
            value = event.get(name, Rejected)
            is_truth = isinstance(value, bool) and kind is not bool and kind is not ANY
            if value is Rejected or is_truth or not isinstance(value, kind):
                raise Rejected(f"{event.get('event')}: {name}")

    def drop(self, event):
        self.dropped[event["event"]] = self.dropped.get(event["event"], 0) + 1

    def read(self, line):
        """A line, with its end; the last line needs one, too."""
        if not line.endswith(b"\n"):
            return
        event = json.loads(line)
        self.require(event, {"event": str, "sid": str, "thread": str, "time": str})
        if not TIME.fullmatch(event["time"]):
            raise Rejected(f"time: {event['time']}")
        self.require(event, NEEDED.get(event["event"], {}))
        self.require(event, {name: str for name in OPTIONAL.get(event["event"], ()) if name in event})
        getattr(self, f"on_{event['event']}", lambda _: None)(event)

    def on_version(self, event):
        self.sid = event["sid"]

    def on_start(self, event):
        self.argv = event["argv"]

    def on_atexit(self, event):
        self.end = event["code"]

    def on_thread_start(self, event):
        self.threads.setdefault(event["thread"], [])

    def on_error(self, event):
        self.errors += 1
        if self.errors > 1:
            self.drop(event)

    def on_region_enter(self, event):
        stack = self.threads.get(event["thread"])
        if stack is None or len(stack) != event["nesting"] - 1:
            self.drop(event)
            return
        stack.append({"category": event.get("category"), "label": event.get("label"), "begin": event["time"], "data": {}})

    def on_region_leave(self, event):
        stack = self.threads.get(event["thread"])
        if not stack or len(stack) != event["nesting"]:
            self.drop(event)
            return
        self.spans.append({**stack.pop(), "end": event["time"]})

    def on_data(self, event):
        stack, place = self.threads.get(event["thread"]), self.data
        if event["nesting"] > 1:
            if stack is None or len(stack) < event["nesting"] - 1:
                self.drop(event)
                return
            place = stack[event["nesting"] - 2]["data"]
        key = (event["category"], event["key"])
        if key in place:
            self.drop(event)
        place[key] = event["value"]

    on_data_json = on_data

    def is_kept(self):
        """Whether the connection has what a session needs."""
        return self.sid is not None and bool(self.argv)


def settings_read(text):
    """The mappings of YAML's block form, with texts and lists on a line; what the shipped files use."""
    top = {}
    stack = [(-1, top)]
    for line in text.splitlines():
        body = line.split(" #")[0].rstrip() if not line.lstrip().startswith("#") else ""
        if not body:
            continue
        indent, (name, _, value) = len(body) - len(body.lstrip()), body.strip().partition(":")
        while stack[-1][0] >= indent:
            stack.pop()
        value = value.strip()
        if value:
            stack[-1][1][name] = value.strip("[]").split(", ") if value.startswith("[") else value.strip('"')
        else:
            stack[-1][1][name] = {}
            stack.append((indent, stack[-1][1][name]))
    return top


def config_wrong(config, filters):
    """What the receiver, or its collector, does not accept in both files."""
    wrong = []
    receiver = config["receivers"]["trace2receiver"]
    wrong += [f"unknown: {name}" for name in set(receiver) - SETTINGS["receivers"]]
    wrong += [f"unknown: {name}" for name in set(filters) - SETTINGS["filter"]]
    if not receiver.get("socket") or receiver["socket"].startswith("af_unix:dgram:"):
        wrong.append("no stream socket")
    if filters.get("defaults", {}).get("ruleset") not in LEVELS:
        wrong.append("no detail level")
    for name, pipeline in config["service"]["pipelines"].items():
        wrong += [f"{name}: {one} is not defined" for kind in ("receivers", "exporters") for one in pipeline[kind] if one not in config[kind]]
    return wrong
