/* SPDX-License-Identifier: GPL-2.0-only */
/* The line on standard error about lost records. */
#ifndef CLI_LOSS_H
#define CLI_LOSS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct loss_report - what a run lost, and what to do about it
 * @object: a file, a source or an instance; NULL for the run itself
 * @has_lost: @records or gaps of unknown size; without it nothing is printed
 * @records: how many, as all outputs show it; 0 for an unknown number
 * @gaps: how many gaps these left; 0 if nobody counted them
 * @gaps_unknown: how many of these are of unknown size
 * @buffer_kib: the size of a ring buffer that was too small; 0 if its size is not the reason
 * @is_attached: the buffer is that of an instance which somebody else set up
 * @is_failure: --fail-on-loss makes it the exit status
 */
struct loss_report {
	const char *object;
	bool has_lost;
	uint64_t records;
	uint64_t gaps;
	uint64_t gaps_unknown;
	uint64_t buffer_kib;
	bool is_attached;
	bool is_failure;
};

/** loss_print - print the line, if anything was lost */
void loss_print(const struct loss_report *report);

#endif
