/* SPDX-License-Identifier: GPL-2.0-only */
/* Notices modules that are loaded and unloaded; a part of tracefs.h. */
#ifndef TRACEFS_MODULE_WATCH_H
#define TRACEFS_MODULE_WATCH_H

#include <stdbool.h>

#include "base/base.h"

struct module_watch;

/**
 * module_watch_open - watch for modules that are loaded or unloaded from now on
 * @out: for module_watch_close()
 *
 * Returns -1 with @error.
 */
int module_watch_open(struct module_watch **out, struct error *error);

/**
 * module_watch_request - ask ktrack.ko to enable the tracepoints of modules before their init runs
 * @instance: the instance's name; it cannot be removed before module_watch_close()
 * @pattern: SYSTEM[:EVENT], both with wildcards
 *
 * Returns false if ktrack.ko is not loaded or refuses. The caller then enables the tracepoints
 * after the module is loaded.
 */
bool module_watch_request(struct module_watch *watch, const char *instance, const char *pattern);

/** module_watch_fd - a descriptor that becomes readable when modules were loaded or unloaded */
int module_watch_fd(const struct module_watch *watch);

/** module_watch_take - whether modules were loaded or unloaded since the last call */
bool module_watch_take(struct module_watch *watch);

/** module_watch_close - stop watching; NULL is fine */
void module_watch_close(struct module_watch *watch);

#endif
