// SPDX-License-Identifier: GPL-2.0-only
// Draws counters: from the lowest to the highest value on each column of pixels.
"use strict";

// Lines of a counter's axis are at least so many pixels apart.
const AXIS_DISTANCE = 13;

// A value with its unit, or with the prefix of its thousands if it has none.
function showValue(value, unit = "") {
	const [factor, prefix] = unit && unit !== "/s" ? [1, ""] : [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]].find(([least]) => Math.abs(value) >= 10 * least) ?? [1, ""];
	const text = DIGITS.format(value / factor);
	return prefix || unit ? `${text}\u202f${prefix}${unit}` : text;
}

// The unit of a counter, which rules append to its name.
function unitOf({ identity }) {
	return /\(([^()]+)\)$/.exec(identity.name ?? "")?.[1] ?? "";
}

// The lowest and the highest value on each column of pixels; those beyond two limits are at these.
class Levels {
	constructor(picture, [lowest, highest]) {
		const size = picture.nrColumns;
		Object.assign(this, { from: picture.span.from, factor: picture.scale * picture.ratio, lowest, highest, low: new Float64Array(size).fill(Infinity), high: new Float64Array(size).fill(-Infinity) });
	}

	// Adds the values of a time, unless they are no numbers.
	add(from, to, least, most) {
		if (!isNaN(least))
			this.addColumns((from - this.from) * this.factor, (to - this.from) * this.factor, least, most);
	}

	// What ends before the first column is on none.
	addColumns(from, to, least, most) {
		if (to <= 0 && from < 0)
			return;
		const { low, high } = this, first = Math.max(Math.floor(from), 0), last = Math.min(Math.max(Math.ceil(to) - 1, first), low.length - 1);
		const lower = Math.max(least, this.lowest), upper = Math.min(most, this.highest);
		for (let at = first; at <= last; at++) {
			low[at] = lower < low[at] ? lower : low[at];
			high[at] = upper > high[at] ? upper : high[at];
		}
	}

	addBins(chunk, { low, high }) {
		const begin = (chunk.from - this.from) * this.factor, step = (chunk.to - chunk.from) * this.factor / BINS;
		for (let i = Math.max(Math.floor(-begin / step), 0); i < BINS;) {
			const from = begin + i * step, next = Math.floor(from) + 1;
			let least = low[i], most = high[i];
			// Those on the same column together.
			for (i++; i < BINS && begin + (i + 1) * step <= next; i++) {
				least = low[i] < least ? low[i] : least;
				most = high[i] > most ? high[i] : most;
			}
			if (least <= most)
				this.addColumns(from, begin + i * step, least, most);
		}
	}
}

// Numbers for people.
const DIGITS = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });

class Counters extends Lanes {
	drawSamples(row, top) {
		const { track } = row, levels = new Levels(this, track.isRate ? [-Infinity, Infinity] : [row.min, row.max]), { low, high } = levels;
		if (track.isRate)
			this.addRates(row, levels);
		else
			this.addSegments(row, levels);
		track.scale = this.scaleOf(row, low, high);
		this.drawLevels(track, low, high, top);
		this.drawScale(track, top);
	}

	// The lowest and the highest value of the axis: of all samples, or of the rates that are visible; zero is among them.
	scaleOf(row, low, high) {
		if (!row.track.isRate)
			return { least: Math.min(row.min, 0), most: Math.max(row.max, 0) || (row.min < 0 ? 0 : 1), unit: unitOf(row.track) };
		const least = low.reduce((a, b) => Math.min(a, b), 0), most = high.reduce((a, b) => Math.max(a, b), 0), unit = unitOf(row.track);
		return { least, most: Math.max(most, least + 1e-9), unit: `${unit}/s` };
	}

	yOf({ least, most }, value, top) {
		return top + COUNTER - 2 - (value - least) / (most - least) * (COUNTER - 4);
	}

	// Lines and values of the axis.
	drawScale(track, top) {
		const { scale } = track, step = (scale.most - scale.least) * AXIS_DISTANCE / COUNTER, size = 10 ** Math.floor(Math.log10(step)), least = track.isRate ? 0 : 1;
		const nice = Math.max([1, 2, 5, 10].map((n) => n * size).find((one) => one >= step), least);
		for (let i = 0, n = Math.ceil(scale.least / nice); n * nice <= scale.most && i < COUNTER; i++, n++) {
			const y = this.yOf(scale, n * nice, top), text = showValue(n * nice, scale.unit);
			this.context.globalAlpha = 0.6;
			this.context.fillStyle = this.line;
			this.context.fillRect(GUTTER, Math.round(y), this.width - GUTTER, 1);
			this.context.fillStyle = this.paper;
			this.context.fillRect(GUTTER, y - 5, this.widthOf(text) + 6, 10);
			this.context.globalAlpha = 1;
			this.drawText(text, GUTTER + 3, y, 160);
		}
	}

	// The change in a second between samples; chunks that a frame has no time for follow later.
	addRates(row, levels) {
		let before = this.sampleBefore(row);
		this.eachChunk(row, (chunk) => {
			if (this.isLate(chunk))
				return;
			const { begin, value } = this.read(chunk);
			for (let i = 0; i < chunk.count; i++) {
				const rate = before && begin[i] > before.time ? (value[i] - before.value) / (begin[i] - before.time) * 1e9 : null;
				if (rate !== null && isFinite(rate))
					levels.add(before.time, begin[i], rate, rate);
				if (begin[i] > this.span.to)
					return;
				before = { time: begin[i], value: value[i] };
			}
		});
	}

	// Adds the times between samples; there is none before the first sample.
	addSegments(row, levels) {
		const { from, to } = this.span, before = this.sampleBefore(row);
		let time = before?.time ?? from, value = before?.value ?? NaN;
		this.eachChunk(row, (chunk, width, next) => {
			const isNarrow = width < DECODED_WIDTH, bins = isNarrow && width * this.ratio >= COUNTED_COLUMNS ? this.binsOf(chunk) : null;
			if (isNarrow || this.isLate(chunk)) {
				levels.add(time, chunk.from, value, value);
				if (bins)
					levels.addBins(chunk, bins);
				else
					levels.add(chunk.from, chunk.to, chunk.min, chunk.max);
				time = chunk.to;
				value = bins ? bins.last : this.lastOf(chunk, next);
				return;
			}
			const items = this.read(chunk);
			for (let i = 0; i < chunk.count && items.begin[i] <= to; i++) {
				if (items.begin[i] > from)
					levels.add(time, items.begin[i], value, value);
				time = items.begin[i];
				value = items.value[i];
			}
		});
		levels.add(time, Math.min(this.recording.limit, to), value, value);
	}

	// Equal columns side by side are one area: solid up to the lowest value, light from there to the highest.
	drawLevels(track, low, high, top) {
		const size = low.length, { scale } = track, yOf = (value) => this.yOf(scale, value, top), base = yOf(0);
		this.context.fillStyle = `hsl(${hueOf(track.label)} 50% ${this.palette.isDark ? 45 : 60}%)`;
		for (let at = 0; at < size;) {
			const first = at;
			while (at < size && low[at] === low[first] && high[at] === high[first])
				at++;
			if (high[first] >= low[first])
				this.drawLevel(GUTTER + first / this.ratio, (at - first) / this.ratio, yOf(low[first]), yOf(high[first]), base);
		}
	}

	drawLevel(x, width, low, high, base) {
		const top = Math.min(low, base), bottom = Math.max(low, base);
		this.context.fillRect(x, top, width, Math.max(bottom - top, 1));
		if (low - high < 0.5)
			return;
		this.context.globalAlpha = 0.5;
		this.context.fillRect(x, high, width, Math.max(low - high, 0));
		this.context.globalAlpha = 1;
	}

	// The counter's value after a chunk that is drawn as a whole; its highest value if that is not visible.
	lastOf(chunk, next) {
		if (((next?.from ?? this.recording.limit) - chunk.to) * this.scale < 1)
			return chunk.max;
		return this.isLate(chunk) ? chunk.max : this.read(chunk).value[chunk.count - 1];
	}

	// The last sample before the visible span.
	sampleBefore(row) {
		const chunk = row.chunks[row.chunkAt(this.span.from) - 1];
		if (!chunk)
			return null;
		const items = this.read(chunk), last = chunk.count - 1;
		return { time: items.begin[last], value: items.value[last] };
	}
}
