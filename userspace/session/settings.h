/* SPDX-License-Identifier: GPL-2.0-only */
/* What a command line asks of a run. The strings are the command line's and outlive the run. */
#ifndef SESSION_SETTINGS_H
#define SESSION_SETTINGS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "analysis/analysis.h"
#include "base/base.h"
#include "session/selection.h"
#include "sink/sink.h"
#include "timeline/timeline.h"

/**
 * struct filter - which records are exported; a zeroed one exports all
 * @track: a pattern for track names, NULL for all
 * @buffer: the name of a buffer, NULL for all
 * @cpu, @pid: if @has_cpu, @has_pid; pid is the thread that wrote the record
 * @from_ns, @to_ns: since @start_ns; 0 for no limit
 * @start_ns: trace time of the recording's start
 */
struct filter {
	const char *track;
	const char *buffer;
	bool has_cpu;
	int cpu;
	bool has_pid;
	int pid;
	int64_t from_ns;
	int64_t to_ns;
	int64_t start_ns;
};

/**
 * struct limits - how much state a run keeps
 * @max_tracks: idle tracks above this number are closed; 0 for the default
 */
struct limits {
	uint64_t max_tracks;
};

/**
 * struct budget_settings - limits of statistics
 * @texts: for budget_parse(), @size of them
 * @is_json: print the verdicts to standard output as JSON, instead of reporting them
 */
struct budget_settings {
	const char *texts[BUDGETS_MAX];
	size_t size;
	bool is_json;
};

/**
 * struct retention - limits of files in a directory; the oldest are removed
 * @max_files: number of them; 0 for no limit, as in all
 * @max_kib: size of all together
 * @max_age_ns: since they were written last
 */
struct retention {
	uint64_t max_files;
	uint64_t max_kib;
	int64_t max_age_ns;
};

/**
 * struct output_settings - the outputs of a run
 * @targets: by row of sink_kinds: "-" or a path; NULL for none
 * @stat: print statistics to standard output instead; NULL for none
 * @query: print the results of a query to standard output instead; NULL for none
 * @why: explain slices on standard output instead; NULL for none
 * @explains: explain slices for the outputs that show it
 * @comparison: add the slices to it instead, on the side @is_compare_source; NULL for none
 * @budgets: judged at the end
 * @sid: the session's own id; NULL for one made of time, host and process
 * @with: a set of 1 << enum timeline_emitter, written with each record
 * @retention: of the files of sessions in directories that are targets
 * @suits_terminal: without a target, a terminal on standard output gets PERF lines, not EVENT
 * @is_appending: files keep their content
 * @fails_on_loss: the exit status reports lost records
 * @serves: a page follows the recording, served at @port; 0 for any
 */
struct output_settings {
	const char *targets[SINK_KINDS_MAX];
	const struct sink_stat_settings *stat;
	const struct sink_query_settings *query;
	const struct why_settings *why;
	bool explains;
	struct comparison *comparison;
	bool is_compare_source;
	struct budget_settings budgets;
	const char *sid;
	unsigned int with;
	struct retention retention;
	bool suits_terminal;
	bool is_appending;
	bool fails_on_loss;
	bool serves;
	unsigned int port;
};

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

/**
 * struct workload_settings - record only existing threads and their children; by one of these
 * @option: the option that was given, NULL for none
 */
struct workload_settings {
	const char *option;
	int pid;
	const char *cgroup;
	const char *unit;
};

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

/** LABELS_MAX, LABEL_KEY_MAX, LABEL_VALUE_MAX - limits: how many, and bytes of each */
#define LABELS_MAX 32
#define LABEL_KEY_MAX 64
#define LABEL_VALUE_MAX 256

/**
 * labels_add - add a label
 * @lines: the labels, each a line "KEY=VALUE"
 * @text: "KEY=VALUE", as the user wrote it
 *
 * Returns 0, or -1 with @error.
 */
int labels_add(struct buffer *lines, const char *text, struct error *error);

/** capture_settings_init - the defaults */
void capture_settings_init(struct capture_settings *settings, const struct report *report);

/** capture_writes - receives a line for each write to tracefs, NULL unless -v is given */
const struct report *capture_writes(const struct capture_settings *settings);

/** capture_set_mode - a mode by its name; returns -1 with @error if there is none */
int capture_set_mode(struct capture_settings *settings, const char *name, struct error *error);

void capture_settings_release(struct capture_settings *settings);

/**
 * struct record_settings - one run of ktrack record
 * @path: of the trace.dat
 * @max_kib: stop at this size, 0 for no limit
 * @fails_on_loss: the exit status reports lost records
 */
struct record_settings {
	struct capture_settings capture;
	const char *path;
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

/**
 * struct export_settings - one run of ktrack export
 * @report: for messages
 * @sources: "tracefs", "tracefs:INSTANCE", "-" or a path; several, which are merged, are paths
 * @save: first write the records of the source to this trace.dat; NULL for none
 * @argv: ktrack's own words, for the stream
 * @labels: lines "KEY=VALUE", which replace those of the source that have the same key
 * @has_wall_clock: the first record's time is @wall_clock_ns since 1970, whatever the source has
 */
struct export_settings {
	const struct report *report;
	const char *sources[TIMELINE_MACHINES_MAX];
	size_t nr_sources;
	const char *save;
	char *const *argv;
	struct selection selection;
	struct output_settings outputs;
	struct filter filter;
	struct limits limits;
	struct buffer labels;
	bool has_wall_clock;
	int64_t wall_clock_ns;
};

/**
 * struct why_run_settings - one run of ktrack why
 * @why: which slices are explained
 * @source: as in struct export_settings
 * @argv: ktrack's own words
 */
struct why_run_settings {
	const struct report *report;
	struct selection selection;
	struct limits limits;
	struct why_settings why;
	const char *source;
	bool fails_on_loss;
	char *const *argv;
};

/**
 * struct query_settings - one run of ktrack query
 * @source: as in struct export_settings, or a database of --sqlite
 * @argv: ktrack's own words
 */
struct query_settings {
	const struct report *report;
	struct selection selection;
	struct filter filter;
	struct limits limits;
	struct sink_query_settings form;
	const char *source;
	bool fails_on_loss;
	char *const *argv;
};

#endif
