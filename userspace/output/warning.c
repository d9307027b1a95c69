// SPDX-License-Identifier: GPL-2.0-only
/* Reports lost records in one line (how many, in how many gaps, the remedy), and what is wrong with
 * clocks. */
#include "output/warning.h"

#include <string.h>

#include "output/outputs.h"
#include "timeline/timeline.h"
#include "userring/userring.h"

/* The suggested buffer is larger by this factor. */
#define MORE_FACTOR 8

static void advice_append(struct buffer *line, const struct loss_summary *summary)
{
	uint64_t kib = summary->buffer_kib;
	uint64_t more = kib < BUFFER_KIB_MAX / MORE_FACTOR ? MORE_FACTOR * kib : BUFFER_KIB_MAX;

	if (kib == 0 || kib >= BUFFER_KIB_MAX)
		return;
	buffer_printf(line, "; %llu KiB for each CPU are too small, ", (unsigned long long)kib);
	if (summary->is_attached)
		buffer_printf(line, "write a larger number to the instance's buffer_size_kb");
	else
		buffer_printf(line, "try -b %llu", (unsigned long long)more);
}

static void programs_advice_append(struct buffer *line, const struct loss_summary *summary)
{
	if (summary->programs_lost == 0)
		return;
	buffer_printf(line, "; %llu did not fit into rings of programs, ",
		      (unsigned long long)summary->programs_lost);
	if (summary->program_ring_kib > 0 && summary->program_ring_kib < PROGRAM_RING_KIB)
		buffer_printf(line, "try a larger --program-ring than %lluk",
			      (unsigned long long)summary->program_ring_kib);
	else
		buffer_printf(line, "build these with a larger KTRACK_USER_RING_SIZE");
}

void loss_summary_report(const struct loss_summary *summary, const struct report *report)
{
	struct buffer line = { 0 };

	if (!summary->has_lost)
		return;
	if (summary->object)
		buffer_printf(&line, "%s: ", summary->object);
	timeline_append_loss(&line, summary->records, summary->gaps, summary->gaps_unknown);
	advice_append(&line, summary);
	programs_advice_append(&line, summary);
	if (summary->is_failure)
		buffer_printf(&line, "; exit status %d because of --fail-on-loss", STATUS_LOST);
	if (!line.failed)
		report_message(report, "%s", buffer_string(&line));
	buffer_release(&line);
}

void loss_report_sideband(uint64_t lost, const struct report *report)
{
	if (lost > 0)
		report_message(report, "lost %llu records about threads; thread names may be wrong",
			       (unsigned long long)lost);
}

static const char *wall_clock_remedy(const char *clock, bool is_live)
{
	if (is_live)
		return "record without --instance, with --clock=boot, or into a file and export "
		       "that with --wall-clock=TIME";
	/* It has the right clock, and only its offset from the wall clock is unknown. */
	if (strcmp(clock, "boot") == 0)
		return "give --wall-clock=TIME, or record with 'ktrack record'";
	return "give --wall-clock=TIME, or record with 'ktrack record --clock=boot'";
}

/* Each CPU counts the clock local by itself. */
void clock_order_check(const struct recording *recording, const struct report *report)
{
	if (strcmp(recording->clock, "local") == 0 && recording->nr_cpus > 1)
		report_message(report,
			       "%s: the clock local differs between CPUs: the order of their "
			       "records, and durations of slices across CPUs, may be wrong; record "
			       "with the clock boot",
			       recording->source);
}

void wall_clock_check(const struct recording *recording, bool is_live, const struct report *report)
{
	if (strcmp(recording->time_source, "none") != 0)
		return;
	report_message(report, "%s: the wall clock is unknown (clock %s), times begin in 1970; %s",
		       recording->source, recording->clock,
		       wall_clock_remedy(recording->clock, is_live));
}
