# SPDX-License-Identifier: GPL-2.0-only
"""A script's lines as words, and what words mean: numbers, times, bytes."""

import re


class Trouble(Exception):
    """What is wrong with a script."""


ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"0": b"\0", b'"': b'"', b"\\": b"\\"}
ESCAPE = re.compile(rb"\\(?:x([0-9a-fA-F]{2})|(.))", re.DOTALL)
TOKEN = re.compile(rb'(?:([^\s"=]+=)?"([^"\\]*(?:\\.[^"\\]*)*)"|([^\s"#]+))(?=[\s#]|$)')
INDEX = re.compile(rb"\$i(?:%(\d+))?")
TIME = re.compile(rb"(\d+)(?:\.(\d+))?(ns|us|ms|s)?")
UNITS = {None: 0, b"ns": 0, b"us": 3, b"ms": 6, b"s": 9}


class Word:
    """A word of a line; one that has no quotes may be a number or a place."""

    __slots__ = ("text", "is_quoted", "name", "has_index")

    def __init__(self, text, is_quoted=False, name=None):
        self.text, self.is_quoted, self.name = text, is_quoted, name
        self.has_index = INDEX.search(text) is not None

    def at(self, index):
        """The word in a repeated line: with $i and $i%N replaced."""
        if not self.has_index:
            return self
        if index is None:
            raise Trouble("$i has a meaning only between repeat and end")
        text = INDEX.sub(lambda found: b"%d" % (index % int(found[1] or index + 1)), self.text)
        return Word(text, self.is_quoted, self.name)

    def __str__(self):
        return self.text.decode(errors="replace")


def unescape(text):
    """The bytes that a quoted text stands for."""

    def replace(found):
        if found[1]:
            return bytes([int(found[1], 16)])
        if found[2] not in ESCAPES:
            raise Trouble(f"unknown escape \\{found[2].decode(errors='replace')}")
        return ESCAPES[found[2]]

    return ESCAPE.sub(replace, text)


def split_line(line):
    """All words of a line up to its comment; name=word keeps its name apart."""
    words, place = [], 0
    while True:
        place += len(line[place:]) - len(line[place:].lstrip())
        if place >= len(line) or line[place : place + 1] == b"#":
            return words
        found = TOKEN.match(line, place)
        if not found:
            raise Trouble(f"cannot be read from {line[place:].decode(errors='replace')!r} on")
        words.append(word_of(*found.groups()))
        place = found.end()


def word_of(name, quoted, bare):
    """The word of a token."""
    if quoted is not None:
        return Word(unescape(quoted), True, name[:-1].decode() if name else None)
    name, equals, value = bare.partition(b"=")
    return Word(value, False, name.decode(errors="replace")) if equals and name else Word(bare)


def read_number(word):
    """An integer, decimal or 0x..., or the code of one character that is no digit."""
    text = word.text
    if len(text) == 1 and (word.is_quoted or not text.isdigit()):
        return text[0]
    try:
        return int(text, 0)
    except ValueError:
        raise Trouble(f"{word} is no number") from None


def read_count(word, least=0):
    """A number that is not below the least."""
    if not word.text.isdigit() or int(word.text) < least:
        raise Trouble(f"{word} is no number from {least} on")
    return int(word.text)


def read_time(text):
    """Nanoseconds of 10, 10ns, 2.5us, 3ms, 1s."""
    found = TIME.fullmatch(text)
    if not found:
        raise Trouble(f"{text.decode(errors='replace')} is no time")
    digits, fraction, unit = found[1], found[2] or b"", UNITS[found[3]]
    if len(fraction) > unit:
        raise Trouble(f"{text.decode()} is no whole number of nanoseconds")
    return int(digits + fraction.ljust(unit, b"0"))
