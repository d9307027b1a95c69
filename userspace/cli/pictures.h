/* SPDX-License-Identifier: GPL-2.0-only */
/* Outputs that are one file for a viewer: what a command line says of them, and their sinks. */
#ifndef CLI_PICTURES_H
#define CLI_PICTURES_H

#include "cli/option.h"
#include "cli/output.h"
#include "timeline/timeline.h"

enum picture {
	PICTURE_CHROME,
	PICTURE_PERFETTO,
	PICTURE_HTML,
	PICTURE_COUNT
};

/** struct pictures - paths, or - for standard output; NULL for none */
struct pictures {
	const char *paths[PICTURE_COUNT];
};

/** pictures_options - the options that fill a struct pictures */
extern const struct option_part pictures_options;

/** pictures_are_named - whether there is any */
bool pictures_are_named(const struct pictures *pictures);

/** pictures_on_output - how many go to standard output */
unsigned int pictures_on_output(const struct pictures *pictures);

/**
 * pictures_open - open the files, and add their sinks to a timeline
 * @with: a set of 1 << enum timeline_emitter
 * @set: they are to be among these
 *
 * Returns 0, or -1 with @error.
 */
int pictures_open(const struct pictures *pictures, struct timeline *timeline, unsigned int with,
		  struct output_set *set, struct error *error);

#endif
