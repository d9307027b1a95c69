// SPDX-License-Identifier: GPL-2.0-only
/* Tests of quantiles: within the stated error of the exact ones, on a million durations. */
#include "base/quantile.h"

#include <stdlib.h>

#include "fixtures/random.h"
#include "fixtures/tap.h"

#define NR_DURATIONS 1000000

static const unsigned int permilles[] = { 1, 10, 250, 500, 900, 990, 999, 1000 };

static int duration_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Durations of all sizes alike, of one size, and of two sizes far apart. */
static uint64_t any_size(struct random *random)
{
	return random_below(random, UINT64_C(1) << (1 + random_below(random, 50)));
}

static uint64_t one_size(struct random *random)
{
	return 1000 + random_below(random, 200);
}

static uint64_t two_sizes(struct random *random)
{
	return random_below(random, 100) < 98 ? 300 + random_below(random, 50)
					      : 5000000 + random_below(random, 3000000);
}

static uint64_t small(struct random *random)
{
	return random_below(random, 64);
}

/* Counts quantiles that are farther from the exact ones than they may be. */
static unsigned int wrong_quantiles(const struct quantiles *quantiles, const uint64_t *sorted)
{
	unsigned int nr_wrong = 0;

	for (size_t i = 0; i < sizeof(permilles) / sizeof(permilles[0]); i++) {
		double exact = sorted[(uint64_t)NR_DURATIONS * permilles[i] / 1000 - 1];
		double found = quantiles_get(quantiles, permilles[i]);

		nr_wrong += found > exact * (1 + QUANTILE_ERROR) ||
			    found < exact * (1 - QUANTILE_ERROR);
	}
	return nr_wrong;
}

static void check_durations(uint64_t (*duration)(struct random *random))
{
	uint64_t *durations = malloc(NR_DURATIONS * sizeof(*durations));
	SCOPED(quantiles) quantiles = { 0 };
	struct random random = { .state = 7 };
	uint64_t count = 0;

	for (size_t i = 0; i < NR_DURATIONS; i++) {
		durations[i] = duration(&random);
		CHECK_NUMBER(quantiles_add(&quantiles, durations[i]), 0);
	}
	qsort(durations, NR_DURATIONS, sizeof(*durations), duration_compare);
	CHECK_NUMBER(wrong_quantiles(&quantiles, durations), 0);
	for (unsigned int i = 0; i < QUANTILE_OCTAVES; i++)
		count += quantiles_octave(&quantiles, i);
	CHECK_NUMBER(count, NR_DURATIONS);
	free(durations);
}

TEST(quantiles_of_a_million_are_within_the_error)
{
	check_durations(any_size);
	check_durations(one_size);
	check_durations(two_sizes);
}

TEST(quantiles_of_small_durations_are_exact)
{
	SCOPED(quantiles) quantiles = { 0 };

	check_durations(small);
	for (uint64_t i = 1; i <= 100; i++)
		CHECK_NUMBER(quantiles_add(&quantiles, i), 0);
	CHECK_NUMBER(quantiles_get(&quantiles, 500), 50);
	CHECK_NUMBER(quantiles_get(&quantiles, 990), 99);
	CHECK_NUMBER(quantiles_get(&quantiles, 1000), 100);
}

TEST(quantiles_of_few_are_among_them)
{
	SCOPED(quantiles) quantiles = { 0 };

	CHECK_NUMBER(quantiles_get(&quantiles, 500), 0);
	CHECK_NUMBER(quantiles_add(&quantiles, 7), 0);
	CHECK_NUMBER(quantiles_get(&quantiles, 500), 7);
	CHECK_NUMBER(quantiles_get(&quantiles, 990), 7);
	CHECK_NUMBER(quantiles_add(&quantiles, 9), 0);
	CHECK_NUMBER(quantiles_get(&quantiles, 500), 7);
	CHECK_NUMBER(quantiles_get(&quantiles, 501), 9);
}

TEST(octaves_meet_without_a_gap)
{
	for (unsigned int i = 1; i < QUANTILE_OCTAVES; i++) {
		CHECK_NUMBER(quantile_octave_of(quantile_octave_begin(i)), i);
		CHECK_NUMBER(quantile_octave_of(quantile_octave_begin(i) - 1), i - 1);
	}
	CHECK_NUMBER(quantile_octave_of(UINT64_MAX), QUANTILE_OCTAVES - 1);
	CHECK_NUMBER(quantile_octave_of(0), 0);
}
