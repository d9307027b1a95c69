// SPDX-License-Identifier: GPL-2.0-only
// Reads the data of the page into tracks and chunks.
"use strict";

// Chunks of one kind in time order.
class Row {
	constructor(track, kind, depth) {
		Object.assign(this, { track, kind, depth, chunks: [], lowest: null, highest: null, min: 0, max: 0 });
	}

	// `lowest` and `highest` have all digits; `min` and `max` are for drawing.
	widen(low, high) {
		if (this.lowest === null || low < this.lowest)
			this.lowest = low;
		if (this.highest === null || high > this.highest)
			this.highest = high;
		this.min = Number(this.lowest);
		this.max = Number(this.highest);
	}

	append(later) {
		for (const chunk of later.chunks)
			this.chunks.push(chunk);
		if (later.lowest !== null)
			[later.lowest, later.highest].forEach((value) => this.widen(value, value));
	}

	// The first chunk that ends at `time` or later.
	chunkAt(time) {
		return firstBeyond(this.chunks.length, time, (i) => this.chunks[i].to === time ? Infinity : this.chunks[i].to);
	}

	// Calls `call` for each item that overlaps a span, until it returns false.
	visit(from, to, call) {
		for (let i = this.chunkAt(from); i < this.chunks.length && this.chunks[i].from <= to; i++) {
			const items = this.chunks[i].read(), size = this.chunks[i].count;
			let at = firstBeyond(size, from, (j) => items.end[j] === from ? Infinity : items.end[j]);
			for (; at < size && items.begin[at] <= to; at++)
				if (call(this.chunks[i], at, items) === false)
					return;
		}
	}
}

// Slices by depth, instants and samples of one identity. A track that continues under another number, for example after
// its module was loaded again, is one track here.
class Track {
	constructor({ number, label, identity }) {
		Object.assign(this, { number, numbers: [number], label, identity, rows: [], instants: null, samples: null });
	}

	get parts() {
		return [...this.rows, this.instants, this.samples].filter((row) => row);
	}

	// The times of the first and the last event.
	get begin() {
		let least = Infinity;
		for (const row of this.rows)
			least = Math.min(least, row?.chunks[0].from ?? Infinity);
		return Math.min(least, this.instants?.chunks[0].from ?? Infinity, this.samples?.chunks[0].from ?? Infinity);
	}

	get end() {
		let most = -Infinity;
		for (const row of this.rows)
			most = Math.max(most, row?.chunks.at(-1).to ?? -Infinity);
		return Math.max(most, this.instants?.chunks.at(-1).to ?? -Infinity, this.samples?.chunks.at(-1).to ?? -Infinity);
	}

	rowOf(letter, depth) {
		if (letter === "c")
			return this.rows[depth] ??= new Row(this, "slice", depth);
		if (letter === "i")
			return this.instants ??= new Row(this, "instant", 0);
		return this.samples ??= new Row(this, "sample", 0);
	}

	// Appends a later track. Returns false if they overlap: the chunks of a row are in time order.
	append(later) {
		if (later.begin < this.end)
			return false;
		this.numbers.push(...later.numbers);
		for (const row of later.rows.filter((row) => row))
			this.rowOf("c", row.depth).append(row);
		if (later.instants)
			this.rowOf("i").append(later.instants);
		if (later.samples)
			this.rowOf("v").append(later.samples);
		return true;
	}
}

// `end` is the time of the last record; incomplete slices and losses may last until `limit`.
class Recording {
	constructor(text) {
		Object.assign(this, { about: {}, names: [], tracks: [], points: [], explained: [], losses: [], marks: [], notes: [], limit: 0, totals: null, nrChunks: 0 });
		this.byNumber = new Map();
		for (let at = 0, next; at < text.length; at = next + 1) {
			next = text.indexOf("\n", at);
			if (next < 0)
				next = text.length;
			if (next > at)
				this.readLine(text.substring(at, next));
		}
		this.end = this.totals?.last_ns || this.limit;
		this.mergeTracks();
		for (const track of this.tracks)
			track.rows = track.rows.filter((row) => row);
	}

	// All chunks and their rows, in the order of the page, which is about that of time.
	get inOrder() {
		if (this.ordered?.length !== this.nrChunks)
			this.ordered = this.tracks.flatMap((track) => track.parts).flatMap((row) => row.chunks.map((chunk) => ({ row, chunk }))).sort((a, b) => a.chunk.place - b.chunk.place);
		return this.ordered;
	}

	mergeTracks() {
		const byIdentity = new Map();
		this.tracks = this.tracks.filter((track) => {
			const key = JSON.stringify(track.identity);
			if (byIdentity.get(key)?.append(track))
				return false;
			byIdentity.set(key, track);
			return true;
		});
	}

	readLine(line) {
		const rest = line.substring(2);
		const letter = line[0];
		if (letter === "n")
			this.names.push(JSON.parse(rest));
		else if (letter === "t")
			this.addTrack(JSON.parse(rest));
		else if (letter === "r")
			this.about = JSON.parse(rest);
		else if (letter === "f")
			this.totals = JSON.parse(rest);
		else if (letter === "l")
			this.addLoss(rest);
		else if (letter === "w")
			this.notes.push(JSON.parse(rest));
		else if (letter === "m")
			this.addMark(rest);
		else if (letter === "p")
			this.addPoints(...rest.split(" "));
		else if (letter === "x")
			this.addExplained(...rest.split(" "));
		else
			this.addChunk(letter, rest.split(" "));
		if (letter === "f")
			this.limit = Math.max(this.limit, this.totals.end_ns);
	}

	addTrack(about) {
		const track = new Track(about);
		this.tracks.push(track);
		this.byNumber.set(about.number, track);
	}

	addLoss(rest) {
		const [, cpu, from, to, text] = /^(\S+) (\S+) (\S+) (.*)$/.exec(rest);
		this.losses.push({ cpu: +cpu, from: +from, to: +to, text: JSON.parse(text) });
		this.limit = Math.max(this.limit, +to);
	}

	addMark(rest) {
		const [, time, text] = /^(\S+) (.*)$/.exec(rest);
		this.marks.push({ time: +time, text: JSON.parse(text) });
		this.limit = Math.max(this.limit, +time);
	}

	addPoints(from, count, data) {
		this.points.push(new PointChunk(+from, +count, data));
	}

	addExplained(from, to, data) {
		this.explained.push(new Explained(+from, +to, data));
	}

	addChunk(letter, words) {
		const number = +words.shift(), track = this.byNumber.get(number);
		const depth = letter === "c" ? +words.shift() : 0;
		const [from, to, count] = words.splice(0, 3).map(Number);
		const args = words.pop(), data = words.pop();
		const kinds = { c: SliceChunk, i: InstantChunk, v: SampleChunk };
		const chunk = new kinds[letter](from, to, count, data, args);
		const row = track.rowOf(letter, depth);
		Object.assign(chunk, { number, place: this.nrChunks++ });
		if (letter === "c")
			Object.assign(chunk, { busy: +words[0], packedDigest: words[1] ?? NONE });
		if (letter === "i")
			chunk.depth = +words[0];
		if (letter === "v") {
			[chunk.min, chunk.max] = words.map(Number);
			row.widen(...words.map(BigInt));
		}
		row.chunks.push(chunk);
		this.limit = Math.max(this.limit, to);
	}
}
