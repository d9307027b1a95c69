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

static void check_loss(uint64_t records, uint64_t gaps, uint64_t gaps_unknown, const char *want)
{
	SCOPED_BUFFER(text);

	timeline_append_loss(&text, records, gaps, gaps_unknown);
	CHECK_TEXT(buffer_string(&text), want);
}

TEST(losses_have_one_wording)
{
	check_loss(1, 0, 0, "lost 1 record");
	check_loss(5, 2, 0, "lost 5 records in 2 gaps");
	check_loss(5, 2, 1, "lost 5 records in 2 gaps, 1 of unknown size");
	check_loss(0, 1, 1, "lost an unknown number of records in 1 gap");
	check_loss(0, 0, 1, "lost an unknown number of records");
}

static const struct timeline_machine machine = { .name = "host" };
static const struct timeline_category category = { .text = "demo:work" };

static void check_track(const struct timeline_track *track, const char *label, const char *identity)
{
	SCOPED_BUFFER(text);

	track_append_label(&text, track);
	CHECK_TEXT(buffer_string(&text), label);
	buffer_clear(&text);
	track_append_identity(&text, track);
	CHECK_TEXT(buffer_string(&text), identity);
}

TEST(tracks_have_a_label_and_an_identity)
{
	struct timeline_track track = { .category = (struct timeline_category *)&category,
					.name = text_of("read"),
					.scope = SCOPE_THREAD,
					.id = { .kind = VALUE_SIGNED, .signed_number = 7 },
					.cpu = -1,
					.comm = "bash",
					.tgid = 6 };

	check_track(&track, "read tid 7 bash",
		    "{\"tracepoint\":\"demo:work\",\"name\":\"read\",\"kind\":\"slice\","
		    "\"scope\":\"thread\",\"id\":7,\"tgid\":6,\"comm\":\"bash\"}");
	track.lane = 1;
	track.machine = &machine;
	check_track(&track, "read tid 7 bash lane 1 on host",
		    "{\"tracepoint\":\"demo:work\",\"name\":\"read\",\"kind\":\"slice\","
		    "\"scope\":\"thread\",\"id\":7,\"tgid\":6,\"comm\":\"bash\",\"lane\":1,"
		    "\"host\":\"host\"}");
	track = (struct timeline_track){ .category = (struct timeline_category *)&category,
					 .name = text_of(""),
					 .scope = SCOPE_GLOBAL,
					 .kind = TRACK_COUNTER,
					 .cpu = 0,
					 .comm = "",
					 .buffer = "",
					 .machine = &machine };
	check_track(&track, "on host",
		    "{\"tracepoint\":\"demo:work\",\"name\":\"\",\"kind\":\"counter\","
		    "\"scope\":\"global\",\"cpu\":0,\"buffer\":\"\",\"host\":\"host\"}");
}

/**
 * struct fake_sink - a sink that logs its letter and each call in a buffer that all share
 * @fails_at: the word at which it fails: 'o' open, 'e' event, 'f' flush
 */
struct fake_sink {
	struct sink sink;
	struct buffer *log;
	char letter;
	char fails_at;
};

static int fake_write(struct fake_sink *fake, char what, struct error *error)
{
	buffer_printf(fake->log, "%c%c ", fake->letter, what);
	return fake->fails_at == what ? error_set(error, "%c failed", fake->letter) : 0;
}

static int fake_open(struct sink *sink, const struct recording *recording, unsigned int sink_index,
		     struct error *error)
{
	struct fake_sink *fake = (struct fake_sink *)sink;

	CHECK_NUMBER(sink_index, fake->letter - 'A');
	CHECK_TEXT(recording->command, "listen");
	return fake_write(fake, 'o', error);
}

static int fake_event(struct sink *sink, const struct timeline_event *event, struct error *error)
{
	CHECK(event->time_ns >= 100);
	return fake_write((struct fake_sink *)sink, 'e', error);
}

static int fake_flush(struct sink *sink, struct error *error)
{
	return fake_write((struct fake_sink *)sink, 'f', error);
}

static void fake_free(struct sink *sink)
{
	struct error error = { 0 };

	fake_write((struct fake_sink *)sink, '-', &error);
	free(sink);
}

static const struct sink_ops fake_sink_ops = {
	.open = fake_open, .event = fake_event, .flush = fake_flush, .free = fake_free
};
static const struct sink_ops fake_without_flush = { .open = fake_open,
						    .event = fake_event,
						    .free = fake_free };

static struct fake_sink *fake_new(char letter, struct buffer *log)
{
	struct fake_sink *fake = calloc(1, sizeof(*fake));

	*fake = (struct fake_sink){ .sink.ops = &fake_sink_ops, .letter = letter, .log = log };
	return fake;
}

/** struct fixture - a timeline with the fake sinks A, B and C */
struct fixture {
	struct timeline timeline;
	struct fake_sink *fakes[NR_SINKS];
	struct buffer log;
	struct error error;
};

static const struct recording recording = { .command = "listen", .start_ns = 100 };

static void fixture_init(struct fixture *fixture)
{
	*fixture = (struct fixture){ 0 };
	for (int i = 0; i < NR_SINKS; i++) {
		fixture->fakes[i] = fake_new('A' + i, &fixture->log);
		CHECK_NUMBER(
			timeline_add(&fixture->timeline, &fixture->fakes[i]->sink, &fixture->error),
			0);
	}
}

static int fixture_push(struct fixture *fixture, enum timeline_kind kind, int64_t time_ns)
{
	struct timeline_event event = { .kind = kind, .time_ns = time_ns };

	return timeline_push(&fixture->timeline, &event, &fixture->error);
}

static void fixture_release(struct fixture *fixture, const char *log)
{
	timeline_release(&fixture->timeline);
	CHECK_TEXT(buffer_string(&fixture->log), log);
	buffer_release(&fixture->log);
}

TEST(every_sink_hears_everything_in_the_order_they_were_added)
{
	struct fixture fixture;

	fixture_init(&fixture);
	CHECK_NUMBER(timeline_open(&fixture.timeline, &recording, &fixture.error), 0);
	CHECK_NUMBER(fixture_push(&fixture, TIMELINE_LOSS, 100), 0);
	CHECK_NUMBER(fixture_push(&fixture, TIMELINE_LOSS, 100), 0);
	CHECK_NUMBER(timeline_flush(&fixture.timeline, &fixture.error), 0);
	CHECK_NUMBER(fixture_push(&fixture, TIMELINE_FINISH, 101), 0);
	CHECK_NUMBER(timeline_flush(&fixture.timeline, &fixture.error), 0);
	fixture_release(&fixture,
			"Ao Bo Co Ae Be Ce Ae Be Ce Af Bf Cf Ae Be Ce Af Bf Cf A- B- C- ");
}

TEST(a_sink_need_not_flush)
{
	struct fixture fixture;

	fixture_init(&fixture);
	fixture.fakes[1]->sink.ops = &fake_without_flush;
	CHECK_NUMBER(timeline_flush(&fixture.timeline, &fixture.error), 0);
	fixture_release(&fixture, "Af Cf A- B- C- ");
}

TEST(without_sinks_nothing_happens)
{
	struct fixture fixture = { 0 };

	CHECK_NUMBER(timeline_open(&fixture.timeline, &recording, &fixture.error), 0);
	CHECK_NUMBER(fixture_push(&fixture, TIMELINE_FINISH, 100), 0);
	CHECK_NUMBER(timeline_flush(&fixture.timeline, &fixture.error), 0);
	fixture_release(&fixture, "");
}

TEST(a_failure_stops_the_round_and_every_sink_is_freed)
{
	struct fixture fixture;

	fixture_init(&fixture);
	fixture.fakes[1]->fails_at = 'o';
	CHECK_NUMBER(timeline_open(&fixture.timeline, &recording, &fixture.error), -1);
	CHECK_TEXT(fixture.error.text, "B failed");
	fixture_release(&fixture, "Ao Bo A- B- C- ");

	fixture_init(&fixture);
	fixture.fakes[1]->fails_at = 'e';
	CHECK_NUMBER(timeline_open(&fixture.timeline, &recording, &fixture.error), 0);
	CHECK_NUMBER(fixture_push(&fixture, TIMELINE_LOSS, 100), -1);
	CHECK_TEXT(fixture.error.text, "B failed");
	fixture_release(&fixture, "Ao Bo Co Ae Be A- B- C- ");

	fixture_init(&fixture);
	fixture.fakes[0]->fails_at = 'f';
	CHECK_NUMBER(timeline_open(&fixture.timeline, &recording, &fixture.error), 0);
	CHECK_NUMBER(timeline_flush(&fixture.timeline, &fixture.error), -1);
	CHECK_TEXT(fixture.error.text, "A failed");
	fixture_release(&fixture, "Ao Bo Co Af A- B- C- ");
}

TEST(one_sink_too_many_is_refused_and_freed)
{
	struct fixture fixture;
	struct fake_sink *last;

	fixture_init(&fixture);
	for (int i = NR_SINKS; i < TIMELINE_SINKS_MAX; i++)
		CHECK_NUMBER(timeline_add(&fixture.timeline, &fake_new('A' + i, &fixture.log)->sink,
					  &fixture.error),
			     0);
	last = fake_new('X', &fixture.log);
	CHECK_NUMBER(timeline_add(&fixture.timeline, &last->sink, &fixture.error), -1);
	CHECK_TEXT(fixture.error.text, "more than 16 outputs at once");
	CHECK_NUMBER(timeline_open(&fixture.timeline, &recording, &fixture.error), 0);
	fixture_release(&fixture, "X- Ao Bo Co Do Eo Fo Go Ho Io Jo Ko Lo Mo No Oo Po "
				  "A- B- C- D- E- F- G- H- I- J- K- L- M- N- O- P- ");
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
