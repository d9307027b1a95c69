/* SPDX-License-Identifier: GPL-2.0-only */
/* The traced command: a process that waits until recording is on. */
#ifndef CAPTURE_COMMAND_H
#define CAPTURE_COMMAND_H

#include <signal.h>

#include "capture/capture.h"

struct command;

/**
 * struct command_signals - signal dispositions at the start of a command
 * @blocked, @ignored: all others have their default action
 */
struct command_signals {
	sigset_t blocked;
	sigset_t ignored;
};

/** command_signals_apply - give this process these dispositions, before it executes a program */
void command_signals_apply(const struct command_signals *signals);

/**
 * command_check - whether the command's program exists and can be executed
 * @status: the exit status if it cannot, 126 or 127
 *
 * Returns 0, or -1 with @error.
 */
int command_check(char *const *argv, int *status, struct error *error);

/**
 * command_new - start a process that waits for command_run()
 * @out: for command_free()
 * @argv: NULL-terminated; the first word is searched in PATH
 * @user: of the process
 *
 * Returns 0, or -1 with @error.
 */
int command_new(struct command **out, char *const *argv, const struct command_signals *signals,
		const struct command_user *user, struct error *error);

/** command_argv - the words of the command */
char *const *command_argv(const struct command *command);

/** command_pid - its process */
pid_t command_pid(const struct command *command);

/**
 * command_run - execute the command in its process
 *
 * Returns 0, or -1 with @error; command_status() is 126 or 127 then, as in env(1).
 */
int command_run(struct command *command, struct error *error);

/**
 * command_write_text - let the waiting process write WRITER_TEXT to a file
 * @context: the command
 *
 * Returns -1 with @error.
 */
int command_write_text(void *context, const char *path, struct error *error);

/** command_has_ended - whether the command has ended; does not wait */
bool command_has_ended(struct command *command);

/** command_status - exit status of an ended command, 128+N if signal N killed it */
int command_status(const struct command *command);

/** command_free - a running command continues, a waiting process ends; NULL is fine */
void command_free(struct command *command);

/** command_user_become - become that user for good, with groups and home; returns -1 with errno */
int command_user_become(const struct command_user *user);

#endif
