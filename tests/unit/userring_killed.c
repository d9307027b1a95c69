// SPDX-License-Identifier: GPL-2.0-only
/* Tests of rings whose writer or reader was killed. */
#define KTRACK_SYSTEM unit
#include <ktrack/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixtures/user_reading.h"

KTRACK_SLICE(unit_work);

/* Records before the own recording belong to one that was killed. */
TEST(records_of_an_earlier_recording_are_dropped)
{
	reading_begin();
	ktrack_instant(unit_work, "earlier");
	program_close(reading.program);
	reading.program = program_open(ktrack_user1_process.fd, getpid());
	CHECK(program_lock(reading.program));
	program_switch(reading.program, true);
	ktrack_instant(unit_work, "now");
	CHECK(reading_pass() > 0);
	CHECK_NUMBER(queue_see(INT64_MAX).nr_records, 1);
	reading_end();
}

TEST(a_second_ktrack_is_refused_and_a_killed_one_replaced)
{
	struct program *second;
	int status;
	pid_t pid;

	reading_begin();
	second = program_open(ktrack_user1_process.fd, getpid());
	CHECK(program_is_locked(second));
	CHECK(!program_lock(second));
	program_close(reading.program);
	pid = fork();
	if (pid == 0)
		_exit(!program_lock(second));
	CHECK_NUMBER(waitpid(pid, &status, 0), pid);
	CHECK_NUMBER(status, 0);
	CHECK(second->control->recorder != 0);
	CHECK(!program_is_locked(second));
	CHECK(program_lock(second));
	reading.program = second;
	reading_end();
}

/* A record that is begun holds back what is later, but not forever. */
TEST(a_record_that_is_begun_is_awaited)
{
	struct ktrack_user_record *record;
	struct ktrack_user_ring *ring;
	int64_t before_ns;

	reading_begin();
	ktrack_instant(unit_work, "one");
	CHECK(reading_pass() > 0);
	before_ns = program_ready_ns(reading.program, INT64_MAX);
	CHECK_NUMBER(before_ns, INT64_MAX);
	ring = ktrack_user1_thread.ring;
	record = (struct ktrack_user_record *)(void *)(ktrack_user1_thread.data +
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
	reading_end();
}

/* A ktrack that is killed while it clears what it has read leaves the ring between both states. */
TEST(the_next_ktrack_goes_on_where_a_killed_one_was_clearing)
{
	struct ktrack_user_ring *ring;
	uint64_t begin, end;

	reading_begin();
	ktrack_instant(unit_work, "one");
	ring = ktrack_user1_thread.ring;
	begin = ring->tail;
	ktrack_instant(unit_work, "two");
	end = ring->head;
	ktrack_instant(unit_work, "three");
	memset(ktrack_user1_thread.data + (begin & (KTRACK_USER_RING_SIZE - 1)), 0, 24);
	ring->read = end;
	program_close(reading.program);
	reading.program = program_open(ktrack_user1_process.fd, getpid());
	CHECK(reading.program && program_lock(reading.program));
	CHECK_NUMBER(ring->tail, end);
	program_switch(reading.program, true);
	ktrack_instant(unit_work, "four");
	CHECK(reading_pass() > 0);
	CHECK(!reading.program->is_damaged);
	CHECK(!program_is_waiting(reading.program));
	CHECK_NUMBER(ring->tail, ring->head);
	CHECK_NUMBER(queue_see(INT64_MAX).nr_records, 1);
	reading_end();
}

/* What the program itself writes there does no harm. */
TEST(a_false_end_of_what_was_read_is_ignored)
{
	struct ktrack_user_ring *ring;

	reading_begin();
	ktrack_instant(unit_work, "one");
	ring = ktrack_user1_thread.ring;
	program_close(reading.program);
	ring->read = ring->head + 8;
	reading.program = program_open(ktrack_user1_process.fd, getpid());
	CHECK(reading.program && program_lock(reading.program));
	CHECK(ring->tail < ring->head);
	CHECK(reading_pass() > 0);
	CHECK(!reading.program->is_damaged);
	reading_end();
}

/* Of a killed program all is read that it committed. */
TEST(records_behind_one_that_a_killed_thread_began_are_read)
{
	struct ktrack_user_record *record;
	struct ktrack_user_ring *ring;

	reading_begin();
	ktrack_instant(unit_work, "one");
	ring = ktrack_user1_thread.ring;
	record = (struct ktrack_user_record *)(void *)(ktrack_user1_thread.data +
							(ring->head & (KTRACK_USER_RING_SIZE - 1)));
	ktrack_instant(unit_work, "two");
	ktrack_instant(unit_work, "three");
	record->word &= ~KTRACK_USER_COMMITTED;
	reading.program->has_ended = true;
	CHECK(reading_pass() > 0);
	CHECK(!reading.program->is_damaged);
	CHECK_NUMBER(queue_see(INT64_MAX).nr_records, 2);
	reading_end();
}
