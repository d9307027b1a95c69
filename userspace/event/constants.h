/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Constant strings of the kernel, which records contain as pointers: the strings of trace_printk,
 * and of tracepoints that declare theirs (tracepoint_string). The file printk_formats of tracefs
 * has them with their addresses, and recordings have its content.
 */
#ifndef EVENT_CONSTANTS_H
#define EVENT_CONSTANTS_H

#include "base/base.h"

/** CONSTANT_SIZE_MAX - limit of the size of a string; longer ones are cut */
#define CONSTANT_SIZE_MAX 255
/** CONSTANTS_TEXTS_MAX - bytes of all such strings of a record; further fields are left out */
#define CONSTANTS_TEXTS_MAX 4096

/** struct constants - strings by their address; a zeroed struct has none */
struct constants {
	char *path;	       /* a file that is read at the first search, NULL for none */
	struct buffer texts;   /* bytes of all strings */
	struct constant *list; /* by address, the last string of each */
	size_t size;
};

/** constants_add - add the strings of a printk_formats, and sort; returns -1 if memory ran out */
int constants_add(struct constants *constants, struct text lines);
/** constants_read_later - read the file @path at the first search; returns -1 if memory ran out */
int constants_read_later(struct constants *constants, const char *path);
/** constants_find - the string at an address, without a line's end; returns whether there is one */
bool constants_find(struct constants *constants, uint64_t address, struct text *out);
/** constants_name_functions - whether a string is a format that prints functions by name: "%ps" */
bool constants_name_functions(struct constants *constants);

void constants_release(struct constants *constants);

#endif
