/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Lists in macro arguments: a macro applied to each item.
 *
 * checkpatch reports COMPLEX_MACRO, MACRO_ARG_UNUSED: these macros make lists, which parentheses
 * would turn into one item, and count by arguments that they do not use.
 */
#ifndef KTRACK_USER_LIST_H
#define KTRACK_USER_LIST_H

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

#define __KTRACK_COUNT(first, ...)						\
	__KTRACK_TWELFTH(first, ##__VA_ARGS__, ten_attributes_at_most,		\
			 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define __KTRACK_TWELFTH(_, a, b, c, d, e, f, g, h, i, j, k, count, ...) count

#define __KTRACK_JOIN(a, b)			__KTRACK_JOIN_NOW(a, b)
#define __KTRACK_JOIN_NOW(a, b)			a##b

#define __KTRACK_STRING(a)			__KTRACK_STRING_NOW(a)
#define __KTRACK_STRING_NOW(a)			#a

/* A list without its parentheses. */
#define __KTRACK_BARE(...)			__VA_ARGS__

#endif
