// SPDX-License-Identifier: GPL-2.0-only
/* Words for what was counted. */
#include "sink/notes.h"

#define TICKS_NOTE "the clock counts ticks, which are shown as nanoseconds"

/** struct note_words - a count, and what is said of one and of several */
struct note_words {
	uint64_t count;
	const char *one;
	const char *several;
};

static void append_count(struct buffer *out, const struct note_words *words)
{
	buffer_append_unsigned(out, words->count);
	buffer_append_char(out, ' ');
	buffer_append_string(out, words->count == 1 ? words->one : words->several);
}

static int malformed_tell(const struct timeline_count *malformed, struct buffer *note,
			  int (*tell)(void *context, struct text note, struct error *error),
			  void *context, struct error *error)
{
	const struct note_words words = { malformed->count, "malformed record of ",
					  "malformed records of " };

	buffer_clear(note);
	append_count(note, &words);
	buffer_append_string(note, malformed->tracepoint);
	return note->failed ? error_set(error, "out of memory")
			    : tell(context, buffer_text(note), error);
}

int notes_tell(const struct timeline_totals *totals, bool counts_ticks,
	       int (*tell)(void *context, struct text note, struct error *error), void *context,
	       struct error *error)
{
	const struct note_words words[] = {
		{ totals->lost_task_records,
		  "record was lost that tells who threads are: names may be those of others",
		  "records were lost that tell who threads are: names may be those of others" },
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
	struct buffer note = { 0 };
	int status = 0;

	if (counts_ticks)
		status = tell(context, text_of(TICKS_NOTE), error);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && status == 0; i++) {
		buffer_clear(&note);
		append_count(&note, &words[i]);
		if (words[i].count > 0)
			status = note.failed ? error_set(error, "out of memory")
					     : tell(context, buffer_text(&note), error);
	}
	for (size_t i = 0; i < totals->nr_malformed_of && status == 0; i++)
		status = malformed_tell(&totals->malformed_of[i], &note, tell, context, error);
	buffer_release(&note);
	return status;
}

void notes_append_problem(struct buffer *out, const struct timeline_event *event)
{
	if (event->kind == TIMELINE_FOREIGN_END)
		buffer_printf(out, FOREIGN_END_FORMAT, event->tracepoint);
	else
		buffer_printf(out, "malformed record of %s: %s", event->tracepoint, event->problem);
}

void notes_append_tracepoint(struct buffer *out, const struct timeline_event *event)
{
	static const char *const words[] = {
		[TIMELINE_RECORDED_FROM_LOAD] = "recorded since it was loaded",
		[TIMELINE_RECORDED_FROM_NOW] = "recorded from here on",
		[TIMELINE_RECORDED_UNTIL_NOW] = "recorded up to here",
	};

	buffer_printf(out, "%s is %s", event->tracepoint, words[event->recorded]);
}
