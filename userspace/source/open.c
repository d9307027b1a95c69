// SPDX-License-Identifier: GPL-2.0-only
/* Opens the source that a name on the command line means. */
#include <string.h>

#include "source/live_source.h"

#define TRACEFS "tracefs"

/* The rest of the name of an instance: nothing for the top level, or a colon and a name; or NULL.
 */
static const char *instance_rest(const char *name)
{
	size_t size = strlen(TRACEFS);

	if (strncmp(name, TRACEFS, size) != 0 || (name[size] && name[size] != ':'))
		return NULL;
	return name + size;
}

bool source_name_is_instance(const char *name)
{
	return instance_rest(name);
}

int source_name_find(struct buffer *out, const char *name, struct error *error)
{
	const char *rest = instance_rest(name);

	if (!rest)
		return error_set(error,
				 "'%s': not a tracing instance; write tracefs or "
				 "tracefs:INSTANCE",
				 name);
	if (*rest && (!rest[1] || rest[1] == '.' || strchr(rest, '/')))
		return error_set(error, "'%s' is no source; write tracefs or tracefs:INSTANCE",
				 name);
	return instance_find(out, *rest ? rest + 1 : NULL, error);
}

int source_open(struct source **out, const char *name, struct byte_progress *progress,
		struct error *error)
{
	struct buffer directory = { 0 };
	int status;

	if (!instance_rest(name))
		return source_file_open(out, name, progress, error);
	*out = NULL;
	status = source_name_find(&directory, name, error);
	if (status == 0)
		status = live_source_snapshot_open(out, buffer_string(&directory), error);
	buffer_release(&directory);
	return status;
}
