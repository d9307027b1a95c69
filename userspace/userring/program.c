// SPDX-License-Identifier: GPL-2.0-only
/* Checks, maps, locks and switches the memory of a program. */
#include "userring/program.h"

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

/* Limits of what a memory may be. */
#define RING_SIZE_MIN 4096u
#define RING_SIZE_MAX (64u << 20)

uint64_t process_started(int pid)
{
	struct buffer text = { 0 };
	char path[32];
	const char *behind;
	unsigned long long started = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (file_read(path, &text) == 0) {
		/* The name, in parentheses, may contain anything. */
		behind = strrchr(buffer_string(&text), ')');
		if (!behind || sscanf(behind,
				      ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d "
				      "%*d %*d %*d %*d %*d %llu",
				      &started) != 1)
			started = 0;
		/* A zombie writes no more. */
		if (behind && strlen(behind) > 2 && (behind[2] == 'Z' || behind[2] == 'X'))
			started = 0;
	}
	buffer_release(&text);
	return started;
}

/* A file of the kernel's memory that nobody can shorten: reading it raises no signal. */
static bool memory_is_safe(int fd, struct stat *status)
{
	struct statfs filesystem;
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & F_SEAL_SHRINK) && fstat(fd, status) == 0 &&
	       S_ISREG(status->st_mode) && fstatfs(fd, &filesystem) == 0 &&
	       filesystem.f_type == TMPFS_MAGIC;
}

static bool memory_fits(const struct program *program)
{
	const struct ktrack_user_control *control = program->control;

	return control->magic == KTRACK_USER_MAGIC && control->version == KTRACK_USER_VERSION &&
	       program->nr_rings > 0 && program->nr_rings <= KTRACK_USER_RINGS &&
	       program->ring_size >= RING_SIZE_MIN && program->ring_size <= RING_SIZE_MAX &&
	       (program->ring_size & (program->ring_size - 1)) == 0 &&
	       program->events_size >= RING_SIZE_MIN && program->events_size <= RING_SIZE_MAX &&
	       program->events_size % 8 == 0 &&
	       program->size == KTRACK_USER_CONTROL_SIZE + (size_t)program->events_size +
					(size_t)program->nr_rings * program->ring_size;
}

static bool memory_map(struct program *program, int fd, const struct stat *status)
{
	void *base;

	program->size = status->st_size;
	if (program->size < KTRACK_USER_CONTROL_SIZE)
		return false;
	base = mmap(NULL, program->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		return false;
	program->base = base;
	program->control = base;
	program->nr_rings = __atomic_load_n(&program->control->nr_rings, __ATOMIC_ACQUIRE);
	program->ring_size = __atomic_load_n(&program->control->ring_size, __ATOMIC_RELAXED);
	program->events_size = __atomic_load_n(&program->control->events_size, __ATOMIC_RELAXED);
	return memory_fits(program);
}

static void program_read_names(struct program *program)
{
	struct buffer comm = { 0 };
	char link[32], path[4096];
	ssize_t size;

	snprintf(link, sizeof(link), "/proc/%d/exe", program->pid);
	size = readlink(link, path, sizeof(path) - 1);
	path[size > 0 ? size : 0] = '\0';
	program->path = strdup(path);
	snprintf(link, sizeof(link), "/proc/%d/comm", program->pid);
	if (file_read(link, &comm) == 0)
		snprintf(program->comm, sizeof(program->comm), "%.*s",
			 (int)strcspn(buffer_string(&comm), "\n"), buffer_string(&comm));
	buffer_release(&comm);
}

static void program_free(struct program *program)
{
	if (program->base)
		munmap(program->base, program->size);
	free(program->path);
	free(program->ids);
	free(program->rings);
	free(program);
}

struct program *program_open(int fd, int pid)
{
	struct program *program;
	struct stat status;

	if (!memory_is_safe(fd, &status))
		return NULL;
	program = calloc(1, sizeof(*program));
	if (!program)
		return NULL;
	*program = (struct program){ .pid = pid,
				     .started = process_started(pid),
				     .device = status.st_dev,
				     .inode = status.st_ino };
	if (memory_map(program, fd, &status)) {
		program_read_names(program);
		program->ids = calloc(PROGRAM_EVENTS_MAX, sizeof(*program->ids));
		program->rings = calloc(program->nr_rings, sizeof(*program->rings));
		if (program->path && program->ids && program->rings)
			return program;
	}
	program_free(program);
	return NULL;
}

static bool program_matches_one(const char *pattern, const struct program *program)
{
	return fnmatch(pattern, program->comm, 0) == 0 ||
	       fnmatch(pattern, program->path, 0) == 0 ||
	       fnmatch(pattern, path_base_name(program->path), 0) == 0;
}

bool program_matches(const struct program *program, const char *globs)
{
	struct text list = text_of(globs ? globs : "*"), item;
	char pattern[4096];

	while (text_take_item(&list, &item)) {
		snprintf(pattern, sizeof(pattern), "%.*s", (int)item.size, item.data);
		if (program_matches_one(pattern, program))
			return true;
	}
	return false;
}

static uint64_t recorder_of(int pid, uint64_t started)
{
	return started << 32 | (uint32_t)pid;
}

/* A killed ktrack leaves its lock behind. */
static bool recorder_runs(uint64_t recorder)
{
	int pid = recorder & INT32_MAX;
	uint64_t started = pid > 0 ? process_started(pid) : 0;

	return started > 0 && recorder_of(pid, started) == recorder;
}

bool program_is_locked(const struct program *program)
{
	return recorder_runs(__atomic_load_n(&program->control->recorder, __ATOMIC_ACQUIRE));
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
		};
	}
	program->lost = __atomic_load_n(&program->control->lost, __ATOMIC_RELAXED);
}

bool program_lock(struct program *program)
{
	uint64_t *lock = &program->control->recorder;
	uint64_t before = __atomic_load_n(lock, __ATOMIC_ACQUIRE);
	uint64_t own = recorder_of(getpid(), process_started(getpid()));

	if (before != 0 && recorder_runs(before))
		return false;
	if (!__atomic_compare_exchange_n(lock, &before, own, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return false;
	program->is_ours = true;
	program->from_ns = time_now_ns(CLOCK_BOOTTIME);
	program_clear_read(program);
	program_begin_rings(program);
	return true;
}

void program_switch(struct program *program, bool is_on)
{
	__atomic_store_n(&program->control->on, is_on, __ATOMIC_RELEASE);
}

void program_look(struct program *program)
{
	program->has_ended = program->has_ended || program->started == 0 ||
			     process_started(program->pid) != program->started;
}

void program_close(struct program *program)
{
	if (!program)
		return;
	if (program->is_ours) {
		program_switch(program, false);
		__atomic_store_n(&program->control->recorder, 0, __ATOMIC_RELEASE);
	}
	program_free(program);
}
