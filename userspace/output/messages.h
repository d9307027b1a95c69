/* SPDX-License-Identifier: GPL-2.0-only */
/* What a run reports: progress, losses, and on a terminal the last line. */
#ifndef OUTPUT_MESSAGES_H
#define OUTPUT_MESSAGES_H

#include "base/base.h"
#include "output/outputs.h"
#include "reader/reader.h"
#include "timeline/timeline.h"

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

/**
 * struct transfer - an operation on a file or on buffers
 * @bytes: for the modules that read or write
 * @report: shows the line; NULL if progress is off
 * @object: begins the line
 * @nr_events: number of track events until now, NULL if none are counted
 * @begin_ns: of the operation
 * @shown_ns: when the line was shown last, 0 if it is not shown
 */
struct transfer {
	struct byte_progress bytes;
	const struct report *report;
	const char *object;
	const uint64_t *nr_events;
	int64_t begin_ns;
	int64_t shown_ns;
};

/**
 * transfer_begin - begin an operation
 * @report: without a terminal, nothing is shown
 *
 * Returns what counts the bytes, or NULL if progress is off.
 */
struct byte_progress *transfer_begin(struct transfer *transfer, const struct report *report,
				     const char *object, const uint64_t *nr_events);

/** transfer_note - show that bytes are no longer counted, if the line is shown */
void transfer_note(struct transfer *transfer, const char *doing);

/** transfer_wait - show what the operation waits for; called again and again while it waits */
void transfer_wait(struct transfer *transfer, const char *what);

/** transfer_end - remove the line; the operation may begin again */
void transfer_end(struct transfer *transfer);

/** BUFFER_KIB_MAX - largest ring buffer of a CPU, 64 GiB */
#define BUFFER_KIB_MAX (64 * 1024 * 1024)

/**
 * struct loss_summary - the lost records of a run
 * @object: a file, a source or an instance; NULL for the run itself
 * @has_lost: @records or gaps of unknown size; otherwise nothing is reported
 * @records: number as in all outputs; 0 if unknown
 * @gaps: 0 if unknown
 * @gaps_unknown: gaps of unknown size
 * @buffer_kib: size of a ring buffer that was too small; 0 if its size is not the reason
 * @programs_lost: records among these that did not fit into rings of programs
 * @program_ring_kib: as of struct capture_settings
 * @is_attached: the buffer belongs to an existing instance
 * @is_failure: --fail-on-loss makes the loss the exit status
 */
struct loss_summary {
	const char *object;
	bool has_lost;
	uint64_t records;
	uint64_t gaps;
	uint64_t gaps_unknown;
	uint64_t buffer_kib;
	uint64_t programs_lost;
	uint64_t program_ring_kib;
	bool is_attached;
	bool is_failure;
};

/** loss_summary_report - report the loss, if there is one */
void loss_summary_report(const struct loss_summary *summary, const struct report *report);

/** loss_report_sideband - report @lost records of the sideband buffer, if there are any */
void loss_report_sideband(uint64_t lost, const struct report *report);

/**
 * wall_clock_check - report a recording whose times are not those of the wall clock
 * @is_live: of an instance that is read now
 */
void wall_clock_check(const struct recording *recording, bool is_live, const struct report *report);

/** clock_order_check - report a recording whose CPUs have clocks of their own */
void clock_order_check(const struct recording *recording, const struct report *report);

#endif
