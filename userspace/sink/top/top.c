// SPDX-License-Identifier: GPL-2.0-only
/* The interactive view: what the sink and the run ask of it. */
#include <stdlib.h>

#include "sink/top/top.h"

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
	top_lines_release(top);
	buffer_release(&top->filter);
	buffer_release(&top->progress);
	buffer_release(&top->messages);
	free(top);
}
