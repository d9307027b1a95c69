// SPDX-License-Identifier: GPL-2.0-only
// Draws the tracks that are in sight: chunks as a whole where they are small, else what is in them.
"use strict";

let GUTTER = 260;
const GUTTER_MOST = 260, RULER = 26, LANE = 17, COUNTER = 44, TRACK_GAP = 7;
const CHUNK_WIDTH_MIN = 4, LABEL_WIDTH_MIN = 30;
// Chunks with more things than that on a pixel are drawn by their digest.
const DENSE = 3;
// After so long over chunks that are new a frame shows the rest as chunks, and another frame follows.
const READING_MS = 25;

function hueOf(text) {
	let hash = 7;
	for (let i = 0; i < text.length; i++)
		hash = (hash * 31 + text.charCodeAt(i)) | 0;
	return ((hash % 360) + 360) % 360;
}

function showDuration(ns) {
	const sizes = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]];
	const [size, unit] = sizes.find(([size]) => Math.abs(ns) >= size) ?? [1, "ns"];
	return `${+(ns / size).toPrecision(6)} ${unit}`;
}

// All digits of a time.
function showExact(ns) {
	const text = String(Math.abs(Math.round(ns))).padStart(10, "0");
	return `${ns < 0 ? "-" : ""}${text.slice(0, -9)}.${text.slice(-9)} s`;
}

class Picture {
	constructor(canvas, recording) {
		this.canvas = canvas;
		this.context = canvas.getContext("2d", { alpha: false });
		this.recording = recording;
		this.span = { from: 0, to: Math.max(recording.end, 1) };
		this.scroll = 0;
		this.selected = null;
		this.colours = new Map();
		this.layOut();
	}

	// Tracks of one tracepoint and name lie together; else they are in the order of their appearance.
	groups() {
		const groups = new Map();
		for (const track of this.recording.tracks) {
			const key = JSON.stringify([track.identity.tracepoint, track.identity.name]);
			if (!groups.has(key))
				groups.set(key, []);
			groups.get(key).push(track);
		}
		return [...groups.values()];
	}

	// Where each track lies, from the top of the first one.
	layOut() {
		let top = 0;
		for (const track of this.groups().flat()) {
			track.top = top;
			track.height = track.samples ? COUNTER : Math.max(track.rows.length, 1) * LANE;
			top += track.height + TRACK_GAP;
		}
		this.height = top;
	}

	resize() {
		const ratio = window.devicePixelRatio || 1;
		this.width = this.canvas.clientWidth;
		this.rows = this.canvas.clientHeight;
		GUTTER = Math.round(Math.min(GUTTER_MOST, this.width * 0.3));
		const width = Math.round(this.width * ratio), height = Math.round(this.rows * ratio);
		// A new size wipes the canvas, even if it is the same.
		if (width !== this.canvas.width || height !== this.canvas.height) {
			this.canvas.width = width;
			this.canvas.height = height;
			this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
		}
		this.setScroll(this.scroll);
	}

	setSpan(from, to) {
		const whole = Math.max(this.recording.end, 1), least = 10;
		let size = Math.min(Math.max(to - from, least), whole * 1.1);
		from = Math.min(Math.max(from, -whole * 0.05), whole * 1.05 - size);
		this.span = { from, to: from + size };
		this.ask();
	}

	zoom(factor, x = (GUTTER + this.width) / 2) {
		const time = this.timeOf(Math.max(x, GUTTER));
		this.setSpan(time - (time - this.span.from) * factor, time + (this.span.to - time) * factor);
	}

	move(share) {
		const by = (this.span.to - this.span.from) * share;
		this.setSpan(this.span.from + by, this.span.to + by);
	}

	setScroll(scroll) {
		this.scroll = Math.max(0, Math.min(scroll, this.height - (this.rows - RULER)));
		this.ask();
	}

	// Whether all tracks are in sight.
	get isWhole() {
		return this.height <= this.rows - RULER;
	}

	get scale() {
		return (this.width - GUTTER) / (this.span.to - this.span.from);
	}

	xOf(time) {
		return GUTTER + (time - this.span.from) * this.scale;
	}

	timeOf(x) {
		return this.span.from + (x - GUTTER) / this.scale;
	}

	ask() {
		if (!this.isAsked) {
			this.isAsked = true;
			requestAnimationFrame(() => this.draw());
		}
	}

	style(name) {
		return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
	}

	colour(name) {
		let colour = this.colours.get(name);
		if (!colour) {
			const light = this.isDark ? 38 : 72;
			colour = `hsl(${hueOf(this.recording.names[name])} 55% ${light}%)`;
			this.colours.set(name, colour);
		}
		return colour;
	}

	draw() {
		const begun = performance.now();
		this.isAsked = false;
		this.reading_ms = 0;
		this.isRough = false;
		this.ink = this.style("--ink");
		this.paper = this.style("--paper");
		this.line = this.style("--line");
		this.bad = this.style("--bad");
		const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
		if (isDark !== this.isDark)
			this.colours.clear();
		this.isDark = isDark;
		this.drawBack();
		for (const track of this.recording.tracks)
			this.drawTrack(track);
		this.drawLosses();
		this.drawGutter();
		this.drawBar();
		this.drawRuler();
		this.frame_ms = performance.now() - begun;
		this.frames = (this.frames ?? 0) + 1;
		if (this.isRough)
			this.ask();
		this.whenDrawn?.();
	}

	drawBack() {
		this.context.fillStyle = this.paper;
		this.context.fillRect(0, 0, this.width, this.rows);
		this.context.font = "11px system-ui, sans-serif";
		this.context.textBaseline = "middle";
	}

	topOf(track) {
		return RULER + track.top - this.scroll;
	}

	// The track at a height of the window.
	trackAt(y) {
		const place = y - RULER + this.scroll;
		return y < RULER ? null : this.recording.tracks.find((one) => place >= one.top && place < one.top + one.height + TRACK_GAP);
	}

	isInSight(track) {
		const top = this.topOf(track);
		return top < this.rows && top + track.height > RULER;
	}

	drawTrack(track) {
		if (!this.isInSight(track))
			return;
		const top = this.topOf(track);
		if (track.samples)
			this.drawSamples(track.samples, top);
		for (const row of track.rows)
			this.drawSlices(row, top + row.depth * LANE);
		if (track.instants)
			this.drawInstants(track.instants, top);
	}

	// Calls whole(chunk) or each(chunk) for what is in sight; a chunk that is new costs time.
	eachChunk(row, whole, each) {
		for (let i = row.chunkAt(this.span.from); i < row.chunks.length; i++) {
			const chunk = row.chunks[i];
			if (chunk.from > this.span.to)
				break;
			const isSmall = (chunk.to - chunk.from) * this.scale < CHUNK_WIDTH_MIN && chunk.count > 4;
			const isLate = !chunk.items && this.reading_ms > READING_MS;
			this.isRough ||= isLate && !isSmall;
			if (isSmall || isLate)
				whole(chunk);
			else
				each(chunk, chunk.items ?? this.read(chunk));
		}
	}

	// The first chunk of a frame is always read, so that there is an end to it.
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

	// Many slices in little space: the more of it they fill, the darker.
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
			// What falls into one pixel is one line.
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

	// A text that is cut where it does not fit, by one measurement.
	drawText(text, x, y, room) {
		const width = this.context.measureText(text).width;
		if (width > room)
			text = text.substring(0, Math.floor(text.length * room / width) - 1) + "…";
		this.context.fillStyle = this.ink;
		this.context.fillText(text, x, y);
	}

	drawInstants(row, top) {
		const whole = (chunk) => this.drawBusy(chunk.from, chunk.to, 0, top);
		let last = -Infinity;
		this.eachChunk(row, whole, (chunk, items) => {
			for (let i = 0; i < chunk.count; i++) {
				const x = this.xOf(items.begin[i]);
				const isSelected = this.selected?.chunk === chunk && this.selected.index === i;
				if (x < GUTTER || x > this.width || (x - last < 1 && !isSelected))
					continue;
				last = x;
				this.drawInstant(x, top + Math.min(items.depth[i], row.track.rows.length) * LANE, isSelected);
			}
		});
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
			const x = Math.max(this.xOf(from), GUTTER);
			this.context.fillRect(x, yOf(value), Math.max(this.xOf(to) - x, 1), Math.max(base - yOf(value), 1));
		};
		// Of values that share a pixel the highest is seen.
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
		this.eachChunk(row, (chunk) => {
			step(chunk.from, chunk.max);
			step(chunk.to, chunk.max);
		}, (chunk, items) => {
			for (let i = 0; i < chunk.count && items.begin[i] <= this.span.to; i++)
				if (items.begin[i] > this.span.from)
					step(items.begin[i], items.value[i]);
				else
					before = { time: items.begin[i], value: items.value[i] };
		});
		if (before)
			fill(before.time, Math.min(this.recording.end, this.span.to), before.value);
		flush();
	}

	// What the counter stands at where the picture begins.
	sampleBefore(row) {
		const chunk = row.chunks[row.chunkAt(this.span.from) - 1];
		if (!chunk)
			return null;
		const items = chunk.read(), last = chunk.count - 1;
		return { time: items.begin[last], value: items.value[last] };
	}

	drawLosses() {
		this.context.fillStyle = this.bad;
		for (const loss of this.recording.losses) {
			const from = Math.max(this.xOf(loss.from), GUTTER), to = Math.min(this.xOf(loss.to), this.width);
			if (to < GUTTER || from > this.width)
				continue;
			this.context.globalAlpha = 0.15;
			this.context.fillRect(from, RULER, Math.max(to - from, 1), this.rows - RULER);
			this.context.globalAlpha = 1;
			this.context.fillRect(from, RULER - 5, Math.max(to - from, 2), 5);
		}
	}

	drawGutter() {
		this.context.fillStyle = this.paper;
		this.context.fillRect(0, 0, GUTTER - 1, this.rows);
		this.context.fillStyle = this.line;
		this.context.fillRect(GUTTER - 1, 0, 1, this.rows);
		for (const track of this.recording.tracks) {
			if (!this.isInSight(track))
				continue;
			const top = this.topOf(track);
			this.context.fillStyle = this.line;
			this.context.fillRect(0, top + track.height + TRACK_GAP / 2, this.width, 1);
			this.drawText(track.label, 8, top + 9, GUTTER - 16);
			if (track.samples)
				this.drawText(`${track.samples.lowest} … ${track.samples.highest}`, 8, top + 26, GUTTER - 16);
		}
	}

	// How much of the tracks is in sight, and where, if not all of them are.
	drawBar() {
		const room = this.rows - RULER;
		if (this.isWhole)
			return;
		this.context.fillStyle = this.ink;
		this.context.globalAlpha = 0.35;
		this.context.fillRect(this.width - 5, RULER + this.scroll / this.height * room, 4, Math.max(room * room / this.height, 8));
		this.context.globalAlpha = 1;
	}

	drawRuler() {
		const aim = (this.span.to - this.span.from) / Math.max((this.width - GUTTER) / 110, 1);
		const power = 10 ** Math.floor(Math.log10(aim));
		const step = [1, 2, 5, 10].map((n) => n * power).find((size) => size >= aim);
		this.context.fillStyle = this.paper;
		this.context.fillRect(0, 0, this.width, RULER - 5);
		this.context.fillStyle = this.line;
		this.context.fillRect(0, RULER - 6, this.width, 1);
		for (let time = Math.ceil(this.span.from / step) * step; time <= this.span.to; time += step) {
			const x = this.xOf(time);
			this.context.fillStyle = this.line;
			this.context.fillRect(x, RULER - 11, 1, 6);
			this.drawText(showDuration(time), x + 3, 9, 105);
		}
		this.drawMarks();
	}

	drawMarks() {
		this.context.fillStyle = this.ink;
		for (const mark of this.recording.marks)
			if (mark.time >= this.span.from && mark.time <= this.span.to)
				this.context.fillRect(this.xOf(mark.time), RULER - 12, 2, 12);
	}
}
