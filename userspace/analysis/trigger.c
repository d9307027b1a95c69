// SPDX-License-Identifier: GPL-2.0-only
/* The triggers of a run: their text, what fires them, and the sink that tries them. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "analysis/analysis.h"
#include "analysis/internal.h"

/** struct waiting_slice - an open slice that matches a trigger */
struct waiting_slice {
	TAILQ_ENTRY(waiting_slice) link;
	const struct timeline_track *track;
	const struct timeline_name *name;
	unsigned int depth;
	unsigned int trigger;
	int64_t begin_ns;
	bool has_fired; /* it has reached its limit */
};

TAILQ_HEAD(waiting_queue, waiting_slice);

/** struct trigger_set - the triggers */
struct trigger_set {
	struct trigger *list;
	size_t size;
	struct waiting_queue queues[TRIGGERS_MAX];
	struct map slices; /* open slices by track, depth and trigger */
	struct trigger_handler handler;
	uint64_t nr_unwatched; /* slices for which there was no space */
	int64_t lost_ns;       /* slices that began before are doubtful */
};

/**
 * struct trigger_sink - the events of a timeline
 *
 * The data of tracks are sets of triggers as bits: those that match, and, shifted by ABOVE, those
 * whose threshold the counter exceeds. BIT_IS_KNOWN is set in those that were computed.
 */
struct trigger_sink {
	struct sink sink;
	struct trigger_set *set;
};

#define ABOVE TRIGGERS_MAX
#define BIT_IS_KNOWN ((uintptr_t)1 << (2 * TRIGGERS_MAX))
#define MATCH_MASK (((uintptr_t)1 << TRIGGERS_MAX) - 1)

int trigger_set_new(struct trigger_set **out, const char *const *texts, size_t size,
		    const struct trigger_handler *handler, struct error *error)
{
	struct trigger_set *set = calloc(1, sizeof(*set));

	*out = set;
	if (set)
		set->list = calloc(size + 1, sizeof(*set->list));
	if (!set || !set->list)
		return error_set(error, "out of memory");
	set->handler = *handler;
	for (size_t i = 0; i < TRIGGERS_MAX; i++)
		TAILQ_INIT(&set->queues[i]);
	for (size_t i = 0; i < size; i++) {
		set->size++;
		if (trigger_parse(&set->list[i], texts[i], error) < 0)
			return -1;
	}
	return 0;
}

void trigger_set_free(struct trigger_set *set)
{
	if (!set)
		return;
	map_free(&set->slices);
	for (size_t i = 0; i < set->size; i++)
		trigger_release(&set->list[i]);
	free(set->list);
	free(set);
}

uint64_t trigger_set_unwatched(const struct trigger_set *set)
{
	return set->nr_unwatched;
}

/* One line, whatever the names contain. */
static int trigger_fire(const struct trigger_set *set, unsigned int number, int64_t time_ns,
			int64_t end_ns, struct buffer *detail)
{
	struct trigger_firing firing = { .trigger = set->list[number].text,
					 .time_ns = time_ns,
					 .end_ns = end_ns };
	int status;

	for (size_t i = 0; i < detail->size; i++) {
		if ((unsigned char)detail->data[i] < ' ')
			detail->data[i] = '?';
	}
	firing.detail = buffer_string(detail);
	status = set->handler.fire(set->handler.context, &firing);
	buffer_release(detail);
	return status;
}

static void detail_append(struct buffer *out, const struct timeline_track *track,
			  const struct timeline_name *name)
{
	if (name)
		buffer_printf(out, "%.*s on ", (int)name->text.size, name->text.data);
	track_append_label(out, track);
}

static int64_t slice_due_ns(const struct trigger *trigger, const struct waiting_slice *slice)
{
	int64_t due_ns;

	if (__builtin_add_overflow(slice->begin_ns, trigger->limit + !trigger->allows_equal,
				   &due_ns))
		return INT64_MAX;
	return due_ns;
}

int trigger_set_advance(struct trigger_set *set, int64_t now_ns)
{
	for (size_t i = 0; i < set->size; i++) {
		struct waiting_slice *slice;

		while ((slice = TAILQ_FIRST(&set->queues[i]))) {
			int64_t due_ns = slice_due_ns(&set->list[i], slice);
			struct buffer detail = { 0 };

			if (due_ns > now_ns)
				break;
			TAILQ_REMOVE(&set->queues[slice->trigger], slice, link);
			slice->has_fired = true;
			detail_append(&detail, slice->track, slice->name);
			if (slice->begin_ns < set->lost_ns)
				buffer_append_string(&detail, ", unless its end was lost");
			if (trigger_fire(set, slice->trigger, due_ns, due_ns, &detail) < 0)
				return -1;
		}
	}
	return 0;
}

int64_t trigger_set_due_ns(const struct trigger_set *set)
{
	int64_t first_ns = INT64_MAX;

	for (size_t i = 0; i < set->size; i++) {
		const struct waiting_slice *slice = TAILQ_FIRST(&set->queues[i]);

		if (slice && slice_due_ns(&set->list[i], slice) < first_ns)
			first_ns = slice_due_ns(&set->list[i], slice);
	}
	return first_ns;
}

static uint64_t slice_hash(const struct waiting_slice *slice)
{
	return hash_number((uintptr_t)slice->track +
			   hash_number((uint64_t)slice->depth * TRIGGERS_MAX + slice->trigger));
}

static bool slice_equals(const void *value, const void *key)
{
	const struct waiting_slice *a = value, *b = key;

	return a->track == b->track && a->depth == b->depth && a->trigger == b->trigger;
}

static int slice_wait(struct trigger_set *set, const struct waiting_slice *begun)
{
	struct waiting_slice *slice;

	if (set->slices.size >= TRIGGER_SLICES_MAX) {
		set->nr_unwatched++;
		return 0;
	}
	slice = map_take(&set->slices, slice_hash(begun), malloc(sizeof(*slice)));
	if (!slice)
		return -1;
	*slice = *begun;
	TAILQ_INSERT_TAIL(&set->queues[slice->trigger], slice, link);
	return 0;
}

static void slice_wait_end(struct trigger_set *set, const struct waiting_slice *key)
{
	uint64_t hash = slice_hash(key);
	struct waiting_slice *slice = map_find(&set->slices, hash, slice_equals, key);

	if (!slice)
		return;
	map_remove(&set->slices, hash, slice);
	if (!slice->has_fired)
		TAILQ_REMOVE(&set->queues[slice->trigger], slice, link);
	free(slice);
}

static int slice_try(struct trigger_set *set, unsigned int number,
		     const struct timeline_event *event)
{
	const struct trigger *trigger = &set->list[number];
	const struct waiting_slice slice = { .track = event->track,
					     .name = event->name,
					     .depth = event->depth,
					     .trigger = number,
					     .begin_ns = event->time_ns };

	if (event->kind == TIMELINE_SLICE_END) {
		slice_wait_end(set, &slice);
		return 0;
	}
	if (event->kind != TIMELINE_SLICE_BEGIN ||
	    !slice_selector_matches_name(&trigger->selector, event->name->text) ||
	    !trigger_accepts(trigger, event))
		return 0;
	return slice_wait(set, &slice);
}

static int counter_try(struct trigger_set *set, unsigned int number,
		       const struct timeline_event *event, uintptr_t *bits)
{
	const struct trigger *trigger = &set->list[number];
	uintptr_t bit = (uintptr_t)1 << (number + ABOVE);
	bool was_above = *bits & bit;
	struct buffer detail = { 0 };

	if (event->kind != TIMELINE_COUNTER ||
	    !slice_selector_matches_name(&trigger->selector, event->track->name))
		return 0;
	*bits &= ~bit;
	if (!trigger_exceeds(trigger, &event->value))
		return 0;
	*bits |= bit;
	if (was_above || !trigger_accepts(trigger, event))
		return 0;
	detail_append(&detail, event->track, NULL);
	buffer_append_string(&detail, " is ");
	value_append_text(&detail, &event->value);
	return trigger_fire(set, number, event->time_ns, event->time_ns, &detail);
}

/* Without conditions, an end says no more than its begin. */
static int event_try(struct trigger_set *set, unsigned int number,
		     const struct timeline_event *event)
{
	const struct trigger *trigger = &set->list[number];
	bool is_end = event->kind == TIMELINE_SLICE_END;
	struct buffer detail = { 0 };

	if ((is_end && trigger->nr_conditions == 0) || event->kind == TIMELINE_COUNTER)
		return 0;
	if (!slice_selector_matches_name(&trigger->selector, event->name->text) ||
	    !trigger_accepts(trigger, event))
		return 0;
	detail_append(&detail, event->track, event->name);
	return trigger_fire(set, number, event->time_ns, event->time_ns, &detail);
}

static int loss_try(struct trigger_set *set, const struct timeline_event *event)
{
	set->lost_ns = event->time_ns;
	if (event->loss_end_ns != INT64_MAX && event->loss_end_ns > set->lost_ns)
		set->lost_ns = event->loss_end_ns;
	for (size_t i = 0; i < set->size; i++) {
		struct buffer detail = { 0 };

		if (set->list[i].kind != TRIGGER_LOSS)
			continue;
		buffer_printf(&detail, "cpu %d lost ", event->loss_cpu);
		if (event->loss_count >= 0)
			buffer_append_signed(&detail, event->loss_count);
		else
			buffer_append_string(&detail, "an unknown number of");
		buffer_append_string(&detail, " records");
		if (trigger_fire(set, i, event->time_ns, set->lost_ns, &detail) < 0)
			return -1;
	}
	return 0;
}

static uintptr_t track_triggers(const struct trigger_set *set, const struct timeline_track *track)
{
	uintptr_t bits = BIT_IS_KNOWN;

	for (size_t i = 0; i < set->size; i++) {
		if (set->list[i].kind != TRIGGER_LOSS &&
		    slice_selector_matches_track(&set->list[i].selector, track))
			bits |= (uintptr_t)1 << i;
	}
	return bits;
}

static int track_try(const struct trigger_sink *sink, const struct timeline_event *event)
{
	uintptr_t *bits = (uintptr_t *)&event->track->sink_data[sink->sink.index];
	struct trigger_set *set = sink->set;
	int status = 0;

	if (!*bits)
		*bits = track_triggers(set, event->track);
	for (uintptr_t left = *bits & MATCH_MASK; left && status == 0; left &= left - 1) {
		unsigned int number = __builtin_ctzl(left);

		switch (set->list[number].kind) {
		case TRIGGER_SLICE:
			status = slice_try(set, number, event);
			break;
		case TRIGGER_COUNTER:
			status = counter_try(set, number, event, bits);
			break;
		default:
			status = event_try(set, number, event);
			break;
		}
	}
	return status;
}

static int trigger_event(struct sink *sink, const struct timeline_event *event, struct error *error)
{
	const struct trigger_sink *own = container_of(sink, struct trigger_sink, sink);
	int status = trigger_set_advance(own->set, event->time_ns);

	if (status == 0 && event->kind == TIMELINE_LOSS)
		status = loss_try(own->set, event);
	else if (status == 0 &&
		 (event->kind == TIMELINE_SLICE_BEGIN || event->kind == TIMELINE_SLICE_END ||
		  event->kind == TIMELINE_INSTANT || event->kind == TIMELINE_COUNTER))
		status = track_try(own, event);
	return status < 0 ? error_set(error, "out of memory") : 0;
}

struct sink *trigger_sink_new(struct trigger_set *set, struct error *error)
{
	static const struct sink_ops ops = { .event = trigger_event };
	struct sink *sink = sink_new(&ops, sizeof(struct trigger_sink), error);

	if (sink)
		container_of(sink, struct trigger_sink, sink)->set = set;
	return sink;
}

/* Parses triggers. */

#define LOSS "loss"
#define IF " if "
#define AND "&&"

/* Limit of a threshold's digits. */
#define NUMBER_SIZE_MAX 24

/* An integer, or a decimal number with a point or an exponent. */
static bool threshold_parse(struct text text, struct threshold *out)
{
	char digits[NUMBER_SIZE_MAX], *end;
	long long number;

	if (text.size == 0 || text.size >= sizeof(digits))
		return false;
	snprintf(digits, sizeof(digits), "%.*s", (int)text.size, text.data);
	errno = 0;
	number = strtoll(digits, &end, 0);
	*out = (struct threshold){ .number = number };
	if (errno == 0 && !*end && end != digits &&
	    digits[strspn(digits, "-0123456789xabcdefABCDEF")] == '\0')
		return true;
	if (digits[strspn(digits, "-+.0123456789eE")] != '\0' || !strpbrk(digits, ".eE"))
		return false;
	out->is_floating = true;
	out->floating = strtod(digits, &end);
	return !*end && end != digits && __builtin_isfinite(out->floating);
}

/* Removes the text up to @word, and the word; the whole text if it does not contain it. */
static struct text text_take_until(struct text *rest, const char *word)
{
	size_t size = strlen(word);
	const char *found = memmem(rest->data, rest->size, word, size);
	struct text taken = *rest;

	if (!found) {
		*rest = (struct text){ rest->data + rest->size, 0 };
		return taken;
	}
	taken.size = found - rest->data;
	*rest = (struct text){ found + size, rest->size - taken.size - size };
	return taken;
}

static struct text trigger_text_behind(struct text text, size_t size)
{
	return (struct text){ text.data + size, text.size - size };
}

/* Takes a value and the AND behind it; a value in quotes may contain any text. */
static struct text condition_take_value(struct text *rest)
{
	const char *end = NULL;
	struct text behind, value;

	*rest = text_trim(*rest);
	if (rest->size > 0 && (*rest->data == '"' || *rest->data == '\''))
		end = memchr(rest->data + 1, *rest->data, rest->size - 1);
	if (end) {
		value = (struct text){ rest->data + 1, end - rest->data - 1 };
		behind = text_trim(trigger_text_behind(*rest, value.size + 2));
		if (behind.size == 0 || text_begins(behind, text_of(AND))) {
			text_take_until(&behind, AND);
			*rest = behind;
			return value;
		}
	}
	value = text_trim(text_take_until(rest, AND));
	/* A quote within quotes is a part of the text. */
	if (end && value.size >= 2 && value.data[value.size - 1] == *value.data)
		value = (struct text){ value.data + 1, value.size - 2 };
	return value;
}

/* Takes "FIELD OPERATOR" of a condition; false if there is no operator before the next AND. */
static bool condition_take_field(struct text *rest, struct trigger_condition *condition)
{
	struct text text = *rest;
	size_t place = 0, size = 0;

	for (; place < text.size && !text_begins(trigger_text_behind(text, place), text_of(AND));
	     place++) {
		size = filter_operator_find(trigger_text_behind(text, place), &condition->op);
		if (size > 0)
			break;
	}
	condition->field = text_trim((struct text){ text.data, place });
	*rest = trigger_text_behind(text, place + size);
	return size > 0;
}

static bool operator_needs_number(enum filter_operator op)
{
	return op > FILTER_GLOB;
}

static int condition_parse(struct trigger *trigger, struct text *rest, struct error *error)
{
	struct trigger_condition *condition = &trigger->conditions[trigger->nr_conditions];
	struct text value;

	if (trigger->nr_conditions == TRIGGER_CONDITIONS_MAX)
		return error_set(error, "'%s': more than %d conditions; leave out some",
				 trigger->text, TRIGGER_CONDITIONS_MAX);
	if (!condition_take_field(rest, condition))
		return error_set(error, "'%s': '%.*s' is no condition; write FIELD == VALUE",
				 trigger->text, (int)condition->field.size, condition->field.data);
	value = condition_take_value(rest);
	if (condition->field.size == 0 || value.size == 0)
		return error_set(error,
				 "'%s': a field or its value is missing; write FIELD == VALUE",
				 trigger->text);
	condition->is_number = threshold_parse(value, &condition->number);
	if (!condition->is_number && operator_needs_number(condition->op))
		return error_set(error, "'%s': '%.*s' is no number; compare texts with ==, != or ~",
				 trigger->text, (int)value.size, value.data);
	if (condition->op == FILTER_BITS && condition->number.is_floating)
		return error_set(error, "'%s': '%.*s' is no whole number; & compares bits",
				 trigger->text, (int)value.size, value.data);
	condition->text = strndup(value.data, value.size);
	trigger->nr_conditions++;
	return condition->text ? 0 : error_set(error, "out of memory");
}

static int limit_parse(struct trigger *trigger, const struct limit_words *words,
		       struct error *error)
{
	trigger->is_below = words->is_below;
	trigger->allows_equal = words->allows_equal;
	if (limit_time_parse(words->value, &trigger->limit)) {
		trigger->kind = TRIGGER_SLICE;
		if (!trigger->is_below)
			return 0;
		return error_set(error,
				 "'%s': a slice fires when it is too long; write SLICE > TIME",
				 trigger->text);
	}
	trigger->kind = TRIGGER_COUNTER;
	if (threshold_parse(words->value, &trigger->threshold))
		return 0;
	return error_set(error,
			 "'%s': '%.*s' is no time of a slice, such as 50ms, and no number of a "
			 "counter",
			 trigger->text, (int)words->value.size, words->value.data);
}

int trigger_parse(struct trigger *out, const char *text, struct error *error)
{
	struct text rest = text_of(text), subject = text_trim(text_take_until(&rest, IF));
	bool has_if = strstr(text, IF) != NULL;
	struct limit_words words;

	*out = (struct trigger){ .text = text, .kind = TRIGGER_EVENT };
	if (strpbrk(text, "\n\r"))
		return error_set(error, "a trigger has more than one line; write it on one");
	if (has_if && text_trim(rest).size == 0)
		return error_set(error, "'%s': no condition behind 'if'; write FIELD == VALUE",
				 text);
	while (text_trim(rest).size > 0) {
		if (condition_parse(out, &rest, error) < 0)
			return -1;
	}
	if (text_equals(subject, text_of(LOSS))) {
		out->kind = TRIGGER_LOSS;
		return has_if ? error_set(error, "'%s': a loss has no fields; leave out 'if'", text)
			      : 0;
	}
	if (limit_split(subject, &words)) {
		if (limit_parse(out, &words, error) < 0)
			return -1;
		subject = words.subject;
	}
	return slice_selector_parse(&out->selector, subject, error);
}

void trigger_release(struct trigger *trigger)
{
	slice_selector_release(&trigger->selector);
	for (size_t i = 0; i < trigger->nr_conditions; i++)
		free(trigger->conditions[i].text);
	trigger->nr_conditions = 0;
}

/* Compares the fields of events, and samples of counters, with what triggers ask for. */

/* Below 0, 0 or above 0, as the value is less than, equal to or more than the number. */
static int value_compare(const struct value *value, const struct threshold *threshold)
{
	int64_t number = threshold->number;

	if (threshold->is_floating) {
		double floating = value->kind == VALUE_FLOATING	  ? value->floating
				  : value->kind == VALUE_UNSIGNED ? (double)value->unsigned_number
								  : (double)value->signed_number;

		return (floating > threshold->floating) - (floating < threshold->floating);
	}
	if (value->kind == VALUE_FLOATING)
		return (value->floating > number) - (value->floating < number);
	if (value->kind == VALUE_UNSIGNED && value->unsigned_number > INT64_MAX)
		return 1;
	return (value->signed_number > number) - (value->signed_number < number);
}

/* Whether it is a number; NaN is neither below nor above nor equal to any. */
static bool value_has_order(const struct value *value)
{
	return value->kind == VALUE_SIGNED || value->kind == VALUE_UNSIGNED ||
	       (value->kind == VALUE_FLOATING && !__builtin_isnan(value->floating));
}

/* Any value as ktrack prints it. */
static bool text_condition_matches(const struct trigger_condition *condition,
				   const struct value *value)
{
	struct buffer text = { 0 };
	bool matches, is_equal;

	value_append_text(&text, value);
	is_equal = strcmp(buffer_string(&text), condition->text) == 0;
	matches = condition->op == FILTER_GLOB
			  ? fnmatch(condition->text, buffer_string(&text), 0) == 0
			  : is_equal == (condition->op == FILTER_EQUAL);
	buffer_release(&text);
	return matches;
}

static bool condition_matches(const struct trigger_condition *condition, const struct value *value)
{
	struct value number = *value;

	if (value->kind == VALUE_BOOLEAN)
		number = (struct value){ .kind = VALUE_SIGNED, .signed_number = value->boolean };
	if (condition->op == FILTER_BITS)
		return number.kind != VALUE_FLOATING && value_has_order(&number) &&
		       filter_compare(FILTER_BITS, number.signed_number, condition->number.number);
	if (condition->is_number && condition->op != FILTER_GLOB && value_has_order(&number))
		return filter_compare(condition->op, value_compare(&number, &condition->number), 0);
	if (operator_needs_number(condition->op))
		return false;
	return text_condition_matches(condition, value);
}

bool trigger_accepts(const struct trigger *trigger, const struct timeline_event *event)
{
	for (size_t i = 0; i < trigger->nr_conditions; i++) {
		const struct trigger_condition *condition = &trigger->conditions[i];
		const struct value *value = timeline_event_field(event, condition->field);

		if (!value || !condition_matches(condition, value))
			return false;
	}
	return true;
}

bool trigger_exceeds(const struct trigger *trigger, const struct value *value)
{
	int order = value_compare(value, &trigger->threshold);

	if (!value_has_order(value))
		return false;
	if (order == 0)
		return trigger->allows_equal;
	return trigger->is_below ? order < 0 : order > 0;
}
