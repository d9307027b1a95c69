// SPDX-License-Identifier: GPL-2.0-only
/* Tests of memory that a program has filled with something else than the macros do. */
#define KTRACK_SYSTEM unit
#include <ktrack/user.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/user_reading.h"

KTRACK_SLICE(unit_hostile, KTRACK_ENUM(uint8_t, op, { 0, "read" }));

/* A memory with one record, which is changed before it is read. */
static struct ktrack_user_record *hostile_begin(void)
{
	reading_begin();
	ktrack_instant(unit_hostile, "one", 0);
	return (struct ktrack_user_record *)(void *)ktrack_user3_thread.data;
}

/* What is damaged is noted, and left alone. */
static void hostile_check(void)
{
	CHECK_NUMBER(reading_pass(), 0);
	CHECK(reading.program->is_damaged);
	CHECK_NUMBER(reading.nr_notes, 1);
	CHECK_NUMBER(reading.note.kind, NOTE_DAMAGED);
	CHECK_NUMBER(reading.note.pid, getpid());
	CHECK_NUMBER(queue_see(INT64_MAX).nr_records, 0);
	reading_end();
}

TEST(the_record_is_read_unless_it_is_changed)
{
	hostile_begin();
	CHECK(reading_pass() > 0);
	CHECK(!reading.program->is_damaged);
	CHECK_NUMBER(reading.recorded.queue.size, 1);
	reading_end();
}

TEST(sizes_of_records_are_checked)
{
	static const uint32_t words[] = { 1, 8 | 1, 24 | 1, 4096 | 1, 0xfffffff8 | 1 };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		hostile_begin()->word = words[i];
		hostile_check();
	}
}

/* The size is possible, but the rest is not written yet. */
TEST(a_record_that_passes_the_head_is_refused)
{
	struct ktrack_user_record *record = hostile_begin();

	record->word += 8;
	hostile_check();
}

/* The end of a ring that a record does not fit in is smaller than the largest record. */
TEST(sizes_of_padding_are_checked)
{
	static const uint32_t words[] = { 3, KTRACK_USER_RING_SIZE | 3, 4096 | 3 };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		hostile_begin()->word = words[i];
		ktrack_user3_thread.ring->head = KTRACK_USER_RING_SIZE;
		hostile_check();
	}
}

TEST(a_head_beyond_the_ring_is_refused)
{
	static const uint64_t heads[] = { KTRACK_USER_RING_SIZE + 8, UINT64_MAX, UINT64_MAX / 2 };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		hostile_begin();
		ktrack_user3_thread.ring->head = heads[i];
		hostile_check();
	}
}

/* It ends within a record: the rest is smaller than any. */
TEST(a_head_that_is_no_multiple_of_8_is_refused)
{
	hostile_begin();
	ktrack_user3_thread.ring->head += 4;
	memset(ktrack_user3_thread.data + ktrack_user3_thread.ring->head - 4, 0xff, 4);
	hostile_check();
}

/* Where an earlier ktrack ended, as the program says. */
TEST(a_tail_that_is_no_multiple_of_8_is_refused)
{
	static const uint64_t tails[] = { 4, KTRACK_USER_RING_SIZE - 1 };

	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		hostile_begin();
		program_close(reading.program);
		ktrack_user3_thread.ring->tail = tails[i];
		ktrack_user3_thread.ring->read = tails[i];
		ktrack_user3_thread.ring->head = tails[i] + 64;
		CHECK(reading_lock());
		hostile_check();
	}
}

/* Behind the end of the program, reading would go on behind the head. */
TEST(a_head_is_not_passed_behind_the_end_of_the_program)
{
	hostile_begin();
	ktrack_user3_thread.ring->head += 4;
	reading.program->has_ended = true;
	hostile_check();
}

TEST(times_in_the_future_are_refused)
{
	hostile_begin()->time_ns += 100000 * NS_PER_S;
	hostile_check();
	hostile_begin()->time_ns = UINT64_MAX;
	hostile_check();
}

TEST(events_without_a_description_are_refused)
{
	hostile_begin()->number = 77;
	hostile_check();
	hostile_begin()->number = 0xffff;
	hostile_check();
}

/* The name is behind the fields: this record ends before. */
TEST(records_without_all_fields_are_lost)
{
	struct ktrack_user_record *record = hostile_begin();

	record->word = (sizeof(*record) + 8) | KTRACK_USER_COMMITTED;
	ktrack_user3_thread.ring->head = sizeof(*record) + 8;
	CHECK(reading_pass() > 0);
	CHECK(!reading.program->is_damaged);
	CHECK_NUMBER(reading.recorded.queue.counts.lost, 1);
	CHECK_NUMBER(reading.recorded.queue.size, 0);
	reading_end();
}

/* Before the first one, behind the record, and of a size that passes its end. */
TEST(texts_outside_of_a_record_become_empty)
{
	static const uint32_t texts[] = { 4 << 16, 4 << 16 | 31, 4 << 16 | 60000, 3000 << 16 | 32 };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct ktrack_user_slice *slice =
			(struct ktrack_user_slice *)(void *)hostile_begin();
		uint32_t text = 1;
		struct seen seen;

		slice->name = texts[i];
		CHECK(reading_pass() > 0);
		seen = queue_see(INT64_MAX);
		CHECK_NUMBER(seen.nr_records, 1);
		CHECK_NUMBER(seen.last_size, 8 + 8 + 1 + 3);
		memcpy(&text, seen.last + 12, sizeof(text));
		CHECK_NUMBER(text, 0);
		reading_end();
	}
}

/* Of programs that are built for other machines, for example. */
TEST(layouts_of_one_event_are_apart)
{
	struct described_event *event = calloc(1, sizeof(*event));
	SCOPED(event_table) events = { 0 };
	uint16_t id;

	if (!event)
		abort();
	event->size = 24;
	id = event_table_add(&events, text_of(event->name), event, NULL);
	CHECK_NUMBER(event_table_add(&events, text_of(event->name), event, NULL), id);
	event->size = 32;
	CHECK(event_table_add(&events, text_of(event->name), event, NULL) != id);
	CHECK_NUMBER(events.size, 2);
	free(event);
}

/* Programs that start again and again have the same descriptions. */
TEST(an_event_is_found_by_its_description)
{
	struct described_event *event = calloc(1, sizeof(*event));
	SCOPED(event_table) events = { 0 };
	uint16_t id;

	if (!event)
		abort();
	CHECK_NUMBER(event_table_find(&events, text_of("one")), 0);
	id = event_table_add(&events, text_of("one"), event, NULL);
	CHECK_NUMBER(event_table_find(&events, text_of("one")), id);
	CHECK_NUMBER(event_table_find(&events, text_of("other")), 0);
	CHECK_NUMBER(event_table_add(&events, text_of("other"), event, NULL), id);
	CHECK_NUMBER(events.size, 1);
	free(event);
}

/* Other programs have described as many as there can be: this one is not damaged for that. */
TEST(records_of_events_that_are_left_out_are_lost)
{
	struct described_event *event = calloc(1, sizeof(*event));
	struct event_table events = { 0 };

	if (!event)
		abort();
	for (int i = 0; !events.is_full && i <= UINT16_MAX; i++) {
		struct program_user user = { 0 };

		snprintf(event->name, sizeof(event->name), "event%d", i);
		event_table_add(&events, text_of(event->name), event, &user);
	}
	free(event);
	events.is_full = false;
	hostile_begin();
	reading.recorded.events = events;
	CHECK(reading_pass() > 0);
	CHECK(!reading.program->is_damaged && !reading.recorded.events.has_failed);
	CHECK(reading.recorded.events.is_full);
	CHECK_NUMBER(reading.recorded.queue.counts.lost, 1);
	CHECK_NUMBER(reading.recorded.queue.size, 0);
	reading_end();
}

TEST(one_user_describes_half_of_all_events_at_most)
{
	struct described_event *event = calloc(1, sizeof(*event));
	struct program_user first = { 0 }, second = { .uid = 1 }, third = { .uid = 2 };
	uint16_t id = 0;

	if (!event)
		abort();
	for (int i = 0; id != EVENT_LEFT_OUT && i <= UINT16_MAX; i++) {
		snprintf(event->name, sizeof(event->name), "event%d", i);
		id = event_table_add(&reading.recorded.events, text_of(event->name), event, &first);
	}
	CHECK_NUMBER(first.nr_events, reading.recorded.events.size);
	CHECK(event_table_add(&reading.recorded.events, text_of(event->name), event, &second) !=
	      EVENT_LEFT_OUT);
	for (int i = 0; i <= UINT16_MAX; i++) {
		snprintf(event->name, sizeof(event->name), "other%d", i);
		event_table_add(&reading.recorded.events, text_of(event->name), event, &second);
	}
	CHECK_NUMBER(second.nr_events, first.nr_events);
	strcpy(event->name, "third");
	id = event_table_add(&reading.recorded.events, text_of(event->name), event, &third);
	CHECK(id != EVENT_LEFT_OUT);
	CHECK(!reading.recorded.events.list[id - PROGRAM_EVENT_ID]->is_of_many);
	CHECK(!reading.recorded.events.list[63]->is_of_many);
	CHECK(reading.recorded.events.list[64]->is_of_many);
	CHECK(!reading.recorded.events.has_failed);
	free(event);
	event_table_release(&reading.recorded.events);
	reading = (struct reading){ 0 };
}

TEST(one_user_has_half_of_the_places_and_each_gets_one)
{
	CHECK(user_has_place(0, 0, 10));
	CHECK(user_has_place(4, 4, 10));
	CHECK(!user_has_place(5, 5, 10));
	CHECK(user_has_place(4, 9, 10));
	CHECK(!user_has_place(4, 10, 10));
	CHECK(user_has_place(0, 10, 10));
}

/* Programs may have thousands of full rings. */
TEST(records_without_space_are_lost)
{
	hostile_begin();
	ktrack_instant(unit_hostile, "two", 0);
	ktrack_instant(unit_hostile, "three", 0);
	reading.recorded.size_max = 1;
	CHECK(reading_pass() > 0);
	CHECK(!reading.program->is_damaged);
	CHECK_NUMBER(reading.recorded.queue.size, 1);
	CHECK_NUMBER(reading.recorded.queue.nr_losses, 1);
	CHECK_NUMBER(reading.recorded.queue.counts.lost, 2);
	ktrack_instant(unit_hostile, "four", 0);
	CHECK(reading_pass() > 0);
	CHECK_NUMBER(reading.recorded.queue.counts.lost, 3);
	CHECK_NUMBER(reading.recorded.queue.counts.in_rings, 0);
	reading_end();
}

TEST(records_of_a_user_without_any_have_place_when_those_of_another_fill_the_memory)
{
	hostile_begin();
	ktrack_instant(unit_hostile, "two", 0);
	reading.recorded.size_max = 1;
	CHECK(reading_pass() > 0);
	CHECK_NUMBER(reading.recorded.queue.size, 1);
	if (reading.recorded.size == 1)
		reading.recorded.list[0]->user = user_table_find(&reading.recorded.users, 12345);
	reading.recorded.size_max = 2;
	ktrack_instant(unit_hostile, "three", 0);
	ktrack_instant(unit_hostile, "four", 0);
	CHECK(reading_pass() > 0);
	CHECK_NUMBER(reading.recorded.queue.size, 2);
	CHECK_NUMBER(reading.recorded.queue.counts.lost, 2);
	reading_end();
}

TEST(threads_of_other_processes_are_replaced)
{
	static const int32_t tids[] = { 1, 0, -5 };

	for (size_t i = 0; i < sizeof(tids) / sizeof(tids[0]); i++) {
		int32_t tid = 0;

		hostile_begin()->tid = tids[i];
		CHECK(reading_pass() > 0);
		CHECK(!reading.program->is_damaged);
		if (reading.recorded.queue.size == 1)
			memcpy(&tid, reading.recorded.queue.bytes.data + 4, sizeof(tid));
		CHECK_NUMBER(tid, getpid());
		reading_end();
	}
}

/* An end whose name is that of one that names its slice. */
static struct seen named_end_see(const char *name)
{
	struct seen seen;

	reading_begin();
	unit_hostile_ktrack_emit(KTRACK_TYPE_END, name, strlen(name), 0);
	CHECK(reading_pass() > 0);
	CHECK(!reading.program->is_damaged);
	seen = queue_see(INT64_MAX);
	CHECK_NUMBER(seen.nr_records, 1);
	reading_end();
	return seen;
}

TEST(ends_name_threads_of_their_process_only)
{
	static const char *const tids[] = { "00000001", "00000000", "ffffffff" };
	char name[KTRACK_USER_END_SIZE + 1], own[16];
	struct seen seen;

	snprintf(own, sizeof(own), " %08x", getpid());
	for (size_t i = 0; i < sizeof(tids) / sizeof(tids[0]); i++) {
		snprintf(name, sizeof(name), "%016x@%s", 0, tids[i]);
		seen = named_end_see(name);
		CHECK(record_has(&seen, own));
	}
}

TEST(other_names_of_ends_stay_as_they_are)
{
	static const char *const names[] = {
		"000000000000000 @00000001",  "0000000000000000@0000000x",
		"0000000000000000@00000001 ", "0000000000000000 00000001",
		"0000000000000000@0000001",   "0x00000000000000@00000001",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct seen seen = named_end_see(names[i]);

		CHECK(record_has(&seen, names[i]));
	}
}

/* The name of an end is that of the next record, or behind all of them. */
TEST(names_of_ends_are_inside_of_their_record)
{
	static const char name[] = "0000000000000000@00000001";
	struct ktrack_user_slice *slice;
	struct seen seen;

	for (int i = 0; i < 2; i++) {
		reading_begin();
		unit_hostile_ktrack_emit(KTRACK_TYPE_END, name, strlen(name), 0);
		ktrack_instant(unit_hostile, name, 0);
		slice = (struct ktrack_user_slice *)(void *)ktrack_user3_thread.data;
		slice->name += i > 0 ? 60000 : slice->head.word & ~7u;
		CHECK(reading_pass() > 0);
		CHECK(!reading.program->is_damaged);
		seen = queue_see(INT64_MAX);
		CHECK_NUMBER(seen.nr_records, 2);
		CHECK(record_has(&seen, name));
		reading_end();
	}
}

/* The thread keeps its process and its name. */
TEST(threads_of_other_processes_stay_theirs)
{
	const struct program_task *task;
	int pid = getpid();

	CHECK(task_table_note(&reading.tasks, pid, pid, "mine"));
	CHECK(!task_table_note(&reading.tasks, pid, 1, "hostile"));
	task = task_table_find(&reading.tasks, pid);
	CHECK_NUMBER(task->identity.tgid, pid);
	CHECK(strcmp(task->identity.comm, "hostile") != 0);
	task_table_release(&reading.tasks);
	reading = (struct reading){ 0 };
}

/* Looking for each of them would take longer than the program needs to write a record. */
TEST(searches_of_threads_of_other_processes_are_limited)
{
	struct ktrack_user_record *record = hostile_begin();
	const int64_t spent_ns = NS_PER_S;

	reading.program->searches.from_ns = INT64_MAX;
	reading.program->searches.used_ns = spent_ns;
	record->tid = 1;
	CHECK(reading_pass() > 0);
	CHECK_NUMBER(reading.program->search_state, SEARCH_IS_LATE);
	CHECK_NUMBER(reading.tasks.size, 1);
	reading.program->searches.used_ns = 0;
	ktrack_instant(unit_hostile, "two", 0);
	CHECK(reading_pass() > 0);
	CHECK_NUMBER(reading.program->searches.used_ns > 0, true);
	CHECK_NUMBER(reading.recorded.queue.size, 2);
	reading_end();
}

/* As guards do that are ended by another thread. */
static int64_t alternate_emit(void)
{
	uint64_t id = ktrack_user3_thread.id;

	for (int i = 0; i < 10; i++) {
		ktrack_user3_thread.id = i % 2 ? id : 77;
		ktrack_instant(unit_hostile, "one", 0);
	}
	ktrack_user3_thread.id = id;
	CHECK(reading_pass() > 0);
	return reading.program->searches.used_ns;
}

TEST(threads_that_alternate_in_a_ring_are_looked_for_once_in_a_second)
{
	int64_t used_ns;

	hostile_begin();
	reading.program->is_nested = true;
	reading.program->searches.from_ns = INT64_MAX;
	used_ns = alternate_emit();
	CHECK(used_ns > 0);
	CHECK_NUMBER(alternate_emit(), used_ns);
	for (size_t i = 0; i < PROGRAM_THREADS; i++)
		reading.program->threads[i].looked_ns -= NS_PER_S;
	CHECK(alternate_emit() > used_ns);
	CHECK_NUMBER(reading.recorded.queue.size, 31);
	reading_end();
}

/* A description's bytes, and its place in the memory. */
static unsigned char *description(void)
{
	return ktrack_user3_process.base + KTRACK_USER_CONTROL_SIZE;
}

TEST(sizes_of_descriptions_are_checked)
{
	static const uint32_t words[] = { 1, 8 | 1, 16 | 1, 0xfffffff8 | 1, 65536 | 1 };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		hostile_begin();
		memcpy(description(), &words[i], sizeof(words[i]));
		hostile_check();
	}
}

/* Every byte of a description is changed: the format is made, or the description refused. */
TEST(changed_descriptions_are_refused_or_read)
{
	size_t size, nr_refused = 0;

	hostile_begin();
	size = reading.program->control->events_used;
	reading_end();
	for (size_t i = 4; i < size; i++) {
		for (int bit = 0; bit < 8; bit++) {
			hostile_begin();
			description()[i] ^= 1 << bit;
			CHECK(reading_pass() >= 0);
			CHECK(reading.program->is_damaged || reading.recorded.queue.size == 1 ||
			      reading.recorded.queue.counts.lost == 1);
			nr_refused += reading.program->is_damaged;
			reading_end();
		}
	}
	CHECK(nr_refused > size);
}

TEST(names_are_words_and_texts_are_printable)
{
	struct described_event *event = malloc(sizeof(*event));
	SCOPED_BUFFER(bytes);
	SCOPED_BUFFER(format);
	const struct ktrack_user_event head = {
		.number = 1, .kind = KTRACK_USER_COUNTER, .nr_fields = 1, .size = 24
	};
	const struct ktrack_user_field field = {
		.offset = 16, .size = 8, .kind = KTRACK_USER_SYMBOL, .nr_texts = 1
	};

	buffer_append(&bytes, &head, sizeof(head));
	buffer_append(&bytes, "sys\0event", 10);
	buffer_append(&bytes, &field, sizeof(field));
	buffer_append(&bytes, "value\0", 6);
	buffer_append(&bytes, &(int64_t){ 5 }, 8);
	buffer_append(&bytes, "a\"}\\%s\x01\xff", 9);
	CHECK(event_describe(event, (unsigned char *)bytes.data, bytes.size));
	event_format(&format, event);
	CHECK(strstr(buffer_string(&format), "{ 5, \"a?}??s??\" }"));
	for (size_t i = 0; i < bytes.size; i++)
		CHECK(!event_describe(event, (unsigned char *)bytes.data, i));
	bytes.data[sizeof(head)] = '%';
	CHECK(!event_describe(event, (unsigned char *)bytes.data, bytes.size));
	bytes.data[sizeof(head)] = '9';
	CHECK(!event_describe(event, (unsigned char *)bytes.data, bytes.size));
	free(event);
}

TEST(a_memfd_that_may_shrink_is_refused)
{
	int fd = syscall(SYS_memfd_create, KTRACK_USER_NAME, 3);

	CHECK_NUMBER(ftruncate(fd, ktrack_user_memory_size(&ktrack_user3_process)), 0);
	CHECK(!program_open(fd, getpid()));
	CHECK_NUMBER(fcntl(fd, 1033, 2), 0);
	/* It may not shrink now, but is empty. */
	CHECK(!program_open(fd, getpid()));
	close(fd);
	fd = open("/dev/null", O_RDWR);
	CHECK(!program_open(fd, getpid()));
	close(fd);
}

TEST(sizes_of_a_memory_are_checked)
{
	struct ktrack_user_control *control = &ktrack_user3_control;
	uint32_t *const members[] = { &control->magic, &control->version, &control->nr_rings,
				      &control->ring_size, &control->events_size };

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		static const uint32_t numbers[] = { 0, 1 << 30, UINT32_MAX, 4096, 6 };

		for (size_t j = 0; j < sizeof(numbers) / sizeof(numbers[0]); j++) {
			uint32_t before = *members[i];

			*members[i] = numbers[j];
			CHECK(!program_open(ktrack_user3_process.fd, getpid()));
			*members[i] = before;
		}
	}
	reading.program = program_open(ktrack_user3_process.fd, getpid());
	CHECK(reading.program != NULL);
	program_close(reading.program);
}

/* A memory of another layout, with one ring. */
static bool memory_is_taken(uint32_t ring_size, uint32_t events_size)
{
	size_t size = KTRACK_USER_CONTROL_SIZE + (size_t)events_size + ring_size;
	int fd = syscall(SYS_memfd_create, KTRACK_USER_NAME, __KTRACK_MFD_FLAGS);
	const struct ktrack_user_control control = { .magic = KTRACK_USER_MAGIC,
						     .version = KTRACK_USER_VERSION,
						     .pid = getpid(),
						     .nr_rings = 1,
						     .ring_size = ring_size,
						     .events_size = events_size };
	struct program *other;

	CHECK_NUMBER(ftruncate(fd, size), 0);
	CHECK_NUMBER(fcntl(fd, __KTRACK_ADD_SEALS, __KTRACK_SEALS), 0);
	CHECK_NUMBER(pwrite(fd, &control, sizeof(control), 0), sizeof(control));
	other = program_open(fd, getpid());
	program_close(other);
	close(fd);
	return other;
}

TEST(a_memory_is_limited)
{
	CHECK(memory_is_taken(4096, 4096));
	CHECK(memory_is_taken(16 << 20, 4 << 20));
	CHECK(!memory_is_taken(12 << 20, 4096));
	CHECK(!memory_is_taken(32 << 20, 4096));
	CHECK(!memory_is_taken(4096, 8 << 20));
}

/* Each record names another thread of another PID namespace: what searching for them costs is
 * limited. */
TEST(searches_of_threads_are_limited)
{
	struct ktrack_user_record *record = hostile_begin();
	const int64_t spent_ns = NS_PER_S;

	reading.program->is_nested = true;
	reading.program->searches.from_ns = INT64_MAX;
	reading.program->searches.used_ns = spent_ns;
	record->tid = 77;
	CHECK(reading_pass() > 0);
	CHECK_NUMBER(reading.program->searches.used_ns, spent_ns);
	CHECK_NUMBER(reading.program->search_state, SEARCH_IS_LATE);
	CHECK_NUMBER(reading.program->rings[0].inner, 0);
	reading.program->searches.from_ns = time_now_ns(CLOCK_MONOTONIC) - NS_PER_S;
	ktrack_instant(unit_hostile, "two", 0);
	CHECK(reading_pass() > 0);
	CHECK(reading.program->searches.used_ns > 0 &&
	      reading.program->searches.used_ns < spent_ns);
	CHECK(!reading.program->is_damaged);
	CHECK_NUMBER(reading.recorded.queue.size, 2);
	reading_end();
}
