// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the templates, and finds the one that reads a record. */
#include "convention/convention.h"

#include <event-parse.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "convention/template.h"

/* An event id is the record's first two bytes, on every kernel that has common_type. */
#define NR_EVENT_IDS 65536

struct convention {
	struct tep_handle *tep;
	bool is_swapped;
	struct template **templates;
	size_t nr_templates;
	struct template *by_id[NR_EVENT_IDS];
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

int convention_add(struct convention *convention, const char *system, struct text format,
		   const struct template **out, struct error *error)
{
	struct tep_event *event = NULL;
	struct template *template = NULL;

	*out = NULL;
	if (!format_may_follow(format))
		return 0;
	if (tep_parse_format(convention->tep, &event, format.data, format.size, system) || !event)
		return error_set(error, "the format of a tracepoint in system %s cannot be read",
				 system);
	if (event->id < 0 || event->id >= NR_EVENT_IDS)
		return error_set(error, "%s:%s has the impossible id %d", system, event->name,
				 event->id);
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

const struct template *convention_find(const struct convention *convention,
				       const struct record *record)
{
	uint16_t id;

	if (record->size < sizeof(id))
		return NULL;
	memcpy(&id, record->data, sizeof(id));
	if (convention->is_swapped)
		id = __builtin_bswap16(id);
	return convention->by_id[id];
}
