#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: ktrack doctor in real kernels: as root, as another user, and with ktrack.ko."""

import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

# Debian's kernels have these, 6.1 without fprobe events, both without osnoise.
MECHANISMS = ("kprobes", "function_graph", "uprobes", "synthetic events", "stacktrace triggers")


def findings(text):
    """Each check's state, and the result."""
    lines = [json.loads(line) for line in text.splitlines()]
    return {line["check"]: line["state"] for line in lines if "check" in line}, lines[-1].get("can_record")


def check_kernel(tap, kernel, result):
    """What a real kernel has."""
    states, can_record = findings(result.text("root.json"))
    tap.ok(can_record is True and "failed" not in states.values(), f"{kernel}: root can record", result.text("root.json"))
    tap.nothing([name for name in MECHANISMS if states.get(f"mechanism {name}") != "ok"], f"{kernel}: mechanisms are found")
    tap.ok(states["mechanism osnoise"] == "limited", f"{kernel}: one that it lacks is reported", states)
    tap.ok(states["mechanism fprobe"] == ("limited" if kernel == "6.1" else "ok"), f"{kernel}: fprobe", states)
    tap.ok(states["functions"] == ("limited" if kernel == "6.1" else "ok"), f"{kernel}: how functions are recorded", states)
    tap.ok(states["programs"] == "ok" and states["pack marker"] == "ok", f"{kernel}: programs can be recorded", states)
    tap.ok(states["trace_marker"] == "limited", f"{kernel}: texts of trace_marker are not copied", states)
    tap.ok(states["clock source"] == "ok", f"{kernel}: the TSC is trusted", states)
    tap.ok(states["pack sched"] == "ok", f"{kernel}: the pack sched works", result.text("root.json"))
    states, can_record = findings(result.text("user.json"))
    tap.ok(can_record is False and states["permissions"] == "failed", f"{kernel}: another user cannot", states)
    tap.ok("ktrack.ko is loaded" in result.text("loaded.json"), f"{kernel}: the module is found", result.text("loaded.json"))
    tap.ok(result.text("before") == result.text("after") != "", f"{kernel}: nothing is changed")


# What was broken: its check, the state that is found, and its remedy, which the guest types as it is printed.
# Remedies that name another kernel are those of fprobe: 6.1 lacks it, and a kernel with the option that is named has it.
REMEDIES = {
    "clock-source": ("clock source", "limited", "echo tsc >/sys/devices/system/clocksource/clocksource0/current_clocksource"),
    "tracefs": ("tracefs", "failed", "mount -t tracefs tracefs /sys/kernel/tracing"),
    "clocks": ("clocks", "unknown", "mount -t tracefs tracefs /sys/kernel/tracing"),
    "securityfs": ("lockdown", "unknown", "mount -t securityfs securityfs /sys/kernel/security"),
    "user-permissions": ("permissions", "failed", "sudo ktrack doctor"),
    "user-clocks": ("clocks", "unknown", "sudo ktrack doctor"),
    "user-pack sched": ("pack sched", "unknown", "sudo ktrack doctor"),
}


def check_remedies(tap, kernel, result):
    """The finding is gone when its remedy was typed."""
    for name, (check, state, remedy) in REMEDIES.items():
        found = [json.loads(line) for line in result.text(name).splitlines()]
        before = [(one["check"], one["state"], one.get("remedy")) for one in found[:1]]
        tap.ok(before == [(check, state, remedy)], f"{kernel}: {name}: {state}, with the remedy {remedy}", *found)
        tap.ok(len(found) == 2 and found[1]["state"] == "ok", f"{kernel}: {name}: which helps", *found)


def check_ftrace(tap, kernel, result):
    """The remedy makes functions traceable again; how depends on the kernel."""
    found = [json.loads(line) for line in result.text("ftrace").splitlines()]
    tap.ok([one.get("remedy") for one in found[:1]] == ["sysctl kernel.ftrace_enabled=1"], f"{kernel}: ftrace is off", *found)
    tap.ok(len(found) == 2 and found[1]["text"].startswith("--function: by"), f"{kernel}: its remedy helps", *found)


# A machine with little memory for its processors, whose kernel distrusts its TSC and loads only signed modules.
RESTRICTED = ("--memory", "256", "--cpus", "8", "--append", "tsc=unstable module.sig_enforce=1")


def one_of(result, name):
    """The findings of a file."""
    return [json.loads(line) for line in result.text(name).splitlines()]


def check_restricted(tap, kernel, result):
    """Each finding is true, and its remedy helps; signing is tried by tests/packages/secure.py."""
    (clock,), (signed,) = one_of(result, "tsc"), one_of(result, "signed")
    tap.ok(clock["state"] == "limited" and clock["remedy"].startswith("see 'sudo dmesg"), f"{kernel}: the clock is slow", clock)
    tap.ok("due to boot parameter" in result.text("tsc.reason"), f"{kernel}: its remedy shows the reason", result.text("tsc.reason"))
    tap.ok(signed["state"] == "limited" and "only signed" in signed["text"], f"{kernel}: signatures are enforced", signed)
    tap.ok(result.text("insmod.status") != "0\n", f"{kernel}: an unsigned module is refused", result.text("insmod.errors"))
    before, after = one_of(result, "memory")
    tap.ok(before["state"] == "limited" and after["state"] == "ok", f"{kernel}: free memory is enough again", before, after)
    tap.ok(result.text("small.status") == "0\n", f"{kernel}: with {before['remedy']}", result.text("small.errors"))
    errors = result.text("large.errors")
    tap.ok(result.text("large.status") == "125\n" and "(-b)" in errors and errors.count("\n") == 1, f"{kernel}: larger ones are refused", errors)


@tested
def main(tap):
    """All checks."""
    for kernel in machine.KERNELS:
        with machine.ran(kernel, "doctor.sh") as result:
            machine.check_end(tap, kernel, result)
            check_kernel(tap, kernel, result)
            check_remedies(tap, kernel, result)
            check_ftrace(tap, kernel, result)
    for kernel in machine.ONE_6_1:
        with machine.ran(kernel, "doctor.sh", "restricted", options=RESTRICTED) as result:
            machine.check_end(tap, kernel, result)
            check_restricted(tap, kernel, result)
