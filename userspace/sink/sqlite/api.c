// SPDX-License-Identifier: GPL-2.0-only
/* Loads SQLite. */
#include "sink/sqlite/api.h"

int sqlite_api_load(struct sqlite_api *api, struct error *error)
{
#define SQLITE_API_FIND(name) { "sqlite3_" #name, &api->name },
	const struct library_function functions[] = { SQLITE_API_FUNCTIONS(SQLITE_API_FIND) };
#undef SQLITE_API_FIND

	*api = (struct sqlite_api){ 0 };
	return library_load(&api->handle, "libsqlite3.so.0",
			    "SQLite 3.38 or later (Debian's package libsqlite3-0)", functions,
			    sizeof(functions) / sizeof(functions[0]), error);
}

void sqlite_api_release(struct sqlite_api *api)
{
	library_release(api->handle);
	*api = (struct sqlite_api){ 0 };
}
