// SPDX-License-Identifier: GPL-2.0-only
/*
 * Words what a run reports: progress, losses, the last line, and which part of a recording is
 * complete.
 */
#include "output/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "userring/userring.h"

void closing_report(const struct closing *closing, const char *next, const struct report *report)
{
	SCOPED_BUFFER(line);

	if (closing->count == 0 && !closing->has_lost && closing->empty) {
		report_closing(report, "%s: no %ss: %s", closing->object, closing->things,
			       closing->empty);
		return;
	}
	buffer_printf(&line, "%s: %llu %s%s, ", closing->object, (unsigned long long)closing->count,
		      closing->things, closing->count == 1 ? "" : "s");
	if (closing->has_lost)
		timeline_append_loss(&line, closing->lost, closing->gaps, closing->gaps_unknown);
	else
		buffer_append_string(&line, "nothing lost");
	report_closing(report, "%s; next: %s", buffer_string(&line), next);
}

static bool target_is_file(const struct output_settings *outputs, size_t kind)
{
	const char *target = outputs->targets[kind];

	return target && strcmp(target, "-") != 0;
}

void pipeline_report_end(const struct pipeline_counts *counts,
			 const struct output_settings *outputs, const char *source,
			 const char *next, const char *empty, const struct report *report)
{
	SCOPED_BUFFER(object);
	struct closing closing = {
		.count = counts->nr_events,
		.things = "event",
		.has_lost = counts->has_lost,
		.lost = counts->lost,
		.gaps = counts->nr_gaps,
		.gaps_unknown = counts->nr_gaps_unknown,
		.empty = empty,
	};

	for (size_t i = 0; i < sink_kinds_count; i++) {
		if (target_is_file(outputs, i))
			buffer_printf(&object, "%s%s", object.size > 0 ? ", " : "",
				      outputs->targets[i]);
	}
	closing.object = object.size > 0 ? buffer_string(&object) : source;
	closing_report(&closing, next, report);
}

bool closing_append_view(struct buffer *out, const struct output_settings *outputs)
{
	size_t found = sink_kinds_count;

	/* The last kinds need no other program. */
	for (size_t i = 0; i < sink_kinds_count; i++) {
		if (target_is_file(outputs, i) && sink_kinds[i]->viewer &&
		    !output_is_compressed(outputs->targets[i]))
			found = i;
	}
	if (found == sink_kinds_count)
		return false;
	buffer_printf(out, "open %s in %s", outputs->targets[found], sink_kinds[found]->viewer);
	return true;
}

const char *sudo_prefix(void)
{
	return getenv("SUDO_UID") ? "sudo " : "";
}

void closing_append_command(struct buffer *out, const char *command,
			    const struct selection *selection, const char *source)
{
	buffer_printf(out, "ktrack %s", command);
	/* With rules alone, the tracepoints that follow the convention have no tracks. */
	if (selection->rule_words.size > 0)
		selection_append_options(selection, out);
	if (!source)
		return;
	buffer_append_char(out, ' ');
	buffer_append_word(out, source);
}

/* Words the progress line of reading and writing files and buffers, and of waiting. */

/* Shorter operations show nothing. */
#define QUIET_NS NS_PER_S
#define SHOW_EVERY_NS (500 * NS_PER_MS)
#define MIB (1024.0 * 1024.0)

static void transfer_show(struct transfer *transfer, struct buffer *line, int64_t now_ns)
{
	transfer->report->progress(transfer->report->context, buffer_string(line));
	transfer->shown_ns = now_ns;
}

static bool transfer_is_due(const struct transfer *transfer, int64_t now_ns)
{
	return transfer->report && now_ns - transfer->begin_ns >= QUIET_NS &&
	       now_ns - transfer->shown_ns >= SHOW_EVERY_NS;
}

static void transfer_advance(void *context, uint64_t done, uint64_t total)
{
	struct transfer *transfer = context;
	int64_t now_ns = time_now_ns(CLOCK_MONOTONIC);
	SCOPED_BUFFER(line);

	if (!transfer_is_due(transfer, now_ns))
		return;
	buffer_printf(&line, "%s: ", transfer->object);
	if (total > 0)
		buffer_printf(&line, "%.0f%% of ", 100.0 * (double)done / (double)total);
	buffer_printf(&line, "%.1f MiB", (double)(total > 0 ? total : done) / MIB);
	if (transfer->nr_events)
		buffer_printf(&line, ", %llu events", (unsigned long long)*transfer->nr_events);
	transfer_show(transfer, &line, now_ns);
}

struct byte_progress *transfer_begin(struct transfer *transfer, const struct report *report,
				     const char *object, const uint64_t *nr_events)
{
	*transfer = (struct transfer){
		.bytes = { .advanced = transfer_advance, .context = transfer },
		.report = report && report->progress ? report : NULL,
		.object = object,
		.nr_events = nr_events,
		.begin_ns = time_now_ns(CLOCK_MONOTONIC),
	};
	return transfer->report ? &transfer->bytes : NULL;
}

static void transfer_show_text(struct transfer *transfer, const char *text, int64_t now_ns)
{
	SCOPED_BUFFER(line);

	buffer_printf(&line, "%s: %s", transfer->object, text);
	transfer_show(transfer, &line, now_ns);
}

void transfer_note(struct transfer *transfer, const char *doing)
{
	if (transfer->shown_ns != 0)
		transfer_show_text(transfer, doing, transfer->shown_ns);
}

void transfer_wait(struct transfer *transfer, const char *what)
{
	int64_t now_ns = time_now_ns(CLOCK_MONOTONIC);

	if (transfer_is_due(transfer, now_ns))
		transfer_show_text(transfer, what, now_ns);
}

void transfer_end(struct transfer *transfer)
{
	if (transfer->shown_ns != 0)
		transfer->report->progress(transfer->report->context, "");
	transfer->shown_ns = 0;
}

/* Reports lost records in one line (how many, in how many gaps, the remedy), and what is wrong with
 * clocks. */

/* The suggested buffer is larger by this factor. */
#define MORE_FACTOR 8

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
	uint64_t kib = summary->buffer_kib;
	uint64_t option = summary->option_kib > 0 ? summary->option_kib : kib;
	uint64_t more = option < BUFFER_KIB_MAX / MORE_FACTOR ? MORE_FACTOR * option
							      : BUFFER_KIB_MAX;
	SCOPED_BUFFER(line);

	if (!summary->has_lost)
		return;
	if (summary->object)
		buffer_printf(&line, "%s: ", summary->object);
	timeline_append_loss(&line, summary->records, summary->gaps, summary->gaps_unknown);
	if (summary->has_convention)
		buffer_printf(&line, ", %llu of the convention's tracepoints",
			      (unsigned long long)summary->convention_lost);
	if (kib > 0 && kib < BUFFER_KIB_MAX) {
		buffer_printf(&line, "; %llu KiB for each CPU are too small, ",
			      (unsigned long long)kib);
		if (summary->is_attached)
			buffer_append_string(
				&line, "write a larger number to the instance's buffer_size_kb");
		else
			buffer_printf(&line, "try -b %llu%s", (unsigned long long)more,
				      summary->is_default ? ", or -r convention for drivers alone"
							  : "");
	}
	programs_advice_append(&line, summary);
	if (summary->is_failure)
		buffer_printf(&line, "; exit status %d because of --fail-on-loss", STATUS_LOST);
	if (!line.failed)
		report_message(report, "%s", buffer_string(&line));
}

void loss_report_sideband(uint64_t lost, const struct report *report)
{
	if (lost > 0)
		report_message(report, "lost %llu records about threads; thread names may be wrong",
			       (unsigned long long)lost);
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
	const char *remedy = "give --wall-clock=TIME, or record with 'ktrack record --clock=boot'";

	if (strcmp(recording->time_source, "none") != 0)
		return;
	if (is_live)
		remedy = "record without --instance, with --clock=boot, or into a file and export "
			 "that with --wall-clock=TIME";
	else if (strcmp(recording->clock, "boot") == 0)
		/* Only the offset from the wall clock is unknown. */
		remedy = "give --wall-clock=TIME, or record with 'ktrack record'";
	report_message(report, "%s: the wall clock is unknown (clock %s), times begin in 1970; %s",
		       recording->source, recording->clock, remedy);
}

struct spool_owner spool_owner_find(void)
{
	struct spool_owner owner = { .is_other = false };
	unsigned int user, group;

	if (output_owner(&user, &group))
		owner = (struct spool_owner){ .is_other = true, .user = user, .group = group };
	return owner;
}

static void moment_report(const char *preposition, int64_t time_ns, const char *path,
			  const struct report *report)
{
	SCOPED_BUFFER(text);

	buffer_append_decimal(&text, time_ns, 9);
	report_message(report, "%s is complete %s %s on the trace's clock", path, preposition,
		       buffer_string(&text));
}

void spool_report_span(const struct spool_summary *summary, const char *path,
		       const struct report *report)
{
	loss_report_sideband(summary->lost_sideband, report);
	if (summary->has_begin)
		moment_report("from", summary->begin_ns, path, report);
	if (summary->has_end)
		moment_report("up to", summary->end_ns, path, report);
}

#define SUFFIX ".spool"

static bool is_spool_folder(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

size_t spool_target_size(const char *path)
{
	size_t size = strlen(path);

	while (size > 1 && path[size - 1] == '/')
		size--;
	if (size <= strlen(SUFFIX) ||
	    memcmp(path + size - strlen(SUFFIX), SUFFIX, strlen(SUFFIX)) != 0)
		return 0;
	return is_spool_folder(path) ? size - strlen(SUFFIX) : 0;
}

int spool_refuse_killed(const char *path, struct error *error)
{
	size_t size = spool_target_size(path);
	struct buffer folder = { 0 };
	bool is_unfinished;

	if (size == 0) {
		buffer_append(&folder, path, path_base_name(path) - path);
		size = spool_target_size(buffer_string(&folder));
		buffer_clear(&folder);
	}
	is_unfinished = size > 0;
	if (!is_unfinished && access(path, F_OK) < 0) {
		size = strlen(path);
		buffer_printf(&folder, "%s" SUFFIX, path);
		is_unfinished = is_spool_folder(buffer_string(&folder));
	}
	buffer_release(&folder);
	if (!is_unfinished)
		return 0;
	return error_set(error,
			 "%s: raw records of a recording that was killed or still runs; 'ktrack "
			 "recover %.*s' makes a trace.dat of them",
			 path, (int)size, path);
}
