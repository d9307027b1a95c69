// SPDX-License-Identifier: GPL-2.0-only
// Which tracks are drawn, in which order and at which height: the tree, pinned lines, the filter, lanes that tracks share.
"use strict";

// Deeper slices are drawn on request.
const ROWS_MOST = 32;
// The height of a label above its row.
const LABEL_LINE = 17;
// Pinned lines take at most this share of the window.
const PINNED_MOST = 0.6;
const INDENT = 12;

class Layout extends Axis {
	layOut() {
		this.tree = treeOf(this.recording.tracks, this.recording);
		Object.assign(this, { sort: "meaning", filter: "", current: null });
		this.place();
	}

	// Makes the tree again after tracks were added. Lines keep their state.
	grow() {
		const keep = ({ isOpen, isHidden, isPinned }) => ({ isOpen, isHidden, isPinned }), before = new Map(this.tree.all.map((node) => [node.key, node])), { order } = this.tree;
		this.tree = treeOf(this.recording.tracks, this.recording);
		const byKey = new Map(this.tree.all.map((node) => [node.key, node]));
		for (const [key, node] of byKey)
			if (before.has(key))
				Object.assign(node, keep(before.get(key)), { order: this.orderOf(before.get(key).order, node, byKey) });
		this.tree.order = this.orderOf(order, this.tree, byKey);
		this.current = this.current && byKey.get(this.current.key);
		this.changed();
	}

	// An order by hand of lines that were made again; new ones are behind the others.
	orderOf(order, node, byKey) {
		const children = new Set(node.children), kept = (order ?? []).map(({ key }) => byKey.get(key)).filter((one) => children.delete(one));
		return order && [...kept, ...children];
	}

	// Sets the position of each line and track. Pinned lines are at the top of the window, others below, from their first one.
	place() {
		for (const track of this.recording.tracks)
			Object.assign(track, { top: -Infinity, height: 0, isPinned: false });
		for (const row of this.recording.tracks.flatMap((track) => track.parts))
			row.joined = null;
		Object.assign(this, { lines: [], pinnedLines: [], pinnedHeight: 0, idleTop: -Infinity, height: 0 });
		const words = this.filter.toLowerCase().split(/\s+/).filter((word) => word);
		for (const node of this.tree.all.filter((one) => one.isPinned && !one.isHidden))
			this.placePinned(node);
		this.height = Math.ceil(TRACK_GAP / 2);
		this.sorted(this.tree).forEach((node) => this.placeNode(node, 0, words));
	}

	// The children of a line: as moved by hand, else sorted.
	sorted(node) {
		return node.order ?? [...node.children].sort((a, b) => a.rank - b.rank || (a.kind === "idle") - (b.kind === "idle") || SORTS[this.sort](a, b));
	}

	placePinned(node) {
		const tracks = node.allTracks, lines = this.pinnedLines, before = { height: this.height, lines: this.lines };
		Object.assign(this, { height: this.pinnedHeight || Math.ceil(TRACK_GAP / 2), lines });
		this.placeTracks(node, 0);
		node.isPinnedNow = this.height <= (this.rows ? (this.rows - RULER) * PINNED_MOST : Infinity);
		if (node.isPinnedNow) {
			this.pinnedHeight = this.height;
			tracks.forEach((track) => track.isPinned = track.top >= 0);
			lines.filter(({ joined }) => joined).forEach(({ joined }) => joined.isPinned = true);
		} else {
			lines.splice(lines.findIndex((line) => line.node === node), Infinity);
			tracks.forEach((track) => track.top = -Infinity);
		}
		Object.assign(this, before);
	}

	// Whether a line or one below it is to be drawn.
	isWanted(node, words) {
		if (node.isHidden || (node.isPinned && node.isPinnedNow))
			return false;
		return words.length === 0 || node.matches(words) || node.children.some((child) => this.isWanted(child, words));
	}

	placeNode(node, depth, words) {
		if (!this.isWanted(node, words))
			return;
		if (node.children.length === 0)
			return this.placeTracks(node, depth);
		const rest = words.length > 0 && node.matches(words) ? [] : words;
		if (node.kind === "idle")
			this.idleTop = this.height;
		this.addLine({ node, depth, track: null, tracks: [] }, LANE);
		if (node.isOpen || rest.length > 0)
			this.sorted(node).forEach((child) => this.placeNode(child, depth + 1, rest));
	}

	// In a narrow window the label is above the tracks, once for all lanes of a track.
	addLine(line, height) {
		const above = this.isNarrow && line.tracks.length > 0 && !line.isLane ? LABEL_LINE : 0, place = { top: this.height + above, height };
		Object.assign(line, { top: this.height, height: height + above });
		for (const track of line.tracks)
			if (!(line.joined?.number > 1))
				Object.assign(track, place);
		Object.assign(line.joined ?? {}, place);
		this.lines.push(line);
		this.height += line.height + TRACK_GAP;
	}

	// Whether a place of a line is that of its label.
	isLabelAt({ tracks: [track], joined }, x, y) {
		return x < GUTTER || !track || y < this.topOf(joined ?? track);
	}

	// The tracks of a line; only the first of a closed one. A closed line of lanes has one of them.
	placeTracks(node, depth) {
		if (node.lanes)
			node.lanes.slice(0, node.isOpen ? Infinity : 1).forEach((lane, i) => this.addLine({ node, depth, tracks: lane.tracks, isFirst: i === 0 }, this.highest(lane.tracks)));
		const all = node.lanes ? [] : sharedLines(node.tracks), isShown = ({ tracks: [track] }) => node.isOpen || track === node.tracks[0] || (track.identity.lane && laneKeyOf(track) === laneKeyOf(node.tracks[0]));
		all.filter(isShown).forEach(({ tracks, number }, i) => {
			const joined = number > 0 ? this.join(tracks, number) : null;
			const isLane = i > 0 && tracks[0].identity.lane && laneKeyOf(tracks[0]) === laneKeyOf(all[i - 1].tracks[0]);
			this.addLine({ node, depth, tracks, joined, isFirst: i === 0, isLane }, this.highest(joined ? [joined] : tracks));
		});
		if (this.lines.length > 0)
			this.lines.at(-1).isLast = true;
	}

	// A row of a thread; it remains scrolled to where it was.
	join(tracks, number) {
		const firsts = this.firsts ??= new Map(), joined = new Joined(tracks, number), key = `${tracks[0].number} ${number}`;
		joined.first = Math.min(firsts.get(key)?.first ?? 0, Math.max(joined.rows.length - 1, 0));
		firsts.set(key, joined);
		return joined;
	}

	// What a row is drawn in: its track, or a row of its thread; and its index there.
	ownerOf(row) {
		return row.joined ?? row.track;
	}

	indexOf(row) {
		const { rows } = this.ownerOf(row);
		return row.joined ? rows.findIndex((list) => list.includes(row)) : rows.indexOf(row);
	}

	heightOf(track) {
		return track.samples ? COUNTER : Math.max(this.lanesOf(track) + this.isCut(track), 1) * LANE;
	}

	highest(tracks) {
		return tracks.reduce((most, track) => Math.max(most, this.heightOf(track)), 0);
	}

	// Places again after a change of the tree.
	changed() {
		this.place();
		this.setScroll(this.scroll);
	}

	// Shows the threads of which only states are known, or hides them if all are shown.
	toggleIdle() {
		const isOpen = this.hidesIdle;
		this.tree.all.filter((node) => node.kind === "idle").forEach((node) => node.isOpen = isOpen);
		this.changed();
	}

	get hidesIdle() {
		return this.tree.all.some((node) => node.kind === "idle" && !node.isOpen);
	}

	// Moves a line among those next to it that are not hidden.
	shift(node, by) {
		const parent = node.parent ?? this.tree, nodes = [...this.sorted(parent)], at = nodes.indexOf(node);
		let to = at + by;
		while (nodes[to]?.isHidden)
			to += Math.sign(by);
		if (!nodes[to])
			return;
		nodes.splice(at, 1);
		nodes.splice(to, 0, node);
		parent.order = nodes;
		this.changed();
	}

	nodeOf(track) {
		return this.tree.all.find((node) => node.tracks.includes(track));
	}

	// Opens and unhides what hides a track.
	reveal(track) {
		for (let node = this.nodeOf(track); node; node = node.parent)
			Object.assign(node, { isOpen: true, isHidden: false });
		this.place();
		if (track.top < 0) {
			this.filter = "";
			this.place();
		}
		this.setScroll(this.scroll);
	}

	// The tracks that are not hidden.
	get tracks() {
		return [...this.pinnedLines, ...this.lines].flatMap((line) => line.tracks);
	}

	// How many rows of slices are drawn, from track.first on.
	lanesOf(track) {
		return Math.min(track.rows.length, ROWS_MOST);
	}

	// Whether a track has rows that are not drawn. An extra lane reports them.
	isCut(track) {
		return track.rows.length > ROWS_MOST;
	}

	rowsOf(track) {
		return track.rows.slice(track.first, track.first + ROWS_MOST);
	}

	// The track, or the row of a thread, whose lane with the hidden rows is at a height of the window.
	cutAt(y) {
		const track = this.lineAt(y)?.joined ?? this.trackAt(y);
		return track && this.isCut(track) && y >= this.topOf(track) + ROWS_MOST * LANE ? track : null;
	}

	// Draws the group of rows that has a row; the first group follows the last one.
	showRow(track, index) {
		if (index >= track.first && index < track.first + ROWS_MOST)
			return;
		track.first = index < track.rows.length ? index - index % ROWS_MOST : 0;
		this.ask();
	}

	// Where the tracks that scroll begin.
	get body() {
		return RULER + this.pinnedHeight;
	}

	topOf(track) {
		return track.isPinned ? RULER + track.top : this.body + track.top - this.scroll;
	}

	// The line at a height of the window.
	lineAt(y) {
		const isPinned = y < this.body, lines = isPinned ? this.pinnedLines : this.lines, place = isPinned ? y - RULER : y - this.body + this.scroll;
		const line = lines[firstBeyond(lines.length, place, (i) => lines[i].top) - 1];
		return y >= RULER && line && place < line.top + line.height + TRACK_GAP ? line : null;
	}

	// The track at a height of the window; of a lane that tracks share, the nearest to a time.
	trackAt(y, time = 0) {
		const tracks = this.lineAt(y)?.tracks ?? [], away = (track) => Math.max(track.begin - time, time - track.end, 0);
		return tracks.reduce((best, track) => !best || away(track) < away(best) ? track : best, null);
	}

	// The visible tracks between two heights of the window.
	tracksBetween(y, other) {
		const low = Math.min(y, other), high = Math.max(y, other);
		return this.tracks.filter((track) => this.topOf(track) < high && this.topOf(track) + track.height > low);
	}

	isVisible(track) {
		const top = this.topOf(track);
		return top < this.rows && top + track.height > (track.isPinned ? RULER : this.body);
	}

	visibleLines(lines) {
		if (lines === this.pinnedLines)
			return lines;
		const from = this.scroll - TRACK_GAP, to = this.scroll + this.rows - this.body;
		const first = firstBeyond(lines.length, from, (i) => lines[i].top + lines[i].height);
		return lines.slice(first, firstBeyond(lines.length, to, (i) => lines[i].top));
	}
}
