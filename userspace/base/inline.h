/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Attributes of functions that run once per record or line, and container_of(). */
#ifndef BASE_INLINE_H
#define BASE_INLINE_H

#include <stddef.h>

/* Attributes of functions that run once per record or line. */

/** hot_inline - a function that is always inlined: it does less work than a call costs */
#define hot_inline static inline __attribute__((always_inline))
/** out_of_line - a rare function that must not grow its hot caller */
#define out_of_line __attribute__((noinline))
/** likely, unlikely - which way a condition mostly goes */
#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

/**
 * hot_function - a function that runs for every line
 *
 * Without it, the compiler takes code behind many conditions for rare and optimizes it for size: it
 * emits divisions.
 */
#define hot_function __attribute__((hot))

/**
 * copies_wide - compile a function twice, once for AVX2; the loader chooses
 *
 * Functions that mostly copy run with a tenth fewer instructions. Sanitizers cannot run before the
 * choice is made, and C libraries other than glibc do not offer it.
 */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && \
	!defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define copies_wide __attribute__((target_clones("avx2", "default")))
#else
#define copies_wide
#endif

/* From a member to the struct around it. */

/** container_of - the struct @type whose @member is at @pointer */
#define container_of(pointer, type, member) ((type *)((char *)(pointer)-offsetof(type, member)))

#endif
