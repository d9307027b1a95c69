// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest: a library for LD_PRELOAD that loads modules at chosen points of a program's start.
 *
 * STEPS has words "POINT=MODULE.ko", "POINT=-MODULE", which unloads it, or "POINT=!SCRIPT". Each is
 * done once, at the first time that the program comes to its point; of several words with one
 * point, the next one at the next time. A point is before or after a call: "watch" (listening to
 * the kernel), "scan" and "rescan" (the first and second list of all tracepoints), "instance"
 * (making one), "on" (switching recording on) and "request" (asking ktrack.ko). What was loaded
 * goes to /tmp/stepped.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TEXT_SIZE 256

/* The function that is in the place of the one here for everybody else. */
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static long step_do(const char *what)
{
	int fd, status;

	if (*what == '-')
		return syscall(SYS_delete_module, what + 1, O_NONBLOCK);
	if (*what == '!')
		return system(what + 1);
	fd = open(what, O_RDONLY | O_CLOEXEC);
	status = syscall(SYS_finit_module, fd, "", 0);
	close(fd);
	return status;
}

static void step_take(const char *point, const char *what)
{
	long result = step_do(what);
	FILE *log = fopen("/tmp/stepped", "a");

	if (log) {
		fprintf(log, "%s %s %ld\n", point, what, result);
		fclose(log);
	}
}

static void point_reach(const char *call, const char *side)
{
	static char left[TEXT_SIZE] = "?";
	char point[TEXT_SIZE], path[TEXT_SIZE];
	char *found;

	if (strcmp(left, "?") == 0)
		snprintf(left, sizeof(left), "%s", getenv("STEPS") ? getenv("STEPS") : "");
	snprintf(point, sizeof(point), "%s-%s=", call, side);
	found = strstr(left, point);
	if (!found)
		return;
	snprintf(path, sizeof(path), "%.*s", (int)strcspn(found + strlen(point), " "),
		 found + strlen(point));
	*found = '-';
	step_take(point, path);
}

/* Where a descriptor leads; "" for nowhere. */
static const char *path_of(int fd)
{
	static char path[TEXT_SIZE];
	char link[TEXT_SIZE];
	ssize_t size;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	size = readlink(link, path, sizeof(path) - 1);
	path[size < 0 ? 0 : size] = '\0';
	return path;
}

int bind(int fd, __CONST_SOCKADDR_ARG address, socklen_t size)
{
	int status;

	point_reach("watch", "before");
	status = NEXT(bind)(fd, address, size);
	point_reach("watch", "after");
	return status;
}

/* The list of all systems of tracepoints, not of the tracepoints of one. */
static bool is_events_folder(int fd)
{
	const char *path = path_of(fd), *slash = strrchr(path, '/');

	return slash && strcmp(slash, "/events") == 0;
}

static const char *scan_name(bool has_ended)
{
	static int number;

	number += has_ended;
	return number == has_ended ? "scan" : "rescan";
}

int scandirat(int fd, const char *name, struct dirent ***entries,
	      int (*wants)(const struct dirent *),
	      int (*compare)(const struct dirent **, const struct dirent **))
{
	bool is_all = strcmp(name, ".") == 0 && is_events_folder(fd);
	int number;

	if (is_all)
		point_reach(scan_name(false), "before");
	number = NEXT(scandirat)(fd, name, entries, wants, compare);
	if (is_all)
		point_reach(scan_name(true), "after");
	return number;
}

int mkdir(const char *path, mode_t mode)
{
	int status;

	point_reach("instance", "before");
	status = NEXT(mkdir)(path, mode);
	point_reach("instance", "after");
	return status;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
	const char *path = path_of(fd);
	bool is_switch = size == 1 && *(const char *)data == '1' && strstr(path, "/tracing_on") &&
			 !strstr(path, ".sideband/");
	ssize_t written;

	if (is_switch)
		point_reach("on", "before");
	written = NEXT(pwrite)(fd, data, size, offset);
	if (is_switch)
		point_reach("on", "after");
	return written;
}

ssize_t write(int fd, const void *data, size_t size)
{
	bool is_request = strcmp(path_of(fd), "/dev/ktrack") == 0;
	ssize_t written;

	if (is_request)
		point_reach("request", "before");
	written = NEXT(write)(fd, data, size);
	if (is_request)
		point_reach("request", "after");
	return written;
}
