// SPDX-License-Identifier: GPL-2.0-only
// Controls of the tracks: filter and order, and what is done with one line of the tree: fold, pin, hide, move.
"use strict";

class Tracks {
	constructor(page) {
		Object.assign(this, { page, picture: page.picture });
		this.filter = page.part("filter");
		this.order = page.part("order");
		this.filter.addEventListener("input", () => this.setFilter(this.filter.value));
		this.order.addEventListener("change", () => this.setSort(this.order.value));
		page.part("hidden").addEventListener("click", () => this.showHidden());
	}

	setFilter(text) {
		this.filter.value = this.picture.filter = text;
		this.changed();
	}

	setSort(sort) {
		this.order.value = this.picture.sort = sort;
		this.picture.tree.all.forEach((node) => node.order = null);
		this.changed();
	}

	// Shows how many lines are hidden, after a change.
	changed() {
		this.picture.changed();
		const hidden = this.picture.tree.all.filter((node) => node.isHidden).length;
		this.page.part("hidden").hidden = hidden === 0;
		this.page.part("hidden").textContent = `${hidden} hidden: show`;
	}

	showHidden() {
		this.picture.tree.all.forEach((node) => node.isHidden = false);
		this.changed();
		this.refresh();
	}

	// A click on a label: on its triangle, or anywhere on a line without tracks, it folds.
	onClick(line, x) {
		const { node, depth } = line, isTriangle = x < 8 + (depth + 1) * INDENT && line.isFirst;
		if (this.picture.canFold(node) && (isTriangle || line.tracks.length === 0))
			this.fold(node);
		this.choose(node);
	}

	choose(node) {
		this.picture.current = node;
		this.page.picture.selected = null;
		this.picture.flows = [];
		this.picture.ask();
		this.page.say(`${node.label}, ${counted(node.allTracks.length, "track")}, ${node.isOpen ? "expanded" : "collapsed"}`);
		this.refresh();
	}

	// The panel of the current line.
	refresh() {
		const node = this.picture.current;
		if (!node || this.picture.selected)
			return;
		const head = element("h2", { textContent: `${showSafe(node.label)} ` }), act = (text, title, action) => head.append(buttonOf(text, title, () => action(node)));
		act(node.isPinned ? "unpin" : "pin", "p: keep it at the top", (one) => this.pin(one));
		act("hide", "h; H shows all again", (one) => this.hide(one));
		if (this.picture.canFold(node))
			act(node.isOpen ? "collapse" : "expand", "c", (one) => this.fold(one));
		act("\u2191", "Alt and \u2191: move it up", (one) => this.move(one, -1));
		act("\u2193", "Alt and \u2193: move it down", (one) => this.move(one, 1));
		if (node.tracks.some((track) => track.samples))
			act("rate", "r: its change in a second, or its values", (one) => this.toggleRate(one));
		this.page.showPanel(element("div", {}, head, this.factsOf(node)), "slice");
	}

	factsOf(node) {
		const count = (row) => row ? row.chunks.reduce((sum, chunk) => sum + chunk.count, 0) : 0, tracks = node.allTracks, shown = tracks.slice(0, ROWS_SHOWN);
		const rows = shown.map((track) => [track.label, track.identity.tracepoint, track.rows.reduce((sum, row) => sum + count(row), 0), count(track.instants), count(track.samples), track.rows.length > 0 ? showDuration(busyOf(track)) : ""]);
		return tableOf(rows, tracks.length > shown.length ? `${shown.length} of ${tracks.length} tracks` : "", ["track", "tracepoint", "slices", "instants", "samples", "busy"]);
	}

	pin(node) {
		node.isPinned = !node.isPinned;
		this.changed();
		this.refresh();
	}

	hide(node) {
		node.isHidden = true;
		this.changed();
	}

	fold(node) {
		node.isOpen = !node.isOpen;
		this.changed();
		this.refresh();
	}

	move(node, by) {
		this.picture.shift(node, by);
	}

	toggleRate(node) {
		for (const track of node.tracks)
			track.isRate = Boolean(track.samples) && !track.isRate;
		this.picture.ask();
	}

	// The next or previous line; it is scrolled to.
	step(by) {
		const { picture } = this, nodes = [...new Set([...picture.pinnedLines, ...picture.lines].map((line) => line.node))];
		const at = nodes.indexOf(picture.current), node = nodes[at < 0 ? 0 : Math.min(Math.max(at + by, 0), nodes.length - 1)];
		if (!node)
			return;
		const line = picture.lines.find((one) => one.node === node);
		if (line && (line.top < picture.scroll || line.top + line.height > picture.scroll + picture.rows - picture.body))
			picture.setScroll(line.top - (picture.rows - picture.body) / 3);
		this.choose(node);
	}

	// The first item of the current line in the visible span.
	firstItem() {
		const { picture } = this, { from, to } = picture.span;
		for (const row of (picture.current?.allTracks ?? []).flatMap((track) => track.parts)) {
			let found = null;
			row.visit(from, to, (chunk, index) => {
				found = thing(row, chunk, index);
				return false;
			});
			if (found)
				return found;
		}
		return null;
	}

	// Does something with the current line.
	with(action) {
		if (this.picture.current)
			action(this.picture.current);
	}
}
