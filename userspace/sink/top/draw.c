// SPDX-License-Identifier: GPL-2.0-only
/* Draws the view: header, status, table or detail, keys. */
#include "sink/top/top.h"

#define KEYS_TABLE "q quit  <> sort  r reverse  / filter  p pause  Enter detail  Tab "
#define KEYS_DETAIL "q quit  p pause  Enter back"
#define KEYS_FILTER "Enter keep  Esc clear"

static const char *const kind_names[] = { "slice", "counter", "instant" };
_Static_assert(sizeof(kind_names) / sizeof(kind_names[0]) == STAT_KIND_COUNT, "a name for each");

static struct table_style top_style(const struct stat_top *top)
{
	return (struct table_style){ .width = top->screen.columns,
				     .is_utf8 = top->sink->settings.is_utf8 };
}

/* A text that is longer than the row loses its end. */
static void row_put(struct stat_top *top, unsigned int row, const struct buffer *text,
		    enum screen_look look)
{
	const struct table_style style = top_style(top);
	struct buffer line = { 0 };

	table_append_row(&line, buffer_text(text), &style, look == SCREEN_REVERSE);
	if (!line.failed)
		screen_put(&top->screen, row, buffer_text(&line), look);
	buffer_release(&line);
}

static void header_draw(struct stat_top *top)
{
	const struct stat_sink *sink = top->sink;
	struct buffer line = { 0 };

	buffer_append_string(&line, "ktrack stat --live  ");
	buffer_append_duration(&line, top->copied_ns - sink->file.start_ns);
	buffer_append_string(&line, "  ");
	buffer_append(&line, top->progress.data, top->progress.size);
	row_put(top, 0, &line, sink->nr_losses > 0 ? SCREEN_WARNING : SCREEN_BOLD);
	buffer_release(&line);
}

static size_t kind_count(const struct stat_top *top, enum stat_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < top->nr_lines; i++)
		count += top->lines[i].row.kind == kind;
	return count;
}

/* The last message, without its newline. */
static struct text last_message(const struct stat_top *top)
{
	struct text rest = buffer_text(&top->messages), last = { "", 0 };

	while (rest.size > 0)
		last = text_take_line(&rest);
	return last;
}

static void status_draw(struct stat_top *top)
{
	struct text message = last_message(top);
	struct buffer line = { 0 };

	buffer_append_string(&line, top->is_paused ? "PAUSED  " : "");
	if (top->filter.size > 0)
		buffer_printf(&line, "%zu of ", top->nr_shown);
	buffer_append_count(&line, kind_count(top, top->kind), kind_names[top->kind]);
	if (top->filter.size > 0 || top->mode == TOP_FILTER) {
		buffer_append_string(&line, "  filter: ");
		buffer_append(&line, top->filter.data, top->filter.size);
		buffer_append_string(&line, top->mode == TOP_FILTER ? "_" : "");
	}
	buffer_append_string(&line, message.size > 0 ? "  " : "");
	top_text_append(&line, message);
	row_put(top, 1, &line, message.size > 0 ? SCREEN_WARNING : SCREEN_PLAIN);
	buffer_release(&line);
}

static void keys_draw(struct stat_top *top)
{
	struct buffer line = { 0 };

	if (top->mode == TOP_TABLE)
		buffer_printf(&line, KEYS_TABLE "%ss",
			      kind_names[(top->kind + 1) % STAT_KIND_COUNT]);
	else
		buffer_append_string(&line, top->mode == TOP_FILTER ? KEYS_FILTER : KEYS_DETAIL);
	row_put(top, top->screen.rows - 1, &line, SCREEN_REVERSE);
	buffer_release(&line);
}

/* What is dropped first if the terminal is narrow. */
static unsigned int column_rank(const struct stat_top *top, size_t column)
{
	static const unsigned int ranks[TOP_VALUE_COUNT] = {
		[TOP_NEW_MEAN] = 1, [TOP_SELF] = 2,  [TOP_MIN] = 3,
		[TOP_MEAN] = 2,	    [TOP_FIRST] = 2, [TOP_TRACEPOINT] = 3,
	};
	const struct top_columns *columns = &top->columns[top->kind];

	return column == columns->sort ? 0 : ranks[columns->list[column].value];
}

static int cells_fill(const struct stat_top *top, struct table *table)
{
	const struct top_columns *columns = &top->columns[top->kind];
	size_t size = top_page_size(top);

	for (size_t i = top->first; i < top->nr_shown && i < top->first + size; i++) {
		struct buffer *cells = table_add(table);

		if (!cells)
			return -1;
		for (size_t c = 0; c < columns->size; c++)
			top_column_append(top, &columns->list[c], &top->lines[top->order[i]],
					  &cells[c]);
	}
	return 0;
}

static int table_make(const struct stat_top *top, struct buffer *out)
{
	const struct top_columns *columns = &top->columns[top->kind];
	const struct table_style style = top_style(top);
	struct table_column list[TOP_COLUMNS_MAX];
	struct buffer titles[TOP_COLUMNS_MAX] = { 0 };
	struct table table = { .columns = list, .nr_columns = columns->size };
	int status;

	for (size_t i = 0; i < columns->size; i++) {
		bool is_text = top_column_is_text(&columns->list[i]);

		top_column_title(top, i, &titles[i]);
		list[i] = (struct table_column){ .title = buffer_string(&titles[i]),
						 .is_right = !is_text,
						 .is_flexible = is_text,
						 .rank = column_rank(top, i) };
	}
	status = cells_fill(top, &table);
	if (status == 0)
		table_append(&table, out, &style);
	table_release(&table);
	for (size_t i = 0; i < columns->size; i++)
		buffer_release(&titles[i]);
	return status;
}

static void first_find(struct stat_top *top)
{
	size_t size = top_page_size(top);

	if (top->place < top->first)
		top->first = top->place;
	if (top->place >= top->first + size)
		top->first = top->place - size + 1;
	if (top->first + size > top->nr_shown)
		top->first = top->nr_shown > size ? top->nr_shown - size : 0;
}

static void lines_put(struct stat_top *top, struct text text, size_t marked)
{
	for (unsigned int row = 2; text.size > 0 && row + 1 < top->screen.rows; row++) {
		struct text line = text_take_line(&text);
		const struct buffer borrowed = { .data = (char *)line.data, .size = line.size };
		enum screen_look look = row == 2 ? SCREEN_BOLD : SCREEN_PLAIN;

		row_put(top, row, &borrowed, row == marked ? SCREEN_REVERSE : look);
	}
}

static int table_draw(struct stat_top *top)
{
	struct buffer text = { 0 };
	int status;

	first_find(top);
	status = table_make(top, &text);
	if (status == 0)
		lines_put(top, buffer_text(&text),
			  top->nr_shown > 0 ? 3 + top->place - top->first : 0);
	buffer_release(&text);
	return status;
}

static size_t text_count_lines(struct text text)
{
	size_t count = 0;

	for (; text.size > 0; count++)
		text_take_line(&text);
	return count;
}

static int detail_draw(struct stat_top *top)
{
	struct buffer out = { 0 };
	int status = top_detail_append(top, &out);
	struct text text = buffer_text(&out);
	size_t nr_lines = text_count_lines(text), size = top_page_size(top) + 1;

	if (top->scroll + size > nr_lines)
		top->scroll = nr_lines > size ? nr_lines - size : 0;
	for (size_t i = 0; i < top->scroll; i++)
		text_take_line(&text);
	if (status == 0)
		lines_put(top, text, 0);
	buffer_release(&out);
	return status;
}

int top_draw(struct stat_top *top, struct error *error)
{
	int status;

	if (!top->screen.is_shown)
		return 0;
	top_lines_order(top);
	screen_clear(&top->screen);
	header_draw(top);
	status_draw(top);
	status = top->mode == TOP_DETAIL ? detail_draw(top) : table_draw(top);
	if (status < 0)
		return error_set(error, "out of memory");
	keys_draw(top);
	return screen_show(&top->screen, error);
}
