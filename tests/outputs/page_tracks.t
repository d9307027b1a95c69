#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the tree of tracks on the page: labels, folding, pinning, hiding, the filter, order, lanes of tracks used once."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from pages import DRAW, visit_pages  # noqa: E402
from tap import Tap  # noqa: E402

# Threads 21 and 22 of process 20, a thread with two tracks, and tracks by queue.
TREE = """task 20 main 20
task 21 helper 20
task 22 other 20
task 9 alone 9
event demo:io 100 char track_event_type; string slice_name; u32 scope_queue
event demo:work 101 char track_event_type; string slice_name
event demo:rest 102 char track_event_type; string slice_name
event demo:level 103 u64 counter_value; u32 scope_queue
+10us 22@0 io B read 3
+10us 22@0 io E "" 3
+10us 22@0 io B read 1
+30us 22@0 io E "" 1
+10us 9@0 work B a
+90us 9@0 work E ""
+10us 9@0 rest B b
+10us 9@0 rest E ""
+10us 22@0 work B c
+20us 22@0 work E ""
+10us 21@0 work B d
+10us 21@0 work E ""
+10us 21@0 level 7 5
"""
# Twenty requests, each on a track of its own; two at a time.
ROUND = """+10us 7@0 request B one {0}
+10us 7@0 request B two {1}
+10us 7@0 request E "" {0}
+10us 7@0 request E "" {1}
"""
ONCE = "event demo:request 100 char track_event_type; string slice_name; u32 scope_request\n" + "".join(ROUND.format(2 * i, 2 * i + 1) for i in range(20))
# A thread that executes another program and gets its name.
RENAMED = """format ../formats/6.12/sched/sched_switch
format ../formats/6.12/task/task_rename
event demo:work 101 char track_event_type; string slice_name
task 30 before 30
+10us 30@0 work B a
+10us 30@0 work E ""
+10us 30@0 task_rename pid=30 oldcomm=before newcomm=after
+10us 30@0 work B b
+10us 30@0 work E ""
+10us 30@0 work I end
"""
LABELS = """const labels = [];
for (const line of [...p.pinnedLines, ...p.lines])
	labels.push(line.tracks.length > 0 ? p.labelOf(line) : line.node.label);
return labels;"""


def labels(browser):
    """The labels of all lines, from the top."""
    return browser.run(DRAW + LABELS)


def click_label(browser, label, x=60):
    """Clicks on the label of a line."""
    left, top = browser.run(
        """const p = ktrack.picture, box = p.canvas.getBoundingClientRect(), lines = [...p.pinnedLines, ...p.lines];
        const line = lines.find((one) => (one.tracks.length > 0 ? p.labelOf(one) : one.node.label) === arguments[0]);
        return [box.left, box.top + (p.pinnedLines.includes(line) ? RULER : p.body - p.scroll) + line.top + 8];""",
        label,
    )
    browser.click(left + x, top)


WHOLE = ["io queue 3", "io queue 1", "alone 9 \u00b7 work", "rest", "process 20 other", "work tid 22 other", "work tid 21 helper", "level queue 5"]


def check_tree(tap, pages):
    """Threads of a process are below it; a label has the tracepoint; a line folds."""
    browser = pages.browser
    pages.load_text(TREE, "--rows=tracepoint")
    found = labels(browser)
    tap.ok(found == WHOLE, "process and threads", *found)
    drawn = browser.run("const texts = [], p = ktrack.picture, draw = p.context.fillText; p.context.fillText = (text) => texts.push(text); p.draw(); p.context.fillText = draw; return texts;")
    tap.ok({"demo:io", "demo:work", "demo:rest", "demo:level"} <= set(drawn), "tracepoints in the labels", *drawn)
    click_label(browser, "process 20 other")
    found = labels(browser)
    tap.ok(found == [*WHOLE[:5], WHOLE[7]], "a click folds a process", *found)
    click_label(browser, "alone 9 \u00b7 work", x=12)
    found = labels(browser)
    tap.ok("rest" not in found and "alone 9 \u00b7 work" in found, "a triangle folds a thread", *found)
    browser.press("c")
    click_label(browser, "process 20 other")
    tap.ok(labels(browser) == WHOLE, "c and a click expand them", *labels(browser))


def check_lines(tap, pages):
    """Lines are chosen with keys, pinned, hidden, moved, by keys and by buttons."""
    browser = pages.browser
    browser.press("Escape")
    step = {"type": "key", "id": "keys", "actions": [{"type": kind, "value": key} for kind, key in (("keyDown", "\ue008"), ("keyDown", "\ue015"), ("keyUp", "\ue015"), ("keyUp", "\ue008"))]}
    browser.act(step)
    browser.act(step)
    chosen = browser.run("return ktrack.picture.current.label;")
    panel = browser.run("return document.getElementById('details').innerText;")
    tap.ok(chosen == "alone 9" and "demo:rest" in panel and "collapse" in panel, "Shift and an arrow choose a line", chosen, panel)
    facts = browser.run(FACTS, "level queue 5") + browser.run(FACTS, "alone 9")
    wanted = ["level queue 5 | demo:level | 0 | 0 | 1 | ", "work tid 9 alone | demo:work | 1 | 0 | 0 | 90 \u00b5s", "rest tid 9 alone | demo:rest | 1 | 0 | 0 | 10 \u00b5s"]
    tap.ok(facts == wanted, "counts and times of its tracks", *facts)
    browser.press("p")
    found = labels(browser)
    is_fixed = browser.run("const p = ktrack.picture, track = p.nodeOf(p.recording.tracks[0]).tracks[0]; return [p.pinnedLines.length, p.topOf(p.current.tracks[0]) < p.body];")
    tap.ok(found == [*WHOLE[2:4], *WHOLE[:2], *WHOLE[4:]] and is_fixed == [2, True], "p pins it at the top", is_fixed, *found)
    browser.run('[...document.querySelectorAll("#details button")].find((one) => one.textContent === "unpin").click();')
    tap.ok(labels(browser) == WHOLE, "a button unpins it", *labels(browser))
    browser.press("h")
    hidden = labels(browser)
    text = browser.run("return document.getElementById('hidden').innerText;")
    tap.ok(hidden == [*WHOLE[:2], *WHOLE[4:]] and text == "1 hidden: show", "h hides it", text, *hidden)
    browser.press("H")
    tap.ok(labels(browser) == WHOLE, "H shows it again", *labels(browser))
    keys = [{"type": kind, "value": key} for kind, key in (("keyDown", "\ue00a"), ("keyDown", "\ue013"), ("keyUp", "\ue013"), ("keyUp", "\ue00a"))]
    browser.act({"type": "key", "id": "keys", "actions": keys})
    found = labels(browser)
    tap.ok(found == [*WHOLE[2:4], *WHOLE[:2], *WHOLE[4:]], "Alt and an arrow move it", *found)
    left, top, goal = browser.run(
        """const p = ktrack.picture, box = p.canvas.getBoundingClientRect(), y = (line) => box.top + p.body - p.scroll + line.top + 8;
        return [box.left + 60, y(p.lines[0]), y(p.lines.at(-1))];"""
    )
    browser.drag(left, top, left, goal)
    found = labels(browser)
    tap.ok(found == [*WHOLE[:2], *WHOLE[4:], *WHOLE[2:4]], "the mouse drags it", *found)


# What the picture says if it is empty.
MESSAGES = """const p = ktrack.picture, texts = [], draw = p.context.fillText;
p.context.fillText = (text) => texts.push(text);
p.draw();
p.context.fillText = draw;
return texts.filter((text) => text.startsWith("no track"));"""
# Whether the text at the mouse is hidden: first, after the same is drawn again, after a zoom.
TIPS = DRAW + """const found = [], note = () => found.push(document.getElementById("tip").hidden);
ktrack.showTip({ offsetX: 5, offsetY: p.body + p.lines.at(-1).top + 5 });
note();
p.draw();
note();
p.zoom(0.5);
p.draw();
note();
p.setSpan(p.whole.from, p.whole.to);
return found;"""
# What the panel says about the tracks of a line.
FACTS = """ktrack.tracks.choose(ktrack.picture.tree.all.find(({ label }) => label === arguments[0]));
return [...document.querySelectorAll("#details tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent).join(" | "));"""


def check_filter(tap, pages):
    """A filter by words of labels and tracepoints, and orders."""
    browser = pages.browser
    pages.load_text(TREE, "--rows=tracepoint")
    type_filter = "const one = document.getElementById('filter'); one.value = arguments[0]; one.dispatchEvent(new Event('input'));"
    browser.run(type_filter, "helper")
    tap.ok(labels(browser) == ["process 20 other", "work tid 21 helper"] and not browser.run(MESSAGES), "a filter", *labels(browser))
    tips = browser.run(TIPS)
    tap.ok(tips == [False, False, True], "the text at the mouse goes when something else is there", tips)
    browser.run(type_filter, "demo:io -3")
    found, messages = labels(browser), browser.run(MESSAGES)
    tap.ok(messages == ["no track has these words"], "a filter that nothing matches", *messages)
    browser.run(type_filter, "demo:io")
    tap.ok(found == [] and labels(browser) == WHOLE[:2], "words of tracepoints, and without others", found, *labels(browser))
    browser.run("ktrack.showTrack(ktrack.recording.tracks.find((one) => one.label === 'level queue 5'));")
    tap.ok("level queue 5" in labels(browser), "what is found ends the filter", *labels(browser))
    browser.run(type_filter, "")
    order = "const one = document.getElementById('order'); one.value = arguments[0]; one.dispatchEvent(new Event('change'));"
    browser.run(order, "number")
    numbers = labels(browser)
    browser.run(order, "activity")
    active = labels(browser)
    browser.run(order, "recorded")
    tap.ok(numbers.index("level queue 5") < numbers.index("alone 9 \u00b7 work") < numbers.index("process 20 other"), "by number", *numbers)
    tap.ok(active[0] == "alone 9 \u00b7 work" and active[-1] == "level queue 5" and labels(browser) == WHOLE, "by activity", *active)


def check_once(tap, pages):
    """Tracks of one slice share lanes; each slice is found where it is drawn."""
    browser = pages.browser
    pages.load_text(ONCE)
    found = browser.run(DRAW + "return [p.recording.tracks.length, p.lines.length, p.height, p.lines.map((line) => line.tracks.length)];")
    tap.ok(found[0] == 40 and found[1] == 2 and found[3] == [20, 20] and labels(browser)[0] == "40 tracks used once", "they share lanes", *found)
    wrong = browser.run(
        """const p = ktrack.picture, wrong = [];
        for (const track of p.recording.tracks) {
            const one = hit(p, p.xOf((track.begin + track.end) / 2), p.topOf(track) + LANE / 2);
            if (one?.track !== track)
                wrong.push(`${track.label} is ${one?.track.label}`);
        }
        return wrong;"""
    )
    tap.nothing(wrong, "a click selects the slice of its track")
    gap = browser.run(
        """const p = ktrack.picture, lane = p.lines[0].tracks, y = p.topOf(lane[0]) + LANE / 2, at = (time) => p.context.getImageData(p.xOf(time), y, 1, 1).data.join();
        p.isAsked = true; p.draw();
        return [at((lane[0].begin + lane[0].end) / 2), at((lane[0].end + lane[1].begin) / 2), at((lane[1].begin + lane[1].end) / 2)];"""
    )
    tap.ok(gap[0] == gap[2] != gap[1] == "255,255,255,255", "one lane has slices of several tracks", *gap)


# A queue with twelve requests at a time.
CROWD = "event demo:request 100 char track_event_type; string slice_name; ktrack_async_id scope_id\n" + "".join(f"+1us 7@0 request B one {i}\n" for i in range(12))
CROWD += "".join(f'+1us 7@0 request E "" {i}\n' for i in range(12)) + "".join(f"+1us {i}@0 rest I mark\n" for i in range(20, 80))
CROWD = CROWD.replace("+1us 20@0", "event demo:rest 102 char track_event_type; string slice_name\n+1us 20@0", 1)
# The texts left of the tracks, and their heights, if the tracks are scrolled by some lanes.
SCROLLED = """const p = ktrack.picture, texts = [], draw = p.context.fillText;
p.setScroll(arguments[0] * (LANE + TRACK_GAP));
p.context.fillText = (text, x, y) => x < GUTTER - 60 && y > p.body && texts.push([text, y - p.body]);
p.draw();
p.context.fillText = draw;
return texts;"""


def check_scrolled(tap, pages):
    """The label of a track stays visible as long as one of its lanes is visible."""
    browser = pages.browser
    pages.load_text(CROWD)
    for lanes in (0, 4, 11):
        texts = browser.run(SCROLLED, lanes)
        found = [(text, y) for text, y in texts if text.startswith("request")]
        tap.ok(len(found) == 1 and found[0][1] < 2 * 17 and texts[1][0] != found[0][0], f"lanes scrolled by {lanes}", *texts[:3])
    texts = browser.run(SCROLLED, 14)
    tap.ok(not any(text.startswith("request") for text, _ in texts), "no longer", *texts[:3])


def check_renamed(tap, pages):
    """The tracks of a thread before and after it got another name share a line; a click finds the one of its time."""
    browser = pages.browser
    pages.load_text(RENAMED, "-r", "convention")
    found = browser.run(DRAW + "return [p.recording.tracks.map((one) => one.label), p.lines.map((line) => line.tracks.map((track) => track.label))];")
    tap.ok(len(found[0]) == 2 and found[1] == [found[0]], "a renamed thread has one line", *found)
    browser.click(*pages.place_of(1, 0, 35000))
    text = pages.details()
    tap.ok("b 10 µs" in text and "work tid 30 after" in text, "a click in it", text)


# Slices of four tracepoints of a thread, of which "late" crosses "outer" and "next".
JOINED = """task 7 worker 7
event demo:call 100 char track_event_type; string slice_name
event demo:io 101 char track_event_type; string slice_name
event demo:late 102 char track_event_type; string slice_name
event demo:level 103 s64 counter_value
+10us 7@0 call B outer
+10us 7@0 io B read
+2us 7@0 io I now
+18us 7@0 io E
+10us 7@0 late B late
+10us 7@0 io B write
+10us 7@0 io E
+10us 7@0 call E
+10us 7@0 call B next
+10us 7@0 late E
+10us 7@0 io B read
+10us 7@0 io E
+10us 7@0 level 1
+10us 7@0 call E
"""
# The lines, with each slice where a click on its middle finds it: [lane, name].
JOINED_LINES = """return p.lines.map((line) => [p.labelOf(line), (line.joined?.rows ?? []).map((rows, lane) => rows.flatMap((row) => row.chunks.flatMap((chunk) =>
    [...chunk.read().begin].map((begin, i) => hit(p, p.xOf((begin + chunk.items.end[i]) / 2), p.topOf(line.joined) + (lane + 0.5) * LANE)))
    .map((one) => one && nameOf(p.recording, one))))]);"""


def check_joined(tap, pages):
    """The slices of a thread are on one row, whichever track they are on, those that cross on a second one; a click finds each."""
    browser = pages.browser
    _, wrong = pages.load_text(JOINED)
    found = browser.run(DRAW + JOINED_LINES)
    # "write" is inside of "late", which the row does not draw there.
    expected = [["worker 7 \u00b7 slices", [["outer", "next"], ["read", "read"], ["write"]]], ["late (2)", [["late"]]], ["level", []]]
    tap.ok([[label, lanes and [sorted(names, key=["outer", "next", "read", "write", "late"].index) for names in lanes]] for label, lanes in found] == expected, "two rows", wrong, *found)
    drawn = browser.run("const p = ktrack.picture, one = p.recording.tracks.find(({ instants }) => instants).instants; return [p.laneOf(p.ownerOf(one), one.chunks[0].depth), one.chunks[0].depth];")
    tap.ok(drawn == [2, 2], "an instant is inside of the slices of all tracks", drawn)
    browser.search("late")
    shown = browser.run("const p = ktrack.picture, one = p.selected; return [nameOf(p.recording, one), p.ownerOf(one.row).number, one.end - one.begin];")
    tap.ok(shown == ["late", 2, 50000], "a search finds the second row", shown)
    statistics = browser.run("const r = ktrack.recording; ktrack.range.select(0, 1e9); await ktrack.range.show(); return ktrack.range.statistics.slices.map((one) => [one.name, one.count, one.total]).sort();")
    tap.ok(statistics == [["late", 1, 50000], ["next", 1, 50000], ["outer", 1, 70000], ["read", 2, 30000], ["write", 1, 10000]], "statistics are of whole slices", *statistics)
    pages.load_text(JOINED, "--rows=tracepoint")
    labels_before = browser.run(DRAW + LABELS)
    tap.ok(labels_before == ["worker 7 \u00b7 call", "io", "late", "level"], "--rows=tracepoint", *labels_before)


CGROUPS = """event demo:io 1 char track_event_type; string slice_name
event demo:all 3 u64 counter_value; pid_t scope_tgid
task 7 server 7
task 8 helper 7
task 9 web 9
task 10 base 10
task 11 shell 11
task 12 kthread 12
cgroup 7 /pod/a
cgroup 9 /pod/a
cgroup 10 /pod/b
cgroup 11 /pod/c
0    7@0 io B request
+1us 8@0 io I part
+1us 9@0 io I part
+1us 10@0 io I part
+1us 11@0 io I part
+1us 12@0 io I part
+1us 9@0 all 5 scope_tgid=11
+1us 7@0 io E
"""
NODES = """const lines = (node) => [node.label, ...node.children.map(lines)]; return ktrack.picture.tree.children.map(lines);"""


def check_cgroups(tap, pages):
    """Processes of a cgroup are below its line, unless it has one process, or all are in one."""
    browser = pages.browser
    pages.load_text(CGROUPS)
    found = browser.run(NODES)
    wanted = [["/pod/a", ["web 9"], ["process 7 server", ["server 7"], ["helper 8"]]], ["base 10"], ["kthread 12"], ["process 11 shell", ["shell 11"], ["all pid 11 shell"]]]
    tap.ok(found == wanted, "lines of cgroups", *found)
    browser.run("const p = ktrack.picture; p.filter = '/pod/b'; p.place(); p.draw();")
    found = labels(browser)
    tap.ok(len(found) == 1 and found[0] == "io tid 10 base", "a filter finds the cgroup of a line", *found)
    pages.load_text(CGROUPS.replace("/pod/b", "/pod/a").replace("/pod/c", "/pod/a").replace("+1us 12@0 io I part\n", ""))
    found = [one[0] for one in browser.run(NODES)]
    tap.ok("/pod/a" not in found and len(found) == 4, "all are in one cgroup", *found)


ID = "0123456789abcdef" * 4
# Paths as container runtimes, kubelet and systemd make them.
SHORT = {
    f"/system.slice/docker-{ID}.scope": "docker 0123456789ab",
    f"/runtime/{ID[:32]}": "container 0123456789ab",
    f"/docker/{ID}/init": "docker 0123456789ab/init",
    f"/machine.slice/libpod-{ID}.scope": "libpod 0123456789ab",
    f"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod89abcdef_1234_5678_9abc_0123456789ab.slice/cri-containerd-{ID}.scope": "pod 89abcdef \u00b7 cri-containerd 0123456789ab",
    "/kubepods/besteffort/pod89abcdef-1234-5678-9abc-0123456789ab": "pod 89abcdef",
    "/system.slice/ssh.service": "ssh.service",
    "/user.slice/user-1000.slice/session-3.scope": "session-3.scope",
    "/pod/a": "/pod/a",
    "/": "/",
}
TIP = """const p = ktrack.picture, line = p.lines.find(({ node }) => node.label === arguments[0]);
return ktrack.labelAt({ offsetX: 5, offsetY: p.body - p.scroll + line.top + 5 });"""


def check_containers(tap, pages):
    """Containers, pods and services have short names unless two are equal; the whole path is shown above them, and found."""
    browser, (path, *_) = pages.browser, SHORT
    pages.load_text(CGROUPS.replace("/pod/a", path))
    names = browser.run("return arguments[0].map(cgroupName);", list(SHORT))
    tap.ok(names == list(SHORT.values()), "short names of cgroups", *names)
    found = [one[0] for one in browser.run(NODES)]
    tap.ok(SHORT[path] in found and browser.run(TIP, SHORT[path]) == [path], "the line of a container", *found)
    other = path.replace(ID, ID[:12] + ID[::-1][:52])
    pages.load_text(CGROUPS.replace("/pod/a", path).replace("/pod/b", other).replace("cgroup 11 /pod/c", f"cgroup 11 {other}"))
    found = [one[0] for one in browser.run(NODES)]
    tap.ok(path in found and other in found, "names that two cgroups have are no names", *found)


MOVES = CGROUPS.replace("+1us 9@0 all", "+0 9@1 cgroup_attach_task dst_root=0 pid=7 dst_path=/pod/b\n+1us 8@0 io I moved\n+1us 9@0 all")
MOVES = "event cgroup:cgroup_attach_task 300 s32 dst_root; s32 pid; string dst_path\n" + MOVES + "+1us 7@0 io I moved\n+1us 9@0 io B web\n+0 9@1 cgroup_attach_task dst_root=0 pid=9 dst_path=/pod/d\n+1us 9@0 io E\n+1us 9@0 io I moved\n"


def check_moves(tap, pages):
    """A process that moves has a line in each cgroup, with what began there."""
    pages.load_text(MOVES)
    found = pages.browser.run(NODES)
    wanted = [
        ["/pod/a", ["web 9"], ["process 7 server", ["server 7"], ["helper 8"]]],
        ["/pod/b", ["base 10"], ["process 7 server", ["helper 8"], ["server 7"]]],
        ["kthread 12"],
        ["/pod/d", ["web 9"]],
        ["process 11 shell", ["shell 11"], ["all pid 11 shell"]],
    ]
    tap.ok(found == wanted, "lines of cgroups of a process that moves", *found)


CHECKS = (check_cgroups, check_containers, check_moves, check_tree, check_lines, check_filter, check_once, check_scrolled, check_renamed, check_joined)


if __name__ == "__main__":
    sys.exit(visit_pages(Tap(), CHECKS))
