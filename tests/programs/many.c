// SPDX-License-Identifier: GPL-2.0-only
/* many NUMBER: announces so many memfds of one process. */
#include "events.h"

#include <sys/mman.h>

static int memory_announce(void)
{
	int fd = ktrack_user_memory_new(&ktrack_user3_process);
	void *base = fd < 0 ? MAP_FAILED
			    : mmap(NULL, KTRACK_USER_CONTROL_SIZE, PROT_READ | PROT_WRITE,
				   MAP_SHARED, fd, 0);
	struct ktrack_user_control *control = (struct ktrack_user_control *)base;

	if (base == MAP_FAILED)
		return -1;
	control->version = KTRACK_USER_VERSION;
	control->pid = (uint32_t)getpid();
	control->nr_rings = KTRACK_USER_RINGS;
	control->ring_size = KTRACK_USER_RING_SIZE;
	control->events_size = KTRACK_USER_EVENTS_SIZE;
	control->magic = KTRACK_USER_MAGIC;
	ktrack_user_find_ktrack(fd);
	return 0;
}

int main(int argc, char **argv)
{
	int number = argc > 1 ? atoi(argv[1]) : 0;

	for (int i = 0; i < number; i++) {
		if (memory_announce() < 0)
			return 1;
	}
	prog_emit_all();
	return 0;
}
