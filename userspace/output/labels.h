/* SPDX-License-Identifier: GPL-2.0-only */
/* Labels of a recording: --label=KEY=VALUE. */
#ifndef OUTPUT_LABELS_H
#define OUTPUT_LABELS_H

#include "base/base.h"

/** LABELS_MAX, LABEL_KEY_MAX, LABEL_VALUE_MAX - limits: how many, and bytes of each */
#define LABELS_MAX 32
#define LABEL_KEY_MAX 64
#define LABEL_VALUE_MAX 256

/**
 * labels_add - add a label
 * @lines: the labels, each a line "KEY=VALUE"
 * @text: "KEY=VALUE", as the user wrote it
 *
 * Returns 0, or -1 with @error.
 */
int labels_add(struct buffer *lines, const char *text, struct error *error);

/** labels_merge - append those of @more whose keys are not in @lines; returns -1 without memory */
int labels_merge(struct buffer *lines, struct text more);

#endif
