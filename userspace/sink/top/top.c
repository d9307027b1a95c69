// SPDX-License-Identifier: GPL-2.0-only
/*
 * The interactive view: its columns, lines and keys, and how it is drawn. The rows of the stat sink
 * are copied at each interval. Everything is shown, sorted and filtered from the copy, so that a
 * paused view stands still while the sink counts on.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sink/stat/state.h"
#include "sink/top/screen.h"

/** struct top_columns - the columns of a kind of rows */
struct top_columns {
	struct stat_columns all;
	size_t sort; /* index of the one that rows are sorted by */
	bool is_reversed;
};

/** struct top_sum - what a row had at one time */
struct top_sum {
	uint64_t count;
	int64_t total_ns;
};

/** struct top_line - a row at the last interval */
struct top_line {
	struct stat_row row; /* a copy; texts are the sink's, quantiles only while it is paused */
	const struct stat_row *source;		   /* the sink's row */
	struct top_sum added;			   /* in the last interval */
	int64_t percentiles[STAT_PERCENTILES_MAX]; /* by the settings */
};

/** enum top_mode - what keys do */
enum top_mode {
	TOP_TABLE,
	TOP_FILTER,
	TOP_DETAIL,
};

struct stat_top {
	struct screen screen;
	const struct stat_sink *sink; /* NULL before the recording begins */
	const struct report *report;  /* receives messages after the view */
	struct report own_report;     /* keeps them until then in @messages, one a line */
	struct buffer messages;
	struct buffer progress; /* the line about events and losses */
	struct top_line *lines; /* all rows, in the sink's order */
	struct top_sum *before; /* by the same index, at the interval before */
	size_t *order;		/* indices of the lines that are shown */
	size_t nr_lines;
	size_t nr_shown;
	enum stat_kind kind; /* of the rows that are shown */
	struct top_columns columns[STAT_KIND_COUNT];
	struct buffer filter; /* part of a text that a row must have */
	enum top_mode mode;
	size_t first;			 /* index in @order of the first line on the screen */
	const struct stat_row *selected; /* the sink's row */
	size_t place;  /* of it in @order; where the next is selected if it is gone */
	size_t scroll; /* first line of the detail */
	int64_t copied_ns;
	bool is_paused;
	bool is_over;
};

/* Control characters, and bytes that are no UTF-8, become escapes. */
static void top_text_append(struct buffer *out, struct text text)
{
	while (text.size > 0) {
		size_t size = utf8_sequence_size(text);
		bool is_safe = size > 0 &&
			       !utf8_is_control(utf8_value((struct text){ text.data, size }));

		size += size == 0;
		for (size_t i = 0; i < size; i++) {
			if (is_safe)
				buffer_append_char(out, text.data[i]);
			else
				buffer_printf(out, "\\x%02x", (unsigned char)text.data[i]);
		}
		text = (struct text){ text.data + size, text.size - size };
	}
}

static void top_columns_init(struct stat_top *top)
{
	const struct sink_stat_settings *settings = &top->sink->settings;

	for (int kind = 0; kind < STAT_KIND_COUNT; kind++) {
		struct top_columns *columns = &top->columns[kind];
		const struct stat_columns *all = &columns->all;
		bool is_found = false;

		stat_columns_choose(&columns->all, settings, STAT_VIEW, kind);
		columns->is_reversed = settings->is_reversed;
		/* Tables without the column are sorted by their count. */
		for (size_t i = 0; i < all->size && !is_found; i++) {
			is_found = stat_shown_is_sort(&all->list[i], settings);
			if (is_found || strcmp(all->list[i].title, "COUNT") == 0)
				columns->sort = i;
		}
	}
}

/* The title of a column, marked if rows are sorted by it. */
static void top_column_title(const struct stat_top *top, size_t column, struct buffer *out)
{
	const struct top_columns *columns = &top->columns[top->kind];

	top_text_append(out, text_of(columns->all.list[column].title));
	if (column == columns->sort)
		buffer_append_string(out, columns->is_reversed ? "^" : "v");
}

static struct stat_source line_source(const struct stat_top *top, const struct top_line *line)
{
	return (struct stat_source){ .settings = &top->sink->settings,
				     .row = &line->row,
				     .duration_ns = top->copied_ns - top->sink->file.start_ns,
				     .new_count = line->added.count,
				     .new_ns = line->added.total_ns,
				     .percentiles = line->percentiles };
}

static void top_column_append(const struct stat_top *top, const struct stat_shown *shown,
			      const struct top_line *line, struct buffer *out)
{
	const struct stat_source source = line_source(top, line);

	if (shown->column->unit == UNIT_TEXT)
		top_text_append(out, stat_value_get(shown->column, &source, shown->of).text);
	else
		stat_shown_append(shown, &source, out);
}

static int top_lines_compare(const void *a_pointer, const void *b_pointer, void *context)
{
	const struct stat_top *top = context;
	const size_t *a = a_pointer, *b = b_pointer;
	const struct top_columns *columns = &top->columns[top->kind];
	const struct stat_shown *shown = &columns->all.list[columns->sort];
	const struct stat_source source_a = line_source(top, &top->lines[*a]);
	const struct stat_source source_b = line_source(top, &top->lines[*b]);
	struct value value_a = stat_value_get(shown->column, &source_a, shown->of);
	struct value value_b = stat_value_get(shown->column, &source_b, shown->of);
	int order = stat_value_compare(&value_a, &value_b);

	if (order == 0)
		order = (*a > *b) - (*a < *b);
	return columns->is_reversed ? -order : order;
}

static void top_lines_release_kept(struct stat_top *top)
{
	for (size_t i = 0; i < top->nr_lines; i++)
		quantiles_release(&top->lines[i].row.quantiles);
}

static int top_lines_copy(struct stat_top *top)
{
	const struct sink_stat_settings *settings = &top->sink->settings;
	size_t nr_old = top->nr_lines, size = top->sink->nr_rows;
	bool has_space = array_reserve(top->lines, size) && array_reserve(top->before, size) &&
			 array_reserve(top->order, size);
	struct top_line *lines = top->lines;
	struct top_sum *before = top->before;

	top_lines_release_kept(top);
	if (!has_space)
		return -1;
	memset(&lines[nr_old], 0, (size - nr_old) * sizeof(*lines));
	memset(&before[nr_old], 0, (size - nr_old) * sizeof(*before));
	top->nr_lines = size;
	for (size_t i = 0; i < size; i++) {
		const struct stat_row *row = top->sink->rows[i];
		struct top_sum now = { stat_row_count(row), row->times.total_ns };

		lines[i].row = *row;
		lines[i].row.quantiles = (struct quantiles){ 0 };
		lines[i].source = row;
		lines[i].added = (struct top_sum){ now.count - before[i].count,
						   now.total_ns - before[i].total_ns };
		before[i] = now;
		for (size_t p = 0; p < settings->nr_permille && row->kind == STAT_SLICES; p++)
			lines[i].percentiles[p] = stat_row_quantile(row, settings->permille[p]);
	}
	top->copied_ns = top->sink->now_ns;
	return 0;
}

/* Whether a cell that is a text contains the filter, in any case. */
static bool line_is_wanted(const struct stat_top *top, const struct top_line *line,
			   struct buffer *cell, const char *filter)
{
	const struct top_columns *columns = &top->columns[top->kind];

	if (line->row.kind != top->kind)
		return false;
	for (size_t i = 0; i < columns->all.size && *filter; i++) {
		if (columns->all.list[i].column->unit != UNIT_TEXT)
			continue;
		buffer_clear(cell);
		top_column_append(top, &columns->all.list[i], line, cell);
		if (strcasestr(buffer_string(cell), filter))
			return true;
	}
	return !*filter;
}

static void top_lines_order(struct stat_top *top)
{
	SCOPED_BUFFER(filter);
	SCOPED_BUFFER(cell);

	buffer_append(&filter, top->filter.data, top->filter.size);
	top->nr_shown = 0;
	for (size_t i = 0; i < top->nr_lines; i++) {
		if (line_is_wanted(top, &top->lines[i], &cell, buffer_string(&filter)))
			top->order[top->nr_shown++] = i;
	}
	if (top->nr_shown > 1)
		qsort_r(top->order, top->nr_shown, sizeof(*top->order), top_lines_compare, top);
	for (size_t i = 0; i < top->nr_shown; i++) {
		if (top->lines[top->order[i]].source == top->selected) {
			top->place = i;
			return;
		}
	}
	if (top->place >= top->nr_shown)
		top->place = top->nr_shown > 0 ? top->nr_shown - 1 : 0;
}

static const struct top_line *top_selected(const struct stat_top *top)
{
	return top->nr_shown > 0 ? &top->lines[top->order[top->place]] : NULL;
}

static struct table_style top_style(const struct stat_top *top)
{
	return (struct table_style){ .width = top->screen.columns,
				     .is_utf8 = top->sink->settings.is_utf8 };
}

/* Everything about one row: its texts, counts, percentiles and histogram. */

static const struct table_column detail_columns[] = { { "WHAT" }, { "VALUE" } };

static struct buffer *detail_add(struct table *table, const char *what)
{
	struct buffer *cell = table_add(table);

	buffer_append_string(cell, what);
	return cell + 1;
}

static void top_detail_append(const struct stat_top *top, struct buffer *out)
{
	static const struct {
		const char *what;
		size_t member;
	} counts[] = {
		{ "not counted", offsetof(struct stat_row, nr_left_out) },
		{ "suspect by losses", offsetof(struct stat_row, nr_suspect) },
		{ "without an end", offsetof(struct stat_row, nr_unfinished) },
		{ "ended by other threads", offsetof(struct stat_row, nr_foreign) },
	};
	/* Those that are not among the columns. */
	static const struct {
		const char *title;
		unsigned int permille;
	} percentiles[] = { { "percentile 10", 100 }, { "percentile 25", 250 },
			    { "percentile 75", 750 }, { "percentile 90", 900 },
			    { "percentile 95", 950 }, { "percentile 99.9", 999 } };
	const struct stat_columns *columns = &top->columns[top->kind].all;
	const struct table_style style = top_style(top);
	const struct top_line *line = top_selected(top);
	struct table table = { .columns = detail_columns, .nr_columns = 2 };
	struct stat_row whole;

	if (!line)
		return;
	whole = line->row;
	if (!top->is_paused)
		whole.quantiles = line->source->quantiles;
	/* One line for each column of the table, whether or not it fits there. */
	for (size_t i = 0; i < columns->size; i++) {
		struct buffer *cell = detail_add(&table, "");

		top_column_title(top, i, cell - 1);
		top_column_append(top, &columns->list[i], line, cell);
	}
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		uint64_t count = *(const uint64_t *)((const char *)&whole + counts[i].member);

		if (count > 0)
			buffer_append_unsigned(detail_add(&table, counts[i].what), count);
	}
	for (size_t i = 0;
	     whole.quantiles.nr_octaves > 0 && i < sizeof(percentiles) / sizeof(percentiles[0]);
	     i++)
		buffer_append_duration(detail_add(&table, percentiles[i].title),
				       stat_row_quantile(&whole, percentiles[i].permille));
	table_append(&table, out, &style);
	table_release(&table);
	if (whole.quantiles.nr_octaves == 0)
		return;
	buffer_append_char(out, '\n');
	stat_histogram_append(out, &whole.quantiles, &style);
}

static size_t top_page_size(const struct stat_top *top)
{
	size_t others = 4;

	return top->screen.rows > others ? top->screen.rows - others : 1;
}

#define KEYS_TABLE "q quit  <> sort  r reverse  / filter  p pause  Enter detail  Tab "
#define KEYS_DETAIL "q quit  p pause  Enter back"
#define KEYS_FILTER "Enter keep  Esc clear"

/* A text that is longer than the row loses its end. */
static void row_put(struct stat_top *top, unsigned int row, const struct buffer *text,
		    enum screen_look look)
{
	const struct table_style style = top_style(top);
	SCOPED_BUFFER(line);

	table_append_row(&line, buffer_text(text), &style, look == SCREEN_REVERSE);
	if (!line.failed)
		screen_put(&top->screen, row, buffer_text(&line), look);
}

static void status_draw(struct stat_top *top)
{
	struct text rest = buffer_text(&top->messages), message = { "", 0 };
	SCOPED_BUFFER(line);
	size_t nr_rows = 0;

	/* The last message, without its newline. */
	while (rest.size > 0)
		message = text_take_line(&rest);
	for (size_t i = 0; i < top->nr_lines; i++)
		nr_rows += top->lines[i].row.kind == top->kind;
	buffer_append_string(&line, top->is_paused ? "PAUSED  " : "");
	if (top->filter.size > 0)
		buffer_printf(&line, "%zu of ", top->nr_shown);
	buffer_append_count(&line, nr_rows, stat_kind_name(top->kind));
	if (top->filter.size > 0 || top->mode == TOP_FILTER) {
		buffer_append_string(&line, "  filter: ");
		buffer_append(&line, top->filter.data, top->filter.size);
		buffer_append_string(&line, top->mode == TOP_FILTER ? "_" : "");
	}
	buffer_append_string(&line, message.size > 0 ? "  " : "");
	top_text_append(&line, message);
	row_put(top, 1, &line, message.size > 0 ? SCREEN_WARNING : SCREEN_PLAIN);
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
	const struct top_columns *columns = &top->columns[top->kind];
	const struct table_style style = top_style(top);
	struct table_column list[STAT_COLUMNS_MAX];
	SCOPED_BUFFER(text);
	struct buffer titles[STAT_COLUMNS_MAX] = { 0 };
	struct table table = { .columns = list, .nr_columns = columns->all.size };
	size_t size = top_page_size(top);
	bool has_failed;

	if (top->place < top->first)
		top->first = top->place;
	if (top->place >= top->first + size)
		top->first = top->place - size + 1;
	if (top->first + size > top->nr_shown)
		top->first = top->nr_shown > size ? top->nr_shown - size : 0;
	for (size_t i = 0; i < columns->all.size; i++) {
		const struct stat_column *column = columns->all.list[i].column;
		bool is_text = column->unit == UNIT_TEXT;

		top_column_title(top, i, &titles[i]);
		list[i] = (struct table_column){ .title = buffer_string(&titles[i]),
						 .is_right = !is_text,
						 .is_flexible = is_text,
						 .rank = i == columns->sort ? 0
									    : column->view_rank };
	}
	for (size_t i = top->first; i < top->nr_shown && i < top->first + size; i++) {
		struct buffer *cells = table_add(&table);

		for (size_t c = 0; c < columns->all.size; c++)
			top_column_append(top, &columns->all.list[c], &top->lines[top->order[i]],
					  &cells[c]);
	}
	table_append(&table, &text, &style);
	has_failed = text.failed;
	if (!has_failed)
		lines_put(top, buffer_text(&text),
			  top->nr_shown > 0 ? 3 + top->place - top->first : 0);
	table_release(&table);
	for (size_t i = 0; i < columns->all.size; i++)
		buffer_release(&titles[i]);
	return has_failed ? -1 : 0;
}

static int detail_draw(struct stat_top *top)
{
	SCOPED_BUFFER(out);
	size_t nr_lines = 0, size = top_page_size(top) + 1;
	struct text text, rest;

	top_detail_append(top, &out);
	if (out.failed)
		return -1;
	text = rest = buffer_text(&out);
	for (; rest.size > 0; nr_lines++)
		text_take_line(&rest);
	if (top->scroll + size > nr_lines)
		top->scroll = nr_lines > size ? nr_lines - size : 0;
	for (size_t i = 0; i < top->scroll; i++)
		text_take_line(&text);
	lines_put(top, text, 0);
	return 0;
}

static int top_draw(struct stat_top *top, struct error *error)
{
	const struct stat_sink *sink = top->sink;
	SCOPED_BUFFER(line);

	if (!top->screen.is_shown)
		return 0;
	top_lines_order(top);
	screen_clear(&top->screen);
	buffer_append_string(&line, "ktrack stat --live  ");
	buffer_append_duration(&line, top->copied_ns - sink->file.start_ns);
	buffer_append_string(&line, "  ");
	buffer_append(&line, top->progress.data, top->progress.size);
	row_put(top, 0, &line, sink->nr_losses > 0 ? SCREEN_WARNING : SCREEN_BOLD);
	status_draw(top);
	if ((top->mode == TOP_DETAIL ? detail_draw(top) : table_draw(top)) < 0)
		return error_set(error, "out of memory");
	buffer_clear(&line);
	if (top->mode == TOP_TABLE)
		buffer_printf(&line, KEYS_TABLE "%ss",
			      stat_kind_name((top->kind + 1) % STAT_KIND_COUNT));
	else
		buffer_append_string(&line, top->mode == TOP_FILTER ? KEYS_FILTER : KEYS_DETAIL);
	row_put(top, top->screen.rows - 1, &line, SCREEN_REVERSE);
	return screen_show(&top->screen, error);
}

/* Longer filters match nothing that is on a screen. */
#define FILTER_SIZE_MAX 64
#define KEY_ESCAPE 27
#define KEY_CONTROL(letter) ((letter) - 'a' + 1)

static void selected_move(struct stat_top *top, long step)
{
	long last = (long)top->nr_shown - 1;
	long place = (long)top->place + step;

	if (top->nr_shown == 0)
		return;
	top->place = (size_t)(place < 0 ? 0 : place > last ? last : place);
	top->selected = top->lines[top->order[top->place]].source;
}

static void scroll_move(struct stat_top *top, long step)
{
	long scroll = (long)top->scroll + step;

	/* Drawing limits it to the last line. */
	top->scroll = scroll < 0 ? 0 : (size_t)scroll;
}

/* Keys that move; returns false for others. */
static bool move_apply(struct stat_top *top, const struct screen_key *key)
{
	void (*const move)(struct stat_top *, long) = top->mode == TOP_DETAIL ? scroll_move
									      : selected_move;
	long page = (long)top_page_size(top);
	long all = INT32_MAX;

	if (!key->is_function) {
		if (key->code != 'j' && key->code != 'k' && key->code != 'g' && key->code != 'G')
			return false;
		move(top, key->code == 'j'   ? 1
			  : key->code == 'k' ? -1
			  : key->code == 'g' ? -all
					     : all);
		return true;
	}
	switch (key->code) {
	case KEY_UP:
		return move(top, -1), true;
	case KEY_DOWN:
		return move(top, 1), true;
	case KEY_PPAGE:
		return move(top, -page), true;
	case KEY_NPAGE:
		return move(top, page), true;
	case KEY_HOME:
		return move(top, -all), true;
	case KEY_END:
		return move(top, all), true;
	default:
		return false;
	}
}

static void filter_clear(struct stat_top *top)
{
	buffer_clear(&top->filter);
	top->mode = TOP_TABLE;
}

static void detail_toggle(struct stat_top *top)
{
	const struct top_line *line = top_selected(top);

	if (top->mode == TOP_DETAIL) {
		top->mode = TOP_TABLE;
	} else if (line) {
		top->selected = line->source;
		top->scroll = 0;
		top->mode = TOP_DETAIL;
	}
}

/* Keys of letters that do the same everywhere but in a text. */
static int letter_apply(struct stat_top *top, wint_t letter)
{
	switch (letter) {
	case 'q':
	case 'Q':
		top->is_over = true;
		return 0;
	case 'p':
	case ' ':
		top->is_paused = !top->is_paused;
		if (!top->is_paused)
			top_lines_release_kept(top);
		for (size_t i = 0; i < top->nr_lines && top->is_paused; i++) {
			struct top_line *line = &top->lines[i];

			if (quantiles_copy(&line->row.quantiles, &line->source->quantiles) < 0)
				return -1;
		}
		return 0;
	case KEY_CONTROL('l'):
		screen_redraw(&top->screen);
		return 0;
	case '\n':
	case '\r':
		detail_toggle(top);
		return 0;
	case KEY_ESCAPE:
		if (top->mode == TOP_DETAIL)
			detail_toggle(top);
		else
			filter_clear(top);
		return 0;
	default:
		return 0;
	}
}

static void table_key_apply(struct stat_top *top, const struct screen_key *key)
{
	struct top_columns *columns = &top->columns[top->kind];
	bool is_left = key->is_function ? key->code == KEY_LEFT : key->code == '<';
	bool is_right = key->is_function ? key->code == KEY_RIGHT : key->code == '>';

	if (is_left || is_right) {
		columns->sort += is_left ? columns->all.size - 1 : 1;
		columns->sort %= columns->all.size;
	} else if (key->is_function) {
		return;
	} else if (key->code == 'r') {
		columns->is_reversed ^= true;
	} else if (key->code == '\t') {
		top->kind = (top->kind + 1) % STAT_KIND_COUNT;
		top->selected = NULL;
		top->place = 0;
	} else if (key->code == '/') {
		top->mode = TOP_FILTER;
	}
}

static void filter_key_apply(struct stat_top *top, const struct screen_key *key)
{
	struct buffer *filter = &top->filter;
	char bytes[MB_LEN_MAX];
	mbstate_t state = { 0 };
	size_t size;

	if (key->is_function ? key->code == KEY_BACKSPACE
			     : key->code == 0x7f || key->code == '\b') {
		while (filter->size > 0 && (filter->data[--filter->size] & 0xc0) == 0x80)
			;
	} else if (key->is_function ? key->code == KEY_ENTER
				    : key->code == '\n' || key->code == '\r') {
		top->mode = TOP_TABLE;
	} else if (key->is_function) {
		return;
	} else if (key->code == KEY_ESCAPE) {
		filter_clear(top);
	} else if (key->code == KEY_CONTROL('u')) {
		buffer_clear(filter);
	} else if (!utf8_is_control(key->code)) {
		size = wcrtomb(bytes, (wchar_t)key->code, &state);
		if (size != (size_t)-1 && filter->size + size <= FILTER_SIZE_MAX)
			buffer_append(filter, bytes, size);
	}
}

static int top_key_apply(struct stat_top *top, const struct screen_key *key)
{
	if (top->mode == TOP_FILTER) {
		filter_key_apply(top, key);
		return 0;
	}
	if (move_apply(top, key))
		return 0;
	if (top->mode == TOP_TABLE)
		table_key_apply(top, key);
	return key->is_function ? 0 : letter_apply(top, key->code);
}

/* More messages than this are dropped: nobody reads them. */
#define MESSAGES_SIZE_MAX (64 * 1024)

static void message_keep(void *context, const char *line)
{
	struct stat_top *top = context;

	if (top->sink && top->messages.size < MESSAGES_SIZE_MAX) {
		buffer_append_string(&top->messages, line);
		buffer_append_char(&top->messages, '\n');
	} else if (!top->sink) {
		report_message(top->report, "%s", line);
	}
}

static void progress_keep(void *context, const char *line)
{
	struct stat_top *top = context;

	if (!*line)
		return;
	buffer_clear(&top->progress);
	buffer_append_string(&top->progress, line);
}

static void closing_pass(void *context, const char *line)
{
	const struct stat_top *top = context;

	report_closing(top->report, "%s", line);
}

struct stat_top *stat_top_new(const struct report *report, struct error *error)
{
	struct stat_top *top = calloc(1, sizeof(*top));

	if (!top) {
		error_set(error, "out of memory");
		return NULL;
	}
	top->report = report;
	top->own_report = (struct report){ .context = top,
					   .message = message_keep,
					   .progress = progress_keep,
					   .closing = closing_pass };
	if (screen_init(&top->screen, error) == 0)
		return top;
	stat_top_free(top);
	return NULL;
}

const struct report *stat_top_report(const struct stat_top *top)
{
	return &top->own_report;
}

int stat_top_watch(struct stat_top *top, int fd, struct error *error)
{
	return screen_watch(&top->screen, fd, error) < 0 ? -1 : top->screen.fd;
}

/* While nothing is shown, or it stands still, nothing is due. */
int stat_top_wait_ms(const struct stat_top *top, int timeout_ms)
{
	int64_t interval_ms = top->sink ? top->sink->settings.interval_ns / NS_PER_MS + 1 : 0;

	if (!top->screen.is_shown || top->is_paused || interval_ms >= timeout_ms)
		return timeout_ms;
	return (int)interval_ms;
}

bool stat_top_is_over(const struct stat_top *top)
{
	return top->is_over || top->screen.is_over;
}

int top_begin(struct stat_top *top, const struct stat_sink *sink, struct error *error)
{
	top->sink = sink;
	top->screen.output_fd = sink->file.fd;
	top->screen.wait = sink->file.wait;
	top->screen.has_colour = sink->settings.has_colour;
	top_columns_init(top);
	buffer_append_string(&top->progress, "starting");
	return top_update(top, true, error);
}

int top_update(struct stat_top *top, bool is_due, struct error *error)
{
	int has_changed = screen_follow(&top->screen, error);
	bool was_paused = top->is_paused;
	struct screen_key key;

	if (has_changed < 0)
		return -1;
	while (screen_take_key(&top->screen, &key)) {
		has_changed = 1;
		if (top_key_apply(top, &key) < 0)
			return error_set(error, "out of memory");
	}
	is_due = is_due || (was_paused && !top->is_paused);
	if (is_due && !top->is_paused && top_lines_copy(top) < 0)
		return error_set(error, "out of memory");
	return has_changed || is_due ? top_draw(top, error) : 0;
}

void top_end(struct stat_top *top)
{
	struct text rest = buffer_text(&top->messages);

	screen_leave(&top->screen);
	top->sink = NULL;
	while (rest.size > 0) {
		struct text line = text_take_line(&rest);

		report_message(top->report, "%.*s", (int)line.size, line.data);
	}
	buffer_clear(&top->messages);
}

void stat_top_free(struct stat_top *top)
{
	if (!top)
		return;
	top_end(top);
	screen_release(&top->screen);
	top_lines_release_kept(top);
	free(top->lines);
	free(top->before);
	free(top->order);
	buffer_release(&top->filter);
	buffer_release(&top->progress);
	buffer_release(&top->messages);
	free(top);
}
