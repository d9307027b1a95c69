// SPDX-License-Identifier: GPL-2.0-only
/* The parts of a recording: how they come and go. */
#include "recorder/parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIPE_SIZE (1024 * 1024)

int parts_fail(struct parts *parts, int number, const char *file, struct error *error)
{
	parts->is_kept = true;
	return error_set(error,
			 "cannot write %s/%s: %s; once that is mended, 'ktrack recover %s' makes a "
			 "trace.dat of what there is",
			 parts->folder, file, strerror(number), parts->path);
}

int folder_read(const char *folder, const char *file, struct buffer *out, struct error *error)
{
	struct buffer path = { 0 };
	int status = 0;

	buffer_printf(&path, "%s/%s", folder, file);
	if (file_read(buffer_string(&path), out) < 0)
		status = error_set_system(error, errno, "cannot read %s", buffer_string(&path));
	buffer_release(&path);
	return status;
}

void part_name(const struct part *part, char *out)
{
	snprintf(out, PART_NAME_SIZE, part->is_durable ? "durable%d" : "cpu%d", part->cpu);
}

const char *part_directory(const struct parts *parts, const struct part *part,
			   const char *directory)
{
	return part->is_durable ? parts->durable : directory;
}

struct part *parts_add(struct parts *parts, int cpu, bool is_durable, struct error *error)
{
	struct part *list = reallocarray(parts->list, parts->nr_parts + 1, sizeof(*list));

	if (!list) {
		error_set(error, "out of memory");
		return NULL;
	}
	parts->list = list;
	list[parts->nr_parts] = (struct part){
		.cpu = cpu,
		.is_durable = is_durable,
		.left = UINT64_MAX,
		.raw_fd = -1,
		.statistics_fd = -1,
		.bound_fd = -1,
		.fd = -1,
	};
	return &list[parts->nr_parts++];
}

static struct parts *parts_alloc(const char *path, const struct parts_owner *owner)
{
	struct parts *parts = calloc(1, sizeof(*parts));

	if (!parts)
		return NULL;
	*parts = (struct parts){
		.place_fd = -1,
		.folder_fd = -1,
		.joined_fd = -1,
		.sight = { .events_fd = -1,
			   .list_fd = -1,
			   .clock_fd = -1,
			   .saved = SOURCE_SAVED_NONE },
		.pipe = { -1, -1 },
	};
	parts->page_size = sysconf(_SC_PAGESIZE);
	parts->mode = recorder_modes;
	parts->path = strdup(path);
	parts->page = malloc(parts->page_size);
	if (!parts->path || !parts->page || asprintf(&parts->folder, "%s.parts", path) < 0)
		parts->folder = NULL;
	else if (!owner->is_other || owner_init(&parts->owner, owner->user, owner->group) == 0)
		return parts;
	parts_close(parts);
	return NULL;
}

static int pipe_open(struct parts *parts, struct error *error)
{
	int size;

	if (pipe2(parts->pipe, O_CLOEXEC) < 0)
		return error_set_system(error, errno, "cannot make a pipe");
	size = fcntl(parts->pipe[1], F_SETPIPE_SZ, PIPE_SIZE);
	parts->pipe_size = size > 0 ? size : fcntl(parts->pipe[1], F_GETPIPE_SZ);
	return 0;
}

static int parts_finish_open(struct parts **out, struct parts *parts, int status,
			     struct error *error)
{
	if (status == 0 && pipe_open(parts, error) == 0) {
		*out = parts;
		return 0;
	}
	parts_close(parts);
	*out = NULL;
	return -1;
}

int parts_new(struct parts **out, const char *path, const struct parts_owner *owner,
	      struct error *error)
{
	struct parts *parts = parts_alloc(path, owner);
	int status;

	*out = NULL;
	if (!parts)
		return error_set(error, "out of memory");
	status = parts_reach(parts, error);
	if (status == 0)
		status = parts_make_folder(parts, error);
	return parts_finish_open(out, parts, status, error);
}

/* Opens one CPU's file; what is no whole sub-buffer was being written when the end came. */
static int part_open(struct parts *parts, const char *name, struct error *error)
{
	struct part *part;
	struct stat about;
	bool is_durable;
	int cpu;

	if (!part_parse(name, &cpu, &is_durable))
		return 0;
	part = parts_add(parts, cpu, is_durable, error);
	if (!part)
		return -1;
	part->fd = parts_entry(parts, name, O_RDWR, error);
	if (part->fd < 0)
		return -1;
	if (fstat(part->fd, &about) < 0)
		return error_set_system(error, errno, "cannot open %s/%s", parts->folder, name);
	part->size = about.st_size / parts->page_size * parts->page_size;
	if (ftruncate(part->fd, part->size) < 0 || lseek(part->fd, part->size, SEEK_SET) < 0)
		return error_set_system(error, errno, "cannot cut %s/%s", parts->folder, name);
	return 0;
}

static int parts_open_all(struct parts *parts, struct error *error)
{
	struct dirent **entries;
	int size = parts_scan(parts, &entries);
	int status = 0;

	if (size < 0)
		return error_set_system(error, errno, "cannot read %s", parts->folder);
	for (int i = 0; i < size; i++) {
		if (status == 0)
			status = part_open(parts, entries[i]->d_name, error);
		free(entries[i]);
	}
	free(entries);
	return status;
}

/* Takes a line off the beginning of a text; returns NULL where there is none. */
static char *line_take(char **text)
{
	char *line = strsep(text, "\n");

	return line && *text ? line : NULL;
}

/* What parts_begin() noted last: name, boot, mode, id, and whether it is torn. Returns -1 where it
 * is something else. */
static int instance_parse(struct parts *parts, char *text)
{
	const char *name = line_take(&text), *boot = line_take(&text), *mode = line_take(&text);
	const char *id = line_take(&text), *torn = line_take(&text);
	struct buffer now = { 0 };

	if (!id || !recorder_mode_find(mode))
		return -1;
	parts->mode = recorder_mode_find(mode);
	parts->id = strtoull(id, NULL, 16);
	parts->is_torn = torn && strcmp(torn, PART_TORN) == 0;
	file_read_boot_id(&now);
	if (strcmp(name, PART_NO_INSTANCE) == 0)
		parts->instance = strdup("");
	else if (strncmp(buffer_string(&now), boot, strlen(boot)) == 0)
		parts->instance = strdup(name);
	buffer_release(&now);
	return 0;
}

static int parts_read_instance(struct parts *parts, struct error *error)
{
	struct buffer text = { 0 };
	int status = parts_file(parts, PART_INSTANCE, &text, error);

	buffer_append_char(&text, '\0');
	if (status == 0 && (text.failed || instance_parse(parts, text.data) < 0))
		status = error_set(error, "%s/%s is damaged", parts->folder, PART_INSTANCE);
	buffer_release(&text);
	return status;
}

/* There is nothing to recover; returns 1 where the file is there, -1 with @error where it is not.
 */
static int parts_sweep(struct parts *parts, struct error *error)
{
	int status = parts_sweep_folder(parts, error);

	if (status == 0 && parts_have_file(parts))
		status = 1;
	else if (status == 0)
		status = error_set(error,
				   "nothing had been recorded yet in %s, which is removed; "
				   "'ktrack clean' removes what there may be of a tracing instance",
				   parts->folder);
	parts_close(parts);
	return status;
}

int parts_open(struct parts **out, const char *path, const struct parts_owner *owner,
	       struct error *error)
{
	struct parts *parts = parts_alloc(path, owner);
	int status;

	*out = NULL;
	if (!parts)
		return error_set(error, "out of memory");
	parts->is_kept = true;
	parts->is_taken_up = true;
	status = parts_reach(parts, error);
	if (status == 0)
		status = parts_take_up(parts, error);
	if (status == 0 && !parts_have_instance(parts))
		return parts_sweep(parts, error);
	if (status == 0)
		status = parts_read_instance(parts, error);
	if (status == 0)
		status = parts_open_all(parts, error);
	return parts_finish_open(out, parts, status, error);
}

const char *parts_instance(const struct parts *parts)
{
	return parts->instance;
}

static void part_close(const struct part *part)
{
	file_close(part->raw_fd);
	file_close(part->statistics_fd);
	file_close(part->bound_fd);
	file_close(part->fd);
}

void parts_close(struct parts *parts)
{
	if (!parts)
		return;
	for (size_t i = 0; i < parts->nr_parts; i++)
		part_close(&parts->list[i]);
	if (parts->folder_fd >= 0 && !parts->is_kept)
		parts_remove_folder(parts);
	file_close(parts->folder_fd);
	file_close(parts->place_fd);
	file_close(parts->joined_fd);
	file_close(parts->pipe[0]);
	file_close(parts->pipe[1]);
	sight_close(&parts->sight);
	owner_release(&parts->owner);
	buffer_release(&parts->boot);
	buffer_release(&parts->layout);
	formats_release(&parts->formats);
	free(parts->list);
	free(parts->page);
	free(parts->instance);
	free(parts->durable);
	free(parts->folder);
	free(parts->path);
	free(parts);
}
