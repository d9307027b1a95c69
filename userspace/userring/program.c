// SPDX-License-Identifier: GPL-2.0-only
/* Checks, maps, locks and switches the memory of a program, and frees what was read of its rings. */
#include "userring/program.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "userring/batch.h"
#include "userring/process.h"

/* Limits of what a memory may be. */
#define EVENTS_SIZE_MIN 4096u
#define EVENTS_SIZE_MAX (4u << 20)
#define MEMORY_SIZE_MAX                               \
	(KTRACK_USER_CONTROL_SIZE + EVENTS_SIZE_MAX + \
	 (uint64_t)KTRACK_USER_RINGS * KTRACK_USER_RING_MAX)

/* Pages of the memory may be holes; any size that pages are a multiple of will do. */
#define HOLE_SIZE 4096u

/* A file of the kernel's memory that nobody can shorten: reading it raises no signal. */
static bool memory_is_safe(int fd, struct stat *status)
{
	struct statfs filesystem;
	int seals = fcntl(fd, F_GET_SEALS);

	errno = EPERM;
	return seals >= 0 && (seals & F_SEAL_SHRINK) && fstat(fd, status) == 0 &&
	       S_ISREG(status->st_mode) && fstatfs(fd, &filesystem) == 0 &&
	       filesystem.f_type == TMPFS_MAGIC;
}

static bool is_ring_size(uint32_t size, uint32_t size_max)
{
	return size >= KTRACK_USER_RING_MIN && size <= size_max && (size & (size - 1)) == 0;
}

static bool memory_fits(const struct program *program)
{
	const struct ktrack_user_control *control = program->control;

	return control->magic == KTRACK_USER_MAGIC && control->version == KTRACK_USER_VERSION &&
	       program->nr_rings > 0 && program->nr_rings <= KTRACK_USER_RINGS &&
	       is_ring_size(program->ring_size, KTRACK_USER_RING_MAX) &&
	       program->events_size >= EVENTS_SIZE_MIN && program->events_size <= EVENTS_SIZE_MAX &&
	       program->events_size % 8 == 0 &&
	       program->size == KTRACK_USER_CONTROL_SIZE + (size_t)program->events_size +
					(uint64_t)program->nr_rings * program->ring_size;
}

/* Children get no mapping, which would keep the lock. */
static bool memory_map(struct program *program, const struct stat *status)
{
	void *base;

	program->size = status->st_size;
	if (program->size < KTRACK_USER_CONTROL_SIZE || program->size > MEMORY_SIZE_MAX)
		return false;
	base = mmap(NULL, program->size, PROT_READ | PROT_WRITE, MAP_SHARED, program->fd, 0);
	if (base == MAP_FAILED)
		return false;
	madvise(base, program->size, MADV_DONTFORK);
	program->base = base;
	program->control = base;
	program->nr_rings = __atomic_load_n(&program->control->nr_rings, __ATOMIC_ACQUIRE);
	program->ring_size = __atomic_load_n(&program->control->ring_size, __ATOMIC_RELAXED);
	program->events_size = __atomic_load_n(&program->control->events_size, __ATOMIC_RELAXED);
	return memory_fits(program);
}

static void program_free(struct program *program)
{
	if (program->base)
		munmap(program->base, program->size);
	file_close(program->fd);
	free(program->path);
	free(program->described);
	free(program->unwanted);
	free(program->rings);
	free(program);
}

/* Returns 0, or errno. */
static int program_map(struct program *program, const struct stat *status)
{
	struct process_ids ids;
	char path[4096];

	errno = EINVAL;
	if (program->fd < 0 || !memory_map(program, status))
		return errno;
	ids = process_ids_read(program->pid);
	program->is_nested = ids.is_nested;
	/* A child may have the file only until it executes another program. */
	if (__atomic_load_n(&program->control->pid, __ATOMIC_RELAXED) != (uint32_t)ids.inner)
		return ESRCH;
	process_path(program->pid, path, sizeof(path));
	program->path = strdup(path);
	process_comm(program->pid, program->comm, sizeof(program->comm));
	program->rings = calloc(program->nr_rings, sizeof(*program->rings));
	return program->path && program->rings ? 0 : ENOMEM;
}

struct program *program_open(int fd, int pid)
{
	struct program *program;
	struct stat status;
	char path[32];
	int number;

	if (!memory_is_safe(fd, &status))
		return NULL;
	program = calloc(1, sizeof(*program));
	if (!program)
		return NULL;
	*program = (struct program){ .pid = pid,
				     .started = process_started(pid),
				     .clock_offset_ns = process_clock_offset(pid),
				     .device = status.st_dev,
				     .inode = status.st_ino,
				     .left = UINT64_MAX };
	/* Another process has the descriptor, too, which would share its locks. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	program->fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	number = program->fd < 0 ? errno : program_map(program, &status);
	if (number == 0)
		return program;
	program_free(program);
	errno = number;
	return NULL;
}

bool program_pread(const struct program *program, void *out, size_t size, size_t offset)
{
	unsigned char *to = out;

	while (size > 0) {
		ssize_t done = pread(program->fd, to, size, offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		to += done;
		size -= done;
		offset += done;
	}
	return true;
}

bool program_matches(const struct program *program, const char *globs)
{
	struct text list = text_of(globs ? globs : "*"), item;
	char pattern[4096];

	while (text_take_item(&list, &item)) {
		snprintf(pattern, sizeof(pattern), "%.*s", (int)item.size, item.data);
		if (fnmatch(pattern, program->comm, 0) == 0 ||
		    fnmatch(pattern, program->path, 0) == 0 ||
		    fnmatch(pattern, path_base_name(program->path), 0) == 0)
			return true;
	}
	return false;
}

static struct flock whole_file(void)
{
	return (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET };
}

bool program_is_locked(const struct program *program)
{
	struct flock lock = whole_file();

	return fcntl(program->fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool program_take_size(struct program *program, size_t index)
{
	uint32_t size = __atomic_load_n(&program->control->rings[index].size, __ATOMIC_RELAXED);

	program->rings[index].size = size;
	return size == 0 || is_ring_size(size, program->ring_size);
}

bool ring_is_parked(const struct program *program, const struct ktrack_user_ring *shared)
{
	uint64_t head = __atomic_load_n(&shared->head, __ATOMIC_ACQUIRE);

	return __atomic_load_n(&shared->parked, __ATOMIC_ACQUIRE) == head &&
	       head - __atomic_load_n(&shared->tail, __ATOMIC_RELAXED) == program->ring_size;
}

/*
 * Makes an empty ring of another size than wanted look full, so that its writer sets the size
 * before its next record: no earlier record is where nobody expects it.
 */
static void ring_park(struct program *program, size_t index, uint32_t wanted)
{
	struct ktrack_user_ring *shared = &program->control->rings[index];
	struct program_ring *ring = &program->rings[index];
	uint64_t head = ring->tail;

	if (ring->is_parked || program_ring_size(program, index) == wanted ||
	    __atomic_load_n(&shared->tail, __ATOMIC_RELAXED) != head)
		return;
	__atomic_store_n(&shared->parked, head + program->ring_size, __ATOMIC_RELEASE);
	ring->is_parked = __atomic_compare_exchange_n(&shared->head, &head,
						      head + program->ring_size, false,
						      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	if (!ring->is_parked)
		__atomic_store_n(&shared->parked, 0, __ATOMIC_RELAXED);
}

/* A ktrack that does not know of sizes may be next: it finds rings whose whole memory is in use. */
static void program_park(struct program *program, uint32_t wanted)
{
	if (wanted == 0 || wanted > program->ring_size)
		wanted = program->ring_size;
	if (!__atomic_load_n(&program->control->can_agree, __ATOMIC_RELAXED) || program->is_damaged)
		return;
	__atomic_store_n(&program->control->ring_wanted, wanted, __ATOMIC_RELEASE);
	for (size_t i = 0; i < program->nr_rings; i++)
		ring_park(program, i, wanted);
}

static bool is_hole(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] != 0)
			return false;
	}
	return true;
}

/*
 * Clears bytes that do not pass the end of the ring: pages of which something is used.
 * @copy: of the bytes, NULL if there is none
 */
static void ring_clear(const struct program *program, size_t offset, size_t size,
		       const unsigned char *copy)
{
	unsigned char page[HOLE_SIZE];
	size_t part;

	for (size_t done = 0; done < size; done += part) {
		const unsigned char *bytes = copy ? copy + done : page;

		part = HOLE_SIZE - (offset + done) % HOLE_SIZE;
		if (part > size - done)
			part = size - done;
		if (!copy && !program_pread(program, page, part, offset + done))
			return;
		if (!is_hole(bytes, part))
			memset(program->base + offset + done, 0, part);
	}
}

/* In this order, so that the next reader can finish it if this one is killed. */
void segment_free(const struct ring_segment *segment, const struct batch *batch)
{
	struct program *program = segment->program;
	struct ktrack_user_ring *shared = &program->control->rings[segment->ring];
	size_t offset = segment->begin & (program_ring_size(program, segment->ring) - 1);
	size_t begin = ring_offset(program, segment->ring);

	__atomic_store_n(&shared->read, segment->end, __ATOMIC_RELEASE);
	batch_step(batch);
	/* Nobody writes to the ring of one that has ended. */
	if (!program->has_ended)
		ring_clear(program, begin + offset, segment->end - segment->begin, segment->copy);
	batch_step(batch);
	__atomic_store_n(&shared->tail, segment->end, __ATOMIC_RELEASE);
	batch_step(batch);
}

/* As segment_free(), of what was sent by a reader that was killed. */
static void ring_free(const struct program *program, size_t index, uint64_t begin, uint64_t end)
{
	struct ktrack_user_ring *shared = &program->control->rings[index];
	uint32_t ring_size = program_ring_size(program, index);
	size_t offset = begin & (ring_size - 1), size = end - begin;
	size_t first = ring_size - offset;

	if (first > size)
		first = size;
	ring_clear(program, ring_offset(program, index) + offset, first, NULL);
	ring_clear(program, ring_offset(program, index), size - first, NULL);
	__atomic_store_n(&shared->tail, end, __ATOMIC_RELEASE);
}

/* Finishes the clearing of records that a killed ktrack had read. */
static void program_clear_read(struct program *program)
{
	for (size_t i = 0; i < program->nr_rings; i++) {
		struct ktrack_user_ring *shared = &program->control->rings[i];
		uint64_t tail = __atomic_load_n(&shared->tail, __ATOMIC_ACQUIRE);
		uint64_t end = __atomic_load_n(&shared->read, __ATOMIC_ACQUIRE);
		uint64_t head = __atomic_load_n(&shared->head, __ATOMIC_ACQUIRE);

		if (program_take_size(program, i) && head - tail <= program_ring_size(program, i) &&
		    end - tail <= head - tail && end != tail)
			ring_free(program, i, tail, end);
	}
}

/* Whether the program matches patterns as fnmatch(3) does: it knows no escapes and no classes. */
static bool patterns_are_readable(const char *events, size_t size_max)
{
	return strlen(events) < size_max && !strchr(events, '\\') && !strstr(events, "[:") &&
	       !strstr(events, "[.") && !strstr(events, "[=");
}

/*
 * Tells the program which events are wanted, NULL for all. One that cannot read a pattern, or has an
 * older ktrack/user.h, writes all events, of which the reader takes those that are wanted.
 */
static void program_select(struct program *program, const char *events)
{
	struct ktrack_user_control *control = program->control;
	bool is_readable = events && patterns_are_readable(events, sizeof(control->patterns));
	uint32_t selection;
	char first;

	if (!__atomic_load_n(&control->can_select, __ATOMIC_RELAXED) || program->is_damaged ||
	    !program_pread(program, &first, 1, offsetof(struct ktrack_user_control, patterns)) ||
	    (!is_readable && !first))
		return;
	memset(control->patterns, 0, sizeof(control->patterns));
	if (is_readable)
		memcpy(control->patterns, events, strlen(events));
	selection = __atomic_load_n(&control->selection, __ATOMIC_RELAXED) + 1;
	selection += !selection;
	__atomic_store_n(&control->selection, selection, __ATOMIC_RELEASE);
}

/* What a ring contains is an earlier recording's. */
static void program_begin_rings(struct program *program)
{
	for (size_t i = 0; i < program->nr_rings; i++) {
		struct ktrack_user_ring *shared = &program->control->rings[i];

		program->rings[i] = (struct program_ring){
			.tail = __atomic_load_n(&shared->tail, __ATOMIC_ACQUIRE),
			.lost = __atomic_load_n(&shared->lost, __ATOMIC_RELAXED),
			.complete_ns = program->from_ns,
			.is_parked = ring_is_parked(program, shared),
		};
		program->is_damaged |= !program_take_size(program, i);
	}
	program->lost = __atomic_load_n(&program->control->lost, __ATOMIC_RELAXED);
}

/* The kernel removes the lock with this process, however that ends. */
bool program_lock(struct program *program)
{
	struct flock lock = whole_file();

	if (fcntl(program->fd, F_OFD_SETLK, &lock) < 0)
		return false;
	program->is_ours = true;
	program->from_ns = time_now_ns(CLOCK_BOOTTIME);
	program_clear_read(program);
	program_begin_rings(program);
	program_park(program, program->ring_wanted);
	program_select(program, program->events);
	return true;
}

void program_switch(struct program *program, bool is_on)
{
	/* A program that a killed ktrack left on has records from before. */
	if (is_on)
		program->from_ns = time_now_ns(CLOCK_BOOTTIME);
	__atomic_store_n(&program->control->on, is_on, __ATOMIC_RELEASE);
}

bool program_take_missed(struct program *program)
{
	return __atomic_exchange_n(&program->control->is_missed, 0, __ATOMIC_RELAXED);
}

void program_look(struct program *program)
{
	uint64_t started = process_started(program->pid);

	if (program->started == PROCESS_UNKNOWN)
		program->started = started;
	program->has_ended = program->has_ended || program->started == 0 ||
			     (started != PROCESS_UNKNOWN && started != program->started);
}

void program_close(struct program *program)
{
	struct flock lock = whole_file();

	if (!program)
		return;
	if (program->is_ours) {
		program_switch(program, false);
		program_park(program, 0);
		program_select(program, NULL);
		/* A child of this process may have the file, too. */
		lock.l_type = F_UNLCK;
		fcntl(program->fd, F_OFD_SETLK, &lock);
	}
	program_free(program);
}
