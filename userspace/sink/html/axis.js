// SPDX-License-Identifier: GPL-2.0-only
// What is above the tracks: the overview of the whole recording, and the axis with relative time and UTC.
"use strict";

const OVERVIEW = 30, AXIS = 34, RULER = OVERVIEW + AXIS;
// The least distance of ticks. Ticks far from the beginning are relative to a time at the left.
const TICK_DISTANCE = 110, FAR_STEPS = 20000;
// The overview of a recording that grows is drawn again when it is longer by this factor.
const OVERVIEW_GROWTH = 1.01;
// Tracks that are always filled are not in the overview.
const NO_OVERVIEW = ["sched:thread", "sched:wakeup"];

// Nanoseconds in a unit, and its name.
function durationUnit(ns) {
	return [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]].find(([size]) => Math.abs(ns) >= size) ?? [1, "ns"];
}

function showDuration(ns) {
	const [size, unit] = durationUnit(ns);
	return `${+(ns / size).toPrecision(6)} ${unit}`;
}

// A duration in the same unit with all digits.
function showFull(ns) {
	const [size, unit] = durationUnit(ns), rest = String(Math.round(ns) % size).padStart(Math.log10(size), "0").replace(/0+$/, "");
	return `${Math.floor(Math.round(ns) / size)}${size > 1 && rest ? `.${rest}` : ""} ${unit}`;
}

// A time with all digits.
function showExact(ns) {
	const text = String(Math.abs(Math.round(ns))).padStart(10, "0");
	return `${ns < 0 ? "-" : ""}${text.slice(0, -9)}.${text.slice(-9)} s`;
}

// The smallest of 1, 2, 5, 10, ... that is at least `aim`.
function stepOf(aim) {
	const power = 10 ** Math.floor(Math.log10(aim));
	return Math.max([1, 2, 5, 10].map((n) => n * power).find((size) => size >= aim), 1);
}

// Date and time of nanoseconds since 1970, with as many decimals as a step needs.
function showUtc(unix, step) {
	const date = new Date(Number(unix / 1000000n)).toISOString(), decimals = Math.min(Math.max(9 - Math.floor(Math.log10(step)), 0), 9);
	const fraction = String(unix % 1000000000n).padStart(9, "0").slice(0, decimals);
	return { day: date.slice(0, 10), time: date.slice(11, 19) + (decimals > 0 ? `.${fraction}` : "") };
}

class Axis extends Counters {
	get hasUtc() {
		return this.recording.about.time_source !== "none" && this.recording.about.unix_ns !== undefined;
	}

	unixOf(time) {
		return BigInt(this.recording.about.unix_ns) + BigInt(Math.round(time));
	}

	// Where ticks are, and what their times are relative to.
	ticks() {
		const { from, to } = this.span, step = stepOf((to - from) / Math.max((this.width - GUTTER) / TICK_DISTANCE, 1));
		const isFar = Math.abs(from) > FAR_STEPS * step, size = 1000 * step, base = isFar ? Math.floor(from / size) * size : 0, times = [];
		for (let n = Math.ceil((from - base) / step); base + n * step <= to; n++)
			times.push(base + n * step);
		return { step, base, times };
	}

	drawAxis() {
		const { step, base, times } = this.ticks(), bottom = RULER - 5;
		this.context.fillStyle = this.paper;
		this.context.fillRect(0, 0, this.width, bottom);
		this.context.fillStyle = this.line;
		this.context.fillRect(0, RULER - 6, this.width, 1);
		for (const time of times) {
			const x = this.xOf(time);
			this.context.fillStyle = this.line;
			this.context.fillRect(x, OVERVIEW + 2, 1, AXIS - 8);
			this.drawText(`${base > 0 && time > base ? "+" : ""}${showDuration(time - base)}`, x + 3, OVERVIEW + 8, TICK_DISTANCE - 5);
			if (this.hasUtc)
				this.drawText(showUtc(this.unixOf(time), step).time, x + 3, OVERVIEW + 21, TICK_DISTANCE - 5, this.faint);
		}
		this.drawCorner(base, step);
		this.drawOverview();
		this.drawMarks();
	}

	// What the ticks are relative to, and their day; in a narrow window over the first tick.
	drawCorner(base, step) {
		this.context.fillStyle = this.paper;
		this.context.fillRect(0, 0, GUTTER - 1, RULER - 6);
		if (base > 0)
			this.drawCornerText(`${showExact(base)} +`, OVERVIEW + 8, this.ink);
		if (this.hasUtc)
			this.drawCornerText(`UTC ${showUtc(this.unixOf(this.span.from), step).day}`, OVERVIEW + 21, this.faint);
	}

	drawCornerText(text, y, colour) {
		const width = this.widthOf(text), x = this.isNarrow ? 4 : Math.max(GUTTER - 8 - width, 8);
		this.context.fillStyle = this.paper;
		this.context.fillRect(0, y - 6, this.isNarrow ? width + 12 : 0, 12);
		this.drawText(text, x, y, this.isNarrow ? width : GUTTER - 16, colour);
	}

	drawMarks() {
		this.context.fillStyle = this.ink;
		for (const mark of this.recording.marks)
			if (mark.time >= this.span.from && mark.time <= this.span.to)
				this.context.fillRect(this.xOf(mark.time), RULER - 12, 2, 12);
	}

	// Places in the overview.
	overviewX(time) {
		const { from, to } = this.whole;
		return GUTTER + (time - from) / (to - from) * (this.width - GUTTER);
	}

	overviewTime(x) {
		const { from, to } = this.whole;
		return from + (x - GUTTER) / (this.width - GUTTER) * (to - from);
	}

	drawOverview() {
		const shown = this.overviewOf(), share = this.overviewTo / this.whole.to, height = OVERVIEW - 6, from = Math.max(this.overviewX(this.span.from), GUTTER), to = Math.min(this.overviewX(this.span.to), this.width);
		this.context.drawImage(shown, GUTTER, 2, (this.width - GUTTER) * share, height);
		this.context.fillStyle = this.paper;
		this.context.globalAlpha = 0.65;
		this.context.fillRect(GUTTER, 2, Math.max(from - GUTTER, 0), height);
		this.context.fillRect(to, 2, Math.max(this.width - to, 0), height);
		this.context.globalAlpha = 1;
		this.context.fillStyle = this.ink;
		const width = Math.max(to - from, 2);
		[[from, 2, width, 1], [from, 1 + height, width, 1], [from, 2, 1, height], [from + width - 1, 2, 1, height]].forEach((edge) => this.context.fillRect(...edge));
		this.context.fillStyle = this.line;
		this.context.fillRect(0, OVERVIEW - 1, this.width, 1);
	}

	// The overview's picture. It is drawn again if the size, the colours or the losses change, or if the recording has grown.
	overviewOf() {
		const key = [this.nrColumns, this.ratio, this.palette.isDark, this.recording.losses.length].join(), { to } = this.whole;
		if (this.overviewKey === key && to >= this.overviewTo && to < this.overviewTo * (this.recording.isGrowing ? OVERVIEW_GROWTH : 1 + Number.EPSILON))
			return this.overview;
		Object.assign(this, { overviewKey: key, overviewTo: to });
		this.overview ??= document.createElement("canvas");
		this.overview.width = this.nrColumns;
		this.overview.height = Math.ceil(OVERVIEW * this.ratio);
		this.drawActivity(this.overview.getContext("2d"), this.overview.width, this.overview.height);
		return this.overview;
	}

	// How many tracks are busy in each column; red where records are lost.
	drawActivity(context, width, height) {
		const { from, to } = this.whole, factor = width / (to - from), busy = this.activity(width, factor), most = busy.reduce((a, b) => Math.max(a, b), 1e-9);
		context.fillStyle = this.paper;
		context.fillRect(0, 0, width, height);
		context.fillStyle = `rgb(${this.palette.grey.join(" ")})`;
		busy.forEach((sum, at) => context.fillRect(at, height * (1 - sum / most), 1, height * sum / most));
		context.fillStyle = this.bad;
		for (const loss of this.recording.losses)
			context.fillRect((loss.from - from) * factor, 0, Math.max((loss.to - loss.from) * factor, 2), height);
	}

	activity(width, factor) {
		const busy = new Float32Array(width), all = this.recording.tracks.filter((track) => track.rows.length > 0);
		const counted = all.filter((track) => !NO_OVERVIEW.includes(track.identity.tracepoint));
		for (const track of counted.length > 0 ? counted : all)
			for (const chunk of outerOf(track).flatMap(({ chunks }) => chunks))
				this.addActivity(busy, track, chunk, factor);
		return busy;
	}

	// A chunk that is wider than a column is spread by its digest. Those of CPUs count without what is idle.
	addActivity(busy, track, chunk, factor) {
		const from = chunk.from * factor, to = chunk.to * factor, isCpu = track.identity.tracepoint === CPU_TRACKS;
		const digest = (isCpu || to - from > 1) && chunk.digest(), size = digest ? BINS : 1, step = (to - from) / size;
		if (isCpu && !digest)
			return this.addWork(busy, track, chunk, factor);
		const isCounted = digest && digest.names.map((name) => !isIdle(this.recording, track, name)), whole = chunk.busy / Math.max(chunk.to - chunk.from, 1);
		for (let i = 0; i < size; i++) {
			const share = digest ? (isCounted[digest.bins[2 * i + 1] & NAME_MASK] ?? true) * digest.bins[2 * i] / FILLED : whole;
			addSpan(busy, from + i * step, from + (i + 1) * step, share);
		}
	}

	// A chunk of few slices of a CPU.
	addWork(busy, track, chunk, factor) {
		const { begin, end, name } = chunk.read();
		begin.forEach((from, i) => isIdle(this.recording, track, name[i]) || addSpan(busy, from * factor, end[i] * factor, 1));
	}
}

// Adds a share of a span, in columns.
function addSpan(busy, begin, end, share) {
	for (let at = Math.max(Math.floor(begin), 0); at < end && at < busy.length; at++)
		busy[at] += share * (Math.min(end, at + 1) - Math.max(begin, at));
}
