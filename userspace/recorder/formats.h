/* SPDX-License-Identifier: GPL-2.0-only */
/* The formats of the tracepoints that a recording has records of, be it that some have gone since.
 */
#ifndef RECORDER_FORMATS_H
#define RECORDER_FORMATS_H

#include "base/base.h"

/**
 * struct noted_format - what reads the records of one id
 * @id: of its records
 * @is_doubtful: another one had the same id, and raw records do not tell which of them wrote
 */
struct noted_format {
	char *system;
	char *event;
	struct buffer text;
	unsigned int id;
	bool is_doubtful;
};

/** struct formats - all of them, sorted by system, event and id; zeroed it is empty */
struct formats {
	struct noted_format *list;
	size_t size;
};

/**
 * formats_note - read those that are new, and keep the others
 * @events_fd: the instance's directory of tracepoints
 * @list: lines of "SYSTEM:EVENT"; what is no such line is passed over
 *
 * What has gone already is an error the first time only. Returns -1 with @error.
 */
int formats_note(struct formats *formats, int events_fd, struct buffer *list, struct error *error);

/** formats_doubtful - how many can be used for nothing */
size_t formats_doubtful(const struct formats *formats);

void formats_release(struct formats *formats);

#endif
