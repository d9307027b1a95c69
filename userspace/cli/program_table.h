/* SPDX-License-Identifier: GPL-2.0-only */
/* ktrack list --programs. */
#ifndef CLI_PROGRAM_TABLE_H
#define CLI_PROGRAM_TABLE_H

#include <stdbool.h>

#include "base/base.h"

/** program_table_print - print programs that can be recorded; returns the exit status */
int program_table_print(bool is_json, const struct report *report, struct error *error);

#endif
