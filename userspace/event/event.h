/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Public header of event/: records and losses, event formats and their fields, decoded events.
 *
 * Sources deliver struct record. convention/ fills a struct descriptor for each tracepoint from its
 * format, decodes records into struct decoded_event, and track/ consumes these.
 */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include "event/decoded.h"
#include "event/descriptor.h"
#include "event/field_ref.h"
#include "event/format.h"
#include "event/record.h"
#include "event/symbols.h"

#endif
