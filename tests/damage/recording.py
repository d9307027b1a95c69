# SPDX-License-Identifier: GPL-2.0-only
"""Recordings as ktrack writes them, with checksums, made without a kernel."""

import struct
import subprocess
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
MKTRACE = PROJECT / "tests/golden/mktrace"
ADD = PROJECT / "build/damage/add_checksums"
MARK = b"flyrecord\0"
WRITER = 'writer="ktrack 0.2.0 thread 1 checksums"'


def head_size(data):
    """Offset of the first record."""
    table = data.index(MARK) + len(MARK)
    return struct.unpack_from("<Q", data, table)[0]


def add_checksums(path, page_size=4096):
    """Appends what ktrack appends."""
    subprocess.run([ADD, path, str(page_size), str(head_size(path.read_bytes()))], check=True)


def make(path, script, *settings, has_checksums=True):
    """A recording of a script: its text, or a file."""
    words = ["--set", "version=6", "--set", WRITER] if has_checksums else []
    for setting in settings:
        words += ["--set", setting]
    source = script if isinstance(script, Path) else "-"
    text = None if isinstance(script, Path) else script.encode()
    subprocess.run([MKTRACE, *words, source, path], input=text, check=True)
    if has_checksums:
        add_checksums(path)
    return path
