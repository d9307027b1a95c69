// SPDX-License-Identifier: GPL-2.0-only
/* Incidents of memory: limits, reclaim, swap, and faults. */
#define _GNU_SOURCE
#include "actors.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MIB (1 << 20)
#define PAGE_SIZE 4096

/* Memory exceeds memory.high of the cgroup (8 MiB); in the twin there is no limit. */
static void memory_high(void)
{
	char *memory = memory_map(12 * MIB);

	actor_become("cache", 1, 0);
	if (!stage->is_twin)
		cgroup_join("high");
	pages_touch(memory, 7 * MIB);
	ktrack_begin(incident_work, stage->name);
	pages_touch(memory + 7 * MIB, stage->is_twin ? 4 * MIB : 1400 << 10);
	ktrack_end(incident_work);
	munmap(memory, 12 * MIB);
	cgroup_join("");
}

/* Pages have been swapped out, because of memory.max (14 MiB); in the twin they are touched first. */
static void swapped(void)
{
	size_t size = stage->is_twin ? 4 * MIB : 20 * MIB;
	char *memory = memory_map(size);

	actor_become("cache", 1, 0);
	cgroup_join("max");
	/* The kernel may end the process instead: record it again. */
	if (!stage->is_twin)
		pages_touch(memory, size);
	ktrack_begin(incident_work, stage->name);
	pages_touch(memory, MIB / 2);
	ktrack_end(incident_work);
	munmap(memory, size);
	cgroup_join("");
}

/* Memory at its limit displaces pages of files, which are read again; in the twin they are kept. */
static void refault(void)
{
	size_t size = 8 * MIB;
	char *memory = memory_map(12 * MIB), *mapped;
	int fd = file_open("/mnt/mapped", O_RDWR | O_CREAT);

	pages_touch(memory, size);
	if (write(fd, memory, size) < 0 || fsync(fd) ||
	    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) ||
	    madvise(memory, 12 * MIB, MADV_DONTNEED))
		fail("/mnt/mapped");
	mapped = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	actor_become("viewer", 1, 0);
	cgroup_join("max");
	for (size_t i = 0; i < size; i += PAGE_SIZE)
		((volatile char *)mapped)[i];
	if (!stage->is_twin)
		pages_touch(memory, 12 * MIB);
	ktrack_begin(incident_work, stage->name);
	for (size_t i = 0; i < size / 4; i += PAGE_SIZE)
		((volatile char *)mapped)[i];
	ktrack_end(incident_work);
	munmap(memory, 12 * MIB);
	cgroup_join("");
}

/* The limit has a process of the cgroup killed; in the twin it has ended before. */
static void killed_fill(void)
{
	char *memory = memory_map(10 * MIB);

	if (!stage->is_twin)
		pages_touch(memory, 10 * MIB);
	stage->step = 1;
	pause();
}

static void killed(void)
{
	char *memory = memory_map(6 * MIB);

	cgroup_join("kill");
	actor_process("leaker", 0, 0, killed_fill);
	actor_become("service", 1, 0);
	step_wait(1);
	pages_touch(memory, 3 * MIB);
	ktrack_begin(incident_work, stage->name);
	pages_touch(memory + 3 * MIB, 3 * MIB / 2);
	ktrack_end(incident_work);
	cgroup_join("");
	actors_kill();
}

/* Memory is locked, so that all of its pages are filled at once; in the twin they are there. */
static void locked(void)
{
	char *memory = memory_map(6 * MIB);

	actor_become("audio", 1, 0);
	if (stage->is_twin)
		pages_touch(memory, 6 * MIB);
	ktrack_begin(incident_work, stage->name);
	if (mlock(memory, 6 * MIB))
		fail("mlock");
	if (stage->is_twin)
		compute_ms(10);
	ktrack_end(incident_work);
}

const struct incident memory_incidents[] = {
	{ "memory-high", memory_high },
	{ "swapped", swapped },
	{ "refault", refault },
	{ "killed", killed },
	{ "locked", locked },
	{ }
};
