# SPDX-License-Identifier: GPL-2.0-only
"""The content of a page of --html: its own scripts report what they would draw for each track.

The data in a page have a form of their own, which no document describes and only the scripts of the same page read (sink/html/): they
run in a browser, and DESCRIBE asks them for all chunks of all tracks, with the objects of pages.py. Their answers are accepted only if
they are the tracks, points of flows and losses of the EVENT lines of the same recording, as ktrack-outputs(7) lists them.
"""

from model import MARKS, Track, losses_of, points_of, read_event

# Numbers are reported in full, as JSON would round them.
DESCRIBE = """
const describe = async (row, number, each) => {
	const reported = [];
	for (const chunk of row ? row.chunks.filter((chunk) => chunk.number === number) : [])
		for (let i = 0, items = chunk.read(); i < chunk.count; i++)
			reported.push([...each(chunk, items, i), await chunk.argsOf(i)]);
	return reported;
};
const names = ktrack.recording.names, tracks = [];
const tellTrack = async (track, number) => {
	const slices = [];
	for (const row of track.rows)
		slices.push(...await describe(row, number, (chunk, items, i) =>
			[items.begin[i], items.end[i], row.depth, names[items.name[i]], items.marks[i]]));
	tracks.push({
		number, label: track.label, identity: track.identity, slices,
		instants: await describe(track.instants, number, (chunk, items, i) => [items.begin[i], names[items.name[i]]]),
		samples: await describe(track.samples, number, (chunk, items, i) => [items.begin[i], chunk.exact(i)]),
	});
};
// A track that was ended and continued has several numbers.
for (const track of ktrack.recording.tracks)
	for (const number of track.numbers)
		await tellTrack(track, number);
const points = ktrack.recording.points.flatMap((chunk) => {
	const items = chunk.read(), report = (i) => [items.time[i], items.track[i], `${names[items.name[i]]}:0x${items.id[i].toString(16)}`];
	return [...items.time.keys()].map(report);
});
return { tracks, points, losses: ktrack.recording.losses.map((loss) => loss.text), end: ktrack.recording.end };
"""


def without_writer(args):
    """The args of a begin or an end; the page has its thread, too."""
    return {name: value for name, value in (args or {}).items() if name != "ktrack:tid"}


def read_slice(begin, end, depth, name, marks, args):
    """A slice as the model has it."""
    before, behind = map(without_writer, args or (0, 0))
    marks |= behind.pop("ktrack:crossing", 0) << MARKS.index("crossing")
    reported = tuple(mark for bit, mark in enumerate(MARKS) if marks >> bit & 1)
    return [begin, end, name, before, behind, reported, depth]


def read_page(reported):
    """(tracks by number, how often each loss is reported)."""
    tracks, losses = {}, {}
    for one in reported["tracks"]:
        track = tracks[one["number"]] = Track(one["label"], one["identity"]["tracepoint"])
        track.identity = one["identity"]
        track.slices = [read_slice(*words) for words in one["slices"]]
        track.instants = [(time, name, args or {}) for time, name, args in one["instants"]]
        track.samples = [(time, value) for time, value, _ in one["samples"]]
    for text in reported["losses"]:
        losses[text] = losses.get(text, 0) + 1
    return tracks, losses


def by_row(track):
    """A track's slices by how many are around them, each row in the order of time."""
    rows = {}
    for one in track.slices:
        rows.setdefault(one[6], []).append(one)
    return rows


def differences(expected, found):
    """How the tracks of a page differ from those of EVENT."""
    for number in expected.keys() | found.keys():
        one, other = expected.get(number), found.get(number)
        if not one or not other:
            yield f"track {number} is only in {'EVENT' if one else 'the page'}"
            continue
        for what in ("label", "identity", "instants", "samples"):
            if getattr(one, what) != getattr(other, what):
                yield f"track {number}: {getattr(one, what)} became {getattr(other, what)}"
        if by_row(one) != by_row(other):
            yield f"track {number}: {by_row(one)} became {by_row(other)}"


def compare(stream, reported):
    """How a page differs from the EVENT stream."""
    tracks, losses = read_page(reported)
    wrong = list(differences(read_event(stream), tracks))
    if sorted(map(tuple, reported["points"])) != points_of(tracks):
        wrong.append(f"points of flows {reported['points']} instead of {points_of(tracks)}")
    if losses != losses_of(stream):
        wrong.append(f"losses {losses} instead of {losses_of(stream)}")
    return wrong
