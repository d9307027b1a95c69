#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: what the page draws, by the pixels of its picture, and how it zooms."""

import colorsys
import math
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from pages import DRAW, SPAN, changed_span, visit_pages  # noqa: E402
from tap import Tap  # noqa: E402

# Colours of the picture, drawn anew: of one pixel, of a part of a line, and how many are no paper.
LOOK = (
    DRAW
    + """
const ratio = devicePixelRatio, context = p.context, device = (x) => Math.round(x * ratio);
const hex = (data, i) => [...data.slice(4 * i, 4 * i + 3)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const line = (x, to, y) => {
    const { data, width } = context.getImageData(device(x), device(y), device(to) - device(x), 1);
    return Array.from({ length: width }, (_, i) => hex(data, i));
};
const at = (x, y) => line(x, x + 1, y)[0];
const track = p.recording.tracks[0], top = p.topOf(track);
"""
)
WORK = "event demo:work 100 char track_event_type; string slice_name\n"
# Work for 30 ms, a slice without an end, and a record that cannot be read after 380 ms.
TEARDOWN = (
    WORK
    + """0     8@0 work B stuck
0     7@0 work B handle
30ms  7@0 work E ""
380ms 7@0 work Z odd
"""
)
CROWDED = (
    WORK
    + """0 7@0 work B handle
repeat 10000
+100 7@0 work I mark
end
+1us 7@0 work E ""
"""
)
# Steps that are no whole number of pixels wide.
LEVEL = """event demo:level 100 u64 counter_value
repeat 700
+1371 7@0 level 5
end
"""
# A chunk of high values, of which the last one is low, then nothing for long.
BURST = """event demo:level 100 u64 counter_value
repeat 511
+10    7@0 level 100
end
+10    7@0 level 1
+100ms 7@0 level 100
"""
NAMED = """event demo:work 100 char track_event_type; string slice_name; string track_name
event demo:level 101 u64 counter_value; string track_name
+10 7@0 work B "{0}" io
+10 7@0 work E "" io
+10 7@0 level 5 "{1}"
+10 7@0 level 5 "{1}"
"""
HITS = (
    WORK
    + """0    7@0 work B "hit long 1"
5ms  7@0 work E ""
10ms 7@0 work I "hit instant"
20ms 7@0 work B "hit short 1"
+50  7@0 work E ""
40ms 7@0 work B "hit long 2"
80ms 7@0 work E ""
90ms 7@0 work B "hit short 2"
+50  7@0 work E ""
95ms 7@0 work I "hit last"
100ms 7@0 work I end
"""
)
# Short slices with long pauses, and long ones with names; a CPU that is idle, threads in states, a slice without an end.
LONELY = (
    "format ../formats/6.12/sched/sched_switch\n"
    + WORK
    + "".join(f'{n}00ms 7@0 work B "short {n}"\n+20 7@0 work E ""\n' for n in range(1, 9))
    + "".join(f'{n}00ms 8@0 work B "named slice {n}"\n+190ms 8@0 work E ""\n' for n in range(10, 20, 2))
    + "".join(
        f"{2100 + 100 * n}ms 0@0 sched_switch prev_comm=swapper prev_pid=0 prev_state=0 next_comm=job next_pid=9\n"
        f"+50ms 9@0 sched_switch prev_comm=job prev_pid=9 prev_state={state} next_comm=swapper next_pid=0\n"
        for n, state in enumerate((1, 2, 4, 1))
    )
    + '3s 7@0 work B stuck\n3100ms 7@0 work I end\n'
)
# Contrasts to the paper at short slices, and how wide they are; those of names to their slices; whether idle is green.
CONTRASTS = """
const rgb = (text) => [0, 2, 4].map((i) => parseInt(text.slice(i, i + 2), 16)), paper = rgb(at(p.width - 2, p.rows - 2)), { recording, palette } = p;
const short = recording.tracks.find((track) => track.label.includes("tid 7")), y = p.topOf(short) + LANE / 2;
const marks = Array.from({ length: 7 }, (_, n) => line(Math.floor(p.xOf((n + 1) * 1e8)) - 3, Math.floor(p.xOf((n + 1) * 1e8)) + 5, y).filter((one) => contrastOf(rgb(one), paper) >= 3).length);
const texts = [], draw = p.context.fillText;
p.context.fillText = (text) => texts.push([text, p.context.fillStyle]);
p.draw();
p.context.fillText = draw;
const states = ["Running", "Runnable", "R+", "S", "D", "T", "X", "I"].map((name) => palette.make(name, true)), own = recording.names.map((name) => palette.make(name, false));
const names = Array.from({ length: 1000 }, (_, i) => palette.make(`name ${i}`, false));
const inks = [...states, ...own, ...names].map(({ rgb: behind, ink }) => contrastOf(ink === "#fff" ? [255, 255, 255] : [0, 0, 0], behind));
const drawn = texts.filter(([text]) => text.startsWith("named")).map(([, style]) => style), wanted = palette.make("named slice 10", false).ink;
const cpu = recording.tracks.find(({ identity }) => identity.tracepoint === "sched:cpu"), idle = palette.of(cpu, recording.names.indexOf("swapper")).rgb;
return [palette.isDark, marks, Math.min(...inks), Math.min(...names.map(({ rgb: one }) => contrastOf(one, paper))), Math.max(...idle) - Math.min(...idle), drawn.length === 5 && drawn.every((one) => one === { "#000": "#000000", "#fff": "#ffffff" }[wanted]),
    document.getElementById("legend").innerText.split("\\n").map((one) => one.trim()).filter((one) => one)];"""
NR_DEEP, NR_ROWS = 5000, 32
DEEP = (
    WORK
    + f"""repeat {NR_DEEP}
+100 7@0 work B begin-$i
end
+10us 7@0 work I end
"""
)
PLAIN = (
    WORK
    + """0   7@0 work B handle
1s  7@0 work E ""
"""
)
# What the page's data would be after a module was loaded again: number 3 continues number 1.
RELOADED = r"""r {"source":"it","time_source":"none"}
n "work"
t {"number":1,"label":"work tid 7","identity":{"tracepoint":"demo:work","id":7}}
t {"number":2,"label":"level","identity":{"tracepoint":"demo:level","id":0}}
c 1 0 100 200 1 100 AGQA -
v 2 100 100 1 5 5 AAAF -
e 1
e 2
t {"number":3,"label":"work tid 7","identity":{"tracepoint":"demo:work","id":7}}
t {"number":4,"label":"level","identity":{"tracepoint":"demo:level","id":0}}
c 3 0 600 700 1 100 AGQA -
v 4 600 600 1 9 9 AAAJ -
f {"last_ns":1000,"end_ns":1000,"lost":0,"suspect":0,"unfinished":0}
"""
OVERLAPPING = r"""r {"source":"it","time_source":"none"}
n "work"
t {"number":1,"label":"work tid 7","identity":{"tracepoint":"demo:work","id":7}}
t {"number":2,"label":"work tid 7","identity":{"tracepoint":"demo:work","id":7}}
c 1 0 100 200 1 100 AGQA -
c 2 0 150 250 1 100 AGQA -
e 2
t {"number":3,"label":"work tid 7","identity":{"tracepoint":"demo:work","id":7}}
c 3 0 600 700 1 100 AGQA -
f {"last_ns":1000,"end_ns":1000,"lost":0,"suspect":0,"unfinished":0}
"""
# Puts a recording into the page in place of its own.
REPLACE = """
ktrack.recording = ktrack.picture.recording = new Recording(arguments[0]);
ktrack.picture.layOut();
ktrack.fit();
"""


def hue_of(colour):
    """The hue of #rrggbb, in degrees."""
    return colorsys.rgb_to_hls(*(int(colour[i : i + 2], 16) / 255 for i in (0, 2, 4)))[0] * 360


def is_red(hue):
    """Whether a hue may be taken for that of losses, which is 350."""
    return min(abs(hue - 350), 360 - abs(hue - 350)) < 30


def red_name(form):
    """A name whose sum, taken as a hue, is that of losses."""
    for number in range(10000):
        total = 7
        for letter in form.format(number):
            total = (total * 31 + ord(letter)) & 0xFFFFFFFF
        total -= (total & 0x80000000) << 1
        if total % 360 == 350:
            return number
    raise ValueError(form)


def check_whole(tap, pages):
    """The whole and the duration end with the last record, not with the recording."""
    browser = pages.browser
    pages.load_text(TEARDOWN)
    about = browser.run('return document.getElementById("about").textContent;')
    tap.ok("· 30 ms ·" in about, "the duration is up to the last record", about)
    panel = pages.details()
    tap.ok("duration\t0.030000000 s" in panel, "so are its digits", panel)
    browser.press("w", "Home")
    whole = browser.run(SPAN)
    tap.ok(30e6 <= whole[1] - whole[0] < 31e6, "the whole is up to the last record", whole)
    colours = browser.run(
        LOOK
        + """const [stuck, work] = p.recording.tracks, end = p.xOf(30e6);
        const middle = (track, x) => at(x, p.topOf(track) + LANE / 2);
        return [middle(work, end - 3), middle(work, end + 3), middle(stuck, p.width - 1)];"""
    )
    is_drawn = colours[0] != "ffffff" == colours[1] and colours[2] != "ffffff"
    is_drawn &= whole[1] > 30.1e6 and whole[1] < 31e6
    tap.ok(is_drawn, "a slice without an end goes on over the margin", whole, *colours)
    browser.press(*"sssssssss")
    span = browser.run(SPAN)
    tap.ok(whole[1] < 31e6 < 380e6 < span[1], "the rest of the time can be zoomed out to", whole, span)


def check_instants(tap, pages):
    """Instants leave the slices around them to be seen."""
    browser = pages.browser
    pages.load_text(CROWDED)
    lane = """const middle = line(GUTTER + 1, p.xOf(1e6) - 1, top + 2);
        const low = line(p.xOf(1e5) + 8, p.xOf(1e6) - 8, top + LANE - 2);
        const ink = line(p.xOf(1e5) + 8, p.xOf(1e6) - 8, top + LANE + 1);
        return [middle[0], new Set(middle).size, new Set(low).size, ink.filter((one) => one === ink[0]).length / ink.length, ink[0]];"""
    tap.ok(
        (found := browser.run(LOOK + lane))[1] == 1 and found[2] == 1,
        "instants side by side cover no slice",
        *found,
    )
    tap.ok(found[3] > 0.99 and found[4] == "1d2530", "they are a line below it", *found)
    narrow = "ktrack.picture.width = GUTTER + 40;" + LOOK + lane
    found = browser.run(narrow)
    tap.ok(found[1] == 1 and found[2] == 1 and found[0] != "ffffff", "from afar neither", *found)
    tap.ok(found[3] > 0.99 and found[4] == "1d2530", "and the line is there too", *found)
    browser.run("ktrack.picture.resize();")


def check_counters(tap, pages):
    """What a counter shows has no seams between its steps."""
    browser = pages.browser
    pages.load_text(LEVEL)
    row = (
        LOOK
        + """const last = Math.min(p.xOf(p.recording.limit ?? p.recording.end), p.width) - 2;
        return [...new Set(line(Math.max(p.xOf(1371), GUTTER) + 60, last, top + COUNTER / 2))];"""
    )
    found = browser.run(row)
    tap.ok(len(found) == 1 and found != ["ffffff"], "a level is one area", *found)
    zoomed = []
    for _ in range(6):
        browser.run("ktrack.picture.zoom(0.61); ktrack.picture.move(0.013);")
        zoomed.append(browser.run(row))
    tap.ok(all(len(colours) == 1 for colours in zoomed), "at every zoom", *zoomed)
    browser.run(
        """Object.defineProperty(window, "devicePixelRatio", { value: 1.25, configurable: true });
        ktrack.picture.resize();
        ktrack.fit();"""
    )
    found = browser.run(row)
    tap.ok(len(found) == 1 and found != ["ffffff"], "on a screen of 1.25 pixels for one", *found)
    pages.load_text(BURST)
    gap = browser.run(
        LOOK
        + """const gap = (y) => [...new Set(line(GUTTER + 60, p.xOf(99e6), top + y))];
        return [gap(COUNTER / 2 + 3), gap(COUNTER - 2), track.samples.chunks.length];"""
    )
    tap.ok(gap[0] == ["ffffff"] and gap[2] == 2, "after a burst the last value stays, not the highest", *gap)


def check_hues(tap, pages):
    """Nothing that has a name looks like a loss."""
    browser = pages.browser
    hues = browser.run("return Array.from({ length: 5000 }, (_, i) => hueOf(`name ${i}`));")
    red = [hue for hue in hues if is_red(hue)]
    tap.ok(not red and max(hues) - min(hues) > 250, "no name has the red of losses", red[:5])
    slice_name, counter = f"io {red_name('io {}')}", f"level {red_name('level {} tid 7')}"
    counter_name = counter.removesuffix(" tid 7")
    pages.load_text(NAMED.format(slice_name, counter_name))
    found = browser.run(
        LOOK
        + """const [work, level] = p.recording.tracks, label = level.label;
        return [at(p.xOf(5), p.topOf(work) + LANE / 2), at(p.xOf(25), p.topOf(level) + COUNTER - 6), label];"""
    )
    tap.ok(not is_red(hue_of(found[0])), "a slice whose name was red once", slice_name, *found)
    tap.ok(not is_red(hue_of(found[1])), "and a counter", counter_name, *found)


def hit(browser):
    """The selection and the visible span."""
    return browser.run(
        "const { from, to } = ktrack.picture.span, one = ktrack.picture.selected;"
        "return [one && nameOf(ktrack.recording, one), from, to];"
    )


def check_search(tap, pages):
    """A hit does not change the zoom of all that are after it."""
    browser = pages.browser
    pages.load_text(HITS)
    whole = browser.run(SPAN)
    browser.search("hit")
    hits = [hit(browser)]
    for _ in range(5):
        browser.press("Enter")
        hits.append(hit(browser))
    names = ["long 1", "instant", "short 1", "long 2", "short 2", "last"]
    tap.ok(hits[1] == ["hit instant", *whole], "an instant is shown at the zoom that was", *hits)
    short = hits[2][2] - hits[2][1]
    tap.ok(
        hits[1][1:] == whole and short < 10000 and hits[2][1] < 20e6 < hits[2][2],
        "a slice that is too narrow is zoomed to",
        hits[2],
    )
    tap.ok(hits[3] == ["hit long 2", *whole], "the next one is shown as before", *hits)
    is_all = [one[0] for one in hits] == [f"hit {name}" for name in names]
    tap.ok(hits[5] == ["hit last", *whole] and is_all, "an instant after a narrow slice too", *hits)
    browser.run("ktrack.fit(); document.getElementById('search').blur();")
    browser.press("w", "w")
    chosen = browser.run(SPAN)
    browser.press("n", "n")
    instant = hit(browser)
    size = chosen[1] - chosen[0]
    is_kept = size < 0.6 * (whole[1] - whole[0]) and abs((instant[2] - instant[1]) / size - 1) < 1e-6
    tap.ok(is_kept and instant[0] == "hit instant", "a zoom that was chosen is kept", chosen, instant)


def check_deep(tap, pages):
    """A tracepoint that only begins has a page that can be read."""
    browser = pages.browser
    pages.load_text(DEEP)
    height = browser.run("return ktrack.picture.height;")
    tap.ok(height < 1000, "the picture of many open slices is not high", height)
    note = """const texts = [], draw = p.context.fillText;
        p.context.fillText = (text, x, y) => texts.push([text, x, y]);
        p.draw();
        p.context.fillText = draw;
        return texts.find(([text]) => text.includes("not drawn")) ?? null;"""
    found = browser.run("ktrack.picture.setScroll(1e9);" + DRAW + note)
    wanted = f"rows 1 to {NR_ROWS} of {NR_DEEP}, {NR_DEEP - NR_ROWS} deeper: {NR_DEEP - NR_ROWS} slices in the others are not drawn; click for the next rows"
    tap.ok(found and found[0] == wanted, "how many are not drawn is there", found)
    first = "p.setScroll(0); const one = hit(p, p.xOf(1e5), RULER + 9); return one && one.row.depth;"
    begin = browser.run(DRAW + first)
    left, top = browser.run(
        "ktrack.picture.setScroll(1e9); const box = ktrack.picture.canvas.getBoundingClientRect(); return [box.left, box.top];"
    )
    if found:
        browser.click(left + found[1] + 30, top + found[2])
    depth = browser.run(DRAW + first)
    tap.ok(begin == 0 and depth == NR_ROWS, "a click draws the next rows", begin, depth)
    browser.search("begin-4321")
    seen = browser.run(
        DRAW
        + """const one = p.selected, x = p.xOf((one.begin + one.end) / 2), heights = [];
        for (let y = RULER; y < p.rows; y++)
            if (hit(p, x, y)?.row === one.row)
                heights.push(y);
        return [nameOf(p.recording, one), heights.length];"""
    )
    tap.ok(seen == ["begin-4321", 17], "what is searched is drawn", *seen)
    browser.run("const p = ktrack.picture, t = p.recording.tracks[0]; p.showRow?.(p.ownerOf(t.rows[0]), t.rows.length);")
    begin = [depth, browser.run(DRAW + first)]
    tap.ok(begin == [NR_ROWS, 0], "after the last rows come the first", begin)


def check_contrast(tap, pages):
    """Short slices, names and states are seen on light and dark paper; a legend names the states."""
    browser = pages.browser
    for theme in ("light", "dark"):
        set_theme(browser, theme)
        pages.load_text(LONELY, "-e", "demo:*", "-r", "sched")
        is_dark, marks, ink, least, grey, is_drawn, legend = browser.run(LOOK + CONTRASTS)
        tap.ok(is_dark == (theme == "dark") and min(marks) >= 2, f"{theme}: a short slice is two pixels wide, with a contrast of 3", *marks)
        tap.ok(ink >= 4.5 and least >= 3 and is_drawn, f"{theme}: a name has a contrast of 4.5, a slice one of 3", ink, least, is_drawn)
        tap.ok(grey < 40, f"{theme}: what is idle has no colour", grey)
        wanted = ["running", "runnable, waits for a CPU", "sleeping", "waiting, uninterruptible", "stopped", "idle", "no end"]
        tap.ok(legend == wanted, f"{theme}: the legend", *legend)
    set_theme(browser, "")


def set_theme(browser, theme):
    """Light or dark paper; "" for that of the machine."""
    feature = {"name": "prefers-color-scheme", "value": theme}
    browser.call("POST", "/goog/cdp/execute", cmd="Emulation.setEmulatedMedia", params={"features": [feature]})


def size_of(span):
    """How long a span is."""
    return span[1] - span[0]


def steady_span(browser, before):
    """The span after it changed, once it does no more."""
    span = changed_span(browser, before)
    for _ in range(100):
        time.sleep(0.05)
        now = browser.run(SPAN)
        if now == span:
            return span
        span = now
    return span


def check_wheel(tap, pages):
    """A pinch on a touchpad, which comes as a wheel that turns little and often."""
    browser = pages.browser
    pages.load_text(PLAIN)
    whole = browser.run(SPAN)
    turns = """for (let i = 0; i < 20; i++)
        ktrack.picture.canvas.dispatchEvent(new WheelEvent("wheel", { ctrlKey: true, deltaY: arguments[0], deltaMode: arguments[1], cancelable: true, bubbles: true }));"""
    browser.run(turns, -2, 0)
    nearer = browser.run(SPAN)
    factor = size_of(whole) / size_of(nearer)
    tap.ok(abs(factor / math.exp(0.4) - 1) < 1e-6, "it zooms as far as fingers move", factor)
    browser.run(turns, 2, 0)
    undone = size_of(browser.run(SPAN)) / size_of(whole)
    tap.ok(abs(factor / math.exp(0.4) - 1) < 1e-6 and abs(undone - 1) < 1e-6, "and back", undone)
    browser.press("Home")
    browser.turn(700, 150, -1, with_control=True)
    wheeled = steady_span(browser, whole)
    factor = size_of(whole) / size_of(wheeled)
    tap.ok(1 < factor < 1.02, "a real one of the least size too", factor)


def check_touch(tap, pages):
    """Two fingers on the picture."""
    browser = pages.browser
    pages.load_text(PLAIN)
    whole = browser.run(SPAN)
    x_of = "const p = ktrack.picture; return p.canvas.getBoundingClientRect().left + p.xOf(arguments[0]);"
    middle = browser.run(x_of, 5e8)
    near, far = [middle - 50, middle - 100], [middle + 50, middle + 100]
    browser.pinch(200, near, far)
    zoomed = steady_span(browser, whole)
    factor = size_of(whole) / size_of(zoomed)
    tap.ok(1.9 < factor < 2.1, "fingers that part zoom in", factor)
    place = browser.run(x_of, 5e8)
    tap.ok(factor > 1.9 and abs(place - middle) < 3, "what is between them stays", middle, place)
    browser.pinch(200, near[::-1], far[::-1])
    back = steady_span(browser, zoomed)
    factor = size_of(back) / size_of(zoomed)
    tap.ok(1.9 < factor < 2.1, "fingers that meet zoom out", factor)
    browser.press("Home")
    browser.pinch(200, [middle, middle - 200, middle - 200], [middle + 100] * 3)
    still = steady_span(browser, whole)
    selected = browser.run("return ktrack.picture.selected;")
    is_zoomed = 2.8 < size_of(whole) / size_of(still) < 3.1
    tap.ok(is_zoomed and selected is None, "and nothing is clicked at", size_of(still), selected)


def check_identity(tap, pages):
    """A track that ended and continues is one row."""
    browser = pages.browser
    pages.load_text(PLAIN)
    browser.run(REPLACE, RELOADED)
    labels = browser.run("return ktrack.recording.tracks.map((one) => one.label);")
    tap.ok(labels == ["work tid 7", "level"], "tracks continue after a module was reloaded", labels)
    row = browser.run(
        LOOK
        + """const y = top + LANE / 2, first = at(p.xOf(150), y);
        return [first, at(p.xOf(400), y), at(p.xOf(650), y)];"""
    )
    tap.ok(row[0] == row[2] != row[1] == "ffffff", "their slices are in one row", *row)
    counter = browser.run(
        "const row = ktrack.recording.tracks[1].samples;"
        "return [row.chunks.length, String(row.lowest), String(row.highest), ktrack.recording.tracks.length];"
    )
    tap.ok(counter == [2, "5", "9", 2], "a counter's samples too", *counter)
    browser.run(
        "const row = ktrack.recording.tracks[0].rows[0]; ktrack.show(thing(row, row.chunks[0], 0));"
    )
    browser.press("]")
    begin = browser.run("return ktrack.picture.selected.begin;")
    tap.ok(begin == 600, "the next slice is that after the reload", begin)
    browser.run(REPLACE, OVERLAPPING)
    begins = browser.run(
        "return ktrack.recording.tracks.map((one) => one.rows[0].chunks.map((chunk) => chunk.from));"
    )
    tap.ok(begins == [[100], [150, 600]], "tracks at the same time stay apart", begins)
    pages.load_case("retired-tracks")
    twice = browser.run(
        """const keys = ktrack.recording.tracks.map((one) => JSON.stringify(one.identity));
        return keys.length - new Set(keys).size;"""
    )
    tap.ok(twice == 0, "no row is there twice", twice)


CHECKS = (
    check_whole,
    check_instants,
    check_counters,
    check_hues,
    check_contrast,
    check_search,
    check_deep,
    check_wheel,
    check_touch,
    check_identity,
)


if __name__ == "__main__":
    sys.exit(visit_pages(Tap(), CHECKS))
