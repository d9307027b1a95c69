# SPDX-License-Identifier: GPL-2.0-only
"""Which modules may include which: data flows one way through the modules of userspace/."""

import re
from pathlib import PurePosixPath

# module: the modules whose public headers it may include. Within a module everything may be included.
MODULES = {
    "base": (),
    "event": ("base",),
    "userring": ("base", "event"),
    "tracefs": ("base", "event"),
    "tracedat": ("base", "event", "tracefs", "userring"),
    "source": ("base", "event", "userring", "tracefs", "tracedat"),
    "convention": ("base", "event"),
    "rules": ("base", "event"),
    "timeline": ("base",),
    "track": ("base", "event", "timeline"),
    "trace2": ("base",),
    "sink": ("base", "timeline", "trace2"),
    "serve": ("base",),
    "analysis": ("base", "event", "timeline"),
    "session": (
        "base",
        "event",
        "userring",
        "tracefs",
        "tracedat",
        "source",
        "convention",
        "rules",
        "track",
        "timeline",
        "trace2",
        "sink",
        "serve",
        "analysis",
    ),
    "cli": ("base", "session"),
}
# Public headers are named after their module; libtrace2's is for other programs too, and tracefs has a second one, for
# the reader of sub-buffers.
PUBLIC_HEADERS = {module: (f"userspace/{module}/{module}.h",) for module in MODULES}
PUBLIC_HEADERS["trace2"] = ("include/trace2/trace2.h",)
PUBLIC_HEADERS["tracefs"] += ("userspace/tracefs/page.h",)

# library: (what its headers are called, the modules that may include them)
LIBRARIES = {
    "libtracefs": (re.compile(r"(?:tracefs/)?tracefs(?:-local)?\.h"), ("tracefs",)),
    "libtraceevent": (
        re.compile(r"(?:traceevent/)?(?:event-parse|event-utils|trace-seq|kbuffer)\.h"),
        ("event",),
    ),
    "libtracecmd": (re.compile(r"(?:trace-cmd/)?trace-cmd\.h"), ()),
    "zlib": (re.compile(r"zlib\.h"), ("tracedat", "sink")),
    "zstd": (re.compile(r"zstd\.h"), ("tracedat", "sink")),
    "libcap-ng": (re.compile(r"cap-ng\.h"), ("session",)),
    "libelf": (re.compile(r"gelf\.h|libelf\.h"), ("event",)),
    "libseccomp": (re.compile(r"seccomp\.h"), ("event",)),
    "ncurses": (re.compile(r"(?:ncursesw?/)?(?:n?curses|term)\.h"), ("sink",)),
    "sqlite": (re.compile(r"sqlite3(?:ext)?\.h"), ("sink",)),
}

# Headers for drivers and programs; the convention module decodes records by their constants, userring reads rings.
KERNEL_HEADERS = ("kmod/", "include/ktrack/")
SHARED_WITH_KERNEL = {"include/ktrack/fields.h": ("convention",), "include/ktrack/user/layout.h": ("userring",)}

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


def judge_library(module, included):
    """What is wrong with including a library's header, None if nothing is."""
    for library, (pattern, modules) in LIBRARIES.items():
        if pattern.fullmatch(included) and module not in modules:
            return f"{library} belongs to {' and '.join(modules)}"
    return None


def judge_header(module, target):
    """What is wrong with including a file of the project from a module, None if nothing is."""
    if target.startswith(KERNEL_HEADERS):
        return None if module in SHARED_WITH_KERNEL.get(target, ()) else "it is the kernel's"
    other = module_of(target)
    if other in (None, module):
        return None
    if other not in MODULES[module]:
        return f"{module} may not include {other}"
    return None if target in PUBLIC_HEADERS[other] else f"it is private to {other}"


def check_modules(tree):
    """Every folder of userspace/ is a module of the table, and every source lives in one"""
    for file in tree.of("c"):
        if file.is_below("userspace") and module_of(file.name) not in MODULES:
            yield f"{file.name}: {module_of(file.name) or 'userspace/ itself'} is no module"


def check_directions(tree):
    """Modules include only what the table allows: public headers, in the direction of the data"""
    names = {file.name for file in tree.files}
    for file in tree.of("c"):
        module = module_of(file.name)
        if module not in MODULES:
            continue
        for number, included in includes_of(file):
            target = resolve(file, included, names)
            trouble = judge_header(module, target) if target else judge_library(module, included)
            if trouble:
                yield f"{file.name}:{number}: includes {included}: {trouble}"


def check_public_headers(tree):
    """Every module with sources has its one public header"""
    names = {file.name for file in tree.files}
    modules = {module_of(file.name) for file in tree.of("c") if file.is_below("userspace")}
    for module in sorted(modules & set(MODULES) - {"cli"}):
        for header in PUBLIC_HEADERS[module]:
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


CHECKS = (check_cycles, check_modules, check_directions, check_public_headers, check_kernel_headers)
