// SPDX-License-Identifier: GPL-2.0-only
// The page: keys, mouse, search and details.
"use strict";

const ZOOM_STEP = 1.4, MOVE_STEP = 0.15, TIP_LINES_MAX = 6;
// Pixels for one line of a wheel that reports lines.
const WHEEL_LINE = 33;
// Hits narrower than NARROW pixels are zoomed to: the window is MARGIN times their duration, at least MARGIN_MIN_NS.
const NARROW = 2, MARGIN = 20, MARGIN_MIN_NS = 2000;

// The zoom for one turn of the wheel: small for a pinch on a touchpad, which sends many small turns.
function wheelZoom(event) {
	const turn = event.deltaY || event.deltaX, pixels = event.deltaMode === 0 ? turn : turn * WHEEL_LINE;
	return Math.min(Math.max(Math.exp(pixels / 100), 1 / ZOOM_STEP), ZOOM_STEP);
}

// A text whose marks of direction do not change what is around it.
function showSafe(text) {
	return String(text).replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

function counted(count, word) {
	return `${count} ${word}${count === 1 ? "" : "s"}`;
}

class Page {
	constructor(text) {
		this.pointers = new Map();
		this.recording = new Recording(text);
		this.picture = new FlowPicture(document.getElementById("picture"), this.recording);
		this.part = (id) => document.getElementById(id);
		this.why = new Why(this.recording, (one) => this.go(one));
		this.trail = [];
		this.picture.whenDrawn = () => this.showRange();
		this.showAbout();
		new ResizeObserver(() => this.picture.resize()).observe(this.picture.canvas);
		this.picture.resize();
		this.showDetails(null);
		this.listen();
	}

	listen() {
		const canvas = this.picture.canvas;
		canvas.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
		canvas.addEventListener("pointerdown", (event) => this.onDown(event));
		canvas.addEventListener("pointermove", (event) => this.onMove(event));
		canvas.addEventListener("pointerup", (event) => this.onUp(event));
		canvas.addEventListener("pointercancel", (event) => this.onUp(event));
		canvas.addEventListener("pointerleave", () => this.hideTip());
		canvas.addEventListener("dblclick", () => this.focus());
		document.addEventListener("keydown", (event) => this.onKey(event));
		this.part("search").addEventListener("input", () => this.find(1, true));
		this.part("fit").addEventListener("click", () => this.fit());
		this.part("help-button").addEventListener("click", () => this.part("help").showModal());
	}

	showAbout() {
		const { about, tracks, end } = this.recording;
		this.part("about").textContent = `${about.source} · ${showDuration(end)} · ${counted(tracks.length, "track")}`;
		this.part("about").title = about.source;
		this.part("faults").textContent = this.faults()[0] ?? "";
	}

	// The faults of the recording, the worst first.
	faults() {
		const { losses, totals, notes } = this.recording, faults = [];
		if (!totals)
			faults.push("the end of this page is missing");
		if (losses.length > 0)
			faults.push(this.lossFact());
		if (totals?.suspect)
			faults.push(`${counted(totals.suspect, "slice")} may be wrong because of that`);
		return [...faults, ...notes];
	}

	// The same number as in every output of ktrack.
	lossFact() {
		const { totals, losses } = this.recording, unknown = totals?.lost_gaps_unknown;
		if (!totals?.lost)
			return `lost an unknown number of records in ${counted(losses.length, "gap")}`;
		const gaps = losses.length > 0 ? ` in ${counted(losses.length, "gap")}` : "";
		return `lost ${counted(totals.lost, "record")}${gaps}${unknown ? `, ${unknown} of unknown size` : ""}`;
	}

	// Facts about the whole recording.
	wholeFacts() {
		const { about, tracks, end, totals } = this.recording;
		const facts = [["recording", about.source], ["duration", showExact(end)], ["tracks", tracks.length],
			["incomplete", totals?.unfinished && counted(totals.unfinished, "slice")], ["kernel", about.kernel], ["clock", about.clock], ["CPUs", about.cpus]];
		if (about.time_source !== "none")
			facts.splice(1, 0, ["began", this.timeOfDay(0)]);
		if (totals?.wall_drift_ns)
			facts.push(["wall clock", `moved by ${showDuration(totals.wall_drift_ns)} meanwhile`]);
		return facts.filter(([, value]) => value);
	}

	showRange() {
		const span = this.picture.span;
		this.part("range").textContent = `${showDuration(span.from)} + ${showDuration(span.to - span.from)}`;
	}

	fit() {
		const { from, to } = this.picture.whole;
		this.picture.setSpan(from, to);
	}

	onWheel(event) {
		event.preventDefault();
		const turn = event.deltaY || event.deltaX;
		const isZoom = event.ctrlKey || event.metaKey || event.altKey;
		const isAcross = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
		if (isZoom || (!isAcross && this.picture.isWhole))
			this.picture.zoom(wheelZoom(event), event.offsetX);
		else if (isAcross)
			this.picture.move(Math.sign(turn) * MOVE_STEP);
		else
			this.picture.setScroll(this.picture.scroll + event.deltaY);
	}

	onDown(event) {
		this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
		this.beginDrag(this.pointers.size > 1);
		this.picture.canvas.setPointerCapture(event.pointerId);
	}

	// The middle of two fingers and their distance, or the mouse.
	grip() {
		const [one, other = one] = [...this.pointers.values()];
		return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2, size: Math.hypot(one.x - other.x, one.y - other.y) };
	}

	beginDrag(isFar) {
		this.drag = { ...this.grip(), span: this.picture.span, scroll: this.picture.scroll, isFar };
	}

	onMove(event) {
		if (!this.drag)
			return this.showTip(event);
		if (!this.pointers.has(event.pointerId))
			return;
		this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
		if (this.pointers.size > 1)
			return this.onPinch(this.grip());
		const dx = event.offsetX - this.drag.x, dy = event.offsetY - this.drag.y;
		this.drag.isFar ||= Math.hypot(dx, dy) > 4;
		if (!this.drag.isFar)
			return;
		const by = dx / this.picture.scale;
		this.picture.setSpan(this.drag.span.from - by, this.drag.span.to - by);
		this.picture.setScroll(this.drag.scroll - dy);
	}

	// Keeps the same time between the fingers.
	onPinch(grip) {
		const picture = this.picture, { from, to } = this.drag.span;
		const size = (to - from) * Math.max(this.drag.size, 1) / Math.max(grip.size, 1), wide = picture.width - GUTTER;
		const time = from + (to - from) * (this.drag.x - GUTTER) / wide, begin = time - size * (grip.x - GUTTER) / wide;
		picture.setSpan(begin, begin + size);
		picture.setScroll(this.drag.scroll + this.drag.y - grip.y);
	}

	onUp(event) {
		this.pointers.delete(event.pointerId);
		if (this.drag && !this.drag.isFar && event.type === "pointerup")
			this.onClick(event);
		this.drag = null;
		if (this.pointers.size > 0)
			this.beginDrag(true);
	}

	onClick(event) {
		if (this.picture.isIdleLine(event.offsetY))
			return this.picture.toggleIdle();
		this.trail = [];
		const cut = event.offsetX < GUTTER ? null : this.picture.cutAt(event.offsetY);
		if (cut)
			this.picture.showRow(cut, cut.first + ROWS_MOST);
		else
			this.select(hit(this.picture, event.offsetX, event.offsetY));
	}

	onKey(event) {
		const isTyping = event.target === this.part("search");
		if (event.key === "Enter" && isTyping)
			this.find(event.shiftKey ? -1 : 1);
		else if (event.key === "Escape")
			this.leave();
		else if (!isTyping && !this.part("help").open && !event.ctrlKey && !event.metaKey && !event.altKey && this.onLetter(event.key))
			event.preventDefault();
	}

	// Handles a key; returns whether it has a meaning.
	onLetter(key) {
		const picture = this.picture, page = picture.rows - RULER - LANE;
		const keys = {
			w: () => picture.zoom(1 / ZOOM_STEP), "+": () => picture.zoom(1 / ZOOM_STEP), "=": () => picture.zoom(1 / ZOOM_STEP),
			s: () => picture.zoom(ZOOM_STEP), "-": () => picture.zoom(ZOOM_STEP),
			a: () => picture.move(-MOVE_STEP), ArrowLeft: () => picture.move(-MOVE_STEP),
			d: () => picture.move(MOVE_STEP), ArrowRight: () => picture.move(MOVE_STEP),
			ArrowUp: () => picture.setScroll(picture.scroll - 3 * LANE), ArrowDown: () => picture.setScroll(picture.scroll + 3 * LANE),
			PageUp: () => picture.setScroll(picture.scroll - page), PageDown: () => picture.setScroll(picture.scroll + page),
			0: () => this.fit(), Home: () => this.fit(), f: () => this.focus(),
			t: () => picture.toggleIdle(), j: () => this.part("details").querySelector(".way")?.click(), b: () => this.goBack(),
			"[": () => this.step(-1), "]": () => this.step(1),
			n: () => this.find(1), N: () => this.find(-1),
			"/": () => this.part("search").select(), "?": () => this.part("help").showModal(),
		};
		const hasMeaning = Object.hasOwn(keys, key);
		if (hasMeaning)
			keys[key]();
		return hasMeaning;
	}

	leave() {
		this.part("search").blur();
		this.picture.canvas.focus();
		this.trail = [];
		this.select(null);
	}

	// Jumps to the reason of a part, from which goBack() leads back.
	go(one) {
		this.trail.push(this.picture.selected);
		this.show(one);
	}

	goBack() {
		const one = this.trail.pop();
		if (one)
			this.show(one);
	}

	step(step) {
		const next = this.picture.selected && neighbour(this.picture.selected, step);
		if (next)
			this.show(next);
	}

	// Zooms to the selected item.
	focus() {
		const one = this.picture.selected;
		if (!one)
			return;
		const size = Math.max(one.end - one.begin, 1000);
		this.picture.setSpan(one.begin - size * 0.3, one.end + size * 0.3);
	}

	// Selects an item and makes it visible.
	show(one) {
		const { span, scale } = this.picture, length = one.end - one.begin, before = this.spanBefore();
		const isVisible = one.end >= span.from && one.begin <= span.to;
		const isWide = one.kind !== "slice" || length * scale >= NARROW;
		const isTooLong = span !== before && length > span.to - span.from;
		if (!isVisible || !isWide || isTooLong)
			this.showTime(one, before);
		if (one.kind === "slice")
			this.picture.showRow(one.track, one.track.rows.indexOf(one.row));
		this.showTrack(one.track, one);
		this.select(one);
	}

	// The span from before the zoom to the last hit, if that zoom is still on.
	spanBefore() {
		const { from, to } = this.picture.span, size = this.zoomed?.size ?? 0;
		return Math.abs(to - from - size) < size * 1e-9 ? this.zoomed.before : this.picture.span;
	}

	// Zooms to narrow slices. Other items are shown at the zoom from before such a hit.
	showTime(one, before) {
		const picture = this.picture, size = before.to - before.from, length = one.end - one.begin;
		const isNarrow = one.kind === "slice" && length * (picture.width - GUTTER) < NARROW * size;
		const shown = isNarrow ? Math.min(size, Math.max(length * MARGIN, MARGIN_MIN_NS)) : size;
		if (!isNarrow && one.end >= before.from && one.begin <= before.to)
			picture.setSpan(before.from, before.to);
		else
			picture.setSpan((one.begin + one.end - shown) / 2, (one.begin + one.end + shown) / 2);
		this.zoomed = isNarrow ? { before, size: picture.span.to - picture.span.from } : null;
	}

	// Scrolls to a track, and to the row of a slice in it.
	showTrack(track, one = null) {
		if (track.top < 0)
			this.picture.toggleIdle();
		const picture = this.picture, isSlice = one?.kind === "slice";
		const place = isSlice ? (track.rows.indexOf(one.row) - track.first) * LANE : 0, top = picture.topOf(track) + place;
		if (top < RULER || top + (isSlice ? LANE : track.height) > picture.rows)
			picture.setScroll(track.top + place - (picture.rows - RULER) / 3);
	}

	find(step, isNew = false) {
		const text = this.part("search").value;
		if (!text) {
			this.part("found").textContent = "";
			return;
		}
		const one = search(this.recording, text, isNew ? null : this.picture.selected, step);
		const track = one ? null : searchTrack(this.recording, text);
		if (one)
			this.show(one);
		else if (track)
			this.showTrack(track);
		this.part("found").textContent = one ? `at ${showDuration(one.begin)}` : track ? `track ${track.label}` : "not found";
	}

	select(one) {
		this.picture.selected = one;
		this.picture.flows = [];
		this.picture.ask();
		this.showDetails(one);
	}

	showTip(event) {
		const tip = this.part("tip"), lines = event.offsetX < GUTTER ? this.labelAt(event) : this.linesAt(event);
		if (lines.length === 0)
			return this.hideTip();
		tip.textContent = lines.map(showSafe).join("\n");
		tip.hidden = false;
		tip.style.left = `${Math.min(event.offsetX + 12, this.picture.width - tip.offsetWidth - 4)}px`;
		tip.style.top = `${Math.max(event.offsetY - tip.offsetHeight - 8, 0)}px`;
	}

	// The item under the mouse, and the losses and marks at that time.
	linesAt(event) {
		const one = hit(this.picture, event.offsetX, event.offsetY);
		const time = this.picture.timeOf(event.offsetX), within = 3 / this.picture.scale;
		const isAt = (from, to) => time >= from - within && time <= to + within;
		const losses = this.recording.losses.filter((loss) => isAt(loss.from, loss.to));
		const marks = this.recording.marks.filter((mark) => event.offsetY < RULER && isAt(mark.time, mark.time));
		return [...(one ? [this.headOf(one)] : []), ...[...losses, ...marks].slice(0, TIP_LINES_MAX).map(({ text }) => text)];
	}

	// The whole label of a track, and its tracepoint.
	labelAt(event) {
		const track = this.picture.trackAt(event.offsetY);
		if (!track)
			return [];
		const range = track.samples ? [`${track.samples.lowest} … ${track.samples.highest}`] : [];
		return [track.label, track.identity.tracepoint, ...range];
	}

	hideTip() {
		this.part("tip").hidden = true;
	}

	// An item in one line.
	headOf(one) {
		if (one.kind === "sample")
			return `${one.track.label} = ${one.chunk.exact(one.index)}`;
		const name = nameOf(this.recording, one);
		return one.kind === "slice" ? `${name}  ${showDuration(one.end - one.begin)}` : name;
	}

	timeOfDay(ns) {
		const unix = BigInt(this.recording.about.unix_ns) + BigInt(Math.round(ns));
		const date = new Date(Number(unix / 1000000n)).toISOString().replace(/\.\d+Z/, "");
		return `${date}.${String(unix % 1000000000n).padStart(9, "0")} UTC`;
	}

	factsOf(one) {
		const facts = [["track", one.track.label], ["tracepoint", one.track.identity.tracepoint], ["begin", showExact(one.begin)]];
		if (this.recording.about.time_source !== "none")
			facts.push(["time", this.timeOfDay(one.begin)]);
		if (one.kind === "slice") {
			const marks = one.chunk.read().marks[one.index];
			facts.push(["duration", showExact(one.end - one.begin)], ["depth", one.row.depth + 1]);
			if (marks & 1)
				facts.push(["suspect", "lost records may have changed it"]);
			if (marks & 2)
				facts.push(["incomplete", "it has no end"]);
			if (marks & 4)
				facts.push(["foreign", "threads ended each other's slices on this track: the duration may be wrong"]);
		}
		return facts;
	}

	async showDetails(one) {
		const panel = this.part("details");
		if (!one) {
			panel.replaceChildren(this.whole());
			return;
		}
		const args = await one.chunk.argsOf(one.index), why = await this.why.of(one);
		if (this.picture.selected !== one)
			return;
		this.picture.flows = flowsOf(this.recording, one, args);
		this.picture.ask();
		const head = element("h2", { textContent: showSafe(this.headOf(one)) }), columns = element("div", { className: "columns" });
		if (this.trail.length > 0)
			head.append(" ", this.backButton());
		columns.append(this.table([...this.factsOf(one), ...this.flowFacts()]));
		if (why)
			columns.append(why);
		const parts = Array.isArray(args) ? [["at its begin", args[0]], ["at its end", args[1]]] : [["fields", args]];
		for (const [title, part] of parts)
			this.appendFields(columns, part, title);
		panel.replaceChildren(head, columns);
	}

	backButton() {
		const button = element("button", { textContent: "\u2190 back", title: "b: to the slice that this explains" });
		button.addEventListener("click", () => this.goBack());
		return button;
	}

	// Flows have facts of their own.
	appendFields(columns, part, title) {
		const fields = Object.entries(part || {}).filter(([name]) => name !== FLOW_KEY);
		if (fields.length > 0)
			columns.append(this.table(fields, title));
	}

	flowFacts() {
		return this.picture.flows.map(({ text, number, count }) => ["flow", `${text}, point ${number} of ${count}`]);
	}

	// Facts about the recording, shown if nothing is selected.
	whole() {
		const columns = element("div", { className: "columns" }), list = element("div", { className: "bad" });
		for (const fault of this.faults())
			list.append(element("div", { textContent: fault }));
		if (list.hasChildNodes())
			columns.append(list);
		columns.append(this.table(this.wholeFacts()), "Click on something for its details.");
		return columns;
	}

	table(rows, title = "") {
		const table = document.createElement("table");
		if (title)
			table.createCaption().textContent = title;
		for (const row of rows) {
			const line = table.insertRow();
			for (const text of row)
				line.insertCell().textContent = showSafe(text);
		}
		return table;
	}
}

window.ktrack = new Page(document.getElementById("data").textContent);
