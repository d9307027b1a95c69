#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: make modules_install builds and installs ktrack.ko alone; the example driver is built with vendored headers."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import build  # noqa: E402
from tap import tested  # noqa: E402

KERNEL = "6.12"
FOREIGN = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "KDIR", "DESTDIR", "PREFIX", "BUILD")


def tree_copy(folder):
    """The files that the Makefile reads, and the sources of the modules."""
    shutil.copy(build.PROJECT / "Makefile", folder)
    for name in ("userspace", "scripts", "tests", "kmod", "include", "Kbuild"):
        source = build.PROJECT / name
        skipped = shutil.ignore_patterns("*.o", "*.ko", "*.mod*", ".*.cmd", "*.symvers", "*.order", "data", "golden")
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=skipped)
        else:
            shutil.copy(source, folder)


def check_install(tap, tree, folder):
    """Only ktrack.ko: the other modules are for tests."""
    source, target = folder / "source", folder / "target"
    source.mkdir()
    tree_copy(source)
    done = subprocess.run(
        [build.PROJECT / "scripts/vm-tools", tree, "make", "modules_install", f"KDIR={tree}", f"DESTDIR={target}"], cwd=source,
        env={name: value for name, value in os.environ.items() if name not in FOREIGN}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )
    found = [str(path.relative_to(target)) for path in target.rglob("*.ko*")]
    release = tree.name.removeprefix("linux-headers-")
    wanted = f"lib/modules/{release}/updates/kmod/ktrack.ko"
    # Kernels may compress their modules.
    names = [name.removesuffix(".xz").removesuffix(".zst") for name in found]
    tap.ok(done.returncode == 0 and names == [wanted], f"make modules_install brings {wanted} only", done.stdout[-2000:], *found)


def check_example(tap, tree, folder):
    """The example as installed, with the headers that vendor brings, without a remark of the compiler."""
    shutil.copytree(build.PROJECT / "include/ktrack/example", folder)
    build.copy_headers(folder)
    built = build.make(tree, folder, "modules", "W=1")
    tap.ok(built.status == 0 and list(folder.glob("*.ko")), "the example driver is built", built.log[-2000:])
    tap.nothing(built.remarks(), "without a warning")
    tap.ok((folder / "include/ktrack/VERSION").is_file(), "its tree names the version of the headers")


def check_single(tap, tree, folder):
    """Drivers with the headers as one file, and no others: the example, and one with every attribute."""
    for what, source in (("the example", build.PROJECT / "include/ktrack/example"), ("a driver with every attribute", HERE / "outside")):
        target = folder / source.name
        shutil.copytree(source, target)
        header = target / "include/ktrack-kernel.h"
        header.parent.mkdir()
        define = build.PROJECT / "include/ktrack/define.h"
        with header.open("w") as file:
            made = subprocess.run([build.PROJECT / "scripts/single-header", "1", define], stdout=file, check=False)
        for file in target.glob("*_trace.h"):
            file.write_text(file.read_text().replace("<ktrack/define.h>", "<ktrack-kernel.h>"))
        built = build.make(tree, target, "modules", "W=1")
        tap.ok(made.returncode == 0 and built.status == 0 and list(target.glob("*.ko")), f"one file of headers: {what} is built", built.log[-2000:])
        tap.nothing(built.remarks(), "without a warning")


@tested
def main(tap):
    """All checks."""
    tree = build.headers(KERNEL)
    with tempfile.TemporaryDirectory() as name:
        check_install(tap, tree, Path(name))
        check_example(tap, tree, Path(name) / "driver")
        check_single(tap, tree, Path(name))
