/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sink room's public header: what the timeline can be turned into, one constructor for each
 * output.
 */
#ifndef SINK_SINK_H
#define SINK_SINK_H

#include "base/base.h"
#include "timeline/timeline.h"
#include "trace2/trace2.h"

/**
 * struct sink_trace2_target - where the lines of a target go
 * @name: what errors call it; NULL for a target that is off
 * @value: where trace2_session_open() is to write; NULL where there is @fd
 * @fd: becomes the sink's, which closes it
 */
struct sink_trace2_target {
	const char *name;
	const char *value;
	int fd;
};

/**
 * struct sink_trace2_settings - where trace2 lines go, and whose session it is
 * @sid: the whole session id
 * @hierarchy: the command's name behind those of the commands that started this one ("git/stream")
 * @with: a set of 1 << enum timeline_emitter, told with each record
 * @file_user, @file_group: to whom files are given that targets make; 0 as @file_user for nobody else
 * @config: brief forms, nesting, and parameters that are to be told; NULL for none
 * @targets: by enum trace2_target
 *
 * All strings and @config are the caller's and live as long as the sink.
 */
struct sink_trace2_settings {
	const char *sid;
	const char *hierarchy;
	unsigned int with;
	unsigned int file_user;
	unsigned int file_group;
	const struct trace2_config *config;
	struct sink_trace2_target targets[TRACE2_TARGET_COUNT];
};

/**
 * sink_trace2_new - one trace2 session for one recording
 *
 * Returns a sink for timeline_add(), or NULL with @error; all descriptors are closed then.
 */
struct sink *sink_trace2_new(const struct sink_trace2_settings *settings, struct error *error);

/**
 * struct sink_file_settings - a file that one recording is written to
 * @name: what errors call it; the caller's, lives as long as the sink
 * @fd: becomes the sink's, which closes it
 * @with: a set of 1 << enum timeline_emitter, told with each record
 * @is_appending: @name is a path whose file may hold something, which is added to
 */
struct sink_file_settings {
	const char *name;
	int fd;
	unsigned int with;
	bool is_appending;
};

/**
 * sink_chrome_new - trace events in JSON, as chrome://tracing, Perfetto and speedscope open them
 *
 * Returns a sink for timeline_add(), or NULL with @error; the descriptor is closed then.
 */
struct sink *sink_chrome_new(const struct sink_file_settings *settings, struct error *error);

/** sink_perfetto_new - likewise a trace in Perfetto's native form */
struct sink *sink_perfetto_new(const struct sink_file_settings *settings, struct error *error);

#endif
