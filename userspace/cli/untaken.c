// SPDX-License-Identifier: GPL-2.0-only
/* Counts records that are no track events, and names their systems. */
#include "cli/untaken.h"

#include <stdlib.h>
#include <string.h>

#include "cli/note.h"

#define NR_IDS 65536

/* So many systems are named, those with most records first; and so many are counted separately. */
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
 * @list: the first systems
 * @total: all records whose tracepoint the source describes
 */
struct system_counts {
	struct untaken *untaken;
	const struct convention *ignored;
	struct system_count list[SYSTEMS_MAX];
	size_t size;
	uint64_t total;
};

int untaken_add(struct untaken *untaken, uint16_t id, struct error *error)
{
	if (!untaken->counts)
		untaken->counts = calloc(NR_IDS, sizeof(*untaken->counts));
	if (!untaken->counts)
		return error_set(error, "out of memory");
	untaken->counts[id]++;
	untaken->total++;
	return 0;
}

void untaken_release(struct untaken *untaken)
{
	free(untaken->counts);
	*untaken = (struct untaken){ 0 };
}

/* The entry of a system; NULL if there are too many. */
static struct system_count *system_get(struct system_counts *systems, const char *name)
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

/* A record is counted once, even if a damaged file has two tracepoints of its id. */
static int system_visit(void *context, const struct source_tracepoint *tracepoint,
			struct error *error)
{
	struct system_counts *systems = context;
	struct system_count *system;
	int64_t id = source_format_id(tracepoint->format);
	uint64_t count;

	(void)error;
	if (id < 0 || systems->untaken->counts[id] == 0 ||
	    (systems->ignored && convention_names_threads(systems->ignored, id)))
		return 0;
	count = systems->untaken->counts[id];
	systems->untaken->counts[id] = 0;
	systems->total += count;
	system = system_get(systems, tracepoint->system);
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
static void systems_append(struct buffer *line, const struct system_counts *systems)
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

static void line_append(struct buffer *line, const struct system_counts *systems, bool is_empty)
{
	if (is_empty)
		buffer_append_string(line, "no track events");
	if (systems->total > 0 && is_empty) {
		buffer_append_string(line, " (");
		systems_append(line, systems);
		buffer_append_char(line, ')');
	} else if (systems->total > 0) {
		systems_append(line, systems);
		buffer_append_string(line, systems->total == 1 ? " is no track event"
							       : " are no track events");
	}
	if (is_empty)
		buffer_append_string(line, "; " UNTAKEN_REMEDY);
}

void untaken_print(struct untaken *untaken, struct source *source,
		   const struct convention *convention, const char *name, bool is_empty)
{
	struct system_counts systems = { .untaken = untaken,
					 .ignored = is_empty ? NULL : convention };
	struct source_visitor visitor = { .context = &systems, .visit = system_visit };
	struct error ignored = { 0 };
	struct buffer line = { 0 };

	if (untaken->total > 0)
		source_visit(source, &visitor, &ignored);
	if (systems.total == 0 && !is_empty)
		return;
	qsort(systems.list, systems.size, sizeof(*systems.list), system_compare);
	buffer_printf(&line, "%s: ", name);
	line_append(&line, &systems, is_empty);
	if (!line.failed)
		note_say("%s", buffer_string(&line));
	buffer_release(&line);
	for (size_t i = 0; i < systems.size; i++)
		free(systems.list[i].name);
}
