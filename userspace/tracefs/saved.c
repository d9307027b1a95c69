// SPDX-License-Identifier: GPL-2.0-only
/* Opens the files in which the kernel saves names and processes of threads. */
#include "tracefs/tracefs.h"

#include <fcntl.h>

void saved_tasks_open(struct saved_tasks *out, const char *tracefs)
{
	struct error ignored = { 0 };

	out->names_fd = file_open_in(tracefs, "saved_cmdlines", O_RDONLY, &ignored);
	out->groups_fd = file_open_in(tracefs, "saved_tgids", O_RDONLY, &ignored);
	out->is_nested = !namespace_has_kernel_pids();
}

void saved_tasks_close(struct saved_tasks *saved)
{
	file_close(saved->names_fd);
	file_close(saved->groups_fd);
	*saved = (struct saved_tasks)SAVED_TASKS_NONE;
}
