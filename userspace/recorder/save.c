// SPDX-License-Identifier: GPL-2.0-only
/* Keeps what the buffers of an instance that somebody set up hold now. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "recorder/parts.h"
#include "source/source.h"

/* A sub-buffer's header, which does not count into a buffer's size. */
#define HEADER_SIZE 16

static uint64_t instance_number(const char *directory, const char *file)
{
	struct buffer text = { 0 };
	struct error ignored = { 0 };
	uint64_t number = 0;

	if (folder_read(directory, file, &text, &ignored) == 0)
		number = strtoull(buffer_string(&text), NULL, 10);
	buffer_release(&text);
	return number;
}

int parts_open_bounds(struct parts *parts, const char *directory, struct error *error)
{
	for (size_t i = 0; i < parts->nr_parts; i++) {
		struct part *part = &parts->list[i];

		part->bound_fd = cpu_file_open(part_directory(parts, part, directory), part->cpu,
					       "buffer_size_kb", O_RDONLY, error);
		if (part->bound_fd < 0)
			return -1;
	}
	return 0;
}

/*
 * Writers may be at work. The kernel rounds up, has two sub-buffers at least, and one more for the
 * reader.
 */
void parts_bound(struct parts *parts)
{
	for (size_t i = 0; i < parts->nr_parts; i++) {
		struct part *part = &parts->list[i];
		struct buffer text = { 0 };
		uint64_t size = 0;

		if (file_read_anew(part->bound_fd, &text) == 0)
			size = strtoull(buffer_string(&text), NULL, 10) * 1024;
		buffer_release(&text);
		part->left = (size / (parts->page_size - HEADER_SIZE) + 3) * parts->page_size;
	}
}

static int save_attach(struct parts *parts, const char *directory, struct error *error)
{
	struct buffer durable = { 0 };
	bool exists;
	int status;

	buffer_printf(&durable, "%s" SOURCE_DURABLE_SUFFIX, directory);
	exists = access(buffer_string(&durable), F_OK) == 0;
	status = instance_attach(parts, directory, exists ? buffer_string(&durable) : NULL, error);
	buffer_release(&durable);
	return status;
}

/* What is enabled now need not be all that was recorded. */
static int save_note(struct parts *parts, const char *directory, struct error *error)
{
	struct buffer list = { 0 };
	int status = parts_list_all(parts, &list, error);

	parts->id = parts_make_id(directory);
	if (status == 0)
		status = parts_note_formats(parts, &list, error);
	buffer_release(&list);
	return status < 0 || parts_note_now(parts, error) < 0
		       ? -1
		       : parts_note_instance(parts, PART_NO_INSTANCE, error);
}

static int parts_take(struct parts *parts, const char *directory, struct error *error)
{
	if (save_attach(parts, directory, error) < 0 ||
	    parts_open_bounds(parts, directory, error) < 0)
		return -1;
	parts_bound(parts);
	if (save_note(parts, directory, error) < 0)
		return -1;
	parts->is_kept = true;
	if (parts_read_rest(parts, error) < 0)
		return -1;
	parts->is_counted = true;
	return parts_note_now(parts, error) < 0 ? -1 : parts_join(parts, error);
}

int parts_check_instance(const struct parts *parts, const char *directory, struct error *error)
{
	uint64_t sub_buffer_kib = instance_number(directory, "buffer_subbuf_size_kb");

	if (sub_buffer_kib == 0 || sub_buffer_kib * 1024 == parts->page_size)
		return 0;
	return error_set(error, "%s has sub-buffers that are no pages, which cannot be saved",
			 directory);
}

int parts_save(const char *path, const struct parts_owner *owner, const char *directory,
	       struct error *error)
{
	struct parts *parts;
	int status;

	if (parts_new(&parts, path, owner, error) < 0)
		return -1;
	status = parts_check_instance(parts, directory, error);
	if (status == 0)
		status = parts_take(parts, directory, error);
	parts_close(parts);
	return status;
}
