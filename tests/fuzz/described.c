// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz target: an event as a program describes it, from its bytes to tracks: the size of the
 * description in two bytes, the description, then records of its id, each behind a byte that is its
 * size.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "records.h"
#include "reader/reader.h"
#include "userring/events.h"

/* Packs whose tracepoints mean something: tasks, interrupts, requests. */
static const char packs[] = "sched,irq,block";

/* Use any event of any program, with all fields, some of which few events have. */
static const char own_rules[] =
	"slice fuzz:slice begin=program:*:* end=program:*:* args=*\n"
	"instant fuzz:instant event=program:*:* name={slice_name}\n"
	"counter fuzz:counter event=program:*:* value=scope_id\n"
	"instant fuzz:some event=program:*:* args=* where=op > 0 || scope_id == 77\n";

static struct rules *rules_make(const char *names, const char *text)
{
	struct rules *rules = rules_new();
	struct error error = { 0 };
	int status = names ? rules_add(rules, names, &error)
			   : rules_add_text(rules, text_of(text), "fuzz", &error);

	if (status < 0 || rules_close(rules, false, &error) < 0)
		abort();
	return rules;
}

/* Packs are about tracepoints of the kernel: no event of a program is one, whatever its name is. */
static void packs_check(const struct program_event *event)
{
	struct convention *convention = convention_new(false);
	struct rules *rules = rules_make(packs, NULL);
	struct error error = { 0 };

	if (program_event_add(convention, rules, event, NULL, &error) < 0 || rules_are_bound(rules))
		abort();
	rules_free(rules);
	convention_free(convention);
}

/** struct taken - where records go, and the time of the next one */
struct taken {
	struct source_handler handler;
	uint16_t id;
	int64_t time_ns;
};

static void record_take(void *context, const struct record *record)
{
	struct taken *taken = context;
	struct record given = *record;
	struct error error = { 0 };

	given.time_ns = taken->time_ns++;
	if (given.size >= sizeof(taken->id))
		memcpy((void *)given.data, &taken->id, sizeof(taken->id));
	taken->handler.record(taken->handler.context, &given, &error);
}

static void records_decode(const struct program_event *event, struct text records)
{
	struct pipeline pipeline = { .convention = convention_new(false),
				     .rules = rules_make(NULL, own_rules) };
	struct taken taken = { .handler = pipeline_handler(&pipeline), .id = event->id };
	struct tracks_settings settings = { .idle_max = 3, .names_max = 3, .has_comm = true };
	struct error error = { 0 };

	if (program_event_add(pipeline.convention, pipeline.rules, event, NULL, &error) < 0)
		abort();
	pipeline.tracks = tracks_new(&settings, &pipeline.timeline, 0);
	records_read(records, record_take, &taken);
	tracks_finish(pipeline.tracks, taken.time_ns, 0, 0, &error);
	rules_free(pipeline.rules);
	pipeline_release(&pipeline);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct described_event *described = malloc(sizeof(*described));
	struct event_table events = { 0 };
	uint16_t length = 0;

	if (size > sizeof(length))
		memcpy(&length, data, sizeof(length));
	if (length == 0 || length > size - sizeof(length)) {
		free(described);
		return 0;
	}
	data += sizeof(length);
	size -= sizeof(length);
	if (event_describe(described, data, length) &&
	    event_table_add(&events, (struct text){ (const char *)data, length }, described,
			    NULL) != EVENT_LEFT_OUT) {
		packs_check(events.list[0]);
		records_decode(events.list[0],
			       (struct text){ (const char *)data + length, size - length });
	}
	event_table_release(&events);
	free(described);
	return 0;
}
