// SPDX-License-Identifier: GPL-2.0-only
/* Judges budgets. */
#include "analysis/internal.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/analysis.h"

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

/** struct scenario - what the slices that are not there may have been */
struct scenario {
	uint64_t count;	 /* their number */
	bool is_limited; /* it is not larger */
	bool are_long;	 /* all are longer than any limit, instead of 0 */
};

/* Whether a percentile is less than the limit, or equal if that counts. */
static bool percentile_is_less(const struct budget *budget, const struct scenario *scenario,
			       bool counts_equal)
{
	uint64_t nr_slices = budget->nr_slices + scenario->count;
	uint64_t nr_within = budget->nr_less + (counts_equal ? budget->nr_equal : 0);
	bool are_less = !scenario->are_long && (budget->limit > 0 || counts_equal);

	if (!scenario->is_limited)
		return are_less;
	nr_within += are_less ? scenario->count : 0;
	/* At most @permille of all slices are not among the first. */
	return nr_within > 0 && (unsigned __int128)nr_within * 1000 >=
					(unsigned __int128)nr_slices * budget->permille;
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
	return counts_equal ? number <= limit : number < limit;
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

static const char *const verdict_names[] = {
	[BUDGET_MET] = "met",
	[BUDGET_UNDECIDED] = "undecided",
	[BUDGET_EXCEEDED] = "exceeded",
};

/* Of percentiles: how many slices are beyond the limit. */
static void numbers_append(struct buffer *out, const struct budget *budget)
{
	bool counts_equal = budget->is_below == budget->allows_equal;
	uint64_t nr_beyond = budget->nr_slices - budget->nr_less -
			     (counts_equal ? budget->nr_equal : 0);
	const int64_t numbers_ns[] = {
		[BUDGET_TOTAL] = budget->total_ns,
		[BUDGET_MIN] = budget->min_ns,
		[BUDGET_MEAN] = budget->total_ns / (int64_t)budget->nr_slices,
		[BUDGET_MAX] = budget->max_ns,
	};

	if (budget->what == BUDGET_PERCENTILE) {
		buffer_printf(out, "%llu of ", (unsigned long long)nr_beyond);
		buffer_append_count(out, budget->nr_slices, "slice");
		buffer_printf(out, " (%.2f %%) %s, max ",
			      100.0 * (double)nr_beyond / (double)budget->nr_slices,
			      counts_equal ? "take more" : "take that or more");
		buffer_append_duration(out, budget->max_ns);
		return;
	}
	if (budget->what != BUDGET_COUNT) {
		buffer_append_duration(out, numbers_ns[budget->what]);
		buffer_append_string(out, " of ");
	}
	buffer_append_count(out, budget->nr_slices, "slice");
}

void budget_append_reason(struct buffer *out, const struct budget *budget, uint64_t lost_records,
			  bool is_limited)
{
	if (budget->nr_slices == 0)
		buffer_append_string(out, "no complete slice matches");
	else
		numbers_append(out, budget);
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

void budget_append_json(struct buffer *out, const struct budget *budget, uint64_t lost_records,
			bool is_limited)
{
	bool first = true;

	buffer_append_char(out, '{');
	json_append_text(out, "budget", text_of(budget->text), &first);
	json_append_text(out, "verdict",
			 text_of(verdict_names[budget_judge(budget, lost_records, is_limited)]),
			 &first);
	json_append_number(out, "count", (int64_t)budget->nr_slices, &first);
	json_append_number(out, "less", (int64_t)budget->nr_less, &first);
	json_append_number(out, "equal", (int64_t)budget->nr_equal, &first);
	if (budget->nr_slices > 0) {
		json_append_number(out, "total_ns", budget->total_ns, &first);
		json_append_number(out, "min_ns", budget->min_ns, &first);
		json_append_number(out, "mean_ns", budget->total_ns / (int64_t)budget->nr_slices,
				   &first);
		json_append_number(out, "max_ns", budget->max_ns, &first);
	}
	json_append_number(out, "unfinished", (int64_t)budget->nr_unfinished, &first);
	json_append_number(out, "doubtful", (int64_t)budget->nr_doubtful, &first);
	if (is_limited)
		json_append_number(out, "lost_records", (int64_t)lost_records, &first);
	else
		buffer_append_string(out, ",\"lost_records\":null");
	buffer_append_char(out, '}');
}

/* Parses budgets, from their end: names may contain anything. */

/* Limit of a number with its unit. */
#define VALUE_SIZE_MAX 40

static const char *const whats[] = {
	[BUDGET_COUNT] = "count", [BUDGET_TOTAL] = "total", [BUDGET_MIN] = "min",
	[BUDGET_MEAN] = "mean",	  [BUDGET_MAX] = "max",
};

/* "p99.9": at most two digits, and one behind a point. */
static bool budget_percentile_parse(struct text text, unsigned int *out)
{
	unsigned int number = 0;
	size_t point = 0;

	if (text.size < 2 || text.data[0] != 'p')
		return false;
	for (size_t i = 1; i < text.size; i++) {
		if (text.data[i] == '.' && !point && i > 1) {
			point = i;
			continue;
		}
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
		number = number * 10 + (unsigned int)(text.data[i] - '0');
		if (number > 999)
			return false;
	}
	if (point ? text.size != point + 2 : number > 99)
		return false;
	*out = point ? number : number * 10;
	return *out > 0 && *out < 1000;
}

static int count_value_parse(struct budget *budget, struct text value, struct error *error)
{
	int64_t number = 0;

	for (size_t i = 0; i < value.size; i++) {
		if (value.data[i] < '0' || value.data[i] > '9' || number > INT64_MAX / 100)
			return error_set(error, "'%s': '%.*s' is no number of slices", budget->text,
					 (int)value.size, value.data);
		number = number * 10 + (value.data[i] - '0');
	}
	budget->limit = number;
	return 0;
}

int budget_parse(struct budget *out, const char *text, struct error *error)
{
	struct limit_words words;
	struct text what, value;
	size_t begin;

	*out = (struct budget){ .text = text, .what = BUDGET_PERCENTILE };
	if (!limit_split(text_of(text), &words))
		return error_set(error,
				 "'%s': no comparison; write SLICE WHAT < VALUE, such as "
				 "'mydrv:mydrv_work/read p99 < 2ms'",
				 text);
	out->is_below = words.is_below;
	out->allows_equal = words.allows_equal;
	/* The last word in front of the comparison; what is left of it is the slice. */
	begin = words.subject.size;
	while (begin > 0 && words.subject.data[begin - 1] != ' ' &&
	       words.subject.data[begin - 1] != '\t')
		begin--;
	what = (struct text){ words.subject.data + begin, words.subject.size - begin };
	for (size_t i = 0; i < sizeof(whats) / sizeof(whats[0]); i++) {
		if (text_equals(what, text_of(whats[i])))
			out->what = i;
	}
	if (out->what == BUDGET_PERCENTILE && !budget_percentile_parse(what, &out->permille))
		return error_set(error,
				 "'%s': '%.*s' cannot be limited; write count, total, min, mean, "
				 "max or a percentile such as p99",
				 text, (int)what.size, what.data);
	value = words.value;
	if (value.size == 0 || value.size >= VALUE_SIZE_MAX)
		return error_set(
			error, "'%s': no value behind the comparison; write one such as 2ms", text);
	if (out->what == BUDGET_COUNT) {
		if (count_value_parse(out, value, error) < 0)
			return -1;
	} else if (!limit_time_parse(value, &out->limit)) {
		return error_set(
			error, "'%s': '%.*s' is no time; write a number with ns, us, ms, s, m or h",
			text, (int)value.size, value.data);
	}
	return slice_selector_parse(&out->selector,
				    text_trim((struct text){ words.subject.data, begin }), error);
}

/* Counts the slices of several budgets. */

/**
 * struct budget_sink - the slices of a timeline
 *
 * The data of tracks and of counted names are sets of budgets that match, as bits; BIT_IS_KNOWN is
 * set in those that were computed.
 */
struct budget_sink {
	struct sink sink;
	struct budget_set *set;
};

#define BIT_IS_KNOWN ((uintptr_t)1 << BUDGETS_MAX)

int budget_set_new(struct budget_set **out, const char *const *texts, size_t size,
		   struct error *error)
{
	struct budget_set *set = calloc(1, sizeof(*set));

	*out = set;
	if (set)
		set->list = calloc(size + 1, sizeof(*set->list));
	if (!set || !set->list)
		return error_set(error, "out of memory");
	for (size_t i = 0; i < size; i++) {
		set->size++;
		if (budget_parse(&set->list[i], texts[i], error) < 0)
			return -1;
	}
	return 0;
}

void budget_set_free(struct budget_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->size; i++)
		budget_release(&set->list[i]);
	free(set->list);
	free(set);
}

/* Of a track, or else of a name. */
static void *matching_bits(const struct budget_set *set, const struct timeline_track *track,
			   struct text name)
{
	uintptr_t bits = BIT_IS_KNOWN;

	for (size_t i = 0; i < set->size; i++) {
		const struct slice_selector *selector = &set->list[i].selector;

		if (track ? slice_selector_matches_track(selector, track)
			  : slice_selector_matches_name(selector, name))
			bits |= (uintptr_t)1 << i;
	}
	return (void *)bits;
}

static uintptr_t event_bits(const struct budget_sink *sink, const struct timeline_event *event)
{
	void **of_track = &event->track->sink_data[sink->sink.index];
	void **of_name = &event->name->sink_data[sink->sink.index];

	if (!*of_track)
		*of_track = matching_bits(sink->set, event->track, (struct text){ 0 });
	if (!event->name->is_counted)
		return (uintptr_t)*of_track &
		       (uintptr_t)matching_bits(sink->set, NULL, event->name->text);
	if (!*of_name)
		*of_name = matching_bits(sink->set, NULL, event->name->text);
	return (uintptr_t)*of_track & (uintptr_t)*of_name;
}

static int budget_event(struct sink *sink, const struct timeline_event *event, struct error *error)
{
	struct budget_sink *budgets = container_of(sink, struct budget_sink, sink);

	(void)error;
	if (event->kind != TIMELINE_SLICE_END)
		return 0;
	for (uintptr_t bits = event_bits(budgets, event) & ~BIT_IS_KNOWN; bits; bits &= bits - 1)
		budget_add(&budgets->set->list[__builtin_ctzl(bits)], event);
	return 0;
}

struct sink *budget_sink_new(struct budget_set *set, struct error *error)
{
	static const struct sink_ops ops = { .event = budget_event };
	struct sink *sink = sink_new(&ops, sizeof(struct budget_sink), error);

	if (sink)
		container_of(sink, struct budget_sink, sink)->set = set;
	return sink;
}

enum budget_verdict budget_set_judge(const struct budget_set *set, uint64_t lost_records,
				     bool is_limited)
{
	enum budget_verdict worst = BUDGET_MET;

	for (size_t i = 0; i < set->size; i++) {
		enum budget_verdict verdict = budget_judge(&set->list[i], lost_records, is_limited);

		worst = verdict > worst ? verdict : worst;
	}
	return worst;
}

void budget_set_report(const struct budget_set *set, uint64_t lost_records, bool is_limited,
		       const struct report *report)
{
	for (size_t i = 0; i < set->size; i++) {
		const struct budget *budget = &set->list[i];
		struct buffer reason = { 0 };

		budget_append_reason(&reason, budget, lost_records, is_limited);
		report_message(report, "budget '%s': %s: %s", budget->text,
			       verdict_names[budget_judge(budget, lost_records, is_limited)],
			       buffer_string(&reason));
		buffer_release(&reason);
	}
}

void budget_set_append_json(const struct budget_set *set, uint64_t lost_records, bool is_limited,
			    struct buffer *out)
{
	buffer_append_string(out, "{\"budgets\":[");
	for (size_t i = 0; i < set->size; i++) {
		buffer_append_string(out, i > 0 ? "," : "");
		budget_append_json(out, &set->list[i], lost_records, is_limited);
	}
	buffer_append_string(out, "]}\n");
}
