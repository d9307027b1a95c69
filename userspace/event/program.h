/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of programs' events. A program chooses the name of its events, also those of the kernel's
 * tracepoints: whoever gives a name a meaning must not take one for the other.
 */
#ifndef EVENT_PROGRAM_H
#define EVENT_PROGRAM_H

#include <string.h>

/** PROGRAM_PREFIX - before the system of a program's event; no system of the kernel has a colon */
#define PROGRAM_PREFIX "program:"

/** program_system - the system as the program names it; NULL if it is the kernel's */
static inline const char *program_system(const char *system)
{
	size_t size = strlen(PROGRAM_PREFIX);

	return strncmp(system, PROGRAM_PREFIX, size) == 0 ? system + size : NULL;
}

#endif
