# SPDX-License-Identifier: GPL-2.0-only
"""What CONTRIBUTING.md names is in the tree: files, functions and tables of each addition and each folder of tests."""

import re
from fnmatch import fnmatchcase

from rules.modules import PAPER, text_of

ADDITIONS = re.compile(r"^### Extending ktrack\n(.*?)^##", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r"`([^`\n]+)`")
# NAME and MODULE stand for what is added.
STAND_IN = re.compile(r"(?<![A-Z])(?:NAME|MODULE|TARGET)(?![A-Z])")
PATH = re.compile(r"[\w.*/-]+(?:/|\.(?:[ch]|[1357]|t|py|md|mk|sh|proto|script|rules|js))")
# A function, a table, or a name of several words.
CODE = re.compile(r"(\w+)(?:\(\)|\[\])|([A-Za-z]\w*_\w*[A-Za-z0-9])")
FOLDER_ROW = re.compile(r"^\| `(\w+)/` \|", re.MULTILINE)
FOLDERS = re.compile(r"^\| directory of `tests/` \|.*\n((?:\|.*\n)+)", re.MULTILINE)


def quoted_in(tree):
    """The words in code font of the chapter about additions, and of the table of tests."""
    found = [chapter.search(text_of(tree, PAPER)) for chapter in (ADDITIONS, FOLDERS)]
    texts = [text for one in found if one for text in QUOTED.findall(one[1])]
    return sorted({word for text in texts if not STAND_IN.search(text) for word in text.split()})


def is_there(path, names):
    """Whether a path, or a part of one from a folder on, is in the tree; * stands for any text."""
    pattern = f"*/{path}*" if path.endswith("/") else f"*/{path}"
    return any(fnmatchcase(f"/{name}", pattern) for name in names)


def check_additions(tree):
    """CONTRIBUTING.md names files, functions and tables that exist, for each addition and each folder of tests"""
    names, words = [file.name for file in tree.files], quoted_in(tree)
    code = {word for file in tree.of("c", "python") for word in re.findall(r"\w+", file.text)}
    for word in words:
        named = CODE.fullmatch(word)
        is_lost = named and (named[1] or named[2]) not in code
        if is_lost or PATH.fullmatch(word) and not is_there(word, names):
            yield f"{PAPER}: {word} is not in the tree"


def check_folders(tree):
    """Every folder of tests is in the table of CONTRIBUTING.md"""
    table = FOLDERS.search(text_of(tree, PAPER))
    rows = set(FOLDER_ROW.findall(table[1])) if table else set()
    parts = [file.name.split("/") for file in tree.files if file.name.startswith("tests/")]
    folders = {part[1] for part in parts if len(part) > 2}
    tests = {part[1] for part in parts if len(part) == 3 and part[2].endswith(".t")}
    yield from (f"{PAPER}: no row for tests/{name}/" for name in sorted(tests - rows))
    yield from (f"{PAPER}: a row for tests/{name}/, which does not exist" for name in sorted(rows - folders))


CHECKS = (check_additions, check_folders)
