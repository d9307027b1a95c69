// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Walks /proc, and compares this process's namespaces with the first ones. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

bool namespace_has_kernel_pids(void)
{
	struct stat about;

	return stat("/proc/self/ns/pid", &about) == 0 && about.st_ino == FIRST_PID_NAMESPACE;
}

/* Lines "CLOCK SECONDS NANOSECONDS"; older kernels lack the file. */
int namespace_check_clocks(struct error *error)
{
	struct buffer text = { 0 };
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
	buffer_release(&text);
	return status;
}
