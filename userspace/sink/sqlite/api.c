// SPDX-License-Identifier: GPL-2.0-only
/* Loads SQLite. */
#include "sink/sqlite/api.h"

#include <dlfcn.h>

#define LIBRARY "libsqlite3.so.0"

static int sqlite_symbol_find(void *library, const char *name, void *pointer, struct error *error)
{
	void *found = dlsym(library, name);

	if (!found)
		return error_set(error, LIBRARY ": has no %s; install SQLite 3.38 or later", name);
	memcpy(pointer, &found, sizeof(found));
	return 0;
}

int sqlite_api_load(struct sqlite_api *api, struct error *error)
{
	*api = (struct sqlite_api){ .handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL) };
	if (!api->handle)
		return error_set(error, LIBRARY ": cannot be loaded; install SQLite (Debian's "
						"package libsqlite3-0)");
#define SQLITE_API_FIND(name)                                                          \
	if (sqlite_symbol_find(api->handle, "sqlite3_" #name, &api->name, error) < 0) \
		return -1;
	SQLITE_API_FUNCTIONS(SQLITE_API_FIND)
#undef SQLITE_API_FIND
	return 0;
}

void sqlite_api_release(struct sqlite_api *api)
{
	if (api->handle)
		dlclose(api->handle);
	*api = (struct sqlite_api){ 0 };
}
