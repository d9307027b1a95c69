/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of an instance of one's own, and the small one beside it. */
#ifndef RECORDER_INSTANCE_H
#define RECORDER_INSTANCE_H

#include "recorder/held.h"
#include "recorder/recorder.h"
#include "source/source.h"

/** INSTANCE_NAME_SIZE - room for any name of ours */
#define INSTANCE_NAME_SIZE 64

/** DURABLE_SUFFIX - what the name of the instance beside another one has behind the other's */
#define DURABLE_SUFFIX SOURCE_DURABLE_SUFFIX

/**
 * struct recorder - an instance
 * @control: of an instance of our own
 * @is_attached: somebody set it up, and nothing of it is changed
 * @clock: what its records are stamped with; borrowed
 * @lock_fd: says that it has an owner
 * @durable: the one beside it, NULL for none
 * @held_lock: with what the tracepoints that are enabled are looked after
 */
struct recorder {
	struct tracefs_instance *instance;
	char *directory;
	struct control control;
	bool is_attached;
	const char *clock;
	int lock_fd;
	struct recorder *durable;
	uint64_t buffer_kib;
	int held_lock;
	struct held_list held;
};

/** recorder_set - write a setting of the instance while it is set up; returns -1 with @error */
int recorder_set(struct recorder *recorder, const char *file, const char *value,
		 struct error *error);

/**
 * instance_open_named - as recorder_open(), without one beside it
 * @name: NULL for one made of the process
 */
int instance_open_named(struct recorder **out, const char *name,
			const struct recorder_settings *settings, struct error *error);

/** durable_exists - whether there is one beside an instance @name, which may have gone */
bool durable_exists(const char *name);

/**
 * durable_open - make what is beside the instance @name, with its tracepoints enabled
 * @out: NULL where the kernel has none of them
 *
 * Returns -1 with @error.
 */
int durable_open(struct recorder **out, const char *name, const char *clock, struct error *error);

#endif
