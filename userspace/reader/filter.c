// SPDX-License-Identifier: GPL-2.0-only
/* Matches records with a filter. */
#include "reader/filter.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

bool filter_is_open(const struct filter *filter)
{
	return filter_has_all_threads(filter) && !filter_has_times(filter);
}

bool filter_has_all_threads(const struct filter *filter)
{
	return !filter->track && !filter->buffer && !filter->has_cpu && !filter->has_pid;
}

void filter_name(const struct filter *filter, struct buffer *out)
{
	const struct {
		bool is_set;
		const char *option;
	} options[] = {
		{ filter->track, "--track" },	   { filter->has_cpu, "--cpu" },
		{ filter->has_pid, "--pid" },	   { filter->buffer, "--buffer" },
		{ filter->from_ns > 0, "--from" }, { filter->to_ns > 0, "--to" },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (options[i].is_set)
			buffer_printf(out, "%s%s", out->size > 0 ? ", " : "", options[i].option);
	}
}

static bool buffer_exists(const char *name, const struct recording *recording)
{
	for (size_t i = 0; recording->buffers && i < recording->nr_buffers; i++) {
		if (strcmp(name, recording->buffers[i]) == 0)
			return true;
	}
	return !recording->buffers && !*name;
}

/* Reports the names of the buffers. */
static int filter_refuse_buffer(const char *name, const struct recording *recording,
				struct error *error)
{
	struct buffer names = { 0 };
	int status;

	for (size_t i = 0; recording->buffers && i < recording->nr_buffers; i++)
		buffer_printf(&names, "%s'%s'", i > 0 ? ", " : "", recording->buffers[i]);
	status = error_set(error, "--buffer=%s: no such buffer; write one of %s", name,
			   recording->buffers ? buffer_string(&names) : "''");
	buffer_release(&names);
	return status;
}

int filter_check(const struct filter *filter, const struct recording *recording,
		 struct error *error)
{
	if (!filter->buffer || buffer_exists(filter->buffer, recording))
		return 0;
	return filter_refuse_buffer(filter->buffer, recording, error);
}

bool filter_wants_stream(const struct filter *filter, int cpu, unsigned int buffer,
			 const char *const *buffers)
{
	if (filter->has_cpu && cpu != filter->cpu)
		return false;
	return !filter->buffer || strcmp(filter->buffer, buffers ? buffers[buffer] : "") == 0;
}

bool filter_has_times(const struct filter *filter)
{
	return filter->from_ns > 0 || filter->to_ns > 0;
}

static bool filter_is_before(const struct filter *filter, int64_t time_ns)
{
	return filter->from_ns > 0 && time_ns - filter->start_ns < filter->from_ns;
}

bool filter_is_past(const struct filter *filter, int64_t time_ns)
{
	return filter->to_ns > 0 && time_ns - filter->start_ns > filter->to_ns;
}

bool filter_wants_record(const struct filter *filter, const struct record *record,
			 const char *const *buffers)
{
	return filter_wants_stream(filter, record->cpu, record->buffer, buffers) &&
	       !filter_is_before(filter, record->time_ns) &&
	       !filter_is_past(filter, record->time_ns);
}

bool filter_wants_loss(const struct filter *filter, const struct loss *loss,
		       const char *const *buffers)
{
	return filter_wants_stream(filter, loss->cpu, loss->buffer, buffers) &&
	       !filter_is_before(filter, loss->to_ns) && !filter_is_past(filter, loss->from_ns);
}

/* A name may contain NULs: it is matched up to the first. */
static bool filter_matches_track(const char *pattern, struct text name)
{
	char *copy = strndup(name.data, name.size);
	bool matches = copy && fnmatch(pattern, copy, 0) == 0;

	free(copy);
	return matches;
}

bool filter_wants_event(const struct filter *filter, const struct decoded_event *decoded)
{
	if (filter->has_pid && decoded->tid != filter->pid)
		return false;
	return !filter->track || filter_matches_track(filter->track, decoded->track_name);
}
