/* SPDX-License-Identifier: GPL-2.0-only */
/* Options for outputs. */
#ifndef CLI_OUTPUT_OPTIONS_H
#define CLI_OUTPUT_OPTIONS_H

#include "cli/option.h"
#include "session/session.h"

/** OUTPUT_SHARED_ROWS - number of options that all outputs share */
#define OUTPUT_SHARED_ROWS 4

/** struct output_rows - memory for the rows of output_options() */
struct output_rows {
	struct option_row rows[SINK_KINDS_MAX + OUTPUT_SHARED_ROWS];
};

/**
 * output_options - the options for a struct output_settings, from the table of sinks
 * @rows: filled; outlives the part
 * @offset: of the struct output_settings in the command's settings
 */
struct option_part output_options(struct output_rows *rows, size_t offset);

#endif
