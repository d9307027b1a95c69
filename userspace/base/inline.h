/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Words for the functions that every record and every line comes by. */
#ifndef BASE_INLINE_H
#define BASE_INLINE_H

/**
 * hot_inline - a static function that is inlined wherever it is called
 *
 * A record goes through a dozen small functions, most of which do less than a call costs that has
 * to put registers aside.
 */
#define hot_inline static inline __attribute__((always_inline))

/**
 * hot_function - a function that every line comes by
 *
 * Where many conditions stand before its work, the compiler takes that for rare, and would have it
 * small rather than fast: it divides.
 */
#define hot_function __attribute__((hot))

#endif
