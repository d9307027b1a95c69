# SPDX-License-Identifier: GPL-2.0-only
"""Runs a program on a pseudo-terminal and models its screen."""

import fcntl
import os
import select
import signal
import struct
import subprocess
import sys
import termios

# Debian's packages, also for a Python that is not Debian's.
sys.path.append("/usr/lib/python3/dist-packages")

import pyte  # noqa: E402

import process  # noqa: E402

UP, DOWN, RIGHT, LEFT, PAGE_DOWN, END = "\x1bOA", "\x1bOB", "\x1bOC", "\x1bOD", "\x1b[6~", "\x1bOF"
ENTER_VIEW, LEAVE_VIEW = b"\x1b[?1049h", b"\x1b[?1049l"


class View:
    """A program whose controlling terminal is ours."""

    def __init__(self, words, rows=24, columns=80, with_commands=True, **environment):
        self.own, self.terminal = os.openpty()
        self.raw = b""
        self.resize(rows, columns)
        self.modes = termios.tcgetattr(self.terminal)
        read_end, self.commands = os.pipe()
        self.answers, write_end = os.pipe()

        def prepare():
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            if with_commands:
                high = [fcntl.fcntl(end, fcntl.F_DUPFD, 100) for end in (read_end, write_end)]
                os.dup2(high[0], 3)
                os.dup2(high[1], 4)

        self.errors_read, errors_write = os.pipe()
        self.process = subprocess.Popen(
            [str(word) for word in words], stdin=self.terminal, stdout=self.terminal,
            stderr=errors_write if with_commands else self.terminal,
            start_new_session=True, preexec_fn=prepare, pass_fds=(3, 4) if with_commands else (),
            env={**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **environment},
        )
        for end in (read_end, write_end, errors_write):
            os.close(end)

    def resize(self, rows, columns):
        """The terminal gets another size; its screen is empty."""
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        fcntl.ioctl(self.own, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds=0.05):
        """Feeds what the program wrote to the screen; returns whether there was anything."""
        if not select.select([self.own], [], [], seconds)[0]:
            return False
        try:
            part = os.read(self.own, 65536)
        except OSError:
            return False
        self.raw += part
        self.stream.feed(part)
        return bool(part)

    def drain(self):
        """Reads all that there is; returns None, as a condition that is never met."""
        while self.read(0):
            pass

    def type(self, keys):
        """Keys as a terminal sends them."""
        os.write(self.own, keys.encode())

    def order(self, *lines):
        """Writes lines to the program, each a list of words, and waits until it has processed them."""
        os.write(self.commands, b"".join(b"\t".join(w if isinstance(w, bytes) else str(w).encode() for w in line) + b"\n" for line in lines))
        answers = b""

        def are_answered():
            nonlocal answers
            self.drain()
            if select.select([self.answers], [], [], 0)[0]:
                answers += os.read(self.answers, 4096)
            return len(answers) == len(lines)

        return process.wait_for(are_answered, self.process, most_pause_s=0.05)

    def lines(self):
        """The lines of the screen."""
        return [line.rstrip() for line in self.screen.display]

    def wait(self, condition):
        """Waits until the lines of the screen meet a condition; returns whether they do."""

        def is_met():
            self.drain()
            return condition(self.lines())

        return bool(process.wait_for(is_met, self.process, most_pause_s=0.05))

    def wait_text(self, *texts):
        """Waits until all texts are on the screen."""
        return self.wait(lambda lines: all(any(text in line for line in lines) for text in texts))

    def marked(self):
        """The text of the rows in reverse video, without the line of keys."""
        rows = range(self.screen.lines - 1)
        return [self.screen.display[row].rstrip() for row in rows if self.screen.buffer[row][0].reverse]

    def is_restored(self):
        """Whether the terminal has its modes, and the view is left as often as it was entered."""
        return termios.tcgetattr(self.terminal) == self.modes and self.raw.count(ENTER_VIEW) == self.raw.count(LEAVE_VIEW)

    def wait_end(self):
        """The status of the program and its messages."""
        process.wait_for(self.drain, self.process, most_pause_s=0.05)
        if self.process.poll() is None:
            self.process.kill()
        self.drain()
        self.errors = os.read(self.errors_read, 65536).decode(errors="replace") if select.select([self.errors_read], [], [], 0)[0] else ""
        return self.process.wait()

    def send(self, number=signal.SIGTERM):
        """A signal for the program."""
        self.process.send_signal(number)

    def close(self):
        """Ends the program if it runs, and frees everything."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for end in (self.own, self.terminal, self.commands, self.answers, self.errors_read):
            try:
                os.close(end)
            except OSError:
                pass
