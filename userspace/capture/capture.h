/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Public header of capture/: runs that record. Each function performs one command with its
 * settings, reports through struct report, and returns an exit status, with @error if it failed.
 * Strings of settings are the command line's and outlive the run.
 */
#ifndef CAPTURE_CAPTURE_H
#define CAPTURE_CAPTURE_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "analysis/analysis.h"
#include "base/base.h"
#include "output/output.h"
#include "reader/reader.h"

/**
 * struct command_user - the user of the traced command
 * @name: NULL for the user of this process
 */
struct command_user {
	uid_t uid;
	gid_t gid;
	char *name;
	char *home;
};

/**
 * command_user_find - look up a user
 * @name: or number; NULL for the user who called sudo
 *
 * Returns 0, or -1 with @error; command_user_release() works in both cases.
 */
int command_user_find(struct command_user *out, const char *name, struct error *error);

void command_user_release(struct command_user *user);

struct buffer_mode;

/** STACKS_LIMIT - default limit of kernel stacks of a tracepoint in a second */
#define STACKS_LIMIT 5000

/** STACKS_MAX - limit of tracepoints with kernel stacks */
#define STACKS_MAX 16

/** FUNCTIONS_MAX - limit of patterns of functions */
#define FUNCTIONS_MAX 64

/** PROBES_MAX - limit of probes */
#define PROBES_MAX 64

/** enum probe_kind - of a function of the kernel, of one of a program, of a static tracepoint */
enum probe_kind {
	PROBE_KERNEL,
	PROBE_PROGRAM,
	PROBE_USDT,
};

/**
 * struct probe_setting - a probe of the command line
 * @option: "--probe"
 * @is_entry_only: no returns are recorded
 * @text: its value
 */
struct probe_setting {
	enum probe_kind kind;
	const char *option;
	const char *text;
	bool is_entry_only;
};

/** probe_setting_check - check the text of a probe, without its program; returns -1 with @error */
int probe_setting_check(const struct probe_setting *setting, struct error *error);

/**
 * struct capture_settings - what to record, and until when
 * @report: for messages
 * @instance: an existing tracing instance to read; NULL for one of our own
 * @setting: the last option that sets up an instance, NULL for none
 * @mode: what happens when a buffer is full
 * @clock: the trace clock
 * @buffer_kib: ring buffer for each CPU
 * @duration_ns: 0 for no limit
 * @cpus: record only these, if @has_cpus
 * @follows_command: record only the command and its children
 * @workload: record only these, if it has an option
 * @user: of the command
 * @stacks: tracepoints with whose records kernel stacks are recorded: "SYS:EVENT[ if FILTER]"
 * @stacks_limit: most stacks of one of them in a second
 * @probes: places in the kernel and in programs that get tracepoints for this run
 * @entry_only: record no returns of @probes
 * @functions: patterns of functions whose calls are recorded
 * @unwanted_functions: patterns of those that are not
 * @records_programs: also record programs, or only these if nothing of the kernel is selected
 * @all_programs: those of the machine, not only the command and its descendants
 * @programs: patterns of their names or paths; NULL for all
 * @program_ring_kib: how much of the ring of each thread is used, 0 for all
 * @depth: of nested calls that get slices; 0 for all
 * @ready_fd: written to once recording is on; -1 for none
 * @labels: of the recording: lines "KEY=VALUE"
 * @command: the words of the traced command, NULL for none
 */
struct capture_settings {
	const struct report *report;
	struct selection selection;
	const char *instance;
	const char *setting;
	const struct buffer_mode *mode;
	const char *clock;
	uint64_t buffer_kib;
	int64_t duration_ns;
	bool has_cpus;
	cpu_set_t cpus;
	bool follows_command;
	struct workload_settings workload;
	struct command_user user;
	const char *stacks[STACKS_MAX];
	size_t nr_stacks;
	uint64_t stacks_limit;
	struct probe_setting probes[PROBES_MAX];
	size_t nr_probes;
	bool entry_only;
	const char *functions[FUNCTIONS_MAX];
	size_t nr_functions;
	const char *unwanted_functions[FUNCTIONS_MAX];
	size_t nr_unwanted_functions;
	bool records_programs;
	bool all_programs;
	const char *programs;
	uint64_t program_ring_kib;
	uint64_t depth;
	int ready_fd;
	struct buffer labels;
	char *const *command;
};

/** capture_settings_init - the defaults */
void capture_settings_init(struct capture_settings *settings, const struct report *report);

/** capture_set_mode - a mode by its name; returns -1 with @error if there is none */
int capture_set_mode(struct capture_settings *settings, const char *name, struct error *error);

void capture_settings_release(struct capture_settings *settings);

/**
 * struct record_settings - one run of ktrack record
 * @path: of the trace.dat
 * @takes_all: all tracepoints
 * @max_kib: stop at this size, 0 for no limit
 * @fails_on_loss: the exit status reports lost records
 */
struct record_settings {
	struct capture_settings capture;
	const char *path;
	bool takes_all;
	uint64_t max_kib;
	bool fails_on_loss;
};

/** RECORD_PATH - the default path of a recording */
#define RECORD_PATH "trace.dat"

struct stream_watcher;

/**
 * struct stream_settings - one run of ktrack stream
 * @why: of @outputs, if slices are explained
 * @watcher: follows the run instead of outputs; NULL for none
 * @session_ns: length of a trace2 session; 0 for one session
 * @argv: ktrack's own words, for the stream
 */
struct stream_settings {
	struct capture_settings capture;
	struct output_settings outputs;
	struct why_settings why;
	struct limits limits;
	int64_t session_ns;
	const struct stream_watcher *watcher;
	char *const *argv;
};

/** WATCH_* - defaults of struct watch_settings */
#define WATCH_DIRECTORY "/var/lib/ktrack"
#define WATCH_KEEP_KIB (64 * 1024)
#define WATCH_AFTER_NS (5 * NS_PER_S)
#define WATCH_FILES 100
#define WATCH_SIZE_KIB (1024 * 1024)
#define WATCH_AGE_NS (168 * 3600 * NS_PER_S)
#define WATCH_RATE 60

/** WATCH_RATE_MAX - most recordings in an hour */
#define WATCH_RATE_MAX 3600

/**
 * struct watch_settings - one run of ktrack watch
 * @triggers: for trigger_parse(), @nr_triggers of them
 * @keep_kib: memory for records
 * @before_ns: of a recording, before its first trigger; 0 for all that is in memory
 * @after_ns: behind its last trigger
 * @directory: of the recordings
 * @retention: of recordings in the directory
 * @max_rate: recordings in an hour; more are not written
 * @hook: a program that is run after each recording, NULL for none
 * @persistent: a tracing instance that survives a restart, and records the same; NULL for none
 * @argv: ktrack's own words
 */
struct watch_settings {
	struct capture_settings capture;
	struct limits limits;
	const char *triggers[TRIGGERS_MAX];
	size_t nr_triggers;
	uint64_t keep_kib;
	int64_t before_ns;
	int64_t after_ns;
	const char *directory;
	struct retention retention;
	uint64_t max_rate;
	const char *hook;
	const char *persistent;
	char *const *argv;
};

/** record_run - record into a trace.dat until the command, the duration or a signal ends it */
int record_run(struct record_settings *settings, struct error *error);

/** stream_run - record and export until the command, the duration or a signal ends it */
int stream_run(struct stream_settings *settings, struct error *error);

/** watch_run - keep the newest records, and save those around triggers, until a signal ends it */
int watch_run(struct watch_settings *settings, struct error *error);

#endif
