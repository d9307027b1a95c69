/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Public header of output/: the files that a run writes, and what it reports about them: progress,
 * losses, and the last line.
 */
#ifndef OUTPUT_OUTPUT_H
#define OUTPUT_OUTPUT_H

#include "analysis/analysis.h"
#include "base/base.h"
#include "reader/reader.h"
#include "sink/sink.h"
#include "timeline/timeline.h"
#include "tracedat/tracedat.h"

/** IDENTITY_ID_SIZE - size of a recording's id, with its NUL */
#define IDENTITY_ID_SIZE 17

/** struct identity - session id and command hierarchy */
struct identity {
	char *sid;	 /* after that of the parent program, if it has one */
	char *hierarchy; /* likewise */
};

/**
 * identity_init - make both, and pass them to child processes
 * @command: the last part of the hierarchy
 * @own_sid: the last part of the session id; NULL for one of time, host and process
 *
 * Reads and sets GIT_TRACE2_PARENT_SID and GIT_TRACE2_PARENT_NAME as git does: sessions of git
 * nest in ours, and ours in those of a parent git. Returns 0, or -1 with @error.
 */
int identity_init(struct identity *identity, const char *command, const char *own_sid,
		  struct error *error);

/** identity_renew - make a new session id for the same parent; returns -1 with @error */
int identity_renew(struct identity *identity, struct error *error);

void identity_release(struct identity *identity);

/** identity_id - a hash that identifies a live recording; @out has IDENTITY_ID_SIZE bytes */
void identity_id(char *out, const char *source, int64_t start_ns);

/** LABELS_MAX, LABEL_KEY_MAX, LABEL_VALUE_MAX - limits: how many, and bytes of each */
#define LABELS_MAX 32
#define LABEL_KEY_MAX 64
#define LABEL_VALUE_MAX 256

/** labels_add - add "KEY=VALUE", as the user wrote it, to lines of labels; -1 with @error */
int labels_add(struct buffer *lines, const char *text, struct error *error);
/** labels_merge - append those of @more whose keys are not in @lines; returns -1 without memory */
int labels_merge(struct buffer *lines, struct text more);

/** OUTPUTS_MAX - most files of a command line */
#define OUTPUTS_MAX 16

/** struct output_set - the files of a command line */
struct output_set {
	bool is_appending; /* files keep their content */
	bool has_terminal; /* standard output is a terminal, and one of the outputs */
	/* paths that are read meanwhile, or "-"; they cannot be outputs; @nr_sources of them */
	const char *const *sources;
	size_t nr_sources;
	struct file_wait wait; /* waits for a blocked output */
	/* @names, @fds: of open files */
	const char *names[OUTPUTS_MAX];
	int fds[OUTPUTS_MAX];
	size_t size;
};

/**
 * output_open - open a target of the command line
 * @target: "-" for standard output, otherwise a path
 * @name: its name in errors; lives as long as @target
 *
 * An existing file keeps its content until output_set_begin(). Only its owner can read a new file,
 * since traces contain kernel data; under sudo, the owner is the user of sudo. Waits for a reader
 * of a FIFO.
 *
 * Returns a new descriptor, non-blocking if possible, or -1 with @error.
 */
int output_open(struct output_set *set, const char *target, const char **name, struct error *error);

/** output_check_path - refuse a file that is read meanwhile; @name names it in @error */
int output_check_path(const struct output_set *set, const char *path, const char *name,
		      struct error *error);
/** output_is_compressed - whether a target's name asks for a compressed file */
bool output_is_compressed(const char *target);

/** output_check_alone - refuse the last opened file if it was opened before; returns -1 with @error
 */
int output_check_alone(const struct output_set *set, struct error *error);

/** output_set_begin - truncate files that are not appended to, when all are open; -1 with @error */
int output_set_begin(const struct output_set *set, struct error *error);
/** output_owner - the user of sudo, who owns new files; returns false if there is none */
bool output_owner(unsigned int *user, unsigned int *group);

/** struct retention - limits of files in a directory; the oldest are removed */
struct retention {
	uint64_t max_files; /* number of them; 0 for no limit, as in all */
	uint64_t max_kib;   /* size of all together */
	int64_t max_age_ns; /* since they were written last */
};

/** retention_apply_to_sessions - remove files of other trace2 sessions than @sid's in a folder */
void retention_apply_to_sessions(const struct retention *limits, const char *folder,
				 const char *sid);
/** retention_is_limited - whether there is a limit */
bool retention_is_limited(const struct retention *limits);

enum exit_status {
	STATUS_DONE = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
	STATUS_LOST = 3,
	STATUS_UNDECIDED = 3,
	STATUS_EXCEEDED = 4,
	STATUS_TRACING_FAILED = 125,
	STATUS_CANNOT_RUN = 126,
	STATUS_NOT_FOUND = 127,
};

/** struct budget_settings - limits of statistics */
struct budget_settings {
	const char *texts[BUDGETS_MAX]; /* for budget_parse(), @size of them */
	size_t size;
	bool is_json; /* print the verdicts to standard output as JSON, instead of reporting them */
};

/** struct output_settings - the outputs of a run */
struct output_settings {
	/* by row of sink_kinds: "-" or a path; NULL for none */
	const char *targets[SINK_KINDS_MAX];
	/* likewise: the settings that its own options set */
	char own[SINK_KINDS_MAX][SINK_OWN_SIZE] __attribute__((aligned(8)));
	/* print statistics to standard output instead; NULL for none */
	const struct sink_stat_settings *stat;
	/* print the results of a query to standard output instead; NULL for none */
	const struct sink_query_settings *query;
	/* explain slices on standard output instead; NULL for none */
	const struct why_settings *why;
	bool explains; /* explain slices for the outputs that show it */
	bool counts;   /* count an overview for the outputs that show it */
	/* add the slices to it instead, on the side @is_compare_source; NULL for none */
	struct comparison *comparison;
	bool is_compare_source;
	struct budget_settings budgets; /* judged at the end */
	const char *sid;     /* the session's own id; NULL for one made of time, host and process */
	unsigned int with;   /* a set of 1 << enum timeline_emitter, written with each record */
	enum sink_rows rows; /* of outputs that draw */
	struct retention retention; /* of the files of sessions in directories that are targets */
	/* without a target, a terminal on standard output gets PERF lines, not EVENT */
	bool suits_terminal;
	bool is_appending;  /* files keep their content */
	bool fails_on_loss; /* the exit status reports lost records */
	bool needs_target;  /* without a target, nothing is written */
	bool serves;	    /* a page follows the recording, served at @port; 0 for any */
	unsigned int port;
};

/** struct outputs - the outputs of a run */
struct outputs {
	const struct output_settings *settings; /* what the command line asks for */
	const struct report *report;		/* for messages */
	struct output_set set;			/* the open files */
	/* trace2 settings of the environment and of files, NULL before outputs_open() */
	struct trace2_config *config;
	char *folders[SINK_KINDS_MAX]; /* absolute paths of targets that are folders */
	bool shows_dates;	       /* one of them does, after outputs_open() */
	/* there was no target, and standard output, a terminal, gets PERF lines */
	bool has_chosen_perf;
	/* of the outputs that show explanations, which are in @explanations */
	struct why_settings why;
	struct explanations explanations;
	struct budget_set *budgets; /* NULL for none, and before outputs_open() */
	/* receives the lines of a page that follows the recording, if @settings ask for one */
	int lines_fd;
	uint64_t lines_max; /* limit of their size */
};

/** outputs_init - @settings and @report outlive the outputs */
void outputs_init(struct outputs *outputs, const struct output_settings *settings,
		  const struct report *report);
/** outputs_status - the exit status of a run without failure */
int outputs_status(const struct outputs *outputs, const struct output_losses *losses);
/** outputs_report_budgets - report the verdicts at the end of a run; returns -1 with @error */
int outputs_report_budgets(const struct outputs *outputs, const struct output_losses *losses,
			   struct error *error);
/** output_settings_check - refuse settings that exclude each other; returns -1 with @error */
int output_settings_check(const struct output_settings *settings, struct error *error);
/** output_settings_show_overview - whether there is an output that shows an overview */
bool output_settings_show_overview(const struct output_settings *settings);
/** output_settings_show_explanations - whether there is an output that shows explanations */
bool output_settings_show_explanations(const struct output_settings *settings);
/** output_settings_create_files - whether an output creates files until the end */
bool output_settings_create_files(const struct output_settings *settings);
/** output_settings_have_file - whether there is a file that only one session can write */
bool output_settings_have_file(const struct output_settings *settings);

/**
 * outputs_open - open all targets, and add their sinks to a timeline
 *
 * The command line overrides the environment and configuration files. If none of them has a target,
 * the first kind goes to standard output, or PERF lines if the settings suit a terminal. Nothing is
 * written before the timeline is opened. After the sinks are released, the outputs can be opened
 * again. Returns -1 with @error.
 */
int outputs_open(struct outputs *outputs, struct timeline *timeline,
		 const struct identity *identity, struct error *error);

/** outputs_release - after the timeline's sinks are released */
void outputs_release(struct outputs *outputs);

/** struct closing - a run that ended well */
struct closing {
	const char *object; /* what was written or read */
	uint64_t count;	    /* number of @things: "event", "record" */
	const char *things;
	bool has_lost; /* also if @lost is 0, because gaps have an unknown size */
	uint64_t lost; /* records */
	uint64_t gaps;
	uint64_t gaps_unknown;
	const char *empty; /* why @count is 0 if nothing was lost, and what to do; NULL if usual */
};

/** sudo_prefix - what to print before a command that records: "sudo " under sudo(8), or "" */
const char *sudo_prefix(void);
/** closing_report - print the line, if @report has a terminal; @next is a command or an advice */
void closing_report(const struct closing *closing, const char *next, const struct report *report);
/**
 * pipeline_report_end - print a run's events, of @source if all outputs are standard output
 * @empty: as in struct closing
 */
void pipeline_report_end(const struct pipeline_counts *counts,
			 const struct output_settings *outputs, const char *source,
			 const char *next, const char *empty, const struct report *report);
/** closing_append_view - append how to open the first file for a viewer; false if there is none */
bool closing_append_view(struct buffer *out, const struct output_settings *outputs);
/** closing_append_command - append "ktrack COMMAND SELECTION SOURCE" for the selection of a run */
void closing_append_command(struct buffer *out, const char *command,
			    const struct selection *selection, const char *source);

/** struct transfer - an operation on a file or on buffers */
struct transfer {
	struct byte_progress bytes;  /* for the modules that read or write */
	const struct report *report; /* shows the line; NULL if progress is off */
	const char *object;	     /* begins the line */
	const uint64_t *nr_events; /* number of track events until now, NULL if none are counted */
	int64_t begin_ns;	   /* of the operation */
	int64_t shown_ns;	   /* when the line was shown last, 0 if it is not shown */
};

/** transfer_begin - begin an operation; returns what counts bytes, or NULL without a terminal */
struct byte_progress *transfer_begin(struct transfer *transfer, const struct report *report,
				     const char *object, const uint64_t *nr_events);
/** transfer_note - show that bytes are no longer counted, if the line is shown */
void transfer_note(struct transfer *transfer, const char *doing);
/** transfer_wait - show what the operation waits for; called again and again while it waits */
void transfer_wait(struct transfer *transfer, const char *what);
/** transfer_end - remove the line; the operation may begin again */
void transfer_end(struct transfer *transfer);

/** BUFFER_KIB_MAX - largest ring buffer of a CPU, 64 GiB */
#define BUFFER_KIB_MAX (64 * 1024 * 1024)

/** struct loss_summary - the lost records of a run */
struct loss_summary {
	const char *object;    /* a file, a source or an instance; NULL for the run itself */
	bool has_lost;	       /* @records or gaps of unknown size; otherwise nothing is reported */
	uint64_t records;      /* number as in all outputs; 0 if unknown */
	uint64_t gaps;	       /* 0 if unknown */
	uint64_t gaps_unknown; /* gaps of unknown size */
	bool has_convention;   /* the convention's tracepoints have a buffer of their own */
	uint64_t convention_lost; /* records among these that are of that buffer */
	/* size of a ring buffer that was too small; 0 if its size is not the reason */
	uint64_t buffer_kib;
	uint64_t option_kib;	   /* the value of -b that makes such a buffer; 0 for the same */
	uint64_t programs_lost;	   /* records among these that did not fit into rings of programs */
	uint64_t program_ring_kib; /* as of struct capture_settings */
	bool is_attached;	   /* the buffer belongs to an existing instance */
	bool is_default;	   /* nothing was selected */
	bool is_failure;	   /* --fail-on-loss makes the loss the exit status */
};

/** loss_summary_report - report the loss, if there is one */
void loss_summary_report(const struct loss_summary *summary, const struct report *report);
/** loss_report_sideband - report @lost records of the sideband buffer, if there are any */
void loss_report_sideband(uint64_t lost, const struct report *report);
/** wall_clock_check - report a recording, or @is_live instance, without times of the wall clock */
void wall_clock_check(const struct recording *recording, bool is_live, const struct report *report);
/** clock_order_check - report a recording whose CPUs have clocks of their own */
void clock_order_check(const struct recording *recording, const struct report *report);
/** spool_owner_find - the owner of new files */
struct spool_owner spool_owner_find(void);
/** spool_report_span - report which part of a recording at @path is complete, if not all of it */
void spool_report_span(const struct spool_summary *summary, const char *path,
		       const struct report *report);
/** spool_refuse_killed - refuse the file of a killed recording, its folder, and files in that */
int spool_refuse_killed(const char *path, struct error *error);
/** spool_target_size - the length of FILE if @path is a folder FILE.spool[/...]; otherwise 0 */
size_t spool_target_size(const char *path);

/** struct watch_folder - the open directory, which other ktracks cannot use */
struct watch_folder {
	char *path; /* absolute */
	int fd;
	/* since 1970, minus the boot clock at first: later changes do not age files */
	int64_t wall_offset_ns;
};

/**
 * watch_folder_open - create or open the directory, and lock it
 * @folder: zeroed; for watch_folder_close()
 *
 * Refuses a directory that is another user's, or that others may write to. Returns -1 with @error.
 */
int watch_folder_open(struct watch_folder *folder, const char *path, struct error *error);

/** watch_folder_reopen - open it by its name again; on failure, -1 with @error, it stays open */
int watch_folder_reopen(struct watch_folder *folder, struct error *error);

void watch_folder_close(struct watch_folder *folder);

/** watch_folder_sweep - remove what killed runs left; the working directory is the folder */
void watch_folder_sweep(const struct watch_folder *folder);
/** watch_folder_name - append an unused name of a recording; returns false if there is none */
bool watch_folder_name(const struct watch_folder *folder, int64_t wall_ns, const char *trigger,
		       struct buffer *out);
/** watch_folder_date - set the time of a file to the current one, by @wall_offset_ns */
void watch_folder_date(const struct watch_folder *folder, const char *name);
/** watch_folder_share - let the group read a recording, if the folder has the set-group-ID bit */
void watch_folder_share(const struct watch_folder *folder, const char *name);
/** watch_folder_trim - remove the oldest recordings but @kept, until the limits are met */
void watch_folder_trim(const struct watch_folder *folder, const struct retention *limits,
		       const char *kept);
/** persistent_path - append the path of the future trace.dat; -1 with @error if @name is none */
int persistent_path(struct buffer *out, const char *directory, const char *name,
		    struct error *error);

#endif
