// SPDX-License-Identifier: GPL-2.0-only
// Follows a recording: reads its lines while they are written, adds them to the page, and moves the visible part along.
"use strict";

// The visible part is so long at first. A frame adds lines for so long, or half as long as the last one was drawn.
const FOLLOWED_NS = 10e9, ADDING_MS = 8;
// A lost connection is tried again so often, after this time.
const RETRIES = 5, RETRY_MS = 400;
// The last line is at most so long.
const LAST_LINE = 4096;

class Live {
	// `frame` is a copy of the page as it was loaded.
	constructor(page, address, frame) {
		Object.assign(this, { page, address, frame, recording: page.recording, picture: page.picture, texts: [], waiting: [], size: FOLLOWED_NS, waitingSize: 0, nrBytes: 0, tail: "" });
		Object.assign(this, { span: page.picture.span, isPaused: false, isAsked: false, decoder: new TextDecoder() });
		this.recording.isGrowing = true;
		page.part("live").hidden = false;
		page.part("pause").addEventListener("click", () => this.toggle());
		page.part("save").addEventListener("click", () => page.saver.save(this.saved(), "html"));
		page.showAbout();
		page.showDetails(null);
		this.showState();
		this.done = this.follow();
	}

	// Reads until the last line. A connection that is lost goes on where it ended.
	async follow() {
		for (let left = RETRIES; left > 0 && !this.hasLast; left--) {
			const before = this.nrBytes;
			try {
				await this.receive();
			} catch (problem) {
				this.problem = problem;
			}
			if (this.nrBytes > before)
				left = RETRIES;
			if (!this.hasLast)
				await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
		}
		this.isOver = true;
		this.ask();
	}

	// Reads one answer.
	async receive() {
		const answer = await fetch(`${this.address}?from=${this.nrBytes}`, { cache: "no-store" });
		if (!answer.ok)
			throw new Error(await answer.text());
		for (let reader = answer.body.getReader(), part = await reader.read(); !part.done; part = await reader.read()) {
			this.nrBytes += part.value.length;
			this.take(this.decoder.decode(part.value, { stream: true }));
		}
	}

	get hasLast() {
		return this.tail.includes("\nf {");
	}

	take(text) {
		this.tail = (this.tail + text).slice(-LAST_LINE);
		this.waiting.push(text);
		this.waitingSize += text.length;
		this.ask();
	}

	ask() {
		if (this.isPaused)
			return this.showState();
		if (this.isAsked)
			return;
		this.isAsked = true;
		requestAnimationFrame(() => {
			this.isAsked = false;
			this.step();
		});
	}

	// Adds what a frame has time for. Nothing changes while the mouse drags.
	step() {
		if (this.page.pointer.drag)
			return this.ask();
		if (this.wasMovedAway())
			return this.toggle();
		const begun = performance.now(), { shape } = this.recording, until = begun + Math.max(ADDING_MS, (this.picture.frame_ms ?? 0) / 2);
		do
			this.add();
		while (this.waiting.length > 0 && performance.now() < until);
		this.finish();
		this.page.grow(shape);
		this.selectEnded();
		this.moveAlong();
		this.adding_ms = (this.adding_ms ?? 0) + performance.now() - begun;
		this.showState();
		if (this.waiting.length > 0)
			this.ask();
	}

	add() {
		const text = this.waiting.shift() ?? "";
		this.waitingSize -= text.length;
		this.texts.push(this.recording.add(text));
	}

	// The details of a slice may have more in the end.
	finish() {
		const { recording, page } = this, wasGrowing = recording.isGrowing;
		recording.isGrowing = !recording.totals && !(this.isOver && this.waiting.length === 0);
		if (wasGrowing && !recording.isGrowing && this.picture.selected)
			page.showDetails(this.picture.selected);
	}

	// A selected slice that was open stays selected when it has ended.
	selectEnded() {
		const { selected } = this.picture;
		if (selected?.chunk.endedIn)
			this.page.select(newest(selected));
	}

	get isWhole() {
		const { from, to } = this.picture.span;
		return from <= 0 && to >= this.recording.end;
	}

	// Whether somebody moved the visible part to where the end is not. Its size is kept otherwise.
	wasMovedAway() {
		const { span } = this.picture;
		if (span === this.span)
			return false;
		this.span = span;
		this.size = this.isWhole ? Infinity : span.to - span.from;
		return span.to < this.recording.end;
	}

	// Shows the newest records: `size` of them, or all.
	moveAlong() {
		const { whole } = this.picture, margin = this.size * 0.01;
		if (this.size >= whole.to)
			this.picture.setSpan(whole.from, whole.to);
		else
			this.picture.setSpan(this.recording.end + margin - this.size, this.recording.end + margin);
		this.span = this.picture.span;
	}

	// Holds the page still, or goes on at its end.
	toggle() {
		if (!this.recording.isGrowing)
			return;
		this.isPaused = !this.isPaused;
		if (!this.isPaused) {
			this.wasMovedAway();
			this.ask();
		}
		this.showState();
	}

	showState() {
		const { page, recording, waitingSize } = this;
		const state = this.isPaused ? "paused" : recording.isGrowing ? "recording" : recording.totals ? "recording ended" : "connection lost";
		if (page.part("state").textContent !== state)
			page.part("state").textContent = state;
		page.part("state").title = this.problem && state === "connection lost" ? String(this.problem) : "";
		page.part("waiting").textContent = this.isPaused && waitingSize > 0 ? `${Math.ceil(waitingSize / 1024)} KiB waiting` : "";
		page.part("pause").textContent = this.isPaused ? "go on" : "pause";
		page.part("pause").hidden = !recording.isGrowing;
	}

	// A page that has all lines of this one, and follows nothing.
	saved() {
		const copy = this.frame.cloneNode(true), data = copy.querySelector("#data"), mark = `lines ${Math.random()}`;
		data.removeAttribute("data-lines");
		data.textContent = mark;
		const [head, tail] = copy.outerHTML.split(mark), cut = this.recording.totals ? [] : ["u\n"];
		return new Blob(["<!doctype html>\n", head, "\n", ...this.texts, ...cut, tail], { type: "text/html" });
	}
}
