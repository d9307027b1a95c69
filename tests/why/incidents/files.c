// SPDX-License-Identifier: GPL-2.0-only
/* Incidents of files and disks. */
#define _GNU_SOURCE
#include "actors.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MIB (1 << 20)
#define PAGE_SIZE 4096

/* A file of random content, which is not in the page cache. */
static int cold_file(const char *path, size_t size)
{
	int fd = file_open(path, O_RDWR | O_CREAT | O_TRUNC);
	char *bytes = memory_map(size);

	pages_touch(bytes, size);
	if (write(fd, bytes, size) < 0 || fsync(fd) || lseek(fd, 0, SEEK_SET))
		fail(path);
	munmap(bytes, size);
	if (!stage->is_twin)
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return fd;
}

/*
 * fsync() waits for the journal, with another process's data; in the twin for its own, in a file
 * whose blocks were written before.
 */
static void journal_bulk(void)
{
	char *bytes = memory_map(8 * MIB);
	int fd = file_open("/mnt/bulk", O_CREAT | O_WRONLY | O_TRUNC);

	pages_touch(bytes, 8 * MIB);
	if (write(fd, bytes, 8 * MIB) < 0)
		fail("/mnt/bulk");
	stage->step = 1;
	if (fsync(fd))
		fail("fsync");
}

static void journal(void)
{
	size_t size = stage->is_twin ? 4 * MIB : 100;
	int fd = cold_file("/mnt/small", 4 * MIB);
	char *bytes = memory_map(size);

	pages_touch(bytes, size);
	if (!stage->is_twin)
		actor_process("bulk", 0, 0, journal_bulk);
	actor_become("small", 1, 0);
	if (!stage->is_twin)
		step_wait(1);
	if (pwrite(fd, bytes, size, stage->is_twin ? 0 : 4 * MIB) < 0)
		fail("/mnt/small");
	ktrack_begin(incident_work, stage->name);
	if (stage->is_twin ? fdatasync(fd) : fsync(fd))
		fail("fsync");
	ktrack_end(incident_work);
	actors_join();
}

/* Reads at random places miss the page cache; in the twin they find it filled. */
static void cache_miss(void)
{
	static char bytes[PAGE_SIZE];
	int fd = cold_file("/mnt/cold", 2 * MIB);

	actor_become("lookup", 1, 0);
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	ktrack_begin(incident_work, stage->name);
	for (int i = 0; i < (stage->is_twin ? 400 : 25); i++)
		if (pread(fd, bytes, PAGE_SIZE, i * 37 % 512 * PAGE_SIZE) < 0)
			fail("pread");
	ktrack_end(incident_work);
}

/* A file is read from the beginning, ahead of the reader; in the twin it is in memory. */
static void read_ahead(void)
{
	static char bytes[64 << 10];
	int fd = cold_file("/mnt/cold", 4 * MIB);

	actor_become("player", 1, 0);
	ktrack_begin(incident_work, stage->name);
	for (int i = 0; i < 40; i++)
		if (read(fd, bytes, sizeof(bytes)) < 0)
			fail("read");
	ktrack_end(incident_work);
}

/* A writer is throttled, because too many pages are dirty; in the twin it waits for its own data. */
static void dirty(void)
{
	char *bytes = memory_map(8 * MIB);
	int fd = file_open("/mnt/dirty", O_CREAT | O_WRONLY | O_TRUNC | (stage->is_twin ? O_SYNC : 0));

	actor_become("copy", 1, 0);
	if (!stage->is_twin)
		file_write("/proc/sys/vm/dirty_bytes", "1048576");
	pages_touch(bytes, 8 * MIB);
	ktrack_begin(incident_work, stage->name);
	for (int i = 0; i < (stage->is_twin ? 8 : 128); i++)
		if (write(fd, bytes + i * (64 << 10), 64 << 10) < 0)
			fail("write");
	ktrack_end(incident_work);
	file_write("/proc/sys/vm/dirty_ratio", "20");
}

/* The cgroup's io.max delays a read; in the twin the disk has no limit. */
static void disk_limit(void)
{
	char *bytes = memory_map(MIB);
	int fd = file_open("/mnt/direct", O_CREAT | O_RDWR | O_DIRECT);

	pages_touch(bytes, MIB);
	if (write(fd, bytes, MIB) < 0 || fsync(fd))
		fail("/mnt/direct");
	actor_become("reader", 1, 0);
	if (!stage->is_twin)
		cgroup_join("slow");
	sleep_ms(30);
	ktrack_begin(incident_work, stage->name);
	for (int i = 0; i < 3; i++)
		if (pread(fd, bytes, 32 << 10, 0) < 0)
			fail("pread");
	ktrack_end(incident_work);
	cgroup_join("");
}

/* sync() waits for what another process wrote; in the twin the file system is clean. */
static void sync_all(void)
{
	char *bytes = memory_map(6 * MIB);
	int fd = file_open("/mnt/other", O_CREAT | O_WRONLY | O_TRUNC);

	pages_touch(bytes, 6 * MIB);
	sync();
	if (!stage->is_twin && write(fd, bytes, 6 * MIB) < 0)
		fail("/mnt/other");
	actor_become("snapshot", 1, 0);
	ktrack_begin(incident_work, stage->name);
	sync();
	if (stage->is_twin)
		compute_ms(20);
	ktrack_end(incident_work);
}

/* Removing a large file takes the kernel's time; in the twin the program's. */
static void removing(void)
{
	close(cold_file("/shm/large", 24 * MIB));
	actor_become("cleaner", 1, 0);
	ktrack_begin(incident_work, stage->name);
	unlink("/shm/large");
	if (stage->is_twin)
		compute_ms(40);
	ktrack_end(incident_work);
}

const struct incident file_incidents[] = {
	{ "journal", journal },
	{ "cache-miss", cache_miss },
	{ "read-ahead", read_ahead },
	{ "dirty", dirty },
	{ "disk-limit", disk_limit },
	{ "sync", sync_all },
	{ "removing", removing },
	{ }
};
