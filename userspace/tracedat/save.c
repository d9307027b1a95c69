// SPDX-License-Identifier: GPL-2.0-only
/* Saves the current buffers of any instance as a trace.dat. */
#include <unistd.h>

#include "tracedat/spool_statistics.h"

static int save_attach(struct spool *spool, const char *directory, struct error *error)
{
	struct buffer sideband = { 0 };
	bool exists;
	int status;

	buffer_printf(&sideband, "%s" SIDEBAND_SUFFIX, directory);
	exists = access(buffer_string(&sideband), F_OK) == 0;
	status = spool_attach_directory(spool, directory, exists ? buffer_string(&sideband) : NULL,
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
		status = spool_save_formats(spool, &list, error);
	buffer_release(&list);
	return status;
}

static int save_records(struct spool *spool, const char *directory, struct error *error)
{
	if (spool_check_sub_buffers(spool, directory, error) < 0 ||
	    save_attach(spool, directory, error) < 0)
		return -1;
	buffer_reader_limit(spool->reader);
	spool_origin_begin(&spool->origin, directory, buffer_modes);
	if (save_formats(spool, error) < 0 || spool_save_now(spool, error) < 0 ||
	    spool_origin_write(&spool->origin, &spool->folder, NULL, error) < 0)
		return -1;
	spool_folder_keep(&spool->folder);
	if (spool_read_rest(spool, error) < 0)
		return -1;
	spool->is_counted = true;
	return spool_save_now(spool, error) < 0 ? -1 : spool_join(spool, error);
}

int spool_save(const char *path, const struct spool_owner *owner, const char *directory,
	       struct error *error)
{
	struct spool *spool;
	int status;

	if (spool_new(&spool, path, owner, error) < 0)
		return -1;
	status = save_records(spool, directory, error);
	spool_close(spool);
	return status;
}
