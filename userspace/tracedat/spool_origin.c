// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads and writes the origin: lines with the instance's name, the id of the boot, the mode, the id
 * of the recording, and "incomplete" if it is.
 */
#include "tracedat/spool.h"

#include <stdlib.h>
#include <string.h>

#include "tracedat/spool_entry.h"

/* The instance's name if the spool is complete without it. */
#define ORIGIN_NO_INSTANCE "-"

#define ORIGIN_INCOMPLETE "incomplete"

void spool_origin_begin(struct spool_origin *origin, const char *directory,
			const struct buffer_mode *mode)
{
	struct buffer text = { 0 };

	file_read_boot_id(&text);
	buffer_printf(&text, "%s %lld", directory, (long long)time_now_ns(CLOCK_BOOTTIME));
	origin->id = text_hash(buffer_text(&text));
	origin->mode = mode;
	buffer_release(&text);
}

/* Only a line with its newline is complete. */
static char *origin_line(char **text)
{
	char *line = strsep(text, "\n");

	return line && *text ? line : NULL;
}

static int origin_parse(struct spool_origin *origin, char *text)
{
	const char *name = origin_line(&text), *boot = origin_line(&text);
	const char *mode = origin_line(&text), *id = origin_line(&text);
	const char *incomplete = origin_line(&text);
	struct buffer now = { 0 };

	if (!id || !buffer_mode_find(mode))
		return -1;
	origin->mode = buffer_mode_find(mode);
	origin->id = strtoull(id, NULL, 16);
	origin->is_incomplete = incomplete && strcmp(incomplete, ORIGIN_INCOMPLETE) == 0;
	file_read_boot_id(&now);
	if (strcmp(name, ORIGIN_NO_INSTANCE) == 0)
		origin->instance = strdup("");
	else if (strncmp(buffer_string(&now), boot, strlen(boot)) == 0)
		origin->instance = strdup(name);
	buffer_release(&now);
	return 0;
}

int spool_origin_read(struct spool_origin *origin, const struct spool_folder *folder,
		      struct error *error)
{
	struct buffer text = { 0 };
	int status = spool_entry_read(folder, SPOOL_ORIGIN, &text, error);

	buffer_append_char(&text, '\0');
	if (status == 0 && (text.failed || origin_parse(origin, text.data) < 0))
		status = error_set(error, "%s/%s: damaged; the recording cannot be recovered",
				   folder->path, SPOOL_ORIGIN);
	buffer_release(&text);
	return status;
}

/* Writes the lines by @write; without @instance the spool is complete. */
static int origin_write(struct spool_origin *origin, struct spool_folder *folder,
			const char *instance, __typeof__(spool_entry_write) *write,
			struct error *error)
{
	struct buffer text = { 0 };
	int status;

	if (origin->boot.size == 0)
		file_read_boot_id(&origin->boot);
	buffer_printf(&text, "%s\n", instance ? instance : ORIGIN_NO_INSTANCE);
	buffer_append(&text, origin->boot.data, origin->boot.size);
	buffer_printf(&text, "%s\n%llx\n", origin->mode->name, (unsigned long long)origin->id);
	if (origin->is_incomplete)
		buffer_append_string(&text, ORIGIN_INCOMPLETE "\n");
	status = write(folder, SPOOL_ORIGIN, &text, error);
	buffer_release(&text);
	return status;
}

int spool_origin_write(struct spool_origin *origin, struct spool_folder *folder,
		       const char *instance, struct error *error)
{
	return origin_write(origin, folder, instance, spool_entry_write, error);
}

int spool_origin_complete(struct spool_origin *origin, struct spool_folder *folder,
			  struct error *error)
{
	return origin_write(origin, folder, NULL, spool_entry_overwrite, error);
}

void spool_origin_release(struct spool_origin *origin)
{
	free(origin->instance);
	buffer_release(&origin->boot);
}
