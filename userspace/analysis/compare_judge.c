// SPDX-License-Identifier: GPL-2.0-only
/* Which changes chance does not explain: a permutation test over all names at once. */
#include <stdlib.h>

#include "analysis/compare.h"
#include "analysis/number.h"

/* Share of comparisons of equal recordings that may report a change: 5 %, less what the choice of
 * assignments by chance may add. */
#define FALSE_ALARMS 0.045

/* Assignments of units; fewer if there is more to compute for each. */
#define ROUNDS_MAX 4000
#define ROUNDS_MIN 400
#define STEPS_MAX 200000000.0

/* Instead of an infinite statistic, where values do not vary. */
#define T_MAX 1e9

#define SEED UINT64_C(0x9e3779b97f4a7c15)

/** struct moments - mean and variance of the values of a side */
struct moments {
	double count;
	double sum;
	double squares;
};

static void moments_add(struct moments *moments, double value)
{
	moments->count++;
	moments->sum += value;
	moments->squares += value * value;
}

static double moments_mean(const struct moments *moments)
{
	return moments->sum / moments->count;
}

/* Of the mean. */
static double moments_variance(const struct moments *moments)
{
	double mean = moments_mean(moments);
	double variance = (moments->squares - moments->count * mean * mean) / (moments->count - 1);

	return (variance > 0 ? variance : 0) / moments->count;
}

/**
 * struct difference - of the means of logarithms
 * @is_known: both sides have two units at least
 */
struct difference {
	bool is_known;
	double base;
	double source;
	double error;
};

/* @is_source: the side of each unit, those of the base first */
static struct difference difference_of(const struct compare_name *name,
				       enum compare_statistic statistic, const bool *is_source,
				       uint32_t nr_base)
{
	struct moments sides[COMPARE_SIDES] = { 0 };
	struct difference difference = { 0 };

	for (int side = 0; side < COMPARE_SIDES; side++) {
		const struct compare_values *values = &name->sides[side];
		uint32_t offset = side == COMPARE_SOURCE ? nr_base : 0;

		for (size_t i = 0; i < values->size; i++)
			moments_add(&sides[is_source[offset + values->list[i].unit]],
				    values->list[i].logs[statistic]);
	}
	if (sides[COMPARE_BASE].count < 2 || sides[COMPARE_SOURCE].count < 2)
		return difference;
	difference.is_known = true;
	difference.base = moments_mean(&sides[COMPARE_BASE]);
	difference.source = moments_mean(&sides[COMPARE_SOURCE]);
	difference.error = number_root(moments_variance(&sides[COMPARE_BASE]) +
				       moments_variance(&sides[COMPARE_SOURCE]));
	return difference;
}

static double difference_t(const struct difference *difference)
{
	double size = number_size(difference->source - difference->base);

	if (!difference->is_known || size < 1e-9)
		return 0;
	return difference->error > size / T_MAX ? size / difference->error : T_MAX;
}

static double largest_t(const struct comparison *comparison, const bool *is_source)
{
	double largest = 0;

	for (size_t i = 0; i < comparison->nr_names; i++) {
		for (int statistic = 0; statistic < COMPARE_STATISTICS; statistic++) {
			struct difference difference =
				difference_of(comparison->names[i], statistic, is_source,
					      comparison->nr_units[COMPARE_BASE]);
			double t = difference_t(&difference);

			largest = t > largest ? t : largest;
		}
	}
	return largest;
}

static uint64_t shuffle_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void shuffle(bool *list, size_t size, uint64_t *state)
{
	for (size_t i = size; i > 1; i--) {
		size_t other = shuffle_next(state) % i;
		bool last = list[i - 1];

		list[i - 1] = list[other];
		list[other] = last;
	}
}

static int t_compare(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one < other) - (one > other);
}

static size_t rounds_of(const struct comparison *comparison)
{
	double nr_units = comparison->nr_units[COMPARE_BASE] + comparison->nr_units[COMPARE_SOURCE];
	double steps = nr_units * (double)(comparison->nr_names + 1) * COMPARE_STATISTICS;
	double rounds = STEPS_MAX / (steps + 1);

	return rounds < ROUNDS_MIN ? ROUNDS_MIN : rounds > ROUNDS_MAX ? ROUNDS_MAX : (size_t)rounds;
}

static void sides_init(const struct comparison *comparison, bool *is_source)
{
	uint32_t nr_base = comparison->nr_units[COMPARE_BASE];

	for (uint32_t i = 0; i < nr_base + comparison->nr_units[COMPARE_SOURCE]; i++)
		is_source[i] = i >= nr_base;
}

/*
 * The statistic that chance exceeds in FALSE_ALARMS of all assignments, the real one among them.
 * Returns a negative number if memory ran out.
 */
static double critical_t(const struct comparison *comparison, bool *is_source)
{
	size_t nr_units = comparison->nr_units[COMPARE_BASE] + comparison->nr_units[COMPARE_SOURCE];
	size_t nr_rounds = rounds_of(comparison);
	double *largest = calloc(nr_rounds, sizeof(*largest)), critical;
	uint64_t state = SEED;

	if (!largest)
		return -1;
	for (size_t i = 0; i < nr_rounds; i++) {
		largest[i] = largest_t(comparison, is_source);
		shuffle(is_source, nr_units, &state);
	}
	qsort(largest, nr_rounds, sizeof(*largest), t_compare);
	critical = largest[(size_t)(FALSE_ALARMS * (double)nr_rounds)];
	free(largest);
	return critical;
}

static void result_fill(struct compare_result *result, const struct difference *difference,
			double critical)
{
	double size = difference->source - difference->base;
	double margin = critical * difference->error;

	result->base_ns = number_exp(difference->base) - 1;
	result->source_ns = number_exp(difference->source) - 1;
	result->change = number_exp(size) - 1;
	result->low = number_exp(size - margin) - 1;
	result->high = number_exp(size + margin) - 1;
	/* Assignments that only exchange the sides have the same statistic, but for its last bits.
	 */
	result->is_significant = difference_t(difference) > critical * (1 + 1e-9);
}

static size_t results_fill(const struct comparison *comparison, const bool *is_source,
			   double critical, struct compare_result *results)
{
	size_t size = 0;

	for (size_t i = 0; i < comparison->nr_names; i++) {
		for (int statistic = 0; statistic < COMPARE_STATISTICS; statistic++) {
			struct difference difference =
				difference_of(comparison->names[i], statistic, is_source,
					      comparison->nr_units[COMPARE_BASE]);

			if (!difference.is_known)
				continue;
			results[size].name = comparison->names[i];
			results[size].statistic = statistic;
			result_fill(&results[size++], &difference, critical);
		}
	}
	return size;
}

int comparison_judge(const struct comparison *comparison, struct compare_result **out, size_t *size)
{
	size_t nr_units = comparison->nr_units[COMPARE_BASE] + comparison->nr_units[COMPARE_SOURCE];
	bool *is_source = calloc(nr_units + 1, sizeof(*is_source));
	double critical = -1;

	*size = 0;
	*out = calloc(comparison->nr_names * COMPARE_STATISTICS + 1, sizeof(**out));
	if (is_source && *out) {
		sides_init(comparison, is_source);
		critical = critical_t(comparison, is_source);
		sides_init(comparison, is_source);
	}
	if (critical >= 0)
		*size = results_fill(comparison, is_source, critical, *out);
	free(is_source);
	return critical < 0 ? -1 : 0;
}

/* An assignment and its mirror must be rarer than FALSE_ALARMS. */
bool comparison_can_decide(const struct comparison *comparison)
{
	uint32_t nr_base = comparison->nr_units[COMPARE_BASE];
	uint32_t nr_source = comparison->nr_units[COMPARE_SOURCE];
	double nr_assignments = 1;

	for (uint32_t i = 1; i <= nr_source && nr_assignments * FALSE_ALARMS < 2; i++)
		nr_assignments *= (double)(nr_base + i) / i;
	return nr_base >= 2 && nr_source >= 2 && nr_assignments * FALSE_ALARMS >= 2;
}

const char *compare_statistic_name(enum compare_statistic statistic)
{
	static const char *const names[] = {
		[COMPARE_MEAN] = "mean",
		[COMPARE_P50] = "p50",
		[COMPARE_P99] = "p99",
	};

	return names[statistic];
}
