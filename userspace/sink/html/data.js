// SPDX-License-Identifier: GPL-2.0-only
// Reads the data of the page into tracks and chunks. Chunks are decoded at their first use.
"use strict";

// A digest divides a chunk into BINS; slices longer than LONG_BINS are drawn one by one; no slice counts as less than LEAST_NS.
const NO_ARGS = "-", BINS = 64, LONG_BINS = 2, LEAST_NS = 1;

// A cursor in the bytes of a chunk.
class Bytes {
	constructor(text) {
		const raw = atob(text);
		this.bytes = new Uint8Array(raw.length);
		for (let i = 0; i < raw.length; i++)
			this.bytes[i] = raw.charCodeAt(i);
		this.at = 0;
	}

	// A number, rounded beyond 2^53.
	number() {
		let factor = 1, value = 0, byte;
		do {
			byte = this.bytes[this.at++];
			value += (byte & 127) * factor;
			factor *= 128;
		} while (byte > 127);
		return value;
	}

	// A number with all digits.
	exact() {
		let shift = 0n, value = 0n, byte;
		do {
			byte = this.bytes[this.at++];
			value |= BigInt(byte & 127) << shift;
			shift += 7n;
		} while (byte > 127);
		return value;
	}

	skip() {
		while (this.bytes[this.at++] > 127)
			;
	}
}

// Decompresses JSON.
function unpackJson(text) {
	const packed = new Blob([new Bytes(text).bytes]).stream();
	return new Response(packed.pipeThrough(new DecompressionStream("deflate"))).json();
}

// The events of a span of time; `items` are decoded at the first use.
class Chunk {
	constructor(from, to, count, data, args) {
		Object.assign(this, { from, to, count, data, args, items: null });
	}

	async argsOf(index) {
		if (this.args === NO_ARGS)
			return null;
		this.unpacked ??= await unpackJson(this.args);
		return this.unpacked[index] || null;
	}
}

// Decodes begin, end, name and marks of each slice.
class SliceChunk extends Chunk {
	read() {
		if (this.items)
			return this.items;
		const bytes = new Bytes(this.data), count = this.count;
		const begin = new Float64Array(count), end = new Float64Array(count);
		const name = new Uint32Array(count), marks = new Uint8Array(count);
		let time = this.from;
		for (let i = 0; i < count; i++) {
			begin[i] = time += bytes.number();
			end[i] = time += bytes.number();
			const word = bytes.number();
			marks[i] = word % 8;
			name[i] = Math.floor(word / 8);
		}
		return this.items = { begin, end, name, marks };
	}

	// For low zoom: how much of each bin is filled, and the slices that stay visible: long ones and those with marks.
	digest() {
		if (this.summary)
			return this.summary;
		const { begin, end, marks } = this.read(), size = (this.to - this.from) / BINS || 1;
		const bins = new Float64Array(BINS), seen = [];
		for (let i = 0; i < this.count; i++) {
			if (marks[i] || end[i] - begin[i] > LONG_BINS * size)
				seen.push(i);
			for (let at = begin[i]; at <= end[i];) {
				const bin = Math.min(Math.floor((at - this.from) / size), BINS - 1);
				const next = bin < BINS - 1 ? Math.min(end[i], this.from + (bin + 1) * size) : end[i];
				bins[bin] += (next - at || LEAST_NS) / size;
				if (next <= at || next === end[i])
					break;
				at = next;
			}
		}
		return this.summary = { bins, seen, size };
	}
}

class InstantChunk extends Chunk {
	read() {
		if (this.items)
			return this.items;
		const bytes = new Bytes(this.data), count = this.count;
		const begin = new Float64Array(count), depth = new Uint32Array(count);
		const name = new Uint32Array(count);
		let time = this.from;
		for (let i = 0; i < count; i++) {
			begin[i] = time += bytes.number();
			depth[i] = bytes.number();
			name[i] = bytes.number();
		}
		return this.items = { begin, end: begin, depth, name };
	}
}

class SampleChunk extends Chunk {
	read() {
		if (this.items)
			return this.items;
		const bytes = new Bytes(this.data), count = this.count, isSigned = bytes.number() === 1;
		const begin = new Float64Array(count), value = new Float64Array(count);
		let time = this.from;
		for (let i = 0; i < count; i++) {
			begin[i] = time += bytes.number();
			const word = bytes.number();
			value[i] = !isSigned ? word : word % 2 ? -(word + 1) / 2 : word / 2;
		}
		return this.items = { begin, end: begin, value };
	}

	// One value with all digits.
	exact(index) {
		const bytes = new Bytes(this.data), isSigned = bytes.number() === 1;
		for (let i = 0; i < 2 * index + 1; i++)
			bytes.skip();
		const word = bytes.exact();
		return String(!isSigned ? word : word & 1n ? -(word + 1n) / 2n : word / 2n);
	}
}

// The first index whose time is later than `time`.
function firstBeyond(size, time, timeOf) {
	let low = 0, high = size;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (timeOf(middle) > time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

// Chunks of one kind in time order.
class Row {
	constructor(track, kind, depth) {
		Object.assign(this, { track, kind, depth, chunks: [], lowest: null, highest: null, min: 0, max: 0 });
	}

	// `lowest` and `highest` have all digits; `min` and `max` are for drawing.
	widen(low, high) {
		if (this.lowest === null || low < this.lowest)
			this.lowest = low;
		if (this.highest === null || high > this.highest)
			this.highest = high;
		this.min = Number(this.lowest);
		this.max = Number(this.highest);
	}

	append(later) {
		for (const chunk of later.chunks)
			this.chunks.push(chunk);
		if (later.lowest !== null)
			[later.lowest, later.highest].forEach((value) => this.widen(value, value));
	}

	// The first chunk that ends at `time` or later.
	chunkAt(time) {
		return firstBeyond(this.chunks.length, time, (i) => this.chunks[i].to === time ? Infinity : this.chunks[i].to);
	}

	// Calls `call` for each item that overlaps a span, until it returns false.
	visit(from, to, call) {
		for (let i = this.chunkAt(from); i < this.chunks.length && this.chunks[i].from <= to; i++) {
			const items = this.chunks[i].read(), size = this.chunks[i].count;
			let at = firstBeyond(size, from, (j) => items.end[j] === from ? Infinity : items.end[j]);
			for (; at < size && items.begin[at] <= to; at++)
				if (call(this.chunks[i], at, items) === false)
					return;
		}
	}
}

// Slices by depth, instants and samples of one identity. A track that continues under another number, for example after
// its module was loaded again, is one track here.
class Track {
	constructor({ number, label, identity }) {
		Object.assign(this, { number, numbers: [number], label, identity, rows: [], instants: null, samples: null });
	}

	get parts() {
		return [...this.rows, this.instants, this.samples].filter((row) => row);
	}

	get begin() {
		return this.parts.reduce((least, { chunks }) => Math.min(least, chunks[0].from), Infinity);
	}

	get end() {
		return this.parts.reduce((most, { chunks }) => Math.max(most, chunks.at(-1).to), -Infinity);
	}

	rowOf(letter, depth) {
		if (letter === "c")
			return this.rows[depth] ??= new Row(this, "slice", depth);
		if (letter === "i")
			return this.instants ??= new Row(this, "instant", 0);
		return this.samples ??= new Row(this, "sample", 0);
	}

	// Appends a later track. Returns false if they overlap: the chunks of a row are in time order.
	append(later) {
		if (later.begin < this.end)
			return false;
		this.numbers.push(...later.numbers);
		for (const row of later.rows.filter((row) => row))
			this.rowOf("c", row.depth).append(row);
		if (later.instants)
			this.rowOf("i").append(later.instants);
		if (later.samples)
			this.rowOf("v").append(later.samples);
		return true;
	}
}

// `end` is the time of the last record; incomplete slices and losses may last until `limit`.
class Recording {
	constructor(text) {
		Object.assign(this, { about: {}, names: [], tracks: [], points: [], explained: [], losses: [], marks: [], notes: [], limit: 0, totals: null });
		this.byNumber = new Map();
		for (let at = 0, next; at < text.length; at = next + 1) {
			next = text.indexOf("\n", at);
			if (next < 0)
				next = text.length;
			if (next > at)
				this.readLine(text.substring(at, next));
		}
		this.end = this.totals?.last_ns || this.limit;
		this.mergeTracks();
		for (const track of this.tracks)
			track.rows = track.rows.filter((row) => row);
	}

	mergeTracks() {
		const byIdentity = new Map();
		this.tracks = this.tracks.filter((track) => {
			const key = JSON.stringify(track.identity);
			if (byIdentity.get(key)?.append(track))
				return false;
			byIdentity.set(key, track);
			return true;
		});
	}

	readLine(line) {
		const rest = line.substring(2);
		const letter = line[0];
		if (letter === "n")
			this.names.push(JSON.parse(rest));
		else if (letter === "t")
			this.addTrack(JSON.parse(rest));
		else if (letter === "r")
			this.about = JSON.parse(rest);
		else if (letter === "f")
			this.totals = JSON.parse(rest);
		else if (letter === "l")
			this.addLoss(rest);
		else if (letter === "w")
			this.notes.push(JSON.parse(rest));
		else if (letter === "m")
			this.addMark(rest);
		else if (letter === "p")
			this.addPoints(...rest.split(" "));
		else if (letter === "x")
			this.addExplained(...rest.split(" "));
		else
			this.addChunk(letter, rest.split(" "));
		if (letter === "f")
			this.limit = Math.max(this.limit, this.totals.end_ns);
	}

	addTrack(about) {
		const track = new Track(about);
		this.tracks.push(track);
		this.byNumber.set(about.number, track);
	}

	addLoss(rest) {
		const [, cpu, from, to, text] = /^(\S+) (\S+) (\S+) (.*)$/.exec(rest);
		this.losses.push({ cpu: +cpu, from: +from, to: +to, text: JSON.parse(text) });
		this.limit = Math.max(this.limit, +to);
	}

	addMark(rest) {
		const [, time, text] = /^(\S+) (.*)$/.exec(rest);
		this.marks.push({ time: +time, text: JSON.parse(text) });
		this.limit = Math.max(this.limit, +time);
	}

	addPoints(from, count, data) {
		this.points.push(new PointChunk(+from, +count, data));
	}

	addExplained(from, to, data) {
		this.explained.push(new Explained(+from, +to, data));
	}

	addChunk(letter, words) {
		const number = +words.shift(), track = this.byNumber.get(number);
		const depth = letter === "c" ? +words.shift() : 0;
		const [from, to, count] = words.splice(0, 3).map(Number);
		const args = words.pop(), data = words.pop();
		const kinds = { c: SliceChunk, i: InstantChunk, v: SampleChunk };
		const chunk = new kinds[letter](from, to, count, data, args);
		const row = track.rowOf(letter, depth);
		chunk.number = number;
		if (letter === "c")
			chunk.busy = +words[0];
		if (letter === "i")
			chunk.depth = +words[0];
		if (letter === "v") {
			[chunk.min, chunk.max] = words.map(Number);
			row.widen(...words.map(BigInt));
		}
		row.chunks.push(chunk);
		this.limit = Math.max(this.limit, to);
	}
}
