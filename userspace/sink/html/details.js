// SPDX-License-Identifier: GPL-2.0-only
// The panel below the tracks: facts about the recording or about the selected item, statistics of its name.
"use strict";

// Who wrote a record, among the fields.
const WRITER_TID = "ktrack:tid", WRITER_COMM = "ktrack:comm", OWN_FACTS = [FLOW_KEY, WRITER_TID, WRITER_COMM];
// So many tracks with ends that have no begin are listed.
const UNMATCHED_MOST = 10;
const HISTOGRAM_WIDTH = 320, HISTOGRAM_HEIGHT = 56;

// A text whose marks of direction do not change what is around it.
function showSafe(text) {
	return String(text).replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

function counted(count, word) {
	return `${count} ${word}${count === 1 ? "" : "s"}`;
}

function element(tag, properties, ...children) {
	const one = Object.assign(document.createElement(tag), properties);
	one.append(...children);
	return one;
}

function buttonOf(textContent, title, action) {
	const button = element("button", { textContent, title });
	button.addEventListener("click", action);
	return button;
}

function linkOf(text, title, action) {
	return Object.assign(buttonOf(showSafe(text), title, action), { className: "link" });
}

function tableOf(rows, title = "", heads = null) {
	const table = element("table", { className: heads ? "numbers" : "" });
	if (title)
		table.createCaption().textContent = title;
	if (heads)
		table.createTHead().insertRow().append(...heads.map((textContent) => element("th", { scope: "col", textContent })));
	const body = table.createTBody();
	for (const row of rows)
		body.insertRow().append(...row.map((cell) => cell instanceof Node ? element("td", {}, cell) : element("td", { textContent: showSafe(cell) })));
	return table;
}

class Details {
	constructor(page) {
		Object.assign(this, { page, recording: page.recording, known: new Map(), apart: new Apart(page.recording), links: new Links(page) });
	}

	// After lines were added.
	grow() {
		this.known.clear();
		this.named = null;
	}

	// The faults of the recording that make what is shown wrong, the worst first.
	faults() {
		const { losses, totals } = this.recording, faults = [];
		if (!totals && !this.recording.isGrowing)
			faults.push(this.recording.isCut ? "saved before the end of the recording" : "the end of this page is missing");
		if (losses.length > 0)
			faults.push(this.lossFact());
		if (totals?.suspect)
			faults.push(`${counted(totals.suspect, "slice")} may be wrong because of that`);
		return faults;
	}

	// The same number as in every output of ktrack.
	lossFact() {
		const { totals, losses } = this.recording, unknown = totals?.lost_gaps_unknown;
		if (!totals)
			return `lost records in ${counted(losses.length, "gap")}`;
		if (!totals.lost)
			return `lost an unknown number of records in ${counted(losses.length, "gap")}`;
		const gaps = losses.length > 0 ? ` in ${counted(losses.length, "gap")}` : "";
		return `lost ${counted(totals.lost, "record")}${gaps}${unknown ? `, ${unknown} of unknown size` : ""}`;
	}

	// A row for each of several machines: labels, and how far its wall clock may be wrong.
	machineFacts() {
		const clock = ({ wall_error_ns }) => wall_error_ns === null ? "its wall clock may be wrong by an unknown time" : `its wall clock may be wrong by ${showDuration(wall_error_ns)}`;
		return (this.recording.about.machines ?? []).map((machine) => [machine.name, [machine.source, machine.kernel, ...this.labelTexts(machine), clock(machine)].join(", ")]);
	}

	labelTexts({ labels }) {
		return Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
	}

	// Facts about the whole recording.
	wholeFacts() {
		const { about, tracks, end, totals } = this.recording;
		const facts = [["recording", about.source], ["duration", showExact(end)], ["tracks", tracks.length],
			["incomplete", totals?.unfinished && counted(totals.unfinished, "slice")], ["host", about.host], ["labels", this.labelTexts(about).join(", ")], ["kernel", about.kernel], ["selection", about.selection], ["clock", about.clock], ["CPUs", about.cpus]];
		if (about.time_source !== "none")
			facts.splice(1, 0, ["began", this.timeOfDay(0)]);
		if (totals?.wall_drift_ns)
			facts.push(["wall clock", `moved by ${showDuration(totals.wall_drift_ns)} meanwhile`]);
		return [...facts.filter(([, value]) => value), ...this.machineFacts()];
	}

	timeOfDay(ns) {
		const { day, time } = showUtc(this.page.picture.unixOf(ns), 1);
		return `${day}T${time} UTC`;
	}

	// What a recording answers, and facts about it, shown if nothing is selected.
	whole() {
		const [extent, ...answers] = this.page.overview.parts(), columns = element("div", { className: "columns" });
		columns.append(...answers, ...this.unmatchedParts(), tableOf(this.wholeFacts()));
		return element("div", {}, extent, ...this.page.overview.excuses(), columns, "Click on something for its details. Drag over tracks or over the time axis for statistics of a range.");
	}

	// Ways to the tracks with ends that have no begin, those with the most first.
	unmatchedParts() {
		const { page } = this, tracks = this.recording.tracks.filter(({ unmatched }) => unmatched > 0).sort((a, b) => b.unmatched - a.unmatched);
		const lead = (track) => linkOf(track.label, "to this line", () => {
			page.showTrack(track);
			page.tracks.choose(page.picture.nodeOf(track));
		});
		const rows = tracks.slice(0, UNMATCHED_MOST).map((track) => [lead(track), counted(track.unmatched, "end")]);
		return rows.length > 0 ? [tableOf(rows, "ends without a begin", ["track", "ends"])] : [];
	}

	// An item in one line.
	headOf(one) {
		if (one.kind === "sample")
			return `${one.track.label} = ${one.chunk.exact(one.index)}`;
		const found = nameOf(this.recording, one), name = one.track.identity.tracepoint === STATE_TRACKS ? stateOf(found) : found;
		return one.kind === "slice" ? `${name}  ${showDuration(one.end - one.begin)}${this.isOpen(one) ? " so far" : ""}` : name;
	}

	factsOf(one, args) {
		const facts = [["track", one.track.label], ["tracepoint", one.track.identity.tracepoint], ["begin", showExact(one.begin)]];
		if (this.recording.about.time_source !== "none")
			facts.push(["time", this.timeOfDay(one.begin)]);
		if (one.kind === "slice")
			facts.push(["duration", showFull(one.end - one.begin)], ["depth", one.row.depth + 1], ...this.writerFacts(one, args), ...this.markFacts(one));
		return facts;
	}

	markFacts(one) {
		const marks = one.chunk.read().marks[one.index], texts = [["suspect", "lost records may have changed it"], this.isOpen(one) ? ["open", "it has not ended yet"] : ["incomplete", "it has no end"],
			["foreign", "threads ended each other's slices on this track: the duration may be wrong"]];
		return texts.filter((_, bit) => marks >> bit & 1);
	}

	// Whether a slice may still end.
	isOpen({ chunk }) {
		return this.recording.isGrowing && this.recording.open.has(chunk);
	}

	// Who began and ended a slice: the thread of its track, unless its records have their own.
	writerFacts({ track, chunk, index }, args) {
		const hasEnd = !(chunk.read().marks[index] & INCOMPLETE), { scope, id } = track.identity, own = scope === "thread" ? id : undefined;
		const { begin: from, end: to } = chunk.read(), writer = (part, time) => this.threadText(track, part?.[WRITER_TID] ?? own, part?.[WRITER_COMM], time);
		const [begin, end] = [from, to].map((times, at) => writer(Array.isArray(args) ? args[at] : null, times[index]));
		return [["begun by", begin], ["ended by", hasEnd && end]].filter(([, text]) => text && track.identity.tracepoint !== STATE_TRACKS);
	}

	// A thread of a track's machine by its number, with the name that its tracks have at a time.
	threadText(track, tid, comm, time) {
		return tid === undefined ? null : `${comm ?? this.commAt(track, tid, time) ?? "thread"} (${tid})`;
	}

	// The name of a thread: its tracks begin anew when it gets another one. Those of its process are named after the first thread.
	commAt({ identity: { host } }, tid, time) {
		if (!this.named) {
			this.named = new Map();
			for (const track of this.recording.tracks.filter(({ identity }) => ["thread", "process"].includes(identity.scope) && identity.comm))
				appendTo(this.named, JSON.stringify([track.identity.host, track.identity.id]), track);
		}
		const away = (track) => Math.max(track.begin - time, time - track.end, 0);
		return this.named.get(JSON.stringify([host, tid]))?.reduce((best, track) => away(track) < away(best) ? track : best).identity.comm;
	}

	// An element about an item, or about where its time went alone; null if another one is selected meanwhile.
	async of(one, isWhy = false) {
		const { picture } = this.page, args = await one.chunk.argsOf(one.index), why = await this.page.why.of(one, isWhy);
		if (picture.selected !== one)
			return null;
		picture.flows = flowsOf(this.recording, one, args);
		picture.ask();
		const links = await this.links.rowsOf(one, args);
		if (picture.selected !== one)
			return null;
		if (isWhy)
			return element("div", {}, this.head(one), why ?? "Only slices that take time are explained.");
		const columns = element("div", { className: "columns" });
		columns.append(tableOf([...this.factsOf(one, args), ...links]));
		if (why)
			columns.append(why);
		const parts = Array.isArray(args) ? [["at its begin", args[0]], ["at its end", args[1]]] : [["fields", args]];
		for (const [title, part] of parts)
			this.appendFields(columns, part, title);
		if (one.kind === "slice")
			columns.append(this.statisticsOf(one));
		return element("div", {}, this.head(one), columns);
	}

	head(one) {
		const { page } = this, head = element("h2", { textContent: `${showSafe(this.headOf(one))} ` });
		head.append(buttonOf("\u2039", "[: the one before it in the row", () => page.step(-1)), buttonOf("\u203a", "]: the next one in the row", () => page.step(1)));
		if (one.kind !== "sample")
			head.append(buttonOf("\u2039 same name", ",: the one of this name before it", () => page.stepName(-1)), buttonOf("same name \u203a", ".: the next one of this name", () => page.stepName(1)));
		if (page.trail.length > 0)
			head.append(" ", buttonOf("\u2190 back", "b: to the slice that this explains", () => page.goBack()));
		head.append(element("span", { className: "chain" }));
		return head;
	}

	// Flows and writers have facts of their own.
	appendFields(columns, part, title) {
		const fields = Object.entries(part || {}).filter(([name]) => !OWN_FACTS.includes(name));
		if (fields.length > 0)
			columns.append(tableOf(fields, title));
	}

	// Statistics of the name, which come later if they take time.
	statisticsOf(one) {
		const box = element("section", { className: "statistics" }), number = one.chunk.read().name[one.index], { tracepoint } = one.track.identity;
		const key = `${number} ${tracepoint}`, isWanted = () => this.page.picture.selected === one, tracks = () => this.recording.tracks.filter((track) => track.identity.tracepoint === tracepoint && !isIdleState(track));
		this.statistics = Promise.resolve(this.known.get(key) ?? this.apart.run("nameStatistics", tracks(), -Infinity, Infinity, [number], isWanted)).then((found) => {
			if (!found)
				return;
			this.known.set(key, found);
			box.append(...this.statisticsParts(found, one.end - one.begin));
		});
		return box;
	}

	statisticsParts(found, duration) {
		const { count, total, min, mean, p50, p99, max, excluded } = found, durations = { min, mean, p50, p99, max };
		const facts = [["count", count], ["total", showDuration(total)], ...Object.entries(durations).map(([name, ns]) => [name, ns === undefined ? "" : showDuration(ns)])];
		const title = `all slices of ${showSafe(found.name)} in ${found.tracepoint}`;
		if (excluded > 0)
			facts.push(["not in these", `${excluded} suspect or incomplete`]);
		if (found.sorted.length < 2 || found.min === found.max)
			return [tableOf(facts, title)];
		return [tableOf(facts, title), slowestList(this.recording, found.slowest, (item) => this.page.go(item)), this.histogram(found, duration), element("p", { textContent: `${(100 * found.rankOf(duration)).toFixed(1)} % of them are shorter than this one.` })];
	}

	// Bars by duration, each a quarter of a power of two wide; that of the item is dark.
	histogram(found, duration) {
		const { low, counts, bucketOf, beginOf } = found.histogram(), most = Math.max(...counts), own = bucketOf(duration) - low;
		const label = `distribution from ${showDuration(found.min)} to ${showDuration(found.max)}, median ${showDuration(found.p50)}`;
		const box = element("div", { className: "histogram", role: "img", ariaLabel: label });
		counts.forEach((count, at) => {
			const bar = element("span", { className: at === own ? "own" : "", title: `${showDuration(beginOf(at))} to ${showDuration(beginOf(at + 1))}: ${count}` });
			bar.style.height = `${count > 0 ? Math.max(count / most * HISTOGRAM_HEIGHT, 2) : 0}px`;
			bar.style.width = `${Math.max(Math.min(HISTOGRAM_WIDTH / counts.length, 24), 2)}px`;
			box.append(bar);
		});
		return element("div", {}, box, element("div", { className: "ends", textContent: `${showDuration(found.min)} \u2026 ${showDuration(found.max)}` }));
	}
}
