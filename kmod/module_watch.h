/* SPDX-License-Identifier: GPL-2.0-only */
/* Module watch: enables track events of modules before their init runs. */
#ifndef KTRACK_MODULE_WATCH_H
#define KTRACK_MODULE_WATCH_H

#ifdef CONFIG_EVENT_TRACING
int module_watch_init(void);
void module_watch_release(void);
#else
static inline int module_watch_init(void)
{
	return 0;
}

static inline void module_watch_release(void)
{
}
#endif

#endif
