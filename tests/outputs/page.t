#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the page of --html, in a headless Chromium: what it shows, keys, mouse, search, details."""

import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import cases  # noqa: E402
from model import FLOW  # noqa: E402
from page import DESCRIBE, compare  # noqa: E402
from pages import DRAW, SPAN, changed_span, visit_pages  # noqa: E402
import process  # noqa: E402
from tap import Tap  # noqa: E402

# A driver's names may be anything.
HOSTILE = r"""event demo:io 100 char track_event_type; string slice_name; string track_name; string text
+10 7@0 io B "</script><script>window.hacked=1</script>" "<!--<script>" "<img src=x onerror=window.hacked=2>"
+10 7@0 io I "<!-- & &lt; --> \xe2\x80\xa8" "<!--<script>" "</SCRIPT>"
+10 7@0 io E "" "<!--<script>" ""
"""
SEARCHED = """event demo:work 100 char track_event_type; string slice_name
+10 7@0 work B handle
+10 7@0 work B transfer
+10 7@0 work B "checksum 1"
+10 7@0 work E ""
+10 7@0 work B "CHECKSUM 2"
+10 7@0 work E ""
+10 7@0 work E ""
+10 7@0 work E ""
"""
GROUPED = """event demo:io 100 char track_event_type; string slice_name; u32 scope_slot
event demo:work 101 char track_event_type; string slice_name
+10 7@0 io I read 0
+10 7@0 work I handle
+10 7@0 io I read 1
"""
# More than is drawn one by one from afar.
MANY = """event demo:io 100 char track_event_type; string slice_name; u32 scope_slot
repeat 10000
+100 7@0 io B read $i%4
+150 7@0 io B inner $i%4
+150 7@0 io E "" $i%4
+100 7@0 io E "" $i%4
end
"""


def check_cases(tap, pages):
    """Every golden case."""
    for name in cases.names():
        stream, wrong = pages.load_case(name)
        pages.browser.run(DRAW)
        wrong += compare(stream, pages.browser.run(DESCRIBE)) + pages.browser.complaints()
        tap.nothing(wrong, name.replace("-", " "))


def check_title(tap, pages):
    """A recording's name is the page's, whatever is in it."""
    name = "\u00fcber <b>&amp; 100%.dat"
    cases.make_of(GROUPED, pages.folder / name)
    _, wrong = cases.run(pages.folder, "export", "--html=page.html", name)
    pages.browser.load(pages.folder / "page.html")
    reported = pages.browser.run("return [document.title, ktrack.recording.about.source];")
    tap.nothing(wrong + ([] if reported == [f"ktrack: {name}", name] else reported), "any name of a recording")


def check_hostile(tap, pages):
    """Names stay names."""
    stream, wrong = pages.load_text(HOSTILE)
    pages.browser.run(DRAW)
    hacked = pages.browser.run("return window.hacked ?? null;")
    pages.browser.run("ktrack.show(thing(ktrack.recording.tracks[0].rows[0], ktrack.recording.tracks[0].rows[0].chunks[0], 0));")
    text = pages.details()
    hacked = hacked or pages.browser.run("return window.hacked ?? null;")
    wrong += compare(stream, pages.browser.run(DESCRIBE)) + pages.browser.complaints()
    wrong += [f"hacked: {hacked}"] if hacked else []
    wrong += [] if "<img src=x onerror=window.hacked=2>" in text else [text]
    tap.nothing(wrong, "names that look like tags")


def check_zoom(tap, pages):
    """Keys and the wheel zoom, keys and the mouse move, and the whole comes back."""
    browser = pages.browser
    whole = browser.run(SPAN)
    browser.press("w")
    nearer = browser.run(SPAN)
    is_inside = whole[0] < nearer[0] < nearer[1] < whole[1]
    tap.ok(is_inside, "w zooms in", whole, nearer)
    browser.press("d")
    moved = browser.run(SPAN)
    is_moved = moved[0] > nearer[0] and abs((moved[1] - moved[0]) / (nearer[1] - nearer[0]) - 1) < 1e-6
    tap.ok(is_moved, "d moves", nearer, moved)
    browser.press("a", "s")
    tap.ok(max(abs(a - b) for a, b in zip(browser.run(SPAN), whole)) < 2, "a and s undo that")
    browser.turn(700, 150, -100, with_control=True)
    wheeled = changed_span(browser, whole)
    tap.ok(wheeled[1] - wheeled[0] < whole[1] - whole[0], "the wheel zooms", whole, wheeled)
    browser.turn(700, 150, -100)
    alone = changed_span(browser, wheeled)
    is_zoomed = alone[1] - alone[0] < wheeled[1] - wheeled[0]
    tap.ok(is_zoomed, "and needs no key where all is visible", wheeled, alone)
    browser.drag(700, 150, 600, 150, with_shift=True)
    dragged = changed_span(browser, alone)
    tap.ok(dragged[0] > alone[0], "the mouse drags", alone, dragged)
    browser.press("Home")
    tap.ok(browser.run(SPAN) == whole, "Home shows the whole", whole)


def check_search(tap, pages):
    """A name is typed, and its slice is selected, shown, and reported."""
    pages.load_text(SEARCHED)
    browser = pages.browser
    browser.search("check")
    text = pages.details()
    found = browser.run(
        """const one = ktrack.picture.selected;
        return one && [nameOf(ktrack.recording, one), document.getElementById("found").textContent];"""
    )
    tap.ok(found and found[0] == "checksum 1" and found[1] == "1 of 2", "found", found)
    tap.ok("checksum 1" in text and "depth\t3" in text, "details of what was found", text)
    browser.press("Enter")
    again = browser.run("return nameOf(ktrack.recording, ktrack.picture.selected);")
    tap.ok(again == "CHECKSUM 2", "Enter goes on to the next", again)
    browser.press(*"nothing like that")
    reported = browser.run('await ktrack.search.search.done; '
        'return document.getElementById("found").textContent;')
    tap.ok(reported == "not found", "what is not there is not found", reported)
    browser.press("Escape")
    tap.ok(browser.run("return ktrack.picture.selected;") is None, "Escape forgets the selection")


def check_click(tap, pages):
    """A click on a slice reports it, with its args; double click would zoom, as f does."""
    stream, wrong = pages.load_case("extra-fields-are-attached", "--wall-clock=1577934245")
    browser = pages.browser
    browser.run(DRAW)
    browser.click(*pages.place_of(0, 0, 500))
    text = pages.details()
    wanted = ("read", "demo:io", "path\t/dev/null", "result\t-5", "2020-01-02T03:04:05.000000000")
    lost = [word for word in wanted if word not in text]
    tap.nothing(wrong + lost + ([text] if lost else []), "a click reports all of a slice")
    browser.press("f")
    span = browser.run(SPAN)
    slices = [one for line in stream.splitlines() for one in [json.loads(line)] if "t_rel" in one]
    tap.ok(span[0] < 0 < 2000 < span[1] < 4000 and slices, "f zooms to it", span)
    steps = browser.run(
        """const track = ktrack.recording.tracks.find((one) => one.samples);
        const row = track.samples, last = row.chunks.at(-1);
        return [hit(ktrack.picture, ktrack.picture.xOf(last.to) + 1, ktrack.picture.topOf(track) + 20)?.kind];"""
    )
    tap.ok(steps == ["sample"], "counters report their value", steps)


LANES = """event demo:request 100 char track_event_type; string slice_name; ktrack_scope_u32 scope_queue; ktrack_async_id scope_id
+10 7@0 request B a 0 1
+10 7@0 request B b 1 2
+10 7@0 request B c 0 3
+10 7@0 request B d 1 4
"""


def check_lanes(tap, pages):
    """Lanes of a track are adjacent, and have one label; details report the lane."""
    pages.load_text(LANES)
    shown = pages.browser.run(
        """const p = ktrack.picture;
        return p.lines.map((line) => [line.tracks[0].identity.id, line.tracks[0].identity.lane, line.isLane ? null : p.labelOf(line)]);"""
    )
    wanted = [[0, 1, "request queue 0"], [0, 2, None], [1, 1, "request queue 1"], [1, 2, None]]
    tap.ok(shown == wanted, "lanes of a track", shown)
    pages.browser.run(DRAW)
    pages.browser.click(*pages.place_of(2, 0, 30))
    text = pages.details()
    tap.ok("request queue 0 lane 2" in text and not pages.browser.complaints(), "the lane of a slice", text)


def check_flows(tap, pages):
    """A selected point of a flow has arrows to the others, which its details report."""
    pages.load_case("flows-connect-slices-and-instants")
    browser = pages.browser
    browser.run(DRAW)
    arrows = "return ktrack.picture.arrows();"
    tap.ok(browser.run(arrows) == [], "no arrows without a selection")
    browser.click(*pages.place_of(1, 0, 4500))
    text = pages.details()
    lost = [word for word in ("request:0x1f, point 2 of 3", "batch:0x4d, point 1 of 1") if word not in text]
    tap.nothing(lost + ([text] if lost or FLOW in text else []), "flows of a slice")
    found, wanted = browser.run(arrows), browser.run(
        """const p = ktrack.picture, [submit, handle, , done] = p.recording.tracks, middle = (track) => p.topOf(track) + LANE / 2;
        return [[p.xOf(3000), middle(submit), p.xOf(4000), middle(handle)],
            [p.xOf(7000), middle(handle), p.xOf(10000), middle(done)]];"""
    )
    tap.ok(found == wanted, "arrows from each end to the next point", found, wanted)
    browser.run(DRAW)
    tap.nothing(browser.complaints(), "arrows are drawn")
    browser.press("Escape")
    tap.ok(browser.run(arrows) == [], "no arrows after Escape")


# The texts in the color of losses.
BAD_TEXTS = """await ktrack.showDetails(null);
return [...document.querySelectorAll(".bad")].map((one) => one.textContent).filter((text) => text);"""


def check_losses(tap, pages):
    """Where records were lost the picture is red, and nowhere else."""
    pages.load_case(cases.LOSSES_CASE)
    spans = pages.browser.run("return ktrack.recording.losses.map((one) => [one.from, one.to]);")
    tap.ok(spans == [list(span) for span in cases.LOSSES], "when losses were", spans)
    colours = pages.browser.run(
        DRAW
        + """const loss = p.recording.losses[1];
        const at = (time) => [...p.context.getImageData(Math.round(p.xOf(time)), RULER - 3, 1, 1).data];
        return [at((loss.from + loss.to) / 2), at(loss.to + 5000)];"""
    )
    red, plain = colours
    is_red = red[0] > 150 and red[1] < 100 and red[2] < 120 and min(plain[:3]) > 200
    tap.ok(is_red, "losses are red", colours)
    about = pages.browser.run('return document.getElementById("faults").textContent;')
    tap.ok(about == "lost 321 records in 3 gaps", "how much was lost is reported", about)
    texts = pages.browser.run(BAD_TEXTS)
    tap.ok(texts[:2] == [about] * 2 and len(texts) == 3 and "may be wrong" in texts[2], "in red, as what may be wrong because of that", *texts)


def tip_at(browser, x, y):
    """What the page says of a place under the mouse, both computed by a script."""
    return browser.run(
        f"""const p = ktrack.picture, r = ktrack.recording;
        ktrack.showTip({{ offsetX: {x}, offsetY: {y} }});
        const tip = document.getElementById("tip");
        return tip.hidden ? "" : tip.textContent;"""
    )


def shape_at(browser, width):
    """The window's width inside, the page's and the labels', once the window is so wide."""
    browser.call("POST", "/window/rect", width=width, height=800)
    process.wait_for(lambda: abs(browser.run("return innerWidth;") - width) <= 50, browser.driver)
    return browser.run(
        "ktrack.picture.resize(); return [innerWidth, document.documentElement.scrollWidth, GUTTER];"
    )


def check_whole(tap, pages):
    """What is wrong with a recording is seen without a click, and what marks are, by the mouse."""
    browser = pages.browser
    pages.load_case("malformed-records", "--wall-clock=1577934245")
    panel, head = pages.details(), browser.run('return document.getElementById("faults").textContent;')
    wanted = ("7 malformed records of demo:io", "1 malformed record of demo:late", "2020-01-02T03:04:05")
    lost = [word for word in wanted if word not in panel]
    tap.ok(not lost and head == wanted[0], "faults of the whole", panel, head)
    red = browser.run(BAD_TEXTS)
    tap.nothing(red, "none of them is red")
    tip = tip_at(browser, "p.xOf(r.marks[0].time) + 1", "10")
    tap.ok(tip == "malformed record of demo:io: unknown track_event_type", "what a mark is", tip)
    pages.load_case("extremes-of-64-bits")
    tip = tip_at(browser, "10", "p.topOf(r.tracks[2]) + 5").splitlines()
    tap.ok(tip[2:] == ["-9223372036854775808 … 9223372036854775807"], "all digits of extremes", *tip)
    shapes = [shape_at(browser, 1300), shape_at(browser, 500), shape_at(browser, 1300)]
    is_fitting = all(wide <= inner and gutter < inner / 2 for inner, wide, gutter in shapes)
    tap.ok(is_fitting and shapes[0][0] > shapes[1][0] > 0, "a narrow window", *shapes)


def check_groups(tap, pages):
    """Tracks of one tracepoint lie together, whatever came between them."""
    pages.load_text(GROUPED)
    labels = pages.browser.run(
        "return [...ktrack.recording.tracks].sort((a, b) => a.top - b.top).map((track) => track.label);"
    )
    tap.ok(labels == ["io slot 0", "io slot 1", "work tid 7"], "tracks that belong together", labels)


def check_many(tap, pages):
    """From afar chunks are drawn without a look into them; from near every slice is there."""
    browser = pages.browser
    stream, wrong = pages.load_text(MANY)
    size = (pages.folder / "page.html").stat().st_size
    tap.ok(size < 40000 + 20000 * 40, "a slice takes little space in the page", size)
    count = "return ktrack.recording.tracks.flatMap((t) => t.rows).flatMap((r) => r.chunks)"
    whole = browser.run(f"{count}.length;")
    looked = browser.run(
        f"""const all = () => {{ {count}; }};
        all().forEach((chunk) => chunk.items = null);
        ktrack.picture.width = GUTTER + 12;
        {DRAW}
        return all().filter((chunk) => chunk.items).length;"""
    )
    tap.ok(looked == 0 and whole >= 40, "from afar chunks are whole", looked, whole)
    times = browser.run(
        """const times = [];
        ktrack.picture.resize();
        for (let i = 0; i < 20; i++) {
            ktrack.picture.zoom(0.7);
            ktrack.picture.isAsked = true;
            ktrack.picture.draw();
            times.push(ktrack.picture.frame_ms);
        }
        return times;"""
    )
    tap.comment(f"20 zoom steps: {', '.join(f'{ms:.0f}' for ms in times)} ms")
    frames = browser.run(
        f"""const all = {count.removeprefix("return ")};
        all.forEach((chunk) => chunk.items = null);
        const p = ktrack.picture;
        let clock = 0, frames = 0;
        performance.now = () => clock += 1000;
        ktrack.fit();
        do {{ p.isAsked = true; p.draw(); }} while (p.isRough && ++frames < 10 * all.length);
        p.isAsked = false;
        delete performance.now;
        return [frames, all.length];"""
    )
    tap.ok(0 < frames[0] <= frames[1], "on a slow machine the picture gets whole too", *frames)
    worst = browser.run(
        f"""const off = ({count.removeprefix("return ")}).map((chunk) => {{
            const {{ bins, size }} = chunk.digest() ?? {{ bins: [255 * chunk.busy], size: 1 }};
            return Math.abs(bins.reduce((sum, one, at) => sum + (at % 2 ? 0 : one / 255 * size), 0) - chunk.busy) / chunk.busy;
        }});
        return Math.max(...off);"""
    )
    tap.ok(worst < 0.01, "the picture from afar is as full as the slices are long", worst)
    wrong += compare(stream, browser.run(DESCRIBE)) + browser.complaints()
    tap.nothing(wrong, "every slice of many")


def check_demo(tap, pages):
    """The demo's page as it is loaded; the checks that follow use it."""
    pages.load_case("demo-tracepoints")
    labels = pages.browser.run("return ktrack.recording.tracks.map((track) => track.label);")
    wanted = ["submit pid 500 writer", "queue0 lane 1", "depth queue 0"]
    tap.ok(labels[:3] == wanted, "the demo's tracks", labels)


CHECKS = (
    check_cases,
    check_hostile,
    check_title,
    check_demo,
    check_zoom,
    check_click,
    check_flows,
    check_lanes,
    check_losses,
    check_whole,
    check_groups,
    check_many,
    check_search,
)


if __name__ == "__main__":
    sys.exit(visit_pages(Tap(), CHECKS))
