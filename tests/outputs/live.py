# SPDX-License-Identifier: GPL-2.0-only
"""A recording that is typed, with the page that follows it: build/tests/outputs/live."""

import signal
import socket
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import process

PROGRAM = Path(__file__).resolve().parents[2] / "build/tests/outputs/live"


class Live:
    """One recording."""

    def __init__(self, *arguments):
        self.child = subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1)
        self.url = self.child.stdout.readline().strip()
        parts = urlsplit(self.url)
        self.port, self.token = parts.port, parts.path.strip("/")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.communicate()

    def begin(self, *commands):
        """Types commands."""
        self.child.stdin.write("".join(f"{command}\n" for command in commands))
        self.child.stdin.flush()

    def do(self, *commands):
        """Types commands, and waits until they are done."""
        self.begin(*commands)
        for _ in commands:
            assert self.child.stdout.readline() == "done\n"

    def interrupt(self):
        """Presses Ctrl-C."""
        self.child.send_signal(signal.SIGINT)

    def status(self):
        """The exit status, once it has ended."""
        return process.wait(self.child)

    def connect(self, receive_size=None):
        """A connection."""
        connection = socket.socket()
        if receive_size:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_size)
        connection.connect(("127.0.0.1", self.port))
        return connection

    def request(self, path, method="GET", host=None, more="", version="HTTP/1.1"):
        """The bytes of a request, for a path below the token."""
        return f"{method} /{self.token}/{path} {version}\r\nHost: {host or f'127.0.0.1:{self.port}'}\r\n{more}\r\n".encode()

    def ask(self, request):
        """(status, headers, body) of an answer to some bytes."""
        with self.connect() as connection:
            connection.sendall(request)
            return split(read_all(connection))

    def ask_first(self, request):
        """The status of an answer whose rest is not read."""
        with self.connect() as connection:
            connection.sendall(request)
            return split(read_until(connection, b"\r\n\r\n"))[0]

    def follow(self, start=0, receive_size=None):
        """A connection that has asked for lines."""
        connection = self.connect(receive_size)
        connection.sendall(self.request(f"lines?from={start}" if start else "lines"))
        return connection


def read_all(connection):
    """All bytes until the connection ends."""
    parts = []
    while part := connection.recv(1 << 20):
        parts.append(part)
    return b"".join(parts)


def read_until(connection, wanted):
    """Bytes until some of them are there."""
    found = b""
    while wanted not in found:
        part = connection.recv(1 << 16)
        assert part, found
        found += part
    return found


def split(answer):
    """(status, headers, body)."""
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return int(first.split()[1]) if answer else 0, headers, body
