// SPDX-License-Identifier: GPL-2.0-only
/* Options for what is recorded and until when. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/option.h"
#include "cli/option_parts.h"

/* No descriptor and no process has more digits. */
#define FD_DIGITS_MAX 9

static int apply_duration(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	return duration_parse(value, "--duration", "nothing to record", &capture->duration_ns,
			      error);
}

static int apply_buffer_size(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	capture->setting = "--buffer-size";
	return size_kib_parse(value, &capture->buffer_kib, error);
}

/* The traced command does not inherit the descriptor. */
static int apply_ready_fd(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;
	size_t nr_digits = strspn(value, "0123456789");
	int fd, flags;

	if (nr_digits == 0 || nr_digits > FD_DIGITS_MAX || value[nr_digits])
		return error_set(error, "--ready-fd=%s: not a descriptor; write its number", value);
	fd = atoi(value);
	if (fd <= STDERR_FILENO)
		return error_set(error, "--ready-fd=%d: a standard stream; write 3 or more", fd);
	flags = fcntl(fd, F_GETFL);
	if (flags < 0)
		return error_set(error, "--ready-fd=%d: not open; open it as in %d>FILE", fd, fd);
	if ((flags & O_ACCMODE) == O_RDONLY || (flags & O_PATH))
		return error_set(error, "--ready-fd=%d: not writable; open it as in %d>FILE", fd,
				 fd);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	capture->ready_fd = fd;
	return 0;
}

static int apply_clock(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	(void)error;
	capture->setting = "--clock";
	capture->clock = value;
	return 0;
}

static int apply_event_filter(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	capture->setting = "--filter";
	return selection_set_filter(&capture->selection, value, error);
}

static int apply_cpus(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	capture->setting = "--cpu";
	capture->has_cpus = true;
	return cpu_list_parse(value, &capture->cpus, error);
}

static int workload_take(struct capture_settings *capture, const char *option, struct error *error)
{
	struct workload_settings *workload = &capture->workload;

	if (workload->option)
		return error_set(error, "%s and %s: give one of the two", workload->option, option);
	workload->option = option;
	return 0;
}

static int apply_process(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;
	size_t nr_digits = strspn(value, "0123456789");

	capture->workload.pid = nr_digits > 0 && nr_digits <= FD_DIGITS_MAX ? atoi(value) : 0;
	if (capture->workload.pid == 0 || value[nr_digits])
		return error_set(error, "-p %s: not a process; write its number", value);
	return workload_take(capture, "-p", error);
}

static int apply_cgroup(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	capture->workload.cgroup = value;
	return workload_take(capture, "--cgroup", error);
}

static int apply_unit(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	capture->workload.unit = value;
	return workload_take(capture, "--unit", error);
}

static int apply_user(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	command_user_release(&capture->user);
	return command_user_find(&capture->user, value, error);
}

static int apply_instance(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	capture->instance = value;
	if (*value && *value != '.' && !strchr(value, '/'))
		return 0;
	return error_set(error,
			 "--instance=%s: not the name of a tracing instance; write one of those "
			 "in /sys/kernel/tracing/instances, or top",
			 value);
}

int capture_apply_mode(void *settings, const char *value, struct error *error)
{
	return capture_set_mode(settings, value, error);
}

static int apply_programs(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	(void)error;
	capture->records_programs = true;
	capture->all_programs = value;
	capture->programs = value && strcmp(value, "all") == 0 ? NULL : value;
	return 0;
}

static int apply_program_ring(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	return size_kib_parse(value, &capture->program_ring_kib, error);
}

#define PROGRAM_RING_HELP "of programs, use so much of each thread's ring (default: all, 4M)"

static const struct option_row capture_rows[] = {
	{ 0, "instance", "NAME",
	  "read this existing tracing instance, or top; changes no settings, consumes records",
	  apply_instance, .is_rare = true },
	{ 0, "filter", "EXPRESSION", "apply this event filter to the preceding -e",
	  apply_event_filter, .is_repeatable = true, .is_rare = true },
	OPTION_RARE_FLAG("wait", "accept -e of modules that are not loaded yet", capture_settings,
			 selection.waits),
	{ 0, "programs", "[=all|GLOB]", "record programs that use ktrack/user.h", apply_programs },
	{ 0, "program-ring", "SIZE", PROGRAM_RING_HELP, apply_program_ring, .is_rare = true },
	{ 'd', "duration", "SECONDS", "stop after this time; also with ms, m, h", apply_duration },
	{ 'b', "buffer-size", "SIZE", "buffer of each CPU in KiB, or with k, M, G",
	  apply_buffer_size },
	{ 0, "clock", "CLOCK",
	  "trace clock: boot (default), mono, mono_raw or tai; for 'ktrack record' any",
	  apply_clock, .is_rare = true },
	{ 0, "cpu", "LIST", "record only these CPUs, for example 0,2-3", apply_cpus,
	  .is_rare = true },
	OPTION_RARE_FLAG("pid", "record only COMMAND and its descendants", capture_settings,
			 follows_command),
	{ 'p', "process", "PID", "only this process and its new descendants", apply_process },
	{ 0, "cgroup", "PATH", "record only the processes of this cgroup and their descendants",
	  apply_cgroup, .needs_text = true, .is_rare = true },
	{ 0, "unit", "NAME", "record only the processes of this systemd unit and their descendants",
	  apply_unit, .needs_text = true, .is_rare = true },
	{ 0, "ready-fd", "N",
	  "write the line 'ready' to file descriptor N when recording has started", apply_ready_fd,
	  .is_rare = true },
	{ 0, "user", "[=NAME]", "run COMMAND as this user (default: the user who invoked sudo)",
	  apply_user, .is_rare = true },
};

const struct option_part capture_options = {
	.rows = capture_rows,
	.nr_rows = sizeof(capture_rows) / sizeof(capture_rows[0]),
};

/* For ktrack stat, --buffer is a filter by a buffer's name. */
static const struct option_row live_rows[] = {
	{ 'd', "duration", "SECONDS", "with --live: stop after this time", apply_duration },
	{ 'b', "buffer-size", "SIZE",
	  "with --live: ring buffer of each CPU in KiB, or with k, M, G (default: 1024)",
	  apply_buffer_size, .is_rare = true },
	OPTION_RARE_FLAG("wait", "with --live: accept -e of modules that are not loaded yet",
			 capture_settings, selection.waits),
	{ 0, "programs", "[=all|GLOB]", "with --live: record programs that use ktrack/user.h",
	  apply_programs, .is_rare = true },
	{ 0, "program-ring", "SIZE", "with --live: " PROGRAM_RING_HELP, apply_program_ring,
	  .is_rare = true },
	{ 'p', "process", "PID", "with --live: only this process and descendants", apply_process },
	{ 0, "cgroup", "PATH",
	  "with --live: record only the processes of this cgroup and their descendants",
	  apply_cgroup, .needs_text = true, .is_rare = true },
	{ 0, "unit", "NAME",
	  "with --live: record only the processes of this systemd unit and their descendants",
	  apply_unit, .needs_text = true, .is_rare = true },
	{ 0, "ready-fd", "N",
	  "with --live: write the line 'ready' to file descriptor N when recording has started",
	  apply_ready_fd, .is_rare = true },
};

const struct option_part capture_live_options = {
	.rows = live_rows,
	.nr_rows = sizeof(live_rows) / sizeof(live_rows[0]),
};

/* Without those of a traced command, and of an instance of another program. */
static const struct option_row watching_rows[] = {
	{ 0, "filter", "EXPRESSION", "apply this event filter to the preceding -e",
	  apply_event_filter, .is_repeatable = true, .is_rare = true },
	OPTION_RARE_FLAG("wait", "accept -e of modules that are not loaded yet", capture_settings,
			 selection.waits),
	{ 'd', "duration", "SECONDS", "stop after this time; also with ms, m, h", apply_duration,
	  .is_rare = true },
	{ 'b', "buffer-size", "SIZE", "buffer of each CPU in KiB, or with k, M, G",
	  apply_buffer_size },
	{ 0, "clock", "CLOCK", "trace clock: boot (default), mono, mono_raw or tai", apply_clock,
	  .is_rare = true },
	{ 0, "cpu", "LIST", "record only these CPUs, for example 0,2-3", apply_cpus,
	  .is_rare = true },
	{ 'p', "process", "PID", "only this process and its new descendants", apply_process,
	  .is_rare = true },
	{ 0, "cgroup", "PATH", "record only the processes of this cgroup and their descendants",
	  apply_cgroup, .needs_text = true, .is_rare = true },
	{ 0, "unit", "NAME", "record only the processes of this systemd unit and their descendants",
	  apply_unit, .needs_text = true, .is_rare = true },
	{ 0, "ready-fd", "N",
	  "write the line 'ready' to file descriptor N when recording has started", apply_ready_fd,
	  .is_rare = true },
};

const struct option_part watch_capture_options = {
	.rows = watching_rows,
	.nr_rows = sizeof(watching_rows) / sizeof(watching_rows[0]),
};

int capture_parse_command(struct capture_settings *settings, const struct option_table *table,
			  int argc, char **argv, int operand, struct error *error)
{
	const char *before = argv[operand - 1];

	if (operand == argc && strcmp(before, "--") == 0)
		return error_set(error, "--: no command; write its words after it");
	if (operand == argc && (settings->follows_command || settings->user.name))
		return error_set(error, "--pid and --user: no command; write its words at the end");
	if (operand == argc)
		return 0;
	if (option_may_have_value(table, before))
		return error_set(error, "'%s': value or command; write %s=%s, or -- before it",
				 argv[operand], before, argv[operand]);
	settings->command = argv + operand;
	return 0;
}
