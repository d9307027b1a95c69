#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: each house rule accepts a small tree that keeps it, and refuses each small breach of it."""

import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from house import calls, descriptions, headers, manual, rooms, shell, size, words  # noqa: E402
from house.tree import Skip, Tree  # noqa: E402
from tap import Tap  # noqa: E402

AREAS = (headers, descriptions, rooms, size, words, calls, shell, manual)

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
#include "trace2/trace2.h"

int main(void)
{{
\tfputs("x exit(1) typedef", stderr);
\texit(0);
}}
"""
HELP = f"""#!/bin/sh
# {GPL}
# Stands for the program.
set -eu
echo 'usage: ktrack COMMAND'
echo
echo '  list       list things'
echo '  --version  tell the version'
"""
CHILD = f"""// {GPL}
/* Starts a command. */
#include <tracefs.h>

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
 * count_things - tell how many there are
 * @first: where counting begins
 */
#define count_things(first) count_them(first)
"""
SCRIPT = f"#!/bin/sh\n# {GPL}\n# Says a word.\nset -eu\necho word\n"
PYTHON = f'#!/usr/bin/env python3\n# {GPL}\n"""Test: nothing."""\n\n\ndef main():\n    pass\n'

# A tree that keeps all rules.
GOOD = {
    "Makefile": f"# {GPL}\n# Builds it.\nall:\n",
    "README.md": f"<!-- {GPL} -->\n# It\n",
    "LICENSES/MIT.txt": "As it is. \n\n",
    "tests/formats/6.1/one.page": "raw \n\n",
    "include/trace2/trace2.h": f"/* {DUAL} */\n/* The library. */\n",
    "include/ktrack/define.h": f"/* {DUAL} */\n/* Defines tracepoints. */\n",
    "include/ktrack/fields.h": f"/* {DUAL} */\n/* Names of fields. */\n",
    "include/ktrack/count.h": COUNTING,
    "userspace/base/base.h": f"/* {DUAL} */\n/* What all need. */\n",
    "userspace/base/count.h": f"/* {DUAL} */\n/* Counting of things. */\n",
    "userspace/base/count.c": BASE,
    "userspace/recorder/recorder.h": f"/* {GPL} */\n/* Makes recordings. */\n",
    "userspace/recorder/command.c": CHILD,
    "userspace/cli/main.c": MAIN,
    "userspace/cli/ktrack-list.1": f'.\\" {GPL}\n.TH KTRACK-LIST 1\n',
    "scripts/say": SCRIPT,
    "tests/nothing.t": PYTHON,
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


def lines(count, before="", behind=""):
    """So many lines."""
    return before + "\tcount();\n" * count + behind


COUNT = "userspace/base/count.c"
LIBRARY = "userspace/recorder/command.c"
PROGRAM = "userspace/cli/main.c"
HEAD = f"// {GPL}\n/* A file. */\n"

# (the rule that must refuse it, what it is, the files that change)
BREAKS = [
    (headers.check_languages, "a file of unknown kind", {"scripts/thing": "what?\n"}),
    (headers.check_licences, "a file without a licence", replace("scripts/say", f"# {GPL}\n", "")),
    (headers.check_licences, "an empty file", {"userspace/base/empty.c": ""}),
    (headers.check_licences, "another licence", replace(PROGRAM, "2.0-only", "2.0-or-later")),
    (headers.check_licences, "base without its choice", replace(COUNT, " OR MIT", "")),
    (headers.check_licences, "cli with a choice", replace(PROGRAM, "only", "only OR MIT")),
    (
        headers.check_licences,
        "a header with a source's mark",
        replace("include/ktrack/define.h", f"/* {DUAL} */", f"// {DUAL}"),
    ),
    (headers.check_sentences, "no sentence", replace(COUNT, "/* Counts things. */\n", "")),
    (headers.check_sentences, "a word for a sentence", replace(COUNT, "Counts things.", "Counter")),
    (
        headers.check_sentences,
        "a script without a sentence",
        replace("scripts/say", "# Says a word.\n", ""),
    ),
    (
        headers.check_sentences,
        "Python without a sentence",
        replace("tests/nothing.t", '"""Test: nothing."""\n', ""),
    ),
    (
        descriptions.check_descriptions,
        "an argument that is not described",
        replace("include/ktrack/count.h", "things(first)", "things(first, last)"),
    ),
    (
        descriptions.check_descriptions,
        "a description of something else",
        replace("include/ktrack/count.h", "count_things -", "count_all, count_things -"),
    ),
    (rooms.check_rooms, "a room that is not in the table", {"userspace/attic/box.c": HEAD}),
    (rooms.check_rooms, "a source outside of the rooms", {"userspace/box.c": HEAD}),
    (rooms.check_directions, "base includes recorder", include(COUNT, '"recorder/recorder.h"')),
    (rooms.check_directions, "the same by a path", include(COUNT, '"../recorder/recorder.h"')),
    (rooms.check_directions, "the same in angles", include(COUNT, "<recorder/recorder.h>")),
    (rooms.check_directions, "recorder includes trace2", include(LIBRARY, '"trace2/trace2.h"')),
    (rooms.check_directions, "a private header", include(PROGRAM, '"base/count.h"')),
    (
        rooms.check_directions,
        "a public header that goes astray",
        include("userspace/base/base.h", '"recorder/recorder.h"'),
    ),
    (rooms.check_directions, "cli and libtracefs", include(PROGRAM, "<tracefs.h>")),
    (rooms.check_directions, "recorder and libtraceevent", include(LIBRARY, "<event-parse.h>")),
    (
        rooms.check_directions,
        "recorder and libtracecmd",
        include(LIBRARY, "<trace-cmd/trace-cmd.h>"),
    ),
    (
        rooms.check_directions,
        "libtrace2's header includes another room",
        include("include/trace2/trace2.h", '"recorder/recorder.h"'),
    ),
    (rooms.check_directions, "a kernel header", include(PROGRAM, "<ktrack/define.h>")),
    (
        rooms.check_directions,
        "the fields' names in the wrong room",
        include(PROGRAM, "<ktrack/fields.h>"),
    ),
    (rooms.check_public_headers, "a room without its header", {"userspace/track/track.c": HEAD}),
    (
        rooms.check_kernel_headers,
        "a driver's header and userspace",
        include("include/ktrack/define.h", '"../../userspace/base/base.h"'),
    ),
    (
        rooms.check_kernel_headers,
        "a driver's header and our modules",
        include("include/ktrack/define.h", '"../../kmod/private.h"'),
    ),
    (
        size.check_functions,
        "a long function in C",
        add(COUNT, lines(59, "\nint count(int number,\n\t  int more)\n{\n", "}\n")),
    ),
    (
        size.check_functions,
        "a long function in Python",
        add("tests/nothing.t", lines(60, "\n\ndef run():\n")),
    ),
    (
        size.check_functions,
        "a long function in shell",
        add("scripts/say", lines(59, "run() {\n", "}\n")),
    ),
    (size.check_files, "a long file", add(COUNT, lines(500))),
    (words.check_typedefs, "a typedef", add(COUNT, "typedef int count;\n")),
    (words.check_outside, "a folder outside", add("README.md", "See ../" "shared.\n")),
    (words.check_outside, "a paper outside", add("README.md", "See design" ".md.\n")),
    (words.check_outside, "a path of a machine", add("scripts/say", "# /work" "/main\n")),
    (words.check_outside, "an issue's number", add("scripts/say", "# Issue" " 12.\n")),
    (words.check_outside, "a registry", add("scripts/say", "# deb.deb" "ian.org\n")),
    (words.check_blanks, "a blank at a line's end", add(COUNT, "/* x */ \n")),
    (words.check_blanks, "a tab on an empty line", add(COUNT, "\t\n/* x */\n")),
    (words.check_blanks, "a carriage return", add("README.md", "text\r\n")),
    (words.check_ends, "no line feed at the end", add(COUNT, "/* x */")),
    (words.check_ends, "an empty line at the end", add(COUNT, "\n")),
    (calls.check_talk, "stderr in base", add(COUNT, "fputs(text, stderr);\n")),
    (calls.check_talk, "perror in base", add(COUNT, "perror (text);\n")),
    (calls.check_talk, "dprintf in base", add(COUNT, "dprintf(2, text);\n")),
    (calls.check_talk, "warn in base", add(COUNT, "warn(text);\n")),
    (calls.check_exits, "exit in base", add(COUNT, "exit(1);\n")),
    (calls.check_exits, "exit in cli", {"userspace/cli/list.c": HEAD + "exit (1);\n"}),
    (calls.check_exits, "abort in base", add(COUNT, "abort();\n")),
    (calls.check_exits, "_exit without a child", add(COUNT, "_exit(1);\n")),
    (shell.check_shellcheck, "a word that is not quoted", add("scripts/say", "rm $1\n")),
    (shell.check_strict, "no set -eu", replace("scripts/say", "set -eu", "set -e")),
    (
        manual.check_pages,
        "a command without a page",
        replace("build/ktrack", "'  list  ", "'  show       show things'\necho '  list  "),
    ),
    (
        manual.check_pages,
        "a page without a command",
        {"userspace/cli/ktrack-gone.1": GOOD["userspace/cli/ktrack-list.1"]},
    ),
]


def plant(root, files):
    """Writes a tree."""
    for name, text in files.items():
        path = Path(root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    Path(root, "build/ktrack").chmod(0o755)


def findings(check, files):
    """What a rule finds in a tree; None where it can't tell here."""
    with tempfile.TemporaryDirectory() as root:
        plant(root, files)
        try:
            return list(check(Tree(root)))
        except Skip as why:
            return str(why)


def check_break(tap, check, what, files):
    """One breach."""
    title = f"{check.__doc__}; refused: {what}"
    found = findings(check, {**GOOD, **files})
    if isinstance(found, str):
        tap.skip(title, found)
    else:
        tap.ok(found, title)


def check_git(tap):
    """In a repository, what git ignores is no part of the tree."""
    with tempfile.TemporaryDirectory() as root:
        plant(root, {**GOOD, ".gitignore": f"# {GPL}\n# Ignored.\n/build/\n", "new.py": ""})
        subprocess.run(["git", "init", "-q", root], check=True, timeout=60)
        names = {file.name for file in Tree(root).files}
        is_right = "build/ktrack" not in names and {"Makefile", "new.py"} <= names
        tap.ok(is_right, "git tells which files belong to the tree", sorted(names))


def main():
    """Runs all of it."""
    tap = Tap()
    checks = [check for area in AREAS for check in area.CHECKS]
    for check in checks:
        found = findings(check, GOOD)
        if isinstance(found, str):
            tap.skip(check.__doc__, found)
        else:
            tap.nothing(found, f"{check.__doc__}; accepted: a small tree")
    for check, what, files in BREAKS:
        check_break(tap, check, what, files)
    untried = [check.__name__ for check in checks if check not in {one[0] for one in BREAKS}]
    tap.nothing(untried, "every rule refuses something")
    check_git(tap)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
