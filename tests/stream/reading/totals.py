# SPDX-License-Identifier: GPL-2.0-only
"""Rules for what a stream says about itself: timers, summaries, counters, errors."""

import re

from reading.line import double_text
from reading.rules import END, nanoseconds, rule
from reading.session import LOSS_FORMATS, LOSS_SUM, Statistics, statistics_of_timer

# ktrack's own counters, in their order.
COUNTERS = (
    "lost_records",
    "lost_gaps",
    "lost_gaps_unknown",
    "lost_task_records",
    "late_records",
    "unmatched_ends",
    "filtered_ends",
    "foreign_ends",
    "malformed",
    "unfinished",
    "suspect",
    "retired_tracks",
    "renamed_threads",
    "evicted_slices",
    "other_names",
)
OTHER = "(other)"
FORMAT = re.compile(r"%(?:l*[udx]|s|%)")
PATTERNS = {"u": "[0-9]+", "d": "-?[0-9]+", "x": "[0-9a-f]+", "s": "(?s:.*)", "%": "%"}


def show(statistics):
    """Statistics for a message."""
    count, *times = statistics.as_tuple()
    total, least, most = [nanoseconds(time) for time in times]
    return f"{count} intervals, total {total}, min {least}, max {most}"


def sum_unlisted(slices, listed):
    """The statistics of all names that have no timer of their own."""
    rest = Statistics()
    for key, statistics in slices.items():
        if key not in listed:
            rest.merge(statistics)
    return rest


def compare_timer(event, slices, timers):
    """What is wrong with one timer, given what the slices say."""
    key = (event["category"], event["name"])
    if key in timers:
        return f"a second timer of {key}"
    if key in slices:
        wanted = slices[key]
    elif event["name"] == OTHER:
        return None
    else:
        return f"{key} has no complete slice"
    said = statistics_of_timer(event)
    return None if said == wanted else f"{show(said)}; the slices say {show(wanted)}"


def compare_other(slices, timers):
    """What is wrong with the timers as a set: names without one belong to (other)."""
    for category in {category for category, _ in (*slices, *timers)}:
        unlisted = sum_unlisted(
            {key: value for key, value in slices.items() if key[0] == category}, timers
        )
        other = timers.get((category, OTHER)) if (category, OTHER) not in slices else None
        if other is None and unlisted.intervals:
            return f"{category} lacks timers of {unlisted.intervals} slices"
        if other is not None and (not unlisted.intervals or other != unlisted):
            return f"{category} {OTHER}: {show(other)}; {unlisted.intervals} slices have no timer"
    return None


@rule("th_timer", "th_timer")
def track_timer_is_right(session, event):
    """A th_timer says what the complete slices of its track and name say, once."""
    track = session.track_of(event)
    return compare_timer(event, track.slices, track.timers) if track else None


@rule("th_timer-all", "thread_exit")
def track_timers_are_complete(session, event):
    """Every name with complete slices on a track has its th_timer."""
    track = session.track_of(event)
    return compare_other(track.slices, track.timers) if track else None


@rule("timer", "timer")
def timer_is_right(session, event):
    """A timer says what the complete slices of its name say, over all tracks, once."""
    return compare_timer(event, session.slices, session.timers)


@rule("timer-all", "atexit")
def timers_are_complete(session, _event):
    """Every name with complete slices has its timer."""
    return compare_other(session.slices, session.timers)


@rule("summary", "data_json")
def summary_is_right(session, event):
    """A counter track's summary says what its samples say: their number, and values as text."""
    track = session.track_of(event)
    if event["category"] != "summary" or not track:
        return None
    count, *values = track.samples or [0]
    wanted = list(zip(("samples", "first", "last", "min", "max"), [count, *(double_text(value) if isinstance(value, float) else str(value) for value in values)]))
    said = list(event["value"].items())
    return None if said == wanted else f"{said}; the samples say {wanted}"


@rule("summary-once", "thread_exit")
def counter_has_summary(session, event):
    """A counter track has its summary, a slice track has none."""
    track = session.track_of(event)
    kind = track and track.identity and track.identity.get("kind")
    if not kind or (kind == "counter") == (track.summary is not None):
        return None
    return f"a {kind} track {'has a' if track.summary else 'without'} summary"


@rule("counter", "counter")
def counter_is_known(session, event):
    """A counter is one of ktrack's, once, in their order, zeros left out; or of a tracepoint's malformed records."""
    if ":" in event["category"] and event["name"] == "malformed":
        return "malformed records of a tracepoint a second time" if event["category"] in session.malformed else None
    if event["category"] != "ktrack" or event["name"] not in COUNTERS:
        return f"{event['category']} {event['name']} is no counter of ktrack"
    later = COUNTERS[COUNTERS.index(event["name"]) :]
    return (
        f"{event['name']} comes too late"
        if any(name in session.counters for name in later)
        else None
    )


def expect_range(session, name, least, most=None):
    """What is wrong with a counter that the lines bound from below, and perhaps from above."""
    said = session.counters.get(name, 0)
    if said < least or (most is not None and said > most):
        bound = least if most == least else f"{least} to {'any' if most is None else most}"
        return f"{name} is {said}, the lines say {bound}"
    return None


@rule("counter-marks", "atexit")
def marks_are_counted(session, _event):
    """unfinished and suspect are the numbers of region_leave with that mark."""
    return expect_range(
        session, "unfinished", len(session.unfinished), len(session.unfinished)
    ) or expect_range(session, "suspect", len(session.suspect), len(session.suspect))


@rule("counter-lost", "atexit")
def loss_is_counted(session, _event):
    """lost_records is the sum of all losses that have a number; the gaps are counted, and those of unknown size."""
    for name, count in (
        ("lost_records", session.lost_known),
        ("lost_gaps", len(session.losses)),
        ("lost_gaps_unknown", session.lost_unknown),
    ):
        problem = expect_range(session, name, count, count)
        if problem:
            return problem
    return None


@rule("counter-malformed", "atexit")
def malformed_are_counted(session, _event):
    """Every kind of malformed record has one error, and is counted."""
    if session.counters.get("malformed") and not session.other_errors:
        return "malformed records without an error"
    if session.counters.get("malformed", 0) != sum(session.malformed.values()):
        return f"malformed is not the sum of {session.malformed}"
    return expect_range(session, "malformed", session.other_errors)


@rule("th_counter", "th_counter")
def track_counter_is_known(_session, event):
    """A track counts no more than the ends that closed nothing."""
    is_known = (event["category"], event["name"]) == ("ktrack", "unmatched_ends")
    return None if is_known else f"{event['category']} {event['name']} is no counter of a track"


@rule("counter-unmatched", "atexit")
def unmatched_are_counted_by_track(session, _event):
    """unmatched_ends is the sum of what the tracks count."""
    return expect_range(session, "unmatched_ends", session.unmatched, session.unmatched)


@rule("counter-retired", "atexit")
def retired_are_counted(session, _event):
    """retired_tracks are among the tracks that ended; so are the tracks of evicted slices, which are unfinished."""
    # The recording of one of several machines ends before the stream.
    evicted = 0 if "machine.1.host" in session.parameters else session.early_unfinished
    return expect_range(
        session, "retired_tracks", int("evicted_slices" in session.counters), len(session.exit_times)
    ) or expect_range(session, "evicted_slices", evicted, len(session.unfinished))


@rule("counter-foreign", "atexit")
def foreign_ends_are_counted(session, _event):
    """Foreign ends have their marks, which continued slices may bring along, and an error for each tracepoint."""
    count = session.counters.get("foreign_ends", 0)
    if (count > 0) != (session.foreign_errors > 0):
        return f"{count} foreign ends and {session.foreign_errors} errors"
    least = max(session.foreign_errors, int(session.has_new_foreign))
    return expect_range(session, "foreign_ends", least, session.foreign)


@rule("counter-other", "atexit")
def other_names_are_counted(session, _event):
    """other_names is there where names were put together as (other)."""
    has_other = any(
        name == OTHER and (category, name) not in session.slices
        for category, name in session.timers
    )
    return expect_range(session, "other_names", int(has_other))


@rule("thread-first", END)
def tracks_begin_with_a_record(session, _event):
    """A track starts with its first record; only unmatched and malformed ones leave no line."""
    silent = session.counters.get("unmatched_ends", 0) + session.counters.get("malformed", 0)
    if session.late_starts > silent:
        return f"{session.late_starts} tracks start without a record, {silent} records left no line"
    return None


def pattern_of(fmt):
    """A regular expression for what a printf format can make."""
    parts, place = [], 0
    for match in FORMAT.finditer(fmt):
        parts += [re.escape(fmt[place : match.start()]), PATTERNS[match.group()[-1]]]
        place = match.end()
    return "".join([*parts, re.escape(fmt[place:])])


@rule("loss-args", "error")
def args_repeat_the_loss(_session, event):
    """The args of a loss repeat its message; other errors have none."""
    pattern, args = LOSS_FORMATS.get(event["fmt"]), event.get("args")
    match = pattern and pattern.fullmatch(event["msg"])
    if not match:
        return "args without a loss" if args else None
    said = match.groupdict()
    records = int(said["count"]) if "count" in said else None
    if not args or (args["cpu"], args["records"]) != (int(said["cpu"]), records):
        return f"args {args} differ from {event['msg']!r}"
    if ("from" in args) != (pattern is not LOSS_SUM) or ("buffer" in args) != (" in buffer " in event["msg"]):
        return f"args {args} lack a key, or have one too many"
    return None


@rule("error", "error")
def message_fits_format(_session, event):
    """An error's msg is its fmt with values in it, but for one record; a loss has one of few formats."""
    message = re.sub("^lost 1 record ", "lost 1 records ", event["msg"])
    if not event["fmt"] or not re.fullmatch(pattern_of(event["fmt"]), message):
        return f"msg {event['msg']!r} is not made of fmt {event['fmt']!r}"
    if event["msg"].startswith("lost ") and event["fmt"] not in LOSS_FORMATS:
        return f"fmt {event['fmt']!r} is no loss that readers have"
    return None
