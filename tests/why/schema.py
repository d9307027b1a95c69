# SPDX-License-Identifier: GPL-2.0-only
"""The JSON of ktrack why as ktrack-why(1) describes it: its members, and a strict reader."""

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "cli")]

import manpage  # noqa: E402

PAGE = TESTS.parent / "userspace/cli/ktrack-why.1"
ANSWER = {"matched": int, "has_sched": bool, "has_irq": bool, "lost_records": int, "lost_gaps": int}
ANSWER_MORE = {"slices": list, "aggregate": dict, "processes": list, "kinds": list, "instants": list, "time_unit": str, "left_out_ns": int, "left_out_at_ns": int}
PROCESS = {"pid": int, "comm": str, "running_ns": int, "runnable_ns": int, "uninterruptible_ns": int}
PROCESS_MORE = {"instants": int}
INSTANTS = {"count": int, "tracepoint": str, "name": str}
SLICES = {"count": int, "total_ns": int, "slowest": dict}
SLICE = {"tracepoint": str, "name": str, "track": str, "begin_ns": int, "ns": int, "async": bool, "suspect": bool, "unfinished": bool, "causes": list, "parts": list}
SLICE_MORE = {"tid": int, "comm": str, "killer_tid": int, "killer": str}
TIMES = {"ns": int, "count": int, "longest_ns": int, "longest_at_ns": int}
KEY = {"what": str, "kind": str}
KEY_MORE = {
    **{name: str for name in ("slice", "behind", "beside", "interrupt", "state", "waker_context", "waker", "comm", "reason", "operation", "instant", "after", "waker_slice", "issuer", "waker_soft_interrupt")},
    **{name: int for name in ("cpu", "behind_tid", "waker_tid", "tid", "instants", "prio", "behind_prio", "issuer_tid", "summed", "threads")},
    **{name: bool for name in ("woken", "timeout", "probable")},
    **{name: list for name in ("stack", "meanwhile", "evidence")},
}
EVIDENCE = {"buffer": str, "cpu": int, "time_ns": int, "event": str}
CAUSE, CAUSE_MORE = {"what": str, "ns": int, "through": list}, {"meanwhile": dict}
OTHER, OTHER_MORE = {"tid": int, "ns": int}, {"comm": str, "slice": str, "waker_tid": int, "waker": str, "cpu": int, "prio": int, "behind_prio": int, "behind_tid": int, "behind": str}
AGGREGATE = {"count": int, "not_counted": int, "not_explained": int, "parts": list}
GROUP, GROUP_MORE = {"count": int, "ns": int}, {"min_ns": int, "max_ns": int}
COMPARED_ROW = {**KEY, "source_ns": int, "base_ns": int, "excess_ns": int}
ROW = {**KEY, "slowest_ns": int, "median_ns": int, "excess_ns": int}
KINDS = {"running", "runnable", "blocked", "stopped", "hard interrupt", "soft interrupt", "waiting", "late", "undecided", "stage"}


def wrong_members(value, required, optional, where):
    """Members that are missing, unknown, or of another type."""
    for name in required.keys() - value.keys():
        yield f"{where}: {name} is missing"
    for name, member in value.items():
        wanted = required.get(name) or optional.get(name)
        if type(member) is not wanted:
            yield f"{where}: {name} is {member!r}, expected is {wanted}"


def wrong_parts(parts, required, where, span=None):
    """The same of parts, and kinds and longest segments that cannot be."""
    for part in parts:
        yield from wrong_members(part, required, KEY_MORE, where)
        if part["kind"] not in KINDS:
            yield f"{where}: kind {part['kind']}"
        if span and not span[0] <= part["longest_at_ns"] <= part["longest_at_ns"] + part["longest_ns"] <= span[1]:
            yield f"{where}: the longest segment of {part} is not in {span}"
        for record in part.get("evidence", []):
            yield from wrong_members(record, EVIDENCE, {}, where)
        if not all(type(frame) is str for frame in part.get("stack", [])):
            yield f"{where}: {part['stack']}"
        yield from wrong_parts(part.get("meanwhile", []), required, where, span)


def wrong_answer(answer):
    """What is wrong with an answer."""
    yield from wrong_members(answer, ANSWER, ANSWER_MORE, "answer")
    for one in answer.get("processes", []):
        yield from wrong_members(one, PROCESS, PROCESS_MORE, "process")
    for one in answer.get("instants", []):
        yield from wrong_members(one, INSTANTS, {}, "instants")
    for one in answer.get("kinds", []):
        yield from wrong_members(one, SLICES, {}, "kind")
    for one in answer.get("slices", []) + [one["slowest"] for one in answer.get("kinds", [])]:
        yield from wrong_members(one, SLICE, SLICE_MORE, one["name"])
        for cause in one["causes"]:
            yield from wrong_members(cause, CAUSE, CAUSE_MORE, one["name"])
            yield from wrong_members(cause.get("meanwhile", {"tid": 0, "ns": 0}), OTHER, OTHER_MORE, one["name"])
        yield from wrong_parts(one["parts"], {**KEY, **TIMES}, one["name"], (one["begin_ns"], one["begin_ns"] + one["ns"]))
    if "aggregate" in answer:
        found = answer["aggregate"]
        groups, row = (("source", "base"), COMPARED_ROW) if "base" in found else (("slowest", "median"), ROW)
        yield from wrong_members(found, {**AGGREGATE, **dict.fromkeys(groups, dict)}, {}, "aggregate")
        for group in groups:
            yield from wrong_members(found[group], GROUP, GROUP_MORE, group)
        yield from wrong_parts(found["parts"], row, "aggregate")


def undocumented():
    """Members that the section JSON of the page does not name, and kinds that neither it nor the description names."""
    page = manpage.Page(PAGE)
    named, kinds = ({word for section in sections for line in page.of(section) for word in line.bold} for sections in (("JSON",), ("JSON", "DESCRIPTION")))
    tables = (ANSWER, ANSWER_MORE, SLICE, SLICE_MORE, SLICES, PROCESS, PROCESS_MORE, INSTANTS, CAUSE, CAUSE_MORE, OTHER, OTHER_MORE, EVIDENCE, TIMES, KEY, KEY_MORE, AGGREGATE, GROUP, GROUP_MORE, ROW, COMPARED_ROW)
    return sorted({name for table in tables for name in table} - named | KINDS - kinds)
