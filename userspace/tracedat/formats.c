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

int formats_keep(struct formats *formats, const char *system, const char *event, struct text text)
{
	struct saved_format format = { .system = strdup(system),
				       .event = strdup(event),
				       .id = format_read_id(text) };

	buffer_append(&format.text, text.data, text.size);
	buffer_trim(&format.text);
	if (format.system && format.event && !format.text.failed &&
	    formats_add(formats, &format) == 0)
		return 0;
	saved_format_release(&format);
	return -1;
}

static const struct saved_format *formats_find(const struct formats *formats, const char *system,
					       const char *event)
{
	for (size_t i = 0; i < formats->size; i++) {
		const struct saved_format *format = &formats->list[i];

		if (strcmp(format->event, event) == 0 && strcmp(format->system, system) == 0)
			return format;
	}
	return NULL;
}

static int format_read(struct formats *formats, int events_fd, const char *system,
		       const char *event, bool is_first, struct error *error)
{
	struct buffer text = { 0 };
	int status = 0;

	if (event_file_read(events_fd, system, event, "format", &text) == 0) {
		if (formats_keep(formats, system, event, buffer_text(&text)) < 0)
			status = error_set(error, "out of memory");
	} else if (is_first) {
		status = error_set_system(error, errno, "cannot read the format of %s:%s", system,
					  event);
	}
	buffer_release(&text);
	return status;
}

/* Adds a format that is @known, or reads it. */
static int format_take(struct formats *formats, const struct formats *known, int events_fd,
		       const char *system, const char *event, bool is_first, struct error *error)
{
	const struct saved_format *format = known ? formats_find(known, system, event) : NULL;

	if (!format)
		return format_read(formats, events_fd, system, event, is_first, error);
	if (formats_keep(formats, system, event, buffer_text(&format->text)) < 0)
		return error_set(error, "out of memory");
	return 0;
}

int formats_read(struct formats *formats, const struct formats *known, int events_fd,
		 struct buffer *list, struct error *error)
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
			status = format_take(formats, known, events_fd, system, line, is_first,
					     error);
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

struct formats *formats_new(void)
{
	return calloc(1, sizeof(struct formats));
}

void formats_free(struct formats *formats)
{
	if (formats)
		formats_release(formats);
	free(formats);
}
