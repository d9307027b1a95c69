# SPDX-License-Identifier: GPL-2.0-only
"""What a Perfetto trace shows: its packets, as tracks with slices, instants and samples.

It accepts what Perfetto's protos (protos/perfetto/trace/) and its page "Writing TrackEvents synthetically" describe, as far as ktrack
writes it: perfetto.proto has these messages and fields, and a field that is not there is an error. Strings are interned once, each
track is described once and samples come after that, values that doubles cannot keep have their exact text, ends add only fields of
their own, and each flow has one id. Annotations that begin with "ktrack:" are those of ktrack-outputs(7).
"""

import json

from model import DEPTH_MAX, FLOW, MARKS, Track, differences, leave_out_deep, losses_of, plain, read_event, sample_text
from protobuf import decode, one

EXACT = "ktrack:exact"
END = "end:"
END_ONLY = ("ktrack:pid", "ktrack:status")
JSON_EXACT = 1 << 53
KINDS = ("event_categories", "event_names", "debug_annotation_names")
VALUES = ("bool_value", "uint_value", "int_value", "double_value", "string_value")


class Sequence:
    """The packets of one recording, and what they show: a sequence, and one for each of several machines."""

    def __init__(self):
        self.strings_of, self.strings = {}, {}
        self.descriptors, self.tracks, self.order = {}, {}, []
        self.own, self.snapshots, self.first = [], [], None
        self.described = set()
        self.flows = {}
        self.about = {}  # by machine; None for the recording as a whole

    def read(self, packet):
        """The next packet."""
        if self.first is None:
            self.first = packet
        self.strings = self.strings_of.setdefault(sequence_of(packet), {kind: {} for kind in KINDS})
        about = self.about.setdefault(one(packet, "machine_id"), {})
        for system in packet.get("system_info", []):
            about |= {"kernel": one(one(system, "utsname"), "release"), "name": one(system, "machine_name")}
        for attribute in (found for each in packet.get("trace_attributes", []) for found in each["attribute"]):
            about[one(attribute, "key")] = one(attribute, "string_value", one(attribute, "long_value"))
        self.snapshots += packet.get("clock_snapshot", [])
        for data in packet.get("interned_data", []):
            self.read_strings(data)
        self.described.update(one(d, "uuid") for d in packet.get("track_descriptor", []))
        for event in packet.get("track_event", []):
            self.read_event(one(packet, "timestamp"), event)

    def read_strings(self, data):
        """Strings that get a number, each only once."""
        for kind in KINDS:
            for entry in data.get(kind, []):
                iid = one(entry, "iid")
                if iid in self.strings[kind]:
                    raise ValueError(f"{kind} {iid} is reported twice")
                self.strings[kind][iid] = one(entry, "name", "")

    def read_descriptor(self, descriptor):
        """A track; those of the recording have a description with a tracepoint."""
        uuid = one(descriptor, "uuid")
        self.descriptors[uuid] = descriptor
        about = json.loads(one(descriptor, "description", "{}"))
        if "tracepoint" in about:
            if uuid in self.tracks and about["kind"] == "counter":
                return  # it goes on
            if uuid in self.tracks:
                raise ValueError(f"two tracks are {uuid}")
            self.tracks[uuid] = Track(one(descriptor, "name"))
            self.tracks[uuid].identity = about
            self.tracks[uuid].descriptor = descriptor
            self.order.append(uuid)

    def read_event(self, time_ns, event):
        """An event on a track, of the recording or of ktrack's own."""
        args, marks = self.read_annotations(event)
        name = one(event, "name")
        if "name_iid" in event:
            name = self.strings["event_names"][one(event, "name_iid")]
        track = self.tracks.get(one(event, "track_uuid"))
        if track is None:
            self.own.append((time_ns, one(event, "track_uuid"), one(event, "type"), name, args))
            return
        if "COUNTER" in one(event, "type") and one(event, "track_uuid") not in self.described:
            raise ValueError(f"a sample of {track.label} comes before its descriptor")
        track.category = self.strings["event_categories"][one(event, "category_iids")]
        put_event(track, time_ns, event, name, args, marks)

    def read_annotations(self, event):
        """(what the record said, what ktrack says of it)."""
        args, marks, exact = {}, [], {}
        for annotation in event.get("debug_annotations", []):
            value = next(one(annotation, kind) for kind in VALUES if kind in annotation)
            name = one(annotation, "name")
            if name is not None:
                exact[name[len(EXACT) + 1 :]] = value
                continue
            name = self.strings["debug_annotation_names"][one(annotation, "name_iid")]
            if name.removeprefix(END) == FLOW:
                args[name] = self.read_flows(value.split(" "), event)
            elif name.startswith("ktrack:") and name[7:] in MARKS:
                marks.append(name[7:])
            elif isinstance(value, int) and abs(value) > JSON_EXACT:
                args[name] = str(value)
            else:
                args[name] = plain(value)
        wrong = {name: text for name, text in exact.items() if args[name] != text}
        if wrong:
            raise ValueError(f"exact values {wrong} of {args}")
        if "flow_ids" in event and not any(name.removeprefix(END) == FLOW for name in args):
            raise ValueError(f"flow ids {event['flow_ids']} without their names")
        if one(event, "type") == "TYPE_SLICE_END":
            args = {without_end(name): value for name, value in args.items()}
        return args, marks

    def read_flows(self, flows, event):
        """The flows of an event: each has an id of its own in the whole file."""
        for flow, number in zip(flows, event["flow_ids"], strict=True):
            if self.flows.setdefault(flow, number) != number:
                raise ValueError(f"{flow} is {number} and {self.flows[flow]}")
        if len(set(self.flows.values())) != len(self.flows):
            raise ValueError(f"two flows have one id: {self.flows}")
        return flows


def without_end(name):
    """The name of a field of the record that ends a slice; ktrack's macros may add fields that only ends have."""
    if name not in END_ONLY and not name.startswith(END):
        raise ValueError(f"{name} would replace what the begin says")
    return name.removeprefix(END)


def put_event(track, time_ns, event, name, args, marks):
    """An event on one of the recording's tracks."""
    kind = one(event, "type")
    if kind == "TYPE_SLICE_BEGIN":
        if len(track.stack) < DEPTH_MAX:  # Perfetto drops deeper ones, but not their ends
            track.begin(time_ns, name, args)
    elif kind == "TYPE_SLICE_END":
        track.end(time_ns, args, marks)
    elif kind == "TYPE_INSTANT":
        track.instants.append((time_ns, name, args))
    elif kind == "TYPE_COUNTER":
        exact = args.pop(EXACT, None)
        value = one(event, "counter_value", one(event, "double_counter_value"))
        track.samples.append((time_ns, exact or sample_text(value)))


def read_sequences(packets):
    """{sequence id: what it shows}; threads are described in the sequence behind, and those of machines follow that of their recording.

    As in Perfetto, descriptors are read before all events, wherever they are.
    """
    sequences, ids = {}, []
    for packet in packets:
        ids.append(ids[-1] if "machine_id" in packet else sequence_of(packet))
        for descriptor in packet.get("track_descriptor", []):
            descriptor["machine_id"] = packet.get("machine_id", [0])
            sequences.setdefault(ids[-1], Sequence()).read_descriptor(descriptor)
    for number, packet in zip(ids, packets):
        sequences.setdefault(number, Sequence()).read(packet)
    return sequences


def sequence_of(packet):
    """The number of our sequence that a packet is of."""
    has_thread = any("thread" in descriptor for descriptor in packet.get("track_descriptor", []))
    return one(packet, "trusted_packet_sequence_id") - has_thread


def to_trace_time(tracks, start_ns):
    """EVENT's times count from the start, Perfetto's are the trace clock's."""
    for track in tracks.values():
        for one_slice in track.slices:
            one_slice[0] += start_ns
            one_slice[1] += start_ns
        track.instants = [(time_ns + start_ns, *rest) for time_ns, *rest in track.instants]
        track.samples = [(time_ns + start_ns, *rest) for time_ns, *rest in track.samples]


def forget_ends(tracks):
    """Only EVENT reports the end of incomplete slices."""
    for track in tracks.values():
        for one_slice in track.slices + track.stack:
            if one_slice[1] is None or one_slice[5] == ("unfinished",):
                one_slice[1], one_slice[5] = None, ("unfinished",)


def read_sequence(data):
    """(the one sequence of a file, its start, what is wrong)."""
    packets, wrong = decode(data)
    sequences = read_sequences(packets)
    if list(sequences) != [1]:
        return None, 0, [*wrong, f"sequences {list(sequences)}"]
    clocks = sequences[1].snapshots[0]["clocks"]
    return sequences[1], one(clocks[0], "timestamp"), wrong


def wrong_parent(sequence, track, groups):
    """What is wrong with what a track is below."""
    parent = sequence.descriptors.get(one(track.descriptor, "parent_uuid"), {})
    scope, tgid = track.identity["scope"], track.identity.get("tgid")
    number = track.identity.get("id")
    tracepoint = track.identity["tracepoint"]
    if scope == "thread" and tgid:
        found = parent.get("thread", [{}])[0]
        if (one(found, "pid"), one(found, "tid")) != (tgid, number):
            yield f"{track.label} is below {parent}"
    elif scope == "process" and isinstance(number, int) and 0 < number < 1 << 31:
        if one(parent.get("process", [{}])[0], "pid") != number:
            yield f"{track.label} is below {parent}"
    elif not parent:
        if tracepoint in groups:
            yield f"{track.label} is not below its tracepoint"
    elif one(parent, "name") != tracepoint or tracepoint not in groups:
        yield f"{track.label} is below {parent}"
    elif one(parent, "child_ordering") != "EXPLICIT" or one(track.descriptor, "sibling_order_rank") != rank_of(track):
        yield f"{track.label} is not sorted by its number"


def wrong_name(track, groups, has_buffers):
    """What is wrong with a track's name."""
    found, is_below = one(track.descriptor, "name"), is_below_task(track.identity)
    is_alone = not is_below and track.identity["tracepoint"] not in groups
    names = names_of(track.label, track.identity, is_below, is_alone, has_buffers)
    if found not in names:
        yield f"{track.label} is called {found}, not {' or '.join(names)}"


def names_of(label, identity, is_below, is_alone, has_buffers):
    """What a track may be called: the second name is that of the later one of two tracepoints."""
    name, tracepoint = identity["name"], identity["tracepoint"]
    suffix = f" in {identity['buffer']}" if identity.get("buffer") else ""
    label = label.removesuffix(suffix)
    if "lane" in identity:
        label = label.removesuffix(f"lane {identity['lane']}").rstrip(" ")
    label += suffix * has_buffers
    if is_below:
        own = (name or tracepoint) + suffix * has_buffers
        return own, f"{own} ({tracepoint})"
    if is_alone and name == tracepoint.partition(":")[2]:
        label = label.removeprefix(name).removeprefix(" ")
    return (f"{tracepoint} {label}".removesuffix(" "),) if is_alone else (label,)


def is_below_task(identity):
    """Whether a track is below a process or thread."""
    is_process = isinstance(identity.get("id"), int) and 0 < identity["id"] < 1 << 31
    return is_process and identity["scope"] == "process" or identity.get("tgid", 0) > 0


def grouped(identities):
    """The tracepoints that have a track of their own, above others: not above a single one with slices."""
    kinds = {}
    for identity in identities:
        if not is_below_task(identity):
            kinds.setdefault(identity["tracepoint"], []).append(identity["kind"])
    return {tracepoint for tracepoint, found in kinds.items() if found != ["slice"]}


def rank_of(track):
    """The place of a track among its siblings; large numbers share the last one."""
    number = track.identity.get("cpu", track.identity.get("id", 0))
    return max(-(1 << 31), min((1 << 31) - 1, int(number)))


def opened(sequence):
    """The tracepoints of tracks that are below a track of their tracepoint's: live files group single tracks, too."""
    tracks = [track for track in sequence.tracks.values() if not is_below_task(track.identity)]
    return {track.identity["tracepoint"] for track in tracks if one(track.descriptor, "parent_uuid")}


def wrong_tracks(sequence, is_live):
    """What is wrong with the tracks themselves."""
    identities = [track.identity for track in sequence.tracks.values()]
    groups = grouped(identities) | (opened(sequence) if is_live else set())
    has_buffers = len({one.get("buffer") for one in identities}) > 1
    machines = {}
    for uuid in sequence.order:
        track = sequence.tracks[uuid]
        number, host = one(track.descriptor, "machine_id"), track.identity.get("host")
        parent = sequence.descriptors.get(one(track.descriptor, "parent_uuid"), track.descriptor)
        is_of_machine = machines.setdefault(host, number) == number == one(parent, "machine_id") and (number > 0) == (host is not None)
        if not is_of_machine or host and sequence.about[number]["name"] != host:
            yield f"{track.label} of {host} is on machine {number}, its parent on {one(parent, 'machine_id')}"
        yield from wrong_parent(sequence, track, groups)
        yield from wrong_name(track, groups, has_buffers)
        behavior = "NONE" if track.identity["kind"] == "counter" else "BY_SIBLING_MERGE_KEY"
        if one(track.descriptor, "sibling_merge_behavior") != f"SIBLING_MERGE_BEHAVIOR_{behavior}":
            yield f"{track.label} is merged by {one(track.descriptor, 'sibling_merge_behavior')}"
        if ("counter" in track.descriptor) != (track.identity["kind"] == "counter"):
            yield f"{track.label} is no {track.identity['kind']}"


def merged_identity(identity, is_below):
    """What all tracks share that are one track for people: lanes, and tracks of a thread before and after it is renamed or moved."""
    left_out = ("lane", "cgroup", "comm") if is_below else ("lane", "cgroup")
    return json.dumps({name: value for name, value in identity.items() if name not in left_out})


def wrong_merges(sequence):
    """What is wrong with the keys by which Perfetto draws several tracks as one: other tracks have other keys."""
    keys, names = {}, {}
    for track in sequence.tracks.values():
        if track.identity["kind"] == "counter":
            continue
        parent = sequence.descriptors.get(one(track.descriptor, "parent_uuid"), {})
        is_below = "process" in parent or "thread" in parent
        identity, key = merged_identity(track.identity, is_below), one(track.descriptor, "sibling_merge_key")
        if keys.setdefault(identity, key) != key or names.setdefault(key, identity) != identity:
            yield f"{identity} has the key {key} of {names}"


def join_counters(tracks):
    """Counters that continue others are one track."""
    found = {}
    for number, track in sorted(tracks.items()):
        identity = merged_identity(track.identity, is_below_task(track.identity))
        if track.identity["kind"] == "counter" and found.setdefault(identity, track) is not track:
            found[identity].samples += track.samples
            del tracks[number]


def tasks_of(descriptors, keeps_ids):
    """{id of a process or thread: what Perfetto takes it for}.

    It makes a new one for the second id of a number, which becomes the id of the former one: with @keeps_ids also of the new one, as one
    would expect.
    """
    current, ids, found = {}, {}, {}
    for uuid, descriptor in descriptors.items():
        (task,) = descriptor.get("thread") or descriptor.get("process") or [None]
        if task is None:
            continue
        key = (one(descriptor, "machine_id"), one(task, "pid"))
        if "thread" in descriptor:
            key = (current.setdefault(key, object()), one(task, "tid"))
        place = current.setdefault(key, object())
        if place in ids:
            current[key] = object()
        if place not in ids or keeps_ids:
            ids[current[key]] = uuid
        ids[place] = uuid
        found[uuid] = current[key]
    return found


def losses_in(sequence):
    """How often each loss is reported, and whether every one has an end."""
    found, depth = {}, 0
    for _, uuid, kind, name, _ in sequence.own:
        if not one(sequence.descriptors[uuid], "name").startswith("lost records"):
            continue
        depth += 1 if kind == "TYPE_SLICE_BEGIN" else -1
        if kind == "TYPE_SLICE_BEGIN":
            found[name] = found.get(name, 0) + 1
    return found if depth == 0 else f"{depth} without an end"


def number_tracks(expected, tracks):
    """The numbers that EVENT gives tracks; equal ones come in the same order."""
    numbers = {}
    for number, track in sorted(expected.items()):
        numbers.setdefault(json.dumps(track.identity), []).append(number)
    beyond = max(expected, default=0) + 1
    found = {}
    for i, track in enumerate(tracks):
        same = numbers.get(json.dumps(track.identity))
        found[same.pop(0) if same else beyond + i] = track
    return found


def compare(stream, data, is_live=False):
    """How a file differs from the EVENT stream, which was written while it was recorded or not."""
    sequence, start_ns, wrong = read_sequence(data)
    if not sequence:
        return wrong
    expected = read_event(stream)
    join_counters(expected)
    found = number_tracks(expected, [sequence.tracks[uuid] for uuid in sequence.order])
    to_trace_time(expected, start_ns)
    forget_ends(expected)
    leave_out_deep(expected)
    forget_ends(found)
    for number in set(expected) & set(found):
        track = found[number]
        track.label = expected[number].label
        track.category = track.category or expected[number].category
        if track.identity != expected[number].identity:
            wrong.append(f"track {number}: {track.identity}, not {expected[number].identity}")
    wrong += [*differences(expected, found), *wrong_tracks(sequence, is_live), *wrong_merges(sequence)]
    if losses_in(sequence) != losses_of(stream):
        wrong.append(f"losses {losses_in(sequence)} instead of {losses_of(stream)}")
    return wrong
