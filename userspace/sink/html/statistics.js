// SPDX-License-Identifier: GPL-2.0-only
// Statistics of slices, instants and counters in a span of time.
"use strict";

const SUSPECT = 1, INCOMPLETE = 2, BUCKETS_PER_OCTAVE = 4, SLOWEST_MOST = 10;

// The nearest rank, of sorted numbers.
function quantile(sorted, share) {
	return sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)];
}

// The slices of one name. `total` and `self` are the parts within the span; durations are whole ones, without those of
// suspect and incomplete slices.
class NameStatistics {
	constructor(name, tracepoint) {
		Object.assign(this, { name, tracepoint, count: 0, total: 0, self: 0, excluded: 0, numbers: new Numbers(), slowest: [] });
	}

	add(chunk, index, duration, inside, self, marks) {
		this.count++;
		this.total += inside;
		this.self += self;
		if (marks & (SUSPECT | INCOMPLETE)) {
			this.excluded++;
			return;
		}
		this.numbers.push(duration);
		this.keepSlowest(chunk, index, duration);
	}

	// The slowest first; of equal ones the earliest that was added.
	keepSlowest(chunk, index, ns) {
		const { slowest } = this;
		if (slowest.length === SLOWEST_MOST && slowest[SLOWEST_MOST - 1].ns >= ns)
			return;
		slowest.splice(slowest.findLastIndex((one) => one.ns >= ns) + 1, 0, { chunk, index, ns });
		slowest.length = Math.min(slowest.length, SLOWEST_MOST);
	}

	finish() {
		const sorted = this.sorted = this.numbers.sorted(), size = sorted.length;
		this.numbers = null;
		if (size > 0)
			Object.assign(this, { min: sorted[0], max: sorted[size - 1], mean: sorted.reduce((a, b) => a + b, 0) / size, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) });
	}

	// How many durations are in each bucket: a quarter of a power of two. Zero has the first one.
	histogram() {
		const bucketOf = (ns) => ns < 1 ? 0 : Math.floor(Math.log2(ns) * BUCKETS_PER_OCTAVE);
		const low = bucketOf(this.min), counts = new Array(bucketOf(this.max) - low + 1).fill(0);
		this.sorted.forEach((ns) => counts[bucketOf(ns) - low]++);
		return { low, counts, bucketOf, beginOf: (at) => 2 ** ((low + at) / BUCKETS_PER_OCTAVE) };
	}

	// The share of the durations that are shorter.
	rankOf(ns) {
		return firstBeyond(this.sorted.length, ns, (i) => this.sorted[i] === ns ? Infinity : this.sorted[i]) / this.sorted.length;
	}
}

// Calls call(chunk, index, items) for each item of a row that overlaps a span; yields after each chunk.
function* eachItem(row, from, to, call) {
	for (let i = row.chunkAt(from); i < row.chunks.length && row.chunks[i].from <= to; i++) {
		const chunk = row.chunks[i], items = chunk.items ?? chunk.decode(), size = chunk.count;
		for (let at = firstBeyond(size, from, (j) => items.end[j] === from ? Infinity : items.end[j]); at < size && items.begin[at] <= to; at++)
			call(chunk, at, items);
		yield;
	}
}

// The rows of each depth; on the row of a thread, a depth may be on several lanes.
function rowsByDepth(track) {
	const depths = new Map();
	for (const row of track.rows)
		appendTo(depths, row.depth, row);
	return [...depths.values()];
}

// eachItem() for the slices of one depth, in the order of time: they do not overlap.
function* eachOf(rows, from, to, call) {
	if (rows.length === 1) {
		yield* eachItem(rows[0], from, to, call);
		return;
	}
	const all = [];
	for (const row of rows)
		yield* eachItem(row, from, to, (chunk, i, items) => all.push({ chunk, i, items }));
	all.sort((a, b) => a.items.begin[a.i] - b.items.begin[b.i] || a.items.end[a.i] - b.items.end[b.i]);
	yield;
	all.forEach(({ chunk, i, items }) => call(chunk, i, items));
}

// Slices in the order of their begins, with their time in a span.
class Slices {
	constructor() {
		Object.assign(this, { begin: new Numbers(), end: new Numbers(), inside: new Numbers() });
	}

	push(begin, end, inside) {
		this.begin.push(begin);
		this.end.push(end);
		this.inside.push(inside);
	}

	// Those of both.
	with(other) {
		const both = new Slices();
		for (let i = 0, k = 0; i < this.begin.size || k < other.begin.size;) {
			const isMine = k === other.begin.size || i < this.begin.size && this.begin.array[i] <= other.begin.array[k];
			const from = isMine ? this : other, at = isMine ? i++ : k++;
			both.push(from.begin.array[at], from.end.array[at], from.inside.array[at]);
		}
		return both;
	}
}

// The slices of a track by name. Those of the next depth are subtracted from the time of the slice that they are in. A slice
// that crosses one of the depth above is not in it, and perhaps in one further above.
function* trackStatistics(track, from, to, statisticsOf) {
	let inner = new Slices();
	for (const rows of rowsByDepth(track).reverse()) {
		const own = new Slices(), others = new Slices();
		let next = 0;
		const keep = () => others.push(inner.begin.array[next], inner.end.array[next], inner.inside.array[next]);
		yield* eachOf(rows, from, to, (chunk, i, { begin, end, name, marks }) => {
			const inside = Math.min(end[i], to) - Math.max(begin[i], from);
			let self = inside;
			for (; next < inner.begin.size && inner.begin.array[next] < end[i]; next++) {
				if (inner.begin.array[next] >= begin[i] && inner.end.array[next] <= end[i])
					self -= inner.inside.array[next];
				else
					keep();
			}
			own.push(begin[i], end[i], inside);
			statisticsOf(track, name[i]).add(chunk, i, end[i] - begin[i], inside, self, marks[i]);
		});
		for (; next < inner.begin.size; next++)
			keep();
		inner = others.begin.size > 0 ? own.with(others) : own;
	}
}

function* instantStatistics(track, from, to, statisticsOf) {
	yield* eachItem(track.instants, from, to, (chunk, i, { begin, name }) => {
		if (begin[i] >= from && begin[i] <= to)
			statisticsOf(track, name[i]).count++;
	});
}

// A counter's values at both ends of a span, and the least and the most within.
function counterChange(track, from, to) {
	const first = sampleAt(track.samples, from), last = sampleAt(track.samples, to);
	if (!last)
		return null;
	const change = { track, first: first && first.chunk.read().value[first.index], last: last.chunk.read().value[last.index], count: 0, min: Infinity, max: -Infinity };
	track.samples.visit(from, to, (chunk, i, { value }) => {
		change.count++;
		change.min = value[i] < change.min ? value[i] : change.min;
		change.max = value[i] > change.max ? value[i] : change.max;
	});
	return change;
}

// Statistics of tracks in a span: { slices, instants, counters }, the largest totals first.
function* spanStatistics(recording, tracks, from, to) {
	const slices = new Map(), instants = new Map(), counters = [];
	const findIn = (map) => (track, name) => {
		const key = `${name} ${track.identity.tracepoint}`;
		if (!map.has(key))
			map.set(key, new NameStatistics(recording.names[name], track.identity.tracepoint));
		return map.get(key);
	};
	for (const track of tracks) {
		if (isIdleState(track))
			continue;
		if (track.samples)
			counters.push(counterChange(track, from, to));
		yield* trackStatistics(track, from, to, findIn(slices));
		if (track.instants)
			yield* instantStatistics(track, from, to, findIn(instants));
	}
	for (const one of slices.values()) {
		one.finish();
		yield;
	}
	return {
		slices: [...slices.values()].sort((a, b) => b.total - a.total), counters: counters.filter((one) => one),
		instants: [...instants.values()].sort((a, b) => b.count - a.count),
	};
}

// Statistics of one name on all tracks of its tracepoint in the whole recording.
function* nameStatistics(recording, tracepoint, number) {
	const found = new NameStatistics(recording.names[number], tracepoint);
	for (const track of recording.tracks.filter((one) => one.identity.tracepoint === tracepoint && !isIdleState(one)))
		for (const row of track.rows)
			yield* eachItem(row, -Infinity, Infinity, (chunk, i, { begin, end, name, marks }) => {
				if (name[i] === number)
					found.add(chunk, i, end[i] - begin[i], end[i] - begin[i], 0, marks[i]);
			});
	found.finish();
	return found;
}
