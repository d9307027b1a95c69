# SPDX-License-Identifier: GPL-2.0-only
"""Rules for the frame of a session: how it begins, what stands on main, how it ends."""

import re

from reading.rules import ANY, END, rule

OWN_SID = re.compile(r"[0-9]{8}T[0-9]{6}\.[0-9]{6}Z-(?:H[0-9a-f]{8}|Localhost)-P[0-9a-f]{8,}")

# The frame in order. What stands between two of these rows in a stream is the recording itself.
HEAD_PHASES = {
    "version": 0,
    "too_many_files": 1,
    "start": 2,
    "cmd_name": 3,
    "cmd_mode": 4,
    "def_param": 5,
}
RECORDING_PHASE = 6
TAIL_PHASES = {"exit": 7, "timer": 8, "counter": 9, "atexit": 10}
REPEATED_PHASES = (5, RECORDING_PHASE, 8, 9)
MAIN_KINDS = {*HEAD_PHASES, *TAIL_PHASES, "error", "child_start", "child_exit"}
NEEDED_PARAMETERS = ("source", "clock", "time_source", "recording_id")


def is_late_parameter(event):
    """Whether this is a parameter that is known only at the end."""
    return event.kind == "def_param" and event["param"] in ("complete_from", "complete_until", "wall_drift_ns")


def phase_of(kind):
    """The place of an event in a session's order."""
    return HEAD_PHASES.get(kind, TAIL_PHASES.get(kind, RECORDING_PHASE))


@rule("version-first", ANY)
def version_is_first(session, event):
    """The first event is version, and there is no other."""
    if (event.kind == "version") != (not session.seen):
        return (
            "version is not the first event"
            if session.seen
            else f"the stream begins with {event.kind}"
        )
    return None


@rule("start-second", ANY)
def start_is_second(session, event):
    """start follows version (with too_many_files between them where it occurs)."""
    if event.kind in ("version", "too_many_files") or session.seen["start"]:
        return None
    return None if event.kind == "start" else f"{event.kind} stands before start"


@rule("frame-order", ANY)
def frame_is_in_order(session, event):
    """In order: version, start, cmd_name, cmd_mode, def_param, all else, exit, sums, atexit."""
    previous = phase_of(session.last_kind) if session.last_kind else -1
    phase = RECORDING_PHASE if is_late_parameter(event) else phase_of(event.kind)
    if phase < previous or (phase == previous and phase not in REPEATED_PHASES):
        return f"{event.kind} comes too late or a second time"
    if phase == RECORDING_PHASE and not session.seen["cmd_name"]:
        return f"{event.kind} stands before cmd_name"
    return None


@rule("atexit-last", END)
def atexit_is_last(session, _event):
    """The stream ends with exit ... atexit, after which nothing comes."""
    missing = [kind for kind in ("version", "exit", "atexit") if not session.seen[kind]]
    return f"the stream ends without {', '.join(missing)}" if missing else None


@rule("atexit-code", "atexit")
def codes_agree(session, event):
    """atexit repeats the code of exit."""
    code = session.exit and session.exit["code"]
    return f"code {event['code']} after exit's {code}" if code != event["code"] else None


@rule("version-evt", "version")
def version_is_known(_session, event):
    """The version of the event format is 4, exe is not empty."""
    if event["evt"] != "4" or not event["exe"]:
        return f"evt {event['evt']!r}, exe {event['exe']!r}"
    return None


@rule("sid", ANY)
def sid_is_one(session, event):
    """One sid in all the stream, none of its parts empty."""
    if session.sid is not None and event["sid"] != session.sid:
        return f"sid {event['sid']!r} in a stream of {session.sid!r}"
    return "sid has an empty part" if "" in event["sid"].split("/") else None


@rule("sid-form", "version")
def sid_is_spelled_right(session, event):
    """The sid's last part is trace2's (timestamp, host, process), unless another sid was asked for."""
    if session.wanted_sid is not None:
        return f"sid {event['sid']!r}" if event["sid"] != session.wanted_sid else None
    own = event["sid"].rpartition("/")[2]
    return None if OWN_SID.fullmatch(own) else f"{own!r} is no sid of trace2"


@rule("main", ANY)
def main_has_its_events(_session, event):
    """The session's own events stand on main, records and tracks do not."""
    if (event.thread == "main") != (event.kind in MAIN_KINDS):
        return f"{event.kind} on {event.thread!r}"
    return None


@rule("cmd_name", "cmd_name")
def hierarchy_ends_with_name(_session, event):
    """The hierarchy of names ends with the command's own."""
    if not event["name"] or event["hierarchy"].rpartition("/")[2] != event["name"]:
        return f"name {event['name']!r} in hierarchy {event['hierarchy']!r}"
    return None


@rule("def_param", "def_param")
def parameter_is_new(session, event):
    """Each parameter of the recording is said once, with scope command."""
    if event["scope"] != "command" or not event["param"]:
        return f"scope {event['scope']!r}, param {event['param']!r}"
    return f"{event['param']} is said twice" if event["param"] in session.parameters else None


@rule("def_param-needed", END)
def parameters_are_there(session, _event):
    """The parameters that a reader needs to trust a recording are there."""
    missing = [name for name in NEEDED_PARAMETERS if name not in session.parameters]
    return f"no def_param {', '.join(missing)}" if missing else None


@rule("child_start", "child_start")
def child_is_the_command(session, event):
    """There is at most one child, the traced command: id 0, class ?, no shell."""
    said = (event["child_id"], event["child_class"], event["use_shell"])
    if said != (0, "?", False):
        return f"child_id, child_class, use_shell are {said}"
    return "a second child" if session.child else None


@rule("child_exit", "child_exit")
def child_had_started(session, event):
    """A child ends once, after it has started, with its id; only one that never ran has no pid."""
    if (
        not session.child
        or session.seen["child_exit"]
        or event["child_id"] != session.child["child_id"]
    ):
        return f"child {event['child_id']} ends without a start"
    pid, code = event["pid"], event["code"]
    return None if pid > 0 or (pid, code) == (-1, -1) else f"pid {pid}, code {code}"


@rule("child_exit-t_rel", "child_exit")
def child_time_is_right(session, event):
    """t_rel of child_exit is what passed since child_start, as far as `time` can report."""
    if not session.child:
        return None
    elapsed_us = event.time_us - session.child.time_us
    if abs(event.rel_ns - 1000 * elapsed_us) < 1000:
        return None
    return f"t_rel {event['t_rel'].text} where `time` says {elapsed_us} us"


@rule("child-ended", "exit")
def child_has_ended(session, _event):
    """A child that started has ended before exit."""
    return (
        "the child has no child_exit" if session.child and not session.seen["child_exit"] else None
    )
