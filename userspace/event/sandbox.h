/* SPDX-License-Identifier: GPL-2.0-only */
/* Gives up the privileges of a child that parses what others wrote. */
#ifndef EVENT_SANDBOX_H
#define EVENT_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

/** struct sandbox - what the child keeps */
struct sandbox {
	int read_fd;	    /* may be read with pread(2); -1 for none */
	int write_fd;	    /* may be written */
	uint64_t cpu_s;	    /* seconds of CPU time */
	uint64_t memory;    /* bytes that it may map */
	uint64_t file_size; /* limit of the size of a file that it writes; 0 for pipes */
};

/** sandbox_enter - give up all privileges but these; false if system calls cannot be filtered */
bool sandbox_enter(const struct sandbox *sandbox);

#endif
