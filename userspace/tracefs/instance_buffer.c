// SPDX-License-Identifier: GPL-2.0-only
/* How large the buffers of an instance are. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>

#include "tracefs/instance_state.h"
#include "tracefs/reader.h"

static uint64_t instance_read_size(const struct instance *instance, const char *file)
{
	char *text = tracefs_instance_file_read(instance->handle, file, NULL);
	uint64_t size_kib = text ? strtoull(text, NULL, 10) : 0;

	free(text);
	return size_kib;
}

/* The kernel prints "X" if the sizes differ. */
uint64_t instance_buffer_kib(const struct instance *instance)
{
	return instance_read_size(instance, "buffer_size_kb");
}

uint64_t instance_memory_kib(const struct instance *instance)
{
	uint64_t size_kib;

	if (!instance)
		return 0;
	size_kib = instance_read_size(instance, "buffer_total_size_kb");
	return size_kib + (instance->sideband ? instance_memory_kib(instance->sideband) : 0);
}

/*
 * The buffer is resized after the events are enabled. Older kernels (6.1) have one flag for all
 * instances that buffers have been expanded from their boot size. Enabling an event expands the top
 * level's buffer and sets the flag. If a resize of any instance sets it first, the top level's
 * buffer keeps its few KiB forever.
 */
int instance_resize(struct instance *instance, struct error *error)
{
	char size[32];

	snprintf(size, sizeof(size), "%llu", (unsigned long long)instance->buffer_kib);
	instance_try_write(instance, "buffer_percent", BUFFER_PERCENT);
	if (instance_try_write(instance, "buffer_size_kb", size))
		return 0;
	if (errno == ENOMEM)
		return error_set(error,
				 "buffers of %s KiB for each CPU: %s; use smaller ones "
				 "(-b), see 'ktrack doctor'",
				 size, strerror(errno));
	return error_set_system(error, errno, "cannot write '%s' to %s/buffer_size_kb", size,
				instance->directory);
}
