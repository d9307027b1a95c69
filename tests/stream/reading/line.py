# SPDX-License-Identifier: GPL-2.0-only
"""One line of a stream: from bytes to a JSON object, in trace2's one spelling."""

import json
import math
import re

RULES = {
    "newline": "Every line, the last one too, ends with one line feed.",
    "utf-8": "Every line is valid UTF-8.",
    "json": "Every line is one JSON object.",
    "number": "Numbers are plain, or a double with the fewest digits that keep it: no NaN, no infinity.",
    "duplicate-key": "No object holds a key twice.",
    "white-space": "No white space stands between tokens.",
    "escape": "Strings escape what trace2 escapes, as trace2 does, and nothing else.",
}

ESCAPE = r'\\(?:["\\nrtfb]|u00(?:0[0-7bef]|1[0-9a-f]|[89][0-9a-f]))'
STRING = rf'"[^"\\\x00-\x1f]*+(?:{ESCAPE}[^"\\\x00-\x1f]*+)*+"'
PLAIN = re.compile(rf'(?:[^"\s\\]++|{STRING})*+')
ANY_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
SECONDS = re.compile(r"(?:0|[1-9][0-9]*)\.[0-9]{9}")


class Violation(Exception):
    """A rule that a line breaks, and how."""

    def __init__(self, rule, message):
        super().__init__(message)
        self.rule = rule


class Real:
    """A number with a fraction, kept as it was spelled: floats would round it."""

    __slots__ = ("text",)

    def __init__(self, text):
        self.text = text

    def __str__(self):
        return self.text

    def is_seconds(self):
        """True for a time: no sign, no spare zeros, nine decimals."""
        return SECONDS.fullmatch(self.text) is not None

    def to_ns(self):
        """The nanoseconds of a number for which is_seconds() holds."""
        return int(self.text[:-10] + self.text[-9:])


def double_text(number):
    """A double as ktrack writes it: with the fewest digits, 15 to 17, that keep it."""
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
    return next(text for text in (f"{number:.{digits}g}" for digits in (15, 16, 17)) if float(text) == number)


def is_double(text):
    """Whether a double is spelled as ktrack does."""
    try:
        return double_text(float(text)) == text
    except ValueError:
        return False


def read_real(text):
    """Keeps a JSON number with a fraction."""
    if ("e" in text or "E" in text) and not is_double(text):
        raise Violation("number", f"{text} has an exponent")
    return Real(text)


def read_integer(text):
    """Reads a JSON number without a fraction."""
    return Real(text) if text == "-0" else int(text)


def refuse_constant(text):
    """Python's reader has NaN and Infinity, JSON does not."""
    raise Violation("number", f"{text} is no JSON number")


def build_object(pairs):
    """Makes a dict of an object's pairs, each key once."""
    members = dict(pairs)
    if len(members) != len(pairs):
        seen = set()
        twice = [key for key, _ in pairs if key in seen or seen.add(key)]
        raise Violation("duplicate-key", f"{twice[0]!r} stands twice in one object")
    return members


DECODER = json.JSONDecoder(
    object_pairs_hook=build_object,
    parse_float=read_real,
    parse_int=read_integer,
    parse_constant=refuse_constant,
)


def check_spelling(text):
    """Refuses blanks between tokens, and escapes that trace2 does not write."""
    if PLAIN.fullmatch(text):
        return
    between = ANY_STRING.sub("", text)
    if re.search(r"\s", between):
        raise Violation("white-space", "there is white space between tokens")
    odd = re.search(r"\\.{1,5}", re.sub(ESCAPE, "", text))
    raise Violation("escape", f"unusual escape {odd.group() if odd else '?'}")


def read_line(raw):
    """Returns the object that a line of a stream holds, or raises the Violation."""
    if not raw.endswith(b"\n"):
        raise Violation("newline", "the line does not end with a line feed")
    try:
        text = raw[:-1].decode("utf-8")
        members = DECODER.decode(text)
    except UnicodeDecodeError as error:
        raise Violation("utf-8", f"byte {error.start} is not UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise Violation("json", f"not JSON: {error}") from None
    if type(members) is not dict:
        raise Violation("json", "the line holds no object")
    check_spelling(text)
    return members
