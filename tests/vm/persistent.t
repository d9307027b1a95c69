#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: what ktrack watch --persistent recorded before a crash of the machine is recovered after it, up to the last record.

Each machine crashes three times. Its last words on the console, the number of requests that have completed, are the truth.
"""

import json
import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

# Linux 6.1 has no such buffers.
KERNELS = [kernel for kernel in machine.KERNELS if kernel != "6.1"]
INSTANCE, REQUESTS = "survivor", 5
PARAMETERS = f"reserve_mem=1M:4096:trace trace_instance={INSTANCE}^traceoff@trace sysrq_always_enabled printk.devkmsg=on"
DISK_SIZE = 64 << 20

MACHINES = [("512", "nokaslr")]
if machine.IS_FULL:
    MACHINES += [("1024", ""), ("1024", "nokaslr"), ("512", "")]
# A kernel at a random address may lie where the buffer was: it is elsewhere then, without the records or with those of an older boot.
# So such machines start again, this often.
RUNS_MAX = 3
MOVED = ("no record survived the restart", "its records are not of the boot")


def truth(result, boot):
    """How many requests had completed for sure."""
    numbers = re.findall(rf"truth {boot} (\d+)", result.text("console.log"))
    return int(numbers[-1]) if numbers else 0


def events(result, boot):
    """The EVENT lines of a recovered recording."""
    return [json.loads(line) for line in result.text(f"{boot}.events").splitlines()]


def requests(found):
    """How many requests of the demo driver ended."""
    return sum(one["event"] == "region_leave" and one.get("label") == "request" for one in found if not one.get("unfinished"))


def numbers_in(text):
    """The numbers of requests in EVENT lines."""
    return {int(number, 16) for number in re.findall(r'"ktrack_demo_request:0x([0-9a-f]+)"', text)}


def request_numbers(result, boot):
    """Those of a boot; the driver counts from 1."""
    return numbers_in(result.text(f"{boot}.events"))


def check_order(tap, what, result, boot):
    """Records are read before anything else can wipe them, and once."""
    tap.ok(f"--persistent={INSTANCE}" in result.text(f"{boot}.early"), f"{what}: no watch starts before", result.text(f"{boot}.early"))
    tap.ok("--persistent=NAME" in result.text(f"{boot}.other"), f"{what}: nor another recover", result.text(f"{boot}.other"))
    tap.ok("nothing to recover" in result.text(f"{boot}.again"), f"{what}: nothing is recovered twice", result.text(f"{boot}.again"))
    tap.ok(re.fullmatch(r"(entries: 0\n)+", result.text(f"{boot}.clean")), f"{what}: the buffer is empty then", result.text(f"{boot}.clean"))
    names = result.text(f"{boot}.list").splitlines()
    tap.ok(len(names) == 1 and names[0].startswith("ktrack-"), f"{what}: the recording is one of the directory", names)


def check_recovered(tap, what, result, boot):
    """A boot after a crash."""
    found, wanted = events(result, boot), truth(result, boot - 1)
    what = f"{what}: boot {boot}"
    tap.ok(result.text(f"{boot}.status") == "0\n", f"{what}: recovers", result.text(f"{boot}.errors"), result.text(f"{boot}.info"))
    count, numbers = requests(found), request_numbers(result, boot)
    # While one CPU panics, the other one goes on for a moment, but the console does not take its lines.
    tap.ok(0 < wanted <= count, f"{what}: all requests until the crash", f"{count}, and {wanted} on the console")
    missing = set(range(1, max(numbers, default=0) + 1)) - numbers
    tap.ok(numbers and not missing, f"{what}: none is missing", sorted(missing))
    tap.nothing([one for one in found if one["event"] == "error"], f"{what}: nothing is lost")
    names = {one["label"] for one in found if one["event"] == "region_enter" and one.get("category", "").startswith("workqueue:")}
    tap.ok(names and not any("0xffff" in name for name in names), f"{what}: functions have names", names)
    tap.ok("ktrack_demo/0" in result.text(f"{boot}.events"), f"{what}: threads, too")
    check_order(tap, what, result, boot)


def check_overwritten(tap, what, result, boot):
    """A boot after a crash, before which older records were overwritten."""
    found, wanted = events(result, boot), truth(result, boot - 1)
    what = f"{what}: boot {boot}"
    numbers = request_numbers(result, boot)
    last = max(numbers, default=0)
    tap.ok(0 < wanted <= last, f"{what}: the last request", f"{last}, and {wanted} on the console")
    tap.ok(0 < requests(found) < wanted, f"{what}: the first ones were overwritten", f"{requests(found)} of {wanted}")
    tap.ok("older records were overwritten" in result.text(f"{boot}.errors"), f"{what}: that is reported", result.text(f"{boot}.errors"))
    losses = sorted((one["args"]["cpu"], one["args"]["records"]) for one in found if one["event"] == "error")
    tap.ok(losses == [(0, None), (1, None)], f"{what}: also by the recording", losses)
    until = max((one["args"]["until"] for one in found if one["event"] == "error"), default=0)
    later = [one for one in found if one["event"] == "region_leave" and one["t_abs"] - one["t_rel"] > until and not one.get("unfinished")]
    begun = [json.dumps(one) for one in found if one["event"] == "region_enter" and one.get("label") == "request" and one["t_abs"] > until]
    first = min(numbers_in("\n".join(begun)), default=0)
    missing = set(range(first, last)) - numbers
    tap.ok(first > 0 and not missing, f"{what}: of those that began later none is missing", first, last, sorted(missing))
    tap.ok(later and not any(one.get("suspect") for one in later), f"{what}: later slices are exact", len(later), until)
    check_order(tap, what, result, boot)


def check_rejected(tap, what, result, boot):
    """A boot after a crash, in which a CPU's records are gone."""
    what = f"{what}: boot {boot}"
    tap.ok(result.text(f"{boot}.status") == "0\n", f"{what}: recovers", result.text(f"{boot}.errors"))
    tap.ok("rejected the buffer of cpu 1;" in result.text(f"{boot}.errors"), f"{what}: a lost CPU is reported", result.text(f"{boot}.errors"))
    losses = [one["args"] for one in events(result, boot) if one["event"] == "error" and "args" in one]
    tap.ok([(one["cpu"], one["records"]) for one in losses] == [(1, None)], f"{what}: also by the recording", losses)


def has_moved(result):
    """Whether a kernel took the place of the buffer, which ktrack has reported."""
    return any(text in result.text(f"{boot}.errors") for boot in (2, 3, 4) for text in MOVED)


def check_machine(tap, kernel, memory, words, disk, driver):
    """One machine."""
    what = f"{kernel}, {memory} MB, {words or 'kaslr'}"
    options = ["--disk", disk, "--add", f"{driver}:/more/virtio_blk.ko", "--restarts", "--memory", memory, "--append", f"{PARAMETERS} {words}"]
    for run in range(RUNS_MAX):
        with disk.open("wb") as file:
            file.truncate(DISK_SIZE)
        with machine.ran(kernel, "persistent.sh", INSTANCE, REQUESTS, options=options) as result:
            if words or run == RUNS_MAX - 1 or not has_moved(result):
                check_result(tap, what, result)
                return


def check_result(tap, what, result):
    """What a machine left."""
    tap.ok(result.status == 0, f"{what}: the guest script ends well", result.output[-2000:], result.errors[-4000:], result.text("watch.errors"))
    tap.nothing(result.output.splitlines(), f"{what}: no complaints")
    tap.comment(f"{what}: shifts: {[result.text(f'{boot}.info').split() for boot in (2, 3, 4)]}")
    check_recovered(tap, what, result, 2)
    check_rejected(tap, what, result, 3)
    check_overwritten(tap, what, result, 4)
    tap.ok(re.fullmatch(r"(entries: 0\n)+", result.text("end.clean")), f"{what}: a watch that ends leaves nothing", result.text("end.clean"))
    tap.nothing((result.text("end.list") + result.text("end.events")).splitlines(), f"{what}: nowhere")


@tested
def main(tap):
    for kernel in sys.argv[1:] or KERNELS:
        driver = machine.kernel_folder(kernel) / "more" / "virtio_blk.ko"
        if not driver.exists():
            tap.skip(f"{kernel}: persistent buffers", "no virtio_blk.ko; remove build/vm, and it is fetched again")
            continue
        with tempfile.TemporaryDirectory() as folder:
            for memory, words in MACHINES:
                check_machine(tap, kernel, memory, words, Path(folder) / "disk", driver)
