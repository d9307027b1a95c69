// SPDX-License-Identifier: GPL-2.0-only
/* Tests of budgets: their grammar, and verdicts next to all that lost slices may have been. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/internal.h"
#include "fixtures/random.h"
#include "fixtures/tap.h"

#define SLICES_MAX 12
#define MISSING_MAX 4
#define ROUNDS 20000

static const char *const whats[] = {
	"count", "total", "min", "mean", "max", "p50", "p90", "p99.9"
};
#define NR_WHATS (sizeof(whats) / sizeof(whats[0]))
static const char *const comparisons[] = { "<", "<=", ">", ">=" };

static void slice_add(struct budget *budget, int64_t ns, bool is_suspect, bool is_unfinished)
{
	const struct timeline_event end = { .kind = TIMELINE_SLICE_END,
					    .begin_ns = 100,
					    .time_ns = 100 + ns,
					    .is_suspect = is_suspect,
					    .is_unfinished = is_unfinished };

	budget_add(budget, &end);
}

static int double_compare(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one > other) - (one < other);
}

/* The statistic of a list, by its definition. */
static double statistic(const char *what, double *list, size_t size)
{
	double total = 0;

	qsort(list, size, sizeof(*list), double_compare);
	for (size_t i = 0; i < size; i++)
		total += list[i];
	if (strcmp(what, "count") == 0)
		return (double)size;
	if (strcmp(what, "total") == 0)
		return total;
	if (strcmp(what, "min") == 0)
		return list[0];
	if (strcmp(what, "mean") == 0)
		return total / (double)size;
	if (strcmp(what, "max") == 0)
		return list[size - 1];
	for (size_t i = 0; i < size; i++) {
		if ((double)(i + 1) >= atof(what + 1) / 100 * (double)size - 1e-9)
			return list[i];
	}
	return NAN;
}

static bool is_kept(double number, const char *comparison, double limit)
{
	if (comparison[0] == '<')
		return comparison[1] ? number <= limit : number < limit;
	return comparison[1] ? number >= limit : number > limit;
}

/* Of @nr_missing slices, any number may not exist, and any number be endless. */
static enum budget_verdict verdict_by_trial(const char *what, const char *comparison, double limit,
					    const double *slices, size_t size, size_t nr_missing)
{
	bool can_be[2] = { false, false };

	for (size_t nr_more = 0; nr_more <= nr_missing; nr_more++) {
		for (size_t nr_endless = 0; nr_endless <= nr_more; nr_endless++) {
			double list[SLICES_MAX + MISSING_MAX] = { 0 };

			memcpy(list, slices, size * sizeof(*slices));
			for (size_t i = 0; i < nr_endless; i++)
				list[size + i] = INFINITY;
			can_be[is_kept(statistic(what, list, size + nr_more), comparison, limit)] =
				true;
		}
	}
	if (can_be[0] && can_be[1])
		return BUDGET_UNDECIDED;
	return can_be[1] ? BUDGET_MET : BUDGET_EXCEEDED;
}

TEST(verdicts_are_those_of_all_that_could_have_been)
{
	size_t nr_of[BUDGET_EXCEEDED + 1] = { 0 };
	struct random random = { .state = 7 };

	for (size_t round = 0; round < ROUNDS; round++) {
		const char *what = whats[random_below(&random, NR_WHATS)];
		const char *comparison = comparisons[random_below(&random, 4)];
		size_t size = 1 + random_below(&random, SLICES_MAX);
		size_t nr_missing = random_below(&random, MISSING_MAX + 1);
		int64_t limit = (int64_t)random_below(&random, 20);
		double slices[SLICES_MAX];
		struct budget budget;
		struct error error = { 0 };
		char text[64];
		enum budget_verdict wanted, found;

		snprintf(text, sizeof(text), "x %s %s %lld%s", what, comparison, (long long)limit,
			 strcmp(what, "count") == 0 ? "" : "ns");
		CHECK_NUMBER(budget_parse(&budget, text, &error), 0);
		for (size_t i = 0; i < size; i++) {
			slices[i] = (double)random_below(&random, 20);
			slice_add(&budget, (int64_t)slices[i], false, false);
		}
		wanted = verdict_by_trial(what, comparison, (double)limit, slices, size,
					  nr_missing);
		found = budget_judge(&budget, nr_missing, true);
		if (found != wanted)
			printf("# %s: %zu slices, %zu missing\n", text, size, nr_missing);
		CHECK_NUMBER(found, wanted);
		nr_of[found]++;
		budget_release(&budget);
	}
	for (size_t i = 0; i <= BUDGET_EXCEEDED; i++)
		CHECK(nr_of[i] > ROUNDS / 20);
}

static enum budget_verdict judge(const char *text, size_t nr_slices, int64_t ns, uint64_t nr_lost,
				 bool is_limited)
{
	struct budget budget;
	struct error error = { 0 };
	enum budget_verdict verdict;

	CHECK_NUMBER(budget_parse(&budget, text, &error), 0);
	for (size_t i = 0; i < nr_slices; i++)
		slice_add(&budget, ns, false, false);
	verdict = budget_judge(&budget, nr_lost, is_limited);
	budget_release(&budget);
	return verdict;
}

TEST(without_slices_or_with_losses_of_unknown_size)
{
	CHECK_NUMBER(judge("x p99 < 2ms", 0, 0, 0, true), BUDGET_UNDECIDED);
	CHECK_NUMBER(judge("x count < 2", 0, 0, 0, true), BUDGET_UNDECIDED);
	CHECK_NUMBER(judge("x p99 < 2ms", 1000, 1, 5, true), BUDGET_MET);
	CHECK_NUMBER(judge("x p99 < 2ms", 1000, 1, 50, true), BUDGET_UNDECIDED);
	CHECK_NUMBER(judge("x p99 < 2ms", 1000, 1, 0, false), BUDGET_UNDECIDED);
	CHECK_NUMBER(judge("x max < 2ms", 1, 3000000, 0, false), BUDGET_EXCEEDED);
	CHECK_NUMBER(judge("x count < 5", 5, 1, 0, false), BUDGET_EXCEEDED);
	CHECK_NUMBER(judge("x count < 6", 5, 1, 0, false), BUDGET_UNDECIDED);
	CHECK_NUMBER(judge("x p99 < 2ms", UINT64_C(100), 1, UINT64_MAX / 2, true),
		     BUDGET_UNDECIDED);
}

TEST(suspect_and_unfinished_slices)
{
	SCOPED(budget) budget;
	struct error error = { 0 };

	CHECK_NUMBER(budget_parse(&budget, "x max < 10ns", &error), 0);
	slice_add(&budget, 5, false, false);
	CHECK_NUMBER(budget_judge(&budget, 0, true), BUDGET_MET);
	slice_add(&budget, 9, false, true);
	CHECK_NUMBER(budget_judge(&budget, 0, true), BUDGET_MET);
	slice_add(&budget, 500, true, false);
	CHECK_NUMBER(budget_judge(&budget, 0, true), BUDGET_UNDECIDED);
	slice_add(&budget, 11, false, true);
	CHECK_NUMBER(budget_judge(&budget, 0, true), BUDGET_EXCEEDED);
}

static void check_refused(const char *text, const char *wanted)
{
	SCOPED(budget) budget;
	struct error error = { 0 };

	CHECK_NUMBER(budget_parse(&budget, text, &error), -1);
	CHECK_TEXT(error.text, wanted);
}

TEST(a_slice_whose_key_began_again_is_not_judged)
{
	SCOPED(budget) budget;
	struct error error = { 0 };
	const struct timeline_event end = { .kind = TIMELINE_SLICE_END,
					    .begin_ns = 100,
					    .time_ns = 100 + NS_PER_S,
					    .is_unfinished = true,
					    .is_restarted = true };

	CHECK_NUMBER(budget_parse(&budget, "x max < 1ms", &error), 0);
	slice_add(&budget, 1000, false, false);
	budget_add(&budget, &end);
	CHECK_NUMBER(budget.nr_unfinished, 0);
	CHECK_NUMBER(budget.nr_doubtful, 0);
	CHECK_NUMBER(budget_judge(&budget, 0, true), BUDGET_MET);
}

TEST(the_grammar_is_read_from_its_end)
{
	struct budget budget;
	struct error error = { 0 };

	CHECK_NUMBER(budget_parse(&budget, " a:b/read < write p99.9<=1.5ms ", &error), 0);
	CHECK_TEXT(budget.selector.category, "a:b");
	CHECK_TEXT(budget.selector.name, "read < write");
	CHECK_NUMBER(budget.what, BUDGET_PERCENTILE);
	CHECK_NUMBER(budget.permille, 999);
	CHECK_NUMBER(budget.limit, 1500000);
	CHECK(budget.is_below && budget.allows_equal);
	budget_release(&budget);
	check_refused("", "'': no comparison; write SLICE WHAT < VALUE, such as "
			  "'mydrv:mydrv_work/read p99 < 2ms'");
	check_refused("x p99 <",
		      "'x p99 <': no value behind the comparison; write one such as 2ms");
	check_refused("x p99 < 2", "'x p99 < 2': '2' is no time; write a number with ns, us, ms, "
				   "s, m or h");
	check_refused("x p0 < 2ms", "'x p0 < 2ms': 'p0' cannot be limited; write count, total, "
				    "min, mean, max or a percentile such as p99");
	check_refused("x count < 2ms", "'x count < 2ms': '2ms' is no number of slices");
	check_refused("p99 < 2ms", "'': no name of a slice; write [CATEGORY/]NAME[@TRACK]");
}

static int64_t limit_time(const char *text)
{
	int64_t ns = 0;

	return limit_time_parse(text_of(text), &ns) ? ns : -1;
}

/* Without its unit, which a cut would drop, it would be another number. */
TEST(limits_are_times_with_a_unit_and_have_a_limited_size)
{
	CHECK_NUMBER(limit_time("5ms"), 5 * NS_PER_MS);
	CHECK_NUMBER(limit_time("5"), -1);
	CHECK_NUMBER(limit_time(""), -1);
	CHECK_NUMBER(limit_time("0000000000000000000000000000000000005ms"), 5 * NS_PER_MS);
	CHECK_NUMBER(limit_time("00000000000000000000000000000000000005ms"), -1);
	CHECK_NUMBER(limit_time("00000000000000000000000000000000000000005ms"), -1);
}
