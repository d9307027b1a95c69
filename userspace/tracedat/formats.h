/* SPDX-License-Identifier: GPL-2.0-only */
/* Formats of the tracepoints that a recording has records of, including removed ones. */
#ifndef TRACEDAT_FORMATS_H
#define TRACEDAT_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

/**
 * struct saved_format - the format of one tracepoint
 * @id: common_type of its records, -1 if the format has none
 * @is_doubtful: another format has the same id, so that neither can decode records
 */
struct saved_format {
	char *system;
	char *event;
	struct buffer text;
	int64_t id;
	bool is_doubtful;
};

/**
 * struct formats - all formats of a recording; zeroed it is empty
 * @header_page: layout of sub-buffers, empty until formats_read_layout()
 * @header_event: layout of entries
 * @list: sorted by system, event and id
 */
struct formats {
	struct buffer header_page;
	struct buffer header_event;
	struct saved_format *list;
	size_t size;
};

/** formats_read_layout - read the layout of records once; returns -1 with @error */
int formats_read_layout(struct formats *formats, int events_fd, struct error *error);

/**
 * formats_read - add the formats that are new
 * @events_fd: the instance's directory of tracepoints
 * @list: lines SYSTEM:EVENT; other lines are skipped; modified
 *
 * A tracepoint that was removed meanwhile is an error in the first call only. Returns -1 with
 * @error.
 */
int formats_read(struct formats *formats, int events_fd, struct buffer *list, struct error *error);

/** formats_count_doubtful - how many formats cannot decode records */
size_t formats_count_doubtful(const struct formats *formats);

void formats_release(struct formats *formats);

#endif
