/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits in words: "SUBJECT < VALUE". */
#ifndef ANALYSIS_LIMIT_H
#define ANALYSIS_LIMIT_H

#include <stdbool.h>

#include "base/base.h"

/**
 * struct limit_words - the parts of a limit
 * @subject: before the comparison, without blanks at its ends
 * @value: behind it, likewise
 */
struct limit_words {
	struct text subject;
	struct text value;
	bool is_below;
	bool allows_equal;
};

/** text_trim - a text without the blanks at its ends */
struct text text_trim(struct text text);

/** limit_split - split a text at its last "<", "<=", ">" or ">="; false if it has none */
bool limit_split(struct text text, struct limit_words *out);

/**
 * limit_time_parse - parse a time
 *
 * Returns false if it is malformed, or has no unit: seconds without a unit would be a trap here.
 */
bool limit_time_parse(struct text text, int64_t *out_ns);

#endif
