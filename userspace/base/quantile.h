/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Quantiles of many durations in little memory. Durations are counted in cells, 64 for each power
 * of two, so that a quantile is within QUANTILE_ERROR of its exact value. It is our own because the
 * libraries (HdrHistogram) allocate the full range for each of thousands of rows.
 */
#ifndef BASE_QUANTILE_H
#define BASE_QUANTILE_H

#include <stddef.h>
#include <stdint.h>

/** QUANTILE_ERROR - limit of a quantile's relative error */
#define QUANTILE_ERROR (1.0 / 128)
/** QUANTILE_OCTAVES - powers of two; the first one is all durations below 64 */
#define QUANTILE_OCTAVES 59
/** QUANTILE_CELLS - cells in each */
#define QUANTILE_CELLS 64

/** struct quantile_octave - number of durations in each cell of a power of two */
struct quantile_octave {
	unsigned int number;
	uint64_t counts[QUANTILE_CELLS];
};

/**
 * struct quantiles - all durations
 *
 * A zeroed struct is empty.
 */
struct quantiles {
	uint64_t count;
	struct quantile_octave *octaves; /* those that are not empty, in order */
	size_t nr_octaves;
};

/** quantiles_add - add a duration; returns 0, or -1 if memory ran out */
int quantiles_add(struct quantiles *quantiles, uint64_t duration);
/** quantiles_get - the smallest duration that @permille of all do not exceed, by its cell; or 0 */
uint64_t quantiles_get(const struct quantiles *quantiles, unsigned int permille);
/** quantiles_octave - number of durations in a power of two */
uint64_t quantiles_octave(const struct quantiles *quantiles, unsigned int number);
/** quantile_octave_of - the power of two of a duration */
unsigned int quantile_octave_of(uint64_t duration);
/** quantile_octave_begin - the smallest duration in a power of two */
uint64_t quantile_octave_begin(unsigned int number);
/** quantiles_copy - make @copy, whose content is released, equal; -1 without memory */
int quantiles_copy(struct quantiles *copy, const struct quantiles *quantiles);

void quantiles_release(struct quantiles *quantiles);

#endif
