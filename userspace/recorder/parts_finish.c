// SPDX-License-Identifier: GPL-2.0-only
/* How the parts of a recording begin, and how reading them ends. */
#include <unistd.h>

#include "recorder/parts.h"
#include "source/source.h"

/* Room for all options but the statistics, and for those of a CPU. */
#define OPTIONS_SIZE 2048
#define OPTION_SIZE 512

/* What is enabled in somebody's instance may change while we read it. */
static int list_begin(struct parts *parts, const struct recorder *recorder, struct buffer *list,
		      struct error *error)
{
	const char *directory = recorder_directory(recorder);

	if (recorder_is_attached(recorder))
		return parts_share(parts, directory, error) < 0
			       ? -1
			       : parts_list_all(parts, list, error);
	if (sight_open_list(&parts->sight, directory, error) < 0 ||
	    sight_list(&parts->sight, list, error) < 0)
		return -1;
	return parts_list_beside(parts, list, error);
}

static int formats_begin(struct parts *parts, const struct recorder *recorder, struct error *error)
{
	struct buffer list = { 0 };
	int status = list_begin(parts, recorder, &list, error);

	if (status == 0)
		status = parts_note_formats(parts, &list, error);
	buffer_release(&list);
	return status;
}

int parts_begin(struct parts *parts, const struct recorder *recorder,
		const struct recorder_mode *mode, struct error *error)
{
	parts->mode = mode;
	parts->id = parts_make_id(recorder_directory(recorder));
	if (parts_attach(parts, recorder, error) < 0)
		return -1;
	if (formats_begin(parts, recorder, error) < 0 || parts_note_now(parts, error) < 0)
		return -1;
	parts_reserve(parts, PART_OPTIONS, OPTIONS_SIZE + OPTION_SIZE * parts->nr_parts);
	return parts_note_instance(parts, recorder_name(recorder), error);
}

int parts_note_more(struct parts *parts, size_t *nr_doubtful, struct error *error)
{
	struct buffer list = { 0 };
	int status = sight_list(&parts->sight, &list, error);

	if (status == 0)
		status = parts_note_formats(parts, &list, error);
	buffer_release(&list);
	*nr_doubtful = formats_doubtful(&parts->formats);
	return status;
}

static bool page_read(struct parts *parts, const struct part *part, uint64_t offset)
{
	return offset < part->size &&
	       pread(part->fd, parts->page, parts->page_size, offset) == (ssize_t)parts->page_size;
}

/* Times of the first and the last record in one sub-buffer of a CPU. */
static bool part_times(struct parts *parts, const struct part *part, uint64_t offset,
		       int64_t *first_ns, int64_t *last_ns)
{
	return page_read(parts, part, offset) &&
	       source_page_look(parts->page, parts->page_size, first_ns, last_ns) > 0;
}

static uint64_t part_count(struct parts *parts, const struct part *part)
{
	uint64_t nr_records = 0;
	int64_t ignored;

	for (uint64_t offset = 0; page_read(parts, part, offset); offset += parts->page_size)
		nr_records += source_page_look(parts->page, parts->page_size, &ignored, &ignored);
	return nr_records;
}

/* What the kernel gave away, or still has, less what is in the file. */
static int in_flight_count(struct parts *parts, struct error *error)
{
	for (size_t i = 0; i < parts->nr_parts; i++) {
		struct part *part = &parts->list[i];
		struct statistics statistics;
		uint64_t nr_records = part_count(parts, part);

		if (part_statistics(parts, part, &statistics, error) < 0)
			return -1;
		if (statistics.read + statistics.unread > nr_records)
			part->in_flight = statistics.read + statistics.unread - nr_records;
	}
	return 0;
}

void parts_count(const struct parts *parts, struct source_counts *out)
{
	*out = (struct source_counts){ 0 };
	for (size_t i = 0; i < parts->nr_parts; i++) {
		const struct part *part = &parts->list[i];
		struct statistics now;
		struct error ignored;

		if (part->is_durable ||
		    statistics_load(&now, part->statistics_fd, part->cpu, &ignored) < 0)
			continue;
		out->read += now.read + now.unread;
		out->lost += now.overwritten + now.dropped;
		out->held_bytes += now.held_bytes;
	}
}

/* What one CPU does not have bounds what is complete of all of them. */
static void summary_add(struct parts_summary *summary, struct parts *parts, const struct part *part,
			const struct statistics *statistics)
{
	int64_t first_ns, last_ns, ignored;
	uint64_t *lost = part->is_durable ? &summary->lost_durable : &summary->lost;

	*lost += statistics->overwritten + statistics->dropped + part->in_flight;
	if (!parts->mode->is_read_at_end || part->is_durable)
		return;
	if (statistics->overwritten > 0 && part_times(parts, part, 0, &first_ns, &ignored) &&
	    (!summary->has_begin || first_ns > summary->begin_ns)) {
		summary->has_begin = true;
		summary->begin_ns = first_ns;
	}
	if (statistics->dropped > 0 && !parts->mode->overwrites &&
	    part_times(parts, part, part->size - parts->page_size, &ignored, &last_ns) &&
	    (!summary->has_end || last_ns < summary->end_ns)) {
		summary->has_end = true;
		summary->end_ns = last_ns;
	}
}

static int summary_make(struct parts_summary *summary, struct parts *parts, struct error *error)
{
	*summary = (struct parts_summary){ 0 };
	for (size_t i = 0; i < parts->nr_parts; i++) {
		struct statistics statistics;

		if (part_statistics(parts, &parts->list[i], &statistics, error) < 0)
			return -1;
		summary_add(summary, parts, &parts->list[i], &statistics);
	}
	return 0;
}

int parts_finish(struct parts *parts, struct parts_summary *summary, struct error *error)
{
	parts->is_kept = true;
	if (parts->is_shared && parts_seal(parts, error) < 0)
		return -1;
	if (parts_read_rest(parts, error) < 0)
		return -1;
	if (parts->is_taken_up && in_flight_count(parts, error) < 0)
		return -1;
	parts->is_counted = true;
	if (parts_note_now(parts, error) < 0 || parts_settle(parts, error) < 0)
		return -1;
	return summary_make(summary, parts, error);
}

void parts_abandon(struct parts *parts)
{
	struct error ignored = { 0 };
	struct buffer options = { 0 };

	if (!parts->is_kept || in_flight_count(parts, &ignored) < 0)
		return;
	parts->is_counted = true;
	if (trace_dat_put_options(&options, parts, &ignored) == 0 &&
	    parts_overwrite(parts, PART_OPTIONS, &options, &ignored) == 0)
		parts_settle(parts, &ignored);
	buffer_release(&options);
}
