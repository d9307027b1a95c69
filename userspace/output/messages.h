/* SPDX-License-Identifier: GPL-2.0-only */
/* The last line of a run on a terminal: what was written, what was lost, what to try next. */
#ifndef OUTPUT_CLOSING_H
#define OUTPUT_CLOSING_H

#include "output/outputs.h"
#include "reader/reader.h"

/**
 * struct closing - a run that ended well
 * @object: what was written or read
 * @count: number of @things: "event", "record"
 * @lost: records
 * @has_lost: also if @lost is 0, because gaps have an unknown size
 */
struct closing {
	const char *object;
	uint64_t count;
	const char *things;
	bool has_lost;
	uint64_t lost;
	uint64_t gaps;
	uint64_t gaps_unknown;
};

/**
 * sudo_prefix - what to print before a command that records
 *
 * Returns "sudo " if ktrack was started by sudo(8), otherwise "".
 */
const char *sudo_prefix(void);

/** closing_report - print the line, if @report has a terminal; @next is a command or an advice */
void closing_report(const struct closing *closing, const char *next, const struct report *report);

/**
 * pipeline_report_end - print the line for the events of a run
 * @source: named if all outputs are on standard output
 */
void pipeline_report_end(const struct pipeline_counts *counts,
			 const struct output_settings *outputs, const char *source,
			 const char *next, const struct report *report);

/** closing_append_view - append how to open the first file for a viewer; false if there is none */
bool closing_append_view(struct buffer *out, const struct output_settings *outputs);

/** closing_append_command - append "ktrack COMMAND SELECTION SOURCE" for the selection of a run */
void closing_append_command(struct buffer *out, const char *command,
			    const struct selection *selection, const char *source);

#endif
