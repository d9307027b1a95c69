# SPDX-License-Identifier: GPL-2.0-only
"""A strict reader of Fuchsia's trace format, and what a file shows.

It accepts the records that the page "Fuchsia trace format" of fuchsia.dev describes, as far as ktrack writes them: metadata of a
provider and of its section, initialization, strings, threads, events, kernel objects and scheduling. It refuses whatever the page does
not allow: reserved bits that are set, sizes that differ from what a record has, padding that is not zero, references to strings and
threads that no record registered, text that is not UTF-8, and records of other types. compare() and read_rows() refuse what
ktrack-outputs(7) does not list, such as the end of a flow.
"""

import struct
from collections import Counter, defaultdict

from model import FLOW, MARKS, Track, differences, leave_out_deep, losses_of, plain, points_of, read_event, sample_text
from rows import Rows, event_totals

MAGIC = 0x0016547846040010
WORD = 8
METADATA, INITIALIZATION, STRING, THREAD, EVENT, KERNEL_OBJECT, SCHEDULING = 0, 1, 2, 3, 4, 7, 8
EVENTS = ("instant", "counter", "begin", "end", "complete", "async begin", "async instant", "async end", "flow begin", "flow step", "flow end")
HAS_WORD = ("counter", "complete", "async begin", "async instant", "async end", "flow begin", "flow step", "flow end")
STATES = ("new", "running", "suspended", "blocked", "dying", "dead")
OBJECTS = {1: "process", 2: "thread"}
IDLE_WEIGHT = -(1 << 31)
TICKS_PER_SECOND = 1000000000
LINUX_PIDS, MACHINE_KOIDS, OWN_KOIDS, KOIDS_END = 1 << 22, 1 << 23, 1 << 30, 1 << 32
STATES_OF_THREADS = "sched:thread"


class Words:
    """The words of a record, taken from the front."""

    def __init__(self, data, offset):
        self.data, self.offset, self.at = data, offset, 0

    def wrong(self, problem):
        """An exception about the record."""
        return ValueError(f"record at {self.offset}: {problem}")

    def take(self, size=WORD):
        """So many bytes."""
        if self.at + size > len(self.data):
            raise self.wrong("it ends early")
        self.at += size
        return self.data[self.at - size : self.at]

    def word(self):
        """The next word."""
        return int.from_bytes(self.take(), "little")

    def stream(self, size):
        """Bytes, with zeros up to a whole word."""
        padded = self.take((size + WORD - 1) // WORD * WORD)
        if any(padded[size:]):
            raise self.wrong("padding is not zero")
        return padded[:size]

    def text(self, size):
        """A string."""
        try:
            return self.stream(size).decode()
        except UnicodeDecodeError as problem:
            raise self.wrong(problem) from problem

    def fields(self, word, *sizes):
        """The fields of a word from its lowest bit; a negative size is reserved bits, and 64 bits in all."""
        found, at = [], 0
        if sum(map(abs, sizes)) != 64:
            raise AssertionError(sizes)
        for size in sizes:
            value = word >> at & (1 << abs(size)) - 1
            at += abs(size)
            if size > 0:
                found.append(value)
            elif value:
                raise self.wrong(f"reserved bits {at + size} to {at - 1} are {value:#x}")
        return found


class Provider:
    """What later records of a provider refer to."""

    def __init__(self, name):
        self.name, self.ticks, self.strings, self.threads = name, None, {}, {}


class Reader:
    """The records of an archive, in their order: (kind, what it has as a dictionary)."""

    def __init__(self, data, may_be_cut=False):
        self.data, self.may_be_cut = data, may_be_cut
        self.providers, self.current, self.rest = {}, None, b""

    def records(self):
        """All of them; the rest of a file that is cut is in self.rest."""
        if len(self.data) < WORD or int.from_bytes(self.data[:WORD], "little") != MAGIC:
            raise ValueError("no magic number")
        yield "magic", {}
        offset = WORD
        while offset < len(self.data):
            header = int.from_bytes(self.data[offset : offset + WORD], "little")
            size = (header >> 4 & 0xFFF) * WORD
            if offset + WORD > len(self.data) or offset + size > len(self.data):
                self.rest = self.data[offset:]
                if self.may_be_cut:
                    return
                raise ValueError(f"record at {offset}: the file ends in it")
            if size == 0:
                raise ValueError(f"record at {offset}: no size")
            words = Words(self.data[offset : offset + size], offset)
            words.word()
            yield self.read(words, header)
            if words.at != size:
                raise words.wrong(f"{size - words.at} bytes more than it has")
            offset += size

    def read(self, words, header):
        """One record."""
        kind = header & 0xF
        parsers = {METADATA: self.metadata, INITIALIZATION: self.initialization, STRING: self.string, THREAD: self.thread}
        parsers |= {EVENT: self.event, KERNEL_OBJECT: self.kernel_object, SCHEDULING: self.scheduling}
        if kind not in parsers:
            raise words.wrong(f"type {kind}")
        if kind != METADATA and not self.current:
            raise words.wrong("it precedes every provider")
        return parsers[kind](words, header)

    def metadata(self, words, header):
        """A provider, or where its records begin."""
        kind = words.fields(header, 4, 12, 4, 44)[2]
        if kind == 1:
            number, size = words.fields(header, 4, 12, 4, 32, 8, -4)[3:]
            self.current = self.providers[number] = Provider(words.text(size))
            return "provider", {"id": number, "name": self.current.name}
        if kind == 2:
            (number,) = words.fields(header, 4, 12, 4, 32, -12)[3:]
            if number not in self.providers:
                raise words.wrong(f"provider {number} is unknown")
            self.current = self.providers[number]
            return "section", {"id": number}
        raise words.wrong(f"metadata of type {kind}")

    def initialization(self, words, header):
        """How many ticks a second has."""
        words.fields(header, 4, 12, -48)
        if self.current.ticks:
            raise words.wrong("a second initialization")
        self.current.ticks = words.word()
        return "initialization", {"ticks": self.current.ticks}

    def string(self, words, header):
        """A string of the table."""
        index, size = words.fields(header, 4, 12, 15, -1, 15, -1, -16)[2:]
        if index == 0 or size == 0:
            raise words.wrong("the empty string is registered")
        self.current.strings[index] = words.text(size)
        return "string", {"index": index, "text": self.current.strings[index]}

    def thread(self, words, header):
        """A thread of the table."""
        (index,) = words.fields(header, 4, 12, 8, -40)[2:]
        if index == 0:
            raise words.wrong("thread 0 is registered")
        self.current.threads[index] = (words.word(), words.word())
        return "thread", {"index": index, "place": self.current.threads[index]}

    def text_of(self, words, ref):
        """The string of a reference."""
        if ref & 0x8000:
            if ref == 0x8000:
                raise words.wrong("an inline string without a byte")
            return words.text(ref & 0x7FFF)
        if ref and ref not in self.current.strings:
            raise words.wrong(f"string {ref} is not registered")
        return self.current.strings[ref] if ref else ""

    def argument(self, words):
        """(name, (type, value))."""
        begin, header = words.at, words.word()
        kind, size, ref, value = words.fields(header, 4, 12, 16, 32)
        name = self.text_of(words, ref)
        if kind == 0:
            found = words.fields(header, 4, 12, 16, -32) and ("null", None)
        elif kind == 1:
            found = "int32", value - (value >> 31 << 32)
        elif kind == 2:
            found = "uint32", value
        elif kind == 6:
            found = "string", self.text_of(words, words.fields(header, 4, 12, 16, 16, -16)[3])
        elif kind == 9:
            found = "bool", bool(words.fields(header, 4, 12, 16, 1, -31)[3])
        elif kind in (3, 4, 5, 7, 8):
            words.fields(header, 4, 12, 16, -32)
            form, word = {3: ("int64", "<q"), 4: ("uint64", "<Q"), 5: ("double", "<d"), 7: ("pointer", "<Q"), 8: ("koid", "<Q")}[kind]
            found = form, struct.unpack(word, words.take())[0]
        else:
            raise words.wrong(f"an argument of type {kind}")
        if words.at - begin != size * WORD:
            raise words.wrong(f"argument {name} has {words.at - begin} bytes, not {size * WORD}")
        return name, found

    def arguments(self, words, number):
        """So many, whose names differ."""
        found = [self.argument(words) for _ in range(number)]
        if len(dict(found)) != number:
            raise words.wrong(f"arguments of one name: {found}")
        return dict(found)

    def event(self, words, header):
        """An event."""
        kind, nr_args, thread, category, name = words.fields(header, 4, 12, 4, 4, 8, 16, 16)[2:]
        if kind >= len(EVENTS):
            raise words.wrong(f"an event of type {kind}")
        if not self.current.ticks:
            raise words.wrong("no initialization precedes it")
        found = {"kind": EVENTS[kind], "time": words.word()}
        if thread and thread not in self.current.threads:
            raise words.wrong(f"thread {thread} is not registered")
        found["place"] = self.current.threads[thread] if thread else (words.word(), words.word())
        found |= {"is_inline": not thread, "category": self.text_of(words, category), "name": self.text_of(words, name)}
        found["args"] = self.arguments(words, nr_args)
        if found["kind"] in HAS_WORD:
            found["word"] = words.word()
        return "event", found

    def kernel_object(self, words, header):
        """The name of a process or a thread."""
        kind, name, nr_args = words.fields(header, 4, 12, 8, 16, 4, -20)[2:]
        if kind not in OBJECTS:
            raise words.wrong(f"an object of type {kind}")
        found = {"kind": OBJECTS[kind], "koid": words.word(), "name": self.text_of(words, name)}
        found["args"] = self.arguments(words, nr_args)
        if found["kind"] == "thread" and found["args"].get("process", ("",))[0] != "koid":
            raise words.wrong("a thread without its process")
        return "object", found

    def scheduling(self, words, header):
        """A context switch, or a thread that is woken."""
        kind = header >> 60
        if kind == 1:
            nr_args, cpu, state = words.fields(header, 4, 12, 4, 16, 4, -20, 4)[2:5]
            if state >= len(STATES):
                raise words.wrong(f"state {state}")
            found = {"cpu": cpu, "state": STATES[state], "time": words.word(), "out": words.word(), "in": words.word()}
        elif kind == 2:
            nr_args, cpu = words.fields(header, 4, 12, 4, 16, -24, 4)[2:4]
            found = {"cpu": cpu, "time": words.word(), "thread": words.word()}
        else:
            raise words.wrong(f"a scheduling record of type {kind}")
        found["args"] = self.arguments(words, nr_args)
        return "switch" if kind == 1 else "wakeup", found


def file_text(data):
    """A file as text, a line for each record."""
    lines = []
    for kind, found in Reader(data).records():
        args = "".join(f" {name}={value!r}:{form}" for name, (form, value) in found.pop("args", {}).items())
        lines.append(f"{kind} {' '.join(f'{name}={value!r}' for name, value in found.items())}".rstrip() + (f" |{args}" if args else ""))
    return "\n".join(lines) + "\n"


def value_of(found):
    """The value of an argument as JSON has it in the other outputs."""
    form, value = found
    if form in ("int32", "uint32", "int64", "uint64") and abs(value) > 1 << 53:
        return str(value)
    return plain(value)


def split_args(event):
    """(fields of the record, marks, how many have no place) of an event."""
    args = {name: value_of(found) for name, found in event["args"].items()}
    more = args.pop("ktrack:more", 0)
    if more and (len(args) != 14 or list(event["args"])[-1] != "ktrack:more"):
        raise ValueError(f"{event} counts what would have a place")
    marks = [mark for mark in MARKS if args.pop(f"ktrack:{mark}", None)]
    if event["kind"] in ("end", "async end"):
        own = [name for name in args if not name.startswith(("end:", "ktrack:"))]
        if own:
            raise ValueError(f"{event}: {own} would replace what the begin says")
        args = {name.removeprefix("end:"): value for name, value in args.items()}
    if FLOW in args:
        args[FLOW] = args[FLOW].split(" ")
    return args, marks, more


class File:
    """What a file of ktrack's has: names, events by thread, scheduling; and what no file of ktrack's may have."""

    def __init__(self, data):
        self.reader = Reader(data)
        self.processes, self.threads = {}, {}
        self.events, self.flows, self.states, self.losses = [], [], defaultdict(list), Counter()
        self.names = []  # (index of the next event, koid, name) of own threads that are no idle tasks
        self.about, self.own = [], []
        self.open, self.flow_ids, self.last_ns = defaultdict(list), set(), 0
        self.registered = Counter()
        for kind, found in self.reader.records():
            getattr(self, f"read_{kind}", lambda found: None)(found)
        scheduled = {koid for koid in self.threads if self.key_of(koid) in self.states}
        self.names = [one for one in self.names if one[1] not in scheduled]
        left = {koid: stack for koid, stack in self.open.items() if stack and koid != self.own_thread}
        if left:
            raise ValueError(f"slices have no end: {left}")

    def read_initialization(self, found):
        """Times are nanoseconds."""
        if found["ticks"] != TICKS_PER_SECOND:
            raise ValueError(f"{found['ticks']} ticks per second")

    def read_string(self, found):
        """Each string is registered once."""
        self.registered["strings"] += 1
        if found["index"] != self.registered["strings"]:
            raise ValueError(f"{found} is the string {self.registered['strings']}")

    def read_thread(self, found):
        """Each index is registered once, for a thread that has a name."""
        self.registered["threads"] += 1
        if found["index"] != self.registered["threads"]:
            raise ValueError(f"{found} is the thread {self.registered['threads']}")
        self.check_place(found["place"])

    def read_object(self, found):
        """A name; the first ones are ktrack's own."""
        koid, name = found["koid"], found["name"]
        if not 0 < koid < KOIDS_END:
            raise ValueError(f"{found}: its number is beyond the limits")
        if found["kind"] == "process":
            if not self.processes:
                self.own_process = koid
            self.processes[koid] = name
            return
        process = found["args"]["process"][1]
        if process not in self.processes:
            raise ValueError(f"{found}: its process has no name")
        if not self.threads:
            self.own_thread = koid
        self.threads[koid] = (process, name)
        if koid >= OWN_KOIDS and process != self.own_process:
            self.names.append((len(self.events), koid, name))

    def check_place(self, place):
        """Both have names."""
        process, koid = place
        if process not in self.processes or koid not in self.threads:
            raise ValueError(f"{place} have no names")

    def check_time(self, time):
        """Records are in the order of time."""
        if time < self.last_ns or time >= 1 << 63:
            raise ValueError(f"{time} follows {self.last_ns}")
        self.last_ns = time

    def read_event(self, event):
        """An event: on a track, or ktrack's own."""
        kind, (process, koid) = event["kind"], event["place"]
        self.check_place(event["place"])
        if kind == "complete":
            if process != self.own_process or event["word"] < event["time"]:
                raise ValueError(f"{event} is no loss")
            self.losses[event["name"]] += 1
            self.own.append(event)
            return
        self.check_time(event["time"])
        if process == self.own_process:
            (self.about if event["name"] == "ktrack" else self.own).append(event)
        elif kind.startswith("flow"):
            self.read_flow(event)
        else:
            self.nest(event, koid)
            self.events.append(event)

    def nest(self, event, koid):
        """An end is that of the innermost slice."""
        kind, stack, what = event["kind"], self.open[koid], (event["category"], event["name"], event["kind"].removesuffix("begin"))
        if kind.endswith("begin"):
            stack.append(what)
        elif kind.endswith("end") and (not stack or stack.pop() != (*what[:2], kind.removesuffix("end"))):
            raise ValueError(f"{event} ends another slice")
        if "word" in event and event["word"] != koid:
            raise ValueError(f"{event} has another id")

    def read_flow(self, event):
        """The first point begins a flow; ktrack ends none."""
        key = event["word"]
        if event["kind"] != ("flow step" if key in self.flow_ids else "flow begin") or event["category"] != "flow" or event["args"]:
            raise ValueError(f"{event} of a flow")
        self.flow_ids.add(key)
        self.flows.append((len(self.events), event))

    def key_of(self, koid):
        """A thread, as identities name it: (machine, tid or name)."""
        if koid not in self.threads:
            raise ValueError(f"thread {koid} has no name")
        process, name = self.threads[koid]
        if koid < OWN_KOIDS:
            return koid // MACHINE_KOIDS, koid % MACHINE_KOIDS
        return process - OWN_KOIDS, name

    def check_weight(self, found, name, is_hidden):
        """Idle tasks, and threads that are not known, have a weight that hides them."""
        weight = found["args"].get(name)
        if weight != (("int32", IDLE_WEIGHT) if is_hidden else None):
            raise ValueError(f"{found}: {name} is {weight}")

    def is_hidden(self, koid):
        """Whether it is none, or idle."""
        return koid == 0 or self.threads[koid][1].startswith("swapper/")

    def read_switch(self, found):
        """Two threads change their states."""
        self.check_time(found["time"])
        if not found["out"] and not found["in"]:
            raise ValueError(f"{found} of no thread")
        self.check_weight(found, "outgoing_weight", self.is_hidden(found["out"]))
        self.check_weight(found, "incoming_weight", self.is_hidden(found["in"]))
        if found["out"]:
            self.states[self.key_of(found["out"])].append((found["time"], found["args"]["ktrack:state"][1], found["state"]))
        if found["in"]:
            self.states[self.key_of(found["in"])].append((found["time"], "Running", "running"))

    def read_wakeup(self, found):
        """A thread may run."""
        self.check_time(found["time"])
        self.check_weight(found, "weight", self.is_hidden(found["thread"]))
        waker = found["args"].get("waker")
        if waker and (waker[0] != "koid" or not 0 < waker[1] < OWN_KOIDS):
            raise ValueError(f"{found}: the waker is {waker}")
        self.states[self.key_of(found["thread"])].append((found["time"], "Runnable", "running"))


def tracks_of(file, start_ns):
    """The tracks of a file with a thread for each: every name begins one."""
    tracks, numbers, names = {}, {}, file.names[::-1]
    for index in range(len(file.events) + 1):
        while names and names[-1][0] == index:
            _, koid, name = names.pop()
            numbers[koid] = len(tracks) + 1
            tracks[numbers[koid]] = Track(name)
        if index < len(file.events):
            read_track_event(tracks[numbers[file.events[index]["place"][1]]], file.events[index], start_ns)
            file.events[index]["track"] = numbers[file.events[index]["place"][1]]
    return tracks, numbers


def read_track_event(track, event, start_ns):
    """One event of a track."""
    kind, time_ns = event["kind"].removeprefix("async "), event["time"] - start_ns
    if track.category not in (None, event["category"]):
        raise ValueError(f"{event} is on the track of {track.category}")
    track.category = event["category"]
    if kind == "counter":
        if list(event["args"]) != ["value"] or event["name"] != track.label:
            raise ValueError(f"{event} of {track.label}")
        track.samples.append((time_ns, sample_text(event["args"]["value"][1])))
        return
    args, marks, more = split_args(event)
    if kind == "begin":
        track.begin(time_ns, event["name"], args)
        track.stack[-1].append(more)
    elif kind == "end":
        one = track.stack[-1]
        track.end(time_ns, args, marks)
        one.append(more)
    else:
        track.instants.append((time_ns, event["name"], args, more))


def shorten(args, found, more):
    """What a file has of arguments, if the others are counted."""
    if more and len(args) == len(found) + more:
        return {name: value for name, value in args.items() if name in found}
    return args


def align(expected, found):
    """Leaves out of the tracks of EVENT what has no place in a file, and the counts of that."""
    for number in set(expected) & set(found):
        one, other = expected[number], found[number]
        if not (other.slices or other.instants or other.samples):
            other.category = one.category
        for before, behind in zip(one.slices, other.slices):
            more = behind[7:]
            del behind[7:]
            before[3] = shorten(before[3], behind[3], more[0])
            before[4] = shorten(before[4], behind[4], more[-1])
        one.instants = [(*each[:2], shorten(each[2], got[2], got[3])) for each, got in zip(one.instants, other.instants)] + one.instants[len(other.instants) :]
        other.instants = [each[:3] for each in other.instants]


def is_thread_state(track):
    """Whether a track of EVENT is one of the scheduler's records."""
    identity = track.identity
    return identity["tracepoint"] == STATES_OF_THREADS and identity["scope"] == "thread" and identity["kind"] == "slice" and "outer" not in identity


def reduced(name):
    """The state of the format for one of ktrack's."""
    if name in ("Running", "Runnable") or name[:1] == "R":
        return "running"
    return {"T": "suspended", "t": "suspended", "Z": "dying", "X": "dead"}.get(name[:1], "blocked")


def event_states(tracks, machines):
    """The states of threads in EVENT, in the order of their begins; a thread that stops without another state is dead."""
    slices, found = defaultdict(list), defaultdict(list)
    for track in tracks:
        identity = track.identity
        tid = identity["id"]
        name = tid if 0 < tid <= LINUX_PIDS else f"swapper/{identity['cpu']}" if "cpu" in identity else f"{identity.get('comm') or 'thread'} {tid}"
        slices[machines.get(identity.get("host"), 0), name] += track.slices
    for key, all_of_it in slices.items():
        begins = {begin for begin, *_ in all_of_it}
        for begin, end, name, _, _, marks, *_ in all_of_it:
            found[key].append((begin, name, reduced(name)))
            if name == "Running" and "unfinished" not in marks and end not in begins:
                found[key].append((end, "X", "dead"))
    return found


def compare_states(tracks, file, start_ns):
    """How states of threads differ."""
    machines = {name: koid - OWN_KOIDS for koid, name in file.processes.items() if OWN_KOIDS < koid < file.own_process}
    expected = event_states(tracks, machines)
    for key in sorted({*expected, *file.states}, key=str):
        want, got = expected.get(key, []), [(time - start_ns, *rest) for time, *rest in file.states.get(key, [])]
        if sorted(want, key=lambda one: one[0]) != got:
            yield f"states of {key}: {want} became {got}"


def start_of(file):
    """The time at which the recording begins."""
    return file.about[0]["time"]


def compare(stream, data):
    """How a file with a thread for each track differs from the EVENT stream."""
    file, expected = File(data), read_event(stream)
    start_ns = start_of(file)
    leave_out_deep(expected)
    states = [track for track in expected.values() if is_thread_state(track)]
    others = dict(enumerate((track for _, track in sorted(expected.items()) if not is_thread_state(track)), 1))
    found, numbers = tracks_of(file, start_ns)
    align(others, found)
    wrong = list(differences(others, found)) + list(compare_states(states, file, start_ns))
    wrong += compare_points(found, file, start_ns)
    if dict(file.losses) != losses_of(stream):
        wrong.append(f"losses {dict(file.losses)} instead of {losses_of(stream)}")
    return wrong


def compare_points(tracks, file, start_ns):
    """The points of flows, each on the thread of an event that has it."""
    wanted, found = defaultdict(list), defaultdict(list)
    for time, number, flow in points_of(tracks):
        name, _, value = flow.rpartition(":")
        wanted[name].append((time, number, int(value, 16)))
    for index, event in file.flows:
        at = [other for other in (*file.events[index : index + 1], *file.events[max(index - 1, 0) : index]) if other["place"] == event["place"] and other["time"] == event["time"]]
        number = next((other["track"] for other in at if any(flow.startswith(f"{event['name']}:") for flow in split_args(other)[0].get(FLOW, []))), None)
        found[event["name"]].append((event["time"] - start_ns, number, event["word"]))
    for name in {*found, *wanted}:
        halves = {got[2] ^ want[2] for got in found[name][:1] for want in wanted[name]}
        if not any(half & 0xFFFFFFFF == 0 and sorted((*one[:2], one[2] ^ half) for one in found[name]) == sorted(wanted[name]) for half in halves):
            yield f"points of the flow {name}: {wanted[name]} became {found[name]}"


def rows_of(file):
    """The rows of a file whose threads are rows."""
    rows, start_ns = Rows(), start_of(file)
    for event in file.events:
        kind, koid, time_ns = event["kind"].removeprefix("async "), event["place"][1], event["time"] - start_ns
        args = {name: value for name, (_, value) in event["args"].items()}
        if kind == "begin":
            rows.begin(koid, time_ns, event["category"], event["name"], args)
        elif kind == "end":
            rows.end(koid, time_ns, event["category"], args, event["name"])
        elif kind == "instant":
            rows.instants[koid].append((event["category"], event["name"]))
    return rows


def read_rows(data):
    """(rows, names of their threads) of a file."""
    file = File(data)
    return rows_of(file), {koid: name for koid, (_, name) in file.threads.items()}


def compare_rows(stream, data):
    """How the totals of a file's rows, and its states, differ from the EVENT stream's."""
    file = File(data)
    rows, (slices, instants) = rows_of(file), event_totals(stream)[0]
    states = [track for track in read_event(stream).values() if is_thread_state(track)]
    for track in states:
        for name in {one[2] for one in track.slices}:
            slices.pop((track.category, name), None)
    wrong = [f"{key}: {want.get(key)} became {got.get(key)}" for want, got in zip((slices, instants), rows.totals()) for key in {*want, *got} if want.get(key) != got.get(key)]
    return rows.wrong + wrong + list(compare_states(states, file, start_of(file)))
