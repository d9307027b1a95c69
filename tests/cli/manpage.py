# SPDX-License-Identifier: GPL-2.0-only
"""Reads man pages: their sections, the tags of their lists, and what is bold. It accepts the macros of man(7) that the pages use."""

import re
import shlex
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
PAGES = sorted([*PROJECT.glob("userspace/*/*.[1-8]"), *PROJECT.glob("include/ktrack/*.[1-8]")])
CHARACTERS = {r"\-": "-", r"\(aq": "'", r"\(dq": '"', r"\(bu": "*", r"\ ": " ", r"\&": "", r"\e": "\\"}
TOKEN = re.compile(r"\\f[A-Z]|\\\(..|\\.|.", re.DOTALL)
FONTS = re.compile(r"\.([BIR])([BIR]?)$")


class Line:
    """A line of a page: its section and subsection, what is printed, the parts of it that are bold, whether it is the tag of a list
    or in a block that is printed as it is, and how deep its list is."""

    def __init__(self, place, text, bold, is_tag, is_code, depth):
        self.section, self.subsection = place
        self.text, self.bold, self.is_tag, self.is_code, self.depth = text, bold, is_tag, is_code, depth


def words_of(line):
    """The words of a macro; quotes protect spaces."""
    reader = shlex.shlex(line, posix=True)
    reader.whitespace, reader.whitespace_split, reader.commenters, reader.quotes, reader.escape = " ", True, "", '"', ""
    return list(reader)


def render(text):
    """What is printed, and the list of what is bold."""
    printed, bold, font = "", [], "R"
    for token in TOKEN.findall(text):
        if token.startswith("\\f"):
            bold += [""] if token == "\\fB" != "\\f" + font else []
            font = token[2]
            continue
        printed += CHARACTERS.get(token, token)
        if font == "B":
            bold[-1] += CHARACTERS.get(token, token)
    return printed, [word.strip() for word in bold]


def marked(line):
    """A line of text or of a macro for fonts, as text with changes of the font; None for another macro."""
    if not line.startswith("."):
        return line
    name, _, rest = line.partition(" ")
    found = FONTS.match(name)
    if not found:
        return None
    words = [word.replace("\\ ", "\\&\\ ") for word in words_of(rest.replace("\\ ", "\x01"))]
    words = [word.replace("\x01", "\\ ") for word in words]
    first, second = found.groups()
    if not second:
        return f"\\f{first}{' '.join(words)}\\fR"
    return "".join(f"\\f{(first, second)[i % 2]}{word}" for i, word in enumerate(words)) + "\\fR"


class Page:
    """A page, and its lines that are printed."""

    def __init__(self, path):
        self.name = path.name
        self.lines = []
        place, is_tag, is_code, depth = ("", ""), False, False, 0
        for line in path.read_text().splitlines():
            name, _, rest = line.partition(" ")
            if name in (".SH", ".SS"):
                title = " ".join(words_of(rest))
                place = (title, "") if name == ".SH" else (place[0], title)
            depth += {".RS": 1, ".RE": -1}.get(name, 0)
            is_code = {".EX": True, ".nf": True, ".EE": False, ".fi": False}.get(name, is_code)
            text = marked(line)
            if text is not None and not name.startswith('.\\"'):
                self.lines.append(Line(place, *render(text), is_tag, is_code, depth))
            is_tag = name in (".TP", ".TQ")

    def of(self, *sections):
        """The lines of these sections."""
        return [line for line in self.lines if line.section in sections]

    def tags(self, *sections):
        """The tags of the lists in these sections."""
        return [line for line in self.of(*sections) if line.is_tag]

    def text(self, *sections):
        """What is printed there."""
        return " ".join(line.text for line in self.of(*sections))


def pages_read(paths=None):
    """All pages, by name."""
    return {path.name: Page(path) for path in (paths or PAGES)}
