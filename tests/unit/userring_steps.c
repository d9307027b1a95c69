// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of programs that are stopped between any two instructions of a call: what ktrack reads
 * then, what it would read if the program was killed there, and what a signal handler writes.
 */
#define KTRACK_SYSTEM unit
#include <ktrack/user.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixtures/user_reading.h"

KTRACK_SLICE(unit_step, KTRACK_FIELD(uint32_t, number), KTRACK_TEXT(text));
KTRACK_SLICE(unit_signal);
KTRACK_SLICE(unit_other);

/* The C library's tries again if the time changes meanwhile: always, if it is stepped through. */
int clock_gettime(clockid_t clock, struct timespec *out)
{
	return syscall(SYS_clock_gettime, clock, out);
}

/* So much of the control area, the descriptions and the first ring is used. */
#define USED_SIZE 4096

/* More instructions than a first call has, under sanitizers. */
#define STEPS_MAX 200000

/* Calls are interrupted after so many instructions more each time. */
#define CALL_STRIDE 7
#define FIRST_CALL_STRIDE 997

/** struct stepped - a child that is stepped through calls
 * @nr_calls: that it has completed
 */
struct stepped {
	int memory_fd;
	unsigned int nr_calls;
};

static volatile struct stepped *stepped;
static pid_t child;

static void handle(int signal)
{
	(void)signal;
	ktrack_instant(unit_signal, "signal");
}

static void child_run(void)
{
	stepped->memory_fd = ktrack_user3_process.fd;
	/* Stops are the child's own, not those of the test's process group. */
	setpgid(0, 0);
	signal(SIGUSR1, handle);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	for (;;) {
		ktrack_instant(unit_step, "step", 5, "text");
		stepped->nr_calls++;
		raise(SIGSTOP);
	}
}

/* Continues the child until it stops itself, with a signal if that is not 0. */
static void child_continue(int signal)
{
	int status;

	ptrace(PTRACE_CONT, child, NULL, signal);
	CHECK(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
	CHECK_NUMBER(WSTOPSIG(status), SIGSTOP);
}

/* A child that is recorded, and stopped before its first call. */
static void stepping_begin(void)
{
	char path[64];
	int status, fd;

	stepped = mmap(NULL, sizeof(*stepped), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	reading = (struct reading){ 0 };
	reading_open();
	child = fork();
	if (child == 0)
		child_run();
	CHECK(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", child, stepped->memory_fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	reading.program = program_open(fd, child);
	if (!reading.program || !program_lock(reading.program))
		abort();
	program_switch(reading.program, true);
	close(fd);
}

static void stepping_end(void)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	munmap((void *)stepped, sizeof(*stepped));
	reading_end();
}

TEST_IN(stepping, calls_of_a_child_are_read)
{
	child_continue(0);
	child_continue(SIGUSR1);
	CHECK(reading_pass() > 0);
	CHECK_NUMBER(queue_see(INT64_MAX).nr_records, 3);
}

/* Elsewhere, pairs of exclusive instructions never succeed step by step. */
#ifdef __x86_64__
/* Executes one instruction of the child; returns false if its call is complete. */
static bool child_step(unsigned int nr_calls)
{
	int status;

	ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
	CHECK(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
	return stepped->nr_calls == nr_calls;
}

/** struct other - what another thread writes: a description, and a record that needs it */
struct other {
	unsigned char description[256];
	unsigned char record[256];
	size_t description_size;
	size_t record_size;
};

static struct other other;

/* Copies an entry, whose first word has its size. */
static size_t entry_copy(unsigned char *to, size_t offset)
{
	const unsigned char *from = ktrack_user3_process.base + offset;
	uint32_t word;

	memcpy(&word, from, sizeof(word));
	memcpy(to, from, word & ~7u);
	return word & ~7u;
}

static void other_take(void)
{
	ktrack_user3_after_fork();
	reading_begin();
	ktrack_instant(unit_other, "other");
	other.description_size = entry_copy(other.description, KTRACK_USER_CONTROL_SIZE);
	other.record_size = entry_copy(other.record,
				       KTRACK_USER_CONTROL_SIZE + KTRACK_USER_EVENTS_SIZE);
	reading_end();
}

/* The other thread describes its event behind what the child has reserved, and writes its record. */
static void other_write(struct program *image)
{
	struct ktrack_user_event *event;
	struct ktrack_user_record *record;
	unsigned char *descriptions = image->base + KTRACK_USER_CONTROL_SIZE;
	unsigned char *rings = descriptions + KTRACK_USER_EVENTS_SIZE;

	event = (void *)(descriptions + image->control->events_used);
	memcpy(event, other.description, other.description_size);
	event->number = 4095;
	image->control->events_used += other.description_size;
	record = (void *)(rings + KTRACK_USER_RING_SIZE);
	memcpy(record, other.record, other.record_size);
	record->number = 4095;
	image->control->rings[1].head = other.record_size;
}

static void part_copy(struct program *image, size_t offset)
{
	memcpy(image->base + offset, reading.program->base + offset, USED_SIZE);
}

/* What the child's memory is now, of which the reader may clear this copy. */
static void image_take(struct program *image)
{
	part_copy(image, 0);
	part_copy(image, KTRACK_USER_CONTROL_SIZE);
	part_copy(image, KTRACK_USER_CONTROL_SIZE + KTRACK_USER_EVENTS_SIZE);
	memset(image->rings, 0, image->nr_rings * sizeof(*image->rings));
	if (image->described)
		memset(image->described, 0, image->nr_described / 8);
	image->is_announced = false;
	image->events_used = 0;
	image->lost = 0;
	other_write(image);
}

/* Reads the copy as if the child was killed now, or runs; returns how many records it has. */
static size_t image_read(struct program *image, bool has_ended)
{
	recorded_release(&reading.recorded);
	reading_open();
	image_take(image);
	image->has_ended = has_ended;
	CHECK(reading_pass_at(image, time_now_ns(CLOCK_BOOTTIME), SIZE_MAX) >= 0);
	CHECK(!image->is_damaged);
	CHECK(!has_ended || !program_is_waiting(image));
	CHECK_NUMBER(reading.recorded.queue.counts.lost, 0);
	return queue_see(INT64_MAX).nr_records;
}

/* The memory of this process, which has the same size, receives copies. */
static struct program *image_new(void)
{
	struct program *image = program_open(ktrack_user3_process.fd, getpid());

	if (!image)
		abort();
	return image;
}

TEST(a_program_is_killed_after_any_instruction)
{
	struct program *image;
	size_t nr_records = 1;
	int nr_steps = 0;

	other_take();
	stepping_begin();
	image = image_new();
	while (nr_steps < STEPS_MAX && child_step(0)) {
		size_t nr_before = nr_records;

		nr_records = image_read(image, true);
		CHECK(nr_records >= nr_before && nr_records <= 2);
		CHECK(image_read(image, false) <= nr_records);
		nr_steps++;
	}
	CHECK(nr_steps > 100 && nr_steps < STEPS_MAX);
	CHECK_NUMBER(nr_records, 2);
	CHECK_NUMBER(image_read(image, false), 2);
	program_close(image);
	stepping_end();
}

/* Each call is interrupted some instructions later than the last one. */
TEST_IN(stepping, a_signal_handler_writes_after_any_instruction)
{
	unsigned int nr_calls = 1;

	child_continue(0);
	CHECK(reading_pass() > 0);
	CHECK_NUMBER(queue_see(INT64_MAX).nr_records, 1);
	for (bool is_inside = true; is_inside && nr_calls < STEPS_MAX; nr_calls++) {
		for (unsigned int i = 0; i < CALL_STRIDE * nr_calls && is_inside; i++)
			is_inside = child_step(nr_calls);
		child_continue(SIGUSR1);
		CHECK(reading_pass() > 0);
		CHECK_NUMBER(queue_see(INT64_MAX).nr_records, 2);
	}
	CHECK(nr_calls > 20 && nr_calls < STEPS_MAX);
	CHECK(!reading.program->is_damaged);
	CHECK_NUMBER(reading.recorded.queue.counts.lost, 0);
}

/* It finds no ring while the thread is looking for one: its record is counted as lost then. */
TEST(a_signal_handler_writes_in_a_first_call)
{
	bool is_inside = true;

	for (int nr_steps = 1; is_inside && nr_steps < STEPS_MAX; nr_steps += FIRST_CALL_STRIDE) {
		size_t nr_records;

		stepping_begin();
		for (int i = 0; i < nr_steps && is_inside; i++)
			is_inside = child_step(0);
		child_continue(SIGUSR1);
		CHECK(reading_pass() > 0);
		nr_records = queue_see(INT64_MAX).nr_records;
		CHECK_NUMBER(nr_records + reading.recorded.queue.counts.lost, 2);
		CHECK(!reading.program->is_damaged);
		stepping_end();
	}
	CHECK(!is_inside);
}
#endif
