// SPDX-License-Identifier: GPL-2.0-only
/* Tables of options that several commands share. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/option.h"
#include "cli/option_parts.h"

/* No descriptor and no process has more digits. */
#define FD_DIGITS_MAX 9

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

#define PROGRAM_RING_HELP "of programs, use so much of each thread's ring (default: all, 4M)"

/* Rows that several commands have; their help begins with @when. */
#define EVENT_FILTER_ROW                                                                  \
	{                                                                                 \
		0, "filter", "EXPRESSION", "apply this event filter to the preceding -e", \
			apply_event_filter, .is_repeatable = true, .is_rare = true        \
	}
#define WAIT_ROW(when)                                                                \
	OPTION_RARE_FLAG("wait", when "accept -e of modules that are not loaded yet", \
			 capture_settings, selection.waits)
#define CGROUP_ROW(when)                                                                       \
	{                                                                                      \
		0, "cgroup", "PATH",                                                           \
			when "record only the processes of this cgroup and their descendants", \
			apply_cgroup, .needs_text = true, .is_rare = true                      \
	}
#define UNIT_ROW(when)                                                                          \
	{                                                                                       \
		0, "unit", "NAME",                                                              \
			when                                                                    \
			"record only the processes of this systemd unit and their descendants", \
			apply_unit, .needs_text = true, .is_rare = true                         \
	}
#define READY_ROW(when)                                                                           \
	{                                                                                         \
		0, "ready-fd", "N",                                                               \
			when                                                                      \
			"write the line 'ready' to file descriptor N when recording has started", \
			apply_ready_fd, .is_rare = true                                           \
	}

static const struct option_row capture_rows[] = {
	{ 0, "instance", "NAME",
	  "read this existing tracing instance, or top; changes no settings, consumes records",
	  apply_instance, .is_rare = true },
	EVENT_FILTER_ROW,
	WAIT_ROW(""),
	{ 0, "programs", "[=all|GLOB]", "record programs that use ktrack/user.h", apply_programs },
	{ 0, "program-ring", "SIZE", PROGRAM_RING_HELP, NULL,
	  offsetof(struct capture_settings, program_ring_kib), .is_size = true, .is_rare = true },
	{ 'd', "duration", "SECONDS", "stop after this time; also with ms, m, h", NULL,
	  offsetof(struct capture_settings, duration_ns), .time_problem = "nothing to record" },
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
	CGROUP_ROW(""),
	UNIT_ROW(""),
	READY_ROW(""),
	{ 0, "user", "[=NAME]", "run COMMAND as this user (default: the user who invoked sudo)",
	  apply_user, .is_rare = true },
};
const struct option_part capture_options = OPTION_ROWS(capture_rows);

/* For ktrack stat, --buffer is a filter by a buffer's name. */
static const struct option_row live_rows[] = {
	{ 'd', "duration", "SECONDS", "with --live: stop after this time", NULL,
	  offsetof(struct capture_settings, duration_ns), .time_problem = "nothing to record" },
	{ 'b', "buffer-size", "SIZE",
	  "with --live: ring buffer of each CPU in KiB, or with k, M, G (default: 1024)",
	  apply_buffer_size, .is_rare = true },
	WAIT_ROW("with --live: "),
	{ 0, "programs", "[=all|GLOB]", "with --live: record programs that use ktrack/user.h",
	  apply_programs, .is_rare = true },
	{ 0, "program-ring", "SIZE", "with --live: " PROGRAM_RING_HELP, NULL,
	  offsetof(struct capture_settings, program_ring_kib), .is_size = true, .is_rare = true },
	{ 'p', "process", "PID", "with --live: only this process and descendants", apply_process },
	CGROUP_ROW("show, or with --live "),
	UNIT_ROW("with --live: "),
	READY_ROW("with --live: "),
};
const struct option_part capture_live_options = OPTION_ROWS(live_rows);

/* Without those of a traced command, and of an instance of another program. */
static const struct option_row watching_rows[] = {
	EVENT_FILTER_ROW,
	WAIT_ROW(""),
	{ 'd', "duration", "SECONDS", "stop after this time; also with ms, m, h", NULL,
	  offsetof(struct capture_settings, duration_ns), .time_problem = "nothing to record",
	  .is_rare = true },
	{ 'b', "buffer-size", "SIZE", "buffer of each CPU in KiB, or with k, M, G",
	  apply_buffer_size },
	{ 0, "clock", "CLOCK", "trace clock: boot (default), mono, mono_raw or tai", apply_clock,
	  .is_rare = true },
	{ 0, "cpu", "LIST", "record only these CPUs, for example 0,2-3", apply_cpus,
	  .is_rare = true },
	{ 'p', "process", "PID", "only this process and its new descendants", apply_process,
	  .is_rare = true },
	CGROUP_ROW(""),
	UNIT_ROW(""),
	READY_ROW(""),
};
const struct option_part watch_capture_options = OPTION_ROWS(watching_rows);

/* Takes the words after the options as the traced command; the first may be meant as a value. */
static int command_take(struct capture_settings *settings, const struct option_table *table,
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
	settings->selection.has_command = true;
	return 0;
}

bool capture_options_read(const struct option_table *table, int argc, char **argv, void *settings,
			  struct capture_settings *capture, int *status, struct error *error)
{
	int operand;

	if (!options_read(table, argc, argv, settings, &operand, status, error))
		return false;
	*status = STATUS_USAGE;
	return command_take(capture, table, argc, argv, operand, error) == 0;
}

/* Options for probes. */

static int probe_option_add(struct capture_settings *capture, enum probe_kind kind,
			    const char *option, const char *value, struct error *error)
{
	struct probe_setting *probe;

	if (capture->nr_probes == PROBES_MAX)
		return error_set(error, "%s: more than %d probes; write fewer", option, PROBES_MAX);
	capture->setting = option;
	probe = &capture->probes[capture->nr_probes++];
	*probe = (struct probe_setting){ .kind = kind, .option = option, .text = value };
	return probe_setting_check(probe, error);
}

static int apply_probe(void *settings, const char *value, struct error *error)
{
	return probe_option_add(settings, PROBE_KERNEL, "--probe", value, error);
}

static int apply_uprobe(void *settings, const char *value, struct error *error)
{
	return probe_option_add(settings, PROBE_PROGRAM, "--uprobe", value, error);
}

static int apply_usdt(void *settings, const char *value, struct error *error)
{
	return probe_option_add(settings, PROBE_USDT, "--usdt", value, error);
}

/* @list has @size patterns already. */
static int function_pattern_add(struct capture_settings *capture, const char **list, size_t *size,
				const char *option, const char *value, struct error *error)
{
	if (*size == FUNCTIONS_MAX)
		return error_set(error, "%s: more than %d patterns; write fewer", option,
				 FUNCTIONS_MAX);
	if (strpbrk(value, " \t\n#"))
		return error_set(error,
				 "%s '%s': not a pattern; write a name with wildcards, or "
				 "NAME:mod:MODULE",
				 option, value);
	capture->setting = option;
	list[(*size)++] = value;
	return 0;
}

static int apply_function(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	return function_pattern_add(capture, capture->functions, &capture->nr_functions,
				    "--function", value, error);
}

static int apply_notrace(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	return function_pattern_add(capture, capture->unwanted_functions,
				    &capture->nr_unwanted_functions, "--notrace", value, error);
}

static const struct option_row probe_rows[] = {
	{ 0, "function", "PATTERN", "calls of these kernel functions as nested slices",
	  apply_function, .is_repeatable = true, .needs_text = true },
	{ 0, "notrace", "PATTERN", "with --function: except these functions", apply_notrace,
	  .is_repeatable = true, .needs_text = true, .is_rare = true },
	{ 0, "depth", "N", "with --function: only N levels of nested calls", NULL,
	  offsetof(struct capture_settings, depth), .count_of = "calls", .is_rare = true },
	{ 0, "probe", "TEXT", "calls of FUNCTION[ NAME=FETCHARG]... of the kernel", apply_probe,
	  .is_repeatable = true, .needs_text = true, .is_rare = true },
	{ 0, "uprobe", "TEXT", "calls of PATH:SYMBOL[ NAME=FETCHARG]... of programs", apply_uprobe,
	  .is_repeatable = true, .needs_text = true, .is_rare = true },
	OPTION_RARE_FLAG("entry-only", "with --probe and --uprobe: instants at calls, no returns",
			 capture_settings, entry_only),
	{ 0, "usdt", "TEXT", "from static tracepoint to another: PATH:PROVIDER:BEGIN..END",
	  apply_usdt, .is_repeatable = true, .needs_text = true, .is_rare = true },
};
const struct option_part probe_options = OPTION_ROWS(probe_rows);

/* Options for kernel stacks. */

static int apply_stack(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;
	size_t system_size = strcspn(value, ": ");

	if (system_size == 0 || value[system_size] != ':' ||
	    strcspn(value + system_size + 1, ": ") == 0)
		return error_set(error, "--stack=%s: not a tracepoint; write SYS:EVENT", value);
	if (capture->nr_stacks == STACKS_MAX)
		return error_set(error, "--stack is given more than %d times", STACKS_MAX);
	capture->setting = "--stack";
	capture->stacks[capture->nr_stacks++] = value;
	return 0;
}

static const struct option_row stack_rows[] = {
	{ 0, "stack", "EVENT[ if FILTER]",
	  "record the kernel stack behind each record of this tracepoint that matches; SYS:EVENT",
	  apply_stack, .is_repeatable = true, .is_rare = true },
	{ 0, "stack-limit", "N",
	  "record at most N stacks of a tracepoint in a second (default: 5000)", NULL,
	  offsetof(struct capture_settings, stacks_limit), .count_of = "stacks", .is_rare = true },
};
const struct option_part stack_options = OPTION_ROWS(stack_rows);

/* The option for labels of a recording. */

static int apply_label(void *settings, const char *value, struct error *error)
{
	return labels_add(settings, value, error);
}

static const struct option_row label_rows[] = {
	{ 0, "label", "KEY=VALUE", "describe the recording, for example with a release or a site",
	  apply_label, .is_repeatable = true, .is_rare = true },
};
const struct option_part label_options = OPTION_ROWS(label_rows);

/* Options that select tracepoints, records and how much state is kept. */

static int apply_tracepoint(void *settings, const char *value, struct error *error)
{
	return selection_add(settings, value, error);
}

static int apply_rules(void *settings, const char *value, struct error *error)
{
	return selection_add_rules(settings, value, error);
}

static const struct option_row selection_rows[] = {
	{ 'e', "tracepoint", "SYS[:EVENT]", "select these tracepoints (list, wildcards)",
	  apply_tracepoint, .is_repeatable = true },
	{ 'r', "rule", "RULES", "packs or files (list), or one rule", apply_rules,
	  .is_repeatable = true },
	{ 'v', "verbose", NULL, "report writes to tracefs, and absent tracepoints", NULL,
	  .offset = offsetof(struct selection, is_verbose) },
	{ 0, "include-self", NULL, "with -r: include ktrack's own thread", NULL,
	  .offset = offsetof(struct selection, includes_self), .is_rare = true },
};
const struct option_part selection_options = OPTION_ROWS(selection_rows);

/* Without the last two rows: ktrack list records nothing, and lists what does not exist. */
const struct option_part listed_options = {
	.rows = selection_rows,
	.nr_rows = sizeof(selection_rows) / sizeof(selection_rows[0]) - 2,
};

static const struct option_row stored_rows[] = {
	{ 0, "no-stored-rules", NULL, "use no selection and no rules that a recording contains",
	  NULL, .offset = offsetof(struct selection, ignores_stored), .is_rare = true },
};
const struct option_part stored_options = OPTION_ROWS(stored_rows);

static int filter_number_parse(const char *value, int *out, const char *kind, struct error *error)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(value, &end, 10);
	if (end == value || *end || errno || number < 0 || number > INT_MAX)
		return error_set(error, "'%s': not a %s; write a number from 0", value, kind);
	*out = number;
	return 0;
}

static int apply_cpu(void *settings, const char *value, struct error *error)
{
	struct filter *filter = settings;

	filter->has_cpu = true;
	return filter_number_parse(value, &filter->cpu, "CPU", error);
}

static int apply_pid(void *settings, const char *value, struct error *error)
{
	struct filter *filter = settings;

	filter->has_pid = true;
	return filter_number_parse(value, &filter->pid, "thread id", error);
}

#define WINDOW_ROWS                                                                  \
	{ 0,                                                                         \
	  "from",                                                                    \
	  "SECONDS",                                                                 \
	  "start this long after the first record",                                  \
	  NULL,                                                                      \
	  offsetof(struct filter, from_ns),                                          \
	  .time_problem = "" },                                                      \
	{                                                                            \
		0, "to", "SECONDS", "end this long after the first record", NULL,    \
			offsetof(struct filter, to_ns), .time_problem = "no records" \
	}

static const struct option_row window_rows[] = { WINDOW_ROWS };

const struct option_part window_options = OPTION_ROWS(window_rows);

static const struct option_row filter_rows[] = {
	{ 0, "track", "PATTERN", "only tracks with this name (wildcards)", option_store_text,
	  offsetof(struct filter, track) },
	{ 0, "cpu", "N", "only records of CPU N", apply_cpu, .is_rare = true },
	{ 0, "pid", "N", "only records of the thread with this id", apply_pid },
	{ 0, "buffer", "NAME",
	  "select only records of this buffer (an instance name in a trace.dat)", option_store_text,
	  offsetof(struct filter, buffer), .is_rare = true },
	WINDOW_ROWS,
	{ 0, "cgroup", "PATH", "only processes of this cgroup, and of those below it",
	  option_store_text, offsetof(struct filter, cgroup), .needs_text = true, .is_rare = true },
};
const struct option_part filter_options = OPTION_ROWS(filter_rows);

/* Without the last row: --cgroup of ktrack stat is also an option of --live. */
const struct option_part stat_filter_options = {
	.rows = filter_rows,
	.nr_rows = sizeof(filter_rows) / sizeof(filter_rows[0]) - 1,
};

static const struct option_row limits_rows[] = {
	{ 0, "max-tracks", "N", "keep at most N tracks; evict idle ones (default: 16384)", NULL,
	  offsetof(struct limits, max_tracks), .count_of = "tracks", .is_rare = true },
};
const struct option_part limits_options = OPTION_ROWS(limits_rows);

static const struct option_row input_rows[] = {
	{ 0, "max-input", "SIZE", "decompress inputs up to this size (default: 100 times theirs)",
	  NULL, offsetof(struct limits, max_input_kib), .is_size = true, .is_rare = true },
};
const struct option_part input_options = OPTION_ROWS(input_rows);

/* Options for outputs: one for each row of the table of sinks, and those that all outputs share. */

static const char *const emitter_words[] = {
	[TIMELINE_EMITTER_TID] = "tid",
	[TIMELINE_EMITTER_CPU] = "cpu",
	[TIMELINE_EMITTER_COMM] = "comm",
};
_Static_assert(sizeof(emitter_words) / sizeof(emitter_words[0]) == TIMELINE_EMITTER_COUNT,
	       "a word for each");

static int apply_with(void *settings, const char *value, struct error *error)
{
	struct output_settings *outputs = settings;
	struct text rest = text_of(value), word;

	while (text_take_item(&rest, &word)) {
		int i = 0;

		while (i < TIMELINE_EMITTER_COUNT && !text_equals(word, text_of(emitter_words[i])))
			i++;
		if (i == TIMELINE_EMITTER_COUNT)
			return error_set(error, "--with=%.*s: unknown; write tid, cpu or comm",
					 (int)word.size, word.data);
		outputs->with |= 1u << i;
	}
	return 0;
}

static int apply_rows(void *settings, const char *value, struct error *error)
{
	struct output_settings *outputs = settings;
	bool is_tracepoint = strcmp(value, "tracepoint") == 0;

	if (!is_tracepoint && strcmp(value, "thread") != 0)
		return error_set(error, "--rows=%s: unknown; write thread or tracepoint", value);
	outputs->rows = is_tracepoint ? SINK_ROWS_TRACEPOINT : SINK_ROWS_THREAD;
	return 0;
}

static const struct option_row shared_rows[OUTPUT_SHARED_ROWS] = {
	{ 0, "append", NULL,
	  "append to EVENT, PERF, NORMAL and Perfetto files instead of replacing them", NULL,
	  offsetof(struct output_settings, is_appending), .is_rare = true },
	{ 0, "with", "WHAT",
	  "add the writer of each record: a comma-separated list of tid, cpu and comm", apply_with,
	  .is_repeatable = true, .is_rare = true },
	{ 0, "rows", "KIND",
	  "draw one row for each 'thread' (default) or 'tracepoint': --html, --chrome, --perfetto, "
	  "--fxt",
	  apply_rows, .is_rare = true },
	{ 0, "sid", "TEXT",
	  "set the trace2 session id; 'recording' (export only) derives it from SOURCE",
	  option_store_text, offsetof(struct output_settings, sid), .needs_text = true,
	  .is_rare = true },
	{ .long_name = "fail-on-loss",
	  .help = "exit with status 3 if records were lost",
	  .offset = offsetof(struct output_settings, fails_on_loss),
	  .is_rare = true },
};

static int apply_serve(void *settings, const char *value, struct error *error)
{
	struct output_settings *outputs = settings;
	uint64_t port = 0;
	struct error ignored = { 0 };

	outputs->serves = true;
	if (value && (count_parse(value, "a port", &port, &ignored) < 0 || port > UINT16_MAX) &&
	    strcmp(value, "0") != 0)
		return error_set(error,
				 "--serve=%s: not a port; write a number from 1 to 65535, "
				 "or leave it out",
				 value);
	outputs->port = port;
	return 0;
}

static struct option_row output_row(const struct sink_kind *kind, size_t number)
{
	static const char *const arguments[] = { [SINK_USE_TRACE2] = "[=TARGET]",
						 [SINK_USE_FILE] = "FILE",
						 [SINK_USE_FOLDER] = "DIRECTORY",
						 [SINK_USE_SERVER] = "[=PORT]" };
	struct option_row row = { .long_name = kind->name,
				  .argument = arguments[kind->use],
				  .help = kind->help,
				  .apply = apply_serve,
				  .is_rare = kind->is_rare };

	if (kind->use == SINK_USE_SERVER)
		return row;
	row.apply = option_store_text;
	row.offset = offsetof(struct output_settings, targets) + number * sizeof(char *);
	row.needs_text = true;
	return row;
}

struct option_part output_options(struct output_rows *rows, size_t offset, bool can_serve)
{
	const struct option_row *own;
	size_t nr_own = 0;

	rows->size = 0;
	for (size_t i = 0; i < sink_kinds_count; i++) {
		const struct sink_kind *kind = sink_kinds[i];

		if (kind->use == SINK_USE_COMMAND || (kind->use == SINK_USE_SERVER && !can_serve))
			continue;
		rows->rows[rows->size++] = output_row(kind, i);
		for (own = kind->options; own && own->long_name; own++) {
			struct option_row *row = &rows->rows[rows->size++];

			*row = *own;
			row->offset += offsetof(struct output_settings, own) + i * SINK_OWN_SIZE;
			nr_own++;
			assert(nr_own <= OUTPUT_OWN_ROWS_MAX);
		}
	}
	memcpy(rows->rows + rows->size, shared_rows, sizeof(shared_rows));
	rows->size += OUTPUT_SHARED_ROWS;
	return (struct option_part){ .rows = rows->rows, .nr_rows = rows->size, .offset = offset };
}

struct option_part command_output_options(const char *name, size_t offset)
{
	struct option_part part = { .rows = sink_kinds[sink_kind_number(name)]->options,
				    .offset = offset };

	while (part.rows && part.rows[part.nr_rows].long_name)
		part.nr_rows++;
	return part;
}

/* Options that limit the files in a directory, of recordings and of sessions. */

static const struct option_row recording_rows[] = {
	{ 0, "max-files", "N", "remove the oldest of more recordings (default: 100)", NULL,
	  offsetof(struct retention, max_files), .count_of = "files", .is_rare = true },
	{ 0, "max-size", "SIZE", "remove the oldest if all are larger (default: 1G)", NULL,
	  offsetof(struct retention, max_kib), .is_size = true, .is_rare = true },
	{ 0, "max-age", "TIME", "remove those that are older (default: 168h)", NULL,
	  offsetof(struct retention, max_age_ns), .time_problem = "no file would be kept",
	  .is_rare = true },
};
const struct option_part recording_retention_options = OPTION_ROWS(recording_rows);

static const struct option_row session_rows[] = {
	{ 0, "max-files", "N", "with --event=DIRECTORY: remove the oldest of more files", NULL,
	  offsetof(struct retention, max_files), .count_of = "files", .is_rare = true },
	{ 0, "max-size", "SIZE", "with --event=DIRECTORY: remove the oldest if all are larger",
	  NULL, offsetof(struct retention, max_kib), .is_size = true, .is_rare = true },
	{ 0, "max-age", "TIME", "with --event=DIRECTORY: remove those that are older", NULL,
	  offsetof(struct retention, max_age_ns), .time_problem = "no file would be kept",
	  .is_rare = true },
};
const struct option_part session_retention_options = OPTION_ROWS(session_rows);

/* Options for budgets. */

static int apply_budget(void *settings, const char *value, struct error *error)
{
	struct budget_settings *budgets = settings;

	if (budgets->size == BUDGETS_MAX)
		return error_set(error, "--budget=%s: more than %d; leave out some", value,
				 BUDGETS_MAX);
	budgets->texts[budgets->size++] = value;
	return 0;
}

static const struct option_row budget_rows[] = {
	{ 0, "budget", "LIMIT",
	  "exit with 4 if slices exceed it: 'SLICE p99 < 2ms' (also count, total, min, mean, max)",
	  apply_budget, .is_repeatable = true, .is_rare = true },
};
const struct option_part budget_options = OPTION_ROWS(budget_rows);

/* Options for what ktrack prints about its own work. */

static int apply_quiet(void *settings, const char *value, struct error *error)
{
	const struct report **report = settings;

	(void)value;
	(void)error;
	*report = message_report_quiet();
	return 0;
}

static const struct option_row report_rows[] = {
	{ 'q', "quiet", NULL, "print no progress, no closing line and no hints", apply_quiet,
	  .is_rare = true },
};
const struct option_part report_options = OPTION_ROWS(report_rows);
