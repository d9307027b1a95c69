// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz target: the memory of a program. The input is descriptions, then a ring, behind five numbers
 * of 16 bits: the size of the descriptions and of what the ring has, in units of 8 bytes; the tail
 * of the ring; how much a killed ktrack had read of it; and how much memory its records may take,
 * in units of 8 bytes.
 */
#include <fcntl.h>
#include <ktrack/user/layout.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../unit/fixtures/own_socket.h"
#include "fuzz.h"
#include "recorded.h"
#include "userring/batch.h"

#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW)
#define RING_SIZE 4096u
#define EVENTS_SIZE 4096u
#define HEAD_SIZE (5 * sizeof(uint16_t))
#define MEMORY_SIZE (KTRACK_USER_CONTROL_SIZE + EVENTS_SIZE + RING_SIZE)

static int memory_new(void)
{
	int fd = memfd_create(KTRACK_USER_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, MEMORY_SIZE) < 0 || fcntl(fd, F_ADD_SEALS, SEALS) < 0)
		abort();
	return fd;
}

static void memory_fill(unsigned char *base, const uint8_t *data, size_t size)
{
	struct ktrack_user_control *control = (struct ktrack_user_control *)(void *)base;
	uint16_t numbers[5];
	size_t events;

	*control = (struct ktrack_user_control){ .magic = KTRACK_USER_MAGIC,
						 .version = KTRACK_USER_VERSION,
						 .pid = getpid(),
						 .nr_rings = 1,
						 .ring_size = RING_SIZE,
						 .events_size = EVENTS_SIZE };
	memset(base + KTRACK_USER_CONTROL_SIZE, 0, EVENTS_SIZE + RING_SIZE);
	memcpy(numbers, data, sizeof(numbers));
	data += sizeof(numbers);
	size -= sizeof(numbers);
	events = numbers[0] % (EVENTS_SIZE / 8) * 8;
	if (events > size)
		events = size;
	memcpy(base + KTRACK_USER_CONTROL_SIZE, data, events);
	control->rings[0].tail = numbers[2];
	control->rings[0].read = numbers[2] + numbers[3];
	control->rings[0].head = numbers[2] + 8 * numbers[1];
	/* So much is reserved for descriptions: what is not committed is awaited, or left out. */
	control->events_used = numbers[0] / (EVENTS_SIZE / 8) * 32;
	size -= events;
	if (size > RING_SIZE)
		size = RING_SIZE;
	memcpy(base + KTRACK_USER_CONTROL_SIZE + EVENTS_SIZE, data + events, size);
}

static void part_ignore(void *context, const struct part *part)
{
	(void)context;
	(void)part;
}

/* What the reader sends of any memory is right. */
static bool recorded_send(void *context, const unsigned char *bytes, size_t size)
{
	const struct part_visitor ignore = { NULL, part_ignore };

	if (recorded_take(context, bytes, size, &ignore) != RECORDED_WHOLE)
		abort();
	return true;
}

static void program_check(struct program *program, unsigned char *base, const uint8_t *data,
			  size_t size)
{
	struct recorded recorded = { 0 };
	struct task_table tasks = { 0 };
	struct batch batch = { .context = &recorded, .send = recorded_send };
	struct ring_reader reader = { .batch = &batch, .tasks = &tasks, .user_max = SIZE_MAX };
	uint16_t space;

	memcpy(&space, data + HEAD_SIZE - sizeof(space), sizeof(space));
	recorded.size_max = 8 * (size_t)space;
	memory_fill(base, data, size);
	if (!batch_open(&batch))
		abort();
	/* Times of any record are the own recording's. */
	program->from_ns = 0;
	for (int pass = 0; pass < 2 && !program->is_damaged; pass++) {
		if (program_read(program, &reader, RECORD_TIME_LIMIT) < 0 || !batch_flush(&batch))
			abort();
		/* Behind the end of the program nothing is awaited. */
		program->has_ended = true;
	}
	recorded_check(&recorded);
	recorded_release(&recorded);
	task_table_release(&tasks);
	batch_close(&batch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static unsigned char *base;
	static int fd;
	struct program *program;

	if (size < HEAD_SIZE)
		return 0;
	if (!base) {
		fd = memory_new();
		base = mmap(NULL, MEMORY_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	}
	memory_fill(base, data, HEAD_SIZE);
	program = program_open(fd, getpid());
	if (!program || !program_lock(program))
		abort();
	program_check(program, base, data, size);
	program_close(program);
	return 0;
}
