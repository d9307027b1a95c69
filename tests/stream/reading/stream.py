# SPDX-License-Identifier: GPL-2.0-only
"""A whole stream: reads its lines in turn, holds them against the rules, keeps the state."""

import json

from reading import clock, frame, line, regions, rules, schema, threads, totals
from reading.line import Violation, read_line
from reading.rules import broken_rules
from reading.schema import check_shape
from reading.session import Event, Session

PARTS = (frame, clock, threads, regions, totals)


def all_rules():
    """Every rule's name and sentence, in the order of reading."""
    return {**line.RULES, **schema.RULES, **rules.SENTENCES}


def read_event(number, raw):
    """One line as an Event, or raises the Violation."""
    members = read_line(raw)
    check_shape(members)
    return Event(number, members)


def read_events(lines):
    """Yields the events of a stream that is right, for programs that only look at them."""
    for number, raw in enumerate(lines, 1):
        yield read_event(number, raw)


def read_plain(stream):
    """The lines of a stream that is right, bytes or text, as dictionaries with times as floats."""
    lines = (stream if isinstance(stream, bytes) else stream.encode()).splitlines(keepends=True)
    return [json.loads(line) for line, _ in zip(lines, read_events(lines), strict=True)]


def split_sessions(stream):
    """The lines of each session of a file to which several were appended."""
    sessions = []
    for line in stream.splitlines(keepends=True):
        if line.startswith(b'{"event":"version"') or not sessions:
            sessions.append([])
        sessions[-1].append(line)
    return sessions


def check_lines(lines, wanted_sid=None):
    """Yields (line number, rule, message) for all that is wrong with a stream."""
    session = Session(wanted_sid)
    number = 0
    for number, raw in enumerate(lines, 1):
        try:
            event = read_event(number, raw)
        except Violation as violation:
            yield number, violation.rule, str(violation)
            continue
        for rule, message in broken_rules(session, event):
            yield number, rule, message
        session.apply(event)
    for rule, message in broken_rules(session, None):
        yield number + 1, rule, message
