// SPDX-License-Identifier: GPL-2.0-only
/* Tests of rings whose writer or reader was killed. */
#define KTRACK_SYSTEM unit
#include <ktrack/user.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixtures/user_reading.h"
#include "userring/process.h"

KTRACK_SLICE(unit_work);
KTRACK_SLICE(unit_waiting);

/* Records before the own recording belong to one that was killed. */
TEST_IN(reading, records_of_an_earlier_recording_are_dropped)
{
	ktrack_instant(unit_work, "earlier");
	program_close(reading.program);
	CHECK(reading_lock());
	program_switch(reading.program, true);
	ktrack_instant(unit_work, "now");
	CHECK(reading_pass() > 0);
	CHECK_NUMBER(queue_see(INT64_MAX).nr_records, 1);
}

TEST_IN(reading, a_second_ktrack_is_refused)
{
	struct program *second;

	second = program_open(ktrack_user3_process.fd, getpid());
	CHECK(program_is_locked(second));
	CHECK(!program_lock(second));
	program_close(second);
	second = program_open(ktrack_user3_process.fd, getpid());
	CHECK(!program_lock(second));
	CHECK_NUMBER(ktrack_user3_control.on, 1);
	program_close(second);
	CHECK_NUMBER(ktrack_user3_control.on, 1);
}

/* Forks a process that waits until it is killed; returns when @prepare has succeeded in it. */
static pid_t fork_waiting(bool (*prepare)(void))
{
	int fds[2];
	pid_t pid;
	char byte;

	if (pipe(fds) < 0)
		abort();
	pid = fork();
	if (pid == 0) {
		byte = prepare();
		if (write(fds[1], &byte, 1) != 1)
			abort();
		for (;;)
			pause();
	}
	close(fds[1]);
	CHECK(read(fds[0], &byte, 1) == 1 && byte);
	close(fds[0]);
	return pid;
}

static void child_kill(pid_t pid)
{
	kill(pid, SIGKILL);
	CHECK_NUMBER(waitpid(pid, NULL, 0), pid);
}

/* The memory of this process, whose fork has another one. */
static int parents_fd;

static bool parent_lock(void)
{
	struct program *program = program_open(parents_fd, getppid());

	if (!program || !program_lock(program))
		return false;
	program_switch(program, true);
	return true;
}

TEST(a_killed_ktrack_is_replaced)
{
	struct program *program;
	pid_t pid;

	parents_fd = dup(ktrack_user3_process.fd);
	pid = fork_waiting(parent_lock);
	program = program_open(parents_fd, getpid());
	CHECK(program && program_is_locked(program));
	CHECK(program && !program_lock(program));
	child_kill(pid);
	CHECK_NUMBER(ktrack_user3_control.on, 1);
	CHECK(!program_is_locked(program));
	CHECK(program_lock(program));
	program_close(program);
	CHECK_NUMBER(ktrack_user3_control.on, 0);
	close(parents_fd);
	ktrack_user3_after_fork();
}

static bool nothing_prepare(void)
{
	return true;
}

/* A command that ktrack has started may run longer. */
TEST_IN(reading, children_of_ktrack_do_not_keep_its_programs)
{
	pid_t pid;

	pid = fork_waiting(nothing_prepare);
	program_close(reading.program);
	CHECK(reading_lock());
	child_kill(pid);
}

/* Until it executes another program, a child has the file, too. */
TEST(a_memory_belongs_to_the_process_that_made_it)
{
	CHECK(!program_open(ktrack_user3_process.fd, getppid()));
}

static bool first_thread_has_ended(void)
{
	struct buffer text = { 0 };
	bool has_ended = file_read("/proc/self/stat", &text) == 0 &&
			 strstr(buffer_string(&text), ") Z ");

	buffer_release(&text);
	return has_ended;
}

static void *thread_wait(void *fd)
{
	char byte = 1;

	while (!first_thread_has_ended())
		usleep(1000);
	if (write(*(int *)fd, &byte, 1) != 1)
		abort();
	for (;;)
		pause();
	return NULL;
}

TEST(a_process_goes_on_without_its_first_thread)
{
	/* The C library uses the first thread's stack while that ends. */
	static int fds[2];
	uint64_t started;
	pthread_t thread;
	pid_t pid;
	char byte;

	if (pipe(fds) < 0)
		abort();
	pid = fork();
	if (pid == 0) {
		pthread_create(&thread, NULL, thread_wait, &fds[1]);
		pthread_exit(NULL);
	}
	close(fds[1]);
	CHECK_NUMBER(read(fds[0], &byte, 1), 1);
	started = process_started(pid);
	CHECK(started > 0);
	kill(pid, SIGKILL);
	CHECK_NUMBER(waitid(P_PID, pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
	CHECK_NUMBER(process_started(pid), 0);
	waitpid(pid, NULL, 0);
	CHECK_NUMBER(process_started(pid), 0);
	close(fds[0]);
}

static void user_become_root(int number)
{
	(void)number;
	if (setresuid(0, 0, 0) < 0)
		abort();
}

static bool user_namespace_enter(void)
{
	signal(SIGUSR1, user_become_root);
	return setresuid(65534, 65534, 65534) == 0 && unshare(CLONE_NEWUSER) == 0 &&
	       prctl(PR_SET_DUMPABLE, 1) == 0;
}

static bool process_has_user(int pid, const char *line)
{
	struct buffer status = { 0 };
	bool has_user;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	has_user = file_read(path, &status) == 0 && strstr(buffer_string(&status), line);
	buffer_release(&status);
	return has_user;
}

/* Whoever creates one may be any of its users. */
TEST(a_process_of_a_user_namespace_counts_to_the_owner)
{
	char path[64];
	pid_t pid;
	int fd;

	CHECK_NUMBER(process_effective_user(getpid()), geteuid());
	CHECK_NUMBER(process_user(getpid(), 1234), 1234);
	CHECK_NUMBER(process_user(-1, 1234), USER_UNKNOWN);
	if (geteuid() != 0)
		return;
	pid = fork_waiting(user_namespace_enter);
	snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
	fd = open(path, O_WRONLY);
	CHECK_NUMBER(write(fd, "0 100000 1", 10), 10);
	close(fd);
	kill(pid, SIGUSR1);
	while (!process_has_user(pid, "\nUid:\t100000\t100000\t"))
		usleep(1000);
	CHECK_NUMBER(process_user(pid, process_effective_user(pid)), 65534);
	child_kill(pid);
}

/* Switched on later than locked: a killed ktrack had left the program on. */
TEST_IN(reading, records_before_the_start_are_dropped)
{
	ktrack_instant(unit_work, "before");
	program_switch(reading.program, true);
	ktrack_instant(unit_work, "now");
	CHECK(reading_pass() > 0);
	CHECK_NUMBER(queue_see(INT64_MAX).nr_records, 1);
}

/* A record that is begun holds back what is later, but not forever. */
TEST_IN(reading, a_record_that_is_begun_is_awaited)
{
	struct ktrack_user_record *record;
	struct ktrack_user_ring *ring;
	int64_t before_ns;

	ktrack_instant(unit_work, "one");
	CHECK(reading_pass() > 0);
	before_ns = program_ready_ns(reading.program, INT64_MAX);
	CHECK_NUMBER(before_ns, INT64_MAX);
	ring = ktrack_user3_thread.ring;
	record = (struct ktrack_user_record *)(void *)(ktrack_user3_thread.data +
							(ring->head & (KTRACK_USER_RING_SIZE - 1)));
	ktrack_instant(unit_work, "two");
	record->word &= ~KTRACK_USER_COMMITTED;
	CHECK_NUMBER(reading_pass(), 0);
	CHECK(program_is_waiting(reading.program));
	CHECK(program_ready_ns(reading.program, INT64_MAX) < (int64_t)record->time_ns);
	record->word |= KTRACK_USER_COMMITTED;
	CHECK(reading_pass() > 0);
	CHECK(!program_is_waiting(reading.program));
	CHECK_NUMBER(queue_see(INT64_MAX).nr_records, 2);
}

/* A ktrack that is killed while it clears what it has read leaves the ring between both states. */
TEST_IN(reading, the_next_ktrack_goes_on_where_a_killed_one_was_clearing)
{
	struct ktrack_user_ring *ring;
	uint64_t begin, end;

	ktrack_instant(unit_work, "one");
	ring = ktrack_user3_thread.ring;
	begin = ring->tail;
	ktrack_instant(unit_work, "two");
	end = ring->head;
	ktrack_instant(unit_work, "three");
	memset(ktrack_user3_thread.data + (begin & (KTRACK_USER_RING_SIZE - 1)), 0, 24);
	ring->read = end;
	program_close(reading.program);
	CHECK(reading_lock());
	CHECK_NUMBER(ring->tail, end);
	program_switch(reading.program, true);
	ktrack_instant(unit_work, "four");
	CHECK(reading_pass() > 0);
	CHECK(!reading.program->is_damaged);
	CHECK(!program_is_waiting(reading.program));
	CHECK_NUMBER(ring->tail, ring->head);
	CHECK_NUMBER(queue_see(INT64_MAX).nr_records, 1);
}

/* What the program itself writes there does no harm. */
TEST_IN(reading, a_false_end_of_what_was_read_is_ignored)
{
	struct ktrack_user_ring *ring;

	ktrack_instant(unit_work, "one");
	ring = ktrack_user3_thread.ring;
	program_close(reading.program);
	ring->read = ring->head + 8;
	CHECK(reading_lock());
	CHECK(ring->tail < ring->head);
	CHECK(reading_pass() > 0);
	CHECK(!reading.program->is_damaged);
}

/* The reader has read the clock, and was preempted then. */
TEST_IN(reading, records_after_a_late_reading_of_the_clock_are_right)
{
	ktrack_instant(unit_work, "one");
	CHECK(reading_pass_at(reading.program, time_now_ns(CLOCK_BOOTTIME) - 5 * NS_PER_S, SIZE_MAX) > 0);
	CHECK(!reading.program->is_damaged);
	CHECK_NUMBER(queue_see(INT64_MAX).nr_records, 1);
}

/* One that a thread has reserved, but not begun: a signal handler wrote what follows. */
TEST_IN(reading, records_behind_a_reserved_one_are_read)
{
	struct ktrack_user_ring *ring;
	uint64_t begin, end;

	ktrack_instant(unit_work, "one");
	ring = ktrack_user3_thread.ring;
	begin = ring->head;
	ktrack_instant(unit_work, "two");
	end = ring->head;
	ktrack_instant(unit_work, "three");
	memset(ktrack_user3_thread.data + begin, 0, end - begin);
	reading.program->has_ended = true;
	CHECK(reading_pass() > 0);
	CHECK(!reading.program->is_damaged);
	CHECK_NUMBER(queue_see(INT64_MAX).nr_records, 2);
	CHECK_NUMBER(ring->tail, ring->head);
}

/* Of a killed program all is read that it committed. */
TEST_IN(reading, records_behind_one_that_a_killed_thread_began_are_read)
{
	struct ktrack_user_record *record;
	struct ktrack_user_ring *ring;

	ktrack_instant(unit_work, "one");
	ring = ktrack_user3_thread.ring;
	record = (struct ktrack_user_record *)(void *)(ktrack_user3_thread.data +
							(ring->head & (KTRACK_USER_RING_SIZE - 1)));
	ktrack_instant(unit_work, "two");
	ktrack_instant(unit_work, "three");
	record->word &= ~KTRACK_USER_COMMITTED;
	reading.program->has_ended = true;
	CHECK(reading_pass() > 0);
	CHECK(!reading.program->is_damaged);
	CHECK_NUMBER(queue_see(INT64_MAX).nr_records, 2);
}

/* Reserves @size bytes for a description, as a thread does that is preempted then. */
static uint32_t *description_reserve(size_t size)
{
	unsigned char *place = ktrack_user_events_take(size);

	CHECK(place);
	return (uint32_t *)(void *)place;
}

/* The description that a record needs is behind one that another thread has reserved. */
TEST(a_record_waits_for_its_description)
{
	const uint32_t *described;
	uint32_t *reserved;
	size_t size;

	ktrack_user3_after_fork();
	reading_begin();
	ktrack_instant(unit_work, "one");
	CHECK(reading_pass() > 0);
	described = (const uint32_t *)(void *)(reading.program->base + KTRACK_USER_CONTROL_SIZE);
	size = *described & ~7u;
	reserved = description_reserve(size);
	ktrack_instant(unit_waiting, "two");
	CHECK_NUMBER(reading_pass(), 0);
	CHECK(!reading.program->is_damaged);
	CHECK(program_is_waiting(reading.program));
	CHECK_NUMBER(queue_see(INT64_MAX).nr_records, 1);
	memcpy(reserved, described, size);
	CHECK(reading_pass() > 0);
	CHECK(!program_is_waiting(reading.program));
	CHECK_NUMBER(queue_see(INT64_MAX).nr_records, 1);
	reading_end();
}

TEST(a_description_that_a_killed_thread_began_is_left_out)
{
	ktrack_user3_after_fork();
	reading_begin();
	description_reserve(64);
	*description_reserve(64) = 64;
	ktrack_instant(unit_work, "one");
	CHECK_NUMBER(reading_pass(), 0);
	reading.program->has_ended = true;
	CHECK(reading_pass() > 0);
	CHECK(!reading.program->is_damaged);
	/* What is behind the descriptions takes no memory. */
	CHECK_NUMBER(reading.program->events_used, reading.program->control->events_used);
	CHECK_NUMBER(queue_see(INT64_MAX).nr_records, 1);
	reading_end();
}

/* Reads the rings as if it were @now_ns. */
static void pass_at(int64_t now_ns)
{
	reading_pass_at(reading.program, now_ns, SIZE_MAX);
}

/* The reader may have been stopped for that time, and the program with it. */
TEST_IN(reading, a_record_that_is_begun_is_given_up_after_a_second_of_passes)
{
	const int64_t begin_ns = time_now_ns(CLOCK_BOOTTIME) + NS_PER_S;

	ktrack_instant(unit_work, "one");
	pass_at(begin_ns);
	CHECK_NUMBER(program_ready_ns(reading.program, INT64_MAX), INT64_MAX);
	ktrack_user3_thread.ring->head += 64;
	for (int i = 0; i < 10; i++)
		pass_at(begin_ns + 1000 * NS_PER_S);
	CHECK_NUMBER(program_ready_ns(reading.program, INT64_MAX), begin_ns);
	pass_at(begin_ns + NS_PER_S);
	CHECK_NUMBER(program_ready_ns(reading.program, INT64_MAX), begin_ns);
	pass_at(begin_ns + NS_PER_S + 1);
	CHECK_NUMBER(program_ready_ns(reading.program, INT64_MAX), INT64_MAX);
	CHECK(program_is_waiting(reading.program));
}
