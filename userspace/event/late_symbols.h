/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbols of kernel modules that are loaded while they are traced. */
#ifndef EVENT_LATE_SYMBOLS_H
#define EVENT_LATE_SYMBOLS_H

#include "event/kallsyms.h"

struct late_symbols;

/**
 * late_symbols_open - open the list of symbols while it may be read
 * @out: for late_symbols_close(); NULL on failure
 * @symbols: path of the list, NULL for /proc/kallsyms
 * @modules: path of a directory with a directory for each module, NULL for /sys/module
 *
 * The kernel decides when the list is opened whether addresses are shown, so that it can be read
 * after privileges were dropped. Returns 0, or -1 with @error.
 */
int late_symbols_open(struct late_symbols **out, const char *symbols, const char *modules,
		      struct error *error);

/** late_symbols_close - close the list; NULL is allowed */
void late_symbols_close(struct late_symbols *late);

/** late_symbols_expire - modules were loaded or unloaded: addresses may be those of others */
void late_symbols_expire(struct late_symbols *late);

/**
 * late_symbols_find - the function that contains @address
 * @early: all symbols at the beginning, among which those of unloaded modules are found
 *
 * Reads the list if modules changed, or if no function contains @address: at most once per second,
 * and once for each such address.
 * Returns false if there is none. @out is valid until the next call.
 */
bool late_symbols_find(struct late_symbols *late, const struct kallsyms *early, uint64_t address,
		       struct kallsyms_symbol *out);

#endif
