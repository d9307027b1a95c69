#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the page's search: names, tracks, tracepoints, fields, values, comparisons; count, list, next and previous."""

import csv
import io
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from pages import SPAN, visit_pages  # noqa: E402
from tap import Tap  # noqa: E402

FIELDS = """task 7 submitter
event demo:io 100 char track_event_type; string slice_name; u32 scope_queue; u64 bytes; string state; s64 result
event demo:level 101 u64 counter_value
+10us 7@0 io B read 1 2048 queued 0
+10us 7@0 io E "" 1 2048 done 9007199254740993
+10us 7@0 io B write 2 4096 queued 0
+20ms 7@0 io E "" 2 4096 Dropped -5
+10us 7@0 level 2048
+10us 7@0 io B read 1 8192 queued 0
+10us 7@0 io E "" 1 8192 done 9007199254740992
+10us 7@0 io I mark 2 1 0x800 0
"""
# More slices than one step searches, and a name that occurs once, at the end.
LONG = """event demo:io 100 char track_event_type; string slice_name; u32 number
repeat 60000
+100 7@0 io B common $i
+100 7@0 io E "" $i
end
+100 7@0 io B needle 7
+100 7@0 io E "" 7
"""
HITS = """const { search } = ktrack.search;
await search.done;
return [search.hits.map((one) => `${nameOf(ktrack.recording, one)} ${one.begin}`), search.tracks.map((one) => one.label), document.getElementById("found").textContent];"""
FIND = """const field = document.getElementById("search");
field.value = arguments[0];
field.dispatchEvent(new Event("input"));
"""
FIRST, WRITE, SAMPLE, LAST, MARK = "read 0", "write 20000", "level 20030000", "read 20040000", "mark 20060000"


def check_queries(tap, pages):
    """What each query finds."""
    pages.load_text(FIELDS)
    sample = pages.browser.run("const one = ktrack.recording.tracks.find((track) => track.samples); return `${one.label} ${one.samples.chunks[0].from}`;")
    queries = (
        ("read", [FIRST, LAST], 0),
        ("REA", [FIRST, LAST], 0),
        ("2048", [FIRST, sample, MARK], 0),
        ("dropped", [WRITE], 0),
        ("bytes>4096", [LAST], 0),
        ("bytes >= 4096", [WRITE, LAST], 0),
        ("bytes!=2048", [WRITE, LAST, MARK], 0),
        ("bytes=0x800", [FIRST], 0),
        ("result=-5", [WRITE], 0),
        ("result=9007199254740993", [FIRST], 0),
        ("result>9007199254740992", [FIRST], 0),
        ("state=done", [FIRST, LAST], 0),
        ('state="done"', [FIRST, LAST], 0),
        ("state", [FIRST, WRITE, LAST, MARK], 0),
        ("duration>10ms", [WRITE], 0),
        ("duration<=10us", [FIRST, LAST], 0),
        ("value>2000", [sample], 0),
        ("name=mark", [MARK], 0),
        ("queue 2", [], 1),
        ("demo:level", [], 1),
        ("tracepoint=demo:io", [], 2),
        ("nothing", [], 0),
        ("bytes>many", [], 0),
        ("name=read bytes>4096", [LAST], 0),
        ("read bytes>4096", [LAST], 0),
        ("bytes>4096 name=read state=done", [LAST], 0),
        ("name=read duration>1ms", [], 0),
        ("write duration > 10ms result<0", [WRITE], 0),
        ("queue duration<1ms", [FIRST, LAST], 0),
        ("track=\"io queue 2\" duration>1ms", [WRITE], 0),
        ("tracepoint=demo:io bytes=2048", [FIRST], 0),
        ("tracepoint=demo:io track=\"io queue 2\"", [], 1),
        ("tracepoint=demo:level value>2000", [sample], 0),
        ("tracepoint=demo:io value>2000", [], 0),
        ("dropped bytes=4096", [WRITE], 0),
        ("name=read and more", [], 0),
        ("dur>10ms", [WRITE], 0),
        ("name:REA", [FIRST, LAST], 0),
        ("name:rea dur>1ms", [], 0),
        ("cat:io dur>10ms", [WRITE], 0),
        ("dur>10ms cat:io", [WRITE], 0),
        ("cat:level", [], 1),
        ("cat:io write", [WRITE], 0),
        ("name:read bytes>4096 cat:demo", [LAST], 0),
        ("tid:7", [], 1),
        ("name:", [], 0),
        ("cat:demo:level", [], 1),
        ("cat:demo:io name:read bytes>4096", [LAST], 0),
        ("bytes>4096 cat:demo:level", [], 0),
        ("comm:nobody", [], 0),
        ("tid:8 read", [], 0),
        ("(", [], 0),
    )
    for query, wanted, tracks in queries:
        hits, labels, text = pages.browser.run(FIND + HITS, query)
        is_right = hits == wanted and len(labels) == tracks and (text == "not found") == (not wanted and not tracks)
        tap.ok(is_right, f"search for {query}", hits, wanted, labels, text)


# Threads of two processes, CPUs, and names that contain others.
KEYED = """task 7 worker 7
task 8 helper 7
task 9 worker 9
event demo:work 100 char track_event_type; string slice_name
event demo:irq 101 char track_event_type; string slice_name; u32 scope_cpu
+10us 7@0 work B "reader now"
+10us 7@0 work E ""
+10us 8@1 work B reader
+10us 8@1 work E ""
+10us 9@1 work B read
+10us 9@1 work E ""
+10us 9@0 irq B timer 0
+10us 9@0 irq E "" 0
+10us 9@1 irq B timer 1
+10us 9@1 irq E "" 1
"""
NOW, READER, READ, TIMER_0, TIMER_1 = "reader now 0", "reader 20000", "read 40000", "timer 60000", "timer 80000"
OFFERED = FIND + "return [...document.getElementById('offered').options].map((one) => one.value);"


def check_keys(tap, pages):
    """Keys with values; exact names first; what is offered while one types."""
    browser = pages.browser
    pages.load_text(KEYED, "--wall-clock=1577934245")
    for query, wanted in (
        ("read", [READ, NOW, READER]),
        ("name:reader", [READER, NOW]),
        ("tid:8 read", [READER]),
        ("pid:7 name:read", [NOW, READER]),
        ("comm:work dur>1us", [NOW, READ]),
        ("comm:worker pid:9 read", [READ]),
        ("cpu:1 timer", [TIMER_1]),
        ("name:\"reader now\" tid:7", [NOW]),
        ("tid:eight read", []),
    ):
        hits, labels, _ = browser.run(FIND + HITS, query)
        tap.ok(hits == wanted and not labels, f"search for {query}", hits, wanted, labels)
    offered = {text: browser.run(OFFERED, text) for text in ("re", "ti", "tid:", "dur>5us comm:h", 'name:"reader n', "cat:irq", "xyz:", "constructor:")}
    wanted = {"re": ["reader now", "reader", "read"], "ti": ["tid:", "time:", "timer"], "tid:": ["tid:7", "tid:8", "tid:9"], "dur>5us comm:h": ["dur>5us comm:helper"], 'name:"reader n': ['name:"reader now"'], "cat:irq": ["cat:demo:irq"], "xyz:": [], "constructor:": []}
    tap.ok(offered == wanted, "what is offered", offered, wanted)


# A thread that gets another name, and then another cgroup, between its slices.
RENAMED = """format ../formats/6.12/sched/sched_switch
format ../formats/6.12/task/task_rename
format ../formats/6.12/cgroup/cgroup_attach_task
event demo:work 101 char track_event_type; string slice_name
task 30 before 30
cgroup 30 /first
+10us 30@0 work B a
+10us 30@0 work E ""
+10us 30@0 task_rename pid=30 oldcomm=before newcomm=after
+10us 30@0 work B b
+10us 30@0 work E ""
+10us 30@0 cgroup_attach_task dst_root=0 pid=30 dst_path=/second
+10us 30@0 work B c
+10us 30@0 work E ""
"""


def check_renamed(tap, pages):
    """A renamed thread is listed once, with both names."""
    browser = pages.browser
    pages.load_text(RENAMED, "-r", "convention")
    hits, labels, _ = browser.run(FIND + HITS, "tid:30")
    browser.run("document.getElementById('list').click();")
    listed = browser.run("return [...document.querySelectorAll('#details .columns > div > div')].map((one) => one.textContent);")
    tap.ok(len(labels) == 3 and not hits and listed == ["track work tid 30 after, before: before"], "a renamed thread", labels, listed)


def check_times(tap, pages):
    """g asks for a time; Enter shows it, with a marker, at the same zoom."""
    browser = pages.browser
    pages.load_text(KEYED, "--wall-clock=1577934245")
    unix, day = browser.run("const { unix_ns } = ktrack.recording.about; return [String(unix_ns), showUtc(ktrack.picture.unixOf(0), 1).day];")
    clock = browser.run("return showUtc(ktrack.picture.unixOf(50000), 1).time;")
    browser.press("w", "w", "w", "g")
    tap.ok(browser.run("return [document.activeElement.id, document.getElementById('search').value];") == ["search", "time:"], "g asks for a time")
    size = browser.run(SPAN)
    for text, wanted in (("40us", 40000), ("0.00003", 30000), (clock, 50000), (f"{day}T{clock}", 50000), ("45us", 45000)):
        browser.run(FIND, f"time:{text}")
        browser.press("Enter")
        time, span = browser.run("return [ktrack.range.markers[0], ktrack.picture.span];")
        tap.ok(time == wanted and abs(span["from"] + span["to"] - 2 * wanted) < 2 and abs(span["to"] - span["from"] - size[1] + size[0]) < 1, f"the time {text}", time, span, unix)
    browser.run(FIND, "time:soon")
    browser.press("Enter")
    tap.ok(browser.run("return [ktrack.range.markers[0], document.getElementById('found').textContent];") == [45000, "no time"], "no time")
    browser.press("Escape")


LISTED = "return [...document.querySelectorAll('#details tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent).join(' | '));"


def check_steps(tap, pages):
    """The count, which hit it is, next and previous by buttons and keys, the list; each is visible."""
    browser = pages.browser
    text = browser.run(FIND + "await ktrack.search.search.done; return document.getElementById('found').textContent;", "bytes>0")
    tap.ok(text == "1 of 4", "the count", text)
    browser.run("document.getElementById('next').click(); document.getElementById('next').click();")
    shown = browser.run("const one = ktrack.picture.selected; return [document.getElementById('found').textContent, nameOf(ktrack.recording, one), one.begin];")
    tap.ok(shown == ["3 of 4", "read", 20040000], "next", shown)
    span = browser.run(SPAN)
    tap.ok(20040000 * 0.9 < span[0] <= 20040000 < 20050000 <= span[1] < 20050000 * 1.1, "a short slice is zoomed to", span)
    browser.run("document.getElementById('previous').click();")
    tap.ok(browser.run("return document.getElementById('found').textContent;") == "2 of 4", "previous")
    whole = browser.run(SPAN)
    tap.ok(whole[0] <= 20000 and whole[1] >= 20020000, "a long slice is visible as a whole", whole)
    browser.run("document.getElementById('search').blur();")
    browser.press("l")
    rows = browser.run(LISTED)
    tap.ok(len(rows) == 4 and "write" in rows[1] and "20 ms" in rows[1], "the list", *rows)
    browser.run("document.querySelectorAll('#details th button')[2].click();")
    lengths = browser.run("return ktrack.search.search.hits.map((one) => showDuration(one.end - one.begin));")
    longest = [row.split(" | ")[2] for row in browser.run(LISTED)]
    tap.ok(longest[0] == "20 ms" != lengths[0] and sorted(longest[:3]) == sorted(lengths[:3]), "the longest first", longest, lengths)
    browser.run("document.querySelectorAll('#details th button')[3].click();")
    tracks = [row.split(" | ")[3] for row in browser.run(LISTED)]
    browser.run("document.querySelectorAll('#details th button')[1].click();")
    names = [row.split(" | ")[1] for row in browser.run(LISTED)]
    tap.ok(names == sorted(names) == ["mark", "read", "read", "write"] and tracks == sorted(tracks), "by name and track", names, tracks)
    saved = list(csv.DictReader(io.StringIO(browser.run("return (await ktrack.saver.csvOf(ktrack.search.search.hits)).text();"), newline="")))
    tap.ok([[row["name"], row["begin_ns"], row["duration_ns"]] for row in saved][1:3] == [["write", "20000", "20000000"], ["read", "20040000", "10000"]] and len(saved) == 4, "all hits as CSV", *saved)
    browser.run("document.querySelectorAll('#details th button')[1].click();")
    tap.ok(browser.run(LISTED) == rows, "in the order of hits again", *rows)
    browser.run("document.querySelectorAll('#details .link')[3].click();")
    last = browser.run("return nameOf(ktrack.recording, ktrack.picture.selected);")
    count = browser.run("return document.getElementById('found').textContent;")
    tap.ok(last == "mark" and count == "4 of 4", "a line of the list leads to its hit", last, count)
    late = browser.run("const { of } = ktrack.details; let go; ktrack.details.of = async (...words) => { await new Promise((done) => { go = done; }); return of.apply(ktrack.details, words); }; const shown = ktrack.showDetails(ktrack.picture.selected); ktrack.onLetter('l'); go(); await shown; ktrack.details.of = of; return [ktrack.panel.tab, document.querySelectorAll('#details th').length];")
    tap.ok(late == ["search", 4], "details that come late do not replace the list", late)
    browser.press("n")
    again = browser.run("return document.getElementById('found').textContent;")
    tap.ok(again == "1 of 4", "after the last hit comes the first", again)


def check_zoom(tap, pages):
    """A hit is large enough to be seen; if nothing is found, the view is that from before the search."""
    browser = pages.browser
    pages.load_text(FIELDS)
    before = browser.run(SPAN)
    wait = "await ktrack.search.search.done; const one = ktrack.picture.selected; return [one && one.begin, one && one.end];"
    for query in ("b", "bytes", "bytes=2048"):
        begin, end = browser.run(FIND + wait, query)
    span = browser.run(SPAN)
    share = (end - begin) / (span[1] - span[0])
    tap.ok(begin == 0 and 0.1 <= share <= 0.6 and span[0] <= begin and end <= span[1], "a hit is a tenth of the width", begin, end, span)
    selected = browser.run(FIND + wait, "bytes=20489")
    tap.ok(selected == [None, None] and browser.run(SPAN) == before, "nothing is found: the view is that from before the search", selected, browser.run(SPAN), before)
    tap.ok(browser.run("return document.getElementById('search').ariaInvalid") == "true", "the field is marked")
    browser.run(FIND + wait, "bytes=2048")
    browser.run("ktrack.picture.setSpan(0, 5000000)")
    moved = browser.run(SPAN)
    browser.run(FIND + wait, "nothing")
    tap.ok(browser.run(SPAN) == moved, "somebody who has moved the view stays there", browser.run(SPAN), moved)
    tap.ok(browser.run(FIND + wait + "", "write") and browser.run("return document.getElementById('search').ariaInvalid") == "false", "a hit removes the mark")


def check_long(tap, pages):
    """A search takes no long steps, and finds a rare name without decoding what cannot have it."""
    browser = pages.browser
    pages.load_text(LONG)
    hits, decoded, total = browser.run(
        """const { recording } = ktrack, decode = SliceChunk.prototype.decode;
        let decoded = 0;
        recording.inOrder.forEach(({ chunk }) => chunk.items = null);
        SliceChunk.prototype.decode = function () { decoded++; return decode.call(this); };
        const search = new Search(recording, "name=needle", () => {});
        await search.done;
        SliceChunk.prototype.decode = decode;
        return [search.hits.map((one) => nameOf(recording, one)), decoded, recording.inOrder.length];"""
    )
    tap.ok(hits == ["needle"] and decoded <= total / 20 and total > 100, "a rare name", hits, decoded, total)
    first, count, longest = browser.run(
        """let last = performance.now(), first = null, longest = 0;
        const begun = last, timer = new MessageChannel();
        timer.port1.onmessage = () => { const now = performance.now(); longest = Math.max(longest, now - last); last = now; timer.port2.postMessage(null); };
        timer.port2.postMessage(null);
        const search = new Search(ktrack.recording, "common", () => { first ??= performance.now() - begun; });
        await search.done;
        timer.port1.close();
        return [first, search.count, longest];"""
    )
    tap.comment(f"first hits after {first:.0f} ms, longest step {longest:.0f} ms")
    tap.ok(count == 60000, "all hits of a common name", count)
    stopped = browser.run(FIND + "const first = ktrack.search.search;" + FIND.replace("const field", "const again").replace("field.", "again.").replace("arguments[0]", "'needle'") + "await ktrack.search.search.done; return [first.isStopped, first.isDone, ktrack.search.search.count];", "common")
    tap.ok(stopped == [True, False, 1], "another text ends the search before", stopped)


# A field of the first slice and the name of the second one are hits; names are searched first.
EARLIER = """event demo:io 100 char track_event_type; string slice_name; string state
+10us 7@0 io B read needle
+10us 7@0 io E "" ""
+10us 7@0 io B "needle 2" x
+10us 7@0 io E "" ""
+10us 7@0 io B read x
+10us 7@0 io E "" needle
"""
# Fields are searched when this is called.
HOLD = """const original = Search.prototype.searchSome;
let release;
const gate = new Promise((resolve) => { release = resolve; });
Search.prototype.searchSome = async function (...all) { await gate; return original.apply(this, all); };
window.release = async () => { Search.prototype.searchSome = original; release(); await ktrack.search.search.done; };
"""
SELECTED = "const one = ktrack.picture.selected; return [one.begin, document.getElementById('found').textContent];"


def check_first(tap, pages):
    """The first hit in time is selected in the end, unless somebody has moved on; positions are always right."""
    browser = pages.browser
    pages.load_text(EARLIER)
    wait = "while (!ktrack.picture.selected) await new Promise(requestAnimationFrame);"
    browser.run(HOLD + FIND + wait, "needle")
    early = browser.run(SELECTED)
    browser.run("await release();")
    late = browser.run(SELECTED)
    tap.ok(early == [20000, "1 of 1 \u2026"] and late == [0, "1 of 3"], "an earlier hit that is found later is selected", early, late)
    browser.run("document.getElementById('search').blur(); ktrack.select(null);" + HOLD + FIND + wait, "needle")
    browser.run("ktrack.picture.move(0.01);")
    span = browser.run(SPAN)
    browser.run("await release();")
    moved = browser.run(SELECTED)
    tap.ok(moved == [20000, "2 of 3"] and browser.run(SPAN) == span, "nothing moves if somebody has moved it meanwhile", moved, span)
    browser.press("n")
    after = browser.run(SELECTED)
    browser.press("N", "N")
    before = browser.run(SELECTED)
    tap.ok(after == [40000, "3 of 3"] and before == [0, "1 of 3"], "next and previous are in the order of time", after, before)


# Many values of all kinds, on more tracks than one.
VALUES = """task 7 submitter
event demo:io 100 char track_event_type; string slice_name; u32 scope_queue; u64 bytes; string state; s64 result; string path
event demo:level 101 s64 counter_value
repeat 9000
+100 7@0 io B read-$i%7 $i%3 $i done-$i%50 -$i "/Temp/Dir $i%9/x$i"
+100 7@0 level $i%40
+100 7@0 io I mark-$i%5 $i%3 $i%4 K 7 "k $i%11"
+100 7@0 io E "" $i%3 $i%2 Dropped $i%700 "a\\"b\\\\c $i%13 12ms"
end
+100 7@0 io B rare 1 18446744073709551615 Rarest -9223372036854775808 7
+100 7@0 io E "" 1 77777 "" 1 0x7b
+100 7@0 io I mark-1 1 1 K 7 "\\xe2\\x84\\xaa7"
+100 7@0 io I mark-1 2 1 "1.5 " 7 "12ms"
"""
INDEXED = """const hits = async (recording) => {
	const search = new Search(recording, arguments[0], () => {}), unpacked = [];
	const of = search.searchArgs;
	search.searchArgs = function (row, chunk) { unpacked.push(chunk); return of.call(this, row, chunk); };
	await search.done;
	return [search.hits.map((one) => `${one.track.number} ${one.kind} ${one.begin} ${one.row.depth}`).join(), search.count, unpacked.length];
};
const { recording } = ktrack, own = recording.inOrder.map(({ chunk }) => chunk.index), found = await hits(recording);
recording.inOrder.forEach(({ chunk }) => chunk.index = new Index());
const all = await hits(recording);
recording.inOrder.forEach(({ chunk }, i) => chunk.index = own[i]);
return [found[0] === all[0] && found[1] === all[1], found[1], found[2], all[2]];"""
# What is searched for, and whether few chunks are decompressed for it.
INDEXED_QUERIES = (
    ("1234", False),
    ("123", False),
    ("-1234", False),
    ("77777", False),
    ("bytes=77777", True),
    ("bytes=0x12fd1", True),
    ("bytes>70000", True),
    ("bytes=18446744073709551615", True),
    ("result=-9223372036854775808", True),
    ("result<-8990", True),
    ("result>=700", True),
    ("result!=3", False),
    ("rarest", True),
    ("rares", True),
    ("state=rarest", True),
    ("state=RAREST", True),
    ("state!=dropped", False),
    ("state=k", False),
    ("k", False),
    ("k7", False),
    ("state=done-49", False),
    ("state=nothing", True),
    ("path=7", False),
    ("path=123", False),
    ("12ms", False),
    ("path=12ms", False),
    ('a"b', False),
    ("b\\c", False),
    ("x8999", False),
    ("/temp/dir 8/x98", False),
    ("dir 8/x9876", True),
    ("name=rare", True),
    ("name=mark-3", False),
    ("mark", False),
    ("duration>1ms", True),
    ("duration<=200", False),
    ("value>38", False),
    ("value=-1", True),
    ("value!=1", False),
    ("39", False),
    ("00", False),
    ("0", False),
    ("stat", False),
    ("path", False),
    ("nofield=1", True),
)


def check_index(tap, pages):
    """The index excludes no hit, and most chunks for rare values."""
    pages.load_text(VALUES)
    for query, is_rare in INDEXED_QUERIES:
        is_same, count, unpacked, total = pages.browser.run(INDEXED, query)
        is_few = not is_rare or unpacked <= 2 + total / 10
        tap.ok(is_same and is_few and total > 10, f"by the index: {query}", is_same, count, unpacked, total)


FITS = """const texts = document.createElement("canvas").getContext("2d");
const field = document.getElementById("search"), order = document.getElementById("order");
const style = getComputedStyle(field), whole = order.cloneNode(true);
texts.font = style.font;
whole.style.cssText = "flex: none; width: max-content";
order.after(whole);
const natural = whole.offsetWidth;
whole.remove();
return [field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - texts.measureText(field.placeholder).width,
    order.offsetWidth - natural, innerWidth];
"""
HEIGHT = """const header = document.querySelector("header");
header.style.width = "1100px";
return header.offsetHeight;
"""


def check_fits(tap, pages):
    """The hint of the search and the order of the tracks are not cut; a search leaves the header as high as it is."""
    pages.load_text(FIELDS)
    hint, order, width = pages.browser.run(FITS)
    height = pages.browser.run(HEIGHT)
    tap.ok(hint >= 0, f"the hint fits a page of {width} pixels", hint)
    tap.ok(order >= 0, "the order of the tracks fits", order)
    pages.browser.run(FIND + HITS, "read")
    after = pages.browser.run(HEIGHT)
    tap.ok(after == height, "a search does not wrap a header of 1100 pixels", height, after)


WIDTHS = (400, 800, 900, 1300)
HEADER = """await new Promise(requestAnimationFrame);
return [document.querySelector("header").offsetHeight, document.documentElement.scrollWidth - innerWidth];"""


def check_widths(tap, pages):
    """The header of narrow windows: a search leaves it as high as it is, nothing is beyond the edge; one line from 800 pixels on."""
    browser = pages.browser
    pages.load_text(FIELDS)
    for width in WIDTHS:
        metrics = {"width": width, "height": 700, "deviceScaleFactor": 1, "mobile": False}
        browser.call("POST", "/goog/cdp/execute", cmd="Emulation.setDeviceMetricsOverride", params=metrics)
        browser.run(FIND, "")
        before, beyond = browser.run(HEADER)
        browser.run(FIND + HITS, "bytes>0")
        after, beyond_after = browser.run(HEADER)
        is_line = width < 800 or after < 50
        tap.ok(before == after and is_line and beyond <= 0 and beyond_after <= 0, f"the header of {width} pixels", before, after, beyond, beyond_after)
    browser.call("POST", "/goog/cdp/execute", cmd="Emulation.clearDeviceMetricsOverride", params={})


CHECKS = (check_widths, check_fits, check_queries, check_steps, check_keys, check_renamed, check_times, check_zoom, check_first, check_index, check_long)


if __name__ == "__main__":
    sys.exit(visit_pages(Tap(), CHECKS))
