// SPDX-License-Identifier: GPL-2.0-only
/* Saves the parts of the future trace.dat that are not records. */
#include "tracedat/comms.h"
#include "tracedat/spool.h"
#include "tracedat/spool_entry.h"
#include "tracedat/writer.h"

int spool_save_now(struct spool *spool, struct error *error)
{
	struct buffer comms = { 0 }, options = { 0 }, earlier = { 0 };
	struct error ignored = { 0 };
	int status;

	/* The first time there are none. */
	spool_entry_read(&spool->folder, SPOOL_COMMS, &earlier, &ignored);
	status = comms_append(&comms, &spool->instance.saved, &earlier, error);
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

int spool_save_formats(struct spool *spool, struct buffer *list, struct error *error)
{
	struct buffer formats = { 0 };
	int events_fd = spool->instance.events_fd;
	int status;

	if (formats_read_layout(&spool->formats, events_fd, error) < 0 ||
	    formats_read(&spool->formats, events_fd, list, error) < 0)
		return -1;
	writer_put_formats(&formats, &spool->formats);
	status = spool_entry_write(&spool->folder, SPOOL_FORMATS, &formats, error);
	buffer_release(&formats);
	return status;
}

int spool_save_more(struct spool *spool, size_t *nr_doubtful, struct error *error)
{
	struct buffer list = { 0 };
	int status = instance_files_list_enabled(&spool->instance, &list, error);

	if (status == 0)
		status = spool_save_formats(spool, &list, error);
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
