// SPDX-License-Identifier: GPL-2.0-only
// Ways from an item to what belongs to it: who woke a thread, its CPU or its thread, the points of its flows.
"use strict";

const WAKES = "sched:wakeup", RUNNING = "Running", RUNNABLE = "Runnable", PREEMPTED = "R+";
// How often a thread may have been preempted since it was woken.
const BACK_MOST = 10000;

// What the fields of a slice's begin, or of an instant, say.
function beginOf(args) {
	return (Array.isArray(args) ? args[0] : args) ?? {};
}

class Links {
	constructor(page) {
		Object.assign(this, { page, recording: page.recording });
	}

	// The tracks with a tracepoint on the machine of a track.
	tracksOf(tracepoint, { identity: { host } }) {
		return this.recording.tracks.filter(({ identity }) => identity.tracepoint === tracepoint && identity.host === host);
	}

	// Rows of the facts about an item.
	async rowsOf(one, args, flows = this.page.picture.flows) {
		const { tracepoint } = one.track.identity, isSlice = one.kind === "slice", rows = [];
		if (isSlice && tracepoint === STATE_TRACKS)
			rows.push(await this.wakerRow(one), await this.cpuRow(one));
		if (isSlice && tracepoint === CPU_TRACKS)
			rows.push(this.threadRow(one, beginOf(args).next_pid));
		if (one.kind === "instant" && tracepoint === WAKES)
			rows.push(this.stateRow(one));
		return [...rows.filter((row) => row), ...flows.map((flow) => this.flowRow(one, flow))];
	}

	button(text, title, item, className = "way") {
		return Object.assign(buttonOf(showSafe(text), title, () => this.page.go(item)), { className, item });
	}

	// When a thread was woken: at the end of a wait, or before it ran, also if it was preempted since; null if it is not known.
	wakeTime(one) {
		const hasRun = (found) => [RUNNING, PREEMPTED].includes(nameOf(this.recording, found));
		let at = one;
		for (let i = 0; i < BACK_MOST && hasRun(at); i++) {
			const before = neighbour(at, -1);
			if (before?.end !== at.begin)
				return null;
			at = before;
		}
		return hasRun(at) ? null : nameOf(this.recording, at) === RUNNABLE ? at.begin : at.end;
	}

	// Who ended a wait of the thread, the last one if it is over.
	async wakerRow(one) {
		const time = this.wakeTime(one), wake = time === null ? null : this.wakeOf(one.track, time);
		if (!wake)
			return null;
		const { id, comm } = wake.track.identity, interrupt = await this.interruptAt(wake), text = `\u2192 ${comm ?? "thread"} (${id})`;
		const cell = element("span", {}, this.button(interrupt ? `\u2192 ${nameOf(this.recording, interrupt)}` : text, "j: to who woke it", interrupt ?? wake));
		if (interrupt)
			cell.append(" while ", this.button(text, "to the thread that was interrupted", wake));
		if (time < one.begin)
			cell.append(` ${showDuration(one.begin - time)} before`);
		return ["woken by", cell];
	}

	// The instant at which a thread was woken; null if it is not recorded.
	wakeOf(track, time) {
		const end = ` ${track.identity.id}`;
		let found = null;
		for (const { instants } of this.tracksOf(WAKES, track))
			instants?.visit(time, time, (chunk, index, items) => {
				const name = this.recording.names[items.name[index]];
				if (name.startsWith("wakes ") && name.endsWith(end))
					found = thing(instants, chunk, index);
				return !found;
			});
		return found;
	}

	// The slice of the CPU that a thread has at a time; null if none has it. Each CPU has an idle thread. Fields are read
	// only where the name is right.
	async cpuOf(track, time) {
		const { id, cpu, comm } = track.identity, isHere = async (one) => cpu !== undefined ? one.track.identity.id === cpu :
			(!comm || nameOf(this.recording, one) === comm) && beginOf(await one.chunk.argsOf(one.index)).next_pid === id;
		for (const row of this.tracksOf(CPU_TRACKS, track).flatMap(({ rows }) => rows)) {
			const one = sliceAt(this.recording, row, time);
			if (one && await isHere(one))
				return one;
		}
		return null;
	}

	// The interrupt in which a thread was woken, the innermost one; null if there is none.
	async interruptAt({ track, begin }) {
		const cpu = await this.cpuOf(track, begin), interrupts = cpu ? this.tracksOf(INTERRUPTS, track).filter(({ identity }) => identity.id === cpu.track.identity.id) : [];
		return interrupts.flatMap(({ rows }) => rows).map((row) => sliceAt(this.recording, row, begin)).findLast((one) => one) ?? null;
	}

	// On which CPU a thread runs.
	async cpuRow(one) {
		if (nameOf(this.recording, one) !== RUNNING)
			return null;
		const cpu = await this.cpuOf(one.track, one.begin);
		return cpu ? ["on", this.button(`\u2192 CPU ${cpu.track.identity.id}`, "to what runs there", cpu)] : null;
	}

	// The state of a thread that runs at the begin of an item; of idle threads, that of a CPU.
	runningAt(one, tid, cpuId) {
		const isRight = ({ identity: { id, cpu } }) => id === tid && (cpu ?? cpuId) === cpuId;
		const rows = this.tracksOf(STATE_TRACKS, one.track).filter(isRight).flatMap((track) => track.rows);
		return rows.map((row) => sliceAt(this.recording, row, one.begin, RUNNING)).filter((found) => found);
	}

	// What a thread did when it woke another one: who woke it is found there.
	stateRow(one) {
		const { id, cpu, comm } = one.track.identity, [state] = this.runningAt(one, id, cpu);
		return state ? ["while", this.button(`\u2192 ${comm ?? "thread"} (${id})`, "j: to the thread's states", state)] : null;
	}

	// The state of the thread that a CPU runs.
	threadRow(one, tid) {
		const state = this.runningAt(one, tid, one.track.identity.id).find((found) => found.begin === one.begin);
		return state ? ["thread", this.button(`\u2192 ${nameOf(this.recording, one)} (${tid})`, "j: to the thread's states", state)] : null;
	}

	// A flow: which of its points the item is, and buttons to the points before and after it.
	flowRow(one, { text, number, count, points }) {
		const at = placeIn(points, one), cell = element("span", {}, `${showSafe(text)}, point ${number} of ${count} `);
		for (const [point, key, mark] of [[points[at - 1], "<", "\u2190"], [points[at + 1], ">", "\u2192"]])
			if (at >= 0 && point) {
				const away = `${showDuration(Math.abs(point.time - points[at].time))} ${key === "<" ? "before" : "later"}`;
				const button = this.button(`${mark} ${nameOf(this.recording, point)}, ${away}`, `${key}: to this point of the flow`, point, "point");
				button.dataset.key = key;
				cell.append(button);
			}
		return ["flow", cell];
	}

	// To the point before or after the selected item on its first flow that has one.
	follow(key) {
		this.page.part("details").querySelector(`.point[data-key="${key}"]`)?.click();
	}
}
