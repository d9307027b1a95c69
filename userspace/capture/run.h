/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of capture/ share.
 *
 * Functions with @error return 0, or -1 with it set, unless their descriptions say otherwise.
 */
#ifndef CAPTURE_RUN_H
#define CAPTURE_RUN_H

#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "analysis/analysis.h"
#include "base/base.h"
#include "capture/capture.h"
#include "convention/convention.h"
#include "output/output.h"
#include "reader/reader.h"
#include "serve/serve.h"
#include "source/source.h"
#include "tracedat/tracedat.h"
#include "tracefs/tracefs.h"
#include "userring/userring.h"

struct command;

/** struct command_signals - signal dispositions at the start of a command */
struct command_signals {
	/* All others have their default action. */
	sigset_t blocked;
	sigset_t ignored;
};

/** command_signals_apply - give this process these dispositions, before it executes a program */
void command_signals_apply(const struct command_signals *signals);

/** command_check - whether the program can be executed; if not, @status is 126 or 127 */
int command_check(char *const *argv, int *status, struct error *error);

/** command_read - append the file of the program; returns -1 if there is none, or it is too large */
int command_read(char *const *argv, struct buffer *out);

/**
 * command_new - start a process that waits for command_run()
 * @out: for command_free()
 * @argv: NULL-terminated; the first word is searched in PATH
 * @user: of the process
 */
int command_new(struct command **out, char *const *argv, const struct command_signals *signals,
		const struct command_user *user, struct error *error);

/** command_argv - the words of the command */
char *const *command_argv(const struct command *command);

/** command_pid - its process */
pid_t command_pid(const struct command *command);

/** command_run - execute the command; on failure its status is 126 or 127, as in env(1) */
int command_run(struct command *command, struct error *error);

/** command_write_text - let the waiting process of @context write WRITER_TEXT to a file */
int command_write_text(void *context, const char *path, struct error *error);

/** command_has_ended - whether the command has ended; does not wait */
bool command_has_ended(struct command *command);

/** command_status - exit status of an ended command, 128+N if signal N killed it */
int command_status(const struct command *command);

/** command_free - a running command continues, a waiting process ends; NULL is fine */
void command_free(struct command *command);

/* When a run ends: on a signal, after its duration, or with the traced command. */

/** struct signals - a descriptor for signals */
struct signals {
	int fd;			       /* readable while a signal is pending; -1 after release */
	struct command_signals before; /* the caller's dispositions, for child processes */
};

/**
 * signals_init - catch SIGCHLD, and every signal that would end the process and can be caught
 *
 * Signals that report a fault of the process keep their action. Signals ignored at start stay
 * ignored (nohup, a script's "&"). SIGPIPE and SIGXFSZ are ignored, so that writing fails instead.
 */
int signals_init(struct signals *signals, struct error *error);

/**
 * signals_take - the next pending signal that requests an end
 * @was_sent: only this process received it; the terminal sends its signals to the command, too
 *
 * Returns its number, or 0 if there is none.
 */
int signals_take(struct signals *signals, bool *was_sent);

/** signals_release - catch no more; late ones stay blocked, and do not change the exit status */
void signals_release(struct signals *signals);

struct command;

/**
 * struct stop_condition - the end of a run
 *
 * A signal requests the end of the command, which receives it too, or without a command the end of
 * the run. After a second one, ktrack waits neither for the command nor for readers of the output.
 * SIGUSR1, SIGUSR2 and real-time signals do not request an end: they are forwarded to a command,
 * and ignored without one.
 */
struct stop_condition {
	struct signals signals;
	struct command *command;  /* the running traced command; NULL for none */
	int64_t deadline_ns;	  /* end of the duration on the boot clock; 0 for none */
	int signal_number;	  /* the last signal that requested the end, 0 for none */
	unsigned int nr_requests; /* number of such signals */
	int64_t patience_ns;	  /* when a blocked output is given up, 0 for never */
	/* Takes a signal that means something else to the run; returns false for another one; NULL
	 * if all have their usual meaning. */
	bool (*take)(void *context, int number);
	void *context;
};

/** stop_is_due - process pending signals; returns whether the recording is over at @now_ns */
bool stop_is_due(struct stop_condition *stop, int64_t now_ns);

/** stop_is_abandoned - whether ktrack ends before the command */
bool stop_is_abandoned(const struct stop_condition *stop);

/** time_left_ms - time from @now_ns to @due_ns, @max_ms at most */
static inline int time_left_ms(int64_t due_ns, int64_t now_ns, int max_ms)
{
	int64_t left_ns = due_ns - now_ns;

	if (left_ns >= max_ms * NS_PER_MS)
		return max_ms;
	return left_ns <= 0 ? 0 : (int)(left_ns / NS_PER_MS) + 1;
}

/** stop_wait_ms - time from @now_ns to the deadline, @max_ms at most */
int stop_wait_ms(const struct stop_condition *stop, int64_t now_ns, int max_ms);

/**
 * stop_await_output - wait briefly for a blocked output
 * @fd: of the output, -1 if it cannot be polled
 *
 * After a signal requested the end, readers have one second. An output that cannot be polled is
 * given up when the recording is due to end. Returns 0 to try again, or -1 with errno ECANCELED to
 * give the output up.
 */
int stop_await_output(struct stop_condition *stop, int fd);

/** stop_set_deadline - end @duration_ns after @start_ns on the boot clock; 0 for no deadline */
void stop_set_deadline(struct stop_condition *stop, int64_t start_ns, int64_t duration_ns);

/** stop_now - end the recording now, whatever its duration */
void stop_now(struct stop_condition *stop);

/** stop_is_asked_again - whether a signal requests the end after the run and its command ended */
bool stop_is_asked_again(struct stop_condition *stop);

/** stop_await_command - wait until the command has ended or is abandoned */
void stop_await_command(struct stop_condition *stop);

/** struct progress_counts - counts at one moment */
struct progress_counts {
	struct buffer_counts records;
	uint64_t file_bytes; /* size of the file, 0 if there is none */
};

/** struct progress - a line that is replaced again and again */
struct progress {
	const struct report *report; /* shows the line; NULL if progress is off */
	uint64_t buffer_bytes;	     /* size of all ring buffers */
	int64_t shown_ns;	     /* time of the last line */
	struct buffer_counts shown;  /* counts of the last line */
};

/** progress_begin - progress stays off unless @report has a terminal */
void progress_begin(struct progress *progress, const struct report *report, uint64_t buffer_bytes,
		    int64_t now_ns);

/** progress_text - append the line to @out */
void progress_text(const struct progress *progress, const struct progress_counts *now,
		   int64_t now_ns, struct buffer *out);

/** struct read_loop - what one run does in each round of the loop */
struct read_loop {
	void *context;		     /* for the functions */
	struct stop_condition *stop; /* ends the loop */
	struct progress *progress;   /* shown on a terminal */
	int wake_fd;		     /* readable on a signal or a change of modules */
	int wait_max_ms;	     /* longest wait of a round */
	/* Waits for records, for wake_fd or for timeout_ms; NULL if nothing more is written. */
	void (*wait)(void *context, int wake_fd, int timeout_ms);
	/* Reads the records of one round; returns -1 with error. */
	int (*read)(void *context, struct error *error);
	/* Counts records for progress; NULL if progress is off. */
	void (*count)(void *context, struct progress_counts *out);
	bool (*is_full)(void *context); /* whether the size limit is reached; NULL without one */
};

/** read_loop_run - read records until the stop condition is due, and once more after that */
int read_loop_run(const struct read_loop *loop, struct error *error);

/* The probes of a run that records: from their definition to their removal. */

/** struct probes - the probes of a run; a zeroed struct has none */
struct probes {
	struct dynamic_events events; /* their dynamic events */
	struct buffer rules;	      /* the rules that make tracks of their records */
	bool has_tracer;	      /* calls of functions are recorded by a tracer */
};

/** probes_define - define the probes of @settings; probes_remove() works also on failure */
int probes_define(struct probes *probes, struct capture_settings *settings, struct error *error);

/**
 * functions_define - prepare to record the calls of functions
 *
 * If the kernel has no tracer for them in an instance, each function gets a probe.
 *
 * Returns 0, or -1 with @error; probes_remove() works in both cases.
 */
int functions_define(struct probes *probes, struct capture_settings *settings,
		     const struct report *report, struct error *error);

/** functions_trace - let an instance record these calls */
int functions_trace(const struct probes *probes, struct instance *recorder,
		    const struct capture_settings *settings, struct error *error);

/** probes_add_rules - add the rules of all probes to the selection */
int probes_add_rules(struct probes *probes, struct capture_settings *settings, struct error *error);

/** probes_report_missed - report calls that the kernel could not record */
void probes_report_missed(const struct probes *probes, const struct report *report);

/** probes_remove - remove the events, which no instance has enabled */
int probes_remove(struct probes *probes, struct error *error);

/** PROBE_SITES_MAX - limit of places of one probe: of copies of a function that was inlined */
#define PROBE_SITES_MAX 64

/** enum probe_role - what an event of a probe means */
enum probe_role {
	PROBE_BEGIN,
	PROBE_END,
	PROBE_INSTANT,
};

/** struct probe_site - one event of a probe */
struct probe_site {
	enum probe_role role;
	const char *kind;	      /* of the dynamic event, see dynamic_define() */
	char name[DYNAMIC_NAME_SIZE]; /* of the event */
	struct buffer place;	      /* where the kernel sets it */
	struct buffer arguments;      /* for the kernel: " NAME=FETCHARG NAME=FETCHARG" */
	struct buffer names;	      /* of these arguments: "NAME,NAME" */
};

/** struct probe - a parsed probe */
struct probe {
	bool is_checked_only; /* files of programs are not read, so that the places are unknown */
	bool is_entry_only;   /* no returns are recorded */
	const char *option;   /* "--probe", "--uprobe" or "--usdt" */
	const char *text;     /* of the command line */
	unsigned int number;  /* of the setting, which makes the names of its events unique */
	const char *pack;     /* the first part of the name of its rule */
	struct buffer title;  /* the last part, and the name of its slices */
	/* A symbol with the part of the function that is not inlined; empty for none. */
	struct buffer part;
	struct probe_site sites[PROBE_SITES_MAX];
	size_t nr_sites;
};

/** probe_parse - parse a setting, with its number; @out: for probe_release(), in any case */
int probe_parse(struct probe *out, const struct probe_setting *setting, unsigned int number,
		struct error *error);

/** PROBE_PACK_KERNEL - the pack of probes in the kernel */
#define PROBE_PACK_KERNEL "probe"

/** probe_append_rule - append its rule, whose name differs from those in @out */
void probe_append_rule(const struct probe *probe, const char *group, struct buffer *out);

void probe_release(struct probe *probe);

/**
 * usdt_argument_take - take the next argument of a note
 * @rest: what is left of "8@%rdi -4@[sp, 12]"
 *
 * Returns it without spaces around it; empty if there is none left.
 */
struct text usdt_argument_take(struct text *rest);

/**
 * usdt_argument_fetch - append how the kernel fetches an argument: "%x0:u64"
 * @machine: of the program: EM_X86_64 or EM_AARCH64
 *
 * Returns false if the kernel cannot fetch it, as floats, sums of registers, and operands of other
 * machines; @out is then undefined.
 */
bool usdt_argument_fetch(struct buffer *out, unsigned int machine, struct text argument);

/* Capabilities of this process. */

/** PRIVILEGE - the set with one capability, such as CAP_KILL */
#define PRIVILEGE(capability) (UINT64_C(1) << (capability))

/** privilege_drop - drop all capabilities but @kept for good, here and in future child processes */
int privilege_drop(uint64_t kept, struct error *error);

/** privilege_for_files - capabilities for changes in a directory: none for its owner */
uint64_t privilege_for_files(const char *directory);

/**
 * privilege_raise_files - raise the limit of open files as far as possible
 *
 * Each CPU of an instance and each tracepoint needs several. Programs that were started before keep
 * their limit.
 */
void privilege_raise_files(void);

/* Finds the threads that run 32-bit programs. */

/**
 * narrow_threads_append - append the numbers of the threads that run 32-bit programs now, "1,2,3"
 *
 * Processes whose programs this process may not read are left out; on a 32-bit machine, all are.
 */
void narrow_threads_append(struct buffer *out);

/** narrow_program - whether the program in a file is a 32-bit one of another ABI than this one */
bool narrow_program(const char *path);

/*
 * What record and stream share: the tracing instance, the traced command, and the order in which
 * both end.
 */

/** record_settings_check - refuse settings that exclude each other */
int record_settings_check(const struct record_settings *settings, struct error *error);

/** stream_settings_check - the same for ktrack stream */
int stream_settings_check(const struct stream_settings *settings, struct error *error);

/** programs_choose_events - decide which -e mean events of programs, before settings are checked */
int programs_choose_events(struct capture_settings *settings, struct error *error);

/** capture_writes - receives a line for each write to tracefs, NULL unless -v is given */
static inline const struct report *capture_writes(const struct capture_settings *settings)
{
	return settings->selection.is_verbose ? settings->report : NULL;
}

/** capture_records_kernel - whether records of the kernel are wanted, not only of programs */
bool capture_records_kernel(const struct capture_settings *settings);

/** struct capture - a run that records */
struct capture {
	struct capture_settings *settings;
	const struct report *report;
	struct stop_condition stop;
	clockid_t clock; /* of the records, if has_clock */
	bool has_clock;
	struct instance *recorder; /* the tracing instance; NULL if only programs are recorded */
	struct programs *programs; /* NULL for none */
	struct command *command;   /* NULL for none */
	/* why an empty recording is empty, and what to do; NULL if that is not known */
	const char *empty;
	int command_tid; /* the kernel's number of its process, if only that is recorded */
	struct thread_set *workload; /* the threads that are recorded, NULL for all */
	struct probes probes;	     /* of the settings */
	size_t nr_followed;	     /* how many were found */
	int64_t stacks_ns;	     /* when the limit of stacks was set the last time */
	/* A bit for each of the settings' stacks whose limit was reached. */
	uint32_t stacks_reported;
	int failure;	 /* the exit status of a failed run */
	bool has_failed; /* part of the run failed */
};

/** capture_init - a capture for capture_close() and capture_end() */
void capture_init(struct capture *capture, struct capture_settings *settings);

/** capture_refill_stacks - allow more kernel stacks once a second, and report a reached limit */
void capture_refill_stacks(struct capture *capture);

/** capture_round_ms - the longest wait of a round, no more than @round_ms */
int capture_round_ms(const struct capture *capture, int round_ms);

/** capture_prepare - catch signals, and check the command */
int capture_prepare(struct capture *capture, struct error *error);

/** capture_choose - add tracepoints to @convention, and report instances of killed runs */
int capture_choose(struct capture *capture, struct convention *convention, struct error *error);

/**
 * capture_open - start the command's process, which waits, and set up the instance without
 * recording; returns -1 with @error
 * @keeps_modules: tracepoints cannot be released before the end
 */
int capture_open(struct capture *capture, const struct convention *convention, bool keeps_modules,
		 struct error *error);

/**
 * capture_enable_rule - record a tracepoint that rules use
 *
 * With an event filter that keeps what the rules need; rules apply their conditions again, so
 * that without the filter there are only more records. A filter of the user's has precedence.
 */
int capture_enable_rule(struct capture *capture, const struct rule_tracepoint *tracepoint,
			struct error *error);

/**
 * capture_convention_kib - ring buffer for each CPU of the instance for tracepoints of the
 * convention; 0 if they are in that of all others
 */
uint64_t capture_convention_kib(const struct capture_settings *settings);

/**
 * capture_loss_size - the buffer that was too small, for the line about losses
 * @summary: has all numbers of lost records
 */
void capture_loss_size(const struct capture *capture, struct loss_summary *summary);

/** capture_convention_recorder - the instance that records tracepoints of the convention */
struct instance *capture_convention_recorder(const struct capture *capture);

/** capture_start_programs - record programs from now on */
int capture_start_programs(struct capture *capture, struct error *error);

/** capture_stop_programs - record them no longer */
void capture_stop_programs(struct capture *capture);

/** capture_count_programs - records of programs; zeros if they are read at the end only */
struct programs_counts capture_count_programs(const struct capture *capture);

/** capture_privileges - capabilities that the rest of the run needs, after all files are open */
uint64_t capture_privileges(const struct capture *capture);

/**
 * capture_check_files - fail unless every later step of the run can open its files
 *
 * Steps that hold more and more of them, such as connections, leave FILES_SPARE.
 */
int capture_check_files(struct error *error);

/** capture_signal_ready - report on --ready-fd that recording is on */
int capture_signal_ready(struct capture *capture, struct error *error);

/** capture_run_command - execute the command, if there is one */
int capture_run_command(struct capture *capture, struct error *error);

/** capture_report_memory - report on a terminal how much kernel memory the buffers use */
void capture_report_memory(const struct capture *capture);

/**
 * capture_close - remove the instance, and wait for the command
 * @result: of the recording so far; its @error is reported first
 *
 * The instance is removed before the wait: a program does not extend the recording.
 */
void capture_close(struct capture *capture, int result, struct error *error);

/** spool_describe_capture - add the rules, the labels, and threads: selected and 32-bit ones */
int spool_describe_capture(struct spool *spool, const struct capture *capture, struct error *error);

/** capture_end - release everything */
void capture_end(struct capture *capture);

/**
 * capture_status - the exit status as far as it is known
 * @own_status: the status if neither ktrack nor the command failed
 */
int capture_status(const struct capture *capture, int own_status);

/** capture_is_lost - whether --fail-on-loss decides the exit status, as far as it is known */
bool capture_is_lost(const struct capture *capture, bool fails_on_loss);

/** capture_now_ns - time of the records' clock; 0 if programs cannot read it */
int64_t capture_now_ns(const struct capture *capture);

/** capture_wall_offset_ns - nanoseconds to add to capture_now_ns() to get those since 1970 */
int64_t capture_wall_offset_ns(const struct capture *capture);

/* Follows modules while ktrack records: their tracepoints are enabled, released and unloaded. */

struct descriptor;
struct rule_tracepoint;

/** struct releasing - a tracepoint that was disabled, whose records are not all read yet */
struct releasing {
	const char *category;		     /* "SYSTEM:NAME" */
	const struct descriptor *descriptor; /* of the convention, NULL if rule is set */
	const struct rule_tracepoint *rule;  /* the tracepoint as rules use it, or NULL */
};

/** struct releasing_list - a tracepoint that follows the convention and has rules is in it twice */
struct releasing_list {
	struct releasing *list;
	size_t size;
};

/**
 * struct modules_handler - receives changes of tracepoints
 *
 * Its name is "SYSTEM:NAME" and lives as long as the convention and the rules; the descriptor is
 * NULL if only rules decode its records.
 * Both return -1 with @error.
 */
struct modules_handler {
	void *context;
	/* A tracepoint is recorded from now on, or with is_early since its module was loaded. */
	int (*came)(void *context, const char *tracepoint, const struct descriptor *descriptor,
		    bool is_early, struct error *error);
	/* It was unloaded, and its unread records are lost. */
	int (*went)(void *context, const char *tracepoint, const struct descriptor *descriptor,
		    struct error *error);
};

/** struct descriptor_list - descriptors of a convention */
struct descriptor_list {
	const struct descriptor **list;
	size_t size;
};

/** struct modules - all modules; zeroed, nothing is followed, and all functions do nothing */
struct modules {
	struct capture *capture;
	struct convention *convention;
	struct modules_handler handler;
	struct module_watch *watch;
	int fd;		 /* readable after a change or a signal */
	bool is_changed; /* modules were loaded or unloaded since modules_watch() */
	bool is_early;	 /* ktrack.ko enables tracepoints before a module's init runs */
	/* Tracepoints that are dropped once their records are read. */
	struct releasing_list releasing;
	/* Instances whose tracepoints were unloaded, so that the kernel has emptied their buffers;
	 * and those that had unread records. */
	bool has_gone[INSTANCE_KINDS];
	bool had_unread[INSTANCE_KINDS];
	bool was_emptied; /* another program emptied the buffers */
	/* The same was reported, of the instance and of its sideband. */
	bool is_emptied_reported;
	bool is_sideband_reported;
	/* Another program changed the clock: records since the last check are unreliable, and the
	 * recording must end. */
	bool was_reclocked;
	bool are_files_reported; /* it was reported that no more tracepoints can be enabled */
	/* Records up to this time may belong to an unloaded tracepoint or to another one with its
	 * id, and are not decoded; 0 for none. */
	int64_t doubtful_ns;
	struct descriptor_list waiting; /* descriptors that are used after that time */
	uint64_t looked; /* hash of the system of which a tracepoint was taken in last */
	/* Ids that were searched since the last change of modules. */
	unsigned char searched[65536 / 8];
};

/**
 * modules_watch - notice changes of modules from now on
 * @convention: receives descriptors
 *
 * To be called before tracepoints are searched, so that none is missed. For an existing instance,
 * @modules stays zeroed. Returns -1 with @error; modules_release() works in all cases.
 */
int modules_watch(struct modules *modules, struct capture *capture, struct convention *convention,
		  struct error *error);

/**
 * modules_are_unchanged - whether no module was loaded or unloaded since modules_watch(), so that
 * tracepoints still have the formats that were read
 *
 * The kernel reports an unloaded module before it can be loaded again.
 */
bool modules_are_unchanged(struct modules *modules);

/** modules_open - follow the instance, whose tracepoints are enabled */
int modules_open(struct modules *modules, const struct modules_handler *handler,
		 struct error *error);

/** modules_wake_fd - readable after a change of modules or a signal */
int modules_wake_fd(const struct modules *modules, const struct capture *capture);

/**
 * modules_catch_up - recording is on: have ktrack.ko enable tracepoints of future modules, and
 * enable those of modules that were loaded since modules_watch(); returns -1 with @error
 */
int modules_catch_up(struct modules *modules, struct error *error);

/** modules_look - check for unloaded and released tracepoints, and changes by other programs */
int modules_look(struct modules *modules, struct error *error);

/** modules_change - process a change of our instance; as in struct instance_observer */
int modules_change(void *context, const struct instance_change *change, struct error *error);

/** modules_look_changes - check only for changes by other programs, which are reported at once */
void modules_look_changes(struct modules *modules);

/** modules_take_in - after modules were loaded, record their tracepoints */
int modules_take_in(struct modules *modules, struct error *error);

/**
 * modules_find - search the tracepoint of event id @id, whose module may have just been loaded
 * @context: the struct modules
 * @is_known: it was found
 *
 * Returns 1 if the record is lost unless @is_known, 0 if it is of no interest, or -1 with @error.
 */
int modules_find(void *context, uint16_t id, bool *is_known, struct error *error);

/** modules_drop_releasing - all records of releasing tracepoints were delivered */
void modules_drop_releasing(struct modules *modules);

/** modules_trust - all records up to @doubtful_ns were delivered */
void modules_trust(struct modules *modules);

void modules_release(struct modules *modules);

/* The consecutive trace2 sessions of one recording. */

/** struct renewal - the open session */
struct renewal {
	struct outputs *outputs;
	struct identity identity;
	int64_t every_ns;     /* its length; 0 for one session */
	int64_t due_ns;	      /* its end on the recording's clock */
	uint64_t lost_before; /* records that were lost in earlier sessions */
};

/** renewal_begin - the first session begins at @start_ns */
void renewal_begin(struct renewal *renewal, int64_t start_ns);

/** renewal_is_due - whether the session ends at @now_ns */
bool renewal_is_due(const struct renewal *renewal, int64_t now_ns);

/**
 * renewal_run - finish the session, and begin the next one
 * @recording: of the old session; becomes that of the new one
 * @now_ns: all records up to this time were delivered
 * @wall_offset_ns: nanoseconds to add to the recording's clock to get those since 1970
 *
 * All targets are opened again: a file that was moved away is created again, a folder receives
 * another file, a socket another connection. Returns -1 with @error.
 */
int renewal_run(struct renewal *renewal, struct pipeline *pipeline, struct recording *recording,
		int64_t now_ns, int64_t wall_offset_ns, struct error *error);

/* The page that follows a recording: its lines in an unnamed file, and the server. */

/** struct serving - a served page; zeroed, nothing is served and all functions do nothing */
struct serving {
	struct serve *serve; /* the server */
	int fd;		     /* of the file with the lines */
	int wake_fd; /* readable if the server or the run's own descriptor is; valid if serve is */
	struct buffer page; /* text of content */
	struct serve_content content;
};

/** SERVING_SIZE_MAX - limit of the lines, about: more than a browser shows well */
#define SERVING_SIZE_MAX (UINT64_C(256) << 20)

/**
 * serving_open - create the file, and listen
 * @port: 0 for any
 *
 * Returns 0, or -1 with @error; serving_release() works in both cases.
 */
int serving_open(struct serving *serving, unsigned int port, struct error *error);

/** serving_lines_fd - a descriptor for the sink that writes the lines; -1 with @error */
int serving_lines_fd(const struct serving *serving, struct error *error);

/**
 * serving_begin - answer requests from now on, and report the address
 * @title: of the page
 * @fd: a descriptor that the run waits for; serving_wake_fd() waits for it, too
 */
int serving_begin(struct serving *serving, const char *title, int fd, const struct report *report,
		  struct error *error);

/** serving_wake_fd - what the run waits for; @fd if nothing is served */
int serving_wake_fd(const struct serving *serving, int fd);

/** serving_round - answer requests and send new lines, without blocking */
void serving_round(struct serving *serving);

/**
 * serving_finish - all lines are written: wait until pages have read them, or for a signal
 *
 * Waits also for the first page, unless a signal ended the recording. The wait is limited.
 */
void serving_finish(struct serving *serving, struct stop_condition *stop,
		    const struct report *report);

void serving_release(struct serving *serving);

/* State of a run of ktrack stream. */

/** struct pending_event - a tracepoint event that follows all records up to its time */
struct pending_event {
	int64_t time_ns;
	const char *tracepoint;
	const struct descriptor *descriptor; /* NULL if only rules use the tracepoint */
	enum timeline_recorded recorded;
};

struct stream_run;

/** struct stream_watcher - follows a run of ktrack stream that has no outputs */
struct stream_watcher {
	void *context;
	/* The source is open, and nothing is recorded yet: add sinks to the timeline; returns -1
	 * with error. */
	int (*open)(void *context, struct stream_run *run, struct error *error);
	void (*begin)(void *context); /* recording is on, and privileges are dropped */
	void (*came)(void *context);  /* tracepoints of a loaded module are recorded */
	/* How long a round may wait, timeout_ms at most. */
	int (*wait_ms)(void *context, int timeout_ms);
	/* All records up to run->drained_ns were delivered; returns -1 with error. */
	int (*read)(void *context, struct error *error);
	void (*end)(void *context); /* recording is over; the instance still exists */
};

/** struct stream_run - state of a run */
struct stream_run {
	struct capture capture;
	struct stream_settings *settings;
	struct outputs outputs;
	struct renewal renewal;
	struct progress progress;
	struct transfer transfer; /* of the records that are left when the recording is over */
	struct pipeline pipeline;
	struct source *source;
	struct recording recording;
	char id[IDENTITY_ID_SIZE];
	struct buffer selected; /* what is recorded, for people */
	int64_t command_ns;	/* start of the command */
	int64_t drained_ns;	/* all records up to this time are delivered */
	struct modules modules;
	struct serving serving;	       /* of a page that follows the recording */
	struct pending_event *pending; /* tracepoint events, sorted by time */
	size_t nr_pending;
	bool has_command_end; /* the stream has the command's end */
};

/** stream_run_is_circular - whether records stay in the buffers until recording stops */
static inline bool stream_run_is_circular(const struct stream_run *run)
{
	return run->settings->capture.mode->is_read_at_end;
}

/* Reports the state of the process to a service manager, as sd_notify(3) describes it. */

/** struct notify - the connection */
struct notify {
	int fd;		     /* -1 if nobody asked for reports */
	int64_t watchdog_ns; /* the manager expects a report this often, 0 for never */
	int64_t reported_ns; /* time of the last report, on the monotonic clock */
};

/**
 * notify_open - connect to what NOTIFY_SOCKET names, and read WATCHDOG_USEC
 *
 * Both are removed from the environment: programs that are started later do not report. A socket
 * that cannot be reached is no error: the manager notices that nothing is reported.
 */
void notify_open(struct notify *notify);

/**
 * notify_send - send lines in one datagram; never blocks
 * @state: "READY=1\nSTATUS=..."
 *
 * Returns whether it was sent.
 */
bool notify_send(struct notify *notify, const char *state);

/** notify_wait_ms - time from @now_ns to the next report for the watchdog, @max_ms at most */
int notify_wait_ms(const struct notify *notify, int64_t now_ns, int max_ms);

/** notify_keep_alive - report to the watchdog if it is time */
void notify_keep_alive(struct notify *notify, int64_t now_ns);

void notify_close(struct notify *notify);

/* What ktrack watch records a second time, in a buffer that survives a restart of the machine. */

/** struct persistent - state; zeroed but for @boot it is off */
struct persistent {
	struct boot_instance boot;
	struct spool *spool;
	const char *name; /* of the instance, NULL if it is off */
	int64_t saved_ns; /* when names of threads were saved, on the monotonic clock */
	bool is_taken;	  /* the instance may have tracepoints of ours */
	bool is_behind;	  /* tracepoints of a loaded module are recorded, but not yet here */
	bool has_failed;  /* a message reported that something could not be saved */
};

/**
 * persistent_start - record the tracepoints of @capture's instance, too
 * @name: of the instance; NULL for none
 * @directory: of recordings, which is locked
 *
 * Refuses an instance with records. Returns -1 with @error.
 */
int persistent_start(struct persistent *persistent, const char *name, const char *directory,
		     const struct capture *capture, struct error *error);

/** persistent_stop - the run ends in order: remove the records, and what decodes them */
void persistent_stop(struct persistent *persistent, const struct report *report);

/* ktrack watch: the windows of records to save, who writes them, and the state of the run. */

/** WATCH_WINDOWS_MAX - most recordings that wait to be written */
#define WATCH_WINDOWS_MAX 8

/** WATCH_LINES_MAX - most triggers that a recording names one by one */
#define WATCH_LINES_MAX 50

/** WATCH_MERGED_TIMES - a recording extends to this many times the time behind a trigger */
#define WATCH_MERGED_TIMES 10

/** struct watch_window - one recording */
struct watch_window {
	/* The first one's. */
	struct buffer trigger;
	struct buffer detail;
	int64_t wall_ns;  /* its time since 1970 */
	int64_t first_ns; /* its time on the trace clock */
	/* Of the recording. */
	int64_t from_ns;
	int64_t until_ns;
	int64_t margin_ns;    /* time before first_ns that is not given up for time behind it */
	struct buffer lines;  /* of spool_save_recent() */
	uint64_t nr_triggers; /* number of all triggers */
	bool is_taken;	      /* watch_windows_due() returned it: it does not change any more */
};

/** struct watch_windows - those that are not written yet, in the order of their triggers */
struct watch_windows {
	struct watch_window list[WATCH_WINDOWS_MAX];
	size_t size;
	/* As in struct watch_settings. */
	int64_t before_ns;
	int64_t after_ns;
	size_t rate;   /* recordings in an hour */
	int64_t *hour; /* times of the last rate recordings, from next on */
	size_t next;
	uint64_t nr_refused; /* triggers without a recording, because there were too many */
};

/** watch_windows_init - no windows; returns -1 if memory ran out */
int watch_windows_init(struct watch_windows *windows, int64_t before_ns, int64_t after_ns,
		       size_t rate);

/**
 * watch_windows_add - a trigger has fired
 * @span: of the records in memory
 * @wall_offset_ns: nanoseconds since 1970 minus the trace clock
 *
 * It extends a recording that it overlaps. Returns -1 if memory ran out.
 */
int watch_windows_add(struct watch_windows *windows, const struct trigger_firing *firing,
		      const struct recent_span *span, int64_t wall_offset_ns);

/** watch_windows_request - save the records in memory up to @now_ns, whatever the rate; likewise */
int watch_windows_request(struct watch_windows *windows, const char *reason, int64_t now_ns,
			  const struct recent_span *span, int64_t wall_offset_ns);

/**
 * watch_windows_due - the window to be written now, NULL if there is none
 * @drained_ns: all records up to this time are in memory
 * @is_over: no more will be
 */
struct watch_window *watch_windows_due(struct watch_windows *windows, int64_t drained_ns,
				       const struct recent_span *span, bool is_over);

/** watch_windows_next_ns - the end of the first window; INT64_MAX if there is none */
int64_t watch_windows_next_ns(const struct watch_windows *windows);

/** watch_windows_drop - the first window is written, or cannot be */
void watch_windows_drop(struct watch_windows *windows);

void watch_windows_release(struct watch_windows *windows);

/** WATCH_HOOKS_MAX - most hooks that run at the same time */
#define WATCH_HOOKS_MAX 4

/** struct watch_result - what became of a recording */
struct watch_result {
	char name[NAME_MAX + 1];   /* of the file, empty if there is none */
	char problem[512];	   /* empty if it was written */
	struct recent_saved saved; /* its time and records */
};

/** struct watch_writer - the child */
struct watch_writer {
	int fd;			      /* of its result; -1 if no recording is written */
	pid_t pid;		      /* 0 if none was started */
	pid_t hooks[WATCH_HOOKS_MAX]; /* processes that execute the hook, 0 for none */
	/* Receives the wait status of a hook that did not end with 0; NULL for nobody. */
	void (*failed)(void *context, int wait_status);
	void *context;
};

/** struct watch_job - a recording to be written */
struct watch_job {
	struct spool *spool;
	const struct watch_folder *folder;
	const struct retention *limits;
	struct watch_window *window;
	const char *hook;		       /* NULL for none */
	const struct command_signals *signals; /* for the hook */
};

/** watch_writer_reap - report hooks that have ended; does not wait */
void watch_writer_reap(struct watch_writer *writer);

/** struct watch_run - state of a run */
struct watch_run {
	struct watch_settings *settings;
	const struct report *report;
	struct stream_run *stream; /* the run that reads; NULL before it is set up */
	struct spool *spool;	   /* the records in memory */
	struct trigger_set *triggers;
	struct watch_windows windows;
	struct watch_folder folder;
	struct watch_writer writer;
	/* The path of the hook's program, or its name in PATH; empty for none. */
	struct buffer hook;
	struct notify notify;
	struct persistent persistent; /* the same records in a buffer that survives a restart */
	/* A signal asked for a recording, or to open the directory again. */
	bool is_requested;
	bool is_reopening;
	/* Tracepoints of loaded modules are recorded, and their formats are not saved yet. */
	bool has_new_formats;
	bool has_begun;	     /* recording is on */
	uint64_t nr_written; /* recordings; newest: the last one's file, empty if there is none */
	char newest[NAME_MAX + 1];
	int64_t reported_ns; /* time of the last report of the state, on the monotonic clock */
	/* Time of the last message about lost records, said_lost and said_gaps of them. */
	int64_t said_ns;
	uint64_t said_lost;
	uint64_t said_gaps;
	uint64_t said_refused; /* triggers that a message counted */
};

/** watch_span - the records in memory */
static inline struct recent_span watch_span(const struct watch_run *watch)
{
	return spool_recent_span(watch->spool);
}

#endif
