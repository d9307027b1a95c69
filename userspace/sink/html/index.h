/* SPDX-License-Identifier: GPL-2.0-only */
/* Private header of the html sink: the index of a chunk, for searches. */
#ifndef SINK_HTML_INDEX_H
#define SINK_HTML_INDEX_H

#include "sink/html/tokens.h"

/** INDEX_FIELDS_MAX - a chunk with more different fields is always searched */
#define INDEX_FIELDS_MAX 64

/**
 * struct index_field - a field of a chunk, and the range of its numbers
 * @has_numbers: @min and @max are set
 * @is_unlimited: it has texts that are numbers to the page, but not to this index
 * @max: 0 if all are negative
 */
struct index_field {
	struct text name;
	bool has_numbers;
	bool is_unlimited;
	int64_t min;
	uint64_t max;
};

/**
 * struct html_index - the fields of a chunk and the tokens of their values
 * @is_open: it has what is not indexed
 */
struct html_index {
	struct html_tokens tokens;
	struct index_field fields[INDEX_FIELDS_MAX];
	unsigned int nr_fields;
	bool is_open;
};

/** html_index_clear - forget the chunk before */
void html_index_clear(struct html_index *index);

/** html_index_add_range - add numbers of a field, without tokens; its name must stay valid */
void html_index_add_range(struct html_index *index, struct text name, int64_t min, int64_t max);

/** html_index_add_args - add the arguments of a chunk: JSON that ktrack wrote; must stay valid */
void html_index_add_args(struct html_index *index, struct text json);

/**
 * html_index_append - append the fields and the tokens as two words
 *
 * Fields are ";" and then "NAME=MIN~MAX;" for each, without numbers for texts alone, "~" for any;
 * behind "?" numbers may have no tokens. "*" stands for anything.
 */
void html_index_append(struct buffer *out, const struct html_index *index);

#endif
