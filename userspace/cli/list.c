// SPDX-License-Identifier: GPL-2.0-only
/* ktrack list: prints the tracepoints of this machine that follow the convention, or rules. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/option.h"
#include "cli/option_parts.h"
#include "cli/program_table.h"
#include "cli/rule_table.h"

struct list_settings {
	const struct report *report;
	struct selection selection;
	bool is_json;
	bool lists_rules;
	bool lists_programs;
};

static const struct option_row list_rows[] = {
	OPTION_FLAG("rules", "list the rules of -r or of all packs", list_settings, lists_rules),
	OPTION_FLAG("programs", "list the programs that use ktrack/user.h", list_settings,
		    lists_programs),
	OPTION_FLAG("json", "print JSON: one line for each", list_settings, is_json),
};

/* Parts of other files have no constant address, so the table is no constant. */
static struct option_table list_table(void)
{
	return (struct option_table){
		.usage = "list [OPTION]...",
		.about = "Lists the running kernel's tracepoints that follow the track event "
			 "convention, rules that make tracks from others, or programs.",
		.notes = "Exit status: 0 success; 1 tracefs cannot be read, or a pattern matches "
			 "nothing; 2 wrong usage.",
		.operand = option_refuse_operand,
		.parts = { OPTION_PART(listed_options, struct list_settings, selection),
			   { list_rows, sizeof(list_rows) / sizeof(list_rows[0]) },
			   OPTION_PART(report_options, struct list_settings, report) },
	};
}

#define ROW_FORMAT "%-*s %-8s %-*s %-10s %-8s %s\n"

/** struct widths - of the columns with texts of any length */
struct widths {
	int tracepoint;
	int scope;
};

static const char *kind_name(const struct listed *listed)
{
	if (listed->is_counter)
		return "counter";
	return listed->is_async ? "async" : "slice";
}

/* "scope_dev,scope_queue", the outer scopes first. */
static void scope_append(struct buffer *out, const struct listing *listing, size_t number,
			 const struct listed *listed)
{
	for (size_t i = 0; i < listed->nr_outer; i++)
		buffer_printf(out, "%s,", listing_outer(listing, number, i));
	buffer_append_string(out, listed->field ? listed->field : listed->scope);
}

static void width_widen(int *width, size_t size)
{
	if (size <= INT_MAX && (int)size > *width)
		*width = size;
}

static struct widths widths_find(const struct listing *listing)
{
	struct widths widths = { .tracepoint = 24, .scope = 12 };
	struct buffer scope = { 0 };

	for (size_t i = 0; i < listing_size(listing); i++) {
		struct listed listed;

		listing_get(listing, i, &listed);
		width_widen(&widths.tracepoint, strlen(listed.name));
		buffer_clear(&scope);
		scope_append(&scope, listing, i, &listed);
		width_widen(&widths.scope, scope.size);
	}
	buffer_release(&scope);
	return widths;
}

/* "bytes,request(flow)", or "-". */
static void fields_append(struct buffer *out, const struct listing *listing, size_t number,
			  const struct listed *listed)
{
	for (size_t i = 0; i < listed->nr_fields; i++)
		buffer_printf(out, "%s%s", out->size > 0 ? "," : "",
			      listing_field(listing, number, i));
	for (size_t i = 0; i < listed->nr_flows; i++)
		buffer_printf(out, "%s%s(flow)", out->size > 0 ? "," : "",
			      listing_flow(listing, number, i));
	if (out->size == 0)
		buffer_append_char(out, '-');
}

static void row_print(const struct listing *listing, size_t number, const struct widths *widths)
{
	struct buffer fields = { 0 }, scope = { 0 };
	struct listed listed;

	listing_get(listing, number, &listed);
	fields_append(&fields, listing, number, &listed);
	scope_append(&scope, listing, number, &listed);
	printf(ROW_FORMAT, widths->tracepoint, listed.name, kind_name(&listed), widths->scope,
	       buffer_string(&scope), listed.has_track_name ? "track_name" : "-",
	       listed.is_enabled ? "yes" : "no", buffer_string(&fields));
	buffer_release(&fields);
	buffer_release(&scope);
}

static void table_print(const struct listing *listing)
{
	struct widths widths = widths_find(listing);

	printf(ROW_FORMAT, widths.tracepoint, "TRACEPOINT", "KIND", widths.scope, "SCOPE",
	       "TRACK NAME", "ENABLED", "OTHER FIELDS");
	for (size_t i = 0; i < listing_size(listing); i++)
		row_print(listing, i, &widths);
}

static void member_string(struct buffer *out, const char *name, const char *value, bool *first)
{
	json_append_member(out, text_of(name), first);
	json_append_string(out, text_of(value));
}

static void member_boolean(struct buffer *out, const char *name, bool value, bool *first)
{
	json_append_member(out, text_of(name), first);
	buffer_append_string(out, value ? "true" : "false");
}

static void names_member(struct buffer *out, const char *name, const struct listing *listing,
			 size_t number, size_t nr_names,
			 const char *(*get)(const struct listing *listing, size_t number,
					    size_t index))
{
	buffer_printf(out, ",\"%s\":[", name);
	for (size_t i = 0; i < nr_names; i++) {
		if (i > 0)
			buffer_append_char(out, ',');
		json_append_string(out, text_of(get(listing, number, i)));
	}
	buffer_append_char(out, ']');
}

static void json_print(const struct listing *listing, size_t number)
{
	struct buffer line = { 0 };
	struct listed listed;
	bool first = true;

	listing_get(listing, number, &listed);
	buffer_append_char(&line, '{');
	member_string(&line, "tracepoint", listed.name, &first);
	member_string(&line, "kind", kind_name(&listed), &first);
	member_string(&line, "scope", listed.scope, &first);
	if (listed.field)
		member_string(&line, "field", listed.field, &first);
	if (listed.nr_outer > 0)
		names_member(&line, "outer", listing, number, listed.nr_outer, listing_outer);
	member_boolean(&line, "track_name", listed.has_track_name, &first);
	names_member(&line, "fields", listing, number, listed.nr_fields, listing_field);
	if (listed.nr_flows > 0)
		names_member(&line, "flows", listing, number, listed.nr_flows, listing_flow);
	member_boolean(&line, "enabled", listed.is_enabled, &first);
	printf("%s}\n", buffer_string(&line));
	buffer_release(&line);
}

static int list_print(struct list_settings *settings, struct error *error)
{
	struct listing *listing;

	if (listing_new(&listing, &settings->selection, settings->report, error) < 0)
		return STATUS_FAILED;
	if (!settings->is_json)
		table_print(listing);
	for (size_t i = 0; i < listing_size(listing) && settings->is_json; i++)
		json_print(listing, i);
	if (listing_size(listing) == 0)
		error_set(error, "no tracepoint of this machine follows the convention; load a "
				 "module with such tracepoints, or list rules with --rules");
	else
		report_closing(settings->report,
			       "%zu tracepoint%s; next: %sktrack stream --html=page.html -d 5 shows them",
			       listing_size(listing), listing_size(listing) == 1 ? "" : "s",
			       sudo_prefix());
	listing_free(listing);
	return STATUS_DONE;
}

static int rules_print(struct list_settings *settings, struct error *error)
{
	struct rule_listing *listing;

	if (settings->selection.nr_options > 0) {
		error_set(error, "-e: selects no rules; write packs, files or one rule with -r");
		return STATUS_USAGE;
	}
	if (rule_listing_new(&listing, &settings->selection, settings->report, error) < 0)
		return STATUS_FAILED;
	if (settings->is_json)
		rule_json_lines_print(listing);
	else
		rule_table_print(listing);
	report_closing(settings->report,
		       "%zu rules; next: %sktrack stream -r sched,irq --html=page.html -- sleep 1",
		       rule_listing_size(listing), sudo_prefix());
	rule_listing_free(listing);
	return STATUS_DONE;
}

static int list_chosen(struct list_settings *settings, struct error *error)
{
	bool lists_rules = settings->lists_rules || settings->selection.rules;

	if (settings->lists_programs && (lists_rules || settings->selection.nr_options > 0)) {
		error_set(error, "--programs: lists no tracepoints and no rules; leave out -e, -r "
				 "and --rules");
		return STATUS_USAGE;
	}
	if (settings->lists_programs)
		return program_table_print(settings->is_json, settings->report, error);
	return lists_rules ? rules_print(settings, error) : list_print(settings, error);
}

static int list_main(int argc, char **argv, struct error *error)
{
	struct list_settings settings = { .report = message_report() };
	struct option_table table = list_table();
	int operand, status;

	if (options_read(&table, argc, argv, &settings, &operand, &status, error))
		status = list_chosen(&settings, error);
	selection_release(&settings.selection);
	return status;
}

const struct cli_command list_command = {
	.name = "list",
	.summary = "list tracepoints that follow the convention, or rules of packs",
	.run = list_main,
};
