/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes as text, for places that take no others. */
#ifndef SINK_BASE64_H
#define SINK_BASE64_H

#include "base/base.h"

/** base64_append - add @bytes in base64, with padding */
void base64_append(struct buffer *out, struct text bytes);

#endif
