// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The table of kinds of events. */
#include "trace2/kind.h"

#define HEAD(word) "{\"event\":\"" #word "\","
#define BLANKS "            "
#define KIND(word) #word, HEAD(word), sizeof(HEAD(word)) - 1, #word BLANKS

const struct kind kinds[TRACE2_KIND_COUNT] = {
	[TRACE2_VERSION] = { KIND(version) },
	[TRACE2_TOO_MANY_FILES] = { KIND(too_many_files) },
	[TRACE2_START] = { KIND(start), .has_t_abs = true, .has_t_abs_column = true,
			   .has_secrets = true },
	[TRACE2_EXIT] = { KIND(exit), .has_t_abs = true, .has_t_abs_column = true },
	[TRACE2_ATEXIT] = { KIND(atexit), .has_t_abs = true, .has_t_abs_column = true },
	[TRACE2_SIGNAL] = { KIND(signal), .has_t_abs = true, .has_t_abs_column = true },
	[TRACE2_ERROR] = { KIND(error), .may_have_t_abs = true },
	[TRACE2_CMD_PATH] = { KIND(cmd_path) },
	[TRACE2_CMD_ANCESTRY] = { KIND(cmd_ancestry) },
	[TRACE2_CMD_NAME] = { KIND(cmd_name) },
	[TRACE2_CMD_MODE] = { KIND(cmd_mode) },
	[TRACE2_ALIAS] = { KIND(alias) },
	[TRACE2_CHILD_START] = { KIND(child_start), .has_t_abs_column = true, .has_secrets = true },
	[TRACE2_CHILD_EXIT] = { KIND(child_exit), .has_t_abs_column = true },
	[TRACE2_CHILD_READY] = { KIND(child_ready), .has_t_abs_column = true },
	[TRACE2_EXEC] = { KIND(exec), .has_t_abs_column = true, .has_secrets = true },
	[TRACE2_EXEC_RESULT] = { KIND(exec_result), .has_t_abs_column = true },
	[TRACE2_THREAD_START] = { KIND(thread_start), .may_have_t_abs = true,
				  .has_t_abs_column = true },
	[TRACE2_THREAD_EXIT] = { KIND(thread_exit), .may_have_t_abs = true,
				 .has_t_abs_column = true },
	[TRACE2_DEF_PARAM] = { KIND(def_param), .has_secrets = true },
	[TRACE2_DEF_REPO] = { KIND(def_repo) },
	[TRACE2_REGION_ENTER] = { KIND(region_enter), .may_have_t_abs = true,
				  .has_t_abs_column = true },
	[TRACE2_REGION_LEAVE] = { KIND(region_leave), .may_have_t_abs = true,
				  .has_t_abs_column = true },
	[TRACE2_DATA] = { KIND(data), .has_t_abs = true, .has_t_abs_column = true },
	[TRACE2_DATA_JSON] = { KIND(data_json), .has_t_abs = true, .has_t_abs_column = true },
	[TRACE2_PRINTF] = { KIND(printf), .has_t_abs = true, .has_t_abs_column = true },
	[TRACE2_TH_TIMER] = { KIND(th_timer) },
	[TRACE2_TIMER] = { KIND(timer) },
	[TRACE2_TH_COUNTER] = { KIND(th_counter) },
	[TRACE2_COUNTER] = { KIND(counter) },
};
