// SPDX-License-Identifier: GPL-2.0-only
// Colours of names and states. Red and its neighbours are for lost records and what they affect.
"use strict";

// Hues from yellow through blue to violet, without the green of what runs.
const HUE_FIRST = 40, HUES = 275, GREEN_FIRST = 105, GREENS = 50;
// States of threads, by the first word of their name: hue, saturation, lightness on light and dark paper.
const STATE_TRACKS = "sched:thread";
// What CPUs without work run.
const CPU_TRACKS = "sched:cpu", SLEEP_TRACKS = "power:idle", IDLE = /^(swapper(\/\d+)?|<idle>)$/;
const STATE_COLOURS = {
	Running: [131, 50, 46, 44], Runnable: [42, 90, 38, 52], R: [42, 90, 38, 52], S: [215, 22, 88, 24], D: [256, 45, 48, 66],
	I: [215, 12, 91, 21], T: [210, 8, 52, 46], t: [210, 8, 52, 46], X: [210, 8, 34, 72], Z: [210, 8, 34, 72],
};
// Nothing happens in these: they are no darker than the paper needs.
const QUIET_STATES = ["S", "I"];
// What is drawn has at least this contrast to the paper; a little more than the 3 that it shall have.
const CONTRAST_LEAST = 3.1;

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
	const size = HUES - GREENS, hue = HUE_FIRST + (hash % size + size) % size;
	return hue < GREEN_FIRST ? hue : hue + GREENS;
}

// Red, green and blue, 0 to 255, of a hue in degrees and percents.
function rgbOf(hue, saturation, lightness) {
	const light = lightness / 100, reach = saturation / 100 * Math.min(light, 1 - light);
	return [0, 8, 4].map((n) => {
		const k = (n + hue / 30) % 12;
		return Math.round(255 * (light - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
	});
}

// The luminance of a colour, 0 to 1.
function luminanceOf(rgb) {
	const [red, green, blue] = rgb.map((byte) => byte <= 10 ? byte / 3295 : ((byte / 255 + 0.055) / 1.055) ** 2.4);
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// The contrast of two colours, 1 to 21.
function contrastOf(one, other) {
	const [low, high] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
	return (high + 0.05) / (low + 0.05);
}

// Whether a track has the states of an idle task, which is no thread: it would hide the states of threads.
function isIdleState({ identity }) {
	return identity.tracepoint === STATE_TRACKS && identity.cpu !== undefined;
}

// Whether a slice says that its CPU has no work.
function isIdle(recording, { identity: { tracepoint } }, name) {
	return tracepoint === SLEEP_TRACKS || (tracepoint === CPU_TRACKS && IDLE.test(recording.names[name] ?? ""));
}

const KNOWN = 1 << 24;

class Palette {
	constructor(recording) {
		Object.assign(this, { recording, names: new Map(), states: new Map(), bytes: new Map(), isDark: false });
	}

	setDark(isDark) {
		if (isDark === this.isDark)
			return;
		this.isDark = isDark;
		this.names.clear();
		this.states.clear();
		this.bytes.clear();
	}

	// Colours of names on a track in three bytes, by number; KNOWN is set for those that bytesOf() has looked up.
	tableOf({ identity, identity: { tracepoint } }) {
		const kind = tracepoint === SLEEP_TRACKS || isIdleState({ identity }) ? "idle" : [STATE_TRACKS, CPU_TRACKS].includes(tracepoint) ? tracepoint : "name", { length } = this.recording.names;
		if (!(this.bytes.get(kind)?.length >= length))
			this.bytes.set(kind, new Uint32Array(2 * length));
		return this.bytes.get(kind);
	}

	bytesOf(track, name, table) {
		const [red, green, blue] = this.of(track, name).rgb;
		return table[name] = KNOWN | red << 16 | green << 8 | blue;
	}

	// The colour of a name on a track: `css`, and `rgb` for sums.
	of(track, name) {
		const isState = track.identity.tracepoint === STATE_TRACKS || isIdle(this.recording, track, name), known = isState ? this.states : this.names;
		const key = isIdleState(track) || track.identity.tracepoint === SLEEP_TRACKS ? "idle" : name;
		let colour = known.get(key);
		if (!colour) {
			colour = this.make(key === "idle" ? "I" : this.recording.names[name] ?? "", isState);
			known.set(key, colour);
		}
		return colour;
	}

	// All but quiet states stand out from the paper, and the text on them from them.
	make(text, isState) {
		const word = isState && (IDLE.test(text) ? "I" : /^\w+/.exec(text)?.[0]), [hue, saturation, light, dark] = STATE_COLOURS[word] || [hueOf(text), 55, 60, 40];
		let lightness = this.isDark ? dark : light, rgb = rgbOf(hue, saturation, lightness);
		while (!QUIET_STATES.includes(word) && contrastOf(rgb, this.paper) < CONTRAST_LEAST)
			rgb = rgbOf(hue, saturation, lightness += this.isDark ? 1 : -1);
		return { rgb, css: `rgb(${rgb.join(" ")})`, ink: contrastOf(rgb, [0, 0, 0]) > contrastOf(rgb, [255, 255, 255]) ? "#000" : "#fff" };
	}

	// As in page.css.
	get paper() {
		return this.isDark ? [0x15, 0x19, 0x1f] : [255, 255, 255];
	}

	get grey() {
		return [128, 136, 148];
	}

	get greyBytes() {
		const [red, green, blue] = this.grey;
		return red << 16 | green << 8 | blue;
	}
}
