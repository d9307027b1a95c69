// SPDX-License-Identifier: GPL-2.0-only
// Draws the lanes of a track: narrow chunks by their digest, others item by item.
"use strict";

let GUTTER = 260;
const GUTTER_MOST = 260, LANE = 17, COUNTER = 44, TRACK_GAP = 7;
const LABEL_WIDTH_MIN = 30;
// Chunks below this width are drawn by their digest; slices below WIDE as columns.
const DECODED_WIDTH = 16, WIDE = LEAST_WIDTH, BINS_ON_COLUMN = 4;
// A frame decodes new chunks for so long, or half as long as the last frame took; it draws the rest by what is known, and
// another frame follows.
const READING_MS = 6, READING_MOST_MS = 100;
// So many decoded events are kept.
const KEPT_MOST = 3e6;
// Instants closer than this many pixels are drawn as ticks between the lanes; CROWDED of them on a pixel are opaque.
const CROWD = 9, CROWDED = 8;

class Lanes {
	// The nearest pixel boundary of the screen, so that neighbouring areas leave no seam.
	snap(x) {
		return Math.round(x * this.ratio) / this.ratio;
	}

	// Whether a chunk is not decoded and this frame has no time left for it.
	isLate(chunk) {
		const isLate = !chunk.items && this.reading_ms > Math.min(Math.max(READING_MS, (this.frame_ms ?? 0) / 2), READING_MOST_MS);
		this.isRough ||= isLate;
		return isLate;
	}

	// The first new chunk of a frame is always read, so that drawing ends.
	read(chunk) {
		if (chunk.items)
			return chunk.items;
		const begun = performance.now(), items = chunk.read();
		this.keep(chunk);
		this.reading_ms += performance.now() - begun;
		return items;
	}

	// Forgets what was decoded first if there is too much.
	keep(chunk) {
		this.kept ??= { chunks: [], count: 0 };
		this.kept.chunks.push(chunk);
		this.kept.count += chunk.count;
		while (this.kept.count > KEPT_MOST && this.kept.chunks.length > 1) {
			const first = this.kept.chunks.shift();
			this.kept.count -= first.count;
			first.items = null;
		}
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
			this.eachChunk(row, (chunk, width) => this.addChunk(columns, row.track, chunk, width, wide));
		columns.draw(this.context, GUTTER, top + 1, LANE - 2, this.ratio);
		this.drawSuspect(columns, top);
		for (const [track, chunk, i] of wide)
			this.drawSlice(track, chunk, i, top);
		columns.drawLone(this.context, GUTTER, top + 1, LANE - 2, this.ratio);
		if (this.selected && rows.includes(this.selected.row))
			this.drawSlice(this.selected.track, this.selected.chunk, this.selected.index, top);
	}

	addChunk(columns, track, chunk, width, wide) {
		if (chunk.digest() && (width < DECODED_WIDTH || this.isLate(chunk)))
			this.addDigest(columns, track, chunk);
		else if (this.isLate(chunk))
			columns.add(this.columnOf(chunk.from), this.columnOf(chunk.to), chunk.busy / Math.max(chunk.to - chunk.from, 1), ...this.palette.grey, 0);
		else
			this.addItems(columns, track, chunk, wide);
	}

	// Bins are joined as long as four of them are on a column.
	addDigest(columns, track, chunk) {
		const width = (chunk.to - chunk.from) * this.scale * this.ratio, from = this.columnOf(chunk.from);
		let size = 1;
		while (size < BINS && size < BINS_ON_COLUMN * width)
			size *= 2;
		const level = chunk.levelOf(size, this.palette, track), step = width / size;
		for (let i = 0, k = 0; i < size; i++, k += LEVEL_WORDS)
			if (level[k] > 0)
				columns.add(from + i * step, from + (i + 1) * step, level[k], level[k + 1], level[k + 2], level[k + 3], level[k + 4]);
	}

	addItems(columns, track, chunk, wide) {
		const items = this.read(chunk), { begin, end, name, marks } = items, { from, to } = this.span, factor = this.scale * this.ratio, size = chunk.count;
		for (let i = firstBeyond(size, from, (j) => end[j] === from ? Infinity : end[j]); i < size && begin[i] <= to; i++) {
			if ((end[i] - begin[i]) * this.scale >= WIDE)
				wide.push([track, chunk, i]);
			else {
				const [red, green, blue] = this.palette.of(track, name[i]).rgb;
				columns.add((begin[i] - from) * factor, (end[i] - from) * factor, 1, red, green, blue, marks[i]);
			}
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
		const items = chunk.read(), marks = items.marks[index];
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

	drawInstants(row, top) {
		let crowd = null, last = -Infinity;
		const owner = this.ownerOf(row), flush = () => crowd && this.drawCrowd(owner, crowd, top);
		const add = (x, depth, count) => {
			if (x < GUTTER || x > this.width)
				return;
			const isNear = x - last < CROWD, lane = this.laneOf(owner, depth);
			last = x;
			if (!isNear && count === 1)
				return this.drawInstant(x, top + lane * LANE, false);
			if (crowd && crowd.x === x && crowd.lane === lane) {
				crowd.count += count;
				return;
			}
			flush();
			crowd = { x, lane, count };
		};
		this.eachChunk(row, (chunk, width) => this.addInstants(chunk, width, add));
		flush();
		if (this.selected?.row === row)
			this.drawInstant(this.xOf(this.selected.begin), top + this.laneOf(this.ownerOf(row), this.selected.chunk.read().depth[this.selected.index]) * LANE, true);
	}

	// Calls add(x, depth, count) for instants; those of a chunk within a pixel at once.
	addInstants(chunk, width, add) {
		if (width * this.ratio < 1 || this.isLate(chunk)) {
			for (let x = this.xOf(chunk.from), end = this.xOf(chunk.to); x <= end; x += 1 / this.ratio)
				add(this.snap(x), chunk.depth, chunk.count / Math.max(width * this.ratio, 1));
			return;
		}
		const items = this.read(chunk), from = this.span.from;
		for (let i = firstBeyond(chunk.count, from, (j) => items.begin[j] === from ? Infinity : items.begin[j]); i < chunk.count && items.begin[i] <= this.span.to; i++)
			add(this.snap(this.xOf(items.begin[i])), items.depth[i], 1);
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
