#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the panel's tabs and its height, the history of views, times and gaps that are gone to, wheels and the scroll bar."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from pages import DRAW, SPAN, visit_pages  # noqa: E402
from process import wait_for  # noqa: E402
from tap import Tap  # noqa: E402

WORK = (
    """event demo:work 100 char track_event_type; string slice_name
0     7@0 work B first
10ms  7@0 work E ""
20ms  7@0 work B second
lost 0 5
30ms  7@0 work E ""
60ms  8@0 work B third
lost 0 3
70ms  8@0 work E ""
"""
    + "".join(f'+1ms {tid}@0 work B other\n+1us {tid}@0 work E ""\n' for tid in range(20, 60))
    + "2s 7@0 work I end\n"
)
# Gaps that last from 10 to 10.1, 96 to 99 and 99.2 to 99.9 s: those at the end are wider than what is around them.
GAPS = "event demo:work 100 char track_event_type; string slice_name\n0 7@0 work I begin\n" + "".join(
    f"{begin}ms 7@0 work I begin\nlost 0 1\n{end}ms 7@0 work I end\n" for begin, end in ((10000, 10100), (96000, 99000), (99200, 99900))
)
TAB = """const tabs = [...document.querySelectorAll("#tabs button")];
return [tabs.filter(({ ariaSelected }) => ariaSelected === "true").map(({ textContent }) => textContent).join(), document.getElementById("details").innerText];"""
SELECT = """const find = (name) => ktrack.recording.tracks.flatMap(({ rows }) => rows.flatMap(({ chunks }) => chunks.flatMap((chunk) => [...chunk.read().name.keys()].map((i) => itemOf(chunk, i)))))
    .find((one) => nameOf(ktrack.recording, one) === name);
const one = find(arguments[0]);
ktrack.select(one);
await ktrack.showDetails(one);"""
SELECTED = "const one = ktrack.picture.selected; return one && nameOf(ktrack.recording, one);"
HEIGHT = 'const box = document.getElementById("divider").getBoundingClientRect(); return [document.getElementById("details").offsetHeight, box.left + box.width / 2, box.top + 2];'


def open_tab(browser, title):
    """Presses a tab; returns what is open, and its text."""
    browser.run("[...document.querySelectorAll('#tabs button')].find(({ textContent }) => textContent === arguments[0]).click(); await ktrack.showDetails; await new Promise((done) => setTimeout(done, 100));", title)
    return browser.run(TAB)


def check_tabs(tap, pages):
    """Each tab has its content, or says how to get it; what is done opens the right one."""
    browser = pages.browser
    pages.load_text(WORK)
    found = browser.run(TAB)
    tap.ok(found[0] == "About the recording" and "CPU" in found[1], "the recording first", *found)
    hints = [open_tab(browser, title) for title in ("Slice", "Why", "Range", "Search")]
    tap.ok([one[0] for one in hints] == ["Slice", "Why", "Range", "Search"] and all(len(one[1]) > 40 for one in hints), "hints of empty tabs", *hints)
    browser.run(SELECT, "first")
    found = browser.run(TAB)
    tap.ok(found[0] == "Slice" and found[1].startswith("first 10 ms"), "a slice", *found)
    found = open_tab(browser, "Why")
    tap.ok(found[0] == "Why" and "Where its time went" in found[1] and "tracepoint" not in found[1], "where its time went, alone", *found)
    browser.run(SELECT, "second")
    found = browser.run(TAB)
    tap.ok(found[0] == "Why" and found[1].startswith("second"), "the tab stays for the next slice", *found)
    browser.press("m")
    found = open_tab(browser, "Range")
    tap.ok(found[0] == "Range" and "10 ms from 20 ms on" in found[1], "a range", *found)
    browser.search("third")
    browser.run("document.getElementById('search').blur();")
    browser.press("l")
    found = browser.run(TAB)
    tap.ok(found[0] == "Search" and "1 hit" in found[1], "hits", *found)
    found = open_tab(browser, "About the recording")
    tap.ok(found[0] == "About the recording" and " on 1 CPU" in found[1], "and the recording again", *found)


def check_height(tap, pages):
    """The panel is as high as it was drawn, whatever it shows, also in the next page."""
    browser = pages.browser
    pages.load_text(WORK)
    before, x, y = browser.run(HEIGHT)
    browser.drag(x, y, x, y - 120)
    after = browser.run(HEIGHT)[0]
    tap.ok(abs(after - before - 120) <= 4, "a drag makes it higher", before, after)
    browser.run(SELECT, "first")
    kept = browser.run(HEIGHT)[0]
    pages.load_text(WORK)
    again = browser.run(HEIGHT)[0]
    tap.ok(kept == after == again, "it keeps its height", after, kept, again)
    browser.run("document.getElementById('divider').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, cancelable: true }));")
    lower = browser.run(HEIGHT)[0]
    browser.run("document.getElementById('divider').dispatchEvent(new MouseEvent('dblclick'));")
    tap.ok(lower == after - 40 and browser.run(HEIGHT)[0] == before, "keys, and the first height", lower)


def settle(browser):
    """Waits until the address has the view."""
    browser.run("await new Promise((done) => setTimeout(done, 600));")


def check_history(tap, pages):
    """Back and forward walk through views and selections."""
    browser = pages.browser
    pages.load_text(WORK)
    settle(browser)
    whole = browser.run(SPAN)
    browser.run(SELECT, "first")
    settle(browser)
    browser.run("ktrack.picture.setSpan(0, 1e6);")
    settle(browser)
    browser.run(SELECT, "third")
    settle(browser)
    steps = []
    for way in ("back", "back", "back", "forward", "forward", "forward"):
        browser.run(f"history.{way}();")
        settle(browser)
        steps.append([browser.run(SELECTED), round(browser.run(SPAN)[1])])
    near = [1000000, round(whole[1])]
    wanted = [["first", near[0]], ["first", near[1]], [None, near[1]], ["first", near[1]], ["first", near[0]], ["third", near[0]]]
    tap.ok(steps == wanted, "back and forward", *steps)
    browser.run("history.back();")
    settle(browser)
    browser.run(SELECT, "second")
    settle(browser)
    browser.run("history.back();")
    settle(browser)
    tap.ok(browser.run(SELECTED) == "first", "what is selected after a step back has a place of its own", browser.run(SELECTED))
    copied = browser.run("navigator.clipboard.writeText = async (text) => { window.copied = text; }; await ktrack.fragment.copy(); return [window.copied, location.href];")
    tap.ok(copied[0] == copied[1] and "s=" in copied[0], "the address is copied", *copied)
    said = [browser.run("return document.getElementById('copy').textContent;")]
    said += browser.run("navigator.clipboard.writeText = async () => { throw new Error(); }; document.execCommand = () => false; await ktrack.fragment.copy(); return ['copy', 'spoken'].map((id) => document.getElementById(id).textContent);")
    tap.ok(said[:2] == ["copied", "copy it from the address bar"] and "not copied" in said[2], "the button says so, or that it failed", *said)
    tap.ok(wait_for(lambda: browser.run("return document.getElementById('copy').textContent;") == "link"), "for a moment")


def check_places(tap, pages):
    """Keys lead to gaps."""
    browser = pages.browser
    pages.load_text(WORK)
    middles = []
    for key in "xxxX":
        browser.press(key)
        middles.append(round(sum(browser.run(SPAN)) / 2e6))
    tap.ok(middles == [65, 25, 65, 25] or middles == [25, 65, 25, 65], "next and previous gap", *middles)
    pages.load_text(GAPS)
    places = []
    for key in "xxxXX":
        browser.press(key)
        places.append(browser.run("return document.getElementById('spoken').textContent.split(', at ').at(-1);"))
    found = browser.run("return ktrack.recording.losses.map(({ from }) => showDuration(from));")
    at = [found.index(one) if one in found else -1 for one in places]
    steps = [(b - a) % 3 for a, b in zip(at, at[1:])]
    tap.ok(len(found) == 3 and -1 not in at and steps == [1, 1, 2, 2], "gaps at the end of the recording", found, places)


WHEEL = """ktrack.picture.canvas.dispatchEvent(new WheelEvent("wheel", { clientX: 700, clientY: 300, deltaX: arguments[0], deltaY: arguments[1], deltaMode: arguments[2], cancelable: true, bubbles: true }));
const { span, scroll, scale } = ktrack.picture; return [span.from, scroll, scale];"""


def check_wheel(tap, pages):
    """Fingers on a touchpad move the picture as far as they move; the scroll bar follows the mouse."""
    browser = pages.browser
    pages.load_text(WORK)
    before = browser.run("ktrack.picture.setSpan(20e6, 40e6);" + SPAN)
    found = [browser.run(WHEEL, 1, 0, 0) for _ in range(6)][-1]
    moved = (found[0] - before[0]) * found[2]
    tap.ok(abs(moved - 6) < 0.01, "six times one pixel", moved)
    lines = browser.run(WHEEL, 0, 2, 1)
    tap.ok(lines[1] == 66, "a wheel that counts lines", *lines)
    browser.run("ktrack.picture.setScroll(0);")
    left, top, height, rows = browser.run(DRAW + "const box = p.canvas.getBoundingClientRect(); return [box.right - 4, box.top + p.body, p.height, p.rows - p.body];")
    browser.drag(left, top + 5, left, top + 5 + rows / 4)
    scroll = browser.run("return ktrack.picture.scroll;")
    tap.ok(abs(scroll - height / 4) < height / rows * 2 and not browser.run("return ktrack.range.span;"), "the scroll bar", scroll, height)
    browser.run(SELECT, "third")
    zoomed = browser.run("""const { canvas } = ktrack.picture, box = canvas.getBoundingClientRect(), before = ktrack.picture.span;
        const press = (clientX) => canvas.dispatchEvent(new MouseEvent("dblclick", { clientX, clientY: box.top + ktrack.picture.body + 20 })) && ktrack.picture.span !== before;
        return [press(box.right - 4), press(box.left + 600)];""")
    tap.ok(zoomed == [False, True], "two quick presses on the scroll bar do not zoom to the selection", zoomed)


HELP = """const help = document.getElementById("help"), button = help.querySelector("form button");
ktrack.part("help-button").click();
await new Promise(requestAnimationFrame);
const box = button.getBoundingClientRect();
return [help.scrollTop, help.scrollHeight > help.clientHeight, box.top > 0 && box.bottom < innerHeight, help.scrollWidth <= help.clientWidth];"""


def check_help(tap, pages):
    """On a phone the help begins with its first line, and can be closed from there."""
    browser = pages.browser
    pages.load_text(WORK)
    metrics = {"width": 390, "height": 700, "deviceScaleFactor": 1, "mobile": True}
    browser.call("POST", "/goog/cdp/execute", cmd="Emulation.setDeviceMetricsOverride", params=metrics)
    found = browser.run(HELP)
    tap.ok(found == [0, True, True, True], "the help of a phone", *found)
    browser.press("Escape")
    tap.ok(not browser.run('return document.getElementById("help").open;'), "Escape closes it")
    browser.call("POST", "/goog/cdp/execute", cmd="Emulation.clearDeviceMetricsOverride", params={})


UNMATCHED = """event demo:work 100 char track_event_type; string slice_name
+10us 7@0 work E ""
+10us 7@0 work E ""
+10us 8@0 work B read
+10us 8@0 work E ""
+10us 9@0 work E ""
"""


def check_unmatched(tap, pages):
    """Ends without a begin lead to their tracks, those with the most first."""
    browser = pages.browser
    pages.load_text(UNMATCHED)
    found = browser.run("const table = [...document.querySelectorAll('#details table')].find(({ caption }) => caption?.textContent === 'ends without a begin'); return [...table?.querySelectorAll('tr:has(.link)') ?? []].map((row) => [...row.children].map((cell) => cell.textContent).join(': '));")
    tap.ok(found == ["work tid 7: 2 ends", "work tid 9: 1 end"], "the tracks of ends without a begin", *found)
    browser.run("[...document.querySelectorAll('#details .link')].at(-1)?.click();")
    chosen = browser.run("const { current } = ktrack.picture; return [current?.tracks[0].label, document.getElementById('details').innerText.includes('demo:work')];")
    tap.ok(chosen == ["work tid 9", True], "a link leads there", chosen)


CHECKS = (check_unmatched, check_help, check_tabs, check_height, check_history, check_places, check_wheel)


if __name__ == "__main__":
    sys.exit(visit_pages(Tap(), CHECKS))
