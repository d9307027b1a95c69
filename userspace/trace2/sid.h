/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the environment says of a program's parents. */
#ifndef TRACE2_SID_H
#define TRACE2_SID_H

/**
 * parent_join - "PARENT/own" with the parent of a variable, or "own"; for free(), NULL where
 * memory ran out
 */
char *parent_join(const char *variable, const char *own);

#endif
