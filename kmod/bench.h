/* SPDX-License-Identifier: GPL-2.0-only */
/* What the bench's device and its table of rows share. */
#ifndef KTRACK_BENCH_H
#define KTRACK_BENCH_H

#include <linux/types.h>

/**
 * struct bench_row - something whose cost is counted
 * @name: how the device calls it
 * @event: the tracepoint that it goes to, NULL where it goes to none
 * @nr_events: how many records each round makes while that is enabled
 * @run: does it so many times; returns how often an argument with a side effect was evaluated
 */
struct bench_row {
	const char *name;
	const char *event;
	unsigned int nr_events;
	u32 (*run)(u32 nr_rounds);
};

/* Ends with a row without a name. */
extern const struct bench_row bench_rows[];

#endif
