// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the descriptors of a source, and finds the one for a record. */
#include "convention/convention.h"

#include <stdlib.h>
#include <string.h>

#include "convention/descriptor.h"

/**
 * struct convention_entry - a descriptor and its use
 * @format_hash: hash of its format without name and id
 * @is_dropped: no records are decoded by it
 */
struct convention_entry {
	struct descriptor *descriptor;
	uint64_t format_hash;
	bool is_dropped;
};

struct convention *convention_new(bool is_swapped)
{
	struct convention *convention = calloc(1, sizeof(*convention));

	if (convention)
		convention->is_swapped = is_swapped;
	return convention;
}

void convention_reserve(struct convention *convention, unsigned int nr_indexes)
{
	convention->nr_tracepoints = nr_indexes;
}

static void convention_entry_free(struct convention_entry *entry)
{
	if (entry)
		descriptor_free(entry->descriptor);
	free(entry);
}

void convention_free(struct convention *convention)
{
	if (!convention)
		return;
	for (size_t i = 0; i < convention->nr_entries; i++)
		convention_entry_free(convention->entries[i]);
	free(convention->entries);
	map_release(&convention->tracepoints);
	convention_symbols_release(&convention->symbols);
	free(convention);
}

static bool convention_entry_is_same_tracepoint(const void *value, const void *key)
{
	const struct convention_entry *entry = value, *other = key;

	return entry->format_hash == other->format_hash &&
	       entry->descriptor->is_of_program == other->descriptor->is_of_program &&
	       strcmp(entry->descriptor->category, other->descriptor->category) == 0;
}

/* A tracepoint that is added again with the same format has the same index. */
static int convention_entry_set_index(struct convention *convention, struct convention_entry *entry)
{
	uint64_t hash = hash_text(text_of(entry->descriptor->category)) ^ entry->format_hash;
	const struct convention_entry *first = map_find(&convention->tracepoints, hash,
							convention_entry_is_same_tracepoint, entry);

	if (first) {
		entry->descriptor->index = first->descriptor->index;
		return 0;
	}
	if (map_insert(&convention->tracepoints, hash, entry) < 0)
		return -1;
	entry->descriptor->index = convention->nr_tracepoints++;
	return 0;
}

static void convention_entry_use(struct convention *convention, struct convention_entry *entry)
{
	convention->nr_used++;
	convention->used_size += descriptor_size(entry->descriptor);
	convention->by_id[entry->descriptor->event_id] = entry->descriptor;
	entry->is_dropped = false;
}

static int convention_entry_keep(struct convention *convention, struct convention_entry *entry)
{
	struct convention_entry **entries =
		reallocarray(convention->entries, convention->nr_entries + 1, sizeof(*entries));

	if (!entries)
		return -1;
	convention->entries = entries;
	if (convention_entry_set_index(convention, entry) < 0)
		return -1;
	entries[convention->nr_entries++] = entry;
	convention_entry_use(convention, entry);
	return 0;
}

static bool convention_entry_fits(const struct convention *convention,
				  const struct convention_entry *entry)
{
	return convention->nr_used < CONVENTION_DESCRIPTORS_MAX &&
	       convention->used_size + descriptor_size(entry->descriptor) <= CONVENTION_SIZE_MAX;
}

/* Returns whether to report the refusal: only the first one is reported. */
static int convention_entry_refuse(struct convention *convention, struct error *error)
{
	if (convention->is_full)
		return 0;
	convention->is_full = true;
	error_set(error,
		  "there are more than %d tracepoints, or their fields take more than %zu MiB; "
		  "later ones are left out too",
		  CONVENTION_DESCRIPTORS_MAX, CONVENTION_SIZE_MAX >> 20);
	return 1;
}

/* Takes ownership of @descriptor, and sets @out unless it is refused. */
static int convention_entry_add(struct convention *convention, struct descriptor *descriptor,
				uint64_t format_hash, const struct descriptor **out,
				struct error *error)
{
	struct convention_entry *entry = calloc(1, sizeof(*entry));
	int status = -1;

	if (!entry) {
		descriptor_free(descriptor);
		return error_set(error, "out of memory");
	}
	*entry = (struct convention_entry){ .descriptor = descriptor, .format_hash = format_hash };
	if (!convention_entry_fits(convention, entry))
		status = convention_entry_refuse(convention, error);
	else if (convention_entry_keep(convention, entry) < 0)
		error_set(error, "out of memory");
	else
		*out = descriptor;
	if (*out)
		return 0;
	convention_entry_free(entry);
	return status;
}

/* Saves the time to parse the formats of all tracepoints that do not follow the convention. */
static bool format_may_follow(struct text format)
{
	return memmem(format.data, format.size, "track_event_type", strlen("track_event_type")) ||
	       memmem(format.data, format.size, "counter_value", strlen("counter_value"));
}

/* Returns 1 with @error if the format cannot be parsed, -1 with @error if memory ran out. */
static int convention_parse(struct format *format, const char *system, struct text text,
			    struct error *error)
{
	int status = format_parse(format, text);

	if (status > 0)
		error_set(error, "the format of a tracepoint in system %s cannot be read", system);
	else if (status < 0)
		error_set(error, "out of memory");
	if (status != 0 || format->id < CONVENTION_IDS)
		return status;
	error_set(error, "%s:%s has the impossible id %llu", system, format->name,
		  (unsigned long long)format->id);
	return 1;
}

/* Without name and id, which precede the fields. */
static uint64_t format_hash(struct text text)
{
	static const char head[] = "format:";
	const char *begin = memmem(text.data, text.size, head, strlen(head));

	return begin ? hash_text((struct text){ begin, text.data + text.size - begin }) : 0;
}

static int format_add(struct convention *convention, const char *system, bool is_of_program,
		      const struct format *format, struct text text, const struct descriptor **out,
		      struct error *error)
{
	struct descriptor *descriptor;
	int status;

	if (descriptor_new(&descriptor, system, format, convention->is_swapped) < 0)
		return error_set(error, "out of memory");
	if (!descriptor)
		return 0;
	descriptor->is_of_program = is_of_program;
	status = convention_entry_add(convention, descriptor, format_hash(text), out, error);
	if (*out && (convention_queue_symbols(convention, descriptor, text) < 0 ||
		     convention_note_enumerator(convention, descriptor, text) < 0))
		return error_set(error, "out of memory");
	return status;
}

static int convention_add_text(struct convention *convention, const char *system,
			       bool is_of_program, struct text text, const struct descriptor **out,
			       struct error *error)
{
	struct format format;
	int status;

	*out = NULL;
	if (!format_may_follow(text))
		return 0;
	status = convention_parse(&format, system, text, error);
	if (status == 0)
		status = format_add(convention, system, is_of_program, &format, text, out, error);
	format_release(&format);
	return status;
}

int convention_add(struct convention *convention, const char *system, struct text text,
		   const struct descriptor **out, struct error *error)
{
	return convention_add_text(convention, system, false, text, out, error);
}

int convention_add_program(struct convention *convention, const char *system, struct text text,
			   const struct descriptor **out, struct error *error)
{
	convention->symbols.reader.is_trusted = false;
	return convention_add_text(convention, system, true, text, out, error);
}

size_t convention_size(const struct convention *convention)
{
	return convention->nr_entries;
}

const struct descriptor *convention_descriptor(const struct convention *convention, size_t index)
{
	return convention->entries[index]->descriptor;
}

static struct convention_entry *convention_entry_find(const struct convention *convention,
						      const struct descriptor *descriptor)
{
	size_t i = 0;

	while (convention->entries[i]->descriptor != descriptor)
		i++;
	return convention->entries[i];
}

void convention_drop(struct convention *convention, const struct descriptor *descriptor)
{
	struct convention_entry *entry = convention_entry_find(convention, descriptor);

	if (!entry->is_dropped) {
		convention->nr_used--;
		convention->used_size -= descriptor_size(descriptor);
	}
	entry->is_dropped = true;
	if (convention->by_id[descriptor->event_id] == descriptor)
		convention->by_id[descriptor->event_id] = NULL;
}

void convention_use(struct convention *convention, const struct descriptor *descriptor)
{
	struct convention_entry *entry = convention_entry_find(convention, descriptor);

	if (entry->is_dropped)
		convention_entry_use(convention, entry);
	else
		convention->by_id[descriptor->event_id] = descriptor;
}

bool convention_has_id(const struct convention *convention, uint16_t id)
{
	return convention->by_id[id];
}

static bool descriptor_has_name(const struct descriptor *descriptor, const char *system,
				const char *name)
{
	size_t size = strlen(system);

	return strcmp(descriptor->name, name) == 0 &&
	       strncmp(descriptor->category, system, size) == 0 &&
	       descriptor->name == descriptor->category + size + 1;
}

const struct descriptor *convention_find_name(const struct convention *convention,
					      const char *system, const char *name)
{
	for (size_t i = convention->nr_entries; i > 0; i--) {
		const struct descriptor *descriptor = convention_descriptor(convention, i - 1);

		if (!descriptor->is_of_program && descriptor_has_name(descriptor, system, name))
			return descriptor;
	}
	return NULL;
}

bool convention_needs_task(const char *system, const char *name)
{
	return task_rule_find(system, name);
}

/* An id that is used again stays the first tracepoint's. */
static void task_add(struct convention *convention, struct task_descriptor descriptor, uint16_t id)
{
	convention->tasks[convention->nr_tasks++] = descriptor;
	if (!convention_has_task_id(convention, id))
		convention->task_of_id[id] = convention->nr_tasks;
}

int convention_add_task(struct convention *convention, const char *system, const char *name,
			struct text text, struct error *error)
{
	const struct task_rule *rule = task_rule_find(system, name);
	struct format format;
	int status;

	if (!rule || convention->nr_tasks == CONVENTION_TASKS_MAX)
		return 0;
	status = convention_parse(&format, system, text, error);
	if (status == 0)
		task_add(convention, task_descriptor_of(rule, &format, convention->is_swapped),
			 format.id);
	format_release(&format);
	return status;
}

bool convention_read_writer(const struct convention *convention, const struct record *record,
			    int *tid, struct text *comm)
{
	uint16_t id;

	return convention_id(convention, record, &id) && convention_has_task_id(convention, id) &&
	       task_read_writer(&convention->tasks[convention->task_of_id[id] - 1], record, tid,
				comm);
}
