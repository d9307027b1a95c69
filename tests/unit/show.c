// SPDX-License-Identifier: GPL-2.0-only
/* Plays timeline events to the trace2 sink, and catches its lines. */
#include "show.h"

#include <stdlib.h>
#include <string.h>

#include "sink/sink.h"
#include "tap.h"

#define MS INT64_C(1000000)

static char *const words[] = { (char *)"ktrack", (char *)"stream", (char *)"-d", (char *)"1",
			       NULL };

const struct recording show_recording = {
	.command = "stream",
	.argv = words,
	.source = "ktrack-42",
	.id = "0123456789abcdef",
	.mode = "streaming",
	.clock = "boot",
	.time_source = "realtime",
	.kernel = "6.1.0-test",
	.nr_cpus = 2,
	.buffer_kib = 1024,
	.memory_kib = 2172,
	.start_ns = SHOW_START_NS,
	.wall_offset_ns = INT64_C(1600000000) * 1000 * MS - SHOW_START_NS,
};

void show_init(struct show *show, unsigned int with)
{
	struct sink_trace2_settings settings = {
		.sid = "S",
		.hierarchy = "git/stream",
		.with = with,
	};
	struct sink *sink;

	*show = (struct show){ 0 };
	settings.targets[TRACE2_EVENT].name = "out.event";
	settings.targets[TRACE2_EVENT].fd = catch_init(&show->catch);
	sink = sink_trace2_new(&settings, &show->error);
	CHECK_NUMBER(timeline_add(&show->timeline, sink, &show->error), 0);
}

void show_open(struct show *show, const struct recording *recording)
{
	show_init(show, 0);
	CHECK_NUMBER(timeline_open(&show->timeline, recording, &show->error), 0);
	show_told(show);
}

void show_release(struct show *show)
{
	timeline_release(&show->timeline);
	catch_release(&show->catch);
	buffer_release(&show->told);
}

/*
 * Copies the lines; each place in our own sources becomes AT, since it changes with every edit of
 * them.
 */
static void places_hide(struct buffer *out, const char *lines)
{
	static const char place[] = "\"file\":\"userspace/sink/trace2";
	const char *found;

	while ((found = strstr(lines, place))) {
		const char *number = strstr(found, ",\"line\":");

		buffer_append(out, lines, found - lines);
		if (!CHECK(number != NULL && number[8] >= '1' && number[8] <= '9'))
			return;
		buffer_append_string(out, "AT");
		lines = number + 8;
		lines += strspn(lines, "0123456789");
	}
	buffer_append_string(out, lines);
}

const char *show_told(struct show *show)
{
	CHECK_NUMBER(timeline_flush(&show->timeline, &show->error), 0);
	buffer_clear(&show->told);
	places_hide(&show->told, catch_text(&show->catch));
	CHECK_NUMBER(ftruncate(show->catch.fd, 0), 0);
	lseek(show->catch.fd, 0, SEEK_SET);
	return buffer_string(&show->told);
}

void show_push(struct show *show, int ms, struct timeline_event event)
{
	event.time_ns = SHOW_START_NS + ms * MS;
	CHECK_NUMBER(timeline_push(&show->timeline, &event, &show->error), 0);
}

void show_track(struct show *show, int ms, struct timeline_track *track)
{
	show_push(show, ms,
		  (struct timeline_event){ .kind = TIMELINE_TRACK_BEGIN, .track = track });
}

void show_finish(struct show *show, int ms, int status, const struct timeline_totals *totals)
{
	show_push(show, ms,
		  (struct timeline_event){
			  .kind = TIMELINE_FINISH, .status = status, .totals = totals });
}
