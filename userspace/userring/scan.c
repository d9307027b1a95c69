// SPDX-License-Identifier: GPL-2.0-only
/* Searches the open files of all processes for memfds of ktrack/user.h. */
#include "userring/helper.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define MEMORY_LINK "/memfd:" KTRACK_USER_NAME " (deleted)"

static int procfs_number(const char *name)
{
	char *end;
	long number = strtol(name, &end, 10);

	return *name >= '0' && *name <= '9' && !*end && number <= INT32_MAX ? (int)number : -1;
}

static bool is_memory(int folder_fd, const char *name)
{
	char target[sizeof(MEMORY_LINK)];
	ssize_t size = readlinkat(folder_fd, name, target, sizeof(target));

	return size == (ssize_t)strlen(MEMORY_LINK) && memcmp(target, MEMORY_LINK, size) == 0;
}

/*
 * Any file can have such a path in another mount namespace, and a program may send any file. Opening
 * a device with this process's rights may wait, or change what it does.
 */
int memfd_open_anew(int path_fd)
{
	struct statfs filesystem;
	struct stat status;
	char path[32];

	if (fstat(path_fd, &status) < 0 || !S_ISREG(status.st_mode) ||
	    fstatfs(path_fd, &filesystem) < 0 || filesystem.f_type != TMPFS_MAGIC)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", path_fd);
	return open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
}

/** struct search - a search in a process of the helper */
struct search {
	const struct helper_work *work;
	int fd;
};

/* Returns false if the recorder has ended. */
static bool memory_send(const struct search *search, int folder_fd, const char *name,
			const struct helper_message *message)
{
	int path_fd = openat(folder_fd, name, O_PATH | O_CLOEXEC);
	int fd = path_fd < 0 ? -1 : memfd_open_anew(path_fd);
	bool continues = fd < 0 || helper_send(search->fd, message, &fd, 1);

	file_close(path_fd);
	file_close(fd);
	return continues;
}

/* Returns false if the process is not wanted. */
static bool found_begin(const struct search *search, struct helper_message *message, int pid)
{
	if (search->work->wants && !search->work->wants(search->work->context, pid))
		return false;
	message->pid = pid;
	message_list_mapped(message);
	return true;
}

/* Returns false if the recorder has ended. */
static bool process_search(const struct search *search, int pid)
{
	struct helper_message message = { .kind = HELPER_FOUND };
	bool continues = true;
	struct dirent *entry;
	char path[32];
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	folder = opendir(path);
	if (!folder)
		return true;
	while (continues && (entry = readdir(folder))) {
		if (procfs_number(entry->d_name) < 0 || !is_memory(dirfd(folder), entry->d_name))
			continue;
		if (message.pid == 0 && !found_begin(search, &message, pid))
			break;
		continues = memory_send(search, dirfd(folder), entry->d_name, &message);
	}
	closedir(folder);
	return continues;
}

void search_run(const struct helper_work *work, int fd)
{
	const struct search search = { .work = work, .fd = fd };
	DIR *folder = opendir("/proc");
	bool continues = folder;
	struct dirent *entry;

	while (continues && (entry = readdir(folder))) {
		int pid = procfs_number(entry->d_name);

		if (pid > 0 && pid != work->own_pid)
			continues = process_search(&search, pid);
	}
	if (folder)
		closedir(folder);
}

/* Visits what the search of a helper finds. */
static int found_visit(struct helper *helper, const struct memory_visitor *visitor,
		       struct error *error)
{
	struct helper_report report;
	int status = 0;

	helper_search(helper);
	while (status == 0 && helper->is_searching) {
		if (!helper_receive(helper, &report, -1))
			continue;
		if (report.message.kind == HELPER_FOUND)
			status = visitor->visit(visitor->context, report.memory_fd,
						report.message.pid, error);
		report_close(&report);
	}
	return status;
}

int memfds_visit(const struct memory_visitor *visitor, struct error *error)
{
	const struct helper_work work = { .socket_fd = -1,
					  .own_pid = getpid(),
					  .context = visitor->context,
					  .wants = visitor->wants };
	struct helper helper;
	int status;

	if (access("/proc/self/fd", F_OK) < 0)
		return error_set(error, "/proc: cannot be read; mount it");
	if (helper_start(&helper, &work, error) < 0)
		return -1;
	status = found_visit(&helper, visitor, error);
	helper_end(&helper);
	return status;
}
