# SPDX-License-Identifier: GPL-2.0-only
"""What no file may contain: typedefs, references to the outside, retired words, stray blanks."""

import re

from rules.tree import matches_in

TYPEDEF = re.compile(r"\btypedef\b")
# Types whose names mark fields in the format of an event.
MARKERS = re.compile(r"^typedef (?:[su]\d+|u?int\d+_t) ktrack_\w+;$", re.MULTILINE)
MARKER_FILES = ("include/ktrack/ids.h", "include/ktrack/user/attribute.h")
STRAY = re.compile(r"[ \t\r]+$", re.MULTILINE)

# Each is written in two pieces, so that this table does not name what it forbids.
OUTSIDE = (
    (r"\.\./" r"shared", "a folder outside of the project"),
    (r"\b(?:design|anchors|brief)" r"\.md\b", "a paper that the project does not have"),
    (r"\bfacts/" r"\w", "a paper that the project does not have"),
    (r"(?<![\w.])/work" r"/(?!\*)", "a path of one machine"),
    (r"/tmp/" r"team\b", "a path of one machine"),
    (r"/\.lib" r"rary\b", "a path of one machine"),
    (r"\b[Ii]ssues? " r"#?[0-9]{1,3}\b", "an issue's number"),
    (r"\b(?:deb|security|ftp)\.deb" r"ian\.org\b", "a package registry"),
    (r"\bregistry\.npm" r"js\.org\b", "a package registry"),
    (r"\b(?:pypi|pythonhosted)" r"\.org\b", "a package registry"),
)
FORBIDDEN = tuple((re.compile(pattern), what) for pattern, what in OUTSIDE)
PROSE = ("licence", "data")


# Retired words and their replacements. Underscores and digits separate words, too. Files of tests/style/ may contain them.
RETIRED = (
    (r"strangers?", "unknown event"),
    (r"waists?|likeness(?:es)?|memories", "prediction"),
    (r"houses?|rooms?", "architecture, module; space"),
    (r"scribes?|desks?|sheets?|careless", "test fixture, fake sink, event builder, misuse"),
    (r"observations?", "track event"),
    (r"templates?", "event descriptor"),
    (r"durable", "sideband buffer"),
    (r"beside", "sideband; next to"),
    (r"(?:takes?|took|taking) leave", "detach"),
    (r"(?:lets?|letting) go", "release"),
    (r"come and go", "load and unload"),
    (r"tells?|told|telling|tellings", "report, print; key mask"),
    (r"says? so", "report"),
    (r"know|knows", "have, find"),
    (r"arrivals?", "module watch"),
    (r"sights?", "instance files"),
    (r"wish(?:es)?", "enable request"),
    (r"torn", "incomplete"),
    (r"quantity|quantities", "size"),
    (r"stamps?|stamped", "time cache; timestamp"),
    (r"pictures", "output files"),
)
RETIRED_WORDS = tuple((re.compile(rf"(?<![A-Za-z])(?:{words})(?![A-Za-z])", re.IGNORECASE), use) for words, use in RETIRED)
# The name of the sideband buffer in files that exist, words of formats and of Python's files.
LEGITIMATE = re.compile(r'make pictures|scripts/pictures|pictures\.mk|pictures:|PHONY: pictures|pictures of the documents|ktrack-durable|\.tell\(\)|time_stamp\s*:|"[^"\n]*\bdurable\b[^"\n]*"|`durable`|\\fBdurable\\fR|durable-buffer')
NAMING = ("tests/style/",)


def check_typedefs(tree):
    """No C file has a typedef, except for marker types"""
    for file in tree.of("c"):
        code = file.code()
        if str(file.name) in MARKER_FILES:
            code = MARKERS.sub("", code)
        for number, _ in matches_in(file, code, TYPEDEF):
            yield f"{file.name}:{number}: typedef"


def check_outside(tree):
    """No file refers to what is outside of the project"""
    for file in tree.files:
        for pattern, what in FORBIDDEN if file.language != "licence" else ():
            for number, match in matches_in(file, file.text, pattern):
                yield f"{file.name}:{number}: {match.group()!r} is {what}"


def check_retired(tree):
    """Retired words do not occur"""
    for file in tree.files:
        if file.language in PROSE or file.name.startswith(NAMING):
            continue
        text = LEGITIMATE.sub("", file.text)
        for pattern, use in RETIRED_WORDS:
            for number, match in matches_in(file, text, pattern):
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


CHECKS = (check_typedefs, check_outside, check_retired, check_blanks, check_ends)
