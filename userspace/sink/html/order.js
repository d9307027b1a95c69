// SPDX-License-Identifier: GPL-2.0-only
// The order of the tracks: those of a thread together, the others by tracepoint and name.
"use strict";

// Rows of a thread that show only what the scheduler does with it, above and below its others.
const RANKS = { "sched:thread": 0, "sched:wakeup": 2, "sched:fork": 2, "sched:exec": 2, "sched:exit": 2 };
// So many threads that have no other rows are always drawn.
const IDLE_FEW = 8;

function rankOf({ identity }) {
	return RANKS[identity.tracepoint] ?? 1;
}

// All lanes of a track have the same key.
function laneKeyOf({ identity }) {
	return JSON.stringify({ ...identity, lane: identity.lane > 0 });
}

function groupKeyOf({ identity }) {
	if (identity.scope === "thread")
		return JSON.stringify([identity.id, identity.cpu, identity.buffer]);
	return JSON.stringify([identity.tracepoint, identity.name]);
}

// Sorts a group by rank, then in the order of appearance, which is that of its first lane for a lane.
function sortGroup(group) {
	const firsts = new Map(), places = new Map();
	for (const track of group) {
		const key = track.identity.lane ? laneKeyOf(track) : track;
		if (!firsts.has(key))
			firsts.set(key, track.number);
		places.set(track, firsts.get(key));
	}
	const laneOf = (track) => track.identity.lane ?? 0;
	return group.sort((a, b) => rankOf(a) - rankOf(b) || places.get(a) - places.get(b) || laneOf(a) - laneOf(b));
}

// Groups in the order of appearance of their first track with rank 1. Threads without one are idle: they come last.
function groupTracks(tracks) {
	const groups = new Map(), isIdle = (group) => group.every((track) => rankOf(track) !== 1);
	for (const track of tracks) {
		const key = groupKeyOf(track), group = groups.get(key) ?? [];
		group.push(track);
		groups.set(key, group);
	}
	const all = [...groups.values()].map(sortGroup), placeOf = (group) => (group.find((track) => rankOf(track) === 1) ?? group[0]).number;
	const busy = all.filter((group) => !isIdle(group)).sort((a, b) => placeOf(a) - placeOf(b));
	return { busy, idle: all.filter(isIdle) };
}

// Whether idle threads are hidden at first: there are many, next to some that are not idle.
function isWorthHiding({ busy, idle }) {
	return idle.length > IDLE_FEW && busy.some((group) => group.some((track) => track.identity.tracepoint === "sched:thread"));
}
