// SPDX-License-Identifier: GPL-2.0-only
/* Records of programs in a spool: one more file of sub-buffers, and formats of their events. */
#include <poll.h>
#include <string.h>

#include "tracedat/spool.h"
#include "tracedat/spool_entry.h"

/* What tracefs would print: sub-buffers of programs have the layout of 64-bit kernels. */
#define HEADER_PAGE                                                 \
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"  \
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n" \
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"  \
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n"
#define HEADER_EVENT                                                                  \
	"# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 " \
	"bits\n\tarray "                                                              \
	"      :   32 bits\n\n\tpadding     : type == 29\n\ttime_extend : type == "   \
	"30\n\ttime_stamp : type == 31\n\tdata max type_len  == 28\n"

struct spool_file *spool_programs_file(const struct spool *spool)
{
	for (size_t i = 0; i < spool->nr_files; i++) {
		if (spool->files[i].is_programs)
			return &spool->files[i];
	}
	return NULL;
}

int spool_set_programs(struct spool *spool, struct programs *programs, struct error *error)
{
	struct spool_file *file = spool_file_add(spool, 0, false, error);

	if (!file)
		return -1;
	spool->programs = programs;
	file->is_programs = true;
	file->fd = spool_entry_create(&spool->folder, SPOOL_PROGRAMS, error);
	return file->fd < 0 ? -1 : 0;
}

int spool_layout_programs(struct formats *formats)
{
	if (formats->header_page.size > 0)
		return 0;
	buffer_append_string(&formats->header_page, HEADER_PAGE);
	buffer_append_string(&formats->header_event, HEADER_EVENT);
	return formats->header_page.failed || formats->header_event.failed ? -1 : 0;
}

int spool_keep_events(struct spool *spool, struct error *error)
{
	size_t nr_events = spool->programs ? programs_nr_events(spool->programs) : 0;

	for (; spool->nr_events < nr_events; spool->nr_events++) {
		const struct program_event *event = programs_event(spool->programs,
								   spool->nr_events);

		if (formats_keep(&spool->formats, event->system, event->name, event->text) < 0)
			return error_set(error, "out of memory");
	}
	return 0;
}

/* Formats come before records. */
static int spool_save_events(struct spool *spool, struct error *error)
{
	struct buffer list = { 0 };
	int status = 0;

	if (spool->nr_events < programs_nr_events(spool->programs))
		status = spool_save_formats(spool, NULL, &list, error);
	buffer_release(&list);
	return status;
}

static int spool_fill(struct spool *spool, struct spool_file *file, int64_t until_ns,
		      struct error *error)
{
	unsigned char page[PROGRAM_PAGE_SIZE];
	size_t page_size = spool->pipe.page_size;
	size_t size;

	while ((size = programs_fill(spool->programs, until_ns, page)) > 0) {
		/* A page of the file may be larger. */
		memset(spool->pipe.page, 0, page_size);
		memcpy(spool->pipe.page, page, size);
		if (file_write_all(file->fd, (const char *)spool->pipe.page, page_size, NULL) < 0)
			return spool_file_fail(spool, file, error);
		file->size += page_size;
	}
	return 0;
}

int spool_read_programs(struct spool *spool, struct error *error)
{
	struct spool_file *file = spool_programs_file(spool);

	if (!spool->programs || !file)
		return 0;
	if (programs_read(spool->programs, PROGRAMS_PASS_MS, error) < 0 ||
	    spool_save_events(spool, error) < 0)
		return -1;
	return spool_file_is_deferred(spool, file)
		       ? 0
		       : spool_fill(spool, file, programs_ready_ns(spool->programs), error);
}

int spool_read_rest_of_programs(struct spool *spool, struct error *error)
{
	struct spool_file *file = spool_programs_file(spool);

	if (!spool->programs || !file)
		return 0;
	if (spool_save_events(spool, error) < 0)
		return -1;
	return spool_fill(spool, file, INT64_MAX, error);
}

void spool_wait_programs(const struct spool *spool, int also_fd, int timeout_ms)
{
	struct pollfd fds[] = { { .fd = programs_fd(spool->programs), .events = POLLIN },
				{ .fd = also_fd, .events = POLLIN } };

	poll(fds, sizeof(fds) / sizeof(fds[0]), timeout_ms);
}
