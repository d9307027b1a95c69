/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Preprocessor: applies one macro to each attribute of a tracepoint's declaration. */
#ifndef KTRACK_MAP_H
#define KTRACK_MAP_H

/*
 * An attribute is a parenthesised triple (kind, C type, field name), so that writing a
 * macro's name before it calls that macro. Ten attributes and the two arguments that every
 * slice has are the twelve which the kernel's BPF glue can pass.
 */
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

#define __KTRACK_COUNT(...) \
	__KTRACK_ELEVENTH(_, ##__VA_ARGS__, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define __KTRACK_ELEVENTH(_, a, b, c, d, e, f, g, h, i, j, count, ...) count

#define __KTRACK_JOIN(a, b)	__KTRACK_JOIN_NOW(a, b)
#define __KTRACK_JOIN_NOW(a, b)	a##b

/* Expands to apply(kind, ctype, name) for each attribute, with nothing in between. */
#define __KTRACK_EACH(apply, ...) \
	__KTRACK_JOIN(__KTRACK_EACH_, __KTRACK_COUNT(__VA_ARGS__))(apply, ##__VA_ARGS__)

#endif
