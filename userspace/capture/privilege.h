/* SPDX-License-Identifier: GPL-2.0-only */
/* Capabilities of this process. */
#ifndef CAPTURE_PRIVILEGE_H
#define CAPTURE_PRIVILEGE_H

#include <linux/capability.h>

#include "base/base.h"

/** PRIVILEGE - the set with one capability, such as CAP_KILL */
#define PRIVILEGE(capability) (UINT64_C(1) << (capability))

/**
 * privilege_drop - drop all capabilities but @kept for good, here and in future child processes
 *
 * Returns 0, or -1 with @error.
 */
int privilege_drop(uint64_t kept, struct error *error);

/** privilege_for_files - capabilities for changes in a directory: none for its owner */
uint64_t privilege_for_files(const char *directory);

/**
 * privilege_raise_files - raise the limit of open files as far as possible
 *
 * Each CPU of an instance and each tracepoint needs several. Programs that were started before keep
 * their limit.
 */
void privilege_raise_files(void);

#endif
