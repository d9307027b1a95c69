/* SPDX-License-Identifier: GPL-2.0-only */
/* Comma-separated values. */
#ifndef SINK_CSV_H
#define SINK_CSV_H

#include "base/base.h"

/**
 * csv_append_text - append a text as a field, in quotes if it needs them, as in RFC 4180
 *
 * The result is UTF-8 without control characters: these, and bytes that are not UTF-8, become
 * \\xNN or \\uNNNN. A text that spreadsheets would take for a formula begins with an apostrophe.
 */
void csv_append_text(struct buffer *out, struct text text);

#endif
