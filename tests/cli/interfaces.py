# SPDX-License-Identifier: GPL-2.0-only
"""The interfaces of ktrack, from the program and from the tables of its sources."""

import json
import re
from functools import cache
from pathlib import Path

import process

PROJECT = Path(__file__).resolve().parents[2]
SOURCES = PROJECT / "userspace"
KTRACK = PROJECT / "build/ktrack"


@cache
def said(*words):
    """What ktrack prints."""
    return process.run([KTRACK, *words], capture_output=True, text=True, check=True).stdout


@cache
def source(name):
    """The text of a source."""
    return (SOURCES / name).read_text()


@cache
def options():
    """The value of each option, '-' without one, of each command, by its long and short name. The command '' is ktrack itself."""
    tables = {"": {}}
    for line in said("--help-options").splitlines():
        kind, command, *rest = line.split("\t")
        table = tables.setdefault(command, {})
        if kind == "option":
            table.update({name: rest[2] for name in rest[:2] if name != "-"})
    main = source("cli/main.c").replace('"--" OPTION_LIST', '"--help-options"')
    tables[""] = {name.lstrip("-"): "-" for name in re.findall(r'"(-[a-z]|--[a-z-]+)"', main)}
    return tables


STATUS = re.compile(r"(?:^|[;:,.] |\bor |\n)(\d+(?:\+N)?)(?=[ ,])")
OF_COMMAND = {"125", "126", "127", "128+N"}
AS_STREAM = re.compile(r"as for .?ktrack.stream")


def statuses_of(text):
    """The exit statuses that a text lists; one text refers to ktrack stream for those of a traced command."""
    found = {word for word in STATUS.findall(text) if len(word) < 4 or word.endswith("+N")}
    return found | (OF_COMMAND if AS_STREAM.search(text) else set())


@cache
def statuses():
    """The exit statuses of each command, as its help lists them."""
    found = {}
    for command in set(options()) - {""}:
        notes = said(command, "--help-all").rpartition("Exit status")[2].partition(" ")[2].replace("\n", " ")
        found[command] = statuses_of(notes)
    return found


def possible_statuses(command):
    """The exit statuses that follow from the options and the usage of a command: the help must have them."""
    table = options()[command]
    possible = {"0", "1", "2"} | ({"3"} if {"fail-on-loss", "budget", "compare"} & set(table) else set())
    possible |= {"4"} if "budget" in table else set()
    return possible | (OF_COMMAND if "[-- COMMAND" in said(command, "--help") else set())


@cache
def known_statuses():
    """All of them, by the numbers of enum exit_status."""
    return set(re.findall(r"STATUS_\w+ = (\d+),", source("output/output.h")))


# Calls of the environment whose argument is no constant: what the callers, or the tables, name. None: users name the variables.
INDIRECT = {
    ("userspace/cli/message.c", "variable"): r"terminal_size\((\S+),",
    ("userspace/trace2/session.c", "variable"): r"(?:trace2_inherit|parent_join)\(([A-Z]\w+),",
    ("userspace/trace2/config.c", "config->names[i]"): r"^\t\[TRACE2_KEY_\w+\] = \{ (\S*),",
    ("userspace/trace2/config.c", "buffer_string(&name"): None,
}
# Variables that libraries read for a call of the sources.
OF_LIBRARIES = {"localtime_r(": {"TZ"}, 'setlocale(LC_CTYPE, "")': {"LC_ALL", "LC_CTYPE", "LANG"}, "temp_store = FILE": {"SQLITE_TMPDIR"}}
CALL = re.compile(r"\b(?:secure_)?(?:get|set)env\((\"\w+\"|[\w>&(\[\]-]+)[,)]")


@cache
def sources():
    """The text of each C file that is built into ktrack, its library or programs, by its path; no comments."""
    files = sorted(file for folder in ("userspace", "include") for file in (PROJECT / folder).rglob("*.[ch]"))
    return {str(file.relative_to(PROJECT)): re.sub(r"/\*.*?\*/", "", file.read_text(), flags=re.DOTALL) for file in files}


def constant(word):
    """The text of a string or of a macro that is one; None for other words."""
    if word.startswith('"'):
        return word.strip('"')
    found = re.search(rf'^#define {re.escape(word)}\s+"([^"]*)"', "\n".join(sources().values()), re.MULTILINE)
    return found and found[1]


@cache
def variables():
    """The names of the variables that are read and set: those with a name of their own, and the endings of those of trace2's settings."""
    own, endings = set(), set()
    everything = "\n".join(sources().values())
    for path, text in sources().items():
        for word in CALL.findall(text):
            name = constant(word)
            pattern = None if name else INDIRECT[path, word]
            words = [name] if name else [constant(one) for one in re.findall(pattern, everything, re.MULTILINE)] if pattern else []
            (endings if "names[" in word else own).update(words)
    own.update(name for call, names in OF_LIBRARIES.items() if call in everything for name in names)
    return own, endings


@cache
def prefix():
    """The beginning of the names of ktrack's settings for trace2."""
    return constant("SETTINGS_PREFIX")


def strings(name, begin):
    """The strings of a table in a source, by its declaration; none are empty."""
    body = source(name).partition(begin)[2].partition("\n};")[0]
    assert body, f"{name} has no {begin}"
    return set(re.findall(r'"([^"]*)"', body)) - {""}


@cache
def rule_words():
    """The words of the grammar of rules, by what they are."""
    return {
        "kind": strings("rules/parse.c", "kind_names[] = {"),
        "scope": strings("rules/parse.c", "scope_words[] = {"),
        "key": strings("rules/parse.c", "key_names[] = {"),
        "form": strings("rules/naming.c", "form_names[NAMING_FORM_COUNT] = {"),
        "text": strings("rules/marker.c", "marker_events[MARKER_KIND_COUNT] = {"),
        "word": {word for word in re.findall(r'memcmp\(value\.data, "(\w+) "', source("rules/parse.c"))},
    }


@cache
def packs():
    """The packs, and the kernels on which they were tried."""
    rules = [json.loads(line) for line in said("list", "--rules", "--json").splitlines()]
    return {f"{rule['pack']} ({rule['tried_on'] or 'not tried'})" for rule in rules}


@cache
def outputs():
    """The outputs: name, and what their struct sink_kind has set."""
    text = "".join(path.read_text() for path in sorted((SOURCES / "sink").rglob("*.c")))
    common = dict(re.findall(r"^#define (\w+_KIND)\b((?:.*\\\n)*.*)", text, re.MULTILINE))
    text = re.sub(r"^\t(\w+_KIND)\b", lambda match: common[match[1]], text, flags=re.MULTILINE)
    rows = re.findall(r"^const struct sink_kind \w+ = \{\n(.*?)^\};", text, re.DOTALL | re.MULTILINE)
    found = {re.search(r'\.name = "(.*?)"', row)[1]: set(re.findall(r"\.(can_\w+) = true|\.use = (\w+)", row)) for row in rows}
    return {name: {word for pair in words for word in pair if word} for name, words in found.items()}


STAT_COLUMN = re.compile(r'\{ (NULL|"[A-Z+0-9]+"), (NULL|"[^"]*"), (NULL|"[^"]*")[ ,]')


@cache
def stat_columns():
    """Title, key and word of --sort of the columns of statistics; '-' for none. Those of the last interval are the view's only."""
    rows = [[word.strip('"').replace("NULL", "-") for word in row] for row in STAT_COLUMN.findall(source("sink/stat/columns.c"))]
    return {tuple(row) for row in rows if row != ["-"] * 3 and not row[0].startswith("+")}


# Calls that write a member of an object, or a part of a text that is one.
MEMBER_CALLS = ("_member\\(out, ", "json_append_(?:text|number|flag)\\(&?\\w+, ", "json_append_member\\(out, text_of\\(", "level_append\\(&sink->message, ", "moment_append\\(sink, ")
MEMBER = re.compile(rf'\\"(\w+)\\":|(?:{"|".join(MEMBER_CALLS)})"(\w+)"')
ROW = re.compile(r'\{ "(\w+)", ')


def body(name, function):
    """The text of a function."""
    found = re.search(rf"^[^\n]*\b{function}\([^;]*?\n\{{\n.*?^\}}\n", source(name), re.MULTILINE | re.DOTALL)
    assert found, f"{name} has no {function}()"
    return found[0]


def members(name, *functions):
    """The names of members that functions write."""
    found = [MEMBER.findall(body(name, function)) for function in functions]
    return {word for names in found for match in names for word in match if word} - {"args"}


def properties(output):
    """The properties of recordings that an output prints by their table."""
    text = source("event/recording.c")
    outputs = {name: set(re.findall(r"\w+", bits)) for name, bits in re.findall(r"^#define (\w+) \((RECORDING_.*)\)$", text, re.MULTILINE)}
    rows = re.findall(r'\{ "(\w+)", VALUE_\w+, MEMBER\(\w+\),([^}]*)\}', text)
    found = {name: set(re.findall(r"[A-Z]\w+", bits)) for name, bits in rows}
    return {name for name, bits in found.items() if output in bits.union(*(outputs.get(bit, ()) for bit in bits))}


@cache
def event_objects():
    """The names in the objects of EVENT lines, and of parameters and counters, by the name of their list in the page."""
    lines = "sink/trace2/trace2.c"
    machine = properties("RECORDING_TRACE2_MACHINE") | set(re.findall(r'machine_parameter_write\(sink, machine, "(\w+)"', source(lines)))
    parameters = properties("RECORDING_TRACE2")
    parameters |= set(re.findall(r'(?:message_parameter|moment)_write\(sink, "(\w+)"', source(lines)))
    numbered = {word + ".N" for word in re.findall(r'"(\w+)\.%u"', source(lines))}
    numbered |= {word + ".KEY" for word in re.findall(r'"(\w+)\."\)', source(lines))}
    return {
        "def_param": parameters | numbered | {f"machine.N.{one}" for one in machine},
        "counter": set(ROW.findall(body(lines, "totals_write"))),
        "Value of category track": members("timeline/timeline.c", "identity_append_scope", "track_append_identity"),
        "Value of category summary": members("sink/trace2/record.c", "levels_write"),
        "Value of category ktrack": members(lines, "trace2_write_tracepoint"),
        "Args of a gap": members(lines, "loss_args_set"),
    }


@cache
def recorded_words():
    """What is recorded of a tracepoint of a module that was loaded or unloaded."""
    return set(re.findall(r'\[TIMELINE_RECORDED_\w+\] = "(\w+)"', source("sink/trace2/trace2.c")))


def golden_lines():
    """The EVENT lines of all goldens."""
    for file in sorted((PROJECT / "tests/golden").glob("*.event")):
        for line in file.read_text(errors="replace").splitlines():
            yield json.loads(line, strict=False)


@cache
def golden_objects():
    """What is seen of event_objects(), and of the keys of events, in the goldens."""
    events, objects = {}, {}
    for line in golden_lines():
        kind = line["event"]
        events.setdefault(kind, set()).update(line)
        if kind == "data_json" and line["category"] in ("track", "summary", "ktrack"):
            objects.setdefault(f"Value of category {line['category']}", set()).update(line["value"])
        elif kind == "error":
            objects.setdefault("Args of a gap", set()).update(line.get("args", {}))
        elif kind == "def_param":
            name = re.sub(r"^label\..*", "label.KEY", re.sub(r"^(machine|trigger)\.[0-9]+", r"\1.N", line["param"]))
            objects.setdefault("def_param", set()).add(name)
        elif kind == "counter":
            objects.setdefault("counter", set()).add(line["name"])
    return events, objects
