// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording that somebody types: serves its page as ktrack stream --serve does. The first line of
 * output is the address. Commands are read from standard input, and each is answered by "done":
 *
 * - slices TRACK COUNT: slices of 1 us, 2 us apart, and an inner one of 500 ns in each
 * - open TRACK BYTES: a slice begins, inside of those that are open
 * - close TRACK: the innermost one ends
 * - mark TRACK NAME: an instant
 * - level VALUE: a sample
 * - loss COUNT: lost records
 * - end TRACK: the track ends
 * - rate COUNT SECONDS: COUNT slices in a second on 50 tracks
 * - finish: the end of the recording; then the page is served as long as by ktrack
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture/run.h"
#include "sink/sink.h"
#include "timeline/timeline.h"

#define NR_TRACKS 64
#define DEPTH_MAX 4
#define ROUND_MS 20
#define START_NS INT64_C(5000000000)

struct typed {
	struct serving serving;
	struct stop_condition stop;
	struct timeline timeline;
	struct timeline_category category;
	struct timeline_name work;
	struct timeline_name inner;
	struct timeline_name request;
	struct timeline_track tracks[NR_TRACKS];
	char names[NR_TRACKS][16];
	int64_t open_ns[NR_TRACKS][DEPTH_MAX];
	unsigned int nr_open[NR_TRACKS];
	long threads[NR_TRACKS];
	unsigned long nr_tracks;
	struct timeline_totals totals;
	int64_t now_ns;
};

static struct error error;

static void check(int status)
{
	if (status >= 0)
		return;
	fprintf(stderr, "%s\n", error.text);
	exit(1);
}

static void typed_push(struct typed *typed, struct timeline_event event)
{
	event.time_ns = typed->now_ns;
	event.comm = "";
	check(timeline_push(&typed->timeline, &event, &error));
}

/* Begins it if it is not open. */
static struct timeline_track *typed_track(struct typed *typed, int index, enum track_kind kind)
{
	struct timeline_track *track = &typed->tracks[index % NR_TRACKS];
	long thread = typed->threads[index % NR_TRACKS];

	if (track->number)
		return track;
	snprintf(typed->names[index], sizeof(typed->names[index]), "track %d", index);
	*track = (struct timeline_track){ .number = ++typed->nr_tracks,
					  .category = &typed->category,
					  .kind = kind,
					  .scope = SCOPE_THREAD,
					  .name = text_of(typed->names[index]),
					  .id = { .kind = VALUE_SIGNED,
						  .signed_number = thread ? thread : index },
					  .cpu = -1,
					  .comm = "" };
	typed_push(typed, (struct timeline_event){ .kind = TIMELINE_TRACK_BEGIN, .track = track });
	return track;
}

static void typed_begin(struct typed *typed, struct timeline_track *track,
			struct timeline_name *name, unsigned int depth)
{
	typed_push(typed, (struct timeline_event){ .kind = TIMELINE_SLICE_BEGIN,
						   .track = track,
						   .name = name,
						   .depth = depth });
}

static void typed_end(struct typed *typed, struct timeline_track *track, struct timeline_name *name,
		      unsigned int depth, int64_t duration_ns)
{
	typed_push(typed, (struct timeline_event){ .kind = TIMELINE_SLICE_END,
						   .track = track,
						   .name = name,
						   .begin_ns = typed->now_ns - duration_ns,
						   .depth = depth });
}

static void typed_slices(struct typed *typed, int index, long count)
{
	struct timeline_track *track = typed_track(typed, index, TRACK_SLICES);

	for (long i = 0; i < count; i++) {
		typed_begin(typed, track, &typed->work, 1);
		typed_begin(typed, track, &typed->inner, 2);
		typed->now_ns += 500;
		typed_end(typed, track, &typed->inner, 2, 500);
		typed->now_ns += 500;
		typed_end(typed, track, &typed->work, 1, 1000);
		typed->now_ns += 1000;
	}
}

/* Its name is not counted. */
static void typed_open_slice(struct typed *typed, int index, long bytes)
{
	struct timeline_track *track = typed_track(typed, index, TRACK_SLICES);
	struct field field = { .name = text_of("bytes<"),
			       .value = { .kind = VALUE_SIGNED, .signed_number = bytes } };
	unsigned int depth = typed->nr_open[index]++;

	typed->open_ns[index][depth] = typed->now_ns;
	typed_push(typed, (struct timeline_event){ .kind = TIMELINE_SLICE_BEGIN,
						   .track = track,
						   .name = &typed->request,
						   .fields = &field,
						   .nr_fields = 1,
						   .depth = depth + 1 });
	typed->now_ns += 1000;
}

static void typed_close(struct typed *typed, int index)
{
	unsigned int depth = --typed->nr_open[index];

	typed_end(typed, &typed->tracks[index], &typed->request, depth + 1,
		  typed->now_ns - typed->open_ns[index][depth]);
	typed->now_ns += 1000;
}

static void typed_mark(struct typed *typed, int index, const char *text)
{
	struct timeline_track *track = typed_track(typed, index, TRACK_SLICES);
	struct timeline_name name = { .text = text_of(text) };

	typed_push(typed, (struct timeline_event){
				  .kind = TIMELINE_INSTANT, .track = track, .name = &name });
	typed->now_ns += 1000;
}

static void typed_level(struct typed *typed, long value)
{
	struct timeline_track *track = typed_track(typed, NR_TRACKS - 1, TRACK_COUNTER);

	typed_push(typed, (struct timeline_event){
				  .kind = TIMELINE_COUNTER,
				  .track = track,
				  .value = { .kind = VALUE_SIGNED, .signed_number = value } });
	typed->now_ns += 1000;
}

static void typed_loss(struct typed *typed, long count)
{
	typed->totals.lost_records += count;
	typed->totals.lost_gaps++;
	typed->now_ns += 1000;
	typed_push(typed, (struct timeline_event){ .kind = TIMELINE_LOSS,
						   .begin_ns = typed->now_ns - 1000,
						   .loss_end_ns = typed->now_ns,
						   .loss_count = count });
}

static void track_end(struct typed *typed, int index)
{
	struct timeline_track *track = &typed->tracks[index % NR_TRACKS];

	if (track->number)
		typed_push(typed,
			   (struct timeline_event){ .kind = TIMELINE_TRACK_END, .track = track });
	track->number = 0;
}

static void typed_round(struct typed *typed)
{
	check(timeline_flush(&typed->timeline, &error));
	serving_round(&typed->serving);
}

/* Waits as ktrack does. */
static void typed_wait(struct typed *typed)
{
	struct pollfd polls[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = serving_wake_fd(&typed->serving, -1), .events = POLLIN },
	};

	poll(polls, 2, ROUND_MS);
	typed_round(typed);
}

/* Times are those of the clock, and every twentieth of a second has its share. */
static void typed_rate(struct typed *typed, long per_s, long seconds)
{
	int64_t begin_ns = time_now_ns(CLOCK_MONOTONIC), first_ns = typed->now_ns;
	int64_t passed_ns = 0, done = 0;

	while (passed_ns < seconds * NS_PER_S) {
		passed_ns = time_now_ns(CLOCK_MONOTONIC) - begin_ns;
		/* A slice has an inner one. */
		for (int64_t wanted = passed_ns / 1000 * per_s / 2000000; done < wanted; done++) {
			typed->now_ns = first_ns + done * 2 * NS_PER_S / per_s;
			typed_slices(typed, done % 50, 1);
		}
		typed_wait(typed);
	}
}

static void typed_finish(struct typed *typed)
{
	for (int i = 0; i < NR_TRACKS; i++)
		track_end(typed, i);
	typed_push(typed,
		   (struct timeline_event){ .kind = TIMELINE_FINISH, .totals = &typed->totals });
	serving_finish(&typed->serving, &typed->stop, NULL);
}

/* Returns whether the recording goes on. */
static bool typed_do(struct typed *typed, const char *line)
{
	char word[16], text[32];
	long first = 0, second = 0;

	if (sscanf(line, "mark %ld %31s", &first, text) == 2) {
		typed_mark(typed, first, text);
		return true;
	}
	if (sscanf(line, "%15s %ld %ld", word, &first, &second) < 1)
		return true;
	if (strcmp(word, "slices") == 0)
		typed_slices(typed, first, second);
	else if (strcmp(word, "open") == 0)
		typed_open_slice(typed, first, second);
	else if (strcmp(word, "thread") == 0)
		typed->threads[first % NR_TRACKS] = second;
	else if (strcmp(word, "close") == 0)
		typed_close(typed, first);
	else if (strcmp(word, "level") == 0)
		typed_level(typed, first);
	else if (strcmp(word, "loss") == 0)
		typed_loss(typed, first);
	else if (strcmp(word, "end") == 0)
		track_end(typed, first);
	else if (strcmp(word, "rate") == 0)
		typed_rate(typed, first, second);
	else if (strcmp(word, "finish") == 0)
		typed_finish(typed);
	return strcmp(word, "finish") != 0;
}

/* Reads a line while rounds go on; NULL at the end of the input. */
static char *line_read(struct typed *typed, char *line, size_t size)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	while (poll(&input, 1, 0) == 0)
		typed_wait(typed);
	return fgets(line, size, stdin);
}

static void typed_open(struct typed *typed, uint64_t size_max)
{
	const struct recording recording = { .source = "typed",
					     .clock = "boot",
					     .time_source = "none",
					     .kernel = "6.1.0",
					     .nr_cpus = 1,
					     .start_ns = START_NS };
	struct sink_settings settings = { .name = "lines", .size_max = size_max };

	check(signals_init(&typed->stop.signals, &error));
	check(serving_open(&typed->serving, 0, &error));
	settings.fd = serving_lines_fd(&typed->serving, &error);
	check(timeline_add(&typed->timeline,
			   sink_open(sink_kinds[sink_kind_number("serve")], &settings, &error),
			   &error));
	check(timeline_open(&typed->timeline, &recording, &error));
	check(serving_begin(&typed->serving, "typed <b>", typed->stop.signals.fd, NULL, &error));
	printf("%s\n", serve_url(typed->serving.serve));
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static struct typed typed = { .category = { .text = "demo:work" }, .now_ns = START_NS };
	uint64_t size_max = argc > 1 ? strtoull(argv[1], NULL, 10) : SERVING_SIZE_MAX;
	bool goes_on = true;
	char line[256];

	typed.work = (struct timeline_name){ .text = text_of("work"), .is_counted = true };
	typed.inner = (struct timeline_name){ .text = text_of("inner"), .is_counted = true };
	typed.request = (struct timeline_name){ .text = text_of("request") };
	setvbuf(stdin, NULL, _IONBF, 0);
	typed_open(&typed, size_max);
	while (goes_on && line_read(&typed, line, sizeof(line))) {
		goes_on = typed_do(&typed, line);
		printf("done\n");
		fflush(stdout);
	}
	timeline_release(&typed.timeline);
	serving_release(&typed.serving);
	signals_release(&typed.stop.signals);
	return 0;
}
