/* SPDX-License-Identifier: GPL-2.0-only */
/* Sizes, counts and lists of CPUs on a command line. */
#ifndef CLI_PARSE_SIZE_H
#define CLI_PARSE_SIZE_H

#include <sched.h>

#include "base/base.h"

/**
 * size_kib_parse - parse a size: a number of KiB, or a number with k, M, G, KiB, MiB or GiB
 * @out_kib: from 1 to BUFFER_KIB_MAX
 *
 * Returns 0, or -1 with @error.
 */
int size_kib_parse(const char *string, uint64_t *out_kib, struct error *error);

/**
 * count_parse - parse a number of @things, at least one
 *
 * Returns 0, or -1 with @error.
 */
int count_parse(const char *string, const char *things, uint64_t *out, struct error *error);

/**
 * cpu_list_parse - parse a list of CPUs: "0,2-3"
 *
 * Returns 0, or -1 with @error.
 */
int cpu_list_parse(const char *string, cpu_set_t *out, struct error *error);

#endif
