/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel symbols: from addresses of code to names, by the text of /proc/kallsyms. */
#ifndef EVENT_KALLSYMS_H
#define EVENT_KALLSYMS_H

#include "base/base.h"

/** KALLSYMS_SYMBOLS_MAX, KALLSYMS_NAMES_SIZE_MAX - limits of a table; kernels have half of that */
#define KALLSYMS_SYMBOLS_MAX 500000
#define KALLSYMS_NAMES_SIZE_MAX (16 << 20)

/** struct kallsyms_line - a line "ADDRESS TYPE NAME [MODULE]" */
struct kallsyms_line {
	uint64_t address;
	char type;
	struct text name;
	struct text module; /* empty for the kernel's symbols */
};

/** kallsyms_line_parse - returns false if the line is no symbol */
bool kallsyms_line_parse(struct kallsyms_line *out, struct text line);
/** kallsyms_line_is_mark - whether an assembler marks code or data in a function: "$x", "$d.3" */
bool kallsyms_line_is_mark(const struct kallsyms_line *line);
/** kallsyms_line_is_code - whether the symbol begins code; the ends of the kernel's code do not */
bool kallsyms_line_is_code(const struct kallsyms_line *line);

struct kallsyms;

/** struct kallsyms_symbol - a function */
struct kallsyms_symbol {
	struct text name;   /* borrowed from the table */
	struct text module; /* empty if it is the kernel's own; borrowed from the table */
	uint64_t begin;	    /* its first address */
	/* the address behind it: the next symbol's, or a guess if the next one is far */
	uint64_t end;
};

/**
 * kallsyms_new - parse the text of /proc/kallsyms
 * @out: for kallsyms_free(); NULL on failure
 *
 * Lines that are no symbols are skipped. Returns 0, or -1 with @error if there are no symbols, too
 * many, or all addresses are hidden.
 */
int kallsyms_new(struct kallsyms **out, struct text text, struct error *error);

/** kallsyms_read - kallsyms_new() of the file @path, or of /proc/kallsyms if that is NULL */
int kallsyms_read(struct kallsyms **out, const char *path, struct error *error);
/** address_is_up_to - for sorted_count(): members that begin with an address, and an address */
bool address_is_up_to(const void *member, const void *address);
/** kallsyms_begin - an empty table for kallsyms_add(), kallsyms_finish(); NULL without memory */
struct kallsyms *kallsyms_begin(void);
/** kallsyms_add - add a part of the text; lines may be split between parts */
void kallsyms_add(struct kallsyms *table, struct text part);
/** kallsyms_finish - prepare for look-ups after all parts; kallsyms_free() is still needed */
int kallsyms_finish(struct kallsyms *table, struct error *error);
/** kallsyms_free - free a table; NULL is fine */
void kallsyms_free(struct kallsyms *table);
/** kallsyms_find - the function that contains @address, the first name of several; or false */
bool kallsyms_find(const struct kallsyms *table, uint64_t address, struct kallsyms_symbol *out);
/** kallsyms_find_name - the first function with this name; returns false if there is none */
bool kallsyms_find_name(const struct kallsyms *table, struct text name,
			struct kallsyms_symbol *out);
/** kallsyms_set_partial - the table may lack functions to which no record refers */
void kallsyms_set_partial(struct kallsyms *table);

bool kallsyms_is_partial(const struct kallsyms *table);

/** kallsyms_count - number of functions, aliases included */
size_t kallsyms_count(const struct kallsyms *table);
/** kallsyms_size - bytes of memory */
size_t kallsyms_size(const struct kallsyms *table);

/* Symbols of kernel modules that are loaded while they are traced. */

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
