// SPDX-License-Identifier: GPL-2.0-only
// Where the time of a slice went: its parts as a bar and as a list, and the way to its wakers. The splits are those of
// 'ktrack why': ktrack computed them when it wrote the page.
"use strict";

// Smaller parts of a table are summed up, as ktrack why does.
const SHARE_LEAST = 0.005;
const INTERRUPTS = "irq:cpu";
// Tracks that explain others.
const EXPLAINING = [STATE_TRACKS, INTERRUPTS, CPU_TRACKS, WAKES, "timers:armed", "timers:expired", "ftrace:kernel_stack"];
const RULES = "-r sched,irq,locks,workqueue,block,timers";
// Shorter parts need no hint. Interrupts that end timers.
const HINT_LEAST = 0.1, TIMER = /^(timer |hrtimer |TIMER|HRTIMER|local timer)/;

// The explained slices whose begins are in a span of time; decompressed at the first use.
class Explained {
	constructor(from, to, data) {
		Object.assign(this, { from, to, data, items: null });
	}

	read() {
		return this.items ??= unpackJson(this.data);
	}
}

// What ktrack why found about a slice, null if the page does not have it.
async function explanationOf(recording, one) {
	for (const chunk of recording.explained) {
		if (chunk.from > one.begin || chunk.to < one.begin)
			continue;
		for (const [number, depth, slice] of await chunk.read())
			if (slice.begin_ns === one.begin && number === one.chunk.number && depth === one.row.depth && slice.ns === one.end - one.begin)
				return slice;
	}
	// Of the slowest kinds, which may be states, one slice each.
	const kinds = (recording.totals?.explained?.states && recording.overview?.kinds) || [], isOne = ({ track_number: number, depth, begin_ns: begin, ns }) =>
		number === one.chunk.number && depth - 1 === one.row.depth && begin === one.begin && ns === one.end - one.begin;
	return kinds.map(({ slowest }) => slowest).find(isOne) ?? null;
}

// Finds what threads and interrupts did at a time.
class Finder {
	constructor(recording) {
		this.recording = recording;
		this.threads = new Map();
		this.interrupts = [];
		for (const track of recording.tracks) {
			if (track.identity.tracepoint === STATE_TRACKS)
				this.threads.set(track.identity.id, [...this.threads.get(track.identity.id) ?? [], track]);
			else if (track.identity.tracepoint === INTERRUPTS)
				this.interrupts.push(track);
		}
	}

	first(tracks, time, name) {
		for (const row of tracks.flatMap((track) => track.rows)) {
			const found = sliceAt(this.recording, row, time, name);
			if (found)
				return found;
		}
		return null;
	}

	// Who ended the longest segment of a part, or used its CPU: a label and an item; null if there is none.
	reason(part) {
		const begin = part.longest_at_ns, end = begin + part.longest_ns, tid = part.waker_tid ?? part.behind_tid ?? part.tid;
		const time = part.kind === "blocked" || part.kind === "stopped" || part.kind === "waiting" ? end : begin;
		if (!part.interrupt && !(tid > 0))
			return null;
		const item = part.interrupt ? this.first(this.interrupts, time, part.interrupt) : this.first(this.threads.get(tid) ?? [], time, null);
		const name = part.interrupt ?? part.waker ?? part.behind ?? part.comm ?? "";
		return item && { label: part.interrupt ? name : `${name} (${tid})`, item };
	}
}

// Why there are no states of threads, and how to get them.
function stateless({ totals: { explained } }) {
	return `${explained ? "nothing recorded the states of threads" : "this page was made without rules for the states of threads"}. Record and export with ${RULES}, without --track, --cpu and --pid.`;
}

// Why a slice has no split, and how to get it.
function excuse(recording, one) {
	const explained = recording.totals?.explained, { tracepoint } = one.track.identity;
	if (recording.isGrowing)
		return "Where its time went is known when the recording has ended, if the states of threads are recorded.";
	if (!recording.totals)
		return "Where its time went is not known: the page has no end.";
	if (!explained?.states)
		return `Where its time went is not known: ${stateless(recording)}`;
	const most = EXPLAINING.includes(tracepoint) ? "of states, interrupts and the like only those of the overview" : explained.limit > 0 ? `at most the ${explained.limit} slowest slices of each name` : "only slices that few others overlap";
	const pattern = `${tracepoint}/${nameOf(recording, one)}`.replace(/[\\*?[@]/g, "\\$&").replace(/[^ -~]+/g, "*").replaceAll("'", "'\\''");
	const time = showExact((one.begin + one.end) / 2).replace(" ", "");
	return `This page explains ${most}. Another one of a trace.dat, with the same -e and -r: ktrack why --at=${time} trace.dat '${pattern}'`;
}

// Parts at any depth that last at least as long.
function* partsOf(parts, least) {
	for (const part of parts.filter(({ ns }) => ns >= least)) {
		yield part;
		yield* partsOf(part.meanwhile ?? [], least);
	}
}

// The packs of what ended in interrupts; the interrupt of a device may be that of a disk.
function missingHints(recording, found) {
	const isOpen = ({ kind, operation, timeout, waker_context: context = "thread" }) =>
		!operation && !timeout && (kind === "waiting" || (kind === "blocked" && context !== "thread"));
	const open = [...partsOf(found.parts, found.ns * HINT_LEAST)].filter(isOpen), hints = [], missing = [];
	const has = (category) => recording.tracks.some(({ identity }) => identity.tracepoint.startsWith(category));
	const device = open.filter(({ interrupt }) => interrupt?.startsWith("IRQ ")).sort((a, b) => b.ns - a.ns)[0];
	const isDisk = open.some(({ interrupt }) => interrupt === "BLOCK") ||
		(device && found.async && found.parts.some(({ kind, interrupt }) => kind === "soft interrupt" && interrupt === "BLOCK"));
	if (isDisk && !has("block:"))
		missing.push("block");
	if (open.some(({ interrupt }) => TIMER.test(interrupt)) && !has("timers:armed"))
		missing.push("timers");
	if (missing.length > 0)
		hints.push(`What ended in the interrupts is not recorded; record and export with -r ${missing.join(",")}, too.`);
	if (device && !isDisk && !has("block:"))
		hints.push(`If ${device.interrupt} is the interrupt of a disk, record and export with -r block, too.`);
	return hints;
}

// What the recording lacks that would explain more, as ktrack why says.
function hintsOf(recording, found) {
	const hints = [], all = [...partsOf(found.parts, found.ns * HINT_LEAST)];
	if (!recording.totals.explained.interrupts)
		hints.push("Interrupts were not recorded: their time is part of \u201crunning\u201d; record with -r sched,irq.");
	if (all.some((part) => part.timeout && !part.stack && !part.after))
		hints.push("No kernel stacks show where threads slept; record with --stack='sched:sched_switch if prev_state & 3'.");
	return [...hints, ...missingHints(recording, found)];
}

// The slowest slices of a name, each with a way to it.
function slowestList(recording, slowest, go) {
	const list = element("details", { className: "slowest" }, element("summary", { textContent: `the ${slowest.length} slowest` }));
	for (const { chunk, index, ns } of slowest) {
		const item = itemOf(chunk, index);
		list.append(element("div", {}, buttonOf(showDuration(ns), "to this slice", () => go(item)), ` ${showSafe(item.track.label)} at ${showDuration(item.begin)}`));
	}
	return list;
}

class Why {
	// go(item) is called to jump to an item.
	constructor(recording, go) {
		Object.assign(this, { recording, go });
	}

	// After lines were added.
	grow() {
		this.knownFinder = null;
	}

	get finder() {
		return this.knownFinder ??= new Finder(this.recording);
	}

	// An element about a slice; null if there is nothing to explain, or it is not explained and explains others.
	async of(one, isWhy) {
		if (one.kind !== "slice" || one.end === one.begin)
			return null;
		const found = await explanationOf(this.recording, one), box = element("section", { className: "why" });
		if (!found) {
			if (!isWhy && EXPLAINING.includes(one.track.identity.tracepoint))
				return null;
			box.append(element("p", { textContent: excuse(this.recording, one) }));
			return box;
		}
		const ways = found.async ? " (asynchronous: backwards from its end)" : "";
		box.append(element("h3", { textContent: `Where its time went${ways}` }), ...this.causes(found), this.bar(found), this.list(found.parts, found.ns, 0));
		box.append(...hintsOf(this.recording, found).map((textContent) => element("p", { textContent })));
		return box;
	}

	// What it comes down to, in the words of ktrack why.
	causes({ causes, ns }) {
		return causes.map(({ what, ns: time }, i) =>
			element("p", { className: "cause", textContent: showSafe(`${i === 0 ? "mainly" : "and"} ${(100 * time / ns).toFixed(1)}%: ${what}`) }));
	}

	bar({ parts, ns }) {
		const texts = parts.map((part) => `${showShare(part.ns, ns)} ${part.what}`);
		const bar = element("div", { className: "bar", role: "img", ariaLabel: texts.map(showSafe).join(", ") });
		parts.forEach((part, i) => {
			const piece = element("span", { className: classOf(part), title: showSafe(texts[i]) });
			piece.style.flexGrow = part.ns / ns;
			bar.append(piece);
		});
		return bar;
	}

	// A table of parts; those of wakers are within it.
	list(parts, total, level) {
		const table = element("table", {}), isLarge = (part) => part.ns >= total * SHARE_LEAST;
		for (const part of parts.filter(isLarge))
			this.appendPart(table, part, total, level);
		const small = parts.filter((part) => !isLarge(part));
		if (small.length > 0) {
			const sum = small.reduce((all, part) => all + part.ns, 0), rest = element("table", {});
			small.forEach((part) => this.appendPart(rest, part, total, level));
			const head = element("summary", { textContent: `${counted(small.length, "smaller part")}: ${showDuration(sum)}` });
			table.insertRow().append(...["", "", "", ""].map((text) => element("td", { textContent: text })), element("td", {}, element("details", {}, head, rest)));
		}
		return table;
	}

	appendPart(table, part, total, level) {
		const row = table.insertRow(), what = element("td", {}, element("bdi", { textContent: showSafe(part.what) }));
		const cells = [showDuration(part.ns), level === 0 ? showShare(part.ns, total) : "", part.count > 1 ? `${part.count}\u00d7` : ""];
		row.append(element("td", {}, element("i", { className: classOf(part) })), ...cells.map((textContent) => element("td", { textContent })), what);
		this.appendWay(what, part);
		if (part.stack)
			what.append(stackOf(part.stack));
		if (part.meanwhile) {
			const tid = part.waker_tid === undefined ? "" : ` (${part.waker_tid})`;
			const about = part.kind === "stage" ? "in it" : part.operation ? `up to the end of ${showSafe(part.operation)}` : `meanwhile ${showSafe(part.waker ?? "")}${tid}`;
			const head = element("summary", { textContent: `${about}:` });
			what.append(element("details", { open: level === 0 }, head, this.list(part.meanwhile, total, level + 1)));
		}
	}

	// The way to the reason of a part.
	appendWay(cell, part) {
		const reason = this.finder.reason(part);
		if (!reason)
			return;
		const isWake = part.kind === "blocked" || part.kind === "stopped", title = isWake ? "to the end of its longest wait" : "to its longest time";
		const button = element("button", { className: "way", title: `${title} (j: the first)`, textContent: `\u2192 ${showSafe(reason.label)}`, item: reason.item });
		button.addEventListener("click", () => this.go(reason.item));
		cell.append(" ", button);
	}
}

// The innermost functions are visible, all of them on request.
function stackOf(frames) {
	const shown = 3, text = frames.slice(0, shown).join(" < ");
	if (frames.length <= shown)
		return element("div", { textContent: `at ${text}` });
	return element("details", {}, element("summary", { textContent: `at ${text} < \u2026` }), ...frames.map((textContent) => element("div", { textContent })));
}

function classOf({ kind }) {
	return `part ${kind.replace(" ", "-")}`;
}

function showShare(ns, total) {
	return `${(100 * ns / total).toFixed(1)} %`;
}
