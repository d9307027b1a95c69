// SPDX-License-Identifier: GPL-2.0-only
/* Reads procfs. */
#include "userring/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ktrack/user/layout.h>

#include "base/base.h"
#include "event/event.h"

/*
 * Reads /proc/PID/stat; returns what follows the name, which is in parentheses and may contain
 * anything: the state, and so on. Returns NULL with errno if there is none.
 */
static const char *stat_read(int pid, struct buffer *text)
{
	const char *behind;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (file_read(path, text) < 0)
		return NULL;
	behind = strrchr(buffer_string(text), ')');
	if (!behind)
		errno = ESRCH;
	return behind;
}

/* procfs may hide it (hidepid). */
static bool process_exists(int pid)
{
	int number = errno, fd;

	if (number != ENOENT && number != ESRCH)
		return true;
	fd = syscall(SYS_pidfd_open, pid, 0);
	file_close(fd);
	return fd >= 0;
}

/* 0 if there is none in this PID namespace, -1 if the process has ended. */
static int process_parent(int pid)
{
	struct buffer text = { 0 };
	const char *behind = stat_read(pid, &text);
	int parent;

	if (!behind || sscanf(behind, ") %*c %d", &parent) != 1)
		parent = -1;
	buffer_release(&text);
	return parent;
}

bool process_descends(int pid, int ancestor, unsigned int nr_max)
{
	int at = pid;

	for (unsigned int i = 0; i < nr_max && at > 0 && at != ancestor; i++) {
		int parent = process_parent(at);

		/* Another process has taken the place of one that has ended meanwhile. */
		at = parent < 0 && at != pid ? pid : parent;
	}
	return at == ancestor;
}

uint64_t process_started(int pid)
{
	struct buffer text = { 0 };
	const char *behind = stat_read(pid, &text);
	unsigned long long started = 0;
	long nr_threads = 0;
	char state = 'X';

	if (!behind) {
		buffer_release(&text);
		return process_exists(pid) ? PROCESS_UNKNOWN : 0;
	}
	if (sscanf(behind,
		   ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d "
		   "%*d %*d %*d %ld %*d %llu",
		   &state, &nr_threads, &started) != 3)
		started = 0;
	/* A zombie writes no more, unless only its first thread has ended. */
	if (state == 'X' || (state == 'Z' && nr_threads <= 1))
		started = 0;
	buffer_release(&text);
	return started;
}

void process_path(int pid, char *out, size_t size)
{
	ssize_t length;
	char link[32];

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	length = readlink(link, out, size - 1);
	out[length > 0 ? length : 0] = '\0';
}

void process_comm(int pid, char *out, size_t size)
{
	struct buffer comm = { 0 };
	char path[32];

	*out = '\0';
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	if (file_read(path, &comm) == 0)
		snprintf(out, size, "%.*s", (int)strcspn(buffer_string(&comm), "\n"),
			 buffer_string(&comm));
	buffer_release(&comm);
}

bool process_is_sleeping(int pid)
{
	struct buffer text = { 0 };
	const char *behind = stat_read(pid, &text);
	bool is_sleeping = behind && behind[1] == ' ' && behind[2] && strchr("SDTt", behind[2]);

	buffer_release(&text);
	return is_sleeping;
}

bool process_family_is_sleeping(int pid)
{
	bool is_sleeping = process_is_sleeping(pid);
	struct buffer children = { 0 };
	char path[64], *rest, *end;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	if (!is_sleeping || file_read(path, &children) < 0)
		return is_sleeping;
	rest = (char *)buffer_string(&children);
	for (long child; is_sleeping && (child = strtol(rest, &end, 10)) > 0; rest = end)
		is_sleeping = process_is_sleeping((int)child);
	buffer_release(&children);
	return is_sleeping;
}

/* Parses the line "NSpid:", which has a number for each namespace, from the reader's inwards. */
static bool ids_parse(struct process_ids *out, const char *status)
{
	const char *line = strstr(status, "\nNSpid:");
	size_t nr_ids = 0;

	if (!line)
		return false;
	line += strlen("\nNSpid:");
	while (*line == '\t') {
		out->inner = strtol(line + 1, (char **)&line, 10);
		nr_ids++;
	}
	out->is_nested = nr_ids > 1;
	return nr_ids > 0;
}

static struct process_ids ids_read(const char *path, int id)
{
	struct process_ids ids = { .inner = id };
	struct buffer status = { 0 };

	if (file_read(path, &status) < 0 || !ids_parse(&ids, buffer_string(&status)))
		ids = (struct process_ids){ .inner = id };
	buffer_release(&status);
	return ids;
}

struct process_ids process_ids_read(int pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	return ids_read(path, pid);
}

/* It is the second one of the line "Uid:". */
uid_t process_effective_user(int pid)
{
	struct buffer status = { 0 };
	const char *line = NULL;
	unsigned int uid;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (file_read(path, &status) == 0)
		line = strstr(buffer_string(&status), "\nUid:");
	if (!line || sscanf(line, "\nUid: %*u %u", &uid) != 1)
		uid = USER_UNKNOWN;
	buffer_release(&status);
	return uid;
}

static ino_t namespace_inode(int fd)
{
	struct stat status;

	return fd >= 0 && fstat(fd, &status) == 0 ? status.st_ino : 0;
}

/* Whoever may create user namespaces has as many users there as he likes. */
uid_t process_user(int pid, uid_t user)
{
	int own_fd = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC), fd;
	ino_t own = namespace_inode(own_fd);
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && (errno == ENOENT || errno == ESRCH))
		user = USER_UNKNOWN;
	/* The kernel lets namespaces be nested 32 times. */
	for (int depth = 0; depth < 32 && fd >= 0 && namespace_inode(fd) != own; depth++) {
		int parent_fd = ioctl(fd, NS_GET_PARENT);

		if (namespace_inode(parent_fd) == own)
			ioctl(fd, NS_GET_OWNER_UID, &user);
		close(fd);
		fd = parent_fd;
	}
	file_close(fd);
	file_close(own_fd);
	return user;
}

int process_find_thread(int pid, int inner)
{
	struct dirent *entry;
	char path[64];
	int found = 0;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	folder = opendir(path);
	if (!folder)
		return 0;
	while (found == 0 && (entry = readdir(folder))) {
		int tid = atoi(entry->d_name);

		snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
		if (tid > 0 && ids_read(path, tid).inner == inner)
			found = tid;
	}
	closedir(folder);
	return found;
}

static bool has_own_time_namespace(int pid)
{
	struct stat own, other;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/time", pid);
	return stat("/proc/self/ns/time", &own) == 0 && stat(path, &other) == 0 &&
	       own.st_ino != other.st_ino;
}

/* Parses the line "boottime SECONDS NANOSECONDS", which is relative to the first namespace. */
static int64_t clock_offset_read(const char *path)
{
	struct buffer text = { 0 };
	long long seconds = 0, rest_ns = 0;
	const char *line = NULL;

	if (file_read(path, &text) == 0)
		line = strstr(buffer_string(&text), "boottime");
	if (line && sscanf(line, "boottime %lld %lld", &seconds, &rest_ns) != 2)
		seconds = 0;
	buffer_release(&text);
	return llabs(seconds) < RECORD_TIME_LIMIT / NS_PER_S ? seconds * NS_PER_S + rest_ns : 0;
}

int64_t process_clock_offset(int pid)
{
	char path[64];

	if (!has_own_time_namespace(pid))
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/timens_offsets", pid);
	return clock_offset_read(path) - clock_offset_read("/proc/self/timens_offsets");
}

/* A line has addresses, mode, offset, device, inode and path. */
static bool mapping_is_memory(const char *line, struct mapping *out)
{
	unsigned long long inode;
	int size = 0;

	if (sscanf(line, "%lx-%lx %*s %lx %*s %llu %n", &out->begin, &out->end, &out->offset,
		   &inode, &size) != 4)
		return false;
	out->inode = inode;
	return size > 0 && strncmp(line + size, "/memfd:" KTRACK_USER_NAME,
				   strlen("/memfd:" KTRACK_USER_NAME)) == 0;
}

bool process_visit_mappings(int pid, int64_t until_ns, const struct mapping_visitor *visitor)
{
	char path[64], *line = NULL;
	size_t capacity = 0, nr_lines = 0;
	struct mapping mapping;
	bool is_whole;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (time_now_ns(CLOCK_THREAD_CPUTIME_ID) < until_ns &&
	       getline(&line, &capacity, file) > 0) {
		nr_lines++;
		if (mapping_is_memory(line, &mapping))
			visitor->visit(visitor->context, &mapping);
	}
	is_whole = nr_lines > 0 && feof(file);
	free(line);
	fclose(file);
	return is_whole;
}
