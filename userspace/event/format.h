/* SPDX-License-Identifier: GPL-2.0-only */
/* Parser of a tracepoint's format file, which may be hostile. */
#ifndef EVENT_FORMAT_H
#define EVENT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

/** FORMAT_SIZE_MAX, FORMAT_FIELDS_MAX - limits of a format; the kernel's have a few KiB */
#define FORMAT_SIZE_MAX (1024 * 1024)
#define FORMAT_FIELDS_MAX 1024

/**
 * struct format_field - a line "field:TYPE NAME; offset:N; size:N; signed:N;"
 * @type: without the brackets that follow the name of an array
 * @is_array: an array of fixed size
 * @is_dynamic: the field contains offset and size of its data, by __data_loc or __rel_loc
 * @is_relative: by __rel_loc
 */
struct format_field {
	const char *type;
	const char *name;
	uint64_t offset;
	uint64_t size;
	bool is_signed;
	bool is_array;
	bool is_pointer;
	bool is_dynamic;
	bool is_relative;
};

/**
 * struct format - a parsed format file
 * @text: bytes of all strings
 * @file: what was parsed; only as long as whoever has parsed it has the text
 * @id: event id, the common_type of its records
 * @fields: first @nr_common common fields, then the event's own
 */
struct format {
	char *text;
	struct text file;
	const char *name;
	uint64_t id;
	struct format_field *fields;
	size_t nr_fields;
	size_t nr_common;
};

/**
 * format_parse - parse a format file up to its fields
 * @out: for format_release(), whatever is returned
 *
 * Returns 0, 1 if it is malformed or too long, or -1 if memory ran out.
 */
int format_parse(struct format *out, struct text file);

/** format_release - free a format, and zero it */
void format_release(struct format *format);

/** format_find - the field with this name, NULL if there is none */
const struct format_field *format_find(const struct format *format, struct text name);

/**
 * format_read_id - the event id in a format text, without parsing the rest
 *
 * Returns the number of the line "ID: N", or -1 if there is none or it exceeds 65535.
 */
int64_t format_read_id(struct text text);

#endif
