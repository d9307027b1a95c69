// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps the formats of a raw recording. A module that goes takes its formats with it, and another
 * one's tracepoint may get the id of one of its own. Raw records have nothing but the id, so that
 * neither of the two can be used then.
 */
#include "recorder/formats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void format_free(struct noted_format *format)
{
	free(format->system);
	free(format->event);
	buffer_release(&format->text);
}

static int format_compare(const void *a, const void *b)
{
	const struct noted_format *left = a, *right = b;
	int order = strcmp(left->system, right->system);

	if (order == 0)
		order = strcmp(left->event, right->event);
	return order ? order : (left->id > right->id) - (left->id < right->id);
}

static unsigned int id_find(const struct buffer *text)
{
	static const char head[] = "ID:";
	const char *begin = text->size > 0 ? memmem(text->data, text->size, head, strlen(head))
					   : NULL;

	return begin ? strtoul(begin + strlen(head), NULL, 10) : 0;
}

static bool is_same(const struct noted_format *a, const struct noted_format *b)
{
	return strcmp(a->system, b->system) == 0 && a->text.size == b->text.size &&
	       (a->text.size == 0 || memcmp(a->text.data, b->text.data, a->text.size) == 0);
}

/* Takes @format over where it is new, and marks it, and others, where it has the id of others. */
static int formats_add(struct formats *formats, struct noted_format *format)
{
	struct noted_format *list = reallocarray(formats->list, formats->size + 1, sizeof(*list));

	if (!list)
		return -1;
	formats->list = list;
	for (size_t i = 0; i < formats->size; i++) {
		if (list[i].id != format->id)
			continue;
		if (is_same(&list[i], format)) {
			format_free(format);
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
	struct noted_format format = { .system = strdup(system), .event = strdup(event) };
	struct buffer file = { 0 };
	int status;

	buffer_printf(&file, "%s/%s/format", system, event);
	status = file_read_at(events_fd, buffer_string(&file), &format.text);
	buffer_release(&file);
	if (status < 0 && is_first)
		error_set_system(error, errno, "cannot read the format of %s:%s", system, event);
	format.id = id_find(&format.text);
	if (status == 0 && format.system && format.event && !format.text.failed &&
	    formats_add(formats, &format) == 0)
		return 0;
	format_free(&format);
	if (status < 0)
		return is_first ? -1 : 0;
	return error_set(error, "out of memory");
}

int formats_note(struct formats *formats, int events_fd, struct buffer *list, struct error *error)
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
		qsort(formats->list, formats->size, sizeof(*formats->list), format_compare);
	return status;
}

size_t formats_doubtful(const struct formats *formats)
{
	size_t size = 0;

	for (size_t i = 0; i < formats->size; i++)
		size += formats->list[i].is_doubtful;
	return size;
}

void formats_release(struct formats *formats)
{
	for (size_t i = 0; i < formats->size; i++)
		format_free(&formats->list[i]);
	free(formats->list);
	*formats = (struct formats){ 0 };
}
