// SPDX-License-Identifier: GPL-2.0-only
/* Switches an instance on and off, removes it, and opens files of its tracepoints. */
#include "tracefs/instance_state.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "event/event.h"
#include "tracefs/tracefs.h"

#define COPY_MARKERS "options/copy_trace_marker"

int control_open(struct control *control, const char *directory, struct error *error)
{
	control->directory = directory;
	control->copy_fd = file_open_in(directory, COPY_MARKERS, O_RDWR, &(struct error){ 0 });
	control->instances_fd = file_open_in(directory, "..", O_PATH | O_DIRECTORY, error);
	if (control->instances_fd < 0)
		return -1;
	control->events_fd = file_open_in(directory, "events", O_PATH | O_DIRECTORY, error);
	if (control->events_fd < 0)
		return -1;
	control->switch_fd = file_open_in(directory, "tracing_on", O_WRONLY | O_TRUNC, error);
	return control->switch_fd < 0 ? -1 : 0;
}

void control_report_write(const struct control *control, const char *file, const char *value)
{
	report_message(control->writes, "write '%s' to %s/%s", value, control->directory, file);
}

void control_report_event_write(const struct control *control, const char *system,
				const char *event, const char *file, const char *value)
{
	report_message(control->writes, "write '%s' to %s/events/%s/%s/%s", value,
		       control->directory, system, event, file);
}

bool control_can_copy(const struct control *control)
{
	return control->copy_fd >= 0;
}

static int control_set_copies(const struct control *control, const char *digit, struct error *error)
{
	if (retry_pwrite(control->copy_fd, digit, 1) != 1)
		return error_set_system(error, errno, "cannot write '%s' to %s/" COPY_MARKERS,
					digit, control->directory);
	control_report_write(control, COPY_MARKERS, digit);
	return 0;
}

int control_copy(const struct control *control, struct error *error)
{
	return control_set_copies(control, "1", error);
}

int control_switch(const struct control *control, bool is_on, struct error *error)
{
	const char *digit = is_on ? "1" : "0";
	char copies = '0';

	if (!is_on && control_can_copy(control) && retry_pread(control->copy_fd, &copies, 1) >= 0 &&
	    copies == '1') {
		if (control_set_copies(control, "0", error) < 0)
			return -1;
		/* Writers that have found the instance before still write to it. */
		buffer_reader_await_writers();
	}
	if (retry_pwrite(control->switch_fd, digit, 1) == 1) {
		control_report_write(control, "tracing_on", digit);
		return 0;
	}
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
	descriptor_drop(&control->copy_fd);
}

/* Without an open parent directory, the path of the instance is used. */
int control_remove(const struct control *control)
{
	const char *name = path_base_name(control->directory);

	int status = control->instances_fd < 0
			     ? unlinkat(AT_FDCWD, control->directory, AT_REMOVEDIR)
			     : unlinkat(control->instances_fd, name, AT_REMOVEDIR);

	if (status == 0)
		report_message(control->writes, "remove %s", control->directory);
	return status;
}

void control_close(struct control *control)
{
	control_release(control);
	descriptor_drop(&control->instances_fd);
}

int control_open_event(const struct control *control, const char *system, const char *event,
		       const char *file, int flags)
{
	SCOPED_BUFFER(path);
	int fd;

	event_path_append(&path, system, event, file);
	fd = file_open_built(control->events_fd, &path, flags);
	return fd;
}

void control_translate_filter(const struct control *control, const char *system, const char *event,
			      const char *filter, struct buffer *out, struct error *problem)
{
	SCOPED_BUFFER(format);

	if (event_file_read(control->events_fd, system, event, "format", &format) < 0 ||
	    event_filter_translate(filter, buffer_text(&format), out, problem) < 0) {
		buffer_clear(out);
		buffer_append_string(out, filter);
	}
}
