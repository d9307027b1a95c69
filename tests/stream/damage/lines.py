# SPDX-License-Identifier: GPL-2.0-only
"""Damage to lines, to the session's frame and to time: (rule, stream, what it is, mutation)."""

from damage.mutate import (
    chain,
    drop,
    edit,
    everywhere,
    later,
    move,
    put,
    remove,
    repeat,
    spell,
)

FIRST = "th01:ktrack_slice tid 537 sh"
US = 1000


def round_up(members):
    """Makes the last digit of `time` the next one."""
    members["time"] = f"{members['time'][:-2]}{(int(members['time'][-2]) + 1) % 10}Z"


LINES = [
    ("newline", "demo", "the last line has no line feed", lambda lines: lines[:-1] + [lines[-1][:-1]]),
    ("json", "demo", "a blank line", lambda lines: [lines[0], b"\n", *lines[1:]]),
    ("json", "demo", "a line cut in its middle", lambda lines: lines[:-1] + [lines[-1][:50] + b"\n"]),
    ("utf-8", "demo", "a byte that is not UTF-8", spell("start", b'"ktrack"', b'"ktr\xff"')),
    ("number", "demo", "an exponent", spell("region_leave", b'"t_rel":0.', b'"t_rel":0e0,"x":0.')),
    ("duplicate-key", "demo", "a key twice", spell("exit", b'"line":42', b'"line":42,"line":42')),
    ("white-space", "demo", "a blank behind a colon", spell("exit", b'"line":', b'"line": ')),
    ("escape", "demo", "a slash that is escaped", spell("child_start", b"/dev", b"\\/dev")),
]

SHAPES = [
    ("kind", "demo", "an event that trace2 does not have", put("exit", event="exited")),
    ("keys", "demo", "no sid", remove("exit", "sid")),
    ("keys", "demo", "no file and line where they belong", chain(remove("exit", "file"), remove("exit", "line"))),
    ("type", "demo", "a mark that is false", put("region_leave", suspect=False)),
    ("type", "demo", "a time with six decimals", spell("exit", b',"code"', b'000,"code"')),
]

FRAME = [
    ("version-first", "demo", "an event before version", move("start", -1)),
    ("start-second", "demo", "cmd_name before start", move("cmd_name", -1)),
    ("frame-order", "demo", "a second start", repeat("start")),
    ("frame-order", "demo", "def_param before cmd_mode", move("def_param", -1)),
    ("atexit-last", "demo", "no atexit", drop("atexit")),
    ("atexit-code", "demo", "atexit with another code", put("atexit", code=1)),
    ("version-evt", "demo", "another version of the format", put("version", evt="3")),
    ("sid", "demo", "another sid in the middle", put("region_leave", sid="other")),
    ("sid-form", "demo", "a host without its mark", everywhere(b"-H0badcafe-", b"-0badcafe-")),
    ("main", "demo", "exit on a track", put("exit", thread=FIRST)),
    ("cmd_name", "demo", "a hierarchy of something else", put("cmd_name", hierarchy="stream/record")),
    ("def_param", "demo", "a parameter twice", repeat("def_param")),
    ("def_param-needed", "demo", "no recording_id", drop("def_param", param="recording_id")),
    ("child_start", "demo", "a second child", repeat("child_start")),
    ("child_exit", "demo", "a child that never started", drop("child_start")),
    ("child_exit-t_rel", "demo", "a child that took longer", later("child_exit", "t_rel", 2 * US)),
    ("child-ended", "demo", "a child without an end", drop("child_exit")),
]

CLOCK = [
    ("t_abs-order", "demo", "two tracks' events swapped", move("region_leave", -9, label="batch")),
    ("time-order", "demo", "the child's start too late", move("child_start", 30)),
    ("time", "demo", "`time` rounded up", edit("exit", round_up)),
]

MUTATIONS = LINES + SHAPES + FRAME + CLOCK
