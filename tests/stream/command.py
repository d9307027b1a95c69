# SPDX-License-Identifier: GPL-2.0-only
"""Common parts of the commands in this folder: opening streams, one line for each error."""

import signal
import sys
from pathlib import Path


def open_stream(path):
    """The lines of a file as bytes; - is standard input."""
    return sys.stdin.buffer if path == "-" else open(path, "rb")


def name_stream(path):
    """What messages call a stream."""
    return "standard input" if path == "-" else path


def run(main):
    """Exits with what main returns, 2 where a file cannot be read; silent on a closed pipe."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        sys.exit(main())
    except OSError as error:
        print(f"{Path(sys.argv[0]).name}: {error.filename}: {error.strerror}", file=sys.stderr)
        sys.exit(2)
