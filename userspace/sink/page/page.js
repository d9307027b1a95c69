// SPDX-License-Identifier: GPL-2.0-only
// The page itself: keys, mouse, search and details.
"use strict";

const ZOOM_STEP = 1.4, MOVE_STEP = 0.15, TIP_LINES_MAX = 6;

function counted(count, word) {
	return `${count} ${word}${count === 1 ? "" : "s"}`;
}

class Page {
	constructor(text) {
		this.recording = new Recording(text);
		this.picture = new Picture(document.getElementById("picture"), this.recording);
		this.part = (id) => document.getElementById(id);
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

	// What is wrong with the recording, the worst first.
	faults() {
		const { losses, totals, notes } = this.recording, faults = [];
		if (!totals)
			faults.push("the end of this page is missing");
		if (losses.length > 0)
			faults.push(`${totals?.lost || "unknown"} records lost`);
		if (totals?.suspect)
			faults.push(`${counted(totals.suspect, "slice")} may be falsified by that`);
		return [...faults, ...notes];
	}

	// What is known of the recording as a whole.
	wholeFacts() {
		const { about, tracks, end, totals } = this.recording;
		const facts = [["recording", about.source], ["duration", showExact(end)], ["tracks", tracks.length],
			["unfinished", totals?.unfinished && counted(totals.unfinished, "slice")], ["kernel", about.kernel], ["clock", about.clock], ["CPUs", about.cpus]];
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
		this.picture.setSpan(0, this.recording.end);
	}

	onWheel(event) {
		event.preventDefault();
		const turn = event.deltaY || event.deltaX;
		const isZoom = event.ctrlKey || event.metaKey || event.altKey;
		const isAcross = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
		if (isZoom || (!isAcross && this.picture.isWhole))
			this.picture.zoom(ZOOM_STEP ** Math.sign(turn), event.offsetX);
		else if (isAcross)
			this.picture.move(Math.sign(turn) * MOVE_STEP);
		else
			this.picture.setScroll(this.picture.scroll + event.deltaY);
	}

	onDown(event) {
		this.drag = { x: event.offsetX, y: event.offsetY, span: this.picture.span, scroll: this.picture.scroll, isFar: false };
		this.picture.canvas.setPointerCapture(event.pointerId);
	}

	onMove(event) {
		if (!this.drag)
			return this.showTip(event);
		const dx = event.offsetX - this.drag.x, dy = event.offsetY - this.drag.y;
		this.drag.isFar ||= Math.hypot(dx, dy) > 4;
		if (!this.drag.isFar)
			return;
		const by = dx / this.picture.scale;
		this.picture.setSpan(this.drag.span.from - by, this.drag.span.to - by);
		this.picture.setScroll(this.drag.scroll - dy);
	}

	onUp(event) {
		if (this.drag && !this.drag.isFar)
			this.select(hit(this.picture, event.offsetX, event.offsetY));
		this.drag = null;
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

	// Whether a key means anything.
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
			"[": () => this.step(-1), "]": () => this.step(1),
			n: () => this.find(1), N: () => this.find(-1),
			"/": () => this.part("search").select(), "?": () => this.part("help").showModal(),
		};
		const isKnown = Object.hasOwn(keys, key);
		if (isKnown)
			keys[key]();
		return isKnown;
	}

	leave() {
		this.part("search").blur();
		this.picture.canvas.focus();
		this.select(null);
	}

	step(step) {
		const next = this.picture.selected && neighbour(this.picture.selected, step);
		if (next)
			this.show(next);
	}

	// Zooms to what is selected.
	focus() {
		const one = this.picture.selected;
		if (!one)
			return;
		const size = Math.max(one.end - one.begin, 1000);
		this.picture.setSpan(one.begin - size * 0.3, one.end + size * 0.3);
	}

	// Selects a thing and brings it into sight.
	show(one) {
		const picture = this.picture, { from, to } = picture.span, size = to - from;
		if (one.end < from || one.begin > to || (one.end - one.begin) * picture.scale < 2) {
			const room = Math.min(size, Math.max((one.end - one.begin) * 20, 2000));
			picture.setSpan((one.begin + one.end - room) / 2, (one.begin + one.end + room) / 2);
		}
		this.showTrack(one.track);
		this.select(one);
	}

	showTrack(track) {
		const picture = this.picture, top = picture.topOf(track);
		if (top < RULER || top + track.height > picture.rows)
			picture.setScroll(track.top - (picture.rows - RULER) / 3);
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
		this.picture.ask();
		this.showDetails(one);
	}

	showTip(event) {
		const tip = this.part("tip"), lines = event.offsetX < GUTTER ? this.labelAt(event) : this.linesAt(event);
		if (lines.length === 0)
			return this.hideTip();
		tip.textContent = lines.join("\n");
		tip.hidden = false;
		tip.style.left = `${Math.min(event.offsetX + 12, this.picture.width - tip.offsetWidth - 4)}px`;
		tip.style.top = `${Math.max(event.offsetY - tip.offsetHeight - 8, 0)}px`;
	}

	// What is under the mouse, and what happened to the recording at that time.
	linesAt(event) {
		const one = hit(this.picture, event.offsetX, event.offsetY);
		const time = this.picture.timeOf(event.offsetX), within = 3 / this.picture.scale;
		const isAt = (from, to) => time >= from - within && time <= to + within;
		const losses = this.recording.losses.filter((loss) => isAt(loss.from, loss.to));
		const marks = this.recording.marks.filter((mark) => event.offsetY < RULER && isAt(mark.time, mark.time));
		return [...(one ? [this.headOf(one)] : []), ...[...losses, ...marks].slice(0, TIP_LINES_MAX).map(({ text }) => text)];
	}

	// The whole of a label, and whose records they are.
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

	// A thing in one line.
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
				facts.push(["suspect", "a loss of records may have falsified it"]);
			if (marks & 2)
				facts.push(["unfinished", "no record ended it"]);
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
		const args = await one.chunk.argsOf(one.index);
		if (this.picture.selected !== one)
			return;
		const head = document.createElement("h2"), columns = document.createElement("div");
		head.textContent = this.headOf(one);
		columns.className = "columns";
		columns.append(this.table(this.factsOf(one)));
		const parts = Array.isArray(args) ? [["at its begin", args[0]], ["at its end", args[1]]] : [["fields", args]];
		for (const [title, part] of parts)
			if (part)
				columns.append(this.table(Object.entries(part), title));
		panel.replaceChildren(head, columns);
	}

	// The recording, where nothing in it is selected.
	whole() {
		const columns = document.createElement("div"), list = document.createElement("div");
		columns.className = "columns";
		list.className = "bad";
		for (const fault of this.faults())
			list.append(Object.assign(document.createElement("div"), { textContent: fault }));
		if (list.hasChildNodes())
			columns.append(list);
		columns.append(this.table(this.wholeFacts()), "Click on something to see what it is.");
		return columns;
	}

	table(rows, title = "") {
		const table = document.createElement("table");
		if (title)
			table.createCaption().textContent = title;
		for (const row of rows) {
			const line = table.insertRow();
			for (const text of row)
				line.insertCell().textContent = String(text);
		}
		return table;
	}
}

window.ktrack = new Page(document.getElementById("data").textContent);
