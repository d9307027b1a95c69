// SPDX-License-Identifier: GPL-2.0-only
// Saves the visible part as a picture and the selected range as CSV; prepares the page for the printer.
"use strict";

const CSV_COLUMNS = ["kind", "track", "tracepoint", "name", "begin_ns", "duration_ns", "depth", "value", "marks"];
const MARK_NAMES = ["suspect", "incomplete", "foreign"];

// A cell. Spreadsheets take texts that begin with these signs for formulas; an apostrophe prevents that.
function csvCell(value) {
	const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? "");
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

class Saver {
	constructor(page) {
		Object.assign(this, { page, picture: page.picture });
		page.part("png").addEventListener("click", async () => this.save(await this.png(), "png"));
		window.addEventListener("beforeprint", () => this.setPrinted(true));
		window.addEventListener("afterprint", () => this.setPrinted(false));
	}

	// The picture as it is visible.
	png() {
		this.picture.drawAll();
		return new Promise((resolve) => this.picture.canvas.toBlob(resolve, "image/png"));
	}

	// All items of the range as lines of CSV, in steps.
	async csv() {
		const { span, tracks } = this.page.range, lines = [CSV_COLUMNS.join()];
		await runSteps(this.lines(tracks ?? this.page.recording.tracks, span, lines), () => this.page.range.span === span);
		return new Blob([lines.join("\r\n"), "\r\n"], { type: "text/csv" });
	}

	// Hits of a search, as the lines of a range.
	async csvOf(items) {
		const lines = items.map(({ row, chunk, index }) => this.lineOf(row, chunk, index, chunk.read()).map(csvCell).join());
		return new Blob([[CSV_COLUMNS.join(), ...lines].join("\r\n"), "\r\n"], { type: "text/csv" });
	}

	* lines(tracks, { from, to }, lines) {
		for (const track of tracks)
			for (const row of track.parts)
				yield* eachItem(row, from, to, (chunk, i, items) => lines.push(this.lineOf(row, chunk, i, items).map(csvCell).join()));
	}

	lineOf({ track, kind, depth }, chunk, i, { begin, end, name, marks }) {
		const text = kind === "sample" ? "" : this.page.recording.names[name[i]], isSlice = kind === "slice";
		const marked = isSlice ? MARK_NAMES.filter((_, bit) => marks[i] >> bit & 1).join(" ") : "";
		return [kind, track.label, track.identity.tracepoint, text, begin[i], isSlice ? end[i] - begin[i] : "", isSlice ? depth + 1 : "", kind === "sample" ? +chunk.exact(i) : "", marked];
	}

	save(blob, suffix) {
		const base = this.page.recording.about.source?.split("/").at(-1) || "ktrack", link = element("a", { href: URL.createObjectURL(blob), download: `${base}.${suffix}` });
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 10000);
	}

	// On paper the page is light, and all of the panel is visible.
	setPrinted(isPrinted) {
		document.documentElement.classList.toggle("printed", isPrinted);
		this.picture.isPrinted = isPrinted;
		this.picture.drawAll();
	}
}
