/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Texts that outputs share: arguments of events, labels, losses and faults; CSV and base64; what an
 * output makes of the fields of each tracepoint.
 */
#ifndef SINK_TEXT_H
#define SINK_TEXT_H

#include "base/base.h"
#include "timeline/timeline.h"

/** ARGS_TRACK - in a set of 1 << enum timeline_emitter: also the name of the track */
#define ARGS_TRACK (1u << TIMELINE_EMITTER_COUNT)

/** event_has_emitter - whether a property of the emitter is known, and in the set @with of bits */
static inline bool event_has_emitter(const struct timeline_event *event, unsigned int with,
				     enum timeline_emitter emitter)
{
	const bool are_known[] = {
		[TIMELINE_EMITTER_TID] = event->tid >= 0,
		[TIMELINE_EMITTER_CPU] = event->cpu >= 0,
		[TIMELINE_EMITTER_COMM] = event->comm && event->comm[0],
	};

	return with & 1u << emitter && are_known[emitter];
}

/** event_has_args - whether event_append_args() would append members */
bool event_has_args(const struct timeline_event *event, unsigned int with);

/**
 * event_append_args - append an object of the record's fields, its flows, its emitter and the
 * slice's flags
 * @with: a set of 1 << enum timeline_emitter
 * @names_ends: prefix names at a slice's end with "end:", for viewers that merge the arguments of a
 * slice's begin and end
 *
 * Names that ktrack adds have a colon, which names of fields cannot have.
 */
void event_append_args(struct buffer *out, const struct timeline_event *event, unsigned int with,
		       bool names_ends);

struct recording;
struct timeline_machine;

/** labels_append - append an object with the labels of a recording; NULL for none */
void labels_append(struct buffer *out, const char *labels);
/** recording_append - append members after others: the properties of an output's bit, labels */
void recording_append(struct buffer *out, const struct recording *recording, unsigned int output);
/** machines_append - append a member, after others, with all of them; nothing for one recording */
void machines_append(struct buffer *out, const struct recording *recording);

/**
 * FOREIGN_END_FORMAT - the text of a TIMELINE_FOREIGN_END, made of its tracepoint: the problem and
 * its remedy in the driver
 */
#define FOREIGN_END_FORMAT                                                                        \
	"%s: a thread ended another thread's slice while slices overlapped; give each thread or " \
	"request its own scope or track name"

/** MALFORMED_FORMAT - the text of a TIMELINE_MALFORMED, made of its tracepoint and problem */
#define MALFORMED_FORMAT "malformed record of %s: %s"

/**
 * remark_append - append the text of a loss, a malformed record, a foreign end, a tracepoint or the
 * begin of the traced command; nothing for other events
 */
void remark_append(struct buffer *out, const struct timeline_event *event);

/** remark_set - the same, instead of what @out holds; returns it as a text */
struct text remark_set(struct buffer *out, const struct timeline_event *event);
/** message_set - set @out to the text, also to that of the begin or end of the traced command */
struct text message_set(struct buffer *out, const struct timeline_event *event);
/** loss_append_track - append the name of a loss' track: "lost records cpu 1 in first" */
void loss_append_track(struct buffer *out, const struct timeline_event *event);
/** fault_limit - fault_set() takes numbers below it */
size_t fault_limit(const struct timeline_totals *totals);

/**
 * fault_set - set @out to the text of a fault of the recording that no event reports
 * @counts_ticks: the trace clock does not count nanoseconds
 * @number: below fault_limit()
 *
 * Losses, suspect and incomplete slices are no such faults. Returns false if the recording does not
 * have the fault. A failure of @out stays.
 */
bool fault_set(struct buffer *out, const struct timeline_totals *totals, bool counts_ticks,
	       size_t number);

/**
 * VIEWER_DEPTH_MAX - Perfetto drops slices and instants below this many open slices, but not the
 * ends of such slices, which would close outer ones
 */
#define VIEWER_DEPTH_MAX 512

/**
 * csv_append_text - append a text as a field, in quotes if it needs them, as in RFC 4180
 *
 * The result is UTF-8 without control characters: these, and bytes that are not UTF-8, become
 * \\xNN or \\uNNNN. A text that spreadsheets would take for a formula begins with an apostrophe.
 */
void csv_append_text(struct buffer *out, struct text text);

/** base64_letters - the digits, by their value */
extern const char base64_letters[];
/** base64_append - append @bytes in base64, with padding */
void base64_append(struct buffer *out, struct text bytes);

/**
 * struct field_set - the first member of what an output makes once of the fields of a tracepoint,
 * found by an event. A category is not enough: that of events that no rule takes has all their
 * tracepoints.
 */
struct field_set {
	const struct timeline_category *category;
	const char *first; /* the name of the first field; its address identifies it */
};

/** FIELD_SETS_BITS, FIELD_SETS_RECENT - number of sets that are found without a call */
#define FIELD_SETS_BITS 8
#define FIELD_SETS_RECENT (1 << FIELD_SETS_BITS)

/** struct field_sets - all sets of an output; zeroed it is empty */
struct field_sets {
	struct map all;
	struct field_set *recent[FIELD_SETS_RECENT];
};

/** field_sets_look - field_sets_get() of a set that is not among the recent ones */
void *field_sets_look(struct field_sets *sets, const struct timeline_category *category,
		      const char *first, size_t size);

/** field_sets_index - index into the recent sets */
hot_inline size_t field_sets_index(const char *first)
{
	return (uintptr_t)first * UINT64_C(0x9e3779b97f4a7c15) >> (64 - FIELD_SETS_BITS);
}

/**
 * field_sets_get - the set of @event, which has a field
 * @size: of the output's own struct, which is zeros behind its first member at first
 *
 * Returns NULL if memory ran out.
 */
hot_inline void *field_sets_get(struct field_sets *sets, const struct timeline_event *event,
				size_t size)
{
	const struct timeline_category *category = event->track->category;
	const char *first = event->fields[0].name.data;
	struct field_set *recent = sets->recent[field_sets_index(first)];

	if (likely(recent && recent->first == first && recent->category == category))
		return recent;
	return field_sets_look(sets, category, first, size);
}

#endif
