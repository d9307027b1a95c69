# SPDX-License-Identifier: GPL-2.0-only
"""Reads Perfetto traces: protoc decodes them, by a schema of what ktrack writes.

It accepts protobuf's wire format as protoc does, and of its text format only what protoc prints. Fields that perfetto.proto lacks are
reported as wrong.
"""

import re
from pathlib import Path

import process

HERE = Path(__file__).resolve().parent
SCHEMA = "perfetto.proto"
ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
LETTERS = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}


def unescape(quoted):
    """The text in a quoted string, whose bytes must be UTF-8."""
    raw = ESCAPE.sub(
        lambda match: bytes([int(match[1], 8)])
        if match[1].isdigit()
        else LETTERS.get(match[1], match[1]),
        quoted[1:-1],
    )
    return raw.decode("utf-8")


def read_value(text):
    """A number, a string, a truth or the name of an enum's value."""
    if text.startswith(b'"'):
        return unescape(text)
    if text in (b"true", b"false"):
        return text == b"true"
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text.decode()


def read_messages(lines):
    """A message as {name: [value, ...]}, from lines up to the brace that ends it."""
    message = {}
    for line in lines:
        line = line.strip()
        if line == b"}":
            break
        if line.endswith(b" {"):
            message.setdefault(line[:-2].decode(), []).append(read_messages(lines))
        else:
            name, _, text = line.partition(b": ")
            message.setdefault(name.decode(), []).append(read_value(text))
    return message


def decode(data):
    """(packets, what is wrong); fields that the schema does not have are wrong."""
    done = process.run(
        ["protoc", "--decode=Trace", f"--proto_path={HERE}", SCHEMA],
        input=data,
        capture_output=True,
        check=False,
    )
    wrong = done.stderr.decode(errors="replace").splitlines()
    unknown = re.findall(rb"^\s*[0-9]+(?::| \{).*$", done.stdout, re.MULTILINE)
    wrong += [f"not in the schema: {line.strip().decode()}" for line in unknown[:5]]
    return read_messages(iter(done.stdout.splitlines())).get("packet", []), wrong


def one(message, name, default=None):
    """The value of a field that is there at most once."""
    values = message.get(name, [])
    if len(values) > 1:
        raise ValueError(f"{name} is there {len(values)} times")
    return values[0] if values else default
