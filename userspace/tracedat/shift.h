/* SPDX-License-Identifier: GPL-2.0-only */
/* Conversion of timestamps: from a guest's clock to its host's, and from ticks to nanoseconds. */
#ifndef TRACEDAT_SHIFT_H
#define TRACEDAT_SHIFT_H

#include "tracedat/cursor.h"

/**
 * struct shift_sample - difference of both clocks at one time
 * @time: on the guest's clock
 * @offset: to add to the scaled time
 * @scale, @fraction: the scaled time is the guest's times @scale, shifted right by @fraction
 */
struct shift_sample {
	int64_t time;
	int64_t offset;
	uint64_t scale;
	unsigned int fraction;
};

/**
 * struct shift - samples of one CPU
 * @samples: at least one, sorted by time
 * @is_steady: offsets are interpolated between samples; otherwise they change in steps
 */
struct shift {
	struct shift_sample *samples;
	size_t nr_samples;
	bool is_steady;
};

/** struct shifts - of all CPUs; zeroed it is empty */
struct shifts {
	struct shift *list;
	size_t nr_cpus;
};

/**
 * shifts_read - parse the option of a trace.dat, behind the id of the host's trace
 *
 * An invalid one gives no shifts. Returns 0, or -1 if memory runs out.
 */
int shifts_read(struct shifts *shifts, struct cursor data);

void shifts_release(struct shifts *shifts);

/** shift_apply - the host's time of a guest's; at least 0 and below RECORD_TIME_LIMIT */
int64_t shift_apply(const struct shift *shift, int64_t ticks);

/**
 * struct trace_rate - nanoseconds of a tick: times @multiplier, then shifted right by @shift
 * @multiplier: 0 if timestamps are nanoseconds
 * @shift: below 64
 */
struct trace_rate {
	uint32_t multiplier;
	unsigned int shift;
};

/** trace_rate_apply - nanoseconds of a timestamp, below RECORD_TIME_LIMIT */
int64_t trace_rate_apply(struct trace_rate rate, int64_t ticks);

#endif
