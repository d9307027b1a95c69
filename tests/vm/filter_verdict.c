// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints the records of a trace.dat with the verdicts of event filters. Arguments: FILE, then
 * SYSTEM:EVENT and a filter, any number of times. Each record of an event is a line: SYSTEM:EVENT,
 * CPU, nanoseconds, the bytes of its fields, the verdicts of the event's filters as 0 and 1. A
 * filter that is refused is a line "refused SYSTEM:EVENT FILTER: WHY".
 */
#include <stdio.h>
#include <stdlib.h>

#include "source/source.h"

#define EVENTS_MAX 4096
#define FILTERS_MAX 64

/** struct verdict_event - an event of the file; @filters has NULLs for refused ones */
struct verdict_event {
	char *name;
	struct format format;
	struct event_filter *filters[FILTERS_MAX];
	size_t nr_filters;
};

/** struct verdict - what is read: events by id, and the filters of the command line */
struct verdict {
	struct verdict_event events[EVENTS_MAX];
	char **filters;
	size_t nr_filters;
	bool is_swapped;
};

static struct verdict verdict;

static void event_add_filter(struct verdict_event *event, const char *text)
{
	struct event_filter **filter = &event->filters[event->nr_filters++];
	struct error error = { 0 };

	if (event_filter_new(filter, text, &event->format, verdict.is_swapped, &error) < 0)
		printf("refused %s %s: %s\n", event->name, text, error.text);
}

static int tracepoint_add(void *context, const struct tracepoint *tracepoint, struct error *error)
{
	struct format format;
	struct verdict_event *event;

	(void)context;
	(void)error;
	if (format_parse(&format, tracepoint->format) != 0 || format.id >= EVENTS_MAX) {
		format_release(&format);
		return 0;
	}
	event = &verdict.events[format.id];
	event->format = format;
	if (asprintf(&event->name, "%s:%s", tracepoint->system, tracepoint->name) < 0)
		abort();
	for (size_t i = 0; i + 1 < verdict.nr_filters; i += 2) {
		if (strcmp(verdict.filters[i], event->name) == 0)
			event_add_filter(event, verdict.filters[i + 1]);
	}
	return 0;
}

static void bytes_print(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		printf("%02x", bytes[i]);
}

/*
 * Whether all instances record the same value of one event. Interrupts change the flags in between,
 * and a parent on another CPU the state of a thread that ends.
 */
static bool field_is_steady(const struct format_field *field)
{
	static const char *const names[] = { "common_flags", "common_preempt_count", "prev_state" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(field->name, names[i]) == 0)
			return false;
	}
	return true;
}

/* Bytes between fields, and behind the NUL of a text, are of older records. */
static void fields_print(const struct verdict_event *event, const struct record *record)
{
	for (size_t i = 0; i < event->format.nr_fields; i++) {
		const struct format_field *field = &event->format.fields[i];
		struct field_ref ref = field_ref_of(field, verdict.is_swapped);
		struct value value;

		if (!field_is_steady(field))
			continue;
		if (field_read(&ref, record, &value) && value.kind == VALUE_TEXT)
			bytes_print((const unsigned char *)value.text.data, value.text.size);
		else if (field->offset + field->size <= record->size)
			bytes_print(record->data + field->offset, field->size);
		putchar('.');
	}
}

/* In a record of a switch, the thread that writes it is the previous one. */
static struct text comm_find(const struct verdict_event *event, const struct record *record)
{
	struct field_ref ref = field_ref_of(format_find(&event->format, text_of("prev_comm")), false);
	struct value value = { .text = { 0 } };

	field_read(&ref, record, &value);
	return value.text;
}

static int record_print(void *context, const struct record *record, struct error *error)
{
	const struct verdict_event *event;
	uint16_t id = 0;

	(void)context;
	(void)error;
	if (record->size >= sizeof(id))
		memcpy(&id, record->data, sizeof(id));
	event = id < EVENTS_MAX ? &verdict.events[id] : NULL;
	if (!event || !event->name)
		return 0;
	printf("%s %d %lld ", event->name, record->cpu, (long long)record->time_ns);
	fields_print(event, record);
	putchar(' ');
	for (size_t i = 0; i < event->nr_filters; i++)
		putchar(event->filters[i] && event_filter_matches_task(event->filters[i], record,
								       comm_find(event, record))
				? '1'
				: '0');
	putchar('\n');
	return 0;
}

static int loss_print(void *context, const struct loss *loss, struct error *error)
{
	(void)context;
	(void)error;
	printf("lost %lld\n", (long long)loss->count);
	return 0;
}

int main(int argc, char **argv)
{
	const struct tracepoint_visitor visitor = { .visit = tracepoint_add };
	const struct source_handler handler = { .record = record_print, .loss = loss_print };
	struct error error = { 0 };
	struct source *source;
	uint64_t lost;

	verdict.filters = argv + 2;
	verdict.nr_filters = argc > 2 ? argc - 2 : 0;
	if (argc < 2 || source_file_open(&source, argv[1], NULL, &error) < 0 ||
	    source_visit(source, &visitor, &error) < 0 ||
	    source_finish(source, INT64_MAX, &handler, &lost, &error) < 0) {
		fprintf(stderr, "filter_verdict: %s\n", error.text);
		return 1;
	}
	source_close(source);
	for (size_t id = 0; id < EVENTS_MAX; id++) {
		for (size_t i = 0; i < verdict.events[id].nr_filters; i++)
			event_filter_free(verdict.events[id].filters[i]);
		format_release(&verdict.events[id].format);
		free(verdict.events[id].name);
	}
	return 0;
}
