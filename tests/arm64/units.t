#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: all unit tests pass on arm64, on Debian's kernels with pages of 4 and 16 KiB."""

import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import Tap  # noqa: E402

HERE = Path(__file__).resolve().parent
PAGES_KIB = {"6.12-arm64": 4, "6.12-arm64-16k": 16}
# These read and write files that stand for buffers of a kernel with pages of 4 KiB.
ONLY_4_KIB = ("spool", "spool_boot", "spool_recent", "spool_sideband", "spool_sync", "tracedat_checksums", "tracefs_live", "tracefs_live_ahead",
              "tracefs_live_instance", "tracefs_live_sideband")
# An emulated machine of another kind is slow: each runs a part of the programs within its time.
PARTS = 6
RESULT = re.compile(r"^(not )?ok \d+ - (.*)$", re.MULTILINE)


# Of libraries, those of ktrack are there. The C library loads this one for a thread that ends by itself.
UNWINDER = "lib/aarch64-linux-gnu/libgcc_s.so.1"
# It is the same on all machines of this byte order.
LOCALE = "/usr/lib/locale/C.utf8"


def arm64(what):
    """A folder: the tree with the programs ("build"), or the libraries that they use ("root")."""
    done = subprocess.run([machine.PROJECT / "scripts/arm64", what], capture_output=True, text=True, check=True)
    return Path(done.stdout.strip())


def options_of(tree):
    """The options that bring the programs and what they read into the machine."""
    files = ("build/tests/unit/arm64", "build/san/libktrack.so", "tests/formats", "tests/unit", "userspace")
    added = [f"{tree / file}:/tree/{file.replace('/arm64', '')}" for file in files]
    added += [f"{arm64('root') / UNWINDER}:/{UNWINDER}", f"{LOCALE}:{LOCALE}"]
    return [word for files in added for word in ("--add", files)]


def check_unit(tap, what, text, status):
    """One program; its skipped tests do not count."""
    results = RESULT.findall(text)
    failed = [title for word, title in results if word]
    skipped = [title for _, title in results if "# SKIP" in title]
    if status == "0" and results and len(skipped) == len(results):
        return tap.skip(what, skipped[0].partition("# SKIP ")[2])
    return tap.ok(status == "0" and results and not failed, what, f"status {status}", *failed, text[-3000:])


def check_kernel(tap, kernel, tree, names):
    """Some programs, in one machine."""
    with machine.ran(kernel, HERE / "guest/units.sh", *names, options=options_of(tree)) as result:
        machine.check_end(tap, kernel, result)
        page_kib = result.text("page_size").strip()
        tap.ok(page_kib == str(PAGES_KIB[kernel]), f"{kernel}: pages of {PAGES_KIB[kernel]} KiB", page_kib)
        for name in names:
            check_unit(tap, f"{kernel}: {name}", result.text(f"{name}.tap"), result.text(f"{name}.status").strip())


def main():
    """Returns the exit status."""
    tap, tree = Tap(), arm64("build")
    names = sorted(path.name for path in (tree / "build/tests/unit/arm64").iterdir())
    for kernel in machine.CHOSEN or PAGES_KIB:
        fitting = [name for name in names if PAGES_KIB[kernel] == 4 or name not in ONLY_4_KIB]
        for part in range(PARTS):
            check_kernel(tap, kernel, tree, fitting[part::PARTS])
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
