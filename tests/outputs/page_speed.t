#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the work of a frame does not grow with the slices on a column, and what is drawn of sums is what slices, instants and samples are."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from pages import DRAW, visit_pages  # noqa: E402
from tap import Tap  # noqa: E402

# With pauses, so that columns show where bins are.
ROUNDS = 8 * """repeat 1000
+1us  7@0 io B "short $i%5"
+700  7@0 io E ""
+0    8@0 level $i%97
+100  9@0 io I tick
end
+300us 8@0 level 50
"""
# Forty chunks of short slices, of which one has a long slice too; a counter and instants beside them.
RECORD = f"""event demo:io 100 char track_event_type; string slice_name
event demo:level 101 s64 counter_value
{ROUNDS}+1us 7@0 io B long
+1ms 7@0 io E ""
{ROUNDS}"""
# What a frame adds to columns, at spans of which a chunk of slices is so many pixels wide.
WORK = """const p = ktrack.picture, found = [], chunk = p.recording.tracks[0].rows[0].chunks[0], { add } = Columns.prototype;
for (const width of arguments[0]) {
	const size = (chunk.to - chunk.from) / width * (p.width - GUTTER);
	p.span = { from: 0, to: size };
	do { p.isAsked = true; p.draw(); } while (p.isRough);
	let count = 0;
	Columns.prototype.add = function (...words) { count++; add.apply(this, words); };
	p.draw();
	Columns.prototype.add = add;
	found.push([(chunk.to - chunk.from) * p.scale, count / p.nrColumns]);
}
return found;
"""
# The most by which a column differs from its slices, and the slices that are drawn one by one.
COLUMNS = """const p = ktrack.picture, row = p.recording.tracks[0].rows[0], chunk = row.chunks[0], found = [];
for (const width of arguments[0]) {
	p.span = { from: 0, to: (chunk.to - chunk.from) / width * (p.width - GUTTER) };
	const size = p.nrColumns, full = new Float64Array(size), wide = [];
	row.visit(p.span.from, p.span.to, (chunk, i, { begin, end }) => {
		for (let from = p.columnOf(begin[i]), to = p.columnOf(end[i]), at = Math.max(Math.floor(from), 0); at < to && at < size; at++)
			full[at] += Math.min(to, at + 1) - Math.max(from, at);
	});
	p.drawSlice = (track, one, i) => {
		const { begin, end, name } = one.read();
		if (end[i] > p.span.from)
			wide.push(p.recording.names[name[i]]);
		p.columns.add(p.columnOf(begin[i]), p.columnOf(end[i]), 1, 0, 0);
	};
	p.reading_ms = -Infinity;
	p.drawSlices(row, 0);
	delete p.drawSlice;
	found.push([(chunk.to - chunk.from) * p.scale, full.reduce((most, one, at) => Math.max(most, Math.abs(one - p.columns.filled[at])), 0), wide.filter((name) => name === "long").length, wide.length]);
}
return found;
"""
# Whether the range of a counter on each column is that of its samples, of columns beside it at most, or of the next ones in a chunk that
# is not read; the same of the number of instants. What is not read is first.
BINS = """const p = ktrack.picture, wrong = [], counter = p.recording.tracks.find(({ samples }) => samples).samples, marks = p.recording.tracks.find(({ instants }) => instants).instants;
for (const width of arguments[0]) {
	const isCounted = width < COUNTED_COLUMNS, reach = isCounted ? 2 : 1;
	p.span = { from: 0, to: (counter.chunks[0].to - counter.chunks[0].from) / width * (p.width - GUTTER) };
	p.reading_ms = -Infinity;
	const all = [], drawn = new Levels(p, [counter.min, counter.max]), wanted = new Levels(p, [counter.min, counter.max]), size = p.nrColumns, counts = new Float64Array(size), true_ = new Float64Array(size);
	counter.visit(p.span.from, p.span.to, (chunk, i, { begin, value }) => all.push([begin[i], value[i]]));
	all.forEach(([time, value], i) => wanted.add(time, all[i + 1]?.[0] ?? Math.min(p.recording.limit, p.span.to), value, value));
	counter.chunks.concat(marks.chunks).forEach((chunk) => chunk.bins = null);
	p.addSegments(counter, drawn);
	const around = (levels, at, of) => of(...[...Array(2 * reach + 1).keys()].map((i) => (of === Math.min ? levels.low : levels.high)[Math.min(Math.max(at + i - reach, 0), size - 1)]));
	for (let at = 1; at < size - 1; at++)
		if (drawn.low[at] > wanted.low[at] || drawn.high[at] < wanted.high[at] || drawn.low[at] < around(wanted, at, Math.min) || drawn.high[at] > around(wanted, at, Math.max))
			wrong.push(`counter, ${width}: column ${at}: ${drawn.low[at]} to ${drawn.high[at]} instead of ${wanted.low[at]} to ${wanted.high[at]}`);
	marks.visit(p.span.from, p.span.to, (chunk, i, { begin }) => true_[Math.round(p.columnOf(begin[i]))]++);
	p.eachChunk(marks, (chunk, width) => p.addInstants(chunk, width, (at, depth, count) => counts[at] += count));
	const upToColumn = (at) => true_.subarray(0, Math.max(at + 1, 0)).reduce((a, b) => a + b, 0);
	if (counter.chunks.concat(marks.chunks).some((chunk) => chunk.bins && (chunk.to - chunk.from) * p.scale * p.ratio < COUNTED_COLUMNS))
		wrong.push(`${width}: chunks are read`);
	for (let at = 1, sum = counts[0]; at < size - 3; at++) {
		const before = upToColumn(at - reach), upTo = upToColumn(at + reach);
		sum += counts[at];
		if (sum < before || sum > upTo)
			wrong.push(`instants, ${width}: up to column ${at}: ${sum} instead of ${before} to ${upTo}`);
	}
}
return wrong.slice(0, 3).concat(counter.chunks.some((chunk) => chunk.bins) && marks.chunks.some((chunk) => chunk.bins) ? [] : ["no bins"]);
"""
# Whether what a counter was before the span is on a column; how many columns instants of a chunk that is wider than the span, and not read yet, are on.
EDGES = """const p = ktrack.picture, [chunk] = p.recording.tracks.find(({ instants }) => instants).instants.chunks;
p.span = { from: chunk.from + 2000, to: chunk.from + 3000 };
const levels = new Levels(p, [0, 9]);
levels.add(chunk.from, p.span.from, 5, 5);
let count = 0;
chunk.items = null;
p.reading_ms = Infinity;
p.addInstants(chunk, (chunk.to - chunk.from) * p.scale, () => count++);
return [levels.low.some(isFinite), count, p.nrColumns];
"""
# Statistics of many items by a worker, or without one: whether they are those that are computed here, and how many chunks the page decodes for them.
APART = """const { recording } = ktrack, { tracks, names } = recording, counter = tracks.find(({ samples }) => samples).samples, [from, to] = [counter.chunks[3].to + 1, recording.end * 0.9], always = () => true, { Worker } = window, { decode } = SliceChunk.prototype;
const [row] = tracks.find((track) => track.rows.length > 0).rows, open = Object.assign(new OpenChunk(to - 100, names.indexOf("long"), null), { row });
Apart.LEAST = 1000;
open.reach(recording.end);
row.chunks = [...row.chunks.filter((chunk) => chunk.to <= open.from), open];
const one = ({ name, tracepoint, count, total, self, excluded, min, max, mean, p50, p99, slowest }) => [name, tracepoint, count, total, self, excluded, min, max, mean, p50, p99, slowest.map(({ chunk, index, ns }) => [chunk.from, chunk.row.track.label, index, ns])];
const span = ({ slices, instants, counters }) => JSON.stringify([slices.map(one), instants.map(one), counters.map(({ track, first, last, min, max, count }) => [track.label, first, last, min, max, count])]);
const name = (found) => JSON.stringify([one(found), found.histogram().counts, found.rankOf(700)]);
const short = [tracks.filter(({ rows }) => rows.length > 0), names.indexOf("short 1")];
const found = [span(await runSteps(spanStatistics(recording, tracks, from, to), always)), name(await runSteps(nameStatistics(recording, ...short), always))], same = [];
let decoded = 0;
// A frame decodes, too.
SliceChunk.prototype.decode = function (items) { decoded += /Statistics/.test(new Error().stack); return decode.call(this, items); };
const ask = (apart) => Promise.all([apart.run("spanStatistics", tracks, from, to, [from, to], always), new Apart(recording).run("nameStatistics", short[0], -Infinity, Infinity, [short[1]], always)]);
for (const kind of [Worker, class { constructor() { throw new Error("refused"); } }, class { terminate() { } postMessage() { setTimeout(() => this.onerror(new Event("error"))); } }]) {
	window.Worker = kind;
	decoded = 0;
	const [all, some] = await ask(new Apart(recording));
	same.push([all && span(all) === found[0], some && name(some) === found[1], decoded > 0]);
}
Object.assign(window, { Worker });
const apart = new Apart(recording), [first, last] = await Promise.all([ask(apart), ask(apart)]);
SliceChunk.prototype.decode = decode;
return [same, [first[0] === null, span(last[0]) === found[0]], found.map((text) => text.slice(0, 500))];
"""
# Whether all that is known of chunks after frames of each width is counted, and how many bytes that is with a limit of 100,000.
KEPT = """const p = ktrack.picture, { chunks } = p.recording.tracks[0].rows[0], most = Chunk.KEPT_MOST, found = [];
for (const limit of [most, 1e5]) {
	Chunk.KEPT_MOST = limit;
	chunks[0].keep();
	let isCounted = true, sum, all;
	for (const width of arguments[0]) {
		p.span = { from: 0, to: (chunks[0].to - chunks[0].from) / width * (p.width - GUTTER) };
		do { p.isAsked = true; p.draw(); } while (p.isRough);
		all = p.recording.inOrder.map(({ chunk }) => chunk.size());
		sum = all.reduce((a, b) => a + b);
		isCounted &&= sum === Chunk.kept.size;
	}
	found.push([isCounted, sum, Math.max(...all)]);
}
Chunk.KEPT_MOST = most;
return found;
"""
# How many chunks a frame without time reads after a change of the theme, and whether another frame follows.
THEMES = """const p = ktrack.picture, chunk = p.recording.tracks[0].rows[0].chunks[0], { isDark } = p.palette;
p.span = { from: 0, to: (chunk.to - chunk.from) / 40 * (p.width - GUTTER) };
do { p.isAsked = true; p.draw(); } while (p.isRough);
const { decode } = SliceChunk.prototype, count = (isDark) => {
	let decoded = 0;
	SliceChunk.prototype.decode = function (items) { decoded++; return decode.call(this, items); };
	p.palette.setDark(isDark);
	Object.assign(p, { reading_ms: Infinity, isRough: false });
	p.drawSlices(p.recording.tracks[0].rows[0], 0);
	SliceChunk.prototype.decode = decode;
	return [decoded, p.isRough];
};
return [count(isDark), count(!isDark)];
"""
# Numbers of ranks in random order, with many equal ones or few.
SELECT = """const wrong = [];
for (const size of [1, 2, 3, 10, 999, 1001, 20000])
	for (const different of [1, 3, 1e9])
		for (const share of [0, 0.01, 0.5, 0.99, 1]) {
			const numbers = Float64Array.from({ length: size }, () => Math.floor(Math.random() * different)), sorted = numbers.slice().sort(), rank = Math.min(Math.floor(share * size), size - 1);
			if (select(numbers, rank) !== sorted[rank] || numbers.sort().join() !== sorted.join())
				wrong.push([size, different, share]);
		}
return wrong;
"""
# From afar, by digests, by sums of what was read, and one by one.
WIDTHS = (2, 3.9, 10, 40, 110, 400)


def check_work(tap, pages):
    """A frame adds few slices one by one, at each zoom."""
    pages.load_text(RECORD)
    found = pages.browser.run(WORK, WIDTHS)
    tap.comment(f"slices for each column, by the width of chunks: {found}")
    tap.ok(all(count < 5 for _, count in found) and found[-1][1] > 0.5, "the work of a frame is that of its columns", *found)


def check_columns(tap, pages):
    """Columns are as full as their slices are long; a slice that is wide is drawn as such beside others that are not."""
    found = pages.browser.run(DRAW + COLUMNS.replace("const p = ktrack.picture, ", "const "), WIDTHS)
    tap.ok(all(worst < 0.13 for _, worst, _, _ in found), "columns are as full as their slices are long", *found)
    whole = pages.browser.run(DRAW + COLUMNS.replace("const p = ktrack.picture, ", "const "), (25,))
    tap.ok([one[2:] for one in whole] == [[1, 1]], "a long slice among short ones is drawn", *whole)


def check_bins(tap, pages):
    """Counters and instants from afar."""
    tap.nothing(pages.browser.run(BINS, (1.3, 2, 5, 13)), "counters and instants from afar")


def check_edges(tap, pages):
    """What is beyond the edges of the picture."""
    is_shown, count, columns = pages.browser.run(EDGES)
    tap.ok(not is_shown, "what a counter was before the span is on no column")
    tap.ok(0 < count <= columns + 2, "instants that are not read yet are on the columns of the span", count, columns)


def check_kept(tap, pages):
    """Memory of what is known of chunks."""
    pages.load_text(RECORD)
    whole, limited = pages.browser.run(KEPT, WIDTHS)
    tap.ok(whole[0] and whole[1] > 4 * limited[1] > 0 and limited[0] and limited[1] <= 1e5 + limited[2], "what is kept of chunks is limited", whole, limited)


def check_themes(tap, pages):
    """A change of the theme."""
    pages.load_text(RECORD)
    same, other = pages.browser.run(THEMES)
    tap.ok(same == [0, False] and other == [0, True], "after a change of the theme chunks are read when there is time", same, other)


def check_apart(tap, pages):
    """Statistics of many items are computed in a worker, or in steps if there is none."""
    pages.load_text(RECORD)
    (by_worker, refused, failed), replaced, found = pages.browser.run(APART)
    tap.ok(by_worker == [True, True, False], "statistics of a worker are those of the page, which decodes nothing", by_worker, *found)
    tap.ok(refused == failed == [True, True, True], "statistics without a worker", refused, failed)
    tap.ok(replaced == [True, True], "a worker is replaced by the next one", replaced)


def check_select(tap, pages):
    """Percentiles."""
    tap.nothing(pages.browser.run(SELECT), "the number of a rank")


if __name__ == "__main__":
    sys.exit(visit_pages(Tap(), (check_work, check_columns, check_bins, check_edges, check_themes, check_kept, check_apart, check_select)))
