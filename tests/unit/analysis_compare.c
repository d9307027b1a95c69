// SPDX-License-Identifier: GPL-2.0-only
/* Tests of comparisons: false alarms between equal sets of recordings, and changes that are found.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/internal.h"
#include "fixtures/random.h"
#include "fixtures/tap.h"

#define NAMES 4
#define RECORDINGS 5
#define COMPARISONS 600

/* 5 %. */
#define FALSE_ALARMS_MAX (COMPARISONS / 20)

static double uniform(struct random *random)
{
	return ((double)random_below(random, 1u << 30) + 0.5) / (1u << 30);
}

static double normal(struct random *random)
{
	return sqrt(-2 * log(uniform(random))) * cos(2 * M_PI * uniform(random));
}

/* Every tenth recording is far off: another program ran. */
static double noise(struct random *random)
{
	return random_below(random, 10) == 0 ? 1 + fabs(normal(random)) : 0.05 * normal(random);
}

/* A recording moves all its names together, and each on its own. */
static void recording_add(struct comparison *comparison, struct random *random, bool is_source,
			  double change)
{
	uint32_t unit = comparison->nr_units[is_source]++;
	double common = noise(random);

	for (unsigned int i = 0; i < NAMES; i++) {
		struct compare_value value = { .unit = unit };
		char text[8];
		struct compare_name *name;

		snprintf(text, sizeof(text), "n%u", i);
		name = comparison_name_get(comparison, "a:b", text_of(text));
		for (int statistic = 0; statistic < COMPARE_STATISTICS; statistic++)
			value.logs[statistic] = 7 + common + 0.03 * normal(random) +
						(i == 0 && is_source ? change : 0);
		CHECK_NUMBER(comparison_value_add(name, is_source, &value), 0);
	}
}

/* Returns the number of significant results; those of the first name in @nr_first. */
static size_t comparison_run(struct random *random, double change, size_t nr_recordings,
			     size_t *nr_first)
{
	struct comparison *comparison = comparison_new(false);
	struct compare_result *results;
	size_t size, nr_significant = 0;

	*nr_first = 0;
	for (size_t i = 0; i < 2 * nr_recordings; i++)
		recording_add(comparison, random, i % 2, change);
	CHECK_NUMBER(comparison_judge(comparison, &results, &size), 0);
	CHECK_NUMBER(size, NAMES * COMPARE_STATISTICS);
	for (size_t i = 0; i < size; i++) {
		bool is_first = results[i].name == comparison->names[0];

		nr_significant += results[i].is_significant;
		*nr_first += is_first && results[i].is_significant;
		CHECK(results[i].low <= results[i].change && results[i].change <= results[i].high);
	}
	free(results);
	comparison_free(comparison);
	return nr_significant;
}

TEST(equal_sets_rarely_differ)
{
	struct random random = { .state = 99 };
	size_t nr_alarms = 0, nr_first;

	for (size_t i = 0; i < COMPARISONS; i++)
		nr_alarms += comparison_run(&random, 0, RECORDINGS, &nr_first) > 0;
	printf("# %zu false alarms in %d comparisons\n", nr_alarms, COMPARISONS);
	CHECK(nr_alarms <= FALSE_ALARMS_MAX);
}

TEST(a_change_is_found_where_it_is)
{
	struct random random = { .state = 5 };
	size_t nr_found = 0, nr_others = 0, nr_first;

	for (size_t i = 0; i < 20; i++) {
		size_t nr_significant = comparison_run(&random, 3, 8, &nr_first);

		nr_found += nr_first == COMPARE_STATISTICS;
		nr_others += nr_significant > nr_first;
	}
	printf("# found %zu of 20, others %zu\n", nr_found, nr_others);
	CHECK(nr_found >= 18);
	CHECK(nr_others <= 3);
}

static bool can_decide(uint32_t nr_base, uint32_t nr_source)
{
	struct comparison comparison = { .nr_units = { nr_base, nr_source } };

	return comparison_can_decide(&comparison);
}

TEST(few_recordings_decide_nothing)
{
	CHECK(!can_decide(1, 100));
	CHECK(!can_decide(2, 3));
	CHECK(!can_decide(3, 3));
	CHECK(!can_decide(3, 4));
	CHECK(can_decide(4, 4));
	CHECK(can_decide(3, 5));
	CHECK(can_decide(600, 600));
}

TEST(values_without_noise_are_compared)
{
	struct comparison *comparison = comparison_new(false);
	struct compare_name *name = comparison_name_get(comparison, "a:b", text_of("x"));
	struct compare_result *results;
	size_t size;

	for (uint32_t unit = 0; unit < 8; unit++) {
		struct compare_value value = { .unit = unit / 2,
					       .logs = { unit % 2 ? 2 : 1, 1, 1 } };

		CHECK_NUMBER(comparison_value_add(name, unit % 2, &value), 0);
	}
	comparison->nr_units[0] = comparison->nr_units[1] = 4;
	CHECK_NUMBER(comparison_judge(comparison, &results, &size), 0);
	CHECK_NUMBER(size, 3);
	CHECK(results[COMPARE_MEAN].is_significant && results[COMPARE_MEAN].change > 1.7);
	CHECK(!results[COMPARE_P50].is_significant && results[COMPARE_P50].change == 0);
	free(results);
	comparison_free(comparison);
}
