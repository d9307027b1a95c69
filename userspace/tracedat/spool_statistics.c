// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts recorded and lost records. An instance of another program has statistics from before the
 * recording, and continues after it: both are subtracted.
 */
#include "tracedat/spool.h"

#include <unistd.h>

int spool_check_sub_buffers(const struct spool *spool, const char *directory, struct error *error)
{
	uint64_t sub_buffer_kib = instance_number(directory, "buffer_subbuf_size_kb");

	if (sub_buffer_kib == 0 || sub_buffer_kib * 1024 == spool->pipe.page_size)
		return 0;
	return error_set(error,
			 "%s: its sub-buffers are not pages; set buffer_subbuf_size_kb to %zu",
			 directory, spool->pipe.page_size / 1024);
}

int spool_share(struct spool *spool, const char *directory, struct error *error)
{
	spool->is_shared = true;
	if (spool_check_sub_buffers(spool, directory, error) < 0)
		return -1;
	buffer_reader_share(spool->reader);
	return 0;
}

int spool_freeze(struct spool *spool, struct error *error)
{
	if (buffer_reader_freeze(spool->reader, error) < 0)
		return -1;
	buffer_reader_limit(spool->reader);
	return 0;
}

int spool_file_statistics(const struct spool *spool, const struct spool_file *file,
			  struct statistics *out, struct error *error)
{
	struct programs_counts counts;

	*out = (struct statistics){ 0 };
	if (file->is_programs && spool->programs) {
		programs_count(spool->programs, &counts);
		out->read = counts.read;
		out->overwritten = counts.lost;
		return 0;
	}
	if (file->buffer && cpu_buffer_account(file->buffer, out, error) < 0)
		return -1;
	if (spool->is_shared)
		out->unread = 0;
	return 0;
}

/* Unread records will be recorded, too. */
void spool_count(const struct spool *spool, struct buffer_counts *out)
{
	struct programs_counts counts = { 0 };

	*out = (struct buffer_counts){ 0 };
	if (spool->reader)
		buffer_reader_count(spool->reader, out);
	if (spool->programs)
		programs_count(spool->programs, &counts);
	out->read += out->unread + counts.read;
	out->lost += counts.lost;
}

static bool sub_buffer_read(const struct spool *spool, const struct spool_file *file,
			    uint64_t offset)
{
	const struct spool_pipe *pipe = &spool->pipe;

	return offset < file->size && file_read_block(file->fd, pipe->page, pipe->page_size,
						      offset) == (ssize_t)pipe->page_size;
}

static bool sub_buffer_times(const struct spool *spool, const struct spool_file *file,
			     uint64_t offset, int64_t *first_ns, int64_t *last_ns)
{
	return sub_buffer_read(spool, file, offset) &&
	       page_look(spool->pipe.page, spool->pipe.page_size, first_ns, last_ns) > 0;
}

uint64_t spool_file_count(const struct spool *spool, const struct spool_file *file)
{
	size_t page_size = spool->pipe.page_size;
	uint64_t nr_records = 0;
	int64_t ignored;

	for (uint64_t offset = 0; sub_buffer_read(spool, file, offset); offset += page_size)
		nr_records += page_look(spool->pipe.page, page_size, &ignored, &ignored);
	return nr_records;
}

int spool_count_in_flight(struct spool *spool, struct error *error)
{
	for (size_t i = 0; i < spool->nr_files; i++) {
		struct spool_file *file = &spool->files[i];
		struct statistics statistics;
		uint64_t nr_records = spool_file_count(spool, file);

		if (spool_file_statistics(spool, file, &statistics, error) < 0)
			return -1;
		if (statistics.read + statistics.unread > nr_records)
			file->in_flight = statistics.read + statistics.unread - nr_records;
	}
	return 0;
}

/* The CPU that lost most limits the time in which all CPUs are complete. */
static void summary_add(struct spool_summary *summary, const struct spool *spool,
			const struct spool_file *file, const struct statistics *statistics)
{
	int64_t first_ns, last_ns, ignored;
	uint64_t *lost = file->is_sideband ? &summary->lost_sideband : &summary->lost;

	*lost += statistics->overwritten + statistics->dropped + file->in_flight;
	if (!spool_file_is_deferred(spool, file))
		return;
	if (statistics->overwritten > 0 && sub_buffer_times(spool, file, 0, &first_ns, &ignored) &&
	    (!summary->has_begin || first_ns > summary->begin_ns)) {
		summary->has_begin = true;
		summary->begin_ns = first_ns;
	}
	if (statistics->dropped > 0 && !spool->origin.mode->overwrites &&
	    sub_buffer_times(spool, file, file->size - spool->pipe.page_size, &ignored, &last_ns) &&
	    (!summary->has_end || last_ns < summary->end_ns)) {
		summary->has_end = true;
		summary->end_ns = last_ns;
	}
}

int spool_summarize(const struct spool *spool, struct spool_summary *summary, struct error *error)
{
	*summary = (struct spool_summary){ 0 };
	for (size_t i = 0; i < spool->nr_files; i++) {
		struct statistics statistics;

		if (spool_file_statistics(spool, &spool->files[i], &statistics, error) < 0)
			return -1;
		summary_add(summary, spool, &spool->files[i], &statistics);
	}
	return 0;
}
