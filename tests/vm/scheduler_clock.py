# SPDX-License-Identifier: GPL-2.0-only
"""When the scheduler's own clock saw each switch from and to an idle CPU.

The kernel accounts run times by the clock of a CPU's run queue, which it updates at the begin of schedule(), some microseconds before
the record of the switch. If a wake-up ends the idleness of a CPU, the clock keeps the time of the wake-up: the next schedule() does not
update it (rq_clock_skip_update()). So the time from the wake-up to the switch counts as run time. Here this is 4 to 8 us on average,
and up to 2 ms if the waking CPU goes on first in an emulator that runs one CPU at a time: by the records alone, threads of pipes run
17 % shorter than by the kernel's sum. Switches between two threads do not change the sum. At all others, two kprobes of the guest read
the clock: with these readings, both sums are equal to the microsecond.

Each CPU has a clock of its own where the kernel does not trust the TSC, as in an emulator: these clocks are some
microseconds apart, and each is corrected at every tick. So each CPU's distance from the clock of the records is found again for each
quarter of a second.
"""

from collections import defaultdict

# The rule's instants: a CPU ends, or begins, to be idle.
IDLE_END, IDLE_BEGIN = "clock:idle_end", "clock:idle_begin"
RULES = tuple(f"instant {name} event={name.replace(':', '_rq:')} scope=cpu args=clock" for name in (IDLE_END, IDLE_BEGIN))
# For how long a CPU's clock has one distance from that of the records.
WINDOW = 0.25
# What rounding, and the rates of both clocks, can add.
TOLERANCE = 2e-6


def is_idle(one):
    """Whether a slice of sched:cpu is that of an idle CPU."""
    return one.label.startswith("swapper/")


class SchedulerClock:
    """Times of a stream, as the scheduler's clock saw them."""

    def __init__(self, stream):
        self.stream, self.shown, self.problems = stream, {}, []
        self.cpus = {key[2]: slices for key, slices in stream.tracks.items() if key[0] == "sched:cpu"}
        readings = {name: self.by_switch(name) for name in (IDLE_END, IDLE_BEGIN)}
        offsets = self.offsets(readings)
        waits = self.waits()
        for name, found in readings.items():
            for (cpu, time), clock in found.items():
                self.shown[cpu, time] = clock / 1e9 + offsets[cpu, time // WINDOW]
                earliest = waits[cpu, time]
                if not earliest - TOLERANCE <= self.shown[cpu, time] <= time + TOLERANCE:
                    self.problems.append(f"{name} of CPU {cpu}: {earliest:.9f} <= {self.shown[cpu, time]:.9f} <= {time:.9f}")

    @staticmethod
    def offsets(readings):
        """(CPU, window): the distance of both clocks, which is the least, as no reading is later than its record."""
        found = {}
        for (cpu, time), clock in (one for some in readings.values() for one in some.items()):
            key = cpu, time // WINDOW
            found[key] = min(found.get(key, time - clock / 1e9), time - clock / 1e9)
        return found

    def by_switch(self, name):
        """(CPU, time of the switch): the reading; the last one before each switch, since schedule() may stay with the idle task."""
        found, by_cpu = {}, defaultdict(list)
        for time, cpu, clock in self.stream.readings[name]:
            by_cpu[cpu].append((time, clock))
        for cpu, slices in self.cpus.items():
            before = iter(sorted(by_cpu[cpu]))
            following, last = next(before, None), None
            for old, new in zip(slices, slices[1:]):
                if is_idle(old if name == IDLE_END else new):
                    while following and following[0] <= new.begin:
                        last, following = following, next(before, None)
                    if not last or last[0] < old.begin:
                        self.problems.append(f"{name} of CPU {cpu}: no reading at {new.begin:.9f}")
                        continue
                    found[cpu, new.begin] = last[1]
        return found

    def waits(self):
        """(CPU, time of the switch): since when the thread before it ran; of a switch from idle, since when the next thread waited for it.

        Between the clock's update and the record of a switch to idle, the CPU searches for threads of others, usually for up to 64 us;
        but an emulator that has to wait can make that a millisecond, so the bound is the thread's whole run.
        """
        states = {(key[2], one.end): one.begin for key, slices in self.stream.tracks.items() if key[0] == "sched:thread" for one in slices}
        found = {}
        for cpu, slices in self.cpus.items():
            for old, new in zip(slices, slices[1:]):
                found[cpu, new.begin] = max(old.begin, states.get((new.args["next_pid"], new.begin), old.begin)) if is_idle(old) else old.begin
        return found

    def run_us(self, begin, end):
        """How long all runs of threads took that ended in a window."""
        runs = ((cpu, one) for cpu, slices in self.cpus.items() for one in slices if begin <= one.end <= end and not is_idle(one))
        return round(sum(1e6 * (self.time_shown(cpu, one.end) - self.time_shown(cpu, one.begin)) for cpu, one in runs))

    def time_shown(self, cpu, time):
        """What the clock showed at a switch; close to it between two threads, whose sum does not depend on that."""
        return self.shown.get((cpu, time), time)
