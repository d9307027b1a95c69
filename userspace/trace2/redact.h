/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Passwords in URLs are not told. */
#ifndef TRACE2_REDACT_H
#define TRACE2_REDACT_H

#include "trace2/trace2.h"

/**
 * struct redacted - an event whose words and values have no passwords
 * @event: the caller's own where there was nothing to hide, @copy otherwise
 * @words, @value: what was allocated for @copy
 */
struct redacted {
	const struct trace2_event *event;
	struct trace2_event copy;
	char **words;
	char *value;
};

/**
 * redacted_init - hide the password of "http[s]://user:password@host"; returns -1 where memory ran
 * out
 */
int redacted_init(struct redacted *redacted, const struct trace2_event *event);

void redacted_release(struct redacted *redacted);

#endif
