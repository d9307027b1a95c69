# SPDX-License-Identifier: GPL-2.0-only
"""The test module's scenarios as its device lists them, and the tracks that they have to become."""

import re
from collections import Counter

BEGIN, END, INSTANT, SAMPLE = "B", "E", "I", "C"
NAME_LIMIT = 127
LARGEST_EXACT = 2**53
ESCAPE = re.compile(rb"\\x([0-9a-f]{2})")

# The types of fields whose numbers the list gives without them: (bits, has a sign).
SCOPES = {"scope_lane": (8, True), "scope_id": (64, False)}
KINDS = {"scope_tgid": "process", "scope_cpu": "cpu", None: "thread"}
COUNTER = re.compile(r":ktrack_test_([su])(8|16|32|64)$")
FIELDS = "ktrack_test:ktrack_test_fields"


def wrap(number, bits, has_sign):
    """A number as an integer of so many bits holds it."""
    number &= 2**bits - 1
    return number - 2**bits if has_sign and number >> (bits - 1) else number


def as_json(number):
    """A number as a stream spells it: a string where other readers would round it."""
    return str(number) if abs(number) > LARGEST_EXACT else number


def cut(name):
    """The bytes of a string that go into a record, as a stream spells them.

    A string that is too long ends before the character that would not fit whole; what is no UTF-8 ends at the limit.
    """
    if name is None:
        return "(null)"
    if len(name) > NAME_LIMIT:
        first = NAME_LIMIT - 1
        while first > NAME_LIMIT - 4 and name[first] & 0xC0 == 0x80:
            first -= 1
        size = 1 + sum(name[first] & bits == bits for bits in (0xC0, 0xE0, 0xF0))
        name = name[: first if first + size > NAME_LIMIT else NAME_LIMIT]
    return name.decode(errors="replace")


def unquote(word):
    """A string of the list."""
    if word == "NULL":
        return None
    return ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), word[1:-1].encode())


class Tracepoint:
    """One of the test module's tracepoints."""

    def __init__(self, name, scope, track):
        self.name = name
        self.scope = None if scope == "-" else scope
        self.has_track = track != "-"
        counter = COUNTER.search(name)
        self.is_counter = bool(counter) or "_level_" in name
        self.value_type = (int(counter[2]), counter[1] == "s") if counter else (64, True)

    def scope_kind(self):
        """What the scope is in a stream."""
        return KINDS.get(self.scope, "custom")


class Step:
    """A record, or several in a row."""

    def __init__(self, words, tracepoints):
        kind, event, self.context, place, times, numbered, name, track, scope, value = words
        self.type = kind if kind == SAMPLE else chr(int(kind))
        self.tracepoint = tracepoints[event]
        self.is_second, self.is_numbered = place == "1", numbered == "1"
        self.times, self.scope, self.value = int(times), int(scope), int(value)
        self.name, self.track = unquote(name), unquote(track)


class Record:
    """One record, with all that goes into it."""

    def __init__(self, step, number, cpu, sequence):
        self.step, self.number, self.cpu, self.sequence = step, number, cpu, sequence

    def label(self):
        """The slice's or the instant's name."""
        name = self.step.name
        return cut(b"%s %d" % (name, self.number) if self.step.is_numbered else name)

    def value(self):
        """The sample."""
        number = self.number if self.step.is_numbered else 0
        return wrap(self.step.value + number, *self.step.tracepoint.value_type)

    def fields(self):
        """All that is no part of the convention."""
        fields = {"sequence": self.sequence}
        if self.step.tracepoint.name == FIELDS:
            fields["wide"] = as_json(wrap(self.step.value, 64, False))
            fields["narrow"] = wrap(self.step.value, 8, True)
            fields["text"] = cut(self.step.track)
        return fields

    def key(self, writer):
        """The track that it belongs to: tracepoint, kind of scope, number, name."""
        tracepoint = self.step.tracepoint
        kind = tracepoint.scope_kind()
        number = {"thread": writer, "process": writer, "cpu": self.cpu}.get(kind)
        if kind == "custom":
            number = as_json(wrap(self.step.scope, *SCOPES[tracepoint.scope]))
        name = cut(self.step.track) if tracepoint.has_track else tracepoint.name.split(":")[1]
        return tracepoint.name, kind, number, name


def read_list(text):
    """The scenarios by name: [Step]."""
    tracepoints, scenarios, steps = {}, {}, []
    for line in text.splitlines():
        what, *words = line.split(" ")
        if what == "event":
            tracepoints[words[0]] = Tracepoint(*words)
        elif what == "scenario":
            steps = scenarios.setdefault(words[0], [])
        else:
            steps.append(Step(words, tracepoints))
    return scenarios


def list_records(steps, rounds, cpus=(0, 1)):
    """All records of so many rounds, those of each CPU in the order of their numbers."""
    sequences = Counter()
    for step in list(steps) * rounds:
        places = cpus if step.context == "everywhere" else [cpus[step.is_second]]
        for number in range(step.times):
            for cpu in places:
                sequences[cpu] += 1
                yield Record(step, number, cpu, sequences[cpu])


class Track:
    """What a stream shows of a track: its steps (what, label or value, nesting, fields)."""

    def __init__(self):
        self.steps = []
        self.open = []

    def take(self, record):
        """One record more; returns the counter of what leaves no step."""
        what, nesting = record.step.type, len(self.open) + 1
        if what == BEGIN:
            self.open.append(record.label())
        elif what == END and self.open:
            self.steps.append((END, self.open.pop(), nesting - 1, record.fields()))
            return None
        elif what not in (INSTANT, SAMPLE):
            return "unmatched_ends" if what == END else "malformed"
        label = record.value() if what == SAMPLE else record.label()
        self.steps.append((what, label, nesting, record.fields()))
        return None

    def finish(self):
        """The trace ends; returns how many slices do not."""
        unfinished = len(self.open)
        while self.open:
            self.steps.append((END, self.open.pop(), len(self.open) + 1, None))
        return unfinished


def expect(steps, rounds, writer):
    """What a whole stream of the scenario shows: tracks by key, ktrack's counters but zeros."""
    tracks, counters = {}, Counter()
    for record in list_records(steps, rounds):
        track = tracks.setdefault(record.key(writer), Track())
        counter = track.take(record)
        if counter:
            counters[counter] += 1
    for track in tracks.values():
        counters["unfinished"] += track.finish()
    # A track starts with what can be shown of it.
    shown = {key: track.steps for key, track in tracks.items() if track.steps}
    return shown, dict(+counters)
