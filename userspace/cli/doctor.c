// SPDX-License-Identifier: GPL-2.0-only
/* ktrack doctor: prints whether this machine can record, and which mechanisms work. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/option.h"
#include "cli/option_parts.h"

struct doctor_settings {
	const struct report *report;
	bool is_json;
};

static const struct option_row doctor_rows[] = {
	OPTION_FLAG("json", "print JSON: one line for each finding", doctor_settings, is_json),
};

static const char *const state_names[] = { [DOCTOR_OK] = "ok",
					   [DOCTOR_LIMITED] = "limited",
					   [DOCTOR_FAILED] = "failed",
					   [DOCTOR_UNKNOWN] = "unknown" };

/** struct findings - what was printed */
struct findings {
	struct buffer failures; /* lines about failed checks, which are repeated at the end */
	/* The first of nr_equal checks whose findings are equal, not printed yet. */
	struct buffer check;
	struct buffer finding; /* these findings, as a line says them */
	enum doctor_state state;
	size_t nr_equal;
};

/* What cannot be examined for one reason is one line: without root, that is the most. */
static void findings_flush(struct findings *findings)
{
	if (findings->nr_equal == 0)
		return;
	if (findings->nr_equal > 1)
		buffer_printf(&findings->check, " and %zu more", findings->nr_equal - 1);
	printf("%-8s %-29s %s\n", state_names[findings->state], buffer_string(&findings->check),
	       buffer_string(&findings->finding));
	findings->nr_equal = 0;
}

static void finding_print(void *context, const struct doctor_finding *finding)
{
	struct findings *findings = context;
	struct buffer line = { 0 };

	if (finding->state == DOCTOR_FAILED) {
		/* "permissions: tracing instances cannot be created: Permission denied; sudo ktrack
		 * doctor" */
		buffer_printf(&findings->failures, "  %s: %s%s%s\n", finding->check, finding->text,
			      finding->remedy ? "; " : "", finding->remedy ? finding->remedy : "");
	}
	/* Programs name themselves. */
	buffer_append_printable(&line, text_of(finding->text));
	buffer_printf(&line, "%s%s", finding->remedy ? "; " : "",
		      finding->remedy ? finding->remedy : "");
	if (finding->state != DOCTOR_UNKNOWN || findings->state != DOCTOR_UNKNOWN ||
	    strcmp(buffer_string(&line), buffer_string(&findings->finding)) != 0)
		findings_flush(findings);
	if (findings->nr_equal++ == 0) {
		buffer_release(&findings->check);
		buffer_append_string(&findings->check, finding->check);
	}
	buffer_release(&findings->finding);
	findings->finding = line;
	findings->state = finding->state;
}

static void finding_json_print(void *context, const struct doctor_finding *finding)
{
	SCOPED_BUFFER(line);
	bool first = true;

	(void)context;
	buffer_append_char(&line, '{');
	json_append_text(&line, "check", text_of(finding->check), &first);
	json_append_text(&line, "state", text_of(state_names[finding->state]), &first);
	json_append_text(&line, "text", text_of(finding->text), &first);
	if (finding->remedy)
		json_append_text(&line, "remedy", text_of(finding->remedy), &first);
	printf("%s}\n", buffer_string(&line));
}

/* Last, where a terminal shows it. Programs are recorded without tracefs and its tracepoints. */
static void verdict_print(bool can_record, struct findings *findings)
{
	if (can_record)
		printf("\nRecording is possible.\n");
	else
		printf("\nRecording the kernel is not possible:\n%s"
		       "Programs with ktrack/user.h can be recorded (--programs).\n",
		       buffer_string(&findings->failures));
}

static int doctor_main(int argc, char **argv, struct error *error)
{
	struct doctor_settings settings = { .report = message_report() };
	struct option_table table = {
		.usage = "doctor [OPTION]...",
		.about = "Examines whether this machine can record, and which mechanisms and packs "
			 "of rules "
			 "work here. Prints each finding with its remedy. Changes nothing. Without "
			 "root, it "
			 "reports what it could "
			 "not examine.",
		.notes = "Exit status: 0 the kernel can be recorded; 1 it cannot; 2 wrong usage.",
		.operand = option_refuse_operand,
		.parts = { OPTION_ROWS(doctor_rows),
			   OPTION_PART(report_options, struct doctor_settings, report) },
	};
	struct findings findings = { 0 };
	int operand, status;
	bool can_record;

	if (!options_read(&table, argc, argv, &settings, &operand, &status, error))
		return status;
	can_record = doctor_run("", settings.is_json ? finding_json_print : finding_print,
				&findings);
	findings_flush(&findings);
	if (settings.is_json)
		printf("{\"can_record\":%s}\n", can_record ? "true" : "false");
	else
		verdict_print(can_record, &findings);
	if (can_record)
		report_closing(settings.report,
			       "next: %sktrack stream -r sched,irq --html=page.html -- sleep 1",
			       sudo_prefix());
	buffer_release(&findings.failures);
	buffer_release(&findings.check);
	buffer_release(&findings.finding);
	return can_record ? STATUS_DONE : STATUS_FAILED;
}

const struct cli_command doctor_command = {
	"doctor", "examine whether this machine can record, and what works here", doctor_main
};
