// SPDX-License-Identifier: GPL-2.0-only
// The panel below the tracks: its tabs, and its height, which it keeps.
"use strict";

const TABS = { slice: "Slice", why: "Why", range: "Range", search: "Search", about: "About the recording" };
// What a tab says as long as it has nothing to show.
const TAB_HINTS = {
	slice: "Click on a slice, an instant or a label for its details.", why: "Click on a slice to see where its time went.",
	range: "Drag over tracks, or over the time axis for all tracks, for statistics of a range; m takes the time of the selected slice.",
	search: "Type into the field above, or press /, to search names, tracks, tracepoints, fields and values.",
};
// So much of the window is left to the tracks; steps of the arrow keys.
const TRACKS_LEAST = 160, PANEL_LEAST = 40, PANEL_STEP = 40, PANEL_KEY = "ktrack panel";

class Panel {
	constructor(page) {
		Object.assign(this, { page, box: page.part("details"), divider: page.part("divider"), tab: "about", buttons: {} });
		for (const [name, title] of Object.entries(TABS)) {
			this.buttons[name] = Object.assign(buttonOf(title, "", () => this.open(name)), { role: "tab" });
			page.part("tabs").append(this.buttons[name]);
		}
		this.divider.addEventListener("pointerdown", (event) => this.divider.setPointerCapture(event.pointerId));
		this.divider.addEventListener("pointermove", (event) => this.divider.hasPointerCapture(event.pointerId) && this.resize(window.innerHeight - event.clientY - page.part("bar").offsetHeight));
		this.divider.addEventListener("dblclick", () => this.resize(null));
		this.divider.addEventListener("keydown", (event) => this.onKey(event));
		this.resize(this.kept());
	}

	onKey(event) {
		const step = { ArrowUp: PANEL_STEP, ArrowDown: -PANEL_STEP }[event.key];
		if (!step)
			return;
		event.preventDefault();
		event.stopPropagation();
		this.resize(this.box.offsetHeight + step);
	}

	// Pages without an origin may keep nothing.
	kept() {
		try {
			return Number(localStorage.getItem(PANEL_KEY)) || null;
		} catch {
			return null;
		}
	}

	// Sets the height; null for that of the style.
	resize(height) {
		const most = Math.max(window.innerHeight - TRACKS_LEAST, PANEL_LEAST), shown = height && Math.round(Math.min(Math.max(height, PANEL_LEAST), most));
		this.box.style.height = shown ? `${shown}px` : "";
		this.divider.ariaValueNow = String(this.box.offsetHeight);
		try {
			localStorage.setItem(PANEL_KEY, shown ?? "");
		} catch {
			return;
		}
	}

	// Shows a content, in its tab.
	show(content, name) {
		Object.assign(this, { tab: name, content });
		this.page.search.isListed = name === "search";
		for (const [key, button] of Object.entries(this.buttons))
			button.ariaSelected = String(key === name);
		this.box.replaceChildren(content);
	}

	// What a tab has, else how to get it.
	open(name) {
		const { page } = this, { picture, range, search } = page, has = { slice: picture.selected || picture.current, why: picture.selected, range: range.span, search: search.search, about: true };
		this.tab = name;
		if (!has[name])
			return this.show(element("p", { textContent: TAB_HINTS[name] }), name);
		if (name === "about")
			return this.show(page.details.whole(), name);
		if (name === "range")
			return range.show();
		if (name === "search")
			return search.showList();
		return picture.selected ? page.showDetails(picture.selected) : page.tracks.refresh();
	}
}
