// SPDX-License-Identifier: GPL-2.0-only
/* Searches the open files of all processes for memfds of ktrack/user.h. */
#include "userring/scan.h"

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
 * Any file can have such a path in another mount namespace. Opening a device with this process's
 * rights may wait, or change what it does.
 */
static int memfd_open(int folder_fd, const char *name)
{
	int path_fd = openat(folder_fd, name, O_PATH | O_CLOEXEC), fd = -1;
	struct statfs filesystem;
	struct stat status;
	char path[32];

	if (path_fd < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", path_fd);
	if (fstat(path_fd, &status) == 0 && S_ISREG(status.st_mode) &&
	    fstatfs(path_fd, &filesystem) == 0 && filesystem.f_type == TMPFS_MAGIC)
		fd = open(path, O_RDWR | O_CLOEXEC);
	close(path_fd);
	return fd;
}

static int memfd_visit(int folder_fd, const char *name, int pid,
		      const struct memory_visitor *visitor, struct error *error)
{
	int fd = memfd_open(folder_fd, name), status;

	if (fd < 0)
		return 0;
	status = visitor->visit(visitor->context, fd, pid, error);
	close(fd);
	return status;
}

static int process_files_visit(int pid, const struct memory_visitor *visitor, struct error *error)
{
	char path[32];
	struct dirent *entry;
	bool is_wanted = !visitor->wants;
	DIR *folder;
	int status = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	folder = opendir(path);
	if (!folder)
		return 0;
	while (status == 0 && (entry = readdir(folder))) {
		if (procfs_number(entry->d_name) < 0 || !is_memory(dirfd(folder), entry->d_name))
			continue;
		if (!is_wanted && !visitor->wants(visitor->context, pid))
			break;
		is_wanted = true;
		status = memfd_visit(dirfd(folder), entry->d_name, pid, visitor, error);
	}
	closedir(folder);
	return status;
}

int memfds_visit(const struct memory_visitor *visitor, struct error *error)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	int status = 0;

	if (!folder)
		return error_set(error, "/proc: cannot be read; mount it");
	while (status == 0 && (entry = readdir(folder))) {
		int pid = procfs_number(entry->d_name);

		if (pid > 0 && pid != getpid())
			status = process_files_visit(pid, visitor, error);
	}
	closedir(folder);
	return status;
}
