// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads and writes the origin: lines with the instance's name, the id of the boot, the mode, the id
 * of the recording, the thread that recorded, the threads that were selected, those of 32-bit
 * programs, lines of rules, the CPUs of a buffer that survives a restart, and "incomplete" if it
 * is.
 */
#include "tracedat/spool.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracedat/spool_folder.h"

/* The instance's name if the spool is complete without it. */
#define ORIGIN_NO_INSTANCE "-"

#define ORIGIN_INCOMPLETE "incomplete"
#define ORIGIN_THREAD "thread "
#define ORIGIN_WORKLOAD "workload "
#define ORIGIN_NARROW "32-bit "
#define ORIGIN_RULES "rules:"
#define ORIGIN_BOOT "survives "
#define ORIGIN_LABEL "label "

void spool_origin_begin(struct spool_origin *origin, const char *directory,
			const struct buffer_mode *mode)
{
	struct buffer text = { 0 };

	file_read_boot_id(&origin->boot);
	buffer_append(&text, origin->boot.data, origin->boot.size);
	buffer_printf(&text, "%s %lld", directory, (long long)time_now_ns(CLOCK_BOOTTIME));
	origin->id = text_hash(buffer_text(&text));
	origin->mode = mode;
	origin->writer = namespace_has_kernel_pids() ? getpid() : 0;
	buffer_release(&text);
}

/* Only a line with its newline is complete. */
static char *origin_line(char **text)
{
	char *line = strsep(text, "\n");

	return line && *text ? line : NULL;
}

/* Returns what follows @word at the begin of a line, NULL for another line. */
static const char *line_rest(const char *line, const char *word)
{
	return strncmp(line, word, strlen(word)) == 0 ? line + strlen(word) : NULL;
}

static bool is_list(const char *text)
{
	return text[strspn(text, "0123456789,")] == '\0';
}

/* One of the lines that may be missing. */
static void origin_parse_more(struct spool_origin *origin, const char *line)
{
	const char *thread = line_rest(line, ORIGIN_THREAD);
	const char *workload = line_rest(line, ORIGIN_WORKLOAD);
	const char *narrow = line_rest(line, ORIGIN_NARROW);
	const char *rules = line_rest(line, ORIGIN_RULES);
	const char *boot = line_rest(line, ORIGIN_BOOT);
	const char *label = line_rest(line, ORIGIN_LABEL);

	if (strcmp(line, ORIGIN_INCOMPLETE) == 0)
		origin->is_incomplete = true;
	else if (thread)
		origin->writer = atoi(thread);
	else if (workload && is_list(workload))
		buffer_append_string(&origin->workload, workload);
	else if (narrow && is_list(narrow))
		buffer_append_string(&origin->narrow, narrow);
	else if (boot && is_list(boot))
		buffer_append_string(&origin->boot_cpus, boot);
	else if (label)
		buffer_printf(&origin->labels, "%s\n", label);
	else if (rules)
		buffer_printf(&origin->rules, "%s\n", rules);
}

static int origin_parse(struct spool_origin *origin, char *text)
{
	const char *name = origin_line(&text), *boot = origin_line(&text);
	const char *mode = origin_line(&text), *id = origin_line(&text);
	const char *more;
	struct buffer now = { 0 };

	if (!id || !buffer_mode_find(mode))
		return -1;
	origin->mode = buffer_mode_find(mode);
	buffer_printf(&origin->boot, "%s\n", boot);
	origin->id = strtoull(id, NULL, 16);
	while ((more = origin_line(&text)))
		origin_parse_more(origin, more);
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

static void origin_append_threads(struct buffer *text, const char *word,
				  const struct buffer *threads)
{
	if (threads->size == 0)
		return;
	buffer_append_string(text, word);
	buffer_append(text, threads->data, threads->size);
	buffer_append_char(text, '\n');
}

static void origin_append_lines(struct buffer *text, const char *word, const struct buffer *lines)
{
	struct text rest = buffer_text(lines);

	while (rest.size > 0) {
		struct text line = text_take_line(&rest);

		buffer_printf(text, "%s%.*s\n", word, (int)line.size, line.data);
	}
}

/* Writes the lines by @entry_write; without @instance the spool is complete. */
static int origin_write(struct spool_origin *origin, struct spool_folder *folder,
			const char *instance,
			int (*entry_write)(struct spool_folder *, const char *,
					   const struct buffer *, struct error *),
			struct error *error)
{
	struct buffer text = { 0 };
	int status;

	buffer_printf(&text, "%s\n", instance ? instance : ORIGIN_NO_INSTANCE);
	buffer_append(&text, origin->boot.data, origin->boot.size);
	buffer_printf(&text, "%s\n%llx\n", origin->mode->name, (unsigned long long)origin->id);
	buffer_printf(&text, ORIGIN_THREAD "%d\n", origin->writer);
	origin_append_threads(&text, ORIGIN_WORKLOAD, &origin->workload);
	origin_append_threads(&text, ORIGIN_NARROW, &origin->narrow);
	origin_append_threads(&text, ORIGIN_BOOT, &origin->boot_cpus);
	origin_append_lines(&text, ORIGIN_RULES, &origin->rules);
	origin_append_lines(&text, ORIGIN_LABEL, &origin->labels);
	if (origin->is_incomplete)
		buffer_append_string(&text, ORIGIN_INCOMPLETE "\n");
	status = entry_write(folder, SPOOL_ORIGIN, &text, error);
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
	buffer_release(&origin->workload);
	buffer_release(&origin->narrow);
	buffer_release(&origin->rules);
	buffer_release(&origin->triggers);
	buffer_release(&origin->boot_cpus);
	buffer_release(&origin->labels);
}
