/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Prepares events for printers: complete, without secrets, with valid JSON. */
#ifndef TRACE2_PREPARE_H
#define TRACE2_PREPARE_H

#include "base/base.h"
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

/**
 * struct prepared - an event for printers, and replacements of its parts
 * @event: to print
 */
struct prepared {
	const struct trace2_event *event;
	struct trace2_event copy;
	struct trace2_repository repository;
	struct buffer value;
	struct buffer more;
	struct redacted redacted;
};

/** is_prepared - whether an event can be printed unchanged and without a further line */
bool is_prepared(const struct trace2_settings *settings, const struct trace2_event *event);

/**
 * is_record_prepared - whether an event is a region or data that is_prepared(), if its JSON is
 * valid
 *
 * These are most of a stream. They have no secrets, and regions have no required parts.
 */
hot_inline bool is_record_prepared(const struct trace2_event *event)
{
	if (event->kind == TRACE2_REGION_ENTER || event->kind == TRACE2_REGION_LEAVE)
		return true;
	return (event->kind == TRACE2_DATA || event->kind == TRACE2_DATA_JSON) &&
	       event->data.category && event->data.key;
}

/**
 * prepared_init - complete, check and redact an event
 *
 * Returns 0, or -1 if memory ran out. Call prepared_release() in both cases.
 */
int prepared_init(struct prepared *prepared, const struct trace2_settings *settings,
		  const struct trace2_event *event);

/** prepared_release - free the replacements */
void prepared_release(struct prepared *prepared);

/** KIND_HEAD_MAX - bytes of a head that are copied, a constant */
#define KIND_HEAD_MAX 32

/**
 * struct kind - one kind of event
 * @name: in api-trace2
 * @head, @head_size: the beginning of its EVENT lines
 * @column: the name, padded for PERF's column
 * @has_t_abs: EVENT has "t_abs"
 * @may_have_t_abs: EVENT has "t_abs" if the settings ask for more than git's
 * @has_t_abs_column: PERF has the time since the session began
 * @has_secrets: words or values may contain passwords to hide
 */
struct kind {
	const char *name;
	char head[KIND_HEAD_MAX];
	size_t head_size;
	char column[KIND_HEAD_MAX];
	bool has_t_abs;
	bool may_have_t_abs;
	bool has_t_abs_column;
	bool has_secrets;
};

/** kinds - the table of kinds */
extern const struct kind kinds[TRACE2_KIND_COUNT];

#endif
