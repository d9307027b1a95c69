/* SPDX-License-Identifier: GPL-2.0-only */
/* What a process may do beyond what the owners of files allow. */
#ifndef CLI_PRIVILEGE_H
#define CLI_PRIVILEGE_H

#include <linux/capability.h>

#include "base/base.h"

/** PRIVILEGE - a capability (CAP_KILL) in a set of them */
#define PRIVILEGE(capability) (UINT64_C(1) << (capability))

/**
 * privilege_drop - give all privileges up for good but @kept, and those of programs that would be
 * started; returns -1 with @error
 */
int privilege_drop(uint64_t kept, struct error *error);

/** privilege_for_files - what it takes to change what is in a directory: nothing for its owner */
uint64_t privilege_for_files(const char *directory);

/**
 * privilege_raise_files - have as many files open as may be at all: each CPU of an instance takes
 * several, and so does each tracepoint
 *
 * Programs that were started before keep their limit.
 */
void privilege_raise_files(void);

#endif
