// SPDX-License-Identifier: GPL-2.0-only
/* Statistics are an output: ktrack stat exports a source or streams a recording to it. */
#include <string.h>

#include "session/filter.h"
#include "session/session.h"

#define DEFAULT_INTERVAL_NS NS_PER_S

static int live_check(const struct stat_settings *settings, struct error *error)
{
	if (filter_is_open(&settings->filter))
		return 0;
	return error_set(error, "--live: records cannot be filtered; select tracepoints with -e");
}

/* Options of a recording. */
static int recorded_check(const struct stat_settings *settings, struct error *error)
{
	const struct capture_settings *capture = &settings->capture;
	const char *option = settings->interval_ns > 0	? "--interval"
			     : capture->duration_ns > 0 ? "--duration"
			     : capture->selection.waits ? "--wait"
			     : capture->ready_fd >= 0	? "--ready-fd"
			     : capture->workload.option ? capture->workload.option
							: capture->setting;

	return option ? error_set(error, "%s: needs --live", option) : 0;
}

/* The writers' names are kept only if a table has them. */
static unsigned int stat_emitters(const struct sink_stat_settings *form)
{
	for (size_t i = 0; i < form->nr_groups; i++) {
		if (form->groups[i].key == STAT_KEY_COMM)
			return 1u << TIMELINE_EMITTER_COMM;
	}
	return 0;
}

/* Without the view, tables replace each other. */
static void stat_top_open(const struct stat_settings *settings, struct sink_stat_settings *form)
{
	struct error problem = { 0 };

	if (!settings->is_top)
		return;
	form->top = stat_top_new(settings->capture.report, &problem);
	if (!form->top) {
		report_message(settings->capture.report, "%s; --no-top prints tables only",
			       problem.text);
		return;
	}
	form->is_screen = false;
}

static int stat_run_live(const struct stat_settings *settings, struct error *error)
{
	struct sink_stat_settings form = settings->form;
	struct stream_settings stream = {
		.capture = settings->capture,
		.limits = settings->limits,
		.outputs = { .stat = &form,
			     .with = stat_emitters(&form),
			     .budgets = settings->budgets,
			     .fails_on_loss = settings->fails_on_loss },
		.argv = settings->argv,
	};

	int status;

	form.interval_ns = settings->interval_ns > 0 ? settings->interval_ns : DEFAULT_INTERVAL_NS;
	stat_top_open(settings, &form);
	if (form.top)
		stream.capture.report = stat_top_report(form.top);
	status = stream_run(&stream, error);
	stat_top_free(form.top);
	return status;
}

static int stat_run_recorded(const struct stat_settings *settings, struct error *error)
{
	struct export_settings export = {
		.report = settings->capture.report,
		.sources = { settings->source },
		.nr_sources = 1,
		.argv = settings->argv,
		.selection = settings->capture.selection,
		.outputs = { .stat = &settings->form,
			     .with = stat_emitters(&settings->form),
			     .budgets = settings->budgets,
			     .fails_on_loss = settings->fails_on_loss },
		.filter = settings->filter,
		.limits = settings->limits,
	};

	export.selection.can_wait = false;
	return export_run(&export, error);
}

int stat_run(const struct stat_settings *settings, struct error *error)
{
	if ((settings->is_live ? live_check : recorded_check)(settings, error) < 0)
		return STATUS_USAGE;
	return settings->is_live ? stat_run_live(settings, error)
				 : stat_run_recorded(settings, error);
}
