// SPDX-License-Identifier: GPL-2.0-only
/* Life of a spool: from the begin of a recording, or its recovery, to the last statistics. */
#include "tracedat/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Disk space reserved for the options: without statistics, and the statistics of a CPU. */
#define OPTIONS_SIZE 2048
#define STATISTICS_SIZE 512
/* The shortest line, a byte and its newline, has TRACE_DAT_SELECTION in the file. */
#define SELECTION_GROWTH 6

static int spool_pipe_open(struct spool_pipe *pipe, struct error *error)
{
	int size;

	pipe->page_size = sysconf(_SC_PAGESIZE);
	pipe->page = malloc(pipe->page_size);
	if (!pipe->page)
		return error_set(error, "out of memory");
	if (pipe2(pipe->fds, O_CLOEXEC) < 0)
		return error_set_system(error, errno, "cannot create a pipe");
	size = fcntl(pipe->fds[1], F_GETPIPE_SZ);
	if (size < (int)pipe->page_size)
		return error_set_system(error, errno, "cannot use a pipe");
	pipe->size = size;
	return 0;
}

struct spool *spool_init(const char *path, const struct spool_owner *owner, struct error *error)
{
	struct spool *spool = calloc(1, sizeof(*spool));

	if (!spool) {
		error_set(error, "out of memory");
		return NULL;
	}
	*spool = (struct spool){ .origin.mode = buffer_modes,
				 .instance = INSTANCE_FILES_NONE,
				 .pipe.fds = { -1, -1 },
				 .symbols_fd = -1 };
	if (spool_folder_init(&spool->folder, path, owner, error) == 0 &&
	    spool_pipe_open(&spool->pipe, error) == 0)
		return spool;
	spool_close(spool);
	return NULL;
}

int spool_new(struct spool **out, const char *path, const struct spool_owner *owner,
	      struct error *error)
{
	*out = spool_init(path, owner, error);
	if (!*out)
		return -1;
	if (spool_folder_create(&(*out)->folder, error) == 0)
		return 0;
	spool_close(*out);
	*out = NULL;
	return -1;
}

int spool_list_formats(struct spool *spool, const struct instance *instance, struct buffer *list,
		       struct error *error)
{
	const struct instance_paths paths = instance_directories(instance);
	struct instance_files *files = &spool->instance;
	int status = 0;

	if (instance_is_attached(instance)) {
		/* The other program may enable any tracepoint while it is read. */
		if (spool_share(spool, paths.list[INSTANCE_MAIN], error) < 0 ||
		    instance_files_list_all(files, list, error) < 0)
			status = -1;
	} else {
		spool->is_own = true;
		if (instance_files_open_lists(files, &paths, error) < 0 ||
		    instance_files_list_enabled(files, list, error) < 0)
			status = -1;
	}
	/* These are no tracepoint that can be enabled. */
	if (instance_has_stacks(instance))
		buffer_append_string(list, "ftrace:kernel_stack\n");
	if (instance_has_stacks(instance) || instance_has_markers(instance))
		buffer_append_string(list, "ftrace:print\n");
	if (instance_traces_functions(instance))
		buffer_append_string(list, "ftrace:funcgraph_entry\nftrace:funcgraph_exit\n");
	return status;
}

int spool_begin(struct spool *spool, const struct instance *instance,
		const struct buffer_mode *mode, const struct formats *known, struct error *error)
{
	struct spool_origin *origin = &spool->origin;
	SCOPED_BUFFER(list);

	/* Without an instance, formats are those of programs, and the spool is always complete. */
	spool_origin_begin(origin, instance ? instance_directory(instance) : PROGRAMS_BUFFER, mode);
	origin->writer = instance ? instance_own_tid(instance) : getpid();
	if (instance && (spool_attach(spool, instance, error) < 0 ||
			 spool_list_formats(spool, instance, &list, error) < 0))
		return -1;
	if (spool_save_formats(spool, known, &list, error) < 0 || spool_save_now(spool, error) < 0)
		return -1;
	spool_entry_reserve(&spool->folder, SPOOL_OPTIONS,
			    OPTIONS_SIZE + origin->workload.size + origin->narrow.size +
				    origin->rules.size +
				    2 * (origin->labels.size + origin->limits.size + origin->devices.size) +
				    SELECTION_GROWTH * origin->selection.size +
				    STATISTICS_SIZE * spool->nr_files);
	return spool_origin_write(origin, &spool->folder, instance ? instance_name(instance) : NULL,
				  error);
}

static int origin_set(struct buffer *own, struct text text)
{
	buffer_clear(own);
	buffer_append(own, text.data, text.size);
	return own->failed ? -1 : 0;
}

int spool_describe(struct spool *spool, const struct spool_description *description)
{
	struct spool_origin *origin = &spool->origin;

	/* What is kept in memory begins later than this. */
	origin->has_limits = !spool->recent;
	if (origin->has_limits)
		cgroup_limits_append(&origin->limits, CGROUP_ROOT, NULL);
	devices_append(&origin->devices, DEVICES_FOLDER);
	return origin->limits.failed || origin->devices.failed ||
			       origin_set(&origin->workload, description->workload) < 0 ||
			       origin_set(&origin->narrow, description->narrow) < 0 ||
			       origin_set(&origin->rules, description->rules) < 0 ||
			       origin_set(&origin->selection, description->selection) < 0 ||
			       origin_set(&origin->labels, description->labels) < 0 ||
			       origin_set(&origin->command, description->command) < 0
		       ? -1
		       : 0;
}

int spool_mark_incomplete(struct spool *spool, const struct instance *instance, struct error *error)
{
	spool->origin.is_incomplete = true;
	return spool_origin_write(&spool->origin, &spool->folder, instance_name(instance), error);
}

static int spool_file_truncate(struct spool_file *file, uint64_t size)
{
	if (ftruncate(file->fd, size) < 0 || lseek(file->fd, size, SEEK_SET) < 0)
		return -1;
	file->size = size;
	return 0;
}

/* An incomplete sub-buffer at the end was being written when ktrack was killed. */
static int spool_file_open(struct spool *spool, const char *name, struct error *error)
{
	size_t page_size = spool->pipe.page_size;
	struct spool_file *file;
	struct stat status;
	bool is_programs = strcmp(name, SPOOL_PROGRAMS) == 0;
	enum instance_kind kind = INSTANCE_MAIN;
	int cpu = 0;

	if (!is_programs && !spool_cpu_parse(name, &cpu, &kind))
		return 0;
	file = spool_file_add(spool, cpu, kind, error);
	if (!file)
		return -1;
	file->is_programs = is_programs;
	file->fd = spool_entry_open(&spool->folder, name, O_RDWR, error);
	if (file->fd < 0)
		return -1;
	if (fstat(file->fd, &status) == 0 &&
	    spool_file_truncate(file, status.st_size / page_size * page_size) == 0)
		return 0;
	return error_set_system(error, errno, "cannot truncate %s/%s", spool->folder.path, name);
}

/* Opens all files in the folder; returns -1 with @error. */
static int spool_files_open(struct spool *spool, struct error *error)
{
	struct dirent **entries;
	int size = spool_folder_scan(&spool->folder, &entries);
	int status = 0;

	if (size < 0)
		return error_set_system(error, errno, "cannot read %s", spool->folder.path);
	for (int i = 0; i < size; i++) {
		if (status == 0)
			status = spool_file_open(spool, entries[i]->d_name, error);
		free(entries[i]);
	}
	free(entries);
	return status;
}

int spool_open(struct spool **out, const char *path, const struct spool_owner *owner,
	       struct error *error)
{
	struct spool *spool = spool_init(path, owner, error);
	struct spool_folder *folder;
	int status = -1;

	*out = NULL;
	if (!spool)
		return -1;
	folder = &spool->folder;
	folder->is_kept = true;
	spool->is_recovered = true;
	if (spool_folder_open(folder, error) < 0)
		;
	else if (spool_folder_has_recording(folder))
		status = spool_origin_read(&spool->origin, folder, error) < 0
				 ? -1
				 : spool_files_open(spool, error);
	else if (spool_folder_sweep(folder, error) == 0)
		status =
			spool_folder_has_target(folder)
				? 1
				: error_set(error,
					    "%s: no records, removed; run 'ktrack clean' to remove "
					    "its tracing instance",
					    folder->path);
	if (status == 0)
		*out = spool;
	else
		spool_close(spool);
	return status;
}

const char *spool_instance(const struct spool *spool)
{
	return spool->origin.instance;
}

int spool_keep_rights(struct spool *spool, bool *are_owners, struct error *error)
{
	struct owner *owner = &spool->folder.owner;

	*are_owners = spool->folder.is_owners;
	if (owner_settle(owner) == 0)
		return 0;
	return error_set_system(error, errno, "cannot act as user %u", owner->user);
}

/* Counts the records missing in each file; returns -1 with @error. */
static int spool_count_in_flight(struct spool *spool, struct error *error)
{
	for (size_t i = 0; i < spool->nr_files; i++) {
		struct spool_file *file = &spool->files[i];
		struct statistics statistics;
		uint64_t nr_records = spool_file_count(spool, file);

		if (spool_file_statistics(spool, file, &statistics, error) < 0)
			return -1;
		if (statistics.read + statistics.unread > nr_records)
			file->in_flight = statistics.read + statistics.unread - nr_records;
	}
	return 0;
}

static bool sub_buffer_read(const struct spool *spool, const struct spool_file *file,
			    uint64_t offset)
{
	const struct spool_pipe *pipe = &spool->pipe;

	return offset < file->size && file_read_block(file->fd, pipe->page, pipe->page_size,
						      offset) == (ssize_t)pipe->page_size;
}

static bool sub_buffer_times(const struct spool *spool, const struct spool_file *file,
			     uint64_t offset, int64_t *first_ns, int64_t *last_ns)
{
	return sub_buffer_read(spool, file, offset) &&
	       page_look(spool->pipe.page, spool->pipe.page_size, first_ns, last_ns) > 0;
}

/* The CPU that lost most limits the time in which all CPUs are complete. */
static void summary_add(struct spool_summary *summary, const struct spool *spool,
			const struct spool_file *file, const struct statistics *statistics)
{
	int64_t first_ns, last_ns, ignored;
	uint64_t *lost = file->kind == INSTANCE_SIDEBAND ? &summary->lost_sideband : &summary->lost;

	*lost += statistics->overwritten + statistics->dropped + file->in_flight;
	if (file->kind == INSTANCE_CONVENTION)
		summary->lost_convention += statistics->overwritten + statistics->dropped +
					    file->in_flight;
	if (!spool_file_is_deferred(spool, file))
		return;
	if (statistics->overwritten > 0 && sub_buffer_times(spool, file, 0, &first_ns, &ignored) &&
	    (!summary->has_begin || first_ns > summary->begin_ns)) {
		summary->has_begin = true;
		summary->begin_ns = first_ns;
	}
	if (statistics->dropped > 0 && !spool->origin.mode->overwrites &&
	    sub_buffer_times(spool, file, file->size - spool->pipe.page_size, &ignored, &last_ns) &&
	    (!summary->has_end || last_ns < summary->end_ns)) {
		summary->has_end = true;
		summary->end_ns = last_ns;
	}
}

int spool_finish(struct spool *spool, struct spool_summary *summary, struct error *error)
{
	spool->folder.is_kept = true;
	if (spool->programs)
		programs_stop(spool->programs);
	if (spool->is_shared && spool_freeze(spool, error) < 0)
		return -1;
	if (spool_read_rest(spool, error) < 0)
		return -1;
	if (spool->is_recovered && spool_count_in_flight(spool, error) < 0)
		return -1;
	spool->is_counted = true;
	if (spool_save_now(spool, error) < 0 ||
	    spool_origin_complete(&spool->origin, &spool->folder, error) < 0)
		return -1;
	*summary = (struct spool_summary){ 0 };
	for (size_t i = 0; i < spool->nr_files; i++) {
		struct statistics statistics;

		if (spool_file_statistics(spool, &spool->files[i], &statistics, error) < 0)
			return -1;
		summary_add(summary, spool, &spool->files[i], &statistics);
	}
	return 0;
}

void spool_abandon(struct spool *spool)
{
	struct spool_file *programs = spool_programs_file(spool);
	struct error ignored = { 0 };
	SCOPED_BUFFER(options);

	if (!spool->folder.is_kept || spool_count_in_flight(spool, &ignored) < 0)
		return;
	/* Their records wait in rings and in memory. */
	if (programs && !spool->is_counted)
		programs->is_uncounted = true;
	spool->is_counted = true;
	if (writer_put_options(&options, spool, &ignored) == 0 &&
	    spool_entry_overwrite(&spool->folder, SPOOL_OPTIONS, &options, &ignored) == 0)
		spool_origin_complete(&spool->origin, &spool->folder, &ignored);
}

void spool_close(struct spool *spool)
{
	if (!spool)
		return;
	for (size_t i = 0; i < spool->nr_files; i++)
		file_close(spool->files[i].fd);
	buffer_reader_close(spool->reader);
	free(spool->files);
	spool_folder_release(&spool->folder);
	file_close(spool->pipe.fds[0]);
	file_close(spool->pipe.fds[1]);
	file_close(spool->symbols_fd);
	free(spool->pipe.page);
	free(spool->batch);
	instance_files_close(&spool->instance);
	formats_release(&spool->formats);
	spool_origin_release(&spool->origin);
	buffer_release(&spool->machine);
	if (spool->recent)
		recent_release(spool->recent);
	free(spool->recent);
	free(spool);
}

/* The files of a spool, one for each CPU and instance. */

struct spool_file *spool_file_add(struct spool *spool, int cpu, enum instance_kind kind,
				  struct error *error)
{
	if (!array_reserve(spool->files, spool->nr_files)) {
		error_set(error, "out of memory");
		return NULL;
	}
	spool->files[spool->nr_files] = (struct spool_file){
		.cpu = cpu,
		.kind = kind,
		.fd = -1,
	};
	return &spool->files[spool->nr_files++];
}

struct spool_file *spool_file_find(const struct spool *spool, int cpu, enum instance_kind kind)
{
	for (size_t i = 0; i < spool->nr_files; i++) {
		if (spool->files[i].cpu == cpu && spool->files[i].kind == kind &&
		    !spool->files[i].is_programs)
			return &spool->files[i];
	}
	return NULL;
}

int spool_file_fail(struct spool *spool, const struct spool_file *file, struct error *error)
{
	int number = errno;
	char name[SPOOL_NAME_SIZE] = SPOOL_PROGRAMS;

	if (!file->is_programs)
		spool_cpu_name(name, file->cpu, file->kind);
	return spool_entry_fail(&spool->folder, number, name, error);
}

bool spool_file_is_deferred(const struct spool *spool, const struct spool_file *file)
{
	return spool->origin.mode->is_read_at_end && file->kind != INSTANCE_SIDEBAND;
}

void spool_keep(struct spool *spool)
{
	for (size_t i = 0; i < spool->nr_files; i++)
		spool->files[i].kept = spool->files[i].size;
}

int spool_rewind(struct spool *spool, struct error *error)
{
	for (size_t i = 0; i < spool->nr_files; i++) {
		struct spool_file *file = &spool->files[i];

		if (file->size != file->kept && spool_file_truncate(file, file->kept) < 0)
			return spool_file_fail(spool, file, error);
	}
	return 0;
}

uint64_t spool_size(const struct spool *spool)
{
	uint64_t size = 0;

	for (size_t i = 0; i < spool->nr_files; i++)
		size += spool->files[i].size;
	return size;
}

/* Records of programs: one more file of sub-buffers, and formats of their events. */

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

static int spool_layout_programs(struct formats *formats)
{
	if (formats->header_page.size > 0)
		return 0;
	buffer_append_string(&formats->header_page, HEADER_PAGE);
	buffer_append_string(&formats->header_event, HEADER_EVENT);
	return formats->header_page.failed || formats->header_event.failed ? -1 : 0;
}

static int spool_keep_events(struct spool *spool, struct error *error)
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

static int spool_read_programs(struct spool *spool, struct error *error)
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

static int spool_read_rest_of_programs(struct spool *spool, struct error *error)
{
	struct spool_file *file = spool_programs_file(spool);

	if (!spool->programs || !file)
		return 0;
	/* Behind the end it only says whether the last message could be taken. */
	if (programs_read(spool->programs, 0, error) < 0 || spool_save_events(spool, error) < 0)
		return -1;
	return spool_fill(spool, file, INT64_MAX, error);
}

static void spool_wait_programs(const struct spool *spool, int also_fd, int timeout_ms)
{
	struct pollfd fds[] = { { .fd = programs_fd(spool->programs), .events = POLLIN },
				{ .fd = also_fd, .events = POLLIN } };

	poll(fds, sizeof(fds) / sizeof(fds[0]), timeout_ms);
}

/* Moves sub-buffers from ring buffers to files without parsing them. */

/* Rounds over all CPUs in one call; a fast writer must not keep it from returning. */
#define ROUNDS_MAX 64

/* Gives a ring buffer its file, which an earlier run may have created. */
static int spool_file_attach(struct spool *spool, struct cpu_buffer *buffer, struct error *error)
{
	struct spool_file *file = spool_file_find(spool, buffer->cpu, buffer->kind);
	char name[SPOOL_NAME_SIZE];

	if (!file)
		file = spool_file_add(spool, buffer->cpu, buffer->kind, error);
	if (!file)
		return -1;
	file->buffer = buffer;
	if (file->fd >= 0)
		return 0;
	spool_cpu_name(name, file->cpu, file->kind);
	file->fd = spool_entry_create(&spool->folder, name, error);
	return file->fd < 0 ? -1 : 0;
}

int spool_attach_paths(struct spool *spool, const struct instance_paths *paths, struct error *error)
{
	if (instance_files_open(&spool->instance, paths->list[INSTANCE_MAIN], error) < 0 ||
	    buffer_reader_open(&spool->reader, paths, error) < 0)
		return -1;
	for (size_t i = 0; i < spool->reader->size; i++) {
		if (spool_file_attach(spool, &spool->reader->list[i], error) < 0)
			return -1;
	}
	return 0;
}

int spool_attach(struct spool *spool, const struct instance *instance, struct error *error)
{
	const struct instance_paths paths = instance_directories(instance);

	return spool_attach_paths(spool, &paths, error);
}

void spool_wait(const struct spool *spool, int also_fd, int timeout_ms)
{
	if (spool->programs && programs_wait_ms(spool->programs) < timeout_ms)
		timeout_ms = programs_wait_ms(spool->programs);
	if (!spool->reader) {
		spool_wait_programs(spool, also_fd, timeout_ms);
		return;
	}
	spool->reader->is_held = spool->origin.mode->is_read_at_end;
	buffer_reader_wait(spool->reader, also_fd, timeout_ms, 0);
}

static int pipe_empty(struct spool *spool, struct spool_file *file, size_t size,
		      struct error *error)
{
	const struct spool_pipe *pipe = &spool->pipe;

	while (size > 0) {
		ssize_t moved = splice(pipe->fds[0], NULL, file->fd, NULL, size, SPLICE_F_MOVE);

		/* Some filesystems need a copy. */
		if (moved < 0 && errno == EINVAL) {
			moved = read(pipe->fds[0], pipe->page,
				     size < pipe->page_size ? size : pipe->page_size);
			if (moved > 0 &&
			    file_write_all(file->fd, (const char *)pipe->page, moved, NULL) < 0)
				moved = -1;
		}
		if (moved < 0 && errno == EINTR)
			continue;
		if (moved <= 0)
			return spool_file_fail(spool, file, error);
		file->size += moved;
		size -= moved;
	}
	return 0;
}

/* Moves full sub-buffers; returns 1 if there were some, 0 if not, -1 with @error. */
static int spool_file_splice(struct spool *spool, struct spool_file *file, struct error *error)
{
	ssize_t size;

	if (!file->buffer)
		return 0;
	size = cpu_buffer_splice(file->buffer, spool->pipe.fds[1], spool->pipe.size, error);
	if (size < 0)
		spool->folder.is_kept = true;
	if (size <= 0)
		return size;
	return pipe_empty(spool, file, size, error) < 0 ? -1 : 1;
}

int spool_read(struct spool *spool, struct error *error)
{
	int moved = 1;

	if (spool_read_programs(spool, error) < 0)
		return -1;
	for (int round = 0; moved && round < ROUNDS_MAX; round++) {
		moved = 0;
		for (size_t i = 0; i < spool->nr_files; i++) {
			struct spool_file *file = &spool->files[i];
			int status = spool_file_is_deferred(spool, file)
					     ? 0
					     : spool_file_splice(spool, file, error);

			if (status < 0)
				return -1;
			moved |= status;
		}
	}
	return 0;
}

/* Copies the sub-buffer that is not full; returns as spool_file_splice(). */
static int spool_file_copy(struct spool *spool, struct spool_file *file, struct error *error)
{
	const struct spool_pipe *pipe = &spool->pipe;
	ssize_t size;

	if (!file->buffer)
		return 0;
	size = cpu_buffer_read(file->buffer, pipe->page, error);
	if (size < 0)
		spool->folder.is_kept = true;
	if (size <= 0)
		return size;
	memset(pipe->page + size, 0, pipe->page_size - size);
	if (file_write_all(file->fd, (const char *)pipe->page, pipe->page_size, NULL) < 0)
		return spool_file_fail(spool, file, error);
	file->size += pipe->page_size;
	return 1;
}

static int spool_file_read_rest(struct spool *spool, struct spool_file *file, uint64_t total,
				struct error *error)
{
	int status;

	do {
		uint64_t before = file->size;

		status = spool_file_splice(spool, file, error);
		byte_progress_add(spool->progress, file->size - before, total);
	} while (status > 0);
	if (status < 0)
		return -1;
	do {
		status = spool_file_copy(spool, file, error);
	} while (status > 0);
	return status;
}

int spool_read_rest(struct spool *spool, struct error *error)
{
	struct buffer_counts counts = { 0 };

	if (spool->progress) {
		spool_count(spool, &counts);
		spool->progress->done = 0;
	}
	for (size_t i = 0; i < spool->nr_files; i++) {
		if (spool_file_read_rest(spool, &spool->files[i], counts.held_bytes, error) < 0)
			return -1;
	}
	return spool_read_rest_of_programs(spool, error);
}

/*
 * Counts recorded and lost records. An instance of another program has statistics from before the
 * recording, and continues after it: both are subtracted.
 */

/** spool_check_sub_buffers - refuse sub-buffers that are not pages; returns -1 with @error */
static int spool_check_sub_buffers(const struct spool *spool, const char *directory,
				   struct error *error)
{
	uint64_t sub_buffer_kib = instance_number(directory, "buffer_subbuf_size_kb");

	if (sub_buffer_kib == 0 || sub_buffer_kib * 1024 == spool->pipe.page_size)
		return 0;
	return error_set(error,
			 "%s: its sub-buffers are not pages; set buffer_subbuf_size_kb to %zu",
			 directory, spool->pipe.page_size / 1024);
}

int spool_share(struct spool *spool, const char *directory, struct error *error)
{
	spool->is_shared = true;
	if (spool_check_sub_buffers(spool, directory, error) < 0)
		return -1;
	buffer_reader_share(spool->reader);
	return 0;
}

int spool_freeze(struct spool *spool, struct error *error)
{
	if (buffer_reader_freeze(spool->reader, error) < 0)
		return -1;
	buffer_reader_limit(spool->reader);
	return 0;
}

int spool_file_statistics(const struct spool *spool, const struct spool_file *file,
			  struct statistics *out, struct error *error)
{
	struct programs_counts counts;

	*out = (struct statistics){ 0 };
	if (file->is_programs && spool->programs) {
		programs_count(spool->programs, &counts);
		out->read = counts.read;
		out->overwritten = counts.lost;
		return 0;
	}
	if (file->buffer && cpu_buffer_account(file->buffer, out, error) < 0)
		return -1;
	if (spool->is_shared)
		out->unread = 0;
	return 0;
}

/* Unread records will be recorded, too. */
void spool_count(const struct spool *spool, struct buffer_counts *out)
{
	struct programs_counts counts = { 0 };

	*out = (struct buffer_counts){ 0 };
	if (spool->reader)
		buffer_reader_count(spool->reader, out);
	if (spool->programs)
		programs_count(spool->programs, &counts);
	out->read += out->unread + counts.read;
	out->lost += counts.lost;
}

uint64_t spool_file_count(const struct spool *spool, const struct spool_file *file)
{
	size_t page_size = spool->pipe.page_size;
	uint64_t nr_records = 0;
	int64_t ignored;

	for (uint64_t offset = 0; sub_buffer_read(spool, file, offset); offset += page_size)
		nr_records += page_look(spool->pipe.page, page_size, &ignored, &ignored);
	return nr_records;
}

/* Saves the parts of the future trace.dat that are not records, and the buffers of any instance. */

#define KALLSYMS_PATH "/proc/kallsyms"

int spool_save_now(struct spool *spool, struct error *error)
{
	/*
	 * Threads that ended before recording began have no records in an instance of our own.
	 * Reading saved_tgids takes a while: the kernel looks at each thread id up to pid_max.
	 */
	static const struct saved_tasks none = SAVED_TASKS_NONE;
	const struct saved_tasks *saved = &spool->instance.saved;
	SCOPED_BUFFER(comms);
	SCOPED_BUFFER(options);
	SCOPED_BUFFER(earlier);

	if (spool->is_own && !spool->is_counted && !saved->is_nested)
		saved = &none;
	/* The first time there are none. */
	spool_entry_read(&spool->folder, SPOOL_COMMS, &earlier, &(struct error){ 0 });
	if (spool->machine.size > 0)
		buffer_append(&comms, earlier.data, earlier.size);
	else if (comms_append(&comms, saved, spool->programs, &earlier, error) < 0)
		return -1;
	if (writer_put_options(&options, spool, error) < 0 ||
	    spool_entry_write(&spool->folder, SPOOL_COMMS, &comms, error) < 0)
		return -1;
	return spool_entry_write(&spool->folder, SPOOL_OPTIONS, &options, error);
}

/*
 * The file is at the top level of tracefs, above the folder of events, which may be an instance's.
 * Without it, or without modules that declare strings, pointers to them remain numbers.
 */
static int spool_save_constants(struct spool *spool, struct error *error)
{
	static const char *const paths[] = { "../printk_formats", "../../../printk_formats" };
	SCOPED_BUFFER(text);

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]) && text.size == 0; i++) {
		buffer_clear(&text);
		if (file_read_at(spool->instance.events_fd, paths[i], &text) < 0)
			buffer_clear(&text);
	}
	return text.size > 0 ? spool_entry_write(&spool->folder, SPOOL_CONSTANTS, &text, error) : 0;
}

int spool_save_formats(struct spool *spool, const struct formats *known, struct buffer *list,
		       struct error *error)
{
	int events_fd = spool->instance.events_fd;
	SCOPED_BUFFER(formats);

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
	return spool_entry_write(&spool->folder, SPOOL_FORMATS, &formats, error);
}

/* Reads the whole file again: its modules may have changed. */
int spool_save_symbols_now(struct spool *spool, struct error *error)
{
	SCOPED_BUFFER(text);

	if (spool->symbols_fd < 0 || spool->folder.fd < 0)
		return 0;
	if (file_read_anew(spool->symbols_fd, &text) < 0)
		return error_set_system(error, errno, "cannot read " KALLSYMS_PATH);
	return spool_entry_write(&spool->folder, SPOOL_SYMBOLS, &text, error);
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
	SCOPED_BUFFER(list);
	int status = instance_files_list_enabled(&spool->instance, &list, error);

	if (status == 0)
		status = spool_save_formats(spool, NULL, &list, error);
	if (status == 0)
		status = spool_save_symbols_now(spool, error);
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

static int save_records(struct spool *spool, const char *directory, bool has_symbols,
			struct error *error)
{
	struct instance_paths paths;
	SCOPED_BUFFER(list);
	int status = instance_paths_find(&paths, directory, error);

	if (status == 0)
		status = spool_attach_paths(spool, &paths, error);
	instance_paths_release(&paths);
	/* What others have read is not in this file. */
	if (status < 0 || spool_share(spool, directory, error) < 0)
		return -1;
	buffer_reader_limit(spool->reader);
	spool_origin_begin(&spool->origin, directory, buffer_modes);
	/* Tracepoints that are disabled now may have records. */
	if (instance_files_list_all(&spool->instance, &list, error) < 0 ||
	    spool_save_formats(spool, NULL, &list, error) < 0 ||
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

/* Writes, verifies, syncs and publishes the trace.dat of a spool, in this order. */

static int trace_file_verify(struct trace_file *file, struct error *error)
{
	size_t nr_streams;
	struct stream *streams = trace_file_streams(file, &nr_streams);
	struct loss ignored;

	for (size_t i = 0; i < nr_streams; i++) {
		for (;;) {
			if (stream_fill(&streams[i], error) < 0)
				return -1;
			if (!streams[i].has_next)
				break;
			stream_take_gap(&streams[i], &ignored);
			while (stream_advance(&streams[i]))
				;
		}
		trace_file_statistics(file, &streams[i]);
	}
	trace_file_finish(file);
	return 0;
}

/* Returns 1 with @error if the file can be opened, but not read completely. */
static int joined_read(const struct spool *spool, const char *path, struct error *error)
{
	struct trace_file *file;
	int status = 0;

	if (trace_file_open(&file, path, NULL, error) < 0)
		return -1;
	if (spool->progress)
		spool->progress->done = 0;
	trace_file_set_progress(file, spool->progress);
	/* Records that the kernel delivered just now need no check. */
	if (spool->is_recovered)
		status = trace_file_verify(file, error);
	if (status == 0 && trace_file_damage(file))
		status = error_set(error, "%s", trace_file_damage(file));
	trace_file_close(file);
	return status < 0 ? 1 : 0;
}

/* Reads the file with its owner's rights. Returns as joined_read(). */
static int joined_verify(const struct spool *spool, int fd, struct error *error)
{
	const struct spool_folder *folder = &spool->folder;
	struct error reason = { 0 };
	struct text problem;
	char path[64];
	int status;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (owner_begin(&folder->owner) < 0)
		return error_set_system(error, errno, "cannot act as user %u", folder->owner.user);
	status = joined_read(spool, path, &reason);
	owner_end(&folder->owner);
	/* Without its object and its remedy. */
	problem = text_of(reason.text);
	if (text_take_begin(&problem, path))
		text_take_begin(&problem, ": ");
	problem.size = strcspn(problem.data, ";");
	if (status < 0)
		error_set(error,
			  "%s: the recording cannot be read (%.*s); the raw records are kept in "
			  "%s, remove them if 'ktrack recover %s' fails again",
			  folder->target, (int)problem.size, problem.data, folder->path,
			  folder->target);
	if (status > 0)
		error_set(error,
			  "%s: written, but not all of it can be read (%.*s); the raw records are "
			  "kept in %s, remove them yourself",
			  folder->target, (int)problem.size, problem.data, folder->path);
	return status;
}

void spool_set_progress(struct spool *spool, struct byte_progress *progress)
{
	spool->progress = progress;
}

int spool_join(struct spool *spool, struct error *error)
{
	struct spool_folder *folder = &spool->folder;
	int fd = spool_folder_open_joined(folder, error);
	int status;

	if (fd < 0)
		return -1;
	folder->is_kept = true;
	if (spool->progress)
		spool->progress->done = 0;
	status = writer_write(spool, fd, error);
	if (status == 0)
		status = joined_verify(spool, fd, error);
	if (status >= 0 && file_sync(fd) < 0)
		status = spool_entry_fail(folder, errno, SPOOL_JOINED, error);
	close(fd);
	if (status >= 0 && spool_folder_publish(folder, error) < 0)
		status = -1;
	if (status < 0)
		spool_folder_remove_joined(folder);
	if (status == 0)
		folder->is_kept = false;
	return status == 0 ? 0 : -1;
}
