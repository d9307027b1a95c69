/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether the kernel is locked down, so that nobody may trace. */
#ifndef TRACEFS_LOCKDOWN_H
#define TRACEFS_LOCKDOWN_H

#include "base/base.h"

/** LOCKDOWN_PATH - where securityfs has it */
#define LOCKDOWN_PATH "/sys/kernel/security/lockdown"

/**
 * lockdown_forbids_tracing - whether a text as in LOCKDOWN_PATH, "none integrity
 * [confidentiality]", names the level that closes tracefs
 */
bool lockdown_forbids_tracing(struct text levels);

/**
 * lockdown_check - explain why tracefs in @directory cannot be used
 *
 * Returns 0, or -1 with @error if its files cannot be opened and the kernel is locked down.
 */
int lockdown_check(const char *directory, struct error *error);

#endif
