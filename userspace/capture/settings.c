// SPDX-License-Identifier: GPL-2.0-only
/* Defaults of settings, and which settings exclude each other. */
#include "capture/capture.h"

#include <string.h>

#include "capture/run.h"
#include "output/output.h"
#include "source/source.h"
#include "tracefs/tracefs.h"

void capture_settings_init(struct capture_settings *settings, const struct report *report)
{
	*settings = (struct capture_settings){ .report = report,
					       .selection = { .can_wait = true },
					       .mode = buffer_modes,
					       .clock = "boot",
					       .buffer_kib = 1024,
					       .stacks_limit = STACKS_LIMIT,
					       .ready_fd = -1 };
}

const struct report *capture_writes(const struct capture_settings *settings)
{
	return settings->selection.is_verbose ? settings->report : NULL;
}

int capture_set_mode(struct capture_settings *settings, const char *name, struct error *error)
{
	settings->setting = "--mode";
	settings->mode = buffer_mode_find(name);
	if (settings->mode)
		return 0;
	return error_set(error, "--mode=%s: unknown; write streaming, circular or oneshot", name);
}

void capture_settings_release(struct capture_settings *settings)
{
	selection_release(&settings->selection);
	command_user_release(&settings->user);
	buffer_release(&settings->labels);
}

/* An existing instance is not changed. */
static int instance_check(const struct capture_settings *settings, struct error *error)
{
	const char *setting = settings->follows_command	  ? "--pid"
			      : settings->workload.option ? settings->workload.option
			      : settings->selection.waits ? "--wait"
							  : settings->setting;

	if (settings->follows_command && settings->workload.option)
		return error_set(error, "--pid and %s: give one of the two",
				 settings->workload.option);
	if (!settings->instance || !setting)
		return 0;
	return error_set(error,
			 "%s: would change the instance of --instance; leave out one of the two",
			 setting);
}

int record_settings_check(const struct record_settings *settings, struct error *error)
{
	const struct capture_settings *capture = &settings->capture;

	if (settings->max_kib > 0 && capture->mode->is_read_at_end)
		return error_set(error,
				 "--max-size: --mode=%s writes the file at its end; limit its "
				 "size with -b",
				 capture->mode->name);
	if (capture->instance && capture->selection.rules)
		return error_set(error, "-r: would change the instance of --instance; use 'ktrack "
					"export -r' with the file");
	if (capture->instance && capture->selection.nr_options > 0)
		return error_set(error, "-e: would change the instance of --instance; use 'ktrack "
					"export -e' with the file");
	if (selection_check_options(&capture->selection, false, true, error) < 0 ||
	    programs_check(capture, error) < 0)
		return -1;
	return instance_check(capture, error);
}

/* Streaming merges records in time order, which needs a clock that programs can read. */
static int streaming_check(const struct capture_settings *settings, struct error *error)
{
	clockid_t clock;

	if (!trace_clock_find(settings->clock, &clock))
		return error_set(error,
				 "--clock=%s: cannot be streamed; write boot, mono, mono_raw or "
				 "tai",
				 settings->clock);
	if (!settings->mode->overwrites)
		return error_set(error, "--mode=%s: cannot be streamed; use 'ktrack record'",
				 settings->mode->name);
	return 0;
}

static int session_every_check(const struct stream_settings *settings, struct error *error)
{
	if (settings->session_ns == 0)
		return 0;
	if (settings->outputs.why)
		return error_set(error, "--session-every: slices are explained at the end of one "
					"session; leave out --why");
	if (settings->outputs.sid)
		return error_set(error, "--sid: one id for several sessions; leave out "
					"--session-every");
	if (output_settings_have_file(&settings->outputs))
		return error_set(error, "--session-every: a file for a viewer holds one session; "
					"write --event, --perf or --normal");
	if (settings->capture.mode->is_read_at_end)
		return error_set(error, "--session-every: --mode=%s reads at the end; leave it out",
				 settings->capture.mode->name);
	if (settings->capture.command)
		return error_set(error, "--session-every: a command runs in one session; leave out "
					"one of the two");
	return 0;
}

/* A page follows one recording, whose records are read while it runs. */
static int serve_check(const struct stream_settings *settings, struct error *error)
{
	if (!settings->outputs.serves)
		return 0;
	if (settings->session_ns > 0)
		return error_set(error, "--serve: the page holds one session; leave out "
					"--session-every");
	if (settings->capture.mode->is_read_at_end)
		return error_set(error, "--serve: --mode=%s reads at the end; leave it out",
				 settings->capture.mode->name);
	return 0;
}

int stream_settings_check(const struct stream_settings *settings, struct error *error)
{
	const char *sid = settings->outputs.sid;

	if (settings->outputs.why && why_settings_check(settings->outputs.why, error) < 0)
		return -1;
	if (selection_check_options(&settings->capture.selection, settings->outputs.why, true, error) <
		    0 ||
	    instance_check(&settings->capture, error) < 0 ||
	    programs_check(&settings->capture, error) < 0 ||
	    streaming_check(&settings->capture, error) < 0 ||
	    output_settings_check(&settings->outputs, error) < 0)
		return -1;
	if (sid && strcmp(sid, "recording") == 0)
		return error_set(error, "--sid=recording: only for 'ktrack export'; write an id");
	if (settings->why.folded && !settings->outputs.why)
		return error_set(error, "--folded: contains slices that are explained; add "
					"--why=SLICE");
	return serve_check(settings, error) < 0 ? -1 : session_every_check(settings, error);
}
