#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: a field of the convention, a pack, a command, an option, a column and a property need the files that CONTRIBUTING.md lists, and no others."""

import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE), str(HERE.parent / "outputs")]

import cases  # noqa: E402
from tap import tested  # noqa: E402
from tree import PROJECT, build, copy, declare, edit, run  # noqa: E402

RECORDING = """\
writer "ktrack 0.2.0 thread 9\\n# example\\n"
event demo:io 100 char track_event_type; string slice_name; u32 example

0    7@0 io B read 5
1us  7@0 io E read 6
"""

PACK = """\
# SPDX-License-Identifier: GPL-2.0-only
instant example:record
	event = demo:io  name=record {example:raw}
"""

COMMAND = """\
// SPDX-License-Identifier: GPL-2.0-only
/* ktrack example: does nothing. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/option.h"
#include "cli/option_parts.h"

static const struct option_row example_rows[] = {
	{ 0, "count", "NUMBER", "print this number", option_store_text,
	  offsetof(struct example_settings, count), .needs_text = true },
};

static int example_main(int argc, char **argv, struct error *error)
{
	struct example_settings settings = { .count = "no" };
	struct option_table table = {
		.usage = "example [OPTION]...",
		.about = "Does nothing.",
		.notes = "Exit status: 0 success; 2 wrong usage.",
		.operand = option_refuse_operand,
		.parts = { { example_rows, sizeof(example_rows) / sizeof(example_rows[0]) } },
	};
	int operand, status;

	if (!options_read(&table, argc, argv, &settings, &operand, &status, error))
		return status;
	printf("%s examples\\n", settings.count);
	return example_run(&settings);
}

const struct cli_command example_command = {
	.name = "example",
	.summary = "do nothing",
	.run = example_main,
};
"""

RUN = """\
// SPDX-License-Identifier: GPL-2.0-only
/* ktrack example. */
#include "check/check.h"

int example_run(const struct example_settings *settings)
{
	return settings->count ? STATUS_DONE : STATUS_FAILED;
}
"""

DECLARED = """\
/** struct example_settings - the option */
struct example_settings {
	const char *count;
};

/** example_run - do nothing; returns the exit status */
int example_run(const struct example_settings *settings);

#endif
"""

OPTION = """\
	{ 0, "example", "WORD", "refuse a word", apply_example, .needs_text = true },
};
"""

APPLY = """\
static int apply_example(void *settings, const char *word, struct error *error)
{
	(void)settings;
	return error_set(error, "--example: %s is refused", word);
}

static const struct option_row clean_rows[] = {
"""

COLUMNS = "static const struct stat_column stat_columns[] = {\n"
COLUMN = '\t{ "EXAMPLE", "example", "example", EVERY(SLICES), UNIT_COUNT, ROW(nr_unfinished) },\n'
ROLE = """\
	[ROLE_EXAMPLE] = { ACCEPTED_NUMBER, OF_ALL, 0, .name = "example",
			   .passing = PASSING_AT_END, .mark = "example" },
	[ROLE_EXTRA] = """

PROPERTY = '\t{ "example", VALUE_BOOLEAN, MEMBER(is_example), WHOLE, .word = "has one" },\n'


def add_field(tree):
    """Behind the roles that have a reference in each descriptor, so that the structs stay as they are."""
    declare(tree, "userspace/event/descriptor.h", "\tROLE_EXTRA,", "\tROLE_EXAMPLE,\n\tROLE_EXTRA,")
    edit(tree, "userspace/convention/descriptor.c", "\t[ROLE_EXTRA] = ", ROLE)


def add_pack(tree):
    """A file and two lines."""
    (tree / "userspace/rules/packs/example.rules").write_text(PACK)
    edit(tree, "userspace/rules/packs.c", "PACK(marker);\n", "PACK(marker);\nPACK(example);\n")
    edit(tree, "userspace/rules/packs.c", "\t{ 0 },\n", '\t{ "example", "an example", pack_example, KERNELS },\n\t{ 0 },\n')


def add_command(tree):
    """A file with its options, one with what it does, both declared, and a place in the list."""
    (tree / "userspace/cli/example.c").write_text(COMMAND)
    (tree / "userspace/check/example.c").write_text(RUN)
    declare(tree, "userspace/check/check.h", "#endif\n", DECLARED)
    declare(tree, "userspace/cli/cli.h", "extern const struct cli_command clean_command;\n",
            "extern const struct cli_command clean_command;\nextern const struct cli_command example_command;\n")
    edit(tree, "userspace/cli/main.c", "&doctor_command,\n", "&doctor_command,\n\t&example_command,\n")


def add_option(tree):
    """A row and its function."""
    edit(tree, "userspace/cli/clean.c", "};\n\nstatic void instance_print", OPTION + "\nstatic void instance_print")
    edit(tree, "userspace/cli/clean.c", "static const struct option_row clean_rows[] = {\n", APPLY)


def add_column(tree):
    """A row."""
    edit(tree, "userspace/sink/stat/columns.c", COLUMNS, COLUMNS + COLUMN)


def add_property(tree):
    """Where the struct has space, so that it stays as it is in files that are not compiled: a member, a row and a line of files."""
    declare(tree, "userspace/event/recording.h", "\tbool counts_ticks;\n", "\tbool counts_ticks;\n\tbool is_example;\n")
    edit(tree, "userspace/event/recording.c", '\t{ "time_unit"', PROPERTY + '\t{ "time_unit"')
    declare(tree, "userspace/tracedat/file.h", '#define TRACE_DAT_BOOT "# boot "\n', '#define TRACE_DAT_BOOT "# boot "\n#define TRACE_DAT_EXAMPLE "# example"\n')
    edit(tree, "userspace/tracedat/file_content.c", "\tconst char *wall_error = NULL;\n", "\tconst char *wall_error = NULL, *example = NULL;\n")
    edit(tree, "userspace/tracedat/file_content.c", "\t\t{ .begin = TRACE_DAT_PART,", "\t\t{ .begin = TRACE_DAT_EXAMPLE, .member = &example },\n\t\t{ .begin = TRACE_DAT_PART,")
    edit(tree, "userspace/tracedat/file_content.c", "\tif (wall_error)\n", "\trecording->is_example = example;\n\tif (wall_error)\n")


# What is added, its row in CONTRIBUTING.md, and what is compiled.
ADDITIONS = (
    (add_field, "a field of the convention", ["convention/descriptor.c"]),
    (add_pack, "a pack of rules", ["rules/packs.c"]),
    (add_option, "an option of a command", ["cli/clean.c"]),
    (add_property, "a property of recordings", ["event/recording.c", "tracedat/file_content.c"]),
    (add_column, "a column of `ktrack stat`", ["sink/stat/columns.c"]),
    (add_command, "a command", ["check/example.c", "cli/example.c", "cli/main.c"]),
)


def guide(row):
    """The files that CONTRIBUTING.md lists for an addition."""
    lines = [line for line in (PROJECT / "CONTRIBUTING.md").read_text().splitlines() if line.startswith(f"| {row}")]
    return lines[0] if len(lines) == 1 else ""


def names(text, path):
    """Whether a guide lists a file: by its path, by that of its kind (NAME), or by its folder."""
    folder, name = path.rsplit("/", 1)
    return any(f"`{one}`" in text for one in (path, f"{folder}/NAME.{name.rsplit('.', 1)[1]}", f"{folder}/"))


def changed(tree):
    """The files of userspace/ that differ from those of the tree."""
    found = []
    for path in (tree / "userspace").rglob("*"):
        own = PROJECT / path.relative_to(tree)
        if path.is_file() and (not own.exists() or own.read_bytes() != path.read_bytes()):
            found.append(str(path.relative_to(tree / "userspace")))
    return set(found)


def check_field(tap, tree):
    """Ends have the argument, as ends have results; begins have not."""
    output, _ = run(tree, "build/ktrack", "export", "-q", "trace.dat")
    lines = {event: line for line in output.splitlines() for event in re.findall(r'"event":"(region_\w+)"', line)}
    found = ['"example":' in lines.get(event, "") for event in ("region_enter", "region_leave")]
    tap.ok(found == [False, True], "a field: outputs follow its row", output)


def check_pack(tap, tree):
    """It is listed and applied."""
    output, status = run(tree, "build/ktrack", "list", "--rules", "--json")
    tap.ok(status == 0 and '"example:record"' in output, "a pack: the list of rules has it", output[-500:])
    output, _ = run(tree, "build/ktrack", "export", "-q", "-r", "example", "trace.dat")
    tap.ok('"category":"example:record","key":"record 5"' in output, "a pack: -r applies it", output)


def check_option(tap, tree):
    """Help and completion have it, and its function gets the word."""
    output, _ = run(tree, "build/ktrack", "clean", "--help-all")
    more, _ = run(tree, "build/ktrack", "--help-options")
    tap.ok("--example=WORD" in output and "\tclean\t-\texample\tWORD" in more, "an option: help and completion have it", output, more[-500:])
    output, status = run(tree, "build/ktrack", "clean", "--example=this")
    tap.ok(status == 2 and "--example: this is refused" in output, "an option: its function gets its value", output)


def check_property(tap, tree):
    """Outputs print what the file says."""
    event, _ = run(tree, "build/ktrack", "export", "-q", "trace.dat")
    chrome, _ = run(tree, "build/ktrack", "export", "-q", "--chrome=-", "trace.dat")
    tap.ok('"param":"example","value":"has one"' in event and '"example":"has one"' in chrome, "a property: outputs follow its row", event, chrome)


def check_column(tap, tree):
    """Tables, JSON and CSV have it, and rows are sorted by it."""
    found = [run(tree, "build/ktrack", "stat", "-q", *words, "trace.dat")[0] for words in ((), ("--json",), ("--csv",))]
    tap.ok("EXAMPLE" in found[0] and '"example":0' in found[1] and "example," in found[2], "a column: table, JSON and CSV have it", *found)
    output, status = run(tree, "build/ktrack", "stat", "-q", "--sort=example", "trace.dat")
    tap.ok(status == 0, "a column: --sort knows it", output)


def check_command(tap, tree):
    """Help has it, and it runs."""
    output, _ = run(tree, "build/ktrack", "--help")
    tap.ok(re.search(r"^ +example +do nothing$", output, re.MULTILINE), "a command: the list of commands has it", output)
    output, status = run(tree, "build/ktrack", "example", "--count=2")
    tap.ok(status == 0 and output == "2 examples\n", "a command: it runs with its option", output)


CHECKS = {add_field: check_field, add_pack: check_pack, add_option: check_option, add_property: check_property, add_column: check_column,
          add_command: check_command}
# What pages.t says of pages that lack these.
MISSING = ("ktrack-rules.5: pack example (6.1, 6.12) is not in the page", "ktrack-clean.1: option example is not in the page",
           "ktrack-outputs.7, def_param: name example is not in the page", "ktrack-stat.1: column EXAMPLE example example is not in the page")


@tested
def main(tap):
    """Adds one after another."""
    with tempfile.TemporaryDirectory() as folder:
        tree, before = Path(folder) / "tree", set()
        copy(tree)
        cases.make_of(RECORDING, tree / "trace.dat")
        for add, row, compiled in ADDITIONS:
            add(tree)
            found, output = build(tree)
            tap.ok(found == [f"userspace/{name}" for name in compiled], f"{row}: nothing else is compiled", found, output[-2000:])
            now, text = changed(tree), guide(row)
            wrong = sorted(name for name in now - before if not names(text, name))
            tap.ok(len(now - before) >= len(compiled) and not wrong, f"{row}: CONTRIBUTING.md lists these files", wrong, text[:500])
            before = now
            CHECKS[add](tap, tree)
            if add is add_column:
                output, status = run(tree, "tests/cli/pages.t")
                missing = [text for text in MISSING if text not in output]
                tap.ok(status != 0 and not missing, "pages without them are failures", missing, output[-3000:])
