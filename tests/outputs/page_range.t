#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: ranges, markers and statistics of the page: dragged with the mouse, computed again here."""

import math
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import cases  # noqa: E402
from pages import DRAW, SPAN, visit_pages  # noqa: E402
from tap import Tap  # noqa: E402

# Nested slices of two threads, a counter, instants; the inner one of 8 is 1 us longer each time.
ROUND = """+1us 7@0 work B outer
+1us 7@0 work B inner
+{0}us 7@0 work E ""
+1us 7@0 work E ""
+0 8@0 work B other
+2us 8@0 work I mark
+1us 8@0 work E ""
+0 9@0 level {1}
"""
WORK = (
    "event demo:work 100 char track_event_type; string slice_name\nevent demo:level 101 u64 counter_value\n0 9@0 level 0\n"
    + "".join(ROUND.format(i % 8, i) for i in range(1, 201))
    + "+1us 8@0 work B stuck\n+10us 8@0 work I mark\n"
)
ASYNC = """event demo:request 100 char track_event_type; string slice_name; ktrack_async_id scope_id
task 7 submitter
task 8 worker
event demo:work 101 char track_event_type; string slice_name
+10us 7@0 work I "submit"
+10us 8@0 work I "work"
+10us 7@0 request B read 1
+10us 7@0 request B read 2
+10us 8@0 request E "" 1
+10us 8@0 request E "" 2
"""
# Whether pixels of a track and of another one, inside and outside of the range, have the colours of a picture without a range.
SHADES = """const p = ktrack.picture, track = p.recording.tracks[arguments[0]], other = p.recording.tracks.find((one) => one.rows.length > 0 && one !== track), range = ktrack.range;
const times = [range.span.from + 5e3, range.span.from - 55e3], chosen = range.tracks, span = range.span, width = 50e3 * p.scale * p.ratio;
const look = () => {
	p.drawAll();
	return [track, other].flatMap((one) => times.map((time) => p.context.getImageData(Math.round(p.xOf(time) * p.ratio), Math.round((p.topOf(one) + LANE / 2 - 6) * p.ratio), width, 1).data.join()));
};
const colours = [0, 1, 2].map((kind) => {
	Object.assign(range, { span: kind > 0 ? span : null, tracks: kind === 1 ? null : chosen });
	return look();
});
const compare = (one) => one.map((colour, i) => colour === colours[0][i] ? "kept" : "faded");
return { all: compare(colours[1]), track: compare(colours[2]) };"""
HEADER_HEIGHT = 'await new Promise(requestAnimationFrame); return document.querySelector("header").offsetHeight;'
CELLS = """const rows = [...document.querySelectorAll("#details table")].map((table) => [...table.rows].map((row) => [...row.cells].map((cell) => cell.innerText.trim())));
return rows;"""
ITEMS = """const r = ktrack.recording, found = [];
for (const track of r.tracks)
	for (const row of track.rows)
		row.visit(-Infinity, Infinity, (chunk, i, { begin, end, name, marks }) => found.push([r.names[name[i]], begin[i], end[i], row.depth, track.number, marks[i]]));
return found;"""


def expected(items, name, begin, end):
    """(count, total, self, sorted durations) of a name in a span, from all slices."""
    inside = lambda one: max(min(one[2], end) - max(one[1], begin), 0)  # noqa: E731
    own = [one for one in items if one[0] == name and one[1] <= end and one[2] >= begin]
    inner = [one for one in items if any(one[3] == o[3] + 1 and one[4] == o[4] and o[1] <= one[1] and one[2] <= o[2] for o in own)]
    total = sum(map(inside, own))
    return len(own), total, total - sum(map(inside, inner)), sorted(one[2] - one[1] for one in own if not one[5] & 3)


def rank(numbers, share):
    """The nearest rank."""
    return numbers[max(math.ceil(share * len(numbers)) - 1, 0)]


def place(browser, time, track=None):
    """Where a time is in the window: in the axis, or in the middle of a track."""
    return browser.run(
        """const p = ktrack.picture, box = p.canvas.getBoundingClientRect(), [time, track] = arguments;
        return [box.left + p.xOf(time), box.top + (track === null ? RULER - 8 : p.topOf(p.recording.tracks[track]) + LANE / 2)];""",
        time,
        track,
    )


def statistics(browser):
    """The statistics of the selected range, when they are there."""
    return browser.run(
        """while (!ktrack.range.statistics)
            await pause();
        const { slices, instants, counters } = ktrack.range.statistics;
        return { span: ktrack.range.span, tracks: ktrack.range.tracks?.map((one) => one.label) ?? null,
            slices: slices.map(({ name, count, total, self, min, mean, p50, p99, max, excluded }) => ({ name, count, total, self, min, mean, p50, p99, max, excluded })),
            instants: instants.map(({ name, count }) => [name, count]), counters: counters.map(({ first, last, min, max, count }) => [first, last, min, max, count]) };"""
    )


def same(one, wanted):
    """Whether a row has the wanted numbers."""
    count, total, own, numbers = wanted
    found = [one[key] for key in ("count", "total", "self", "min", "mean", "p50", "p99", "max")]
    right = [count, total, own, numbers[0], sum(numbers) / len(numbers), rank(numbers, 0.5), rank(numbers, 0.99), numbers[-1]]
    return all(abs(a - b) < 1e-3 for a, b in zip(found, right))


def check_axis(tap, pages):
    """A drag over the axis selects all tracks; the table has the numbers of the slices within."""
    browser = pages.browser
    pages.load_text(WORK)
    browser.run(DRAW)
    left, right = place(browser, 200e3), place(browser, 900e3)
    browser.drag(*left, *right)
    found = statistics(browser)
    items, span = browser.run(ITEMS), (found["span"]["from"], found["span"]["to"])
    near = abs(span[0] - 200e3) < 3e3 and abs(span[1] - 900e3) < 3e3 and found["tracks"] is None
    tap.ok(near, "a drag over the axis", found["span"], found["tracks"])
    by_name = {one["name"]: one for one in found["slices"]}
    for name in ("outer", "inner", "other"):
        wanted = expected(items, name, *span)
        tap.ok(wanted[0] > 40 and same(by_name[name], wanted), f"statistics of {name}", by_name[name], wanted[:3])
    marks = browser.run("let n = 0; const [from, to] = arguments; for (const t of ktrack.recording.tracks) t.instants?.visit(from, to, () => { n++; }); return n;", *span)
    tap.ok(found["instants"] == [["mark", marks]] and marks > 40, "instants", found["instants"], marks)
    first, last, least, most, count = found["counters"][0]
    tap.ok(0 < first < least == first + 1 < most == last and count == last - first, "a counter's change", found["counters"])


ALL = """const r = ktrack.range, count = async () => {
	r.select(0, 900e3);
	await r.show();
	return [r.statistics.slices.reduce((sum, one) => sum + one.count, 0), (await (await ktrack.saver.csv()).text()).split("\\r\\n").length];
};
const before = await count(), nodes = ktrack.picture.tree.all;
nodes.forEach((node) => Object.assign(node, { isOpen: false, isHidden: node.tracks.length > 0 }));
ktrack.picture.place();
const left = ktrack.picture.tracks.length, after = await count();
nodes.forEach((node) => Object.assign(node, { isOpen: true, isHidden: false }));
ktrack.picture.place();
return [before, after, left];"""


def check_all_tracks(tap, pages):
    """A range of all tracks has those that are not visible, too."""
    pages.load_text(WORK)
    before, after, left = pages.browser.run(ALL)
    tap.ok(before == after and before[0] > 100 and left == 0, "all tracks are those of the recording", before, after, left)


def check_crossing(tap, pages):
    """Slices that cross are not in each other, but in those around them."""
    pages.load_text((cases.GOLDEN / f"{cases.CROSSING_CASE}.script").read_text())
    pages.browser.run("ktrack.range.select(0, 50e3); await ktrack.range.show();")
    found = {one["name"]: one["self"] for one in statistics(pages.browser)["slices"]}
    wanted = {"main": 4000, "A": 2000, "B": 4000, "C": 2000, "D": 1000, "F": 1000}
    tap.ok({name: found.get(name) for name in wanted} == wanted, "self times of slices that cross", found)


def check_panel(tap, pages):
    """The table is visible, sorted by a click on a head, and leads to the slowest slice."""
    browser = pages.browser
    rows = browser.run(CELLS)[0]
    tap.ok(rows[0][:5] == ["name", "tracepoint", "count", "total \u25be", "self"] and rows[1][0] == "outer", "the table", *rows)
    browser.run('[...document.querySelectorAll("#details th button")].find((one) => one.textContent === "count").click();')
    counts = [int(row[2]) for row in browser.run(CELLS)[0][1:]]
    browser.run('[...document.querySelectorAll("#details th button")].find((one) => one.textContent.startsWith("count")).click();')
    again = [int(row[2]) for row in browser.run(CELLS)[0][1:]]
    tap.ok(counts == sorted(counts, reverse=True) and again == counts[::-1], "sorted both ways", counts, again)
    browser.run('[...document.querySelectorAll("#details .link")].find((one) => one.textContent === "inner").click();')
    slowest = browser.run("const one = ktrack.picture.selected; return [nameOf(ktrack.recording, one), one.end - one.begin];")
    tap.ok(slowest == ["inner", 7000], "a name leads to its slowest slice", slowest)
    browser.press("Escape")
    is_kept = browser.run("return ktrack.range.span !== null && ktrack.picture.selected === null;")
    browser.press("f")
    span, chosen = browser.run(SPAN), browser.run("return [ktrack.range.span.from, ktrack.range.span.to];")
    browser.press("Escape")
    tap.ok(is_kept and span == chosen and browser.run("return ktrack.range.span;") is None, "f zooms to the range, Escape clears it", span, chosen)


def check_tracks(tap, pages):
    """A drag over a track selects that track; suspect and incomplete slices are not in the durations."""
    browser = pages.browser
    pages.load_text(WORK)
    browser.run(DRAW)
    number = browser.run('return ktrack.recording.tracks.findIndex((one) => one.label === "work tid 8");')
    end = browser.run("return ktrack.recording.end;")
    browser.drag(*place(browser, 500e3, number), *place(browser, end + 5e3, number))
    found = statistics(browser)
    names = sorted(one["name"] for one in found["slices"])
    tap.ok(found["tracks"] == ["work tid 8"] and names == ["other", "stuck"] and not found["counters"], "one track", found["tracks"], names)
    stuck = next(one for one in found["slices"] if one["name"] == "stuck")
    tap.ok(stuck["count"] == stuck["excluded"] == 1 and stuck["max"] is None and "1 suspect or incomplete slice" in browser.run("return document.getElementById('details').innerText;"), "a slice without an end", stuck)
    browser.run(DRAW)
    colours = browser.run(SHADES, number)
    tap.ok(sorted(colours.items()) == [("all", ["kept", "faded", "kept", "faded"]), ("track", ["kept", "faded", "faded", "faded"])], "what is outside fades", colours)
    browser.run("const r = ktrack.recording, t = r.tracks.find((one) => one.label === 'work tid 7'), row = t.rows[0]; ktrack.show(thing(row, row.chunks[0], 3));")
    browser.press("m")
    found = statistics(browser)
    one = browser.run("const t = ktrack.recording.tracks.find((one) => one.label === 'work tid 7').rows[0].chunks[0].read(); return [t.begin[3], t.end[3]];")
    tap.ok([found["span"]["from"], found["span"]["to"]] == one and {"outer", "inner"} <= {row["name"] for row in found["slices"]}, "m selects the time of a slice", found["span"], one)


def check_markers(tap, pages):
    """Two markers where the mouse is, and the time between them."""
    browser = pages.browser
    browser.press("Escape", "Escape", "Home")
    metrics = {"width": 1300, "height": 700, "deviceScaleFactor": 1, "mobile": False}
    browser.call("POST", "/goog/cdp/execute", cmd="Emulation.setDeviceMetricsOverride", params=metrics)
    height = browser.run(HEADER_HEIGHT)
    for key, time in (("1", 300e3), ("2", 800e3)):
        x, y = place(browser, time, 0)
        browser.act({"type": "pointer", "id": "mouse", "actions": [{"type": "pointerMove", "x": int(x), "y": int(y), "duration": 0}]})
        browser.press(key)
    text, times = browser.run("return [document.getElementById('markers').innerText, ktrack.range.markers];")
    is_near = abs(times[0] - 300e3) < 3e3 and abs(times[1] - 800e3) < 3e3
    between = f"{float(f'{(times[1] - times[0]) / 1000:.6g}'):g} µs"
    tap.ok(is_near and text.startswith("A ") and text.endswith(f"= {between}"), "the time between markers", text, times, between)
    after = browser.run(HEADER_HEIGHT)
    tap.ok(after == height, "the header stays as high as it is", height, after)
    browser.call("POST", "/goog/cdp/execute", cmd="Emulation.clearDeviceMetricsOverride", params={})
    browser.press("Escape")
    tap.ok(browser.run("return document.getElementById('markers').innerText;") == "", "Escape removes them")


def check_name(tap, pages):
    """Details of a slice have the statistics of its name, its distribution, its neighbors, who began and ended it."""
    browser = pages.browser
    pages.load_text(WORK)
    items = browser.run(ITEMS)
    browser.run(
        """const t = ktrack.recording.tracks.find((one) => one.label === "work tid 7"), row = t.rows[1], chunk = row.chunks[0];
        ktrack.show(thing(row, chunk, 6));"""
    )
    pages.details()
    text = browser.run("await ktrack.details.statistics; return document.getElementById('details').innerText;")
    numbers = sorted(one[2] - one[1] for one in items if one[0] == "inner")
    wanted = (f"count\t{len(numbers)}", "p99\t7 µs", "p50\t3 µs", "87.5 % of them are shorter", "begun by\tthread (7)", "ended by\tthread (7)")
    tap.nothing([word for word in wanted if word not in text] + ([text] if wanted[0] not in text else []), "statistics of a name")
    bars = browser.run(
        """const bars = [...document.querySelectorAll(".histogram span")];
        return [bars.filter((one) => one.offsetHeight > 0).length, bars.findIndex((one) => one.className === "own"), bars.length];"""
    )
    tap.ok(bars[0] == 8 and bars[1] == bars[2] - 1, "the distribution, and the bar of the slice", bars)
    name = "const one = ktrack.picture.selected; return [nameOf(ktrack.recording, one), one.begin];"
    begins = sorted(one[1] for one in items if one[0] == "inner")
    at = begins.index(browser.run(name)[1])
    browser.press(".")
    following = browser.run(name)
    browser.press(",", ",")
    before = browser.run(name)
    tap.ok(following == ["inner", begins[at + 1]] and before == ["inner", begins[at - 1]], "next and previous one of the same name", following, before)


# A shell begins a request and becomes another program; its worker gets another name after the request.
RENAMED = """format ../formats/6.12/task/task_rename
event demo:request 100 char track_event_type; string slice_name; ktrack_async_id scope_id
event demo:work 101 char track_event_type; string slice_name
task 7 shell 7
task 8 worker 7
+10us 7@0 work I submit
+10us 7@0 request B read 1
+10us 7@0 task_rename pid=7 oldcomm=shell newcomm=sleep
+10us 7@0 work I later
+10us 8@0 work I work
+10us 8@0 request E "" 1
+10us 8@0 task_rename pid=8 oldcomm=worker newcomm=idle
+10us 8@0 work I last
"""


def check_names(tap, pages):
    """A thread has the name of that time; a process the last one of its first thread."""
    pages.load_text(RENAMED)
    pages.browser.run("const row = ktrack.recording.tracks.find((one) => one.rows.length > 0).rows[0]; ktrack.show(thing(row, row.chunks[0], 0));")
    text = pages.details()
    tap.ok("begun by\tshell (7)" in text and "ended by\tworker (8)" in text, "names of that time", text)
    labels = pages.browser.run("return ktrack.picture.tree.all.map(({ label }) => label);")
    tap.ok("process 7 sleep" in labels and "sleep 7" in labels, "a process is named like its first thread", *labels)


def check_writers(tap, pages):
    """An asynchronous slice reports who began and who ended it."""
    pages.load_text(ASYNC)
    pages.browser.run("const row = ktrack.recording.tracks.find((one) => one.rows.length > 0).rows[0]; ktrack.show(thing(row, row.chunks[0], 0));")
    text = pages.details()
    tap.ok("begun by\tsubmitter (7)" in text and "ended by\tworker (8)" in text and "ktrack:" not in text, "who began and ended it", text)


CHECKS = (check_axis, check_panel, check_all_tracks, check_crossing, check_tracks, check_markers, check_name, check_writers, check_names)


if __name__ == "__main__":
    sys.exit(visit_pages(Tap(), CHECKS))
