/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions of SQLite that ktrack calls. The library is loaded at first use.
 */
#ifndef SINK_SQLITE_API_H
#define SINK_SQLITE_API_H

#include <sqlite3.h>

#include "base/base.h"

#define SQLITE_API_FUNCTIONS(apply)                                                               \
	apply(bind_double) apply(bind_int64) apply(bind_null) apply(bind_parameter_count) apply(  \
		bind_parameter_name) apply(bind_text) apply(close_v2) apply(column_count)         \
		apply(column_double) apply(column_int64) apply(column_name) apply(column_text)    \
			apply(column_blob) apply(column_bytes) apply(column_type) apply(          \
				db_config) apply(errcode) apply(errmsg) apply(error_offset)       \
				apply(exec) apply(finalize) apply(hard_heap_limit64) apply(limit) \
					apply(open_v2) apply(prepare_v2) apply(progress_handler)  \
						apply(reset) apply(set_authorizer) apply(step)    \
							apply(vfs_find) apply(vfs_register)       \
								apply(vfs_unregister)

/** struct sqlite_api - pointers to the functions of SQLite, named like them without "sqlite3_" */
struct sqlite_api {
	void *handle;
#define SQLITE_API_MEMBER(name) __typeof__(&sqlite3_##name) name;
	SQLITE_API_FUNCTIONS(SQLITE_API_MEMBER)
#undef SQLITE_API_MEMBER
};

/** sqlite_api_load - load the library; returns 0, or -1 with @error */
int sqlite_api_load(struct sqlite_api *api, struct error *error);

/** sqlite_api_release - unload the library; a zeroed struct is fine */
void sqlite_api_release(struct sqlite_api *api);

#endif
