// SPDX-License-Identifier: GPL-2.0-only
/* Records of programs in a spool: one more file of sub-buffers, and formats of their events. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracedat/spool.h"

/* Sub-buffers are written in pieces of this size: a multiple of any page size. */
#define SPOOL_BATCH_SIZE ((size_t)256 << 10)
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
	struct spool_file *file = spool_file_add(spool, 0, INSTANCE_MAIN, error);

	if (!file)
		return -1;
	spool->programs = programs;
	spool->batch = malloc(SPOOL_BATCH_SIZE);
	if (!spool->batch)
		return error_set(error, "out of memory");
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
	SCOPED_BUFFER(list);
	int status = 0;

	if (spool->nr_events < programs_nr_events(spool->programs))
		status = spool_save_formats(spool, NULL, &list, error);
	return status;
}

/* Writes the batch behind @begin bytes of the file; its last sub-buffer may be extended. */
static int batch_write(struct spool *spool, struct spool_file *file, uint64_t begin, size_t size,
		       struct error *error)
{
	size_t page_size = spool->pipe.page_size;

	if (lseek(file->fd, begin, SEEK_SET) < 0 ||
	    file_write_all(file->fd, (const char *)spool->batch, size, NULL) < 0)
		return spool_file_fail(spool, file, error);
	file->size = begin + size;
	spool->batched_size = file->size;
	memmove(spool->batch, spool->batch + size - page_size, page_size);
	return 0;
}

static int spool_fill(struct spool *spool, struct spool_file *file, int64_t until_ns,
		      struct error *error)
{
	size_t page_size = spool->pipe.page_size;
	size_t size, used = 0;
	uint64_t begin;

	/* A sub-buffer that is not full is extended: programs that write little need few. */
	if (file->size > 0 && file->size == spool->batched_size &&
	    programs_extend(spool->programs, until_ns, spool->batch) > 0)
		used = page_size;
	begin = file->size - used;
	while ((size = programs_fill(spool->programs, until_ns, spool->batch + used)) > 0) {
		/* A page of the file may be larger. */
		memset(spool->batch + used + size, 0, page_size - size);
		used += page_size;
		if (used < SPOOL_BATCH_SIZE)
			continue;
		if (batch_write(spool, file, begin, used, error) < 0)
			return -1;
		begin = file->size;
		used = 0;
	}
	return used > 0 ? batch_write(spool, file, begin, used, error) : 0;
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
