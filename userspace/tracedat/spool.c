// SPDX-License-Identifier: GPL-2.0-only
/* Life of a spool: from the begin of a recording, or its recovery, to the last statistics. */
#include "tracedat/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "tracedat/spool_entry.h"
#include "tracedat/writer.h"

/* Disk space reserved for the options: without statistics, and the statistics of a CPU. */
#define OPTIONS_SIZE 2048
#define STATISTICS_SIZE 512

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

static int spool_begin_shared(struct spool *spool, const char *directory, struct buffer *list,
			      struct error *error)
{
	/* The other program may enable any tracepoint while it is read. */
	if (spool_share(spool, directory, error) < 0)
		return -1;
	return instance_files_list_all(&spool->instance, list, error);
}

static int spool_begin_own(struct spool *spool, const char *directory, struct buffer *list,
			   struct error *error)
{
	spool->is_own = true;
	if (instance_files_open_list(&spool->instance, directory, error) < 0 ||
	    instance_files_list_enabled(&spool->instance, list, error) < 0)
		return -1;
	return instance_files_list_sideband(&spool->instance, list, error);
}

int spool_list_formats(struct spool *spool, const struct instance *instance, struct buffer *list,
		       struct error *error)
{
	const char *directory = instance_directory(instance);
	int status = instance_is_attached(instance)
			     ? spool_begin_shared(spool, directory, list, error)
			     : spool_begin_own(spool, directory, list, error);

	/* These are no tracepoint that can be enabled. */
	if (instance_has_stacks(instance))
		buffer_append_string(list, "ftrace:kernel_stack\n");
	if (instance_has_stacks(instance) || instance_has_markers(instance))
		buffer_append_string(list, "ftrace:print\n");
	if (instance_traces_functions(instance))
		buffer_append_string(list, "ftrace:funcgraph_entry\nftrace:funcgraph_exit\n");
	return status;
}

/* There is no instance: formats are those of programs, and the spool is complete at any time. */
static int spool_begin_programs(struct spool *spool, const struct buffer_mode *mode,
				struct error *error)
{
	struct buffer list = { 0 };
	int status;

	spool_origin_begin(&spool->origin, PROGRAMS_BUFFER, mode);
	spool->origin.writer = getpid();
	status = spool_save_formats(spool, NULL, &list, error);
	buffer_release(&list);
	if (status < 0 || spool_save_now(spool, error) < 0)
		return -1;
	spool_entry_reserve(&spool->folder, SPOOL_OPTIONS, OPTIONS_SIZE + STATISTICS_SIZE);
	return spool_origin_write(&spool->origin, &spool->folder, NULL, error);
}

int spool_begin(struct spool *spool, const struct instance *instance,
		const struct buffer_mode *mode, const struct formats *known, struct error *error)
{
	struct buffer list = { 0 };
	int status;

	if (!instance)
		return spool_begin_programs(spool, mode, error);
	spool_origin_begin(&spool->origin, instance_directory(instance), mode);
	spool->origin.writer = instance_own_tid(instance);
	if (spool_attach(spool, instance, error) < 0)
		return -1;
	status = spool_list_formats(spool, instance, &list, error);
	if (status == 0)
		status = spool_save_formats(spool, known, &list, error);
	buffer_release(&list);
	if (status < 0 || spool_save_now(spool, error) < 0)
		return -1;
	spool_entry_reserve(&spool->folder, SPOOL_OPTIONS,
			    OPTIONS_SIZE + spool->origin.workload.size + spool->origin.narrow.size +
				    spool->origin.rules.size + 2 * spool->origin.labels.size +
				    STATISTICS_SIZE * spool->nr_files);
	return spool_origin_write(&spool->origin, &spool->folder, instance_name(instance), error);
}

static int origin_set(struct buffer *own, struct text text)
{
	buffer_clear(own);
	buffer_append(own, text.data, text.size);
	return own->failed ? -1 : 0;
}

int spool_set_workload(struct spool *spool, struct text workload)
{
	return origin_set(&spool->origin.workload, workload);
}

int spool_set_narrow(struct spool *spool, struct text narrow)
{
	return origin_set(&spool->origin.narrow, narrow);
}

int spool_set_rules(struct spool *spool, struct text rules)
{
	return origin_set(&spool->origin.rules, rules);
}

int spool_set_labels(struct spool *spool, struct text labels)
{
	return origin_set(&spool->origin.labels, labels);
}

int spool_mark_incomplete(struct spool *spool, const struct instance *instance, struct error *error)
{
	spool->origin.is_incomplete = true;
	return spool_origin_write(&spool->origin, &spool->folder, instance_name(instance), error);
}

/* Returns 1 if the trace.dat exists, -1 with @error if not. */
static int spool_sweep(struct spool *spool, struct error *error)
{
	if (spool_folder_sweep(&spool->folder, error) < 0)
		return -1;
	if (spool_folder_has_target(&spool->folder))
		return 1;
	return error_set(error,
			 "%s: no records, removed; run 'ktrack clean' to remove its tracing "
			 "instance",
			 spool->folder.path);
}

static int spool_open_folder(struct spool *spool, struct error *error)
{
	if (spool_folder_open(&spool->folder, error) < 0)
		return -1;
	if (!spool_folder_has_recording(&spool->folder))
		return spool_sweep(spool, error);
	if (spool_origin_read(&spool->origin, &spool->folder, error) < 0)
		return -1;
	return spool_files_open(spool, error);
}

int spool_open(struct spool **out, const char *path, const struct spool_owner *owner,
	       struct error *error)
{
	struct spool *spool = spool_init(path, owner, error);
	int status;

	*out = NULL;
	if (!spool)
		return -1;
	spool->folder.is_kept = true;
	spool->is_recovered = true;
	status = spool_open_folder(spool, error);
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
	return spool_summarize(spool, summary, error);
}

void spool_abandon(struct spool *spool)
{
	struct error ignored = { 0 };
	struct buffer options = { 0 };

	if (!spool->folder.is_kept || spool_count_in_flight(spool, &ignored) < 0)
		return;
	spool->is_counted = true;
	if (writer_put_options(&options, spool, &ignored) == 0 &&
	    spool_entry_overwrite(&spool->folder, SPOOL_OPTIONS, &options, &ignored) == 0)
		spool_origin_complete(&spool->origin, &spool->folder, &ignored);
	buffer_release(&options);
}

void spool_close(struct spool *spool)
{
	if (!spool)
		return;
	spool_files_close(spool);
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
