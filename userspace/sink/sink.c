// SPDX-License-Identifier: GPL-2.0-only
/* The table of outputs. */
#include "sink/sink.h"

#include <string.h>

#include "sink/kinds.h"

const struct sink_kind sink_kinds[] = {
	{
		.name = "event",
		.help = "write EVENT lines (JSON) to - or a path",
		.use = SINK_USE_TRACE2,
		.can_append = true,
		.can_compress = true,
		.trace2_key = TRACE2_KEY_EVENT,
		.sink_new = sink_event_new,
	},
	{
		.name = "perf",
		.help = "write PERF lines (columns for people)",
		.use = SINK_USE_TRACE2,
		.can_append = true,
		.can_compress = true,
		.trace2_key = TRACE2_KEY_PERF,
		.sink_new = sink_perf_new,
	},
	{
		.name = "normal",
		.help = "write NORMAL lines (messages for people)",
		.is_rare = true,
		.use = SINK_USE_TRACE2,
		.can_append = true,
		.can_compress = true,
		.trace2_key = TRACE2_KEY_NORMAL,
		.sink_new = sink_normal_new,
	},
	{
		.name = "chrome",
		.help = "write JSON for chrome://tracing and speedscope",
		.viewer = "chrome://tracing",
		.use = SINK_USE_FILE,
		.can_compress = true,
		.sink_new = sink_chrome_new,
	},
	{
		.name = "perfetto",
		.help = "write a trace for ui.perfetto.dev",
		.viewer = "ui.perfetto.dev",
		.use = SINK_USE_FILE,
		.can_append = true,
		.sink_new = sink_perfetto_new,
	},
	{
		.name = "html",
		.help = "write a page for any browser (works offline)",
		.viewer = "a browser",
		.use = SINK_USE_FILE,
		.shows_explanations = true,
		.sink_new = sink_html_new,
	},
	{
		.name = "sqlite",
		.help = "write an SQLite database, see ktrack-sql(5)",
		.use = SINK_USE_FILE,
		.creates_files = true,
		.shows_explanations = true,
		.sink_new = sink_sqlite_new,
	},
	{
		.name = "otlp",
		.help = "write OpenTelemetry's spans, lines of OTLP JSON",
		.is_rare = true,
		.is_lines = true,
		.use = SINK_USE_FILE,
		.can_append = true,
		.can_compress = true,
		.sink_new = sink_otlp_new,
	},
	{
		.name = "otlp-metrics",
		.help = "write counters as OpenTelemetry's metrics, likewise",
		.is_rare = true,
		.is_lines = true,
		.use = SINK_USE_FILE,
		.can_append = true,
		.can_compress = true,
		.sink_new = sink_otlp_metrics_new,
	},
	{
		.name = "serve",
		.help = "serve a page that follows the recording",
		.use = SINK_USE_SERVER,
		.shows_explanations = true,
		.sink_new = sink_serve_new,
	},
	{
		.name = "query",
		.help = "print the results of a query",
		.use = SINK_USE_COMMAND,
		.sink_new = sink_query_new,
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
