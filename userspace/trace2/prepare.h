/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Prepares events for printers: complete, without secrets, with valid JSON. */
#ifndef TRACE2_PREPARE_H
#define TRACE2_PREPARE_H

#include "base/base.h"
#include "trace2/redact.h"

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
 * is_record_prepared - whether an event is a region or data that is_prepared(), if its JSON is valid
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

#endif
