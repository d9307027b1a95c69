# SPDX-License-Identifier: GPL-2.0-only
"""Rules for slices and samples: nesting, matching of begin and end, and the times between them."""

from bisect import bisect_right

from reading.rules import nanoseconds, rule

RECORDS = ("region_enter", "region_leave", "data", "data_json")


def is_record(event):
    """False for the two kinds of data_json that ktrack adds by itself."""
    return event.kind != "data_json" or event["category"] not in ("track", "summary")


def identity_of(session, event):
    """The identity of the track that an event stands on, {} where there is none."""
    track = session.track_of(event)
    return (track.identity if track else None) or {}


def enter_of(session, leave):
    """The open region that a region_leave closes; None if there is none."""
    track = session.track_of(leave)
    return track.enter_of(leave) if track else None


@rule("moved", "region_leave")
def slice_moves_to_another_thread(session, event):
    """moved_to names a thread that ended a slice of another one."""
    moved_to, identity = event.members.get("args", {}).get("moved_to"), identity_of(session, event)
    if moved_to is not None and identity.get("scope") == "thread" and identity.get("id") == moved_to:
        return f"moved_to {moved_to} on a track of that thread"
    return None


@rule("track-kind", *RECORDS)
def record_fits_kind(session, event):
    """Slices and instants stand on slice tracks, samples on counter tracks."""
    wanted = "counter" if event.kind == "data" else "slice"
    kind = identity_of(session, event).get("kind")
    if is_record(event) and kind and kind != wanted:
        return f"{event.kind} on a {kind} track"
    return None


@rule("category", *RECORDS)
def category_is_tracepoint(session, event):
    """The category of a record is its track's tracepoint."""
    tracepoint = identity_of(session, event).get("tracepoint")
    if is_record(event) and tracepoint and event["category"] != tracepoint:
        return f"category {event['category']!r} on a track of {tracepoint}"
    return None


@rule("nesting", "region_enter", "data", "data_json")
def nesting_counts_open_regions(session, event):
    """nesting of a region is the lowest that no open region of its track has; of others, one more than that of the last region."""
    track = session.track_of(event)
    if not track or event["nesting"] == track.expected_nesting(event.kind):
        return None
    return f"nesting {event['nesting']} with {len(track.open)} regions open"


@rule("leave-open", "region_leave")
def leave_has_its_enter(session, event):
    """A region_leave closes an open region, whose nesting it has."""
    track = session.track_of(event)
    if not track or track.enter_of(event):
        return None
    return f"no region is open on nesting {event['nesting']}" if track.open else "no region is open"


@rule("leave-label", "region_leave")
def leave_repeats_its_enter(session, event):
    """A region_leave repeats category and label of its region_enter."""
    enter = enter_of(session, event)
    if not enter:
        return None
    wanted, said = [(one["category"], one["label"]) for one in (enter, event)]
    return None if wanted == said else f"{said} closes {wanted} of line {enter.number}"


@rule("leave-t_rel", "region_leave")
def duration_is_exact(session, event):
    """t_rel of a region_leave is the difference of the two t_abs, to the nanosecond."""
    enter = enter_of(session, event)
    if not enter:
        return None
    duration_ns = event.abs_ns - enter.abs_ns
    if duration_ns == event.rel_ns:
        return None
    return f"t_rel {nanoseconds(event.rel_ns)}, t_abs says {nanoseconds(duration_ns)}"


@rule("data-t_rel", "data", "data_json")
def sample_time_is_exact(session, event):
    """t_rel of an instant or sample counts from the innermost region, else from thread_start."""
    track = session.track_of(event)
    if not track or not is_record(event):
        return None
    elapsed_ns = event.abs_ns - track.reference_ns()
    if elapsed_ns == event.rel_ns:
        return None
    return f"t_rel {nanoseconds(event.rel_ns)}, t_abs says {nanoseconds(elapsed_ns)}"


@rule("data-key", "data")
def key_is_track_name(_session, event):
    """The key of a sample is its track's name."""
    name = event.thread.partition(":")[2]
    return None if event["key"] == name else f"key {event['key']!r} on {event.thread!r}"


@rule("instant-value", "data_json")
def instant_holds_fields(_session, event):
    """The value of an instant is a flat object of the extra fields."""
    if is_record(event) and any(type(value) in (dict, list) for value in event["value"].values()):
        return "the value holds more than fields"
    return None


def show_field(value):
    """A field's value as msg shows it."""
    return str(value).lower() if type(value) is bool else str(value)


@rule("msg", "region_enter", "region_leave")
def message_shows_fields(_session, event):
    """msg is there with args or flows, and shows them as name=value and name:0xid."""
    fields = [f"{key}={show_field(value)}" for key, value in event.members.get("args", {}).items()]
    wanted = " ".join([*fields, *event.members.get("flow", [])]) or None
    said = event.get("msg")
    return None if said == wanted else f"msg {said!r} for the fields {wanted!r}"


def flow_names(event):
    """The names of an event's flows."""
    return {one.rpartition(":")[0] for one in event.members.get("flow", [])}


@rule("flow-once", "region_leave")
def slice_has_one_id(session, event):
    """A region_leave has only flows that its region_enter does not have."""
    enter = enter_of(session, event)
    twice = flow_names(event) & flow_names(enter) if enter else ()
    return f"another id of {sorted(twice)}" if twice else None


@rule("flow-fields", *RECORDS)
def flow_is_no_field(_session, event):
    """A flow is not also one of the extra fields."""
    fields = event["value"] if event.kind == "data_json" else event.members.get("args", {})
    twice = flow_names(event) & set(fields)
    return f"{sorted(twice)} is a field, too" if twice else None


@rule("continued", "region_enter")
def continued_begins_session(session, event):
    """Only slices that were open when the session began, or moved to the track that begins, are continued."""
    track = session.track_of(event)
    is_first = not event.abs_ns or track and track.start.abs_ns == event.abs_ns
    if "continued" in event.members and not is_first:
        return f"continued at {nanoseconds(event.abs_ns)}"
    return None


@rule("unfinished-time", "exit")
def unfinished_end_at_the_end(session, _event):
    """Unfinished slices end when their track does, or earlier if their own end may be lost or their id begins again."""
    for leave in session.unfinished:
        track = session.track_of(leave)
        if "suspect" in leave.members or leave in track.restarted:
            continue
        if leave.abs_ns != track.exit_ns:
            return f"line {leave.number} is unfinished at {nanoseconds(leave.abs_ns)}"
        is_early = leave.abs_ns != session.recording_end_ns() and not track.is_of_task()
        session.early_unfinished += is_early and not session.has_unloaded
    return None


@rule("unfinished-last", *RECORDS)
def nothing_after_unfinished(session, event):
    """After an unfinished slice that is not suspect its track has only more such ends, and the begin that restarts it."""
    track = session.track_of(event)
    if track and track.is_restarted_by(event):
        return None
    if track and track.has_unfinished and is_record(event) and "unfinished" not in event.members:
        return f"{event.kind} after an unfinished slice"
    return None


@rule("suspect-missing", "region_leave")
def lossy_slices_are_suspect(session, event):
    """A slice that was open when its CPU, or any that could be, lost records is suspect."""
    enter = enter_of(session, event)
    if not enter or not event.is_complete():
        return None
    identity = identity_of(session, event)
    if "buffer" in identity or "host" in identity:
        return None  # Losses are kept without their buffer and machine.
    cpu = identity.get("cpu")
    place = bisect_right(session.losses, (enter.abs_ns, 1 << 64))
    for time_ns, lost_cpu in session.losses[place:]:
        if time_ns < event.abs_ns and cpu in (None, lost_cpu):
            return f"cpu {lost_cpu} lost records at {nanoseconds(time_ns)}, while it was open"
    return None


@rule("suspect-alone", "region_leave")
def suspicion_has_a_reason(session, event):
    """A slice is suspect only after a loss was reported, also in an earlier session."""
    if "continued" in event.members:
        return None
    if "suspect" in event.members and not session.losses:
        return "suspect, and no loss was reported before"
    return None
