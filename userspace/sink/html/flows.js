// SPDX-License-Identifier: GPL-2.0-only
// Flows: which slices and instants have the same id, and the arrows between them.
"use strict";

// An id that is used again and again may have any number of points; so many are shown on either side of the selected one.
const FLOW_KEY = "ktrack:flow", ARROW = 6, POINTS_MOST = 500;

// Decodes the points of flows: when and where each one is, and its flow.
class PointChunk {
	constructor(from, count, data) {
		Object.assign(this, { from, count, data, items: null });
	}

	read() {
		if (this.items)
			return this.items;
		const bytes = new Bytes(this.data), count = this.count;
		const time = new Float64Array(count), begin = new Float64Array(count), track = new Uint32Array(count);
		const depth = new Uint32Array(count), name = new Uint32Array(count), id = new BigUint64Array(count);
		let now = this.from;
		for (let i = 0; i < count; i++) {
			time[i] = now += bytes.number();
			begin[i] = now - bytes.number();
			track[i] = bytes.number();
			depth[i] = bytes.number();
			name[i] = bytes.number();
			id[i] = bytes.exact();
		}
		return this.items = { time, begin, track, depth, name, id };
	}
}

// The slice or instant at a point.
function itemAt(recording, items, i) {
	const number = items.track[i], track = recording.tracks.find((one) => one.numbers.includes(number));
	const rows = (items.depth[i] ? track?.rows.filter((one) => one.depth === items.depth[i] - 1) : [track?.instants]) ?? [];
	let found = null;
	for (const row of rows)
		row?.visit(items.begin[i], items.begin[i], (chunk, index, { begin }) => {
			if (begin[index] === items.begin[i] && chunk.number === number)
				found = thing(row, chunk, index);
			return !found;
		});
	return found && { ...found, time: items.time[i] };
}

// The places of all points of a flow "name:0xid", in the order of time.
function placesOf(recording, text) {
	const colon = text.lastIndexOf(":"), name = text.substring(0, colon), id = BigInt(text.substring(colon + 1)), places = [];
	for (const chunk of recording.points) {
		const items = chunk.read();
		for (let i = items.id.indexOf(id); i >= 0; i = items.id.indexOf(id, i + 1))
			if (recording.names[items.name[i]] === name)
				places.push({ items, i });
	}
	return places;
}

// A flow of an item: how many points it has, which one the item is, and the points around it.
function flowOf(recording, one, text) {
	const places = placesOf(recording, text);
	const number = places.findIndex(({ items, i }) => items.begin[i] === one.begin && one.track.numbers.includes(items.track[i]));
	const shown = places.slice(Math.max(number - POINTS_MOST, 0), number + POINTS_MOST + 1);
	const points = shown.map(({ items, i }) => itemAt(recording, items, i)).filter((point) => point);
	return { text, number: number + 1, count: places.length, points };
}

function flowsOf(recording, one, args) {
	const texts = (Array.isArray(args) ? args : [args]).flatMap((part) => part?.[FLOW_KEY] ?? []);
	return texts.map((text) => flowOf(recording, one, text));
}

function placeIn(points, one) {
	return points.findIndex((point) => isSame(point, one));
}

// The points before and after an item.
function besides({ points }, one) {
	const at = placeIn(points, one);
	return at < 0 ? [] : [points[at - 1], points[at + 1]].filter((point) => point);
}

// Where the flow leaves an item for the next one: at its end, or while it is open.
function leaveTime(point, next) {
	return Math.max(Math.min(point.end, next.time), point.begin);
}

class FlowPicture extends Picture {
	// The height of the middle of an item's lane.
	middleOf({ row, kind, chunk, index }) {
		const owner = this.ownerOf(row), lane = kind === "instant" ? this.laneOf(owner, chunk.read().depth[index]) : this.indexOf(row) - owner.first;
		const shown = lane < 0 ? ROWS_MOST : Math.min(lane, ROWS_MOST);
		return this.topOf(owner) + (kind === "instant" ? shown * LANE : (shown + 0.5) * LANE);
	}

	// From where to where the visible arrows are, for the flows of the selected item.
	arrows() {
		const arrows = [];
		for (const { points } of this.flows ?? [])
			for (let i = 1; i < points.length; i++) {
				const from = leaveTime(points[i - 1], points[i]), to = points[i].time;
				if (to >= this.span.from && from <= this.span.to)
					arrows.push([this.xOf(from), this.middleOf(points[i - 1]), this.xOf(to), this.middleOf(points[i])]);
			}
		return arrows;
	}

	drawLosses() {
		super.drawLosses();
		this.drawFlows();
	}

	drawFlows() {
		this.context.save();
		this.context.beginPath();
		this.context.rect(GUTTER, RULER, this.width - GUTTER, this.rows - RULER);
		this.context.clip();
		this.context.strokeStyle = this.context.fillStyle = this.ink;
		this.context.lineWidth = 1.5;
		for (const arrow of this.arrows())
			this.drawArrow(...arrow);
		this.context.restore();
	}

	// A curve that ends from the left, and its head.
	drawArrow(x, y, toX, toY) {
		const bend = Math.max(Math.min((toX - x) / 2, 60), 12), context = this.context;
		context.beginPath();
		context.moveTo(x, y);
		context.bezierCurveTo(x + bend, y, toX - bend, toY, toX, toY);
		context.stroke();
		context.beginPath();
		context.moveTo(toX, toY);
		context.lineTo(toX - ARROW, toY - ARROW / 2);
		context.lineTo(toX - ARROW, toY + ARROW / 2);
		context.fill();
	}
}
