# SPDX-License-Identifier: GPL-2.0-only
"""Rules for time: one order, one zero."""

from reading.rules import ANY, nanoseconds, rule


@rule("t_abs-order", ANY)
def elapsed_never_falls(session, event):
    """t_abs never falls from one line to the next."""
    if event.abs_ns is not None and event.abs_ns < session.abs_ns:
        return f"t_abs {nanoseconds(event.abs_ns)} after {nanoseconds(session.abs_ns)}"
    return None


@rule("time-order", ANY)
def time_never_falls(session, event):
    """`time` never falls from one line to the next."""
    if event.time_us < session.time_us:
        return f"time {event['time']} is {session.time_us - event.time_us} us before the line above"
    return None


@rule("time", ANY)
def time_is_origin_and_elapsed(session, event):
    """`time` is version's time plus t_abs, cut to microseconds."""
    if event.abs_ns is None or session.origin_us is None:
        return None
    wrong_us = event.time_us - session.origin_us - event.abs_ns // 1000
    return f"time {event['time']} is off by {wrong_us} us" if wrong_us else None
