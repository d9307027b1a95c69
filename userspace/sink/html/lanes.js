// SPDX-License-Identifier: GPL-2.0-only
// Draws the lanes of a track: narrow chunks by their digest, others item by item.
"use strict";

let GUTTER = 260;
const GUTTER_MOST = 260, LANE = 17, COUNTER = 44, TRACK_GAP = 7;
const LABEL_WIDTH_MIN = 30;
// Chunks below this width are drawn by their digest, or what is known of their bins: at least four of them are on a pixel of CSS.
// Slices below WIDE are drawn as columns.
const FAR_WIDTH = FAR_BINS / 4, DECODED_WIDTH = BINS / 4, FINE_WIDTH = FINE_BINS / 4, WIDE = LEAST_WIDTH;
// Instants and samples of a chunk on so many columns or fewer are drawn by their number or range, and not read.
const COUNTED_COLUMNS = 2;
// A frame decodes new chunks for so long, or half as long as the last frame took; it draws the rest by what is known, and
// another frame follows.
const READING_MS = 6, READING_MOST_MS = 100;
// Instants closer than this many pixels are drawn as ticks between the lanes; CROWDED of them on a pixel are opaque.
const CROWD = 9, CROWDED = 8;

class Lanes {
	// Whether a chunk is not decoded, nor what is needed of it known, and this frame has no time left for it.
	isLate(chunk, isKnown = false) {
		const isLate = !chunk.items && !isKnown && this.reading_ms > Math.min(Math.max(READING_MS, (this.frame_ms ?? 0) / 2), READING_MOST_MS);
		this.isRough ||= isLate;
		return isLate;
	}

	// The first new chunk of a frame is always read, so that drawing ends.
	read(chunk) {
		if (chunk.items)
			return chunk.items;
		const begun = performance.now(), items = chunk.read();
		this.reading_ms += performance.now() - begun;
		return items;
	}

	// What instants and samples of a chunk are in its bins; null if this frame has no time left to find out.
	binsOf(chunk) {
		if (!chunk.bins && !this.isLate(chunk)) {
			const begun = performance.now();
			chunk.bins = chunk.summarize();
			chunk.keep();
			this.reading_ms += performance.now() - begun;
		}
		return chunk.bins ?? null;
	}

	// Calls call(chunk, width, next) for visible chunks.
	eachChunk(row, call) {
		for (let i = row.chunkAt(this.span.from); i < row.chunks.length && row.chunks[i].from <= this.span.to; i++)
			call(row.chunks[i], (row.chunks[i].to - row.chunks[i].from) * this.scale, row.chunks[i + 1]);
	}

	// The number of columns right of the gutter.
	get nrColumns() {
		return Math.max(Math.ceil((this.width - GUTTER) * this.ratio), 1);
	}

	columnOf(time) {
		return (time - this.span.from) * this.scale * this.ratio;
	}

	drawSlices(row, top) {
		this.drawRows([row], top);
	}

	// Rows in one lane, which are of tracks that follow each other.
	drawRows(rows, top) {
		const columns = this.columns ??= new Columns(), wide = [];
		columns.begin(this.nrColumns);
		for (const row of rows)
			this.addRow(columns, row, wide);
		columns.draw(this.context, GUTTER, top + 1, LANE - 2, this.ratio);
		this.drawSuspect(columns, top);
		for (const [track, chunk, i] of wide)
			this.drawSlice(track, chunk, i, top);
		columns.drawLone(this.context, GUTTER, top + 1, LANE - 2, this.ratio);
		if (this.selected && rows.includes(this.selected.row))
			this.drawSlice(this.selected.track, this.selected.chunk, this.selected.index, top);
	}

	// From afar a chunk is not looked at, but what is kept of it beside those of others.
	addRow(columns, row, wide) {
		const { palette, scale, ratio, span } = this, { chunks, track } = row, far = row.far?.isDark === palette.isDark ? row.far : row.far = new Far(row, palette.isDark), factor = scale * ratio;
		far.update(palette);
		for (let i = row.chunkAt(span.from); i < chunks.length; i++) {
			const isKnown = i < far.count, from = far.from[i], width = isKnown ? (far.to[i] - from) * scale : NaN;
			if (width < FAR_WIDTH && from <= span.to)
				columns.addSums((from - span.from) * factor, width * ratio, far.sums, FAR_BINS, i * FAR_WORDS);
			else if (chunks[i].from > span.to)
				break;
			else
				this.addChunk(columns, track, chunks[i], (chunks[i].to - chunks[i].from) * scale, wide);
		}
	}

	addChunk(columns, track, chunk, width, wide) {
		const isFine = chunk.hasDigest && width < FINE_WIDTH, isFar = chunk.hasDigest && width < DECODED_WIDTH, isLate = !isFar && this.isLate(chunk, isFine && chunk.fine?.isDark === this.palette.isDark);
		if (isFar || (isLate && chunk.hasDigest))
			this.addDigest(columns, track, chunk, width);
		else if (isLate)
			columns.add(this.columnOf(chunk.from), this.columnOf(chunk.to), chunk.busy / Math.max(chunk.to - chunk.from, 1), this.palette.greyBytes, 0);
		else if (isFine)
			this.addFine(columns, track, chunk, width, wide);
		else
			this.addItems(columns, track, chunk, wide);
	}

	addDigest(columns, track, chunk, width) {
		columns.addSums(this.columnOf(chunk.from), width * this.ratio, chunk.sumsOf(this.palette, track), BINS);
	}

	addFine(columns, track, chunk, width, wide) {
		const begun = performance.now(), { sums, long } = chunk.refine(this.palette, track);
		this.reading_ms += performance.now() - begun;
		columns.addSums(this.columnOf(chunk.from), width * this.ratio, sums, FINE_BINS);
		if (long.length > 0)
			this.addItems(columns, track, chunk, wide, long);
	}

	// Adds all slices, or some.
	addItems(columns, track, chunk, wide, some = null) {
		const { begin, end, name, marks } = this.read(chunk), { from, to } = this.span, factor = this.scale * this.ratio, least = WIDE / this.scale, size = some?.length ?? chunk.count, colours = this.palette.tableOf(track);
		for (let k = some ? 0 : firstBeyond(size, from, (j) => end[j] === from ? Infinity : end[j]); k < size; k++) {
			const i = some ? some[k] : k;
			if (begin[i] > to)
				break;
			if (end[i] - begin[i] >= least)
				wide.push([track, chunk, i]);
			else
				columns.add((begin[i] - from) * factor, (end[i] - from) * factor, 1, colours[name[i]] || this.palette.bytesOf(track, name[i], colours), marks[i]);
		}
	}

	// Slices that lost records may have changed have a red edge, which narrow ones share.
	drawSuspect(columns, top) {
		this.context.fillStyle = this.bad;
		columns.eachMarked(1, (first, count) => {
			const x = GUTTER + first / this.ratio, width = count / this.ratio;
			this.context.fillRect(x, top + 1, width, 2);
			this.context.fillRect(x, top + LANE - 3, width, 2);
		});
	}

	drawSlice(track, chunk, index, top) {
		const items = this.read(chunk), marks = items.marks[index];
		const from = Math.max(this.xOf(items.begin[index]), GUTTER - 1), to = Math.min(this.xOf(items.end[index]), this.width + 1);
		const width = Math.max(to - from, 1);
		if (to < GUTTER || from > this.width)
			return;
		const { css, ink } = this.palette.of(track, items.name[index]), name = width > LABEL_WIDTH_MIN ? this.recording.names[items.name[index]] : "";
		this.context.fillStyle = css;
		this.context.fillRect(from, top + 1, width, LANE - 2);
		// Not below the name, which would be hard to read.
		const named = name ? Math.min(this.widthOf(name) + 6, width) : 0;
		if (marks & 2)
			this.drawStripes(from + named, top + 1, width - named, LANE - 2);
		this.drawEdges(marks, this.selected?.chunk === chunk && this.selected.index === index, from, top, width);
		if (name)
			this.drawText(name, from + 4, top + LANE / 2 + 1, width - 6, ink);
	}

	drawEdges(marks, isSelected, from, top, width) {
		if (isSelected)
			this.drawEdge(from, top + 1, width, LANE - 2, this.ink);
		if (marks & 1 && isSelected)
			this.drawEdge(from + 2, top + 3, width - 4, LANE - 6, this.bad);
		else if (marks & 1)
			this.drawEdge(from, top + 1, width, LANE - 2, this.bad);
	}

	drawEdge(x, y, width, height, colour) {
		this.context.strokeStyle = colour;
		this.context.lineWidth = 2;
		this.context.strokeRect(x + 1, y + 1, Math.max(width - 2, 0.5), height - 2);
	}

	drawStripes(x, y, width, height) {
		this.context.fillStyle = this.paper;
		this.context.globalAlpha = 0.55;
		for (let at = x + 4; at < x + width; at += 8)
			this.context.fillRect(at, y, Math.min(3, x + width - at), height);
		this.context.globalAlpha = 1;
	}

	// A text, cut to fit by one measurement.
	drawText(text, x, y, limit, colour = this.ink) {
		const width = this.widthOf(text);
		if (width > limit)
			text = text.substring(0, Math.floor(text.length * limit / width) - 1) + "…";
		this.context.fillStyle = colour;
		this.context.fillText(text, x, y);
	}

	// Measuring is slow; names are drawn again and again.
	widthOf(text) {
		this.widths ??= new Map();
		let width = this.widths.get(text);
		if (width === undefined) {
			if (this.widths.size > 10000)
				this.widths.clear();
			this.widths.set(text, width = this.context.measureText(text).width);
		}
		return width;
	}

	// Instants are counted by column and lane. The first one of those near each other is drawn as a triangle.
	drawInstants(row, top) {
		const owner = this.ownerOf(row), size = this.nrColumns + 1, counts = new Float32Array(size * (this.lanesOf(owner) + 1)), places = [];
		let last = -Infinity;
		this.eachChunk(row, (chunk, width) => this.addInstants(chunk, width, (at, depth, count) => {
			if (at >= 0 && at < size)
				counts[at + (places[depth] ??= this.laneOf(owner, depth) * size)] += count;
		}));
		for (let column = 0; column < size; column++)
			for (let at = column, lane = 0; at < counts.length; at += size, lane++) {
				const x = GUTTER + column / this.ratio, count = counts[at];
				if (count === 0)
					continue;
				if (x - last >= CROWD)
					this.drawInstant(x, top + lane * LANE, false);
				if (x - last < CROWD || count > 1)
					this.drawCrowd(owner, { x, lane, count }, top);
				last = x;
			}
		if (this.selected?.row === row)
			this.drawInstant(this.xOf(this.selected.begin), top + this.laneOf(this.ownerOf(row), this.selected.chunk.read().depth[this.selected.index]) * LANE, true);
	}

	// Calls add(column, depth, count) for instants; those of a chunk within a column at once, of a narrow one by its bins.
	addInstants(chunk, width, add) {
		const { from, to } = this.span, factor = this.scale * this.ratio, begin = this.columnOf(chunk.from), size = width * this.ratio, isNarrow = width < DECODED_WIDTH, bins = size >= COUNTED_COLUMNS && isNarrow ? this.binsOf(chunk) : null;
		if (bins) {
			for (let i = 0; i < bins.length; i += 3)
				add(Math.round(begin + (bins[i] + 0.5) / BINS * size), bins[i + 1], bins[i + 2]);
		} else if (isNarrow || this.isLate(chunk)) {
			// The chunk may be much wider than the span.
			for (let at = Math.max(begin, -0.5), end = Math.min(begin + size, this.nrColumns); at <= end; at++)
				add(Math.round(at), chunk.depth, chunk.count / (Math.floor(size) + 1));
		} else {
			const items = this.read(chunk);
			for (let i = firstBeyond(chunk.count, from, (j) => items.begin[j] === from ? Infinity : items.begin[j]); i < chunk.count && items.begin[i] <= to; i++)
				add(Math.round((items.begin[i] - from) * factor), items.depth[i], 1);
		}
	}

	// How many of the drawn slices are open around an instant.
	laneOf(track, depth) {
		if (track.joints)
			depth = track.rows.findLastIndex(([{ lane }]) => lane < depth) + 1;
		return Math.max(0, Math.min(depth - track.first, this.lanesOf(track)));
	}

	// Many instants in a small area are a line between the lanes, which covers no slice: the more there are, the darker it is.
	drawCrowd(track, { x, lane, count }, top) {
		const above = lane === 0 ? 3 : 1, below = lane === this.lanesOf(track) ? 3 : 1;
		this.context.fillStyle = this.ink;
		this.context.globalAlpha = Math.min(0.5 + count / (2 * CROWDED), 1);
		this.context.fillRect(x, top + lane * LANE - above, 1 / this.ratio, above + below);
		this.context.globalAlpha = 1;
	}

	drawInstant(x, y, isSelected) {
		const size = isSelected ? 6 : 4;
		this.context.fillStyle = this.ink;
		this.context.beginPath();
		this.context.moveTo(x, y - size + 1);
		this.context.lineTo(x + size, y + size);
		this.context.lineTo(x - size, y + size);
		this.context.fill();
	}
}
