// SPDX-License-Identifier: GPL-2.0-only
// The columns of pixels of one lane: how much of each one slices fill, and their mean colour.
"use strict";

// The least opacity of a column with a slice, but for a band in its middle, a share of its height: that is opaque, so that it is seen.
const FAINT = 0.3, BAND = 0.4;
// Slices without others beside them are at least so many pixels wide.
const LEAST_WIDTH = 2;
// What counts as filled by a slice without a duration, and what is not more than a rounded difference of sums.
const TRACE = 1e-4, ROUNDED = 1e-9;
// The lines of the canvas: as full as the columns are, opaque, and what is alone, opaque and wide enough.
const LINES = 3;

// The byte of a colour whose sum is that of a part.
function byteOf(sum, part) {
	return Math.min(sum / part + 0.5, 255) | 0;
}

class Columns {
	constructor() {
		this.size = 0;
		this.canvas = document.createElement("canvas");
		this.context = this.canvas.getContext("2d");
	}

	// Begins a lane of so many columns.
	begin(size) {
		if (size !== this.size) {
			this.size = size;
			this.filled = new Float32Array(size);
			this.sums = new Float32Array(3 * size);
			this.marks = new Uint8Array(size);
			this.canvas.width = Math.max(size, 1);
			this.canvas.height = LINES;
			this.image = this.context.createImageData(this.canvas.width, LINES);
			this.pixels = new Uint32Array(this.image.data.buffer);
		} else if (this.low <= this.high) {
			this.filled.fill(0, this.low, this.high + 1);
			this.sums.fill(0, 3 * this.low, 3 * this.high + 3);
			this.marks.fill(0, this.low, this.high + 1);
		}
		this.low = size;
		this.high = -1;
	}

	// Adds an area, `share` of which is filled. Colours are red, green and blue in three bytes.
	add(from, to, share, rgb, marks) {
		const begin = from > 0 ? from : 0, end = Math.min(to > from + TRACE ? to : from + TRACE, this.size);
		if (begin >= end)
			return;
		const { filled, sums } = this, first = Math.floor(begin), last = Math.min(Math.ceil(end) - 1, this.size - 1);
		for (let at = first; at <= last; at++) {
			const part = ((end < at + 1 ? end : at + 1) - (begin > at ? begin : at)) * share;
			filled[at] += part;
			sums[3 * at] += part * (rgb >> 16 & 255);
			sums[3 * at + 1] += part * (rgb >> 8 & 255);
			sums[3 * at + 2] += part * (rgb & 255);
			this.marks[at] |= marks;
		}
		this.low = first < this.low ? first : this.low;
		this.high = last > this.high ? last : this.high;
	}

	// Adds bins that are `width` columns together, with their sums from an index on. Each column has the difference of the sums at its
	// edges, thus its work does not depend on how many slices are on it. Before the first bin all sums are zero.
	addSums(from, width, bins, nrBins, begin = 0) {
		const { filled, sums, marks, size } = this, perColumn = nrBins / width, unit = width / nrBins, first = from > 0 ? Math.floor(from) : 0, last = Math.min(Math.ceil(from + width), size) - 1, isMarked = bins[begin + nrBins * SUM_WORDS + 4] > 0;
		let before = 0, red = 0, green = 0, blue = 0, suspect = 0;
		if (last < first)
			return;
		for (let at = from < 0 ? -1 : first; at <= last; at++) {
			const end = (at + 1 - from) * perColumn, place = end < nrBins ? end : nrBins, bin = place | 0, part = place - bin, k = begin + bin * SUM_WORDS;
			const whole = bins[k] + part * (bins[k + 5] - bins[k]), reds = bins[k + 1] + part * (bins[k + 6] - bins[k + 1]), greens = bins[k + 2] + part * (bins[k + 7] - bins[k + 2]);
			const blues = bins[k + 3] + part * (bins[k + 8] - bins[k + 3]), suspects = isMarked ? bins[k + 4] + part * (bins[k + 9] - bins[k + 4]) : 0;
			if (at >= first && whole - before > ROUNDED) {
				filled[at] += (whole - before) * unit;
				sums[3 * at] += (reds - red) * unit;
				sums[3 * at + 1] += (greens - green) * unit;
				sums[3 * at + 2] += (blues - blue) * unit;
				marks[at] |= suspects > suspect ? SUSPECT : 0;
			}
			before = whole;
			red = reds;
			green = greens;
			blue = blues;
			suspect = suspects;
		}
		this.low = first < this.low ? first : this.low;
		this.high = last > this.high ? last : this.high;
	}

	// Makes the pixels of LINES from the first to the last column that has a slice. What is alone is on a few columns.
	colour(ratio) {
		const { low, high, filled, sums, pixels } = this, { width } = this.canvas, least = Math.round(LEAST_WIDTH * ratio);
		for (let line = 0; line < LINES; line++)
			pixels.fill(0, line * width + low, line * width + high + 1);
		this.hasFaint = this.hasLone = false;
		for (let at = low, first = low; at <= high; at++) {
			const part = filled[at];
			if (part <= 0) {
				first = at + 1;
				continue;
			}
			// In the order of the bytes red, green, blue, opacity.
			const colour = byteOf(sums[3 * at + 2], part) << 16 | byteOf(sums[3 * at + 1], part) << 8 | byteOf(sums[3 * at], part);
			pixels[at] = colour | 255 * (FAINT + (1 - FAINT) * Math.min(part, 1)) << 24;
			pixels[width + at] = colour | 255 << 24;
			this.hasFaint ||= part < 1;
			if (at - first < least && !(filled[at + 1] > 0)) {
				this.hasLone = true;
				pixels.fill(pixels[width + first], 2 * width + first, 2 * width + Math.min(first + least, high + 1));
			}
		}
	}

	// Draws them on a context that is scaled by `ratio`, from a place on.
	draw(context, x, y, height, ratio) {
		if (this.low > this.high)
			return;
		this.high = Math.min(this.high + Math.round(LEAST_WIDTH * ratio) - 1, this.size - 1);
		this.colour(ratio);
		this.context.putImageData(this.image, 0, 0, this.low, 0, this.high - this.low + 1, LINES);
		this.drawLine(context, 0, x, y, height, ratio);
		if (this.hasFaint)
			this.drawLine(context, 1, x, y + height * (1 - BAND) / 2, height * BAND, ratio);
	}

	drawLine(context, line, x, y, height, ratio) {
		const { low } = this, size = this.high - low + 1;
		context.imageSmoothingEnabled = false;
		context.drawImage(this.canvas, low, line, size, 1, x + low / ratio, y, size / ratio, height);
	}

	// Draws what is alone again, after draw() has.
	drawLone(context, x, y, height, ratio) {
		if (this.low <= this.high && this.hasLone)
			this.drawLine(context, 2, x, y, height, ratio);
	}

	// Calls call(first, count) for each run of columns with a mark.
	eachMarked(mark, call) {
		for (let at = this.low; at <= this.high; at++) {
			const first = at;
			while (at <= this.high && this.marks[at] & mark)
				at++;
			if (at > first)
				call(first, at - first);
		}
	}
}
