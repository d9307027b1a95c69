/* SPDX-License-Identifier: GPL-2.0-only */
/* Warnings about a recording: lost records, and an unknown wall clock. */
#ifndef OUTPUT_WARNING_H
#define OUTPUT_WARNING_H

#include "base/base.h"
#include "timeline/timeline.h"

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
