/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What record and stream share: the tracing instance, the traced command, and the order in which
 * both end.
 */
#ifndef CAPTURE_RUN_H
#define CAPTURE_RUN_H

#include <time.h>

#include "capture/capture.h"
#include "capture/command.h"
#include "capture/probes.h"
#include "capture/stop.h"
#include "convention/convention.h"
#include "reader/reader.h"
#include "tracefs/tracefs.h"
#include "userring/userring.h"

/** record_settings_check - refuse settings that exclude each other; returns -1 with @error */
int record_settings_check(const struct record_settings *settings, struct error *error);

/** stream_settings_check - the same for ktrack stream */
int stream_settings_check(const struct stream_settings *settings, struct error *error);

/**
 * programs_choose_events - decide which -e mean events of programs, before settings are checked
 *
 * Returns 0, or -1 with @error.
 */
int programs_choose_events(struct capture_settings *settings, struct error *error);

/** capture_records_kernel - whether records of the kernel are wanted, not only of programs */
bool capture_records_kernel(const struct capture_settings *settings);

/**
 * struct capture - a run that records
 * @clock: of the records, if @has_clock
 * @recorder: the tracing instance; NULL if only programs are recorded
 * @programs: NULL for none
 * @command: NULL for none
 * @command_tid: the kernel's number of its process, if only that is recorded
 * @workload: the threads that are recorded, NULL for all
 * @probes: of the settings
 * @nr_followed: how many were found
 * @stacks_ns: when the limit of stacks was set the last time
 * @stacks_reported: a bit for each of the settings' stacks whose limit was reached
 * @failure: the exit status of a failed run
 * @has_failed: part of the run failed
 */
struct capture {
	struct capture_settings *settings;
	const struct report *report;
	struct stop_condition stop;
	clockid_t clock;
	bool has_clock;
	struct instance *recorder;
	struct programs *programs;
	struct command *command;
	int command_tid;
	struct workload *workload;
	struct probes probes;
	size_t nr_followed;
	int64_t stacks_ns;
	uint32_t stacks_reported;
	int failure;
	bool has_failed;
};

/** capture_init - a capture for capture_close() and capture_end() */
void capture_init(struct capture *capture, struct capture_settings *settings);

/** capture_add_stacks - record the kernel stacks of the settings; returns -1 with @error */
int capture_add_stacks(struct capture *capture, struct error *error);

/** capture_refill_stacks - allow more kernel stacks once a second, and report a reached limit */
void capture_refill_stacks(struct capture *capture);

/** capture_round_ms - the longest wait of a round, no more than @round_ms */
int capture_round_ms(const struct capture *capture, int round_ms);

/** capture_prepare - catch signals, and check the command; returns -1 with @error */
int capture_prepare(struct capture *capture, struct error *error);

/**
 * capture_choose - add the tracepoints to record to @convention, and report instances of killed
 * runs; returns -1 with @error
 */
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
 * Returns -1 with @error.
 */
int capture_enable_rule(struct capture *capture, const struct rule_tracepoint *tracepoint,
			struct error *error);

/** capture_open_programs - wait for programs, if the settings have them; returns -1 with @error */
int capture_open_programs(struct capture *capture, struct error *error);

/** capture_start_programs - record programs from now on; returns -1 with @error */
int capture_start_programs(struct capture *capture, struct error *error);

/** capture_stop_programs - record them no longer */
void capture_stop_programs(struct capture *capture);

/** capture_programs_lost - records that did not fit into rings of programs */
uint64_t capture_programs_lost(const struct capture *capture);

/** capture_programs_privileges - capabilities for removing the socket of programs */
uint64_t capture_programs_privileges(const struct capture *capture);

/** capture_privileges - capabilities that the rest of the run needs, after all files are open */
uint64_t capture_privileges(const struct capture *capture);

/**
 * capture_check_files - fail unless every later step of the run can open its files
 *
 * Steps that hold more and more of them, such as connections, leave FILES_SPARE.
 */
int capture_check_files(struct error *error);

/** capture_signal_ready - report on --ready-fd that recording is on; returns -1 with @error */
int capture_signal_ready(struct capture *capture, struct error *error);

/** capture_run_command - execute the command, if there is one; returns -1 with @error */
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

/**
 * spool_describe_capture - add the rules of the run, the threads that it selected, and those of 32-bit
 * programs; returns -1 with @error
 */
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

#endif
