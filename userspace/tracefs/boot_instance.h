/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An instance whose buffer survives a restart of the machine (trace_instance=NAME@...), since Linux
 * 6.12; a part of tracefs.h. It copies the tracepoints of another instance, and is not read while it
 * records: the kernel would drop what was read at the next boot.
 */
#ifndef TRACEFS_BOOT_INSTANCE_H
#define TRACEFS_BOOT_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

/**
 * struct boot_instance - an open instance
 * @directory: of the instance
 * @lock_fd: its lock
 * @writes: receives a line for each write, NULL for none
 */
struct boot_instance {
	char *directory;
	int lock_fd;
	const struct report *writes;
};

/** BOOT_INSTANCE_NONE - initializer without open files */
#define BOOT_INSTANCE_NONE     \
	{                      \
		.lock_fd = -1, \
	}

/**
 * boot_instance_open - open and lock an instance
 * @boot: for boot_instance_close(), on failure, too
 *
 * Returns 0, or -1 with @error if there is none, or its buffer does not survive a restart.
 */
int boot_instance_open(struct boot_instance *boot, const char *name, const struct report *writes,
		       struct error *error);

/** boot_instance_directory - the instance's directory */
const char *boot_instance_directory(const struct boot_instance *boot);

/**
 * boot_instance_count - how many records each CPU has
 * @cpus: receives the numbers of the CPUs that have records, "0,1,2"
 *
 * Returns the number of all records.
 */
uint64_t boot_instance_count(const struct boot_instance *boot, struct buffer *cpus);

/**
 * boot_instance_shift - how far the kernel's code moved since the boot that recorded
 * @text: address of the kernel's code in that boot
 * @now: the same in this boot
 *
 * Returns whether the instance agrees: false if its records are of yet another boot.
 */
bool boot_instance_shift(const struct boot_instance *boot, uint64_t text, uint64_t now);

/** boot_instance_prepare - remove all records, and set the clock; returns -1 with @error */
int boot_instance_prepare(struct boot_instance *boot, const char *clock, struct error *error);

/**
 * boot_instance_copy - enable the tracepoints of another instance, with their filters
 *
 * Those that it has already stay as they are. Returns -1 with @error.
 */
int boot_instance_copy(struct boot_instance *boot, const char *directory, struct error *error);

/**
 * boot_instance_start - switch recording on
 * @has_markers: also of texts of the top level's trace_marker, if this kernel copies them
 *
 * Returns -1 with @error.
 */
int boot_instance_start(struct boot_instance *boot, bool has_markers, struct error *error);

/**
 * boot_instance_mark - write a text on each CPU that is online, so that no buffer is empty
 * @cpus: receives the numbers of these CPUs, "0,1,2"
 */
void boot_instance_mark(struct boot_instance *boot, const char *text, struct buffer *cpus);

/**
 * boot_instance_stop - switch recording off, as control_switch() does; the records stay
 *
 * Also a run that was killed, or the kernel's command line, may have left it on. Returns -1 with
 * @error.
 */
int boot_instance_stop(struct boot_instance *boot, struct error *error);

/** boot_instance_clear - remove all records, and disable all tracepoints; returns -1 with @error */
int boot_instance_clear(struct boot_instance *boot, struct error *error);

void boot_instance_close(struct boot_instance *boot);

#endif
