/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ktrack stream and ktrack record have in common: what is recorded and until when, the
 * instance, the traced command, and the end of it all.
 */
#ifndef CLI_CAPTURE_H
#define CLI_CAPTURE_H

#include "cli/ending.h"
#include "cli/option.h"
#include "cli/tracepoints.h"
#include "recorder/recorder.h"

/**
 * struct capture_settings - what the command line asks for
 * @recorder: how the instance is to be
 * @instance: one that somebody set up, to be used as it is; NULL for one of our own
 * @setting: an option that says how an instance is to be, NULL where none does
 * @duration_ns: 0 for no end
 * @cpus: only these, where @has_cpus
 * @follows_command: only what the command and its children write
 * @user: whose process the command is to be
 * @ready_fd: where to report that recording is on, -1 for nowhere
 * @command: the traced command's words, NULL for none
 */
struct capture_settings {
	struct selection selection;
	struct recorder_settings recorder;
	const char *instance;
	const char *setting;
	int64_t duration_ns;
	bool has_cpus;
	cpu_set_t cpus;
	bool follows_command;
	struct command_user user;
	int ready_fd;
	char *const *command;
};

/** CAPTURE_DEFAULTS - settings where the command line says nothing */
#define CAPTURE_DEFAULTS                                                                     \
	{                                                                                    \
		.selection = { .can_wait = true },                                           \
		.recorder = { .mode = recorder_modes, .clock = "boot", .buffer_kib = 1024 }, \
		.ready_fd = -1                                                               \
	}

/** capture_options - the options that fill a struct capture_settings, but for its selection */
extern const struct option_part capture_options;

/** capture_apply_duration, capture_apply_buffer, capture_apply_ready - for tables of others */
int capture_apply_duration(void *settings, const char *value, struct error *error);
int capture_apply_buffer(void *settings, const char *value, struct error *error);
int capture_apply_ready(void *settings, const char *value, struct error *error);

/** capture_apply_mode - the modes differ from command to command */
int capture_apply_mode(void *settings, const char *value, struct error *error);

/**
 * capture_take_command - the command's words, behind the options
 * @operand: index of the first one
 *
 * A word that may be meant for an option's value is none. Returns -1 with @error.
 */
int capture_take_command(struct capture_settings *settings, const struct option_table *table,
			 int argc, char **argv, int operand, struct error *error);

/** capture_check_instance - whether an instance can stay as it is; returns -1 with @error */
int capture_check_instance(const struct capture_settings *settings, struct error *error);

void capture_settings_release(struct capture_settings *settings);

struct capture_ops;

/**
 * struct capture - the head of what a run holds
 * @ops: the command's own
 * @clock: of the records; its id is there where @has_clock
 * @command: NULL for none
 * @failure: the exit status where something fails
 * @has_failed: it did, though the run could go on
 */
struct capture {
	struct capture_settings *settings;
	const struct capture_ops *ops;
	struct ending ending;
	clockid_t clock;
	bool has_clock;
	struct recorder *recorder;
	struct command *command;
	int failure;
	bool has_failed;
};

/**
 * struct capture_ops - how a command does its own
 * @record: from capture_prepare() to the end of the recording
 * @close: let go of the instance's files
 * @finish: once the command has ended, where @record went well
 * @status: the exit status of a run that went well
 *
 * The first and the third return -1 with @error.
 */
struct capture_ops {
	int (*record)(struct capture *capture, struct error *error);
	void (*close)(struct capture *capture);
	int (*finish)(struct capture *capture, struct error *error);
	int (*status)(const struct capture *capture);
};

/**
 * capture_run - a whole run; returns the exit status
 *
 * What fails is said at once, and the instance goes before the command is waited for: tracing ends
 * no program, but a program does not keep tracing from its end either.
 */
int capture_run(struct capture *capture, struct capture_settings *settings,
		const struct capture_ops *ops, struct error *error);

/** capture_prepare - take signals, see whether the command can run; returns -1 with @error */
int capture_prepare(struct capture *capture, struct error *error);

/**
 * capture_choose - add to @convention what is to be recorded, and say which instances were left
 * behind; returns -1 with @error
 */
int capture_choose(struct capture *capture, struct convention *convention, struct error *error);

/**
 * capture_open - make the command's process, which waits, and the instance, which records nothing
 * yet; returns -1 with @error
 */
int capture_open(struct capture *capture, const struct convention *convention, struct error *error);

/**
 * capture_privileges - what the rest of the run needs of root's privileges for the instance and the
 * command, once all is open
 */
uint64_t capture_privileges(const struct capture *capture);

/** capture_run_command - let the command run, where there is one; returns -1 with @error */
int capture_run_command(struct capture *capture, struct error *error);

/** capture_tell_memory - say on a terminal what the buffers take of the kernel's memory */
void capture_tell_memory(const struct capture *capture);

/** capture_tell_durable - say that so many records were lost that tell who threads are */
void capture_tell_durable(uint64_t lost);

/** capture_status - the exit status as it is known now; where all went well, the ops say it */
int capture_status(const struct capture *capture);

/**
 * capture_is_lost - whether the exit status is that of lost records, as far as it is known now
 * @fails_on_loss: losses are a failure, and there were some
 */
bool capture_is_lost(const struct capture *capture, bool fails_on_loss);

/**
 * capture_now_ns - what the clock of the records shows; 0 where programs cannot read it
 */
int64_t capture_now_ns(const struct capture *capture);

/** capture_wall_offset_ns - what to add to that to get nanoseconds since 1970 */
int64_t capture_wall_offset_ns(const struct capture *capture);

#endif
