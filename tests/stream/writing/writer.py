# SPDX-License-Identifier: GPL-2.0-only
"""Writes the lines of a stream: times, marks and sums as the rules want them."""

import json
from datetime import datetime, timedelta, timezone

ORIGIN = datetime(2026, 3, 1, 23, 59, 59, 999000, timezone.utc)
SID = "20260301T235959.999000Z-H0badcafe-P00000219"
PLACES = {"file": "userspace/cli/stream.c", "line": 42}
COUNTED_LOSS = "lost %lu records on cpu %d"
LOSS_SUM = "lost %lu records in gaps of unknown size on cpu %d"
UNCOUNTED_LOSS = "lost an unknown number of records on cpu %d"
PARAMETERS = {
    "source": "tracefs",
    "clock": "boot",
    "time_source": "clock",
    "recording_id": "00f1a2b3c4d5e6f7",
}


class Seconds:
    """A time in nanoseconds that is spelled in seconds with nine decimals."""

    def __init__(self, time_ns):
        self.time_ns = time_ns

    @classmethod
    def parse(cls, text):
        """Reads the spelling."""
        return cls(int(text.replace(".", "")))

    def __str__(self):
        return f"{self.time_ns // 10**9}.{self.time_ns % 10**9:09d}"


def dump(value):
    """JSON without white space."""
    if isinstance(value, Seconds):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{dump(key)}:{dump(member)}" for key, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(dump, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def load(line):
    """The object of a line that dump() wrote."""
    return json.loads(line, parse_float=Seconds.parse)


def field_members(fields, with_message, flows=()):
    """The keys that a record's extra fields and flows add: before and after t_abs."""
    message = " ".join([*(f"{key}={value}" for key, value in fields.items()), *flows])
    after = {"args": fields} if fields else {}
    return ({"msg": message} if with_message and message else {}), after | flow_member(flows)


def flow_member(flows):
    """The key that flows add."""
    return {"flow": list(flows)} if flows else {}


class Track:
    """A track of the stream being written."""

    def __init__(self, thread, start_ns, tracepoint):
        self.thread, self.start_ns, self.tracepoint = thread, start_ns, tracepoint
        self.open = []
        self.durations = {}
        self.samples = []
        self.unmatched = 0


class Writer:
    """A stream being written; lines holds what stands there already."""

    def __init__(self, sid=SID):
        self.sid = sid
        self.lines = []
        self.now_ns = 0
        self.malformed = {}
        self.started = 0
        self.tracks = {}
        self.durations = {}
        self.losses = []
        self.counters = {}

    def emit(self, kind, thread, body, has_place=False):
        """One line, at the present moment."""
        moment = ORIGIN + timedelta(microseconds=self.now_ns // 1000)
        head = {
            "event": kind,
            "sid": self.sid,
            "thread": thread,
            "time": moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        }
        self.lines.append(dump({**head, **(PLACES if has_place else {}), **body}))

    def begin(self, mode="streaming"):
        """The session's first lines."""
        self.emit("version", "main", {"evt": "4", "exe": "0.1"}, True)
        argv = ["ktrack", "stream", "--", "sh", "-c", 'echo "20" > /dev/ktrack_demo\n']
        self.emit("start", "main", {"t_abs": Seconds(0), "argv": argv}, True)
        self.emit("cmd_name", "main", {"name": "stream", "hierarchy": "stream"}, True)
        self.emit("cmd_mode", "main", {"name": mode}, True)
        for name, value in PARAMETERS.items():
            self.emit(
                "def_param", "main", {"scope": "command", "param": name, "value": value}, True
            )

    def begin_child(self, time_ns, argv):
        """The traced command starts."""
        self.now_ns = time_ns
        self.child_ns = time_ns
        body = {"child_id": 0, "child_class": "?", "use_shell": False, "argv": argv}
        self.emit("child_start", "main", body, True)

    def end_child(self, time_ns, pid, code):
        """The traced command ends."""
        self.now_ns = time_ns
        body = {"child_id": 0, "pid": pid, "code": code, "t_rel": Seconds(time_ns - self.child_ns)}
        self.emit("child_exit", "main", body, True)

    def count(self, name, number=1):
        """One of ktrack's own counters grows."""
        self.counters[name] = self.counters.get(name, 0) + number

    def reject(self, tracepoint, number):
        """Records of a tracepoint are malformed."""
        self.count("malformed", number)
        self.malformed[tracepoint] = self.malformed.get(tracepoint, 0) + number

    def error(self, time_ns, message, fmt, args=None):
        """Something that went wrong in the recording."""
        self.now_ns = time_ns
        more = {"args": args} if args else {}
        self.emit("error", "main", {"msg": message, "fmt": fmt, "t_abs": Seconds(time_ns), **more})

    def lose(self, time_ns, cpu, number=None, since_ns=None):
        """Records were lost on a CPU between two moments."""
        begin_ns = time_ns if since_ns is None else since_ns
        self.losses.append((begin_ns, time_ns))
        fmt = UNCOUNTED_LOSS if number is None else COUNTED_LOSS
        args = {"cpu": cpu, "records": number, "from": Seconds(begin_ns), "until": Seconds(time_ns)}
        self.error(time_ns, fmt.replace("%lu", str(number)).replace("%d", str(cpu)), fmt, args)
        self.count("lost_records", number or 0)
        self.count("lost_gaps", 1)
        self.count("lost_gaps_unknown", number is None)

    def lose_sum(self, time_ns, cpu, number):
        """So many records were lost in the gaps of unknown size on a CPU."""
        args = {"cpu": cpu, "records": number}
        self.error(time_ns, LOSS_SUM.replace("%lu", str(number)).replace("%d", str(cpu)), LOSS_SUM, args)
        self.count("lost_records", number)

    def open_track(self, time_ns, shown, identity):
        """A track appears, with its identity."""
        self.now_ns = time_ns
        self.started += 1
        track = Track(f"th{self.started:02d}:{shown}", time_ns, identity["tracepoint"])
        self.emit("thread_start", track.thread, {"t_abs": Seconds(time_ns)})
        self.tracks[track.thread] = track
        self.emit_json(track, "track", track.thread.partition(":")[0], identity)
        return track

    def emit_json(self, track, category, key, value, since_ns=None, flows=()):
        """A data_json on a track."""
        since_ns = track.start_ns if since_ns is None else since_ns
        times = {"t_abs": Seconds(self.now_ns), "t_rel": Seconds(self.now_ns - since_ns)}
        body = {"nesting": len(track.open) + 1, "category": category, "key": key, "value": value}
        self.emit("data_json", track.thread, {**times, **body, **flow_member(flows)})

    def enter(self, track, time_ns, label, fields=(), continued=False, flows=()):
        """A slice begins."""
        self.now_ns = time_ns
        track.open.append((label, time_ns, continued))
        before, after = field_members(dict(fields), True, flows)
        body = {"nesting": len(track.open), "category": track.tracepoint, "label": label, **before}
        marks = {"continued": True} if continued else {}
        self.emit(
            "region_enter", track.thread, {**body, "t_abs": Seconds(time_ns), **after, **marks}
        )

    def leave(self, track, time_ns, fields=(), unfinished=False, flows=()):
        """The innermost slice ends; without one, the end is counted as unmatched."""
        if not track.open:
            self.count("unmatched_ends")
            track.unmatched += 1
            return
        self.now_ns = time_ns
        label, since_ns, continued = track.open.pop()
        marks = self.mark(since_ns, time_ns, unfinished)
        before, after = field_members(dict(fields), True, flows)
        body = {"t_rel": Seconds(time_ns - since_ns), "nesting": len(track.open) + 1}
        body.update({"category": track.tracepoint, "label": label, **before})
        self.emit(
            "region_leave", track.thread, {**body, "t_abs": Seconds(time_ns), **after, **marks}
        )
        if not marks and not continued:
            for durations in (track.durations, self.durations):
                durations.setdefault((track.tracepoint, label), []).append(time_ns - since_ns)

    def mark(self, since_ns, until_ns, unfinished):
        """The marks of a slice, counted."""
        is_suspect = any(since_ns <= end and begin <= until_ns for begin, end in self.losses)
        marks = {"suspect": is_suspect, "unfinished": unfinished}
        for name in [name for name, is_set in marks.items() if is_set]:
            self.count(name)
        return {name: True for name, is_set in marks.items() if is_set}

    def instant(self, track, time_ns, label, fields=(), flows=()):
        """Something that has no duration."""
        self.now_ns = time_ns
        since_ns = track.open[-1][1] if track.open else track.start_ns
        self.emit_json(track, track.tracepoint, label, dict(fields), since_ns, flows)

    def sample(self, track, time_ns, value, fields=()):
        """A value of a counter."""
        self.now_ns = time_ns
        track.samples.append(value)
        _, after = field_members(dict(fields), False)
        body = {"t_abs": Seconds(time_ns), "t_rel": Seconds(time_ns - track.start_ns), "nesting": 1}
        body.update(
            {
                "category": track.tracepoint,
                "key": track.thread.partition(":")[2],
                "value": str(value),
            }
        )
        self.emit("data", track.thread, {**body, **after})

    def emit_timers(self, kind, thread, durations, names=None):
        """What the complete slices add up to; names that are not to be listed become (other)."""
        sums = {}
        for (category, name), times in durations.items():
            listed = name if names is None or name in names else "(other)"
            sums.setdefault((category, listed), []).extend(times)
        for (category, name), times in sums.items():
            body = {
                "category": category,
                "name": name,
                "intervals": len(times),
                "t_total": Seconds(sum(times)),
            }
            self.emit(
                kind, thread, {**body, "t_min": Seconds(min(times)), "t_max": Seconds(max(times))}
            )

    def close_track(self, track, time_ns, names=None):
        """A track ends, with its sums."""
        self.now_ns = time_ns
        while track.open:
            self.leave(track, time_ns, unfinished=True)
        self.emit_timers("th_timer", track.thread, track.durations, names)
        if track.samples:
            values = [track.samples[0], track.samples[-1], min(track.samples), max(track.samples)]
            texts = dict(zip(("first", "last", "min", "max"), map(str, values)))
            self.emit_json(
                track,
                "summary",
                track.thread.partition(":")[0],
                {"samples": len(track.samples), **texts},
            )
        if track.unmatched:
            self.emit_count("th_counter", track.thread, ("ktrack", "unmatched_ends", track.unmatched))
        times = {"t_rel": Seconds(time_ns - track.start_ns), "t_abs": Seconds(time_ns)}
        self.emit("thread_exit", track.thread, times)
        del self.tracks[track.thread]

    def emit_count(self, kind, thread, row):
        """A counter."""
        self.emit(kind, thread, dict(zip(("category", "name", "count"), row)))

    def finish(self, time_ns, code=0, names=None):
        """The session's last lines."""
        for track in list(self.tracks.values()):
            self.close_track(track, time_ns, names)
        self.now_ns = time_ns
        self.emit("exit", "main", {"t_abs": Seconds(time_ns), "code": code}, True)
        self.emit_timers("timer", "main", self.durations, names)
        order = (
            "lost_records",
            "lost_gaps",
            "lost_gaps_unknown",
            "lost_task_records",
            "late_records",
            "unmatched_ends",
            "filtered_ends",
            "foreign_ends",
            "malformed",
            "unfinished",
            "suspect",
            "retired_tracks",
            "renamed_threads",
            "evicted_slices",
            "other_names",
        )
        for name in [name for name in order if self.counters.get(name)]:
            self.emit_count("counter", "main", ("ktrack", name, self.counters[name]))
        for tracepoint, number in self.malformed.items():
            self.emit_count("counter", "main", (tracepoint, "malformed", number))
        self.emit("atexit", "main", {"t_abs": Seconds(time_ns), "code": code}, True)
