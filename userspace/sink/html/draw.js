// SPDX-License-Identifier: GPL-2.0-only
// The canvas: visible times and tracks, and what surrounds the lanes.
"use strict";

// Deeper slices are drawn on request.
const ROWS_MOST = 32;

function showDuration(ns) {
	const sizes = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]];
	const [size, unit] = sizes.find(([size]) => Math.abs(ns) >= size) ?? [1, "ns"];
	return `${+(ns / size).toPrecision(6)} ${unit}`;
}

// A time with all digits.
function showExact(ns) {
	const text = String(Math.abs(Math.round(ns))).padStart(10, "0");
	return `${ns < 0 ? "-" : ""}${text.slice(0, -9)}.${text.slice(-9)} s`;
}

class Picture extends Lanes {
	constructor(canvas, recording) {
		super();
		this.canvas = canvas;
		this.context = canvas.getContext("2d", { alpha: false });
		this.recording = recording;
		this.span = this.whole;
		this.scroll = 0;
		this.selected = null;
		this.colours = new Map();
		this.layOut();
	}

	// All records, and a margin at the end.
	get whole() {
		return { from: 0, to: Math.max(this.recording.end * 1.01, 1) };
	}

	// All lanes of a track have one label, at the first of them.
	labelOf(track) {
		return track.identity.lane ? track.label.replace(/ ?lane \d+/, "") : track.label;
	}

	isFirstLane(track) {
		return !this.before.get(track) || laneKeyOf(this.before.get(track)) !== laneKeyOf(track);
	}

	layOut() {
		const { busy, idle } = this.groups = groupTracks(this.recording.tracks);
		this.hidesIdle = isWorthHiding(this.groups);
		this.before = new Map();
		let before = null;
		for (const track of [...busy, ...idle].flat()) {
			this.before.set(track, track.identity.lane ? before : null);
			before = track;
			track.first = 0;
		}
		this.place();
	}

	// Sets the position of each track, from the top of the first one. Hidden tracks have none.
	place() {
		const { busy, idle } = this.groups;
		this.height = Math.ceil(TRACK_GAP / 2);
		busy.forEach((group) => this.placeGroup(group));
		this.idleTop = this.height;
		if (idle.length > 0 && isWorthHiding(this.groups))
			this.height += LANE + TRACK_GAP;
		for (const group of idle)
			if (this.hidesIdle)
				group.forEach((track) => Object.assign(track, { top: -Infinity, height: 0 }));
			else
				this.placeGroup(group);
	}

	placeGroup(group) {
		for (const track of group) {
			track.top = this.height;
			track.height = track.samples ? COUNTER : Math.max(this.lanesOf(track) + this.isCut(track), 1) * LANE;
			track.isLast = track === group.at(-1);
			this.height += track.height + TRACK_GAP;
		}
	}

	// Shows or hides the threads of which only states are known.
	toggleIdle() {
		if (!isWorthHiding(this.groups))
			return;
		this.hidesIdle = !this.hidesIdle;
		this.place();
		this.setScroll(this.scroll);
	}

	// Whether the line that shows and hides them is at a height of the window.
	isIdleLine(y) {
		const place = y - RULER + this.scroll - this.idleTop;
		return isWorthHiding(this.groups) && y >= RULER && place >= 0 && place < LANE + TRACK_GAP;
	}

	// How many rows of slices are drawn, from track.first on.
	lanesOf(track) {
		return Math.min(track.rows.length, ROWS_MOST);
	}

	// Whether a track has rows that are not drawn. An extra lane reports them.
	isCut(track) {
		return track.rows.length > ROWS_MOST;
	}

	rowsOf(track) {
		return track.rows.slice(track.first, track.first + ROWS_MOST);
	}

	// The track whose lane with the hidden rows is at a height of the window.
	cutAt(y) {
		const track = this.trackAt(y);
		return track && this.isCut(track) && y >= this.topOf(track) + ROWS_MOST * LANE ? track : null;
	}

	// Draws the group of rows that has a row; the first group follows the last one.
	showRow(track, index) {
		if (index >= track.first && index < track.first + ROWS_MOST)
			return;
		track.first = index < track.rows.length ? index - index % ROWS_MOST : 0;
		this.ask();
	}

	resize() {
		const ratio = this.ratio = window.devicePixelRatio || 1;
		this.width = this.canvas.clientWidth;
		this.rows = this.canvas.clientHeight;
		GUTTER = Math.round(Math.min(GUTTER_MOST, this.width * 0.3));
		const width = Math.round(this.width * ratio), height = Math.round(this.rows * ratio);
		// Setting a size clears the canvas, even if it is the same.
		if (width !== this.canvas.width || height !== this.canvas.height) {
			this.canvas.width = width;
			this.canvas.height = height;
			this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
		}
		this.setScroll(this.scroll);
	}

	setSpan(from, to) {
		const whole = Math.max(this.recording.limit, this.whole.to), least = 10;
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

	// Whether all tracks are visible.
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
		this.drawIdleLine();
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

	isVisible(track) {
		const top = this.topOf(track);
		return top < this.rows && top + track.height > RULER;
	}

	drawTrack(track) {
		if (!this.isVisible(track))
			return;
		const top = this.topOf(track);
		if (track.samples)
			this.drawSamples(track.samples, top);
		this.rowsOf(track).forEach((row, lane) => this.drawSlices(row, top + lane * LANE));
		if (this.isCut(track))
			this.drawCut(track, top + ROWS_MOST * LANE);
		if (track.instants)
			this.drawInstants(track.instants, top);
	}

	drawCut(track, top) {
		const count = (rows) => rows.reduce((sum, row) => sum + row.chunks.reduce((all, chunk) => all + chunk.count, 0), 0);
		const shown = this.rowsOf(track), last = track.first + shown.length;
		track.nr_slices ??= count(track.rows);
		this.drawText(`rows ${track.first + 1} to ${last} of ${track.rows.length}: ${track.nr_slices - count(shown)} slices in the others are not drawn; click for the next rows`,
			GUTTER + 4, top + LANE / 2 + 1, this.width - GUTTER - 12);
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
			if (!this.isVisible(track))
				continue;
			const top = this.topOf(track);
			this.context.fillStyle = this.line;
			if (track.isLast || track.identity.scope !== "thread")
				this.context.fillRect(0, top + track.height + TRACK_GAP / 2, this.width, 1);
			if (this.isFirstLane(track))
				this.drawText(this.labelOf(track), 8, top + 9, GUTTER - 16);
			if (track.samples)
				this.drawText(`${track.samples.lowest} … ${track.samples.highest}`, 8, top + 26, GUTTER - 16);
		}
	}

	drawIdleLine() {
		const top = this.idleTop - this.scroll + RULER, count = this.groups.idle.length;
		if (isWorthHiding(this.groups) && top < this.rows && top > RULER - LANE)
			this.drawText(`${this.hidesIdle ? "+" : "\u2212"} ${counted(count, "thread")} with nothing but states; click, or press t`, 8, top + LANE / 2 + 1, this.width - 20);
	}

	// A scroll bar, unless all tracks are visible.
	drawBar() {
		const size = this.rows - RULER;
		if (this.isWhole)
			return;
		this.context.fillStyle = this.ink;
		this.context.globalAlpha = 0.35;
		this.context.fillRect(this.width - 5, RULER + this.scroll / this.height * size, 4, Math.max(size * size / this.height, 8));
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
