#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the server of the page that follows a recording: who gets what, slow and hostile clients, the end."""

import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from live import Live, read_all, read_until, split  # noqa: E402
from process import wait_for  # noqa: E402
from tap import tested  # noqa: E402

FOLLOWERS, HALVES = 8, 40
# More lines than the kernel keeps for a client that does not read.
MANY = ["slices 0 100000"] * 10
HEADERS = {
    "connection": "close",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; worker-src blob:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


def check_answers(tap):
    """The page and lines for whoever has the token; an error for all others."""
    with Live() as live:
        status, headers, body = live.ask(live.request(""))
        tap.ok(status == 200 and headers["content-type"] == "text/html; charset=utf-8" and int(headers["content-length"]) == len(body) and body.endswith(b"</html>\n"), "the page", status, headers)
        tap.ok(b"<title>ktrack: typed &#60;b&#62;</title>" in body and b"connect-src 'self'" in body, "its title is text")
        wrong = live.token[:-1] + ("0" if live.token[-1] != "0" else "1")
        asked = {
            "a wrong token": (live.request("").replace(live.token.encode(), wrong.encode()), 403),
            "no token": (f"GET /lines HTTP/1.1\r\nHost: 127.0.0.1:{live.port}\r\n\r\n".encode(), 403),
            "another site's name": (live.request("", host=f"evil.example:{live.port}"), 403),
            "another port": (live.request("", host=f"127.0.0.1:{live.port + 1}"), 403),
            "another method": (live.request("", "POST"), 405),
            "another path": (live.request("other"), 404),
            "no request": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
            "lines that are not there yet": (live.request("lines?from=1000000"), 416),
            "a large request": (live.request("", more=f"X: {'x' * 20000}\r\n"), 431),
        }
        for what, (request, wanted) in asked.items():
            status, headers, body = live.ask(request)
            kept = {name: headers.get(name) for name in HEADERS} == HEADERS and "access-control-allow-origin" not in headers
            tap.ok(status == wanted and kept and body.startswith(b"ktrack: ") and live.token.encode() not in body, f"{what}: {wanted}", status, headers, body)
        status, headers, _ = live.ask(live.request("", host=f"localhost:{live.port}"))
        tap.ok(status == 200 and {name: headers.get(name) for name in HEADERS} == HEADERS, "localhost is allowed; headers of the page", status, headers)
    with Live() as other:
        tap.ok(other.token != live.token and len(other.token) == 32, "each has its own token of 128 bits")


def check_lines(tap):
    """Followers get the same lines, from the byte that they ask for, as soon as they are recorded."""
    with Live() as live:
        first = live.follow()
        live.do("slices 0 10")
        found = read_until(first, b"c 1 1 ")
        size = len(split(found)[2])
        second, third = live.follow(), live.follow(start=size)
        live.do("slices 0 20000", "mark 3 here")
        live.begin("finish")
        one, two, rest = found + read_all(first), read_all(second), read_all(third)
        tap.ok(split(one)[0] == 200 and one == two and split(one)[2].count(b"\nf {") == 1 and one.endswith(b"}\n"), "two followers get the same lines, and the last one", len(one), len(two))
        tap.ok(split(rest)[2] == split(one)[2][size:], "lines from a byte on", size, len(rest))
        tap.ok(live.status() == 0, "the server ends when all have read it")


def check_slow(tap):
    """Clients that do not read stay behind, and hold neither the recording nor others; they lose nothing."""
    with Live() as live:
        slow, quick = live.follow(receive_size=4096), live.follow()
        live.do(*MANY)
        head = read_until(quick, b"\r\n\r\n")
        live.begin("finish")
        one = head + read_all(quick)
        tap.ok(one.endswith(b"}\n") and len(one) > 12e6, f"a quick client has all {len(one)} bytes", len(one))
        tap.ok(live.child.poll() is None, "the server waits for the slow client at the end")
        other = read_all(slow)
        tap.ok(other == one, "the slow client gets the same", len(other), len(one))
        tap.ok(live.status() == 0, "then the server ends")


def check_crowd(tap):
    """More followers than allowed are refused; connections without a request delay no page, and end."""
    with Live() as live:
        followers = [live.follow() for _ in range(FOLLOWERS)]
        for one in followers:
            read_until(one, b"\r\n\r\n")
        status, headers, body = live.ask(live.request("lines"))
        tap.ok(status == 503 and headers.get("retry-after") == "5", f"follower {FOLLOWERS + 1} is refused", status, headers, body)
        tap.ok(live.ask(live.request(""))[0] == 200, "the page is still served")
        followers.pop().close()
        replaced = wait_for(lambda: live.ask_first(live.request("lines")) == 200)
        tap.ok(replaced, "after a follower has left, another one is accepted")
        halves = []
        for _ in range(HALVES):
            halves.append(live.connect())
            halves[-1].sendall(b"GET / HT")
        status = live.ask(live.request(""))[0]
        tap.ok(status == 200, "a page is answered beside more half-sent requests than there are connections", status)
        answers = [split(read_all(one))[0] for one in halves]
        tap.ok(set(answers) == {0, 408} and answers[-1] == 408, "the first ones are closed for it, the others end with 408", answers)
        live.do("slices 0 10")
        tap.ok(b"c 1 1 " in read_until(followers[0], b"c 1 1 "), "followers go on meanwhile")


def check_end(tap):
    """Without a page, the end is served until somebody has read it, or until Ctrl-C; with a stuck one, too."""
    with Live() as live:
        live.begin("slices 0 10", "finish")
        time.sleep(1)
        tap.ok(live.child.poll() is None, "the end is served to whoever comes")
        _, _, body = live.ask(live.request("lines"))
        tap.ok(body.count(b"\nf {") == 1 and live.status() == 0, "one reader is enough", body[-100:])
    with Live() as live:
        stuck = live.follow(receive_size=4096)
        live.do(*MANY)
        live.begin("finish")
        time.sleep(1)
        is_waiting = live.child.poll() is None
        live.interrupt()
        tap.ok(is_waiting and live.status() == 0, "Ctrl-C ends it although nobody reads")
        stuck.close()


@tested
def main(tap):
    """All checks."""
    for check in (check_answers, check_lines, check_slow, check_crowd, check_end):
        check(tap)
