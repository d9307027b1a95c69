/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Events as they may be printed: nothing missing, nothing secret, and JSON where JSON is due. */
#ifndef TRACE2_PREPARE_H
#define TRACE2_PREPARE_H

#include "base/base.h"
#include "trace2/redact.h"

/**
 * struct prepared - an event, and what stands in for its parts
 * @event: what may be printed
 */
struct prepared {
	const struct trace2_event *event;
	struct trace2_event copy;
	struct trace2_repository repository;
	struct buffer value;
	struct buffer more;
	struct redacted redacted;
};

/** is_kind_prepared - is_prepared() of any kind */
bool is_kind_prepared(const struct trace2_settings *settings, const struct trace2_event *event);

/**
 * is_prepared - whether an event may be printed as it is, as most may
 *
 * Regions, which most events are, have no part that must be there, and no secrets.
 */
static inline bool is_prepared(const struct trace2_settings *settings,
			       const struct trace2_event *event)
{
	if (event->kind == TRACE2_REGION_ENTER || event->kind == TRACE2_REGION_LEAVE)
		return event->more.size == 0 || settings->has_valid_json;
	return is_kind_prepared(settings, event);
}

/** prepared_init - make an event ready; returns -1 where memory ran out */
int prepared_init(struct prepared *prepared, const struct trace2_settings *settings,
		  const struct trace2_event *event);

void prepared_release(struct prepared *prepared);

#endif
