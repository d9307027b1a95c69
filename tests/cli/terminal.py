# SPDX-License-Identifier: GPL-2.0-only
"""Runs a command on a pseudo-terminal."""

import os
import pty
import re
import select
import subprocess
import termios



def size_set(fd):
    """24 lines of 80 columns, without translation of newlines."""
    termios.tcsetwinsize(fd, (24, 80)) if hasattr(termios, "tcsetwinsize") else None
    modes = termios.tcgetattr(fd)
    modes[1] &= ~termios.OPOST
    termios.tcsetattr(fd, termios.TCSANOW, modes)


def read_all(fd, process, see):
    """What the command writes until it ends; @see gets what there is each time."""
    text = b""
    while True:
        has_ended = process.poll() is not None
        if not select.select([fd], [], [], 0.1)[0]:
            if has_ended:
                break
            continue
        try:
            part = os.read(fd, 65536)
        except OSError:
            break
        if not part:
            break
        text += part
        see(text)
    return text


class Shown:
    """What a command wrote to its terminal, and its status."""

    def __init__(self, words, also_output=False, stdin=subprocess.DEVNULL, see=lambda text: None, **environment):
        own, other = pty.openpty()
        size_set(other)
        output = other if also_output else subprocess.DEVNULL
        process = subprocess.Popen(
            [str(word) for word in words], stdin=stdin, stdout=output, stderr=other,
            env={**os.environ, "TERM": "xterm", **environment},
        )
        os.close(other)
        self.text = read_all(own, process, see).decode(errors="replace")
        self.status = process.wait()
        os.close(own)

    def progress(self):
        """The lines that were replaced by others."""
        return [line for line in re.findall(r"([^\r\n]*)\x1b\[K\r", self.text) if line]

    def screen(self):
        """The lines that remain."""
        lines = []
        for line in self.text.split("\n"):
            shown = line.rsplit("\r", 1)[-1].replace("\x1b[K", "")
            if shown:
                lines.append(shown)
        return lines
