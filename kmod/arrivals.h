/* SPDX-License-Identifier: GPL-2.0-only */
/* Modules that arrive: whoever records can have their events from the very first. */
#ifndef KTRACK_ARRIVALS_H
#define KTRACK_ARRIVALS_H

#ifdef CONFIG_EVENT_TRACING
int arrivals_init(void);
void arrivals_release(void);
#else
static inline int arrivals_init(void)
{
	return 0;
}

static inline void arrivals_release(void)
{
}
#endif

#endif
