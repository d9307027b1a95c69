/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tracefs: tracing instances, their tracepoints, ring buffers and statistics. The second public
 * header, page.h, walks sub-buffers, which files have too.
 */
#ifndef TRACEFS_TRACEFS_H
#define TRACEFS_TRACEFS_H

#include "tracefs/boot_instance.h"
#include "tracefs/dynamic.h"
#include "tracefs/instance.h"
#include "tracefs/module_watch.h"
#include "tracefs/reader.h"
#include "tracefs/lock.h"
#include "tracefs/statistics.h"
#include "tracefs/tasks.h"
#include "tracefs/tracepoints.h"

#endif
