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
 * is_region_prepared - whether an event is a region that is_prepared()
 *
 * Regions are most of a stream; they have no required parts and no secrets.
 */
hot_inline bool is_region_prepared(const struct trace2_settings *settings,
				   const struct trace2_event *event)
{
	return (event->kind == TRACE2_REGION_ENTER || event->kind == TRACE2_REGION_LEAVE) &&
	       (event->more.size == 0 || settings->has_valid_json);
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
