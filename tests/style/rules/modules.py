# SPDX-License-Identifier: GPL-2.0-only
"""Which module may include what: the table of modules in CONTRIBUTING.md, whose rows are in the direction of the data."""

import re
from pathlib import PurePosixPath

PAPER = "CONTRIBUTING.md"
# Its rows, below the head "| module | responsibility | may include |".
HEAD = re.compile(r"\| module \| [^|\n]+ \| may include \|\n\|[-|]+\|\n((?:\|.*\n)+)")
ROW = re.compile(r"^\| `(\w+)/` \|.*\| ([^|]*) \|$")
ALL_ABOVE, NOTHING = "all above", "-"

# Public headers are named after their module; libtrace2's is for other programs too, and tracefs has a second one, for
# the reader of sub-buffers.
PUBLIC_HEADERS = {
    "trace2": ("include/trace2/trace2.h",),
    "tracefs": ("userspace/tracefs/tracefs.h", "userspace/tracefs/page.h"),
}

# What the headers of libraries are called. The libraries have pkg-config's names, as in userspace.mk and in the table.
LIBRARY_HEADERS = {
    "libcap-ng": re.compile(r"cap-ng\.h"),
    "libelf": re.compile(r"gelf\.h|libelf\.h"),
    "liblzma": re.compile(r"lzma\.h"),
    "libmd": re.compile(r"(?:md[245]|ripemd|rmd160|sha|sha[125]\w*)\.h"),
    "libseccomp": re.compile(r"seccomp(?:-syscalls)?\.h"),
    "libtracecmd": re.compile(r"(?:trace-cmd/)?trace-cmd\.h"),
    "libtraceevent": re.compile(r"(?:traceevent/)?(?:event-parse|event-utils|trace-seq|kbuffer)\.h"),
    "libtracefs": re.compile(r"(?:tracefs/)?tracefs(?:-local)?\.h"),
    "libxxhash": re.compile(r"xxh(?:ash|3)\.h"),
    "libzstd": re.compile(r"(?:zstd|zstd_errors|zdict)\.h"),
    "ncursesw": re.compile(r"(?:ncursesw?/)?(?:n?curses|term)\.h"),
    "sqlite3": re.compile(r"sqlite3(?:ext)?\.h"),
    "zlib": re.compile(r"zlib\.h"),
}
# The libraries that programs are linked with, and those that are loaded when they are needed.
LINKED = re.compile(r"^(?:loaded-)?packages := (.*)$", re.MULTILINE)

# Headers for drivers and programs; the table names those that userspace may include.
KERNEL_HEADERS = ("kmod/", "include/ktrack/")

UNIT_TESTS = "tests/unit"
# Headers that unit tests may include although they are private to their module, and why. What others declare is
# tested through the public header of the module, or by what the outputs and commands show.
TESTED_ALONE = {
    "analysis/internal.h": "conditions, limits and sums: many cases each, of which a recording has one",
    "capture/run.h": "the steps of a run: all of them together need a kernel (tests/vm/)",
    "event/symbol_node.h": "what a child may answer that hostile formats have taken over",
    "replay/machines.h": "estimates for recordings that are too large for a test",
    "rules/rule.h": "texts of trace_marker, which any program may write",
    "sink/compression.h": "outputs, the reader of traces and --append share it",
    "sink/flow.h": "outputs share it",
    "sink/html/state.h": "the page's arrays, which a browser would have to decode",
    "sink/proto.h": "tests write traces of other recorders with it",
    "sink/rows.h": "outputs share it",
    "sink/stat/state.h": "the view's columns; a histogram",
    "sink/stat/table.h": "ktrack stat and ktrack query share it",
    "sink/summary.h": "outputs share it",
    "sink/text.h": "outputs share it",
    "source/source_ops.h": "streams of a test's own, with records in any order",
    "trace2/session.h": "times that are printed in a signal handler",
    "tracedat/file.h": "sections of hostile files, one by one",
    "tracedat/spool.h": "spools that were killed, or shared, at any moment",
    "tracefs/instance_state.h": "the states of a kernel that is locked down",
    "tracetext/internal.h": "lines that any program may have written",
    "track/state.h": "two tracks of one hash",
    "userring/": "what hostile programs write to rings, queues and messages, each in a header of its own",
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">\n]+)[>"]', re.MULTILINE)


def includes_of(file):
    """Yields (line number, what is included)."""
    for match in INCLUDE.finditer(file.text):
        yield file.text.count("\n", 0, match.start()) + 1, match.group(2)


def module_of(name):
    """The module of a file, None outside of userspace/MODULE/ and of libtrace2's header."""
    parts = PurePosixPath(name).parts
    if parts[:2] == ("include", "trace2"):
        return "trace2"
    return parts[1] if len(parts) > 2 and parts[0] == "userspace" else None


def candidates(file, included):
    """The names that an #include may mean: next to the file, in userspace/, in include/."""
    for folder in (PurePosixPath(file.name).parent, "userspace", "include"):
        parts = []
        for part in PurePosixPath(folder, included).parts:
            parts = parts[:-1] if part == ".." else [*parts, part]
        yield "/".join(parts)


def resolve(file, included, names):
    """The file of the project that an #include means, None if it is another project's."""
    return next((name for name in candidates(file, included) if name in names), None)


def text_of(tree, name):
    """The text of a file, empty if the project does not have it."""
    return next((file.text for file in tree.files if file.name == name), "")


def rows_of(tree):
    """The rows of the table: (module, what it may include), from the top."""
    table = HEAD.search(text_of(tree, PAPER))
    rows = [(line, ROW.match(line)) for line in table[1].splitlines()] if table else []
    return [(row[1], row[2].replace("`", "").split(", ")) if row else (line, []) for line, row in rows]


def allowed_in(tree):
    """By module: the modules, libraries and headers that it may include."""
    allowed = {}
    for module, names in rows_of(tree):
        allowed[module] = {*names, *(allowed if ALL_ABOVE in names else ())}
    return allowed


def public_headers(module):
    """The headers by which other modules use this one."""
    return PUBLIC_HEADERS.get(module, (f"userspace/{module}/{module}.h",))


def judge_library(allowed, module, included):
    """What is wrong with including a library's header, None if nothing is."""
    for library, pattern in LIBRARY_HEADERS.items():
        if pattern.fullmatch(included) and library not in allowed[module]:
            owners = [name for name in allowed if library in allowed[name]]
            return f"{library} belongs to {' and '.join(owners) or 'no module'}"
    return None


def judge_header(allowed, module, target):
    """What is wrong with including a file of the project from a module, None if nothing is."""
    if target.startswith(KERNEL_HEADERS):
        return None if target.removeprefix("include/") in allowed[module] else "it is the kernel's"
    other = module_of(target)
    if other in (None, module):
        return None
    if other not in allowed[module]:
        return f"{module} may not include {other}"
    return None if target in public_headers(other) else f"it is private to {other}"


def check_table(tree):
    """The table of modules names modules that exist, each after those that it includes, and the libraries of userspace.mk"""
    names, above, used = {file.name for file in tree.files}, set(), set()
    linked = {word for line in LINKED.findall(text_of(tree, "userspace/userspace.mk")) for word in re.findall(r"[a-z][\w-]+", line)}
    for module, entries in rows_of(tree):
        if module in above or not any(name.startswith(f"userspace/{module}/") for name in names):
            yield f"{PAPER}: {module}: no module of userspace/, or a second row"
        known = {ALL_ABOVE, NOTHING, *above, *(linked & set(LIBRARY_HEADERS))}
        for entry in entries:
            if entry not in known and f"include/{entry}" not in names:
                yield f"{PAPER}: {module}: {entry} is no module above it, no library of userspace.mk, no header of include/"
        above.add(module)
        used |= set(entries)
    for library in sorted(linked - used):
        yield f"{PAPER}: userspace.mk uses {library}, but no module may include it"


def check_modules(tree):
    """Every folder of userspace/ is a module of the table, and every source lives in one"""
    modules = allowed_in(tree)
    for file in tree.of("c"):
        if file.is_below("userspace") and module_of(file.name) not in modules:
            yield f"{file.name}: {module_of(file.name) or 'userspace/ itself'} is no module"


def check_directions(tree):
    """Modules include only what the table allows: public headers, in the direction of the data"""
    names, allowed = {file.name for file in tree.files}, allowed_in(tree)
    for file in tree.of("c"):
        module = module_of(file.name)
        if module not in allowed:
            continue
        for number, included in includes_of(file):
            target = resolve(file, included, names)
            trouble = judge_header(allowed, module, target) if target else judge_library(allowed, module, included)
            if trouble:
                yield f"{file.name}:{number}: includes {included}: {trouble}"


def check_public_headers(tree):
    """Every module with sources has its one public header"""
    names = {file.name for file in tree.files}
    modules = {module_of(file.name) for file in tree.of("c") if file.is_below("userspace")}
    for module in sorted(modules & set(allowed_in(tree)) - {"cli"}):
        for header in public_headers(module):
            if header not in names:
                yield f"userspace/{module}: {header} is missing"


def check_kernel_headers(tree):
    """Headers for drivers include nothing of kmod/ or userspace/"""
    names = {file.name for file in tree.files}
    for file in tree.of("c"):
        for number, included in includes_of(file) if file.is_below("include/ktrack") else ():
            target = resolve(file, included, names) or next(candidates(file, included))
            if target.startswith(("kmod/", "userspace/")):
                yield f"{file.name}:{number}: includes {included}"


def check_unit_tests(tree):
    """Unit tests call a module by its public headers, those that these include, and the ones in TESTED_ALONE"""
    files, unused = {file.name: file for file in tree.files}, set(TESTED_ALONE)
    allowed = {"cli": None}
    for module in set(allowed_in(tree)) - {"cli"}:
        shown = [files[name] for name in public_headers(module) if name in files]
        allowed[module] = {header.name for header in shown} | {resolve(header, name, files) for header in shown for _, name in includes_of(header)}
    for file in tree.of("c"):
        for number, included in includes_of(file) if file.is_below(UNIT_TESTS) else ():
            target = resolve(file, included, files)
            if not target or not target.startswith("userspace/"):
                continue
            shown = allowed.get(module_of(target))
            alone = {name for name in TESTED_ALONE if target.startswith(f"userspace/{name}")}
            unused -= alone
            if shown and target not in shown and not alone:
                yield f"{file.name}:{number}: includes {included}: it is private to {module_of(target)}"
    for name in sorted(unused) if f"{UNIT_TESTS}/unit.mk" in files else ():
        yield f"tests/style/rules/modules.py: no unit test includes {name}: TESTED_ALONE need not allow it"


def cycle_of(name, graph, path, done):
    """The first cycle that is reached from a file, by depth; None if there is none."""
    if name in path:
        return path[path.index(name) :]
    if name in done:
        return None
    done.add(name)
    return next((found for other in graph[name] if (found := cycle_of(other, graph, [*path, name], done))), None)


def check_cycles(tree):
    """No file includes itself by way of others"""
    names = {file.name for file in tree.files}
    graph = {}
    for file in tree.of("c"):
        targets = [resolve(file, included, names) for _, included in includes_of(file)]
        graph[file.name] = sorted({target for target in targets if target and target.endswith(".h")} - {file.name})
    done = set()
    for name in sorted(graph):
        cycle = cycle_of(name, graph, [], done)
        if cycle:
            yield " -> ".join((*cycle, cycle[0]))


CHECKS = (check_cycles, check_table, check_modules, check_directions, check_public_headers, check_unit_tests, check_kernel_headers)
