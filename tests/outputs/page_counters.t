#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: counters of the page with axis, unit and rate; density of instants; colors of states, and red for losses alone."""

import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from pages import DRAW, visit_pages  # noqa: E402
from tap import Tap  # noqa: E402

CSS = HERE.parents[1] / "userspace/sink/html/page.css"
LEVELS = """event demo:level 100 s64 counter_value; string track_name
event demo:work 101 char track_event_type; string slice_name
""" + "".join(f'+1us 7@0 level {1000 * i} "bytes (kB)"\n+1us 7@0 level {100 * (i % 41) - 2000} balance\n' for i in range(2000))
# One instant in each of 100 us, and two thousand in one of them.
MARKS = "event demo:work 101 char track_event_type; string slice_name\n" + "".join(
    '+100us 7@0 work I mark\n' + ('+25 7@0 work I mark\n' * 2000 if i == 50 else "") for i in range(100)
)
TEXTS = """const texts = [], draw = p.context.fillText;
p.context.fillText = (text, x, y) => texts.push([text, x, y]);
p.isAsked = true;
p.draw();
p.context.fillText = draw;
"""
# The height of a counter above its zero line at a time, in pixels, by its pixels.
HEIGHT = """const heightOf = (track, time) => {
	const x = Math.round(p.xOf(time)), top = p.topOf(track), zero = p.yOf(track.scale, 0, top);
	const { data } = p.context.getImageData(x, top, 1, COUNTER), paper = [255, 255, 255].join();
	let sum = 0;
	for (let i = 0; i < COUNTER; i++)
		sum += top + i < zero && data[4 * i] < 200;
	return sum;
};
"""


def check_axis(tap, pages):
    """Lines and values with the unit that the name has; values below zero hang from the zero line."""
    browser = pages.browser
    pages.load_text(LEVELS)
    shown = browser.run(DRAW + TEXTS + "return texts.filter(([, x]) => x > GUTTER).map(([text]) => text.replace('\\u202f', ' '));")
    tap.ok({"1,000,000 kB", "0 kB"} <= set(shown) and {"-2,000", "0", "2,000"} <= set(shown), "values and units of the axis", *shown)
    found = browser.run(
        DRAW
        + HEIGHT
        + """const [bytes, balance] = p.recording.tracks, { begin, value } = balance.samples.chunks[0].read();
        p.setSpan(0, 120e3); p.isAsked = true; p.draw();
        const low = value.indexOf(-1900), high = value.indexOf(1900), at = (i) => heightOf(balance, (begin[i] + begin[i + 1]) / 2);
        return [at(low), at(high), p.yOf(balance.scale, 0, 0)];"""
    )
    tap.ok(found[0] == 0 and 15 <= found[1] <= 21 and 18 < found[2] < 26, "zero is in the middle", found)


def check_rate(tap, pages):
    """The rate is the change in a second; it follows the visible part, and r turns it on and off."""
    browser = pages.browser
    browser.run("ktrack.fit(); ktrack.tracks.choose(ktrack.picture.nodeOf(ktrack.recording.tracks[0]));")
    browser.press("r")
    most, unit, shown = browser.run(DRAW + TEXTS + "const { scale } = p.recording.tracks[0]; return [scale.most, scale.unit, texts.map(([text]) => text.replace('\\u202f', ' '))];")
    tap.ok(abs(most / 5e8 - 1) < 1e-9 and unit == "kB/s" and "400,000,000 kB/s" in shown, "a rate of 1000 in 2 us", most, unit, *shown)
    flat = browser.run(DRAW + HEIGHT + "return [1e6, 2e6, 3e6].map((time) => heightOf(p.recording.tracks[0], time));")
    tap.ok(len(set(flat)) == 1 and flat[0] > 30, "a steady one is level", flat)
    browser.press("r")
    rising = browser.run(DRAW + HEIGHT + "return [1e6, 2e6, 3e6].map((time) => heightOf(p.recording.tracks[0], time));")
    tap.ok(rising[0] < rising[1] < rising[2], "and its values rise", rising)


def check_density(tap, pages):
    """Instants are visible at every zoom; where there are more, their ticks are darker, and no slice is covered."""
    browser = pages.browser
    pages.load_text(MARKS)
    looks = browser.run(
        DRAW
        + """const track = p.recording.tracks[0], found = [], y = p.topOf(track) - 2;
        const darkest = (from, to) => {
            const x = Math.max(Math.floor(p.xOf(from)), GUTTER), width = Math.max(Math.ceil(p.xOf(to)) + 2 - x, 1), { data } = p.context.getImageData(x, y, width, 6);
            let least = 255;
            for (let i = 0; i < data.length; i += 4)
                least = Math.min(least, data[i]);
            return least;
        };
        for (const factor of [1, 30, 1000]) {
            p.setSpan(p.whole.from, factor * p.whole.to);
            p.span.to = factor * p.whole.to;
            p.isAsked = true;
            p.draw();
            found.push([darkest(0, p.whole.to), darkest(5.1e6, 5.15e6), darkest(2e6 + 3e4, 2e6 + 6e4)]);
        }
        return found;"""
    )
    tap.ok(all(one[0] < 140 for one in looks), "visible at every zoom", *looks)
    opacity = browser.run(
        """const p = ktrack.picture, alphas = [], fill = p.context.fillRect;
        p.context.fillRect = () => alphas.push(p.context.globalAlpha);
        [2, 4, 100].forEach((count) => p.drawCrowd(p.recording.tracks[0], { x: 500, lane: 0, count }, 100));
        delete p.context.fillRect;
        return alphas;"""
    )
    tap.ok(opacity[0] < opacity[1] < opacity[2] == 1, "more of them are darker", opacity)


def check_colours(tap, pages):
    """States have colors of their own on light and dark paper, none of which is near the red of losses; the style neither."""
    hues = pages.browser.run(
        """const hue = ([r, g, b]) => {
            const most = Math.max(r, g, b), size = most - Math.min(r, g, b) || 1;
            return 60 * (most === r ? ((g - b) / size + 6) % 6 : most === g ? (b - r) / size + 2 : (r - g) / size + 4);
        };
        const palette = new Palette({ names: ["Running", "Runnable", "S", "D", "D|K", "Runnable (preempted)", "T", "R", "R+"] }), track = { identity: { tracepoint: "sched:thread" } }, found = [];
        for (const isDark of [false, true]) {
            palette.setDark(isDark);
            found.push(palette.recording.names.map((_, i) => [palette.of(track, i).css, hue(palette.of(track, i).rgb)]));
        }
        return found;"""
    )
    for colours in hues:
        names = [css for css, _ in colours]
        tap.ok(len({*names[:4], names[6]}) == 5 and names[3] == names[4] and {names[1]} == {names[5], *names[7:]}, "colors of states", *names)
        tap.ok(all(40 <= hue <= 320 for _, hue in colours), "none is red", *colours)
    tints = re.findall(r"--tint: #(\w{6})", CSS.read_text())
    red = [tint for tint in tints if (rgb := [int(tint[i : i + 2], 16) for i in (0, 2, 4)])[0] > 1.6 * max(rgb[1:])]
    tap.ok(len(tints) >= 8 and not red, "no part of a split is red", red)


CHECKS = (check_axis, check_rate, check_density, check_colours)


if __name__ == "__main__":
    sys.exit(visit_pages(Tap(), CHECKS))
