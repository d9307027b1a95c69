// SPDX-License-Identifier: GPL-2.0-only
/* The rows of the bench: one loop per way to write a record; only the bodies differ. */
#include <linux/compiler.h>
#include <linux/kernel.h>

#include "bench.h"

#define CREATE_TRACE_POINTS
#include "ktrack_bench_trace.h"

#define BENCH_NAME	"eleven byte"
#define BENCH_TRACK	"queue0"

/* The barrier prevents the compiler from moving work between rounds. */
#define BENCH_LOOP(row, body)							\
static noinline u32 bench_run_##row(u32 nr_rounds)				\
{										\
	u32 nr_evaluated = 0;							\
										\
	for (; nr_rounds; nr_rounds--) {					\
		body;								\
		barrier();							\
	}									\
	return nr_evaluated;							\
}

#define BENCH_ROW(row, event, nr_events) \
	{ #row, #event, nr_events, bench_run_##row }

BENCH_LOOP(nothing, barrier())
BENCH_LOOP(two_ints, trace_ktrack_bench_two_ints(1, 2))
BENCH_LOOP(plain_begin, trace_ktrack_bench_plain('B', BENCH_NAME))
/* trace_printk() with arguments; a kernel without tracing lacks it. */
#ifndef do_trace_printk
#define do_trace_printk(format, ...)	no_printk(format, ##__VA_ARGS__)
#endif
BENCH_LOOP(trace_printk, do_trace_printk("B|%d|%s\n", 1, BENCH_NAME))

BENCH_LOOP(begin, ktrack_begin(ktrack_bench_thread, BENCH_NAME))
BENCH_LOOP(end, ktrack_end(ktrack_bench_thread))
BENCH_LOOP(instant, ktrack_instant(ktrack_bench_thread, BENCH_NAME))
BENCH_LOOP(like_begin, ktrack_begin(ktrack_bench_like, BENCH_NAME))
BENCH_LOOP(track_begin, ktrack_begin(ktrack_bench_track, BENCH_NAME, BENCH_TRACK))
BENCH_LOOP(tgid_begin, ktrack_begin(ktrack_bench_tgid, BENCH_NAME, 1))
BENCH_LOOP(cpu_begin, ktrack_begin(ktrack_bench_cpu, BENCH_NAME, 1))
BENCH_LOOP(scope_begin, ktrack_begin(ktrack_bench_scope, BENCH_NAME, 1, BENCH_TRACK))
BENCH_LOOP(scope_end, ktrack_end(ktrack_bench_scope, 1, BENCH_TRACK))
BENCH_LOOP(result_begin, ktrack_begin(ktrack_bench_result, BENCH_NAME, 1, 4096, 0))
BENCH_LOOP(result_end, ktrack_end(ktrack_bench_result, 1, 4096, -5))

BENCH_LOOP(async_begin, ktrack_begin(ktrack_bench_async, BENCH_NAME, 1))
BENCH_LOOP(async_end, ktrack_end(ktrack_bench_async, 1))
BENCH_LOOP(flow_begin, ktrack_begin(ktrack_bench_flow, BENCH_NAME, 1))
BENCH_LOOP(request_begin, ktrack_begin(ktrack_bench_request, BENCH_NAME, 1, 2))
BENCH_LOOP(request_end, ktrack_end(ktrack_bench_request, 1, 2, -5))

BENCH_LOOP(sample, ktrack_sample(ktrack_bench_value, 1))
BENCH_LOOP(cpu_sample, ktrack_sample(ktrack_bench_value_cpu, 1, 1))
BENCH_LOOP(this_cpu_sample, ktrack_sample(ktrack_bench_value_cpu, 1, KTRACK_THIS_CPU))
BENCH_LOOP(scope_sample, ktrack_sample(ktrack_bench_value_scope, 1, 1, BENCH_TRACK))

BENCH_LOOP(copy_guard, ktrack_guard_copy(ktrack_bench_scope, BENCH_NAME, 1, BENCH_TRACK))

/**
 * struct bench_request - a driver's object with the attributes of its slices
 * @slot: scope
 * @bytes: not an attribute
 * @queue: track name
 */
struct bench_request {
	u32 slot;
	u32 bytes;
	const char *queue;
};

static struct bench_request bench_request = { 1, 4096, BENCH_TRACK };

static noinline const struct bench_request *bench_request_get(void)
{
	barrier();
	return &bench_request;
}

/* An opaque call, as in most blocks with a guard. */
static noinline u32 bench_work(u32 number)
{
	barrier();
	return number;
}

/* Loops and several exits: the compiler must keep whether the slice has begun. */
#define BENCH_WORK(row, slice, result)						\
static noinline u32 bench_work_##row(const struct bench_request *request)	\
{										\
	u32 index;								\
										\
	slice;									\
	for (index = 0; index < 4; index++)					\
		if (bench_work(index) == U32_MAX)				\
			return index;						\
	index = bench_work(request->bytes);					\
	result;									\
	return index;								\
}

BENCH_WORK(bare, barrier(), barrier())
BENCH_WORK(guard, ktrack_guard(ktrack_bench_thread, BENCH_NAME), barrier())
BENCH_WORK(scope_guard,
	   ktrack_guard(ktrack_bench_scope, BENCH_NAME, request->slot, KTRACK_STATIC(request->queue)),
	   barrier())
BENCH_WORK(result_guard,
	   ktrack_guard_named(end, ktrack_bench_result, BENCH_NAME, request->slot, request->bytes, 0),
	   ktrack_guard_set(end, result, index))

BENCH_LOOP(guard, ktrack_guard(ktrack_bench_thread, BENCH_NAME))
BENCH_LOOP(scope_guard, ktrack_guard(ktrack_bench_scope, BENCH_NAME, 1, BENCH_TRACK))

BENCH_LOOP(work, bench_work_bare(bench_request_get()))
BENCH_LOOP(work_guard, bench_work_guard(bench_request_get()))
BENCH_LOOP(work_scope_guard, bench_work_scope_guard(bench_request_get()))
BENCH_LOOP(work_result_guard, bench_work_result_guard(bench_request_get()))

BENCH_LOOP(begin_printf, ktrack_begin_printf(ktrack_bench_thread, ("eleven %s", "byte")))
BENCH_LOOP(guard_printf, ktrack_guard_printf(ktrack_bench_thread, ("eleven %s", "byte")))

/* The cost of an argument while the event is disabled: nothing, since it is not evaluated. */
BENCH_LOOP(begin_evaluating,
	   ktrack_begin(ktrack_bench_scope, BENCH_NAME, ++nr_evaluated, BENCH_TRACK))
BENCH_LOOP(sample_evaluating, ktrack_sample(ktrack_bench_value, ++nr_evaluated))
BENCH_LOOP(guard_evaluating,
	   ktrack_guard(ktrack_bench_scope, BENCH_NAME, ++nr_evaluated, BENCH_TRACK))

const struct bench_row bench_rows[] = {
	{ "nothing", NULL, 0, bench_run_nothing },
	BENCH_ROW(two_ints, ktrack_bench_two_ints, 1),
	BENCH_ROW(plain_begin, ktrack_bench_plain, 1),
	BENCH_ROW(begin, ktrack_bench_thread, 1),
	BENCH_ROW(end, ktrack_bench_thread, 1),
	BENCH_ROW(instant, ktrack_bench_thread, 1),
	BENCH_ROW(like_begin, ktrack_bench_like, 1),
	BENCH_ROW(track_begin, ktrack_bench_track, 1),
	BENCH_ROW(tgid_begin, ktrack_bench_tgid, 1),
	BENCH_ROW(cpu_begin, ktrack_bench_cpu, 1),
	BENCH_ROW(scope_begin, ktrack_bench_scope, 1),
	BENCH_ROW(scope_end, ktrack_bench_scope, 1),
	BENCH_ROW(result_begin, ktrack_bench_result, 1),
	BENCH_ROW(result_end, ktrack_bench_result, 1),
	BENCH_ROW(async_begin, ktrack_bench_async, 1),
	BENCH_ROW(async_end, ktrack_bench_async, 1),
	BENCH_ROW(flow_begin, ktrack_bench_flow, 1),
	BENCH_ROW(request_begin, ktrack_bench_request, 1),
	BENCH_ROW(request_end, ktrack_bench_request, 1),
	BENCH_ROW(sample, ktrack_bench_value, 1),
	BENCH_ROW(cpu_sample, ktrack_bench_value_cpu, 1),
	BENCH_ROW(this_cpu_sample, ktrack_bench_value_cpu, 1),
	BENCH_ROW(scope_sample, ktrack_bench_value_scope, 1),
	BENCH_ROW(guard, ktrack_bench_thread, 2),
	BENCH_ROW(scope_guard, ktrack_bench_scope, 2),
	BENCH_ROW(copy_guard, ktrack_bench_scope, 2),
	{ "work", NULL, 0, bench_run_work },
	BENCH_ROW(work_guard, ktrack_bench_thread, 2),
	BENCH_ROW(work_scope_guard, ktrack_bench_scope, 2),
	BENCH_ROW(work_result_guard, ktrack_bench_result, 2),
	BENCH_ROW(begin_printf, ktrack_bench_thread, 1),
	BENCH_ROW(guard_printf, ktrack_bench_thread, 2),
	{ "trace_printk", NULL, 1, bench_run_trace_printk },
	BENCH_ROW(begin_evaluating, ktrack_bench_scope, 1),
	BENCH_ROW(sample_evaluating, ktrack_bench_value, 1),
	BENCH_ROW(guard_evaluating, ktrack_bench_scope, 2),
	{ }
};
