// SPDX-License-Identifier: GPL-2.0-only
// Chunks: events of one row in a span of time. They are decoded at their first use.
"use strict";

// A digest divides a chunk into BINS, each of which is up to FILLED full; its names have up to NAME_BITS.
const NONE = "-", BINS = 64, FILLED = 255, NAME_BITS = 5, NAME_MASK = 31, LEVEL_WORDS = 5;

// The events of a span of time; `items` are decoded at the first use.
class Chunk {
	constructor(from, to, count, data, args) {
		Object.assign(this, { from, to, count, data, args, items: null });
	}

	// Decodes the events and keeps them.
	read() {
		return this.items ??= this.decode();
	}

	async argsOf(index) {
		if (this.args === NONE)
			return null;
		this.unpacked ??= await unpackJson(this.args);
		return this.unpacked[index] || null;
	}
}

// Two bytes for each bin: how much of it is filled; marks, and the index of a name.
function readDigest(text, size) {
	const bytes = new Bytes(text), names = Array.from({ length: bytes.number() }, () => bytes.number());
	return { size, names, bins: bytes.bytes.subarray(bytes.at) };
}

// Decodes begin, end, name and marks of each slice.
class SliceChunk extends Chunk {
	decode() {
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
		return { begin, end, name, marks };
	}

	// For low zoom: how much of each bin is filled, and the name and marks there; null for few slices.
	digest() {
		if (this.summary === undefined)
			this.summary = this.packedDigest === NONE ? null : readDigest(this.packedDigest, (this.to - this.from) / BINS);
		return this.summary;
	}

	// The digest in `size` bins, LEVEL_WORDS each: how much is filled, the mean colour, the marks. Kept until size or colours change.
	levelOf(size, palette, track) {
		if (this.level?.length !== size * LEVEL_WORDS || this.levelDark !== palette.isDark) {
			this.level = this.joinBins(size, palette, track);
			this.levelDark = palette.isDark;
		}
		return this.level;
	}

	joinBins(size, palette, track) {
		const { bins, names } = this.digest(), level = new Float32Array(size * LEVEL_WORDS), colours = names.map((name) => palette.of(track, name).rgb);
		for (let i = 0, joined = BINS / size; i < size; i++) {
			let sum = 0, red = 0, green = 0, blue = 0, marks = 0;
			for (let k = i * joined; k < (i + 1) * joined; k++) {
				const filled = bins[2 * k], word = bins[2 * k + 1], rgb = colours[word & NAME_MASK] ?? palette.grey;
				sum += filled;
				red += filled * rgb[0];
				green += filled * rgb[1];
				blue += filled * rgb[2];
				marks |= word >> NAME_BITS;
			}
			level.set([sum / joined / FILLED, red / sum, green / sum, blue / sum, marks], i * LEVEL_WORDS);
		}
		return level;
	}
}

// A slice that has not ended. It lasts as long as the recording so far, until `endedIn` is the chunk whose first slice it is.
class OpenChunk extends Chunk {
	constructor(from, name, fields) {
		super(from, from, 1, "", NONE);
		Object.assign(this, { fields, busy: 0, index: new Index(), endedIn: null });
		this.items = { begin: Float64Array.of(from), end: Float64Array.of(from), name: Uint32Array.of(name), marks: Uint8Array.of(INCOMPLETE) };
	}

	digest() {
		return null;
	}

	reach(time) {
		this.to = this.items.end[0] = Math.max(this.from, time);
		this.busy = this.to - this.from;
	}

	async argsOf() {
		return this.fields && [this.fields, 0];
	}
}

class InstantChunk extends Chunk {
	decode() {
		const bytes = new Bytes(this.data), count = this.count;
		const begin = new Float64Array(count), depth = new Uint32Array(count);
		const name = new Uint32Array(count);
		let time = this.from;
		for (let i = 0; i < count; i++) {
			begin[i] = time += bytes.number();
			depth[i] = bytes.number();
			name[i] = bytes.number();
		}
		return { begin, end: begin, depth, name };
	}
}

// The kinds of samples: unsigned, signed, floating.
const SAMPLES_SIGNED = 1, SAMPLES_FLOATING = 2;

class SampleChunk extends Chunk {
	decode() {
		const bytes = new Bytes(this.data), count = this.count, kind = bytes.number();
		const begin = new Float64Array(count), value = new Float64Array(count);
		let time = this.from;
		for (let i = 0; i < count; i++) {
			begin[i] = time += bytes.number();
			value[i] = kind === SAMPLES_FLOATING ? bytes.floating() : SampleChunk.integer(bytes.number(), kind);
		}
		return { begin, end: begin, value };
	}

	static integer(word, kind) {
		return kind !== SAMPLES_SIGNED ? word : word % 2 ? -(word + 1) / 2 : word / 2;
	}

	// One value with all digits.
	exact(index) {
		const bytes = new Bytes(this.data), kind = bytes.number(), isSigned = kind === SAMPLES_SIGNED;
		if (kind === SAMPLES_FLOATING)
			return String(this.read().value[index]);
		for (let i = 0; i < 2 * index + 1; i++)
			bytes.skip();
		const word = bytes.exact();
		return String(!isSigned ? word : word & 1n ? -(word + 1n) / 2n : word / 2n);
	}
}
