/* SPDX-License-Identifier: GPL-2.0-only */
/* A table of texts for people, that fits the width of a terminal. */
#ifndef SINK_TABLE_H
#define SINK_TABLE_H

#include "base/base.h"

/**
 * struct table_style - how a table is to look
 * @width: at most so many characters a line; 0 for no bound
 * @has_colour: with escape sequences
 * @is_utf8: else what is not ASCII is shown as ?
 */
struct table_style {
	unsigned int width;
	bool has_colour;
	bool is_utf8;
};

/**
 * struct table_column - one column
 * @is_right: numbers stand at the right
 * @is_flexible: may be cut where the width is too small
 * @rank: 0 to 3: those of the highest rank are left out first where it still is, before much of
 * others is cut; 0 is never left out
 */
struct table_column {
	const char *title;
	bool is_right;
	bool is_flexible;
	unsigned int rank;
};

/** TABLE_COLUMNS_MAX - how many columns a table may have */
#define TABLE_COLUMNS_MAX 12

/**
 * struct table - rows of cells, of any bytes
 * @cells: by row, then by column
 *
 * Made by a struct with the columns and zeroes.
 */
struct table {
	const struct table_column *columns;
	size_t nr_columns;
	struct buffer *cells;
	size_t nr_rows;
};

/**
 * table_add - a row more, whose cells are empty
 *
 * Returns its first cell, for as long as no other row is added, or NULL where memory ran out.
 */
struct buffer *table_add(struct table *table);

/** table_print - titles and rows; control characters do not get through */
void table_print(const struct table *table, struct buffer *out, const struct table_style *style);

/** table_append_text - a text as cells are shown, however long it is */
void table_append_text(struct buffer *out, struct text text, const struct table_style *style);

void table_release(struct table *table);

#endif
