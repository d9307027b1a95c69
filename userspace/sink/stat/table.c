// SPDX-License-Identifier: GPL-2.0-only
/* Layout of tables. */
#include "sink/stat/table.h"

#include <stdlib.h>
#include <wchar.h>

/* Blanks between columns. */
#define GAP 2

/* Flexible columns keep this width while a column of the indexed rank can be dropped instead. */
static const unsigned int flexible_min[] = { 8, 18, 20, 24 };

#define BOLD "\033[1m"
#define PLAIN "\033[0m"

struct buffer *table_add(struct table *table)
{
	size_t size = (table->nr_rows + 1) * table->nr_columns;

	if (!array_reserve(table->cells, size - 1)) {
		table->has_failed = true;
		for (size_t i = 0; i < table->nr_columns; i++)
			table->failed[i].failed = true;
		return table->failed;
	}
	for (size_t i = table->nr_rows * table->nr_columns; i < size; i++)
		table->cells[i] = (struct buffer){ 0 };
	return &table->cells[table->nr_rows++ * table->nr_columns];
}

void table_release(struct table *table)
{
	for (size_t i = 0; i < table->nr_rows * table->nr_columns; i++)
		buffer_release(&table->cells[i]);
	free(table->cells);
	table->cells = NULL;
	table->nr_rows = 0;
}

/** struct glyph - one character: its printed bytes, and its width in columns */
struct glyph {
	struct text bytes;
	unsigned int width;
};

static struct glyph glyph_take(struct text *rest, bool is_utf8)
{
	struct glyph glyph = { .bytes = text_of("?"), .width = 1 };
	size_t size = utf8_sequence_size(*rest);
	struct text sequence = { .data = rest->data, .size = size };
	uint32_t code = size > 0 ? utf8_value(sequence) : 0;
	int width;

	size += size == 0;
	*rest = (struct text){ .data = rest->data + size, .size = rest->size - size };
	if (utf8_is_control(code) || (code >= 0x80 && !is_utf8))
		return glyph;
	width = code < 0x80 ? 1 : wcwidth((wchar_t)code);
	return width < 0 ? glyph : (struct glyph){ .bytes = sequence, .width = width };
}

static unsigned int text_width(struct text text, bool is_utf8)
{
	unsigned int width = 0;

	while (text.size > 0)
		width += glyph_take(&text, is_utf8).width;
	return width;
}

/* Takes the part of a text that fits, and appends it; returns its width. */
static unsigned int append_glyphs(struct buffer *out, struct text *rest, unsigned int limit,
				  bool is_utf8)
{
	unsigned int width = 0;

	while (rest->size > 0) {
		struct text next = *rest;
		struct glyph glyph = glyph_take(&next, is_utf8);

		if (width + glyph.width > limit)
			break;
		buffer_append(out, glyph.bytes.data, glyph.bytes.size);
		width += glyph.width;
		*rest = next;
	}
	return width;
}

/* Appends a text, or its two ends, in which names differ; returns the width. */
static unsigned int append_cut(struct buffer *out, struct text text, unsigned int limit,
			       bool is_utf8)
{
	unsigned int rest = text_width(text, is_utf8), width;

	if (rest <= limit)
		return append_glyphs(out, &text, limit, is_utf8);
	width = append_glyphs(out, &text, limit / 2, is_utf8);
	rest -= width++;
	buffer_append_string(out, is_utf8 ? "\u2026" : "~");
	while (width + rest > limit)
		rest -= glyph_take(&text, is_utf8).width;
	return width + append_glyphs(out, &text, rest, is_utf8);
}

void table_append_text(struct buffer *out, struct text text, const struct table_style *style)
{
	append_cut(out, text, UINT32_MAX, style->is_utf8);
}

static void append_blanks(struct buffer *out, unsigned int count)
{
	while (count-- > 0)
		buffer_append_char(out, ' ');
}

void table_append_row(struct buffer *out, struct text text, const struct table_style *style,
		      bool is_filled)
{
	unsigned int width = append_glyphs(out, &text, style->width, style->is_utf8);

	append_blanks(out, is_filled ? style->width - width : 0);
}

static struct text cell_text(const struct table *table, size_t row, size_t column)
{
	return buffer_text(&table->cells[row * table->nr_columns + column]);
}

/** struct layout - widths of columns; 0 for a dropped one */
struct layout {
	unsigned int widths[TABLE_COLUMNS_MAX];
};

static unsigned int layout_width(const struct table *table, const struct layout *layout)
{
	unsigned int width = 0;

	for (size_t i = 0; i < table->nr_columns; i++) {
		if (layout->widths[i] > 0)
			width += layout->widths[i] + (width > 0 ? GAP : 0);
	}
	return width;
}

/* Narrows the widest flexible column by one; returns false if all have the least width. */
static bool layout_narrow(const struct table *table, struct layout *layout, unsigned int least)
{
	unsigned int *widest = NULL;

	for (size_t i = 0; i < table->nr_columns; i++) {
		unsigned int *width = &layout->widths[i];

		if (table->columns[i].is_flexible && *width > least &&
		    (!widest || *width > *widest))
			widest = width;
	}
	if (widest)
		--*widest;
	return widest;
}

/* The highest rank of all columns that are not dropped. */
static unsigned int layout_rank(const struct table *table, const struct layout *layout)
{
	unsigned int rank = 0;

	for (size_t i = 0; i < table->nr_columns; i++) {
		if (layout->widths[i] > 0 && table->columns[i].rank > rank)
			rank = table->columns[i].rank;
	}
	return rank;
}

/* Narrows columns first; if that is not enough, drops one and starts again. */
static struct layout layout_make(const struct table *table, const struct table_style *style)
{
	struct layout whole = { 0 }, layout;

	for (size_t i = 0; i < table->nr_columns; i++) {
		unsigned int title = text_width(text_of(table->columns[i].title), style->is_utf8);
		unsigned int *widest = &whole.widths[i];

		for (size_t row = 0; row < table->nr_rows; row++) {
			unsigned int width = text_width(cell_text(table, row, i), style->is_utf8);

			*widest = width > *widest ? width : *widest;
		}
		/* A flexible column without content has no title. */
		if (title > *widest && (*widest > 0 || !table->columns[i].is_flexible))
			*widest = title;
	}
	for (;;) {
		unsigned int rank = layout_rank(table, &whole);
		size_t drop = 0;

		layout = whole;
		while (style->width > 0 && layout_width(table, &layout) > style->width &&
		       layout_narrow(table, &layout, flexible_min[rank]))
			;
		if (style->width == 0 || rank == 0 || layout_width(table, &layout) <= style->width)
			return layout;
		while (whole.widths[drop] == 0 || table->columns[drop].rank != rank)
			drop++;
		whole.widths[drop] = 0;
	}
}

/* Without @row prints the titles. */
static void table_row_print(const struct table *table, struct buffer *out,
			    const struct layout *layout, const size_t *row, bool is_utf8)
{
	size_t begin = out->size;

	for (size_t i = 0; i < table->nr_columns; i++) {
		const struct table_column *column = &table->columns[i];
		struct text text = row ? cell_text(table, *row, i) : text_of(column->title);
		unsigned int width = layout->widths[i], natural = text_width(text, is_utf8);

		if (width == 0)
			continue;
		append_blanks(out, out->size > begin ? GAP : 0);
		if (column->is_right)
			append_blanks(out, natural < width ? width - natural : 0);
		width -= append_cut(out, text, width, is_utf8);
		append_blanks(out, column->is_right ? 0 : width);
	}
	while (out->size > begin && out->data[out->size - 1] == ' ')
		out->size--;
}

void table_append(const struct table *table, struct buffer *out, const struct table_style *style)
{
	struct layout layout = layout_make(table, style);

	buffer_append_string(out, style->has_colour ? BOLD : "");
	table_row_print(table, out, &layout, NULL, style->is_utf8);
	buffer_append_string(out, style->has_colour ? PLAIN "\n" : "\n");
	for (size_t row = 0; row < table->nr_rows; row++) {
		table_row_print(table, out, &layout, &row, style->is_utf8);
		buffer_append_char(out, '\n');
	}
	out->failed |= table->has_failed;
}
