// SPDX-License-Identifier: GPL-2.0-only
// The selected range of time and tracks, the two markers, and the tables about the range.
"use strict";

const MARKERS = ["A", "B"], ROWS_SHOWN = 200;
const SLICE_COLUMNS = [["name", "name"], ["tracepoint", "tracepoint"], ["count", "count"], ["total", "total"], ["self", "self"],
	["min", "min"], ["mean", "mean"], ["p50", "p50"], ["p99", "p99"], ["max", "max"]];

class Range {
	constructor(page) {
		Object.assign(this, { page, picture: page.picture, span: null, tracks: null, markers: [null, null], apart: new Apart(page.recording), sort: "total", isDown: true });
		this.picture.overlays.push(() => this.draw());
	}

	// Selects a span; of all tracks if `tracks` is null, also of those that are in collapsed groups, or hidden.
	select(from, to, tracks = null) {
		this.span = { from: Math.min(from, to), to: Math.max(from, to) };
		this.tracks = tracks;
		this.picture.ask();
	}

	clear() {
		this.span = this.tracks = this.statistics = null;
		this.picture.ask();
	}

	setMarker(index, time) {
		this.markers[index] = time;
		this.picture.ask();
		this.page.showRange();
	}

	// The times of the markers and between them.
	markerText() {
		const [a, b] = this.markers, texts = MARKERS.flatMap((name, i) => this.markers[i] === null ? [] : [`${name} ${showDuration(this.markers[i])}`]);
		return [...texts, ...(a !== null && b !== null ? [`B \u2212 A = ${showDuration(b - a)}`] : [])].join(" \u00b7 ");
	}

	draw() {
		const { picture } = this, { context } = picture;
		context.save();
		context.beginPath();
		context.rect(GUTTER, OVERVIEW, picture.width - GUTTER, picture.rows);
		context.clip();
		if (this.span)
			this.drawSpan(context, picture.xOf(this.span.from), picture.xOf(this.span.to));
		this.markers.forEach((time, i) => time !== null && this.drawMarker(context, picture.xOf(time), MARKERS[i]));
		context.restore();
	}

	// What is outside of the range fades, so that the range keeps its colours.
	drawSpan(context, from, to) {
		const { picture } = this, width = Math.max(to - from, 1), tops = new Map((this.tracks ?? []).map((track) => [picture.topOf(track), track]));
		context.beginPath();
		context.rect(GUTTER, RULER, picture.width, picture.rows);
		if (!this.tracks)
			context.rect(from, RULER, width, picture.rows);
		for (const [top, track] of tops) {
			const shown = Math.max(top, track.isPinned ? RULER : picture.body);
			context.rect(from, shown, width, Math.max(top + track.height - shown, 0));
		}
		context.fillStyle = picture.paper;
		context.globalAlpha = 0.6;
		context.fill("evenodd");
		context.fillStyle = picture.accent;
		context.globalAlpha = 1;
		context.fillRect(from, OVERVIEW, 1, picture.rows);
		context.fillRect(to, OVERVIEW, 1, picture.rows);
		context.fillRect(from, RULER - 4, width, 3);
	}

	drawMarker(context, x, name) {
		context.fillStyle = this.picture.accent;
		context.fillRect(x - 0.5, OVERVIEW, 1, this.picture.rows);
		context.fillRect(x, OVERVIEW, 12, 13);
		context.fillStyle = this.picture.paper;
		context.fillText(name, x + 2, OVERVIEW + 7);
	}

	// Computes the tables, if the span is still selected then.
	async show() {
		const { span } = this, { recording } = this.page, tracks = this.tracks ?? recording.tracks;
		this.statistics = null;
		const found = await this.apart.run("spanStatistics", tracks, span.from, span.to, [span.from, span.to], () => this.span === span);
		if (!found || this.span !== span)
			return;
		this.statistics = found;
		this.page.showPanel(this.panel(), "range");
	}

	panel() {
		const { from, to } = this.span, { slices, instants, counters } = this.statistics, box = element("div", {});
		const chosen = this.tracks ? counted(this.tracks.length, "track") : "all tracks", excluded = slices.reduce((sum, one) => sum + one.excluded, 0);
		box.append(element("h2", {}, `${showDuration(to - from)} from ${showDuration(from)} on, ${chosen} `, ...this.page.rangeButtons()));
		if (slices.length + instants.length + counters.length === 0)
			box.append("There is nothing in this range.");
		if (slices.length > 0)
			box.append(this.sliceTable(slices));
		if (excluded > 0)
			box.append(element("p", { textContent: `min to max are of whole slices, without ${counted(excluded, "suspect or incomplete slice")}` }));
		box.append(element("div", { className: "columns" }, ...this.otherTables(instants, counters, (to - from) / 1e9)));
		return box;
	}

	sliceTable(slices) {
		const order = this.isDown ? -1 : 1, key = this.sort, table = element("table", { className: "numbers spans" }), head = table.createTHead().insertRow(), body = table.createTBody();
		const compare = (a, b) => a[key] === b[key] ? 0 : (a[key] ?? -1) > (b[key] ?? -1) ? order : -order;
		for (const [column, title] of SLICE_COLUMNS)
			head.append(element("th", { scope: "col", ariaSort: column !== key ? "none" : this.isDown ? "descending" : "ascending" }, this.sortButton(column, title)));
		for (const one of [...slices].sort(compare).slice(0, ROWS_SHOWN))
			body.insertRow().append(...SLICE_COLUMNS.map(([column]) => element("td", {}, this.cellOf(one, column))));
		if (slices.length > ROWS_SHOWN)
			table.createCaption().textContent = `${ROWS_SHOWN} of ${slices.length} names`;
		return table;
	}

	sortButton(column, title) {
		const mark = column === this.sort ? (this.isDown ? " \u25be" : " \u25b4") : "", button = element("button", { textContent: title + mark });
		button.addEventListener("click", () => {
			this.isDown = column === this.sort ? !this.isDown : column !== "name" && column !== "tracepoint";
			this.sort = column;
			this.page.showPanel(this.panel(), "range");
		});
		return button;
	}

	// A name leads to its slowest slice.
	cellOf(one, column) {
		const value = one[column];
		if (column !== "name")
			return value === undefined ? "" : typeof value === "number" && column !== "count" ? showDuration(value) : showSafe(value);
		if (!one.slowest?.length)
			return showSafe(value);
		return linkOf(value, "to the slowest one", () => this.page.show(itemOf(one.slowest[0].chunk, one.slowest[0].index)));
	}

	otherTables(instants, counters, seconds) {
		const tables = [], rows = (list) => list.slice(0, ROWS_SHOWN);
		if (counters.length > 0)
			tables.push(this.page.table(rows(counters).map(({ track, first, last, min, max, count }) => [track.label, first ?? "", last,
				first === null ? "" : last - first, count ? min : "", count ? max : "", count]), "", ["counter", "begin", "end", "change", "min", "max", "samples"]));
		if (instants.length > 0)
			tables.push(this.page.table(rows(instants).map((one) => [one.name, one.tracepoint, one.count, showRate(one.count / seconds)]), "", ["instant", "tracepoint", "count", "rate"]));
		return tables;
	}
}

function showRate(rate) {
	return `${+rate.toPrecision(4)}/s`;
}
