/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Lists in macro arguments: a macro applied to each item.
 *
 * checkpatch reports COMPLEX_MACRO, MACRO_ARG_UNUSED: these macros make lists, which parentheses
 * would turn into one item, and count by arguments that they do not use.
 */
#ifndef KTRACK_USER_LIST_H
#define KTRACK_USER_LIST_H

#pragma GCC system_header

/*
 * Expands to apply(kind, ctype, name, ...) for each attribute, without separators. The first
 * arguments have names, so that no comma remains in a strict standard mode without attributes.
 */
#define __KTRACK_EACH(apply, ...) \
	__KTRACK_JOIN(__KTRACK_EACH_, __KTRACK_COUNT(_, ##__VA_ARGS__))(apply, ##__VA_ARGS__)

#define __KTRACK_EACH_0(apply)
#define __KTRACK_EACH_1(apply, one)		apply one
#define __KTRACK_EACH_2(apply, one, ...)	apply one __KTRACK_EACH_1(apply, __VA_ARGS__)
#define __KTRACK_EACH_3(apply, one, ...)	apply one __KTRACK_EACH_2(apply, __VA_ARGS__)
#define __KTRACK_EACH_4(apply, one, ...)	apply one __KTRACK_EACH_3(apply, __VA_ARGS__)
#define __KTRACK_EACH_5(apply, one, ...)	apply one __KTRACK_EACH_4(apply, __VA_ARGS__)
#define __KTRACK_EACH_6(apply, one, ...)	apply one __KTRACK_EACH_5(apply, __VA_ARGS__)
#define __KTRACK_EACH_7(apply, one, ...)	apply one __KTRACK_EACH_6(apply, __VA_ARGS__)
#define __KTRACK_EACH_8(apply, one, ...)	apply one __KTRACK_EACH_7(apply, __VA_ARGS__)
#define __KTRACK_EACH_9(apply, one, ...)	apply one __KTRACK_EACH_8(apply, __VA_ARGS__)
#define __KTRACK_EACH_10(apply, one, ...)	apply one __KTRACK_EACH_9(apply, __VA_ARGS__)

/* Expands to apply(about, PLACE, item) for each item, PLACE from 0. */
#define __KTRACK_NUMBERED(apply, about, ...) \
	__KTRACK_JOIN(__KTRACK_NUMBERED_, __KTRACK_COUNT(_, ##__VA_ARGS__))(apply, about, ##__VA_ARGS__)

#define __KTRACK_NUMBERED_0(apply, about)
#define __KTRACK_NUMBERED_1(apply, about, a) \
	apply(about, 0, a)
#define __KTRACK_NUMBERED_2(apply, about, a, b) \
	__KTRACK_NUMBERED_1(apply, about, a) apply(about, 1, b)
#define __KTRACK_NUMBERED_3(apply, about, a, b, c) \
	__KTRACK_NUMBERED_2(apply, about, a, b) apply(about, 2, c)
#define __KTRACK_NUMBERED_4(apply, about, a, b, c, d) \
	__KTRACK_NUMBERED_3(apply, about, a, b, c) apply(about, 3, d)
#define __KTRACK_NUMBERED_5(apply, about, a, b, c, d, e) \
	__KTRACK_NUMBERED_4(apply, about, a, b, c, d) apply(about, 4, e)
#define __KTRACK_NUMBERED_6(apply, about, a, b, c, d, e, f) \
	__KTRACK_NUMBERED_5(apply, about, a, b, c, d, e) apply(about, 5, f)
#define __KTRACK_NUMBERED_7(apply, about, a, b, c, d, e, f, g) \
	__KTRACK_NUMBERED_6(apply, about, a, b, c, d, e, f) apply(about, 6, g)
#define __KTRACK_NUMBERED_8(apply, about, a, b, c, d, e, f, g, h) \
	__KTRACK_NUMBERED_7(apply, about, a, b, c, d, e, f, g) apply(about, 7, h)
#define __KTRACK_NUMBERED_9(apply, about, a, b, c, d, e, f, g, h, i) \
	__KTRACK_NUMBERED_8(apply, about, a, b, c, d, e, f, g, h) apply(about, 8, i)
#define __KTRACK_NUMBERED_10(apply, about, a, b, c, d, e, f, g, h, i, j) \
	__KTRACK_NUMBERED_9(apply, about, a, b, c, d, e, f, g, h, i) apply(about, 9, j)

/* An error says that ten are the most. */
#define __KTRACK_EACH_11(apply, ...)
#define __KTRACK_NUMBERED_11(apply, about, ...)

/* The number of items behind the first, 11 for eleven to forty. */
#define __KTRACK_COUNT(first, ...)						\
	__KTRACK_LAST(first, ##__VA_ARGS__, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, \
		      11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, \
		      11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define __KTRACK_LAST(_, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, \
		      a1, b1, c1, d1, e1, f1, g1, h1, i1, j1, k1, l1, m1, n1, o1, p1, q1, r1, s1, \
		      t1, count, ...)						\
	count

#define __KTRACK_JOIN(a, b)			__KTRACK_JOIN_NOW(a, b)
#define __KTRACK_JOIN_NOW(a, b)			a##b

#define __KTRACK_STRING(a)			__KTRACK_STRING_NOW(a)
#define __KTRACK_STRING_NOW(a)			#a

/* The second word, which the first may expand to: __KTRACK_SECOND(MACRO, otherwise, _). */
#define __KTRACK_SECOND(...)			__KTRACK_SECOND_NOW(__VA_ARGS__)
#define __KTRACK_SECOND_NOW(first, second, ...)	second

/* A list without its parentheses. */
#define __KTRACK_BARE(...)			__VA_ARGS__

#endif
