// SPDX-License-Identifier: GPL-2.0-only
/* Tests of several programs at once. */
#define KTRACK_SYSTEM unit
#include <ktrack/user.h>
#include <limits.h>
#include <linux/capability.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixtures/own_socket.h"
#include "fixtures/tap.h"
#include "source/source.h"
#include "userring/batch.h"
#include "userring/programs.h"

KTRACK_SLICE(unit_many);

/** struct stage - a recording whose reader is this test
 * @fd: of the reader, and the helper's first process
 */
struct stage {
	struct programs programs;
	struct program *program;
	struct batch batch;
	struct task_table tasks;
	int fd;
	int helper_fd;
	pid_t child;
};

static struct stage stage;

static bool stage_send(void *context, const unsigned char *bytes, size_t size)
{
	(void)context;
	return send(stage.fd, bytes, size, 0) == (ssize_t)size;
}

static void stage_begin(enum programs_mode mode, size_t size_max)
{
	int fds[2], helper_fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET, 0, helper_fds) < 0)
		abort();
	stage = (struct stage){
		.programs = { .settings = { .size_max = size_max, .mode = mode },
			      .socket = { .fd = -1 },
			      .helper = { .fd = helper_fds[0] },
			      .recorded = { .size_max = SIZE_MAX },
			      .fd = fds[0],
			      .message = malloc(BATCH_MAX),
			      .is_on = true,
			      .searched_ns = INT64_MAX / 2 },
		.program = program_open(ktrack_user3_process.fd, getpid()),
		.batch = { .send = stage_send },
		.fd = fds[1],
		.helper_fd = helper_fds[1],
	};
	if (!batch_open(&stage.batch) || !program_lock(stage.program))
		abort();
	program_switch(stage.program, true);
}

static void stage_end(void)
{
	close(stage.fd);
	close(stage.helper_fd);
	close(stage.programs.fd);
	file_close(stage.programs.helper.fd);
	program_close(stage.program);
	batch_close(&stage.batch);
	task_table_release(&stage.tasks);
	recorded_release(&stage.programs.recorded);
	refusals_release(&stage.programs.refusals);
	free(stage.programs.message);
	ktrack_user3_after_fork();
}

static void programs_take_messages(void)
{
	struct error error = { 0 };

	CHECK_NUMBER(programs_read(&stage.programs, 0, &error), 0);
}

/* The next request; false if there is none. */
static bool request_take(struct reader_request *request)
{
	return recv(stage.fd, request, sizeof(*request), MSG_DONTWAIT) == sizeof(*request);
}

static void part_send(enum part_kind kind, void *bytes, size_t size)
{
	struct part *part = batch_reserve(&stage.batch, size);

	memcpy(part, bytes, size);
	batch_add(&stage.batch, part, kind, size);
	CHECK(batch_flush(&stage.batch));
}

/* A request is made, and answered: all records up to a time are read. */
static void request_answer_until(enum request_kind kind, int64_t ready_ns)
{
	struct part_passed passed = { .ready_ns = ready_ns };
	struct reader_request request = { 0 };

	CHECK(request_take(&request));
	CHECK_NUMBER(request.kind, kind);
	CHECK_NUMBER(request.pid, stage.programs.reader_pid);
	passed.number = request.number;
	part_send(PART_PASSED, &passed, sizeof(passed));
}

static void request_answer(enum request_kind kind)
{
	request_answer_until(kind, time_now_ns(CLOCK_BOOTTIME));
}

static void reader_start(pid_t pid)
{
	struct part_begun begun = { .pid = pid };
	struct reader_request unread;

	while (request_take(&unread))
		;
	part_send(PART_BEGUN, &begun, sizeof(begun));
	programs_take_messages();
	CHECK_NUMBER(stage.programs.reader_pid, pid);
	request_answer(REQUEST_SWITCH);
}

static void search_end(void)
{
	struct part searched;

	part_send(PART_SEARCHED, &searched, sizeof(searched));
}

/* As a reader does that is asked for it. */
static void rings_read(void)
{
	const struct ring_reader rings = { .batch = &stage.batch,
					   .tasks = &stage.tasks,
					   .user_max = SIZE_MAX };

	CHECK(program_read(stage.program, &rings, time_now_ns(CLOCK_BOOTTIME)) >= 0);
	CHECK(batch_flush(&stage.batch));
}

static uint64_t records_take(void)
{
	uint64_t before = stage.programs.recorded.queue.counts.read;
	unsigned char page[PROGRAM_PAGE_SIZE];

	while (programs_fill(&stage.programs, programs_ready_ns(&stage.programs), page) > 0)
		;
	return stage.programs.recorded.queue.counts.read - before;
}

/* The reader says how long; a busy recorder looks a thousand times in a second, others fifty times.
 */
TEST(rings_are_left_alone_for_one_to_twenty_milliseconds)
{
	static const int64_t waits[][2] = { { INT64_MIN, 1 },	    { 0, 1 },
					    { NS_PER_S / 1000, 1 }, { NS_PER_S / 200, 5 },
					    { NS_PER_S / 50, 20 },  { INT64_MAX, 20 } };

	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		const struct programs programs = { .wait_ns = waits[i][0] };

		CHECK_NUMBER(programs_wait_ms(&programs), waits[i][1]);
	}
}

/* It would take records of programs that it does not know of as too late. */
TEST(a_new_reader_reads_nothing_until_it_has_found_the_programs)
{
	struct reader_request request;

	stage_begin(PROGRAMS_WAIT, SIZE_MAX);
	reader_start(getpid());
	programs_take_messages();
	CHECK(!request_take(&request));
	search_end();
	programs_take_messages();
	request_answer(REQUEST_PASS);
	CHECK_NUMBER(stage.programs.recorded.queue.counts.is_damaged, 0);
	stage_end();
}

/* What fills the memory is delivered before more is asked for. */
TEST(records_that_fill_the_memory_are_delivered)
{
	struct reader_request request;

	stage_begin(PROGRAMS_WAIT, 64);
	reader_start(getpid());
	search_end();
	programs_take_messages();
	for (int i = 0; i < 10; i++)
		ktrack_instant(unit_many, "first");
	rings_read();
	request_answer(REQUEST_PASS);
	ktrack_instant(unit_many, "second");
	programs_take_messages();
	programs_take_messages();
	CHECK(!request_take(&request));
	CHECK_NUMBER(records_take(), 10);
	programs_take_messages();
	rings_read();
	request_answer(REQUEST_PASS);
	programs_take_messages();
	CHECK_NUMBER(records_take(), 1);
	CHECK_NUMBER(stage.programs.recorded.queue.counts.lost, 0);
	stage_end();
}

static bool is_hurried;

static bool stage_is_hurried(void *context)
{
	(void)context;
	return is_hurried;
}

static uint16_t event_add(const char *name)
{
	struct described_event *described = calloc(1, sizeof(*described));
	uint16_t id;

	if (!described)
		abort();
	snprintf(described->name, sizeof(described->name), "%s", name);
	id = event_table_add(&stage.programs.recorded.events, text_of(name), described, NULL);
	free(described);
	return id;
}

/* Records of two users, of whom one has very many; the last of these are of another event. */
#define NR_MANY 40000
#define NR_LAST 1000
#define NR_FEW 4000
#define NR_LATE_MAX 8192

static void waiting_add(void)
{
	struct record_queue *queue = &stage.programs.recorded.queue;
	uint16_t many[4] = { event_add("many") }, few[4] = { event_add("few") };
	uint16_t last[4] = { event_add("last") };

	for (uid_t uid = 1000; uid < 1002; uid++)
		CHECK(user_table_find(&stage.programs.recorded.users, uid));
	for (int64_t i = 0; i < NR_MANY; i++) {
		CHECK_NUMBER(queue_add(queue, 1, 2 * i,
				       i < NR_MANY - NR_LAST ? many : last, sizeof(many)),
			     0);
		if (i % 10 == 0)
			CHECK_NUMBER(queue_add(queue, 0, 2 * i + 1, few, sizeof(few)), 0);
	}
}

/* Records of both users wait, and no reader adds any; @is_late: behind a signal. */
static void waiting_begin(bool is_late)
{
	struct programs *programs = &stage.programs;

	stage_begin(PROGRAMS_WAIT, SIZE_MAX);
	close(programs->fd);
	programs->fd = -1;
	programs->settings.is_hurried = stage_is_hurried;
	is_hurried = is_late;
	waiting_add();
}

/* A signal comes while records are delivered. */
static void check_hurry(bool by_cpu_time)
{
	struct programs *programs = &stage.programs;
	struct record_queue *queue = &programs->recorded.queue;
	unsigned char page[PROGRAM_PAGE_SIZE];
	uint64_t nr_before;

	waiting_begin(false);
	CHECK(programs_fill(programs, INT64_MAX, page) > 0);
	is_hurried = true;
	programs->looked_ns = 0;
	CHECK(programs_fill(programs, INT64_MAX, page) > 0);
	CHECK(programs->is_over);
	CHECK_NUMBER(queue->counts.lost, 0);
	nr_before = queue->counts.read;
	programs->looked_ns = 0;
	*(by_cpu_time ? &programs->hurried_cpu_ns : &programs->hurried_ns) -= NS_PER_S;
	CHECK(programs_fill(programs, INT64_MAX, page) > 0);
	/* However long that takes here. */
	programs->looked_ns = INT64_MAX;
	while (programs_fill(programs, INT64_MAX, page) > 0)
		;
	CHECK_NUMBER(queue->counts.read - nr_before, NR_LATE_MAX);
	CHECK_NUMBER(queue->counts.read + queue->counts.lost, NR_MANY + NR_FEW);
	CHECK(!programs_event(programs, 0)->is_unused);
	CHECK(!programs_event(programs, 1)->is_unused);
	CHECK(programs_event(programs, 2)->is_unused);
	stage_end();
}

TEST(a_signal_ends_the_delivery_of_users_with_many_records)
{
	check_hurry(false);
	check_hurry(true);
}

/* One record may take much longer than another one. */
TEST(of_records_that_take_long_behind_a_signal_fewer_are_delivered)
{
	/* Who had few records keeps them. */
	static const size_t nr_left[] = { NR_LATE_MAX, NR_FEW + 1024, NR_FEW + 1024 };
	struct programs *programs = &stage.programs;
	struct record_queue *queue = &programs->recorded.queue;

	waiting_begin(true);
	CHECK(programs_next_event(programs));
	programs->hurried_ns -= NS_PER_S;
	for (size_t i = 0; i < sizeof(nr_left) / sizeof(nr_left[0]); i++) {
		programs->looked_ns = 0;
		programs_next_event(programs);
		CHECK_NUMBER(queue->size - queue->nr_taken, nr_left[i]);
		programs->looked_ns = 0;
		/* However long this test is stopped, the step is not over yet; then it is. */
		programs->limited_ns = INT64_MAX;
		programs_next_event(programs);
		CHECK_NUMBER(queue->size - queue->nr_taken, nr_left[i]);
		programs->limited_ns = 0;
	}
	CHECK_NUMBER(queue->counts.lost, NR_MANY - 1024);
	stage_end();
}

/*
 * Asks for a pass so long after the last one, of which so much was CPU time: how much it may read.
 * It leaves records in rings, or not.
 */
static uint64_t pass_ask(int64_t ns, int64_t cpu_ns, bool is_cut)
{
	struct part_passed passed = { .ready_ns = time_now_ns(CLOCK_BOOTTIME), .is_cut = is_cut };
	struct reader_request request = { 0 };

	stage.programs.round_ns = time_now_ns(CLOCK_MONOTONIC) - ns;
	stage.programs.round_cpu_ns = time_now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
	programs_take_messages();
	CHECK(request_take(&request));
	CHECK_NUMBER(request.kind, REQUEST_PASS);
	passed.number = request.number;
	part_send(PART_PASSED, &passed, sizeof(passed));
	return request.size_max;
}

/* A pass that is over at once, however long this test is stopped. */
#define HOUR_NS (3600 * NS_PER_S)

/* Records of others wait for its end. An output that waits for a disk takes no CPU time. */
TEST(a_pass_that_takes_long_is_followed_by_a_smaller_one)
{
	const uint64_t size = 16 << 20, least = 1 << 20;
	struct part_passed passed = { 0 };
	struct reader_request request;

	stage_begin(PROGRAMS_WAIT, SIZE_MAX);
	stage.programs.recorded.size_max = size;
	stage.programs.pass_size = size;
	reader_start(getpid());
	search_end();
	CHECK_NUMBER(pass_ask(0, 0, true), size);
	CHECK_NUMBER(pass_ask(2 * NS_PER_S, NS_PER_S, true), size / 2);
	CHECK_NUMBER(pass_ask(2 * NS_PER_S, NS_PER_S, true), size / 4);
	CHECK_NUMBER(pass_ask(2 * NS_PER_S, 0, true), size / 2);
	CHECK_NUMBER(pass_ask(2 * NS_PER_S, NS_PER_S / 20, false), size / 2);
	CHECK_NUMBER(pass_ask(0, 0, true), size / 2);
	CHECK_NUMBER(pass_ask(0, 0, true), size);
	CHECK_NUMBER(pass_ask(2 * NS_PER_S, NS_PER_S, true), size / 2);
	CHECK_NUMBER(pass_ask(-HOUR_NS, NS_PER_S, true), size);
	for (int i = 0; i < 10; i++)
		pass_ask(2 * NS_PER_S, NS_PER_S, true);
	CHECK_NUMBER(pass_ask(2 * NS_PER_S, NS_PER_S, true), least);
	passed.number = stage.programs.number + 1;
	part_send(PART_PASSED, &passed, sizeof(passed));
	programs_stop(&stage.programs);
	CHECK(request_take(&request));
	CHECK_NUMBER(request.kind, REQUEST_FINISH);
	CHECK_NUMBER(request.size_max, size);
	stage_end();
}

/* A request that cannot be sent is none. The first one follows none: nothing has taken long. */
TEST(a_pass_that_is_not_asked_for_changes_no_size)
{
	struct programs *programs = &stage.programs;

	stage_begin(PROGRAMS_WAIT, SIZE_MAX);
	programs->recorded.size_max = 16 << 20;
	programs->pass_size = 4 << 20;
	reader_start(getpid());
	search_end();
	programs->round_cpu_ns = -NS_PER_S;
	programs_take_messages();
	CHECK_NUMBER(programs->pass_size, 4 << 20);
	request_answer(REQUEST_PASS);
	programs->round_ns -= 2 * NS_PER_S;
	programs->round_cpu_ns -= NS_PER_S;
	programs->reader_pid = 0;
	programs_take_messages();
	CHECK_NUMBER(programs->pass_size, 4 << 20);
	programs->reader_pid = getpid();
	programs_take_messages();
	CHECK_NUMBER(programs->pass_size, 2 << 20);
	stage_end();
}

static void line_append(void *context, const char *line)
{
	buffer_printf(context, "%s\n", line);
}

/* Of a user whose programs write more than is read of it in a pass. */
TEST(users_whose_records_came_too_late_are_named)
{
	struct record_queue *queue = &stage.programs.recorded.queue;
	SCOPED_BUFFER(lines);
	const struct report report = { .context = &lines, .message = line_append };
	uint16_t record[4];

	stage_begin(PROGRAMS_WAIT, SIZE_MAX);
	close(stage.programs.fd);
	stage.programs.fd = -1;
	stage.programs.settings.report = &report;
	record[0] = event_add("late");
	for (uid_t uid = 1000; uid < 1002; uid++)
		CHECK(user_table_find(&stage.programs.recorded.users, uid));
	CHECK_NUMBER(queue_add(queue, 0, 20, record, sizeof(record)), 0);
	queue->delivered_ns = 10;
	CHECK_NUMBER(queue_add(queue, 1, 9, record, sizeof(record)), 0);
	CHECK_NUMBER(queue_add(queue, 1, 8, record, sizeof(record)), 0);
	programs_stop(&stage.programs);
	CHECK_TEXT(buffer_string(&lines),
		   "programs of user 1001: 2 of their records came too late, and are lost; later "
		   "ones had been delivered\n");
	stage_end();
}

/* Making thousands of events known takes as long as the delivery of many records. */
TEST(a_signal_is_noticed_while_events_are_made_known)
{
	struct programs *programs = &stage.programs;

	waiting_begin(false);
	CHECK_TEXT(programs_next_event(programs)->name, "many");
	CHECK(!programs->is_over);
	is_hurried = true;
	programs->looked_ns = 0;
	CHECK_TEXT(programs_next_event(programs)->name, "few");
	CHECK(programs->is_over);
	programs->looked_ns = 0;
	programs->hurried_ns -= NS_PER_S;
	CHECK(!programs_next_event(programs));
	CHECK(programs_event(programs, 2)->is_unused);
	CHECK(!programs_next_event(programs));
	stage_end();
}

static int loss_note(void *context, const struct loss *loss, struct error *error)
{
	(void)error;
	*(struct loss *)context = *loss;
	return 0;
}

static int event_note(void *context, const struct program_event *event, struct error *error)
{
	(void)context;
	(void)error;
	CHECK_TEXT(event->name, "many");
	return 0;
}

static int record_note(void *context, const struct record *record, struct error *error)
{
	(void)context;
	(void)record;
	(void)error;
	return 0;
}

/* What was dropped has no record behind it that would say so, and nobody needs its event. */
TEST(what_a_signal_drops_is_lost_though_nothing_follows)
{
	struct programs *programs = &stage.programs;
	struct loss lost = { 0 };
	const struct source_handler handler = { .context = &lost,
						.record = record_note,
						.loss = loss_note,
						.event = event_note };
	unsigned char page[PROGRAM_PAGE_SIZE];
	uint16_t record[4] = { 0 }, last[4] = { 0 };
	struct error error = { 0 };
	struct source *source;
	uint64_t sum;

	stage_begin(PROGRAMS_WAIT, SIZE_MAX);
	programs->settings.is_hurried = stage_is_hurried;
	is_hurried = true;
	programs->is_over = true;
	CHECK(user_table_find(&programs->recorded.users, 1000));
	record[0] = event_add("many");
	last[0] = event_add("last");
	for (int64_t i = 0; i < NR_MANY; i++)
		CHECK_NUMBER(queue_add(&programs->recorded.queue, 0, i,
				       i < NR_LATE_MAX ? record : last, sizeof(record)),
			     0);
	programs->hurried_ns = 1;
	CHECK(programs_fill(programs, INT64_MAX, page) > 0);
	programs->looked_ns = INT64_MAX;
	CHECK_NUMBER(source_programs_open(&source, programs, &error), 0);
	CHECK_NUMBER(source_finish(source, 50000, &handler, &sum, &error), 0);
	CHECK_NUMBER(sum, NR_MANY - NR_LATE_MAX);
	CHECK_NUMBER(lost.count, NR_MANY - NR_LATE_MAX);
	CHECK_NUMBER(lost.to_ns, 50000);
	CHECK_TEXT(source_describe(source)->buffers[lost.buffer], "programs");
	source_close(source);
	stage_end();
}

/* So do messages while they are received: a pass over full rings has many. */
TEST(a_signal_ends_the_receiving_of_messages)
{
	struct programs *programs = &stage.programs;
	struct error error = { 0 };

	stage_begin(PROGRAMS_WAIT, SIZE_MAX);
	programs->settings.is_hurried = stage_is_hurried;
	is_hurried = true;
	reader_start(getpid());
	for (int i = 0; i < 3; i++) {
		ktrack_instant(unit_many, "one");
		rings_read();
	}
	programs->looked_ns = 0;
	CHECK_NUMBER(programs_read(programs, 0, &error), 0);
	CHECK(programs->is_over);
	stage_end();
}

/* All that a recording in memory has is delivered when it ends. */
TEST(a_signal_drops_nothing_of_a_recording_in_memory)
{
	struct programs *programs = &stage.programs;
	struct record_queue *queue = &programs->recorded.queue;
	unsigned char page[PROGRAM_PAGE_SIZE];

	stage_begin(PROGRAMS_KEEP_LAST, SIZE_MAX);
	close(programs->fd);
	programs->fd = -1;
	programs->settings.is_hurried = stage_is_hurried;
	is_hurried = true;
	CHECK(user_table_find(&programs->recorded.users, 1000));
	for (int64_t i = 0; i < 40000; i++)
		CHECK_NUMBER(queue_add(queue, 0, i, &i, sizeof(i)), 0);
	CHECK(programs_fill(programs, INT64_MAX, page) > 0);
	CHECK_NUMBER(programs->hurried_ns, 0);
	CHECK(!programs->is_over);
	stage_end();
}

/*
 * Programs that do not stop are found again by a search. An output that is written slowly reads
 * ahead, and stops the recording each time.
 */
TEST(behind_the_end_nothing_is_read)
{
	struct reader_request request;
	struct part_passed passed;

	stage_begin(PROGRAMS_WAIT, SIZE_MAX);
	reader_start(getpid());
	search_end();
	programs_take_messages();
	request_answer(REQUEST_PASS);
	programs_take_messages();
	while (request_take(&request))
		;
	passed = (struct part_passed){ .number = stage.programs.number };
	part_send(PART_PASSED, &passed, sizeof(passed));
	ktrack_instant(unit_many, "before");
	rings_read();
	passed.number++;
	part_send(PART_PASSED, &passed, sizeof(passed));
	programs_stop(&stage.programs);
	CHECK(request_take(&request));
	CHECK_NUMBER(request.kind, REQUEST_FINISH);
	ktrack_instant(unit_many, "behind");
	rings_read();
	programs_take_messages();
	programs_stop(&stage.programs);
	programs_take_messages();
	CHECK(!request_take(&request));
	CHECK_NUMBER(stage.programs.recorded.queue.size, 1);
	CHECK(!stage.programs.recorded.queue.counts.is_damaged);
	stage_end();
}

/* A record that a thread has begun holds them back: only passes find that it is complete. */
TEST(records_that_fill_the_memory_and_are_not_final_yet_wait_for_no_stop)
{
	int64_t begin_ns = time_now_ns(CLOCK_BOOTTIME);
	struct reader_request request;

	stage_begin(PROGRAMS_WAIT, 64);
	reader_start(getpid());
	search_end();
	programs_take_messages();
	for (int i = 0; i < 10; i++)
		ktrack_instant(unit_many, "waits");
	rings_read();
	request_answer_until(REQUEST_PASS, begin_ns);
	programs_take_messages();
	CHECK_NUMBER(records_take(), 0);
	programs_take_messages();
	request_answer(REQUEST_PASS);
	programs_take_messages();
	programs_take_messages();
	CHECK(!request_take(&request));
	CHECK_NUMBER(records_take(), 10);
	CHECK_NUMBER(stage.programs.recorded.queue.counts.lost, 0);
	stage_end();
}

/* Its rings are gone with it. */
TEST(records_of_a_program_that_a_new_reader_does_not_find_are_lost)
{
	stage_begin(PROGRAMS_WAIT, SIZE_MAX);
	reader_start(getpid());
	search_end();
	rings_read();
	programs_take_messages();
	CHECK_NUMBER(stage.programs.recorded.size, 1);
	reader_start(getppid());
	stage.program->is_announced = false;
	rings_read();
	search_end();
	programs_take_messages();
	CHECK_NUMBER(stage.programs.recorded.size, 1);
	CHECK(!stage.programs.recorded.queue.counts.is_damaged);
	reader_start(getpid());
	search_end();
	programs_take_messages();
	CHECK_NUMBER(stage.programs.recorded.size, 0);
	CHECK(stage.programs.recorded.queue.counts.is_damaged);
	stage_end();
}

/* A pass over full rings may take long; this reader sleeps. */
TEST(the_end_waits_for_no_pass)
{
	struct part_passed passed = { 0 };
	struct reader_request request = { 0 };
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	stage_begin(PROGRAMS_WAIT, SIZE_MAX);
	reader_start(child);
	search_end();
	programs_take_messages();
	CHECK(request_take(&request));
	CHECK_NUMBER(request.kind, REQUEST_PASS);
	ktrack_instant(unit_many, "one");
	rings_read();
	passed.number = request.number + 1;
	part_send(PART_PASSED, &passed, sizeof(passed));
	programs_stop(&stage.programs);
	CHECK(request_take(&request));
	CHECK_NUMBER(request.kind, REQUEST_FINISH);
	CHECK_NUMBER(request.number, passed.number);
	CHECK_NUMBER(stage.programs.recorded.queue.size, 1);
	CHECK(!stage.programs.recorded.queue.counts.is_damaged);
	stage_end();
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static bool reader_is_to_be_replaced(void)
{
	char request = 0;

	return recv(stage.helper_fd, &request, 1, MSG_DONTWAIT) == 1 &&
	       request == HELPER_ASK_READER;
}

TEST(a_reader_that_does_not_answer_is_replaced)
{
	pid_t pid;

	stage_begin(PROGRAMS_WAIT, SIZE_MAX);
	pid = fork();
	while (pid == 0)
		raise(SIGSTOP);
	waitpid(pid, NULL, WUNTRACED);
	reader_start(pid);
	search_end();
	for (int i = 0; i < 40; i++)
		programs_take_messages();
	CHECK(stage.programs.is_asked);
	CHECK(!reader_is_to_be_replaced());
	stage.programs.asked_ns -= 10 * NS_PER_S;
	programs_take_messages();
	CHECK(reader_is_to_be_replaced());
	CHECK_NUMBER(stage.programs.reader_pid, 0);
	/* What it still sends answers nobody. */
	for (int i = 0; i < 40; i++)
		programs_take_messages();
	CHECK(!reader_is_to_be_replaced());
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	stage_end();
}

TEST(a_reader_that_sends_damaged_messages_is_replaced)
{
	stage_begin(PROGRAMS_WAIT, SIZE_MAX);
	reader_start(getpid());
	search_end();
	programs_take_messages();
	CHECK_NUMBER(send(stage.fd, "damaged", 8, 0), 8);
	programs_take_messages();
	CHECK(reader_is_to_be_replaced());
	CHECK(stage.programs.recorded.queue.counts.is_damaged);
	stage_end();
}

TEST(ten_refused_programs_are_named_and_the_others_counted)
{
	struct refusals *refusals = calloc(1, sizeof(*refusals));
	const char *text;

	if (!refusals)
		abort();
	for (int i = 0; i < 24; i++)
		refusals_add(refusals, 100 + i / 2, i == 0 ? "first" : "", "it is refused");
	CHECK_NUMBER(refusals->size, 12);
	text = refusals_text(refusals);
	CHECK(strstr(text, "first (100): it is refused; a program (101): it is refused; ") == text);
	CHECK(strstr(text, "a program (109): it is refused; and 2 more"));
	refusals_release(refusals);
	free(refusals);
}

/* The user of the reader. */
#define READER_USER 4242

struct passwd *fgetpwent(FILE *file)
{
	static struct passwd entry = { .pw_name = PROGRAMS_READER_USER,
				       .pw_uid = READER_USER,
				       .pw_gid = READER_USER };

	(void)file;
	return &entry;
}

static bool status_has(const char *status, const char *line)
{
	if (strstr(status, line))
		return true;
	fprintf(stderr, "# no line '%s'\n", line + 1);
	return false;
}

/* Memory that a process has mapped, in bytes. */
static long long data_mapped(void)
{
	struct buffer text = { 0 };
	long long pages = -1;

	CHECK_NUMBER(file_read("/proc/self/statm", &text), 0);
	CHECK(sscanf(buffer_string(&text), "%*u %*u %*u %*u %*u %lld", &pages) == 1);
	buffer_release(&text);
	return pages * sysconf(_SC_PAGESIZE);
}

/* Each process has 128 MiB more than what it has of the recorder, which this test is. */
static void memory_check(pid_t pid)
{
	long long mapped = data_mapped(), soft = 0, hard = 0;
	SCOPED_BUFFER(limits);
	const char *line;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/limits", pid);
	CHECK_NUMBER(file_read(path, &limits), 0);
	line = strstr(buffer_string(&limits), "\nMax data size");
	CHECK(line && sscanf(line, "\nMax data size %lld %lld bytes", &soft, &hard) == 2);
	CHECK_NUMBER(soft, hard);
	CHECK(hard >= (128 << 20) && hard <= mapped + (192 << 20));
}

static void reader_check(pid_t pid, bool has_own_user)
{
	struct buffer status = { 0 };
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	CHECK_NUMBER(file_read(path, &status), 0);
	CHECK(status_has(buffer_string(&status), "\nCapPrm:\t0000000000000000"));
	CHECK(status_has(buffer_string(&status), "\nCapEff:\t0000000000000000"));
	CHECK(status_has(buffer_string(&status), "\nNoNewPrivs:\t1"));
	CHECK(status_has(buffer_string(&status), "\nSeccomp:\t2"));
	if (has_own_user) {
		CHECK(status_has(buffer_string(&status), "\nUid:\t4242\t4242\t4242\t4242"));
		CHECK(status_has(buffer_string(&status), "\nGid:\t4242\t4242\t4242\t4242"));
		CHECK(status_has(buffer_string(&status), "\nGroups:\t \n"));
	} else {
		snprintf(path, sizeof(path), "\nUid:\t%u\t", geteuid());
		CHECK(status_has(buffer_string(&status), path));
	}
	buffer_release(&status);
	memory_check(pid);
}

/* A program that emits ten records each time it continues. */
static void emitting_begin(void)
{
	stage.child = fork();
	while (stage.child == 0) {
		for (int i = 0; i < 10; i++)
			ktrack_instant(unit_many, "emitted");
		raise(SIGSTOP);
	}
	waitpid(stage.child, NULL, WUNTRACED);
}

static void emitting_continue(void)
{
	kill(stage.child, SIGCONT);
	waitpid(stage.child, NULL, WUNTRACED);
}

/* The whole way: found by the search, read by a process of another user if there is one. */
static void emitted_check(bool has_own_user)
{
	const struct programs_settings settings = { .size_max = 1 << 20, .mode = PROGRAMS_WAIT };
	unsigned char page[PROGRAM_PAGE_SIZE];
	struct programs_counts counts;
	struct programs *programs;
	struct error error = { 0 };

	emitting_begin();
	CHECK_NUMBER(programs_new(&programs, &settings, &error), 0);
	CHECK_NUMBER(programs_start(programs, &error), 0);
	reader_check(programs->reader_pid, has_own_user);
	memory_check(programs->helper.pid);
	emitting_continue();
	programs_stop(programs);
	while (programs_fill(programs, INT64_MAX, page) > 0)
		;
	programs_count(programs, &counts);
	CHECK_NUMBER(counts.read, 10);
	CHECK_NUMBER(counts.lost, 0);
	CHECK(!counts.is_damaged);
	programs_close(programs);
	kill(stage.child, SIGKILL);
	waitpid(stage.child, NULL, 0);
}

TEST(programs_are_read_without_rights)
{
	emitted_check(geteuid() == 0);
}

/* Describes more events than ktrack lists. */
static void child_describe(void)
{
	static const struct ktrack_user_about field = { "value", NULL, 0, 16, 4, 0, 0 };
	char name[16];

	for (int i = 0; i < 2 * PROGRAM_LISTED_MAX; i++) {
		struct ktrack_user_site site = { "unit", name, &field, 1, KTRACK_USER_COUNTER,
						 20,	 0,    0,      0 };

		snprintf(name, sizeof(name), "many%d", i);
		ktrack_user_describe(&site);
	}
	for (;;)
		raise(SIGSTOP);
}

static int program_count_events(void *context, const struct program_found *program,
				struct error *error)
{
	(void)error;
	if (program->pid == stage.child)
		*(size_t *)context = program->nr_events;
	return 0;
}

/* Comparing each name with all others would take hours. */
TEST(a_limited_number_of_events_is_listed)
{
	size_t nr_events = 0;
	const struct program_visitor visitor = { .context = &nr_events,
						 .visit = program_count_events };
	struct error error = { 0 };

	stage.child = fork();
	if (stage.child == 0)
		child_describe();
	waitpid(stage.child, NULL, WUNTRACED);
	CHECK_NUMBER(programs_visit(&visitor, &error), 0);
	CHECK_NUMBER(nr_events, PROGRAM_LISTED_MAX);
	kill(stage.child, SIGKILL);
	waitpid(stage.child, NULL, 0);
}

/* Takes capabilities from this process; the tests behind this one do not have them either. */
static void capabilities_drop(uint64_t dropped)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	CHECK_NUMBER(syscall(SYS_capget, &head, data), 0);
	for (size_t i = 0; i < 2; i++) {
		data[i].permitted &= ~(uint32_t)(dropped >> 32 * i);
		data[i].effective = data[i].permitted;
	}
	CHECK_NUMBER(syscall(SYS_capset, &head, data), 0);
}

TEST(a_reader_that_cannot_become_its_user_has_no_rights_either)
{
	capabilities_drop(UINT64_C(1) << CAP_SETUID);
	emitted_check(false);
}

/* Without capabilities, a process may trace those of its user that are dumpable. */
static bool process_may_be_traced(pid_t pid)
{
	char path[32], target[PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return readlink(path, target, sizeof(target)) >= 0;
}

TEST(the_helper_may_not_be_traced)
{
	const struct programs_settings settings = { .size_max = 1 << 20, .mode = PROGRAMS_WAIT };
	struct programs *programs;
	struct error error = { 0 };

	capabilities_drop(~UINT64_C(0));
	emitting_begin();
	CHECK_NUMBER(programs_new(&programs, &settings, &error), 0);
	CHECK_NUMBER(programs_start(programs, &error), 0);
	CHECK(process_may_be_traced(stage.child));
	CHECK(!process_may_be_traced(programs->helper.pid));
	programs_close(programs);
	kill(stage.child, SIGKILL);
	waitpid(stage.child, NULL, 0);
}
