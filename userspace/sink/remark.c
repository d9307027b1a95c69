// SPDX-License-Identifier: GPL-2.0-only
/* Texts for people: losses, problems, and faults of a recording as a whole. */
#include "sink/remark.h"

static void loss_append(struct buffer *out, const struct timeline_event *event)
{
	buffer_append_string(out, "lost ");
	if (event->loss_count == TIMELINE_COUNT_UNKNOWN)
		buffer_append_string(out, "an unknown number of records");
	else
		buffer_append_count(out, event->loss_count, "record");
	if (event->kind == TIMELINE_LOSS_SUM)
		buffer_append_string(out, " in gaps of unknown size");
	buffer_printf(out, " on cpu %d", event->loss_cpu);
	if (event->loss_buffer)
		buffer_printf(out, " in buffer '%s'", event->loss_buffer);
	if (event->loss_machine)
		buffer_printf(out, " of machine '%s'", event->loss_machine->name);
}

void loss_append_track(struct buffer *out, const struct timeline_event *event)
{
	buffer_printf(out, "lost records cpu %d", event->loss_cpu);
	if (event->loss_buffer && event->loss_buffer[0])
		buffer_printf(out, " in %s", event->loss_buffer);
	if (event->loss_machine)
		buffer_printf(out, " on %s", event->loss_machine->name);
}

static void argv_append(struct buffer *out, char *const *argv)
{
	for (size_t i = 0; argv[i]; i++) {
		if (i > 0)
			buffer_append_char(out, ' ');
		buffer_append_string(out, argv[i]);
	}
}

void remark_append(struct buffer *out, const struct timeline_event *event)
{
	static const char *const words[] = {
		[TIMELINE_RECORDED_FROM_LOAD] = "recorded since it was loaded",
		[TIMELINE_RECORDED_FROM_NOW] = "recorded from here on",
		[TIMELINE_RECORDED_UNTIL_NOW] = "recorded up to here",
	};

	if (event->kind == TIMELINE_LOSS || event->kind == TIMELINE_LOSS_SUM)
		loss_append(out, event);
	else if (event->kind == TIMELINE_FOREIGN_END)
		buffer_printf(out, FOREIGN_END_FORMAT, event->tracepoint);
	else if (event->kind == TIMELINE_MALFORMED)
		buffer_printf(out, MALFORMED_FORMAT, event->tracepoint, event->problem);
	else if (event->kind == TIMELINE_TRACEPOINT)
		buffer_printf(out, "%s is %s", event->tracepoint, words[event->recorded]);
	else if (event->kind == TIMELINE_COMMAND_BEGIN)
		argv_append(out, event->argv);
}

struct text remark_set(struct buffer *out, const struct timeline_event *event)
{
	buffer_clear(out);
	remark_append(out, event);
	return buffer_text(out);
}

const char *deep_set(struct buffer *out, uint64_t count)
{
	buffer_clear(out);
	buffer_append_unsigned(out, count);
	buffer_append_string(out, count == 1 ? " slice or instant below 512 open slices is"
					     : " slices or instants below 512 open slices are");
	buffer_append_string(out, " left out: Perfetto shows no deeper ones");
	return out->failed ? NULL : buffer_string(out);
}

/** struct fault - a count, and its text in the singular and the plural */
struct fault {
	uint64_t count;
	const char *one;
	const char *several;
};

/* The clock's, those of fault_of(), and then one for each tracepoint with malformed records. */
enum {
	FAULT_TICKS,
	FAULT_TOTALS,
	FAULT_MALFORMED = FAULT_TOTALS + 6,
};

static struct fault fault_of(const struct timeline_totals *totals, size_t number)
{
	const struct fault faults[] = {
		{ totals->lost_task_records,
		  "record about threads was lost; thread names may be wrong",
		  "records about threads were lost; thread names may be wrong" },
		{ totals->unmatched_ends, "end without a begin", "ends without a begin" },
		{ totals->late_records, "record came after a younger one, whose time it was given",
		  "records came after younger ones, whose time they were given" },
		{ totals->foreign_ends,
		  "slice was ended by another thread while slices overlapped: durations may be "
		  "wrong",
		  "slices were ended by other threads while slices overlapped: durations may be "
		  "wrong" },
		{ totals->retired_tracks,
		  "track was closed to save memory (--max-tracks) and continues as a new track",
		  "tracks were closed to save memory (--max-tracks) and continue as new tracks" },
		{ totals->evicted_slices, "slice was open on a closed track and has no end",
		  "slices were open on closed tracks and have no ends" },
	};
	_Static_assert(sizeof(faults) / sizeof(faults[0]) == FAULT_MALFORMED - FAULT_TOTALS,
		       "all faults");

	if (number < FAULT_MALFORMED)
		return faults[number - FAULT_TOTALS];
	return (struct fault){ totals->malformed_of[number - FAULT_MALFORMED].count,
			       "malformed record of ", "malformed records of " };
}

size_t fault_limit(const struct timeline_totals *totals)
{
	return FAULT_MALFORMED + totals->nr_malformed_of;
}

bool fault_set(struct buffer *out, const struct timeline_totals *totals, bool counts_ticks,
	       size_t number)
{
	struct fault fault;

	out->size = 0;
	if (number == FAULT_TICKS) {
		buffer_append_string(out, "the clock counts ticks, which are shown as nanoseconds");
		return counts_ticks;
	}
	fault = fault_of(totals, number);
	buffer_append_unsigned(out, fault.count);
	buffer_append_char(out, ' ');
	buffer_append_string(out, fault.count == 1 ? fault.one : fault.several);
	if (number >= FAULT_MALFORMED)
		buffer_append_string(out,
				     totals->malformed_of[number - FAULT_MALFORMED].tracepoint);
	return fault.count > 0;
}
