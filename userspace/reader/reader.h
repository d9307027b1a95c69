/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Public header of reader/: the records of a source as track events.
 *
 * A selection says which tracepoints and rules are used, a filter which of their records; the
 * pipeline decodes these and delivers them to the sinks of a timeline.
 */
#ifndef READER_READER_H
#define READER_READER_H

#include "reader/filter.h"
#include "reader/listing.h"
#include "reader/other_records.h"
#include "reader/pipeline.h"
#include "reader/realtime.h"
#include "reader/selection.h"
#include "reader/stacks.h"
#include "reader/workload.h"

#endif
