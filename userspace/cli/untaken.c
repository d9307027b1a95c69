// SPDX-License-Identifier: GPL-2.0-only
/* Counts records that are no track events, and names their systems. */
#include "cli/untaken.h"

#include <stdlib.h>
#include <string.h>

#include "cli/note.h"

#define NR_IDS 65536

/* So many systems are named, those with most records first. */
#define SYSTEMS_MAX 5

/** struct system_count - the records of one system */
struct system_count {
	char *name;
	uint64_t count;
};

/** struct system_counts - those of all systems */
struct system_counts {
	const struct untaken *untaken;
	struct system_count *list;
	size_t size;
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

/* Formats have a line "ID: 316". */
static bool format_id(struct text format, uint16_t *id)
{
	static const char key[] = "ID: ";
	const char *line = memmem(format.data, format.size, key, strlen(key));
	const char *end = format.data + format.size;
	unsigned long number = 0;

	if (!line)
		return false;
	for (line += strlen(key); line < end && *line >= '0' && *line <= '9'; line++) {
		number = number * 10 + (*line - '0');
		if (number >= NR_IDS)
			return false;
	}
	*id = number;
	return true;
}

static struct system_count *system_get(struct system_counts *systems, const char *name)
{
	struct system_count *list;

	for (size_t i = 0; i < systems->size; i++) {
		if (strcmp(systems->list[i].name, name) == 0)
			return &systems->list[i];
	}
	list = reallocarray(systems->list, systems->size + 1, sizeof(*list));
	if (!list)
		return NULL;
	systems->list = list;
	list[systems->size] = (struct system_count){ .name = strdup(name) };
	return list[systems->size].name ? &list[systems->size++] : NULL;
}

static int system_visit(void *context, const struct source_tracepoint *tracepoint,
			struct error *error)
{
	struct system_counts *systems = context;
	struct system_count *system;
	uint16_t id;

	if (!format_id(tracepoint->format, &id) || systems->untaken->counts[id] == 0)
		return 0;
	system = system_get(systems, tracepoint->system);
	if (!system)
		return error_set(error, "out of memory");
	system->count += systems->untaken->counts[id];
	return 0;
}

static int system_compare(const void *a_pointer, const void *b_pointer)
{
	const struct system_count *a = a_pointer, *b = b_pointer;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return strcmp(a->name, b->name);
}

static void systems_append(struct buffer *line, struct system_counts *systems)
{
	if (systems->size == 0)
		return;
	qsort(systems->list, systems->size, sizeof(*systems->list), system_compare);
	buffer_append_string(line, " of ");
	for (size_t i = 0; i < systems->size && i < SYSTEMS_MAX; i++) {
		buffer_append_string(line, i > 0 ? ", " : "");
		buffer_append_string(line, systems->list[i].name);
	}
	if (systems->size > SYSTEMS_MAX) {
		buffer_append_string(line, " and ");
		buffer_append_count(line, systems->size - SYSTEMS_MAX, "other system");
	}
}

/* "12,034 records of sched, irq" */
static void records_append(struct buffer *line, const struct untaken *untaken,
			   struct source *source)
{
	struct system_counts systems = { .untaken = untaken };
	struct source_visitor visitor = { .context = &systems, .visit = system_visit };
	struct error ignored = { 0 };

	buffer_append_grouped(line, untaken->total);
	buffer_append_string(line, untaken->total == 1 ? " record" : " records");
	source_visit(source, &visitor, &ignored);
	systems_append(line, &systems);
	for (size_t i = 0; i < systems.size; i++)
		free(systems.list[i].name);
	free(systems.list);
}

void untaken_print(const struct untaken *untaken, struct source *source, const char *name,
		   bool is_empty)
{
	struct buffer line = { 0 };

	if (untaken->total == 0 && !is_empty)
		return;
	buffer_printf(&line, "%s: ", name);
	if (is_empty)
		buffer_append_string(&line, "no track events");
	if (untaken->total > 0) {
		buffer_append_string(&line, is_empty ? " (" : "");
		records_append(&line, untaken, source);
		buffer_append_string(&line, is_empty ? ")"
				     : untaken->total == 1 ? " is no track event"
							   : " are no track events");
	}
	if (is_empty)
		buffer_append_string(&line, "; " UNTAKEN_REMEDY);
	if (!line.failed)
		note_say("%s", buffer_string(&line));
	buffer_release(&line);
}
