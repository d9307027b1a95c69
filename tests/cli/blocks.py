# SPDX-License-Identifier: GPL-2.0-only
"""The code blocks of the documents (README and the like, and the man pages), by what they are."""

import re
import textwrap
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
PAGES = sorted([*PROJECT.glob("userspace/*/*.[1-8]"), *PROJECT.glob("include/ktrack/*.[1-8]")])
TEXTS = sorted(PROJECT.glob("*.md"))

# A block of a page, and a comment before it: the file of a driver, what a command prints, words for the kernel's
# command line, EVENT lines, or a statement for other software (tests/recipes/).
PAGE_BLOCK = re.compile(r'^(\.\\" (?:example|output|parameters|lines|recipe)\b[^\n]*\n)?\.(?:EX|nf)\n(.*?)^\.(?:EE|fi)$', re.MULTILINE | re.DOTALL)
# An indented block of a text. Fenced ones are output and diagrams.
TEXT_BLOCK = re.compile(r"\S\n\n((?: {4}.*\n|\n(?= {4}))+)")
FENCED = re.compile(r"^```\w*\n.*?^```$", re.MULTILINE | re.DOTALL)
ROFF = re.compile(r"^\.[A-Z]", re.MULTILINE)
RULES = re.compile(r"(slice|state|counter|instant|flow) \w+:")
DIAGRAM = re.compile(r"^\w+( -> \w+)+$")
HEADINGS = {".md": r"^## .*$", "page": r"^\.SH .*$"}


class Block:
    """Where it is, its text, and its kind. The shell blocks of one series are typed one after the other in one folder; of a recipe, the
    series is its words."""

    def __init__(self, file, line, text, kind, series):
        self.place = f"{file.relative_to(PROJECT)}:{line}"
        self.text, self.kind, self.series = text, kind, series


def kind_of(text):
    """By its looks. A console shows commands behind dollars, and what they print."""
    if ROFF.search(text):
        return "synopsis"
    if "::=" in text:
        return "grammar"
    if RULES.match(text):
        return "rules"
    if DIAGRAM.match(text.strip()):
        return "diagram"
    if re.search(r"^\w+\(.*\);$", text, re.MULTILINE):
        return "program"
    return "console" if text.startswith("$ ") else "shell"


def line_of(text, place):
    return text.count("\n", 0, place) + 1


def heading_of(file, text, place):
    """The heading above a place."""
    headings = list(re.finditer(HEADINGS.get(file.suffix, HEADINGS["page"]), text[:place], re.MULTILINE))
    return headings[-1][0] if headings else ""


def series_of(page, text, place):
    """All of a tutorial, a chapter of how-tos; an example of another page is a series of its own."""
    if page.name.startswith("ktrack-tutorial-"):
        return page.name
    if page.parent.name == "doc":
        return f"{page.name} {heading_of(page, text, place)}"
    return f"{page.name} {line_of(text, place)}"


def page_blocks(page):
    """Those of a man page, as a reader sees them."""
    text = page.read_text()
    for found in PAGE_BLOCK.finditer(text):
        shown = found[2].replace("\\e", "\\").replace("\\-", "-").replace("\\&", "")
        kind = {"ex": "driver", "ou": "output", "pa": "parameters", "li": "lines", "re": "recipe"}[found[1][4:6]] if found[1] else kind_of(shown)
        series = found[1].split(maxsplit=2)[2].strip() if kind == "recipe" else series_of(page, text, found.start(2))
        yield Block(page, line_of(text, found.start(2)), shown, kind, series)


def text_blocks(file):
    """Those of README or the like."""
    text = file.read_text()
    for found in TEXT_BLOCK.finditer(text):
        shown = textwrap.dedent(found[1])
        yield Block(file, line_of(text, found.start(1)), shown, kind_of(shown), f"{file.name} {heading_of(file, text, found.start(1))}")
    for found in FENCED.finditer(text):
        yield Block(file, line_of(text, found.start()), found[0], "output", "")


def commands_of(block):
    """What a reader types."""
    if block.kind != "console":
        return block.text
    return "".join(line[2:] + "\n" for line in block.text.splitlines() if line.startswith("$ "))


def blocks(*kinds):
    """All of some kinds, or simply all."""
    found = [*(block for file in TEXTS for block in text_blocks(file)), *(block for page in PAGES for block in page_blocks(page))]
    return [block for block in found if not kinds or block.kind in kinds]
