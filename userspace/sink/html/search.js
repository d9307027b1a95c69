// SPDX-License-Identifier: GPL-2.0-only
// The search: names, tracks, tracepoints, fields and their values, in small steps; the first hits come first.
"use strict";

// So many hits are kept, and so many are listed. The first ones are reported after FIRST_MS, more each REPORT_MS.
const HITS_MOST = 100000, HITS_LISTED = 100, FIRST_MS = 15, REPORT_MS = 100;
const UNITS = { ns: 1, us: 1e3, "\u00b5s": 1e3, ms: 1e6, s: 1e9, k: 1e3, m: 1e6, g: 1e9 };
const COMPARISONS = { ">": (order) => order > 0, ">=": (order) => order >= 0, "<": (order) => order < 0, "<=": (order) => order <= 0, "=": (order) => order === 0, "!=": (order) => order !== 0 };

// Whether numbers between two may be wanted.
const RANGES = { ">": (least, most, number) => most > number, ">=": (least, most, number) => most >= number, "<": (least, most, number) => least < number, "<=": (least, most, number) => least <= number,
	"=": (least, most, number) => least <= number && number <= most, "!=": () => true };
// So many chunks are decompressed at the same time. So many names are looked up in each chunk.
const UNPACKED_AT_ONCE = 16, NAMES_LOOKED_UP = 64;

// What a key asks of a track's identity; "name:" asks for names. Numbers are equal, texts are contained.
const KEYS = {
	__proto__: null,
	pid: ({ tgid, scope, id }) => tgid ?? (["process", "thread"].includes(scope) ? id : undefined),
	tid: ({ scope, id }) => scope === "thread" ? id : undefined,
	cpu: ({ cpu, scope, id }) => cpu ?? (scope === "cpu" ? id : undefined),
	comm: ({ comm }) => comm,
	cat: ({ tracepoint }) => tracepoint,
};
const KEY_TERM = new RegExp(`^(${Object.keys(KEYS).join("|")}|name):\\s*(\\S.*)$`);

// A number, exact if it is whole; null for other texts. "10ms" is a number of nanoseconds.
function numberOf(text) {
	const [, digits, unit] = /^(-?(?:0x[\da-f]+|\d+(?:\.\d+)?))\s*([a-z\u00b5]*)$/i.exec(text) ?? [];
	if (digits === undefined || (unit && !UNITS[unit.toLowerCase()]))
		return null;
	if (!unit && !digits.includes("."))
		return digits[0] === "-" ? -BigInt(digits.slice(1)) : BigInt(digits);
	return Number(digits) * (UNITS[unit?.toLowerCase()] ?? 1);
}

// Terms that all must be right: comparisons, which a text may precede, and keys with values, beside which all other words are a
// text. With a text behind it, a comparison is one with all of that.
function termsOf(text) {
	const parts = [...text.matchAll(/[a-z]+:"[^"]*"|[\w:.-]+\s*(>=|<=|!=|=|>|<)\s*("[^"]*"|\S+)|\S+/g)], first = parts.findIndex((part) => part[1]);
	const isKey = ([part]) => KEY_TERM.test(part), plain = ([term]) => term.replace(/"([^"]*)"$/, "$1");
	if (parts.some(isKey)) {
		const words = parts.filter((part) => !part[1] && !isKey(part)).map(([word]) => word).join(" ");
		return [...(words ? [words] : []), ...parts.filter((part) => part[1] || isKey(part)).map(plain)];
	}
	if (first < 0 || parts.slice(first).some((part) => !part[1]))
		return [text];
	const before = text.slice(0, parts[first].index).trim(), compared = parts.slice(first).map(plain);
	return before ? [before, ...compared] : compared;
}

// What one term asks for: KEY:VALUE, FIELD OPERATOR VALUE, or any text.
class Query {
	constructor(text) {
		const [, key, keyed] = KEY_TERM.exec(text) ?? [], [, field, operator, value] = key ? [] : /^\s*([\w:.-]+)\s*(>=|<=|!=|=|>|<)\s*(\S.*)$/.exec(text) ?? [];
		Object.assign(this, { key, field: key ?? (field === "dur" ? "duration" : field), operator, wanted: (keyed ?? value ?? text).trim().toLowerCase() });
		this.number = numberOf(this.wanted);
		this.token = typeof this.number === "bigint" ? numberToken(this.number) : null;
		this.tokens = textTokens(this.wanted, Boolean(this.field));
		this.decimal = this.token ? String(this.number) : null;
		this.digits = /^-?\d+$/.test(this.wanted) ? this.wanted.replace("-", "") : "";
	}

	// Whether a value of the field is wanted; numbers are compared as numbers.
	compares(value) {
		const text = String(value).toLowerCase(), number = this.number === null ? null : numberOf(text);
		if (this.key)
			return typeof value === "string" ? text.includes(this.wanted) : value !== undefined && number !== null && number === this.number;
		if (number === null && this.operator !== "=" && this.operator !== "!=")
			return false;
		const order = number === null ? (text === this.wanted ? 0 : 1) : number < this.number ? -1 : number > this.number ? 1 : 0;
		return COMPARISONS[this.operator](order);
	}

	matchesText(text) {
		return text.toLowerCase().includes(this.wanted);
	}

	matchesName(name) {
		return this.field ? this.field === "name" && this.compares(name) : this.matchesText(name);
	}

	matchesTrack({ label, identity }) {
		if (this.key)
			return Boolean(KEYS[this.key]) && this.compares(KEYS[this.key](identity));
		if (this.field === "track")
			return this.compares(label) || this.compares(identity.name);
		if (this.field)
			return this.field === "tracepoint" && this.compares(identity.tracepoint);
		return this.matchesText(label) || this.matchesText(identity.tracepoint);
	}

	// Whether numbers in a range may be wanted; without numbers only texts may be.
	mayCompare(range, index) {
		if (this.number === null)
			return this.operator === "!=" || (this.operator === "=" && index.hasAll(this.tokens));
		if (this.operator === "!=" || !range || range[0] === "")
			return this.operator === "!=" || Boolean(range);
		return RANGES[this.operator](BigInt(range[0]), BigInt(range[1]), this.number);
	}

	// Whether the args of a chunk have the whole wanted number, by its index.
	isLikelyIn(index) {
		return !this.field && this.token !== null && index.has(this.token) && (index.isOpen || index.mayHold(this.number));
	}

	// Whether the args of a chunk may have a hit, by its index.
	mayBeIn(index) {
		if (this.key)
			return false;
		if (index.isOpen)
			return true;
		if (this.field)
			return index.hasField(this.field) && this.mayCompare(index.rangeOf(this.field), index) && (this.operator !== "=" || this.isTokenIn(index));
		return (this.number !== null && index.isOdd) || index.hasAll(this.tokens) || index.mayName(this.wanted) || (this.digits !== "" && index.mayCount(this.digits, this.wanted[0] === "-"));
	}

	isTokenIn(index) {
		return !this.token || index.isOdd || index.has(this.token);
	}

	// Whether the args of a chunk may have a hit, by their text.
	mayMatch(text) {
		if (this.field)
			return text.includes(JSON.stringify(this.field));
		return /["\\,]/.test(this.wanted) || text.toLowerCase().includes(this.wanted) || (this.number !== null && (!this.token || text.includes(this.decimal) || /"-?0./.test(text)));
	}

	// Whether a text is the wanted number. Of two ways to write a whole number, one begins with 0.
	isNumber(text) {
		if (this.token)
			return text === this.decimal || (/^-?0./.test(text) && numberOf(text) === this.number);
		return this.number !== null && numberOf(text) === this.number;
	}

	isHitIn(name, value) {
		const text = String(value);
		return this.matchesText(name) || this.matchesText(text) || this.isNumber(text);
	}

	// How much a search must read to find the items of the term alone: the one with the least number is searched for.
	get rank() {
		const ranks = { duration: 2, value: 3, name: 4, track: 5, tracepoint: 5 };
		if (KEYS[this.key])
			return ranks.track;
		return this.field ? ranks[this.field] ?? 0 : 1;
	}

	// Whether an item that another term has found is a hit, too.
	matchesItem(recording, row, items, i, args) {
		if (this.field === "duration" && row.kind === "slice" && this.compares(items.end[i] - items.begin[i]))
			return true;
		if (row.kind === "sample")
			return (this.field === "value" && this.compares(items.value[i])) || this.matchesTrack(row.track);
		return this.matchesName(recording.names[items.name[i]]) || this.matchesTrack(row.track) || (Boolean(args) && this.matchesArgs(args));
	}

	// Whether an object of fields has a hit; of slices there are two.
	matchesArgs(args) {
		const parts = Array.isArray(args) ? args : [args];
		if (this.key)
			return false;
		if (this.field)
			return parts.some((part) => part && Object.hasOwn(part, this.field) && this.compares(part[this.field]));
		return parts.some((part) => part && Object.entries(part).some(([name, value]) => name !== WRITER_TID && this.isHitIn(name, value)));
	}
}

class Search {
	// changed() is called when there are more hits.
	constructor(recording, text, changed) {
		const [query, ...others] = termsOf(text).map((term) => new Query(term)).sort((a, b) => a.rank - b.rank);
		Object.assign(this, { recording, query, others, changed, hits: [], fresh: [], count: 0, isDone: false, tracks: [], names: new Set(), exact: new Set(), nrNames: 0, nrChunks: 0 });
		this.done = this.run();
	}

	// Searches what was added since.
	grow() {
		if (this.isDone && this.nrChunks < this.recording.inOrder.length)
			this.done = this.run();
	}

	// Names first, for they are found at once; then fields, in the chunks that may have them by their index. In the order of
	// time each, so that the first hit changes rarely; those whose name is all of the text are before others.
	async run() {
		const isWanted = () => !this.isStopped, added = this.recording.inOrder.slice(this.nrChunks);
		const chunks = added.filter(({ chunk }) => !chunk.endedIn).sort((a, b) => a.chunk.from - b.chunk.from);
		this.isDone = false;
		this.nrChunks += added.length;
		this.findNames();
		await runSteps(this.steps(chunks), isWanted);
		this.report();
		for (const isLikely of [true, false])
			await this.searchSome(await runSteps(this.sift(chunks, isLikely), isWanted), isWanted);
		this.isDone = isWanted();
		this.report();
	}

	async searchSome(some, isWanted) {
		for (let i = 0; i < some?.length && isWanted(); i += UNPACKED_AT_ONCE) {
			await Promise.all(some.slice(i, i + UNPACKED_AT_ONCE).map(({ row, chunk }) => this.searchArgs(row, chunk)));
			this.reportSome(this.hits.length > 0 ? REPORT_MS : 0);
		}
	}

	// The chunks whose fields are likely to have a hit, or the others that may.
	* sift(chunks, isLikely) {
		const some = [], { query } = this;
		for (const one of chunks) {
			const { args, index } = one.chunk;
			if (args !== NONE && query.isLikelyIn(index) === isLikely && (isLikely || query.mayBeIn(index)))
				some.push(one);
			yield;
		}
		return some;
	}

	findNames() {
		const { query, names, others } = this, all = this.recording.names;
		const tracks = this.recording.tracks.filter((track) => [query, ...others].every((one) => one.matchesTrack(track)));
		this.tracks = others.length === 0 || query.rank === 5 ? tracks : [];
		this.wholeTracks = new Set(others.length > 0 && !query.field ? this.recording.tracks.filter((track) => query.matchesTrack(track)) : []);
		for (; this.nrNames < all.length; this.nrNames++)
			if (query.matchesName(all[this.nrNames])) {
				names.add(this.nrNames);
				if (all[this.nrNames].toLowerCase() === query.wanted)
					this.exact.add(this.nrNames);
			}
		this.nameTokens = names.size <= NAMES_LOOKED_UP ? [...names].map(nameToken) : null;
	}

	stop() {
		this.isStopped = true;
	}

	add(row, chunk, index) {
		this.count++;
		if (this.hits.length + this.fresh.length < HITS_MOST)
			this.fresh.push(this.graded(thing(row, chunk, index)));
	}

	// An item with whether its name is all that is searched for.
	graded(one) {
		return Object.assign(one, { isExact: one.kind !== "sample" && this.exact.has(one.chunk.read().name[one.index]) });
	}

	// Sorts the new hits in, and reports them if there are any.
	report() {
		this.sort();
		if (!this.isStopped)
			this.changed(this);
	}

	// Reports new hits if the last ones are old enough.
	reportSome(interval) {
		if (this.fresh.length === 0 || performance.now() - this.reported < interval)
			return;
		this.report();
		this.reported = performance.now();
	}

	// Open slices that have ended are among the new ones.
	sort() {
		if (this.fresh.length === 0)
			return;
		this.forgetEnded();
		this.hits = this.hits.concat(this.fresh).sort((a, b) => isAhead(a, b) ? -1 : 1);
		this.fresh = [];
	}

	forgetEnded() {
		const kept = this.hits.filter(({ chunk }) => !chunk.endedIn);
		this.count -= this.hits.length - kept.length;
		this.hits = kept;
	}

	* steps(chunks) {
		this.reported = performance.now();
		for (const { row, chunk } of chunks) {
			if (this.mayHave(row, chunk)) {
				this.searchItems(row, chunk);
				yield;
			}
			this.reportSome(this.hits.length > 0 ? REPORT_MS : FIRST_MS);
		}
	}

	// Whether names or durations or values of a chunk may be hits.
	mayHave(row, chunk) {
		const { query } = this;
		if (this.wholeTracks.has(row.track))
			return true;
		if (row.kind === "sample" && query.field !== "value")
			return !query.field && query.number !== null && RANGES["="](...chunk.range.map(BigInt), query.number);
		if (row.kind === "sample")
			return query.mayCompare(chunk.range, chunk.index);
		if (row.kind === "slice" && query.field === "duration")
			return chunk.index.isOpen || query.mayCompare(chunk.index.rangeOf(""), chunk.index);
		return this.names.size > 0 && this.mayHaveName(row, chunk);
	}

	// By its index, or by the digest of slices: that has the names, too, but must be decoded.
	mayHaveName(row, chunk) {
		if (this.nameTokens && !chunk.index.isOpen)
			return this.nameTokens.some((token) => chunk.index.has(token));
		const names = row.kind === "slice" ? chunk.digest()?.names : null;
		return !names || names.length >= NAME_MASK || names.some((name) => this.names.has(name));
	}

	searchItems(row, chunk) {
		const items = chunk.items ?? chunk.decode();
		for (let i = 0; i < chunk.count; i++)
			if (this.isHit(row, items, i) && this.isWanted(row, items, i, null))
				this.add(row, chunk, i);
	}

	isWanted(row, items, i, args) {
		return this.others.every((one) => one.matchesItem(this.recording, row, items, i, args));
	}

	isHit(row, items, i) {
		if (this.wholeTracks.has(row.track))
			return true;
		if (row.kind === "sample")
			return this.query.operator ? this.query.compares(items.value[i]) : items.value[i] === Number(this.query.number);
		if (this.query.field === "duration")
			return row.kind === "slice" && this.query.compares(items.end[i] - items.begin[i]);
		return this.names.has(items.name[i]);
	}

	// Fields of items whose names are no hits.
	async searchArgs(row, chunk) {
		if (this.wholeTracks.has(row.track))
			return;
		const text = await unpackText(chunk.args);
		if (!this.query.mayMatch(text))
			return;
		const all = JSON.parse(text), items = this.names.size > 0 || this.others.length > 0 ? chunk.items ?? chunk.decode() : null;
		all.forEach((args, i) => args && this.query.matchesArgs(args) && !(this.names.size > 0 && this.names.has(items.name[i])) && this.isWanted(row, items, i, args) && this.add(row, chunk, i));
	}

	// The next hit after an item, in a direction; wraps around. The first or last one without an item.
	next(selected, step) {
		const hits = this.hits, size = hits.length;
		if (size === 0)
			return null;
		const at = selected ? this.placeOf(selected) : step > 0 ? -1 : size;
		const isHit = selected && hits[at] && isSame(hits[at], selected), to = step > 0 ? (isHit || !selected ? at + 1 : at) : at - 1;
		return hits[(to + size) % size];
	}

	// The number of hits before an item.
	placeOf(one) {
		const graded = this.graded({ ...one });
		return firstBeyond(this.hits.length, 0, (i) => isAhead(this.hits[i], graded) ? -1 : 1);
	}

	// Which hit an item is, from 1; 0 if it is none.
	numberOf(one) {
		const at = one ? this.placeOf(one) : -1;
		return this.hits[at] && isSame(this.hits[at], one) ? at + 1 : 0;
	}
}

// Items of exact names are before others, each in the order of time.
function isAhead(a, b) {
	return a.isExact === b.isExact ? isBefore(a, b) : a.isExact;
}

function isSame(one, other) {
	return one.chunk === other.chunk && one.index === other.index;
}

// What is offered while a search is typed.
const OFFERED_MOST = 12, NAMES_LOOKED_AT = 50000, OFFERED_KEYS = [...Object.keys(KEYS), "name", "time"].map((key) => `${key}:`).concat("dur>");
// A time that is gone to: seconds, a duration with its unit, or the time of a day in UTC, with its date or not.
const TIME_TERM = /^\s*time:\s*(.*?)\s*$/, CLOCK = /^(?:(\d{4}-\d\d-\d\d)[T ])?(\d\d?:\d\d)(?::(\d\d))?(?:\.(\d{1,9}))?(?:Z| ?UTC)?$/;
const DAY_NS = 86400n * 1000000000n;
// The order of the list by a column.
const LIST_ORDERS = { begin: (a, b) => a.begin - b.begin, name: (a, b) => a.text.localeCompare(b.text), duration: (a, b) => b.end - b.begin - (a.end - a.begin), track: (a, b) => a.track.label.localeCompare(b.track.label) };

// The search field: what is found, how many, and the list.
class SearchField {
	constructor(page) {
		Object.assign(this, { page, field: page.part("search"), found: page.part("found"), list: page.part("list"), search: null, shown: null, sorted: null });
		this.field.addEventListener("input", () => {
			this.begin();
			this.offer();
		});
		this.list.addEventListener("click", () => this.showList());
		page.part("previous").addEventListener("click", () => this.go(-1));
		page.part("next").addEventListener("click", () => this.go(1));
	}

	// Searches anew. The first hit is selected when it is there; if an earlier one is found, that one, unless somebody has
	// selected or moved something meanwhile.
	begin() {
		const { picture } = this.page;
		if (!this.isAt(this.placed))
			this.origin = { one: picture.selected, span: picture.span };
		this.prepare(true);
	}

	// Whether the selection and the span are those of a place.
	isAt(place) {
		const { selected, span } = this.page.picture;
		return Boolean(place) && selected === place.one && span === place.span;
	}

	// Nothing is found: what was shown before the first letter is shown again.
	goBack() {
		const { page, origin } = this;
		if (!this.isAt(this.placed))
			return;
		page.picture.setSpan(origin.span.from, origin.span.to);
		page.select(origin.one);
		this.placed = { one: page.picture.selected, span: page.picture.span };
	}

	// Completes the last word: to a key, or to one of its values. Those that begin with it are first.
	offer() {
		const { recording } = this.page, { value } = this.field, at = value.search(/(?<!\S)(\w+:)?("[^"]*|\S*)$/), [, key = "", part] = /^(\w+:)?"?(.*)$/.exec(value.slice(at).toLowerCase());
		const ofTracks = KEYS[key.slice(0, -1)], all = ofTracks ? recording.tracks.map(({ identity }) => ofTracks(identity)) : key && key !== "name:" ? [] : [...(key ? [] : OFFERED_KEYS), ...recording.names.slice(0, NAMES_LOOKED_AT)];
		const found = [...new Set(all.filter((text) => text !== undefined).map(String))].filter((text) => text.toLowerCase().includes(part)), isFirst = (text) => text.toLowerCase().startsWith(part);
		const some = value ? [...found.filter(isFirst), ...found.filter((text) => !isFirst(text))].slice(0, OFFERED_MOST) : [], quoted = (text) => key && /\s/.test(text) ? `"${text}"` : text;
		this.page.part("offered").replaceChildren(...some.map((text) => element("option", { value: `${value.slice(0, at)}${key}${quoted(text)}` })));
	}

	askTime() {
		this.field.value = "time:";
		this.begin();
		this.field.focus();
	}

	// The nanoseconds of a time that is typed, null if it is none; undefined for other texts.
	get time() {
		const [, text] = TIME_TERM.exec(this.field.value) ?? [], [, date, minutes, seconds = "00", fraction = ""] = CLOCK.exec(text) ?? [], { picture } = this.page;
		if (text === undefined)
			return undefined;
		if (!minutes)
			return /^-?[\d.]+$/.test(text) ? Math.round(Number(text) * 1e9) : numberOf(text) === null ? null : Number(numberOf(text));
		const day = date ?? (picture.hasUtc && showUtc(picture.unixOf(0), 1).day), ms = Date.parse(`${day}T${minutes.padStart(5, "0")}:${seconds}Z`);
		if (!picture.hasUtc || Number.isNaN(ms))
			return null;
		const ns = BigInt(ms) * 1000000n + BigInt(fraction.padEnd(9, "0")) - picture.unixOf(0);
		return Number(ns < 0n && !date ? ns + DAY_NS : ns);
	}

	// Shows a time, with marker A there.
	goTo(time) {
		const { range, picture, picture: { span } } = this.page, half = (span.to - span.from) / 2;
		picture.setSpan(time - half, time + half);
		range.setMarker(0, time);
	}

	// Searches anew, and selects nothing by default.
	prepare(isFirst = false) {
		this.search?.stop();
		this.search = this.shown = null;
		this.isListed = false;
		const text = this.field.value.trim();
		if (text && this.time === undefined) {
			this.isFirst = isFirst;
			this.search = new Search(this.page.recording, text, (search) => this.update(search));
		}
		this.showCount();
	}

	update(search) {
		if (this.search && this.search !== search)
			return;
		this.search = search;
		this.selectFirst();
		this.showCount();
		if (this.isListed)
			this.showList();
	}

	selectFirst() {
		const { search, shown, page: { picture } } = this, [first] = search.hits;
		if (this.isFirst ? first || search.isDone : this.isAt(shown) && !isSame(first, shown.one)) {
			this.isFirst = false;
			if (first || search.tracks.length > 0)
				this.go(1, true);
			else
				this.goBack();
			this.placed = { one: picture.selected, span: picture.span };
			this.shown = first ? this.placed : null;
		}
		if (search.isDone)
			this.shown = null;
	}

	go(step, isNew = false) {
		if (typeof this.time === "number" && !Number.isNaN(this.time))
			return this.goTo(this.time);
		const one = this.search?.next(isNew ? null : this.page.picture.selected, step);
		if (one)
			this.page.show(one, true);
		else if (this.search?.tracks.length > 0)
			this.page.showTrack(this.search.tracks[0]);
		this.showCount();
	}

	showCount() {
		const { search } = this, number = search?.numberOf(this.page.picture.selected), more = search && !search.isDone ? " \u2026" : "";
		const tracks = search?.tracks.length > 0 ? `${search.count > 0 ? ", " : ""}${search.tracks.length === 1 ? `track ${search.tracks[0].label}` : counted(search.tracks.length, "track")}` : "";
		const count = search?.count > 0 ? `${number ? `${number} of ` : ""}${search.count}` : "";
		const { time } = this, ofTime = time === undefined ? "" : time === null || Number.isNaN(time) ? "no time" : `Enter: ${showExact(time)}`;
		const text = !search ? ofTime : (showSafe(count + tracks) || (more ? "" : "not found")) + more;
		this.found.textContent = text;
		this.field.ariaInvalid = String(text === "not found");
		for (const part of ["previous", "next", "list"])
			this.page.part(part).hidden = !search;
	}

	// The hits around the selected one, and the tracks; those of a thread before and after it got another name or cgroup are one.
	showList() {
		const { search, page } = this, box = element("div", { className: "columns" }), tracks = element("div", {}), lines = new Map();
		if (!search)
			return;
		this.isListed = true;
		const { sorted } = this, at = sorted ? 0 : Math.max(search.numberOf(page.picture.selected) - HITS_LISTED / 2, 0), named = sorted === "name" ? search.hits.map((one) => ({ ...one, text: nameOf(page.recording, one) })) : search.hits;
		const hits = (sorted ? [...named].sort(LIST_ORDERS[sorted]) : named).slice(at, at + HITS_LISTED);
		for (const track of search.tracks)
			appendTo(lines, track.identity.scope === "thread" ? JSON.stringify({ ...track.identity, comm: "", cgroup: "", tgid: 0 }) : track, track);
		for (const all of [...lines.values()].slice(0, HITS_LISTED)) {
			const track = all.at(-1), names = new Set(all.map(({ identity: { comm } }) => comm));
			names.delete(track.identity.comm);
			tracks.append(element("div", {}, "track ", linkOf(track.label, "", () => page.showTrack(track)), names.size > 0 ? `, before: ${showSafe([...names].join(", "))}` : ""));
		}
		const table = element("table", {}), head = table.createTHead().insertRow(), body = table.createTBody(), total = search.count > hits.length ? `${at + 1} to ${at + hits.length} of ${search.count}` : counted(search.count, "hit");
		table.createCaption().append(`${total} `, buttonOf("CSV", "save all hits", async () => page.saver.save(await page.saver.csvOf(search.hits), "csv")));
		head.append(...Object.keys(LIST_ORDERS).map((title) => this.listHead(title)));
		for (const one of hits) {
			const length = one.kind === "slice" ? showDuration(one.end - one.begin) : "";
			body.insertRow().append(element("td", { textContent: showDuration(one.begin) }), element("td", {}, linkOf(nameOf(page.recording, one), "", () => page.show(one, true))),
				element("td", { textContent: length }), element("td", { textContent: showSafe(one.track.label) }));
		}
		box.append(...(hits.length > 0 ? [table] : []), tracks);
		page.showPanel(box, "search");
	}

	// A head that sorts the list by its column; once more, in the order in which n goes on.
	listHead(title) {
		const isSorted = this.sorted === title, isDown = title === "duration", button = buttonOf(`${title}${!isSorted ? "" : isDown ? " \u25be" : " \u25b4"}`, isDown ? "the longest first" : `by ${title}`, () => {
			this.sorted = isSorted ? null : title;
			this.showList();
		});
		return element("th", { scope: "col", ariaSort: !isSorted ? "none" : isDown ? "descending" : "ascending" }, button);
	}
}
