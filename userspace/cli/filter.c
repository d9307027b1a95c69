// SPDX-License-Identifier: GPL-2.0-only
/* Says which records are wanted. */
#include "cli/filter.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool filter_is_open(const struct filter *filter)
{
	return !filter->track && !filter->buffer && !filter->has_cpu && !filter->has_pid &&
	       filter->from_ns == 0 && filter->to_ns == 0;
}

void filter_name(const struct filter *filter, struct buffer *out)
{
	const struct {
		bool is_there;
		const char *option;
	} options[] = {
		{ filter->track, "--track" },	   { filter->has_cpu, "--cpu" },
		{ filter->has_pid, "--pid" },	   { filter->buffer, "--buffer" },
		{ filter->from_ns > 0, "--from" }, { filter->to_ns > 0, "--to" },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (options[i].is_there)
			buffer_printf(out, "%s%s", out->size > 0 ? ", " : "", options[i].option);
	}
}

static bool buffer_is_there(const char *name, const struct source_description *description)
{
	for (size_t i = 0; description->buffers && i < description->nr_buffers; i++) {
		if (strcmp(name, description->buffers[i]) == 0)
			return true;
	}
	return !description->buffers && !*name;
}

/* Which buffers there are, for those who cannot know. */
static int buffer_refuse(const char *name, const struct source_description *description,
			 struct error *error)
{
	struct buffer names = { 0 };
	int status;

	for (size_t i = 0; description->buffers && i < description->nr_buffers; i++)
		buffer_printf(&names, "%s'%s'", i > 0 ? ", " : "", description->buffers[i]);
	status = error_set(error, "the source has no buffer '%s'; it has %s", name,
			   description->buffers ? buffer_string(&names)
						: "only one, that is called ''");
	buffer_release(&names);
	return status;
}

int filter_check(const struct filter *filter, const struct source_description *description,
		 struct error *error)
{
	if (filter->to_ns > 0 && filter->from_ns > filter->to_ns)
		return error_set(error, "--from is later than --to, which leaves nothing");
	if (!filter->buffer || buffer_is_there(filter->buffer, description))
		return 0;
	return buffer_refuse(filter->buffer, description, error);
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

static bool filter_is_yet_to_come(const struct filter *filter, int64_t time_ns)
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
	       !filter_is_yet_to_come(filter, record->time_ns) &&
	       !filter_is_past(filter, record->time_ns);
}

bool filter_wants_loss(const struct filter *filter, const struct source_loss *loss,
		       const char *const *buffers)
{
	return filter_wants_stream(filter, loss->cpu, loss->buffer, buffers) &&
	       !filter_is_yet_to_come(filter, loss->to_ns) &&
	       !filter_is_past(filter, loss->from_ns);
}

/* A name may hold NULs, which a pattern cannot: it is matched up to the first. */
static bool track_matches(const char *pattern, struct text name)
{
	char *copy = strndup(name.data, name.size);
	bool matches = copy && fnmatch(pattern, copy, 0) == 0;

	free(copy);
	return matches;
}

bool filter_wants_observation(const struct filter *filter, const struct observation *observation)
{
	if (filter->has_pid && observation->tid != filter->pid)
		return false;
	return !filter->track || track_matches(filter->track, observation->track_name);
}

static int apply_track(void *settings, const char *value, struct error *error)
{
	struct filter *filter = settings;

	(void)error;
	filter->track = value;
	return 0;
}

static int apply_buffer(void *settings, const char *value, struct error *error)
{
	struct filter *filter = settings;

	(void)error;
	filter->buffer = value;
	return 0;
}

static int number_parse(const char *value, int *out, const char *what, struct error *error)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(value, &end, 10);
	if (end == value || *end || errno || number < 0 || number > INT_MAX)
		return error_set(error, "'%s' is no %s", value, what);
	*out = number;
	return 0;
}

static int apply_cpu(void *settings, const char *value, struct error *error)
{
	struct filter *filter = settings;

	filter->has_cpu = true;
	return number_parse(value, &filter->cpu, "CPU", error);
}

static int apply_pid(void *settings, const char *value, struct error *error)
{
	struct filter *filter = settings;

	filter->has_pid = true;
	return number_parse(value, &filter->pid, "thread id", error);
}

static int apply_from(void *settings, const char *value, struct error *error)
{
	struct filter *filter = settings;

	return time_duration_parse(value, &filter->from_ns, error);
}

static int apply_to(void *settings, const char *value, struct error *error)
{
	struct filter *filter = settings;

	if (time_duration_parse(value, &filter->to_ns, error) < 0)
		return -1;
	return filter->to_ns > 0 ? 0 : error_set(error, "--to=%s leaves nothing", value);
}

static const struct option_row filter_rows[] = {
	{ 0, "track", "PATTERN", "only tracks of this name; wildcards allowed", apply_track },
	{ 0, "cpu", "N", "only records of this CPU", apply_cpu },
	{ 0, "pid", "N", "only records that this thread wrote", apply_pid },
	{ 0, "buffer", "NAME", "only records of this buffer", apply_buffer },
	{ 0, "from", "SECONDS",
	  "only from this time on, since the first record; also with ns, us, ms, s, m, h",
	  apply_from },
	{ 0, "to", "SECONDS", "only up to this time", apply_to },
};

const struct option_part filter_options = {
	.rows = filter_rows,
	.nr_rows = sizeof(filter_rows) / sizeof(filter_rows[0]),
};
