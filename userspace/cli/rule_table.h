/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints rules for ktrack list. */
#ifndef CLI_RULE_TABLE_H
#define CLI_RULE_TABLE_H

#include "reader/reader.h"

/** rule_table_print - print packs, then rules with their tracepoints */
void rule_table_print(const struct rule_listing *listing);

/** rule_json_lines_print - print one JSON object for each rule */
void rule_json_lines_print(const struct rule_listing *listing);

#endif
