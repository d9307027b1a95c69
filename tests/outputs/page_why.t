#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: where the time of slices went, on the page: the splits of ktrack why, the bar, the list, the way to wakers, rows of a thread."""

import json
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "why")]

import cases  # noqa: E402
from pages import DRAW, visit_pages  # noqa: E402
from sums import wrong_sums  # noqa: E402
from tap import Tap  # noqa: E402

PACKS = "sched,irq,locks,workqueue"
DRIVER = HERE.parent / "why/data/driver.script"
FORMATS = "format ../formats/6.12/sched/sched_switch\nformat ../formats/6.12/sched/sched_waking\n"
EVENT = "event demo:io 3000 char track_event_type; string slice_name\n"
HOSTILE = (
    FORMATS
    + EVENT
    + r"""0    7@0 sched_switch prev_comm=<b>a prev_pid=6 prev_state=2 next_comm=me next_pid=7
10us 7@0 io B "</script><img src=x onerror=window.hacked=1>\xe2\x80\xae'*"
20us 7@0 sched_switch prev_comm=me prev_pid=7 prev_state=2 next_comm=<i>x next_pid=8
30us 8@0 sched_waking comm=me pid=7 target_cpu=0
40us 8@0 sched_switch prev_comm=<i>x prev_pid=8 prev_state=1 next_comm=me next_pid=7
50us 7@0 io E ""
"""
)
# Threads with nothing but states, next to one that has a slice.
IDLE = (
    FORMATS
    + EVENT
    + "".join(f"+1us {n}@0 sched_switch prev_comm=t{n} prev_pid={n} prev_state=1 next_comm=t{n + 1} next_pid={n + 1}\n" for n in range(100, 120))
    + '+1us 120@0 io B work\n+1us 120@0 io E ""\n'
)
NO_STATES = EVENT + "+10 7@0 io B read\n+10 7@0 io E \"\"\n"
# Thirty slices, each longer than the one before it.
SLOW = (
    FORMATS
    + EVENT
    + "0    7@0 sched_switch prev_comm=a prev_pid=6 prev_state=2 next_comm=me next_pid=7\n"
    + "".join(f'{n * 100}us 7@0 io B read\n{n * 101}us 7@0 io E ""\n' for n in range(1, 31))
)
DEVICE, INTERRUPTS = (HERE.parent / f"why/data/{name}.script" for name in ("device", "interrupts"))
SENTENCES = (
    "No kernel stacks show where threads slept; record with --stack='sched:sched_switch if prev_state & 3'.",
    "If IRQ 27 virtio0 is the interrupt of a disk, record and export with -r block, too.",
    "What ended in the interrupts is not recorded; record and export with -r timers, too.",
)
# Packs, an asynchronous slice, and what is missing.
REQUEST_HINTS = (
    ("sched,irq", "timed", [SENTENCES[2]]),
    ("sched,irq", "received", []),
)
# Packs, a slice, and what is missing.
HINTS = (
    ("sched,irq,workqueue", "held", [SENTENCES[1]]),
    ("sched,irq,workqueue,block", "held", [SENTENCES[2]]),
    ("sched,irq,workqueue,block,timers", "held", []),
    ("sched,irq,workqueue,block,timers", "slept", [SENTENCES[0]]),
    ("sched,irq,workqueue,block,timers", "shared", []),
)
EXPLAINED = """const all = [];
for (const chunk of ktrack.recording.explained)
	all.push(...await chunk.read());
return all;"""
SELECT = """const r = ktrack.recording;
for (const track of r.tracks)
	for (const row of track.rows)
		row.visit(0, Infinity, (chunk, index, items) => {
			if (track.identity.tracepoint === arguments[0] && r.names[items.name[index]] === arguments[1])
				ktrack.show(thing(row, chunk, index));
		});
"""
# The slice of a tracepoint and a number at a time.
SELECT_AT = """const r = ktrack.recording, [tracepoint, id, time] = arguments;
const track = r.tracks.find(({ identity }) => identity.tracepoint === tracepoint && identity.id === id);
ktrack.show(sliceAt(r, track.rows[0], time) ?? thing(track.instants, track.instants.chunks[0], 0));
"""
WHY_TAB = "[...document.querySelectorAll('#tabs button')].find(({ textContent }) => textContent === 'Why').click();"
# Rows of the details by their titles.
ROWS = """return Object.fromEntries([...document.querySelectorAll("#details .columns > table:first-child tr")].map(({ cells }) => [cells[0].innerText, cells[1].innerText.trim()]));"""
# Ways from states and CPUs: what is selected, rows of its details, and where j leads to.
LINKS = (
    (("sched:thread", 40, 200000), {"woken by": "\u2192 holder (50)"}, ["wake-ups tid 50 holder", "wakes reader 40", 370000]),
    (("sched:thread", 40, 375000), {"woken by": "\u2192 holder (50)"}, ["wake-ups tid 50 holder", "wakes reader 40", 370000]),
    (("sched:thread", 40, 390000), {"woken by": "\u2192 holder (50) 10 \u00b5s before", "on": "\u2192 CPU 0"}, ["wake-ups tid 50 holder", "wakes reader 40", 370000]),
    (("sched:thread", 40, 60000), {}, None),
    (("sched:thread", 40, 85000), {"on": "\u2192 CPU 0"}, ["running cpu 0", "reader", 80000]),
    (("sched:thread", 70, 500000), {"woken by": "\u2192 BLOCK while \u2192 swapper/0 (0)"}, ["interrupts cpu 0", "BLOCK", 606000]),
    (("sched:cpu", 0, 390000), {"thread": "\u2192 reader (40)"}, ["state tid 40 reader", "Running", 380000]),
    (("sched:cpu", 1, 500000), {"thread": "\u2192 swapper/1 (0)"}, ["state tid 0 swapper/1", "Running", 440000]),
)
# A reader waits for a clerk, who is preempted before it wakes the reader, and was woken by a clock, which a timer woke.
CHAIN = (
    FORMATS
    + EVENT
    + """format ../formats/6.12/irq/irq_handler_entry
format ../formats/6.12/irq/irq_handler_exit
0    40@0 io B ask
10us 40@0 sched_switch prev_comm=reader prev_pid=40 prev_state=1 next_comm=swapper/0 next_pid=0
15us 31@1 sched_switch prev_comm=clock prev_pid=31 prev_state=1 next_comm=swapper/1 next_pid=0
16us 0@0 sched_switch prev_comm=swapper/0 prev_pid=0 prev_state=0 next_comm=clerk next_pid=30
17us 30@0 sched_switch prev_comm=clerk prev_pid=30 prev_state=1 next_comm=swapper/0 next_pid=0
20us 0@1 irq_handler_entry irq=27 name=rtc
21us 0@1 sched_waking comm=clock pid=31 target_cpu=1
22us 0@1 irq_handler_exit irq=27 ret=1
25us 0@1 sched_switch prev_comm=swapper/1 prev_pid=0 prev_state=0 next_comm=clock next_pid=31
30us 31@1 sched_waking comm=clerk pid=30 target_cpu=0
31us 0@0 sched_switch prev_comm=swapper/0 prev_pid=0 prev_state=0 next_comm=clerk next_pid=30
32us 31@1 sched_switch prev_comm=clock prev_pid=31 prev_state=1 next_comm=swapper/1 next_pid=0
35us 30@0 sched_switch prev_comm=clerk prev_pid=30 prev_state=256 next_comm=hog next_pid=60
45us 60@0 sched_switch prev_comm=hog prev_pid=60 prev_state=256 next_comm=clerk next_pid=30
50us 30@0 sched_waking comm=reader pid=40 target_cpu=0
55us 30@0 sched_switch prev_comm=clerk prev_pid=30 prev_state=1 next_comm=reader next_pid=40
60us 40@0 io E ""
"""
)
CHAIN_STEPS = [
    ["state tid 30 clerk", "Running", 45000],
    ["wake-ups tid 31 clock", "wakes clerk 30", 30000],
    ["state tid 31 clock", "Running", 25000],
    ["interrupts cpu 1", "IRQ 27 rtc", 20000],
]
SELECTED = """const one = ktrack.picture.selected;
return one && [one.track.label, nameOf(ktrack.recording, one), one.begin];"""


def load_driver(pages):
    """The recording whose splits tests/why/why.t has; returns what is wrong."""

    def make(path):
        subprocess.run([HERE.parent / "golden/mktrace", DRIVER, path], check=True)

    return pages.load(make, "-r", PACKS, "-e", "mydrv:*")[1]


def load_script(pages, text, *words):
    """A script's text."""
    return pages.load(lambda path: cases.make_of(text, path), *words)[1]


def explain(pages, words):
    """What ktrack why --json prints of the same recording."""
    return json.loads(cases.run(pages.folder, "why", "--json", "--slowest=1000", "trace.dat", words)[0])["slices"]


def check_same(tap, pages):
    """Every slice of the driver has the split that ktrack why has, to the nanosecond."""
    wrong = load_driver(pages)
    found = [one[2] for one in pages.browser.run(EXPLAINED)]
    wanted = [one for words in ("mydrv:*/*", "locks:*/*") for one in explain(pages, words)]
    by_begin = lambda one: (one["begin_ns"], one["track"], one["ns"])  # noqa: E731
    tap.ok(sorted(found, key=by_begin) == sorted(wanted, key=by_begin) and len(found) == 8, "the splits of ktrack why", len(found), len(wanted))
    sums = [line for one in found for line in wrong_sums(one["parts"], one["ns"], one["name"])]
    tap.nothing(wrong + sums, "the parts add up")


OVERVIEW = """const overview = ktrack.recording.overview ?? { processes: [], kinds: [] }, of = ({ tracepoint, name, begin_ns, ns, causes }) => [tracepoint, name, begin_ns, ns, causes];
return [overview.processes.slice(0, 5), overview.kinds.map(({ count, total_ns, slowest }) => [count, total_ns, ...of(slowest)]), ktrack.part("details").innerText];"""
# Presses the link of the panel that has a text; returns what is selected, the current line and the visible span.
FOLLOW = """[...document.querySelectorAll("#details .link")].find(({ textContent }) => textContent === arguments[0]).click();
await ktrack.showDetails(ktrack.picture.selected);
const { selected: one, current, span } = ktrack.picture;
return [one && nameOf(ktrack.recording, one), one && one.end - one.begin, current?.label, span.from, span.to];"""
# The tab, and the first row of a table of all names beside the slowest one.
SLOWEST = """const [{ innerText: name }] = document.querySelector("#details table").tBodies[0].rows[0].cells, { slices } = ktrack.range.statistics;
return [ktrack.panel.tab, name, slices.reduce((a, b) => (b.max ?? -1) > (a.max ?? -1) ? b : a).name, slices.length];"""
LOSSY = EVENT + "0 7@0 io B read\n10ms 7@0 io E \"\"\n50ms 7@0 io B read\nlost 0 20\n60ms 7@0 io E \"\"\n100ms 7@0 io B write\n130ms 7@0 io E \"\"\n"
# 40 ms of CPU 0 in two buffers, 10 ms of CPU 1; and in a recording without time.
SEVERAL_GAPS = """const { recording } = ktrack, gaps = [[0, 10e6, 40e6], [0, 0, 30e6], [1, 10e6, 20e6], [0, 12e6, 15e6]];
recording.losses = gaps.map(([cpu, from, to]) => ({ cpu, from, to, text: "lost 1 record" }));
recording.about.cpus = 2;
return [100e6, 0].map((end) => Object.assign(recording, { end }) && ktrack.overview.losses().caption.textContent);"""


def check_narrow(tap, browser, name):
    """The panel in narrow windows: it is not wider than these."""
    for width in (390, 800):
        browser.call("POST", "/goog/cdp/execute", cmd="Emulation.setDeviceMetricsOverride", params={"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False})
        wide = []
        for link in ("all names", name):
            browser.run(FOLLOW, link)
            wide.append(browser.run('const box = document.getElementById("details"); return [ktrack.panel.tab, box.scrollWidth - box.clientWidth];'))
            browser.press("Escape")
        tap.ok([tab for tab, _ in wide] == ["range", "slice"] and all(beyond <= 0 for _, beyond in wide), f"tables fit in {width} pixels", *wide)
    browser.call("POST", "/goog/cdp/execute", cmd="Emulation.clearDeviceMetricsOverride", params={})


def check_states(tap, pages):
    """States that the overview lists are explained."""
    load_script(pages, IDLE.replace("prev_state=1", "prev_state=256"), "-r", "sched")
    kinds = pages.browser.run(OVERVIEW)[1]
    state = next(one for one in kinds if one[2] == "sched:thread")
    pages.browser.run(FOLLOW, state[3])
    pages.browser.run(WHY_TAB)
    text = pages.details()
    tap.ok(f"%: {state[-1][0]['what']}" in text and "Another one" not in text, "a state that the overview lists is explained", text, *state)


def check_instants(tap, pages):
    """Without slices, the overview has the most frequent instants, and whose they are."""
    instants = "".join(f"+1us {7 + (i == 5)}@0 io I {('tick', 'tock')[i % 4 == 3]}\n" for i in range(8))
    load_script(pages, f"{EVENT}task 7 worker 7\n{instants}", "-e", "demo")
    panel = pages.browser.run(OVERVIEW)[2]
    wanted = ["no slices, 8 instants, the most frequent all names most of them of worker (7)", "tick\t6\t75.0 %\tdemo:io", "tock\t2\t25.0 %\tdemo:io"]
    tap.ok(all(line in panel for line in wanted), "instants alone, the most frequent and whose they are", panel)


def check_overview(tap, pages):
    """Before a click: who used the CPUs, the slowest kinds of slices with causes as in ktrack why, losses; each leads to its place."""
    browser = pages.browser
    wrong = load_driver(pages)
    processes, kinds, panel = browser.run(OVERVIEW)
    answer = json.loads(cases.run(pages.folder, "why", "--json", "-r", PACKS, "-e", "mydrv:*", "trace.dat")[0])
    slowest = [[one["count"], one["total_ns"], *(one["slowest"][key] for key in ("tracepoint", "name", "begin_ns", "ns", "causes"))] for one in answer["kinds"]]
    tap.ok(not wrong and processes == answer["processes"] and len(processes) > 1, "the processes of ktrack why", *processes)
    tap.ok(kinds == slowest and len(kinds) == 5 and any(one[-1] for one in kinds), "its kinds of slices, and their causes", *kinds, *slowest)
    lines = panel.split("\n")
    rows = [f"{line} {lines[at + 1] if at + 1 < len(lines) else ''}" for at, line in enumerate(lines)]
    shown = [one for one in kinds if any(row.startswith(f"{one[3]}\t") and (not one[-1] or one[-1][0]["what"][:20] in row) for row in rows)]
    tap.ok(len(shown) == len(kinds) and " on " in lines[0] and "CPU" in lines[0], "the panel shows them", panel)
    found = browser.run(FOLLOW, kinds[0][3])
    tap.ok(found[:2] == [kinds[0][3], kinds[0][5]], "a kind leads to its slowest slice", *found)
    browser.press("Escape")
    browser.run(FOLLOW, "all names")
    tab, first, name, count = browser.run(SLOWEST)
    tap.ok(tab == "range" and first == name and count > len(kinds), "all names, the slowest first", tab, first, name, count)
    browser.press("Escape")
    check_narrow(tap, browser, kinds[0][3])
    found = browser.run(FOLLOW, f"{processes[0]['comm']} ({processes[0]['pid']})")
    tap.ok(found[2] and str(processes[0]["pid"]) in found[2], "a process to its line", *found)
    wrong = load_script(pages, LOSSY)
    kinds, panel = browser.run(OVERVIEW)[1:]
    tap.ok([one[3] for one in kinds] == ["write", "read", "read"] and "gaps in the records, 10 ms together" in panel and "Where the time of slices went is not known" in panel and "Record and export with -r sched" in panel, "without states there are no causes, but kinds and gaps", *kinds, panel, *wrong)
    found = browser.run(FOLLOW, "50 ms")
    tap.ok(found[3] < 50e6 < 60e6 < found[4] and found[4] - found[3] < 120e6, "a gap is zoomed to", *found)
    found = browser.run(SEVERAL_GAPS)
    tap.ok("50 ms together, 25.0 % of" in found[0] and "%" not in found[1], "gaps of several buffers of a CPU are one", *found)


def check_panel(tap, pages):
    """A click shows the bar and the list; j leads to the waker, b back."""
    load_driver(pages)
    browser = pages.browser
    at = browser.run('return ktrack.recording.tracks.findIndex((one) => one.identity.tracepoint === "mydrv:io");')
    browser.run(DRAW)
    browser.click(*pages.place_of(at, 0, 200000))
    text = pages.details()
    wanted = ("mainly 83.3%: holder (50): runnable behind hog (61), same priority 66.7%", "blocked (D) in READ, woken by holder (50)", "meanwhile holder (50):", "runnable on CPU 1 behind hog (61)", "83.3 %")
    tap.nothing([word for word in wanted if word not in text], "the parts of a slice")
    shares, label = browser.run(
        """const bar = document.querySelector(".bar"), wide = bar.clientWidth;
        return [[...bar.children].map((one) => [one.className, one.offsetWidth / wide]), bar.getAttribute("aria-label")];"""
    )
    is_right = [name for name, _ in shares] == ["part blocked", "part running", "part running", "part runnable"]
    is_right &= all(abs(found - share) < 0.01 for (_, found), share in zip(shares, (0.833, 0.083, 0.05, 0.033)))
    tap.ok(is_right and label.startswith("83.3 % blocked (D) in READ"), "the bar", shares, label)
    browser.run('document.getElementById("tip").hidden = false;')
    browser.press("j")
    tap.ok(browser.run(SELECTED) == ["state tid 50 holder", "Running", 350000], "j jumps to the waker", browser.run(SELECTED))
    tap.ok(browser.run('return document.getElementById("tip").hidden;'), "the text at the mouse is about another item and goes")
    browser.press("b")
    tap.ok(browser.run(SELECTED) == ["io tid 40 reader", "locked", 100000], "b leads back", browser.run(SELECTED))
    pages.details()
    browser.run('[...document.querySelectorAll(".way")].find((one) => one.textContent.includes("hog")).click();')
    tap.ok(browser.run(SELECTED) == ["state tid 61 hog", "Running", 150000], "a button jumps to who used the CPU", browser.run(SELECTED))
    browser.run(SELECT, "mydrv:request", "write")
    pages.details()
    browser.press("j")
    tap.ok(browser.run(SELECTED)[:2] == ["interrupts cpu 0", "IRQ 27 virtio0"], "an asynchronous slice leads to its interrupt", browser.run(SELECTED))
    tap.nothing(browser.complaints(), "no complaints")


def check_links(tap, pages):
    """From a state to who woke the thread and to its CPU, from a CPU to its thread; j leads there, b back."""
    wrong, browser = load_driver(pages), pages.browser
    for place, wanted, target in LINKS:
        browser.run(SELECT_AT, *place)
        pages.details()
        rows = {title: text for title, text in browser.run(ROWS).items() if title in ("woken by", "on", "thread")}
        before = browser.run(SELECTED)
        browser.press("j")
        tap.ok((rows, browser.run(SELECTED)) == (wanted, target or before), f"ways from {place}", rows, browser.run(SELECTED))
        browser.press("b")
        tap.ok(browser.run(SELECTED) == before, "b leads back", browser.run(SELECTED))
    tap.nothing(wrong + browser.complaints(), "no complaints")


CHAIN_MARKS = (
    DRAW
    + """await ktrack.showDetails(p.selected);
p.setSpan(0, 60e3);
p.draw();
const { pieces } = p, accent = p.context.fillStyle = p.accent, hex = (data, i) => `#${[...data.slice(4 * i, 4 * i + 3)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
const pixels = (one) => {
    const { data } = p.context.getImageData(Math.round(p.xOf(one.begin)), Math.round(p.middleOf(one) - LANE / 2) + 1, Math.max(Math.round((one.end - one.begin) * p.scale), 2), 2);
    return Array.from({ length: data.length / 4 }, (_, i) => hex(data, i)).filter((one) => one === accent).length;
};
return [pieces.map((one) => nameOf(p.recording, one)), p.chainArrows().map(([, , x]) => Math.round(p.timeOf(x))).join() === "55000,45000,30000,25000" ? p.chainArrows().length : p.chainArrows().map(([, , x]) => Math.round(p.timeOf(x))), Math.min(...pieces.filter(({ kind, end, begin }) => kind === "slice" && (end - begin) * p.scale > 20).map(pixels)), ktrack.part("details").innerText.split("\\n")[0]];"""
)


def check_chain(tap, pages):
    """From a slice to the interrupt with which its wait began to end, thread by thread."""
    wrong = load_script(pages, CHAIN, "-r", "sched,irq", "-e", "demo:io")
    browser, steps = pages.browser, []
    browser.run(SELECT, "demo:io", "ask")
    for _ in CHAIN_STEPS:
        pages.details()
        browser.press("j")
        steps.append(browser.run(SELECTED))
    tap.ok(steps == CHAIN_STEPS, "j follows a chain of wake-ups to its end", *steps)
    marked = browser.run(CHAIN_MARKS)
    tap.ok(marked[0] == ["ask", *(one[1] for one in CHAIN_STEPS)] and marked[1] == len(CHAIN_STEPS) and marked[2] > 20, "all of its pieces are marked, with arrows", *marked)
    tap.ok("piece 5 of 5" in marked[3], "which piece it is", marked[3])
    back = []
    for _ in CHAIN_STEPS:
        browser.press("k")
        back.append(browser.run(SELECTED))
    tap.ok(back[:-1] == CHAIN_STEPS[-2::-1] and back[-1][1] == "ask", "k leads back along it", *back)
    pages.details()
    trail = browser.run("return ktrack.trail.length;")
    tap.ok(trail == 0, "after that there is no way back", trail)
    tap.nothing(wrong + browser.complaints(), "no complaints about a chain")


def check_flow(tap, pages):
    """From one point of a flow to the next one and back."""
    load_driver(pages)
    browser = pages.browser
    browser.run(SELECT, "mydrv:transfer", "dma")
    pages.details()
    rows = browser.run(ROWS)
    tap.ok(rows["flow"] == "io:0x77, point 1 of 2 \u2192 done, 82 \u00b5s later", "the points of a flow", rows)
    selected = []
    for key in "><<>":
        browser.press(key)
        pages.details()
        selected.append(browser.run(SELECTED)[1])
    tap.ok(selected == ["done", "dma", "dma", "done"], "> and < lead to them", *selected)
    browser.press("f")
    span = browser.run("return [ktrack.picture.span.from, ktrack.picture.span.to];")
    tap.ok(span[0] < 920000 and 1030000 < span[1] < 1500000, "f shows an instant with the points around it", span)
    browser.press("b", "b", "b")
    tap.ok(browser.run(SELECTED)[1] == "dma", "b leads back", browser.run(SELECTED))
    tap.nothing(browser.complaints(), "no complaints")


def check_stack(tap, pages):
    """Frames of the kernel stack of a wait."""
    load_driver(pages)
    text = pages.browser.run(
        """const part = { what: "blocked", kind: "blocked", ns: 10, count: 1, longest_ns: 10, longest_at_ns: 0, stack: ["msleep", "<b>", "c", "d"] };
        return ktrack.why.list([part], 10, 0).textContent;"""
    )
    tap.ok("at msleep < <b> < c < \u2026" in text and text.endswith("msleep<b>cd"), "the stack of a wait", text)


def check_slowest(tap, pages):
    """The slowest slices of a name, the slowest first, each with a way to it and back."""
    load_script(pages, SLOW, "-r", "sched", "-e", "demo:io")
    pages.browser.run(SELECT, "demo:io", "read")
    pages.details()
    found = pages.browser.run(
        """await ktrack.details.statistics;
        const rows = [...document.querySelectorAll(".slowest div")].map((one) => one.textContent);
        document.querySelector(".slowest summary").click();
        document.querySelector(".slowest div:nth-of-type(2) button").click();
        return rows;"""
    )
    is_sorted = [row[:2] for row in found] == [str(ns) for ns in range(30, 20, -1)]
    tap.ok(is_sorted and all("io tid 7" in row for row in found), "the ten slowest slices of a name", *found)
    tap.ok(pages.browser.run(SELECTED)[2] == 29 * 100000, "a button leads to one of them", pages.browser.run(SELECTED))
    pages.browser.press("b")
    tap.ok(pages.browser.run(SELECTED)[2] != 29 * 100000, "b leads back", pages.browser.run(SELECTED))


def check_hints(tap, pages):
    """What to record for more, as ktrack why says."""
    for script, category, cases_of in ((DEVICE, "mydrv:io", HINTS), (INTERRUPTS, "mydrv:request", REQUEST_HINTS)):
        for words, name, wanted in cases_of:
            pages.load(lambda path, script=script: subprocess.run([HERE.parent / "golden/mktrace", script, path], check=True), "-r", words, "-e", "mydrv:*")
            pages.browser.run(SELECT, category, name)
            text = pages.details()
            found = [sentence for sentence in SENTENCES if sentence in text]
            tap.ok(found == wanted and name in text, f"hints of {name} with {words}", *found)
            tap.nothing(pages.browser.complaints(), "no complaints")


def check_excuses(tap, pages):
    """A slice without a split says why, and how to get one."""
    load_script(pages, NO_STATES)
    pages.browser.run(SELECT, "demo:io", "read")
    text = pages.details()
    tap.ok("made without rules for the states of threads. Record and export with -r sched,irq,locks,workqueue,block,timers" in text, "no rules", text)
    load_script(pages, FORMATS + NO_STATES, "-r", "sched", "-e", "demo:io")
    pages.browser.run(SELECT, "demo:io", "read")
    text = pages.details()
    tap.ok("nothing recorded the states of threads" in text, "no records of the scheduler", text)
    load_driver(pages)
    pages.browser.run("Object.assign(ktrack.recording, { explained: [], overview: null }); ktrack.recording.totals.explained.limit = 5;")
    pages.browser.run(SELECT, "mydrv:io", "locked")
    text = pages.details()
    wanted = "the 5 slowest slices of each name. Another one of a trace.dat, with the same -e and -r: ktrack why --at=0.000250000s trace.dat 'mydrv:io/locked'"
    tap.ok(wanted in text, "a slice that is not among the slowest", text)
    wrong = cases.run(pages.folder, "why", "--at=0.000250000s", "trace.dat", "mydrv:io/locked")[1]
    tap.nothing(wrong, "that command works")
    pages.browser.run(SELECT, "sched:thread", "Running")
    text = pages.details()
    tap.ok("ktrack why" not in text, "a state is no slice that lacks its split", text)
    pages.browser.run(WHY_TAB)
    text = pages.details()
    tap.ok("Another one of a trace.dat" in text and "trace.dat 'sched:thread/Running'" in text, "who asks about a state is told how", text)
    pages.browser.run("const { instants } = ktrack.recording.tracks.find(({ instants }) => instants); ktrack.show(thing(instants, instants.chunks[0], 0));")
    text = pages.details()
    tap.ok("Only slices that take time are explained." in text, "an instant has no time", text)


def check_hostile(tap, pages):
    """Names of slices and threads stay names."""
    wrong = load_script(pages, HOSTILE, "-r", "sched", "-e", "demo:io")
    track = 'const t = ktrack.recording.tracks.find((one) => one.identity.tracepoint === "demo:io"), row = t.rows[0];'
    pages.browser.run(track + "ktrack.show(thing(row, row.chunks[0], 0));")
    text = pages.details()
    is_shown = "woken by <i>x (8)" in text and "\u202e" not in text and "\ufffd" in text
    pages.browser.run("Object.assign(ktrack.recording, { explained: [], overview: null });")
    command = pages.details().split("trace.dat '")[-1].split("\n")[0]
    hacked = pages.browser.run("return window.hacked ?? document.querySelector('footer img, footer b, footer i:not(.part)')?.tagName ?? null;")
    tap.ok(is_shown and hacked is None, "names that look like tags, marks of direction", text, hacked)
    tap.ok(command == "demo:io/</script>\\<img src=x onerror=window.hacked=1>*'\\''\\*'".replace("\\<", "<"), "a name in a command", command)
    tap.nothing(wrong + pages.browser.complaints(), "no complaints")


def check_threads(tap, pages):
    """The rows of a thread are adjacent; many threads with only states are hidden until they are asked for."""
    load_driver(pages)
    labels = pages.browser.run("return [...ktrack.recording.tracks].sort((a, b) => a.top - b.top).map((one) => one.label);")
    place = labels.index("state tid 40 reader")
    wanted = ["state tid 40 reader", "io tid 40 reader", "locks tid 40 reader", "wake-ups tid 40 reader"]
    tap.ok(labels[place : place + 4] == wanted, "the rows of a thread", *labels)
    load_script(pages, IDLE, "-r", "sched", "-e", "demo:io")
    shown = "return ktrack.recording.tracks.filter((one) => ktrack.picture.isVisible(one)).length;"
    before = pages.browser.run(DRAW + shown)
    pages.browser.press("t")
    after = pages.browser.run(DRAW + shown)
    pages.browser.press("t")
    tap.ok(before <= 4 < after and pages.browser.run(shown) == before, "threads with only states", before, after)
    left, top = pages.browser.run(
        "const p = ktrack.picture, box = p.canvas.getBoundingClientRect(); return [box.left, box.top + RULER + p.idleTop - p.scroll + 8];"
    )
    pages.browser.click(left + 30, top)
    tap.ok(pages.browser.run(shown) == after, "a click shows them too")
    pages.browser.press("t", "/", *"state tid 105")
    found = pages.browser.run('return [document.getElementById("found").textContent, ktrack.picture.hidesIdle];')
    tap.ok(found[0] != "not found" and not found[1], "so does a search", found)


CHECKS = (check_same, check_overview, check_panel, check_links, check_chain, check_flow, check_stack, check_slowest, check_hints, check_excuses, check_hostile, check_threads, check_states, check_instants)


if __name__ == "__main__":
    sys.exit(visit_pages(Tap(), CHECKS))
