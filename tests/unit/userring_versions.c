// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of programs and recorders of the first layout, whose rings are used as a whole: its
 * structures are repeated here, as they were.
 */
#define KTRACK_SYSTEM unit
#include <ktrack/user.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixtures/user_reading.h"

KTRACK_SLICE(unit_number, KTRACK_FIELD(uint32_t, number));

#define FIRST_CONTROL_SIZE 65536u
#define FIRST_EVENTS_SIZE (1u << 20)
#define FIRST_RINGS 128u
#define FIRST_RING_SIZE (512u << 10)
#define FIRST_SIZE (FIRST_CONTROL_SIZE + FIRST_EVENTS_SIZE + (size_t)FIRST_RINGS * FIRST_RING_SIZE)

/* What today's ktrack would use of a ring. */
#define WANTED_SIZE 65536u

struct first_ring {
	uint32_t owner;
	uint32_t unused;
	uint64_t head;
	uint64_t lost;
	uint64_t more_unused[5];
	uint64_t tail;
	uint64_t read;
	uint64_t ktracks[6];
};

struct first_control {
	uint32_t on;
	uint32_t magic;
	uint32_t version;
	uint32_t pid;
	uint32_t nr_rings;
	uint32_t ring_size;
	uint32_t events_size;
	uint32_t events_used;
	uint32_t nr_events;
	uint32_t is_missed;
	uint64_t lost;
	uint64_t more_unused[10];
	struct first_ring rings[FIRST_RINGS];
};

struct first_record {
	uint32_t word;
	uint32_t unused;
	uint64_t time_ns;
	uint16_t number;
	uint16_t flags;
	int32_t tid;
	int32_t tgid;
	uint32_t padding;
	int64_t counter_value;
};

/* A counter "first:depth". */
static const unsigned char description[] = { 48,  0,   0,   0,	 1,   0,   2,	1,   24,  0,
					     0,	  0,   'f', 'i', 'r', 's', 't', 0,   'd', 'e',
					     'p', 't', 'h', 0,	 16,  0,   8,	1,   0,	  0,
					     'c', 'o', 'u', 'n', 't', 'e', 'r', '_', 'v', 'a',
					     'l', 'u', 'e', 0,	 0,   0,   0,	0 };

static struct first_control *first_map(int fd, size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		abort();
	return memory;
}

/* The memory of a program of the first layout. */
static struct first_control *first_program(int *fd)
{
	struct first_control *control;

	*fd = memfd_create("ktrack-user", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (*fd < 0 || ftruncate(*fd, FIRST_SIZE) < 0 ||
	    fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		abort();
	control = first_map(*fd, FIRST_SIZE);
	*control = (struct first_control){ .magic = 0x6b747275,
					   .version = 1,
					   .pid = getpid(),
					   .nr_rings = FIRST_RINGS,
					   .ring_size = FIRST_RING_SIZE,
					   .events_size = FIRST_EVENTS_SIZE,
					   .events_used = sizeof(description),
					   .nr_events = 1 };
	memcpy((char *)control + FIRST_CONTROL_SIZE, description, sizeof(description));
	*(uint32_t *)(void *)((char *)control + FIRST_CONTROL_SIZE) |= 1;
	return control;
}

/* Emits a value as programs of the first layout do; 40 bytes do not divide the ring. */
static void first_emit(struct first_control *control, int64_t value)
{
	struct first_ring *ring = &control->rings[0];
	char *data = (char *)control + FIRST_CONTROL_SIZE + FIRST_EVENTS_SIZE;
	struct first_record record = { .number = 1, .tid = getpid(), .counter_value = value };
	size_t offset = ring->head & (FIRST_RING_SIZE - 1), rest = FIRST_RING_SIZE - offset;

	if (rest < sizeof(record)) {
		CHECK(ring->head + rest - ring->tail <= FIRST_RING_SIZE);
		*(uint32_t *)(void *)(data + offset) = rest | 2 | 1;
		ring->head += rest;
		offset = 0;
	}
	CHECK(ring->head + sizeof(record) - ring->tail <= FIRST_RING_SIZE);
	record.word = sizeof(record) | 1;
	record.time_ns = time_now_ns(CLOCK_BOOTTIME);
	memcpy(data + offset, &record, sizeof(record));
	ring->head += sizeof(record);
}

TEST(programs_of_the_first_layout_are_recorded)
{
	struct first_control *control;
	struct seen seen;
	int64_t value = 0;
	int fd;

	reading = (struct reading){ 0 };
	reading_open();
	control = first_program(&fd);
	reading.program = program_open(fd, getpid());
	if (!reading.program)
		abort();
	reading.program->ring_wanted = WANTED_SIZE;
	CHECK(program_lock(reading.program));
	program_switch(reading.program, true);
	CHECK_NUMBER(control->on, 1);
	for (int round = 0; round < 4; round++) {
		for (int i = 0; i < 8000; i++)
			first_emit(control, value++);
		CHECK(reading_pass() > 0);
		seen = queue_see(INT64_MAX);
		CHECK_NUMBER(seen.nr_records, 8000);
		CHECK(seen.is_sorted && seen.lost == 0);
		CHECK_NUMBER(control->rings[0].tail, control->rings[0].head);
	}
	CHECK_NUMBER(control->more_unused[0], 0);
	munmap(control, FIRST_SIZE);
	close(fd);
	reading_end();
}

/* Reads as recorders of the first layout do; returns how many records there were. */
static size_t first_read(struct first_control *control, uint32_t *last)
{
	struct first_ring *ring =
		&control->rings[ktrack_user3_thread.ring - ktrack_user3_control.rings];
	char *data = (char *)control + FIRST_CONTROL_SIZE + control->events_size +
		     (size_t)(ring - control->rings) * control->ring_size;
	size_t nr_records = 0;

	while (ring->tail != ring->head) {
		char *entry = data + (ring->tail & (control->ring_size - 1));
		uint32_t word = *(uint32_t *)(void *)entry, number;

		CHECK(ring->head - ring->tail <= control->ring_size);
		if (!(word & 1))
			break;
		if (!(word & 2)) {
			memcpy(&number, entry + 40, sizeof(number));
			CHECK_NUMBER(number, *last + 1);
			*last = number;
			nr_records++;
		}
		memset(entry, 0, word & ~7u);
		ring->tail += word & ~7u;
		ring->read = ring->tail;
	}
	return nr_records;
}

/* Another ktrack, which knows of sizes, has recorded the program before. */
TEST_IN(reading, recorders_of_the_first_layout_read_programs_of_today)
{
	struct first_control *control;
	uint32_t last = 0, number = 1;
	size_t size;

	program_close(reading.program);
	reading.program = program_open(ktrack_user3_process.fd, getpid());
	if (!reading.program)
		abort();
	reading.program->ring_wanted = WANTED_SIZE;
	CHECK(program_lock(reading.program));
	program_switch(reading.program, true);
	ktrack_instant(unit_number, "one", 0);
	CHECK(reading_pass() > 0);
	CHECK_NUMBER(ktrack_user3_thread.size, WANTED_SIZE);
	program_close(reading.program);
	reading.program = NULL;
	size = lseek(ktrack_user3_process.fd, 0, SEEK_END);
	control = first_map(ktrack_user3_process.fd, size);
	control->on = 1;
	CHECK_NUMBER(first_read(control, &last), 0);
	for (int round = 0; round < 4; round++) {
		for (int i = 0; i < 50000; i++)
			ktrack_instant(unit_number, "one", number++);
		CHECK_NUMBER(first_read(control, &last), 50000);
	}
	CHECK_NUMBER(ktrack_user3_thread.ring->lost, 0);
	CHECK_NUMBER(ktrack_user3_thread.size, control->ring_size);
	control->on = 0;
	munmap(control, size);
}
