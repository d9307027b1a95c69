// SPDX-License-Identifier: GPL-2.0-only
/*
 * Collects names and processes of threads: first of living threads, whose names no other thread can
 * forge, then the kernel's saved ones, then the earlier ones.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracedat/spool.h"

/* The folder "task" of a process has two links of its own and one for each thread. */
#define LINKS_OF_ONE_THREAD 3

/* More than the kernel's names, of which those of workers are the longest (64 bytes). */
#define NAME_SIZE 256

/**
 * struct lines - lines "TID REST"
 * @tids: sorted tids of the lines at the last lines_index()
 */
struct lines {
	struct buffer text;
	struct buffer tids;
};

/** struct comms - lines "TID NAME" and "TID TGID" */
struct comms {
	struct lines names;
	struct lines groups;
};

static int tid_compare(const void *a, const void *b)
{
	const int *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static bool lines_contain(const struct lines *lines, int tid)
{
	size_t size = lines->tids.size / sizeof(tid);

	return size > 0 && bsearch(&tid, lines->tids.data, size, sizeof(tid), tid_compare) != NULL;
}

static const char *line_next(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

static void lines_index(struct lines *lines)
{
	buffer_clear(&lines->tids);
	for (const char *line = buffer_string(&lines->text); *line; line = line_next(line)) {
		int tid = atoi(line);

		buffer_append(&lines->tids, &tid, sizeof(tid));
	}
	if (lines->tids.size > 0)
		qsort(lines->tids.data, lines->tids.size / sizeof(int), sizeof(int), tid_compare);
}

/* Appends "TID ". */
static void line_begin(struct lines *lines, const char *thread)
{
	buffer_append_string(&lines->text, thread);
	buffer_append_char(&lines->text, ' ');
}

/* procfs returns a name in one read. Returns its size with the newline; 0 if there is none. */
static size_t name_read(int folder_fd, const char *path, char *name)
{
	int fd = openat(folder_fd, path, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : read(fd, name, NAME_SIZE);

	file_close(fd);
	return size < 0 ? 0 : size;
}

/*
 * A thread that has just ended is skipped.
 * @folder_fd: has the folder of the thread
 */
static void thread_append(struct comms *comms, int folder_fd, const char *process,
			  const char *thread)
{
	struct buffer path = { 0 };
	char name[NAME_SIZE];
	size_t size;

	buffer_append_string(&path, thread);
	buffer_append_string(&path, "/comm");
	size = name_read(folder_fd, buffer_string(&path), name);
	if (size > 0) {
		line_begin(&comms->names, thread);
		thread_name_append(&comms->names.text, (struct text){ name, size - 1 });
		buffer_append_char(&comms->names.text, '\n');
	}
	line_begin(&comms->groups, thread);
	buffer_append_string(&comms->groups.text, process);
	buffer_append_char(&comms->groups.text, '\n');
	buffer_release(&path);
}

static bool is_number(const char *name)
{
	return *name && !name[strspn(name, "0123456789")];
}

/* Closes @task_fd, which is -1 if the process has just ended. */
static void threads_append(struct comms *comms, int task_fd, const char *process)
{
	DIR *threads = task_fd < 0 ? NULL : fdopendir(task_fd);
	struct dirent *entry;

	while (threads && (entry = readdir(threads))) {
		if (is_number(entry->d_name))
			thread_append(comms, task_fd, process, entry->d_name);
	}
	if (threads)
		closedir(threads);
	else
		file_close(task_fd);
}

/* Most processes have one thread, which has the number of the process: its folder is not read. */
static void process_append(struct comms *comms, int proc_fd, const char *process)
{
	struct buffer path = { 0 };
	struct stat status;

	buffer_append_string(&path, process);
	buffer_append_string(&path, "/task");
	if (fstatat(proc_fd, buffer_string(&path), &status, 0) == 0 &&
	    status.st_nlink == LINKS_OF_ONE_THREAD) {
		thread_append(comms, proc_fd, process, process);
	} else {
		threads_append(
			comms,
			openat(proc_fd, buffer_string(&path), O_RDONLY | O_DIRECTORY | O_CLOEXEC),
			process);
	}
	buffer_release(&path);
}

static void living_append(struct comms *comms)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;

	while (processes && (entry = readdir(processes))) {
		if (is_number(entry->d_name))
			process_append(comms, dirfd(processes), entry->d_name);
	}
	if (processes)
		closedir(processes);
}

/* Adds lines of threads that have no line yet. */
static void lines_append(struct lines *lines, const char *more)
{
	if (!*more)
		return;
	lines_index(lines);
	for (const char *line = more; *line; line = line_next(line)) {
		if (!lines_contain(lines, atoi(line)))
			buffer_append(&lines->text, line, line_next(line) - line);
	}
}

/* The kernel saves processes only with the option record-tgid; it may lack both files. */
static int saved_append(struct comms *comms, const struct saved_tasks *saved, struct error *error)
{
	struct buffer names = { 0 }, groups = { 0 };
	int status = 0;

	if (saved->names_fd >= 0 && file_read_anew(saved->names_fd, &names) < 0)
		status = error_set_system(error, errno, "cannot read saved_cmdlines of tracefs");
	if (saved->groups_fd >= 0)
		file_read_anew(saved->groups_fd, &groups);
	saved_names_clean(&names);
	lines_append(&comms->names, buffer_string(&names));
	lines_append(&comms->groups, buffer_string(&groups));
	comms->names.text.failed |= names.failed;
	buffer_release(&names);
	buffer_release(&groups);
	return status;
}

/* trace-cmd reads only up to the NUL. */
static void comms_put(struct comms *comms, struct buffer *out)
{
	buffer_append(out, comms->names.text.data, comms->names.text.size);
	buffer_append_char(out, '\0');
	buffer_append(out, comms->groups.text.data, comms->groups.text.size);
}

static void lines_release(struct lines *lines)
{
	buffer_release(&lines->text);
	buffer_release(&lines->tids);
}

/* Threads that have written records and may have ended since. */
static void programs_append(struct comms *comms, const struct programs *programs)
{
	struct buffer names = { 0 }, groups = { 0 };
	struct thread_identity identity;
	int tid;

	for (size_t i = 0; programs && programs_task(programs, i, &tid, &identity); i++) {
		buffer_printf(&names, "%d ", tid);
		thread_name_append(&names, text_of(identity.comm));
		buffer_append_char(&names, '\n');
		buffer_printf(&groups, "%d %d\n", tid, identity.tgid);
	}
	lines_append(&comms->names, buffer_string(&names));
	lines_append(&comms->groups, buffer_string(&groups));
	comms->names.text.failed |= names.failed || groups.failed;
	buffer_release(&names);
	buffer_release(&groups);
}

int comms_append(struct buffer *out, const struct saved_tasks *saved,
		 const struct programs *programs, struct buffer *earlier, struct error *error)
{
	const char *names = buffer_string(earlier);
	size_t size = strlen(names);
	struct comms comms = { 0 };
	int status;

	if (!saved->is_nested)
		living_append(&comms);
	programs_append(&comms, programs);
	status = saved_append(&comms, saved, error);
	if (status == 0) {
		lines_append(&comms.names, names);
		lines_append(&comms.groups, size < earlier->size ? names + size + 1 : "");
		comms_put(&comms, out);
	}
	lines_release(&comms.names);
	lines_release(&comms.groups);
	return out->failed ? error_set(error, "out of memory") : status;
}
