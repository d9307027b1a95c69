/* SPDX-License-Identifier: GPL-2.0-only */
/* Amounts on a command line. */
#ifndef CLI_QUANTITY_H
#define CLI_QUANTITY_H

#include <sched.h>

#include "base/base.h"

/** SIZE_KIB_MAX - 64 GiB, more than which is a mistake */
#define SIZE_KIB_MAX (64 * 1024 * 1024)

/**
 * size_kib_parse - read a size: a number of KiB, or with one of k M G (also KiB MiB GiB) of that
 * @out_kib: what it says, from 1 to SIZE_KIB_MAX
 *
 * Returns 0, or -1 with @error.
 */
int size_kib_parse(const char *string, uint64_t *out_kib, struct error *error);

/**
 * count_parse - read how many @things there may be, at least one
 *
 * Returns 0, or -1 with @error.
 */
int count_parse(const char *string, const char *things, uint64_t *out, struct error *error);

/**
 * cpu_list_parse - read a list of CPUs: "0,2-3"
 *
 * Returns 0, or -1 with @error.
 */
int cpu_list_parse(const char *string, cpu_set_t *out, struct error *error);

#endif
