/* SPDX-License-Identifier: GPL-2.0-only */
/* From a guest's clock to its host's: by how much they were found to differ, at some moments. */
#ifndef SOURCE_SHIFT_H
#define SOURCE_SHIFT_H

#include "source/cursor.h"

/**
 * struct shift_sample - what was found at one moment
 * @time: on the guest's clock
 * @offset: of the host's, once the guest's is scaled
 * @scale, @fraction: the guest's is times @scale, shifted right by @fraction
 */
struct shift_sample {
	int64_t time;
	int64_t offset;
	uint64_t scale;
	unsigned int fraction;
};

/**
 * struct shift - of one CPU
 * @samples: by their time, at least one
 * @is_steady: the offset moves evenly from one sample to the next, instead of in steps
 */
struct shift {
	struct shift_sample *samples;
	size_t nr_samples;
	bool is_steady;
};

/** struct shifts - of all CPUs; a zeroed one has none */
struct shifts {
	struct shift *list;
	size_t nr_cpus;
};

/**
 * shifts_read - take in the option of a trace.dat, behind the other trace's id
 *
 * One that lies about its size, or has times that cannot be, gives no shifts. Returns 0, or -1
 * where memory ran out.
 */
int shifts_read(struct shifts *shifts, struct cursor data);

void shifts_release(struct shifts *shifts);

/** shift_apply - the host's time; never negative, and below SOURCE_TIME_LIMIT */
int64_t shift_apply(const struct shift *shift, int64_t stamp);

#endif
