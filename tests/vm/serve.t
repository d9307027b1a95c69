#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: ktrack stream --serve in a machine: the served lines are those of the recording, whoever reads them or not."""

import json
import sys
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

REQUESTS = 3000


def served_counts(text):
    """How many slices, instants and samples the lines have, by the numbers of tracks."""
    counts = Counter()
    for line in text.splitlines():
        words = line.split(" ")
        if words[0] in "civ":
            counts[int(words[1])] += int(words[5] if words[0] == "c" else words[4])
    return counts


def event_counts(text):
    """The same of EVENT."""
    counts = Counter()
    for line in text.splitlines():
        event = json.loads(line)
        thread = event.get("thread", "")
        if event["event"] in ("region_leave", "data") or (event["event"] == "data_json" and event.get("category") not in ("track", "summary")):
            if thread.startswith("th"):
                counts[int(thread[2:].partition(":")[0])] += 1
    return counts


def totals_of(lines):
    """The last line's object."""
    last = ["", *lines.splitlines()][-1]
    return json.loads(last[2:]) if last.startswith("f ") else {}


def check_stream(tap, kernel, result):
    """Nothing is lost, in neither output."""
    lines, stream = result.text("lines"), result.text("stream.event")
    served, event = served_counts(lines), event_counts(stream)
    tap.ok(sum(event.values()) > 3 * REQUESTS and served == event, f"{kernel}: the lines have all {sum(event.values())} events", (served - event), (event - served))
    totals = totals_of(lines)
    tap.ok(totals.get("lost") == 0 and totals.get("lost_gaps_unknown") == 0 and '"event":"error"' not in stream, f"{kernel}: a client that reads nothing loses nothing for others", totals)
    tap.ok(len(lines) > 200000, f"{kernel}: more than that client's connection keeps", len(lines))
    tap.ok('data-lines="lines"' in result.text("page.html") and result.text("page.html").endswith("</html>\n"), f"{kernel}: the page")


def check_limits(tap, kernel, result):
    """Who is refused, and what ktrack may do meanwhile."""
    denied = result.text("denied").splitlines()
    tap.ok([line.split()[1] for line in denied] == ["403", "403", "400"], f"{kernel}: a wrong token, another host and a request with a body are refused", *denied)
    listening = result.text("listening").splitlines()
    tap.ok(len(listening) == 1 and listening[0].split()[2].startswith("0100007F:"), f"{kernel}: it listens on 127.0.0.1 alone", *listening)
    capabilities = set(line.split()[1] for line in result.text("capabilities").splitlines())
    tap.ok(capabilities == {"0000000000000000"}, f"{kernel}: without capabilities", *capabilities)


def check_ends(tap, kernel, result):
    """A port in use is an error; the end is served until somebody has read it."""
    errors = result.text("failed.errors")
    tap.ok(result.text("failed.status") == "1\n" and errors == "ktrack: cannot listen on 127.0.0.1:8717: Address already in use\n" and not result.text("failed.left"), f"{kernel}: a port that is in use", errors, result.text("failed.status"), result.text("failed.left"))
    tap.ok(totals_of(result.text("ended.lines")).get("lost") == 0, f"{kernel}: lines that are read at the end", result.text("ended.lines")[-300:])
    tap.ok(result.text("ended.errors").count("\n") >= 2 and "\n\n" not in result.text("ended.errors"), f"{kernel}: messages are lines", result.text("ended.errors"))


def check_open(tap, kernel, result):
    """A slice that lasts is there before its end; its end is there once."""
    early, late = result.text("open.early").splitlines(), result.text("open.lines").splitlines()
    names = [json.loads(line[2:]) for line in late if line.startswith("n ")]
    opened = [line.split(" ")[1:] for line in early if line.startswith("o ")]
    sleeps = [one for one in opened if "sleep" in names[int(one[3])]]
    tap.ok(len(sleeps) == 1, f"{kernel}: the system call of sleep is there while it lasts", opened, names)
    reached = max((int(line.split(" ")[1]) for line in early if line.startswith("a ")), default=0)
    tap.ok(sleeps and reached > int(sleeps[0][2]), f"{kernel}: the time goes on", reached)
    chunks = [line.split(" ")[1:] for line in late[len(early) :] if line.startswith("c ")]
    ended = [one for one in chunks if sleeps and one[:2] == sleeps[0][:2]]
    tap.ok(ended and ended[0][2] == sleeps[0][2] and int(ended[0][3]) >= reached, f"{kernel}: its end, in the next chunk of its row", sleeps, ended)
    tap.ok(result.text("open.status") == "143\n" and totals_of(result.text("open.lines")).get("lost") == 0, f"{kernel}: the command's status", result.text("open.status"))


@tested
def main(tap):
    """On each kernel."""
    for kernel in machine.ONE_6_12:
        with machine.ran(kernel, "serve.sh", REQUESTS, options=machine.SINGLE) as result:
            machine.check_end(tap, kernel, result)
            tap.nothing(result.output.splitlines(), f"{kernel}: nothing went wrong")
            check_stream(tap, kernel, result)
            check_limits(tap, kernel, result)
            check_ends(tap, kernel, result)
            check_open(tap, kernel, result)
