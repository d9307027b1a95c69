// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Loads shared libraries. */
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

int library_load(void **handle, const char *file, const char *remedy,
		 const struct library_function *functions, size_t nr_functions, struct error *error)
{
	*handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!*handle)
		return error_set(error, "%s: cannot be loaded; install %s", file, remedy);
	for (size_t i = 0; i < nr_functions; i++) {
		void *found = dlsym(*handle, functions[i].name);

		if (!found)
			return error_set(error, "%s: has no %s; install %s", file,
					 functions[i].name, remedy);
		memcpy(functions[i].pointer, &found, sizeof(found));
	}
	return 0;
}

void library_release(void *handle)
{
	if (handle)
		dlclose(handle);
}
