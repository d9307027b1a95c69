/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Maps the rings of the memory: the first one at the start, as strict seccomp allows no system call
 * later, and each other when a thread needs it, as a program that locks its memory would lock all of
 * them.
 */
#ifndef KTRACK_USER_MAP_H
#define KTRACK_USER_MAP_H

#pragma GCC system_header

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "state.h"

#ifdef __cplusplus
extern "C" {
#endif

#define __KTRACK_MREMAP_MAYMOVE	1	/* MREMAP_MAYMOVE, which needs _GNU_SOURCE */

/* Each mapping has the begin of the next ring; a page's size on every architecture. */
#define __KTRACK_NEXT_SIZE	65536u
#define __KTRACK_HEAD_SIZE	(KTRACK_USER_CONTROL_SIZE + KTRACK_USER_EVENTS_SIZE)
#define __KTRACK_BASE_SIZE	(__KTRACK_HEAD_SIZE + __KTRACK_NEXT_SIZE)

static inline void ktrack_user_mark_set(struct ktrack_user_process *process, int fd)
{
	struct stat status;

	process->fd = fd;
	process->inode = 0;
	if (fd >= 0 && fstat(fd, &status) == 0) {
		process->device = status.st_dev;
		process->inode = status.st_ino;
	}
}

/* The program may have closed it, and opened another file in its place. */
static inline int ktrack_user_mark_is_open(const struct ktrack_user_process *process)
{
	struct stat status;

	return process->inode && fstat(process->fd, &status) == 0 &&
	       status.st_dev == process->device && status.st_ino == process->inode;
}

static inline size_t ktrack_user_ring_mapped(const struct ktrack_user_process *process)
{
	return (size_t)process->ring_size + __KTRACK_NEXT_SIZE;
}

/*
 * Maps the ring at @index, whose begin is mapped at @begin. The descriptor may be closed: the
 * mapping is a second one of @begin's file, with another size. Valgrind refuses that.
 */
static inline unsigned char *ktrack_user_ring_map_next(uint32_t index, unsigned char *begin)
{
	const struct ktrack_user_process *process = &ktrack_user3_process;
	size_t size = ktrack_user_ring_mapped(process);
	void *ring = (void *)syscall(SYS_mremap, begin, 0, size, __KTRACK_MREMAP_MAYMOVE, NULL);

	if (ring == MAP_FAILED && errno == EINVAL && ktrack_user_mark_is_open(process))
		ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, process->fd,
			    (off_t)(__KTRACK_HEAD_SIZE + (uint64_t)index * process->ring_size));
	return ring == MAP_FAILED ? NULL : (unsigned char *)ring;
}

/* Maps a ring, and those before it; they stay mapped for later threads. Returns NULL on failure. */
static inline unsigned char *ktrack_user_ring_map(uint32_t index)
{
	const struct ktrack_user_process *process = &ktrack_user3_process;
	unsigned char *begin = process->base + __KTRACK_HEAD_SIZE;
	unsigned char *ring = NULL, *other;

	for (uint32_t i = 0; i <= index; i++) {
		ring = __atomic_load_n(&ktrack_user3_rings[i], __ATOMIC_ACQUIRE);
		if (!ring) {
			ring = ktrack_user_ring_map_next(i, begin);
			if (!ring)
				return NULL;
			other = NULL;
			/* Another thread may have been faster. */
			if (!__atomic_compare_exchange_n(&ktrack_user3_rings[i], &other, ring, 0,
							 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
				munmap(ring, ktrack_user_ring_mapped(process));
				ring = other;
			}
		}
		begin = ring + process->ring_size;
	}
	return ring;
}

/* Of a child, which has the mappings of its parent. */
static inline void ktrack_user_rings_unmap(void)
{
	const struct ktrack_user_process *process = &ktrack_user3_process;

	for (uint32_t i = 0; i < process->nr_rings && ktrack_user3_rings[i]; i++) {
		munmap(ktrack_user3_rings[i], ktrack_user_ring_mapped(process));
		ktrack_user3_rings[i] = NULL;
	}
}

#ifdef __cplusplus
}
#endif

#endif
