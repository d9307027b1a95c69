// SPDX-License-Identifier: GPL-2.0-only
// The page itself: keys, mouse, search and details.
"use strict";

const ZOOM_STEP = 1.4, MOVE_STEP = 0.15;

class Page {
	constructor(text) {
		this.recording = new Recording(text);
		this.picture = new Picture(document.getElementById("picture"), this.recording);
		this.part = (id) => document.getElementById(id);
		this.picture.whenDrawn = () => this.showRange();
		this.showAbout();
		new ResizeObserver(() => this.picture.resize()).observe(this.picture.canvas);
		this.picture.resize();
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
		const about = this.recording.about, totals = this.recording.totals;
		this.part("about").textContent = `${about.source} · ${showDuration(this.recording.end)} · ${this.recording.tracks.length} tracks`;
		if (this.recording.losses.length > 0) {
			const lost = document.createElement("span");
			lost.className = "bad";
			lost.textContent = ` · ${totals?.lost || "unknown"} records lost`;
			this.part("about").append(lost);
		}
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
		if (event.ctrlKey || event.metaKey || event.altKey)
			this.picture.zoom(ZOOM_STEP ** Math.sign(turn), event.offsetX);
		else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
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
		else if (!isTyping && !event.ctrlKey && !event.metaKey && !event.altKey && this.onLetter(event.key))
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
		const one = hit(this.picture, event.offsetX, event.offsetY), tip = this.part("tip");
		const loss = this.lossAt(event);
		if (!one && !loss)
			return this.hideTip();
		tip.textContent = [one && this.headOf(one), loss?.text].filter((text) => text).join("\n");
		tip.hidden = false;
		tip.style.left = `${Math.min(event.offsetX + 12, this.picture.width - tip.offsetWidth - 4)}px`;
		tip.style.top = `${Math.max(event.offsetY - tip.offsetHeight - 8, 0)}px`;
	}

	lossAt(event) {
		const time = this.picture.timeOf(event.offsetX), within = 2 / this.picture.scale;
		return this.recording.losses.find((one) => time >= one.from - within && time <= one.to + within);
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
		const facts = [["track", one.track.label], ["tracepoint", one.track.identity.tracepoint], ["begin", showDuration(one.begin)]];
		if (this.recording.about.time_source !== "none")
			facts.push(["time", this.timeOfDay(one.begin)]);
		if (one.kind === "slice") {
			const marks = one.chunk.read().marks[one.index];
			facts.push(["duration", showDuration(one.end - one.begin)], ["depth", one.row.depth + 1]);
			if (marks & 1)
				facts.push(["suspect", "a loss of records may have falsified it"]);
			if (marks & 2)
				facts.push(["unfinished", "no record ended it"]);
		}
		return facts;
	}

	async showDetails(one) {
		const panel = this.part("details");
		if (!one) {
			panel.textContent = "Click on something to see what it is.";
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
