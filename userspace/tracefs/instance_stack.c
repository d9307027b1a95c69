// SPDX-License-Identifier: GPL-2.0-only
/* Lets an instance record kernel stacks, but not too many. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "tracefs/instance_state.h"
#include "tracefs/retry.h"

int instance_add_stack(struct instance *instance, const char *system, const char *event,
		       const char *filter, uint64_t limit, struct error *error)
{
	struct stack_trigger *triggers = reallocarray(instance->stacks, instance->nr_stacks + 1,
						      sizeof(*triggers));

	if (!triggers)
		return error_set(error, "out of memory");
	instance->stacks = triggers;
	if (instance->marker_fd < 0)
		instance->marker_fd = file_open_in(instance->directory, "trace_marker", O_WRONLY,
						   error);
	if (instance->marker_fd < 0)
		return -1;
	return stack_trigger_set(&triggers[instance->nr_stacks++], &instance->control, system,
				 event, filter, limit, error);
}

bool instance_has_stacks(const struct instance *instance)
{
	return instance->nr_stacks > 0;
}

uint32_t instance_refill_stacks(const struct instance *instance)
{
	uint32_t exhausted = 0;

	for (size_t i = 0; i < instance->nr_stacks; i++) {
		if (stack_trigger_refill(&instance->stacks[i]))
			exhausted |= UINT32_C(1) << i;
	}
	return exhausted;
}

void instance_write_marker(const struct instance *instance, struct text text)
{
	/* A full buffer or a stopped recording has no place for it. */
	if (instance->marker_fd >= 0 && retry_write(instance->marker_fd, text.data, text.size) < 0)
		return;
}

void instance_close_stacks(struct instance *instance)
{
	for (size_t i = 0; i < instance->nr_stacks; i++)
		stack_trigger_close(&instance->stacks[i]);
	free(instance->stacks);
	instance->stacks = NULL;
	instance->nr_stacks = 0;
	file_close(instance->marker_fd);
	instance->marker_fd = -1;
}
