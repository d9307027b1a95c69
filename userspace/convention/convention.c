// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the templates, and finds the one that reads a record. */
#include "convention/convention.h"

#include <event-parse.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "convention/task.h"
#include "convention/template.h"

/* An event id is the record's first two bytes, on every kernel that has common_type. */
#define NR_EVENT_IDS 65536

/* More than there are tracepoints that tell of threads. */
#define NR_TASK_TEMPLATES 16

struct convention {
	struct tep_handle *tep;
	bool is_swapped;
	struct template **templates;
	size_t nr_templates;
	struct template *by_id[NR_EVENT_IDS];
	struct task_template tasks[NR_TASK_TEMPLATES];
	size_t nr_tasks;
};

struct convention *convention_new(bool is_swapped)
{
	struct convention *convention = calloc(1, sizeof(*convention));

	if (!convention)
		return NULL;
	convention->tep = tep_alloc();
	if (!convention->tep) {
		free(convention);
		return NULL;
	}
	convention->is_swapped = is_swapped;
	tep_set_long_size(convention->tep, sizeof(long));
	tep_set_page_size(convention->tep, sysconf(_SC_PAGESIZE));
	return convention;
}

void convention_free(struct convention *convention)
{
	if (!convention)
		return;
	for (size_t i = 0; i < convention->nr_templates; i++)
		template_free(convention->templates[i]);
	free(convention->templates);
	tep_free(convention->tep);
	free(convention);
}

static int convention_keep(struct convention *convention, struct template *template)
{
	struct template **templates;

	templates = reallocarray(convention->templates, convention->nr_templates + 1,
				 sizeof(*templates));
	if (!templates)
		return -1;
	convention->templates = templates;
	template->index = convention->nr_templates;
	templates[convention->nr_templates++] = template;
	convention->by_id[template->event_id] = template;
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

/* The event of a format; NULL with @error where it cannot be read. */
static struct tep_event *event_parse(struct convention *convention, const char *system,
				     struct text format, struct error *error)
{
	struct tep_event *event = NULL;

	if (tep_parse_format(convention->tep, &event, format.data, format.size, system) || !event) {
		error_set(error, "the format of a tracepoint in system %s cannot be read", system);
		return NULL;
	}
	if (event->id >= 0 && event->id < NR_EVENT_IDS)
		return event;
	error_set(error, "%s:%s has the impossible id %d", system, event->name, event->id);
	return NULL;
}

int convention_add(struct convention *convention, const char *system, struct text format,
		   const struct template **out, struct error *error)
{
	struct tep_event *event;
	struct template *template = NULL;

	*out = NULL;
	if (!format_may_follow(format))
		return 0;
	event = event_parse(convention, system, format, error);
	if (!event)
		return 1;
	if (template_new(&template, event, convention->is_swapped) < 0 ||
	    (template && convention_keep(convention, template) < 0)) {
		template_free(template);
		return error_set(error, "out of memory");
	}
	*out = template;
	return 0;
}

size_t convention_size(const struct convention *convention)
{
	return convention->nr_templates;
}

const struct template *convention_template(const struct convention *convention, size_t index)
{
	return convention->templates[index];
}

/* The id of a record's event; returns false where the record is too short to have one. */
static bool event_id_read(const struct convention *convention, const struct record *record,
			  uint16_t *id)
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

	return event_id_read(convention, record, &id) ? convention->by_id[id] : NULL;
}

int convention_add_task(struct convention *convention, const char *system, const char *name,
			struct text format, struct error *error)
{
	const struct task_rule *rule = task_rule_find(system, name);
	struct tep_event *event;

	if (!rule || convention->nr_tasks == NR_TASK_TEMPLATES)
		return 0;
	event = event_parse(convention, system, format, error);
	if (!event)
		return 1;
	task_template_fill(&convention->tasks[convention->nr_tasks++], rule, event,
			   convention->is_swapped);
	return 0;
}

bool convention_read_task(const struct convention *convention, const struct record *record,
			  struct task_change *out)
{
	uint16_t id;

	if (convention->nr_tasks == 0 || !event_id_read(convention, record, &id))
		return false;
	for (size_t i = 0; i < convention->nr_tasks; i++) {
		if (convention->tasks[i].event_id == id)
			return task_template_read(&convention->tasks[i], record, out);
	}
	return false;
}
