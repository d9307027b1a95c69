/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts of trace_marker in the form of Android's atrace: "B|PID|NAME", "E|PID", ... */
#ifndef RULES_MARKER_TEXT_H
#define RULES_MARKER_TEXT_H

#include <stdint.h>

#include "base/base.h"

/**
 * enum marker_kind - meaning of a text
 * @MARKER_BEGIN, @MARKER_END: a slice on the stack of the thread that wrote it
 * @MARKER_ASYNC_BEGIN, @MARKER_ASYNC_END: a slice of a process, by name and cookie
 * @MARKER_TRACK_BEGIN, @MARKER_TRACK_END: a slice of a named track of a process, by cookie
 * @MARKER_TRACK_INSTANT: an instant on a named track of a process
 * @MARKER_TEXT: any other text
 */
enum marker_kind {
	MARKER_BEGIN,
	MARKER_END,
	MARKER_COUNTER,
	MARKER_ASYNC_BEGIN,
	MARKER_ASYNC_END,
	MARKER_TRACK_BEGIN,
	MARKER_TRACK_END,
	MARKER_INSTANT,
	MARKER_TRACK_INSTANT,
	MARKER_TEXT,
	MARKER_KIND_COUNT
};

/**
 * struct marker_text - a parsed text
 * @pid: the process that it names, 0 if none
 * @name: of the slice, instant or counter; all of a MARKER_TEXT; borrowed, like @track
 * @track: of the tracks that have a name
 * @value: of a counter; the cookie of a slice that has one
 */
struct marker_text {
	enum marker_kind kind;
	int32_t pid;
	struct text name;
	struct text track;
	int64_t value;
};

/** marker_text_parse - parse a text, which may be hostile; newlines at its end are removed */
void marker_text_parse(struct text text, struct marker_text *out);

#endif
