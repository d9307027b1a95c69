#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the page's axis, overview and picture from afar: times, UTC, the window in the overview, columns of pixels."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import cases  # noqa: E402
from pages import DRAW, SPAN, visit_pages  # noqa: E402
from tap import Tap  # noqa: E402

# Bursts of short slices, pauses, a slice that is long, and a name that changes in the middle.
UNEVEN = """event demo:io 100 char track_event_type; string slice_name
repeat 20000
+1us  7@0 io B short
+700  7@0 io E ""
+300  7@0 io B other
+100  7@0 io E ""
end
50ms  7@0 io B long
65ms  7@0 io E ""
repeat 20000
+1us  7@0 io B late
+500  7@0 io E ""
end
120ms 7@0 io B end
121ms 7@0 io E ""
"""
TEXTS = """const texts = [], draw = p.context.fillText;
p.context.fillText = (text, x, y) => texts.push([text, x, y]);
p.isAsked = true;
p.draw();
p.context.fillText = draw;
"""
# How full each column is by the slices, and what is drawn there: the two must agree.
COLUMNS = """const row = p.recording.tracks[0].rows[0], size = p.nrColumns, true_ = new Float64Array(size);
row.visit(-Infinity, Infinity, (chunk, i, { begin, end }) => {
	const from = p.columnOf(begin[i]), to = p.columnOf(end[i]);
	for (let at = Math.max(Math.floor(from), 0); at < to && at < size; at++)
		true_[at] += Math.min(to, at + 1) - Math.max(from, at);
});
row.chunks.forEach((chunk) => chunk.items = null);
p.reading_ms = -Infinity;
p.drawSlice = (track, chunk, i) => p.columns.add(p.columnOf(chunk.read().begin[i]), p.columnOf(chunk.read().end[i]), 1, 0, 0);
p.drawSlices(row, 0);
delete p.drawSlice;
let worst = 0, missing = 0;
for (let at = 0; at < size; at++) {
	worst = Math.max(worst, Math.abs(true_[at] - p.columns.filled[at]));
	missing += true_[at] > 0.01 && p.columns.filled[at] === 0;
}
return [worst, missing, row.chunks.filter((chunk) => chunk.items).length, row.chunks.length];
"""


def texts(browser):
    """The texts of the picture: [text, x, y]."""
    return browser.run(DRAW + TEXTS + "return texts;")


def check_times(tap, pages):
    """Ticks have times since the begin and UTC; far from the begin they are relative to a time at the left."""
    pages.load(lambda path: cases.make_of(UNEVEN, path), "--wall-clock=1577934245")
    browser = pages.browser
    shown = [text for text, _, _ in texts(browser)]
    tap.ok("20 ms" in shown and "03:04:05.02" in shown and "UTC 2020-01-02" in shown, "relative time and UTC", *shown)
    browser.run("ktrack.picture.setSpan(45000100, 45000700);")
    shown = [text for text, _, _ in texts(browser)]
    is_far = "0.045000000 s +" in shown and "+200 ns" in shown and "03:04:05.0450002" in shown
    tap.ok(is_far, "times relative to one at the left", *shown)
    pages.load_text(UNEVEN)
    shown = [text for text, _, _ in texts(browser)]
    tap.ok("20 ms" in shown and not any("UTC" in text or "00:00" in text for text in shown), "no UTC if it is not known", *shown)


def check_overview(tap, pages):
    """The overview shows where the visible span is; it moves with the mouse."""
    browser = pages.browser
    pages.load_text(UNEVEN)
    browser.run("ktrack.picture.setSpan(10e6, 12e6);" + DRAW)
    left, top, middle, goal = browser.run(
        "const p = ktrack.picture, box = p.canvas.getBoundingClientRect(); return [box.left, box.top, p.overviewX(11e6), p.overviewX(61e6)];"
    )
    browser.drag(left + middle, top + 10, left + goal, top + 10)
    span = browser.run(SPAN)
    tap.ok(abs(span[0] - 60e6) < 2e5 and abs(span[1] - span[0] - 2e6) < 1, "the window is dragged", span)
    browser.click(left + middle, top + 10)
    span = browser.run(SPAN)
    tap.ok(abs(span[0] - 10e6) < 2e5 and abs(span[1] - span[0] - 2e6) < 1, "a click moves it", span)
    heights = browser.run(
        """const p = ktrack.picture, grey = p.palette.grey, busy = p.overviewOf(), context = busy.getContext("2d");
        const filled = (time) => {
            const { data } = context.getImageData(Math.floor(p.overviewX(time) - GUTTER), 0, 1, busy.height);
            let sum = 0;
            for (let i = 0; i < data.length; i += 4)
                sum += data[i] === grey[0] && data[i + 1] === grey[1];
            return sum / busy.height;
        };
        return [filled(3e6), filled(46e6), filled(60e6), filled(80e6), filled(110e6)];"""
    )
    is_right = heights[1] == heights[4] == 0 and heights[2] > 0.95 and 0.2 < heights[3] < 0.5 and 0.3 < heights[0] < 0.5
    tap.ok(is_right, "how busy the tracks are", *heights)


def check_columns(tap, pages):
    """From afar each column of pixels is as full as its slices are long, almost without a look into them."""
    browser = pages.browser
    pages.load_text(UNEVEN)
    for name, span in (("the whole", "p.whole.from, p.whole.to"), ("a burst", "0, 20e6"), ("a part", "30e6, 100e6")):
        worst, missing, read, chunks = browser.run(DRAW + f"p.setSpan({span});" + COLUMNS)
        tap.ok(worst < 0.06 and missing == 0 and read < chunks / 2 and chunks > 100, f"columns of {name}", worst, missing, read, chunks)
    colours = browser.run(
        """const p = ktrack.picture, track = p.recording.tracks[0], names = p.recording.names;
        p.setSpan(p.whole.from, p.whole.to);
        const at = (time) => {
            const sums = track.rows[0].chunks[track.rows[0].chunkAt(time)].sumsOf(p.palette, track).slice(-SUM_WORDS);
            return [...sums.slice(1, 4)].map((sum) => sum / sums[0]);
        };
        return [at(1e6), at(80e6), p.palette.of(track, names.indexOf("short")).rgb, p.palette.of(track, names.indexOf("late")).rgb];"""
    )
    near = [max(abs(a - b) for a, b in zip(one, other)) for one, other in zip(colours[:2], colours[2:])]
    tap.ok(near[0] < 40 and near[1] < 1, "in the colours of their names", *colours)


CHECKS = (check_times, check_overview, check_columns)


if __name__ == "__main__":
    sys.exit(visit_pages(Tap(), CHECKS))
