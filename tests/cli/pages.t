#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: every interface of ktrack is in its man page, and the pages name none that does not exist."""

import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE), str(HERE.parent / "stream")]

import interfaces  # noqa: E402
import manpage  # noqa: E402
import process  # noqa: E402
from reading import schema  # noqa: E402
from tap import Tap  # noqa: E402

LONG = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*)(\[?=)?")
VALUE = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*)\[?=([^,]*?)\]?(?=,|$)")
SHORT = re.compile(r"(?<![\w-])-([a-zA-Z])(?![\w-])")
VARIABLE = re.compile(r"\b[A-Z][A-Z0-9_]+\b")
OUTPUTS, RULES, STAT = "ktrack-outputs.7", "ktrack-rules.5", "ktrack-stat.1"
# Options whose page spells out the value that the help has as one word.
SPELLED = {"stack", "probe", "uprobe", "usdt", "budget"}
# Options of other programs that pages name.
FOREIGN_OPTIONS = {"ktrack-doctor.1": {"import", "list-new", "test-key"}, "ktrack-why.1": {"raw-ts"}, "libtrace2.3": {"cflags", "libs"}}


def both(where, what, wanted, found):
    """What is in one of two sets only."""
    yield from (f"{where}: {what} {one} is not in the page" for one in sorted(wanted - found))
    yield from (f"{where}: there is no {what} {one}" for one in sorted(found - wanted))


def wrong_options(pages):
    """OPTIONS of each command has both names of its options, that of ktrack(1) those that all commands have, and their values with
    the names of --help; all pages name existing options only."""
    tables = dict(interfaces.options())
    common = set.intersection(*(set(table) for command, table in tables.items() if command))
    tables = {command: {name: table[name] for name in set(table) - common} for command, table in tables.items()}
    tables[""] |= dict.fromkeys(common, "-")
    for command, table in tables.items():
        page = pages[f"ktrack-{command}.1" if command else "ktrack.1"]
        tags = [line.text for line in page.tags("OPTIONS")]
        named = {name for tag in tags for name, _ in LONG.findall(tag)} | {name for tag in tags for name in SHORT.findall(tag)}
        yield from both(page.name, "option", set(table), named)
        valued = {name for tag in tags for name, sign in LONG.findall(tag) if sign}
        yield from (f"{page.name}: option {name} has no value" for name in sorted(valued) if not table.get(name, "-").strip("-"))
        for name, value in sorted({found for tag in tags for found in VALUE.findall(tag)}):
            wanted = table.get(name, "-").strip("[=]")
            if name not in SPELLED and wanted != "-" and value.replace(" ", "") != wanted.replace(" ", ""):
                yield f"{page.name}: the value of {name} is {wanted} in the help"
    known = {name for table in tables.values() for name in table}
    for page in pages.values():
        named = {name for line in page.lines for name, _ in LONG.findall(line.text)}
        for name in sorted(named - known - FOREIGN_OPTIONS.get(page.name, set())):
            yield f"{page.name}: no command has the option --{name}"


def wrong_statuses(pages):
    """EXIT STATUS of each command has what its help has, and what its options make possible; ktrack(1) has all without a traced command."""
    found = interfaces.statuses()
    for command, listed in found.items():
        page = pages[f"ktrack-{command}.1"]
        possible = interfaces.possible_statuses(command)
        yield from (f"ktrack {command} --help-all: no exit status {one}" for one in sorted(possible - listed))
        yield from (f"ktrack {command} --help-all: exit status {one} is not possible" for one in sorted(listed - possible))
        yield from both(page.name, "exit status", listed, interfaces.statuses_of(page.text("EXIT STATUS")))
    known = interfaces.known_statuses()
    own = {one for one in known if len(one) == 1}
    yield from both("ktrack.1", "exit status", own, interfaces.statuses_of(pages["ktrack.1"].text("EXIT STATUS")))
    yield from both("enum exit_status", "exit status", {one for listed in found.values() for one in listed} - {"128+N"}, known)


def wrong_variables(pages):
    """The sections ENVIRONMENT together have all variables, and SETTINGS of libtrace2(3) those with its own prefix."""
    own, endings = interfaces.variables()
    named = {name for page in pages.values() for line in page.tags("ENVIRONMENT") for name in VARIABLE.findall(line.text)}
    yield from both("ENVIRONMENT", "variable", own | {interfaces.prefix() + ending for ending in endings}, named)
    own_prefix = interfaces.constant("DEFAULT_PREFIX")
    parents = {name for name in own if name.startswith(own_prefix)}
    bold = " ".join(word for line in pages["libtrace2.3"].of("SETTINGS") for word in line.bold)
    settings = set(VARIABLE.findall(bold))
    yield from both("libtrace2.3", "variable", parents | {own_prefix + ending for ending in endings}, settings)
    if interfaces.constant("KTRACK_USER_SOCKET_VARIABLE") not in [word for line in pages["ktrack-user.7"].lines for word in line.bold]:
        yield "ktrack-user.7: the variable of the socket is not in the page"


def wrong_rules(pages):
    """The grammar of ktrack-rules(5) has all words, a list has all keys, and each form and pack is described."""
    page, words = pages[RULES], interfaces.rule_words()
    grammar = " ".join(line.text for line in page.of("GRAMMAR") if line.is_code)
    known = {word for kind in words for word in words[kind] if kind != "text"}
    yield from both(f"{page.name}, grammar", "word", known, set(re.findall(r'"(\w+)"', grammar)))
    keys = {word for line in page.tags("GRAMMAR") for word in line.bold if word.isalpha()}
    yield from both(f"{page.name}, list", "key", words["key"], keys)
    lines = [line for line in page.of("GRAMMAR") if line.subsection.startswith("Settings")]
    scopes = words["scope"] & {word for line in lines for word in line.bold}
    yield from both(f"{page.name}, list", "scope", words["scope"], scopes)
    forms = {word[1:] for line in page.of("GRAMMAR") if line.subsection == "Names" for word in line.bold if word.startswith(":")}
    yield from both(f"{page.name}, Names", "form", words["form"], forms)
    yield from both(page.name, "tracepoint of texts", words["text"], set(re.findall(r"\tatrace:(\w+)\t", page.text("PACKS"))))
    yield from both(page.name, "pack", interfaces.packs(), {line.subsection for line in page.of("PACKS") if line.subsection})


def lists_of(lines):
    """The sets of options that lines name, of the lines that name several."""
    return [found for found in ({name for name, _ in LONG.findall(line.text)} for line in lines) if len(found) > 1]


def wrong_outputs(pages):
    """ktrack-outputs(7) has all outputs that options select, and which of them can be compressed and appended to."""
    page, tables, outputs = pages[OUTPUTS], interfaces.options(), interfaces.outputs()
    shared = {name for name, words in outputs.items() if words & {"SINK_USE_TRACE2", "SINK_USE_FILE", "SINK_USE_FOLDER"}}
    served = {name for name, words in outputs.items() if "SINK_USE_SERVER" in words}
    for command in ("export", "stream"):
        missing = (shared | (served if command == "stream" else set())) - set(tables[command])
        yield from (f"ktrack {command}: no option for the output {name}" for name in sorted(missing))
    sections = ("TRACE2 TARGETS", "TIMELINE FILES")
    named = {name for line in page.tags(*sections) for name, _ in LONG.findall(line.text)}
    yield from (f"{page.name}: output {name} is not in the page" for name in sorted(shared - named))
    yield from (f"{page.name}: there is no output {name}" for name in sorted(named - set(tables["export"])))
    yield from (f"{page.name}: output {name} is not in the page" for name in sorted(served) if f"--{name}" not in page.text(*sections))
    commands = {f"ktrack-{name}.1" for name, words in outputs.items() if "SINK_USE_COMMAND" in words}
    yield from (f"{name} is missing" for name in sorted(commands - set(pages)))
    can_compress = {name for name in shared if "can_compress" in outputs[name]}
    compressed, refused = lists_of(page.of("COMPRESSED FILES"))[:2]
    yield from both(f"{page.name}, compressed", "output", can_compress, compressed)
    yield from both(f"{page.name}, not compressed", "output", shared - can_compress, refused)
    lines = page.of("TIMELINE FILES")
    begin = next(at for at, line in enumerate(lines) if line.is_tag and line.text == "--append")
    end = next(at for at, line in enumerate(lines) if line.is_tag and at > begin)
    refused = {name for line in lines[begin + 1 : end] for name, _ in LONG.findall(line.text)}
    yield from both(f"{page.name}, --append", "refused output", {name for name in shared if "can_append" not in outputs[name]}, refused)


def rows_of(lines):
    """The rows of lists: the names in each tag, and the text up to the next tag, if there is one."""
    rows, was_tag = [], False
    for line in lines:
        if line.is_tag and was_tag:
            rows[-1][0].extend(line.text.split(", "))
        elif line.is_tag:
            rows.append([line.text.split(", "), ""])
        elif rows:
            rows[-1][1] += line.text + " "
        was_tag = line.is_tag
    return rows


def names_of(lines):
    """The names in the tags."""
    return {name.strip() for names, _ in rows_of(lines) for name in names}


def nested_of(lines):
    """The lines of lists in a list, by the tag that they are below."""
    nested, outer = {}, ""
    for line in lines:
        if line.depth:
            nested.setdefault(outer, []).append(line)
        elif line.is_tag:
            outer = line.text
    return nested


def wrong_keys(pages):
    """ktrack-outputs(7) lists the keys of each event in their order, what each means, and all names in the objects of lines."""
    page = pages[OUTPUTS]
    parts = {}
    for line in page.of("KEYS OF EVENT LINES"):
        parts.setdefault(line.subsection, []).append(line)
    each = {event: text.strip() for events, text in rows_of(parts["Keys of each event"]) for event in events}
    words = {word for line in parts["Value of category ktrack"] for word in line.bold if not line.is_tag}
    yield from both(page.name, "value of recorded", interfaces.recorded_words(), words)
    head = {key for key, _, _ in schema.parse_spec(schema.HEAD)}
    wanted = {event: schema.parse_spec(spec) for event, spec in schema.EVENTS.items()}
    yield from both(page.name, "event", set(wanted), set(each))
    for event, spec in wanted.items():
        listed = ", ".join(f"[{key}]" if is_optional else key for key, _, is_optional in spec)
        if each.get(event, listed) != listed:
            yield f"{page.name}: keys of {event} are {listed}"
    keys = head | {key for spec in wanted.values() for key, _, _ in spec}
    yield from both(page.name, "key", keys, names_of(parts["Meaning of the keys"]))
    events, objects = interfaces.golden_objects()
    for event, seen in events.items():
        yield from (f"{event}: key {key} of a golden is in no table" for key in sorted(seen - head - {key for key, _, _ in wanted[event]}))
    parts.update(nested_of(page.of("EVENT LINES")))
    for name, wanted in interfaces.event_objects().items():
        yield from both(f"{page.name}, {name}", "name", wanted, names_of(parts.get(name, [])))
        yield from (f"{name}: {one} of a golden is in no source" for one in sorted(objects.get(name, set()) - wanted))


def wrong_columns(pages):
    """The table of ktrack-stat(1) has all columns of statistics, their keys, and their words of --sort, as the message about an unknown one."""
    page = pages[STAT]
    rows = [tuple(line.text.split("\t")) for line in page.of("DESCRIPTION") if line.subsection == "Columns" and "\t" in line.text]
    yield from both(page.name, "column", {" ".join(row) for row in interfaces.stat_columns()}, {" ".join(row) for row in rows[1:]})
    message = process.run([interfaces.KTRACK, "stat", "--sort=nothing", "x"], capture_output=True, text=True, check=False).stderr
    words = {word.partition(" ")[0] for word in message.partition("write one of ")[2].strip().split(", ")}
    yield from both(page.name, "word of --sort", words, {row[2] for row in rows[1:]} - {"-"})


KINDS = {
    "options": wrong_options,
    "exit statuses": wrong_statuses,
    "environment variables": wrong_variables,
    "words of rules": wrong_rules,
    "outputs": wrong_outputs,
    "keys of EVENT lines": wrong_keys,
    "columns of statistics": wrong_columns,
}

# Of each kind: a page, a text of it, what replaces it, and what must be found then.
CHANGES = [
    ("options", "ktrack-clean.1", r'\-v ", " \-\-verbose', r"\-\-verbose", "ktrack-clean.1: option v is not in the page"),
    ("options", "ktrack-watch.1", r"\-\-keep= SIZE", r"\-\-keeps= SIZE", "ktrack-watch.1: option keep is not in the page"),
    ("options", "ktrack.1", r"\-\-quiet", r"\-\-silent", "ktrack.1: option quiet is not in the page"),
    ("options", "ktrack-watch.1", r"\-\-keep= SIZE", r"\-\-keeps= SIZE", "ktrack-watch.1: there is no option keeps"),
    ("options", "ktrack-stat.1", ".B \\-\\-no\\-top\n", ".BI \\-\\-no\\-top= N\n", "ktrack-stat.1: option no-top has no value"),
    ("options", "ktrack-watch.1", r"\-\-keep= SIZE", r"\-\-keep= MEMORY", "ktrack-watch.1: the value of keep is SIZE in the help"),
    ("options", "ktrack-howto.7", ".SH", ".PP\n.B \\-\\-nonsense\n.SH", "ktrack-howto.7: no command has the option --nonsense"),
    ("exit statuses", "ktrack-stat.1", ") or 4, see", "), see", "ktrack-stat.1: exit status 4 is not in the page"),
    ("exit statuses", "ktrack-record.1", "126 the", "128 the", "ktrack-record.1: exit status 126 is not in the page"),
    ("exit statuses", "ktrack-watch.1", "2 wrong usage", "2 wrong usage; 5 bad luck", "ktrack-watch.1: there is no exit status 5"),
    ("exit statuses", "ktrack.1", "4 a budget", "5 a budget", "ktrack.1: exit status 4 is not in the page"),
    ("environment variables", "ktrack.1", "TMPDIR", "TEMPDIR", "ENVIRONMENT: variable TMPDIR is not in the page"),
    ("environment variables", "ktrack.1", "TMPDIR", "TEMPDIR", "ENVIRONMENT: there is no variable TEMPDIR"),
    ("environment variables", "libtrace2.3", ".B GIT_TRACE2_REDACT", ".B GIT_TRACE2_REDUCE", "libtrace2.3: there is no variable GIT_TRACE2_REDUCE"),
    ("words of rules", RULES, '| "unless" "="', '| "until" "="', f"{RULES}, grammar: word unless is not in the page"),
    ("words of rules", RULES, '"unless" "=" names', '"until" "=" names', f"{RULES}, grammar: there is no word until"),
    ("words of rules", RULES, ".B unless\n", ".B until\n", f"{RULES}, list: there is no key until"),
    ("words of rules", RULES, ".SS fs (6.1", ".SS fs (5.10", f"{RULES}: pack fs (6.1, 6.12) is not in the page"),
    ("outputs", OUTPUTS, r".BR \-\-otlp\-metrics =", r".BR \-\-otlp\-meters =", f"{OUTPUTS}: output otlp-metrics is not in the page"),
    ("outputs", OUTPUTS, r".BR \-\-otlp\-metrics =", r".BR \-\-otlp\-meters =", f"{OUTPUTS}: there is no output otlp-meters"),
    ("outputs", OUTPUTS, r'\-\-event ", " \-\-perf ", " \-\-normal', r'\-\-event ", " \-\-normal', f"{OUTPUTS}, compressed: output perf is not in the page"),
    ("outputs", OUTPUTS, r'.BR \-\-chrome ", " \-\-fxt', r".BR \-\-fxt", f"{OUTPUTS}, --append: refused output chrome is not in the page"),
    ("keys of EVENT lines", OUTPUTS, "category, name, count\n", "category, count\n", f"{OUTPUTS}: keys of counter are category, name, count"),
    ("keys of EVENT lines", OUTPUTS, ".BR evt \", \" exe\n", ".BR evt \", \" program\n", f"{OUTPUTS}: there is no key program"),
    ("keys of EVENT lines", OUTPUTS, ".B wall_drift_ns\n", ".B drift_ns\n", f"{OUTPUTS}, def_param: name wall_drift_ns is not in the page"),
    ("keys of EVENT lines", OUTPUTS, "machine. N .shift_ns", "machine. N .delta_ns", f"{OUTPUTS}, def_param: there is no name machine.N.delta_ns"),
    ("keys of EVENT lines", OUTPUTS, ".B late_records\n", ".B delayed_records\n", f"{OUTPUTS}, counter: name late_records is not in the page"),
    ("keys of EVENT lines", OUTPUTS, ".B outer\n", ".B further\n", f"{OUTPUTS}, Value of category track: there is no name further"),
    ("keys of EVENT lines", OUTPUTS, " or \" until_now .", " or \" to_now .", f"{OUTPUTS}: value of recorded until_now is not in the page"),
    ("columns of statistics", STAT, "SELF\tself_ns\tself\n", "", f"{STAT}: column SELF self_ns self is not in the page"),
    ("columns of statistics", STAT, "SELF\tself_ns\tself\n", "OWN\tself_ns\tself\n", f"{STAT}: there is no column OWN self_ns self"),
    ("columns of statistics", STAT, "MEAN\tmean_ns\tmean\n", "MEAN\tmean_ns\t-\n", f"{STAT}: word of --sort mean is not in the page"),
]


def check_kind(tap, kind, pages):
    """The pages of the project."""
    tap.nothing(list(KINDS[kind](pages)), f"the pages and the program have the same {kind}", 60)


def check_change(tap, pages, kind, name, old, new, expected):
    """A changed copy of a page must make the check of its kind fail."""
    text = next(path for path in manpage.PAGES if path.name == name).read_text()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, name)
        copy.write_text(text.replace(old, new, 1))
        found = list(KINDS[kind]({**pages, name: manpage.Page(copy)}))
    tap.ok(old in text and expected in found, f"a change is found: {expected}", f"found is {found}, the text {old in text}")


def main():
    """Each kind, then changed copies."""
    tap, pages = Tap(), manpage.pages_read()
    for kind in KINDS:
        check_kind(tap, kind, pages)
    for change in CHANGES:
        check_change(tap, pages, *change)
    tap.ok({change[0] for change in CHANGES} == set(KINDS), "each kind has a changed copy")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
