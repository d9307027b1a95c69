// SPDX-License-Identifier: GPL-2.0-only
// What the colours mean: the states of threads that the recording has, and marks.
"use strict";

// The states by a word, with the first words of names of theirs.
const LEGEND = [["running", ["Running"]], ["runnable, waits for a CPU", ["Runnable", "R"]], ["sleeping", ["S"]], ["waiting, uninterruptible", ["D"]],
	["stopped", ["T", "t"]], ["dead", ["X", "Z"]], ["idle", ["I"]]];

class Legend {
	constructor(page) {
		Object.assign(this, { page, picture: page.picture, recording: page.recording, box: page.part("legend"), key: "" });
	}

	// Shows it again if the names or the colours changed.
	update() {
		const { recording, picture: { palette } } = this, key = [palette.isDark, recording.names.length, recording.losses.length, recording.totals?.unfinished].join();
		if (key === this.key)
			return;
		this.key = key;
		const words = this.words(), states = LEGEND.filter(([, names]) => names.some((name) => words.has(name)));
		this.box.replaceChildren(...states.map(([text, [name]]) => this.item(text, palette.make(name, true).css)), ...this.marks());
	}

	// The first words of the names, if threads have states; "I" if there are CPUs without work.
	words() {
		const { recording } = this, has = (...tracepoints) => recording.tracks.some(({ identity }) => tracepoints.includes(identity.tracepoint));
		const words = new Set(has(STATE_TRACKS) ? recording.names.map((name) => /^\w*/.exec(name)[0]) : []);
		if (has(SLEEP_TRACKS) || (has(CPU_TRACKS) && recording.names.some((name) => IDLE.test(name))))
			words.add("I");
		return words;
	}

	marks() {
		const { losses, totals } = this.recording, marks = [];
		if (losses.length > 0)
			marks.push(this.item("lost records", "var(--bad)"));
		if (totals?.unfinished)
			marks.push(this.item("no end", "repeating-linear-gradient(90deg, #8088947f 0 3px, transparent 3px 6px)"));
		return marks;
	}

	item(text, background) {
		const mark = element("i", {});
		mark.style.background = background;
		return element("span", {}, mark, text);
	}
}
