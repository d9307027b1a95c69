// SPDX-License-Identifier: GPL-2.0-only
/* ktrack list --programs: prints the programs that can be recorded. */
#include "cli/program_table.h"

#include <stdio.h>

#include "cli/cli.h"
#include "reader/reader.h"

#define PROGRAM_FORMAT "%8s %-16s %-8s %s\n"

/** struct program_printing - the form, and how many were printed */
struct program_printing {
	bool is_json;
	size_t number;
};

static void events_append(struct buffer *out, const struct program_found *program)
{
	for (size_t i = 0; i < program->nr_events; i++)
		buffer_printf(out, "%s%s", i > 0 ? "," : "", program->events[i]);
	if (program->nr_events == 0)
		buffer_append_char(out, '-');
}

static void program_row_print(const struct program_found *program)
{
	struct buffer events = { 0 }, name = { 0 };
	char pid[16];

	events_append(&events, program);
	snprintf(pid, sizeof(pid), "%d", program->pid);
	/* A program names itself. */
	printable_append(&name, text_of(program->comm));
	printf(PROGRAM_FORMAT, pid, buffer_string(&name), program->is_recorded ? "yes" : "no",
	       buffer_string(&events));
	buffer_release(&name);
	buffer_release(&events);
}

static void program_json_print(const struct program_found *program)
{
	struct buffer line = { 0 };

	buffer_printf(&line, "{\"pid\":%d,\"name\":", program->pid);
	json_append_string(&line, text_of(program->comm));
	buffer_append_string(&line, ",\"path\":");
	json_append_string(&line, text_of(program->path));
	buffer_printf(&line, ",\"recorded\":%s,\"events\":[",
		      program->is_recorded ? "true" : "false");
	for (size_t i = 0; i < program->nr_events; i++) {
		if (i > 0)
			buffer_append_char(&line, ',');
		json_append_string(&line, text_of(program->events[i]));
	}
	printf("%s]}\n", buffer_string(&line));
	buffer_release(&line);
}

static int program_print(void *context, const struct program_found *program, struct error *error)
{
	struct program_printing *printing = context;

	(void)error;
	if (printing->number++ == 0 && !printing->is_json)
		printf(PROGRAM_FORMAT, "PID", "NAME", "RECORDED", "EVENTS");
	(printing->is_json ? program_json_print : program_row_print)(program);
	return 0;
}

int program_table_print(bool is_json, const struct report *report, struct error *error)
{
	struct program_printing printing = { .is_json = is_json };
	const struct program_visitor visitor = { .context = &printing, .visit = program_print };

	if (programs_visit(&visitor, error) < 0)
		return STATUS_FAILED;
	if (printing.number == 0)
		error_set(error, "no program that you may read uses ktrack/user.h; see "
				 "ktrack-user(7)");
	else
		report_closing(report, "%zu program%s; next: ktrack stream --programs records them",
			       printing.number, printing.number == 1 ? "" : "s");
	return STATUS_DONE;
}
