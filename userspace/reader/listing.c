// SPDX-License-Identifier: GPL-2.0-only
/* Lists the tracepoints of the running kernel that follow the convention, and rules. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/reader.h"

/** struct listing - the tracepoints */
struct listing {
	struct convention *convention;
	int events_fd; /* the directory of tracepoints */
};

int listing_new(struct listing **out, struct selection *selection, const struct report *report,
		struct error *error)
{
	struct listing *listing = calloc(1, sizeof(*listing));
	int status = -1;

	if (!listing)
		return error_set(error, "out of memory");
	listing->events_fd = events_open(error);
	if (listing->events_fd >= 0) {
		listing->convention = convention_new(false);
		status = listing->convention ? tracepoints_find(listing->convention, NULL,
								selection, report, error)
					     : error_set(error, "out of memory");
	}
	if (status == 0)
		*out = listing;
	else
		listing_free(listing);
	return status;
}

size_t listing_size(const struct listing *listing)
{
	return convention_size(listing->convention);
}

const struct descriptor *listing_get(const struct listing *listing, size_t number)
{
	return convention_descriptor(listing->convention, number);
}

bool listing_is_enabled(const struct listing *listing, const struct descriptor *descriptor)
{
	SCOPED_BUFFER(system);
	bool is_enabled;

	descriptor_system(descriptor, &system);
	is_enabled = event_is_enabled(listing->events_fd, buffer_string(&system), descriptor->name);
	return is_enabled;
}

void listing_free(struct listing *listing)
{
	if (!listing)
		return;
	convention_free(listing->convention);
	if (listing->events_fd >= 0)
		close(listing->events_fd);
	free(listing);
}

/* Lists rules, and whether the running kernel has their tracepoints. */

#define SYMBOLS_PATH "/proc/kallsyms"
/* The kernel and its modules have such a function for each tracepoint. */
#define SYMBOL_PREFIX " __traceiter_"

/** struct tracepoint_name - a tracepoint of the running kernel; @system: NULL if unknown */
struct tracepoint_name {
	char *system;
	char *event;
};

/** struct rule_listing - rules and tracepoints */
struct rule_listing {
	struct rules *rules;
	bool is_known;	    /* whether the tracepoints of the running kernel could be read */
	bool is_by_symbols; /* they were read from the kernel's symbols, which have no systems */
	struct tracepoint_name *names;
	size_t nr_names;
};

static bool rule_listing_wants(void *context, const char *system, const char *name)
{
	return rules_want(((const struct rule_listing *)context)->rules, system, name);
}

static int name_add(struct rule_listing *listing, char *system, char *event, struct error *error)
{
	if (!event || !array_reserve(listing->names, listing->nr_names)) {
		free(system);
		free(event);
		return error_set(error, "out of memory");
	}
	listing->names[listing->nr_names++] = (struct tracepoint_name){ .system = system,
									.event = event };
	return 0;
}

static int tracepoint_name_add(void *context, const struct tracepoint *tracepoint,
			       struct error *error)
{
	char *system = strdup(tracepoint->system);

	return system ? name_add(context, system, strdup(tracepoint->name), error)
		      : error_set(error, "out of memory");
}

/*
 * Everybody may read the names of symbols, if not their addresses. memmem(), because strstr() of the
 * address sanitizer measures the rest of these megabytes at each call.
 */
static int rule_listing_read_symbols(struct rule_listing *listing, struct error *error)
{
	const size_t prefix_size = strlen(SYMBOL_PREFIX);
	SCOPED_BUFFER(text);
	const char *line, *end;
	int status = 0;

	listing->is_by_symbols = true;
	if (file_read(SYMBOLS_PATH, &text) == 0)
		buffer_append_char(&text, '\0');
	line = buffer_string(&text);
	end = line + text.size;
	while (status == 0 && (line = memmem(line, end - line, SYMBOL_PREFIX, prefix_size))) {
		line += prefix_size;
		status = name_add(listing, NULL, strndup(line, strcspn(line, "\t\n")), error);
	}
	return listing->nr_names > 0 ? status : -1;
}

static int rule_listing_read(struct rule_listing *listing, struct error *error)
{
	const struct tracepoint_visitor visitor = { .context = listing,
						    .wants = rule_listing_wants,
						    .visit = tracepoint_name_add };

	return events_visit(events_open(error), &visitor, error);
}

int rule_listing_new(struct rule_listing **out, struct selection *selection,
		     const struct report *report, struct error *error)
{
	struct rule_listing *listing = calloc(1, sizeof(*listing));
	const struct rule_pack *pack;
	struct error problem = { 0 };
	int status = 0;

	if (!listing)
		return error_set(error, "out of memory");
	/* Takes the rules of the selection; without any, the rules of all packs. */
	pack = selection->rules ? NULL : rule_packs;
	listing->rules = pack ? rules_new() : selection->rules;
	selection->rules = NULL;
	if (!listing->rules)
		status = error_set(error, "out of memory");
	for (; status == 0 && pack && pack->name; pack++)
		status = rules_add(listing->rules, pack->name, error);
	if (status == 0)
		status = rules_close(listing->rules, false, error);
	if (status < 0) {
		rule_listing_free(listing);
		return -1;
	}
	listing->is_known = rule_listing_read(listing, &problem) == 0 ||
			    rule_listing_read_symbols(listing, error) == 0;
	if (!listing->is_known)
		report_message(report, "%s; whether tracepoints exist is unknown", problem.text);
	else if (listing->is_by_symbols)
		report_message(report,
			       "%s; which tracepoints exist is taken from " SYMBOLS_PATH
			       ", by name without system",
			       problem.text);
	*out = listing;
	return 0;
}

const struct rules *rule_listing_rules(const struct rule_listing *listing)
{
	return listing->rules;
}

enum listed_presence rule_listing_find(const struct rule_listing *listing,
				       const struct rule_use_about *use)
{
	const char *system = use->of_system;

	/* ftrace's own records have no tracepoint; those of programs come and go. */
	if (!listing->is_known || program_system(system) ||
	    (listing->is_by_symbols && strcmp(system, "ftrace") == 0))
		return LISTED_UNKNOWN;
	for (size_t i = 0; i < listing->nr_names; i++) {
		if ((listing->is_by_symbols || fnmatch(system, listing->names[i].system, 0) == 0) &&
		    fnmatch(use->of_event, listing->names[i].event, 0) == 0)
			return LISTED_PRESENT;
	}
	return LISTED_ABSENT;
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
