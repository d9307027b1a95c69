#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the page that follows a recording, in a browser: follows, pauses, goes on, ends, is saved."""

import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from live import Live  # noqa: E402
from pages import SPAN, start_browser  # noqa: E402
from process import wait_for  # noqa: E402
from tap import Tap  # noqa: E402

# Per track: its label, how many slices each row has, instants and samples.
CONTENT = """const count = (row) => row ? row.chunks.reduce((sum, chunk) => sum + chunk.count, 0) : 0;
return ktrack.recording.tracks.map((one) => [one.label, one.rows.map(count), count(one.instants), count(one.samples)]);"""
STATE = "return document.getElementById('state').textContent;"
FAULTS = "return document.getElementById('faults').textContent;"
END = "return ktrack.recording.end;"
# All slices are whole, in order, and have their names.
WRONG = """const wrong = [], names = ktrack.recording.names;
for (const track of ktrack.recording.tracks)
	for (const row of track.rows) {
		let last = -1;
		for (const chunk of row.chunks)
			for (let i = 0, items = chunk.read(); i < chunk.count; i++) {
				if (items.begin[i] < last || names[items.name[i]] !== (row.depth ? "inner" : "work") || items.end[i] - items.begin[i] !== (row.depth ? 500 : 1000))
					wrong.push([track.label, row.depth, items.begin[i], items.end[i], names[items.name[i]]]);
				last = items.end[i];
			}
	}
return wrong;"""


def visit(browser, address):
    """Loads a page."""
    browser.call("POST", "/url", url=address)


def has(browser, wanted):
    """Whether the page has a content, when it has."""
    return wait_for(lambda: browser.run(CONTENT) == wanted)


def check_follow(tap, browser):
    """What is recorded is on the page soon after; the visible part moves along."""
    with Live() as live:
        visit(browser, live.url)
        tap.ok(wait_for(lambda: browser.run(STATE) == "recording" and browser.run("return ktrack.recording.about.source;") == "typed"), "the page is there while it is recorded")
        live.do("slices 0 100")
        tap.ok(has(browser, [["track 0 tid 0", [100, 100], 0, 0]]), "slices", browser.run(CONTENT))
        live.do("slices 1 3", "mark 0 here", "level 5", "slices 0 1000", "level 7")
        wanted = [["track 0 tid 0", [1100, 1100], 1, 0], ["track 1 tid 1", [3, 3], 0, 0], ["track 63 tid 63", [], 0, 2]]
        tap.ok(has(browser, wanted), "new tracks, an instant, samples", browser.run(CONTENT))
        tap.ok(browser.run("return ktrack.picture.lines.length;") == 3, "all tracks have lines")
        span, end = browser.run(SPAN), browser.run(END)
        tap.ok(span[0] == 0 and end < span[1] < end * 1.1, "a short recording is visible as a whole", span, end)
        before = browser.run(FAULTS)
        live.do("loss 12")
        tap.ok(before == "" and wait_for(lambda: browser.run(FAULTS) == "lost records in 1 gap"), "lost records are reported at once", before, browser.run(FAULTS))
        tap.nothing(browser.run(WRONG), "all slices are whole")
        check_pause(tap, browser, live, wanted)
        check_away(tap, browser, live)
        check_tracks(tap, browser, live)
        check_saved(tap, browser, live)


def check_pause(tap, browser, live, before):
    """A paused page stands still, and loses nothing."""
    browser.press(" ")
    span = browser.run(SPAN)
    live.do("slices 0 2000", "slices 2 10")
    is_waiting = wait_for(lambda: browser.run("return ktrack.live.waiting.join('').includes('\\\"number\\\":4');"))
    still = (browser.run(CONTENT), browser.run(SPAN)) == (before, span)
    shown = browser.run("return [document.getElementById('state').textContent, document.getElementById('waiting').textContent, document.getElementById('pause').textContent];")
    tap.ok(is_waiting and still, "Space holds the page still", browser.run(CONTENT), browser.run(SPAN), span)
    tap.ok(shown[0] == "paused" and "KiB waiting" in shown[1] and shown[2] == "go on", "it shows that it is paused", shown)
    browser.run("document.getElementById('pause').click();")
    wanted = [["track 0 tid 0", [3100, 3100], 1, 0], *before[1:], ["track 2 tid 2", [10, 10], 0, 0]]
    wanted = sorted(wanted, key=lambda one: ("track 0", "track 1", "track 63", "track 2").index(one[0].rsplit(" tid")[0]))
    tap.ok(has(browser, wanted), "the button goes on, and nothing is lost", browser.run(CONTENT), wanted)
    tap.nothing(browser.run(WRONG), "all slices are whole after the pause")


def check_away(tap, browser, live):
    """A smaller part at the end moves along; moving away from the end pauses."""
    browser.run("const end = ktrack.recording.end; ktrack.picture.setSpan(end - 1e6, end + 1e4);")
    live.do("slices 0 1000")
    wait_for(lambda: browser.run(CONTENT)[0][1] == [4100, 4100])
    end = browser.run(END)
    span = wait_for(lambda: abs(browser.run(SPAN)[1] - browser.run(END)) < 2e4 and browser.run(SPAN))
    tap.ok(end and span and 0.9e6 < span[1] - span[0] < 1.1e6, "a part of the same size moves along", span, end)
    length = browser.run("ktrack.fragment.write(); return history.length;")
    live.do("slices 0 10")
    later = wait_for(lambda: browser.run("return ktrack.recording.end > arguments[0] && ktrack.picture.span.to > ktrack.recording.end;", span[1]) or browser.run(CONTENT)[0][1] == [4110, 4110])
    tap.ok(later and browser.run("ktrack.fragment.write(); return history.length;") == length, "a page that moves along makes no history", length)
    browser.press("a", "a")
    live.do("slices 0 10")
    moved = browser.run(SPAN)
    is_paused = wait_for(lambda: browser.run(STATE) == "paused")
    tap.ok(is_paused and browser.run(SPAN) == moved and moved[1] < browser.run(END), "moving away from the end pauses", browser.run(STATE), moved)
    browser.press(" ")
    tap.ok(wait_for(lambda: browser.run(STATE) == "recording" and browser.run(SPAN)[1] > browser.run(END)), "Space leads back to the end", browser.run(SPAN))
    browser.press("0")
    live.do("slices 0 10")
    tap.ok(wait_for(lambda: browser.run("const { from, to } = ktrack.picture.span; return from === 0 && to === ktrack.picture.whole.to && ktrack.recording.end > arguments[0];", end)), "a whole recording stays whole")


def check_tracks(tap, browser, live):
    """Lines keep their state when others are added; a track that has ended continues; hits are found in what is added."""
    browser.run("const p = ktrack.picture, node = p.tree.all.find((one) => one.label.startsWith('track 1 ') || one.tracks[0]?.label.startsWith('track 1 ')); ktrack.tracks.pin(node); ktrack.tracks.hide(p.tree.all.find((one) => one.tracks[0]?.label.startsWith('track 2 ')));")
    browser.run("const field = document.getElementById('search'); field.value = 'needle'; field.dispatchEvent(new Event('input'));")
    live.do("end 1", "slices 1 4", "mark 5 needle")
    found = wait_for(lambda: browser.run("return document.getElementById('found').textContent.startsWith('1 of 1') || document.getElementById('found').textContent === '1';"))
    tap.ok(found, "a search finds what is added", browser.run("return document.getElementById('found').textContent;"))
    state = browser.run("const all = ktrack.picture.tree.all, labels = (list) => list.map((one) => one.tracks[0].label); return [labels(all.filter((one) => one.isPinned)), labels(all.filter((one) => one.isHidden))];")
    tap.ok(state == [["track 1 tid 1"], ["track 2 tid 2"]], "lines stay pinned and hidden", state)
    continued = browser.run("const list = ktrack.recording.tracks.filter((one) => one.label === 'track 1 tid 1'); return list.map((one) => [one.numbers.length, one.rows.length]);")
    tap.ok(continued == [[2, 2]], "a track that has ended continues in the same line", continued)
    end = browser.run("ktrack.panel.open('range');" + END)
    live.do("slices 0 10")
    grown = wait_for(lambda: browser.run(END) > end)
    tap.ok(grown and browser.run("return ktrack.panel.tab;") == "range", "a tab stays open", browser.run("return ktrack.panel.tab;"))


# Slices that are open: their track, depth, name and how long they are drawn.
OPEN = """const all = ktrack.recording.tracks.flatMap((one) => one.rows).filter((row) => row.open);
return all.map((row) => [row.track.label, row.depth, ktrack.recording.names[row.open.items.name[0]], row.open.to - row.open.from, row.chunks.at(-1) === row.open]);"""
SELECT_OPEN = "const row = ktrack.recording.tracks.flatMap((one) => one.rows).find((one) => one.open && one.depth === arguments[0]); ktrack.show(thing(row, row.open, 0));"
DETAILS = "return document.getElementById('details').textContent;"
FOUND = "return document.getElementById('found').textContent;"


def pixels_of(browser, depth):
    """How much of the lane of an open slice is not background, at its end."""
    return browser.run(
        """const p = ktrack.picture, row = ktrack.recording.tracks.flatMap((one) => one.rows).find((one) => one.depth === arguments[0] && one.track.label.startsWith('track 7 '));
p.drawAll();
const at = (x) => Array.from(p.context.getImageData(x * p.ratio, (p.topOf(row.track) + row.track.rows.indexOf(row) * LANE + 4) * p.ratio, 1, 1).data.slice(0, 3));
const x = p.xOf(ktrack.recording.end), paper = at(p.width - 1);
let drawn = 0;
for (let i = 2; i < 20; i++)
	drawn += String(at(x - i)) !== String(paper);
return drawn;""",
        depth,
    )


# The depth, the row of the thread and the lane of each row of a track, and whether it is drawn there.
ROW_OF = """const p = ktrack.picture, track = ktrack.recording.tracks.find((one) => one.label.startsWith(`track ${arguments[0]} `));
return track.rows.map((row) => [row.depth, row.line, row.lane, p.ownerOf(row).number === row.line && p.ownerOf(row).rows.flat().includes(row)]);"""


def check_open(tap, browser):
    """A slice that has not ended is drawn until now, selected, found and saved; its end replaces it."""
    with Live() as live:
        visit(browser, live.url)
        live.do("slices 0 10", "open 7 4096", "open 7 8192")
        shown = wait_for(lambda: len(browser.run(OPEN)) == 2)
        found = browser.run(OPEN)
        tap.ok(shown and [one[:3] for one in found] == [["track 7 tid 7", 0, "request"], ["track 7 tid 7", 1, "request"]] and all(one[4] for one in found), "slices that are open", found)
        tap.ok(wait_for(lambda: browser.run(OPEN)[0][3] > 2e9), "they last as long as the recording, though nothing else is recorded", browser.run(OPEN))
        tap.ok(pixels_of(browser, 0) > 6 and pixels_of(browser, 1) > 6, "they are drawn up to the end", pixels_of(browser, 0), pixels_of(browser, 1))
        browser.run(SELECT_OPEN, 1)
        wait_for(lambda: "8192" in browser.run(DETAILS))
        text = browser.run(DETAILS)
        tap.ok("so far" in text and "it has not ended yet" in text and "bytes<8192" in text and "ended by" not in text, "its details", text)
        browser.run("const field = document.getElementById('search'); field.value = 'request'; field.dispatchEvent(new Event('input'));")
        tap.ok(wait_for(lambda: browser.run(FOUND).endswith("of 2")), "a search finds them", browser.run(FOUND))
        early = browser.run("return ktrack.live.saved().text();")
        browser.run(SELECT_OPEN, 1)
        check_ended(tap, browser, live)
        check_open_saved(tap, browser, early)


def check_crossing(tap, browser):
    """An open slice is inside of those of its thread's other tracks; if it crosses one, it goes on in a second row, and stays selected."""
    with Live() as live:
        visit(browser, live.url)
        live.do("thread 5 4", "open 4 1", "open 5 2")
        wait_for(lambda: len(browser.run(OPEN)) == 2)
        before = browser.run(ROW_OF, 5)
        tap.ok(before == [[0, 1, 1, True]], "it is inside of the slice of another track", before)
        browser.run("const [row] = ktrack.recording.tracks.find((one) => one.label.startsWith('track 5 ')).rows; ktrack.show(thing(row, row.open, 0));")
        live.do("close 4", "open 5 3", "close 5", "close 5")
        tap.ok(wait_for(lambda: len(browser.run(OPEN)) == 0), "both end", browser.run(OPEN))
        after = browser.run(ROW_OF, 5)
        tap.ok(after == [[0, 2, 0, True], [1, 2, 1, True]], "it is drawn on the second row", after)
        selected = browser.run("const one = ktrack.picture.selected; return [one.track.label, one.row.line, one.chunk === one.row.chunks[0]];")
        tap.ok(selected == ["track 5 tid 4", 2, True], "it is still selected", selected)
        live.begin("finish")
        tap.ok(wait_for(lambda: browser.run(STATE) == "recording ended") and live.status() == 0, "the recording of two rows ends")


def check_ended(tap, browser, live):
    """The end of an open slice: one slice, which stays selected and found; the outer one is still open."""
    live.do("close 7", "open 7 5", "close 7")
    tap.ok(wait_for(lambda: len(browser.run(OPEN)) == 1), "one of them ends", browser.run(OPEN))
    counts = [one for one in browser.run(CONTENT) if one[0].startswith("track 7 ")]
    tap.ok(counts == [["track 7 tid 7", [1, 2], 0, 0]], "it is there once", counts)
    selected = browser.run("const one = ktrack.picture.selected; return [one.row.depth, one.chunk === one.row.chunks[0], one.index, one.end - one.begin];")
    tap.ok(selected == [1, True, 0, 1000], "it stays selected, and has its duration", selected)
    tap.ok(wait_for(lambda: "so far" not in browser.run(DETAILS) and "it has not ended" not in browser.run(DETAILS)), "its details are those of a slice", browser.run(DETAILS))
    tap.ok(wait_for(lambda: browser.run(FOUND).endswith("of 3")), "the search counts each once", browser.run(FOUND))
    live.begin("finish")
    tap.ok(wait_for(lambda: browser.run(STATE) == "recording ended") and live.status() == 0, "the recording ends")


def check_open_saved(tap, browser, early):
    """In a page that was saved before their ends, they are incomplete."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "saved.html"
        path.write_text(early)
        browser.load(path)
        tap.ok(len(browser.run(OPEN)) == 2, "open slices of a saved page", browser.run(OPEN))
        browser.run(SELECT_OPEN, 0)
        tap.ok(wait_for(lambda: "it has no end" in browser.run(DETAILS)), "they are incomplete there", browser.run(DETAILS))


def check_saved(tap, browser, live):
    """A page that is saved has what is there, and asks nobody for more; so has one that is saved at the end."""
    content = browser.run(CONTENT)
    early = browser.run("return ktrack.live.saved().text();")
    live.begin("finish")
    is_over = wait_for(lambda: browser.run(STATE) == "recording ended")
    tap.ok(is_over and live.status() == 0, "the page shows the end; then nobody is waited for", browser.run(STATE))
    tap.ok(browser.run(FAULTS) == "lost 12 records in 1 gap" and browser.run("return document.getElementById('pause').hidden;"), "lost records are counted at the end", browser.run(FAULTS))
    late = browser.run("return ktrack.live.saved().text();")
    with tempfile.TemporaryDirectory() as folder:
        for text, fault, name in ((early, "saved before the end of the recording", "early"), (late, "lost 12 records in 1 gap", "at the end")):
            path = Path(folder) / "saved.html"
            path.write_text(text)
            browser.load(path)
            found = (browser.run(CONTENT), browser.run(FAULTS), browser.run("return !ktrack.live && document.getElementById('live').hidden && !document.documentElement.outerHTML.includes('data-lines=');"))
            tap.ok(found == (content, fault, True), f"a page saved {name}", *found)
            tap.nothing(browser.run(WRONG), f"its slices, saved {name}")


def check_lost(tap, browser):
    """A page whose server is gone reports that, keeps what it has, and can be saved."""
    with Live() as live:
        visit(browser, live.url)
        live.do("slices 0 10")
        has(browser, [["track 0 tid 0", [10, 10], 0, 0]])
    lost = wait_for(lambda: browser.run(STATE) == "connection lost")
    tap.ok(lost and browser.run(FAULTS) == "the end of this page is missing" and browser.run(CONTENT) == [["track 0 tid 0", [10, 10], 0, 0]], "a lost connection", browser.run(STATE), browser.run(FAULTS))
    # The browser itself complains about the connections that are refused.
    strange = [one for one in browser.complaints() if "ERR_" not in one]
    tap.nothing(strange, "no other complaints")


def check_late(tap, browser):
    """A page that is opened late has all from the beginning; so have two at once."""
    with Live() as live:
        live.do("slices 0 20000", "slices 1 5")
        wanted = [["track 0 tid 0", [20000, 20000], 0, 0], ["track 1 tid 1", [5, 5], 0, 0]]
        visit(browser, live.url)
        first = browser.call("GET", "/window")
        tap.ok(has(browser, wanted), "a page that is opened late", browser.run(CONTENT))
        second = browser.call("POST", "/window/new", type="window")["handle"]
        browser.call("POST", "/window", handle=second)
        visit(browser, live.url)
        tap.ok(has(browser, wanted), "two pages at once", browser.run(CONTENT))
        live.begin("slices 1 5", "finish")
        for window in (second, first):
            browser.call("POST", "/window", handle=window)
            browser.run("document.visibilityState;")
            ended = wait_for(lambda: browser.run(STATE) == "recording ended")
            tap.ok(ended and browser.run(CONTENT)[1][1] == [10, 10], "each of them has the end", browser.run(STATE), browser.run(CONTENT))
        tap.ok(live.status() == 0, "the server ends after both")
        browser.call("POST", "/window", handle=second)
        browser.call("DELETE", "/window")
        browser.call("POST", "/window", handle=first)


def check_full(tap, browser):
    """At the limit of the size, the page reports that it has no more, and has the end."""
    with Live(20000) as live:
        visit(browser, live.url)
        live.do("slices 0 3000")
        full = wait_for(lambda: browser.run(FAULTS).startswith("this page is full: it has nothing after 6.00ms"))
        tap.ok(full, "the page is full", browser.run(FAULTS))
        live.do("slices 0 10", "slices 3 10", "mark 4 x", "end 3", "loss 5")
        live.begin("finish")
        ended = wait_for(lambda: browser.run(STATE) == "recording ended")
        tap.ok(ended and browser.run(CONTENT)[:1] == [["track 0 tid 0", [3000, 3000], 0, 0]] and live.status() == 0, "nothing is added then, but the end", browser.run(CONTENT))


CHECKS = (check_follow, check_open, check_crossing, check_late, check_full, check_lost)


def main():
    """Returns the exit status."""
    tap = Tap()
    browser = start_browser(tap)
    if not browser:
        return tap.finish()
    try:
        for check in CHECKS[:-1]:
            tap.isolated(check)(tap, browser)
        tap.nothing(browser.complaints(), "no complaints in the console")
        tap.isolated(CHECKS[-1])(tap, browser)
    finally:
        browser.close()
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
