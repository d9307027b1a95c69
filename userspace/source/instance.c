// SPDX-License-Identifier: GPL-2.0-only
/* Reads what the ring buffers of an instance that somebody set up hold now. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "source/live.h"

/* The clock in use stands in brackets: "local global [boot]". */
static char *clock_read(const char *directory)
{
	struct buffer path = { 0 }, text = { 0 };
	const char *begin;
	char *clock = NULL;

	buffer_printf(&path, "%s/trace_clock", directory);
	if (file_read(buffer_string(&path), &text) == 0) {
		begin = strchr(buffer_string(&text), '[');
		clock = begin ? strndup(begin + 1, strcspn(begin + 1, "]")) : NULL;
	}
	buffer_release(&path);
	buffer_release(&text);
	return clock;
}

/** struct wall_clock - a trace clock that the system has a clock for */
struct wall_clock {
	const char *name;
	clockid_t id;
};

static const struct wall_clock wall_clocks[] = {
	{ "boot", CLOCK_BOOTTIME },
	{ "mono", CLOCK_MONOTONIC },
	{ "mono_raw", CLOCK_MONOTONIC_RAW },
	{ "tai", CLOCK_TAI },
};

bool source_clock_find(const char *name, clockid_t *out)
{
	for (size_t i = 0; i < sizeof(wall_clocks) / sizeof(wall_clocks[0]); i++) {
		if (strcmp(wall_clocks[i].name, name) != 0)
			continue;
		*out = wall_clocks[i].id;
		return true;
	}
	return false;
}

static void describe_time(struct source_description *description)
{
	clockid_t clock;

	description->time_source = "none";
	if (!description->clock || !source_clock_find(description->clock, &clock))
		return;
	description->time_source = "realtime";
	description->wall_offset_ns = time_wall_offset_ns(clock);
}

/* A sub-buffer's header, which does not count into a buffer's size. */
#define HEADER_SIZE 16

/*
 * Writers may be at work. So no more is read than a buffer holds; what comes in meanwhile is not
 * what the buffer held when we came. The kernel rounds up, has two sub-buffers at least, and one
 * more for the reader.
 */
static void bound_streams(struct live *live)
{
	for (size_t i = 0; i < live->source.nr_streams; i++) {
		struct stream *stream = &live->source.streams[i];
		struct live_stream *own = stream->own;
		char file[64];

		snprintf(file, sizeof(file), "per_cpu/cpu%d/buffer_size_kb", stream->cpu);
		own->sub_buffers_left =
			live_number(own->directory, file) * 1024 / (own->size - HEADER_SIZE) + 3;
	}
}

/* Where they cannot be read now, the end will say so. */
static void note_statistics(struct live *live)
{
	for (size_t i = 0; i < live->source.nr_streams; i++) {
		struct stream *stream = &live->source.streams[i];
		struct live_stream *own = stream->own;
		struct error error = { 0 };

		live_statistics_now(own, &own->before, &error);
		/* How many of those that were overwritten have been told of before is not known. */
		own->is_counted = own->before.read == 0;
		own->has_older_drops = own->before.read > 0 && own->before.dropped > 0;
		if (!stream->is_durable)
			live->source.description.read_before += own->before.read;
	}
}

void instance_describe(struct live *live)
{
	struct source_description *description = &live->source.description;
	struct buffer text = { 0 };

	live->clock = clock_read(live->directory);
	description->clock = live->clock;
	description->buffer_kib = live_number(live->directory, "buffer_size_kb");
	describe_time(description);
	description->counts_ticks = clock_counts_ticks(live->clock);
	file_read_boot_id(&text);
	buffer_append_string(&text, live->directory);
	description->id = text_hash(buffer_text(&text));
	buffer_release(&text);
	note_statistics(live);
}

/* What a killed run leaves beside its instance tells who the threads in that one are. */
static int add_durable(struct live *live, struct error *error)
{
	struct buffer directory = { 0 };
	int status = 0;

	buffer_printf(&directory, "%s" SOURCE_DURABLE_SUFFIX, live->directory);
	if (access(buffer_string(&directory), F_OK) == 0)
		status = source_live_add(&live->source, buffer_string(&directory), error);
	buffer_release(&directory);
	return status;
}

int instance_open(struct source **out, const char *directory, struct error *error)
{
	struct live *live;

	*out = NULL;
	if (live_new(&live, directory, error) < 0)
		return -1;
	if (add_durable(live, error) < 0) {
		source_close(&live->source);
		return -1;
	}
	instance_describe(live);
	bound_streams(live);
	*out = &live->source;
	return 0;
}

int source_instance_find(struct buffer *out, const char *instance, struct error *error)
{
	const char *tracefs;

	if (source_directory(&tracefs, error) < 0)
		return -1;
	buffer_append_string(out, tracefs);
	if (instance)
		buffer_printf(out, "/instances/%s", instance);
	if (instance && access(buffer_string(out), F_OK) < 0 && errno == ENOENT)
		return error_set(error, "there is no tracing instance '%s'; %s/instances has all",
				 instance, tracefs);
	return out->failed ? error_set(error, "out of memory") : 0;
}

int source_instance_open(struct source **out, const char *instance, struct error *error)
{
	struct buffer directory = { 0 };
	int status;

	*out = NULL;
	status = source_instance_find(&directory, instance, error);
	if (status == 0)
		status = instance_open(out, buffer_string(&directory), error);
	buffer_release(&directory);
	return status;
}
