/* SPDX-License-Identifier: GPL-2.0-only */
/* Comma-separated values. */
#ifndef SINK_CSV_H
#define SINK_CSV_H

#include "base/base.h"

/** csv_append_text - append a field, in quotes if it needs them, as in RFC 4180 */
void csv_append_text(struct buffer *out, struct text text);

#endif
