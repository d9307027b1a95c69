// SPDX-License-Identifier: GPL-2.0-only
// The view in the fragment of the page's address: a copied address shows the same, and the browser's back and forward walk through
// views and selections. Unknown and wrong words are ignored.
"use strict";

// How long the button says whether the address is copied.
const FRAGMENT_MS = 250, COPIED_MS = 2000;

class Fragment {
	constructor(page) {
		Object.assign(this, { page, picture: page.picture, written: "", timer: null, isRestored: true });
		window.addEventListener("hashchange", () => location.hash.slice(1) !== this.written && this.read());
	}

	// Writes the view when it has not changed for a while.
	changed() {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.write(), FRAGMENT_MS);
	}

	write() {
		const text = this.text(), { isRestored } = this;
		this.isRestored = false;
		if (text === this.written)
			return;
		this.written = text;
		// What a restored address becomes, and each view of a page that moves along, has no place of its own.
		if (isRestored || this.page.recording.isGrowing)
			history.replaceState(null, "", `#${text}`);
		else
			history.pushState(null, "", `#${text}`);
	}

	// The address of the view as it is now, copied.
	async copy() {
		const button = this.page.part("copy");
		let isCopied = true;
		this.write();
		try {
			await navigator.clipboard.writeText(location.href);
		} catch {
			const field = element("textarea", { value: location.href });
			document.body.append(field);
			field.select();
			isCopied = document.execCommand("copy");
			field.remove();
		}
		this.page.say(isCopied ? "the address of this view is copied" : "the address of this view is not copied; copy it from the address bar");
		button.textContent = isCopied ? "copied" : "copy it from the address bar";
		clearTimeout(this.copyTimer);
		this.copyTimer = setTimeout(() => button.textContent = "link", COPIED_MS);
	}

	text() {
		const { page, picture } = this, { span, filter, sort, selected } = picture, { range } = page, words = new URLSearchParams(), all = picture.tree.all;
		const round = (time) => Math.round(time), keys = (isIt) => all.filter(isIt).map((node) => node.key).join();
		words.set("t", [span.from, span.to].map(round));
		if (picture.scroll > 0)
			words.set("y", round(picture.scroll));
		if (selected)
			words.set("s", [selected.chunk.number, selected.kind === "slice" ? selected.row.depth : selected.kind, selected.begin]);
		if (range.span)
			words.set("r", [range.span.from, range.span.to].map(round).concat(range.tracks?.map((track) => track.number) ?? []));
		if (range.markers.some((time) => time !== null))
			words.set("m", range.markers.map((time) => time === null ? "" : round(time)));
		const texts = { q: page.part("search").value, f: filter, o: sort === "meaning" ? "" : sort, p: keys((node) => node.isPinned), h: keys((node) => node.isHidden), c: keys((node) => !node.isOpen && node.kind !== "idle") };
		texts.i = keys((node) => node.isOpen && node.kind === "idle");
		for (const [name, text] of Object.entries(texts))
			if (text)
				words.set(name, text);
		return words.toString().replaceAll("%2C", ",");
	}

	read() {
		const text = location.hash.slice(1), words = new URLSearchParams(text), numbers = (name) => (words.get(name) ?? "").split(",").map((word) => word === "" ? NaN : Number(word));
		if (!text)
			return;
		this.written = text;
		this.isRestored = true;
		this.readTree(words);
		this.readRange(numbers("r"), numbers("m"));
		const [from, to] = numbers("t"), [y] = numbers("y");
		if (words.get("q") !== null)
			Object.assign(this.page.part("search"), { value: words.get("q") });
		this.page.search.prepare();
		this.page.select(this.itemOf(words.get("s")));
		if (from < to)
			this.picture.setSpan(from, to);
		this.picture.setScroll(y > 0 ? y : 0);
	}

	readTree(words) {
		const { tracks } = this.page, has = (name) => new Set((words.get(name) ?? "").split(",")), pinned = has("p"), hidden = has("h"), closed = has("c"), opened = has("i");
		for (const node of this.picture.tree.all) {
			Object.assign(node, { isPinned: pinned.has(node.key), isHidden: hidden.has(node.key) });
			node.isOpen = node.kind === "idle" ? opened.has(node.key) : !closed.has(node.key);
		}
		tracks.setFilter(words.get("f") ?? "");
		tracks.setSort(Object.hasOwn(SORTS, words.get("o") ?? "") ? words.get("o") : "meaning");
	}

	readRange([from, to, ...numbers], markers) {
		const { range } = this.page, tracks = this.page.recording.tracks.filter((track) => numbers.includes(track.number));
		if (from <= to)
			range.select(from, to, tracks.length > 0 ? tracks : null);
		else
			range.clear();
		MARKERS.forEach((_, i) => range.setMarker(i, Number.isFinite(markers[i]) ? markers[i] : null));
	}

	// The item that "TRACK,DEPTH,BEGIN" names.
	itemOf(text) {
		const [number, place, begin] = (text ?? "").split(","), track = this.page.recording.tracks.find((one) => one.numbers.includes(+number));
		const rows = track?.parts.filter((one) => place === (one.kind === "slice" ? String(one.depth) : one.kind)) ?? [];
		let found = null;
		for (const row of rows)
			row.visit(+begin, +begin, (chunk, index, items) => {
				if (chunk.number === +number && items.begin[index] === +begin)
					found = thing(row, chunk, index);
				return !found;
			});
		return found;
	}
}
