// SPDX-License-Identifier: GPL-2.0-only
// The critical path of an item: what it waited for, what that waited for, and so on to the end, as marked pieces with arrows.
"use strict";

// So many pieces are followed.
const CHAIN_MOST = 32;

class Chain {
	constructor(page) {
		Object.assign(this, { page, picture: page.picture, items: [] });
	}

	placeOf(one) {
		return one ? this.items.findIndex((item) => isSame(item, one)) : -1;
	}

	// Follows the ways from a selected item, unless it is a piece of the chain that is shown.
	async follow(one) {
		if (this.placeOf(one) < 0) {
			const items = this.items = one ? [one] : [], isWanted = () => this.picture.selected === one;
			for (let next = one; next && items.length < CHAIN_MOST && isWanted();) {
				next = await this.wayOf(next);
				if (!next || items.some((item) => isSame(item, next)))
					break;
				items.push(next);
			}
			if (!isWanted())
				return;
		}
		this.showPlace(one);
		this.picture.ask();
	}

	// Where the first way from an item leads, null if there is none.
	async wayOf(one) {
		const { links } = this.page.details, rows = await links.rowsOf(one, await one.chunk.argsOf(one.index), []), parts = [...rows.map(([, cell]) => cell), await this.page.why.of(one)];
		for (const part of parts) {
			const way = part?.classList?.contains("way") ? part : part?.querySelector?.(".way");
			if (way)
				return way.item;
		}
		return null;
	}

	// Which piece the item is.
	showPlace(one) {
		const at = this.placeOf(one), text = this.items.length > 1 && at >= 0 ? ` piece ${at + 1} of ${this.items.length} of the chain of its waits (j, k)` : "";
		for (const place of document.querySelectorAll("#details .chain"))
			place.textContent = text;
	}

	// Goes along it: j to what the item waited for, k back; returns whether there is such a piece.
	step(by) {
		const at = this.placeOf(this.picture.selected), next = at < 0 ? null : this.items[at + by];
		if (next && by > 0)
			this.page.go(next);
		else if (next)
			this.page.goBackTo(next);
		return Boolean(next);
	}
}

// The time at which a piece ended the wait of the one before it: at its end, or when that went on before.
function meetTime(cause, effect) {
	return Math.max(Math.min(cause.end, effect.end), effect.begin);
}

class ChainPicture extends FlowPicture {
	// The pieces that are on visible lines.
	get pieces() {
		return (this.chain?.items ?? []).filter((one) => this.topOf(this.ownerOf(one.row)) > -Infinity);
	}

	chainArrows() {
		const arrows = [], { pieces } = this;
		for (let i = 1; i < pieces.length; i++) {
			const time = meetTime(pieces[i], pieces[i - 1]);
			if (time >= this.span.from && time <= this.span.to)
				arrows.push([this.xOf(time) - ARROW, this.middleOf(pieces[i]), this.xOf(time), this.middleOf(pieces[i - 1])]);
		}
		return arrows;
	}

	drawFlows() {
		super.drawFlows();
		if (this.pieces.length < 2)
			return;
		this.context.save();
		this.context.beginPath();
		this.context.rect(GUTTER, RULER, this.width - GUTTER, this.rows - RULER);
		this.context.clip();
		for (const one of this.pieces.filter(({ kind, begin, end }) => kind === "slice" && end >= this.span.from && begin <= this.span.to)) {
			const from = Math.max(this.xOf(one.begin), GUTTER - 2), to = Math.min(this.xOf(one.end), this.width + 2);
			this.drawEdge(from, this.middleOf(one) - LANE / 2 + 1, Math.max(to - from, 3), LANE - 2, this.accent);
		}
		this.context.strokeStyle = this.context.fillStyle = this.accent;
		this.context.lineWidth = 2;
		for (const arrow of this.chainArrows())
			this.drawArrow(...arrow);
		this.context.restore();
	}
}
