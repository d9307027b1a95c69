// SPDX-License-Identifier: GPL-2.0-only
/* The list of outputs. */
#include "sink/file.h"

#include <string.h>

/*
 * In the order of --help; the first one is the default. Each is a struct sink_kind, sink_NAME, in
 * the file of its output.
 */
/* clang-format off */
#define SINK_KINDS(apply)   \
	apply(event)        \
	apply(perf)         \
	apply(normal)       \
	apply(chrome)       \
	apply(perfetto)     \
	apply(fxt)          \
	apply(html)         \
	apply(sqlite)       \
	apply(otlp)         \
	apply(otlp_metrics) \
	apply(serve)        \
	apply(query)        \
	apply(stat)
/* clang-format on */

#define SINK_DECLARE(kind) extern const struct sink_kind sink_##kind;
#define SINK_ADDRESS(kind) &sink_##kind,

SINK_KINDS(SINK_DECLARE)

const struct sink_kind *const sink_kinds[] = { SINK_KINDS(SINK_ADDRESS) };

const size_t sink_kinds_count = sizeof(sink_kinds) / sizeof(sink_kinds[0]);
_Static_assert(sizeof(sink_kinds) / sizeof(sink_kinds[0]) <= SINK_KINDS_MAX,
	       "raise SINK_KINDS_MAX in sink.h");

size_t sink_kind_number(const char *name)
{
	size_t i = 0;

	while (i < sink_kinds_count && strcmp(sink_kinds[i]->name, name) != 0)
		i++;
	return i;
}

struct sink *sink_open(const struct sink_kind *kind, const struct sink_settings *settings,
		       struct error *error)
{
	return kind->sink_new ? kind->sink_new(kind, settings, error)
			      : sink_file_new(kind, settings, error);
}
