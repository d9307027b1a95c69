// SPDX-License-Identifier: GPL-2.0-only
// Mouse, pen, fingers and wheel on the canvas.
"use strict";

const ZOOM_STEP = 1.4, MOVE_STEP = 0.15;
// Pixels for one line of a wheel that reports lines; a pointer that moves less than CLICK_SLACK clicks, but not where it scrolls.
const WHEEL_LINE = 33, CLICK_SLACK = 4, NO_CLICKS = ["overview", "bar"];

// The zoom for one turn of the wheel: small for a pinch on a touchpad, which sends many small turns.
function wheelZoom(event) {
	const turn = event.deltaY || event.deltaX, pixels = wheelPixels(event, turn);
	return Math.min(Math.max(Math.exp(pixels / 100), 1 / ZOOM_STEP), ZOOM_STEP);
}

// Pixels of a turn of the wheel.
function wheelPixels(event, turn) {
	return event.deltaMode === 0 ? turn : turn * WHEEL_LINE;
}

class Pointer {
	constructor(page) {
		Object.assign(this, { page, picture: page.picture, pointers: new Map(), drag: null, time: null });
		const canvas = this.picture.canvas;
		canvas.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
		canvas.addEventListener("pointerdown", (event) => this.onDown(event));
		canvas.addEventListener("pointermove", (event) => this.onMove(event));
		canvas.addEventListener("pointerup", (event) => this.onUp(event));
		canvas.addEventListener("pointercancel", (event) => this.onUp(event));
		canvas.addEventListener("pointerleave", () => this.leave());
		canvas.addEventListener("dblclick", (event) => NO_CLICKS.includes(this.modeOf(event)) || this.page.focus());
	}

	leave() {
		this.time = null;
		this.page.hideTip();
	}

	onWheel(event) {
		event.preventDefault();
		const picture = this.picture, turn = event.deltaY || event.deltaX;
		const isZoom = event.ctrlKey || event.metaKey || event.altKey || event.offsetY < RULER;
		const isAcross = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
		if (isZoom || (!isAcross && picture.isWhole))
			picture.zoom(wheelZoom(event), event.offsetX);
		else if (isAcross)
			picture.move(wheelPixels(event, turn) / (picture.width - GUTTER));
		else
			picture.setScroll(picture.scroll + wheelPixels(event, event.deltaY));
	}

	onDown(event) {
		this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
		this.beginDrag(this.pointers.size > 1, this.modeOf(event));
		this.picture.canvas.setPointerCapture(event.pointerId);
		if (this.drag.mode === "overview")
			this.moveOverview(event.offsetX);
		if (this.drag.mode === "bar")
			this.moveBar(event.offsetY);
	}

	// What a drag does, by where it begins.
	modeOf(event) {
		if (event.offsetY < OVERVIEW && event.offsetX >= GUTTER)
			return "overview";
		if (event.offsetX >= this.picture.width - BAR_WIDTH && event.offsetY >= this.picture.body && !this.picture.isWhole)
			return "bar";
		if (event.offsetX < GUTTER && event.offsetY >= RULER && event.pointerType !== "touch" && !event.shiftKey)
			return "label";
		const isTouch = event.pointerType === "touch" && !this.page.selects;
		return event.shiftKey || event.button === 1 || isTouch || event.offsetX < GUTTER ? "pan" : "range";
	}

	// The middle of two fingers and their distance, or the mouse.
	grip() {
		const [one, other = one] = [...this.pointers.values()];
		return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2, size: Math.hypot(one.x - other.x, one.y - other.y) };
	}

	beginDrag(isFar, mode) {
		this.drag = { ...this.grip(), span: this.picture.span, scroll: this.picture.scroll, isFar, mode };
	}

	onMove(event) {
		this.time = event.offsetX >= GUTTER ? this.picture.timeOf(event.offsetX) : null;
		if (!this.drag)
			return this.page.showTip(event);
		if (!this.pointers.has(event.pointerId))
			return;
		this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
		if (this.pointers.size > 1)
			return this.onPinch(this.grip());
		this.drag.isFar ||= Math.hypot(event.offsetX - this.drag.x, event.offsetY - this.drag.y) > CLICK_SLACK;
		if (this.drag.mode === "overview")
			this.moveOverview(event.offsetX);
		else if (this.drag.mode === "bar")
			this.moveBar(event.offsetY);
		else if (this.drag.isFar && this.drag.mode === "range")
			this.selectRange(event);
		else if (this.drag.isFar && this.drag.mode === "label")
			this.moveLabel(event);
		else if (this.drag.isFar)
			this.pan(event);
	}

	// Moves a line of tracks past the next one when the mouse is there.
	moveLabel(event) {
		const { drag, picture } = this, node = drag.node ??= picture.lineAt(drag.y)?.node, over = picture.lineAt(event.offsetY)?.node;
		const nodes = node ? picture.sorted(node.parent ?? picture.tree) : [], from = nodes.indexOf(node), to = nodes.findIndex((one) => one === over || one.all.includes(over));
		if (from >= 0 && to >= 0 && from !== to)
			picture.shift(node, to - from);
	}

	// A drag over the axis selects all tracks, one over tracks these.
	selectRange(event) {
		const { drag, picture } = this, clamp = (x) => picture.timeOf(Math.min(Math.max(x, GUTTER), picture.width));
		const tracks = drag.y < RULER ? null : picture.tracksBetween(drag.y, event.offsetY);
		this.page.range.select(clamp(drag.x), clamp(event.offsetX), tracks);
	}

	pan(event) {
		const { drag, picture } = this, by = (event.offsetX - drag.x) / picture.scale;
		picture.setSpan(drag.span.from - by, drag.span.to - by);
		picture.setScroll(drag.scroll - event.offsetY + drag.y);
	}

	// Moves the window in the overview: by its middle, or from where it was taken.
	moveOverview(x) {
		const { drag, picture } = this, { from, to } = drag.span, held = picture.overviewTime(drag.x);
		const middle = held >= from && held <= to ? (from + to) / 2 - held : 0, time = picture.overviewTime(x) + middle;
		picture.setSpan(time - (to - from) / 2, time + (to - from) / 2);
	}

	// Moves the scroll bar: by where it was taken, or its middle.
	moveBar(y) {
		const { drag, picture } = this, size = picture.rows - picture.body, factor = picture.height / size, shown = size / factor, held = drag.y - picture.body - drag.scroll / factor;
		const grip = held >= 0 && held <= shown ? held : shown / 2;
		picture.setScroll((y - picture.body - grip) * factor);
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
		if (this.drag && !this.drag.isFar && !NO_CLICKS.includes(this.drag.mode) && event.type === "pointerup")
			this.page.onClick(event);
		if (this.drag?.isFar && this.drag.mode === "range")
			this.page.select(null);
		this.drag = null;
		if (this.pointers.size > 0)
			this.beginDrag(true, "pan");
	}
}
