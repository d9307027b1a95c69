// SPDX-License-Identifier: GPL-2.0-only
/* Tests of a reader that is killed, or damaged: the recorder takes each record once. */
#define KTRACK_SYSTEM unit
#include <ktrack/user.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixtures/user_reading.h"
#include "userring/reader.h"

KTRACK_SLICE(unit_number, KTRACK_FIELD(uint32_t, number));

/* More than fit in a ring, so that some are lost, and in several messages. */
#define NR_RECORDS 13000

/* More moments than a pass has. */
#define STEPS_MAX 1000

/* The end of a reader to the recorder, and when it is killed. */
static int reader_fd;
static int steps_left;

/* The memory of this process: a fork has another one. */
static int memory_fd;

static void step_count(void *context)
{
	(void)context;
	if (--steps_left == 0)
		raise(SIGKILL);
}

static bool bytes_send(void *context, const unsigned char *bytes, size_t size)
{
	(void)context;
	return send(reader_fd, bytes, size, MSG_NOSIGNAL) == (ssize_t)size;
}

/* A reader that is killed at a step, 0 for none. */
static void reader_child(int step)
{
	struct batch batch = { .send = bytes_send, .step = step_count };
	struct task_table tasks = { 0 };
	const struct ring_reader rings = { .batch = &batch, .tasks = &tasks, .user_max = SIZE_MAX };
	struct program *program = program_open(memory_fd, getppid());

	steps_left = step;
	if (!program || !program_lock(program) || !batch_open(&batch))
		_exit(1);
	program->from_ns = 0;
	if (program_read(program, &rings, time_now_ns(CLOCK_BOOTTIME)) < 0 || !batch_flush(&batch))
		_exit(2);
	_exit(0);
}

/* Runs a reader and takes its messages; returns its status. */
static int reader_do(int step)
{
	static _Alignas(8) unsigned char message[BATCH_MAX];
	const struct part_visitor notes = { NULL, reading_note };
	int fds[2], status;
	ssize_t size;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds) < 0)
		abort();
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		reader_fd = fds[1];
		reader_child(step);
	}
	close(fds[1]);
	while ((size = recv(fds[0], message, sizeof(message), 0)) > 0)
		CHECK_NUMBER(recorded_take(&reading.recorded, message, size, &notes),
			     RECORDED_WHOLE);
	close(fds[0]);
	waitpid(pid, &status, 0);
	return status;
}

static void records_write(uint32_t *number, size_t nr_records)
{
	for (size_t i = 0; i < nr_records; i++)
		ktrack_instant(unit_number, "numbered", (*number)++);
}

/* Takes the records from the queue: each number is higher than the last one. */
static size_t numbers_take(void)
{
	unsigned char page[PROGRAM_PAGE_SIZE];
	size_t size, nr_records = 0;
	struct record record;
	struct page view;
	int64_t last = -1;

	while ((size = queue_fill(&reading.recorded.queue, INT64_MAX, page)) > 0) {
		page_load(&view, (struct page_layout){ 0 }, page, size);
		while (page_next(&view, &record)) {
			uint32_t number;

			memcpy(&number, (const unsigned char *)record.data + 16, sizeof(number));
			CHECK(number > last);
			last = number;
			nr_records++;
		}
	}
	return nr_records;
}

/* A new recording of this process, whose reader is killed at a step; returns whether it was. */
static bool killing_check(int step)
{
	uint32_t number = 0;
	int status;

	ktrack_user3_after_fork();
	reading = (struct reading){ .recorded = { .size_max = SIZE_MAX } };
	memory_fd = dup(ktrack_user3_process.fd);
	ktrack_user3_control.on = 1;
	/* What was lost before the first reader is not this recording's. */
	CHECK_NUMBER(reader_do(0), 0);
	records_write(&number, NR_RECORDS);
	status = reader_do(step);
	CHECK(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
	records_write(&number, 100);
	CHECK_NUMBER(reader_do(0), 0);
	CHECK_NUMBER(numbers_take() + reading.recorded.queue.counts.lost, number);
	CHECK(!reading.recorded.queue.counts.is_damaged);
	CHECK_NUMBER(reading.recorded.events.size, 1);
	CHECK_NUMBER(ktrack_user3_thread.ring->tail, ktrack_user3_thread.ring->head);
	CHECK_NUMBER(reading.nr_notes, 0);
	recorded_release(&reading.recorded);
	close(memory_fd);
	return WIFSIGNALED(status);
}

TEST(a_reader_that_is_killed_at_any_step_repeats_and_loses_nothing)
{
	int step = 1;

	while (step < STEPS_MAX && killing_check(step))
		step++;
	/* Each of some messages has five. */
	CHECK(step > 20 && step < STEPS_MAX);
	ktrack_user3_after_fork();
}

/* Only the program itself can have moved its tail. */
TEST(records_that_the_program_skips_are_lost)
{
	uint32_t number = 0;

	ktrack_user3_after_fork();
	reading_begin();
	records_write(&number, 10);
	CHECK(reading_pass() > 0);
	records_write(&number, 10);
	program_close(reading.program);
	ktrack_user3_thread.ring->tail = ktrack_user3_thread.ring->head;
	ktrack_user3_thread.ring->read = ktrack_user3_thread.ring->head;
	CHECK(reading_lock());
	program_switch(reading.program, true);
	records_write(&number, 10);
	CHECK(reading_pass() > 0);
	CHECK_NUMBER(queue_see(INT64_MAX).nr_records, 20);
	CHECK(reading.recorded.queue.counts.is_damaged);
	reading_end();
}

/* Sends a part as it is. */
static enum recorded_status part_take(const void *part, size_t size)
{
	const struct part_visitor notes = { NULL, reading_note };
	_Alignas(8) unsigned char bytes[4096];

	memcpy(bytes, part, size);
	return recorded_take(&reading.recorded, bytes, size, &notes);
}

TEST(parts_of_a_damaged_reader_are_refused)
{
	struct part_program program = { .head = { sizeof(program), PART_PROGRAM },
					.nr_rings = 129 };
	struct part_records records = { .head = { sizeof(records), PART_RECORDS } };
	struct part_event event = { .head = { sizeof(event), PART_EVENT }, .size = 8 };
	struct part_lost lost = { .head = { sizeof(lost), PART_LOST } };
	struct part head = { 4096, PART_SEARCHED };

	reading = (struct reading){ .recorded = { .size_max = SIZE_MAX } };
	CHECK_NUMBER(part_take(&head, sizeof(head)), RECORDED_DAMAGED);
	head = (struct part){ 8, NR_PART_KINDS };
	CHECK_NUMBER(part_take(&head, sizeof(head)), RECORDED_DAMAGED);
	head = (struct part){ 0, PART_SEARCHED };
	CHECK_NUMBER(part_take(&head, sizeof(head)), RECORDED_DAMAGED);
	CHECK_NUMBER(part_take(&records, sizeof(records)), RECORDED_DAMAGED);
	CHECK_NUMBER(part_take(&event, sizeof(event)), RECORDED_DAMAGED);
	CHECK_NUMBER(part_take(&lost, sizeof(lost)), RECORDED_DAMAGED);
	CHECK_NUMBER(part_take(&program, sizeof(program)), RECORDED_DAMAGED);
	program.nr_rings = 1;
	CHECK_NUMBER(part_take(&program, sizeof(program)), RECORDED_DAMAGED);
	program.nr_rings = 0;
	CHECK_NUMBER(part_take(&program, sizeof(program)), RECORDED_WHOLE);
	CHECK_NUMBER(part_take(&records, sizeof(records)), RECORDED_DAMAGED);
	CHECK_NUMBER(part_take(&event, sizeof(event)), RECORDED_DAMAGED);
	CHECK_NUMBER(part_take(&lost, sizeof(lost)), RECORDED_WHOLE);
	recorded_release(&reading.recorded);
}

static uint64_t memory_pages(void)
{
	struct stat status;

	return fstat(ktrack_user3_process.fd, &status) == 0 ? status.st_blocks : 0;
}

/* They would count as the reader's memory. */
TEST(holes_of_rings_are_not_allocated)
{
	uint64_t before;

	ktrack_user3_after_fork();
	reading_begin();
	ktrack_instant(unit_number, "numbered", 0);
	CHECK(reading_pass() > 0);
	for (size_t i = 1; i < KTRACK_USER_RINGS; i++)
		ktrack_user3_control.rings[i].head = KTRACK_USER_RING_SIZE;
	before = memory_pages();
	CHECK_NUMBER(reading_pass(), 0);
	CHECK(program_is_waiting(reading.program));
	reading.program->has_ended = true;
	CHECK(reading_pass() > 0);
	CHECK(!program_is_waiting(reading.program));
	CHECK_NUMBER(memory_pages(), before);
	program_close(reading.program);
	for (size_t i = 1; i < KTRACK_USER_RINGS; i++) {
		ktrack_user3_control.rings[i].tail = 0;
		ktrack_user3_control.rings[i].read = KTRACK_USER_RING_SIZE;
	}
	CHECK(reading_lock());
	CHECK_NUMBER(memory_pages(), before);
	reading_end();
}

/* Rings are read before a quarter is full, also when a burst follows another one. */
TEST(rings_are_left_alone_as_long_as_they_take_to_fill)
{
	const int64_t ms = NS_PER_S / 1000;
	struct program program = { .ring_size = 1 << 20, .most_bytes = 1 << 18 };
	const struct reader reader = { .fill_ns = 80 * ms };
	int64_t fill_ns = fill_ns_after(FILL_NEVER_NS, 20 * ms, &program);

	CHECK_NUMBER(fill_ns, 80 * ms);
	program.most_bytes = 1 << 19;
	fill_ns = fill_ns_after(fill_ns, 20 * ms, &program);
	CHECK_NUMBER(fill_ns, 40 * ms);
	program.most_bytes = 0;
	CHECK_NUMBER(fill_ns_after(fill_ns, 20 * ms, &program), 40 * ms);
	CHECK_NUMBER(fill_ns_slower(fill_ns, NS_PER_S), 80 * ms);
	CHECK_NUMBER(fill_ns_slower(FILL_NEVER_NS, NS_PER_S), FILL_NEVER_NS);
	CHECK_NUMBER(reader_passed(&reader, 7).wait_ns, 20 * ms);
}

/* Whoever has failed is replaced: what it takes from then on would be lost. */
TEST(a_reader_that_has_failed_leaves_messages_to_the_next_one)
{
	const struct helper_message message = { .kind = HELPER_DROPPED };
	struct reader failed = { .batch.has_failed = true };
	struct helper_report report;
	int fds[2];

	CHECK_NUMBER(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	failed.helper.fd = fds[0];
	CHECK(helper_send(fds[1], &message, NULL, 0));
	CHECK(!reader_accept(&failed));
	CHECK(helper_receive(&failed.helper, &report, 0));
	CHECK_NUMBER(report.message.kind, HELPER_DROPPED);
	close(fds[0]);
	close(fds[1]);
}

/* Programs would wait for it in vain. */
TEST(a_reader_that_can_receive_no_messages_ends)
{
	struct reader reader = { 0 };
	int fds[2];

	CHECK_NUMBER(pipe(fds), 0);
	close(fds[1]);
	reader.helper.fd = fds[0];
	CHECK(!reader_accept(&reader));
	CHECK(!reader_accept(&reader));
}

/* It reads the programs that it has. */
TEST(a_reader_without_a_helper_goes_on)
{
	struct reader reader = { 0 };
	int fds[2];

	CHECK_NUMBER(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	close(fds[1]);
	reader.helper.fd = fds[0];
	CHECK(reader_accept(&reader));
	CHECK(reader.helper.has_ended);
}

/* The helper's end, and whether programs were switched off before its last answer. */
struct answering {
	struct reader reader;
	int fd;
	bool was_off;
};

static void *answer_run(void *context)
{
	const struct helper_message message = { .kind = HELPER_ANSWERED };
	struct answering *answering = context;

	for (int i = 0; i < 50 && !answering->was_off; i++) {
		usleep(1000);
		answering->was_off = !__atomic_load_n(&answering->reader.is_on, __ATOMIC_RELAXED);
	}
	CHECK(helper_send(answering->fd, &message, NULL, 0));
	return NULL;
}

/* A program that has not been let go on is not on yet, and its first records would be missing. */
TEST(the_end_waits_for_the_answers_of_the_helper)
{
	struct answering answering = { .reader = { .is_on = true, .helper.nr_unanswered = 1 } };
	pthread_t thread;
	int fds[2];

	CHECK_NUMBER(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	answering.reader.helper.fd = fds[0];
	answering.fd = fds[1];
	answering.reader.batch.send = bytes_send;
	CHECK(batch_open(&answering.reader.batch));
	CHECK_NUMBER(pthread_create(&thread, NULL, answer_run, &answering), 0);
	CHECK(reader_finish(&answering.reader, UINT64_MAX));
	pthread_join(thread, NULL);
	CHECK(!answering.was_off);
	CHECK_NUMBER(answering.reader.helper.nr_unanswered, 0);
	batch_close(&answering.reader.batch);
	close(fds[0]);
	close(fds[1]);
}

#define FLOOD_RINGS 20
#define FLOOD_RING_SIZE (4u << 20)
#define FLOOD_ENTRY 2048u

/* A memory of this process whose rings are full, or empty. */
static struct program *flood_open(bool is_full)
{
	size_t size = KTRACK_USER_CONTROL_SIZE + KTRACK_USER_EVENTS_SIZE +
		      (size_t)FLOOD_RINGS * FLOOD_RING_SIZE;
	int fd = memfd_create(KTRACK_USER_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct ktrack_user_control *control;
	struct program *program;

	if (fd < 0 || ftruncate(fd, size) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		abort();
	control = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	*control = (struct ktrack_user_control){ .magic = KTRACK_USER_MAGIC,
						 .version = KTRACK_USER_VERSION,
						 .pid = getpid(),
						 .nr_rings = FLOOD_RINGS,
						 .ring_size = FLOOD_RING_SIZE,
						 .events_size = KTRACK_USER_EVENTS_SIZE };
	program = program_open(fd, getpid());
	if (!program || !program_lock(program))
		abort();
	program->from_ns = 0;
	for (size_t i = 0; i < FLOOD_RINGS; i++)
		control->rings[i].head = is_full ? FLOOD_RING_SIZE : 0;
	for (size_t at = KTRACK_USER_CONTROL_SIZE + KTRACK_USER_EVENTS_SIZE; is_full && at < size;
	     at += FLOOD_ENTRY)
		*(uint32_t *)(void *)((char *)control + at) = FLOOD_ENTRY | KTRACK_USER_PAD |
							      KTRACK_USER_COMMITTED;
	munmap(control, size);
	close(fd);
	return program;
}

static uint64_t flood_read(const struct program *flood)
{
	return (uint64_t)FLOOD_RINGS * FLOOD_RING_SIZE - program_pending(flood);
}

static void flood_begin(struct reader *reader, struct program **list)
{
	reading_begin();
	list[0] = flood_open(true);
	list[1] = reading.program;
	*reader = (struct reader){
		.helper = { .fd = -1 }, .fd = -1, .batch = reading.batch, .list = list, .size = 2
	};
	for (size_t i = 0; i < reader->size; i++) {
		list[i]->user = user_table_find(&reader->users, 0);
		list[i]->user->nr_programs++;
	}
	/* More than is read of a program beyond its share. */
	for (uint32_t i = 0; i < 10000; i++)
		ktrack_instant(unit_number, "one", i);
}

static void flood_end(struct reader *reader)
{
	CHECK(reader_release_programs(reader));
	CHECK_NUMBER(reading.nr_notes, 1);
	CHECK_NUMBER(reading.note.kind, NOTE_LEFT);
	CHECK(reading.recorded.queue.counts.is_damaged);
	user_table_release(&reader->users);
	task_table_release(&reader->tasks);
	reading.program = NULL;
	reading_end();
}

/* The flood is before it in the list, and its user's. */
TEST(the_end_reads_a_part_of_a_flood_and_all_of_an_honest_program)
{
	struct program *flood, *list[2];
	struct reader reader;

	flood_begin(&reader, list);
	flood = list[0];
	CHECK(reader_finish(&reader, SIZE_MAX));
	CHECK(flood->is_cut && !reading.program->is_cut);
	CHECK_NUMBER(reading.recorded.queue.size, 10000);
	CHECK(flood_read(flood) > READER_END_MAX - (2 << 20));
	CHECK(flood_read(flood) < READER_END_MAX + READER_END_MORE + PART_DATA_MAX);
	CHECK(reader_pass(&reader, SIZE_MAX));
	CHECK(flood_read(flood) < READER_END_MAX + READER_END_MORE + PART_DATA_MAX);
	flood_end(&reader);
}

/* A pass may be smaller than what one of them has. Another user's is before them in the list. */
TEST(programs_of_a_user_take_turns)
{
	struct program *list[3];
	struct reader reader;

	flood_begin(&reader, list + 1);
	list[0] = flood_open(false);
	list[0]->user = user_table_find(&reader.users, 1);
	list[0]->user->nr_programs++;
	reader.list = list;
	reader.size = 3;
	CHECK(reader_pass(&reader, 2 << 20));
	CHECK_NUMBER(reading.recorded.queue.size, 0);
	CHECK(reader_pass(&reader, 2 << 20));
	CHECK_NUMBER(reading.recorded.queue.size, 10000);
	flood_end(&reader);
}

/* Without the other user, the records that are left are awaited. */
TEST(other_users_do_not_wait_for_what_is_left_of_one)
{
	struct program *list[2];
	struct reader reader;

	flood_begin(&reader, list);
	user_table_find(&reader.users, 1)->nr_programs = 1;
	CHECK(reader_pass(&reader, 2 << 20));
	CHECK_NUMBER(reader.ready_ns, reader.passed_ns);
	reader.users.list[1]->nr_programs = 0;
	CHECK(reader_pass(&reader, 2 << 20));
	CHECK(reader.ready_ns < reader.passed_ns);
	flood_end(&reader);
}

/* Else all that it writes for a second would wait in the recorder's memory. */
TEST(a_flood_of_the_only_user_is_not_awaited)
{
	struct program *flood, *list[2];
	struct reader reader;

	flood_begin(&reader, list);
	flood = list[0];
	while (reader.held < READER_HELD_MAX) {
		CHECK(reader_pass(&reader, 4 << 20));
		CHECK(reader.ready_ns < reader.passed_ns);
	}
	CHECK(reader_pass(&reader, 4 << 20));
	CHECK_NUMBER(reader.ready_ns, reader.passed_ns);
	flood->is_damaged = true;
	CHECK(reader_pass(&reader, 4 << 20));
	CHECK_NUMBER(reader.held, 0);
	flood->is_damaged = false;
	flood_end(&reader);
}

/* The threads of one program, too: the first one writes more than is read in a pass. */
TEST(rings_of_a_program_take_turns)
{
	struct program *flood, *list[2];
	struct reader reader;
	uint64_t first;

	flood_begin(&reader, list);
	flood = list[0];
	CHECK(reader_pass(&reader, 2 << 20));
	first = flood->rings[0].tail;
	CHECK(first > 1 << 20 && first < 3 << 20);
	CHECK_NUMBER(flood->rings[1].tail, 0);
	CHECK(reader_pass(&reader, 2 << 20));
	CHECK_NUMBER(flood->rings[0].tail, first);
	CHECK(flood->rings[1].tail > 0);
	CHECK_NUMBER(flood->rings[2].tail, 0);
	flood_end(&reader);
}

/* What is left of a damaged program is not read. */
TEST(rings_are_read_again_at_once_if_records_were_left)
{
	struct program *flood, *list[2];
	struct reader reader;

	flood_begin(&reader, list);
	flood = list[0];
	CHECK(reader_pass(&reader, 2 << 20));
	CHECK(reader_pass(&reader, 2 << 20));
	reader.fill_ns = 80 * NS_PER_S;
	CHECK(reader_passed(&reader, 7).is_cut);
	CHECK_NUMBER(reader_passed(&reader, 7).wait_ns, 0);
	flood->is_damaged = true;
	CHECK(!reader_passed(&reader, 7).is_cut);
	CHECK(reader_passed(&reader, 7).wait_ns > 0);
	flood->is_damaged = false;
	flood_end(&reader);
}

/** struct late_batch - a batch that is sent until the end is late */
struct late_batch {
	struct reader *reader;
	bool (*send)(void *context, const unsigned char *bytes, size_t size);
	void *context;
	uint64_t left;
};

static bool late_send(void *context, const unsigned char *bytes, size_t size)
{
	struct late_batch *late = context;

	if (late->left < size)
		late->reader->end_ns = 1;
	late->left -= late->left < size ? late->left : size;
	reader_check_end(late->reader);
	return late->send(late->context, bytes, size);
}

/* Those with the least are read first, and the flood until then. */
TEST(an_end_that_takes_too_long_reads_less_of_a_flood)
{
	struct program *flood, *list[2];
	struct reader reader;
	struct late_batch late;

	flood_begin(&reader, list);
	flood = list[0];
	late = (struct late_batch){ &reader, reader.batch.send, reader.batch.context, 4 << 20 };
	reader.batch.send = late_send;
	reader.batch.context = &late;
	CHECK(reader_finish(&reader, SIZE_MAX));
	CHECK(flood->is_cut && !reading.program->is_cut);
	CHECK_NUMBER(reading.recorded.queue.size, 10000);
	CHECK(flood_read(flood) > 2 << 20);
	CHECK(flood_read(flood) < 5 << 20);
	flood_end(&reader);
}

/* Its end is a part of that of others. */
TEST(an_end_that_a_signal_has_asked_for_has_less_time)
{
	struct reader reader = { .is_hurried = true, .helper = { .fd = -1 }, .fd = -1 };
	int64_t begin_ns = time_now_ns(CLOCK_THREAD_CPUTIME_ID);

	reader.batch.send = bytes_send;
	CHECK(batch_open(&reader.batch));
	CHECK(reader_finish(&reader, SIZE_MAX));
	CHECK(reader.end_ns - begin_ns < READER_END_NS);
	reader.is_hurried = false;
	CHECK(reader_finish(&reader, SIZE_MAX));
	CHECK(reader.end_ns - begin_ns >= READER_END_NS);
	batch_close(&reader.batch);
}

/* A pass that the recorder does not wait for leaves most of a flood to the end. */
TEST(a_pass_is_cut_short_when_the_end_is_asked_for)
{
	struct reader_request request = { .kind = REQUEST_PASS, .pid = getpid() };
	struct program *flood, *list[2];
	struct reader reader;
	int fds[2];

	flood_begin(&reader, list);
	flood = list[0];
	CHECK_NUMBER(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	reader.fd = fds[0];
	reader_check_end(&reader);
	CHECK(!reader.batch.is_hurried);
	CHECK(write(fds[1], &request, sizeof(request)) == sizeof(request));
	reader_check_end(&reader);
	CHECK(!reader.batch.is_hurried);
	CHECK(read(fds[0], &request, sizeof(request)) == sizeof(request));
	request.kind = REQUEST_FINISH;
	CHECK(write(fds[1], &request, sizeof(request)) == sizeof(request));
	reader_check_end(&reader);
	CHECK(reader.batch.is_hurried);
	CHECK(reader_pass(&reader, SIZE_MAX));
	CHECK(flood_read(flood) <= PROGRAM_HURRIED_MAX + PART_DATA_MAX);
	CHECK(reading.program->is_cut);
	CHECK(reader_finish(&reader, SIZE_MAX));
	CHECK(!reading.program->is_cut);
	CHECK_NUMBER(reading.recorded.queue.size, 10000);
	CHECK(flood_read(flood) > READER_END_MAX - (2 << 20));
	flood_end(&reader);
	close(fds[0]);
	close(fds[1]);
}
