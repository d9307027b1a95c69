// SPDX-License-Identifier: GPL-2.0-only
// Finds slices, instants and samples: by position, by name, and by order.
"use strict";

// A slice, an instant or a sample: its row, its chunk, and its index in that.
function thing(row, chunk, index) {
	const items = chunk.read();
	return { row, track: row.track, kind: row.kind, chunk, index, begin: items.begin[index], end: items.end[index] };
}

// What an open slice is after its end; else itself.
function newest(one) {
	const { endedIn } = one.chunk;
	return endedIn ? thing(endedIn.row, endedIn, 0) : one;
}

// The same, by its chunk alone.
function itemOf(chunk, index) {
	return thing(chunk.row, chunk, index);
}

function nameOf(recording, found) {
	return found.kind === "sample" ? found.track.label : recording.names[found.chunk.read().name[found.index]];
}

// The item at a time, or the nearest within `within` nanoseconds.
function nearest(row, time, within) {
	let best = null, least = within;
	row.visit(time - within, time + within, (chunk, index, items) => {
		const away = Math.max(items.begin[index] - time, time - items.end[index], 0);
		if (away <= least) {
			best = thing(row, chunk, index);
			least = away;
		}
		return items.begin[index] <= time + within && (away > 0 || !best || items.end[index] <= time);
	});
	return best;
}

// The last slice of a row that begins up to a time and lasts until then, if its name is right.
function sliceAt(recording, row, time, name = null) {
	let found = null;
	row.visit(time, time, (chunk, index, items) => {
		if (name === null || recording.names[items.name[index]] === name)
			found = thing(row, chunk, index);
	});
	return found;
}

// The last sample up to a time, which is the counter's value then.
function sampleAt(row, time) {
	let found = null;
	for (let i = Math.min(row.chunkAt(time), row.chunks.length - 1); i >= 0 && !found; i--) {
		const chunk = row.chunks[i], items = chunk.read();
		const at = firstBeyond(chunk.count, time, (j) => items.begin[j]) - 1;
		if (at >= 0)
			found = thing(row, chunk, at);
	}
	return found;
}

function hit(picture, x, y) {
	if (x < GUTTER || y < RULER)
		return null;
	const time = picture.timeOf(x), within = 4 / picture.scale, track = picture.trackAt(y, time);
	if (!track)
		return null;
	if (track.samples)
		return sampleAt(track.samples, time);
	const shown = picture.lineAt(y).joined ?? track, rows = picture.rowsOf(shown)[Math.floor((y - picture.topOf(shown)) / LANE)];
	const instant = nearestOf(shown.joints?.map((one) => one.instants) ?? [track.instants], time, within);
	const slice = nearestOf([rows].flat(), time, within);
	const isInside = (depth) => slice.track.identity.tracepoint === STATE_TRACKS && shown.joints ? depth === 0 && y - picture.topOf(shown) < LANE / 3 : depth >= slice.row.lane + 1;
	const isOnInstant = instant && (!slice || isInside(instant.chunk.read().depth[instant.index]));
	return isOnInstant ? instant : slice || instant;
}

// The item at a time on any of some rows, which may be missing.
function nearestOf(rows, time, within) {
	const away = (one) => Math.max(one.begin - time, time - one.end, 0), all = rows.map((row) => row && nearest(row, time, within)).filter((one) => one);
	return all.reduce((best, one) => best && away(best) <= away(one) ? best : one, null);
}

// The next item of a row in either direction.
function neighbour(found, step) {
	const row = found.row, index = found.index + step;
	const place = row.chunks.indexOf(found.chunk);
	if (index >= 0 && index < found.chunk.count)
		return thing(row, found.chunk, index);
	const chunk = row.chunks[place + step];
	return chunk ? thing(row, chunk, step > 0 ? 0 : chunk.count - 1) : null;
}

// Items are ordered by time, then by track, then by depth.
function isBefore(a, b) {
	if (a.begin !== b.begin)
		return a.begin < b.begin;
	if (a.track !== b.track)
		return a.track.number < b.track.number;
	return a.row.depth + (a.kind === "instant") < b.row.depth + (b.kind === "instant");
}

// The first item of a row with one of the names, in a direction; after the selected one, if there is one.
function nextInRow(row, names, selected, step) {
	const isBeyond = (one) => !selected || (step > 0 ? isBefore(selected, one) : isBefore(one, selected));
	let place = step > 0 ? 0 : row.chunks.length - 1;
	if (selected && step > 0)
		place = row.chunkAt(selected.begin);
	for (; place >= 0 && place < row.chunks.length; place += step) {
		const chunk = row.chunks[place], items = chunk.read();
		if (selected && step < 0 && chunk.from > selected.begin)
			continue;
		for (let i = step > 0 ? 0 : chunk.count - 1; i >= 0 && i < chunk.count; i += step) {
			if (!names.has(items.name[i]))
				continue;
			const one = thing(row, chunk, i);
			if (isBeyond(one))
				return one;
		}
	}
	return null;
}

// The next item with one of the names, in a direction; wraps around. With a tracepoint only on its tracks.
function nextOf(recording, names, selected, step, tracepoint = null) {
	const tracks = recording.tracks.filter((track) => tracepoint === null || track.identity.tracepoint === tracepoint);
	const rows = tracks.flatMap((track) => track.instants ? [...track.rows, track.instants] : track.rows);
	const best = (from) => rows.reduce((found, row) => {
		const one = nextInRow(row, names, from, step);
		return one && (!found || (step > 0 ? isBefore(one, found) : isBefore(found, one))) ? one : found;
	}, null);
	return best(selected) ?? best(null);
}
