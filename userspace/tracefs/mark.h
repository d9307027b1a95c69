/* SPDX-License-Identifier: GPL-2.0-only */
/* Separates the instances that ktrack made from those of users, whatever their names are. */
#ifndef TRACEFS_MARK_H
#define TRACEFS_MARK_H

#include <stdbool.h>

/**
 * mark_set - mark the directory of an instance that was just made
 *
 * If the kernel refuses, the instance stays unmarked: 'ktrack clean' then says so, and leaves it.
 */
void mark_set(int directory_fd);

/** mark_is_set - whether ktrack made the instance in @directory */
bool mark_is_set(const char *directory);

#endif
