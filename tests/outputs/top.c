// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shows the interactive view of ktrack stat --live for events that its caller writes: what a
 * recording does, without a kernel that records.
 *
 * Standard input and output are the terminal. Lines on descriptor 3 have words that tabs separate:
 *   slice TRACK NAME NANOSECONDS    counter TRACK NUMBER    instant TRACK NAME
 *   lost RECORDS    progress TEXT   message TEXT    fail    end
 * Each line is answered by a byte on descriptor 4 once the view has processed it.
 */
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/run.h"
#include "sink/sink.h"

#define COMMANDS_FD 3
#define ANSWERS_FD 4
#define ITEMS_MAX 8192
#define START_NS INT64_C(1000000000)

static struct timeline_category category = { .text = "demo:work" };
static const struct recording recording = { .command = "stat", .start_ns = START_NS };

/** struct driver - a recording */
struct driver {
	struct timeline timeline;
	struct stat_top *top;
	struct stop_condition stop;
	struct timeline_track *tracks[ITEMS_MAX];
	struct timeline_name *names[ITEMS_MAX];
	int64_t now_ns;
	struct buffer input;
	size_t nr_answers;
	bool is_over;
	bool has_failed;
};

static int push(struct driver *driver, struct timeline_event event, struct error *error)
{
	event.time_ns = driver->now_ns;
	event.comm = "";
	event.cpu = -1;
	event.tid = -1;
	return timeline_push(&driver->timeline, &event, error);
}

static struct timeline_track *track_get(struct driver *driver, const char *text,
					enum track_kind kind, struct error *error)
{
	struct timeline_event begin = { .kind = TIMELINE_TRACK_BEGIN };
	struct timeline_track *track;
	size_t i = 0;

	for (; driver->tracks[i]; i++) {
		track = driver->tracks[i];
		if (track->kind == kind && text_equals(track->name, text_of(text)))
			return track;
	}
	track = calloc(1, sizeof(*track));
	*track = (struct timeline_track){ .number = i + 1,
					  .category = &category,
					  .kind = kind,
					  .scope = SCOPE_GLOBAL,
					  .name = text_of(strdup(text)),
					  .cpu = -1,
					  .comm = "" };
	driver->tracks[i] = track;
	begin.track = track;
	return push(driver, begin, error) == 0 ? track : NULL;
}

static struct timeline_name *name_get(struct driver *driver, const char *text)
{
	size_t i = 0;

	for (; driver->names[i]; i++) {
		if (text_equals(driver->names[i]->text, text_of(text)))
			return driver->names[i];
	}
	driver->names[i] = calloc(1, sizeof(struct timeline_name));
	*driver->names[i] = (struct timeline_name){ .text = text_of(strdup(text)),
						    .is_counted = true,
						    .number = (unsigned int)i };
	return driver->names[i];
}

static int slice_push(struct driver *driver, char *const *words, struct error *error)
{
	struct timeline_event event = { .kind = TIMELINE_SLICE_BEGIN, .depth = 1 };

	event.track = track_get(driver, words[1], TRACK_SLICES, error);
	event.name = name_get(driver, words[2]);
	event.begin_ns = driver->now_ns;
	if (!event.track || push(driver, event, error) < 0)
		return -1;
	event.kind = TIMELINE_SLICE_END;
	driver->now_ns += atoll(words[3]);
	return push(driver, event, error);
}

static int counter_push(struct driver *driver, char *const *words, struct error *error)
{
	struct timeline_event event = { .kind = TIMELINE_COUNTER };

	event.track = track_get(driver, words[1], TRACK_COUNTER, error);
	event.name = name_get(driver, words[1]);
	event.value = (struct value){ .kind = VALUE_SIGNED, .signed_number = atoll(words[2]) };
	return event.track ? push(driver, event, error) : -1;
}

static int instant_push(struct driver *driver, char *const *words, struct error *error)
{
	struct timeline_event event = { .kind = TIMELINE_INSTANT };

	event.track = track_get(driver, words[1], TRACK_SLICES, error);
	event.name = name_get(driver, words[2]);
	return event.track ? push(driver, event, error) : -1;
}

static int loss_push(struct driver *driver, char *const *words, struct error *error)
{
	struct timeline_event event = { .kind = TIMELINE_LOSS, .loss_cpu = 0 };

	event.begin_ns = driver->now_ns;
	event.loss_end_ns = driver->now_ns;
	event.loss_count = atoll(words[1]);
	return push(driver, event, error);
}

static int line_apply(struct driver *driver, char *line, struct error *error)
{
	const struct report *report = stat_top_report(driver->top);
	char *words[5] = { 0 };

	for (size_t i = 0; i < 4 && line; i++)
		words[i] = strsep(&line, "\t");
	if (strcmp(words[0], "slice") == 0)
		return slice_push(driver, words, error);
	if (strcmp(words[0], "counter") == 0)
		return counter_push(driver, words, error);
	if (strcmp(words[0], "instant") == 0)
		return instant_push(driver, words, error);
	if (strcmp(words[0], "lost") == 0)
		return loss_push(driver, words, error);
	if (strcmp(words[0], "progress") == 0)
		report->progress(report->context, words[1]);
	else if (strcmp(words[0], "message") == 0)
		report_message(report, "%s", words[1]);
	else if (strcmp(words[0], "fail") == 0)
		return error_set(error, "the recording failed");
	else
		driver->is_over = true;
	return 0;
}

/* The caller ends a run that it does not want to go on by closing its descriptor. */
static int lines_apply(struct driver *driver, struct error *error)
{
	struct pollfd commands = { .fd = COMMANDS_FD, .events = POLLIN };
	char bytes[65536];
	ssize_t size = poll(&commands, 1, 0) > 0 ? read(COMMANDS_FD, bytes, sizeof(bytes)) : -1;
	char *end;

	if (size == 0)
		driver->is_over = true;
	buffer_append(&driver->input, bytes, size > 0 ? (size_t)size : 0);
	while (driver->input.size > 0 &&
	       (end = memchr(driver->input.data, '\n', driver->input.size))) {
		size_t used = (size_t)(end - driver->input.data) + 1;

		*end = '\0';
		if (line_apply(driver, driver->input.data, error) < 0)
			return -1;
		driver->input.size -= used;
		memmove(driver->input.data, driver->input.data + used, driver->input.size);
		driver->nr_answers++;
	}
	return 0;
}

static void answer(struct driver *driver)
{
	for (; driver->nr_answers > 0; driver->nr_answers--) {
		if (write(ANSWERS_FD, ".", 1) != 1)
			driver->is_over = true;
	}
}

static int loop(struct driver *driver, struct error *error)
{
	int fd = stat_top_watch(driver->top, COMMANDS_FD, error);

	if (fd < 0 || stat_top_watch(driver->top, driver->stop.signals.fd, error) < 0)
		return -1;
	while (!driver->is_over && !stat_top_is_over(driver->top) &&
	       !stop_is_due(&driver->stop, 0)) {
		struct pollfd wait = { .fd = fd, .events = POLLIN };

		poll(&wait, 1, stat_top_wait_ms(driver->top, 1000));
		if (lines_apply(driver, error) < 0 || timeline_flush(&driver->timeline, error) < 0)
			return -1;
		answer(driver);
	}
	return 0;
}

static void own_message(void *context, const char *line)
{
	(void)context;
	fprintf(stderr, "driver: %s\n", line);
}

static int output_await(void *context, int fd)
{
	struct driver *driver = context;

	return stop_await_output(&driver->stop, fd);
}

static int run(struct driver *driver, int64_t interval_ns, struct error *error)
{
	static const struct report report = { .message = own_message };
	static const struct timeline_totals totals;
	struct sink_stat_settings stat = { .interval_ns = interval_ns,
					   .has_colour = true,
					   .is_utf8 = true };
	struct sink_settings settings = { .name = "standard output",
					  .stat = &stat,
					  .wait = { output_await, driver } };

	stat.top = driver->top = stat_top_new(&report, error);
	if (!driver->top || signals_init(&driver->stop.signals, error) < 0)
		return -1;
	settings.fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (timeline_add(&driver->timeline,
			 sink_open(sink_kinds[sink_kind_number("stat")], &settings, error),
			 error) < 0 ||
	    timeline_open(&driver->timeline, &recording, error) < 0 || loop(driver, error) < 0)
		return -1;
	return push(driver, (struct timeline_event){ .kind = TIMELINE_FINISH, .totals = &totals },
		    error);
}

int main(int argc, char **argv)
{
	struct driver *driver = calloc(1, sizeof(*driver));
	struct error error = { 0 };
	int status;

	if (argc != 2 || !driver)
		return 2;
	setlocale(LC_ALL, "");
	driver->now_ns = START_NS;
	status = run(driver, atoll(argv[1]) * NS_PER_MS, &error);
	timeline_release(&driver->timeline);
	stat_top_free(driver->top);
	if (status < 0)
		fprintf(stderr, "driver: %s\n", error.text);
	return status < 0;
}
