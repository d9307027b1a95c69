// SPDX-License-Identifier: GPL-2.0-only
/* Lists rules, and whether the running kernel has their tracepoints. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/session.h"
#include "session/tracepoints.h"

/** struct tracepoint_name - a tracepoint of the running kernel */
struct tracepoint_name {
	char *system;
	char *event;
};

/**
 * struct rule_listing - rules and tracepoints
 * @is_known: whether the tracepoints of the running kernel could be read
 */
struct rule_listing {
	struct rules *rules;
	bool is_known;
	struct tracepoint_name *names;
	size_t nr_names;
};

static bool rule_listing_wants_system(void *context, const char *system)
{
	const struct rule_listing *listing = context;

	return rules_want(listing->rules, system, NULL);
}

static bool rule_listing_wants(void *context, const char *system, const char *name)
{
	const struct rule_listing *listing = context;

	return rules_want(listing->rules, system, name);
}

static int tracepoint_name_add(void *context, const struct tracepoint *tracepoint,
			       struct error *error)
{
	struct rule_listing *listing = context;
	struct tracepoint_name *names = reallocarray(listing->names, listing->nr_names + 1,
						     sizeof(*names));
	struct tracepoint_name *name;

	if (!names)
		return error_set(error, "out of memory");
	listing->names = names;
	name = &names[listing->nr_names++];
	name->system = strdup(tracepoint->system);
	name->event = strdup(tracepoint->name);
	return name->system && name->event ? 0 : error_set(error, "out of memory");
}

static int rule_listing_read(struct rule_listing *listing, struct error *error)
{
	const struct tracepoint_visitor visitor = { .context = listing,
						    .wants_system = rule_listing_wants_system,
						    .wants = rule_listing_wants,
						    .visit = tracepoint_name_add };
	int events_fd = events_open(error);
	int status;

	if (events_fd < 0)
		return -1;
	status = tracepoints_visit(events_fd, &visitor, error);
	close(events_fd);
	return status;
}

static int packs_add(struct rules *rules, struct error *error)
{
	for (const struct rule_pack *pack = rule_packs; pack->name; pack++) {
		if (rules_add(rules, pack->name, error) < 0)
			return -1;
	}
	return 0;
}

/* Takes the rules of the selection; without any, the rules of all packs. */
static int rule_listing_fill(struct rule_listing *listing, struct selection *selection,
			     struct error *error)
{
	bool is_all = !selection->rules;

	listing->rules = is_all ? rules_new() : selection->rules;
	selection->rules = NULL;
	if (!listing->rules)
		return error_set(error, "out of memory");
	if (is_all && packs_add(listing->rules, error) < 0)
		return -1;
	return rules_close(listing->rules, false, error);
}

int rule_listing_new(struct rule_listing **out, struct selection *selection,
		     const struct report *report, struct error *error)
{
	struct rule_listing *listing = calloc(1, sizeof(*listing));
	struct error problem = { 0 };

	if (!listing)
		return error_set(error, "out of memory");
	if (rule_listing_fill(listing, selection, error) < 0) {
		rule_listing_free(listing);
		return -1;
	}
	listing->is_known = rule_listing_read(listing, &problem) == 0;
	if (!listing->is_known)
		report_message(report, "%s; whether tracepoints exist is unknown", problem.text);
	*out = listing;
	return 0;
}

size_t rule_listing_size(const struct rule_listing *listing)
{
	return rules_size(listing->rules);
}

void rule_listing_get(const struct rule_listing *listing, size_t number, struct listed_rule *out)
{
	const struct rule_pack *pack;
	struct rule_about about;

	rules_about(listing->rules, number, &about);
	pack = rule_pack_find(text_of(about.source));
	*out = (struct listed_rule){
		.name = about.name,
		.kind = about.kind,
		.of = about.of,
		.source = about.source,
		.is_pack = pack,
		.about = pack ? pack->about : NULL,
		.tried = pack ? pack->tried : NULL,
		.nr_tracepoints = about.nr_uses,
	};
}

static enum listed_presence presence_find(const struct rule_listing *listing, const char *system,
					  const char *event)
{
	if (!listing->is_known)
		return LISTED_UNKNOWN;
	for (size_t i = 0; i < listing->nr_names; i++) {
		if (fnmatch(system, listing->names[i].system, 0) == 0 &&
		    fnmatch(event, listing->names[i].event, 0) == 0)
			return LISTED_PRESENT;
	}
	return LISTED_ABSENT;
}

void rule_listing_tracepoint(const struct rule_listing *listing, size_t number, size_t index,
			     struct listed_use *out)
{
	struct rule_use_about use;

	rules_use(listing->rules, number, index, &use);
	*out = (struct listed_use){
		.system = use.system,
		.event = use.event,
		.role = use.role,
		.presence = presence_find(listing, use.system, use.event),
	};
}

void rule_listing_free(struct rule_listing *listing)
{
	if (!listing)
		return;
	rules_free(listing->rules);
	for (size_t i = 0; i < listing->nr_names; i++) {
		free(listing->names[i].system);
		free(listing->names[i].event);
	}
	free(listing->names);
	free(listing);
}
