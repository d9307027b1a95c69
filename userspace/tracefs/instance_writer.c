// SPDX-License-Identifier: GPL-2.0-only
/* Finds the kernel's number of a process in a PID namespace: it is in the records that it writes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracefs/instance_state.h"
#include "tracefs/page.h"
#include "tracefs/reader.h"
#include "tracefs/retry.h"

/* A sub-buffer, also of kernels with larger pages. */
#define SUB_BUFFER_SIZE 65536

/* In the common fields of records, whose places no kernel has changed. */
#define PID_OFFSET 4

int instance_write_text(void *context, const char *path, struct error *error)
{
	/* The kernel takes no text from a page that this process has not touched. */
	const char text[] = WRITER_TEXT;
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int status = 0;

	(void)context;
	if (fd < 0 || retry_write(fd, text, sizeof(text) - 1) < 0)
		status = error_set_system(error, errno, "cannot write to %s", path);
	file_close(fd);
	return status;
}

/* Returns the number of the thread that wrote the text; 0 if it is not in this sub-buffer. */
static int writer_find(const void *bytes, size_t size)
{
	struct record record = { 0 };
	struct page page;
	int32_t tid;

	page_load(&page, (struct page_layout){ 0 }, bytes, size);
	while (page_next(&page, &record)) {
		if (!memmem(record.data, record.size, WRITER_TEXT, strlen(WRITER_TEXT)))
			continue;
		memcpy(&tid, record.data + PID_OFFSET, sizeof(tid));
		return tid;
	}
	return 0;
}

static int writer_find_on(const struct instance *instance, int cpu, void *bytes)
{
	struct error ignored = { 0 };
	ssize_t size;
	char file[64];
	int fd;

	snprintf(file, sizeof(file), "per_cpu/cpu%d/trace_pipe_raw", cpu);
	fd = file_open_in(instance->directory, file, O_RDONLY | O_NONBLOCK, &ignored);
	size = fd < 0 ? -1 : TEMP_FAILURE_RETRY(read(fd, bytes, SUB_BUFFER_SIZE));
	file_close(fd);
	return size > 0 ? writer_find(bytes, size) : 0;
}

static int writer_find_any(struct instance *instance, struct error *error)
{
	void *bytes = malloc(SUB_BUFFER_SIZE);
	int tid = 0;

	for (int cpu = 0; bytes && tid == 0 && cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++)
		tid = writer_find_on(instance, cpu, bytes);
	free(bytes);
	/* Also resets the counts. */
	if (tid > 0 && instance_write(instance, "trace", "\n", error) == 0)
		return tid;
	return tid > 0 ? -1
		       : error_set(error, "%s: no record of a text written to trace_marker",
				   instance->directory);
}

int instance_find_writer(struct instance *instance,
			 int (*write)(void *context, const char *path, struct error *error),
			 void *context, struct error *error)
{
	struct buffer path = { 0 };
	int status;

	buffer_printf(&path, "%s/trace_marker", instance->directory);
	status = control_switch(&instance->control, true, error);
	if (status == 0)
		status = write(context, buffer_string(&path), error);
	if (control_switch(&instance->control, false, status < 0 ? &(struct error){ 0 } : error) < 0)
		status = -1;
	buffer_release(&path);
	return status < 0 ? -1 : writer_find_any(instance, error);
}

int instance_own_tid(const struct instance *instance)
{
	return instance->own_tid;
}
