// SPDX-License-Identifier: GPL-2.0-only
/* ktrack list: which tracepoints of this machine follow the convention. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/option.h"
#include "cli/tracepoints.h"
#include "source/source.h"

struct list_settings {
	struct selection selection;
	bool is_json;
};

static const struct option_row list_rows[] = {
	OPTION_FLAG("json", "a JSON object on each line instead of the table", list_settings,
		    is_json),
};

static const struct option_part list_options = {
	.rows = list_rows,
	.nr_rows = sizeof(list_rows) / sizeof(list_rows[0]),
};

static int refuse_operand(void *settings, const char *word, struct error *error)
{
	(void)settings;
	return error_set(error, "unexpected argument '%s'; see 'ktrack list --help'", word);
}

/* The part is in another file, so that the table cannot be a constant. */
static struct option_table list_table(void)
{
	struct option_table table = {
		.usage = "list [-e SYS[:EVENT]]... [--json]",
		.about = "Lists the tracepoints of this machine that follow the track event "
			 "convention.",
		.operand = refuse_operand,
		.parts = { selection_options, list_options },
	};

	table.parts[0].offset = offsetof(struct list_settings, selection);
	return table;
}

#define ROW_FORMAT "%-*s %-8s %-*s %-10s %-8s %s\n"

/** struct widths - of the columns whose texts may be long */
struct widths {
	int tracepoint;
	int scope;
};

static const char *const scope_names[] = {
	[TEMPLATE_SCOPE_THREAD] = "thread",
	[TEMPLATE_SCOPE_PROCESS] = "process",
	[TEMPLATE_SCOPE_CPU] = "cpu",
	[TEMPLATE_SCOPE_CUSTOM] = "custom",
};

static bool template_is_enabled(const struct template *template, int events_fd)
{
	struct buffer system = { 0 };
	bool is_enabled;

	template_system(template, &system);
	is_enabled = source_event_is_enabled(events_fd, buffer_string(&system), template->name);
	buffer_release(&system);
	return is_enabled;
}

static const char *kind_name(const struct template *template)
{
	return template->kind == TEMPLATE_COUNTER ? "counter" : "slice";
}

static const char *scope_text(const struct template *template)
{
	return template->scope_field ? template->scope_field : "thread";
}

static void width_widen(int *width, const char *text)
{
	int size = strlen(text);

	if (size > *width)
		*width = size;
}

static struct widths widths_find(const struct convention *convention)
{
	struct widths widths = { .tracepoint = 40, .scope = 12 };

	for (size_t i = 0; i < convention_size(convention); i++) {
		const struct template *template = convention_template(convention, i);

		width_widen(&widths.tracepoint, template->category);
		width_widen(&widths.scope, scope_text(template));
	}
	return widths;
}

static void row_print(const struct template *template, const struct widths *widths, int events_fd)
{
	struct buffer fields = { 0 };

	for (size_t i = 0; i < template->nr_extras; i++)
		buffer_printf(&fields, "%s%s", i > 0 ? "," : "", template->extras[i].name);
	printf(ROW_FORMAT, widths->tracepoint, template->category, kind_name(template),
	       widths->scope, scope_text(template),
	       template->track_name.kind == SLOT_ABSENT ? "-" : "track_name",
	       template_is_enabled(template, events_fd) ? "yes" : "no",
	       template->nr_extras > 0 ? buffer_string(&fields) : "-");
	buffer_release(&fields);
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

static void json_print(const struct template *template, int events_fd)
{
	struct buffer line = { 0 };
	bool first = true;

	buffer_append_char(&line, '{');
	member_string(&line, "tracepoint", template->category, &first);
	member_string(&line, "kind", kind_name(template), &first);
	member_string(&line, "scope", scope_names[template->scope], &first);
	if (template->scope_field)
		member_string(&line, "field", template->scope_field, &first);
	member_boolean(&line, "track_name", template->track_name.kind != SLOT_ABSENT, &first);
	json_append_member(&line, text_of("fields"), &first);
	buffer_append_char(&line, '[');
	for (size_t i = 0; i < template->nr_extras; i++) {
		if (i > 0)
			buffer_append_char(&line, ',');
		json_append_string(&line, text_of(template->extras[i].name));
	}
	buffer_append_char(&line, ']');
	member_boolean(&line, "enabled", template_is_enabled(template, events_fd), &first);
	printf("%s}\n", buffer_string(&line));
	buffer_release(&line);
}

static void table_print(const struct convention *convention, bool is_json, int events_fd,
			struct error *error)
{
	struct widths widths = widths_find(convention);

	if (!is_json)
		printf(ROW_FORMAT, widths.tracepoint, "TRACEPOINT", "KIND", widths.scope, "SCOPE",
		       "TRACK NAME", "ENABLED", "EXTRA FIELDS");
	for (size_t i = 0; i < convention_size(convention); i++) {
		if (is_json)
			json_print(convention_template(convention, i), events_fd);
		else
			row_print(convention_template(convention, i), &widths, events_fd);
	}
	if (convention_size(convention) == 0)
		error_set(error, "no tracepoint of this machine follows the convention; load a "
				 "module that has some");
}

static int list_print(struct list_settings *settings, int events_fd, struct error *error)
{
	struct convention *convention = convention_new(false);
	int status = STATUS_FAILED;

	if (!convention) {
		error_set(error, "out of memory");
	} else if (tracepoints_find(convention, NULL, &settings->selection, error) == 0) {
		status = STATUS_DONE;
		table_print(convention, settings->is_json, events_fd, error);
	}
	convention_free(convention);
	return status;
}

static int list_look(struct list_settings *settings, struct error *error)
{
	int events_fd = source_events_open(error);
	int status;

	if (events_fd < 0)
		return STATUS_FAILED;
	status = list_print(settings, events_fd, error);
	close(events_fd);
	return status;
}

static int list_run(int argc, char **argv, struct error *error)
{
	struct list_settings settings = { 0 };
	struct option_table table = list_table();
	int operand, status;

	if (options_read(&table, argc, argv, &settings, &operand, &status, error))
		status = list_look(&settings, error);
	selection_release(&settings.selection);
	return status;
}

const struct cli_command list_command = {
	.name = "list",
	.summary = "list the tracepoints that follow the convention",
	.run = list_run,
};
