// SPDX-License-Identifier: GPL-2.0-only
/* Which kind of source a name on the command line means. */
#include <string.h>

#include "source/source.h"

#define TRACEFS "tracefs"

/**
 * struct source_row - a kind of source
 * @prefix: how its names begin; what follows is for @open
 */
struct source_row {
	const char *prefix;
	int (*open)(struct source **out, const char *rest, struct error *error);
};

/* What stands behind "tracefs": nothing for the top level, or a colon and a name. */
static int instance_parse(const char *rest, const char **instance, struct error *error)
{
	*instance = *rest ? rest + 1 : NULL;
	if (!*rest || (*rest == ':' && rest[1] && !strchr(rest, '/') && rest[1] != '.'))
		return 0;
	return error_set(error, "'" TRACEFS "%s' is no source; write tracefs or tracefs:INSTANCE",
			 rest);
}

static int open_instance(struct source **out, const char *rest, struct error *error)
{
	const char *instance;

	if (instance_parse(rest, &instance, error) < 0)
		return -1;
	return source_instance_open(out, instance, error);
}

int source_name_find(struct buffer *out, const char *name, struct error *error)
{
	size_t size = strlen(TRACEFS);
	const char *instance;

	if (strncmp(name, TRACEFS, size) != 0 || (name[size] && name[size] != ':'))
		return error_set(error, "'%s' is no tracing instance", name);
	if (instance_parse(name + size, &instance, error) < 0)
		return -1;
	return instance_find(out, instance, error);
}

static const struct source_row rows[] = {
	{ TRACEFS, open_instance },
};

int source_open(struct source **out, const char *name, struct error *error)
{
	*out = NULL;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t size = strlen(rows[i].prefix);

		if (strncmp(name, rows[i].prefix, size) == 0 && (!name[size] || name[size] == ':'))
			return rows[i].open(out, name + size, error);
	}
	return source_file_open(out, name, error);
}
