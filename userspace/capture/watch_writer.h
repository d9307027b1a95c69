/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes recordings in a child process, which has its own copy of the records in memory: a slow or
 * full disk does not keep the parent from reading. The child executes the hook at its end.
 */
#ifndef CAPTURE_WATCH_WRITER_H
#define CAPTURE_WATCH_WRITER_H

#include <limits.h>
#include <sys/types.h>

#include "capture/command.h"
#include "capture/watch_window.h"
#include "output/output.h"

/** WATCH_HOOKS_MAX - most hooks that run at the same time */
#define WATCH_HOOKS_MAX 4

/**
 * struct watch_result - what became of a recording
 * @name: of the file, empty if there is none
 * @problem: empty if it was written
 * @saved: its time and records
 */
struct watch_result {
	char name[NAME_MAX + 1];
	char problem[512];
	struct recent_saved saved;
};

/**
 * struct watch_writer - the child
 * @fd: of its result; -1 if no recording is written
 * @pid: 0 if none was started
 * @hooks: processes that execute the hook, 0 for none
 * @failed: receives the wait status of a hook that did not end with 0; NULL for nobody
 */
struct watch_writer {
	int fd;
	pid_t pid;
	pid_t hooks[WATCH_HOOKS_MAX];
	void (*failed)(void *context, int wait_status);
	void *context;
};

/**
 * struct watch_job - a recording to be written
 * @hook: NULL for none
 * @signals: for the hook
 */
struct watch_job {
	struct spool *spool;
	const struct watch_folder *folder;
	const struct retention *limits;
	struct watch_window *window;
	const char *hook;
	const struct command_signals *signals;
};

/** watch_writer_start - write a recording; none is being written; returns -1 with @error */
int watch_writer_start(struct watch_writer *writer, const struct watch_job *job,
		       struct error *error);

/** watch_writer_is_busy - whether a recording is being written */
bool watch_writer_is_busy(const struct watch_writer *writer);

/** watch_writer_has_hook - whether there is room for another hook */
bool watch_writer_has_hook(const struct watch_writer *writer);

/**
 * watch_writer_take - receive the result of a recording, without waiting
 *
 * Returns false if there is none yet, or none is written. Ended hooks are reaped.
 */
bool watch_writer_take(struct watch_writer *writer, struct watch_result *result);

/** watch_writer_reap - report hooks that have ended; does not wait */
void watch_writer_reap(struct watch_writer *writer);

/** watch_writer_kill - give up the recording that is being written */
void watch_writer_kill(struct watch_writer *writer);

#endif
