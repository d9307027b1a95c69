/* SPDX-License-Identifier: GPL-2.0-only */
/* Base64, for bytes in the page's text. */
#ifndef SINK_HTML_BASE64_H
#define SINK_HTML_BASE64_H

#include "base/base.h"

/** base64_letters - the digits, by their value */
extern const char base64_letters[];

/** base64_append - append @bytes in base64, with padding */
void base64_append(struct buffer *out, struct text bytes);

#endif
