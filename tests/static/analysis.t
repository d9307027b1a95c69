#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: sparse, clang-tidy and cppcheck have no findings in userspace, and find a deliberate bug each."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
PROJECT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT / "tests")]

from tap import Tap  # noqa: E402

LIMIT_S = 3000
# sparse keeps the files that it reads open.
FILES_MAX = 40
PACKAGES = ("libtracefs", "libtraceevent", "libxxhash", "zlib", "sqlite3", "ncursesw")
DEFINES = ["-D_GNU_SOURCE", '-DKTRACK_VERSION="0"', "-Iuserspace", "-Iinclude"]
FINDING = re.compile(r"^\S+:\d+:(\d+:)? (warning|error|performance|portability): ")
# sparse does not support \u, which C has since 1999; glibc's initializer of a mutex has a plain 0 for a pointer.
UNFOUNDED = re.compile(r"unknown escape sequence: '\\u'|trace2/process\.c:.*Using plain integer as NULL pointer")
# A function that each tool has to report.
BUGS = {
    "sparse": "char *bug(void);\nchar *bug(void)\n{\n\treturn 0;\n}\n",
    "clang-tidy": "#include <string.h>\nint bug(const char *a);\nint bug(const char *a)\n{\n\tif (strcmp(a, a) == -1)\n\t\treturn 1;\n\treturn 0;\n}\n",
    "cppcheck": "int bug(void);\nint bug(void)\n{\n\tint number;\n\treturn number;\n}\n",
}


def flags_of():
    """The compiler's flags for userspace."""
    done = subprocess.run(["pkg-config", "--cflags", *PACKAGES], capture_output=True, text=True, check=True)
    return [*DEFINES, *done.stdout.split()]


def commands_of(flags):
    """Each tool's command: what comes before and after the files."""
    return {
        "sparse": (["sparse", "-Wno-decl", "-std=gnu11", *flags], []),
        "clang-tidy": (["clang-tidy", "--quiet", f"--config-file={PROJECT / '.clang-tidy'}"], ["--", "-std=gnu11", *flags]),
        "cppcheck": (["cppcheck", "-q", "--std=c11", "--enable=warning,performance,portability", "--inline-suppr", *DEFINES], []),
    }


def findings(command, files):
    """What a tool reports."""
    before, after = command
    lines = []
    for first in range(0, len(files), FILES_MAX):
        words = [*before, *files[first : first + FILES_MAX], *after]
        done = subprocess.run(words, cwd=PROJECT, capture_output=True, text=True, timeout=LIMIT_S, check=False)
        lines += (done.stdout + done.stderr).splitlines()
    return [line for line in lines if FINDING.match(line) and not UNFOUNDED.search(line)]


def check_tool(tap, name, command, folder):
    """The deliberate bug is found, nothing else is."""
    bug = folder / f"{name}.c"
    bug.write_text(BUGS[name])
    tap.ok(findings(command, [bug]), f"{name} finds a deliberate bug")
    files = sorted(path.relative_to(PROJECT) for path in (PROJECT / "userspace").rglob("*.c"))
    tap.nothing(findings(command, files), f"{name}: no findings in {len(files)} files")


def main():
    """Returns the exit status."""
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        for name, command in commands_of(flags_of()).items():
            check_tool(tap, name, command, Path(folder))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
