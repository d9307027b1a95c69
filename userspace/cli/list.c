// SPDX-License-Identifier: GPL-2.0-only
/* ktrack list: which tracepoints of this machine follow the convention. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/option.h"
#include "cli/tracepoints.h"
#include "source/source.h"

struct list_settings {
	struct selection selection;
};

static int apply_event(void *settings, const char *value, struct error *error)
{
	struct list_settings *list = settings;

	return selection_add(&list->selection, value, error);
}

static const struct option_row list_rows[] = {
	{ 'e', "tracepoint", "SYS[:EVENT]", "only these; wildcards allowed, may be repeated", apply_event },
};

static const struct option_table list_table = {
	.usage = "list [-e SYS[:EVENT]]...",
	.about = "Lists the tracepoints of this machine that follow the track event convention.",
	.rows = list_rows,
	.nr_rows = sizeof(list_rows) / sizeof(list_rows[0]),
};

#define ROW_FORMAT "%-40s %-8s %-12s %-10s %-8s %s\n"

static void fields_list(const struct template *template, struct buffer *out)
{
	buffer_clear(out);
	for (size_t i = 0; i < template->nr_extras; i++)
		buffer_printf(out, "%s%s", i > 0 ? "," : "", template->extras[i].name);
	if (template->nr_extras == 0)
		buffer_append_char(out, '-');
}

static void template_print(const struct template *template)
{
	struct buffer system = { 0 }, fields = { 0 };
	const char *enabled;

	template_system(template, &system);
	fields_list(template, &fields);
	enabled = source_tracepoint_is_enabled(buffer_string(&system), template->name) ? "yes" : "no";
	printf(ROW_FORMAT, template->category, template->kind == TEMPLATE_COUNTER ? "counter" : "slice",
	       template->scope_field ? template->scope_field : "thread",
	       template->track_name.kind == SLOT_ABSENT ? "-" : "track_name", enabled, buffer_string(&fields));
	buffer_release(&system);
	buffer_release(&fields);
}

static int list_print(struct list_settings *settings, struct error *error)
{
	struct convention *convention = convention_new(false);
	int status = STATUS_FAILED;

	if (!convention) {
		error_set(error, "out of memory");
	} else if (tracepoints_find(convention, NULL, &settings->selection, error) == 0) {
		status = STATUS_DONE;
		printf(ROW_FORMAT, "TRACEPOINT", "KIND", "SCOPE", "TRACK NAME", "ENABLED", "EXTRA FIELDS");
		for (size_t i = 0; i < convention_size(convention); i++)
			template_print(convention_template(convention, i));
		if (convention_size(convention) == 0)
			error_set(error, "no tracepoint of this machine follows the convention; load a module that has some");
	}
	convention_free(convention);
	return status;
}

static int list_run(int argc, char **argv, struct error *error)
{
	struct list_settings settings = { 0 };
	int operand, status;

	switch (options_parse(&list_table, argc, argv, &settings, &operand, error)) {
	case OPTIONS_HELPED:
		status = STATUS_DONE;
		break;
	case OPTIONS_READ:
		if (operand == argc) {
			status = list_print(&settings, error);
			break;
		}
		error_set(error, "'%s' is one word too many; see 'ktrack list --help'", argv[operand]);
		/* fall through */
	default:
		status = STATUS_USAGE;
	}
	selection_release(&settings.selection);
	return status;
}

const struct cli_command list_command = {
	.name = "list",
	.summary = "list the tracepoints that follow the convention",
	.run = list_run,
};
