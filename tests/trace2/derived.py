# SPDX-License-Identifier: GPL-2.0-only
"""Derives PERF's and NORMAL's lines of a ktrack session from its EVENT lines: the three have to agree byte by byte.

The lines have the columns of "The Normal Format Target" and "The Performance Format Target" in git's api-trace2, and the texts that git
prints for each event; tests/trace2/parity.t compares libtrace2 with git. ktrack-outputs(7) describes what differs: times of nine decimals,
and events that PERF and NORMAL leave out. EVENT lacks one column of PERF, when a child started or ended; only its form is compared.
"""

import json
import re

PLAIN = re.compile(r"[A-Za-z0-9+,\-./:=@_^]+")
TIMED = "start exit atexit child_start child_exit thread_start thread_exit region_enter region_leave data data_json"
SPENT = "child_exit thread_exit region_leave data data_json"
CATEGORY_WIDTH = 24


def compact(value):
    """JSON without blanks, on a line for people."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return re.sub("[\x7f-\x9f]", lambda found: escape(found[0]), text)


def escape(text, more=""):
    """A text that stays on its line; more are other signs that must not be in it."""
    marks = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
    out = []
    for sign in text:
        code = ord(sign)
        if code < 0x20 or code == 0x7F or sign in more:
            out.append(marks.get(sign, f"\\x{code:02x}"))
        else:
            out.append(f"\\u{code:04x}" if 0x80 <= code < 0xA0 or code in (0x2028, 0x2029) else sign)
    return "".join(out)


def pad(text, width):
    """A column, whose width counts bytes."""
    return text + " " * (width - len(text.encode()))


def cut(text, size):
    """The most whole characters that so many bytes hold."""
    return text.encode()[:size].decode(errors="ignore")


def plain(event):
    """The event with texts as lines for people have them; JSON has its own escapes."""
    return {name: escape(value) if isinstance(value, str) else value for name, value in event.items()}


def quote(words):
    """Words as a shell reads them."""
    return " ".join(
        word if PLAIN.fullmatch(word) else "'" + re.sub("(['!])", r"'\\\1'", word) + "'" for word in words
    )


def place(event):
    """Where the program said it."""
    return f"{event['file']}:{event['line']}" if "file" in event else ""


def timer_text(event):
    """A timer's numbers."""
    seconds = " ".join(f"{name}:{event['t_' + name]:>11.9f}" for name in ("total", "min", "max"))
    return f"intervals:{event['intervals']} {seconds}"


def child_words(event):
    """What PERF calls a child."""
    return f"[ch{event['child_id']}]"


PERF = {
    "version": lambda e: e["exe"],
    "start": lambda e: quote(e["argv"]),
    "exit": lambda e: f"code:{e['code']}",
    "atexit": lambda e: f"code:{e['code']}",
    "error": lambda e: e["msg"],
    "cmd_name": lambda e: f"{e['name']} ({e['hierarchy']})",
    "cmd_mode": lambda e: e["name"],
    "child_start": lambda e: f"{child_words(e)} class:{e['child_class']} argv:[{quote(e['argv'])}]",
    "child_exit": lambda e: f"{child_words(e)} pid:{e['pid']} code:{e['code']}",
    "thread_start": lambda e: "",
    "thread_exit": lambda e: "",
    "def_param": lambda e: f"{e['param']}:{e['value']}",
    "region_enter": lambda e: f"label:{e['label']}" + (f" {e['msg']}" if "msg" in e else ""),
    "region_leave": lambda e: f"label:{e['label']}" + (f" {e['msg']}" if "msg" in e else ""),
    "data": lambda e: f"{e['key']}:{e['value']}",
    "data_json": lambda e: " ".join((f"{e['key']}:{compact(e['value'])}", *e.get("flow", ()))),
    "th_timer": lambda e: f"name:{e['name']} {timer_text(e)}",
    "timer": lambda e: f"name:{e['name']} {timer_text(e)}",
    "th_counter": lambda e: f"name:{e['name']} value:{e['count']}",
    "counter": lambda e: f"name:{e['name']} value:{e['count']}",
}
NORMAL = {
    "version": lambda e: f"version {e['exe']}",
    "start": lambda e: f"start {quote(e['argv'])}",
    "exit": lambda e: f"exit elapsed:{e['t_abs']:.9f} code:{e['code']}",
    "atexit": lambda e: f"atexit elapsed:{e['t_abs']:.9f} code:{e['code']}",
    "error": lambda e: f"error {e['msg']}",
    "cmd_name": lambda e: f"cmd_name {e['name']} ({e['hierarchy']})",
    "cmd_mode": lambda e: f"cmd_mode {e['name']}",
    "child_start": lambda e: f"child_start[{e['child_id']}] {quote(e['argv'])}",
    "child_exit": lambda e: f"child_exit[{e['child_id']}] pid:{e['pid']} code:{e['code']} elapsed:{e['t_rel']:.9f}",
    "def_param": lambda e: f"def_param scope:{e['scope']} {e['param']}={e['value']}",
    "th_timer": lambda e: f"th_timer {e['category']}/{e['name']} {timer_text(e)}",
    "timer": lambda e: f"timer {e['category']}/{e['name']} {timer_text(e)}",
    "th_counter": lambda e: f"th_counter {e['category']}/{e['name']} value:{e['count']}",
    "counter": lambda e: f"counter {e['category']}/{e['name']} value:{e['count']}",
}


def perf_line(event):
    """The line that PERF ought to have."""
    event = plain(event)
    kind = event["event"]
    where = place(event)
    where = "..." + where[-25:] if len(where) > 28 else where
    category = f"scope:{event['scope']}" if kind == "def_param" else event.get("category", "")
    times = [
        f"{event.get(name, 0):12.9f}" if kind in kinds.split() else " " * 12
        for name, kinds in (("t_abs", TIMED), ("t_rel", SPENT))
    ]
    dots = ".." * (event.get("nesting", 1) - 1)
    columns = [
        f"{event['time'][11:26]} {where:28}", f"d{event['sid'].count('/')}", pad(escape(event["thread"], "|"), 24), f"{kind:12}", "   ",
        *times, pad(escape(cut(category, CATEGORY_WIDTH), "|"), CATEGORY_WIDTH), dots + PERF[kind](event),
    ]
    return " | ".join(columns)


def normal_line(event):
    """The line that NORMAL ought to have."""
    event = plain(event)
    where = place(event)
    head = f"{event['time'][11:26]} {where}{' ' if where else ''}"
    return f"{head:50}{NORMAL[event['event']](event)}"


def disagreements(events, perf, normal):
    """Lines that are not what EVENT says, as texts."""
    wanted = {
        "perf": [perf_line(event) for event in events if event["event"] in PERF],
        "normal": [normal_line(event) for event in events if event["event"] in NORMAL],
    }
    for name, text in (("perf", perf), ("normal", normal)):
        lines = text.split("\n")
        if lines.pop():
            yield f"{name}: its last line has no end"
        if len(lines) != len(wanted[name]):
            yield f"{name}: {len(lines)} lines, {len(wanted[name])} due"
        for number, (got, want) in enumerate(zip(lines, wanted[name]), 1):
            if got != want and not is_child(got, want):
                yield f"{name}:{number}:\n  got  {got}\n  want {want}"


def is_child(got, want):
    """EVENT does not say when a child started or ended, PERF does; the rest has to be the same."""
    mine, due = got.split(" | "), want.split(" | ")
    if len(due) < 7 or not due[3].startswith("child_"):
        return False
    return mine[:5] + mine[6:] == due[:5] + due[6:] and re.fullmatch(r" *\d+\.\d{9}", mine[5])
