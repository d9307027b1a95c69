/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Public header of tracetext/: reads ftrace's text, as files of tracefs, trace-cmd report and
 * systrace have it, as records of formats that it makes of a table of forms.
 */
#ifndef TRACETEXT_TRACETEXT_H
#define TRACETEXT_TRACETEXT_H

#include "base/base.h"
#include "event/event.h"
#include "tracefs/page.h"
#include "tracefs/tracefs.h"

struct trace_text;

/** TRACE_TEXT_HEAD - bytes at the beginning of an input that show whether it is ftrace's text */
#define TRACE_TEXT_HEAD 65536

/** trace_text_matches - whether an input that begins with these bytes is ftrace's text */
bool trace_text_matches(struct text head);

/**
 * trace_text_open - read a whole text, and keep its records in an unnamed temporary file
 * @out: for trace_text_close(); NULL on failure
 * @fd: a file; it is closed, whatever is returned
 * @name: of the input, for messages
 * @progress: counts the bytes; NULL for none
 *
 * Memory depends on the number of CPUs, events and threads, which are limited, not on the length.
 * Returns 0, or -1 with @error.
 */
int trace_text_open(struct trace_text **out, int fd, const char *name,
		    struct byte_progress *progress, struct error *error);

/** trace_text_close - close the text and its streams; NULL is fine */
void trace_text_close(struct trace_text *text);

/** trace_text_describe - properties of the text; borrowed from it */
const struct recording *trace_text_describe(const struct trace_text *text);

/** trace_text_streams - one stream for each CPU, sorted; the text owns them */
struct stream *trace_text_streams(struct trace_text *text, size_t *nr_streams);

/** trace_text_visit - visit the formats of its events; returns the visitor's last result */
int trace_text_visit(struct trace_text *text, const struct tracepoint_visitor *visitor,
		     struct error *error);

/** trace_text_find_task - look up a thread among those that wrote records; @out is zeroed */
void trace_text_find_task(const struct trace_text *text, int tid, struct thread_identity *out);

/** trace_text_lack - what a recording has and the text has not, for a message */
const char *trace_text_lack(const struct trace_text *text);

/** trace_text_damage - what could not be read, NULL if there was no problem; lives as long */
const char *trace_text_damage(const struct trace_text *text);

#endif
