// SPDX-License-Identifier: GPL-2.0-only
// Colours of names and states. Red and its neighbours are for lost records and what they affect.
"use strict";

// Hues from yellow through green and blue to violet.
const HUE_FIRST = 40, HUES = 275;
// States of threads, by the first word of their name: hue, saturation, lightness on light and dark paper.
const STATE_TRACKS = "sched:thread";
// What CPUs without work run.
const CPU_TRACKS = "sched:cpu", IDLE = /^swapper\/\d+$/;
const STATE_COLOURS = {
	Running: [131, 50, 58, 40], Runnable: [42, 90, 60, 42], R: [42, 90, 60, 42], S: [215, 22, 88, 24], D: [256, 38, 68, 50],
	I: [215, 12, 91, 21], T: [210, 8, 62, 46], t: [210, 8, 62, 46], X: [210, 8, 40, 62], Z: [210, 8, 40, 62],
};

// The states that ktrack names by letters.
const STATE_WORDS = { S: "sleeping", D: "waiting, uninterruptible", R: "runnable", T: "stopped", t: "traced", X: "dead", Z: "zombie", P: "parked", I: "idle" };

// A state by its letter and by a word.
function stateOf(name) {
	const word = name === "R+" ? "preempted" : STATE_WORDS[name];
	return word ? `${name} (${word})` : name;
}

function hueOf(text) {
	let hash = 7;
	for (let i = 0; i < text.length; i++)
		hash = (hash * 31 + text.charCodeAt(i)) | 0;
	return HUE_FIRST + (hash % HUES + HUES) % HUES;
}

// Red, green and blue, 0 to 255, of a hue in degrees and percents.
function rgbOf(hue, saturation, lightness) {
	const light = lightness / 100, reach = saturation / 100 * Math.min(light, 1 - light);
	return [0, 8, 4].map((n) => {
		const k = (n + hue / 30) % 12;
		return Math.round(255 * (light - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
	});
}

// Whether a track has the states of an idle task, which is no thread: it would hide the states of threads.
function isIdleState({ identity }) {
	return identity.tracepoint === STATE_TRACKS && identity.cpu !== undefined;
}

// Whether a slice says that its CPU has no work.
function isIdle(recording, { identity: { tracepoint } }, name) {
	return tracepoint === CPU_TRACKS && IDLE.test(recording.names[name] ?? "");
}

class Palette {
	constructor(recording) {
		Object.assign(this, { recording, names: new Map(), states: new Map(), isDark: false });
	}

	setDark(isDark) {
		if (isDark === this.isDark)
			return;
		this.isDark = isDark;
		this.names.clear();
		this.states.clear();
	}

	// The colour of a name on a track: `css`, and `rgb` for sums.
	of(track, name) {
		const isState = track.identity.tracepoint === STATE_TRACKS || isIdle(this.recording, track, name), known = isState ? this.states : this.names;
		const key = isIdleState(track) ? "idle" : name;
		let colour = known.get(key);
		if (!colour) {
			colour = this.make(key === "idle" ? "I" : this.recording.names[name] ?? "", isState);
			known.set(key, colour);
		}
		return colour;
	}

	make(text, isState) {
		const state = isState && STATE_COLOURS[IDLE.test(text) ? "I" : /^\w+/.exec(text)?.[0]];
		const [hue, saturation, light, dark] = state || [hueOf(text), 55, 72, 38], rgb = rgbOf(hue, saturation, this.isDark ? dark : light);
		return { rgb, css: `rgb(${rgb.join(" ")})` };
	}

	get grey() {
		return [128, 136, 148];
	}
}
