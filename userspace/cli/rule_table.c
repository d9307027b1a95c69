// SPDX-License-Identifier: GPL-2.0-only
/* ktrack list --rules: prints rules, and whether this machine has their tracepoints. */
#include <stdio.h>
#include <string.h>

#include "cli/rule_table.h"

static const char *const presence_names[] = {
	[LISTED_ABSENT] = "no",
	[LISTED_PRESENT] = "yes",
	[LISTED_UNKNOWN] = "unknown",
};

static const char *const presence_values[] = {
	[LISTED_ABSENT] = "false",
	[LISTED_PRESENT] = "true",
	[LISTED_UNKNOWN] = "null",
};

/** struct pack_counts - tracepoints of the rules of one source */
struct pack_counts {
	size_t all;
	size_t present;
	bool is_unknown;
};

/* Rules of one source follow each other; adds those from @number on, and returns the next number.
 */
static size_t pack_count(const struct rule_listing *listing, size_t number,
			 struct pack_counts *counts)
{
	struct listed_rule first, rule;

	rule_listing_get(listing, number, &first);
	for (rule = first; strcmp(rule.source, first.source) == 0;) {
		for (size_t i = 0; i < rule.nr_tracepoints; i++) {
			struct listed_use use;

			rule_listing_tracepoint(listing, number, i, &use);
			counts->all++;
			counts->present += use.presence == LISTED_PRESENT;
			counts->is_unknown |= use.presence == LISTED_UNKNOWN;
		}
		if (++number == rule_listing_size(listing))
			break;
		rule_listing_get(listing, number, &rule);
	}
	return number;
}

#define PACK_FORMAT "%-10s %-12s %-12s %s\n"

static void packs_print(const struct rule_listing *listing)
{
	printf(PACK_FORMAT, "PACK", "TRIED ON", "TRACEPOINTS", "TRACKS");
	for (size_t i = 0; i < rule_listing_size(listing);) {
		struct pack_counts counts = { 0 };
		struct listed_rule rule;
		char present[32];

		rule_listing_get(listing, i, &rule);
		i = pack_count(listing, i, &counts);
		if (counts.is_unknown)
			snprintf(present, sizeof(present), "%zu", counts.all);
		else
			snprintf(present, sizeof(present), "%zu of %zu", counts.present,
				 counts.all);
		printf(PACK_FORMAT, rule.source, rule.tried ? rule.tried : "-", present,
		       rule.about ? rule.about : "-");
	}
}

#define RULE_FORMAT "%-22s %-8s %-6s %-46s %s\n"

static void rule_print(const struct rule_listing *listing, size_t number)
{
	struct listed_rule rule;

	rule_listing_get(listing, number, &rule);
	if (rule.of)
		printf(RULE_FORMAT, rule.name, rule.kind, "of", rule.of, "-");
	for (size_t i = 0; i < rule.nr_tracepoints; i++) {
		struct listed_use use;
		char name[128];

		rule_listing_tracepoint(listing, number, i, &use);
		snprintf(name, sizeof(name), "%s:%s", use.system, use.event);
		printf(RULE_FORMAT, rule.name, rule.kind, use.role, name,
		       presence_names[use.presence]);
	}
}

void rule_table_print(const struct rule_listing *listing)
{
	packs_print(listing);
	printf("\n" RULE_FORMAT, "RULE", "KIND", "ROLE", "TRACEPOINT", "EXISTS");
	for (size_t i = 0; i < rule_listing_size(listing); i++)
		rule_print(listing, i);
}

static void rule_member(struct buffer *out, const char *name, const char *value, bool *first)
{
	json_append_member(out, text_of(name), first);
	if (value)
		json_append_string(out, text_of(value));
	else
		buffer_append_string(out, "null");
}

static void use_append(struct buffer *out, const struct listed_use *use)
{
	struct buffer name = { 0 };
	bool first = true;

	buffer_append_char(out, '{');
	rule_member(out, "role", use->role, &first);
	buffer_printf(&name, "%s:%s", use->system, use->event);
	rule_member(out, "tracepoint", buffer_string(&name), &first);
	buffer_printf(out, ",\"exists\":%s}", presence_values[use->presence]);
	buffer_release(&name);
}

static void rule_json_print(const struct rule_listing *listing, size_t number)
{
	struct buffer line = { 0 };
	struct listed_rule rule;
	bool first = true;

	rule_listing_get(listing, number, &rule);
	buffer_append_char(&line, '{');
	rule_member(&line, "rule", rule.name, &first);
	rule_member(&line, "kind", rule.kind, &first);
	rule_member(&line, rule.is_pack ? "pack" : "source", rule.source, &first);
	if (rule.is_pack)
		rule_member(&line, "tried_on", rule.tried, &first);
	if (rule.of)
		rule_member(&line, "of", rule.of, &first);
	buffer_append_string(&line, ",\"tracepoints\":[");
	for (size_t i = 0; i < rule.nr_tracepoints; i++) {
		struct listed_use use;

		rule_listing_tracepoint(listing, number, i, &use);
		if (i > 0)
			buffer_append_char(&line, ',');
		use_append(&line, &use);
	}
	printf("%s]}\n", buffer_string(&line));
	buffer_release(&line);
}

void rule_json_lines_print(const struct rule_listing *listing)
{
	for (size_t i = 0; i < rule_listing_size(listing); i++)
		rule_json_print(listing, i);
}
