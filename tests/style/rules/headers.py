# SPDX-License-Identifier: GPL-2.0-only
"""The head of each file: its licence in one line, then one sentence about its purpose."""

import re

EMBEDDABLE = "GPL-2.0-only OR MIT"
OWN = "GPL-2.0-only"
# The first that fits, by the beginning of the name.
LICENCES = (
    ("include/", EMBEDDABLE),
    ("userspace/base/", EMBEDDABLE),
    ("userspace/trace2/", EMBEDDABLE),
    ("", OWN),
)

# How a licence line is written: (before, behind) by language, and by suffix for C.
LICENCE_LINES = {
    ".c": ("// ", ""),
    ".h": ("/* ", " */"),
    "make": ("# ", ""),
    "python": ("# ", ""),
    "shell": ("# ", ""),
    "man": ('.\\" ', ""),
    "linker": ("/* ", " */"),
    "proto": ("// ", ""),
    "script": ("// ", ""),
    "css": ("/* ", " */"),
    "page": ("<!-- ", " -->"),
    "sql": ("-- ", ""),
    "markdown": ("<!-- ", " -->"),
}
# What a comment may begin with; what is left of the line is its text.
MARKS = {
    "c": re.compile(r"/\*+ ?(?:DOC: )?| \* ?|// ?"),
    "make": re.compile("# ?"),
    "python": re.compile('# ?|"""'),
    "shell": re.compile("# ?"),
    "proto": re.compile("// ?"),
    "script": re.compile("// ?"),
    "css": re.compile(r"/\*+ ?| \* ?"),
    "sql": re.compile("-- ?"),
}
SENTENCE = re.compile(r"\w.{8,}?[.:](?:\s|\*/|\"|$)", re.DOTALL)
LONGEST_SENTENCE = 12


def licence_of(file):
    """The licence that a file must have."""
    return next(licence for prefix, licence in LICENCES if file.name.startswith(prefix))


def head_of(file):
    """The lines from the licence on: below the interpreter's line where there is one."""
    return file.lines[1:] if file.text.startswith("#!") else file.lines


def licence_line(file):
    """The first line that a file must have, None where files of its language have none."""
    key = file.name[-2:] if file.language == "c" else file.language
    if key not in LICENCE_LINES:
        return None
    before, behind = LICENCE_LINES[key]
    return f"{before}SPDX-License-Identifier: {licence_of(file)}{behind}"


def check_licences(tree):
    """Every file begins with its licence's SPDX line"""
    for file in tree.files:
        wanted = licence_line(file)
        found = head_of(file)[:1]
        if wanted and found != [wanted]:
            yield f"{file.name}:1: {found[0] if found else 'nothing'!r} where {wanted!r} is due"


def check_languages(tree):
    """Every file is of a known kind, so that no check overlooks it"""
    for file in tree.files:
        if file.language is None:
            yield f"{file.name}: unknown language: neither its name nor its first line identifies it"


def first_comment(file):
    """The text of the comment right below the licence."""
    text = []
    for line in head_of(file)[1 : 1 + LONGEST_SENTENCE]:
        mark = MARKS[file.language].match(line)
        if not mark:
            break
        text.append(line[mark.end() :])
    return "\n".join(text).strip()


def check_sentences(tree):
    """Every source file states its purpose in a sentence below its licence"""
    for file in tree.of(*MARKS):
        if file.name.startswith(".") or len(file.lines) < 2:
            continue
        text = first_comment(file)
        if not SENTENCE.match(text):
            yield f"{file.name}:2: no sentence: {text[:60]!r}"


CHECKS = (check_languages, check_licences, check_sentences)
