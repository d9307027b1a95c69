# SPDX-License-Identifier: GPL-2.0-only
"""Builds kernel modules for tests: in a scratch folder, from copies, as somebody else's tree would."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "vm")]

import modules  # noqa: E402
from machine import KERNELS, ONE_6_12, PROJECT  # noqa: E402, F401
from modules import headers  # noqa: E402, F401

HERE = Path(__file__).resolve().parent

PAGE = PROJECT / "include/ktrack/ktrack-instrument.7"
TUTORIAL = PROJECT / "userspace/doc/ktrack-tutorial-driver.7"
EXAMPLE = re.compile(r'^\.\\" example (\S+)\n\.EX\n(.*?)^\.EE$', re.MULTILINE | re.DOTALL)

TRACE_HEADER = """\
#undef TRACE_SYSTEM
#define TRACE_SYSTEM made
#if !defined(MADE_{name}) || defined(TRACE_HEADER_MULTI_READ)
#define MADE_{name}
#include <ktrack/define.h>
{declarations}
#endif
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE {name}_trace
#include <trace/define_trace.h>
"""


class Built:
    """What a build left: its folder, exit status and words."""

    def __init__(self, folder, status, log):
        self.folder, self.status, self.log = folder, status, log

    def remarks(self):
        """Every line that speaks of trouble."""
        words = ("warning", "error", "ERROR", "WARNING", "***")
        lines = self.log.splitlines()
        return [line for line in lines if any(word in line for word in words)]


def page_examples(page=PAGE):
    """The files that a page prints, by default the one for driver authors: {name: text}."""
    found = EXAMPLE.findall(page.read_text())
    return {name: text.replace("\\e", "\\").replace("\\-", "-").replace("\\&", "") for name, text in found}


def tutorial_examples():
    """Those of the tutorial for driver authors."""
    return page_examples(TUTORIAL)


def copy_headers(folder):
    """Vendors ktrack's headers, as its page for driver authors says."""
    subprocess.run([PROJECT / "scripts/vendor", folder], stdout=subprocess.DEVNULL, check=True)


def write_trace_header(folder, name, declarations):
    """A driver's trace header, NAME_trace.h."""
    text = TRACE_HEADER.format(name=name, declarations=declarations)
    (folder / f"{name}_trace.h").write_text(text)


def copy_outside(folder, name):
    """A test's driver with its own copy of the headers."""
    shutil.copytree(HERE / name, folder)
    copy_headers(folder)
    return folder


def copy_project(folder):
    """ktrack's own modules."""
    folder.mkdir()
    shutil.copy(PROJECT / "Kbuild", folder)
    for file in sorted((PROJECT / "kmod").rglob("*")):
        if file.suffix in (".c", ".h") or file.name == "Kbuild":
            target = folder / file.relative_to(PROJECT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target)
    copy_headers(folder)
    return folder


def make(tree, folder, *words):
    """Builds a folder's modules against a kernel's tree."""
    return Built(folder, *modules.make(tree, folder, *words))


def symbols(file):
    """The names in an object's symbol table."""
    done = subprocess.run(["nm", file], check=True, stdout=subprocess.PIPE, text=True)
    return [line.split()[-1] for line in done.stdout.splitlines()]


def size_bytes(file):
    """How much memory an object takes."""
    done = subprocess.run(["size", file], check=True, stdout=subprocess.PIPE, text=True)
    return int(done.stdout.splitlines()[1].split()[3])


def sections(file):
    """The names of an object's sections."""
    command = ["objdump", "-h", "-w", file]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    return [row[1] for row in rows if row and row[0].isdigit()]
