/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Hides passwords in URLs. */
#ifndef TRACE2_REDACT_H
#define TRACE2_REDACT_H

#include "trace2/trace2.h"

/**
 * struct redacted - an event without passwords
 * @event: the caller's if there is nothing to hide, otherwise @copy
 * @words, @value: allocated for @copy
 */
struct redacted {
	const struct trace2_event *event;
	struct trace2_event copy;
	char **words;
	char *value;
};

/**
 * redacted_init - hide the password in "http[s]://user:password@host"
 *
 * Returns 0, or -1 if memory ran out. Call redacted_release() in both cases.
 */
int redacted_init(struct redacted *redacted, const struct trace2_event *event);

/** redacted_release - free the copies */
void redacted_release(struct redacted *redacted);

#endif
