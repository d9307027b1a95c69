// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Walks /proc, and compares this process's namespaces with the first ones. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/proc.h"

/* The inode of the first PID namespace, which never changes (PROC_PID_INIT_INO). */
#define FIRST_PID_NAMESPACE 0xEFFFFFFCU

int proc_visit(const char *folder, int (*visit)(void *context, int folder_fd, int number),
	       void *context)
{
	DIR *list = opendir(folder);
	struct dirent *entry;
	int status = 0;

	while (list && status == 0 && (entry = readdir(list))) {
		if (!entry->d_name[strspn(entry->d_name, "0123456789")])
			status = visit(context, dirfd(list), atoi(entry->d_name));
	}
	if (list)
		closedir(list);
	return status;
}

/* How good the path of a line "NUMBER:CONTROLLERS:PATH" is, from 0; -1 if it is no such line. */
static int cgroup_rank(struct text line, struct text *path)
{
	const char *end = line.data + line.size;
	const char *controllers = memchr(line.data, ':', line.size);
	const char *colon = controllers ? memchr(controllers + 1, ':', end - controllers - 1)
					: NULL;
	struct text list, item;
	int rank = 1;

	if (!colon || end - colon < 2 || colon[1] != '/')
		return -1;
	*path = (struct text){ colon + 1, end - colon - 1 };
	if (path->size == 1)
		return 0;
	list = (struct text){ controllers + 1, colon - controllers - 1 };
	while (text_take_item(&list, &item)) {
		if (text_equals(item, text_of("cpu")))
			rank = 2;
	}
	return text_begins(line, text_of("0::")) ? 3 : rank;
}

struct text cgroup_path_find(struct text text)
{
	struct text found = { 0 }, path;
	int best = -1;

	while (text.size > 0) {
		int rank = cgroup_rank(text_take_line(&text), &path);

		if (rank > best) {
			best = rank;
			found = path;
		}
	}
	return found;
}

bool proc_cgroup_append(int pid, struct buffer *out)
{
	SCOPED_BUFFER(text);
	struct text found;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	if (file_read(path, &text) < 0)
		buffer_clear(&text);
	found = cgroup_path_find(buffer_text(&text));
	buffer_append(out, found.data, found.size < CGROUP_PATH_MAX ? found.size : CGROUP_PATH_MAX);
	return found.size > 0;
}

/** LIMITS_DEPTH_MAX, LIMITS_SIZE_MAX - limits of cgroups within each other, and of all lines */
#define LIMITS_DEPTH_MAX 16
#define LIMITS_SIZE_MAX 65536

/* A counter of cpu.stat; 0 if it is missing. */
static unsigned long long limit_counter(struct buffer *stat, const char *name)
{
	const char *found = strstr(buffer_string(stat), name);

	return found ? strtoull(found + strlen(name), NULL, 10) : 0;
}

/* The counters of a cgroup's line; false if it is perhaps beyond the limit of lines. */
static bool limit_before(struct text before, const char *path, unsigned long long counts[2])
{
	bool is_known = before.size < LIMITS_SIZE_MAX;

	counts[0] = counts[1] = 0;
	while (before.size > 0) {
		struct text line = text_take_line(&before);
		const char *own = memchr(line.data, '/', line.size);
		char *end;

		if (own &&
		    text_equals((struct text){ own, line.data + line.size - own }, text_of(path))) {
			counts[0] = strtoull(line.data, &end, 10);
			counts[1] = strtoull(end, NULL, 10);
			is_known = true;
		}
	}
	return is_known;
}

static void limit_append(struct buffer *out, const char *folder, const char *path,
			 const struct text *before)
{
	SCOPED_BUFFER(name);
	SCOPED_BUFFER(max);
	SCOPED_BUFFER(stat);
	unsigned long long counts[2] = { 0, 0 }, times, us;

	buffer_printf(&name, "%s/cpu.max", folder);
	if (name.failed || file_read(buffer_string(&name), &max) < 0 || max.size == 0 ||
	    *max.data == 'm')
		return;
	buffer_clear(&name);
	buffer_printf(&name, "%s/cpu.stat", folder);
	if (name.failed || file_read(buffer_string(&name), &stat) < 0)
		return;
	if (before && !limit_before(*before, path, counts))
		return;
	times = limit_counter(&stat, "nr_throttled ");
	us = limit_counter(&stat, "throttled_usec ");
	/* Counters that fell are those of another cgroup, which has the name now. */
	if (times < counts[0] || us < counts[1])
		counts[0] = counts[1] = 0;
	if (before && times == counts[0])
		return;
	buffer_printf(out, "%llu %llu %.*s %s\n", times - counts[0], us - counts[1],
		      (int)strcspn(buffer_string(&max), "\n"), max.data, path);
}

static void limits_walk(struct buffer *out, struct buffer *folder, size_t root_size,
			unsigned int depth, const struct text *before)
{
	DIR *entries = opendir(buffer_string(folder));
	const struct dirent *entry;
	size_t size = folder->size;

	if (!entries)
		return;
	while (depth < LIMITS_DEPTH_MAX && out->size < LIMITS_SIZE_MAX &&
	       (entry = readdir(entries))) {
		if (entry->d_type != DT_DIR || *entry->d_name == '.')
			continue;
		buffer_printf(folder, "/%s", entry->d_name);
		if (folder->failed)
			break;
		limit_append(out, folder->data, folder->data + root_size, before);
		limits_walk(out, folder, root_size, depth + 1, before);
		folder->size = size;
	}
	closedir(entries);
}

void cgroup_limits_append(struct buffer *out, const char *root, const struct text *before)
{
	SCOPED_BUFFER(folder);

	buffer_append_string(&folder, root);
	limits_walk(out, &folder, strlen(root), 0, before);
}

/** DEVICES_SIZE_MAX - limit of all lines about devices */
#define DEVICES_SIZE_MAX 65536

void devices_append(struct buffer *out, const char *folder)
{
	DIR *links = opendir(folder);
	const struct dirent *entry;
	char target[PATH_MAX];

	while (links && out->size < DEVICES_SIZE_MAX && (entry = readdir(links))) {
		ssize_t size = readlinkat(dirfd(links), entry->d_name, target, sizeof(target) - 1);

		if (size <= 0)
			continue;
		target[size] = '\0';
		buffer_printf(out, "%s %s\n", entry->d_name,
			      strrchr(target, '/') ? strrchr(target, '/') + 1 : target);
	}
	if (links)
		closedir(links);
}

bool namespace_has_kernel_pids(void)
{
	struct stat about;

	return stat("/proc/self/ns/pid", &about) == 0 && about.st_ino == FIRST_PID_NAMESPACE;
}

/* Lines "CLOCK SECONDS NANOSECONDS"; older kernels lack the file. */
int namespace_check_clocks(struct error *error)
{
	SCOPED_BUFFER(text);
	char clock[16];
	long long seconds, rest_ns;
	int size, status = 0;

	if (file_read("/proc/self/timens_offsets", &text) < 0)
		buffer_clear(&text);
	for (const char *line = buffer_string(&text);
	     status == 0 && sscanf(line, "%15s %lld %lld%n", clock, &seconds, &rest_ns, &size) == 3;
	     line += size) {
		if (seconds != 0 || rest_ns != 0)
			status = error_set(error,
					   "a time namespace shifts the clock %s by %lld s; run "
					   "ktrack outside of it: nsenter --time --target 1 ktrack",
					   clock, seconds);
	}
	return status;
}
