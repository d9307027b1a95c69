// SPDX-License-Identifier: GPL-2.0-only
/* Tests of settings of a run: whether it records the kernel beside programs. */
#include "capture/run.h"

#include "capture/capture.h"
#include "fixtures/tap.h"

static void check_kernel(const char *rules, bool want)
{
	SCOPED(capture_settings) settings;
	struct error error = { 0 };

	capture_settings_init(&settings, NULL);
	settings.records_programs = true;
	if (rules)
		CHECK_NUMBER(selection_add_rules(&settings.selection, rules, &error), 0);
	if (!CHECK_NUMBER(capture_records_kernel(&settings), want))
		CHECK_TEXT(rules, "");
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

static void check_convention(const char *rules, const char *pattern, uint64_t buffer_kib,
			     uint64_t want_kib)
{
	SCOPED(capture_settings) settings;
	struct error error = { 0 };

	capture_settings_init(&settings, NULL);
	settings.buffer_kib = buffer_kib;
	if (rules)
		CHECK_NUMBER(selection_add_rules(&settings.selection, rules, &error), 0);
	if (pattern)
		CHECK_NUMBER(selection_add(&settings.selection, pattern, &error), 0);
	if (!CHECK_NUMBER(capture_convention_kib(&settings), want_kib))
		CHECK_TEXT(rules, "");
}

TEST(the_convention_has_a_buffer_of_its_own_beside_packs)
{
	check_convention("default", NULL, 1024, 1024);
	check_convention("convention,sched", NULL, 1024, 1024);
	check_convention("default", NULL, 64, 1024);
	check_convention("default", NULL, 8192, 2048);
	check_convention("convention", NULL, 8192, 0);
	check_convention("sched", NULL, 8192, 0);
	check_convention("sched", "demo", 8192, 0);
	check_convention(NULL, "demo", 8192, 0);
	check_convention(NULL, NULL, 8192, 0);
}

static void check_loss_size(uint64_t lost, uint64_t lost_convention, uint64_t want_kib,
			    uint64_t want_option_kib)
{
	struct loss_summary loss = { .has_convention = true,
				     .records = lost,
				     .convention_lost = lost_convention };
	SCOPED(capture_settings) settings;
	struct error error = { 0 };
	const struct capture capture = { .settings = &settings };

	capture_settings_init(&settings, NULL);
	settings.buffer_kib = 256;
	CHECK_NUMBER(selection_add_rules(&settings.selection, "default", &error), 0);
	capture_loss_size(&capture, &loss);
	CHECK_NUMBER(loss.buffer_kib, want_kib);
	CHECK_NUMBER(loss.option_kib, want_option_kib);
}

TEST(the_buffer_that_lost_records_is_the_one_that_is_too_small)
{
	check_loss_size(5, 0, 256, 0);
	check_loss_size(5, 5, 1024, 4096);
	check_loss_size(5, 2, 256, 4096);
}
