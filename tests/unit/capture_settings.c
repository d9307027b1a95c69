// SPDX-License-Identifier: GPL-2.0-only
/* Tests of settings of a run: whether it records the kernel beside programs. */
#include "capture/run.h"

#include "capture/capture.h"
#include "fixtures/tap.h"

static void check_kernel(const char *rules, bool want)
{
	struct capture_settings settings;
	struct error error = { 0 };

	capture_settings_init(&settings, NULL);
	settings.records_programs = true;
	if (rules)
		CHECK_NUMBER(selection_add_rules(&settings.selection, rules, &error), 0);
	if (!CHECK_NUMBER(capture_records_kernel(&settings), want))
		CHECK_TEXT(rules, "");
	capture_settings_release(&settings);
}

TEST(a_selection_of_the_kernel_is_recorded_beside_programs)
{
	check_kernel(NULL, false);
	check_kernel("none", false);
	check_kernel("instant my:a event=program:x:y", false);
	check_kernel("convention", true);
	check_kernel("default", true);
	check_kernel("sched", true);
}
