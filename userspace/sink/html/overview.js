// SPDX-License-Identifier: GPL-2.0-only
// What the panel answers before anything is selected: how long it is, who used the CPUs, the slowest kinds of slices with their
// main causes, and how far losses reach. Processes, kinds and causes are those of 'ktrack why' without a slice.
"use strict";

// So many processes and losses have a row.
const BUSIEST_SHOWN = 5, LOSSES_SHOWN = 5;
// A loss is shown with so many times its length around it.
const LOSS_MARGIN = 5;

class Overview {
	constructor(page) {
		Object.assign(this, { page, recording: page.recording });
	}

	parts() {
		const { overview } = this.recording;
		return [this.extent(), overview?.kinds.length > 0 && this.kinds(overview), overview?.running_ns > 0 && this.processes(overview), overview?.instants && this.instants(overview), this.losses()].filter((part) => part);
	}

	// How long it is, how much the CPUs did, and what is wrong with it.
	extent() {
		const { page, recording: { about, end, overview, notes } } = this, used = overview?.running_ns / (end * about.cpus), faults = page.details.faults();
		const text = `${showDuration(end)} on ${counted(about.cpus ?? 0, "CPU")}${used > 0 ? `, CPUs used for ${percent(used)} of it` : ""}`;
		return element("h2", {}, [text, ...notes].map(showSafe).join(" \u00b7 "), ...faults.flatMap((textContent) => [" \u00b7 ", element("span", { className: "bad", textContent })]));
	}

	// Why slices have no causes.
	excuses() {
		const { overview, totals } = this.recording;
		return overview?.kinds.length > 0 && totals && !totals.explained?.states ? [element("p", { textContent: `Where the time of slices went is not known: ${stateless(this.recording)}` })] : [];
	}

	processes({ processes, running_ns: all }) {
		const shown = processes.slice(0, BUSIEST_SHOWN), rest = all - shown.reduce((sum, one) => sum + one.running_ns, 0);
		const rows = shown.map(({ pid, comm, running_ns: ran, runnable_ns: waited, uninterruptible_ns: slept }) =>
			[linkOf(`${comm} (${pid})`, "to its threads", () => this.showProcess(pid)), percent(ran / all), ...[ran, waited, slept].map((ns) => ns > 0 ? showDuration(ns) : "")]);
		if (processes.length > shown.length)
			rows.push([`${counted(processes.length - shown.length, "other")}`, percent(rest / all), showDuration(rest), "", ""]);
		const table = tableOf(rows, "who used the CPUs", ["process", "share", "running", "runnable", "state D"]);
		table.className = "numbers busy";
		return table;
	}

	kinds({ kinds, nr_kinds: nr }) {
		const row = ({ count, slowest }) => [linkOf(slowest.name, `to the slowest one, ${slowest.tracepoint}`, () => this.showSlice(slowest)), showDuration(slowest.ns), count, this.causeOf(slowest)];
		const table = tableOf(kinds.map(row), `the slowest kinds of slices${nr > kinds.length ? `, ${kinds.length} of ${nr} ` : ""}`, ["slice", "slowest", "count", "mainly"]);
		table.className = "numbers kinds";
		if (nr > kinds.length)
			table.caption.append(linkOf("all names", "the slowest slice of each name, also of states, of calls that wait for events such as poll, and of ktrack itself", () => this.showAll()));
		return table;
	}

	// Of a recording without slices.
	instants({ instants, nr_instants: all, processes: [busiest] }) {
		const rows = instants.map(({ count, tracepoint, name }) => [name, count, percent(count / all), tracepoint]);
		const table = tableOf(rows, `no slices, ${counted(all, "instant")}, the most frequent `, ["name", "count", "share", "tracepoint"]);
		table.className = "numbers kinds";
		table.caption.append(linkOf("all names", "how often each name occurs", () => this.showAll()));
		if (busiest)
			table.caption.append(" most of them of ", linkOf(`${busiest.comm} (${busiest.pid})`, "to its threads", () => this.showProcess(busiest.pid)));
		return table;
	}

	// The statistics of the whole recording, the slowest name first.
	showAll() {
		Object.assign(this.page.range, { sort: "max", isDown: true });
		this.page.selectRange(0, this.recording.end, null);
	}

	// Its main cause, cut if it does not fit.
	causeOf({ causes: [cause], ns, suspect, unfinished }) {
		const text = cause ? `${percent(cause.ns / ns)} ${cause.what}` : "";
		const all = showSafe([unfinished ? "it has no end" : "", suspect ? "lost records may have changed it" : "", text].filter((one) => one).join("; "));
		return element("div", { textContent: all, title: all });
	}

	losses() {
		const { losses, end } = this.recording, lost = lostOf(losses);
		if (losses.length === 0)
			return null;
		const longest = [...losses].sort((a, b) => b.to - b.from - (a.to - a.from)).slice(0, LOSSES_SHOWN).sort((a, b) => a.from - b.from);
		const rows = longest.map((loss) => [linkOf(showDuration(loss.from), "to this gap", () => this.page.showLoss(loss)), showDuration(loss.to - loss.from), loss.cpu >= 0 ? loss.cpu : "", loss.text]);
		const reach = `gaps in the records, ${showDuration(lost)} together${end > 0 ? `, ${percent(lost / (end * (this.recording.about.cpus || 1)))} of the time of all CPUs` : ""}`;
		return tableOf(rows, losses.length > rows.length ? `${reach}; the ${rows.length} longest of ${losses.length}` : reach, ["from", "lasts", "CPU", "what"]);
	}

	showProcess(pid) {
		const { page } = this, { picture } = page, tracks = this.recording.tracks.filter(({ identity: { scope, id, tgid } }) => scope === "thread" && (tgid ?? id) === pid);
		const track = tracks.find(({ identity }) => identity.id === pid && identity.tracepoint === STATE_TRACKS) ?? tracks[0];
		if (!track)
			return;
		const node = picture.nodeOf(track), process = node.parent?.kind === "process" ? node.parent : node;
		page.showTrack(track);
		page.tracks.choose(process);
	}

	showSlice({ track_number: track, depth, begin_ns: begin }) {
		const one = this.page.fragment.itemOf([track, depth - 1, begin].join());
		if (one)
			this.page.show(one, true);
	}
}

// How long the gaps of all CPUs last together; those of several buffers of a CPU at the same time are one.
function lostOf(losses) {
	const ends = new Map();
	let sum = 0;
	for (const { cpu, from, to } of [...losses].sort((a, b) => a.from - b.from)) {
		const end = ends.get(cpu) ?? from;
		sum += Math.max(to - Math.max(from, end), 0);
		ends.set(cpu, Math.max(to, end));
	}
	return sum;
}

function percent(share) {
	return `${(100 * share).toFixed(1)} %`;
}
