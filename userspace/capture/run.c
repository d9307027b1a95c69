// SPDX-License-Identifier: GPL-2.0-only
/* What record, stream and watch share: the instance, rules, the command, programs. */
#include "capture/run.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "capture/capture.h"
#include "output/output.h"
#include "reader/reader.h"
#include "source/source.h"
#include "tracefs/tracefs.h"

bool narrow_program(const char *path)
{
	Elf32_Ehdr header;
	ssize_t size = -1;
	int fd;

	if (sizeof(void *) < 8)
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0) {
		size = read(fd, &header, sizeof(header));
		close(fd);
	}
	/* Programs for x32 have small pointers, but the machine's own numbers with a bit. */
	return size == sizeof(header) && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
	       header.e_ident[EI_CLASS] == ELFCLASS32 && header.e_machine != EM_X86_64;
}

static int narrow_append(void *context, int tid, struct error *error)
{
	struct buffer *out = context;

	(void)error;
	buffer_printf(out, "%s%d", out->size > 0 ? "," : "", tid);
	return 0;
}

static int narrow_process_append(void *out, int proc_fd, int pid)
{
	const struct workload_settings process = { .option = "-p", .pid = pid };
	struct buffer path = { 0 };
	struct error ignored = { 0 };

	(void)proc_fd;
	buffer_printf(&path, "/proc/%d/exe", pid);
	if (narrow_program(buffer_string(&path)))
		workload_find(&process, narrow_append, out, &ignored);
	buffer_release(&path);
	return 0;
}

void narrow_threads_append(struct buffer *out)
{
	proc_visit("/proc", narrow_process_append, out);
}

/*
 * Sets up and ends a run that records. All its resources are in one struct, which can be released
 * at any point of the set-up.
 */

#define READY_LINE "ready\n"

/* Searches of a workload that starts threads all the time. */
#define PASSES_MAX 16

void capture_init(struct capture *capture, struct capture_settings *settings)
{
	*capture = (struct capture){
		.settings = settings,
		.report = settings->report,
		.stop.signals.fd = -1,
		.failure = settings->command ? STATUS_TRACING_FAILED : STATUS_FAILED,
	};
	capture->has_clock = trace_clock_find(settings->clock, &capture->clock);
}

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

	if (signals_init(&capture->stop.signals, error) < 0)
		return -1;
	if (capture_records_kernel(capture->settings) && namespace_check_clocks(error) < 0)
		return -1;
	return argv ? command_check(argv, &capture->failure, error) : 0;
}

/** struct stale_count - instances of killed runs, without their companions */
struct stale_count {
	char first[64];
	char name[64]; /* of the last one */
	unsigned int number;
};

static int stale_add(void *context, const char *name, const char *directory, struct error *error)
{
	struct stale_count *stale = context;

	(void)directory;
	(void)error;
	if (instance_is_companion(name, stale->name))
		return 0;
	snprintf(stale->name, sizeof(stale->name), "%s", name);
	if (stale->number++ == 0)
		snprintf(stale->first, sizeof(stale->first), "%s", name);
	return 0;
}

/* The instance of a killed run keeps recording, and keeps modules loaded. */
static int stale_report(const struct report *report, struct error *error)
{
	struct stale_count stale = { .number = 0 };
	const struct stale_visitor visitor = { .context = &stale, .visit = stale_add };

	if (stale_visit(&visitor, error) < 0)
		return -1;
	if (stale.number > 0)
		report_message(report,
			       "%u killed run%s left an instance behind; 'ktrack recover' makes a "
			       "file of a recording, 'ktrack export tracefs:%s' exports its "
			       "buffers, 'ktrack clean' removes it",
			       stale.number, stale.number > 1 ? "s" : "", stale.first);
	return 0;
}

static int capture_begin_workload(struct capture *capture, struct error *error)
{
	const struct capture_settings *settings = capture->settings;

	if (!settings->follows_command && !settings->workload.option)
		return 0;
	if (settings->workload.option && !namespace_has_kernel_pids())
		return error_set(
			error,
			"%s: the kernel's numbers of processes are unknown in a PID "
			"namespace; run ktrack outside of it, or record a command: --pid -- "
			"COMMAND",
			settings->workload.option);
	capture->workload = workload_new();
	if (!capture->workload)
		return error_set(error, "out of memory");
	return workload_limit_rules(
		settings->selection.rules, "leave out -p, --cgroup, --unit or --pid",
		selection_reports(&settings->selection) ? capture->report : NULL, error);
}

int capture_choose(struct capture *capture, struct convention *convention, struct error *error)
{
	struct selection *selection = &capture->settings->selection;

	if (!capture_records_kernel(capture->settings)) {
		/* Rules that use only events of programs have no tracepoint yet. */
		convention_reserve(convention, stacks_index(selection->rules) + 1);
		return selection->rules
			       ? rules_close(selection->rules, convention->is_swapped, error)
			       : 0;
	}
	if (probes_define(&capture->probes, capture->settings, error) < 0 ||
	    functions_define(&capture->probes, capture->settings, capture->report, error) < 0 ||
	    probes_add_rules(&capture->probes, capture->settings, error) < 0 ||
	    capture_begin_workload(capture, error) < 0)
		return -1;
	selection->is_with_programs = capture->settings->records_programs;
	if (selection_add_rest(selection, error) < 0 ||
	    tracepoints_find(convention, NULL, selection, capture->report, error) < 0)
		return -1;
	if (convention_size(convention) == 0 && !selection->waits && !selection->rules)
		return error_set(error,
				 "no tracepoint of this machine follows the convention; "
				 "load a module with such tracepoints, --wait for one, or select "
				 "rules with -r sched,irq");
	return stale_report(capture->report, error);
}

/* Children of a thread that is followed are followed by the kernel. */
static int workload_follow(void *context, int tid, struct error *error)
{
	struct capture *capture = context;

	if (!thread_set_add(capture->workload, tid))
		return 0;
	capture->nr_followed++;
	return instance_follow(capture->recorder, tid, error);
}

/* Threads may start others before they are followed: search until there is no new one. */
static int workload_follow_all(struct capture *capture, struct error *error)
{
	const struct workload_settings *settings = &capture->settings->workload;
	size_t before;

	for (int i = 0; i < PASSES_MAX; i++) {
		before = capture->nr_followed;
		if (workload_find(settings, workload_follow, capture, error) < 0)
			return -1;
		if (capture->nr_followed == before)
			break;
	}
	if (capture->nr_followed == 0)
		return error_set(error, "%s: no process; nothing to record", settings->option);
	return 0;
}

/* In a PID namespace the command itself shows the number by which the kernel knows it. */
static int capture_find_command(struct capture *capture, struct error *error)
{
	if (!capture->settings->follows_command)
		return 0;
	capture->command_tid = namespace_has_kernel_pids()
				       ? command_pid(capture->command)
				       : instance_find_writer(capture->recorder, command_write_text,
							      capture->command, error);
	return capture->command_tid < 0 ? -1 : 0;
}

static int capture_filter(struct capture *capture, struct error *error)
{
	const struct capture_settings *settings = capture->settings;

	if (settings->has_cpus &&
	    instance_limit_cpus(capture->recorder, &settings->cpus, error) < 0)
		return -1;
	if (settings->follows_command)
		return workload_follow(capture, capture->command_tid, error);
	return settings->workload.option ? workload_follow_all(capture, error) : 0;
}

/* Less would lose short bursts of drivers. */
#define CONVENTION_KIB_MIN 1024

/* Packs write much more than drivers, whose records they must not push out. */
#define CONVENTION_SHARE 4

uint64_t capture_convention_kib(const struct capture_settings *settings)
{
	const struct selection *selection = &settings->selection;
	uint64_t size_kib = settings->buffer_kib / CONVENTION_SHARE;

	if (settings->instance || !selection_is_empty(selection) || !selection->rules ||
	    !rules_want_kernel(selection->rules))
		return 0;
	return size_kib < CONVENTION_KIB_MIN ? CONVENTION_KIB_MIN : size_kib;
}

void capture_loss_size(const struct capture *capture, struct loss_summary *summary)
{
	const struct capture_settings *settings = capture->settings;
	const struct instance *own = instance_companion(capture->recorder, INSTANCE_CONVENTION);
	uint64_t of_convention_kib = settings->instance && own ? instance_buffer_kib(own)
							       : capture_convention_kib(settings);

	summary->buffer_kib = settings->instance ? instance_buffer_kib(capture->recorder)
						 : settings->buffer_kib;
	if (!summary->has_convention || summary->convention_lost == 0)
		return;
	/* A buffer of this size helps all others, too. */
	summary->option_kib = CONVENTION_SHARE * of_convention_kib;
	if (summary->convention_lost == summary->records)
		summary->buffer_kib = of_convention_kib;
}

struct instance *capture_convention_recorder(const struct capture *capture)
{
	struct instance *own = instance_companion(capture->recorder, INSTANCE_CONVENTION);

	return own ? own : capture->recorder;
}

static int capture_enable(struct capture *capture, const struct convention *convention,
			  struct error *error)
{
	struct instance *recorder = capture_convention_recorder(capture);
	struct buffer system = { 0 };
	int status = 0;

	for (size_t i = 0; i < convention_size(convention) && status == 0; i++) {
		const struct descriptor *descriptor = convention_descriptor(convention, i);
		const char *filter;

		buffer_clear(&system);
		descriptor_system(descriptor, &system);
		filter = selection_filter(&capture->settings->selection, buffer_string(&system),
					  descriptor->name);
		status = instance_enable(recorder, buffer_string(&system), descriptor->name, filter,
					 error);
	}
	buffer_release(&system);
	return status;
}

int capture_enable_rule(struct capture *capture, const struct rule_tracepoint *tracepoint,
			struct error *error)
{
	const struct selection *selection = &capture->settings->selection;
	const struct rules *rules = selection->rules;
	const char *system = tracepoint->system, *name = tracepoint->name;
	struct error ignored = { 0 };
	char *filter;
	int status;

	/* Records of ftrace itself are written by a tracer, not by a tracepoint. */
	if (instance_has_event(capture->recorder, system, name) || strcmp(system, "ftrace") == 0)
		return 0;
	if (tracepoint->is_rest) {
		status = instance_enable(capture->recorder, system, name,
					 selection_filter(selection, system, name), &ignored);
		/* Of all tracepoints, some need what a machine does not have. */
		if (status == 0 || selection->origin == SELECTION_ALL) {
			report_error(capture_writes(capture->settings), &ignored);
			return 0;
		}
		return error_set(error, "%s", ignored.text);
	}
	filter = rules_filter(rules, system, name);
	status = filter ? instance_enable(capture->recorder, system, name, filter, &ignored) : -1;
	free(filter);
	/* Older kernels compare no functions: all records are read then. */
	if (status < 0 && ignored.text[0] && selection->is_verbose &&
	    rules_compare_functions(tracepoint))
		report_message(capture->report, "%s; ktrack evaluates the condition", ignored.text);
	return status < 0 ? instance_enable(capture->recorder, system, name, NULL, error) : 0;
}

static void capture_report_markers(const struct capture *capture)
{
	static const char *const reasons[] = {
		[MARKERS_NOT_BY_KERNEL] = "this kernel (before 6.16) copies no texts of programs "
					  "from trace_marker",
		[MARKERS_NOT_WHEN_FULL] = "with --mode=oneshot, texts of programs are not copied "
					  "from trace_marker, because they could not write when a "
					  "buffer is full",
		[MARKERS_NOT_ON_ALL_CPUS] = "with --cpu, texts of programs are not copied from "
					    "trace_marker, because those on other CPUs could not "
					    "write",
	};
	const struct instance *recorder = capture->recorder;
	enum marker_copies copies = instance_marker_copies(recorder);

	if (!instance_has_markers(recorder) || copies == MARKERS_COPIED)
		return;
	report_message(capture->report,
		       "-r marker: %s; let them write to %s/trace_marker, or read the top level's "
		       "buffer with --instance=" INSTANCE_TOP,
		       reasons[copies], instance_directory(recorder));
}

/* Whether a signal has ended the recording. */
static bool capture_is_hurried(void *context)
{
	struct capture *capture = context;

	return stop_is_due(&capture->stop, time_now_ns(CLOCK_BOOTTIME)) &&
	       capture->stop.nr_requests > 0;
}

/* Wait for programs, if the settings have them; returns -1 with @error. */
static int capture_open_programs(struct capture *capture, struct error *error)
{
	struct buffer *events = &capture->settings->selection.program_events;
	const struct capture_settings *settings = capture->settings;
	const struct programs_settings programs = {
		/* As much memory as the kernel's buffers have. */
		.report = settings->report,
		.globs = settings->programs,
		.of_descendants = settings->command && !settings->all_programs,
		.size_max = settings->buffer_kib * 1024 * sysconf(_SC_NPROCESSORS_ONLN),
		.ring_size = settings->program_ring_kib * 1024,
		.events = events->size > 0 ? buffer_string(events) : NULL,
		.mode = !settings->mode->is_read_at_end ? PROGRAMS_WAIT
			: settings->mode->overwrites	? PROGRAMS_KEEP_LAST
							: PROGRAMS_KEEP_FIRST,
		.is_hurried = capture_is_hurried,
		.context = capture,
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

/*
 * The module of a tracepoint, "" if it is built in or unknown. A kernel symbol shows it: "ADDRESS
 * TYPE __tracepoint_EVENT\t[MODULE]".
 */
static int tracepoint_find_module(const char *event, struct buffer *module)
{
	static const char prefix[] = " __tracepoint_";
	FILE *file = fopen("/proc/kallsyms", "re");
	size_t capacity = 0, size = strlen(event);
	char *line = NULL;

	while (file && getline(&line, &capacity, file) > 0) {
		const char *name = strstr(line, prefix);

		if (!name || strncmp(name + strlen(prefix), event, size) != 0)
			continue;
		name += strlen(prefix) + size;
		buffer_clear(module);
		if (*name == '\n')
			break;
		if (name[0] == '\t' && name[1] == '[')
			buffer_append(module, name + 2, strcspn(name + 2, "]"));
	}
	free(line);
	if (file)
		fclose(file);
	return module->failed ? -1 : 0;
}

/* A trigger would keep the module from being unloaded. */
static int stack_check_module(const char *text, const char *event, struct error *error)
{
	struct buffer module = { 0 };
	int status = 0;

	if (tracepoint_find_module(event, &module) < 0)
		status = error_set(error, "out of memory");
	else if (module.size > 0)
		status = error_set(error,
				   "--stack=%s: a tracepoint of module %s, which could not be "
				   "unloaded; write one that is built into the kernel, such as "
				   "sched:sched_switch",
				   text, buffer_string(&module));
	buffer_release(&module);
	return status;
}

/* The options were checked to be "SYS:EVENT[ if FILTER]". */
static int capture_add_stack(struct capture *capture, const char *text, struct error *error)
{
	static const char condition[] = " if ";
	const char *colon = strchr(text, ':'), *filter = strstr(text, condition);
	size_t size = filter ? (size_t)(filter - text) : strlen(text);
	char *system, *event;
	int status;

	system = strndup(text, colon - text);
	event = strndup(colon + 1, text + size - colon - 1);
	if (!system || !event)
		status = error_set(error, "out of memory");
	else if (!instance_has_event(capture->recorder, system, event))
		status = error_set(error, "--stack=%s: not recorded; select it with -e or -r",
				   text);
	else
		status = stack_check_module(text, event, error);
	if (status == 0)
		status = instance_add_stack(capture->recorder, system, event,
					    filter ? filter + strlen(condition) : NULL,
					    capture->settings->stacks_limit, error);
	free(system);
	free(event);
	return status;
}

int capture_open(struct capture *capture, const struct convention *convention, bool keeps_modules,
		 struct error *error)
{
	const struct capture_settings *settings = capture->settings;
	const struct rules *rules = settings->selection.rules;
	const struct instance_settings recorder = {
		.mode = settings->mode,
		.clock = settings->clock,
		.buffer_kib = settings->buffer_kib,
		.convention_kib = capture_convention_kib(settings),
		.keeps_modules = keeps_modules,
		/* Texts that programs write to trace_marker. */
		.has_markers = rules && rules_find_name(rules, "ftrace", "print"),
		.writes = capture_writes(settings)
	};

	/* The command finds the socket by its environment. */
	if (capture_open_programs(capture, error) < 0)
		return -1;
	/* The waiting process would inherit files that are opened earlier. */
	if (settings->command &&
	    command_new(&capture->command, settings->command, &capture->stop.signals.before,
			&settings->user, error) < 0)
		return -1;
	privilege_raise_files();
	if (!capture_records_kernel(settings))
		return 0;
	if ((settings->instance ? instance_attach(&capture->recorder, settings->instance, error)
				: instance_create(&capture->recorder, &recorder, error)) < 0)
		return -1;
	if (rules && !settings->selection.includes_self)
		rules_exclude(capture->settings->selection.rules,
			      instance_own_tid(capture->recorder));
	if (settings->instance)
		return 0;
	if (capture_find_command(capture, error) < 0 ||
	    functions_trace(&capture->probes, capture->recorder, settings, error) < 0 ||
	    capture_filter(capture, error) < 0 || capture_enable(capture, convention, error) < 0)
		return -1;
	for (size_t i = 0; rules && i < rules->nr_tracepoints; i++) {
		if (capture_enable_rule(capture, rules->tracepoints[i], error) < 0)
			return -1;
	}
	for (size_t i = 0; i < settings->nr_stacks; i++) {
		if (capture_add_stack(capture, settings->stacks[i], error) < 0)
			return -1;
	}
	capture_report_markers(capture);
	return instance_resize(capture->recorder, error);
}

uint64_t capture_privileges(const struct capture *capture)
{
	const char *socket = capture->programs ? programs_socket(capture->programs) : NULL;
	char *folder = socket ? strdup(socket) : NULL;
	/* Signals are forwarded to the command, which may have another user. */
	uint64_t needed = capture->command ? PRIVILEGE(CAP_KILL) : 0;

	/* Others find and read programs; the socket is removed at the end. */
	if (folder)
		needed |= privilege_for_files(dirname(folder));
	free(folder);
	if (!capture->settings->instance && capture->recorder) {
		struct buffer above = { 0 };

		/* Tracepoints are enabled in the instance's folder; its removal changes the folder
		 * above. */
		buffer_printf(&above, "%s/..", instance_directory(capture->recorder));
		needed |= privilege_for_files(instance_directory(capture->recorder)) |
			  privilege_for_files(buffer_string(&above));
		buffer_release(&above);
	}
	return needed;
}

int capture_check_files(struct error *error)
{
	if (files_are_left())
		return 0;
	return error_set(error, "too few files may be open for this recording" FILES_REMEDY);
}

int capture_signal_ready(struct capture *capture, struct error *error)
{
	int *fd = &capture->settings->ready_fd;
	int status = 0;

	if (*fd < 0)
		return 0;
	if (file_write_all(*fd, READY_LINE, strlen(READY_LINE), NULL) < 0)
		status = error_set_system(error, errno, "cannot write to --ready-fd=%d", *fd);
	close(*fd);
	*fd = -1;
	return status;
}

void capture_report_memory(const struct capture *capture)
{
	uint64_t memory_kib;

	if (capture->settings->instance || !capture->report->progress)
		return;
	memory_kib = instance_memory_kib(capture->recorder);
	if (memory_kib > 0)
		report_message(capture->report, "the buffers use %llu KiB of kernel memory",
			       (unsigned long long)memory_kib);
}

int capture_run_command(struct capture *capture, struct error *error)
{
	if (!capture->command)
		return 0;
	if (command_run(capture->command, error) < 0) {
		capture->failure = command_status(capture->command);
		return -1;
	}
	capture->stop.command = capture->command;
	return 0;
}

/* Why a recording without records has none. */
static const char *capture_explain_empty(const struct capture *capture)
{
	const struct selection *selection = &capture->settings->selection;

	if (capture->programs && !capture->recorder && programs_nr_events(capture->programs) == 0)
		return capture->settings->programs
			       ? "no program that --programs names has emitted events; 'ktrack "
				 "list --programs' lists programs that run"
			       : "no program with ktrack/user.h has emitted events; 'ktrack list "
				 "--programs' lists those that run";
	for (size_t i = 0; selection->waits && i < selection->nr_patterns; i++) {
		if (selection->patterns[i].matches_tracepoint)
			return NULL;
	}
	return selection->waits && selection->nr_patterns > 0 && !selection->rules
		       ? "no tracepoint that -e names has appeared; is its module loaded?"
		       : NULL;
}

void capture_close(struct capture *capture, int result, struct error *error)
{
	report_error(capture->report, error);
	capture->empty = capture_explain_empty(capture);
	if (instance_remove(capture->recorder, error) < 0 || result < 0)
		capture->has_failed = true;
	capture->recorder = NULL;
	if (capture->programs && result == 0)
		selection_report_programs(&capture->settings->selection, capture->programs,
					  capture->report);
	programs_close(capture->programs);
	capture->programs = NULL;
	report_error(capture->report, error);
	probes_report_missed(&capture->probes, capture->report);
	if (probes_remove(&capture->probes, error) < 0)
		capture->has_failed = true;
	report_error(capture->report, error);
	/* The command continues if the duration ended first, or after a failure. */
	if (!capture->stop.command || stop_is_due(&capture->stop, 0))
		return;
	if (!capture->has_failed)
		report_message(capture->report,
			       "the recording is over, '%s' still runs; %s ends ktrack without it",
			       capture->settings->command[0],
			       capture->stop.nr_requests > 0
				       ? "another signal"
				       : "a signal is forwarded to it, a second one");
	stop_await_command(&capture->stop);
}

int spool_describe_capture(struct spool *spool, const struct capture *capture, struct error *error)
{
	const struct rules *rules = capture->settings->selection.rules;
	SCOPED_BUFFER(workload);
	SCOPED_BUFFER(narrow);
	SCOPED_BUFFER(selection);
	SCOPED_BUFFER(command);
	int status, stored, process = capture->command_tid;

	if (capture->workload)
		thread_set_append(capture->workload, &workload);
	/* Their system calls have other numbers, and no record shows it. */
	if (rules && rules_name_calls(rules))
		narrow_threads_append(&narrow);
	/* Records have numbers of the kernel. */
	if (capture->command && namespace_has_kernel_pids())
		process = command_pid(capture->command);
	if (process > 0)
		buffer_printf(&command, "%d", process);
	stored = selection_store(&capture->settings->selection, capture->settings->records_programs,
				 &selection);
	if (stored > 0)
		report_message(
			capture->report,
			"-e, -r: more than a recording keeps (256 patterns or rules, 64 KiB); "
			"give them again when it is exported");
	status = spool_describe(spool, &(struct spool_description){
					       .workload = buffer_text(&workload),
					       .narrow = buffer_text(&narrow),
					       .rules = buffer_text(&capture->probes.rules),
					       .selection = buffer_text(&selection),
					       .command = buffer_text(&command),
					       .labels = buffer_text(&capture->settings->labels) });
	if (workload.failed || narrow.failed || command.failed || stored < 0 || status < 0)
		return error_set(error, "out of memory");
	return 0;
}

void capture_end(struct capture *capture)
{
	workload_free(capture->workload);
	command_free(capture->command);
	signals_release(&capture->stop.signals);
}

int capture_status(const struct capture *capture, int own_status)
{
	if (capture->has_failed)
		return capture->failure;
	if (stop_is_abandoned(&capture->stop))
		return 128 + capture->stop.signal_number;
	if (capture->command && command_status(capture->command) != STATUS_DONE)
		return command_status(capture->command);
	return own_status;
}

bool capture_is_lost(const struct capture *capture, bool fails_on_loss)
{
	struct command *command = capture->command;

	if (!fails_on_loss || capture->has_failed)
		return false;
	return !command || (command_has_ended(command) && command_status(command) == STATUS_DONE);
}

/* Programs that a run records, beside the kernel or alone. */

bool capture_records_kernel(const struct capture_settings *settings)
{
	const struct selection *selection = &settings->selection;

	for (size_t i = 0; i < selection->nr_patterns; i++) {
		if (!selection->patterns[i].is_of_programs)
			return true;
	}
	return !settings->records_programs || settings->instance ||
	       (selection->rules &&
		(rules_want_kernel(selection->rules) || selection->rules->wants_convention)) ||
	       settings->nr_probes > 0 || settings->nr_functions > 0 || settings->nr_stacks > 0;
}

/** struct command_file - the file of the command; @bytes are read when they are needed */
struct command_file {
	char *const *argv;
	struct buffer bytes;
};

static bool command_may_emit(void *context, const char *system)
{
	struct command_file *file = context;

	return file->argv &&
	       (file->bytes.size > 0 || command_read(file->argv, &file->bytes) == 0) &&
	       program_may_emit(&file->bytes, system);
}

int programs_choose_events(struct capture_settings *settings, struct error *error)
{
	bool is_asked = settings->records_programs;
	struct command_file file = { .argv = settings->command };
	int nr_chosen;

	if (settings->instance || settings->selection.nr_patterns == 0 ||
	    (!is_asked && strcmp(settings->clock, "boot") != 0))
		return 0;
	nr_chosen = selection_choose_programs(&settings->selection,
					      is_asked ? NULL : command_may_emit, &file,
					      settings->report, error);
	settings->records_programs |= nr_chosen > 0;
	buffer_release(&file.bytes);
	return nr_chosen < 0 ? -1 : 0;
}

/** programs_check - refuse settings that programs exclude; returns -1 with @error */
static int programs_check(const struct capture_settings *settings, struct error *error)
{
	/* Without records of the kernel, options of its instance have no effect. */
	const char *option = settings->follows_command		 ? "--pid"
			     : settings->workload.option	 ? settings->workload.option
			     : settings->has_cpus		 ? "--cpu"
			     : settings->selection.waits	 ? "--wait"
			     : settings->selection.includes_self ? "--include-self"
								 : NULL;
	uint64_t kib = settings->program_ring_kib;

	if (!settings->records_programs && settings->selection.rules &&
	    rules_want_programs(settings->selection.rules))
		return error_set(error, "-r: a rule uses events of programs; use --programs of "
					"'ktrack record' or 'stream'");
	if (kib > 0 && !settings->records_programs)
		return error_set(error, "--program-ring: no program is recorded; add --programs");
	if (kib > 0 &&
	    (kib < PROGRAM_RING_KIB_MIN || kib > PROGRAM_RING_KIB_MAX || (kib & (kib - 1))))
		return error_set(error,
				 "--program-ring=%lluk: not the size of a ring; write a power of 2 "
				 "from 4k to 16M",
				 (unsigned long long)kib);
	if (!settings->records_programs)
		return 0;
	if (settings->instance)
		return error_set(error, "--programs: not with an instance of --instance; leave out "
					"one of the two");
	if (strcmp(settings->clock, "boot") != 0)
		return error_set(error, "--clock=%s: programs have the clock boot; leave it out",
				 settings->clock);
	if (!capture_records_kernel(settings) && option && settings->selection.nr_patterns > 0)
		return error_set(error,
				 "%s: has no effect: '%s' matches no tracepoint and means events of "
				 "programs; leave out one of the two",
				 option, settings->selection.patterns[0].text);
	if (!capture_records_kernel(settings) && option)
		return error_set(error,
				 "%s: has no effect on programs; select tracepoints with -e or -r, "
				 "or leave it out",
				 option);
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

struct programs_counts capture_count_programs(const struct capture *capture)
{
	struct programs_counts counts = { 0 };

	if (capture->programs && !capture->settings->mode->is_read_at_end)
		programs_count(capture->programs, &counts);
	return counts;
}

/* Kernel stacks of a recording: which tracepoints have them, and how many. */

/* How often the limit of stacks is set again. */
#define STACKS_EVERY_NS NS_PER_S

void capture_refill_stacks(struct capture *capture)
{
	size_t nr_stacks = capture->settings->nr_stacks;
	int64_t now_ns = time_now_ns(CLOCK_BOOTTIME);
	uint32_t exhausted;

	if (nr_stacks == 0 || now_ns - capture->stacks_ns < STACKS_EVERY_NS)
		return;
	capture->stacks_ns = now_ns;
	exhausted = instance_refill_stacks(capture->recorder);
	for (size_t i = 0; exhausted && i < nr_stacks; i++) {
		if (exhausted & UINT32_C(1) << i) {
			const struct capture_settings *settings = capture->settings;
			struct buffer text = { 0 };

			/* The message is printed once for each tracepoint, the recording has every
			 * occurrence. */
			buffer_printf(&text,
				      "--stack=%s: more than %llu stacks in a second; the others "
				      "are not recorded",
				      settings->stacks[i],
				      (unsigned long long)settings->stacks_limit);
			if (!(capture->stacks_reported & UINT32_C(1) << i))
				report_message(
					capture->report,
					"%s; write a filter for it, or a larger --stack-limit",
					buffer_string(&text));
			capture->stacks_reported |= UINT32_C(1) << i;
			instance_write_marker(capture->recorder, buffer_text(&text));
			buffer_release(&text);
		}
	}
}

int capture_round_ms(const struct capture *capture, int round_ms)
{
	const int stacks_ms = STACKS_EVERY_NS / NS_PER_MS;

	return capture->settings->nr_stacks > 0 && round_ms > stacks_ms ? stacks_ms : round_ms;
}

/* Defaults of settings, and which settings exclude each other. */

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
	if (selection_check_options(&settings->capture.selection, settings->outputs.why, true,
				    error) < 0 ||
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
