// SPDX-License-Identifier: GPL-2.0-only
/* Tests of rings: this program writes them with the macros, and reads its own memory. */
#define KTRACK_SYSTEM unit
#include <ktrack/user.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "fixtures/random.h"
#include "fixtures/user_reading.h"

KTRACK_SLICE(unit_work);
KTRACK_SLICE(unit_double, KTRACK_FIELD(double, number));
KTRACK_SLICE(unit_byte, KTRACK_FIELD(uint8_t, byte));
KTRACK_SLICE(unit_io, KTRACK_SCOPE(uint16_t, slot), KTRACK_FIELD(uint32_t, bytes),
	     KTRACK_TEXT(path), KTRACK_RESULT(result));
KTRACK_COUNTER(unit_depth, int64_t, KTRACK_TRACK_NAME);
KTRACK_SLICE(unit_flagged, KTRACK_ASYNC(request), KTRACK_FLOW(unit_flow),
	     KTRACK_ENUM(uint8_t, op, { 0, "read" }, { 1, "wr\"ite" }),
	     KTRACK_FLAGS(uint32_t, flags, { 1, "sync" }, { 2, "discard" }));

TEST_IN(reading, nothing_is_written_and_nothing_evaluated_while_nobody_records)
{
	int nr_evaluated = 0;

	program_switch(reading.program, false);
	ktrack_begin(unit_work, (nr_evaluated++, "work"));
	ktrack_end(unit_work);
	ktrack_sample(unit_depth, nr_evaluated++, "x");
	ktrack_begin_printf(unit_work, ("%d", nr_evaluated++));
	CHECK_NUMBER(ktrack_flow_new(unit_flagged), 0);
	CHECK(!ktrack_enabled(unit_work));
	CHECK_NUMBER(nr_evaluated, 0);
	CHECK_NUMBER(reading_pass(), 0);
}

/* The end of the thread that has forked must not free the ring that another one has there. */
TEST_IN(reading, a_child_has_no_ring_of_its_parent)
{
	ktrack_instant(unit_work, "work");
	CHECK(pthread_getspecific(ktrack_user3_process.key) == ktrack_user3_thread.ring);
	ktrack_user3_after_fork();
	CHECK(!pthread_getspecific(ktrack_user3_process.key));
	ktrack_instant(unit_work, "work");
}

static bool mapping_is_dumped(const void *address)
{
	struct buffer maps = { 0 };
	const char *mapping;
	char begin[32];
	bool is_dumped;

	snprintf(begin, sizeof(begin), "\n%lx-", (unsigned long)(uintptr_t)address);
	CHECK_NUMBER(file_read("/proc/self/smaps", &maps), 0);
	mapping = strstr(buffer_string(&maps), begin);
	mapping = mapping ? strstr(mapping, "VmFlags:") : NULL;
	is_dumped = !mapping || !memmem(mapping, strcspn(mapping, "\n"), " dd", 3);
	buffer_release(&maps);
	return is_dumped;
}

/* That would allocate all of it. */
TEST(core_dumps_are_without_the_memory)
{
	CHECK(!mapping_is_dumped(ktrack_user3_process.base));
	CHECK(mapping_is_dumped(&ktrack_user3_control));
}

/* What a program gets whose files, or whose memory, are limited; nothing if @rings is 0. */
static void check_rings(int resource, rlim_t most, uint32_t size, uint32_t rings)
{
	struct ktrack_user_process process = { 0 };
	struct rlimit before, limit;
	int is_allowed;

	getrlimit(resource, &before);
	limit = before;
	limit.rlim_cur = most;
	setrlimit(resource, &limit);
	is_allowed = ktrack_user_rings_choose(&process);
	setrlimit(resource, &before);
	CHECK_NUMBER(is_allowed, rings != 0);
	CHECK_NUMBER(process.ring_size, size);
	CHECK(!is_allowed || process.nr_rings == rings);
}

TEST(rings_are_smaller_and_then_fewer_if_limits_refuse_them)
{
	const rlim_t mib = 1 << 20;

	check_rings(RLIMIT_FSIZE, 514 * mib, 4 << 20, 128);
	check_rings(RLIMIT_FSIZE, 513 * mib, 512 << 10, 128);
	check_rings(RLIMIT_FSIZE, 65 * mib, 512 << 10, 16);
	check_rings(RLIMIT_FSIZE, 9 * mib, 512 << 10, 0);
	check_rings(RLIMIT_AS, 4 * 514 * mib, 4 << 20, 128);
	check_rings(RLIMIT_AS, 4 * 513 * mib, 512 << 10, 128);
	check_rings(RLIMIT_AS, 4 * 65 * mib, 512 << 10, 16);
	check_rings(RLIMIT_AS, 4 * 9 * mib, 512 << 10, 0);
}

/* The program's clock is behind. */
TEST_IN(reading, times_of_another_time_namespace_are_converted)
{
	struct ktrack_user_record *record;
	uint64_t time_ns;

	CHECK_NUMBER(reading.program->clock_offset_ns, 0);
	reading.program->clock_offset_ns = -1000;
	ktrack_instant(unit_work, "work");
	record = (struct ktrack_user_record *)(void *)ktrack_user3_thread.data;
	time_ns = record->time_ns;
	CHECK(reading_pass() > 0);
	CHECK_NUMBER(queue_see(INT64_MAX).last_ns, time_ns + 1000);
}

TEST_IN(reading, records_have_values_names_process_and_thread)
{
	struct ktrack_user_record head;
	struct seen seen;
	uint32_t bytes;

	ktrack_begin(unit_io, "a request", 7, 4096, "/etc/passwd");
	CHECK(reading_pass() > 0);
	seen = queue_see(INT64_MAX);
	CHECK_NUMBER(seen.nr_records, 1);
	CHECK(record_has(&seen, "a request"));
	CHECK(record_has(&seen, "/etc/passwd"));
	memcpy((char *)&head + KTRACK_USER_STORED, seen.last, sizeof(head) - KTRACK_USER_STORED);
	CHECK_NUMBER(head.number, PROGRAM_EVENT_ID);
	CHECK_NUMBER(head.tid, syscall(SYS_gettid));
	CHECK_NUMBER(head.tgid, getpid());
	CHECK_NUMBER(seen.last[12], KTRACK_TYPE_BEGIN);
	memcpy(&bytes, seen.last + 24, sizeof(bytes));
	CHECK_NUMBER(bytes, 4096);
}

TEST_IN(reading, formats_are_those_of_the_macros_for_drivers)
{
	ktrack_begin(unit_flagged, "x", 1, 2, 1, 3);
	ktrack_sample(unit_depth, -5, "queue");
	CHECK(reading_pass() > 0);
	CHECK_NUMBER(reading.recorded.events.size, 2);
	CHECK_TEXT(reading.recorded.events.list[0]->text.data,
		   "name: unit_flagged\nID: 40000\nformat:\n"
		   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		   "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		   "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		   "\tfield:ktrack_scope_s32 scope_tgid;\toffset:8;\tsize:4;\tsigned:1;\n"
		   "\tfield:char track_event_type;\toffset:12;\tsize:1;\tsigned:0;\n"
		   "\tfield:__data_loc char[] slice_name;\toffset:16;\tsize:4;\tsigned:0;\n"
		   "\tfield:ktrack_async_id scope_request;\toffset:20;\tsize:8;\tsigned:0;\n"
		   "\tfield:ktrack_flow_id unit_flow;\toffset:28;\tsize:8;\tsigned:0;\n"
		   "\tfield:u8 op;\toffset:36;\tsize:1;\tsigned:0;\n"
		   "\tfield:u32 flags;\toffset:40;\tsize:4;\tsigned:0;\n"
		   "\nprint fmt: \"%s slice_name=%s scope_request=0x%llx unit_flow=0x%llx op=%s "
		   "flags=%s scope_tgid=%d\", REC->track_event_type > 69 ? \"I\" : "
		   "(REC->track_event_type < 69 ? \"B\" : \"E\"), __get_str(slice_name), "
		   "(u64)REC->scope_request, (u64)REC->unit_flow, "
		   "__print_symbolic(REC->op, { 0, \"read\" }, { 1, \"wr?ite\" }), "
		   "__print_flags(REC->flags, \"|\", { 1, \"sync\" }, { 2, \"discard\" }), "
		   "REC->scope_tgid\n");
}

TEST_IN(reading, formats_have_floating_types)
{
	ktrack_instant(unit_double, "x", 1.5);
	CHECK(reading_pass() > 0);
	CHECK(strstr(reading.recorded.events.list[0]->text.data, "field:double number;"));
}

/* Their sizes are in words of 4 bytes. */
TEST_IN(reading, records_are_stored_without_unused_bytes)
{
	struct seen seen;
	uint32_t text;

	ktrack_instant(unit_work, "hello");
	CHECK(reading_pass() > 0);
	seen = queue_see(INT64_MAX);
	CHECK_NUMBER(seen.last_size, 8 + 8 + sizeof("hello") + 2);
	CHECK(memcmp(seen.last + 16, "hello", sizeof("hello")) == 0);
	ktrack_instant(unit_byte, "hello", 7);
	CHECK(reading_pass() > 0);
	seen = queue_see(INT64_MAX);
	CHECK_NUMBER(seen.last_size, 8 + 8 + 1 + sizeof("hello") + 1);
	CHECK_NUMBER(seen.last[16], 7);
	CHECK(memcmp(seen.last + 17, "hello", sizeof("hello")) == 0);
	memcpy(&text, seen.last + 12, sizeof(text));
	CHECK_NUMBER(text, sizeof("hello") << 16 | 17);
}

/* More than once around the ring: records at its end are padded. */
TEST_IN(reading, a_ring_is_used_again_and_again)
{
	size_t nr_written = 0, nr_read = 0;

	for (int round = 0; round < 160; round++) {
		for (int i = 0; i < 500; i++) {
			ktrack_instant_printf(unit_work, ("%.*s", i % 100, __FILE__ __FILE__
							  __FILE__ __FILE__));
			nr_written++;
		}
		CHECK(reading_pass() > 0);
		nr_read += queue_see(INT64_MAX).nr_records;
	}
	CHECK_NUMBER(nr_read, nr_written);
	CHECK_NUMBER(reading.recorded.queue.counts.lost, 0);
	CHECK(reading.program->rings[0].tail > KTRACK_USER_RING_SIZE);
}

static size_t nr_bytes_left(void)
{
	size_t nr = 0;

	for (size_t i = 0; i < KTRACK_USER_RING_SIZE; i++)
		nr += ktrack_user3_thread.data[i] != 0;
	return nr;
}

/* A word is committed if it is not 0: what is left of an old record would be read as a new one. */
TEST_IN(reading, what_was_read_is_cleared_at_both_ends_of_a_ring)
{
	uint64_t passed = 0;

	for (int round = 0; passed < 5 && round < 100; round++) {
		uint64_t begin = ktrack_user3_thread.ring ? ktrack_user3_thread.ring->head : 0;

		for (int i = 0; i < 5000; i++)
			ktrack_instant(unit_work, "work");
		passed += begin / KTRACK_USER_RING_SIZE !=
			  ktrack_user3_thread.ring->head / KTRACK_USER_RING_SIZE;
		CHECK(reading_pass() > 0);
		CHECK_NUMBER(nr_bytes_left(), 0);
		queue_see(INT64_MAX);
	}
	CHECK_NUMBER(passed, 5);
	CHECK_NUMBER(reading.recorded.queue.counts.lost, 0);
}

TEST_IN(reading, records_that_do_not_fit_are_counted)
{
	const size_t nr_written = 200000;
	struct seen seen;

	for (size_t i = 0; i < nr_written; i++)
		ktrack_instant(unit_work, "fills");
	CHECK(reading_pass() > 0);
	seen = queue_see(INT64_MAX);
	ktrack_instant(unit_work, "fits again");
	CHECK(reading_pass() > 0);
	CHECK_NUMBER(seen.nr_records + reading.recorded.queue.counts.lost, nr_written);
	CHECK(reading.recorded.queue.counts.lost > 1000);
	CHECK_NUMBER(seen.lost, 0);
	seen = queue_see(INT64_MAX);
	CHECK_NUMBER(seen.nr_records, 1);
	CHECK_NUMBER(seen.lost, reading.recorded.queue.counts.lost);
	CHECK_NUMBER(reading.recorded.queue.counts.in_rings, seen.lost);
}

/* The programs of other users are read in the same pass, and do not wait for these records. */
TEST_IN(reading, records_of_a_user_who_has_too_many_stay_in_their_rings)
{
	struct program_user user = { 0 };
	size_t nr_records;

	reading.program->user = &user;
	for (int i = 0; i < 100; i++)
		ktrack_instant(unit_work, "work");
	CHECK(reading_pass_at(reading.program, time_now_ns(CLOCK_BOOTTIME), 400) > 0);
	CHECK(reading.program->is_cut);
	CHECK(!program_is_waiting(reading.program));
	CHECK_NUMBER(program_ready_ns(reading.program, INT64_MAX), INT64_MAX);
	nr_records = queue_see(INT64_MAX).nr_records;
	CHECK(nr_records > 0 && nr_records < 10);
	user.nr_bytes = 0;
	CHECK(reading_pass_at(reading.program, time_now_ns(CLOCK_BOOTTIME), SIZE_MAX) > 0);
	CHECK(!reading.program->is_cut);
	CHECK_NUMBER(queue_see(INT64_MAX).nr_records, 100 - nr_records);
}

/* Reads 400 bytes of the only user as at a time. */
static int64_t pass_alone(struct program_user *user, int64_t now_ns)
{
	const struct ring_reader reader = {
		.batch = &reading.batch, .tasks = &reading.tasks, .user_max = 400,
		.awaits_left = true
	};

	user->nr_bytes = 0;
	CHECK(program_read(reading.program, &reader, now_ns) > 0);
	CHECK(batch_flush(&reading.batch));
	return program_ready_ns(reading.program, INT64_MAX);
}

/* Else what its other threads wrote at the same time would come too late. */
TEST_IN(reading, records_that_are_left_of_the_only_user_are_awaited_for_a_second)
{
	int64_t begin_ns = time_now_ns(CLOCK_BOOTTIME);
	struct program_user user = { 0 };

	reading.program->user = &user;
	CHECK(reading_pass_at(reading.program, begin_ns, SIZE_MAX) == 0);
	for (int i = 0; i < 200; i++)
		ktrack_instant(unit_work, "work");
	for (int i = 0; i < 10; i++)
		CHECK_NUMBER(pass_alone(&user, begin_ns + 1000 * NS_PER_S), begin_ns);
	CHECK_NUMBER(pass_alone(&user, begin_ns + NS_PER_S), begin_ns);
	CHECK_NUMBER(pass_alone(&user, begin_ns + NS_PER_S + 1), INT64_MAX);
	user.nr_bytes = 0;
	CHECK(reading_pass_at(reading.program, begin_ns + 2, SIZE_MAX) > 0);
	for (int i = 0; i < 100; i++)
		ktrack_instant(unit_work, "work");
	CHECK_NUMBER(pass_alone(&user, begin_ns + NS_PER_S), begin_ns + 2);
}

/* Reading it takes as long as reading records, while which the rings of others fill. */
TEST_IN(reading, padding_counts_to_what_a_user_may_have_read)
{
	struct program_user user = { 0 };
	struct ktrack_user_record *record;

	reading.program->user = &user;
	for (int i = 0; i < 100; i++)
		ktrack_instant(unit_work, "work");
	for (uint64_t at = 0; at < ktrack_user3_thread.ring->head; at += record->word & ~7u) {
		record = (struct ktrack_user_record *)(void *)(ktrack_user3_thread.data + at);
		record->word |= KTRACK_USER_PAD;
	}
	CHECK(reading_pass_at(reading.program, time_now_ns(CLOCK_BOOTTIME), 400) < 1000);
	CHECK(reading.program->is_cut);
	user.nr_bytes = 0;
	CHECK(reading_pass_at(reading.program, time_now_ns(CLOCK_BOOTTIME), SIZE_MAX) > 0);
	CHECK(!reading.program->is_cut);
	CHECK_NUMBER(queue_see(INT64_MAX).nr_records, 0);
	CHECK_NUMBER(reading.recorded.queue.counts.lost, 0);
}

/* Emits a record of each of many events, and reads them after each thousand, or never. */
static void many_emit(int nr_events, bool are_read)
{
	static const struct ktrack_user_about field = { "value", NULL, 0, 16, 4, 0, 0 };
	char name[16];

	for (int i = 0; i < nr_events; i++) {
		struct ktrack_user_site site = { "unit", name, &field, 1, KTRACK_USER_COUNTER, 20, 0, 0, 0 };
		struct ktrack_user_record *record;

		snprintf(name, sizeof(name), "many%d", i);
		record = ktrack_user3_write_sample(&site, 0);
		if (!record)
			abort();
		ktrack_user_commit(record);
		if (are_read && i % 1000 == 999)
			CHECK(reading_pass() > 0);
	}
}

/* Large C++ programs have that many. */
TEST_IN(reading, records_of_thousands_of_events_are_read)
{
	enum { NR_EVENTS = 6000 };

	many_emit(NR_EVENTS, true);
	CHECK(!reading.program->is_damaged);
	CHECK_NUMBER(reading.recorded.events.size, NR_EVENTS);
	CHECK_NUMBER(queue_see(INT64_MAX).nr_records, NR_EVENTS);
	CHECK_NUMBER(reading.recorded.queue.counts.lost, 0);
}

/* Their descriptions take longer than records. */
TEST_IN(reading, events_of_a_program_are_described_in_part_when_the_end_is_late)
{
	enum { NR_EVENTS = 2000 };
	uint32_t used;

	many_emit(NR_EVENTS, false);
	reading.batch.is_hurried = true;
	CHECK(reading_pass() >= 0);
	used = reading.program->events_used;
	CHECK(used > PROGRAM_HURRIED_MAX / 2 && used < PROGRAM_HURRIED_MAX + 256);
	CHECK(reading.program->is_cut && !reading.program->is_damaged);
	reading.batch.is_hurried = false;
	reading.program->left = UINT64_MAX;
	CHECK(reading_pass() > 0);
	CHECK(!reading.program->is_cut);
	CHECK_NUMBER(reading.recorded.queue.size, NR_EVENTS);
}

static void *thread_write(void *context)
{
	for (int i = 0; i < 10; i++)
		ktrack_instant(unit_work, context);
	return NULL;
}

/* The program has opened another file in place of the memory's. */
TEST(a_ring_is_mapped_when_its_thread_needs_it)
{
	int kept = dup(ktrack_user3_process.fd), other = open("/dev/null", O_RDWR | O_CLOEXEC);
	pthread_t thread;

	reading_begin();
	dup2(other, ktrack_user3_process.fd);
	ktrack_instant(unit_work, "work");
	CHECK(ktrack_user3_thread.data == ktrack_user3_rings[0]);
	CHECK(!ktrack_user3_rings[1]);
	if (pthread_create(&thread, NULL, thread_write, "second") != 0)
		abort();
	pthread_join(thread, NULL);
	CHECK(ktrack_user3_rings[1]);
	CHECK(!ktrack_user3_rings[2]);
	CHECK(!mapping_is_dumped(ktrack_user3_rings[1]));
	CHECK(ktrack_user_ring_map(3) == ktrack_user3_rings[3]);
	CHECK(ktrack_user3_rings[2]);
	CHECK(reading_pass() > 0);
	CHECK_NUMBER(queue_see(INT64_MAX).nr_records, 11);
	dup2(kept, ktrack_user3_process.fd);
	reading_end();
	CHECK(ktrack_user3_rings[0] && !ktrack_user3_rings[1] && !ktrack_user3_rings[3]);
	close(kept);
	close(other);
}

TEST_IN(reading, rings_of_threads_that_have_ended_are_free)
{
	pthread_t thread;
	struct seen seen;

	for (unsigned int i = 0; i < 3 * KTRACK_USER_RINGS; i++) {
		if (pthread_create(&thread, NULL, thread_write, "short") != 0)
			abort();
		pthread_join(thread, NULL);
	}
	CHECK(reading_pass() > 0);
	seen = queue_see(INT64_MAX);
	CHECK_NUMBER(seen.nr_records, 30 * KTRACK_USER_RINGS);
	CHECK(seen.is_sorted);
	CHECK_NUMBER(reading.recorded.queue.counts.lost, 0);
	/* And the process. */
	CHECK_NUMBER(reading.tasks.size, 3 * KTRACK_USER_RINGS + 1);
}

static const char *recorded_name(int tid)
{
	const struct program_task *task = task_table_find(&reading.recorded.tasks, tid);

	return task ? task->identity.comm : "";
}

TEST(a_process_whose_first_thread_writes_nothing_has_a_name)
{
	pthread_t thread;

	prctl(PR_SET_NAME, "quiet");
	reading_begin();
	if (pthread_create(&thread, NULL, thread_write, "work") != 0)
		abort();
	pthread_join(thread, NULL);
	CHECK(reading_pass() > 0);
	CHECK_TEXT(recorded_name(getpid()), "quiet");
	reading_end();
}

/* After exec(2), a process has another memory. */
TEST(a_process_that_executes_another_program_has_its_name)
{
	prctl(PR_SET_NAME, "before");
	reading_begin();
	thread_write("first");
	CHECK(reading_pass() > 0);
	CHECK_TEXT(recorded_name(getpid()), "before");
	program_close(reading.program);
	ktrack_user3_after_fork();
	prctl(PR_SET_NAME, "after");
	CHECK(reading_lock());
	program_switch(reading.program, true);
	thread_write("second");
	CHECK(reading_pass() > 0);
	CHECK_TEXT(recorded_name(getpid()), "after");
	reading_end();
}

/* Another ktrack begins, which wants a part of each ring. */
static void reading_restart(uint32_t ring_wanted)
{
	program_close(reading.program);
	reading.program = program_open(ktrack_user3_process.fd, getpid());
	reading.program->ring_wanted = ring_wanted;
	CHECK(program_lock(reading.program));
	program_switch(reading.program, true);
}

static size_t instants_read(size_t nr_written)
{
	size_t nr_read = 0;

	for (size_t i = 1; i <= nr_written; i++) {
		ktrack_instant(unit_work, "work");
		if (i % 50 != 0 && i != nr_written)
			continue;
		CHECK(reading_pass() > 0);
		nr_read += queue_see(INT64_MAX).nr_records;
	}
	return nr_read;
}

static void pattern_make(struct random *random, char *out, size_t size_max, const char *alphabet)
{
	size_t size = random_below(random, size_max);

	for (size_t i = 0; i < size; i++)
		out[i] = alphabet[random_below(random, strlen(alphabet))];
	out[size] = '\0';
}

TEST(programs_match_patterns_as_fnmatch_does)
{
	struct random random = { 27 };
	char pattern[9], text[6];
	size_t nr_matches = 0;

	for (size_t i = 0; i < 300000; i++) {
		bool matches;

		pattern_make(&random, pattern, sizeof(pattern), "ab*?[]!^-");
		pattern_make(&random, text, sizeof(text), "abc-]");
		matches = fnmatch(pattern, text, 0) == 0;
		nr_matches += matches;
		if (matches != ktrack_user_match(pattern, pattern + strlen(pattern), text))
			CHECK_TEXT(pattern, text);
	}
	CHECK(nr_matches > 1000);
}

/* As damage, or another ktrack, may leave it. */
TEST(patterns_without_an_end_are_read_to_the_end_of_their_memory)
{
	char *patterns = malloc(KTRACK_USER_PATTERNS_SIZE);

	memset(patterns, 'x', KTRACK_USER_PATTERNS_SIZE);
	CHECK(!ktrack_user_is_selected(patterns, "unit", "unit_work"));
	memset(patterns, '[', KTRACK_USER_PATTERNS_SIZE);
	CHECK(!ktrack_user_is_selected(patterns, "unit", "unit_work"));
	memset(patterns, '*', KTRACK_USER_PATTERNS_SIZE);
	CHECK(ktrack_user_is_selected(patterns, "unit", "unit_work"));
	memset(patterns, ',', KTRACK_USER_PATTERNS_SIZE);
	CHECK(!ktrack_user_is_selected(patterns, "unit", "unit_work"));
	free(patterns);
}

TEST_IN(reading, an_older_ktrack_finds_all_events_wanted)
{
	reading.program->events = "unit:unit_io";
	CHECK(program_lock(reading.program));
	CHECK(!ktrack_enabled(unit_work));
	program_close(reading.program);
	CHECK_TEXT(ktrack_user3_control.patterns, "");
	ktrack_user3_control.on = 1;
	CHECK(ktrack_enabled(unit_work));
	ktrack_user3_control.on = 0;
	CHECK(reading_lock());
}

/* Otherwise it would go on with its parent's decisions. */
TEST_IN(reading, a_child_decides_anew_which_events_are_wanted)
{
	uint32_t selection;

	reading.program->events = "unit:unit_io";
	CHECK(program_lock(reading.program));
	selection = ktrack_user3_control.selection;
	CHECK(!ktrack_enabled(unit_work));
	CHECK(ktrack_enabled(unit_io));
	ktrack_user3_after_fork();
	CHECK(ktrack_user3_control.selection != selection);
	ktrack_user3_control.on = 1;
	CHECK(ktrack_enabled(unit_work));
	ktrack_user3_control.on = 0;
	reading.program->is_ours = false;
}

/* The ring is empty: it looks full until its thread has set its size. */
TEST_IN(reading, a_thread_uses_the_part_of_its_ring_that_ktrack_wants)
{
	const struct ktrack_user_ring *ring;
	uint64_t tail;

	CHECK_NUMBER(instants_read(500), 500);
	ring = ktrack_user3_thread.ring;
	tail = ring->tail;
	reading_restart(8192);
	CHECK_NUMBER(ring->head - tail, KTRACK_USER_RING_SIZE);
	CHECK_NUMBER(reading_pass(), 0);
	CHECK(!program_is_waiting(reading.program));
	CHECK_NUMBER(instants_read(1000), 1000);
	CHECK_NUMBER(ring->size, 8192);
	CHECK_NUMBER(ktrack_user3_thread.size, 8192);
	CHECK_NUMBER(ring->parked, 0);
	CHECK_NUMBER(reading.recorded.queue.counts.lost, 0);
	CHECK_NUMBER(nr_bytes_left(), 0);
	reading_restart(KTRACK_USER_RING_MAX);
	CHECK_NUMBER(instants_read(1000), 1000);
	CHECK_NUMBER(ring->size, KTRACK_USER_RING_SIZE);
	CHECK_NUMBER(reading.recorded.queue.counts.lost, 0);
}

/* It sees a ring that is full of nothing, and then records from its tail on, in the whole ring. */
TEST_IN(reading, an_older_ktrack_reads_what_one_that_wanted_a_part_has_left)
{
	reading_restart(8192);
	CHECK_NUMBER(instants_read(1000), 1000);
	program_close(reading.program);
	CHECK_NUMBER(ktrack_user3_control.ring_wanted, KTRACK_USER_RING_SIZE);
	CHECK(reading_lock());
	CHECK_NUMBER(program_pending(reading.program), 0);
	program_switch(reading.program, true);
	reading.program->rings[0].is_parked = false;
	reading.program->rings[0].size = 0;
	CHECK_NUMBER(reading_pass(), 0);
	CHECK(!reading.program->is_damaged);
	CHECK_NUMBER(instants_read(1000), 1000);
	CHECK_NUMBER(reading.recorded.queue.counts.lost, 0);
	CHECK_NUMBER(ktrack_user3_thread.size, KTRACK_USER_RING_SIZE);
}

TEST_IN(reading, a_program_of_older_headers_keeps_its_rings)
{
	CHECK_NUMBER(instants_read(100), 100);
	ktrack_user3_control.can_agree = 0;
	reading_restart(8192);
	CHECK_NUMBER(ktrack_user3_control.ring_wanted, KTRACK_USER_RING_SIZE);
	CHECK_NUMBER(instants_read(1000), 1000);
	CHECK_NUMBER(ktrack_user3_thread.size, KTRACK_USER_RING_SIZE);
}

TEST(a_size_that_a_ring_cannot_have_is_damage)
{
	static const uint32_t sizes[] = { 3, 2048, 12288, 2 * KTRACK_USER_RING_SIZE, UINT32_MAX };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		reading_begin();
		reading_restart(8192);
		ktrack_instant(unit_work, "work");
		ktrack_user3_thread.ring->size = sizes[i];
		CHECK_NUMBER(reading_pass(), 0);
		CHECK(reading.program->is_damaged);
		/* The program checks what ktrack, or someone who has taken it over, writes. */
		ktrack_user_use(&ktrack_user3_thread, sizes[i]);
		CHECK_NUMBER(ktrack_user3_thread.mask, KTRACK_USER_RING_SIZE - 1);
		reading_end();
	}
}

static pthread_barrier_t barrier;

static void *thread_write_together(void *context)
{
	pthread_barrier_wait(&barrier);
	thread_write(context);
	pthread_barrier_wait(&barrier);
	return NULL;
}

TEST_IN(reading, records_of_threads_without_a_ring_are_counted)
{
	enum { NR_THREADS = KTRACK_USER_RINGS + 22 };
	pthread_t threads[NR_THREADS];

	pthread_barrier_init(&barrier, NULL, NR_THREADS);
	for (size_t i = 0; i < NR_THREADS; i++) {
		if (pthread_create(&threads[i], NULL, thread_write_together, "many") != 0)
			abort();
	}
	for (size_t i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
	CHECK(reading_pass() > 0);
	CHECK_NUMBER(queue_see(INT64_MAX).nr_records, 10 * KTRACK_USER_RINGS);
	CHECK_NUMBER(reading.recorded.queue.counts.lost, 10 * (NR_THREADS - KTRACK_USER_RINGS));
	CHECK_NUMBER(reading.recorded.queue.counts.in_rings, reading.recorded.queue.counts.lost);
}

static volatile size_t nr_signals;

static void signal_write(int number)
{
	(void)number;
	ktrack_instant(unit_work, "in a signal handler");
	nr_signals++;
}

TEST_IN(reading, signal_handlers_write_while_their_thread_does)
{
	const struct itimerval often = { .it_interval = { .tv_usec = 100 },
					 .it_value = { .tv_usec = 100 } };
	const struct itimerval never = { .it_value = { 0 } };
	const struct sigaction action = { .sa_handler = signal_write, .sa_flags = SA_RESTART };
	size_t nr_written = 0, nr_read = 0;

	nr_signals = 0;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (nr_signals < 300) {
		for (int i = 0; i < 1000; i++)
			ktrack_begin(unit_io, "in the thread", 1, i, "path");
		nr_written += 1000;
		if (reading_pass() < 0)
			abort();
		nr_read += queue_see(INT64_MAX).nr_records;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	if (reading_pass() < 0)
		abort();
	nr_read += queue_see(INT64_MAX).nr_records;
	CHECK(!reading.program->is_damaged);
	CHECK_NUMBER(nr_read + reading.recorded.queue.counts.lost, nr_written + nr_signals);
}

/* A child has its own memory: its records are not in its parent's. */
TEST_IN(reading, a_child_does_not_write_to_the_rings_of_its_parent)
{
	struct program *program;
	int status;
	pid_t pid;

	ktrack_instant(unit_work, "parent");
	pid = fork();
	if (pid == 0) {
		program = program_open(ktrack_user3_process.fd, getpid());
		if (!program || program->inode == reading.program->inode || ktrack_user3_control.on)
			_exit(1);
		ktrack_instant(unit_work, "child");
		ktrack_user3_control.on = 1;
		ktrack_instant(unit_work, "child");
		_exit(program->control->rings[0].owner != (uint32_t)getpid() ||
		      program->control->nr_events != 1);
	}
	CHECK_NUMBER(waitpid(pid, &status, 0), pid);
	CHECK_NUMBER(status, 0);
	ktrack_instant(unit_work, "parent");
	CHECK(reading_pass() > 0);
	CHECK_NUMBER(queue_see(INT64_MAX).nr_records, 2);
}

TEST_IN(reading, guards_end_on_every_path_with_a_result)
{
	struct seen seen;
	int64_t result;

	for (int i = 0; i < 2; i++) {
		ktrack_guard_named(io, unit_io, "guarded", 1, 2, "p");
		ktrack_guard(unit_work, "inner");
		ktrack_guard_set(io, result, -5);
		if (i == 0)
			continue;
	}
	CHECK(reading_pass() > 0);
	seen = queue_see(INT64_MAX);
	CHECK_NUMBER(seen.nr_records, 8);
	CHECK_NUMBER(seen.last[12], KTRACK_TYPE_END);
	memcpy(&result, seen.last + 36, sizeof(result));
	CHECK_NUMBER(result, -5);
}

/* A guard that began while nobody recorded has no end. */
TEST_IN(reading, a_guard_without_a_begin_has_no_end)
{
	program_switch(reading.program, false);
	{
		ktrack_guard(unit_work, "before");
		program_switch(reading.program, true);
	}
	CHECK_NUMBER(reading_pass(), 0);
}

/* A guard that another one has crossed, as two coroutines do it, in the order of their begins. */
static void crossed_write(void)
{
	uint64_t innermost_ns;
	{
		ktrack_guard(unit_work, "crossed");
		innermost_ns = ktrack_user3_thread.innermost_ns;
		ktrack_user3_thread.innermost_ns++;
	}
	CHECK_NUMBER(ktrack_user3_thread.innermost_ns, innermost_ns + 1);
}

static struct ktrack_user_record *ring_record(size_t offset)
{
	return (struct ktrack_user_record *)(void *)(ktrack_user3_thread.data + offset);
}

TEST_IN(reading, the_end_of_a_guard_names_its_slice_if_another_one_crosses_it)
{
	const struct ktrack_user_record *begin, *end;
	uint64_t duration_ns;
	struct seen seen;
	char name[32];

	crossed_write();
	begin = ring_record(0);
	end = ring_record(begin->word & ~7u);
	duration_ns = end->time_ns - begin->time_ns;
	snprintf(name, sizeof(name), "%016llx@%08x", (unsigned long long)begin->time_ns, gettid());
	CHECK_TEXT((const char *)end + sizeof(struct ktrack_user_slice), name);
	reading.program->clock_offset_ns = -1000;
	CHECK(reading_pass() > 0);
	snprintf(name, sizeof(name), "%016llx %08x", (unsigned long long)duration_ns, gettid());
	seen = queue_see(INT64_MAX);
	CHECK_NUMBER(seen.nr_records, 2);
	CHECK(record_has(&seen, name));
}

TEST_IN(reading, guards_that_nest_end_without_names)
{
	size_t size;

	for (int i = 0; i < 2; i++) {
		ktrack_guard(unit_work, "");
		{
			ktrack_guard(unit_work, "");
		}
		ktrack_guard(unit_work, "");
	}
	size = ring_record(0)->word & ~7u;
	CHECK_NUMBER(ktrack_user3_thread.innermost_ns, 0);
	CHECK_NUMBER(ktrack_user3_thread.ring->head, 12 * size);
	CHECK(reading_pass() > 0);
}

/* A begin that does not fit, and one that is not wanted; the end could be written. */
TEST_IN(reading, a_guard_whose_begin_is_not_recorded_has_no_end)
{
	struct ktrack_user_ring *ring;
	uint64_t head, lost;

	ktrack_instant(unit_work, "work");
	ring = ktrack_user3_thread.ring;
	head = ring->head;
	{
		ring->head = ring->tail + ktrack_user3_thread.size;
		ktrack_guard(unit_work, "lost");
		ring->head = head;
		lost = ring->lost;
	}
	CHECK_NUMBER(lost, 1);
	CHECK_NUMBER(ring->head, head);
	reading.program->events = "unit:unit_io";
	CHECK(program_lock(reading.program));
	{
		ktrack_guard_printf(unit_work, ("%s", "unwanted"));
		reading.program->events = "*";
		CHECK(program_lock(reading.program));
	}
	CHECK_NUMBER(ring->head, head);
}

TEST_IN(reading, long_names_are_cut_between_characters_and_null_is_a_text)
{
	char name[300];
	struct seen seen;

	memset(name, 'x', sizeof(name));
	memcpy(name + 126, "\xc3\xa4", 2);
	name[299] = '\0';
	ktrack_instant(unit_work, name);
	CHECK(reading_pass() > 0);
	seen = queue_see(INT64_MAX);
	name[126] = '\0';
	CHECK(record_has(&seen, name));
	ktrack_sample(unit_depth, 1, NULL);
	CHECK(reading_pass() > 0);
	seen = queue_see(INT64_MAX);
	CHECK(record_has(&seen, "(null)"));
}

/* The length in a record of 299 bytes with a character at an offset. */
static size_t length_with(size_t offset, const char *character)
{
	char name[300];

	memset(name, 'x', sizeof(name));
	memcpy(name + offset, character, strlen(character));
	name[299] = '\0';
	return ktrack_user_length(name, name);
}

static size_t length_of(size_t size)
{
	char name[300];

	memset(name, 'x', sizeof(name));
	name[size] = '\0';
	return ktrack_user_length(name, name);
}

TEST(names_are_cut_behind_127_bytes_or_before_the_character_there)
{
	CHECK_NUMBER(length_of(126), 126);
	CHECK_NUMBER(length_of(127), 127);
	CHECK_NUMBER(length_of(128), 127);
	CHECK_NUMBER(length_with(123, "\xf0\x9f\x98\x80"), 127);
	for (size_t offset = 124; offset <= 127; offset++)
		CHECK_NUMBER(length_with(offset, "\xf0\x9f\x98\x80"), offset);
	CHECK_NUMBER(length_with(124, "\xe2\x82\xac"), 127);
	CHECK_NUMBER(length_with(125, "\xe2\x82\xac"), 125);
	CHECK_NUMBER(length_with(125, "\xc3\xa4"), 127);
	CHECK_NUMBER(length_with(126, "\xc3\xa4"), 126);
}

TEST_IN(reading, numbers_of_flows_are_not_repeated)
{
	ktrack_flow_id first, second;

	first = ktrack_flow_new(unit_flagged);
	second = ktrack_flow_new(unit_flagged);
	CHECK(first != 0 && second != 0 && first != second);
	CHECK_NUMBER(first >> 40, getpid());
}
