/* SPDX-License-Identifier: GPL-2.0-only */
/* Constructors of all outputs, for the table of sink.c; see struct sink_kind. */
#ifndef SINK_KINDS_H
#define SINK_KINDS_H

#include "sink/sink.h"

/** sink_event_new, sink_perf_new, sink_normal_new - a trace2 session with one target */
struct sink *sink_event_new(const struct sink_settings *settings, struct error *error);
struct sink *sink_perf_new(const struct sink_settings *settings, struct error *error);
struct sink *sink_normal_new(const struct sink_settings *settings, struct error *error);

/** sink_chrome_new - trace events in JSON for chrome://tracing, Perfetto and speedscope */
struct sink *sink_chrome_new(const struct sink_settings *settings, struct error *error);

/** sink_perfetto_new - a trace in Perfetto's native format */
struct sink *sink_perfetto_new(const struct sink_settings *settings, struct error *error);

/** sink_html_new - a page that needs no other file and no network */
struct sink *sink_html_new(const struct sink_settings *settings, struct error *error);

/** sink_serve_new - lines for the same page, written while it follows the recording */
struct sink *sink_serve_new(const struct sink_settings *settings, struct error *error);

/** sink_sqlite_new - an SQLite database */
struct sink *sink_sqlite_new(const struct sink_settings *settings, struct error *error);

/** sink_otlp_new, sink_otlp_metrics_new - requests of OpenTelemetry's protocol, a line each */
struct sink *sink_otlp_new(const struct sink_settings *settings, struct error *error);
struct sink *sink_otlp_metrics_new(const struct sink_settings *settings, struct error *error);

/** sink_query_new - the results of a query of a temporary SQLite database */
struct sink *sink_query_new(const struct sink_settings *settings, struct error *error);

/** sink_stat_new - statistics of slices, counters and instants */
struct sink *sink_stat_new(const struct sink_settings *settings, struct error *error);

#endif
