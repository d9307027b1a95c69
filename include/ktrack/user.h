/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Track events of programs: the calls of the macros for drivers, for C11 and C++11. ktrack-user(7)
 * is the manual.
 *
 *	#define KTRACK_SYSTEM mytool
 *	#include <ktrack/user.h>
 *
 *	KTRACK_SLICE(mytool_work);
 *	KTRACK_SLICE(mytool_request, KTRACK_ASYNC(id), KTRACK_RESULT(status));
 *	KTRACK_COUNTER(mytool_depth, uint32_t, KTRACK_SCOPE(uint32_t, queue));
 *
 *	ktrack_guard(mytool_work, "parse");
 *	ktrack_sample(mytool_depth, depth, 0);
 *
 * Declare events in a header, and include it in every file that emits them. Nothing else is needed:
 * no library, no start-up call.
 *
 * While nobody records, a call costs one load and one branch, and does not evaluate its arguments,
 * which must not have side effects. It is allowed in signal handlers, except those with formatted
 * names, and never blocks, allocates or fails. A name is copied, and cut at KTRACK_STRING_MAX
 * bytes.
 *
 * Define before the declarations:
 * KTRACK_SYSTEM, a word, is the first part of the names of all events: SYSTEM:EVENT; otherwise it is
 * user. The header of a library leaves it to the program and has KTRACK_SLICE_OF().
 * Define before the include:
 * KTRACK_DISABLE removes all calls at compile time.
 */
#ifndef KTRACK_USER_H
#define KTRACK_USER_H

#if !defined(__cplusplus) && defined(__STRICT_ANSI__) && !defined(_DEFAULT_SOURCE) && \
	!defined(_GNU_SOURCE)
#error "ktrack/user.h needs POSIX: compile with -std=gnu11 or with -D_DEFAULT_SOURCE"
#endif
#if !defined(__linux__) || !defined(__LP64__)
#error "ktrack/user.h needs 64-bit Linux; leave it out elsewhere"
#endif

/*
 * Calls without attributes or values are an extension in strict modes. gcc is silent in a header of
 * the system, whose macros' arguments have the program's warnings; clang's have none there.
 */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wgnu-zero-variadic-macro-arguments"
#else
#pragma GCC system_header
#endif

/**
 * KTRACK_SLICE() - declare an event for slices and instants
 * @event: its name, unique in the program
 * @...: attributes, ten at most; user/attribute.h has them
 *
 * Calls pass one value per attribute in the order of this declaration, except for
 * KTRACK_SCOPE_GLOBAL and, unless they end a slice, KTRACK_RESULT(). Without a scope, a track name
 * and KTRACK_ASYNC(), each calling thread has its own track.
 */
#define KTRACK_SLICE(event, ...)	KTRACK_SLICE_OF(KTRACK_SYSTEM, event, ##__VA_ARGS__)

/**
 * KTRACK_SLICE_OF() - the same, for the header of a library
 * @system: a word, the first part of the event's name, whatever KTRACK_SYSTEM the program has
 * @event: its name, unique in the programs that use the library
 * @...: attributes
 */
#define KTRACK_SLICE_OF(system, event, ...)					\
	__KTRACK_CHECK_LIST(event, ##__VA_ARGS__)				\
	__KTRACK_JOIN(__KTRACK_DEFINE_SLICE_, __KTRACK_IS_LIST(event, ##__VA_ARGS__)) \
		(__KTRACK_SYSTEM_OF(system), event, ##__VA_ARGS__)		\
	struct ktrack_user_thread

/**
 * KTRACK_COUNTER() - declare an event for the samples of counters
 * @event: its name, unique in the program
 * @ctype: the counter's integer type, or double or float
 * @...: attributes, as for KTRACK_SLICE()
 */
#define KTRACK_COUNTER(event, ctype, ...) \
	KTRACK_COUNTER_OF(KTRACK_SYSTEM, event, ctype, ##__VA_ARGS__)

/**
 * KTRACK_COUNTER_OF() - the same, for the header of a library
 * @system: as of KTRACK_SLICE_OF()
 * @event: its name, unique in the programs that use the library
 * @ctype: the counter's integer type, or double or float
 * @...: attributes
 */
#define KTRACK_COUNTER_OF(system, event, ctype, ...)				\
	__KTRACK_CHECK_TYPE(event, ctype)					\
	__KTRACK_CHECK_LIST(event, ##__VA_ARGS__)				\
	__KTRACK_JOIN(__KTRACK_DEFINE_COUNTER_,					\
		      __KTRACK_JOIN(__KTRACK_IS_COUNTER_, __KTRACK_IS_TUPLE(ctype))	\
			(event, ##__VA_ARGS__))					\
		(__KTRACK_SYSTEM_OF(system), event, ctype, ##__VA_ARGS__)	\
	struct ktrack_user_thread

/** ktrack_enabled() - whether this event is recorded; for work that only a trace needs */
#define ktrack_enabled(event)	((void)sizeof(event##_is_no_ktrack_event), __KTRACK_IS_ON(event))

/**
 * ktrack_begin() - begin a slice on its track
 * @event: an event declared by KTRACK_SLICE()
 * @name: the slice's name
 * @...: the event's attributes, in the order of its declaration
 */
#define ktrack_begin(event, name, ...)						\
do {										\
	__KTRACK_CHECK(__ktrack, event, SLICE, begin, 0, __KTRACK_NAME(name), \
		       ##__VA_ARGS__);						\
	if (ktrack_user_is_on())						\
		(__KTRACK_CALL(__ktrack, event, start))(KTRACK_TYPE_BEGIN, name, ##__VA_ARGS__); \
} while (0)

/**
 * ktrack_end() - end the innermost open slice of its track
 * @event: the event on which the slice began
 * @...: the event's attributes, in the order of its declaration. Scopes, async id and track name
 *	must equal those of the begin; other fields may differ.
 */
#define ktrack_end(event, ...)							\
do {										\
	__KTRACK_CHECK(__ktrack, event, SLICE, end, 0, __KTRACK_NO_NAME, ##__VA_ARGS__);	\
	if (ktrack_user_is_on())						\
		(__KTRACK_CALL(__ktrack, event, finish))(KTRACK_TYPE_END, ##__VA_ARGS__); \
} while (0)

/**
 * ktrack_instant() - mark a point in time on a slice track
 * @event: an event declared by KTRACK_SLICE()
 * @name: the instant's name
 * @...: the event's attributes, in the order of its declaration
 */
#define ktrack_instant(event, name, ...)					\
do {										\
	__KTRACK_CHECK(__ktrack, event, SLICE, begin, 0, __KTRACK_NAME(name), \
		       ##__VA_ARGS__);						\
	if (ktrack_user_is_on())						\
		(__KTRACK_CALL(__ktrack, event, start))(KTRACK_TYPE_INSTANT, name, ##__VA_ARGS__); \
} while (0)

/**
 * ktrack_sample() - record the current value of a counter
 * @event: an event declared by KTRACK_COUNTER()
 * @value: the level, not the change since the last sample
 * @...: the event's attributes, in the order of its declaration
 */
#define ktrack_sample(event, value, ...)					\
do {										\
	__KTRACK_CHECK(__ktrack, event, COUNTER, end, 0, __KTRACK_SAMPLE(value), \
		       ##__VA_ARGS__);						\
	if (ktrack_user_is_on())						\
		(__KTRACK_CALL(__ktrack, event, sample))(0, value, ##__VA_ARGS__); \
} while (0)

/**
 * ktrack_user_set_up() - connect to ktrack now
 *
 * Only for code that runs before the constructors with priority 101, or among them: what a library
 * calls of the program when it is loaded, say. Calls of the macros before the set-up emit nothing.
 * All calls but the first do nothing.
 */
#define ktrack_user_set_up()	ktrack_user3_set_up()

/**
 * ktrack_flow_new() - a number for KTRACK_FLOW()
 * @event: an event of the flow
 *
 * No other call in any process returns the number. While nobody records
 * @event it is 0, which is no flow.
 */
#define ktrack_flow_new(event) \
	(ktrack_enabled(event) ? ktrack_user_flow_next() : 0)

/*
 * Behind the calls: the parts are headers of the system, without warnings, and so is all that
 * follows them where they are one file. Calls have the program's warnings.
 */
#include "user/emit.h"
#include "user/guard.h"
#ifndef KTRACK_DISABLE
#include "user/setup.h"
#else
#undef ktrack_user_is_on
#define ktrack_user_is_on() 0
#undef ktrack_user_set_up
#define ktrack_user_set_up() ((void)0)
#endif

static inline ktrack_flow_id ktrack_user_flow_next(void)
{
	uint64_t number = __atomic_add_fetch(&ktrack_user3_process.last_flow, 1, __ATOMIC_RELAXED);

	return UINT64_C(1) * ktrack_user3_control.pid << 40 | (number & ((UINT64_C(1) << 40) - 1));
}

/**
 * KTRACK_THIS_CPU - the CPU that the caller runs on now, for KTRACK_SCOPE_CPU
 *
 * A begin and its end may run on different CPUs: read the number once and pass it to both, as
 * ktrack_guard() does.
 */
#define KTRACK_THIS_CPU		ktrack_user_cpu()

#ifdef __cplusplus
extern "C" {
#endif
/* Another name, since some modes hide the C library's declaration. */
extern int ktrack_user_cpu(void) __asm__("sched_getcpu");
#ifdef __cplusplus
}
#endif

#endif
