// SPDX-License-Identifier: GPL-2.0-only
/* The options of a trace.dat: clock, date, kernel, writer, id, statistics. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "tracedat/layout.h"
#include "tracedat/spool.h"
#include "tracedat/writer.h"

static void put_option(struct buffer *out, enum trace_dat_option id, const void *data, size_t size)
{
	writer_put_u16(out, id);
	writer_put_u32(out, size);
	buffer_append(out, data, size);
}

/* Clears @text. */
static void put_text_option(struct buffer *out, enum trace_dat_option id, struct buffer *text)
{
	buffer_append_char(text, '\0');
	put_option(out, id, text->data, text->size);
	out->failed |= text->failed;
	buffer_clear(text);
}

/* The offset from the trace clock, in brackets among @clocks, to the wall clock in microseconds. */
static void put_date(struct buffer *out, const struct buffer *clocks)
{
	const char *begin = clocks->size ? memchr(clocks->data, '[', clocks->size) : NULL;
	const char *end = begin ? memchr(begin, ']', clocks->data + clocks->size - begin) : NULL;
	char name[32] = "";
	struct buffer text = { 0 };
	clockid_t clock;

	if (end && (size_t)(end - begin) <= sizeof(name))
		memcpy(name, begin + 1, end - begin - 1);
	if (!trace_clock_find(name, &clock))
		return;
	buffer_printf(&text, "0x%llx",
		      (unsigned long long)(time_wall_offset_ns(clock) / NS_PER_US));
	put_text_option(out, TRACE_DAT_DATE, &text);
	buffer_release(&text);
}

static void put_lines(struct buffer *text, const char *begin, struct text lines)
{
	while (lines.size > 0) {
		struct text line = text_take_line(&lines);

		if (text->size > 0 && text->data[text->size - 1] != '\n')
			buffer_append_char(text, '\n');
		buffer_printf(text, "%s%.*s\n", begin, (int)line.size, line.data);
	}
}

/* A line of its own, if the kernel has an estimate: its clock is disciplined by NTP or PTP. */
static void put_wall_error(struct buffer *text)
{
	int64_t error_ns = time_wall_error_ns();

	if (error_ns < 0)
		return;
	if (text->size > 0 && text->data[text->size - 1] != '\n')
		buffer_append_char(text, '\n');
	buffer_printf(text, TRACE_DAT_WALL_ERROR "%lld\n", (long long)error_ns);
}

static void put_names(struct buffer *out, const struct spool_origin *origin, struct buffer *text)
{
	struct utsname kernel;

	if (uname(&kernel) == 0) {
		buffer_printf(text, "%s %s %s %s", kernel.sysname, kernel.nodename, kernel.release,
			      kernel.machine);
		put_text_option(out, TRACE_DAT_UNAME, text);
	}
	buffer_printf(text,
		      TRACE_DAT_KTRACK KTRACK_VERSION TRACE_DAT_THREAD "%d" TRACE_DAT_CHECKSUMS,
		      origin->writer);
	if (origin->workload.size > 0) {
		buffer_append_string(text, TRACE_DAT_WORKLOAD);
		buffer_append(text, origin->workload.data, origin->workload.size);
	}
	if (origin->narrow.size > 0) {
		buffer_append_string(text, TRACE_DAT_NARROW);
		buffer_append(text, origin->narrow.data, origin->narrow.size);
	}
	/* On lines of their own, so that no rule looks like a word of the first line. */
	if (origin->rules.size > 0) {
		buffer_append_char(text, '\n');
		buffer_append(text, origin->rules.data, origin->rules.size);
	}
	put_wall_error(text);
	put_lines(text, TRACE_DAT_LABEL, buffer_text(&origin->labels));
	put_lines(text, TRACE_DAT_TRIGGER, buffer_text(&origin->triggers));
	put_text_option(out, TRACE_DAT_WRITER, text);
}

/* The kernel's text; for records in memory, and for a shared instance the differences in the same
 * form. */
static int statistics_append(struct buffer *text, const struct spool *spool,
			     const struct spool_file *file, struct error *error)
{
	struct statistics statistics;

	if (file->has_part) {
		buffer_printf(text, "overrun: %llu\ndropped events: 0\nread events: %llu\n",
			      (unsigned long long)file->part.lost,
			      (unsigned long long)file->part.nr_records);
		return 0;
	}
	if (!spool->is_shared && !file->is_programs)
		return statistics_text(file->buffer ? file->buffer->statistics_fd : -1, file->cpu,
				       text, error);
	if (spool_file_statistics(spool, file, &statistics, error) < 0)
		return -1;
	buffer_printf(text, "overrun: %llu\ndropped events: %llu\nread events: %llu\n",
		      (unsigned long long)statistics.overwritten,
		      (unsigned long long)statistics.dropped, (unsigned long long)statistics.read);
	return 0;
}

/* False if the kernel emptied the buffer, or it is not read any more. */
static bool losses_are_counted(const struct spool *spool, const struct spool_file *file)
{
	bool is_incomplete = spool->origin.is_incomplete && !file->is_sideband;
	struct programs_counts counts;

	if (file->has_part)
		return !file->part.has_unknown;
	if (file->is_programs && spool->programs) {
		programs_count(spool->programs, &counts);
		return spool->is_counted && !counts.is_damaged;
	}
	return spool->is_counted && !is_incomplete && !file->is_uncounted && file->buffer;
}

static int put_cpu_statistics(struct buffer *out, const struct spool *spool,
			      const struct spool_file *file, struct buffer *text,
			      struct error *error)
{
	buffer_printf(text, TRACE_DAT_CPU_HEADING "%d\n", file->cpu);
	if (statistics_append(text, spool, file, error) < 0)
		return -1;
	if (text->size > 0 && text->data[text->size - 1] != '\n')
		buffer_append_char(text, '\n');
	if (!losses_are_counted(spool, file))
		buffer_printf(text, STATISTICS_IN_FLIGHT ": " STATISTICS_UNKNOWN "\n");
	else if (file->in_flight > 0)
		buffer_printf(text, STATISTICS_IN_FLIGHT ": %llu\n",
			      (unsigned long long)file->in_flight);
	/* Other programs may read a shared instance, or change its mode. */
	if (spool_file_is_deferred(spool, file) && !spool->is_shared)
		buffer_printf(text, STATISTICS_MODE ": %s\n", spool->origin.mode->name);
	put_text_option(out, TRACE_DAT_CPU_STATISTICS, text);
	return 0;
}

static int put_statistics(struct buffer *out, const struct spool *spool, bool is_sideband,
			  struct buffer *text, struct error *error)
{
	for (size_t i = 0; i < spool->nr_files; i++) {
		const struct spool_file *file = &spool->files[i];

		if (file->is_sideband == is_sideband && !file->is_programs &&
		    put_cpu_statistics(out, spool, file, text, error) < 0)
			return -1;
	}
	return 0;
}

static int put_all_statistics(struct buffer *out, const struct spool *spool, struct buffer *text,
			      struct error *error)
{
	const struct spool_file *programs = spool_programs_file(spool);

	if (put_statistics(out, spool, false, text, error) < 0)
		return -1;
	if (programs) {
		buffer_append_string(text, TRACE_DAT_BUFFER_HEADING PROGRAMS_BUFFER "\n");
		put_text_option(out, TRACE_DAT_CPU_STATISTICS, text);
		if (put_cpu_statistics(out, spool, programs, text, error) < 0)
			return -1;
	}
	if (!spool->instance.sideband || !writer_has_sideband(spool))
		return 0;
	buffer_append_string(text, TRACE_DAT_BUFFER_HEADING TRACE_DAT_SIDEBAND "\n");
	put_text_option(out, TRACE_DAT_CPU_STATISTICS, text);
	return put_statistics(out, spool, true, text, error);
}

int writer_put_machine(struct buffer *out, const struct spool *spool, struct error *error)
{
	struct buffer text = { 0 };
	int status = instance_files_clock(&spool->instance, &text, error);

	if (status == 0) {
		put_date(out, &text);
		put_text_option(out, TRACE_DAT_CLOCK, &text);
		put_names(out, &spool->origin, &text);
		put_option(out, TRACE_DAT_ID, &spool->origin.id, sizeof(spool->origin.id));
	}
	buffer_release(&text);
	return status;
}

int writer_put_options(struct buffer *out, const struct spool *spool, struct error *error)
{
	struct buffer text = { 0 };
	int status = 0;

	if (spool->machine.size > 0)
		buffer_append(out, spool->machine.data, spool->machine.size);
	else
		status = writer_put_machine(out, spool, error);
	if (status == 0)
		status = put_all_statistics(out, spool, &text, error);
	buffer_release(&text);
	return status;
}
