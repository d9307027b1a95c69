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

/** is_prepared - whether an event may be printed as it is, as most may */
bool is_prepared(const struct trace2_settings *settings, const struct trace2_event *event);

/** prepared_init - make an event ready; returns -1 where memory ran out */
int prepared_init(struct prepared *prepared, const struct trace2_settings *settings,
		  const struct trace2_event *event);

void prepared_release(struct prepared *prepared);

#endif
