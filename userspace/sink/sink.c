// SPDX-License-Identifier: GPL-2.0-only
/* The table of outputs. */
#include "sink/sink.h"

#include <string.h>

#include "sink/kinds.h"

const struct sink_kind sink_kinds[] = {
	{
		.name = "event",
		.help = "write trace2 EVENT lines to - (standard output, the default) or a path",
		.use = SINK_USE_TRACE2,
		.can_append = true,
		.trace2_key = TRACE2_KEY_EVENT,
		.sink_new = sink_event_new,
	},
	{
		.name = "perf",
		.help = "write trace2 PERF lines (human-readable columns)",
		.use = SINK_USE_TRACE2,
		.can_append = true,
		.trace2_key = TRACE2_KEY_PERF,
		.sink_new = sink_perf_new,
	},
	{
		.name = "normal",
		.help = "write trace2 NORMAL lines (human-readable messages)",
		.use = SINK_USE_TRACE2,
		.can_append = true,
		.trace2_key = TRACE2_KEY_NORMAL,
		.sink_new = sink_normal_new,
	},
	{
		.name = "chrome",
		.help = "write JSON trace events for chrome://tracing, Perfetto and speedscope",
		.use = SINK_USE_FILE,
		.sink_new = sink_chrome_new,
	},
	{
		.name = "perfetto",
		.help = "write a trace in Perfetto's native format",
		.use = SINK_USE_FILE,
		.can_append = true,
		.sink_new = sink_perfetto_new,
	},
	{
		.name = "html",
		.help = "write an HTML page with a timeline (works offline)",
		.use = SINK_USE_FILE,
		.shows_explanations = true,
		.sink_new = sink_html_new,
	},
	{
		.name = "stat",
		.help = "print statistics of track events",
		.use = SINK_USE_COMMAND,
		.sink_new = sink_stat_new,
	},
};

const size_t sink_kinds_count = sizeof(sink_kinds) / sizeof(sink_kinds[0]);
/* One sink more: analysis/ makes that of --why. */
_Static_assert(sizeof(sink_kinds) / sizeof(sink_kinds[0]) + 1 <= TIMELINE_SINKS_MAX,
	       "raise TIMELINE_SINKS_MAX in timeline.h");

const struct sink_kind *sink_kind_find(const char *name)
{
	for (size_t i = 0; i < sink_kinds_count; i++) {
		if (strcmp(sink_kinds[i].name, name) == 0)
			return &sink_kinds[i];
	}
	return NULL;
}
