// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module takes its formats along when it is unloaded, and another module's tracepoint may get its
 * id. Raw records have only the id, so that neither format can decode them then.
 */
#include "tracedat/spool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"

static int layout_read(struct buffer *out, int events_fd, const char *file, struct error *error)
{
	if (file_read_at(events_fd, file, out) == 0)
		return 0;
	return error_set_system(error, errno, "cannot read events/%s of the instance", file);
}

int formats_read_layout(struct formats *formats, int events_fd, struct error *error)
{
	if (formats->header_page.size > 0)
		return 0;
	if (layout_read(&formats->header_page, events_fd, "header_page", error) < 0)
		return -1;
	return layout_read(&formats->header_event, events_fd, "header_event", error);
}

static void saved_format_release(struct saved_format *format)
{
	free(format->system);
	free(format->event);
	buffer_release(&format->text);
}

static int saved_format_compare(const void *a, const void *b)
{
	const struct saved_format *left = a, *right = b;
	int order = strcmp(left->system, right->system);

	if (order == 0)
		order = strcmp(left->event, right->event);
	return order ? order : (left->id > right->id) - (left->id < right->id);
}

static bool saved_format_equals(const struct saved_format *a, const struct saved_format *b)
{
	return strcmp(a->system, b->system) == 0 &&
	       text_equals(buffer_text(&a->text), buffer_text(&b->text));
}

/* Takes ownership of @format; returns -1 if memory runs out. */
static int formats_add(struct formats *formats, struct saved_format *format)
{
	struct saved_format *list = reallocarray(formats->list, formats->size + 1, sizeof(*list));

	if (!list)
		return -1;
	formats->list = list;
	for (size_t i = 0; i < formats->size; i++) {
		if (list[i].id != format->id)
			continue;
		if (saved_format_equals(&list[i], format)) {
			saved_format_release(format);
			return 0;
		}
		list[i].is_doubtful = true;
		format->is_doubtful = true;
	}
	list[formats->size++] = *format;
	return 0;
}

static int format_read(struct formats *formats, int events_fd, const char *system,
		       const char *event, bool is_first, struct error *error)
{
	struct saved_format format = { .system = strdup(system), .event = strdup(event) };
	struct buffer file = { 0 };
	int status;

	buffer_printf(&file, "%s/%s/format", system, event);
	status = file_read_at(events_fd, buffer_string(&file), &format.text);
	buffer_trim(&format.text);
	buffer_release(&file);
	if (status < 0 && is_first)
		error_set_system(error, errno, "cannot read the format of %s:%s", system, event);
	format.id = format_read_id(
		(struct text){ .data = buffer_string(&format.text), .size = format.text.size });
	if (status == 0 && format.system && format.event && !format.text.failed &&
	    formats_add(formats, &format) == 0)
		return 0;
	saved_format_release(&format);
	if (status < 0)
		return is_first ? -1 : 0;
	return error_set(error, "out of memory");
}

int formats_read(struct formats *formats, int events_fd, struct buffer *list, struct error *error)
{
	bool is_first = formats->size == 0;
	char *rest, *line;
	int status = 0;

	buffer_append_char(list, '\0');
	if (list->failed)
		return error_set(error, "out of memory");
	rest = list->data;
	while (status == 0 && (line = strsep(&rest, "\n"))) {
		char *system = strsep(&line, ":");

		if (line && !strchr(line, ':'))
			status = format_read(formats, events_fd, system, line, is_first, error);
	}
	if (formats->size > 0)
		qsort(formats->list, formats->size, sizeof(*formats->list), saved_format_compare);
	return status;
}

size_t formats_count_doubtful(const struct formats *formats)
{
	size_t size = 0;

	for (size_t i = 0; i < formats->size; i++)
		size += formats->list[i].is_doubtful;
	return size;
}

void formats_release(struct formats *formats)
{
	for (size_t i = 0; i < formats->size; i++)
		saved_format_release(&formats->list[i]);
	free(formats->list);
	buffer_release(&formats->header_page);
	buffer_release(&formats->header_event);
	*formats = (struct formats){ 0 };
}
