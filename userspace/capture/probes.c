// SPDX-License-Identifier: GPL-2.0-only
/* Defines and removes the probes of a run, and adds the rules for their records. */
#include "capture/probes.h"

#include <string.h>

#include "capture/probe.h"

static void probe_report_part(const struct probe *probe, const struct report *report)
{
	if (probe->part.size > 0)
		report_message(report,
			       "%s '%s': partly inlined: calls that do not get to %.*s may be missing",
			       probe->option, probe->text, (int)probe->part.size, probe->part.data);
}

static int probe_add(struct probes *probes, const struct capture_settings *settings,
		     unsigned int number, struct error *error)
{
	struct probe_setting setting = settings->probes[number];
	struct probe probe;
	int status;

	setting.is_entry_only = settings->entry_only;
	status = probe_parse(&probe, &setting, number, error);
	if (status == 0 && setting.kind == PROBE_KERNEL)
		status = probe_check_module(&probe, settings->selection.waits, error);
	if (status == 0)
		status = probe_define(&probe, &probes->events, error);
	if (status == 0)
		probe_report_part(&probe, settings->report);
	if (status == 0)
		probe_append_rule(&probe, probes->events.group, &probes->rules);
	probe_release(&probe);
	return status;
}

int probes_define(struct probes *probes, struct capture_settings *settings, struct error *error)
{
	if (settings->nr_probes == 0)
		return 0;
	if (dynamic_open(&probes->events, error) < 0)
		return -1;
	probes->events.writes = capture_writes(settings);
	for (size_t i = 0; i < settings->nr_probes; i++) {
		if (probe_add(probes, settings, i, error) < 0)
			return -1;
	}
	return 0;
}

int probes_add_rules(struct probes *probes, struct capture_settings *settings,
		     struct error *error)
{
	if (probes->rules.failed)
		return error_set(error, "out of memory");
	if (probes->rules.size == 0)
		return 0;
	return selection_add_rule_text(&settings->selection, buffer_text(&probes->rules), "--probe",
				       error);
}

/* "p0_1_FUNCTION" without what makes it unique; NULL for one of many functions. */
static const char *event_title(const char *name)
{
	const char *title = strchr(name, '_');

	return title ? strchr(title + 1, '_') + 1 : NULL;
}

static void missed_report(const struct report *report, const char *title, uint64_t missed)
{
	if (missed > 0)
		report_message(report,
			       "%s: the kernel missed %llu call%s (too many at once, or inside "
			       "another probe); their slices are incomplete",
			       title, (unsigned long long)missed, missed > 1 ? "s" : "");
}

/** struct missed_calls - where missed calls are reported, and those of functions with patterns */
struct missed_calls {
	const struct report *report;
	uint64_t functions;
};

static void missed_add(void *context, const char *name, uint64_t missed)
{
	struct missed_calls *calls = context;
	const char *title = event_title(name);

	if (title)
		missed_report(calls->report, title, missed);
	else
		calls->functions += missed;
}

void probes_report_missed(const struct probes *probes, const struct report *report)
{
	struct missed_calls calls = { .report = report };

	if (probes->events.nr_names > 0)
		dynamic_visit_missed(&probes->events, missed_add, &calls);
	missed_report(report, "--function", calls.functions);
}

int probes_remove(struct probes *probes, struct error *error)
{
	buffer_release(&probes->rules);
	return dynamic_close(&probes->events, error);
}
