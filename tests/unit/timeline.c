// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the timeline module: which sinks receive what, in which order, and after failures. */
#include "timeline/timeline.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixtures/tap.h"

#define NR_SINKS 3

/**
 * struct ear - a sink that writes its letter and what it hears into a buffer that all sinks share
 * @fails_at: the word at which it fails: 'o' open, 'e' event, 'f' flush
 */
struct ear {
	struct sink sink;
	struct buffer *heard;
	char letter;
	char fails_at;
};

static int ear_hear(struct ear *ear, char what, struct error *error)
{
	buffer_printf(ear->heard, "%c%c ", ear->letter, what);
	return ear->fails_at == what ? error_set(error, "%c failed", ear->letter) : 0;
}

static int ear_open(struct sink *sink, const struct recording *recording, unsigned int sink_index,
		    struct error *error)
{
	struct ear *ear = (struct ear *)sink;

	CHECK_NUMBER(sink_index, ear->letter - 'A');
	CHECK_TEXT(recording->command, "listen");
	return ear_hear(ear, 'o', error);
}

static int ear_event(struct sink *sink, const struct timeline_event *event, struct error *error)
{
	CHECK(event->time_ns >= 100);
	return ear_hear((struct ear *)sink, 'e', error);
}

static int ear_flush(struct sink *sink, struct error *error)
{
	return ear_hear((struct ear *)sink, 'f', error);
}

static void ear_free(struct sink *sink)
{
	struct error error = { 0 };

	ear_hear((struct ear *)sink, '-', &error);
	free(sink);
}

static const struct sink_ops ear_sink = {
	.open = ear_open, .event = ear_event, .flush = ear_flush, .free = ear_free
};
static const struct sink_ops ear_without_flush = { .open = ear_open,
						   .event = ear_event,
						   .free = ear_free };

static struct ear *ear_new(char letter, struct buffer *heard)
{
	struct ear *ear = calloc(1, sizeof(*ear));

	*ear = (struct ear){ .sink.ops = &ear_sink, .letter = letter, .heard = heard };
	return ear;
}

/** struct hall - a timeline with the ears A, B and C */
struct hall {
	struct timeline timeline;
	struct ear *ears[NR_SINKS];
	struct buffer heard;
	struct error error;
};

static const struct recording recording = { .command = "listen", .start_ns = 100 };

static void hall_init(struct hall *hall)
{
	*hall = (struct hall){ 0 };
	for (int i = 0; i < NR_SINKS; i++) {
		hall->ears[i] = ear_new('A' + i, &hall->heard);
		CHECK_NUMBER(timeline_add(&hall->timeline, &hall->ears[i]->sink, &hall->error), 0);
	}
}

static int hall_push(struct hall *hall, enum timeline_kind kind, int64_t time_ns)
{
	struct timeline_event event = { .kind = kind, .time_ns = time_ns };

	return timeline_push(&hall->timeline, &event, &hall->error);
}

static void hall_release(struct hall *hall, const char *heard)
{
	timeline_release(&hall->timeline);
	CHECK_TEXT(buffer_string(&hall->heard), heard);
	buffer_release(&hall->heard);
}

TEST(every_sink_hears_everything_in_the_order_they_were_added)
{
	struct hall hall;

	hall_init(&hall);
	CHECK_NUMBER(timeline_open(&hall.timeline, &recording, &hall.error), 0);
	CHECK_NUMBER(hall_push(&hall, TIMELINE_LOSS, 100), 0);
	CHECK_NUMBER(hall_push(&hall, TIMELINE_LOSS, 100), 0);
	CHECK_NUMBER(timeline_flush(&hall.timeline, &hall.error), 0);
	CHECK_NUMBER(hall_push(&hall, TIMELINE_FINISH, 101), 0);
	CHECK_NUMBER(timeline_flush(&hall.timeline, &hall.error), 0);
	hall_release(&hall, "Ao Bo Co Ae Be Ce Ae Be Ce Af Bf Cf Ae Be Ce Af Bf Cf A- B- C- ");
}

TEST(a_sink_need_not_flush)
{
	struct hall hall;

	hall_init(&hall);
	hall.ears[1]->sink.ops = &ear_without_flush;
	CHECK_NUMBER(timeline_flush(&hall.timeline, &hall.error), 0);
	hall_release(&hall, "Af Cf A- B- C- ");
}

TEST(without_sinks_nothing_happens)
{
	struct hall hall = { 0 };

	CHECK_NUMBER(timeline_open(&hall.timeline, &recording, &hall.error), 0);
	CHECK_NUMBER(hall_push(&hall, TIMELINE_FINISH, 100), 0);
	CHECK_NUMBER(timeline_flush(&hall.timeline, &hall.error), 0);
	hall_release(&hall, "");
}

TEST(a_failure_stops_the_round_and_every_sink_is_freed)
{
	struct hall hall;

	hall_init(&hall);
	hall.ears[1]->fails_at = 'o';
	CHECK_NUMBER(timeline_open(&hall.timeline, &recording, &hall.error), -1);
	CHECK_TEXT(hall.error.text, "B failed");
	hall_release(&hall, "Ao Bo A- B- C- ");

	hall_init(&hall);
	hall.ears[1]->fails_at = 'e';
	CHECK_NUMBER(timeline_open(&hall.timeline, &recording, &hall.error), 0);
	CHECK_NUMBER(hall_push(&hall, TIMELINE_LOSS, 100), -1);
	CHECK_TEXT(hall.error.text, "B failed");
	hall_release(&hall, "Ao Bo Co Ae Be A- B- C- ");

	hall_init(&hall);
	hall.ears[0]->fails_at = 'f';
	CHECK_NUMBER(timeline_open(&hall.timeline, &recording, &hall.error), 0);
	CHECK_NUMBER(timeline_flush(&hall.timeline, &hall.error), -1);
	CHECK_TEXT(hall.error.text, "A failed");
	hall_release(&hall, "Ao Bo Co Af A- B- C- ");
}

TEST(one_sink_too_many_is_refused_and_freed)
{
	struct hall hall;
	struct ear *last;

	hall_init(&hall);
	for (int i = NR_SINKS; i < TIMELINE_SINKS_MAX; i++)
		CHECK_NUMBER(timeline_add(&hall.timeline, &ear_new('A' + i, &hall.heard)->sink,
					  &hall.error),
			     0);
	last = ear_new('X', &hall.heard);
	CHECK_NUMBER(timeline_add(&hall.timeline, &last->sink, &hall.error), -1);
	CHECK_TEXT(hall.error.text, "more than 8 outputs at once");
	CHECK_NUMBER(timeline_open(&hall.timeline, &recording, &hall.error), 0);
	hall_release(&hall, "X- Ao Bo Co Do Eo Fo Go Ho A- B- C- D- E- F- G- H- ");
}

/* Returns the signal that ends a process which opens a timeline and pushes two events. */
static int signal_of(enum timeline_kind first_kind, int64_t first_ns, int64_t second_ns)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		struct timeline timeline = { 0 };
		struct timeline_event event = { .kind = first_kind, .time_ns = first_ns };
		struct error error = { 0 };

		signal(SIGABRT, SIG_DFL);
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0 });
		if (!freopen("/dev/null", "w", stderr))
			_exit(1);
		timeline_open(&timeline, &recording, &error);
		timeline_push(&timeline, &event, &error);
		event.time_ns = second_ns;
		timeline_push(&timeline, &event, &error);
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST(a_breach_of_the_contract_is_an_assertion)
{
	CHECK_NUMBER(signal_of(TIMELINE_LOSS, 100, 100), 0);
	CHECK_NUMBER(signal_of(TIMELINE_LOSS, 200, 199), SIGABRT);
	CHECK_NUMBER(signal_of(TIMELINE_LOSS, 99, 200), SIGABRT);
	CHECK_NUMBER(signal_of(TIMELINE_FINISH, 100, 100), SIGABRT);
}
