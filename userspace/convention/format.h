/* SPDX-License-Identifier: GPL-2.0-only */
/* A tracepoint's format file, taken apart without trusting it. */
#ifndef CONVENTION_FORMAT_H
#define CONVENTION_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

/** FORMAT_SIZE_MAX, FORMAT_FIELDS_MAX - longer formats are refused; the kernel's have a few KiB */
#define FORMAT_SIZE_MAX (1024 * 1024)
#define FORMAT_FIELDS_MAX 1024

/**
 * struct format_field - a line "field:TYPE NAME; offset:N; size:N; signed:N;"
 * @type: without the brackets of an array that stand behind the name
 * @is_array: of a fixed size
 * @is_dynamic: the field is where its data are, by __data_loc or __rel_loc
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
 * struct format - what the file says
 * @text: what the strings point into
 * @fields: first @nr_common that all events have in common, then the event's own
 */
struct format {
	char *text;
	const char *name;
	uint64_t id;
	struct format_field *fields;
	size_t nr_fields;
	size_t nr_common;
};

/**
 * format_parse - take a file apart
 * @out: for format_release(), whatever is returned
 *
 * What it says behind its fields, for printing records, does not matter. Returns 0, 1 where it
 * cannot be understood or is too long, or -1 where memory ran out.
 */
int format_parse(struct format *out, struct text file);

void format_release(struct format *format);

/** format_find - the field of a name, NULL where there is none */
const struct format_field *format_find(const struct format *format, const char *name);

#endif
