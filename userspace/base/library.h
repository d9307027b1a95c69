/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Shared libraries that few runs need. They are loaded at first use: linked, they would cost every
 * start of ktrack the time to map and relocate them.
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <stddef.h>

#include "base/error.h"

/** struct library_function - a function to find */
struct library_function {
	const char *name;
	void *pointer; /* a pointer to a function of its type, which library_load() sets */
};

/** LIBRARY_MEMBER - the member of a struct that points to a function, with the function's name */
#define LIBRARY_MEMBER(name) __typeof__(&name) name;
/** LIBRARY_FUNCTION - the element of a list of functions, for such a member of @api */
#define LIBRARY_FUNCTION(name) { #name, &api->name },

/**
 * library_load - load a shared library and find its functions
 * @handle: for library_release(), also on failure
 * @file: its name, as the dynamic linker finds it
 * @remedy: what to install
 *
 * Returns 0, or -1 with @error.
 */
int library_load(void **handle, const char *file, const char *remedy,
		 const struct library_function *functions, size_t nr_functions,
		 struct error *error);

/** library_release - unload a library; NULL is fine */
void library_release(void *handle);

#endif
