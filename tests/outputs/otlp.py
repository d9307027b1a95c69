# SPDX-License-Identifier: GPL-2.0-only
"""A strict reader of OTLP JSON lines, and what their spans and metrics show.

It accepts ExportTraceServiceRequest and ExportMetricsServiceRequest of the OpenTelemetry protocol 1.x, a line each, as the OTLP file
exporter's page says (one JSON object and a line feed). The rules are those of OTLP's JSON mapping ("JSON Protobuf Encoding"): ids are hexadecimal, enumerations are numbers, 64-bit integers are decimal
strings, names of members are in lowerCamelCase, and bytes are in base64. Members that no message has are errors, and so
are values that ktrack-outputs(7) does not list: kinds of spans, metrics other than gauges and sums.
"""

import base64
import json
import re
from collections import defaultdict

from model import MARKS, losses_of, read_event, sample_text

NS_LIMIT = 1 << 64
TRACE_ID, SPAN_ID = re.compile(r"[0-9a-f]{32}"), re.compile(r"[0-9a-f]{16}")
NUMBER = re.compile(r"0|-?[1-9][0-9]*")
METRIC_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_./-]{0,254}")


def require(condition, *about):
    """Raises unless a rule is kept."""
    if not condition:
        raise ValueError(about)


def read_text(value):
    require(isinstance(value, str), value)
    return value


def read_id(pattern):
    def read(value):
        require(isinstance(value, str) and pattern.fullmatch(value) and set(value) != {"0"}, value)
        return value

    return read


def read_integer(least, limit):
    def read(value):
        require(isinstance(value, str) and NUMBER.fullmatch(value) and least <= int(value) < limit, value)
        return int(value)

    return read


def read_enumeration(*numbers):
    def read(value):
        require(type(value) is int and value in numbers, value)
        return value

    return read


def read_bool(value):
    require(isinstance(value, bool), value)
    return value


def read_double(value):
    require(value in ("NaN", "Infinity", "-Infinity") or isinstance(value, (int, float)) and not isinstance(value, bool), value)
    return value


def read_bytes(value):
    return base64.b64decode(read_text(value), validate=True)


def read_count(value):
    require(type(value) is int and 0 < value < 1 << 32, value)
    return value


def read_list(read):
    def read_all(values):
        require(isinstance(values, list), values)
        return [read(value) for value in values]

    return read_all


def read_message(required, **members):
    """A message: all members are known, and some must be there."""

    def read(value):
        require(isinstance(value, dict) and set(value) <= set(members) and set(required) <= set(value), value)
        return {name: members[name](one) for name, one in value.items()}

    return read


read_int64 = read_integer(-(1 << 63), 1 << 63)
read_time = read_integer(0, NS_LIMIT)


def read_value(value):
    """An AnyValue, of the kinds that ktrack writes."""
    read = {"stringValue": read_text, "intValue": read_int64, "boolValue": read_bool, "bytesValue": read_bytes, "doubleValue": read_double}
    require(isinstance(value, dict) and len(value) == 1 and set(value) <= set(read), value)
    (kind, one), = value.items()
    return read[kind](one)


def read_attributes(values):
    pairs = [(one["key"], one["value"]) for one in read_list(read_message(("key", "value"), key=read_text, value=read_value))(values)]
    require(len(dict(pairs)) == len(pairs) and all(key for key, _ in pairs), "keys of attributes are not unique", pairs)
    return dict(pairs)


read_resource = read_message(("attributes",), attributes=read_attributes)
read_scope = read_message(("name", "version"), name=read_text, version=read_text)
read_link = read_message(
    ("traceId", "spanId"), traceId=read_id(TRACE_ID), spanId=read_id(SPAN_ID), attributes=read_attributes
)
read_span_event = read_message(
    ("timeUnixNano", "name"), timeUnixNano=read_time, name=read_text, attributes=read_attributes
)
read_status = read_message(("code",), code=read_enumeration(2), message=read_text)
read_span = read_message(
    ("traceId", "spanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano"),
    traceId=read_id(TRACE_ID),
    spanId=read_id(SPAN_ID),
    parentSpanId=read_id(SPAN_ID),
    name=read_text,
    kind=read_enumeration(1),
    startTimeUnixNano=read_time,
    endTimeUnixNano=read_time,
    attributes=read_attributes,
    events=read_list(read_span_event),
    links=read_list(read_link),
    droppedEventsCount=read_count,
    droppedLinksCount=read_count,
    status=read_status,
)
read_point = read_message(
    ("attributes", "timeUnixNano"),
    attributes=read_attributes,
    startTimeUnixNano=read_time,
    timeUnixNano=read_time,
    asInt=read_int64,
    asDouble=read_double,
)
read_gauge = read_message(("dataPoints",), dataPoints=read_list(read_point))
read_sum = read_message(
    ("dataPoints", "aggregationTemporality", "isMonotonic"),
    dataPoints=read_list(read_point),
    aggregationTemporality=read_enumeration(1),
    isMonotonic=read_bool,
)
read_metric = read_message(("name",), name=read_text, unit=read_text, gauge=read_gauge, sum=read_sum)


def read_request(outer, inner, items, read):
    """A request: resources, their scopes, and the items of these."""
    one_scope = read_message(("scope", items), **{"scope": read_scope, items: read_list(read)})
    one_resource = read_message(("resource", inner), **{"resource": read_resource, inner: read_list(one_scope)})
    return read_message((outer,), **{outer: read_list(one_resource)})


read_traces = read_request("resourceSpans", "scopeSpans", "spans", read_span)
read_metrics = read_request("resourceMetrics", "scopeMetrics", "metrics", read_metric)


def without_twins(pairs):
    """An object, whose names are unique."""
    require(len(dict(pairs)) == len(pairs), "a name is there twice", pairs)
    return dict(pairs)


def lines_of(data):
    """The requests of a file: lines of UTF-8, the last one ended, none empty."""
    require(not data or data.endswith(b"\n"), "the last line has no end")
    return [json.loads(line, object_pairs_hook=without_twins) for line in data.decode().split("\n")[:-1]]


def read_spans(data):
    """(resources, spans) of a file, checked: ids are unique, parents are of the same trace, each trace has one root."""
    resources, spans = [], []
    for line in lines_of(data):
        for resource in read_traces(line)["resourceSpans"]:
            resources.append(resource["resource"]["attributes"])
            for scope in resource["scopeSpans"]:
                require(scope["spans"], "no span in a request")
                spans += scope["spans"]
    by_id = {one["spanId"]: one for one in spans}
    require(len(by_id) == len(spans), "ids of spans are not unique")
    roots = defaultdict(int)
    for one in spans:
        require(one["startTimeUnixNano"] <= one["endTimeUnixNano"], one)
        roots[one["traceId"]] += "parentSpanId" not in one
        if "parentSpanId" in one:
            require(by_id[one["parentSpanId"]]["traceId"] == one["traceId"], "a parent of another trace", one)
        for link in one.get("links", []):
            require(by_id[link["spanId"]]["traceId"] == link["traceId"], "a link to nothing", one)
    require(set(roots.values()) <= {1}, "a trace without one root", dict(roots))
    return resources, spans


def read_points(data):
    """(metric, attributes, time, value) of all data points of a file."""
    points = []
    for line in lines_of(data):
        for resource in read_metrics(line)["resourceMetrics"]:
            metrics = [metric for scope in resource["scopeMetrics"] for metric in scope["metrics"]]
            for metric in metrics:
                require(METRIC_NAME.fullmatch(metric["name"]), metric["name"])
                require(("gauge" in metric) != ("sum" in metric), metric)
                for point in metric.get("gauge", metric.get("sum"))["dataPoints"]:
                    require(("asInt" in point) != ("asDouble" in point), point)
                    value = point.get("asInt", point.get("asDouble"))
                    points.append((metric["name"], point["attributes"], point["timeUnixNano"], value))
    return points


def split(attributes):
    """(fields of the begin, of the end) among attributes; flows are among them."""
    own = re.compile(r"ktrack\.(tracepoint|track|scope\..*|buffer|instant|suspect|unfinished|foreign|crossing|continued)")
    mine = {"thread.id", "thread.name", "process.pid", "cpu.logical_number"}
    begin, end = {}, {}
    for key, value in attributes.items():
        if key.startswith("end."):
            end[key.removeprefix("end.")] = value
        elif not own.fullmatch(key) and key not in mine:
            begin[key] = value
    return begin, end


def expected_args(args):
    """Fields of an EVENT line as attributes: numbers and flows may be texts there."""
    return {("ktrack.flow" if name == "ktrack:flow" else name): value for name, value in args.items()}


def comparable(value):
    """A value without what the two formats write differently."""
    if isinstance(value, list):
        return " ".join(value)
    if isinstance(value, bytes):
        return value.hex()
    return str(value)


def described(args):
    return sorted((name, comparable(value)) for name, value in args.items())


def shown_by_event(stream):
    """{track: sorted slices and instants} of an EVENT stream."""
    shown = defaultdict(list)
    for track in read_event(stream).values():
        for begin, end, name, before, behind, marks, depth in track.slices:
            args = described(expected_args(before)), described(expected_args(behind))
            shown[track.label].append(("slice", begin, end, name, *args, sorted(marks)))
        for time, name, args in track.instants:
            shown[track.label].append(("instant", time, name, described(expected_args(args))))
    return {label: sorted(things) for label, things in shown.items()}


def start_of(stream, times):
    """When the recording began, in nanoseconds since 1970: EVENT counts from there. One time serves all things."""
    first = [t for track in read_event(stream).values() for t in first_times(track)]
    return min(times) - min(first) if times and first else 0


def first_times(track):
    """Times of a track of EVENT."""
    yield from (one[0] for one in track.slices)
    yield from (one[0] for one in track.instants)
    yield from (one[0] for one in track.samples)


def times_of(spans):
    """When spans of tracks, and their events, were."""
    for one in spans:
        if "ktrack.track" in one.get("attributes", {}):
            yield one["startTimeUnixNano"]
            yield from (event["timeUnixNano"] for event in one.get("events", []))


def shown_by_spans(spans, start):
    """The same of spans."""
    shown = defaultdict(list)
    for one in spans:
        attributes = one.get("attributes", {})
        label = attributes.get("ktrack.track")
        if label is None:
            continue
        before, behind = split(attributes)
        begin, end = one["startTimeUnixNano"] - start, one["endTimeUnixNano"] - start
        if attributes.get("ktrack.instant"):
            shown[label].append(("instant", begin, one["name"], described(before)))
        else:
            marks = sorted(mark for mark in MARKS if attributes.get(f"ktrack.{mark}"))
            shown[label].append(("slice", begin, end, one["name"], described(before), described(behind), marks))
        for event in one.get("events", []):
            args = split(event.get("attributes", {}))[0]
            shown[label].append(("instant", event["timeUnixNano"] - start, event["name"], described(args)))
    return {label: sorted(things) for label, things in shown.items()}


def compare(stream, data):
    """How spans differ from the EVENT stream."""
    _, spans = read_spans(data)
    without_samples = b"".join(line for line in stream.splitlines(keepends=True) if b'"event":"data",' not in line)
    expected, found = shown_by_event(stream), shown_by_spans(spans, start_of(without_samples, list(times_of(spans))))
    wrong = [
        f"track {label}: {expected.get(label)} became {found.get(label)}"
        for label in sorted(set(expected) | set(found))
        if expected.get(label) != found.get(label)
    ]
    losses = defaultdict(int)
    for one in spans:
        if "ktrack.track" not in one.get("attributes", {}) and one["name"].startswith("lost ") and "on cpu" in one["name"]:
            losses[one["name"]] += 1
    if dict(losses) != losses_of(stream):
        wrong.append(f"losses {dict(losses)} instead of {losses_of(stream)}")
    return wrong


def rounded(value):
    """Numbers beyond 63 bits are doubles."""
    if not value.lstrip("-").isdecimal():
        return value
    number = int(value)
    return str(float(number) if number >= 1 << 63 else number)


def compare_metrics(stream, data):
    """How samples differ from the EVENT stream."""
    samples = [(track.label, *sample) for track in read_event(stream).values() for sample in track.samples]
    expected = sorted((label, time, rounded(value)) for label, time, value in samples)
    points = [one for one in read_points(data) if "ktrack.track" in one[1]]
    start = min((one[2] for one in points), default=0) - min((one[1] for one in expected), default=0)
    found = sorted((attributes["ktrack.track"], time - start, sample_text(value)) for _, attributes, time, value in points)
    return [f"samples {expected} became {found}"] if expected != found else []
