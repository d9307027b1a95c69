# SPDX-License-Identifier: GPL-2.0-only
"""The shape of each event: which keys, in which order, of which type."""

import re
from datetime import datetime, timezone

from reading.line import Real, Violation, is_double

RULES = {
    "kind": "Only events that ktrack writes occur.",
    "keys": "Every event has its keys, all of them, no others, in trace2's order; ours follow.",
    "type": "Every value has its key's type; times have nine decimals, `time` has six.",
}

HEAD = "event:string sid:string thread:string time:timestamp"
PLACE = "file:string line:positive"
SAMPLE = "t_abs:seconds t_rel:seconds nesting:positive category:string key:string"
TIMER = "category:string name:string intervals:positive t_total:seconds t_min:seconds t_max:seconds"

# Who wrote a record, where that was asked for.
WRITER = "tid:integer? cpu:count? comm:string?"

# key:type, a question mark where the key may be absent. t_abs behind the body, the writer, args, flow,
# continued, suspect, unfinished, foreign and crossing are ktrack's own keys: readers of trace2 skip what they don't have.
EVENTS = {
    "version": f"{PLACE} evt:string exe:string",
    "too_many_files": PLACE,
    "start": f"{PLACE} t_abs:seconds argv:strings",
    "cmd_name": f"{PLACE} name:string hierarchy:string",
    "cmd_mode": f"{PLACE} name:string",
    "def_param": f"{PLACE} scope:string param:string value:string",
    "error": "msg:string fmt:string t_abs:seconds args:loss?",
    "child_start": f"{PLACE} child_id:count child_class:string use_shell:boolean argv:strings",
    "child_exit": f"{PLACE} child_id:count pid:integer code:integer t_rel:seconds",
    "thread_start": "t_abs:seconds",
    "data_json": f"{SAMPLE} value:object {WRITER} flow:flows?",
    "region_enter": "nesting:positive category:string label:string msg:string? t_abs:seconds"
    f" {WRITER} args:fields? flow:flows? continued:true?",
    "region_leave": "t_rel:seconds nesting:positive category:string label:string msg:string?"
    f" t_abs:seconds {WRITER} args:fields? flow:flows? continued:true? suspect:true? unfinished:true? foreign:true? crossing:true?",
    "data": f"{SAMPLE} value:decimal {WRITER} args:fields?",
    "th_timer": TIMER,
    "th_counter": "category:string name:string count:positive",
    "thread_exit": "t_rel:seconds t_abs:seconds",
    "exit": f"{PLACE} t_abs:seconds code:integer",
    "timer": TIMER,
    "counter": "category:string name:string count:positive",
    "atexit": f"{PLACE} t_abs:seconds code:integer",
}

TIMESTAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")
DECIMAL = re.compile(r"0|-?[1-9][0-9]*")
FLOW = re.compile(r".*:0x[1-9a-f][0-9a-f]{0,15}", re.DOTALL)
EXACT_LIMIT = 1 << 53


def is_timestamp(value):
    """UTC with six decimals, and a date that exists."""
    if type(value) is not str or not TIMESTAMP.fullmatch(value):
        return False
    try:
        timestamp_to_us(value)
    except ValueError:
        return False
    return True


def is_exact(value):
    """An integer that a reader with doubles keeps; larger ones are written as strings."""
    return type(value) is int and -EXACT_LIMIT <= value <= EXACT_LIMIT


def is_field(value):
    """The value of an extra field: text, a truth value, an exact integer, or a double."""
    return type(value) in (str, bool) or is_exact(value) or type(value) is Real and is_double(value.text)


def is_number_text(value):
    """The value of a sample: an integer, or a double."""
    return type(value) is str and (DECIMAL.fullmatch(value) is not None or is_double(value))


def is_fields(value):
    """A record's extra fields; absent rather than empty."""
    return type(value) is dict and bool(value) and all(map(is_field, value.values()))


def is_flows(value):
    """The flows of a record: at least one, each a name and an id other than 0; no flow twice."""
    if type(value) is not list or not all(type(one) is str and FLOW.fullmatch(one) for one in value):
        return False
    names = [one.rpartition(":")[0] for one in value]
    return bool(value) and len(set(names)) == len(names)


def is_loss(value):
    """What a loss says to machines; null is unknown, and a sum of gaps has no times."""
    if type(value) is not dict or {*value} - {"cpu", "records", "from", "until", "buffer", "host"}:
        return False
    times = [value[key] for key in ("from", "until") if key in value]
    are_times = len(times) in (0, 2) and all(time is None or type(time) is Real and time.is_seconds() for time in times)
    is_named = all(type(value.get(key, "")) is str for key in ("buffer", "host"))
    return are_times and is_named and is_exact(value.get("cpu")) and ("records" in value)


def is_strings(value):
    """A command line: at least one word, strings only."""
    return type(value) is list and bool(value) and all(type(word) is str for word in value)


TYPES = {
    "string": lambda value: type(value) is str,
    "strings": is_strings,
    "timestamp": is_timestamp,
    "decimal": is_number_text,
    "seconds": lambda value: type(value) is Real and value.is_seconds(),
    "integer": is_exact,
    "count": lambda value: is_exact(value) and value >= 0,
    "positive": lambda value: is_exact(value) and value > 0,
    "boolean": lambda value: type(value) is bool,
    "true": lambda value: value is True,
    "object": lambda value: type(value) is dict,
    "fields": is_fields,
    "flows": is_flows,
    "loss": is_loss,
}

SECONDS_OF_TIMESTAMP = {}
CHECKS_OF_KEYS = {}


def timestamp_to_us(timestamp):
    """Microseconds since 1970 of a `time`; the second's part is computed once per second."""
    second = SECONDS_OF_TIMESTAMP.get(timestamp[:19])
    if second is None:
        moment = datetime.strptime(timestamp[:19], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)
        second = SECONDS_OF_TIMESTAMP[timestamp[:19]] = int(moment.timestamp()) * 1000000
    return second + int(timestamp[20:26])


def parse_spec(spec):
    """Splits a row of the table into (key, type, may be absent)."""
    words = [word.partition(":") for word in spec.split()]
    return [(key, kind.rstrip("?"), kind.endswith("?")) for key, _, kind in words]


def match_keys(kind, keys):
    """Returns the (key, type test) pairs of an event with these keys, or raises the Violation."""
    checks, waiting = [], list(keys)
    for key, type_name, may_be_absent in parse_spec(f"{HEAD} {EVENTS[kind]}"):
        if waiting and waiting[0] == key:
            checks.append((waiting.pop(0), TYPES[type_name], type_name))
        elif not may_be_absent:
            raise Violation(
                "keys", f"{kind} has {waiting[0] if waiting else 'nothing'} where {key} belongs"
            )
    if waiting:
        raise Violation("keys", f"{kind} has {waiting[0]} where it does not belong")
    return checks


def check_shape(members):
    """Raises the Violation where an object is no event of ktrack."""
    kind = members.get("event")
    if type(kind) is not str or kind not in EVENTS:
        raise Violation("kind", f"ktrack writes no event {kind!r}")
    keys = (kind, *members)
    checks = CHECKS_OF_KEYS.get(keys)
    if checks is None:
        checks = CHECKS_OF_KEYS[keys] = match_keys(kind, members)
    for key, is_right, type_name in checks:
        if not is_right(members[key]):
            shown = getattr(members[key], "text", members[key])
            raise Violation("type", f"{key} of {kind} is {shown!r}, which is no {type_name}")
