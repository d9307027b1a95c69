// SPDX-License-Identifier: GPL-2.0-only
/* Which kind of source a name on the command line means. */
#include <string.h>

#include "source/source.h"

/**
 * struct source_row - a kind of source
 * @prefix: how its names begin; what follows is for @open
 */
struct source_row {
	const char *prefix;
	int (*open)(struct source **out, const char *rest, struct error *error);
};

static int open_instance(struct source **out, const char *rest, struct error *error)
{
	if (!*rest)
		return source_instance_open(out, NULL, error);
	if (*rest == ':' && rest[1] && !strchr(rest, '/') && rest[1] != '.')
		return source_instance_open(out, rest + 1, error);
	return error_set(error, "'tracefs%s' is no source; write tracefs or tracefs:INSTANCE",
			 rest);
}

static const struct source_row rows[] = {
	{ "tracefs", open_instance },
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
