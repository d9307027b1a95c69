/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of replay/ share: an export, and recordings of several machines. */
#ifndef REPLAY_MACHINES_H
#define REPLAY_MACHINES_H

#include "output/output.h"
#include "reader/reader.h"
#include "replay/replay.h"
#include "source/source.h"
#include "timeline/timeline.h"

/**
 * struct large_watch - warns once of outputs that become large
 * @sizes: of files before the run, by the number of their kind
 * @next: sizes are not asked for before so many bytes were read
 */
struct large_watch {
	const struct output_settings *settings;
	const struct report *report;
	uint64_t sizes[SINK_KINDS_MAX];
	uint64_t next;
	bool has_warned;
};

/** large_watch_begin - before outputs are written; @settings outlive the watch */
void large_watch_begin(struct large_watch *watch, const struct output_settings *settings,
		       const struct report *report);

/** large_watch_check - warn of what is written when @done of @total bytes were read */
void large_watch_check(struct large_watch *watch, uint64_t done, uint64_t total);

/** large_estimate - the size that a text grows to if that is large, else 0 */
double large_estimate(uint64_t written, uint64_t done, uint64_t total);

/** struct export_part - a source */
struct export_part {
	struct export_settings *settings; /* of the export */
	const char *name;		  /* of the source, as in settings */
	struct selection *selection; /* that of settings, or own if there are several sources */
	struct selection own;
	struct buffer directory; /* of the instance that is read; empty for a file */
	int lock_fd;		 /* keeps other ktracks from reading the instance; -1 for a file */
	struct source *source;
	struct pipeline pipeline;
	struct transfer transfer;   /* shows how much was read */
	struct byte_progress bytes; /* counts it; shown is the transfer's, or NULL */
	struct byte_progress *shown_bytes;
	struct large_watch *large;  /* of a single source, NULL for others */
	struct recording recording; /* describes it, in its own times */
	struct buffer shown;	    /* what is selected */
	struct buffer labels;	    /* of the recording: lines "KEY=VALUE" */
	bool has_next;		    /* a record at next_ns is the next one */
	int64_t next_ns;
	uint64_t nr_saved; /* records of the part that was saved */
};

/** export_part_leaves_out - whether the selection leaves out what the recording may have */
bool export_part_leaves_out(const struct export_part *part);
/** export_part_file - the file that is read, NULL for an instance */
const char *export_part_file(const struct export_part *part);
/** export_part_title - what progress is of */
const char *export_part_title(const struct export_part *part);
/** export_part_open - open the source with this number of the settings; returns -1 with @error */
int export_part_open(struct export_part *part, struct export_settings *settings, size_t index,
		     struct error *error);
/** export_part_report_loss - report lost records, and begins without an end */
void export_part_report_loss(const struct export_part *part, bool is_failure);
/** export_part_report_saved - report the part that was saved, if there is one */
void export_part_report_saved(const struct export_part *part);

/** export_part_find_start - set the recording's start; returns -1 with @error */
int export_part_find_start(struct export_part *part, struct error *error);

/** export_part_begin - open its timeline, whose sinks were added; returns -1 with @error */
int export_part_begin(struct export_part *part, struct error *error);

/**
 * export_part_read - deliver records
 * @until_ns: up to this time of the source
 *
 * Also those before damage. Returns 0, or -1 with @error.
 */
int export_part_read(struct export_part *part, int64_t until_ns, struct error *error);

/** export_part_find_next - set @has_next and @next_ns; returns -1 with @error */
int export_part_find_next(struct export_part *part, struct error *error);

/** export_part_read_rest - deliver all remaining records and losses; returns -1 with @error */
int export_part_read_rest(struct export_part *part, struct error *error);

/**
 * export_part_finish - finish the timeline; the recording ends with the last record
 * @status: exit status of the run
 *
 * Returns 0, or -1 with @error.
 */
int export_part_finish(struct export_part *part, int status, struct error *error);

/*
 * Joins the timelines of several machines: each has a sink that moves its events to the time of a
 * common timeline, and gives its tracks numbers of that.
 */

/** struct join_flow - the name of a flow: those of different machines are different flows */
struct join_flow {
	struct text from; /* as the machine has it */
	char *to; /* with the machine's name; a pointer to it is valid until the join is released */
};

/** struct join_member - the sink of a machine */
struct join_member {
	struct sink sink;
	struct join *join;
	const struct timeline_machine *machine; /* what it adds to tracks and losses */
	struct join_flow *flows;		/* names of flows, nr_flows of them */
	size_t nr_flows;
	struct field *fields; /* those of the last event with flows, nr_fields allocated */
	size_t nr_fields;
	struct buffer tracepoint; /* scratch */
};

/** struct join - the common timeline */
struct join {
	struct timeline timeline; /* receives all events; the caller adds its sinks and opens it */
	unsigned long nr_tracks;  /* numbers of tracks until now */
	struct timeline_totals totals;	     /* sums of those that have finished */
	struct timeline_count *malformed_of; /* the array in totals */
};

/**
 * join_finish - finish the common timeline, after those of all machines
 * @status: exit status of the run
 *
 * Returns 0, or -1 with @error.
 */
int join_finish(struct join *join, int status, struct error *error);

/* Recordings of several machines, merged by wall-clock time. */

/** struct machines - the merge */
struct machines {
	struct export_part *parts; /* the recordings, size of them */
	size_t size;
	/* Each part's machine. */
	struct timeline_machine list[TIMELINE_MACHINES_MAX];
	char *names[TIMELINE_MACHINES_MAX];
	struct join join;
	/* Describes the common stream, in the clock of the first part. */
	struct recording recording;
	/* Of the common stream. */
	struct buffer sources;
	char id[IDENTITY_ID_SIZE];
};

/**
 * machines_prepare - compare the wall clocks of opened parts
 * @parts: opened; they outlive @machines
 *
 * Returns 0, or -1 with @error, if one has no wall clock.
 */
int machines_prepare(struct machines *machines, struct export_part *parts, size_t size,
		     struct error *error);

/** machines_begin - open all timelines, after outputs were added; returns -1 with @error */
int machines_begin(struct machines *machines, struct error *error);

/** machines_read - deliver all records by time, and finish each part after its last one */
int machines_read(struct machines *machines, struct error *error);

/** machines_report - report by how much times of different machines may differ */
void machines_report(const struct machines *machines, const struct report *report);

/** machines_release - after the parts were released */
void machines_release(struct machines *machines);

#endif
