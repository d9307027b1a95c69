# SPDX-License-Identifier: GPL-2.0-only
"""The raw records of a recording that was killed, as ktrack record writes them."""

import io
from pathlib import Path

from making.layout import CLOCK, Writer6
from making.script import Reader

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
OLD_BOOT = "00000000-0000-0000-0000-000000000000"
SCRIPT = b"""version 6
writer "ktrack 0.2.0 thread 1 checksums"
event demo:io 100 char track_event_type; string slice_name
task 7 worker
+100 7@0 io B read
+100 7@1 io B write
+100 7@0 io E read
+100 7@1 io E write
"""


def fill(parts, script=SCRIPT):
    """Writes the files of a spool into the directory @parts; returns what the script has."""
    trace = Reader("script", GOLDEN).read(io.BytesIO(script))
    out = io.BytesIO()
    writer = Writer6(out, trace)
    writer.initial(b"6")
    out.write(writer.header_info() + writer.number(0, 4) + writer.formats() + bytes(8))
    (parts / "formats").write_bytes(out.getvalue())
    (parts / "comms").write_bytes(writer.cmdlines()[8:] + b"\0")
    if trace.symbols:
        (parts / "symbols").write_bytes(writer.symbols()[4:])
        (parts / "constants").write_bytes(writer.constants()[4:])
    options = b"".join(writer.option(number, data) for number, data in writer.options() if number != CLOCK)
    (parts / "options").write_bytes(options)
    for cpu, ring in trace.buffers[""].items():
        (parts / f"cpu{cpu}").write_bytes(ring.pages.read())
        ring.pages.seek(0)
    (parts / "instance").write_text(f"-\n{OLD_BOOT}\nstreaming\n1\n")
    return trace
