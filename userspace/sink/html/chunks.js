// SPDX-License-Identifier: GPL-2.0-only
// Chunks: events of one row in a span of time. They are decoded at their first use.
"use strict";

// A digest divides a chunk into BINS, each of which is up to FILLED full; its names have up to NAME_BITS.
const NONE = "-", BINS = 64, FILLED = 255, NAME_BITS = 5, NAME_MASK = 31;
// Bins of a chunk that was read; a slice that is shorter than a bin of the digest has a share of at least TRACE_PART in one.
const FINE_BINS = 512, TRACE_PART = 1 / 255;
// Sums of bins have so many words: how much is filled, red, green and blue of that, and how many bins are suspect.
const SUM_WORDS = 5;

// The events of a span of time; `items` are decoded at the first use.
class Chunk {
	// How large is what was read of each chunk, that of the longest ago first. So many bytes of it are kept.
	static KEPT_MOST = 8e7;
	static kept = { sizes: new Map(), size: 0 };

	constructor(from, to, count, data, args) {
		Object.assign(this, { from, to, count, data, args, items: null });
	}

	// Decodes the events and keeps them.
	read() {
		if (!this.items) {
			this.items = this.decode();
			this.keep();
		}
		return this.items;
	}

	// The events, without keeping them.
	scan() {
		return this.items ?? this.decode();
	}

	// How many bytes take the arrays of what was read.
	size() {
		const { items, fine, sums, bins } = this, arrays = [...Object.values(items ?? {}), fine?.sums, sums, ...(bins?.low ? [bins.low, bins.high] : [bins])];
		return arrays.reduce((sum, array) => sum + (array?.byteLength ?? 0), 0);
	}

	// Counts what this chunk has, and forgets all of those that were read first if that is too much.
	keep() {
		const { kept } = Chunk, { sizes } = kept, size = this.size();
		kept.size += size - (sizes.get(this) ?? 0);
		sizes.delete(this);
		sizes.set(this, size);
		for (const [first, size] of sizes) {
			if (kept.size <= Chunk.KEPT_MOST || first === this)
				break;
			sizes.delete(first);
			kept.size -= size;
			first.items = first.fine = first.sums = first.bins = null;
		}
	}

	async argsOf(index) {
		if (this.args === NONE)
			return null;
		this.unpacked ??= await unpackJson(this.args);
		return this.unpacked[index] || null;
	}
}

// Begin, end, name and marks of slices.
class SliceItems {
	constructor(count) {
		Object.assign(this, { begin: new Float64Array(count), end: new Float64Array(count), name: new Uint32Array(count), marks: new Uint8Array(count) });
	}
}

// What SliceChunk.scan() fills.
let SCANNED = new SliceItems(512);

class SliceChunk extends Chunk {
	decode(items = new SliceItems(this.count)) {
		const { count } = this, { begin, end, name, marks } = items, numbers = new Bytes(this.data).numbers(3 * count);
		let time = this.from;
		for (let i = 0, k = 0; i < count; i++, k += 3) {
			begin[i] = time += numbers[k];
			end[i] = time += numbers[k + 1];
			const word = numbers[k + 2];
			marks[i] = word % 8;
			name[i] = Math.floor(word / 8);
		}
		return items;
	}

	// The slices, without keeping them: the next call for another chunk may fill the same arrays.
	scan() {
		if (SCANNED.begin.length < this.count)
			SCANNED = new SliceItems(this.count);
		return this.items ?? this.decode(SCANNED);
	}

	get hasDigest() {
		return this.packedDigest !== NONE;
	}

	// For low zoom: two bytes for each bin: how much of it is filled; marks, and the index of a name. They are valid until something
	// else is read. Null for few slices.
	digest() {
		if (!this.hasDigest)
			return null;
		const bytes = new Bytes(this.packedDigest), names = Array.from({ length: bytes.number() }, () => bytes.number());
		return { size: (this.to - this.from) / BINS, names, bins: bytes.bytes.subarray(bytes.at, bytes.at + 2 * BINS) };
	}

	// Sums of the digest before each bin, and twice behind the last one. Kept until the colours change.
	sumsOf(palette, track) {
		if (!this.sums || this.sumsDark !== palette.isDark) {
			this.sums = this.sumBins(palette, track, new Float32Array((BINS + 2) * SUM_WORDS));
			this.sumsDark = palette.isDark;
			this.keep();
		}
		return this.sums;
	}

	// Fills sums from an index on, of so many bins, each of which has one or some of the digest.
	sumBins(palette, track, sums, size = BINS, at = 0) {
		const bytes = new Bytes(this.packedDigest), table = palette.tableOf(track), colours = new Array(NAME_MASK + 1).fill(palette.greyBytes), share = size / BINS / FILLED, some = BINS / size, nrNames = bytes.number();
		for (let i = 0; i < nrNames; i++) {
			const name = bytes.number();
			colours[i] = table[name] || palette.bytesOf(track, name, table);
		}
		const bins = bytes.bytes;
		let filled = 0, red = 0, green = 0, blue = 0, suspect = 0;
		for (let i = 0, k = bytes.at; i < BINS; i++, k += 2) {
			const part = bins[k] * share, word = bins[k + 1], rgb = colours[word & NAME_MASK];
			filled += part;
			red += part * (rgb >> 16 & 255);
			green += part * (rgb >> 8 & 255);
			blue += part * (rgb & 255);
			suspect += word >> NAME_BITS & SUSPECT;
			if ((i + 1) % some > 0)
				continue;
			at += SUM_WORDS;
			sums[at] = filled;
			sums[at + 1] = red;
			sums[at + 2] = green;
			sums[at + 3] = blue;
			sums[at + 4] = suspect;
		}
		sums.copyWithin(at + SUM_WORDS, at, at + SUM_WORDS);
		return sums;
	}

	// The same of FINE_BINS without long slices, whose indexes are apart: these may be wide where the others are columns.
	refine(palette, track) {
		if (this.fine?.isDark === palette.isDark)
			return this.fine;
		const { begin, end, name, marks } = this.scan(), { from, to } = this, sums = new Float32Array((FINE_BINS + 2) * SUM_WORDS), factor = FINE_BINS / (to - from), least = (to - from) / BINS, long = [], colours = palette.tableOf(track);
		for (let i = 0; i < this.count; i++) {
			if (end[i] - begin[i] >= least) {
				long.push(i);
				continue;
			}
			const rgb = colours[name[i]] || palette.bytesOf(track, name[i], colours), suspect = marks[i] & SUSPECT;
			let at = Math.min((begin[i] - from) * factor, FINE_BINS - TRACE_PART);
			for (const last = Math.max((end[i] - from) * factor, at + TRACE_PART); at < last;) {
				const bin = Math.floor(at), part = Math.min(bin + 1, last) - at, k = (bin + 1) * SUM_WORDS;
				sums[k] += part;
				sums[k + 1] += part * (rgb >> 16 & 255);
				sums[k + 2] += part * (rgb >> 8 & 255);
				sums[k + 3] += part * (rgb & 255);
				sums[k + 4] += suspect;
				at = bin + 1;
			}
		}
		for (let k = SUM_WORDS; k < sums.length; k++)
			sums[k] += sums[k - SUM_WORDS];
		this.fine = { sums, long, isDark: palette.isDark };
		this.keep();
		return this.fine;
	}
}

// A slice that has not ended. It lasts as long as the recording so far, until `endedIn` is the chunk whose first slice it is.
class OpenChunk extends Chunk {
	constructor(from, name, fields) {
		super(from, from, 1, "", NONE);
		Object.assign(this, { fields, busy: 0, index: new Index(), endedIn: null });
		this.items = { begin: Float64Array.of(from), end: Float64Array.of(from), name: Uint32Array.of(name), marks: Uint8Array.of(INCOMPLETE) };
	}

	get isOpen() {
		return true;
	}

	get hasDigest() {
		return false;
	}

	digest() {
		return null;
	}

	scan() {
		return this.items;
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
		const { count } = this, numbers = new Bytes(this.data).numbers(3 * count);
		const begin = new Float64Array(count), depth = new Uint32Array(count);
		const name = new Uint32Array(count);
		let time = this.from;
		for (let i = 0, k = 0; i < count; i++, k += 3) {
			begin[i] = time += numbers[k];
			depth[i] = numbers[k + 1];
			name[i] = numbers[k + 2];
		}
		return { begin, end: begin, depth, name };
	}

	// For low zoom: bin, depth and number of instants, by time.
	summarize() {
		const { begin, depth } = this.items ?? this.decode(), factor = BINS / Math.max(this.to - this.from, 1), all = [];
		for (let i = 0; i < this.count;) {
			const bin = Math.min(Math.floor((begin[i] - this.from) * factor), BINS - 1), first = i, end = bin < BINS - 1 ? this.from + (bin + 1) / factor : Infinity;
			while (i < this.count && depth[i] === depth[first] && begin[i] < end)
				i++;
			// A rounded time may be that of the next bin.
			i = Math.max(i, first + 1);
			all.push(bin, depth[first], i - first);
		}
		return Uint32Array.from(all);
	}
}

// The kinds of samples: unsigned, signed, floating.
const SAMPLES_SIGNED = 1, SAMPLES_FLOATING = 2;

class SampleChunk extends Chunk {
	decode() {
		const bytes = new Bytes(this.data), count = this.count, kind = bytes.number();
		const begin = new Float64Array(count), value = new Float64Array(count);
		const numbers = kind !== SAMPLES_FLOATING && bytes.numbers(2 * count);
		let time = this.from;
		for (let i = 0; i < count; i++) {
			begin[i] = time += numbers ? numbers[2 * i] : bytes.number();
			value[i] = numbers ? SampleChunk.integer(numbers[2 * i + 1], kind) : bytes.floating();
		}
		return { begin, end: begin, value };
	}

	// For low zoom: the least and the largest value in each bin; a value lasts until the next one.
	summarize() {
		const { begin, value } = this.items ?? this.decode(), low = new Float64Array(BINS).fill(Infinity), high = new Float64Array(BINS).fill(-Infinity), factor = BINS / Math.max(this.to - this.from, 1);
		for (let i = 0; i < this.count; i++) {
			const one = value[i], last = i + 1 < this.count ? Math.min(Math.ceil((begin[i + 1] - this.from) * factor), BINS) - 1 : BINS - 1;
			let bin = Math.min(Math.floor((begin[i] - this.from) * factor), BINS - 1);
			do {
				low[bin] = one < low[bin] ? one : low[bin];
				high[bin] = one > high[bin] ? one : high[bin];
			} while (++bin <= last);
		}
		return { low, high, last: value[this.count - 1] };
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
