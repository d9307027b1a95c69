# SPDX-License-Identifier: GPL-2.0-only
"""What no file may contain: typedefs, retired names, stray blanks."""

import re

from rules.tree import matches_in

TYPEDEF = re.compile(r"\btypedef\b")
# Types whose names mark fields in the format of an event; and those of attributes, which a declaration names once.
MARKERS = re.compile(r"^typedef (?:[su]\d+|u?int\d+_t|char|(?:unsigned )?long|(?:dma|phys)_addr_t) ktrack_\w+;$", re.MULTILINE)
MARKER_FILES = ("include/ktrack/ids.h", "include/ktrack/user/attribute.h")
ATTRIBUTES = re.compile(r"^\ttypedef __KTRACK_TYPE\(ctype\) event##_ktrack_type[\w#]*;", re.MULTILINE)
STRAY = re.compile(r"[ \t\r]+$", re.MULTILINE)

PROSE = ("licence", "data")

# Names that the glossary in ktrack(1) has replaced. Underscores and digits separate words, too. Files of tests/style/ contain them.
RETIRED = (
    (r"strangers?", "unknown event"),
    (r"waists?|likeness(?:es)?", "prediction"),
    (r"scribes?", "event builder"),
)
RETIRED_WORDS = tuple((re.compile(rf"(?<![A-Za-z])(?:{words})(?![A-Za-z])", re.IGNORECASE), use) for words, use in RETIRED)
NAMING = ("tests/style/",)


def check_typedefs(tree):
    """No C file has a typedef, except for marker types and the types of attributes"""
    for file in tree.of("c"):
        code = file.code()
        if str(file.name) in MARKER_FILES:
            code = MARKERS.sub("", code)
        elif str(file.name) == "include/ktrack/user/check.h":
            code = ATTRIBUTES.sub("", code)
        for number, _ in matches_in(file, code, TYPEDEF):
            yield f"{file.name}:{number}: typedef"


def check_retired(tree):
    """Retired names do not occur"""
    for file in tree.files:
        if file.language in PROSE or file.name.startswith(NAMING):
            continue
        for pattern, use in RETIRED_WORDS:
            for number, match in matches_in(file, file.text, pattern):
                yield f"{file.name}:{number}: {match.group()!r} is retired; use: {use}"


def check_blanks(tree):
    """No line ends in white space"""
    for file in tree.files:
        for number, _ in matches_in(file, file.text, STRAY) if file.language not in PROSE else ():
            yield f"{file.name}:{number}: white space at the end"


def check_ends(tree):
    """Every file ends with one line feed"""
    for file in tree.files:
        is_right = file.text.endswith("\n") and not file.text.endswith("\n\n")
        if file.language not in PROSE and file.text and not is_right:
            yield f"{file.name}:{len(file.lines)}: its end is not one line feed"


CHECKS = (check_typedefs, check_retired, check_blanks, check_ends)
