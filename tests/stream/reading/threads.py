# SPDX-License-Identifier: GPL-2.0-only
"""Rules for tracks: the life of a thread in the stream, and the identity that it is given."""

import re

from reading.rules import ANY, nanoseconds, rule
from reading.schema import is_exact
from reading.session import ON_TRACKS, key_of_identity, shape_of_identity, tracepoint_of_identity

THREAD = re.compile(r"th([0-9]{2,}):(.*)", re.DOTALL)
WIDE_ID = re.compile(r"-?[1-9][0-9]{15,19}")
TRACEPOINT = re.compile(r"(program:)?[^:\s]+:[^:\s]+")

# scope: (the field's name, may it be absent, the word before the id in a track's name). Of rules, any field may be a
# scope, but the names of the convention keep their meaning.
SCOPES = {
    "thread": (re.compile(r"(?!scope_)[a-z_]\w*"), True, "tid"),
    "process": (re.compile(r"scope_tgid|(?!scope_)[a-z_]\w*"), False, "pid"),
    "cpu": (re.compile(r"scope_cpu|(?!scope_)[a-z_]\w*"), True, "cpu"),
    "custom": (re.compile(r"scope_(?!tgid$|cpu$).*|(?!scope_)[a-z_]\w*"), False, None),
    "global": (None, True, None),
}


def is_identifier(value):
    """A scope's value: an exact integer, or a wider one as text."""
    return is_exact(value) or (type(value) is str and WIDE_ID.fullmatch(value) is not None)


def is_count(value):
    """A tgid or a CPU."""
    return is_exact(value) and value >= 0


def is_outer(value):
    """The outer scopes of a compound scope."""
    fields = value.items() if type(value) is dict else ()
    return bool(fields) and all(re.fullmatch(r"[a-z_]\w*", name) and is_identifier(one) for name, one in fields)


def is_text(value):
    """A string, empty or not."""
    return type(value) is str


# The identity's keys in order: (key, test, may be absent).
IDENTITY = (
    ("tracepoint", lambda value: is_text(value) and TRACEPOINT.fullmatch(value), False),
    ("name", is_text, False),
    ("kind", lambda value: value in ("slice", "counter"), False),
    ("scope", lambda value: value in SCOPES, False),
    ("field", is_text, True),
    ("id", is_identifier, True),
    ("device", lambda value: is_text(value) and value, True),
    ("outer", is_outer, True),
    ("tgid", is_count, True),
    ("comm", is_text, True),
    ("cgroup", lambda value: is_text(value) and len(value) > 1 and value[0] == "/", True),
    ("cpu", is_count, True),
    ("lane", lambda value: is_count(value) and value > 0, True),
    ("buffer", is_text, True),
    ("host", is_text, True),
)


def number_of(thread):
    """NN of thNN:NAME, or None."""
    match = THREAD.fullmatch(thread)
    return int(match.group(1)) if match else None


def is_identity(event):
    """True for the data_json that says what a track is."""
    return event.kind == "data_json" and event["category"] == "track"


@rule("thread-known", *ON_TRACKS)
def thread_has_started(session, event):
    """No event stands on a thread before its thread_start."""
    return None if session.track_of(event) else f"{event.thread!r} has not started"


@rule("thread-exited", *ON_TRACKS)
def thread_has_not_exited(session, event):
    """Nothing stands on a thread after its thread_exit."""
    track = session.track_of(event)
    return f"{event.thread!r} has exited" if track and track.is_closed else None


@rule("thread-once", "thread_start")
def thread_starts_once(session, event):
    """A thread starts once."""
    return f"{event.thread!r} starts again" if event.thread in session.tracks else None


@rule("thread-number", "thread_start")
def threads_are_numbered(session, event):
    """Threads are named thNN:NAME, numbered from 01 in order of appearance."""
    wanted = f"th{len(session.tracks) + 1:02d}:"
    if event.thread.startswith(wanted) and len(event.thread) > len(wanted):
        return None
    return f"{event.thread!r} where {wanted}NAME is due"


@rule("track-follows", ANY)
def identity_follows_start(session, event):
    """The identity of a track follows its thread_start at once, and does not come back."""
    newest = session.newest_track
    is_waiting = newest is not None and newest.identity is None
    if is_waiting and not (is_identity(event) and event.thread == newest.name):
        return f"{event.kind} where the identity of {newest.name!r} is due"
    if is_identity(event) and not is_waiting:
        return f"the identity of {event.thread!r} stands in the wrong place"
    return None


@rule("track-place", "data_json")
def identity_stands_at_start(session, event):
    """Key thNN and nesting 1 for identity and summary; t_rel 0 for the identity."""
    track = session.track_of(event)
    if event["category"] not in ("track", "summary") or not track:
        return None
    wanted = 0 if is_identity(event) else event.abs_ns - track.start.abs_ns
    said = (event["key"], event["nesting"], event.rel_ns)
    if said == (event.thread.partition(":")[0], 1, wanted):
        return None
    return f"key {said[0]!r}, nesting {said[1]}, t_rel {nanoseconds(said[2])}"


@rule("track-schema", "data_json")
def identity_has_its_keys(_session, event):
    """The identity has its keys in order, each of its type."""
    if not is_identity(event):
        return None
    value, waiting = event["value"], list(event["value"])
    for key, is_right, may_be_absent in IDENTITY:
        if waiting and waiting[0] == key:
            waiting.pop(0)
            if not is_right(value[key]):
                return f"{key} is {value[key]!r}"
        elif not may_be_absent:
            return f"{waiting[0] if waiting else 'nothing'} stands where {key} belongs"
    return f"{waiting[0]} does not belong there" if waiting else None


@rule("track-scope", "data_json")
def identity_agrees_with_scope(_session, event):
    """The field fits the scope; a process's tgid is its id; cpu is there for tid 0 only. Rules need no field for a process."""
    if not is_identity(event):
        return None
    value = event["value"]
    pattern, may_be_absent, _ = SCOPES.get(value.get("scope"), (None, True, None))
    field, tgid = value.get("field"), value.get("tgid")
    if ("id" in value) != (value.get("scope") != "global"):
        return f"id {value.get('id')!r} in scope {value.get('scope')!r}"
    if not (may_be_absent or value.get("scope") == "process") if field is None else not (pattern and pattern.fullmatch(field)):
        return f"field {field!r} in scope {value.get('scope')!r}"
    if value.get("scope") == "process" and tgid not in (None, value.get("id")):
        return f"tgid {tgid} of process {value.get('id')}"
    is_idle = value.get("scope") == "thread" and value.get("id") == 0
    return "cpu is for tid 0, and is needed there" if is_idle != ("cpu" in value) else None


@rule("track-shape", "data_json")
def tracepoint_keeps_its_shape(session, event):
    """All tracks of a tracepoint have one kind, one scope and one field."""
    if not is_identity(event):
        return None
    shape = shape_of_identity(event["value"])
    known = session.shapes.get(tracepoint_of_identity(event["value"]), shape)
    return f"{shape} where its other tracks are {known}" if shape != known else None


@rule("track-unique", "data_json")
def identity_is_unique(session, event):
    """No two tracks that live at once have the same identity."""
    if not is_identity(event):
        return None
    other = session.identities.get(key_of_identity(event["value"]))
    return f"the identity of {other!r} again" if other else None


@rule("track-name", "data_json")
def name_reports_identity(_session, event):
    """A track's name for people begins with its track name and says its scope and id."""
    if not is_identity(event):
        return None
    value = event["value"]
    shown, name = event.thread.partition(":")[2], str(value.get("name"))
    if value.get("scope") == "global":
        return None if shown.startswith(name) else f"{shown!r} does not report {name!r}"
    word = SCOPES.get(value.get("scope"), (None, True, None))[2]
    rest = shown[len(name) :].split(" ")
    pairs = list(zip(rest, rest[1:]))
    reported = [text for before, text in pairs if word in (None, before)]
    if shown.startswith(name) and str(value.get("id")) in reported:
        return None
    # A device's name is in place of its number.
    if shown.startswith(name) and value.get("device", "") in rest[1:]:
        return None
    return f"{shown!r} does not report {name!r}, {word or 'its scope'} {value.get('id')}"


@rule("thread_exit-t_rel", "thread_exit")
def exit_time_is_right(session, event):
    """t_rel of thread_exit is what passed since thread_start, to the nanosecond."""
    track = session.track_of(event)
    elapsed_ns = event.abs_ns - track.start.abs_ns if track else event.rel_ns
    if elapsed_ns == event.rel_ns:
        return None
    return f"t_rel {nanoseconds(event.rel_ns)}, t_abs says {nanoseconds(elapsed_ns)}"


@rule("thread_exit-open", "thread_exit")
def no_slice_is_open(session, event):
    """No slice is open when its track ends."""
    track = session.track_of(event)
    return f"{len(track.open)} regions are open" if track and track.open else None


@rule("thread-ended", "exit")
def all_threads_have_exited(session, _event):
    """Every track has ended before exit."""
    living = [track.name for track in session.tracks.values() if not track.is_closed]
    return f"no thread_exit of {', '.join(map(repr, living[:5]))}" if living else None


@rule("closing", ANY)
def track_closes_in_one_piece(session, event):
    """A track's th_timer lines or its summary stand right before its thread_exit."""
    if session.closing is None:
        return None
    if event.thread == session.closing and event.kind in ("th_timer", "th_counter", "thread_exit"):
        return None
    return f"{event.kind} on {event.thread!r} where {session.closing!r} is being closed"
