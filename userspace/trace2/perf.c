// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Prints events as git's PERF target does: columns between bars, and dots for nested regions. */
#include <string.h>

#include "trace2/session.h"

#define LOCATION_WIDTH 28
#define NAME_WIDTH 12
#define REPOSITORY_WIDTH 3
/* At six decimals. */
#define SECONDS_WIDTH 9
#define DOTS_PER_REGION 2
/* Fits all columns but those of the thread and the category, with numbers of any size. */
#define COLUMNS_MAX 256
#define BAR " | "
#define PUT_BAR(out) PUT_LITERAL((out), BAR)
#define NO_LOCATION "                            "
#define NO_REPOSITORY "   "
_Static_assert(sizeof(NO_LOCATION) == LOCATION_WIDTH + 1 &&
		       sizeof(NO_REPOSITORY) == REPOSITORY_WIDTH + 1,
	       "empty columns are as wide as others");

/* Of a long location the end is kept, cut at a character. */
static void perf_append_location(struct buffer *line, const char *file, int number)
{
	static const char dots[] = "...";
	size_t kept = LOCATION_WIDTH - (sizeof(dots) - 1), start = line->size;

	while (*file) {
		size_t run = strcspn(file, "|");

		escape_append(line, (struct text){ .data = file, .size = run });
		file += run;
		if (*file == '|') {
			buffer_append_string(line, ESCAPED_BAR);
			file++;
		}
	}
	buffer_append_char(line, ':');
	buffer_append_signed(line, number);
	if (!line->failed && line->size - start > LOCATION_WIDTH) {
		char *out = line->data + start, *end = line->data + line->size;

		while (((unsigned char)end[-(ptrdiff_t)kept] & 0xc0) == 0x80)
			kept--;
		memcpy(out, dots, sizeof(dots) - 1);
		memmove(out + sizeof(dots) - 1, end - kept, kept);
		line->size = start + sizeof(dots) - 1 + kept;
	}
	blanks_append(line, start + LOCATION_WIDTH);
}

/* The column and the bars around it. */
hot_inline char *perf_put_repository(char *out, const struct trace2_repository *repository)
{
	char *start;

	if (!repository)
		return PUT_LITERAL(out, BAR NO_REPOSITORY BAR);
	out = start = PUT_BAR(out);
	out = put_char(put_signed(put_char(out, 'r'), repository->id), ' ');
	while (out < start + REPOSITORY_WIDTH)
		out = put_char(out, ' ');
	return PUT_BAR(out);
}

hot_inline const struct trace2_text *perf_category(const struct trace2_event *event)
{
	unsigned short offset = kinds[event->kind].category_offset;

	if (offset == 0)
		return NULL;
	return *(const struct trace2_text *const *)(const void *)((const char *)event + offset);
}

/* No region is open if the caller sets no nesting. */
hot_inline unsigned int perf_depth(const struct trace2_event *event)
{
	unsigned int nesting;

	if (!event_is_region(event) && !event_is_data(event))
		return event->nr_regions;
	nesting = event_is_region(event) ? event->region.nesting : event->data.nesting;
	return nesting > 0 ? nesting - 1 : 0;
}

/* Bytes to reserve for the columns, the dots and a label. */
hot_inline size_t perf_size(const struct trace2_session *session, const struct trace2_event *event)
{
	size_t size = COLUMNS_MAX + event_thread(session, event)->columns.size +
		      session->settings.category_width +
		      DOTS_PER_REGION * (size_t)perf_depth(event);

	return event_is_region(event) && event->region.label
		       ? size + event->region.label->escaped.size
		       : size;
}

/* Parameters have their scope in the column of categories. */
static void perf_append_scope(struct buffer *line, size_t width, const char *word)
{
	SCOPED_BUFFER(scope);

	buffer_append_string(&scope, "scope:");
	escape_append_string(&scope, word);
	column_append(line, buffer_text(&scope), width, width);
	line->failed |= scope.failed;
}

/* Ends with a bar, as every column does. */
hot_inline char *perf_put_category(char *out, struct buffer *line,
				   const struct trace2_session *session,
				   const struct trace2_event *event)
{
	size_t width = session->settings.category_width;
	const struct trace2_text *category = perf_category(event);

	if (event->kind == TRACE2_DEF_PARAM ||
	    (category && (category->has_bar || category->escaped.size > width))) {
		buffer_end_put(line, out);
		if (event->kind == TRACE2_DEF_PARAM)
			perf_append_scope(line, width, event->def_param.scope);
		else
			column_append(line, buffer_text(&category->escaped), width, width);
		out = buffer_reserve_put(line, perf_size(session, event));
		return out ? PUT_BAR(out) : NULL;
	}
	if (!category)
		return PUT_BAR(put_blanks(out, width));
	put_block(out, category->escaped.data, category->escaped.size);
	put_blanks(out + category->escaped.size, width - category->escaped.size);
	return PUT_BAR(out + width);
}

/* The time, and the location in the program; records have none. */
hot_inline char *perf_put_origin(char *out, struct buffer *line, struct time_cache *times,
				 const struct trace2_session *session,
				 const struct trace2_event *event)
{
	out = time_cache_put_clock(times, out, session->settings.start_unix_ns + event->time_ns);
	if (!event->file || !*event->file)
		return PUT_LITERAL(out, " " NO_LOCATION BAR);
	buffer_end_put(line, put_char(out, ' '));
	perf_append_location(line, event->file, event->line);
	out = buffer_reserve_put(line, perf_size(session, event));
	return out ? PUT_BAR(out) : NULL;
}

/* The columns from the thread's to that of the time since the innermost region began. */
hot_inline char *perf_put_columns(char *out, struct time_cache *times,
				  const struct trace2_session *session,
				  const struct trace2_event *event)
{
	const struct text *columns = &event_thread(session, event)->columns;
	const struct kind *kind = &kinds[event->kind];
	unsigned int decimals = session->settings.decimals;
	size_t width = seconds_width(session, SECONDS_WIDTH);
	const void *t_rel_ns = (const char *)event + kind->t_rel_offset;

	out = put_block(out, columns->data, columns->size);
	out = put_bytes(out, kind->column, NAME_WIDTH);
	out = perf_put_repository(out, event->repository);
	if (kind->has_t_abs_column)
		out = time_cache_put_since_right(times, out, event->time_ns, decimals, width);
	else
		out = put_blanks(out, width);
	out = PUT_BAR(out);
	out = kind->t_rel_offset
		      ? put_seconds_right(out, *(const int64_t *)t_rel_ns, decimals, width)
		      : put_blanks(out, width);
	return PUT_BAR(out);
}

hot_inline int perf_end_region(struct buffer *line, char *out, const struct trace2_event *event)
{
	if (event->region.label)
		out = put_block(PUT_LITERAL(out, "label:"), event->region.label->escaped.data,
				event->region.label->escaped.size);
	if (!event->region.msg.data) {
		buffer_end_put(line, put_char(out, '\n'));
		return 0;
	}
	buffer_end_put(line, put_char(out, ' '));
	escape_append(line, string_text(event->region.msg));
	buffer_append_char(line, '\n');
	return 0;
}

/* Ends the line of a value, whose dots are in @line. */
static void perf_end_data(struct buffer *line, const struct trace2_event *event)
{
	const struct buffer *key = &event->data.key->escaped;

	buffer_append(line, key->data, key->size);
	buffer_append_char(line, ':');
	escape_append(line, string_text(event->data.value));
	if (event->data.msg.data) {
		buffer_append_char(line, ' ');
		escape_append(line, string_text(event->data.msg));
	}
	buffer_append_char(line, '\n');
}

hot_function copies_wide int perf_print(struct buffer *line, struct time_cache *times,
					const struct trace2_session *session,
					const struct trace2_event *event)
{
	size_t nr_dots = DOTS_PER_REGION * (size_t)perf_depth(event);
	char *out;

	if (event->kind == TRACE2_TOO_MANY_FILES)
		return 0;
	out = buffer_reserve_put(line, perf_size(session, event));
	if (out && !session->settings.is_brief[TRACE2_PERF])
		out = perf_put_origin(out, line, times, session, event);
	if (!out)
		return 0;
	out = perf_put_columns(out, times, session, event);
	out = perf_put_category(out, line, session, event);
	if (!out)
		return 0;
	if (nr_dots > 0)
		memset(out, '.', nr_dots);
	if (event_is_region(event))
		return perf_end_region(line, out + nr_dots, event);
	buffer_end_put(line, out + nr_dots);
	if (event_is_data(event))
		perf_end_data(line, event);
	else
		message_append(line, session, event, true);
	return 0;
}
