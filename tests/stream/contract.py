# SPDX-License-Identifier: GPL-2.0-only
"""What ktrack_demo promises: its tracepoints, and what each request of a batch does."""

DEMO = "ktrack_demo"


class Tracepoint:
    """One tracepoint: its kind, the scope of its tracks, and the name of its tracks; asynchronous slices have lanes."""

    def __init__(self, name, kind, field=None, track_name=None, is_async=False):
        self.name = name
        self.kind = kind
        self.field = field
        self.scope = {None: "thread", "scope_tgid": "process", "scope_cpu": "cpu"}.get(
            field, "custom"
        )
        self.is_async = is_async
        if is_async:
            self.scope = "global"
        self.track_name = track_name or name.partition(":")[2]


SUBMIT = Tracepoint(f"{DEMO}:ktrack_demo_submit", "slice", "scope_tgid", "submit")
BYTES = Tracepoint(f"{DEMO}:ktrack_demo_bytes", "counter", "scope_tgid", "bytes")
IO = Tracepoint(f"{DEMO}:ktrack_demo_io", "slice", track_name="queue0", is_async=True)
DEPTH = Tracepoint(f"{DEMO}:ktrack_demo_depth", "counter", "scope_queue", "depth")
WORK = Tracepoint(f"{DEMO}:ktrack_demo_work", "slice")
HANDLED = Tracepoint(f"{DEMO}:ktrack_demo_handled", "counter")
TICK = Tracepoint(f"{DEMO}:ktrack_demo_tick", "slice", "scope_cpu", "timer")
COMPLETED = Tracepoint(f"{DEMO}:ktrack_demo_completed", "counter", "scope_cpu", "completed")
RUN = Tracepoint("ktrack:ktrack_slice", "slice")

TRACEPOINTS = {
    one.name: one for one in (SUBMIT, BYTES, IO, DEPTH, WORK, HANDLED, TICK, COMPLETED, RUN)
}

QUEUE = 0
FAILED = -5


class Batch:
    """A batch of N requests, so many of them in flight at once, served by so many workers."""

    def __init__(self, requests, workers=2, slots=4):
        self.requests, self.workers, self.slots = requests, workers, slots

    def ticks(self):
        """How often the timer fires."""
        return -(-self.requests // 8)

    def records(self):
        """How many records the batch emits."""
        return 17 * self.requests + self.requests // 16 + 2 * self.ticks() + 5

    def of_worker(self, worker):
        """The requests that a worker serves, in order."""
        return range(worker, self.requests, self.workers)


def size_bytes(request):
    """How many bytes a request moves."""
    return 512 << request % 4


def fails(request):
    """True for the requests that are tried again and fail."""
    return request % 16 == 15


def operation(request):
    """What a request does."""
    return "write" if request % 2 else "read"


def number(request):
    """The number of a request, which is its asynchronous id, too, in the first batch of a module."""
    return request + 1


def flow(request):
    """The flow from a request's submission to its worker."""
    return f"ktrack_demo_request:0x{number(request):x}"


def begin_fields(request):
    """The extra fields when a request is submitted."""
    return {"request": number(request), "op": operation(request), "bytes": size_bytes(request)}


def end_fields(request):
    """The extra fields when a request is complete."""
    return begin_fields(request) | {"result": FAILED if fails(request) else size_bytes(request)}
