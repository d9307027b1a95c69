#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: tests/mutants reports mutants that no test notices, and lists that do not fit the code; then runs four of the project's."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS)]

from tap import tested  # noqa: E402

SAMPLE = 4
LIMITS = """\
// Prints 1 if a number is inside.
#define LIMIT(n) \\
\t((n) < 10)
static int is_low(int number)
{
	return number <
	       3;
}
int is_inside(int number)
{
	return number >= 3 && LIMIT(number);
}
int is_outside(int number)
{
	return is_low(number) || !LIMIT(number);
}
"""
PROGRAM = """\
#include <stdio.h>
int is_inside(int number), is_outside(int number);
int main(void)
{
	int is_well = is_inside(3) && !is_inside(10);
	printf("%sok 1 - from three to nine\\n", is_well ? "" : "not ");
	printf("%sok 2 - five is inside\\n1..2\\n", is_inside(5) ? "" : "not ");
	return !is_well || !is_inside(5);
}
"""
MAKEFILE = """\
userspace: build/tests/unit/one
build/tests/unit/one: build/limits.o build/one.o
	mkdir -p $(@D)
	$(CC) -o $@ $^
build/%.o: %.c
	mkdir -p $(@D)
	$(CC) -c -o $@ $<
"""
ONE = "build/tests/unit/one"
CHANGE = "file limits.c\nfunction is_inside\nreplace number >= 3\nwith number > 3\n"
SHELL_TEST = "#!/bin/sh\nbuild/tests/unit/one\n"

# what, the lines of a mutant, whether all is well, words of the output
CASES = (
    ("noticed", f"{CHANGE}red {ONE} : from three", True, ("ok 3 - it: one notices it",)),
    ("noticed by any result", f"{CHANGE}red {ONE}", True, ("ok 3 - it: one notices it",)),
    ("noticed by a script", f"{CHANGE}red tests/x/one.t : from three", True, ("ok 3 - it: one.t notices it",)),
    ("a script changes", "file tests/x/one.t\nreplace build/tests/unit/one\nwith echo not ok 1 - from three; echo 1..1\nred tests/x/one.t : from three", True,
     ("ok 3 - it: one.t notices it",)),
    ("another result is red", f"{CHANGE}red {ONE} : five", False, ("not ok 3 - it: one does not", "'five' is green")),
    ("one of two tests is green", f"{CHANGE}red {ONE}\nred {ONE} : five", False, ("not ok 3 - it", "'five' is green")),
    ("no such result", f"{CHANGE}red {ONE} : six", False, ("not ok 3 - it", "no result 'six'")),
    ("survives", f"{CHANGE.replace('is_inside', 'is_low').replace('>= 3', '< 3').replace('> 3', '< 4')}red {ONE}", False,
     ("not ok 3 - it: one does not notice it", f"{ONE}: green")),
    ("dies before the result", f"{CHANGE.replace('> 3', '/ 0')}red {ONE} : five", True, ("ok 3 - it: one notices it",)),
    ("does not compile", f"{CHANGE.replace('> 3', '> ;')}red {ONE}", False, ("not ok 3 - it", "does not compile")),
    ("no such text", f"{CHANGE.replace('>= 3', '>= 4')}red {ONE}", False, ("not ok 1 - the texts", "0 times in is_inside() of limits.c")),
    ("text twice", f"{CHANGE.replace('number >= 3', 'number')}red {ONE}", False, ("3 times in is_inside()",)),
    ("no such function", f"{CHANGE.replace('is_inside', 'is_small')}red {ONE}", False, ("no function is_small in limits.c",)),
    ("no such file", f"{CHANGE.replace('limits.c', 'bounds.c')}red {ONE}", False, ("no file bounds.c",)),
    ("a macro, white space", f"{CHANGE.replace('is_inside', 'LIMIT').replace('number >= 3', '(n)  <').replace('number > 3', '(n) <=')}red {ONE}", True,
     ("ok 3 - it: one notices it",)),
    ("no test", CHANGE, False, ("Bail out!", "no line 'red'")),
    ("a line twice", f"{CHANGE}file limits.c\nred {ONE}", False, ("Bail out!", "list:7: not expected here: file limits.c")),
    ("an unknown word", f"{CHANGE}sed s/3/4/\nred {ONE}", False, ("Bail out!", "not expected here: sed")),
    ("two of one name", f"{CHANGE}red {ONE}\nmutant it\n{CHANGE}red {ONE}", False, ("Bail out!", "two mutants have this name")),
)


class Project:
    """A scratch tree with a copy of the tool."""

    def __init__(self, folder):
        self.root = Path(folder)
        (self.root / "tests/mutants.d").mkdir(parents=True)
        (self.root / "tests/x").mkdir()
        for name in ("mutants", "commit.py", "process.py", "tap.py"):
            shutil.copy(TESTS / name, self.root / "tests")
        self.write("limits.c", LIMITS)
        self.write("one.c", PROGRAM)
        self.write("Makefile", MAKEFILE)
        self.write("tests/x/one.t", SHELL_TEST)
        (self.root / "tests/x/one.t").chmod(0o755)
        self.command("make")

    def write(self, name, text):
        """One file."""
        (self.root / name).write_text(text)

    def command(self, *words):
        """Runs a command in the tree; returns its status and output."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS", "GIT_"))}
        done = subprocess.run(
            words,
            cwd=self.root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return done.returncode, done.stdout.decode()

    def state(self):
        """The tree's files: their bytes and times."""
        paths = [path for path in self.root.rglob("*") if path.is_file() and ".git" not in path.parts]
        return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}


def check_case(tap, what, block, is_well, words):
    """One mutant on its own."""
    with tempfile.TemporaryDirectory() as folder:
        project = Project(folder)
        project.write("tests/mutants.d/list", f"# A list.\nmutant it\n{block}\n")
        before = project.state()
        status, output = project.command("tests/mutants", "--all")
        after = project.state()
    tap.ok((status == 0) == is_well and all(word in output for word in words), what, status, output)
    tap.ok(before == after, f"{what}: the tree is as before", sorted(name for name in after if after[name] != before.get(name)))


def check_red_before(tap):
    """A test that is red anyway proves nothing."""
    with tempfile.TemporaryDirectory() as folder:
        project = Project(folder)
        project.write("limits.c", LIMITS.replace("< 10", "< 11"))
        project.write("tests/mutants.d/list", f"mutant it\n{CHANGE}red {ONE} : from three\n")
        status, output = project.command("tests/mutants", "it")
    is_found = f"not ok 2 - without a mutant: {ONE} is green" in output and "not ok 3 - it" in output
    tap.ok(status == 1 and is_found, "a test that is red without a mutant is a failure", output)


def check_two_at_once(tap):
    """Two runs in one tree, whose mutants have the same name."""
    with tempfile.TemporaryDirectory() as folder:
        project = Project(folder)
        project.write("tests/mutants.d/list", f"mutant it\n{CHANGE}red {ONE} : from three\n")
        status, output = project.command("sh", "-c", "tests/mutants it & tests/mutants it; first=$?; wait $! && exit $first")
        left = [path.name for path in (project.root / "build/mutants").iterdir()]
    tap.ok(status == 0 and output.count("ok 3 - it: one notices it") == 2, "two runs at once do not meet", output)
    tap.ok(not left, "and leave nothing", left)


def check_sample(tap):
    """Which ones are taken."""
    with tempfile.TemporaryDirectory() as folder:
        project = Project(folder)
        for name in range(9):
            vm = "vm\n" if name < 3 else ""
            project.write(f"tests/mutants.d/{name}", f"mutant m{name}\n{CHANGE}{vm}red {ONE}\n")
        sample = ("tests/mutants", "--list", "--sample", "3")
        lists = [project.command(*sample)[1] for _ in range(2)]
        project.command("git", "init", "-q")
        for text in range(8):
            words = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", str(text))
            project.command(*words)
            lists.append(project.command(*sample)[1])
        whole = project.command("tests/mutants", "--list", "--all")[1]
    names = [re.findall(r"^m\d", text, re.MULTILINE) for text in lists]
    tap.ok(names[0] == names[1], "a tree without git has one sample", names)
    tap.ok(all(len(set(found)) == 3 for found in names), "a sample has as many as are asked for", names)
    tap.ok(not any(name in ("m0", "m1", "m2") for found in names for name in found), "and none with a virtual machine", names)
    tap.ok(len(set(map(tuple, names))) > 2, "commits have different samples", names)
    tap.ok(len(re.findall(r"^m\d", whole, re.MULTILINE)) == 9, "--all takes all", whole)


def check_project(tap):
    """A sample of the project's mutants, whose results are those of this test."""
    done = subprocess.run([TESTS / "mutants", "--sample", str(SAMPLE)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    output = done.stdout.decode(errors="replace")
    results = re.findall(r"^(not ok|ok) \d+ - (.*)", output, re.MULTILINE)
    for verdict, text in results:
        tap.ok(verdict == "ok", text, output)
    noticed = sum(text.endswith("notices it") for _, text in results)
    tap.ok(done.returncode == 0 and noticed == SAMPLE, f"{SAMPLE} of the project's mutants are noticed", output)


@tested
def main(tap):
    """Runs the cases."""
    for case in CASES:
        check_case(tap, *case)
    check_red_before(tap)
    check_two_at_once(tap)
    check_sample(tap)
    check_project(tap)
