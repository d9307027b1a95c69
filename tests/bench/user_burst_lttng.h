/* SPDX-License-Identifier: GPL-2.0-only */
/* The event of user_burst.c as a tracepoint of LTTng-UST, which includes this file several times. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER burst

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "user_burst_lttng.h"

#if !defined(BENCH_USER_BURST_LTTNG_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_USER_BURST_LTTNG_H

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_EVENT(burst, one, LTTNG_UST_TP_ARGS(uint32_t, number),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, number, number)))

#endif

#include <lttng/tracepoint-event.h>
