// SPDX-License-Identifier: GPL-2.0-only
/* Tests of what the kernel's lockdown level means for tracing. */
#include "tracefs/instance_state.h"

#include "fixtures/folder.h"
#include "fixtures/tap.h"

TEST(only_confidentiality_closes_tracefs)
{
	CHECK(lockdown_forbids_tracing(text_of("none integrity [confidentiality]\n")));
	CHECK(!lockdown_forbids_tracing(text_of("none [integrity] confidentiality\n")));
	CHECK(!lockdown_forbids_tracing(text_of("[none] integrity confidentiality\n")));
	CHECK(!lockdown_forbids_tracing(text_of("")));
}

TEST(a_tracefs_that_can_be_opened_is_not_locked_down)
{
	struct folder folder;
	struct error error = { 0 };

	folder_new(&folder);
	folder_add_text(&folder, "trace_clock", "[boot]\n");
	CHECK_NUMBER(lockdown_check(folder.path, &error), 0);
	CHECK_TEXT(error.text, "");
	folder_remove(&folder);
}
