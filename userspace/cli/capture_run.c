// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run that records: its instance, the traced command, and the order in which all of it ends.
 * Everything that was set up is in one struct, whose release works however far the set-up came.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/capture.h"
#include "cli/cli.h"
#include "cli/clock.h"
#include "cli/note.h"
#include "cli/privilege.h"
#include "source/source.h"

int64_t capture_now_ns(const struct capture *capture)
{
	return capture->has_clock ? time_now_ns(capture->clock) : 0;
}

int64_t capture_wall_offset_ns(const struct capture *capture)
{
	return capture->has_clock ? time_wall_offset_ns(capture->clock) : 0;
}

int capture_prepare(struct capture *capture, struct error *error)
{
	char *const *argv = capture->settings->command;

	if (signals_init(&capture->ending.signals, error) < 0)
		return -1;
	return argv ? command_check(argv, &capture->failure, error) : 0;
}

/**
 * struct stale - instances that were left behind, and those beside them
 * @name: of the last one
 */
struct stale {
	char first[64];
	char name[64];
	unsigned int number;
};

static int stale_note(void *context, const char *name, const char *directory, struct error *error)
{
	struct stale *stale = context;

	(void)directory;
	(void)error;
	if (instance_is_beside(name, stale->name))
		return 0;
	snprintf(stale->name, sizeof(stale->name), "%s", name);
	if (stale->number++ == 0)
		snprintf(stale->first, sizeof(stale->first), "%s", name);
	return 0;
}

/* Where a run was killed, its instance goes on recording, and keeps modules from being removed. */
static int stale_tell(struct error *error)
{
	struct stale stale = { .number = 0 };
	struct stale_visitor visitor = { .context = &stale, .visit = stale_note };

	if (stale_visit(&visitor, error) < 0)
		return -1;
	if (stale.number > 0)
		note_say(
			"%u killed run%s left an instance behind; 'ktrack recover' makes a file of "
			"what 'ktrack record' recorded, 'ktrack export tracefs:%s' tells what is "
			"in "
			"it, 'ktrack clean' removes it",
			stale.number, stale.number > 1 ? "s" : "", stale.first);
	return 0;
}

int capture_choose(struct capture *capture, struct convention *convention, struct error *error)
{
	if (tracepoints_find(convention, NULL, &capture->settings->selection, error) < 0)
		return -1;
	if (convention_size(convention) == 0 && !capture->settings->selection.waits)
		return error_set(error, "no tracepoint of this machine follows the convention; "
					"load a module that has some, or --wait for one");
	return stale_tell(error);
}

/* What is to be left out. */
static int instance_narrow(struct capture *capture, struct error *error)
{
	const struct capture_settings *settings = capture->settings;

	if (settings->has_cpus &&
	    recorder_limit_cpus(capture->recorder, &settings->cpus, error) < 0)
		return -1;
	if (settings->follows_command)
		return recorder_follow(capture->recorder, command_pid(capture->command), error);
	return 0;
}

static int instance_enable(struct capture *capture, const struct convention *convention,
			   struct error *error)
{
	struct buffer system = { 0 };
	int status = 0;

	for (size_t i = 0; i < convention_size(convention) && status == 0; i++) {
		const struct template *template = convention_template(convention, i);
		const char *filter;

		buffer_clear(&system);
		template_system(template, &system);
		filter = selection_filter(&capture->settings->selection, buffer_string(&system),
					  template->name);
		status = recorder_enable(capture->recorder, buffer_string(&system), template->name,
					 filter, error);
	}
	buffer_release(&system);
	return status;
}

int capture_open(struct capture *capture, const struct convention *convention, struct error *error)
{
	const struct capture_settings *settings = capture->settings;

	/* Before anything is open that the waiting process would keep open. */
	if (settings->command &&
	    command_new(&capture->command, settings->command, &capture->ending.signals.before,
			&settings->user, error) < 0)
		return -1;
	privilege_raise_files();
	if (settings->instance)
		return recorder_attach(&capture->recorder, settings->instance, error);
	if (recorder_open(&capture->recorder, &settings->recorder, error) < 0)
		return -1;
	if (instance_narrow(capture, error) < 0 || instance_enable(capture, convention, error) < 0)
		return -1;
	return recorder_resize(capture->recorder, error);
}

/* It is removed from the directory above, and tracepoints that come later are switched on in it. */
static uint64_t instance_privileges(const struct recorder *recorder)
{
	struct buffer above = { 0 };
	uint64_t needed = privilege_for_files(recorder_directory(recorder));

	buffer_printf(&above, "%s/..", recorder_directory(recorder));
	needed |= privilege_for_files(buffer_string(&above));
	buffer_release(&above);
	return needed;
}

/*
 * Of an instance that somebody else set up nothing is opened or removed any more. A command gets
 * the signals that we get, and may be another user's.
 */
uint64_t capture_privileges(const struct capture *capture)
{
	uint64_t needed = capture->command ? PRIVILEGE(CAP_KILL) : 0;

	if (!capture->settings->instance)
		needed |= instance_privileges(capture->recorder);
	return needed;
}

void capture_tell_memory(const struct capture *capture)
{
	uint64_t memory_kib = recorder_memory_kib(capture->recorder);

	if (memory_kib > 0 && !capture->settings->instance && isatty(STDERR_FILENO))
		note_say("the buffers take %llu KiB of the kernel's memory",
			 (unsigned long long)memory_kib);
}

void capture_tell_durable(uint64_t lost)
{
	note_say("lost %llu records that tell who threads are: names may be those of others",
		 (unsigned long long)lost);
}

int capture_run_command(struct capture *capture, struct error *error)
{
	if (!capture->command)
		return 0;
	if (command_run(capture->command, error) < 0) {
		capture->failure = command_status(capture->command);
		return -1;
	}
	capture->ending.command = capture->command;
	return 0;
}

/* The command goes on where the duration was over first, or something failed. */
static void command_await(struct capture *capture)
{
	if (!capture->ending.command || ending_is_due(&capture->ending, 0))
		return;
	if (!capture->has_failed)
		note_say("the recording is over, '%s' goes on; %s leaves it alone",
			 capture->settings->command[0],
			 capture->ending.nr_requests > 0
				 ? "another signal"
				 : "a signal is passed on to it, and a second one");
	ending_await_command(&capture->ending);
}

int capture_status(const struct capture *capture)
{
	if (capture->has_failed)
		return capture->failure;
	if (ending_is_abandoned(&capture->ending))
		return 128 + capture->ending.signal_number;
	if (capture->command && command_status(capture->command) != STATUS_DONE)
		return command_status(capture->command);
	return capture->ops->status(capture);
}

bool capture_is_lost(const struct capture *capture, bool fails_on_loss)
{
	struct command *command = capture->command;

	if (!fails_on_loss || capture->has_failed)
		return false;
	return !command || (command_has_ended(command) && command_status(command) == STATUS_DONE);
}

int capture_run(struct capture *capture, struct capture_settings *settings,
		const struct capture_ops *ops, struct error *error)
{
	int result, status;

	capture->settings = settings;
	capture->ops = ops;
	capture->ending.signals.fd = -1;
	capture->failure = settings->command ? STATUS_TRACING_FAILED : STATUS_FAILED;
	capture->has_clock = source_clock_find(settings->recorder.clock, &capture->clock);
	result = ops->record(capture, error);
	note_error(error);
	ops->close(capture);
	if (recorder_close(capture->recorder, error) < 0 || result < 0)
		capture->has_failed = true;
	capture->recorder = NULL;
	note_error(error);
	command_await(capture);
	if (result == 0)
		result = ops->finish(capture, error);
	status = result < 0 ? capture->failure : capture_status(capture);
	command_free(capture->command);
	signals_release(&capture->ending.signals);
	return status;
}
