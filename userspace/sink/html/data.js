// SPDX-License-Identifier: GPL-2.0-only
// Reads the data of the page into tracks and chunks.
"use strict";

// Chunks of one kind in time order. Slices have a depth on their track, and the row of their thread and the lane of it on
// which they are drawn; `joined` is that row as far as it is drawn, see tree.js.
class Row {
	constructor(track, kind, depth, line = 0, lane = depth) {
		Object.assign(this, { track, kind, depth, line, lane, joined: null, chunks: [], far: null, open: null, lowest: null, highest: null, min: 0, max: 0 });
	}

	// `lowest` and `highest` have all digits; `min` and `max` are for drawing. Infinite values and what is no number are in no range.
	widen(low, high) {
		if (low > -Infinity && (this.lowest === null || low < this.lowest))
			this.lowest = low;
		if (high < Infinity && (this.highest === null || high > this.highest))
			this.highest = high;
		this.min = Number(this.lowest);
		this.max = Number(this.highest);
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
	constructor({ number, label, identity, joins = false }) {
		Object.assign(this, { number, numbers: [number], label, identity, joins, rows: [], byPlace: new Map(), openAt: new Map(), instants: null, samples: null, first: 0, nrChunks: 0, isEnded: false, unmatched: 0, ran: 0 });
	}

	get parts() {
		return [...this.rows, this.instants, this.samples].filter((row) => row);
	}

	// The times of the first and the last event.
	get begin() {
		let least = Infinity;
		for (const row of this.rows)
			least = Math.min(least, row.chunks[0].from);
		return Math.min(least, this.instants?.chunks[0].from ?? Infinity, this.samples?.chunks[0].from ?? Infinity);
	}

	get end() {
		let most = -Infinity;
		for (const row of this.rows)
			most = Math.max(most, row.chunks.at(-1).to);
		return Math.max(most, this.instants?.chunks.at(-1).to ?? -Infinity, this.samples?.chunks.at(-1).to ?? -Infinity);
	}

	// Of slices by the word PLACE.
	rowOf(letter, place) {
		if (letter === "c" && !this.byPlace.has(place))
			this.byPlace.set(place, this.addRow(...place.split("/").map(Number)));
		if (letter === "c")
			return this.byPlace.get(place);
		if (letter === "i")
			return this.instants ??= new Row(this, "instant", 0);
		return this.samples ??= new Row(this, "sample", 0);
	}

	// Rows are in the order of depth; a depth without slices has none.
	addRow(depth, line = this.joins ? 1 : 0, lane = depth) {
		const row = new Row(this, "slice", depth, line, lane);
		this.rows.splice(firstBeyond(this.rows.length, depth, (i) => this.rows[i].depth), 0, row);
		return row;
	}

	removeRow(row) {
		this.rows.splice(this.rows.indexOf(row), 1);
		for (const [place, one] of this.byPlace)
			if (one === row)
				this.byPlace.delete(place);
	}
}

// The rows with the outermost slices of a track.
function outerOf({ rows }) {
	return rows.filter(({ depth }) => depth === rows[0].depth);
}

// `end` is the time of the last record; incomplete slices and losses may last until `limit`. Lines can be added at any
// time; `shape` changes if tracks or rows were added. `isGrowing` until the last line of a recording that is followed.
class Recording {
	constructor(text) {
		Object.assign(this, { about: { time_source: "none" }, names: [], tracks: [], points: [], explained: [], overview: null, losses: [], marks: [], notes: [], limit: 0, totals: null });
		Object.assign(this, { open: new Set(), byNumber: new Map(), byIdentity: new Map(), inOrder: [], rest: "", shape: 0, isGrowing: false, isCut: false });
		this.add(text);
		if (this.rest)
			this.add("\n");
	}

	// Adds lines; the last one may be incomplete.
	add(text) {
		const all = this.rest + text, shape = this.shape;
		let at = 0;
		for (let next = all.indexOf("\n"); next >= 0; at = next + 1, next = all.indexOf("\n", at))
			if (next > at)
				this.readLine(all.substring(at, next));
		this.rest = all.substring(at);
		this.end = this.totals?.last_ns || this.limit;
		this.open.forEach((chunk) => chunk.reach(this.end));
		if (this.shape !== shape)
			this.tracks.sort((a, b) => a.number - b.number);
		return all.substring(0, at);
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
		else if (letter === "e")
			this.endTrack(...rest.split(" "));
		else if (letter === "f")
			this.addTotals(JSON.parse(rest));
		else if (letter === "o")
			this.addOpen(rest);
		else if (letter === "a")
			this.limit = Math.max(this.limit, +rest);
		else if (letter === "u")
			this.isCut = true;
		else if (letter === "l")
			this.addLoss(rest);
		else if (letter === "w")
			this.notes.push(JSON.parse(rest));
		else if (letter === "m")
			this.addMark(rest);
		else if (letter === "p")
			this.addPoints(...rest.split(" "));
		else if (letter === "y")
			this.addOverview(JSON.parse(rest));
		else if (letter === "x")
			this.addExplained(...rest.split(" "));
		else
			this.addChunk(letter, rest.split(" "));
	}

	// A track that continues one that has ended is the same one.
	addTrack(about) {
		const key = JSON.stringify(about.identity), before = this.byIdentity.get(key), track = before?.isEnded ? before : new Track(about);
		if (track === before)
			track.numbers.push(about.number);
		track.isEnded = false;
		this.byIdentity.set(key, track);
		this.byNumber.set(about.number, track);
	}

	// With the number of ends that had no begin, and how long its thread ran.
	endTrack(number, unmatched = 0, ran = 0) {
		const track = this.byNumber.get(+number);
		track.isEnded = true;
		track.unmatched += +unmatched;
		track.ran += +ran;
	}

	// Tracks with nothing on them are shown in the end.
	addTotals(totals) {
		this.totals = totals;
		this.limit = Math.max(this.limit, totals.end_ns);
		for (const track of new Set(this.byNumber.values()))
			if (track.nrChunks === 0)
				this.show(track);
	}

	show(track) {
		this.tracks.push(track);
		this.shape++;
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

	// Processes are in the order of their use of CPUs.
	addOverview(overview) {
		this.overview = overview;
		this.shape++;
	}

	addChunk(letter, words) {
		const number = +words.shift(), track = this.byNumber.get(number);
		const place = letter === "c" ? words.shift() : "";
		const [from, to, count] = words.splice(0, 3).map(Number);
		const args = words.pop(), data = words.pop();
		const kinds = { c: SliceChunk, i: InstantChunk, v: SampleChunk };
		const chunk = new kinds[letter](from, to, count, data, args);
		const row = track.rowOf(letter, place);
		chunk.number = number;
		if (letter === "c")
			Object.assign(chunk, { busy: +words[0], packedDigest: words[1] ?? NONE });
		if (letter === "i")
			chunk.depth = +words[0];
		if (letter === "v") {
			const range = words.slice(0, 2);
			[chunk.min, chunk.max] = range.map(Number);
			row.widen(...range.map((word) => /^-?\d+$/.test(word) ? BigInt(word) : Number(word)));
			chunk.range = range;
		}
		chunk.index = new Index(...words.slice(letter === "i" ? 1 : 2));
		this.attach(row, chunk);
	}

	// An open slice is the first one of the next chunk of its track and depth that begins with it, and is replaced by it.
	// It may have been drawn at another place.
	attach(row, chunk) {
		const { track } = row, place = row.kind === "slice" && track.openAt.get(row.depth), ended = place && place.open.from === chunk.from;
		chunk.row = row;
		row.chunks.push(chunk);
		if (ended)
			this.endOpen(place, chunk);
		this.inOrder.push({ row, chunk });
		this.limit = Math.max(this.limit, chunk.to);
		track.nrChunks += ended ? 0 : 1;
		if (!ended && track.nrChunks === 1)
			this.show(track);
		else if (row.chunks.length === 1 || track.nrChunks <= 2)
			this.shape++;
		(row.joined ?? track).nrSlices = null;
	}

	endOpen(row, chunk) {
		row.open.endedIn = chunk;
		this.open.delete(row.open);
		row.chunks.splice(row.chunks.indexOf(row.open), 1);
		row.open = null;
		row.track.openAt.delete(row.depth);
		if (row.chunks.length === 0)
			row.track.removeRow(row);
		if (chunk.row !== row)
			this.shape++;
	}

	addOpen(rest) {
		const [, number, place, from, name, fields] = /^(\S+) (\S+) (\S+) (\S+) (.*)$/.exec(rest), track = this.byNumber.get(+number);
		const row = track.rowOf("c", place), chunk = new OpenChunk(+from, +name, JSON.parse(fields));
		chunk.number = +number;
		this.attach(row, chunk);
		row.open = chunk;
		track.openAt.set(row.depth, row);
		this.open.add(chunk);
	}
}
