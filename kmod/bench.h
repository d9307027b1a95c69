/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the bench's device and its table of rows. */
#ifndef KTRACK_BENCH_H
#define KTRACK_BENCH_H

#include <linux/types.h>

/**
 * struct bench_row - code whose cost is counted
 * @name: its name in the device file
 * @event: its tracepoint, NULL for none
 * @nr_events: records per round while @event is enabled
 * @run: run the code a number of times; returns the number of evaluations of an argument with a
 *	side effect
 */
struct bench_row {
	const char *name;
	const char *event;
	unsigned int nr_events;
	u32 (*run)(u32 nr_rounds);
};

/* The last row has no name. */
extern const struct bench_row bench_rows[];

#endif
