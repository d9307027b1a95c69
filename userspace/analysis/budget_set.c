// SPDX-License-Identifier: GPL-2.0-only
/* Counts the slices of several budgets. */
#include "analysis/budget_set.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/analysis.h"

/**
 * struct budget_sink - the slices of a timeline
 *
 * The data of tracks and of counted names are sets of budgets that match, as bits; BIT_IS_KNOWN is
 * set in those that were computed.
 */
struct budget_sink {
	struct sink sink;
	struct budget_set *set;
	unsigned int sink_index;
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

static int budget_open(struct sink *sink, const struct recording *recording,
		       unsigned int sink_index, struct error *error)
{
	(void)recording, (void)error;
	container_of(sink, struct budget_sink, sink)->sink_index = sink_index;
	return 0;
}

static uintptr_t track_bits(const struct budget_set *set, const struct timeline_track *track)
{
	uintptr_t bits = BIT_IS_KNOWN;

	for (size_t i = 0; i < set->size; i++) {
		if (slice_selector_matches_track(&set->list[i].selector, track))
			bits |= (uintptr_t)1 << i;
	}
	return bits;
}

static uintptr_t name_bits(const struct budget_set *set, struct text name)
{
	uintptr_t bits = BIT_IS_KNOWN;

	for (size_t i = 0; i < set->size; i++) {
		if (slice_selector_matches_name(&set->list[i].selector, name))
			bits |= (uintptr_t)1 << i;
	}
	return bits;
}

static uintptr_t event_bits(const struct budget_sink *sink, const struct timeline_event *event)
{
	void **of_track = &event->track->sink_data[sink->sink_index];
	void **of_name = &event->name->sink_data[sink->sink_index];

	if (!*of_track)
		*of_track = (void *)track_bits(sink->set, event->track);
	if (!event->name->is_counted)
		return (uintptr_t)*of_track & name_bits(sink->set, event->name->text);
	if (!*of_name)
		*of_name = (void *)name_bits(sink->set, event->name->text);
	return (uintptr_t)*of_track & (uintptr_t)*of_name;
}

static int budget_event(struct sink *sink, const struct timeline_event *event, struct error *error)
{
	struct budget_sink *budgets = container_of(sink, struct budget_sink, sink);
	uintptr_t bits;

	(void)error;
	if (event->kind != TIMELINE_SLICE_END)
		return 0;
	bits = event_bits(budgets, event) & ~BIT_IS_KNOWN;
	for (; bits; bits &= bits - 1)
		budget_add(&budgets->set->list[__builtin_ctzl(bits)], event);
	return 0;
}

static void budget_sink_free(struct sink *sink)
{
	free(container_of(sink, struct budget_sink, sink));
}

static const struct sink_ops budget_ops = {
	.open = budget_open,
	.event = budget_event,
	.free = budget_sink_free,
};

struct sink *budget_sink_new(struct budget_set *set, struct error *error)
{
	struct budget_sink *sink = calloc(1, sizeof(*sink));

	if (!sink) {
		error_set(error, "out of memory");
		return NULL;
	}
	sink->sink.ops = &budget_ops;
	sink->set = set;
	return &sink->sink;
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
			       budget_verdict_name(budget_judge(budget, lost_records, is_limited)),
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
