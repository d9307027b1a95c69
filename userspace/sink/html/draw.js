// SPDX-License-Identifier: GPL-2.0-only
// The canvas: visible times and tracks, and what surrounds the lanes.
"use strict";

// The scroll bar, which a pointer takes.
const BAR_WIDTH = 10;
// In a window that is so narrow (page.css has the same number) labels are above their rows, and little is left of these.
const NARROW_WINDOW = 500, NARROW_GUTTER = 12;

// The tracepoint of a line, or how many there are.
function tracepointOf({ tracks }) {
	const all = new Set(tracks.map(({ identity }) => identity.tracepoint));
	return all.size > 1 ? `${all.size} tracepoints` : tracks[0].identity.tracepoint;
}

class Picture extends Layout {
	constructor(canvas, recording) {
		super();
		this.canvas = canvas;
		this.context = canvas.getContext("2d", { alpha: false });
		this.recording = recording;
		this.span = this.whole;
		this.scroll = 0;
		this.selected = null;
		this.overlays = [];
		this.palette = new Palette(recording);
		this.dark = matchMedia("(prefers-color-scheme: dark)");
		this.layOut();
	}

	// All records, and a margin at the end.
	get whole() {
		return { from: 0, to: Math.max(this.recording.end * 1.01, 1) };
	}

	resize() {
		const ratio = this.ratio = window.devicePixelRatio || 1;
		this.width = this.canvas.clientWidth;
		this.rows = this.canvas.clientHeight;
		const isNarrow = this.width <= NARROW_WINDOW;
		GUTTER = isNarrow ? NARROW_GUTTER : Math.round(Math.min(GUTTER_MOST, this.width * 0.3));
		if (this.isNarrow !== isNarrow) {
			this.isNarrow = isNarrow;
			this.place();
		}
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
		this.scroll = Math.max(0, Math.min(scroll, this.height - (this.rows - this.body)));
		this.ask();
	}

	// Whether all tracks are visible.
	get isWhole() {
		return this.height <= this.rows - this.body;
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

	// The colours of the page's style, once for each theme.
	readStyle() {
		const isPrinted = Boolean(this.isPrinted), isDark = !isPrinted && this.dark.matches, key = `${isDark} ${isPrinted}`;
		this.palette.setDark(isDark);
		if (key === this.styleKey)
			return;
		const style = getComputedStyle(document.documentElement);
		for (const name of ["ink", "paper", "line", "shade", "bad", "accent", "faint"])
			this[name] = style.getPropertyValue(`--${name}`).trim();
		this.styleKey = key;
	}

	draw() {
		const begun = performance.now();
		this.isAsked = false;
		this.reading_ms = 0;
		this.isRough = false;
		this.readStyle();
		this.drawBack();
		this.drawLines(this.lines, this.body);
		this.drawLines(this.pinnedLines, RULER);
		if (this.filter && this.lines.length + this.pinnedLines.length === 0)
			this.drawText("no track has these words", GUTTER + 4, this.body + LANE / 2 + 1, this.width - GUTTER - 12);
		this.drawLosses();
		this.drawGutter();
		this.drawBar();
		this.drawAxis();
		this.overlays.forEach((draw) => draw());
		this.frame_ms = performance.now() - begun;
		this.frames = (this.frames ?? 0) + 1;
		if (this.isRough)
			this.ask();
		this.whenDrawn?.();
	}

	// Draws at once, with all that frames would read later.
	drawAll() {
		do {
			this.isAsked = true;
			this.draw();
		} while (this.isRough);
	}

	drawBack() {
		this.context.fillStyle = this.paper;
		this.context.fillRect(0, 0, this.width, this.rows);
		this.context.font = "11px system-ui, sans-serif";
		this.context.textBaseline = "middle";
	}

	// The tracks of lines, below a height.
	drawLines(lines, top) {
		this.context.save();
		this.context.beginPath();
		this.context.rect(0, top, this.width, lines === this.pinnedLines ? this.pinnedHeight : this.rows);
		this.context.clip();
		for (const line of this.visibleLines(lines))
			if (line.joined)
				this.drawJoined(line.joined);
			else if (line.tracks.length > 1)
				this.drawShared(line.tracks);
			else
				line.tracks.forEach((track) => this.drawTrack(track));
		this.context.restore();
	}

	// Tracks that follow each other on a line: their slices at once, what else they have one by one.
	drawShared(all) {
		const { from, to } = this.span, first = firstBeyond(all.length, from, (i) => all[i].end), tracks = all.slice(first, firstBeyond(all.length, to, (i) => all[i].begin));
		const rows = tracks.map((track) => this.rowsOf(track)), depth = rows.reduce((most, list) => Math.max(most, list.length), 0);
		for (let lane = 0; lane < depth; lane++)
			this.drawRows(rows.map((list) => list[lane]).filter((row) => row), this.topOf(tracks[0]) + lane * LANE);
		for (const track of tracks)
			if (this.isCut(track) || track.instants || track.samples)
				this.drawBeside(track, this.topOf(track));
	}

	drawJoined(joined) {
		const top = this.topOf(joined);
		this.rowsOf(joined).forEach((rows, lane) => this.drawRows(rows, top + lane * LANE));
		if (this.isCut(joined))
			this.drawCut(joined, top + ROWS_MOST * LANE);
		for (const { instants } of joined.joints)
			if (instants)
				this.drawInstants(instants, top);
	}

	drawTrack(track) {
		const top = this.topOf(track);
		if (track.begin > this.span.to || (track.end < this.span.from && !track.samples))
			return;
		this.rowsOf(track).forEach((row, lane) => this.drawSlices(row, top + lane * LANE));
		this.drawBeside(track, top);
	}

	// Samples, instants, and what is not drawn.
	drawBeside(track, top) {
		if (track.samples)
			this.drawSamples(track.samples, top);
		if (this.isCut(track))
			this.drawCut(track, top + ROWS_MOST * LANE);
		if (track.instants)
			this.drawInstants(track.instants, top);
	}

	drawCut(track, top) {
		const count = (rows) => rows.flat().reduce((sum, row) => sum + row.chunks.reduce((all, chunk) => all + chunk.count, 0), 0);
		const shown = this.rowsOf(track), last = track.first + shown.length;
		track.nrSlices ??= count(track.rows);
		this.drawText(`rows ${track.first + 1} to ${last} of ${track.rows.length}, ${track.rows.length - last} deeper: ${track.nrSlices - count(shown)} slices in the others are not drawn; click for the next rows`,
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
		this.drawLabels(this.lines, this.body);
		this.drawLabels(this.pinnedLines, RULER);
		this.context.fillStyle = this.line;
		if (this.pinnedHeight > 0)
			this.context.fillRect(0, this.body - 3, this.width, 3);
	}

	drawLabels(lines, top) {
		this.context.save();
		this.context.beginPath();
		this.context.rect(0, top, this.width, lines === this.pinnedLines ? this.pinnedHeight : this.rows);
		this.context.clip();
		const [base, least] = lines === this.pinnedLines ? [RULER, RULER] : [this.body - this.scroll, this.body], visible = this.visibleLines(lines);
		const first = visible.find((line) => base + line.top + line.height > least + LANE / 2);
		visible.forEach((line) => this.drawLabel(line, base + line.top, line === first, least));
		this.context.restore();
	}

	// The first visible line has its label where it is visible, at least at a height, and also if it is another lane of a track.
	drawLabel(line, top, isFirst, least) {
		const { node, depth, height } = line, isHead = line.tracks.length === 0, x = 8 + depth * INDENT;
		this.context.fillStyle = this.current === node ? this.accent : this.line;
		if (this.current === node)
			this.context.fillRect(0, top, 3, height);
		this.context.fillStyle = this.line;
		if (line.isLast || isHead || line.tracks[0].identity.scope !== "thread")
			this.context.fillRect(0, top + height + TRACK_GAP / 2, this.width, 1);
		if (this.canFold(node) && (line.isFirst || isHead))
			this.drawText(node.isOpen ? "\u25be" : "\u25b8", x, top + 9, INDENT);
		if (node.kind === "area") {
			this.context.fillStyle = this.shade;
			this.context.fillRect(0, top - TRACK_GAP / 2, this.width, height + TRACK_GAP);
			if (this.canFold(node))
				this.drawText(node.isOpen ? "\u25be" : "\u25b8", x, top + 9, INDENT);
		}
		if (isHead)
			return this.drawText(`${node.label}${node.kind === "idle" ? "; click, or press t" : ""}`, x + INDENT, top + LANE / 2 + 1, this.width - x);
		const shown = isFirst ? Math.min(Math.max(top, least), top + height - LANE) : top;
		if (!line.isLane || (isFirst && !this.isNarrow))
			this.drawTrackLabel(line, x + (this.canFold(node) ? INDENT : 0), shown + 9, this.isNarrow && shown > top);
	}

	// Whether a line has more than its first track to show.
	canFold(node) {
		if (node.children.length > 0 || node.lanes)
			return node.children.length > 0 || node.lanes.length > 1;
		const lines = node.isThread ? sharedLines(node.tracks) : [], firsts = node.isThread ? lines.map(({ tracks: [track] }) => track) : node.tracks;
		return lines.some(({ number }) => number > 1) || firsts.some((track) => laneKeyOf(track) !== laneKeyOf(node.tracks[0]));
	}

	// The label at the left, the tracepoint at the right if it fits. The values of a counter are below, or there if the label is above.
	// A label over its row has no more than its text.
	drawTrackLabel(line, x, y, isOver) {
		const { samples, isRate } = line.tracks[0], right = this.isNarrow ? this.width - BAR_WIDTH : GUTTER, text = this.labelOf(line), space = right - 12 - x, rest = space - this.widthOf(text) - 10;
		const values = samples && (isRate ? "rate, in a second" : `${samples.lowest ?? ""} \u2026 ${samples.highest ?? ""}`), beside = this.isNarrow && values ? values : tracepointOf(line);
		this.context.fillStyle = this.paper;
		this.context.fillRect(x - 2, y - 8, isOver ? this.widthOf(text) + 4 : 0, 15);
		this.drawText(text, x, y, space);
		if (!isOver && rest > this.widthOf(beside))
			this.drawText(beside, right - 8 - this.widthOf(beside), y, rest, this.faint);
		if (values && !this.isNarrow)
			this.drawText(values, x, y + 17, space);
	}

	// Threads with several tracks have their name at the first of them. All lanes of a track have one label.
	labelOf({ node, tracks, isFirst, joined }) {
		const [track] = tracks, isMixed = joined && new Set(tracks.map(({ identity }) => identity.name)).size > 1;
		const name = (isMixed ? "slices" : track.identity.name) + (joined?.number > 1 ? ` (${joined.number})` : "");
		if (node.lanes || (node.isThread && isFirst && track.identity.tracepoint === STATE_TRACKS))
			return node.label;
		if (node.isThread && this.canFold(node))
			return isFirst ? `${node.label} \u00b7 ${name}` : name;
		if (isMixed)
			return node.label;
		return track.identity.lane ? track.label.replace(/ ?lane \d+/, "") : track.label;
	}

	// A scroll bar, unless all tracks are visible.
	drawBar() {
		const size = this.rows - this.body;
		if (this.isWhole)
			return;
		this.context.fillStyle = this.ink;
		this.context.globalAlpha = 0.55;
		this.context.fillRect(this.width - BAR_WIDTH, this.body + this.scroll / this.height * size, BAR_WIDTH - 2, Math.max(size * size / this.height, 12));
		this.context.globalAlpha = 1;
	}
}
