// SPDX-License-Identifier: GPL-2.0-only
// What is drawn of a row from afar: times and coarse sums of its chunks side by side, so that a frame reads little memory.
"use strict";

// Each of so many bins of a chunk has four of its digest.
const FAR_BINS = 16, FAR_WORDS = (FAR_BINS + 2) * SUM_WORDS;

class Far {
	constructor(row, isDark) {
		const most = Math.max(row.chunks.length, 8);
		Object.assign(this, { row, isDark, count: 0, from: new Float64Array(most), to: new Float64Array(most), sums: new Float32Array(most * FAR_WORDS) });
	}

	// Adds the chunks that were added to the row, up to an open slice. Those without a digest have no time.
	update(palette) {
		const { chunks, track } = this.row;
		for (; this.count < chunks.length && !chunks[this.count].isOpen; this.count++) {
			const chunk = chunks[this.count], at = this.count;
			if (at === this.from.length)
				this.grow();
			this.from[at] = this.to[at] = NaN;
			if (!chunk.hasDigest)
				continue;
			this.from[at] = chunk.from;
			this.to[at] = chunk.to;
			chunk.sumBins(palette, track, this.sums, FAR_BINS, at * FAR_WORDS);
		}
	}

	grow() {
		for (const key of ["from", "to", "sums"]) {
			const before = this[key];
			this[key] = new before.constructor(2 * before.length);
			this[key].set(before);
		}
	}
}
