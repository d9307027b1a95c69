// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz target: what a program wrote to trace_marker, as a record; and the same bytes as arguments of a static tracepoint. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "rules/rules.h"
#include "capture/run.h"

#define TEXT_OFFSET 16

static const char format_text[] =
	"name: print\nID: 5\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n";

/* Names are borrowed from memory that may be read. */
static void event_check(const struct decoded_event *event)
{
	struct buffer copy = { 0 };

	if (event->problem)
		abort();
	buffer_append(&copy, event->slice_name.data, event->slice_name.size);
	buffer_append(&copy, event->track_name.data, event->track_name.size);
	buffer_release(&copy);
}

static void marker_record_decode(struct rules *rules, const struct record *record)
{
	uint16_t id;
	struct rule_tracepoint *tracepoint = record_id(record, rules->is_swapped, &id)
						     ? rules_find_id(rules, id)
						     : NULL;
	size_t nr_events = tracepoint ? rules_decode(rules, tracepoint, record) : 0;

	for (size_t i = 0; i < nr_events; i++)
		event_check(tracepoint->events[i]);
}

/* Bound once: the rules keep nothing of a record but the events of the last one. */
static struct rules *rules_get(void)
{
	static struct rules *rules;
	struct error error = { 0 };

	if (rules)
		return rules;
	rules = rules_new();
	if (!rules || rules_add(rules, "marker", &error) < 0 ||
	    rules_close(rules, false, &error) < 0 ||
	    rules_bind(rules, "ftrace", "print", text_of(format_text), &error) != 0)
		abort();
	return rules;
}

static void text_run(const uint8_t *data, size_t size)
{
	unsigned char *bytes = calloc(1, TEXT_OFFSET + size);
	const struct record record = { .data = bytes, .size = TEXT_OFFSET + size };

	if (!bytes)
		abort();
	bytes[0] = 5;
	memcpy(bytes + TEXT_OFFSET, data, size);
	marker_record_decode(rules_get(), &record);
	free(bytes);
}

/* Whatever the arguments are, the kernel gets one word without the end of a definition. */
static void arguments_run(struct text rest, unsigned int machine)
{
	struct text argument;

	while ((argument = usdt_argument_take(&rest)).size > 0) {
		struct buffer fetch = { 0 };

		if (usdt_argument_fetch(&fetch, machine, argument) &&
		    strpbrk(buffer_string(&fetch), " ;#\n"))
			abort();
		buffer_release(&fetch);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct text text = { (const char *)data, size };

	text_run(data, size);
	arguments_run(text, EM_X86_64);
	arguments_run(text, EM_AARCH64);
	return 0;
}
