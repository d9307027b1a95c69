# SPDX-License-Identifier: GPL-2.0-only
"""The files of the project, by language, and C text without its comments and strings."""

import re
from pathlib import Path

import process

SUFFIXES = {
    ".c": "c",
    ".h": "c",
    ".cpp": "cxx",
    ".py": "python",
    ".sh": "shell",
    ".bash": "shell",
    ".mk": "make",
    ".md": "markdown",
    ".1": "man",
    ".3": "man",
    ".5": "man",
    ".7": "man",
    ".config": "make",
    ".rules": "make",
    ".yml": "make",
    ".service": "make", ".cmake": "make", ".pc": "make",
    ".sysusers": "make",
    ".conf": "make",
    ".tmpfiles": "make",
    ".map": "linker",
    ".proto": "proto",
    ".js": "script",
    ".css": "css",
    ".html": "page",
    ".sql": "sql",
    ".zsh": "make",
    ".png": "data",
    ".sha256": "data",
    ".svg": "data",
    ".xz": "data",
}
# Captured and expected bytes, which hold no licence line.
DATA_FOLDERS = ("tests/formats/", "tests/golden/", "tests/parity/", "tests/outputs/golden/", "tests/stream/golden/", "tests/why/data/", "scripts/packaging/debian/")
NAMES = {"Makefile": "make", "Kbuild": "make", ".gitignore": "make", ".clang-format": "make", ".clang-tidy": "make"}
INTERPRETERS = {"python3": "python", "sh": "shell", "bash": "shell", "dash": "shell"}
COMMENT_OR_STRING = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""", re.DOTALL
)


class Skip(Exception):
    """A check that can't be made here, and why."""


class File:
    """One file: where it is, what it is written in, its text."""

    def __init__(self, root, name):
        self.name = name
        self.path = root / name
        self.text = self.path.read_bytes().decode("utf-8", "replace")
        self.lines = self.text.splitlines()
        self.language = self.find_language()

    def find_language(self):
        """By name, else by the interpreter in the first line, else by folder."""
        if self.name == "LICENSE" or self.name.startswith("LICENSES/"):
            return "licence"
        base = Path(self.name).name
        known = NAMES.get(base) or SUFFIXES.get(Path(base).suffix)
        return known or self.find_interpreter() or self.find_folder()

    def find_interpreter(self):
        """What the first line names: /bin/sh, /usr/bin/env python3, /bin/busybox sh."""
        words = self.lines[0].split() if self.text.startswith("#!") else []
        names = [Path(word).name.removeprefix("#!") for word in words]
        return next((INTERPRETERS[name] for name in names if name in INTERPRETERS), None)

    def find_folder(self):
        """Data is what lies in a folder of data and is nothing else; lists of mutants have comments as in make."""
        if self.is_below("tests/mutants.d"):
            return "make"
        return "data" if self.name.startswith(DATA_FOLDERS) else None

    def is_below(self, *folders):
        """True in one of these folders."""
        return self.name.startswith(tuple(f"{folder}/" for folder in folders))

    def code(self):
        """C without comments and strings, its lines where they were."""
        return COMMENT_OR_STRING.sub(blank_out, self.text)


def blank_out(match):
    """What stands for a comment or string: its line feeds, between quotes where it was a string."""
    text = match.group()
    return "\n" * text.count("\n") if text.startswith("/") else text[0] * 2


class Tree:
    """All files that belong to the project: those that git tracks or would track."""

    def __init__(self, root):
        self.root = Path(root)
        paths = [self.root / name for name in sorted(self.list_names())]
        paths = [path for path in paths if path.is_file() and not path.is_symlink()]
        self.files = [File(self.root, str(path.relative_to(self.root))) for path in paths]

    def list_names(self):
        """From git; where this is no repository, from the folder."""
        if not (self.root / ".git").exists():
            return [str(path.relative_to(self.root)) for path in self.root.rglob("*")]
        git = ["git", "-c", f"safe.directory={self.root}", "-C", str(self.root)]
        listing = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        done = process.run(git + listing, check=True, capture_output=True)
        return [name for name in done.stdout.decode().split("\0") if name]

    def of(self, *languages):
        """The files in some languages."""
        return [file for file in self.files if file.language in languages]


def matches_in(file, text, pattern):
    """Yields (line number, match) for a pattern in a file's text, or in what is left of it."""
    for match in pattern.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match
