// SPDX-License-Identifier: GPL-2.0-only
/* Judges budgets. */
#include "analysis/budget.h"

void budget_release(struct budget *budget)
{
	slice_selector_release(&budget->selector);
}

static void budget_count(struct budget *budget, int64_t ns)
{
	bool is_first = budget->nr_slices == 0;

	if (is_first || ns < budget->min_ns)
		budget->min_ns = ns;
	if (is_first || ns > budget->max_ns)
		budget->max_ns = ns;
	budget->nr_slices++;
	budget->nr_less += ns < budget->limit;
	budget->nr_equal += ns == budget->limit;
	budget->total_ns += ns;
}

/*
 * A slice without an end is at least as long as it was seen, unless its key began again: then it
 * ended before that, and nothing is known of its duration.
 */
void budget_add(struct budget *budget, const struct timeline_event *end)
{
	int64_t ns = end->time_ns - end->begin_ns;

	if (end->is_restarted)
		return;
	if (end->is_suspect || end->is_foreign || end->is_continued) {
		budget->nr_doubtful++;
	} else if (!end->is_unfinished) {
		budget_count(budget, ns);
	} else if (ns > budget->limit && budget->what != BUDGET_COUNT) {
		budget->nr_unfinished++;
		budget_count(budget, ns);
	}
}

/**
 * struct scenario - what the slices that are not there may have been
 * @count: their number
 * @is_limited: it is not larger
 * @are_long: all are longer than any limit, instead of 0
 */
struct scenario {
	uint64_t count;
	bool is_limited;
	bool are_long;
};

/* Whether at most @permille of all slices are not among the @nr_within first. */
static bool rank_is_within(uint64_t nr_within, uint64_t nr_slices, unsigned int permille)
{
	unsigned __int128 needed = (unsigned __int128)nr_slices * permille;

	return (unsigned __int128)nr_within * 1000 >= needed && nr_within > 0;
}

/* Whether a percentile is less than the limit, or equal if that counts. */
static bool percentile_is_less(const struct budget *budget, const struct scenario *scenario,
			       bool counts_equal)
{
	uint64_t nr_within = budget->nr_less + (counts_equal ? budget->nr_equal : 0);
	bool are_less = !scenario->are_long && (budget->limit > 0 || counts_equal);

	if (!scenario->is_limited)
		return are_less;
	return rank_is_within(nr_within + (are_less ? scenario->count : 0),
			      budget->nr_slices + scenario->count, budget->permille);
}

static bool number_is_less(double number, double limit, bool counts_equal)
{
	return counts_equal ? number <= limit : number < limit;
}

/* Long slices make a sum larger than any limit. */
static bool statistic_is_less(const struct budget *budget, const struct scenario *scenario,
			      bool counts_equal)
{
	double limit = (double)budget->limit, number = 0;
	double nr_slices = (double)budget->nr_slices;
	bool has_more = scenario->count > 0 || !scenario->is_limited;

	switch (budget->what) {
	case BUDGET_PERCENTILE:
		return percentile_is_less(budget, scenario, counts_equal);
	case BUDGET_COUNT:
		if (scenario->are_long && !scenario->is_limited)
			return false;
		number = nr_slices + (scenario->are_long ? (double)scenario->count : 0);
		break;
	case BUDGET_MIN:
		number = has_more && !scenario->are_long ? 0 : (double)budget->min_ns;
		break;
	case BUDGET_MAX:
		number = (double)budget->max_ns;
		break;
	case BUDGET_TOTAL:
		number = (double)budget->total_ns;
		break;
	case BUDGET_MEAN:
		if (scenario->is_limited && budget->nr_slices > 0)
			number = (double)budget->total_ns / (nr_slices + (double)scenario->count);
		break;
	}
	if (has_more && scenario->are_long && budget->what != BUDGET_MIN &&
	    budget->what != BUDGET_COUNT)
		return false;
	return number_is_less(number, limit, counts_equal);
}

static bool budget_is_met(const struct budget *budget, const struct scenario *scenario)
{
	bool counts_equal = budget->is_below == budget->allows_equal;

	return statistic_is_less(budget, scenario, counts_equal) == budget->is_below;
}

enum budget_verdict budget_judge(const struct budget *budget, uint64_t lost_records,
				 bool is_limited)
{
	struct scenario brief = { budget->nr_doubtful + lost_records, is_limited, false };
	struct scenario endless = { brief.count, is_limited, true };
	bool is_met = budget_is_met(budget, &brief);

	if (budget->nr_slices == 0 || is_met != budget_is_met(budget, &endless))
		return BUDGET_UNDECIDED;
	return is_met ? BUDGET_MET : BUDGET_EXCEEDED;
}

const char *budget_verdict_name(enum budget_verdict verdict)
{
	static const char *const names[] = {
		[BUDGET_MET] = "met",
		[BUDGET_UNDECIDED] = "undecided",
		[BUDGET_EXCEEDED] = "exceeded",
	};

	return names[verdict];
}

static void budget_value_append(struct buffer *out, const struct budget *budget)
{
	switch (budget->what) {
	case BUDGET_TOTAL:
		buffer_append_duration(out, budget->total_ns);
		break;
	case BUDGET_MIN:
		buffer_append_duration(out, budget->min_ns);
		break;
	case BUDGET_MEAN:
		buffer_append_duration(out, budget->total_ns / (int64_t)budget->nr_slices);
		break;
	case BUDGET_MAX:
		buffer_append_duration(out, budget->max_ns);
		break;
	default:
		break;
	}
}

/* Of percentiles: how many slices are beyond the limit. */
static void numbers_append(struct buffer *out, const struct budget *budget)
{
	uint64_t nr_beyond = budget->nr_slices - budget->nr_less -
			     (budget->is_below == budget->allows_equal ? budget->nr_equal : 0);

	if (budget->what == BUDGET_PERCENTILE) {
		buffer_printf(out, "%llu of ", (unsigned long long)nr_beyond);
		buffer_append_count(out, budget->nr_slices, "slice");
		buffer_printf(out, " (%.2f %%) %s, max ",
			      100.0 * (double)nr_beyond / (double)budget->nr_slices,
			      budget->is_below == budget->allows_equal ? "take more"
								       : "take that or more");
		buffer_append_duration(out, budget->max_ns);
		return;
	}
	budget_value_append(out, budget);
	buffer_append_string(out, budget->what == BUDGET_COUNT ? "" : " of ");
	buffer_append_count(out, budget->nr_slices, "slice");
}

static void doubts_append(struct buffer *out, const struct budget *budget, uint64_t lost_records,
			  bool is_limited)
{
	if (budget->nr_unfinished > 0)
		buffer_printf(out, ", %llu of them without an end",
			      (unsigned long long)budget->nr_unfinished);
	if (budget->nr_doubtful > 0)
		buffer_printf(out, ", %llu more of unknown duration",
			      (unsigned long long)budget->nr_doubtful);
	if (!is_limited)
		buffer_append_string(out, ", an unknown number of lost records");
	else if (lost_records > 0)
		buffer_printf(out, ", %llu lost records", (unsigned long long)lost_records);
}

void budget_append_reason(struct buffer *out, const struct budget *budget, uint64_t lost_records,
			  bool is_limited)
{
	if (budget->nr_slices == 0)
		buffer_append_string(out, "no complete slice matches");
	else
		numbers_append(out, budget);
	doubts_append(out, budget, lost_records, is_limited);
}

static void budget_member_append(struct buffer *out, const char *name, int64_t number)
{
	bool first = false;

	json_append_member(out, text_of(name), &first);
	buffer_append_signed(out, number);
}

void budget_append_json(struct buffer *out, const struct budget *budget, uint64_t lost_records,
			bool is_limited)
{
	buffer_append_string(out, "{\"budget\":");
	json_append_string(out, text_of(budget->text));
	buffer_printf(out, ",\"verdict\":\"%s\"",
		      budget_verdict_name(budget_judge(budget, lost_records, is_limited)));
	budget_member_append(out, "count", (int64_t)budget->nr_slices);
	budget_member_append(out, "less", (int64_t)budget->nr_less);
	budget_member_append(out, "equal", (int64_t)budget->nr_equal);
	if (budget->nr_slices > 0) {
		budget_member_append(out, "total_ns", budget->total_ns);
		budget_member_append(out, "min_ns", budget->min_ns);
		budget_member_append(out, "mean_ns", budget->total_ns / (int64_t)budget->nr_slices);
		budget_member_append(out, "max_ns", budget->max_ns);
	}
	budget_member_append(out, "unfinished", (int64_t)budget->nr_unfinished);
	budget_member_append(out, "doubtful", (int64_t)budget->nr_doubtful);
	if (is_limited)
		budget_member_append(out, "lost_records", (int64_t)lost_records);
	else
		buffer_append_string(out, ",\"lost_records\":null");
	buffer_append_char(out, '}');
}
