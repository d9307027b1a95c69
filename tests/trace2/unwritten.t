#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: messages that Debian's git has no way to be made to write, against lines derived by hand.

Each comes with the rule of git's source from which its lines were derived. Debian's git 2.39 starts no thread of its own that
it reports about, has no timer or counter but those of its test helper, starts no background child outside of fsmonitor (which
Linux has not), reports a failed exec only where it stays alive, writes printf to NORMAL and PERF only, does not redact, and has
where its own file lies only where it was built to be moved (cmd_path).
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from tap import tested  # noqa: E402
from driver import field, scrub, drive  # noqa: E402

BRIEF = {"GIT_TRACE2_BRIEF": "1", "GIT_TRACE2_PERF_BRIEF": "1", "GIT_TRACE2_EVENT_BRIEF": "1"}
NONE = " " * 9
ABS = " S.SSSSSS"


def say(*fields):
    """One saying, from place x.c:1."""
    return "\t".join([fields[0], "x.c", "1"] + [field(value) for value in fields[1:]])


def perf(event, message, thread="main", t_abs="", t_rel="", category="", dots=""):
    """A line of PERF: widths 24, 12, 3, 9, 9 and 12, and two dots for each open region."""
    return f"d0 | {thread:24} | {event:12} |     | {t_abs:>9} | {t_rel:>9} | {category:12} | {dots}{message}"


def event(name, body="", thread="main"):
    """A line of EVENT."""
    return f'{{"event":"{name}","sid":"TIMESTAMP","thread":"{thread}"{body}}}'


TIMER = "intervals:1 total:SECONDS min:SECONDS max:SECONDS"
SECONDS = '"t_total":SECONDS,"t_min":SECONDS,"t_max":SECONDS'
TIMED = {"t_abs": ABS}
PAST = {"t_abs": ABS, "t_rel": ABS}

# The rule, what is said, and what NORMAL, PERF and EVENT have of it.
TABLE = (
    ("child_ready: like child_exit, with the word behind the pid; the time since child_start is elapsed or t_rel",
     [say("child_start", None, None, None, "no", "no", "a"), say("child_ready", 0, 77, "timeout")],
     ["child_start[0] a", "child_ready[0] pid:77 ready:timeout elapsed:SECONDS"],
     [perf("child_start", "[ch0] class:? argv:[a]", **TIMED), perf("child_ready", "[ch0] pid:77 ready:timeout", **PAST)],
     [event("child_start", ',"child_id":0,"child_class":"?","use_shell":false,"argv":["a"]'),
      event("child_ready", ',"child_id":0,"pid":77,"ready":"timeout","t_rel":SECONDS')]),
    ("child_start: a class of git's commands puts git before the words, without a blank where there are none in PERF",
     [say("child_start", None, None, None, "no", "git")],
     ["child_start[0] git "],
     [perf("child_start", "[ch0] class:? argv:[git]", **TIMED)],
     [event("child_start", ',"child_id":0,"child_class":"?","use_shell":false,"argv":["git"]')]),
    ("exec_result: the text of the error only where the code is positive; EVENT has no text",
     [say("exec", None, "a", "b c"), say("exec_result", 0, 2), say("exec_result", 0, -1)],
     ["exec[0] a 'b c'", "exec_result[0] code:2 err:No such file or directory", "exec_result[0] code:-1"],
     [perf("exec", "id:0 argv:[a 'b c']", **TIMED),
      perf("exec_result", "id:0 code:2 err:No such file or directory", **TIMED),
      perf("exec_result", "id:0 code:-1", **TIMED)],
     [event("exec", ',"exec_id":0,"argv":["a","b c"]'), event("exec_result", ',"exec_id":0,"code":2'),
      event("exec_result", ',"exec_id":0,"code":-1')]),
    ("cmd_path: the path as it is, not quoted",
     [say("cmd_path", "/a b/c")],
     ["cmd_path /a b/c"], [perf("cmd_path", "/a b/c")], [event("cmd_path", ',"path":"/a b/c"')]),
    ("threads: numbered from 1, cut to 24 bytes, an open region is unwound without a word before thread_exit",
     ["thread", say("thread_start", "a-rather-long-name-of-one"), say("region_enter", "c", "l", None, None),
      say("cmd_mode", "m"), say("thread_exit"), "thread_end"],
     ["cmd_mode m"],
     [perf("thread_start", "", "th01:a-rather-long-name-", **TIMED),
      perf("region_enter", "label:l", "th01:a-rather-long-name-", category="c", **TIMED),
      perf("cmd_mode", "m", "th01:a-rather-long-name-", dots=".."),
      perf("thread_exit", "", "th01:a-rather-long-name-", **PAST)],
     [event("thread_start", "", "th01:a-rather-long-name-"),
      event("region_enter", ',"nesting":1,"category":"c","label":"l"', "th01:a-rather-long-name-"),
      event("cmd_mode", ',"name":"m"', "th01:a-rather-long-name-"),
      event("thread_exit", ',"t_rel":SECONDS', "th01:a-rather-long-name-")]),
    ("a thread that did not say its name is called unknown, and has no thread_start",
     ["thread", say("cmd_mode", "m"), "thread_end"],
     ["cmd_mode m"], [perf("cmd_mode", "m", "th01:unknown")], [event("cmd_mode", ',"name":"m"', "th01:unknown")]),
    ("thread_start and thread_exit on the main thread are a region without category and label",
     [say("thread_start", "n"), say("thread_exit")],
     [],
     [perf("region_enter", " thread-proc on main: n", **TIMED), perf("region_leave", " thread-proc on main", **PAST)],
     [event("region_enter", ',"nesting":1,"msg":"thread-proc on main: n"'),
      event("region_leave", ',"t_rel":SECONDS,"nesting":1,"msg":"thread-proc on main"')]),
    ("printf: NORMAL has no verb; EVENT has it since version 4 of the form",
     [say("printf", "a b")], ["a b"], [perf("printf", "a b", **TIMED)], [event("printf", ',"t_abs":SECONDS,"msg":"a b"')]),
    ("timers: a start within another is no interval of its own, never used is not reported, the sums of threads come last",
     [say("timer_start", 0), say("timer_start", 0), say("timer_stop", 0), say("timer_stop", 0), "thread",
      say("thread_start", "t"), say("timer_start", 1), say("timer_stop", 1), say("thread_exit"), "thread_end"],
     [f"th_timer test/test2 {TIMER}", f"timer test/test1 {TIMER}", f"timer test/test2 {TIMER}"],
     [perf("thread_start", "", "th01:t", **TIMED),
      perf("th_timer", f"name:test2 {TIMER}", "th01:t", category="test"), perf("thread_exit", "", "th01:t", **PAST),
      perf("timer", f"name:test1 {TIMER}", category="test"), perf("timer", f"name:test2 {TIMER}", category="test")],
     [event("thread_start", "", "th01:t"),
      event("th_timer", f',"category":"test","name":"test2","intervals":1,{SECONDS}', "th01:t"),
      event("thread_exit", ',"t_rel":SECONDS', "th01:t"),
      event("timer", f',"category":"test","name":"test1","intervals":1,{SECONDS}'),
      event("timer", f',"category":"test","name":"test2","intervals":1,{SECONDS}')]),
    ("counters: a sum of 0 is not reported; beyond 2^63 it is negative in EVENT",
     [say("counter_add", 1, 5), say("counter_add", 1, 2**64 - 10), say("counter_add", 0, 3), say("counter_add", 2, 0)],
     [f"th_counter test/test2 value:{2**64 - 5}", f"counter test/test2 value:{2**64 - 5}", "counter test/test1 value:3"],
     [perf("th_counter", f"name:test2 value:{2**64 - 5}", category="test"),
      perf("counter", f"name:test2 value:{2**64 - 5}", category="test"),
      perf("counter", "name:test1 value:3", category="test")],
     [event("th_counter", ',"category":"test","name":"test2","count":-5'),
      event("counter", ',"category":"test","name":"test2","count":-5'),
      event("counter", ',"category":"test","name":"test1","count":3')]),
    ("passwords: between the first colon and the @ of http and https, in start, child_start, exec and def_param",
     [say("start", "https://u:p@h/"), say("def_param", "local", "remote.o.url", "http://u:p@h"),
      say("alias", "k", "https://u:p@h")],
     ["start 'https://u:<REDACTED>@h/'", "def_param scope:local remote.o.url=http://u:<REDACTED>@h",
      "alias k -> https://u:p@h"],
     [perf("start", "'https://u:<REDACTED>@h/'", **TIMED),
      perf("def_param", "remote.o.url:http://u:<REDACTED>@h", category="scope:local"),
      perf("alias", "alias:k argv:[https://u:p@h]")],
     [event("start", ',"t_abs":SECONDS,"argv":["https://u:<REDACTED>@h/"]'),
      event("def_param", ',"scope":"local","param":"remote.o.url","value":"http://u:<REDACTED>@h"'),
      event("alias", ',"alias":"k","argv":["https://u:p@h"]')]),
    ("a second name lies below the first; integers are strings; an empty text is not no text",
     [say("cmd_name", "a"), say("cmd_name", "b"), say("data_intmax", "c", None, "k", -7),
      say("region_enter", "c", "l", None, ""), say("error", "%s", ""), say("error", "")],
     ["cmd_name a (a)", "cmd_name b (a/b)", "error ", "error"],
     [perf("cmd_name", "a (a)"), perf("cmd_name", "b (a/b)"), perf("data", "k:-7", category="c", **PAST),
      perf("region_enter", "label:l ", category="c", **TIMED), perf("error", "", dots=".."), perf("error", "", dots="..")],
     [event("cmd_name", ',"name":"a","hierarchy":"a"'), event("cmd_name", ',"name":"b","hierarchy":"a/b"'),
      event("data", ',"t_abs":SECONDS,"t_rel":SECONDS,"nesting":1,"category":"c","key":"k","value":"-7"'),
      event("region_enter", ',"nesting":1,"category":"c","label":"l","msg":""'),
      event("error", ',"msg":"","fmt":"%s"'), event("error")]),
)


def body_of(stream, sid):
    """A stream's lines between version and atexit."""
    text = scrub(stream).replace(sid, "TIMESTAMP")
    return text.splitlines()[1:-1]


def check_row(tap, row):
    """One rule, in all targets."""
    rule, messages, normal, columns, events = row
    driven, done = drive("".join(line + "\n" for line in messages), environment=BRIEF)
    wanted = {"normal": normal, "perf": columns, "event": events}
    sid = scrub(driven["event"].splitlines()[0]).split('"')[7] if driven["event"] else "?"
    troubles = [done.stderr.decode()] if done.stderr else []
    for target, want in wanted.items():
        got = body_of(driven[target], sid)
        if got != want:
            troubles += [target, *[f"  got  {line}" for line in got], *[f"  want {line}" for line in want]]
    tap.nothing(troubles, rule, most=30)


@tested
def main(tap):
    """All rules."""
    for row in TABLE:
        check_row(tap, row)
