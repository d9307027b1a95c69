/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits what hostile programs cost: a share of each second. */
#ifndef USERRING_SHARE_H
#define USERRING_SHARE_H

#include "base/base.h"

/** struct time_share - a second since @from_ns, and what something has taken of it */
struct time_share {
	int64_t from_ns;
	int64_t used_ns;
};

/** time_share_left - what is left of @limit_ns in the second of @now_ns; less than 0 if more was taken */
static inline int64_t time_share_left(struct time_share *share, int64_t now_ns, int64_t limit_ns)
{
	if (now_ns - share->from_ns >= NS_PER_S)
		*share = (struct time_share){ .from_ns = now_ns };
	return limit_ns - share->used_ns;
}

#endif
