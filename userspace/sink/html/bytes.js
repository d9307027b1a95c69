// SPDX-License-Identifier: GPL-2.0-only
// Bytes and numbers in the text of the page.
"use strict";

// Older browsers have no decoder of their own.
function decodeBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const raw = atob(text), bytes = new Uint8Array(raw.length);
	for (let i = 0; i < raw.length; i++)
		bytes[i] = raw.charCodeAt(i);
	return bytes;
}

// What Bytes and Bytes.numbers() fill.
let BYTES = new Uint8Array(16384), NUMBERS = new Float64Array(4096);

// A cursor in the bytes of a chunk, which are valid until the next cursor is made.
class Bytes {
	constructor(text) {
		if (BYTES.length < text.length)
			BYTES = new Uint8Array(2 * text.length);
		this.bytes = BYTES.setFromBase64 ? BYTES : decodeBase64(text);
		BYTES.setFromBase64?.(text);
		this.at = 0;
	}

	// A number, rounded beyond 2^53.
	number() {
		const bytes = this.bytes;
		let byte = bytes[this.at++], value = byte & 127;
		for (let factor = 128; byte > 127; factor *= 128) {
			byte = bytes[this.at++];
			value += (byte & 127) * factor;
		}
		return value;
	}

	// So many numbers, in an array that the next call fills again.
	numbers(count) {
		const { bytes } = this, all = NUMBERS.length < count ? NUMBERS = new Float64Array(count) : NUMBERS;
		let { at } = this;
		for (let i = 0; i < count; i++) {
			let byte = bytes[at++], value = byte & 127;
			for (let factor = 128; byte > 127; factor *= 128) {
				byte = bytes[at++];
				value += (byte & 127) * factor;
			}
			all[i] = value;
		}
		this.at = at;
		return all;
	}

	// A floating number: two words, the lower one first.
	floating() {
		const words = new DataView(new ArrayBuffer(8));
		words.setUint32(0, this.number(), true);
		words.setUint32(4, this.number(), true);
		return words.getFloat64(0, true);
	}

	// A number with all digits.
	exact() {
		let shift = 0n, value = 0n, byte;
		do {
			byte = this.bytes[this.at++];
			value |= BigInt(byte & 127) << shift;
			shift += 7n;
		} while (byte > 127);
		return value;
	}

	skip() {
		while (this.bytes[this.at++] > 127)
			;
	}
}

function unpack(text) {
	const bytes = decodeBase64(text), source = new ReadableStream({
		start(controller) {
			controller.enqueue(bytes);
			controller.close();
		},
	});
	return new Response(source.pipeThrough(new DecompressionStream("deflate-raw")));
}

// Decompresses JSON.
function unpackJson(text) {
	return unpack(text).json();
}

function unpackText(text) {
	return unpack(text).text();
}

// The first index whose time is later than `time`.
function firstBeyond(size, time, timeOf) {
	let low = 0, high = size;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (timeOf(middle) > time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}
