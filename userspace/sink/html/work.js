// SPDX-License-Identifier: GPL-2.0-only
// Long work in small steps, so that the page stays responsive.
"use strict";

const STEPS_MS = 8;

function pause() {
	return new Promise((resolve) => {
		const channel = new MessageChannel();
		channel.port1.onmessage = () => resolve();
		channel.port2.postMessage(null);
	});
}

// Runs a generator to its end and returns its value; null once isWanted() is false.
async function runSteps(steps, isWanted) {
	for (;;) {
		const until = performance.now() + STEPS_MS;
		do {
			const { done, value } = steps.next();
			if (done)
				return value;
		} while (performance.now() < until);
		await pause();
		if (!isWanted())
			return null;
	}
}

// Numbers that are appended one by one.
class Numbers {
	constructor() {
		this.array = new Float64Array(64);
		this.size = 0;
	}

	push(number) {
		if (this.size === this.array.length)
			this.array = Numbers.larger(this.array, 2 * this.size);
		this.array[this.size++] = number;
	}

	static larger(array, size) {
		const larger = new Float64Array(size);
		larger.set(array);
		return larger;
	}

	get all() {
		return this.array.subarray(0, this.size);
	}
}
