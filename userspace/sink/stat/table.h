/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A human-readable table that fits the width of a terminal. It is our own because column(1) and the
 * libraries (libsmartcols) do not drop columns by rank or cut texts in the middle.
 */
#ifndef SINK_STAT_TABLE_H
#define SINK_STAT_TABLE_H

#include "base/base.h"

struct table_style {
	unsigned int width; /* limit of characters in a line; 0 for none */
	bool has_colour;    /* print escape sequences */
	bool is_utf8;	    /* print UTF-8; otherwise characters that are not ASCII become ? */
};

/** struct table_column - one column; @rank 0 to 3: the highest are dropped first, 0 never */
struct table_column {
	const char *title;
	bool is_right;	  /* align to the right */
	bool is_flexible; /* may be cut if the width is too small */
	unsigned int rank;
};

#define TABLE_COLUMNS_MAX 40

/** struct table - rows of cells, of any bytes; with only columns it is empty */
struct table {
	const struct table_column *columns;
	size_t nr_columns;
	struct buffer *cells; /* by row, then by column */
	size_t nr_rows;
	bool has_failed;			 /* memory ran out */
	struct buffer failed[TABLE_COLUMNS_MAX]; /* the row that is added then: takes nothing */
};

/** table_add - add a row of empty cells; returns the first, valid until the next row is added */
struct buffer *table_add(struct table *table);
/** table_append - append titles and rows; control characters become ?; fails if the table has */
void table_append(const struct table *table, struct buffer *out, const struct table_style *style);
/** table_append_text - append a text in the form of cells, uncut */
void table_append_text(struct buffer *out, struct text text, const struct table_style *style);
/** table_append_row - append as much of a text as fits a line, @is_filled with blanks */
void table_append_row(struct buffer *out, struct text text, const struct table_style *style,
		      bool is_filled);

void table_release(struct table *table);

#endif
