// SPDX-License-Identifier: GPL-2.0-only
/* Finds the threads of a process, of a cgroup or of a systemd unit, and remembers their children. */
#include "reader/workload.h"

#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CGROUPS "/sys/fs/cgroup"

/** struct workload - the threads that belong to it now */
struct workload {
	struct thread_set threads;
};

/** struct thread_visitor - receives threads, see workload_find() */
struct thread_visitor {
	int (*add)(void *context, int tid, struct error *error);
	void *context;
};

struct workload *workload_new(void)
{
	struct workload *workload = calloc(1, sizeof(*workload));

	if (workload && thread_set_reserve(&workload->threads) == 0)
		return workload;
	free(workload);
	return NULL;
}

void workload_free(struct workload *workload)
{
	if (workload)
		thread_set_release(&workload->threads);
	free(workload);
}

bool workload_has(const struct workload *workload, int tid)
{
	return thread_set_has(&workload->threads, tid);
}

bool workload_add(struct workload *workload, int tid)
{
	return thread_set_add(&workload->threads, tid);
}

void workload_append(const struct workload *workload, struct buffer *out)
{
	thread_set_append(&workload->threads, out);
}

void workload_add_list(struct workload *workload, const char *list)
{
	thread_set_add_list(&workload->threads, list);
}

int workload_limit_rules(struct rules *rules, const char *remedy, const struct report *report,
			 struct error *error)
{
	struct buffer omitted = { 0 };
	int status = 0;

	if (!rules)
		return 0;
	if (!rules_omit_shared(rules, &omitted))
		status = error_set(error, "%s: needs the records of all tasks; %s",
				   buffer_string(&omitted), remedy);
	else if (omitted.size > 0)
		report_message(report, "%s: left out, needs the records of all tasks",
			       buffer_string(&omitted));
	buffer_release(&omitted);
	return status;
}

void workload_learn(struct workload *workload, const struct task_change *change)
{
	if (change->kind == TASK_CHANGE_BORN && workload_has(workload, change->parent_tid))
		workload_add(workload, change->tid);
	else if (change->kind == TASK_CHANGE_TOOK_OVER && workload_has(workload, change->old_tid))
		workload_add(workload, change->tid);
	else if (change->kind == TASK_CHANGE_GONE)
		thread_set_remove(&workload->threads, change->tid);
}

/* A process may end meanwhile. */
static int process_visit(int pid, const struct thread_visitor *visitor, struct error *error)
{
	struct buffer path = { 0 };
	struct dirent *entry;
	int status = 0;
	DIR *threads;

	buffer_printf(&path, "/proc/%d/task", pid);
	threads = opendir(buffer_string(&path));
	buffer_release(&path);
	while (threads && status == 0 && (entry = readdir(threads))) {
		int tid = atoi(entry->d_name);

		if (tid > 0)
			status = visitor->add(visitor->context, tid, error);
	}
	if (threads)
		closedir(threads);
	return status;
}

static int processes_visit(const struct buffer *list, const struct thread_visitor *visitor,
			   struct error *error)
{
	const char *rest = list->data;
	char *end;

	for (size_t i = 0; i < list->size; i = end - list->data) {
		long pid = strtol(rest, &end, 10);

		if (end == rest)
			break;
		if (process_visit(pid, visitor, error) < 0)
			return -1;
		rest = end;
	}
	return 0;
}

/* Processes of one cgroup, without its children; it may be removed meanwhile. */
static int cgroup_visit(const char *folder, const struct thread_visitor *visitor,
			struct error *error)
{
	struct buffer list = { 0 };
	int status = 0;

	if (file_read_in(folder, "cgroup.procs", &list) == 0) {
		buffer_append_char(&list, '\0');
		status = list.failed ? error_set(error, "out of memory")
				     : processes_visit(&list, visitor, error);
	}
	buffer_release(&list);
	return status;
}

static int cgroups_visit(char *folder, const struct thread_visitor *visitor, struct error *error)
{
	char *const roots[] = { folder, NULL };
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	int status = 0;
	FTSENT *entry;

	if (!walk)
		return error_set_system(error, errno, "%s", folder);
	while (status == 0 && (entry = fts_read(walk))) {
		if (entry->fts_info == FTS_D)
			status = cgroup_visit(entry->fts_path, visitor, error);
	}
	fts_close(walk);
	return status;
}

/* A path below the mount point, or one of the file system. */
static int cgroup_find(struct buffer *out, const char *path, struct error *error)
{
	const char *root = strncmp(path, CGROUPS "/", strlen(CGROUPS "/")) == 0 ? "" : CGROUPS "/";
	size_t size;

	buffer_printf(out, "%s%s", root, path);
	size = out->size;
	buffer_append_string(out, "/cgroup.procs");
	if (access(buffer_string(out), F_OK) < 0)
		return error_set(error, "--cgroup=%s: no such cgroup in " CGROUPS, path);
	out->size = size;
	return 0;
}

/* systemd gives each unit a cgroup of its name, somewhere in its slice. */
static int unit_cgroup_find(struct buffer *out, const char *unit, struct error *error)
{
	char top[] = CGROUPS;
	char *const roots[] = { top, NULL };
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	struct buffer name = { 0 };
	FTSENT *entry;

	buffer_printf(&name, strchr(unit, '.') ? "%s" : "%s.service", unit);
	while (walk && out->size == 0 && (entry = fts_read(walk))) {
		if (entry->fts_info == FTS_D && entry->fts_level > 0 &&
		    strcmp(entry->fts_name, buffer_string(&name)) == 0)
			buffer_append_string(out, entry->fts_path);
	}
	if (walk)
		fts_close(walk);
	buffer_release(&name);
	return out->size > 0 ? 0
			     : error_set(error, "--unit=%s: no cgroup of this name in " CGROUPS
						"; it does not run", unit);
}

static int process_find(int pid, const struct thread_visitor *visitor, struct error *error)
{
	struct buffer path = { 0 };
	bool exists;

	buffer_printf(&path, "/proc/%d/task", pid);
	exists = access(buffer_string(&path), F_OK) == 0;
	buffer_release(&path);
	if (!exists)
		return error_set(error, "-p %d: no such process", pid);
	return process_visit(pid, visitor, error);
}

int workload_find(const struct workload_settings *settings,
		  int (*add)(void *context, int tid, struct error *error), void *context,
		  struct error *error)
{
	const struct thread_visitor visitor = { .add = add, .context = context };
	struct buffer folder = { 0 };
	int status;

	if (settings->pid > 0)
		return process_find(settings->pid, &visitor, error);
	status = settings->unit ? unit_cgroup_find(&folder, settings->unit, error)
				: cgroup_find(&folder, settings->cgroup, error);
	if (status == 0)
		status = cgroups_visit((char *)buffer_string(&folder), &visitor, error);
	buffer_release(&folder);
	return status;
}
