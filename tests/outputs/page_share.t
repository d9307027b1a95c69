#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the view in the page's address, PNG, CSV, print, buttons, keys alone, texts for screen readers, dark paper."""

import base64
import csv
import io
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from pages import DRAW, SPAN, changed_span, visit_pages  # noqa: E402
from tap import Tap  # noqa: E402

WORK = """task 7 worker 7
task 8 helper 7
event demo:work 100 char track_event_type; string slice_name; u32 bytes
event demo:rest 101 char track_event_type; string slice_name
event demo:level 102 s64 counter_value
+10us 7@0 work B "=1+1" 5
+10us 7@0 work B "a, \\"b\\"" 6
+10us 7@0 work E "" 6
+10us 7@0 work E "" 5
+10us 8@0 rest B rest
+10us 8@0 level -5
+10us 8@0 rest I here
+10us 8@0 work B stuck 7
+10us 8@0 rest E ""
+10us 8@0 rest I last
"""
VIEW = """const p = ktrack.picture, { range } = ktrack, one = p.selected;
return [p.span, one && [nameOf(ktrack.recording, one), one.begin], range.span, range.tracks?.map((track) => track.label) ?? null, range.markers, p.filter, p.sort,
	p.tree.all.filter((node) => node.isPinned).map((node) => node.label), p.tree.all.filter((node) => node.isHidden).map((node) => node.label),
	p.tree.all.filter((node) => !node.isOpen).map((node) => node.label), document.getElementById("search").value];"""


def devtools(browser, command, **parameters):
    """A command of the browser's protocol."""
    return browser.call("POST", "/goog/cdp/execute", cmd=command, params=parameters)


def address(browser):
    """The address of the page once it has the view."""
    # The page's own timer was set earlier, and is due earlier.
    return browser.run("await new Promise((done) => setTimeout(done, 600)); return location.href;")


def check_address(tap, pages):
    """A copied address shows the same view; a wrong one does no harm."""
    browser = pages.browser
    pages.load_text(WORK)
    browser.run(
        """const { picture, tracks, range, recording } = ktrack, nodes = picture.tree.all;
        tracks.setSort("activity");
        tracks.setFilter("demo");
        tracks.pin(nodes.find((node) => node.label === "helper 8"));
        tracks.fold(nodes.find((node) => node.kind === "process"));
        ktrack.selectRange(20e3, 50e3, [recording.tracks[0]]);
        range.setMarker(1, 33e3);
        const row = recording.tracks[0].rows[1];
        const field = document.getElementById("search");
        field.value = "bytes>5";
        ktrack.search.prepare();
        await ktrack.search.search.done;
        ktrack.select(thing(row, row.chunks[0], 0));
        picture.setSpan(15e3, 61e3);"""
    )
    before, link = browser.run(VIEW), address(browser)
    browser.call("POST", "/url", url="about:blank")
    browser.call("POST", "/url", url=link)
    after = browser.run(VIEW)
    tap.ok(before == after and before[1] == ['a, "b"', 10000] and before[2:5] == [{"from": 20000, "to": 50000}, ["work tid 7 worker"], [None, 33000]], "a copied address", link, before, after)
    browser.run("location.hash = '#t=1000,2000';")
    span = changed_span(browser, [15000, 61000])
    view = browser.run(VIEW)
    tap.ok(span == [1000, 2000] and view[1:6] == [None, None, None, [None, None], ""], "another address in the same page", span, view)
    hostile = "#t=2e999,x&s=1,0&s=99,constructor,1&r=5,1,__proto__&m=,,,&o=constructor&p=%00,__proto__&f=%3Cimg%20src=x%20onerror=window.hacked=1%3E&q=%3Cb%3E&y=-1e9&%E0%A4%A"
    browser.call("POST", "/url", url="about:blank")
    browser.call("POST", "/url", url=link.split("#")[0] + hostile)
    found = browser.run("return [ktrack.picture.span, window.hacked ?? null, ktrack.picture.sort, ktrack.picture.scroll];")
    tap.ok(found[1:] == [None, "meaning", 0] and found[0]["from"] == 0, "a hostile address", found)
    tap.nothing(browser.complaints(), "no complaints")


def check_saved(tap, pages):
    """The picture has the pixels of the canvas; CSV has all of the range, and no formulas."""
    browser = pages.browser
    pages.load_text(WORK)
    png = browser.run("const bytes = new Uint8Array(await (await ktrack.saver.png()).arrayBuffer()); return [...bytes.slice(0, 24), bytes.length, ktrack.picture.canvas.width, ktrack.picture.canvas.height];")
    width, height = (int.from_bytes(bytes(png[i : i + 4]), "big") for i in (16, 20))
    tap.ok(bytes(png[:4]) == b"\x89PNG" and [width, height] == png[25:] and png[24] > 5000, "the visible part as PNG", png)
    names = browser.run("const saved = []; HTMLAnchorElement.prototype.click = function () { saved.push(this.download); }; document.getElementById('png').click(); await new Promise((go) => setTimeout(go, 300)); return saved;")
    tap.ok(names == ["trace.dat.png"], "its button", names)
    text = browser.run("ktrack.selectRange(0, 200e3, null); await ktrack.range.show(); return (await ktrack.saver.csv()).text();")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    by_name = {row["name"]: row for row in rows}
    inner = by_name['a, "b"']
    is_right = len(rows) == 7 and inner["begin_ns"] == "10000" and inner["duration_ns"] == "10000" and inner["depth"] == "2" and by_name["stuck"]["marks"] == "incomplete"
    tap.ok(is_right and {"'=1+1", "here"} <= set(by_name) and by_name[""]["value"] == "-5", "the range as CSV", text)


def check_print(tap, pages):
    """On paper the page is light and complete, on dark paper it is dark."""
    browser = pages.browser
    paper = "return ktrack.picture.context.getImageData(2, RULER + 2, 1, 1).data.join();"
    devtools(browser, "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    dark = browser.run(DRAW + paper)
    browser.run("window.printed = []; addEventListener('beforeprint', () => window.printed.push(ktrack.picture.paper, getComputedStyle(document.documentElement).getPropertyValue('--ink').trim()));")
    pdf = base64.b64decode(browser.call("POST", "/print"))
    colours = browser.run("return window.printed;")
    again = browser.run(DRAW + paper)
    devtools(browser, "Emulation.setEmulatedMedia", features=[])
    light = browser.run(DRAW + paper)
    tap.ok(dark == again == "21,25,31,255" and light == "255,255,255,255", "dark and light paper", dark, again, light)
    devtools(browser, "Emulation.setEmulatedMedia", media="print")
    adjust = browser.run('const part = element("i", { className: "part" }); document.body.append(part); const { printColorAdjust } = getComputedStyle(part); part.remove(); return printColorAdjust;')
    devtools(browser, "Emulation.setEmulatedMedia", media="")
    tap.ok(adjust == "exact", "parts of a split keep their colors on paper", adjust)
    tap.ok(pdf[:4] == b"%PDF" and len(pdf) > 10000 and colours == ["#fff", "#1d2530"], "print", len(pdf), colours)


def check_buttons(tap, pages):
    """Buttons do what keys do; with "select" a finger selects a range."""
    browser = pages.browser
    pages.load_text(WORK)
    whole = browser.run(SPAN)
    browser.run("for (const id of ['zoom-in', 'right', 'left', 'zoom-out']) document.getElementById(id).click();")
    back = browser.run(SPAN)
    browser.run("document.getElementById('zoom-in').click();")
    near = browser.run(SPAN)
    browser.run("document.getElementById('fit').click();")
    is_right = max(abs(a - b) for a, b in zip(back, whole)) < 1 and near[1] - near[0] < 0.8 * (whole[1] - whole[0]) and browser.run(SPAN) == whole
    tap.ok(is_right, "buttons zoom and move", whole, back, near)
    browser.pinch(200, [700, 600])
    panned = browser.run("return [ktrack.range.span, ktrack.picture.span.from];")
    browser.run("document.getElementById('fit').click(); document.getElementById('select').click();")
    browser.pinch(200, [700, 600])
    chosen = browser.run("return [ktrack.range.span !== null, ktrack.picture.span.from, document.getElementById('select').getAttribute('aria-pressed')];")
    tap.ok(panned[0] is None and panned[1] > whole[0] and chosen == [True, whole[0], "true"], "a finger moves, or selects", panned, chosen)


def check_keys(tap, pages):
    """With keys alone: to a line of tracks, its first slice, the next ones; a screen reader hears each."""
    browser = pages.browser
    pages.load_text(WORK)
    browser.run("document.getElementById('picture').focus();")
    down = {"type": "key", "id": "keys", "actions": [{"type": kind, "value": key} for kind, key in (("keyDown", "\ue008"), ("keyDown", "\ue015"), ("keyUp", "\ue015"), ("keyUp", "\ue008"))]}
    spoken = "return document.getElementById('spoken').textContent;"
    browser.act(down)
    heard = [browser.run(spoken)]
    browser.act(down)
    heard.append(browser.run(spoken))
    browser.press("Enter")
    heard.append(browser.run(spoken))
    browser.press("]")
    name = browser.run("return nameOf(ktrack.recording, ktrack.picture.selected);")
    tap.ok(heard[0].startswith("process 7 worker, ") and heard[1].startswith("worker 7, 1 track") and heard[2].startswith("=1+1  30 µs, work tid 7"), "lines and slices by keys", *heard)
    tap.ok(name == "=1+1", "the only one of its row stays selected", name)
    browser.press("m")
    span = browser.run("return ktrack.range.span;")
    tap.ok(span == {"from": 0, "to": 30000}, "a range by keys", span)
    missing = browser.run("return [...document.querySelectorAll('button, input, select, canvas')].filter((one) => !one.ariaLabel && !one.title && !one.textContent.trim()).map((one) => one.outerHTML);")
    labels = browser.run("const one = document.getElementById('picture'); return [one.getAttribute('role'), one.ariaLabel];")
    tap.ok(not missing and labels[0] == "application" and "4 tracks" in labels[1], "all controls have names", missing, labels)


# Headings of the first level that are seen, parts of the page outside of its regions, and names of what has no role to bear one.
STRUCTURE = """const all = (words, is_wanted) => [...document.querySelectorAll(words)].filter(is_wanted).map((one) => one.outerHTML.slice(0, 80));
return [all("h1", (one) => one.checkVisibility()),
    all("body > *", (one) => one.offsetHeight && !one.matches("header, main, section[aria-label], footer, [role=status]")),
    all("div[aria-label]:not([role]), span[aria-label]:not([role])", () => true)];"""


def check_structure(tap, pages):
    """A screen reader finds one heading, and each part of the page in a region."""
    pages.load_text(WORK)
    headings, outside, nameless = pages.browser.run(STRUCTURE)
    tap.ok(len(headings) == 1, "there is one heading of the first level", *headings)
    tap.nothing(outside, "all parts of the page are in regions")
    tap.nothing(nameless, "all that has a name has a role")


# Where the focus is, and whether that is seen.
FOCUS = """const one = document.activeElement, { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
return [one.id || one.textContent, (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none"];"""
ORDER = ["search", "left", "zoom-out", "fit", "zoom-in", "right", "copy", "png", "help-button", "filter", "order", "picture", "divider", "Slice", "Why", "Range", "Search", "About the recording", "details"]


def check_focus(tap, pages):
    """The Tab key leads to all controls in the order in which they are seen, and each shows the focus."""
    browser = pages.browser
    pages.load_text(WORK)
    found = []
    for _ in range(len(ORDER) + 1):
        browser.press("\ue004")
        found.append(browser.run(FOCUS))
    found = [one for one in found if one[0] != "select"][: len(ORDER)]
    tap.ok([name for name, _ in found] == ORDER, "the order of the Tab key", *found)
    tap.nothing([name for name, is_seen in found if not is_seen], "the focus is seen")


NOTED = """task 7 relay-worker/12 7
event demo:work 100 char track_event_type; string slice_name
+10us 7@0 work E ""
+10us 7@0 work B read
+10us 7@0 work E ""
"""
# Of the first line with tracks: where its label is drawn and its row begins in the window, and the room left of the rows.
LABEL = """const p = ktrack.picture, { context } = p, texts = [], { fillText } = context, line = p.lines.find(({ tracks }) => tracks.length > 0), { top } = p.canvas.getBoundingClientRect();
context.fillText = (...words) => texts.push(words);
p.draw();
context.fillText = fillText;
const [label, , y] = texts.find(([text]) => text === "work tid 7 relay-worker/12") ?? [];
return [top + y, top + p.topOf(line.joined ?? line.tracks[0]), GUTTER, label, texts.map(([text]) => text)];"""
CELLS = """const help = document.getElementById("help"), box = (one) => one.getBoundingClientRect();
help.showModal();
const [key, text] = [...help.querySelector("tr").cells].map(box);
help.scrollTop = 1e6;
const close = box(help.querySelector("button"));
help.close();
return [text.top >= key.bottom && text.width > innerWidth * 0.7, close.top >= 0 && close.bottom < innerHeight];"""


def check_phone(tap, pages):
    """A window of 390 pixels: the help has one column; labels are whole, above their rows; a header with a remark is as high with a search as
    without."""
    browser = pages.browser
    pages.load_text(NOTED)
    for width, height in ((390, 95), (800, 50)):
        devtools(browser, "Emulation.setDeviceMetricsOverride", width=width, height=700, deviceScaleFactor=1, mobile=False)
        heights = browser.run("const heights = [], one = document.getElementById('search'); for (const text of ['', 'read']) { one.value = text; one.dispatchEvent(new Event('input')); await ktrack.search.search?.done; await new Promise(requestAnimationFrame); heights.push(document.querySelector('header').offsetHeight); } return [...heights, document.documentElement.scrollWidth - innerWidth, document.getElementById('faults').textContent];")
        tap.ok(heights[0] == heights[1] <= height and heights[2] <= 0 and "without a begin" in heights[3], f"the header of {width} pixels with a remark", heights)
        corner = browser.run("ktrack.tracks.hide(ktrack.picture.tree.all.find((one) => one.tracks.length > 0)); await new Promise(requestAnimationFrame); const all = [...document.getElementById('corner').children].map((one) => one.getBoundingClientRect()); ktrack.tracks.showHidden(); return [all[0].width, all.every(({ left }, i) => i === 0 || left >= all[i - 1].right), all.at(-1).width > 15 && all.at(-1).right <= (innerWidth > 500 ? GUTTER : innerWidth) + 1];")
        tap.ok(corner[0] > 50 and corner[1:] == [True, True], "the filter has place beside hidden tracks", corner)
        y, top, gutter, label, texts = browser.run(LABEL)
        tap.ok(label and (y < top and gutter < 20 if width == 390 else y > top and gutter == 240), f"the label of a row in {width} pixels", y, top, gutter, *texts)
        if width == 390:
            browser.click(200, y)
            chosen = browser.run("const { current, selected } = ktrack.picture; ktrack.picture.current = null; return [current?.label, selected];")
            tap.ok(chosen == ["relay-worker/12 7", None], "a label above its row is clicked at", chosen)
            found = browser.run(CELLS)
            tap.ok(found == [True, True], "the help has a column, and ends with its button", found)
    devtools(browser, "Emulation.clearDeviceMetricsOverride")


CHECKS = (check_address, check_saved, check_print, check_buttons, check_keys, check_structure, check_focus, check_phone)


if __name__ == "__main__":
    sys.exit(visit_pages(Tap(), CHECKS))
