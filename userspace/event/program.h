/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of programs' events. A program chooses the name of its events, also those of the kernel's
 * tracepoints: whoever gives a name a meaning must not take one for the other. And the names of
 * ends that end a certain slice.
 */
#ifndef EVENT_PROGRAM_H
#define EVENT_PROGRAM_H

#include <string.h>

/** PROGRAM_PREFIX - before the system of a program's event; no system of the kernel has a colon */
#define PROGRAM_PREFIX "program:"

/** PROGRAMS_BUFFER - name of the buffer of their records */
#define PROGRAMS_BUFFER "programs"

/**
 * PROGRAM_END_SIZE, PROGRAM_END_BLANK - size of the name of such an end, and where its blank is
 *
 * Before it are the nanoseconds since the begin of the slice, behind it the thread that ends it, as
 * hexadecimal digits. In the ring of the program, it has the begin's time and an at sign instead.
 */
#define PROGRAM_END_SIZE 25
#define PROGRAM_END_BLANK 16

/** program_system - the system as the program names it; NULL if it is the kernel's */
static inline const char *program_system(const char *system)
{
	size_t size = strlen(PROGRAM_PREFIX);

	return strncmp(system, PROGRAM_PREFIX, size) == 0 ? system + size : NULL;
}

#endif
