// SPDX-License-Identifier: GPL-2.0-only
/* Lets an instance record the calls of functions by the tracer function_graph. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>

#include "tracefs/instance_state.h"

#define FUNCTION_GRAPH "function_graph"

/* The first line of an empty filter. */
#define ALL_FUNCTIONS "#### all functions enabled"

/* A function that exists in every kernel, and that is called at most once, at the end. */
#define QUIET_FUNCTION "kernel_restart"

/* Only an instance shows which tracers it can have. */
int instance_test_functions(bool *can, struct error *error)
{
	const struct instance_settings settings = { .mode = &buffer_modes[0],
						    .clock = "boot",
						    .buffer_kib = 1 };
	struct instance *instance;
	char *tracers;

	*can = false;
	if (instance_open_named(&instance, NULL, &settings, error) < 0)
		return -1;
	tracers = tracefs_instance_file_read(instance->handle, "available_tracers", NULL);
	*can = tracers && strstr(tracers, FUNCTION_GRAPH);
	free(tracers);
	return instance_remove(instance, error);
}

char *functions_read(struct error *error)
{
	char *list = tracefs_instance_file_read(NULL, "available_filter_functions", NULL);

	if (!list)
		error_set_system(error, errno, "cannot read available_filter_functions in tracefs");
	return list;
}

int instance_choose_functions(struct instance *instance, const char *pattern, bool is_excluded,
			      struct error *error)
{
	const char *file = is_excluded ? "set_ftrace_notrace" : "set_ftrace_filter";
	struct buffer line = { 0 };
	int status = 0;

	/* Without the newline, the kernel reads the pattern at close(2), whose error nobody sees. */
	buffer_printf(&line, "%s\n", pattern);
	if (line.failed)
		status = error_set(error, "out of memory");
	else if (instance_append(instance, file, buffer_string(&line)))
		;
	else if (errno == EINVAL)
		status = error_set(error,
				   "'%s': no such function can be traced; see "
				   "available_filter_functions in tracefs",
				   pattern);
	else
		status = error_set_system(error, errno, "cannot append '%s' to %s/%s", pattern,
					  instance->directory, file);
	buffer_release(&line);
	return status;
}

/* Only modules that are not loaded were chosen: an empty filter would mean all functions. */
static int filter_fill(struct instance *instance, struct error *error)
{
	char *filter = tracefs_instance_file_read(instance->handle, "set_ftrace_filter", NULL);
	bool is_empty = !filter || strncmp(filter, ALL_FUNCTIONS, strlen(ALL_FUNCTIONS)) == 0;

	free(filter);
	return is_empty ? instance_choose_functions(instance, QUIET_FUNCTION, false, error) : 0;
}

int instance_trace_functions(struct instance *instance, struct error *error)
{
	instance->traces_functions = true;
	if (filter_fill(instance, error) < 0)
		return -1;
	return instance_write(instance, "current_tracer", FUNCTION_GRAPH, error);
}

bool instance_traces_functions(const struct instance *instance)
{
	return instance->traces_functions;
}
