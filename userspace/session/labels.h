/* SPDX-License-Identifier: GPL-2.0-only */
/* Labels of a recording: --label=KEY=VALUE. */
#ifndef SESSION_LABELS_H
#define SESSION_LABELS_H

#include "base/base.h"

/** labels_merge - append those of @more whose keys are not in @lines; returns -1 without memory */
int labels_merge(struct buffer *lines, struct text more);

#endif
