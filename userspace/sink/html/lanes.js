// SPDX-License-Identifier: GPL-2.0-only
// Draws the lanes of a track: small chunks as a whole, others item by item.
"use strict";

let GUTTER = 260;
const GUTTER_MOST = 260, RULER = 26, LANE = 17, COUNTER = 44, TRACK_GAP = 7;
const CHUNK_WIDTH_MIN = 4, LABEL_WIDTH_MIN = 30;
// Chunks with more items on a pixel are drawn by their digest.
const DENSE = 3;
// A frame decodes new chunks for this long; it draws the rest as a whole, and another frame follows.
const READING_MS = 25;

// Hues from yellow through green and blue to violet; red is for lost records.
const HUE_FIRST = 40, HUES = 275;
// Instants closer than this many pixels are drawn as ticks between the lanes.
const CROWD = 9;

function hueOf(text) {
	let hash = 7;
	for (let i = 0; i < text.length; i++)
		hash = (hash * 31 + text.charCodeAt(i)) | 0;
	return HUE_FIRST + (hash % HUES + HUES) % HUES;
}

class Lanes {
	// The nearest pixel boundary of the screen, so that neighbouring areas leave no seam.
	snap(x) {
		return Math.round(x * this.ratio) / this.ratio;
	}

	// Calls whole(chunk, next) or each(chunk) for visible chunks. New chunks cost time.
	eachChunk(row, whole, each) {
		for (let i = row.chunkAt(this.span.from); i < row.chunks.length; i++) {
			const chunk = row.chunks[i];
			if (chunk.from > this.span.to)
				break;
			const isSmall = (chunk.to - chunk.from) * this.scale < CHUNK_WIDTH_MIN && chunk.count > 4;
			const isLate = !chunk.items && this.reading_ms > READING_MS;
			this.isRough ||= isLate && !isSmall;
			if (isSmall || isLate)
				whole(chunk, row.chunks[i + 1]);
			else
				each(chunk, chunk.items ?? this.read(chunk));
		}
	}

	// The first new chunk of a frame is always read, so that drawing ends.
	read(chunk) {
		const begun = performance.now(), items = chunk.read();
		this.reading_ms += performance.now() - begun;
		return items;
	}

	drawSlices(row, top) {
		const whole = (chunk) => this.drawBusy(chunk.from, chunk.to, chunk.busy, top);
		this.eachChunk(row, whole, (chunk, items) => {
			if (chunk.count > DENSE * (chunk.to - chunk.from) * this.scale)
				this.drawDigest(chunk, items, top);
			else
				this.drawSliceItems(chunk, items, top);
		});
	}

	// Many slices in a small area: the more of it they fill, the darker it is.
	drawBusy(from, to, busy, top) {
		const x = Math.max(this.xOf(from), GUTTER), width = Math.max(this.xOf(to) - x, 1);
		this.context.globalAlpha = 0.25 + 0.5 * Math.min(1, busy / Math.max(to - from, 1));
		this.context.fillStyle = this.ink;
		this.context.fillRect(x, top + 1, width, LANE - 2);
		this.context.globalAlpha = 1;
	}

	drawDigest(chunk, items, top) {
		const { bins, seen, size } = chunk.digest(), step = Math.max(Math.ceil(1 / (size * this.scale)), 1);
		for (let i = 0; i < bins.length; i += step) {
			const part = bins.subarray(i, i + step), filled = part.reduce((sum, one) => sum + one, 0);
			if (filled > 0)
				this.drawBusy(chunk.from + i * size, chunk.from + (i + part.length) * size, filled * size, top);
		}
		for (const i of seen)
			this.drawSlice(chunk, i, items, top);
	}

	drawSliceItems(chunk, items, top) {
		const size = chunk.count, pixel = 1 / this.scale;
		let i = firstBeyond(size, this.span.from, (j) => items.end[j]);
		while (i < size && items.begin[i] <= this.span.to) {
			if (items.end[i] - items.begin[i] >= 1.5 * pixel || items.marks[i]) {
				this.drawSlice(chunk, i++, items, top);
				continue;
			}
			// Slices within one pixel are one line.
			const from = items.begin[i];
			let busy = 0, to = from;
			while (i < size && items.end[i] < from + pixel && !items.marks[i]) {
				busy += items.end[i] - items.begin[i];
				to = items.end[i++];
			}
			if (to === from && busy === 0 && i < size && items.end[i] >= from + pixel)
				this.drawSlice(chunk, i++, items, top);
			else
				this.drawBusy(from, Math.max(to, from + pixel), busy, top);
		}
	}

	drawSlice(chunk, index, items, top) {
		const from = Math.max(this.xOf(items.begin[index]), GUTTER - 1);
		const to = Math.min(this.xOf(items.end[index]), this.width + 1);
		const width = Math.max(to - from, 1), marks = items.marks[index];
		this.context.fillStyle = this.colour(items.name[index]);
		this.context.fillRect(from, top + 1, width, LANE - 2);
		if (marks & 2)
			this.drawStripes(from, top + 1, width, LANE - 2);
		const isSelected = this.selected?.chunk === chunk && this.selected.index === index;
		if (isSelected)
			this.drawEdge(from, top + 1, width, LANE - 2, this.ink);
		if (marks & 1 && isSelected)
			this.drawEdge(from + 2, top + 3, width - 4, LANE - 6, this.bad);
		else if (marks & 1)
			this.drawEdge(from, top + 1, width, LANE - 2, this.bad);
		if (width > LABEL_WIDTH_MIN)
			this.drawText(this.recording.names[items.name[index]], from + 4, top + LANE / 2 + 1, width - 6);
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
	drawText(text, x, y, limit) {
		const width = this.context.measureText(text).width;
		if (width > limit)
			text = text.substring(0, Math.floor(text.length * limit / width) - 1) + "…";
		this.context.fillStyle = this.ink;
		this.context.fillText(text, x, y);
	}

	drawInstants(row, top) {
		const whole = (chunk) => this.drawCrowd(row.track, chunk, top);
		let last = -Infinity;
		this.eachChunk(row, whole, (chunk, items) => {
			for (let i = 0; i < chunk.count; i++) {
				const x = this.snap(this.xOf(items.begin[i]));
				const isSelected = this.selected?.chunk === chunk && this.selected.index === i;
				if (x < GUTTER || x > this.width || (x <= last && !isSelected))
					continue;
				if (x - last < CROWD && !isSelected)
					this.drawTicks(row.track, x, 1, items.depth[i], top);
				else
					this.drawInstant(x, top + this.laneOf(row.track, items.depth[i]) * LANE, isSelected);
				last = x;
			}
		});
	}

	// How many of the drawn slices are open around an instant.
	laneOf(track, depth) {
		return Math.max(0, Math.min(depth - track.first, this.lanesOf(track)));
	}

	drawCrowd(track, chunk, top) {
		if (track.rows.length === 0)
			return this.drawBusy(chunk.from, chunk.to, 0, top);
		const x = Math.max(this.xOf(chunk.from), GUTTER);
		this.drawTicks(track, x, this.xOf(chunk.to) - x, chunk.depth, top);
	}

	// Many instants in a small area are a line between the lanes, which covers no slice.
	drawTicks(track, x, width, depth, top) {
		const lane = this.laneOf(track, depth), from = this.snap(x);
		const above = lane === 0 ? 3 : 1, below = lane === this.lanesOf(track) ? 3 : 1;
		this.context.fillStyle = this.ink;
		this.context.fillRect(from, top + lane * LANE - above, Math.max(this.snap(x + width) - from, 1), above + below);
	}

	drawInstant(x, y, isSelected) {
		this.context.fillStyle = isSelected ? this.bad : this.ink;
		this.context.beginPath();
		this.context.moveTo(x, y - 3);
		this.context.lineTo(x + 4, y + 4);
		this.context.lineTo(x - 4, y + 4);
		this.context.fill();
	}

	drawSamples(row, top) {
		const least = Math.min(row.min, 0), most = Math.max(row.max, least + 1);
		const yOf = (value) => top + COUNTER - 2 - (value - least) / (most - least) * (COUNTER - 4);
		const base = yOf(least);
		this.context.fillStyle = `hsl(${hueOf(row.track.label)} 50% ${this.isDark ? 45 : 60}%)`;
		let before = null, narrow = null;
		const put = (from, to, value) => {
			const x = this.snap(Math.max(this.xOf(from), GUTTER));
			this.context.fillRect(x, yOf(value), Math.max(this.snap(this.xOf(to)) - x, 1), Math.max(base - yOf(value), 1));
		};
		// The highest of the values on one pixel is drawn.
		const flush = () => {
			if (narrow)
				put(narrow.from, narrow.to, narrow.value);
			narrow = null;
		};
		const fill = (from, to, value) => {
			if (narrow && (to - narrow.from) * this.scale >= 1)
				flush();
			if ((to - from) * this.scale >= 1)
				put(from, to, value);
			else
				narrow = { from: narrow?.from ?? from, to, value: Math.max(narrow?.value ?? value, value) };
		};
		const step = (time, value) => {
			if (before)
				fill(before.time, time, before.value);
			before = { time, value };
		};
		before = this.sampleBefore(row);
		this.eachChunk(row, (chunk, next) => {
			step(chunk.from, chunk.max);
			step(chunk.to, this.lastOf(chunk, next));
		}, (chunk, items) => {
			for (let i = 0; i < chunk.count && items.begin[i] <= this.span.to; i++)
				if (items.begin[i] > this.span.from)
					step(items.begin[i], items.value[i]);
				else
					before = { time: items.begin[i], value: items.value[i] };
		});
		if (before)
			fill(before.time, Math.min(this.recording.limit, this.span.to), before.value);
		flush();
	}

	// The counter's value after a chunk that is drawn as a whole; its highest value if that is not visible.
	lastOf(chunk, next) {
		if (((next?.from ?? this.recording.limit) - chunk.to) * this.scale < 1)
			return chunk.max;
		const isLate = !chunk.items && this.reading_ms > READING_MS;
		this.isRough ||= isLate;
		return isLate ? chunk.max : (chunk.items ?? this.read(chunk)).value[chunk.count - 1];
	}

	// The last sample before the visible span.
	sampleBefore(row) {
		const chunk = row.chunks[row.chunkAt(this.span.from) - 1];
		if (!chunk)
			return null;
		const items = chunk.read(), last = chunk.count - 1;
		return { time: items.begin[last], value: items.value[last] };
	}
}
