// SPDX-License-Identifier: GPL-2.0-only
/* Programs that a run records, beside the kernel or alone. */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "capture/privilege.h"
#include "capture/run.h"

static bool patterns_want_kernel(const struct selection *selection)
{
	for (size_t i = 0; i < selection->nr_patterns; i++) {
		if (!selection->patterns[i].is_of_programs)
			return true;
	}
	return false;
}

bool capture_records_kernel(const struct capture_settings *settings)
{
	const struct rules *rules = settings->selection.rules;

	return !settings->records_programs || settings->instance ||
	       patterns_want_kernel(&settings->selection) || (rules && rules_want_kernel(rules)) ||
	       settings->nr_probes > 0 || settings->nr_functions > 0 || settings->nr_stacks > 0;
}

/* Without records of the kernel, options of its instance have no effect. */
static const char *kernel_option(const struct capture_settings *settings)
{
	return settings->follows_command	   ? "--pid"
	       : settings->workload.option	   ? settings->workload.option
	       : settings->has_cpus		   ? "--cpu"
	       : settings->selection.waits	   ? "--wait"
	       : settings->selection.includes_self ? "--include-self"
						   : NULL;
}

static int program_ring_check(const struct capture_settings *settings, struct error *error)
{
	uint64_t kib = settings->program_ring_kib;

	if (kib == 0)
		return 0;
	if (!settings->records_programs)
		return error_set(error, "--program-ring: no program is recorded; add --programs");
	if (kib < PROGRAM_RING_KIB_MIN || kib > PROGRAM_RING_KIB_MAX || (kib & (kib - 1)))
		return error_set(error,
				 "--program-ring=%lluk: not the size of a ring; write a power of 2 "
				 "from 4k to 16M",
				 (unsigned long long)kib);
	return 0;
}

int programs_choose_events(struct capture_settings *settings, struct error *error)
{
	if (!settings->records_programs || settings->instance)
		return 0;
	return settings->selection.nr_patterns > 0
		       ? selection_choose_programs(&settings->selection, settings->report, error)
		       : 0;
}

int programs_check(const struct capture_settings *settings, struct error *error)
{
	const char *option = kernel_option(settings);

	if (!settings->records_programs && settings->selection.rules &&
	    rules_want_programs(settings->selection.rules))
		return error_set(error, "-r: a rule uses events of programs; use --programs of "
					"'ktrack record' or 'stream'");
	if (program_ring_check(settings, error) < 0)
		return -1;
	if (!settings->records_programs)
		return 0;
	if (settings->instance)
		return error_set(error, "--programs: not with an instance of --instance; leave out "
					"one of the two");
	if (strcmp(settings->clock, "boot") != 0)
		return error_set(error, "--clock=%s: programs have the clock boot; leave it out",
				 settings->clock);
	if (!capture_records_kernel(settings) && option)
		return error_set(error,
				 "%s: has no effect on programs; select tracepoints with -e or -r, "
				 "or leave it out",
				 option);
	return 0;
}

/* As much memory as the kernel's buffers have. */
static size_t programs_size(const struct capture_settings *settings)
{
	return settings->buffer_kib * 1024 * sysconf(_SC_NPROCESSORS_ONLN);
}

int capture_open_programs(struct capture *capture, struct error *error)
{
	struct buffer *events = &capture->settings->selection.program_events;
	const struct capture_settings *settings = capture->settings;
	const struct programs_settings programs = {
		.report = settings->report,
		.globs = settings->programs,
		.of_descendants = settings->command && !settings->all_programs,
		.size_max = programs_size(settings),
		.ring_size = settings->program_ring_kib * 1024,
		.events = events->size > 0 ? buffer_string(events) : NULL,
		.mode = !settings->mode->is_read_at_end ? PROGRAMS_WAIT
			: settings->mode->overwrites	? PROGRAMS_KEEP_LAST
							: PROGRAMS_KEEP_FIRST,
	};

	if (!settings->records_programs)
		return 0;
	/* Descendants stay such if their parent ends. */
	if (programs.of_descendants)
		prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (programs_new(&capture->programs, &programs, error) < 0)
		return -1;
	programs_export_socket(capture->programs);
	return 0;
}

int capture_start_programs(struct capture *capture, struct error *error)
{
	return capture->programs ? programs_start(capture->programs, error) : 0;
}

void capture_stop_programs(struct capture *capture)
{
	if (capture->programs)
		programs_stop(capture->programs);
}

uint64_t capture_programs_lost(const struct capture *capture)
{
	struct programs_counts counts = { 0 };

	if (capture->programs && !capture->settings->mode->is_read_at_end)
		programs_count(capture->programs, &counts);
	return counts.lost;
}

/* Others find and read programs; the socket is removed at the end. */
uint64_t capture_programs_privileges(const struct capture *capture)
{
	const char *socket = capture->programs ? programs_socket(capture->programs) : NULL;
	char *folder = socket ? strdup(socket) : NULL;
	uint64_t needed = folder ? privilege_for_files(dirname(folder)) : 0;

	free(folder);
	return needed;
}
