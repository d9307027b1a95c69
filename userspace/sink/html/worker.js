// SPDX-License-Identifier: GPL-2.0-only
// Statistics of many items are computed in a worker, so that the page does not wait for them. It runs the page's scripts with a copy of
// the chunks that it needs, and ends with its answer.
"use strict";

const SCRIPTS = globalThis.document?.currentScript;
const JOBS = { spanStatistics, nameStatistics }, KINDS = { slice: SliceChunk, instant: InstantChunk, sample: SampleChunk };

// Tracks with their chunks in a span, whose data is in one array, which is not copied when it is sent; `all` has these chunks in order.
function packTracks(tracks, from, to) {
	const all = [], packRow = ({ kind, depth, chunks }, first) => {
		const some = chunks.slice(first, firstBeyond(chunks.length, to, (i) => chunks[i].from));
		some.forEach((chunk) => all.push(chunk));
		return { kind, depth, chunks: some.map(({ from, to, count, data, isOpen, items }) => isOpen ? [from, to, items.name[0]] : [from, to, count, data.length]) };
	};
	// A counter's value at the begin is in the chunk before.
	const packed = tracks.map(({ number, label, identity, parts }) => ({ about: { number, label, identity }, rows: parts.map((row) => packRow(row, Math.max(row.chunkAt(from) - 1, 0))) }));
	const bytes = new Uint8Array(all.reduce((sum, { data }) => sum + data.length, 0)), encoder = new TextEncoder();
	let at = 0;
	for (const { data } of all)
		at += encoder.encodeInto(data, bytes.subarray(at)).written;
	return { all, packed, bytes };
}

// The same tracks in the worker. Chunks have their place in `all`.
function unpackTracks(tracks, bytes) {
	const decoder = new TextDecoder("latin1");
	let place = 0, at = 0;
	const unpackChunk = (kind, [from, to, count, size]) => {
		const isOpen = size === undefined, chunk = isOpen ? new OpenChunk(from, count, null) : new KINDS[kind](from, to, count, decoder.decode(bytes.subarray(at, at += size)), NONE);
		if (isOpen)
			chunk.reach(to);
		return Object.assign(chunk, { place: place++ });
	};
	return tracks.map(({ about, rows }) => {
		const track = new Track(about);
		for (const { kind, depth, chunks } of rows) {
			const row = kind === "slice" ? track.addRow(depth) : track[`${kind}s`] = new Row(track, kind, 0);
			row.chunks = chunks.map((chunk) => unpackChunk(kind, chunk));
		}
		return track;
	});
}

// What is sent of statistics: no tracks, and places of chunks.
function packStatistics({ name, track, numbers, durations, slowest, ...rest }) {
	return { ...rest, slowest: slowest.map(({ chunk, ...one }) => ({ ...one, chunk: chunk.place })) };
}

function packFound(found) {
	if (!found.slices)
		return { ...packStatistics(found), knownSorted: found.sorted };
	const { slices, instants, counters } = found;
	return { slices: slices.map(packStatistics), instants: instants.map(packStatistics), counters: counters.map(({ track: { label }, ...rest }) => ({ ...rest, track: { label } })) };
}

// In the worker.
function answer({ data: { job, nrNames, tracks, bytes, words } }) {
	const steps = JOBS[job]({ names: { length: nrNames } }, unpackTracks(tracks, bytes), ...words);
	let step;
	do
		step = steps.next();
	while (!step.done);
	const found = packFound(step.value);
	postMessage(found, found.knownSorted ? [found.knownSorted.buffer] : []);
}

// One job at a time, which replaces the one before.
class Apart {
	// So many items are worth a worker.
	static LEAST = 100000;

	constructor(recording) {
		Object.assign(this, { recording, url: null, stop: null });
	}

	// What a job finds about tracks in a span; null once isWanted() is false, or if another one replaces it.
	async run(job, tracks, from, to, words, isWanted) {
		const { all, packed, bytes } = packTracks(tracks, from, to), { names } = this.recording;
		this.stop?.();
		// A place that serves the page may forbid workers.
		if (all.reduce((sum, { count }) => sum + count, 0) >= Apart.LEAST)
			try {
				const found = await this.ask({ job, nrNames: names.length, tracks: packed, bytes, words });
				return found && isWanted() ? this.restore(found, all) : null;
			} catch {
				this.stop?.();
			}
		return runSteps(JOBS[job](this.recording, tracks, ...words), isWanted);
	}

	ask(message) {
		return new Promise((resolve, reject) => {
			const worker = new Worker(this.url ??= URL.createObjectURL(new Blob([SCRIPTS.textContent])));
			this.stop = () => {
				worker.terminate();
				resolve(null);
			};
			worker.onmessage = ({ data }) => {
				worker.terminate();
				resolve(data);
			};
			worker.onerror = reject;
			worker.postMessage(message, [message.bytes.buffer]);
		});
	}

	restore(found, all) {
		const { names } = this.recording, restoreOne = (one) => Object.assign(new NameStatistics(names[one.number], one.tracepoint), one, { slowest: one.slowest.map(({ chunk, ...rest }) => ({ ...rest, chunk: all[chunk] })) });
		return found.slices ? { slices: found.slices.map(restoreOne), instants: found.instants.map(restoreOne), counters: found.counters } : restoreOne(found);
	}
}
