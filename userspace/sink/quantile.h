/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Quantiles of many durations in little memory: they are counted by size, in cells that are 1/64 of
 * their power of two wide, so that a quantile is known within QUANTILE_ERROR of its exact value.
 */
#ifndef SINK_QUANTILE_H
#define SINK_QUANTILE_H

#include <stddef.h>
#include <stdint.h>

/** QUANTILE_ERROR - how far a quantile may be from the exact one, as a part of that */
#define QUANTILE_ERROR (1.0 / 128)

/** QUANTILE_OCTAVES - powers of two, the first of which holds all below 64 */
#define QUANTILE_OCTAVES 59

/** QUANTILE_CELLS - cells in each */
#define QUANTILE_CELLS 64

/** struct quantile_octave - how many durations lie in each cell of one power of two */
struct quantile_octave {
	unsigned int number;
	uint64_t counts[QUANTILE_CELLS];
};

/**
 * struct quantiles - the durations that were added
 * @octaves: those that hold any, in order
 *
 * A zeroed struct is empty.
 */
struct quantiles {
	uint64_t count;
	struct quantile_octave *octaves;
	size_t nr_octaves;
};

/** quantiles_add - one duration more; returns 0, or -1 where memory ran out */
int quantiles_add(struct quantiles *quantiles, uint64_t duration);

/**
 * quantiles_get - the smallest duration that at least @permille of all are not above
 *
 * Returns the middle of its cell, or 0 where there is none.
 */
uint64_t quantiles_get(const struct quantiles *quantiles, unsigned int permille);

/** quantiles_octave - how many durations lie in a power of two */
uint64_t quantiles_octave(const struct quantiles *quantiles, unsigned int number);

/** quantile_octave_of - the power of two that a duration lies in */
unsigned int quantile_octave_of(uint64_t duration);

/** quantile_octave_begin - the smallest duration in a power of two */
uint64_t quantile_octave_begin(unsigned int number);

void quantiles_release(struct quantiles *quantiles);

#endif
