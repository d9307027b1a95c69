# SPDX-License-Identifier: GPL-2.0-only
"""Who may include whom: data is pushed one way through the rooms of userspace/."""

import re
from pathlib import PurePosixPath

# room: the rooms whose public header it may include. Within a room everything may be included.
ROOMS = {
    "base": (),
    "source": ("base",),
    "convention": ("source", "base"),
    "timeline": ("base",),
    "track": ("convention", "timeline", "base"),
    "trace2": ("base",),
    "sink": ("timeline", "trace2", "base"),
    "recorder": ("source", "base"),
    "cli": (
        "base",
        "source",
        "convention",
        "timeline",
        "track",
        "trace2",
        "sink",
        "recorder",
    ),
}
# Public headers are named after their room; libtrace2's is for other programs too.
PUBLIC_HEADERS = {room: f"userspace/{room}/{room}.h" for room in ROOMS}
PUBLIC_HEADERS["trace2"] = "include/trace2/trace2.h"

# What one room reads and another writes is described once: header: the rooms beside its own that may include it.
SHARED = {
    "userspace/source/trace_dat.h": ("recorder",),
    "userspace/source/statistics.h": ("recorder",),
}

# library: (what its headers are called, the rooms that may include them)
LIBRARIES = {
    "libtracefs": (re.compile(r"(?:tracefs/)?tracefs(?:-local)?\.h"), ("source", "recorder")),
    "libtraceevent": (
        re.compile(r"(?:traceevent/)?(?:event-parse|event-utils|trace-seq|kbuffer)\.h"),
        (),
    ),
    "libtracecmd": (re.compile(r"(?:trace-cmd/)?trace-cmd\.h"), ("source",)),
}

# The kernel's side is no room; only what names the convention's fields is shared with it.
KERNEL_HEADERS = ("kmod/", "include/ktrack/")
SHARED_WITH_KERNEL = {"include/ktrack/fields.h": ("convention",)}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">\n]+)[>"]', re.MULTILINE)


def includes_of(file):
    """Yields (line number, what is included)."""
    for match in INCLUDE.finditer(file.text):
        yield file.text.count("\n", 0, match.start()) + 1, match.group(2)


def room_of(name):
    """The room of a file, None outside of userspace/ROOM/ and of libtrace2's header."""
    parts = PurePosixPath(name).parts
    if parts[:2] == ("include", "trace2"):
        return "trace2"
    return parts[1] if len(parts) > 2 and parts[0] == "userspace" else None


def candidates(file, included):
    """The names that an #include may mean: beside the file, in userspace/, in include/."""
    for folder in (PurePosixPath(file.name).parent, "userspace", "include"):
        parts = []
        for part in PurePosixPath(folder, included).parts:
            parts = parts[:-1] if part == ".." else [*parts, part]
        yield "/".join(parts)


def resolve(file, included, names):
    """The file of the project that an #include means, None where it is not the project's."""
    return next((name for name in candidates(file, included) if name in names), None)


def judge_library(room, included):
    """What is wrong with including a library's header, None if nothing is."""
    for library, (pattern, rooms) in LIBRARIES.items():
        if pattern.fullmatch(included) and room not in rooms:
            return f"{library} belongs to {' and '.join(rooms)}"
    return None


def judge_header(room, target):
    """What is wrong with including a file of the project from a room, None if nothing is."""
    if target.startswith(KERNEL_HEADERS):
        return None if room in SHARED_WITH_KERNEL.get(target, ()) else "it is the kernel's"
    other = room_of(target)
    if other in (None, room):
        return None
    if other not in ROOMS[room]:
        return f"{room} may not include {other}"
    if room in SHARED.get(target, ()):
        return None
    return None if target == PUBLIC_HEADERS[other] else f"it is private to {other}"


def check_rooms(tree):
    """Every folder of userspace/ is a room of the table, and every source lives in one"""
    for file in tree.of("c"):
        if file.is_below("userspace") and room_of(file.name) not in ROOMS:
            yield f"{file.name}: {room_of(file.name) or 'userspace/ itself'} is no room"


def check_directions(tree):
    """Rooms include only what the table allows: public headers, in the direction of the data"""
    names = {file.name for file in tree.files}
    for file in tree.of("c"):
        room = room_of(file.name)
        if room not in ROOMS:
            continue
        for number, included in includes_of(file):
            target = resolve(file, included, names)
            trouble = judge_header(room, target) if target else judge_library(room, included)
            if trouble:
                yield f"{file.name}:{number}: includes {included}: {trouble}"


def check_public_headers(tree):
    """Every room with sources has its one public header"""
    names = {file.name for file in tree.files}
    rooms = {room_of(file.name) for file in tree.of("c") if file.is_below("userspace")}
    for room in sorted(rooms & set(ROOMS) - {"cli"}):
        if PUBLIC_HEADERS[room] not in names:
            yield f"userspace/{room}: {PUBLIC_HEADERS[room]} is missing"


def check_kernel_headers(tree):
    """Headers for drivers stand alone: include/ktrack includes nothing of kmod/ or userspace/"""
    names = {file.name for file in tree.files}
    for file in tree.of("c"):
        for number, included in includes_of(file) if file.is_below("include/ktrack") else ():
            target = resolve(file, included, names) or next(candidates(file, included))
            if target.startswith(("kmod/", "userspace/")):
                yield f"{file.name}:{number}: includes {included}"


CHECKS = (check_rooms, check_directions, check_public_headers, check_kernel_headers)
