// SPDX-License-Identifier: GPL-2.0-only
// The tree of tracks: machine, section, cgroup, process, thread; tracks of no thread are together by tracepoint and name.
"use strict";

// Rows of a thread that show only what the scheduler does with it, above and below its others.
const RANKS = { "sched:thread": 0, "sched:wakeup": 2, "sched:fork": 2, "sched:exec": 2, "sched:exit": 2 };
// So many threads that have no other rows are always drawn; so many tracks of one slice have lines of their own.
const IDLE_FEW = 8, SINGLES_FEW = 8;
// In a section, fewer of them are not closed.
const IDLE_LEAST = 3;
// A thread that takes this share of what all used of the CPUs is not closed.
const BUSY_SHARE = 0.1;
const SORTS = {
	meaning: (a, b) => b.used - a.used || b.ran - a.ran || a.place - b.place,
	recorded: (a, b) => a.place - b.place,
	number: (a, b) => a.number - b.number || a.place - b.place,
	name: (a, b) => a.label.localeCompare(b.label) || a.number - b.number,
	activity: (a, b) => b.activity - a.activity || a.place - b.place,
};

// The sections of a machine, in this order.
const CPU_SECTION = 0, COMMAND_SECTION = 1, PROCESS_SECTION = 2, KERNEL_SECTION = 3, DRIVER_SECTION = 4, INTERRUPT_SECTION = 5;
// So many sections have no lines of their own.
const SECTIONS_FEW = 2;
const SECTIONS = ["CPUs", "recorded command", "processes, the busiest first", "kernel threads", "drivers and devices", "interrupts and timers"];
// Rules about CPUs that are no interrupts, and names of the kernel's own threads.
const CPU_RULES = /^(sched|power|cpuhp):/, INTERRUPT_RULES = /^(irq|timers):/;
const KERNEL_THREAD = new RegExp("^((kworker|ksoftirqd|migration|cpuhp|idle_inject|rcu[a-z]*|kthreadd|kswapd|kcompactd|khugepaged|khungtaskd|ksmd|kauditd|kdevtmpfs|kdamond|oom_reaper|" +
	"kblockd|kintegrityd|jbd2|ext4|xfsaild|xfsalloc|scsi_eh|scsi_tmf|watchdogd|swapper|pool_workqueue|netns|inet_frag_wq|mm_percpu_wq|mmcqd|usb-storage|ktimersoftd|ktimers|posixcputmr|" +
	"kschedfreq|sugov|kmpath|kdmflush|kcryptd|cryptd|dmcrypt_write|dm_bufio_cache|raid5wq|ata_sff|acpi_thermal_pm|charger_manager|devfreq_wq|edac-poller|hwrng|psimon|slub_flushwq|" +
	"tpm_dev_wq|writeback|zswap|nfsd|mld|ipv6_addrconf)([\\d/:_\\-+.]|$)" +
	// Names that begin as those of programs do, such as md5sum, xfs_repair and btrfs-convert.
	"|md(\\d+_|_|$)|loop\\d+$|(irq|watchdog|xfs-\\w+)/|xfs_mru_cache|nvme-\\w+(-\\w+)*-wq$|kvm-(nx|pit)|btrfs-(cache|cleaner|delalloc|endio|fixup|flush|qgroup|rmw|scrub|transac|worker))");

function rankOf({ identity }) {
	return RANKS[identity.tracepoint] ?? 1;
}

// All lanes of a track have the same key.
function laneKeyOf({ identity }) {
	return JSON.stringify({ ...identity, lane: identity.lane > 0 });
}

function groupKeyOf({ identity }) {
	if (identity.scope === "thread")
		return JSON.stringify([identity.host, identity.id, identity.cpu, identity.cgroup]);
	// Those of a process are below it.
	return JSON.stringify([identity.host, identity.tracepoint, identity.name, ...(identity.scope === "process" ? [identity.id, identity.cgroup] : [])]);
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
	const laneOf = (track) => track.identity.lane ?? 0, cpuOf = ({ identity: { scope, id } }) => scope === "cpu" ? id : 0;
	return group.sort((a, b) => rankOf(a) - rankOf(b) || cpuOf(a) - cpuOf(b) || places.get(a) - places.get(b) || laneOf(a) - laneOf(b));
}

function sumOf(row, of) {
	return row ? row.chunks.reduce((all, chunk) => all + of(chunk), 0) : 0;
}

// How long the slices of a track last together, without states.
function busyOf(track) {
	return track.identity.tracepoint === STATE_TRACKS ? 0 : outerOf(track).reduce((sum, row) => sum + sumOf(row, ({ busy }) => busy), 0);
}

// The same; instants and samples count as one nanosecond.
function activityOf(track) {
	const count = ({ count }) => count;
	return busyOf(track) + sumOf(track.instants, count) + sumOf(track.samples, count);
}

// Whether a track of no thread has one slice, and what is in it.
function isSingle(track) {
	const chunks = track.rows[0]?.chunks;
	return track.identity.scope !== "thread" && !track.samples && chunks?.length === 1 && chunks[0].count === 1 && !track.identity.lane;
}

// A line of the tree: `tracks` of a thread or a tracepoint, or `children`. Lines with `lanes` share them between tracks of one slice.
class TreeNode {
	constructor(kind, label, tracks = []) {
		Object.assign(this, { kind, label, tracks, children: [], parent: null, isOpen: true, isHidden: false, isPinned: false, order: null, lanes: null, rank: 0, used: 0, path: null });
		this.place = tracks.reduce((least, { number }) => Math.min(least, number), Infinity);
		this.number = tracks[0]?.identity.id ?? 0;
		this.activity = tracks.reduce((sum, track) => sum + activityOf(track), 0);
		this.ran = tracks.reduce((sum, track) => sum + (isIdleState(track) ? 0 : track.ran), 0);
	}

	// The number of its first track names a line in the fragment of the page's address.
	get key() {
		return `${this.kind[0]}${this.place}`;
	}

	get isThread() {
		return this.kind === "thread";
	}

	adopt(child) {
		child.parent = this;
		this.children.push(child);
		this.place = Math.min(this.place, child.place);
		this.activity += child.activity;
		this.used = Math.max(this.used, child.used);
		this.ran += child.ran;
	}

	get all() {
		return [this, ...this.children.flatMap((child) => child.all)];
	}

	get allTracks() {
		return [...this.tracks, ...this.children.flatMap((child) => child.allTracks)];
	}

	// Whether its texts have all words, and none of those after "-".
	matches(words) {
		const text = [this.label, this.path ?? "", ...this.tracks.flatMap(({ label, identity }) => [label, identity.tracepoint, identity.cgroup ?? ""])].join(" ").toLowerCase();
		return words.every((word) => word[0] === "-" && word.length > 1 ? !text.includes(word.slice(1)) : text.includes(word));
	}
}

// The short name of a cgroup: of a container the first digits of its id, of a pod likewise, of a service or a session its own. Other
// paths are whole.
function cgroupName(path) {
	const [, folder, kind, id, rest] = /(?:([\w-]+)\/)?(?:([\w-]+?)[-:])?([0-9a-f]{32,64})(?:\.scope)?(\/.*)?$/.exec(path) ?? [], [, pod] = /pod([0-9a-f]{8})[0-9a-f_-]{4,}(?:\.slice)?(?:\/|$)/.exec(path) ?? [];
	const [unit] = /[^/]+\.(service|scope|socket|mount)$/.exec(path) ?? [], own = id ? `${kind ?? (folder === "docker" ? folder : "container")} ${id.slice(0, 12)}${rest ?? ""}` : unit;
	return [pod && `pod ${pod}`, own].filter((part) => part).join(" \u00b7 ") || path;
}

function groupNode(group) {
	const { identity, label } = group[0], isThread = identity.scope === "thread";
	const comm = group.map((track) => track.identity.comm).findLast((one) => one) ?? "thread";
	const node = new TreeNode(isThread ? "thread" : "group", isThread && identity.id !== undefined ? `${comm} ${identity.id}` : label, group);
	const ranked = group.find((track) => rankOf(track) === 1);
	node.place = (ranked ?? group[0]).number;
	node.isIdle = isThread && !ranked;
	node.tgid = group.map((track) => track.identity.tgid).find((one) => one) ?? (identity.scope === "process" ? identity.id : undefined);
	node.cgroup = group.findLast((track) => track.identity.cgroup)?.identity.cgroup;
	return node;
}

// A row of a thread: the slices of several tracks by lanes, of which those without slices are left out, and on the first
// row its states above them, and the instants of `joints`. It has what a track has as far as it is drawn.
class Joined {
	constructor(tracks, number) {
		const lanes = new Map();
		Object.assign(this, { joints: number === 1 ? tracks : [], number, first: 0, top: -Infinity, height: 0, isPinned: false });
		for (const row of tracks.flatMap((track) => track.rows)) {
			const isState = row.track.identity.tracepoint === STATE_TRACKS;
			if (isState ? number === 1 : row.line === number)
				appendTo(lanes, isState ? -1 : row.lane, row);
		}
		this.rows = [...lanes].sort(([a], [b]) => a - b).map(([, rows]) => rows);
		for (const row of [...this.rows.flat(), ...this.joints.map(({ instants }) => instants)])
			if (row)
				row.joined = this;
	}
}

// The rows of a thread: the second one and further ones have slices that cross those of the first.
function joinedLines(tracks) {
	const numbers = new Set([1, ...tracks.flatMap((track) => track.joins ? track.rows.map(({ line }) => line) : [])]);
	return [...numbers].sort((a, b) => a - b).map((number) => ({ number, tracks: tracks.filter((track) => number === 1 || track.rows.some(({ line }) => line === number)) }));
}

// The tracks of each line: those that join rows of their thread, and those of a thread before and after its name changed
// share one if they follow each other.
function sharedLines(tracks) {
	const hasJoints = tracks.some(({ joins }) => joins), isOnRow = ({ joins, identity: { tracepoint, scope } }) => joins || (hasJoints && tracepoint === STATE_TRACKS && scope === "thread");
	const lines = [], byKey = new Map(), joints = tracks.filter(isOnRow);
	for (const track of tracks) {
		if (track === joints[0])
			lines.push(...joinedLines(joints));
		if (isOnRow(track))
			continue;
		const key = JSON.stringify({ ...track.identity, comm: "", tgid: 0 }), line = byKey.get(key);
		if (track.identity.scope === "thread" && line && line.at(-1).end <= track.begin) {
			line.push(track);
			continue;
		}
		lines.push({ number: 0, tracks: [track] });
		byKey.set(key, lines.at(-1).tracks);
	}
	return lines;
}

// Tracks with one slice each, of the same tracepoint, share lanes: one begins after the one before it ended.
function singlesNode(tracks) {
	const node = new TreeNode("singles", `${tracks.length} tracks used once`, tracks), lanes = [];
	for (const track of [...tracks].sort((a, b) => a.begin - b.begin)) {
		const lane = lanes.find(({ end }) => end < track.begin) ?? lanes[lanes.push({ tracks: [], end: -Infinity }) - 1];
		lane.tracks.push(track);
		lane.end = track.end;
	}
	node.lanes = lanes;
	return node;
}

function appendTo(lists, key, one) {
	if (!lists.has(key))
		lists.set(key, []);
	lists.get(key).push(one);
}

function groupsOf(tracks) {
	const groups = new Map(), singles = new Map();
	const keyOf = ({ identity }) => JSON.stringify([identity.host, identity.tracepoint]);
	for (const track of tracks.filter(isSingle))
		appendTo(singles, keyOf(track), track);
	const isShared = (track) => isSingle(track) && singles.get(keyOf(track)).length > SINGLES_FEW;
	for (const track of tracks)
		if (!isShared(track))
			appendTo(groups, groupKeyOf(track), track);
	return [...[...groups.values()].map((group) => groupNode(sortGroup(group))), ...[...singles.values()].filter((list) => list.length > SINGLES_FEW).map(singlesNode)];
}

// Processes with several threads are lines of their own, in each cgroup that they were in.
function processNodes(nodes) {
	const processes = new Map(), result = [], keyOf = ({ tgid, cgroup }) => JSON.stringify([tgid, cgroup]);
	for (const node of nodes)
		if (node.tgid !== undefined)
			appendTo(processes, keyOf(node), node);
	for (const node of nodes)
		if (node.tgid === undefined || processes.get(keyOf(node)).length === 1)
			result.push(node);
	for (const threads of processes.values())
		if (threads.length > 1) {
			const { tgid } = threads[0];
			const main = threads.find(({ tracks }) => tracks[0].identity.id === tgid) ?? threads[0];
			const process = new TreeNode("process", `process ${tgid} ${main.tracks.findLast((track) => track.identity.comm)?.identity.comm ?? ""}`.trim());
			process.number = process.tgid = tgid;
			process.cgroup = main.cgroup;
			threads.forEach((thread) => process.adopt(thread));
			result.push(process);
		}
	return result;
}

// Containers and services with several processes, or one that moves, are lines of their own, unless all are in one.
function cgroupNodes(nodes) {
	const paths = new Map(), pathsOf = new Map(), isAll = nodes.every(({ cgroup }) => cgroup === nodes[0].cgroup);
	for (const node of nodes) {
		appendTo(paths, node.cgroup, node);
		if (node.tgid !== undefined)
			appendTo(pathsOf, node.tgid, node.cgroup);
	}
	if (isAll)
		return nodes;
	const moves = ({ tgid, cgroup }) => pathsOf.get(tgid)?.some((path) => path !== cgroup);
	const names = [...paths.keys()].map((path) => cgroupName(path ?? ""));
	return [...paths].flatMap(([path, list], i) => {
		if (path === undefined || (list.length === 1 && !moves(list[0])))
			return list;
		// Names that two have are no names.
		const isOwn = names.indexOf(names[i]) === names.lastIndexOf(names[i]), cgroup = Object.assign(new TreeNode("cgroup", isOwn ? names[i] : path), { path });
		list.forEach((node) => cgroup.adopt(node));
		cgroup.number = list.reduce((least, { number }) => Math.min(least, number), Infinity);
		return cgroup;
	});
}

// The process of the recorded command: the recording has its number, its end is recorded, or its thread was ktrack's until it executed the command; null if unknown.
function commandOf(tracks, { marks = [], about }) {
	if (about?.command_pid)
		return Number(about.command_pid);
	const ended = marks.map(({ text }) => /^end of process (\d+)/.exec(text)?.[1]).find((pid) => pid);
	const isChild = ({ identity: { scope, comm, id, tgid } }) => scope === "thread" && comm === "ktrack" && (tgid ?? id) === id;
	const became = tracks.filter(isChild).find(({ identity: { id } }) => tracks.some(({ identity }) => identity.scope === "thread" && identity.id === id && identity.comm !== "ktrack"));
	return ended ? Number(ended) : became?.identity.id ?? null;
}

// The processes that a process and its children forked, with it; empty without one.
function familyOf(tracks, names, pid) {
	const forks = new Map(), family = new Set(pid === null ? [] : [pid]);
	for (const track of tracks)
		if (track.identity.tracepoint === "sched:fork" && track.instants)
			appendTo(forks, track.identity.tgid ?? track.identity.id, track);
	// Those that are added meanwhile are visited, too.
	for (const parent of family)
		for (const name of (forks.get(parent) ?? []).flatMap(({ instants }) => instants.chunks.flatMap((chunk) => [...chunk.read().name])))
			family.add(Number(/(\d+)$/.exec(names[name])?.[1] ?? parent));
	return family;
}

// The process of a line.
function processOf(node) {
	return node.tgid ?? node.number;
}

// Whether a line of a process tells that it is none of the kernel.
function isProgram({ tgid, number, tracks, cgroup = "/" }) {
	return cgroup !== "/" || (tgid ?? number) !== number || tracks.some(({ identity }) => identity.tracepoint === "syscalls:call" || identity.tracepoint === "sched:exec");
}

// The kernel's own threads among the lines of processes, as processes: all that is known of them looks like that.
function kernelOf(groups) {
	const isKernel = new Map();
	for (const node of groups.filter(({ tracks: [{ identity }] }) => identity.scope === "thread" || identity.scope === "process")) {
		const comm = node.tracks.findLast(({ identity }) => identity.comm)?.identity.comm, looks = !isProgram(node) && (!comm || KERNEL_THREAD.test(comm));
		if (comm || !looks)
			isKernel.set(processOf(node), looks && (isKernel.get(processOf(node)) ?? true));
	}
	return isKernel;
}

// The section of a line: by its process, or by its rule.
function sectionOf(node, family, isKernel) {
	const [{ identity: { scope, tracepoint } }] = node.tracks;
	if (scope !== "thread" && scope !== "process")
		return scope === "cpu" && INTERRUPT_RULES.test(tracepoint) ? INTERRUPT_SECTION : scope === "cpu" && CPU_RULES.test(tracepoint) ? CPU_SECTION : DRIVER_SECTION;
	if (family.has(processOf(node)))
		return COMMAND_SECTION;
	return isKernel.get(processOf(node)) ? KERNEL_SECTION : PROCESS_SECTION;
}

// The lines of a section; threads of which only states are known are closed if there are many.
function sectionNodes(groups, isWorth) {
	const idle = isWorth ? groups.filter((node) => node.isIdle) : [], isShown = (node) => idle.length < IDLE_LEAST || !node.isIdle;
	const nodes = cgroupNodes(processNodes(groups.filter(isShown)));
	if (idle.length < IDLE_LEAST)
		return nodes;
	const rest = new TreeNode("idle", `${counted(idle.length, "thread")} with nothing but states`);
	idle.forEach((node) => rest.adopt(node));
	rest.isOpen = false;
	return [...nodes, rest];
}

// The lines of a machine, in sections if it has more than two.
function machineNode(host, tracks, recording) {
	const machine = new TreeNode("machine", host ? `machine ${host}` : ""), groups = groupsOf(tracks), sections = new Map(), { overview, names } = recording, family = familyOf(tracks, names, commandOf(tracks, recording)), isKernel = kernelOf(groups);
	groups.filter(({ ran }) => ran > BUSY_SHARE * overview?.running_ns).forEach((group) => group.isIdle = false);
	const nrIdle = groups.filter((node) => node.isIdle).length, isWorth = nrIdle > IDLE_FEW && groups.some((node) => !node.isIdle && node.tracks.some((track) => track.identity.tracepoint === STATE_TRACKS));
	const used = new Map((overview?.processes ?? []).map(({ pid, running_ns }) => [pid, running_ns]));
	for (const group of groups) {
		group.used = group.isThread ? used.get(processOf(group)) ?? 0 : 0;
		appendTo(sections, sectionOf(group, family, isKernel), group);
	}
	if (sections.size <= SECTIONS_FEW)
		sectionNodes(groups, isWorth).forEach((node) => machine.adopt(node));
	for (const [rank, list] of sections.size > SECTIONS_FEW ? sections : []) {
		const section = Object.assign(new TreeNode("area", SECTIONS[rank]), { rank });
		sectionNodes(list, isWorth).forEach((node) => section.adopt(node));
		machine.adopt(section);
	}
	return machine;
}

function treeOf(tracks, recording = {}) {
	const hosts = new Map(), root = new TreeNode("root", "");
	for (const track of tracks)
		appendTo(hosts, track.identity.host ?? "", track);
	// Marks and numbers of processes do not say of which machine they are.
	const { overview, names } = recording, machines = [...hosts].map(([host, list]) => machineNode(host, list, hosts.size === 1 ? recording : { overview, names }));
	(machines.length > 1 ? machines : machines[0]?.children ?? []).forEach((node) => root.adopt(node));
	return root;
}
