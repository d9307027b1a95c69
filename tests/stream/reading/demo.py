# SPDX-License-Identifier: GPL-2.0-only
"""Holds the stream of one complete batch of ktrack_demo against the demo's promise."""

from contract import (
    BYTES,
    COMPLETED,
    DEPTH,
    HANDLED,
    IO,
    QUEUE,
    RUN,
    SUBMIT,
    TICK,
    TRACEPOINTS,
    WORK,
    begin_fields,
    end_fields,
    fails,
    flow,
    number,
    size_bytes,
)
from reading.regions import is_record

BEGIN, END, INSTANT, SAMPLE = "begin", "end", "instant", "sample"
KINDS = {"region_enter": BEGIN, "region_leave": END, "data_json": INSTANT, "data": SAMPLE}
WORKER_COMM = "ktrack_demo/"
FLOW_LABELS = {SUBMIT.name: "submit", IO.name: "request", WORK.name: "handle"}


class Step:
    """One record of a track: what happened, on which nesting, with which fields or value."""

    def __init__(self, event):
        self.event = event
        self.what = (KINDS[event.kind], *STEP_VALUES[event.kind](event))
        self.flows = event.get("flow") or []

    def __str__(self):
        return show_step(self.what)


STEP_VALUES = {
    "region_enter": lambda event: (event["label"], event["nesting"], event.get("args")),
    "region_leave": lambda event: (event["label"], event["nesting"], event.get("args")),
    "data_json": lambda event: (event["key"], event["nesting"], event["value"] or None),
    "data": lambda event: (int(event["value"]), event["nesting"], event.get("args")),
}


def show_step(what):
    """A step for people."""
    kind, label, nesting, fields = what
    return f"{kind} {label!r}, nesting {nesting}, fields {fields or {}}"


class Track:
    """A track with its identity and its steps in order."""

    def __init__(self, event):
        self.event = event
        self.identity = event["value"]
        self.tracepoint = self.identity.get("tracepoint")
        self.steps = []

    def values(self):
        """The values of a counter."""
        return [step.what[1] for step in self.steps]


class Demo:
    """What a stream holds: tracks, ktrack's own counters; and the batch that was asked for."""

    def __init__(self, batch):
        self.batch = batch
        self.tracks = {}
        self.counters = {}

    def add(self, event):
        """Takes one event."""
        if event.kind == "counter":
            self.counters[event["name"]] = event["count"]
        elif event.kind == "data_json" and event["category"] == "track":
            self.tracks[event.thread] = Track(event)
        elif event.kind in KINDS and is_record(event) and event.thread in self.tracks:
            self.tracks[event.thread].steps.append(Step(event))

    def of(self, tracepoint):
        """The tracks of a tracepoint."""
        return [track for track in self.tracks.values() if track.tracepoint == tracepoint.name]

    def records(self):
        """How many records stand in the stream."""
        return sum(len(track.steps) for track in self.tracks.values())


def pair(label, nesting, fields=None, end_with=None, inside=()):
    """A slice's steps: its begin, what is inside, its end."""
    return [(BEGIN, label, nesting, fields), *inside, (END, label, nesting, end_with)]


def steps_of_submit(batch):
    """One batch, and in it every request."""
    inside = pair("submit", 2) * batch.requests
    return pair("batch", 1, inside=inside)


def steps_of_lane(requests):
    """Each request of a lane: the lane is taken again only when it is free."""
    return [step for request in requests for step in pair("request", 1, begin_fields(request), end_fields(request))]


def requests_of_lane(track):
    """The requests that begin on a lane, by the numbers that they have there."""
    numbers = [(step.what[3] or {}).get("request") for step in track.steps if step.what[0] == BEGIN]
    return [one - number(0) for one in numbers if type(one) is int]


def steps_of_request(request):
    """What a worker does for a request."""
    retry = [(INSTANT, "retry", 3, None)] if fails(request) else []
    transfer = pair("transfer", 2, inside=pair(f"checksum {request % 4}", 3) + retry)
    return pair("handle", 1, inside=pair("prepare", 2) + transfer)


def steps_of_worker(batch, worker):
    """Each request of a worker."""
    return [step for request in batch.of_worker(worker) for step in steps_of_request(request)]


def steps_of_run():
    """The whole write."""
    return pair("run", 1, inside=[(INSTANT, "done", 2, None)])


def samples(values):
    """A counter's steps."""
    return [(SAMPLE, value, 1, None) for value in values]


def running_totals(batch):
    """The bytes counter's values."""
    total, totals = 0, []
    for request in range(batch.requests):
        total += size_bytes(request)
        totals.append(total)
    return totals


def compare_steps(track, wanted):
    """Yields where a track's steps first leave the promised ones."""
    for step, what in zip(track.steps, wanted):
        if step.what != what:
            yield step.event, f"{step}; promised is {show_step(what)}"
            return
    if len(track.steps) != len(wanted):
        count = f"{len(track.steps)} records, promised are {len(wanted)}"
        yield track.event, f"{track.event.thread!r} has {count}"


def check_identities(demo):
    """The tracks are those of the demo's tracepoints, named and scoped as promised."""
    for track in demo.tracks.values():
        tracepoint = TRACEPOINTS.get(track.tracepoint)
        if tracepoint is None:
            yield track.event, f"the demo has no tracepoint {track.tracepoint}"
            continue
        wanted = (tracepoint.track_name, tracepoint.kind, tracepoint.scope, tracepoint.field)
        said = tuple(track.identity.get(key) for key in ("name", "kind", "scope", "field"))
        if said != wanted:
            yield track.event, f"name, kind, scope, field are {said}, promised are {wanted}"


def check_track_counts(demo):
    """There are as many tracks as scopes."""
    workers = min(demo.batch.requests, demo.batch.workers)
    wanted = {SUBMIT: 1, BYTES: 1, DEPTH: 1, WORK: workers, HANDLED: workers, RUN: 1}
    lanes = sorted(track.identity.get("lane", 0) for track in demo.of(IO))
    if lanes != list(range(1, len(lanes) + 1)) or len(lanes) > demo.batch.slots:
        yield None, f"{IO.name} has lanes {lanes}, promised are at most {demo.batch.slots}"
    for tracepoint in TRACEPOINTS.values():
        found, due = len(demo.of(tracepoint)), wanted.get(tracepoint)
        if found != due and (due is not None or not found):
            yield None, f"{tracepoint.name} has {found} tracks, promised are {due or 'some'}"


def check_total(demo):
    """Every record is there, and nothing is counted as odd."""
    if demo.records() != demo.batch.records():
        yield None, f"{demo.records()} records, promised are {demo.batch.records()}"
    for name, count in demo.counters.items():
        yield None, f"ktrack counted {count} {name} where nothing was lost"


def check_submitter(demo):
    """The submitter's slices and running total, on tracks of one process."""
    for track in demo.of(SUBMIT):
        yield from compare_steps(track, steps_of_submit(demo.batch))
    for track in demo.of(BYTES):
        yield from compare_steps(track, samples(running_totals(demo.batch)))
    owners = {
        track.identity.get("id") for tracepoint in (SUBMIT, BYTES) for track in demo.of(tracepoint)
    }
    owners |= {track.identity.get("tgid", owner) for track in demo.of(RUN) for owner in owners}
    if len(owners) > 1:
        yield None, f"submit, bytes and run belong to different processes: {owners}"


def check_requests(demo):
    """Every request once, on any lane."""
    found = []
    for track in demo.of(IO):
        requests = requests_of_lane(track)
        yield from compare_steps(track, steps_of_lane(requests))
        found += requests
    if sorted(found) != list(range(demo.batch.requests)):
        yield None, f"begun are {len(found)} requests, or others than the {demo.batch.requests} that are promised"


def check_flows(demo):
    """A flow leads from each submission to the request and to its worker."""
    requests = {SUBMIT.name: lambda track: range(demo.batch.requests), IO.name: requests_of_lane}
    requests[WORK.name] = lambda track: demo.batch.of_worker(worker_of(track, demo.batch) or 0)
    for track in demo.tracks.values():
        found = [(step.what[1], *step.flows) for step in track.steps if step.flows]
        label, due = FLOW_LABELS.get(track.tracepoint), requests.get(track.tracepoint, lambda track: ())(track)
        if found != [(label, flow(request)) for request in due]:
            yield track.event, f"{track.event.thread!r} has other flows than promised: {found[:3]}"


def check_depth(demo):
    """The queue's depth: a step up for each submission, one down for each completion."""
    for track in demo.of(DEPTH):
        values = track.values()
        if (
            track.identity.get("id") != QUEUE
            or len(values) != 2 * demo.batch.requests
            or values[-1:] != [0]
        ):
            queue = track.identity.get("id")
            yield track.event, f"queue {queue}: {len(values)} samples, the last {values[-1:]}"
        for step, before in zip(track.steps, [0, *values]):
            value, nesting = step.what[1:3]
            if abs(value - before) != 1 or not 0 <= value <= demo.batch.slots or nesting != 1:
                yield step.event, f"depth {value} after {before} in a queue of {demo.batch.slots}"


def worker_of(track, batch):
    """The worker that a track belongs to: by its thread's name, else by what it did first."""
    comm = track.identity.get("comm")
    if comm is None:
        return next(
            (
                worker
                for worker in range(batch.workers)
                if steps_of_worker(batch, worker) == [step.what for step in track.steps]
            ),
            None,
        )
    number = comm.removeprefix(WORKER_COMM)
    known = comm.startswith(WORKER_COMM) and number.isdecimal() and int(number) < batch.workers
    return int(number) if known else None


def check_workers(demo):
    """Each worker handles its own requests, in order, and counts them."""
    served = {}
    for track in demo.of(WORK):
        worker = worker_of(track, demo.batch)
        if worker is None or worker in served.values():
            yield track.event, f"{track.event.thread!r} is no worker, or one of them again"
            continue
        served[track.identity.get("id")] = worker
        yield from compare_steps(track, steps_of_worker(demo.batch, worker))
    for track in demo.of(HANDLED):
        worker = served.get(track.identity.get("id"))
        due = len(demo.batch.of_worker(worker)) if worker is not None else 0
        yield from compare_steps(track, samples(range(1, due + 1)))


def check_cpus(demo):
    """Ticks and completions: each on its CPU, as many as promised in all."""
    ticks = 0
    for track in demo.of(TICK):
        wanted = pair("tick", 1) * ((len(track.steps) + 1) // 2)
        ticks += len(wanted) // 2
        yield from compare_steps(track, wanted)
    if ticks != demo.batch.ticks():
        yield None, f"{ticks} ticks, promised are {demo.batch.ticks()}"
    completed = 0
    for track in demo.of(COMPLETED):
        completed += (track.values() or [0])[-1]
        yield from compare_steps(track, samples(range(1, len(track.steps) + 1)))
    if completed != demo.batch.requests:
        yield None, f"the CPUs completed {completed} requests, promised are {demo.batch.requests}"


def check_run(demo):
    """run spans all that the batch did."""
    for run in demo.of(RUN):
        yield from compare_steps(run, steps_of_run())
        times = [step.event.abs_ns for step in run.steps] or [0]
        for track in demo.tracks.values():
            for step in track.steps:
                if not times[0] <= step.event.abs_ns <= times[-1]:
                    yield step.event, f"{step} on {track.event.thread!r} is outside of run"


CHECKS = {
    "demo-identity": check_identities,
    "demo-tracks": check_track_counts,
    "demo-total": check_total,
    "demo-submitter": check_submitter,
    "demo-requests": check_requests,
    "demo-flows": check_flows,
    "demo-depth": check_depth,
    "demo-workers": check_workers,
    "demo-cpus": check_cpus,
    "demo-run": check_run,
}


def broken_promises(demo, checks):
    """Yields (line number or None, check, message) for all that a stream lacks or has too much."""
    for name, check in checks.items():
        for event, message in check(demo):
            yield event.number if event else None, name, message
