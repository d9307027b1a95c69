// SPDX-License-Identifier: GPL-2.0-only
// Statistics of slices, instants and counters in a span of time.
"use strict";

const SUSPECT = 1, INCOMPLETE = 2, BUCKETS_PER_OCTAVE = 4, SLOWEST_MOST = 10, SELECTED_AT_ONCE = 1000;

// Puts the number of a rank to its place in the order of numbers from index `low` to `high`: no larger one is before it, no smaller
// one behind it. Of many numbers, some around the place are put into order first, so that the rest is divided almost there.
function select(numbers, rank, low = 0, high = numbers.length - 1) {
	while (low < high) {
		const size = high - low + 1;
		if (size > SELECTED_AT_ONCE) {
			const place = rank - low, some = size ** (2 / 3) / 2, shift = Math.sqrt(Math.log(size) * some * (1 - some / size)) / 2 * Math.sign(place - size / 2);
			select(numbers, rank, Math.max(Math.floor(rank - place * some / size + shift), low), Math.min(Math.floor(rank + (size - place) * some / size + shift), high));
		}
		const pivot = numbers[rank];
		let i = low, k = high;
		while (i <= k) {
			while (numbers[i] < pivot)
				i++;
			while (numbers[k] > pivot)
				k--;
			if (i <= k) {
				const one = numbers[i];
				numbers[i++] = numbers[k];
				numbers[k--] = one;
			}
		}
		if (rank <= k)
			high = k;
		else if (rank >= i)
			low = i;
		else
			break;
	}
	return numbers[rank];
}

// The slices of one name. `total` and `self` are the parts within the span; durations are whole ones, without those of
// suspect and incomplete slices.
class NameStatistics {
	constructor(name, tracepoint) {
		Object.assign(this, { name, tracepoint, count: 0, total: 0, self: 0, excluded: 0, sum: 0, least: Infinity, numbers: new Numbers(), slowest: [], enough: -1, track: null, number: 0 });
	}

	add(chunk, index, duration, inside, self, marks) {
		this.count++;
		this.total += inside;
		this.self += self;
		if (marks & (SUSPECT | INCOMPLETE)) {
			this.excluded++;
			return;
		}
		this.sum += duration;
		this.least = duration < this.least ? duration : this.least;
		this.numbers.push(duration);
		if (duration > this.enough)
			this.keepSlowest(chunk, index, duration);
	}

	// The slowest first; of equal ones the earliest that was added. `enough` is the duration of the last one if there is no place.
	keepSlowest(chunk, index, ns) {
		const { slowest } = this;
		slowest.splice(slowest.findLastIndex((one) => one.ns >= ns) + 1, 0, { chunk, index, ns });
		slowest.length = Math.min(slowest.length, SLOWEST_MOST);
		this.enough = slowest[SLOWEST_MOST - 1]?.ns ?? -1;
	}

	finish() {
		const durations = this.durations = this.numbers.all, size = durations.length, rankOf = (share) => Math.max(Math.ceil(share * size) - 1, 0);
		this.numbers = null;
		if (size > 0)
			Object.assign(this, { min: this.least, max: this.slowest[0].ns, mean: this.sum / size, p99: select(durations, rankOf(0.99)), p50: select(durations, rankOf(0.5)) });
	}

	get sorted() {
		return this.knownSorted ??= this.durations.sort();
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
	for (const { chunk, items, first, last } of rowParts(row, from, to)) {
		for (let at = first; at < last; at++)
			call(chunk, at, items);
		yield;
	}
}

// The items of a row that overlap a span: of each chunk with its arrays those between two indexes. With other rows at the same
// time arrays are their own, else valid until the next chunk.
function* rowParts(row, from, to, isAlone = true) {
	for (let i = row.chunkAt(from); i < row.chunks.length && row.chunks[i].from <= to; i++) {
		const chunk = row.chunks[i], items = isAlone ? chunk.scan() : chunk.items ?? chunk.decode(), { begin, end } = items, { count } = chunk;
		const first = firstBeyond(count, from, (j) => end[j] === from ? Infinity : end[j]), last = firstBeyond(count, to, (j) => begin[j]);
		if (first < last)
			yield { chunk, items, first, last };
	}
}

// The rows of each depth; on the row of a thread, a depth may be on several lanes.
function rowsByDepth(track) {
	const depths = new Map();
	for (const row of track.rows)
		appendTo(depths, row.depth, row);
	return [...depths.values()];
}

// The slices of one depth that overlap a span, as rowParts(), in the order of time: they do not overlap.
function* depthParts(rows, from, to) {
	if (rows.length === 1) {
		yield* rowParts(rows[0], from, to);
		return;
	}
	const heads = rows.map((row) => rowParts(row, from, to, false)).map((rest) => ({ rest, ...rest.next().value })).filter(({ chunk }) => chunk);
	const beginOf = ({ items, first }) => items.begin[first], endOf = ({ items, first }) => items.end[first];
	while (heads.length > 0) {
		const [head, other] = heads.sort((a, b) => beginOf(a) - beginOf(b) || endOf(a) - endOf(b)), { chunk, items, items: { begin }, first, last } = head, until = other ? beginOf(other) : Infinity;
		do
			head.first++;
		while (head.first < last && begin[head.first] < until);
		yield { chunk, items, first, last: head.first };
		if (head.first === last && !Object.assign(head, { chunk: null }, head.rest.next().value).chunk)
			heads.shift();
	}
}

const NO_NUMBERS = new Float64Array(0);

// Slices in the order of their begins, with their time in a span.
class Slices {
	constructor() {
		Object.assign(this, { size: 0, most: 0, begin: NO_NUMBERS, end: NO_NUMBERS, inside: NO_NUMBERS });
	}

	push(begin, end, inside) {
		const at = this.size++;
		if (at === this.most)
			this.grow();
		this.begin[at] = begin;
		this.end[at] = end;
		this.inside[at] = inside;
	}

	grow() {
		this.most = Math.max(2 * this.most, 64);
		for (const key of ["begin", "end", "inside"])
			this[key] = Numbers.larger(this[key], this.most);
	}

	// Those of both.
	with(other) {
		const both = new Slices();
		for (let i = 0, k = 0; i < this.size || k < other.size;) {
			const isMine = k === other.size || i < this.size && this.begin[i] <= other.begin[k];
			const from = isMine ? this : other, at = isMine ? i++ : k++;
			both.push(from.begin[at], from.end[at], from.inside[at]);
		}
		return both;
	}
}

// A depth of a track: its slices, whose self times are without those of the slices in them. A slice that crosses one of the depth
// above is not in it, and perhaps in one further above: it is among `others`.
class Depth {
	constructor(inner, keeps) {
		Object.assign(this, { inner, keeps, next: 0, own: new Slices(), others: new Slices() });
	}

	add({ items: { begin, end, name, marks }, first, last, chunk }, track, from, to, statistics) {
		const { inner, own, others, keeps } = this;
		let { next } = this;
		for (let i = first; i < last; i++) {
			const begun = begin[i], ended = end[i], inside = (ended < to ? ended : to) - (begun > from ? begun : from);
			let self = inside;
			for (; next < inner.size && inner.begin[next] < ended; next++)
				if (inner.begin[next] >= begun && inner.end[next] <= ended)
					self -= inner.inside[next];
				else
					others.push(inner.begin[next], inner.end[next], inner.inside[next]);
			if (keeps)
				own.push(begun, ended, inside);
			statistics.of(track, name[i]).add(chunk, i, ended - begun, inside, self, marks[i]);
		}
		this.next = next;
	}

	// What may be in slices of the depth above.
	finish() {
		const { inner, own, others } = this;
		for (; this.next < inner.size; this.next++)
			others.push(inner.begin[this.next], inner.end[this.next], inner.inside[this.next]);
		return others.size > 0 ? own.with(others) : own;
	}
}

// The slices of a track by name, the innermost first.
function* trackStatistics(track, from, to, statistics) {
	const depths = rowsByDepth(track).reverse();
	let inner = new Slices();
	for (const rows of depths) {
		// The outermost ones are in no other.
		const depth = new Depth(inner, rows !== depths.at(-1));
		for (const part of depthParts(rows, from, to)) {
			depth.add(part, track, from, to, statistics);
			// Parts of several rows may be small.
			if (part.last === part.chunk.count)
				yield;
		}
		inner = depth.finish();
	}
}

function* instantStatistics(track, from, to, statistics) {
	yield* eachItem(track.instants, from, to, (chunk, i, { begin, name }) => {
		if (begin[i] >= from && begin[i] <= to)
			statistics.of(track, name[i]).count++;
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

// Statistics by name and tracepoint.
class Statistics {
	constructor({ names }) {
		Object.assign(this, { names, all: [], byKey: new Map(), places: new Uint32Array(names.length) });
	}

	// Those of a name on a track: the last ones of the name, if they were for the same track.
	of(track, name) {
		const last = this.all[this.places[name]];
		return last?.track === track && last.number === name ? last : this.find(track, name);
	}

	find(track, number) {
		const { tracepoint } = track.identity, key = `${number} ${tracepoint}`;
		if (!this.byKey.has(key)) {
			this.byKey.set(key, this.all.length);
			this.all.push(new NameStatistics(this.names[number], tracepoint));
		}
		const place = this.places[number] = this.byKey.get(key);
		return Object.assign(this.all[place], { track, number });
	}
}

// Statistics of tracks in a span: { slices, instants, counters }, the largest totals first.
function* spanStatistics(recording, tracks, from, to) {
	const slices = new Statistics(recording), instants = new Statistics(recording), counters = [];
	for (const track of tracks) {
		if (isIdleState(track))
			continue;
		if (track.samples)
			counters.push(counterChange(track, from, to));
		yield* trackStatistics(track, from, to, slices);
		if (track.instants)
			yield* instantStatistics(track, from, to, instants);
	}
	for (const one of slices.all) {
		one.finish();
		yield;
	}
	return {
		slices: slices.all.sort((a, b) => b.total - a.total), counters: counters.filter((one) => one),
		instants: instants.all.sort((a, b) => b.count - a.count),
	};
}

// Statistics of one name on tracks, which have the same tracepoint, in the whole recording.
function* nameStatistics(recording, tracks, number) {
	const found = Object.assign(new NameStatistics(recording.names[number], tracks[0].identity.tracepoint), { number });
	for (const track of tracks)
		for (const row of track.rows)
			yield* eachItem(row, -Infinity, Infinity, (chunk, i, { begin, end, name, marks }) => {
				if (name[i] === number)
					found.add(chunk, i, end[i] - begin[i], end[i] - begin[i], 0, marks[i]);
			});
	found.finish();
	return found;
}
