# SPDX-License-Identifier: GPL-2.0-only
"""Builds some of the project's modules for a test kernel, in another way than they are meant."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import process
from machine import PROJECT

BUILD_LIMIT_S = 600
MODULES = re.compile(r"^obj-m \+=(?:.*\\\n)*.*\n", re.MULTILINE)
# The variables of a make that called us are not meant for this one.
FOREIGN = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "KDIR", "V", "Q")
# What debuggers want takes a third of a build's time, and no test looks at it.
FAST = ("KCFLAGS=-g0", "CONFIG_DEBUG_INFO_BTF_MODULES=")


def headers(kernel):
    """The folder of a kernel's headers."""
    command = [PROJECT / "scripts/vm-kernel", "--headers", kernel]
    return Path(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip())


def make(tree, folder, *words):
    """Builds a folder's modules against a kernel's tree: (exit status, all that was said)."""
    command = [PROJECT / "scripts/vm-tools", tree, "make", f"-j{os.cpu_count()}", "-C", tree, f"M={folder}", *FAST, *words]
    done = process.run(
        command,
        cpu_s=BUILD_LIMIT_S,
        env={name: value for name, value in os.environ.items() if name not in FOREIGN},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    return done.returncode, done.stdout


def copy_sources(folder, names):
    """A copy of the sources that builds only the named modules."""
    skipped = shutil.ignore_patterns("*.o", "*.ko", "*.mod", "*.mod.c", ".*", "*.symvers")
    for space in ("kmod", "include"):
        shutil.copytree(PROJECT / space, folder / space, ignore=skipped)
    kbuild = folder / "kmod/Kbuild"
    wanted = "obj-m += " + " ".join(f"{name}.o" for name in names) + "\n"
    kbuild.write_text(MODULES.sub(wanted, kbuild.read_text(), count=1))


def build(kernel, folder, names, flags="", edits=()):
    """The modules' files, after edits (file, old text, new text), compiled with more flags."""
    copy_sources(folder, names)
    for file, old, new in edits:
        path = folder / file
        text = path.read_text()
        if old not in text:
            raise ValueError(f"{file} has no {old!r}")
        path.write_text(text.replace(old, new))
    status, log = make(headers(kernel), folder / "kmod", f"KCFLAGS=-g0 {flags}", "modules")
    if status:
        raise RuntimeError(f"{names} do not build for {kernel}:\n{log[-4000:]}")
    return [folder / "kmod" / f"{name}.ko" for name in names]
