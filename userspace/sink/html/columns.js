// SPDX-License-Identifier: GPL-2.0-only
// The columns of pixels of one lane: how much of each one slices fill, and their mean colour.
"use strict";

// The least opacity of a column with a slice, but for a band in its middle, a share of its height: that is opaque, so that it is seen.
const FAINT = 0.3, BAND = 0.4;
// Slices without others beside them are at least so many pixels wide.
const LEAST_WIDTH = 2;
// What counts as filled by a slice without a duration.
const TRACE = 1e-4;

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
			this.canvas.height = 2;
		} else if (this.low <= this.high) {
			this.filled.fill(0, this.low, this.high + 1);
			this.sums.fill(0, 3 * this.low, 3 * this.high + 3);
			this.marks.fill(0, this.low, this.high + 1);
		}
		this.low = size;
		this.high = -1;
	}

	// Adds an area, `share` of which is filled.
	add(from, to, share, red, green, blue, marks) {
		const begin = from > 0 ? from : 0, end = Math.min(to > from + TRACE ? to : from + TRACE, this.size);
		if (begin >= end)
			return;
		const { filled, sums } = this, first = Math.floor(begin), last = Math.min(Math.ceil(end) - 1, this.size - 1);
		for (let at = first; at <= last; at++) {
			const part = ((end < at + 1 ? end : at + 1) - (begin > at ? begin : at)) * share;
			filled[at] += part;
			sums[3 * at] += part * red;
			sums[3 * at + 1] += part * green;
			sums[3 * at + 2] += part * blue;
			this.marks[at] |= marks;
		}
		this.low = Math.min(this.low, first);
		this.high = Math.max(this.high, last);
	}

	// The pixels from the first to the last column that has a slice; a second line has the same ones opaque.
	pixels() {
		const { low, high, filled, sums } = this, size = high - low + 1, image = this.context.createImageData(size, 2), data = image.data;
		for (let at = low, i = 0, band = 4 * size; at <= high; at++, i += 4, band += 4) {
			const part = filled[at];
			if (part <= 0)
				continue;
			for (let k = 0; k < 3; k++)
				data[i + k] = data[band + k] = sums[3 * at + k] / part;
			data[i + 3] = 255 * (FAINT + (1 - FAINT) * Math.min(part, 1));
			data[band + 3] = 255;
		}
		return image;
	}

	// Draws them on a context that is scaled by `ratio`, from a place on.
	draw(context, x, y, height, ratio) {
		if (this.low > this.high)
			return;
		const size = this.high - this.low + 1;
		this.context.putImageData(this.pixels(), this.low, 0);
		context.imageSmoothingEnabled = false;
		context.drawImage(this.canvas, this.low, 0, size, 1, x + this.low / ratio, y, size / ratio, height);
		context.drawImage(this.canvas, this.low, 1, size, 1, x + this.low / ratio, y + height * (1 - BAND) / 2, size / ratio, height * BAND);
	}

	// Draws what is alone on a few columns again, wide enough.
	drawLone(context, x, y, height, ratio) {
		const { filled, sums } = this;
		for (let at = this.low; at <= this.high; at++) {
			const first = at;
			while (at <= this.high && filled[at] > 0)
				at++;
			if (at === first || at - first > LEAST_WIDTH * ratio)
				continue;
			context.fillStyle = `rgb(${[0, 1, 2].map((k) => Math.round(sums[3 * first + k] / filled[first])).join(" ")})`;
			context.fillRect(x + first / ratio, y, Math.max((at - first) / ratio, LEAST_WIDTH), height);
		}
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
