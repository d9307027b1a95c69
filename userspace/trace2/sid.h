/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The parents of a program, from its environment. */
#ifndef TRACE2_SID_H
#define TRACE2_SID_H

/**
 * parent_join - "PARENT/own" with the value of @variable, or "own" if it is unset
 *
 * Returns a string for free(), or NULL if memory ran out.
 */
char *parent_join(const char *variable, const char *own);

#endif
