// SPDX-License-Identifier: GPL-2.0-only
/* Finds the threads that run 32-bit programs, by the header of their program's file. */
#include "capture/narrow.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/reader.h"

bool narrow_program(const char *path)
{
	Elf32_Ehdr header;
	ssize_t size = -1;
	int fd;

	if (sizeof(void *) < 8)
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0) {
		size = read(fd, &header, sizeof(header));
		close(fd);
	}
	/* Programs for x32 have small pointers, but the machine's own numbers with a bit. */
	return size == sizeof(header) && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
	       header.e_ident[EI_CLASS] == ELFCLASS32 && header.e_machine != EM_X86_64;
}

static int narrow_append(void *context, int tid, struct error *error)
{
	struct buffer *out = context;

	(void)error;
	buffer_printf(out, "%s%d", out->size > 0 ? "," : "", tid);
	return 0;
}

static void narrow_process_append(struct buffer *out, int pid)
{
	const struct workload_settings process = { .option = "-p", .pid = pid };
	struct buffer path = { 0 };
	struct error ignored = { 0 };

	buffer_printf(&path, "/proc/%d/exe", pid);
	if (narrow_program(buffer_string(&path)))
		workload_find(&process, narrow_append, out, &ignored);
	buffer_release(&path);
}

void narrow_threads_append(struct buffer *out)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;

	while (processes && (entry = readdir(processes))) {
		int pid = atoi(entry->d_name);

		if (pid > 0)
			narrow_process_append(out, pid);
	}
	if (processes)
		closedir(processes);
}
