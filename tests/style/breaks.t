#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: each style rule accepts a small correct tree, and refuses each small violation."""

import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import process  # noqa: E402
from rules import calls, descriptions, headers, manual, modules, paper, shell, size, words  # noqa: E402
from rules.tree import Skip, Tree  # noqa: E402
from tap import tested  # noqa: E402

AREAS = (headers, descriptions, modules, paper, size, words, calls, shell, manual)

GPL = "SPDX-License-Identifier: GPL-2.0-only"
DUAL = f"{GPL} OR MIT"
BASE = f"""// {DUAL}
/* Counts things. */
#include "base/base.h"

int count_things(void)
{{
\treturn 1; /* no typedef, no stderr, no exit() */
}}
"""
MAIN = f"""// {GPL}
/* The program. */
#include "base/base.h"
#include "capture/capture.h"

int main(void)
{{
\tfputs("x exit(1) typedef", stderr);
\texit(0);
}}
"""
HELP = f"""#!/bin/sh
# {GPL}
# Replaces the program.
set -eu
echo 'usage: ktrack COMMAND'
echo
echo '  list       list things'
echo '  --version  print the version'
"""
CHILD = f"""// {GPL}
/* Starts a command. */
#include <cap-ng.h>
#include "base/base.h"
#include "ktrack/fields.h"

int command_start(void)
{{
\tif (fork() == 0)
\t\t_exit(127);
\treturn 0;
}}
"""
COUNTING = f"""/* {DUAL} */
/* Counts things. */
/**
 * count_things - how many there are
 * @first: the first number
 */
#define count_things(first) count_them(first)
"""
SCRIPT = f"#!/bin/sh\n# {GPL}\n# Prints a word.\nset -eu\necho word\n"
PYTHON = f'#!/usr/bin/env python3\n# {GPL}\n"""Test: nothing."""\n\n\ndef main():\n    pass\n'
TABLE = f"""<!-- {GPL} -->
# Contributing

| module | responsibility | may include |
|---|---|---|
| `base/` | counts | - |
| `capture/` | recordings | all above, libcap-ng, `ktrack/fields.h` |
| `cli/` | options | base, capture |

### Extending ktrack

| addition | files |
|---|---|
| a count | `base/count.c`, `base/NAME.h`, `count_things()`; the page `ktrack-*.1`; `tests/unit/` |

### Tests

| directory of `tests/` | tests |
|---|---|
| `unit/` | `nothing.t` |
"""

# A tree that keeps all rules.
GOOD = {
    "Makefile": f"# {GPL}\n# Builds it.\nall:\n",
    "CONTRIBUTING.md": TABLE,
    "README.md": f"<!-- {GPL} -->\n# It\n",
    "LICENSES/MIT.txt": "As it is. \n\n",
    "tests/formats/6.1/one.page": "raw \n\n",
    "include/trace2/trace2.h": f"/* {DUAL} */\n/* The library. */\n",
    "include/ktrack/define.h": f"/* {DUAL} */\n/* Defines tracepoints. */\n",
    "include/ktrack/fields.h": f"/* {DUAL} */\n/* Names of fields. */\n",
    "include/ktrack/count.h": COUNTING,
    "userspace/userspace.mk": f"# {GPL}\n# Builds userspace.\npackages := libcap-ng >= 0.8\n",
    "userspace/base/base.h": f"/* {DUAL} */\n/* What all need. */\n",
    "userspace/base/count.h": f"/* {DUAL} */\n/* Counting of things. */\n",
    "userspace/base/count.c": BASE,
    "userspace/capture/capture.h": f"/* {GPL} */\n/* Makes recordings. */\n",
    "userspace/capture/command.c": CHILD,
    "userspace/cli/main.c": MAIN,
    "userspace/cli/ktrack-list.1": f'.\\" {GPL}\n.TH KTRACK-LIST 1\n',
    "scripts/emit": SCRIPT,
    "tests/unit/nothing.t": PYTHON,
    "build/ktrack": HELP,
}


def add(name, text):
    """A file gets more text."""
    return {name: GOOD.get(name, "") + text}


def replace(name, old, new):
    """A file gets other text."""
    assert old in GOOD[name], (name, old)
    return {name: GOOD[name].replace(old, new, 1)}


def include(name, header):
    """A file includes a header."""
    return add(name, f"#include {header}\n")


def with_row(row):
    """The table of modules gets another row."""
    last = "| `cli/` | options | base, capture |\n"
    return replace("CONTRIBUTING.md", last, f"{last}{row}\n")


def lines(count, before="", behind=""):
    """So many lines."""
    return before + "\tcount();\n" * count + behind


COUNT = "userspace/base/count.c"
LIBRARY = "userspace/capture/command.c"
PROGRAM = "userspace/cli/main.c"
TABLE_FILE = "CONTRIBUTING.md"
HEAD = f"// {GPL}\n/* A file. */\n"

# (the rule that must refuse it, the files that change), one for each way to break it
BREAKS = [
    (headers.check_languages, {"scripts/thing": "what?\n"}),
    (headers.check_licences, replace("scripts/emit", f"# {GPL}\n", "")),
    (headers.check_licences, {"userspace/base/empty.c": ""}),
    (headers.check_licences, replace(COUNT, " OR MIT", "")),
    (headers.check_licences, replace("include/ktrack/define.h", f"/* {DUAL} */", f"// {DUAL}")),
    (headers.check_sentences, replace(COUNT, "/* Counts things. */\n", "")),
    (headers.check_sentences, replace("scripts/emit", "# Prints a word.\n", "")),
    (headers.check_sentences, replace("tests/unit/nothing.t", '"""Test: nothing."""\n', "")),
    (descriptions.check_descriptions, replace("include/ktrack/count.h", "things(first)", "things(first, last)")),
    (modules.check_table, replace(TABLE_FILE, "| - |", "| capture |")),
    (modules.check_table, replace(TABLE_FILE, "libcap-ng", "libcap-ng, zlib")),
    (modules.check_table, replace(TABLE_FILE, "libcap-ng, ", "")),
    (modules.check_table, replace(TABLE_FILE, "fields.h", "values.h")),
    (modules.check_table, with_row("| `attic/` | boxes | base |")),
    (modules.check_table, with_row("| `base/` | counts | - |")),
    (modules.check_table, with_row("| `cli` | options |")),
    (modules.check_table, add("userspace/userspace.mk", "loaded-packages := sqlite3 >= 3.38\n")),
    (modules.check_modules, replace(TABLE_FILE, "| `capture/` | recordings | all above, libcap-ng, `ktrack/fields.h` |\n", "")),
    (modules.check_modules, replace(TABLE_FILE, "may include", "includes")),
    (modules.check_modules, {TABLE_FILE: f"<!-- {GPL} -->\n"}),
    (modules.check_modules, {"userspace/attic/box.c": HEAD}),
    (modules.check_modules, {"userspace/box.c": HEAD}),
    (modules.check_directions, include(COUNT, '"capture/capture.h"')),
    (modules.check_directions, include(COUNT, '"../capture/capture.h"')),
    (modules.check_directions, include(COUNT, "<capture/capture.h>")),
    (modules.check_directions, include(PROGRAM, '"base/count.h"')),
    (modules.check_directions, include(PROGRAM, "<tracefs.h>")),
    (modules.check_directions, include(PROGRAM, "<cap-ng.h>")),
    (modules.check_directions, include(COUNT, "<sha1.h>")),
    (modules.check_directions, include(PROGRAM, "<ktrack/fields.h>")),
    (modules.check_directions, include(LIBRARY, "<ktrack/define.h>")),
    (modules.check_directions, replace(TABLE_FILE, "base, capture |", "capture |")),
    (modules.check_directions, replace(TABLE_FILE, "libcap-ng, ", "")),
    (modules.check_directions, replace(TABLE_FILE, ", `ktrack/fields.h`", "")),
    (modules.check_public_headers, with_row("| `track/` | state | base |") | {"userspace/track/track.c": HEAD}),
    (modules.check_unit_tests, {"userspace/capture/run.c": HEAD, "userspace/capture/steps.h": HEAD, "tests/unit/steps.c": f'{HEAD}#include "capture/steps.h"\n'}),
    (modules.check_unit_tests, {"tests/unit/unit.mk": f"# {GPL}\n# Builds tests.\n"}),
    (modules.check_cycles, include("userspace/base/base.h", '"count.h"') | include("userspace/base/count.h", '"base.h"')),
    (modules.check_kernel_headers, include("include/ktrack/define.h", '"../../userspace/base/base.h"')),
    (modules.check_kernel_headers, include("include/ktrack/define.h", '"../../kmod/private.h"')),
    (paper.check_additions, replace(TABLE_FILE, "base/count.c", "base/number.c")),
    (paper.check_additions, replace(TABLE_FILE, "count_things()", "things_count()")),
    (paper.check_additions, replace(TABLE_FILE, "ktrack-*.1", "ktrack-*.5")),
    (paper.check_additions, replace(TABLE_FILE, "tests/unit/", "tests/box/")),
    (paper.check_additions, replace(TABLE_FILE, "nothing.t", "something.t")),
    (paper.check_folders, {"tests/box/box.t": PYTHON}),
    (paper.check_folders, replace(TABLE_FILE, "| `unit/` | `nothing.t` |", "| `unit/` | `nothing.t` |\n| `box/` | boxes |")),
    (paper.check_folders, replace(TABLE_FILE, "directory of", "folder of")),
    (size.check_functions, add(COUNT, lines(69, "\nint count(int number,\n\t  int more)\n{\n", "}\n"))),
    (size.check_functions, add("tests/unit/nothing.t", lines(70, "\n\ndef run():\n"))),
    (size.check_functions, add("scripts/emit", lines(69, "run() {\n", "}\n"))),
    (size.check_files, add(COUNT, lines(1500))),
    (size.check_names, {"userspace/base/more.c": BASE.replace("int count", "static int count")}),
    (words.check_typedefs, add(COUNT, "typedef int count;\n")),
    (words.check_retired, add("README.md", "A stranger.\n")),
    (words.check_retired, add(COUNT, "int nr_strangers;\n")),
    (words.check_blanks, add(COUNT, "/* x */ \n")),
    (words.check_blanks, add("README.md", "text\r\n")),
    (words.check_ends, add(COUNT, "/* x */")),
    (words.check_ends, add(COUNT, "\n")),
    (calls.check_talk, add(COUNT, "fputs(text, stderr);\n")),
    (calls.check_talk, add(COUNT, "dprintf(2, text);\n")),
    (calls.check_exits, add(COUNT, "exit(1);\n")),
    (calls.check_exits, {"userspace/cli/list.c": HEAD + "exit (1);\n"}),
    (calls.check_exits, add(COUNT, "_exit(1);\n")),
    (shell.check_shellcheck, add("scripts/emit", "rm $1\n")),
    (shell.check_strict, replace("scripts/emit", "set -eu", "set -e")),
    (manual.check_pages, replace("build/ktrack", "'  list  ", "'  show       show things'\necho '  list  ")),
    (manual.check_pages, {"userspace/cli/ktrack-gone.1": GOOD["userspace/cli/ktrack-list.1"]}),
]


def plant(root, files):
    """Writes a tree."""
    for name, text in files.items():
        path = Path(root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    Path(root, "build/ktrack").chmod(0o755)


def findings(check, files):
    """What a rule finds in a tree; a reason if it cannot run here."""
    with tempfile.TemporaryDirectory() as root:
        plant(root, files)
        try:
            return list(check(Tree(root)))
        except Skip as why:
            return str(why)


def check_break(tap, check, files):
    """One violation; its text is the name of the test."""
    text = "; ".join(f"{name}: {text.removeprefix(GOOD.get(name, ''))[-60:]!r}" for name, text in files.items())
    title = f"{check.__doc__}; refused: {text}"
    found = findings(check, {**GOOD, **files})
    if isinstance(found, str):
        tap.skip(title, found)
    else:
        tap.ok(found, title)


def check_git(tap):
    """In a repository, what git ignores is no part of the tree."""
    with tempfile.TemporaryDirectory() as root:
        plant(root, {**GOOD, ".gitignore": f"# {GPL}\n# Ignored.\n/build/\n", "new.py": ""})
        process.run(["git", "init", "-q", root], check=True)
        names = {file.name for file in Tree(root).files}
        is_right = "build/ktrack" not in names and {"Makefile", "new.py"} <= names
        tap.ok(is_right, "git decides which files belong to the tree", sorted(names))


@tested
def main(tap):
    """Runs all of it."""
    checks = [check for area in AREAS for check in area.CHECKS]
    for check in checks:
        found = findings(check, GOOD)
        if isinstance(found, str):
            tap.skip(check.__doc__, found)
        else:
            tap.nothing(found, f"{check.__doc__}; accepted: a small tree")
    for check, files in BREAKS:
        check_break(tap, check, files)
    untried = [check.__name__ for check in checks if check not in {one[0] for one in BREAKS}]
    tap.nothing(untried, "every rule refuses something")
    check_git(tap)
