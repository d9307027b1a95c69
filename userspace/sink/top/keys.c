// SPDX-License-Identifier: GPL-2.0-only
/* What keys do. */
#include <limits.h>

#include "sink/top/top.h"

/* Longer filters match nothing that is on a screen. */
#define FILTER_SIZE_MAX 64

#define KEY_ESCAPE 27
#define KEY_CONTROL(letter) ((letter) - 'a' + 1)

size_t top_page_size(const struct stat_top *top)
{
	size_t others = 4;

	return top->screen.rows > others ? top->screen.rows - others : 1;
}

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

static void sort_move(struct stat_top *top, size_t step)
{
	struct top_columns *columns = &top->columns[top->kind];

	columns->sort = (columns->sort + step) % columns->size;
}

static int pause_toggle(struct stat_top *top)
{
	top->is_paused = !top->is_paused;
	if (top->is_paused)
		return top_lines_keep(top);
	top_lines_release_kept(top);
	return 0;
}

static void kind_next(struct stat_top *top)
{
	top->kind = (top->kind + 1) % STAT_KIND_COUNT;
	top->selected = NULL;
	top->place = 0;
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
		return pause_toggle(top);
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
	size_t back = top->columns[top->kind].size - 1;
	bool is_left = key->is_function ? key->code == KEY_LEFT : key->code == '<';
	bool is_right = key->is_function ? key->code == KEY_RIGHT : key->code == '>';

	if (is_left || is_right)
		sort_move(top, is_left ? back : 1);
	else if (key->is_function)
		return;
	else if (key->code == 'r')
		top->columns[top->kind].is_reversed ^= true;
	else if (key->code == '\t')
		kind_next(top);
	else if (key->code == '/')
		top->mode = TOP_FILTER;
}

static void filter_shorten(struct stat_top *top)
{
	struct buffer *filter = &top->filter;

	while (filter->size > 0 && (filter->data[--filter->size] & 0xc0) == 0x80)
		;
}

static void filter_extend(struct stat_top *top, wint_t code)
{
	char bytes[MB_LEN_MAX];
	mbstate_t state = { 0 };
	size_t size = wcrtomb(bytes, (wchar_t)code, &state);

	if (!utf8_is_control(code) && size != (size_t)-1 &&
	    top->filter.size + size <= FILTER_SIZE_MAX)
		buffer_append(&top->filter, bytes, size);
}

static bool key_is_backspace(const struct screen_key *key)
{
	return key->is_function ? key->code == KEY_BACKSPACE
				: key->code == 0x7f || key->code == '\b';
}

static void filter_key_apply(struct stat_top *top, const struct screen_key *key)
{
	if (key_is_backspace(key))
		filter_shorten(top);
	else if (key->is_function ? key->code == KEY_ENTER : key->code == '\n' || key->code == '\r')
		top->mode = TOP_TABLE;
	else if (!key->is_function && key->code == KEY_ESCAPE)
		filter_clear(top);
	else if (!key->is_function && key->code == KEY_CONTROL('u'))
		buffer_clear(&top->filter);
	else if (!key->is_function)
		filter_extend(top, key->code);
}

int top_key_apply(struct stat_top *top, const struct screen_key *key)
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
