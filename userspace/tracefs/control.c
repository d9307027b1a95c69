// SPDX-License-Identifier: GPL-2.0-only
/* Switches an instance on and off, removes it, and opens files of its tracepoints. */
#include "tracefs/control.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int control_open(struct control *control, const char *directory, struct error *error)
{
	control->directory = directory;
	control->instances_fd = file_open_in(directory, "..", O_PATH | O_DIRECTORY, error);
	if (control->instances_fd < 0)
		return -1;
	control->events_fd = file_open_in(directory, "events", O_PATH | O_DIRECTORY, error);
	if (control->events_fd < 0)
		return -1;
	control->switch_fd = file_open_in(directory, "tracing_on", O_WRONLY | O_TRUNC, error);
	return control->switch_fd < 0 ? -1 : 0;
}

int control_switch(const struct control *control, bool is_on, struct error *error)
{
	const char *digit = is_on ? "1" : "0";

	if (pwrite(control->switch_fd, digit, 1, 0) == 1)
		return 0;
	return error_set_system(error, errno, "cannot write '%s' to %s/tracing_on", digit,
				control->directory);
}

static void descriptor_drop(int *fd)
{
	file_close(*fd);
	*fd = -1;
}

void control_release(struct control *control)
{
	descriptor_drop(&control->events_fd);
	descriptor_drop(&control->switch_fd);
	descriptor_drop(&control->clock_fd);
}

/* Without an open parent directory, the path of the instance is used. */
int control_remove(const struct control *control)
{
	const char *name = path_base_name(control->directory);

	if (control->instances_fd < 0)
		return unlinkat(AT_FDCWD, control->directory, AT_REMOVEDIR);
	return unlinkat(control->instances_fd, name, AT_REMOVEDIR);
}

void control_close(struct control *control)
{
	control_release(control);
	descriptor_drop(&control->instances_fd);
}

int control_open_event(const struct control *control, const char *system, const char *event,
		       const char *file, int flags)
{
	struct buffer path = { 0 };
	int fd;

	buffer_printf(&path, "%s/%s/%s", system, event, file);
	fd = openat(control->events_fd, buffer_string(&path), flags | O_CLOEXEC);
	buffer_release(&path);
	return fd;
}
