// SPDX-License-Identifier: GPL-2.0-only
/* Counts records that are not exported, and reports their systems. */
#include "reader/other_records.h"

#include <stdlib.h>
#include <string.h>

#include "reader/selection.h"

#define LIST_REMEDY "'ktrack list' prints the tracepoints that follow the convention"
#define RULES_REMEDY "add rules with -r, see ktrack-rules(5)"

#define NR_IDS 65536

/* Systems named in the report, those with most records first, and systems counted separately. */
#define SYSTEMS_NAMED 5
#define SYSTEMS_MAX 64

/** struct system_count - the records of one system */
struct system_count {
	char *name;
	uint64_t count;
};

/**
 * struct system_counts - the systems of all records
 * @ignored: its tracepoints that name threads are not counted, NULL if they are
 * @wanted: only records that follow it are counted; NULL for all
 * @list: the first systems
 * @total: all records whose tracepoint the source describes
 */
struct system_counts {
	struct other_records *others;
	const struct convention *ignored;
	struct convention *wanted;
	struct system_count list[SYSTEMS_MAX];
	size_t size;
	uint64_t total;
};

int other_records_add(struct other_records *others, uint16_t id, struct error *error)
{
	if (!others->counts)
		others->counts = calloc(NR_IDS, sizeof(*others->counts));
	if (!others->counts)
		return error_set(error, "out of memory");
	others->counts[id]++;
	others->total++;
	return 0;
}

void other_records_release(struct other_records *others)
{
	free(others->counts);
	*others = (struct other_records){ 0 };
}

/* Returns the entry of a system, or NULL if there are too many. */
static struct system_count *system_count_get(struct system_counts *systems, const char *name)
{
	struct system_count *system = systems->list;

	for (size_t i = 0; i < systems->size; i++, system++) {
		if (strcmp(system->name, name) == 0)
			return system;
	}
	if (systems->size == SYSTEMS_MAX)
		return NULL;
	*system = (struct system_count){ .name = strdup(name) };
	systems->size += system->name != NULL;
	return system->name ? system : NULL;
}

static bool tracepoint_follows(struct convention *convention, const struct tracepoint *tracepoint)
{
	const struct descriptor *descriptor = NULL;
	struct error ignored = { 0 };

	return tracepoint_describe(convention, tracepoint, &descriptor, &ignored) == 0 && descriptor;
}

/* A record is counted once, even if a damaged file has two tracepoints of its id. */
static int others_visit(void *context, const struct tracepoint *tracepoint, struct error *error)
{
	struct system_counts *systems = context;
	const char *of_program = program_system(tracepoint->system);
	struct system_count *system;
	int64_t id = format_read_id(tracepoint->format);
	uint64_t count;

	(void)error;
	if (id < 0 || systems->others->counts[id] == 0 ||
	    (systems->ignored && convention_has_task_id(systems->ignored, id)))
		return 0;
	if (systems->wanted && !tracepoint_follows(systems->wanted, tracepoint))
		return 0;
	count = systems->others->counts[id];
	systems->others->counts[id] = 0;
	systems->total += count;
	/* As -e names it. */
	system = system_count_get(systems, of_program ? of_program : tracepoint->system);
	if (system)
		system->count += count;
	return 0;
}

static int system_compare(const void *a_pointer, const void *b_pointer)
{
	const struct system_count *a = a_pointer, *b = b_pointer;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return strcmp(a->name, b->name);
}

/* "12,034 records of sched, irq" */
static void others_append_systems(struct buffer *line, const struct system_counts *systems)
{
	buffer_append_grouped(line, systems->total);
	buffer_append_string(line, systems->total == 1 ? " record of " : " records of ");
	for (size_t i = 0; i < systems->size && i < SYSTEMS_NAMED; i++) {
		buffer_append_string(line, i > 0 ? ", " : "");
		buffer_append_string(line, systems->list[i].name);
	}
	if (systems->size == SYSTEMS_MAX)
		buffer_append_string(line, " and others");
	else if (systems->size > SYSTEMS_NAMED)
		buffer_append_string(line, " and ");
	if (systems->size > SYSTEMS_NAMED && systems->size < SYSTEMS_MAX)
		buffer_append_count(line, systems->size - SYSTEMS_NAMED, "other system");
}

static void others_append(struct buffer *line, const struct system_counts *systems, bool is_empty)
{
	if (is_empty)
		buffer_append_string(line, "no track events");
	if (systems->total > 0 && is_empty) {
		buffer_append_string(line, " (");
		others_append_systems(line, systems);
		buffer_append_char(line, ')');
	} else if (systems->total > 0) {
		others_append_systems(line, systems);
		buffer_append_string(line, systems->total == 1 ? " is no track event"
							       : " are no track events");
	}
	if (is_empty)
		buffer_append_string(line, systems->total > 0 ? "; " RULES_REMEDY
							      : "; " LIST_REMEDY);
}

/* Counts the records by system; removes them from @others. */
static void systems_count(struct system_counts *systems, struct source *source)
{
	const struct tracepoint_visitor visitor = { .context = systems, .visit = others_visit };
	struct error ignored = { 0 };

	if (systems->others->total > 0)
		source_visit(source, &visitor, &ignored);
	qsort(systems->list, systems->size, sizeof(*systems->list), system_compare);
}

static void systems_release(struct system_counts *systems)
{
	for (size_t i = 0; i < systems->size; i++)
		free(systems->list[i].name);
}

/* "relay,mydrv", or what matches more systems than a line names */
static void left_out_append_option(struct buffer *line, const struct system_counts *systems)
{
	if (systems->size > SYSTEMS_NAMED) {
		buffer_append_string(line, "'*'");
		return;
	}
	for (size_t i = 0; i < systems->size; i++)
		buffer_printf(line, "%s%s", i > 0 ? "," : "", systems->list[i].name);
}

/* Of the records, only those that follow the convention. Without memory, nothing is reported. */
static void left_out_report(struct other_records *others, const struct other_source *source,
			    const struct report *report)
{
	struct system_counts systems = {
		.others = others,
		.wanted = convention_new(source_describe(source->source)->is_swapped),
	};
	struct buffer line = { 0 };

	if (!systems.wanted)
		return;
	systems_count(&systems, source->source);
	others_append_systems(&line, &systems);
	buffer_append_string(&line, "; add -e ");
	left_out_append_option(&line, &systems);
	if (systems.total > 0 && !line.failed)
		report_hint(report, "%s: -r leaves out track events: %s", source->name,
			    buffer_string(&line));
	buffer_release(&line);
	systems_release(&systems);
	convention_free(systems.wanted);
}

void other_records_report(struct other_records *others, const struct other_source *source,
			  bool is_empty, const struct report *report)
{
	struct system_counts systems = { .others = others,
					 .ignored = is_empty ? NULL : source->convention };
	struct buffer line = { 0 };

	if (source->leaves_out) {
		left_out_report(others, source, report);
		other_records_release(others);
	}
	if (is_empty && others->total == 0 && source->directory &&
	    events_are_disabled(source->directory)) {
		report_message(report, "%s: no track events (no tracepoint is enabled); " LIST_REMEDY,
			       source->name);
		return;
	}
	systems_count(&systems, source->source);
	if (systems.total > 0 || is_empty) {
		buffer_printf(&line, "%s: ", source->name);
		others_append(&line, &systems, is_empty);
	}
	if (line.size > 0 && !line.failed)
		report_message(report, "%s", buffer_string(&line));
	buffer_release(&line);
	systems_release(&systems);
}

/* Counts records that cannot be decoded, by CPU, and delivers them as losses. */

static struct unknown_count *unknown_count_get(struct unknown_events *unknown,
					       const struct record *record)
{
	struct unknown_count *list;

	for (size_t i = 0; i < unknown->size; i++) {
		struct unknown_count *one = &unknown->list[i];

		if (one->cpu == record->cpu && one->buffer == record->buffer)
			return one;
	}
	list = reallocarray(unknown->list, unknown->size + 1, sizeof(*list));
	if (!list)
		return NULL;
	unknown->list = list;
	list[unknown->size] = (struct unknown_count){ .cpu = record->cpu,
						      .buffer = record->buffer };
	return &list[unknown->size++];
}

int unknown_events_add(struct unknown_events *unknown, const struct record *record,
		       struct error *error)
{
	struct unknown_count *one = unknown_count_get(unknown, record);

	if (!one)
		return error_set(error, "out of memory");
	if (one->count++ == 0)
		one->first_ns = record->time_ns;
	one->last_ns = record->time_ns;
	return 0;
}

int unknown_events_report(struct unknown_events *unknown, const struct source_handler *handler,
			  struct error *error)
{
	for (size_t i = 0; i < unknown->size; i++) {
		struct unknown_count *one = &unknown->list[i];
		struct loss loss = {
			.cpu = one->cpu,
			.buffer = one->buffer,
			.from_ns = one->first_ns,
			.to_ns = one->last_ns,
			.count = one->count,
		};

		if (one->count == 0)
			continue;
		one->count = 0;
		if (handler->loss(handler->context, &loss, error) < 0)
			return -1;
	}
	return 0;
}

void unknown_events_release(struct unknown_events *unknown)
{
	free(unknown->list);
	*unknown = (struct unknown_events){ 0 };
}
