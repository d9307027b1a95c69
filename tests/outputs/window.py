# SPDX-License-Identifier: GPL-2.0-only
"""Windows of time in a recording, for --from and --to."""

import random


def times_of(tracks):
    """When something happens."""
    times = {time for track in tracks.values() for one in track.slices for time in one[:2]}
    return sorted(times | {one[0] for track in tracks.values() for one in track.instants + track.samples})


def windows_of(name, times, number):
    """Some windows: they begin and end with records, or between them."""
    chance = random.Random(name)
    for _ in range(number):
        from_ns, to_ns = sorted(chance.choice(times) + chance.choice((0, 1)) for _ in range(2))
        yield from_ns, max(to_ns, 1)


# Of each kind: slices of threads, of queues, asynchronous and hidden ones, samples, sums, flows, states; in two buffers, with losses.
TRACEPOINTS = """cpus 3
event demo:io 100 char track_event_type; string slice_name
event demo:queue 101 char track_event_type; string slice_name; u32 scope_queue
event demo:request 102 char track_event_type; string slice_name; ktrack_async_id scope_request; u32 bytes
event demo:level 103 u32 counter_value
event demo:work 104 char track_event_type; string slice_name; u32 scope_queue; ktrack_flow_id request
event drv:enter 110 u32 unit; u32 load; string what
event drv:leave 111 u32 unit; s32 error
event drv:alloc 112 u32 pool; u32 bytes
event drv:free 113 u32 pool; u32 bytes
format ../formats/6.12/sched/sched_switch
format ../formats/6.12/sched/sched_waking
format ../formats/6.12/sched/sched_process_exec
format ../formats/6.12/sched/sched_process_exit
format ../formats/6.12/sched/sched_process_free
format ../formats/6.12/task/task_newtask
format ../formats/6.12/task/task_rename
format ../formats/6.12/cgroup/cgroup_attach_task
task 41 first 40
task 42 second 40
cgroup 40 /first
cgroup 43 /second
"""
RULES = (
    "-e", "demo", "-r", "sched",
    "-r", "slice drv:unit begin=drv:enter end=drv:leave scope=cpu name={what} where=load > 0",
    "-r", "counter drv:memory event=drv:alloc value=+bytes scope=pool",
    "-r", "counter drv:memory event=drv:free value=-bytes scope=pool",
)  # fmt: skip
THREADS = range(40, 46)


def random_record(chance, time):
    """A record as a line of a script."""
    tid, cpu, other = chance.choice(THREADS), chance.randrange(3), chance.choice(THREADS)
    kind, name, queue = chance.choice("BBEEI"), chance.choice(("read", "write", "sync")), chance.randrange(3)
    what = chance.choice(
        (
            f"io {kind} {name}",
            f"io {kind} {name}",
            f"queue {kind} {name} {queue}",
            f"request {kind} {name} {chance.randrange(1, 5)} {queue}",
            f"level {chance.randrange(9)}",
            f"work {kind} {name} {queue} {chance.randrange(4)}",
            f"enter {queue} {chance.randrange(2)} {name}",
            f"leave {queue} 0",
            f"alloc {queue} {chance.randrange(99)}",
            f"free {queue} {chance.randrange(9)}",
            *(f"sched_switch prev_comm=a prev_pid={tid} prev_state={chance.choice((0, 1, 2))} next_comm=b next_pid={other}",) * 4,
            *(f"sched_waking comm=c pid={other}",) * 2,
            f"task_newtask pid={other} comm=new{queue}",
            f"task_rename pid={tid} newcomm=name{queue}",
            f"cgroup_attach_task dst_root=0 pid={tid} dst_path=/{name}",
            f"sched_process_exec filename=/bin/{name} pid={other} old_pid={tid}",
            f"sched_process_exit comm=d pid={tid}",
            f"sched_process_free comm=d pid={tid}",
        )
    )
    return f"{time} {tid}@{cpu} {what}"


def random_script(seed, size=120):
    """A recording whose records have no order but that of time."""
    chance = random.Random(seed)
    lines, time = [], 0
    for _ in range(size):
        time += chance.choice((0, 1, 1, 7, 500))
        if chance.random() < 0.04:
            lines.append(f"lost {chance.randrange(3)} {chance.choice(('', 5))}")
        lines.append(random_record(chance, time))
    lines += [f"{time} 47@{cpu} level 1" for cpu in range(3)]
    second = [f"{chance.randrange(time)} 46@0 io {chance.choice('BE')} {chance.choice(('x', 'y'))}" for _ in range(8)]
    second.sort(key=lambda line: int(line.split()[0]))
    return TRACEPOINTS + "\n".join([*lines, "buffer second", *second]) + "\n"
