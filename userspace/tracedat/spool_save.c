// SPDX-License-Identifier: GPL-2.0-only
/* Saves the parts of the future trace.dat that are not records, and the buffers of any instance. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "tracedat/spool.h"
#include "tracedat/spool_entry.h"
#include "tracedat/writer.h"

#define KALLSYMS_PATH "/proc/kallsyms"

/*
 * Threads that ended before recording began have no records in an instance of our own. Reading
 * saved_tgids takes a while: the kernel looks at each thread id up to pid_max.
 */
static const struct saved_tasks *spool_saved_tasks(const struct spool *spool)
{
	static const struct saved_tasks none = SAVED_TASKS_NONE;
	const struct saved_tasks *saved = &spool->instance.saved;

	return spool->is_own && !spool->is_counted && !saved->is_nested ? &none : saved;
}

int spool_save_now(struct spool *spool, struct error *error)
{
	struct buffer comms = { 0 }, options = { 0 }, earlier = { 0 };
	struct error ignored = { 0 };
	int status;

	/* The first time there are none. */
	spool_entry_read(&spool->folder, SPOOL_COMMS, &earlier, &ignored);
	if (spool->machine.size > 0)
		buffer_append(&comms, earlier.data, earlier.size);
	status = spool->machine.size > 0 ? 0
					 : comms_append(&comms, spool_saved_tasks(spool),
							spool->programs, &earlier, error);
	if (status == 0)
		status = writer_put_options(&options, spool, error);
	if (status == 0)
		status = spool_entry_write(&spool->folder, SPOOL_COMMS, &comms, error);
	if (status == 0)
		status = spool_entry_write(&spool->folder, SPOOL_OPTIONS, &options, error);
	buffer_release(&comms);
	buffer_release(&options);
	buffer_release(&earlier);
	return status;
}

/*
 * The file is at the top level of tracefs, above the folder of events, which may be an instance's.
 * Without it, or without modules that declare strings, pointers to them remain numbers.
 */
static int spool_save_constants(struct spool *spool, struct error *error)
{
	static const char *const paths[] = { "../printk_formats", "../../../printk_formats" };
	struct buffer text = { 0 };
	int status = 0;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]) && text.size == 0; i++) {
		buffer_clear(&text);
		if (file_read_at(spool->instance.events_fd, paths[i], &text) < 0)
			buffer_clear(&text);
	}
	if (text.size > 0)
		status = spool_entry_write(&spool->folder, SPOOL_CONSTANTS, &text, error);
	buffer_release(&text);
	return status;
}

int spool_save_formats(struct spool *spool, const struct formats *known, struct buffer *list,
		       struct error *error)
{
	struct buffer formats = { 0 };
	int events_fd = spool->instance.events_fd;
	int status;

	if (events_fd < 0 ? spool_layout_programs(&spool->formats) < 0
			  : formats_read_layout(&spool->formats, events_fd, error) < 0)
		return error_set(error, "out of memory");
	if (spool_keep_events(spool, error) < 0 ||
	    formats_read(&spool->formats, known, events_fd, list, error) < 0)
		return -1;
	/* A spool in memory has no folder yet. */
	if (spool->folder.fd < 0)
		return 0;
	if (events_fd >= 0 && spool_save_constants(spool, error) < 0)
		return -1;
	writer_put_formats(&formats, &spool->formats);
	status = spool_entry_write(&spool->folder, SPOOL_FORMATS, &formats, error);
	buffer_release(&formats);
	return status;
}

/* Reads the whole file again: its modules may have changed. */
int spool_save_symbols_now(struct spool *spool, struct error *error)
{
	struct buffer text = { 0 };
	int status = 0;

	if (spool->symbols_fd < 0 || spool->folder.fd < 0)
		return 0;
	if (file_read_anew(spool->symbols_fd, &text) < 0)
		status = error_set_system(error, errno, "cannot read " KALLSYMS_PATH);
	else
		status = spool_entry_write(&spool->folder, SPOOL_SYMBOLS, &text, error);
	buffer_release(&text);
	return status;
}

int spool_save_symbols(struct spool *spool, struct error *error)
{
	spool->symbols_fd = open(KALLSYMS_PATH, O_RDONLY | O_CLOEXEC);
	if (spool->symbols_fd < 0)
		return error_set_system(error, errno, "cannot open " KALLSYMS_PATH);
	return spool_save_symbols_now(spool, error);
}

int spool_save_more(struct spool *spool, size_t *nr_doubtful, struct error *error)
{
	struct buffer list = { 0 };
	int status = instance_files_list_enabled(&spool->instance, &list, error);

	if (status == 0)
		status = spool_save_formats(spool, NULL, &list, error);
	if (status == 0)
		status = spool_save_symbols_now(spool, error);
	buffer_release(&list);
	*nr_doubtful = formats_count_doubtful(&spool->formats);
	return status;
}

/* The origin last, as when it was written. */
int spool_sync(struct spool *spool, struct error *error)
{
	static const char *const names[] = { SPOOL_FORMATS, SPOOL_COMMS, SPOOL_OPTIONS,
					     SPOOL_ORIGIN };
	struct spool_folder *folder = &spool->folder;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (spool_entry_sync(folder, names[i], error) < 0)
			return -1;
	}
	return spool_folder_sync(folder, error);
}

static int save_attach(struct spool *spool, const char *directory, struct error *error)
{
	struct buffer sideband = { 0 };
	int status = sideband_directory(&sideband, directory, error);

	if (status == 0)
		status = spool_attach_directory(spool, directory,
						sideband.size > 0 ? buffer_string(&sideband) : NULL,
						error);
	buffer_release(&sideband);
	return status;
}

/* Tracepoints that are disabled now may have records. */
static int save_formats(struct spool *spool, struct error *error)
{
	struct buffer list = { 0 };
	int status = instance_files_list_all(&spool->instance, &list, error);

	if (status == 0)
		status = spool_save_formats(spool, NULL, &list, error);
	buffer_release(&list);
	return status;
}

static int save_records(struct spool *spool, const char *directory, bool has_symbols,
			struct error *error)
{
	/* What others have read is not in this file. */
	if (save_attach(spool, directory, error) < 0 || spool_share(spool, directory, error) < 0)
		return -1;
	buffer_reader_limit(spool->reader);
	spool_origin_begin(&spool->origin, directory, buffer_modes);
	if (save_formats(spool, error) < 0 ||
	    (has_symbols && spool_save_symbols(spool, error) < 0) ||
	    spool_save_now(spool, error) < 0 ||
	    spool_origin_write(&spool->origin, &spool->folder, NULL, error) < 0)
		return -1;
	spool->folder.is_kept = true;
	if (spool_read_rest(spool, error) < 0)
		return -1;
	spool->is_counted = true;
	return spool_save_now(spool, error) < 0 ? -1 : spool_join(spool, error);
}

int spool_save(const char *path, const struct spool_owner *owner, const char *directory,
	       bool has_symbols, struct error *error)
{
	struct spool *spool;
	int status;

	if (spool_new(&spool, path, owner, error) < 0)
		return -1;
	status = save_records(spool, directory, has_symbols, error);
	spool_close(spool);
	return status;
}
