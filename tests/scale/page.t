#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: a page of ten million slices: CPU time of the main thread to open it, to pan, to search; measured by the browser's protocol.

The reference is what a page without digests does in the same run: it decodes all slices and sums them up for its pixels.
"""

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "outputs"), str(HERE.parent / "bench"), str(HERE.parent)]

import inputs  # noqa: E402
from pages import start_browser  # noqa: E402
from tap import Tap  # noqa: E402

KTRACK = HERE.parents[1] / "build/ktrack"
# A round of the mixed bench has 8 slices.
ROUNDS, COPIES, SLICES, CHUNK = 125000, 10, 8, 512
# Copies but the last one are without the last chunks of their rows.
WHOLE = ROUNDS * COPIES * SLICES + 1
# At the end of the last copy: values that nothing else has.
RARE_ROUND = """+300 7@0 io B read 1 queue0 4000000007 123457 0
+50us 7@0 io E read 1 queue0 4000000007 123457 -71
"""
# Shares of the reference: opening and drawing, one frame of panning, the first hits of a search.
OPEN_MOST, FRAME_MOST, FIRST_MOST = 0.75, 0.03, 0.1
# A chunk as a page without digests reads it, byte by byte, and sums it up in 64 bins.
REFERENCE = """const readAll = (chunk) => {
	const raw = atob(chunk.data), bytes = new Uint8Array(raw.length), { count } = chunk, size = (chunk.to - chunk.from) / 64 || 1, bins = new Float64Array(64);
	for (let i = 0; i < raw.length; i++)
		bytes[i] = raw.charCodeAt(i);
	const begin = new Float64Array(count), end = new Float64Array(count), name = new Uint32Array(count), marks = new Uint8Array(count);
	let at = 0, time = chunk.from;
	const number = () => {
		let factor = 1, value = 0, byte;
		do {
			byte = bytes[at++];
			value += (byte & 127) * factor;
			factor *= 128;
		} while (byte > 127);
		return value;
	};
	for (let i = 0; i < count; i++) {
		begin[i] = time += number();
		end[i] = time += number();
		const word = number();
		marks[i] = word % 8;
		name[i] = Math.floor(word / 8);
	}
	for (let i = 0; i < count; i++)
		for (let from = begin[i]; from <= end[i];) {
			const bin = Math.min(Math.floor((from - chunk.from) / size), 63), next = bin < 63 ? Math.min(end[i], chunk.from + (bin + 1) * size) : end[i];
			bins[bin] += next - from || 1;
			if (next <= from || next === end[i])
				break;
			from = next;
		}
	return bins;
};
let sum = 0;
for (const { row, chunk } of ktrack.recording.inOrder)
	if (row.kind === "slice")
		sum += readAll(chunk)[0];
return sum;
"""


def cdp(browser, command, **parameters):
    """A command of the browser's protocol."""
    return browser.call("POST", "/goog/cdp/execute", cmd=command, params=parameters)


def thread_ms(browser):
    """CPU time of the page's main thread so far, in milliseconds; of the document that is loaded."""
    metrics = {one["name"]: one["value"] for one in cdp(browser, "Performance.getMetrics")["metrics"]}
    return 1000 * metrics["ThreadTime"]


def loaded_ms(browser, page):
    """CPU time of the main thread for a page until it is drawn."""
    browser.call("POST", "/url", url="about:blank")
    before = thread_ms(browser)
    browser.load(page)
    browser.run("while (window.ktrack?.picture.isAsked) await new Promise(requestAnimationFrame);")
    return thread_ms(browser) - before


def make_small(folder):
    """The lines of a page with a tenth of the slices."""
    script = f"{inputs.MIXED_EVENTS}\nrepeat {ROUNDS}\n{inputs.MIXED_ROUND}\nend\n{RARE_ROUND}"
    (folder / "a.script").write_text(script)
    subprocess.run([inputs.MKTRACE, folder / "a.script", folder / "a.dat"], check=True)
    subprocess.run([KTRACK, "export", "--wall-clock=0", f"--html={folder / 'a.html'}", folder / "a.dat"], check=True, stderr=subprocess.DEVNULL)
    return (folder / "a.html").read_text().split("\n")


def shifted(line, by_ns):
    """A chunk that is later by a time; only its head has absolute times."""
    words = line.split(" ")
    at = 3 if words[0] == "c" else 2
    words[at : at + 2] = (str(int(word) + by_ns) for word in words[at : at + 2])
    return " ".join(words)


def is_full(line):
    """Whether a chunk is not the last one of its row."""
    words = line.split(" ")
    return int(words[5 if words[0] == "c" else 4]) == CHUNK


def make_page(folder):
    """A page whose chunks are those of the small one again and again, later each time."""
    lines = make_small(folder)
    is_chunk = [line[:2] in ("c ", "i ", "v ") for line in lines]
    last, end = max(at for at, is_one in enumerate(is_chunk) if is_one), next(at for at, line in enumerate(lines) if line.startswith("f {"))
    size = int(re.search(r'"last_ns":(\d+)', lines[end])[1]) + 1000
    chunks = [line for line, is_one in zip(lines, is_chunk) if is_one]
    whole = [line for line in chunks if is_full(line)]
    lines[end] = re.sub(r'"(last_ns|end_ns)":\d+', lambda found: f'"{found[1]}":{size * COPIES}', lines[end])
    with open(folder / "page.html", "w") as page:
        page.writelines(line + "\n" for line, is_one in zip(lines[: last + 1], is_chunk) if not is_one or is_full(line))
        for copy in range(1, COPIES):
            page.writelines(shifted(line, copy * size) + "\n" for line in (chunks if copy == COPIES - 1 else whole))
        page.write("\n".join(lines[last + 1 :]))


def check_open(tap, browser, folder):
    """All visible tracks are drawn from digests; returns the reference."""
    page = folder / "page.html"
    text = page.read_text()
    (folder / "data.html").write_text(text[: text.rindex("<script>")])
    cdp(browser, "Performance.enable")
    data = loaded_ms(browser, folder / "data.html")
    opened = loaded_ms(browser, page) - data
    rough = browser.run("return [ktrack.picture.isRough, ktrack.picture.frames];")
    count = browser.run("return ktrack.recording.inOrder.filter(({ row }) => row.kind === 'slice').reduce((sum, { chunk }) => sum + chunk.count, 0);")
    before = thread_ms(browser)
    browser.run(REFERENCE)
    reference = thread_ms(browser) - before
    tap.comment(f"{count} slices: opened in {opened:.0f} ms beyond the {data:.0f} ms that its text takes without scripts, {rough[1]} frames; the reference takes {reference:.0f} ms")
    tap.ok(0.99 * WHOLE <= count <= WHOLE and not rough[0], "the page is whole", count, rough)
    tap.ok(opened <= OPEN_MOST * reference, f"opening takes at most {OPEN_MOST} of the reference", opened, reference)
    return reference


def check_columns(tap, browser):
    """What is drawn from digests is what the slices fill."""
    worst = browser.run(
        """const p = ktrack.picture, worst = [];
        for (const track of p.recording.tracks.filter((one) => one.rows.length > 0))
            for (const row of track.rows) {
                const size = p.nrColumns, full = new Float64Array(size);
                for (const chunk of row.chunks) {
                    const { begin, end } = chunk.decode();
                    for (let i = 0; i < chunk.count; i++)
                        for (let from = p.columnOf(begin[i]), to = p.columnOf(end[i]), at = Math.max(Math.floor(from), 0); at < to && at < size; at++)
                            full[at] += Math.min(to, at + 1) - Math.max(from, at);
                }
                p.drawSlices(row, 0);
                worst.push(full.reduce((most, one, at) => Math.max(most, Math.abs(one - p.columns.filled[at])), 0));
            }
        p.ask();
        return Math.max(...worst);"""
    )
    tap.ok(worst < 0.02, "each column of pixels is as full as its slices are long", worst)


def check_pan(tap, browser, reference):
    """Frames at several zooms while panning."""
    for factor in (1, 0.03, 0.001):
        browser.run("const p = ktrack.picture; ktrack.fit(); p.zoom(arguments[0]); while (p.isAsked) await new Promise(requestAnimationFrame);", factor)
        before = thread_ms(browser)
        times = browser.run(
            """const p = ktrack.picture, times = [];
            for (let i = 0; i < 60; i++) {
                p.move(i % 2 ? 0.02 : -0.01);
                await new Promise(requestAnimationFrame);
                times.push(p.frame_ms);
            }
            return times.sort((a, b) => a - b);"""
        )
        frame = (thread_ms(browser) - before) / 60
        tap.comment(f"zoom {factor}: {frame:.1f} ms of CPU time in a frame, by the clock median {times[30]:.1f}, longest {times[-1]:.1f}")
        tap.ok(frame <= FRAME_MOST * reference, f"a frame at zoom {factor} takes at most {FRAME_MOST} of the reference", frame, reference)


def check_search(tap, browser, reference):
    """The first hits of common names and of fields and values that occur once, at the end."""
    for text in ("checksum 3", "retry", "request=4000000007", "4000000007", "bytes>100000", "result<0", "result=-71"):
        before = thread_ms(browser)
        wall = time.monotonic()
        first, hits = browser.run(
            """const begun = performance.now();
            let found;
            const first = new Promise((resolve) => { found = resolve; });
            const search = new Search(ktrack.recording, arguments[0], ({ hits, isDone }) => (hits.length > 0 || isDone) && found([performance.now() - begun, hits.length]));
            const result = await first;
            search.stop();
            return result;""",
            text,
        )
        used = thread_ms(browser) - before
        tap.comment(f"{text}: {hits} hits first, after {first:.0f} ms by the clock, {used:.0f} ms of CPU time, {time.monotonic() - wall:.2f} s with the protocol")
        tap.ok(hits > 0 and used <= FIRST_MOST * reference, f"the first hits of {text} take at most {FIRST_MOST} of the reference", hits, used, reference)


def main():
    """Makes the page and measures it."""
    tap = Tap()
    browser = start_browser(tap)
    if not browser:
        return tap.finish()
    try:
        with tempfile.TemporaryDirectory() as folder:
            make_page(Path(folder))
            reference = check_open(tap, browser, Path(folder))
            check_columns(tap, browser)
            check_pan(tap, browser, reference)
            check_search(tap, browser, reference)
            tap.nothing(browser.complaints(), "no complaints in the console")
    finally:
        browser.close()
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
