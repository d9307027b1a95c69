/* SPDX-License-Identifier: GPL-2.0-only */
/* What a command line says of how much is remembered. */
#ifndef CLI_BOUNDS_H
#define CLI_BOUNDS_H

#include "cli/option.h"

/**
 * struct bounds - how much is remembered
 * @max_tracks: tracks above this number end where no slice is open on them; 0 for the usual number
 */
struct bounds {
	uint64_t max_tracks;
};

/** bounds_options - the options that fill a struct bounds */
extern const struct option_part bounds_options;

#endif
