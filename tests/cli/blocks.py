# SPDX-License-Identifier: GPL-2.0-only
"""The code blocks of README and of the man pages, by what they are."""

import re
import textwrap
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
PAGES = sorted([*PROJECT.glob("userspace/*/*.[1-8]"), *PROJECT.glob("include/ktrack/*.[1-8]")])

# A block of a page, and whether a comment before it names the file of a driver.
PAGE_BLOCK = re.compile(r'^(\.\\" example \S+\n)?\.(?:EX|nf)\n(.*?)^\.(?:EE|fi)$', re.MULTILINE | re.DOTALL)
# An indented block of README, with the end of what stands before it.
README_BLOCK = re.compile(r"(\S+)\n\n((?: {4}.*\n|\n(?= {4}))+)")
DRIVER_FILE = re.compile(r"`\S+`:$")
ROFF = re.compile(r"^\.[A-Z]", re.MULTILINE)
RULES = re.compile(r"(slice|state|counter|instant|flow) \w+:")
DIAGRAM = re.compile(r"^\w+( -> \w+)+$")


class Block:
    """Where it is, its text, and its kind: shell, driver, program, or none of these."""

    def __init__(self, file, line, text, kind=None):
        self.place = f"{file.relative_to(PROJECT)}:{line}"
        self.text, self.kind = text, kind or kind_of(text)


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


def page_blocks(page):
    """Those of a man page, as a reader sees them."""
    text = page.read_text()
    for found in PAGE_BLOCK.finditer(text):
        shown = found[2].replace("\\e", "\\").replace("\\-", "-")
        yield Block(page, line_of(text, found.start(2)), shown, "driver" if found[1] else None)


def readme_blocks():
    """Those of README."""
    readme = PROJECT / "README.md"
    text = readme.read_text()
    for found in README_BLOCK.finditer(text):
        kind = "driver" if DRIVER_FILE.search(found[1]) else None
        yield Block(readme, line_of(text, found.start(2)), textwrap.dedent(found[2]), kind)


def commands_of(block):
    """What a reader types."""
    if block.kind != "console":
        return block.text
    return "".join(line[2:] + "\n" for line in block.text.splitlines() if line.startswith("$ "))


def blocks(*kinds):
    """All of some kinds, or simply all."""
    found = [*readme_blocks(), *(block for page in PAGES for block in page_blocks(page))]
    return [block for block in found if not kinds or block.kind in kinds]
