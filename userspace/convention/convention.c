// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the templates, and finds the one that reads a record. */
#include "convention/convention.h"

#include <stdlib.h>
#include <string.h>

#include "convention/memory.h"
#include "convention/task.h"
#include "convention/template.h"

/* An event id is the record's first two bytes, on every kernel that has common_type. */
#define NR_EVENT_IDS 65536

/* More than there are tracepoints that tell of threads. */
#define NR_TASK_TEMPLATES 16

/**
 * struct convention - see convention.h
 * @templates: all that were added
 * @nr_kept, @kept_size: of those that are not dropped: how many, and what they take
 * @is_full: one more was refused
 * @tracepoints: the first template of each index, by category and format
 */
struct convention {
	bool is_swapped;
	struct template **templates;
	size_t nr_templates;
	size_t nr_kept;
	size_t kept_size;
	bool is_full;
	unsigned int nr_tracepoints;
	struct map tracepoints;
	struct template *by_id[NR_EVENT_IDS];
	struct task_template tasks[NR_TASK_TEMPLATES];
	size_t nr_tasks;
	struct memories memories;
};

struct convention *convention_new(bool is_swapped)
{
	struct convention *convention = calloc(1, sizeof(*convention));

	if (!convention)
		return NULL;
	convention->is_swapped = is_swapped;
	memories_init(&convention->memories);
	return convention;
}

void convention_free(struct convention *convention)
{
	if (!convention)
		return;
	for (size_t i = 0; i < convention->nr_templates; i++)
		template_free(convention->templates[i]);
	free(convention->templates);
	map_release(&convention->tracepoints);
	free(convention);
}

static bool is_same_tracepoint(const void *value, const void *key)
{
	const struct template *template = value, *other = key;

	return template->format_hash == other->format_hash &&
	       strcmp(template->category, other->category) == 0;
}

/*
 * Sets the index of a tracepoint of that name and format, where there was one before, or a new one.
 */
static int index_set(struct convention *convention, struct template *template)
{
	uint64_t hash = hash_text(text_of(template->category)) ^ template->format_hash;
	const struct template *first = map_find(&convention->tracepoints, hash, is_same_tracepoint,
						template);

	template->index = first ? first->index : convention->nr_tracepoints;
	if (first)
		return 0;
	if (map_insert(&convention->tracepoints, hash, template) < 0)
		return -1;
	convention->nr_tracepoints++;
	return 0;
}

static bool has_room(const struct convention *convention, const struct template *template)
{
	return convention->nr_kept < CONVENTION_TEMPLATES_MAX &&
	       convention->kept_size + template_memory(template) <= CONVENTION_SIZE_MAX;
}

static void template_count(struct convention *convention, struct template *template)
{
	template->is_dropped = false;
	convention->nr_kept++;
	convention->kept_size += template_memory(template);
}

/* Records of its id are read by this template from now on. */
static void template_read_by(struct convention *convention, struct template *template)
{
	convention->by_id[template->event_id] = template;
	memories_clear(&convention->memories);
}

static int convention_keep(struct convention *convention, struct template *template)
{
	struct template **templates;

	templates = reallocarray(convention->templates, convention->nr_templates + 1,
				 sizeof(*templates));
	if (!templates)
		return -1;
	convention->templates = templates;
	if (index_set(convention, template) < 0)
		return -1;
	templates[convention->nr_templates++] = template;
	template_count(convention, template);
	template_read_by(convention, template);
	return 0;
}

/*
 * Most of a kernel's tracepoints don't follow; parsing their formats only to find that out would
 * take most of the time.
 */
static bool format_may_follow(struct text format)
{
	return memmem(format.data, format.size, "track_event_type", strlen("track_event_type")) ||
	       memmem(format.data, format.size, "counter_value", strlen("counter_value"));
}

/* Reads a format; returns 1 with @error where it cannot be, -1 where memory ran out. */
static int format_read(struct format *format, const char *system, struct text text,
		       struct error *error)
{
	int status = format_parse(format, text);

	if (status > 0)
		error_set(error, "the format of a tracepoint in system %s cannot be read", system);
	else if (status < 0)
		error_set(error, "out of memory");
	if (status != 0 || format->id < NR_EVENT_IDS)
		return status;
	error_set(error, "%s:%s has the impossible id %llu", system, format->name,
		  (unsigned long long)format->id);
	return 1;
}

/* Without the name and the id, which come first. */
static uint64_t format_hash(struct text text)
{
	static const char head[] = "format:";
	const char *begin = memmem(text.data, text.size, head, strlen(head));

	return begin ? hash_text((struct text){ begin, text.data + text.size - begin }) : 0;
}

/* Whether this is reported: the first one is. */
static int template_refuse(struct convention *convention, struct template *template,
			   struct error *error)
{
	bool is_first = !convention->is_full;

	template_free(template);
	convention->is_full = true;
	if (is_first)
		error_set(error,
			  "there are more than %d tracepoints, or their fields take more "
			  "than %zu MiB; later ones are left out too",
			  CONVENTION_TEMPLATES_MAX, CONVENTION_SIZE_MAX >> 20);
	return is_first;
}

static int template_add(struct convention *convention, const char *system, uint64_t hash,
			const struct format *format, const struct template **out,
			struct error *error)
{
	struct template *template = NULL;
	int status = template_new(&template, system, format, convention->is_swapped);

	if (template)
		template->format_hash = hash;
	if (template && !has_room(convention, template))
		return template_refuse(convention, template, error);
	if (status < 0 || (template && convention_keep(convention, template) < 0)) {
		template_free(template);
		return error_set(error, "out of memory");
	}
	*out = template;
	return 0;
}

int convention_add(struct convention *convention, const char *system, struct text text,
		   const struct template **out, struct error *error)
{
	struct format format;
	int status;

	*out = NULL;
	if (!format_may_follow(text))
		return 0;
	status = format_read(&format, system, text, error);
	if (status == 0)
		status = template_add(convention, system, format_hash(text), &format, out, error);
	format_release(&format);
	return status;
}

size_t convention_size(const struct convention *convention)
{
	return convention->nr_templates;
}

const struct template *convention_template(const struct convention *convention, size_t index)
{
	return convention->templates[index];
}

void convention_drop(struct convention *convention, const struct template *template)
{
	struct template *dropped = (struct template *)template;

	if (!dropped->is_dropped) {
		convention->nr_kept--;
		convention->kept_size -= template_memory(dropped);
	}
	dropped->is_dropped = true;
	if (convention->by_id[template->event_id] == template)
		convention->by_id[template->event_id] = NULL;
	memories_clear(&convention->memories);
}

void convention_use(struct convention *convention, const struct template *template)
{
	struct template *used = (struct template *)template;

	if (used->is_dropped)
		template_count(convention, used);
	template_read_by(convention, used);
}

bool convention_knows(const struct convention *convention, uint16_t id)
{
	return convention->by_id[id];
}

static bool template_is_named(const struct template *template, const char *system, const char *name)
{
	size_t size = strlen(system);

	return strcmp(template->name, name) == 0 &&
	       strncmp(template->category, system, size) == 0 &&
	       template->name == template->category + size + 1;
}

const struct template *convention_find_name(const struct convention *convention, const char *system,
					    const char *name)
{
	for (size_t i = convention->nr_templates; i > 0; i--) {
		if (template_is_named(convention->templates[i - 1], system, name))
			return convention->templates[i - 1];
	}
	return NULL;
}

bool convention_id(const struct convention *convention, const struct record *record, uint16_t *id)
{
	if (record->size < sizeof(*id))
		return false;
	memcpy(id, record->data, sizeof(*id));
	if (convention->is_swapped)
		*id = __builtin_bswap16(*id);
	return true;
}

const struct template *convention_find(const struct convention *convention,
				       const struct record *record)
{
	uint16_t id;

	return convention_id(convention, record, &id) ? convention->by_id[id] : NULL;
}

const struct observation *convention_read(struct convention *convention,
					  const struct record *record)
{
	const struct observation *expected = memories_expect(&convention->memories, record);
	const struct template *template;

	if (expected)
		return expected;
	template = convention_find(convention, record);
	return template ? memories_read(&convention->memories, template, record) : NULL;
}

int convention_add_task(struct convention *convention, const char *system, const char *name,
			struct text text, struct error *error)
{
	const struct task_rule *rule = task_rule_find(system, name);
	struct format format;
	int status;

	if (!rule || convention->nr_tasks == NR_TASK_TEMPLATES)
		return 0;
	status = format_read(&format, system, text, error);
	if (status == 0)
		task_template_fill(&convention->tasks[convention->nr_tasks++], rule, &format,
				   convention->is_swapped);
	format_release(&format);
	return status;
}

bool convention_names_threads(const struct convention *convention, uint16_t id)
{
	size_t i = 0;

	while (i < convention->nr_tasks && convention->tasks[i].event_id != id)
		i++;
	return i < convention->nr_tasks;
}

bool convention_read_task(const struct convention *convention, const struct record *record,
			  struct task_change *out)
{
	uint16_t id;

	if (convention->nr_tasks == 0 || !convention_id(convention, record, &id))
		return false;
	for (size_t i = 0; i < convention->nr_tasks; i++) {
		if (convention->tasks[i].event_id == id)
			return task_template_read(&convention->tasks[i], record, out);
	}
	return false;
}
