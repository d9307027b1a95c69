# SPDX-License-Identifier: GPL-2.0-only
"""Plays a batch of ktrack_demo: who emits which record when, without a kernel."""

import random
from itertools import count

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
    WORK,
    begin_fields,
    end_fields,
    fails,
    flow,
    number,
    size_bytes,
)

WRITER_TGID = 537
WRITER_COMM = "sh"
WORKER_TID = 540
SCOPE_WORDS = {"thread": "tid", "process": "pid"}


class Record:
    """One record; its kind is B, E, I or C (a sample), what is its name or value, scope an asynchronous id, too."""

    def __init__(self, time_ns, cpu, tracepoint, scope, kind, what=None, fields=(), flows=()):
        self.time_ns, self.cpu, self.tracepoint, self.scope = time_ns, cpu, tracepoint, scope
        self.kind, self.what, self.fields, self.flows = kind, what, fields, flows


class Play:
    """The records of a batch, made in the order of causes, sorted by time afterwards."""

    def __init__(self, batch, cpus=2, seed=1):
        self.batch, self.cpus = batch, cpus
        self.random = random.Random(seed)
        self.records = []
        self.now_ns = 0

    def emit(self, cpu, tracepoint, scope, kind, what=None, fields=(), flows=()):
        """One record, a little later than the one before."""
        self.now_ns += self.random.randint(1, 4000)
        self.records.append(Record(self.now_ns, cpu, tracepoint, scope, kind, what, fields, flows))

    def submit(self, request, total_bytes):
        """The submitter's part of a request."""
        self.emit(0, SUBMIT, WRITER_TGID, "B", "submit", flows=[flow(request)])
        self.emit(0, IO, number(request), "B", "request", begin_fields(request), [flow(request)])
        self.emit(0, DEPTH, QUEUE, "C", 1)
        self.emit(0, BYTES, WRITER_TGID, "C", total_bytes)
        self.emit(0, SUBMIT, WRITER_TGID, "E")

    def handle(self, request, worker, handled):
        """The worker's part of a request."""
        cpu, tid = (worker + 1) % self.cpus, WORKER_TID + worker
        self.emit(cpu, WORK, tid, "B", "handle", flows=[flow(request)])
        self.emit(cpu, WORK, tid, "B", "prepare")
        self.emit(cpu, WORK, tid, "E")
        for name in ("transfer", f"checksum {request % 4}"):
            self.emit(cpu, WORK, tid, "B", name)
        self.emit(cpu, WORK, tid, "E")
        if fails(request):
            self.emit(cpu, WORK, tid, "I", "retry")
        for _ in range(2):
            self.emit(cpu, WORK, tid, "E")
        self.emit(cpu, DEPTH, QUEUE, "C", -1)
        self.emit(cpu, HANDLED, tid, "C", handled)
        self.emit(cpu, COMPLETED, cpu, "C", 1)
        self.emit(cpu, IO, number(request), "E", None, end_fields(request))

    def requests(self):
        """All requests; returns when the submitter and when the last worker is done."""
        slots_free, worker_free = [0] * self.batch.slots, {}
        submitter_ns, total_bytes, end_ns = self.now_ns, 0, self.now_ns
        for request in range(self.batch.requests):
            worker = request % self.batch.workers
            total_bytes += size_bytes(request)
            self.now_ns = max(submitter_ns, slots_free.pop(0))
            self.submit(request, total_bytes)
            submitter_ns = self.now_ns
            self.now_ns = max(submitter_ns, worker_free.get(worker, 0))
            self.handle(request, worker, request // self.batch.workers + 1)
            slots_free = sorted([*slots_free, self.now_ns])
            worker_free[worker] = self.now_ns
            end_ns = max(end_ns, self.now_ns)
        return submitter_ns, end_ns

    def ticks(self, begin_ns, end_ns):
        """The timer, each time on another CPU."""
        for tick in range(self.batch.ticks()):
            self.now_ns = begin_ns + tick * (end_ns - begin_ns) // self.batch.ticks()
            for kind, name in (("B", "tick"), ("E", None)):
                self.emit(tick % self.cpus, TICK, tick % self.cpus, kind, name)

    def run(self):
        """The whole batch; returns its records by time."""
        self.now_ns = 1000000
        self.emit(0, RUN, WRITER_TGID, "B", "run")
        self.emit(0, SUBMIT, WRITER_TGID, "B", "batch")
        begin_ns = self.now_ns
        submitted_ns, end_ns = self.requests()
        self.ticks(begin_ns, end_ns)
        end_ns = max(end_ns, self.now_ns)
        self.now_ns = submitted_ns
        self.emit(0, SUBMIT, WRITER_TGID, "E")
        self.now_ns = max(end_ns, self.now_ns)
        self.emit(0, RUN, WRITER_TGID, "I", "done")
        self.emit(0, RUN, WRITER_TGID, "E")
        self.records.sort(key=lambda record: record.time_ns)
        self.add_up(DEPTH)
        self.add_up(COMPLETED)
        return self.records

    def add_up(self, tracepoint):
        """Turns a counter's steps into its values, now that the order is known."""
        sums = {}
        for record in self.records:
            if record.tracepoint is tracepoint:
                record.what += sums.get(record.scope, 0)
                sums[record.scope] = record.what


def identity_of(tracepoint, scope):
    """What a track is, in the key order of the stream; scope is the lane of asynchronous slices."""
    identity = {"tracepoint": tracepoint.name, "name": tracepoint.track_name}
    identity.update({"kind": tracepoint.kind, "scope": tracepoint.scope})
    if tracepoint.field:
        identity["field"] = tracepoint.field
    identity["lane" if tracepoint.is_async else "id"] = scope
    if tracepoint.scope in ("thread", "process"):
        identity["tgid"] = scope
        identity["comm"] = comm_of(scope)
    return identity


def comm_of(tid):
    """The name of a task."""
    return WRITER_COMM if tid == WRITER_TGID else f"ktrack_demo/{tid - WORKER_TID}"


def shown_name(tracepoint, scope):
    """A track's name for people."""
    comm = f" {comm_of(scope)}" if tracepoint.scope in ("thread", "process") else ""
    word = SCOPE_WORDS.get(tracepoint.scope) or (tracepoint.field or "lane").removeprefix("scope_")
    return f"{tracepoint.track_name} {word} {scope}{comm}"


def lane_of(tracks, record):
    """The lane of an asynchronous id: its own while it is in flight, else the first free one."""
    lanes = tracks.setdefault("lanes", {})
    if record.kind == "E" and record.scope in lanes:
        return lanes.pop(record.scope)
    lane = next(lane for lane in count(1) if lane not in lanes.values())
    if record.kind == "B":
        lanes[record.scope] = lane
    return lane


def write_record(writer, tracks, record):
    """One record into the stream, opening its track where it is new."""
    tracepoint = record.tracepoint
    scope = lane_of(tracks, record) if tracepoint.is_async else record.scope
    key = (tracepoint, scope)
    if key not in tracks:
        tracks[key] = writer.open_track(record.time_ns, shown_name(*key), identity_of(*key))
    steps = {
        "B": lambda track: writer.enter(track, record.time_ns, record.what, record.fields, flows=record.flows),
        "E": lambda track: writer.leave(track, record.time_ns, record.fields),
        "I": lambda track: writer.instant(track, record.time_ns, record.what, record.fields),
        "C": lambda track: writer.sample(track, record.time_ns, record.what, record.fields),
    }
    steps[record.kind](tracks[key])


def write_records(writer, records):
    """Records in time order into the stream."""
    tracks = {}
    for record in records:
        write_record(writer, tracks, record)
