# SPDX-License-Identifier: GPL-2.0-only
"""Damage to lines, to the session's frame and to time: (rule, stream, what it is, mutation)."""

from writing.mutate import (
    chain,
    drop,
    edit,
    everywhere,
    later,
    move,
    put,
    remove,
    reorder,
    repeat,
    spell,
)

IO = {"category": "ktrack_demo:ktrack_demo_io"}
RUN = {"category": "ktrack:ktrack_slice"}
RETRY = {"key": "retry"}
FIRST = "th01:ktrack_slice tid 537 sh"
US = 1000


def round_up(members):
    """Makes the last digit of `time` the next one."""
    members["time"] = f"{members['time'][:-2]}{(int(members['time'][-2]) + 1) % 10}Z"


LINES = [
    (
        "newline",
        "demo",
        "the last line has no line feed",
        lambda lines: lines[:-1] + [lines[-1][:-1]],
    ),
    ("json", "demo", "a blank line", lambda lines: [lines[0], b"\n", *lines[1:]]),
    (
        "json",
        "demo",
        "a line cut in its middle",
        lambda lines: lines[:-1] + [lines[-1][:50] + b"\n"],
    ),
    ("json", "demo", "an array instead of an object", lambda lines: [b"[]\n", *lines]),
    ("json", "demo", "two objects on a line", lambda lines: [lines[0][:-1] + lines[1], *lines[2:]]),
    (
        "json",
        "demo",
        "a raw control character in a string",
        spell("start", b'"ktrack"', b'"ktr\x02ack"'),
    ),
    ("json", "demo", "a number with leading zeros", spell("exit", b'"line":42', b'"line":042')),
    ("utf-8", "demo", "a byte that is not UTF-8", spell("start", b'"ktrack"', b'"ktr\xff"')),
    ("utf-8", "demo", "a surrogate in UTF-8", spell("start", b'"ktrack"', b'"\xed\xa0\x80"')),
    ("number", "demo", "an exponent", spell("region_leave", b'"t_rel":0.', b'"t_rel":0e0,"x":0.')),
    ("number", "demo", "NaN", spell("exit", b'"line":42', b'"line":NaN')),
    ("number", "demo", "minus zero", spell("exit", b'"code":0', b'"code":-0')),
    ("duplicate-key", "demo", "a key twice", spell("exit", b'"line":42', b'"line":42,"line":42')),
    (
        "duplicate-key",
        "demo",
        "a field twice",
        spell("region_enter", b'"bytes":512', b'"request":0,"bytes":512', **IO),
    ),
    ("white-space", "demo", "a blank behind a colon", spell("exit", b'"line":', b'"line": ')),
    ("white-space", "demo", "a carriage return at the end", spell("exit", b"\n", b"\r\n")),
    ("escape", "demo", "a slash that is escaped", spell("child_start", b"/dev", b"\\/dev")),
    ("escape", "demo", "a letter that is escaped", spell("exit", b'"main"', b'"m\\u0061in"')),
    (
        "escape",
        "rare",
        "a line feed by its number",
        spell("region_enter", b"\\n", b"\\u000a", category="drv:io"),
    ),
    (
        "escape",
        "rare",
        "hexadecimal in capitals",
        spell("region_enter", b"\\u001f", b"\\u001F", category="drv:io"),
    ),
]

SHAPES = [
    ("kind", "demo", "an event that trace2 does not know", put("exit", event="exited")),
    ("kind", "demo", "an event that ktrack does not write", put("exit", event="printf")),
    ("keys", "demo", "no sid", remove("exit", "sid")),
    (
        "keys",
        "demo",
        "no file and line where they belong",
        chain(remove("exit", "file"), remove("exit", "line")),
    ),
    ("keys", "demo", "a line without a file", remove("exit", "file")),
    ("keys", "demo", "file and line of a record", put("thread_start", file="a.c", line=1)),
    (
        "keys",
        "demo",
        "thread before sid",
        edit("exit", reorder("sid", "time", "file", "line", "t_abs", "code")),
    ),
    (
        "keys",
        "demo",
        "nesting before t_rel",
        edit("region_leave", reorder("t_rel", "category", "label", "t_abs")),
    ),
    ("keys", "demo", "t_abs behind args", edit("region_enter", reorder("t_abs"), **IO)),
    ("keys", "demo", "a key of somebody else", put("region_enter", color="red")),
    ("keys", "demo", "a region_enter without t_abs", remove("region_enter", "t_abs")),
    ("keys", "demo", "a suspect region_enter", put("region_enter", suspect=True)),
    ("keys", "lossy", "an error without fmt", remove("error", "fmt")),
    (
        "keys",
        "demo",
        "unfinished before suspect",
        put("region_leave", unfinished=True, suspect=True),
    ),
    ("type", "demo", "a mark that is false", put("region_leave", suspect=False)),
    ("type", "demo", "a time with six decimals", spell("exit", b',"code"', b'000,"code"')),
    ("type", "demo", "a stamp with nine decimals", spell("exit", b'Z","file"', b'000Z","file"')),
    (
        "type",
        "demo",
        "a stamp of no day",
        spell("exit", b'"time":"2026-03-02', b'"time":"2026-02-30'),
    ),
    (
        "type",
        "demo",
        "a stamp with a blank",
        spell("exit", b'"time":"2026-03-02T', b'"time":"2026-03-02 '),
    ),
    ("type", "demo", "a code that is text", put("exit", code="0")),
    ("type", "demo", "a code that is true", put("exit", code=True)),
    ("type", "demo", "argv without a word", put("start", argv=[])),
    ("type", "demo", "argv with a number", put("start", argv=["ktrack", 1])),
    ("type", "demo", "a sample that is a number", put("data", value=1)),
    ("type", "demo", "a sample with a plus sign", put("data", value="+1")),
    ("type", "demo", "a sample with leading zeros", put("data", value="01")),
    ("type", "demo", "a sample that is minus zero", put("data", value="-0")),
    ("type", "demo", "an instant's value that is a list", put("data_json", where=RETRY, value=[])),
    ("type", "demo", "nesting 0", put("region_enter", nesting=0)),
    (
        "type",
        "demo",
        "a field that doubles round",
        put("region_enter", where=IO, args={"request": 2**53 + 1}),
    ),
    ("type", "demo", "args without a field", put("region_enter", where=IO, args={})),
    ("type", "demo", "a negative time", spell("region_leave", b'"t_rel":', b'"t_rel":-')),
]

FRAME = [
    ("version-first", "demo", "an event before version", move("start", -1)),
    ("version-first", "demo", "a second version", repeat("version", steps=2)),
    ("start-second", "demo", "cmd_name before start", move("cmd_name", -1)),
    ("start-second", "demo", "no start", drop("start")),
    ("frame-order", "demo", "a second start", repeat("start")),
    ("frame-order", "demo", "def_param before cmd_mode", move("def_param", -1)),
    ("frame-order", "demo", "def_param after a record", move("def_param", 20)),
    ("frame-order", "demo", "no cmd_name", drop("cmd_name")),
    ("frame-order", "demo", "a second cmd_mode", repeat("cmd_mode")),
    ("frame-order", "demo", "timer before exit", move("timer", -1)),
    ("frame-order", "cut", "counter before timer", move("counter", -1)),
    ("frame-order", "demo", "an event after atexit", lambda lines: lines + [lines[-2]]),
    ("frame-order", "demo", "a second atexit", repeat("atexit")),
    ("atexit-last", "demo", "no atexit", drop("atexit")),
    ("atexit-last", "demo", "no exit", drop("exit")),
    ("atexit-last", "demo", "a stream cut at a line's end", lambda lines: lines[:100]),
    ("atexit-last", "demo", "an empty stream", lambda lines: []),
    ("atexit-code", "demo", "atexit with another code", put("atexit", code=1)),
    ("version-evt", "demo", "another version of the format", put("version", evt="3")),
    ("version-evt", "demo", "no version of ktrack", put("version", exe="")),
    ("sid", "demo", "another sid in the middle", put("region_leave", sid="other")),
    ("sid", "demo", "a sid with an empty part", everywhere(b'"sid":"2026', b'"sid":"/2026')),
    ("sid-form", "demo", "a host without its mark", everywhere(b"-H0badcafe-", b"-0badcafe-")),
    ("sid-form", "demo", "a process in capitals", everywhere(b"-P00000219", b"-P00000ABC")),
    ("sid-form", "demo", "a stamp without microseconds", everywhere(b"59.999000Z-", b"59Z-")),
    ("main", "demo", "exit on a track", put("exit", thread=FIRST)),
    ("main", "demo", "a record on main", put("region_enter", thread="main")),
    ("main", "demo", "thread_exit on main", put("thread_exit", thread="main")),
    (
        "cmd_name",
        "demo",
        "a hierarchy of something else",
        put("cmd_name", hierarchy="stream/record"),
    ),
    ("def_param", "demo", "a parameter twice", repeat("def_param")),
    ("def_param", "demo", "another scope", put("def_param", scope="global")),
    ("def_param", "demo", "a parameter without a name", put("def_param", param="")),
    ("def_param-needed", "demo", "no recording_id", drop("def_param", param="recording_id")),
    ("child_start", "demo", "a second child", repeat("child_start")),
    ("child_start", "demo", "a child by the shell", put("child_start", use_shell=True)),
    ("child_start", "demo", "child 1", put("child_start", child_id=1)),
    ("child_exit", "demo", "a child that never started", drop("child_start")),
    ("child_exit", "demo", "another child's end", put("child_exit", child_id=1)),
    ("child_exit", "demo", "a second end", repeat("child_exit")),
    ("child_exit", "demo", "a child without a pid that had a code", put("child_exit", pid=-1)),
    ("child_exit-t_rel", "demo", "a child that took longer", later("child_exit", "t_rel", 2 * US)),
    ("child-ended", "demo", "a child without an end", drop("child_exit")),
]

CLOCK = [
    ("t_abs-order", "demo", "two tracks' events swapped", move("region_leave", -9, label="batch")),
    (
        "t_abs-order",
        "demo",
        "a sample before the one above",
        later("data", "t_abs", -100 * US, nth=4),
    ),
    ("t_abs-order", "lossy", "an error before the line above", later("error", "t_abs", -100 * US)),
    ("time-order", "demo", "the child's start too late", move("child_start", 30)),
    ("time", "demo", "`time` rounded up", edit("exit", round_up)),
    (
        "time",
        "demo",
        "times of another zero",
        spell("version", b'.999000Z","file"', b'.250001Z","file"'),
    ),
    (
        "time",
        "demo",
        "t_abs a microsecond later",
        later("region_leave", "t_abs", US, nth=-1, **RUN),
    ),
    ("time", "demo", "a zone's hour", spell("atexit", b"T00:", b"T01:")),
]

MUTATIONS = LINES + SHAPES + FRAME + CLOCK
