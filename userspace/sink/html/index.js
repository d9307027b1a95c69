// SPDX-License-Identifier: GPL-2.0-only
// The index of a chunk: which fields, numbers and texts it may have. index.c has the same hashes.
"use strict";

const NR_PROBES = 5, LETTER_BITS = 6, ANY = "*", TEXT_BEGIN = 2, TEXT_END = 3;
const LETTERS = new Uint8Array(128);
[..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].forEach((letter, value) => LETTERS[letter.charCodeAt(0)] = value);

function mix(word) {
	word = Math.imul(word ^ word >>> 16, 0x85ebca6b);
	word = Math.imul(word ^ word >>> 13, 0xc2b2ae35);
	return (word ^ word >>> 16) >>> 0;
}

// A token as its hash and the step to its next bit.
function tokenOf(word) {
	const hash = mix(word);
	return { hash, step: (mix(hash ^ 0x9e3779b9) | 1) >>> 0 };
}

// Of a BigInt.
function numberToken(number) {
	let hash = 0x811c9dc5;
	for (const digit of String(number))
		hash = Math.imul(hash ^ digit.charCodeAt(0), 0x01000193);
	return tokenOf(hash);
}

function nameToken(number) {
	return tokenOf(number ^ 0x5eed0000);
}

// Three letters in a row each, as far as they are plain in JSON; of a whole text also its edges.
function textTokens(text, isWhole) {
	const codes = [...text].map((letter) => letter.charCodeAt(0)), isPlain = (code) => code < 0x7f && code >= 0x20 && code !== 0x22 && code !== 0x5c;
	const all = isWhole ? [TEXT_BEGIN, ...codes, TEXT_END] : codes, tokens = [];
	for (let i = 2; i < all.length; i++)
		if (all.slice(i - 2, i + 1).every((code, at) => isPlain(code) || (isWhole && (i - 2 + at === 0 || i - 2 + at === all.length - 1))))
			tokens.push(tokenOf(all[i - 2] << 16 | all[i - 1] << 8 | all[i]));
	return tokens;
}

// Whether a number between two, which are not negative, has digits in a row.
function hasDigits(min, max, digits) {
	const part = BigInt(digits), size = 10n ** BigInt(digits.length), isLed = digits[0] === "0" && digits.length > 1;
	for (let unit = 1n; unit <= max || unit === 1n; unit *= 10n) {
		const round = size * unit, first = min - min % round + part * unit, next = first + unit > min ? first : first + round;
		if ((isLed && next < round ? next + round : next) <= max)
			return true;
	}
	return false;
}

class Index {
	constructor(fields = ANY, tokens = ANY) {
		Object.assign(this, { fields, tokens });
	}

	get isOpen() {
		return this.fields === ANY;
	}

	// Whether numbers may be without a token.
	get isOdd() {
		return this.fields[0] === "?";
	}

	has({ hash, step }) {
		const { tokens } = this, size = tokens.length * LETTER_BITS;
		if (tokens === ANY || hash === 0)
			return true;
		if (tokens === NONE)
			return false;
		for (let i = 0; i < NR_PROBES; i++) {
			const bit = ((hash + Math.imul(i, step)) >>> 0) % size;
			if (!(LETTERS[tokens.charCodeAt(bit / LETTER_BITS)] >> bit % LETTER_BITS & 1))
				return false;
		}
		return true;
	}

	hasAll(list) {
		return list.every((token) => this.has(token));
	}

	hasField(name) {
		return this.fields.includes(`;${name}=`);
	}

	// The least and the largest number of a field, as texts; none without numbers, "" for any.
	rangeOf(name) {
		const key = `;${name}=`, at = this.fields.indexOf(key) + key.length, text = this.fields.slice(at, this.fields.indexOf(";", at));
		return text ? text.split("~") : null;
	}

	// Whether a number is in the range of any field.
	mayHold(number) {
		return this.fields.split(";").some((field) => {
			const [, low, high] = /.=(-?\d*)~(\d*)$/.exec(field) ?? [];
			return low !== undefined && (low === "" || (BigInt(low) <= number && number <= BigInt(high)));
		});
	}

	// Whether a text may be part of a field's name.
	mayName(text) {
		return this.fields.replace(/=[^;]*/g, "").toLowerCase().includes(text);
	}

	// Whether digits may be part of a number of any field; with a sign, of a negative one.
	mayCount(digits, isNegative) {
		return this.fields.split(";").some((field) => {
			const [, sign, low, high] = /.=(-?)(\d*)~(\d*)$/.exec(field) ?? [];
			if (!low)
				return low === "";
			if (sign)
				return hasDigits(0n, BigInt(low), digits) || (!isNegative && hasDigits(0n, BigInt(high), digits));
			return !isNegative && hasDigits(BigInt(low), BigInt(high), digits);
		});
	}
}
