// SPDX-License-Identifier: GPL-2.0-only
// The page: keys, mouse, search and details.
"use strict";

const TIP_LINES_MAX = 6;
// Slices narrower than NARROW pixels are zoomed to, hits of a search if they are narrower than HIT_SHARE of the width: the window
// is MARGIN or HIT_MARGIN times their duration, at least MARGIN_MIN_NS.
const NARROW = 2, MARGIN = 20, HIT_SHARE = 0.1, HIT_MARGIN = 4, MARGIN_MIN_NS = 2000;
// An instant without a flow is zoomed to by this much.
const INSTANT_SHARE = 0.1;

class Page {
	constructor(text) {
		this.recording = new Recording(text);
		this.picture = new ChainPicture(document.getElementById("picture"), this.recording);
		this.part = (id) => document.getElementById(id);
		this.why = new Why(this.recording, (one) => this.go(one));
		this.details = new Details(this);
		this.chain = this.picture.chain = new Chain(this);
		this.overview = new Overview(this);
		this.range = new Range(this);
		this.tracks = new Tracks(this);
		this.search = new SearchField(this);
		this.panel = new Panel(this);
		this.saver = new Saver(this);
		this.fragment = new Fragment(this);
		this.legend = new Legend(this);
		this.trail = [];
		this.picture.whenDrawn = () => this.showRange();
		this.picture.dark.addEventListener("change", () => this.picture.ask());
		this.showAbout();
		new ResizeObserver(() => this.picture.resize()).observe(this.picture.canvas);
		this.picture.resize();
		this.showDetails(null);
		this.listen();
		this.fragment.read();
	}

	listen() {
		this.pointer = new Pointer(this);
		document.addEventListener("keydown", (event) => this.onKey(event));
		const buttons = { fit: "0", "zoom-in": "w", "zoom-out": "s", left: "a", right: "d" };
		for (const [id, key] of Object.entries(buttons))
			this.part(id).addEventListener("click", () => this.onLetter(key));
		this.part("copy").addEventListener("click", () => this.fragment.copy());
		this.part("select").addEventListener("click", () => this.toggleSelects());
		this.part("help-button").addEventListener("click", () => this.part("help").showModal());
	}

	// After lines were added.
	grow(shape) {
		if (this.recording.shape !== shape)
			this.picture.grow();
		for (const part of [this.details, this.why])
			part.grow();
		this.search.search?.grow();
		this.showAbout();
		if (!this.picture.selected && !this.range.span && this.panel.tab === "about")
			this.showDetails(null);
		this.picture.ask();
	}

	showAbout() {
		const { about, tracks, end } = this.recording;
		if (!about.source)
			return;
		this.part("about").textContent = `${about.source} · ${showDuration(end)} · ${counted(tracks.length, "track")}`;
		this.part("about").title = about.source;
		this.picture.canvas.ariaLabel = `timeline of ${about.source}: ${counted(tracks.length, "track")}, ${showDuration(end)}; press ? for the keys`;
		const [fault] = this.details.faults();
		Object.assign(this.part("faults"), { textContent: fault ?? this.recording.notes[0] ?? "", className: fault ? "bad" : "" });
	}

	showRange() {
		const span = this.picture.span;
		this.part("range").textContent = `${showDuration(span.to - span.from)} from ${showDuration(span.from)}`;
		this.part("markers").textContent = this.range.markerText();
		if (this.tipView !== this.viewKey())
			this.hideTip();
		this.legend?.update();
		this.fragment?.changed();
	}

	// What is below the mouse changes with it.
	viewKey() {
		const { span, scroll, height, filter } = this.picture;
		return [span.from, span.to, scroll, height, filter].join();
	}

	fit() {
		const { from, to } = this.picture.whole;
		this.picture.setSpan(from, to);
	}

	onClick(event) {
		this.trail = [];
		const line = this.picture.lineAt(event.offsetY);
		if (line && this.picture.isLabelAt(line, event.offsetX, event.offsetY))
			return this.tracks.onClick(line, event.offsetX);
		const cut = event.offsetX < GUTTER ? null : this.picture.cutAt(event.offsetY);
		if (cut)
			this.picture.showRow(cut, cut.first + ROWS_MOST);
		else
			this.select(hit(this.picture, event.offsetX, event.offsetY));
	}

	onKey(event) {
		const isTyping = ["INPUT", "SELECT"].includes(event.target.tagName), isButton = event.target.tagName === "BUTTON" && ["Enter", " "].includes(event.key);
		const key = (event.altKey ? "Alt+" : "") + (event.shiftKey && event.key.length > 1 ? "Shift+" : "") + event.key;
		if (event.key === "Enter" && event.target === this.part("search"))
			this.search.go(event.shiftKey ? -1 : 1);
		else if (event.key === "Escape")
			this.leave();
		else if (!isTyping && !isButton && !this.part("help").open && !event.ctrlKey && !event.metaKey && this.onLetter(key))
			event.preventDefault();
	}

	// Handles a key; returns whether it has a meaning.
	onLetter(key) {
		const { picture, tracks } = this, page = picture.rows - picture.body - LANE;
		const keys = {
			w: () => picture.zoom(1 / ZOOM_STEP), "+": () => picture.zoom(1 / ZOOM_STEP), "=": () => picture.zoom(1 / ZOOM_STEP),
			s: () => picture.zoom(ZOOM_STEP), "-": () => picture.zoom(ZOOM_STEP),
			a: () => picture.move(-MOVE_STEP), ArrowLeft: () => picture.move(-MOVE_STEP),
			d: () => picture.move(MOVE_STEP), ArrowRight: () => picture.move(MOVE_STEP),
			ArrowUp: () => picture.setScroll(picture.scroll - 3 * LANE), ArrowDown: () => picture.setScroll(picture.scroll + 3 * LANE),
			PageUp: () => picture.setScroll(picture.scroll - page), PageDown: () => picture.setScroll(picture.scroll + page),
			0: () => this.fit(), Home: () => this.fit(), f: () => this.focus(),
			"Shift+ArrowUp": () => tracks.step(-1), "Shift+ArrowDown": () => tracks.step(1), Enter: () => this.showFirst(),
			"Alt+ArrowUp": () => tracks.with((one) => tracks.move(one, -1)), "Alt+ArrowDown": () => tracks.with((one) => tracks.move(one, 1)),
			p: () => tracks.with((one) => tracks.pin(one)), h: () => tracks.with((one) => tracks.hide(one)), H: () => tracks.showHidden(),
			c: () => tracks.with((one) => tracks.fold(one)), r: () => tracks.with((one) => tracks.toggleRate(one)),
			x: () => this.stepLoss(1), X: () => this.stepLoss(-1), g: () => this.search.askTime(), y: () => this.fragment.copy(),
			t: () => picture.toggleIdle(), j: () => this.chain.step(1) || this.part("details").querySelector(".way")?.click(), k: () => this.chain.step(-1), b: () => this.goBack(),
			"<": () => this.details.links.follow("<"), ">": () => this.details.links.follow(">"),
			",": () => this.stepName(-1), ".": () => this.stepName(1), m: () => this.selectItem(),
			1: () => this.range.setMarker(0, this.time), 2: () => this.range.setMarker(1, this.time),
			"[": () => this.step(-1), "]": () => this.step(1),
			n: () => this.search.go(1), N: () => this.search.go(-1), l: () => this.search.showList(),
			"/": () => this.part("search").select(), "?": () => this.part("help").showModal(),
		};
		if (this.live)
			keys[" "] = () => this.live.toggle();
		const hasMeaning = Object.hasOwn(keys, key);
		if (hasMeaning)
			keys[key]();
		return hasMeaning;
	}

	// Leaves the search, then clears the selected item, then the range, then the markers.
	leave() {
		this.part("search").blur();
		this.picture.canvas.focus();
		this.trail = [];
		if (!this.picture.selected && this.range.span)
			this.range.clear();
		else if (!this.picture.selected)
			MARKERS.forEach((_, i) => this.range.setMarker(i, null));
		this.select(null);
	}

	// Selects a range; of all tracks if `tracks` is null.
	selectRange(from, to, tracks) {
		this.range.select(from, to, tracks);
		this.select(null);
	}

	// Selects the time of the selected item.
	selectItem() {
		const one = this.picture.selected;
		if (one)
			this.selectRange(one.begin, one.end, null);
	}

	// Where the mouse is, else the begin of the selected item, else the middle.
	get time() {
		const { from, to } = this.picture.span;
		return this.pointer.time ?? this.picture.selected?.begin ?? (from + to) / 2;
	}

	// Jumps to the reason of a part, from which goBack() leads back.
	go(one) {
		this.trail.push(this.picture.selected);
		this.show(one);
	}

	goBack() {
		const one = this.trail.pop();
		if (one)
			this.show(newest(one));
	}

	// Goes to an item that may be on the way back.
	goBackTo(one) {
		if (this.trail.length > 0 && isSame(this.trail.at(-1), one))
			this.trail.pop();
		this.show(one);
	}

	// Selects the first item of the current line that is visible.
	showFirst() {
		const one = this.tracks.firstItem();
		if (one)
			this.show(one);
	}

	step(step) {
		const next = this.picture.selected && neighbour(this.picture.selected, step);
		if (next)
			this.show(next);
	}

	// The next item with the same name, in a direction.
	stepName(step) {
		const one = this.picture.selected, names = one && one.kind !== "sample" && new Set([one.chunk.read().name[one.index]]);
		const next = names && nextOf(this.recording, names, one, step, one.track.identity.tracepoint);
		if (next)
			this.show(next);
	}

	// Zooms to the selected item or range. An instant is shown with the points of its flows before and after it.
	focus() {
		const one = this.picture.selected, range = this.range.span;
		if (!one && range)
			this.picture.setSpan(range.from, range.to);
		if (!one)
			return;
		const { picture } = this, isSlice = one.kind === "slice", all = isSlice ? [one] : [one, ...picture.flows.flatMap((flow) => besides(flow, one))];
		const begin = Math.min(...all.map((point) => point.begin)), end = Math.max(...all.map((point) => point.end));
		const size = Math.max(end - begin, isSlice || all.length > 1 ? 1000 : (picture.span.to - picture.span.from) * INSTANT_SHARE);
		picture.setSpan((begin + end) / 2 - size * 0.8, (begin + end) / 2 + size * 0.8);
	}

	// Selects an item and makes it visible; a hit of a search also large enough to be seen at once.
	show(one, isHit = false) {
		this.hideTip();
		const { span, width } = this.picture, length = one.end - one.begin, before = this.spanBefore();
		const isVisible = one.end >= span.from && one.begin <= span.to, least = isHit ? HIT_SHARE : NARROW / (width - GUTTER);
		const isWide = one.kind !== "slice" || length >= least * (span.to - span.from);
		const isOdd = span !== before && (isHit || length > span.to - span.from);
		if (!isVisible || !isWide || isOdd)
			this.showTime(one, before, least, isHit ? HIT_MARGIN : MARGIN);
		if (one.kind === "slice")
			this.picture.showRow(this.picture.ownerOf(one.row), this.picture.indexOf(one.row));
		this.showTrack(one.track, one);
		this.select(one);
	}

	// Zooms to a gap in the records.
	showLoss(loss) {
		const { from, to, text } = loss, size = Math.max((to - from) * (2 * LOSS_MARGIN + 1), MARGIN_MIN_NS), middle = (from + to) / 2;
		this.picture.setSpan(middle - size / 2, middle + size / 2);
		this.lossShown = { loss, span: this.picture.span };
		this.say(`${text}, at ${showDuration(from)}`);
	}

	// The next or the previous gap in the records, from the one that is shown, else from the middle of what is visible.
	stepLoss(step) {
		const { span, span: { from, to } } = this.picture, losses = [...this.recording.losses].sort((a, b) => a.from - b.from);
		const middle = (from + to) / 2, at = this.lossShown?.span === span ? losses.indexOf(this.lossShown.loss) : -1;
		const beyond = (loss, i) => (at >= 0 ? i - at : (loss.from + loss.to) / 2 - middle) * step > 0;
		const next = step > 0 ? losses.find(beyond) ?? losses[0] : losses.findLast(beyond) ?? losses.at(-1);
		if (next)
			this.showLoss(next);
	}

	// The span from before the zoom to the last hit, if that zoom is still on.
	spanBefore() {
		const { from, to } = this.picture.span, size = this.zoomed?.size ?? 0;
		return Math.abs(to - from - size) < size * 1e-9 ? this.zoomed.before : this.picture.span;
	}

	// Zooms to narrow slices. Other items are shown at the zoom from before such a hit.
	showTime(one, before, least, margin) {
		const picture = this.picture, size = before.to - before.from, length = one.end - one.begin;
		const isNarrow = one.kind === "slice" && length < least * size;
		const shown = isNarrow ? Math.min(size, Math.max(length * margin, MARGIN_MIN_NS)) : size;
		if (!isNarrow && one.end >= before.from && one.begin <= before.to)
			picture.setSpan(before.from, before.to);
		else
			picture.setSpan((one.begin + one.end - shown) / 2, (one.begin + one.end + shown) / 2);
		this.zoomed = isNarrow ? { before, size: picture.span.to - picture.span.from } : null;
	}

	// Scrolls to a track, and to the row of a slice in it.
	showTrack(track, one = null) {
		if (track.top < 0)
			this.picture.reveal(track);
		const picture = this.picture, isSlice = one?.kind === "slice", owner = one ? picture.ownerOf(one.row) : track;
		const place = isSlice ? (picture.indexOf(one.row) - owner.first) * LANE : 0, top = picture.topOf(owner) + place;
		if (!owner.isPinned && (top < picture.body || top + (isSlice ? LANE : owner.height) > picture.rows))
			picture.setScroll(owner.top + place - (picture.rows - picture.body) / 3);
	}

	select(one) {
		this.picture.selected = one;
		this.picture.current = one && this.picture.nodeOf(one.track);
		this.search.showCount();
		this.picture.flows = [];
		this.picture.ask();
		if (one)
			this.say(`${this.details.headOf(one)}, ${one.track.label}, at ${showDuration(one.begin)}`);
		this.showDetails(one);
	}

	showTip(event) {
		const tip = this.part("tip"), lines = event.offsetX < GUTTER ? this.labelAt(event) : this.linesAt(event);
		if (lines.length === 0)
			return this.hideTip();
		tip.textContent = lines.map(showSafe).join("\n");
		tip.hidden = false;
		this.tipView = this.viewKey();
		tip.style.left = `${Math.min(event.offsetX + 12, this.picture.width - tip.offsetWidth - 4)}px`;
		tip.style.top = `${this.picture.canvas.offsetTop + Math.max(event.offsetY - tip.offsetHeight - 8, 0)}px`;
	}

	// The item under the mouse, and the losses and marks at that time.
	linesAt(event) {
		const one = hit(this.picture, event.offsetX, event.offsetY);
		const time = this.picture.timeOf(event.offsetX), within = 3 / this.picture.scale;
		const isAt = (from, to) => time >= from - within && time <= to + within;
		const losses = this.recording.losses.filter((loss) => isAt(loss.from, loss.to));
		const marks = this.recording.marks.filter((mark) => event.offsetY < RULER && isAt(mark.time, mark.time));
		return [...(one ? [this.details.headOf(one)] : []), ...[...losses, ...marks].slice(0, TIP_LINES_MAX).map(({ text }) => text)];
	}

	// The whole label of a track, and its tracepoint; how long the thread or what is below the line ran; the path of a cgroup.
	labelAt(event) {
		const { picture, recording } = this, node = picture.lineAt(event.offsetY)?.node, track = picture.trackAt(event.offsetY, picture.span.from);
		const range = track?.samples ? [`${track.samples.lowest} … ${track.samples.highest}`] : [], ran = node?.ran > 0 ? [`ran for ${showDuration(node.ran)}, ${percent(node.ran / recording.end)} of a CPU`] : [];
		return [...(track ? [track.label, track.identity.tracepoint, ...range] : []), ...(node?.path ? [node.path] : []), ...ran];
	}

	hideTip() {
		this.part("tip").hidden = true;
	}

	// The panel: of an item, of the selected range, or of the recording.
	async showDetails(one) {
		if (!one && this.range.span)
			return this.range.show();
		const tab = !one ? "about" : this.panel.tab === "why" ? "why" : "slice", { content } = this.panel, panel = one ? await this.details.of(one, tab === "why") : this.details.whole();
		// What takes its time replaces nothing that was shown meanwhile.
		if (panel && this.panel.content === content)
			this.showPanel(panel, tab);
		await this.chain.follow(one);
		return one ? this.details.statistics : null;
	}

	// Whether a finger that moves selects a range instead of moving the picture.
	toggleSelects() {
		this.selects = !this.selects;
		this.part("select").ariaPressed = String(this.selects);
	}

	// A text for screen readers.
	say(text) {
		this.part("spoken").textContent = showSafe(text);
	}

	showPanel(content, tab) {
		this.panel.show(content, tab);
	}

	table(...parts) {
		return tableOf(...parts);
	}

	rangeButtons() {
		return [buttonOf("zoom to it", "f", () => this.focus()), buttonOf("CSV", "save all that is in it", async () => this.saver.save(await this.saver.csv(), "csv")),
			buttonOf("clear", "Esc", () => this.leave())];
	}
}

if (SCRIPTS) {
	const data = document.getElementById("data"), saved = data.dataset.lines && document.documentElement.cloneNode(true);
	window.ktrack = new Page(data.textContent);
	if (saved)
		ktrack.live = new Live(ktrack, data.dataset.lines, saved);
} else {
	onmessage = answer;
}
