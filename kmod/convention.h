/* SPDX-License-Identifier: GPL-2.0-only */
/* Recognizes track events. */
#ifndef KTRACK_CONVENTION_H
#define KTRACK_CONVENTION_H

#include <linux/types.h>

struct trace_event_call;

bool convention_matches(const struct trace_event_call *call);

#endif
