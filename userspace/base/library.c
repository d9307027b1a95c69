// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Loads shared libraries. */
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

static int function_find(void *library, const char *file, const char *remedy,
			 const struct library_function *function, struct error *error)
{
	void *found = dlsym(library, function->name);

	if (!found)
		return error_set(error, "%s: has no %s; install %s", file, function->name, remedy);
	memcpy(function->pointer, &found, sizeof(found));
	return 0;
}

int library_load(void **handle, const char *file, const char *remedy,
		 const struct library_function *functions, size_t nr_functions, struct error *error)
{
	*handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!*handle)
		return error_set(error, "%s: cannot be loaded; install %s", file, remedy);
	for (size_t i = 0; i < nr_functions; i++) {
		if (function_find(*handle, file, remedy, &functions[i], error) < 0)
			return -1;
	}
	return 0;
}

void library_release(void *handle)
{
	if (handle)
		dlclose(handle);
}
