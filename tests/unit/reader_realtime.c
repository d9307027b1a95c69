// SPDX-License-Identifier: GPL-2.0-only
/* Tests: which kernels have PREEMPT_RT. */
#include "reader/reader.h"

#include "fixtures/event_builder.h"
#include "fixtures/tap.h"

TEST(releases_with_rt_are_realtime)
{
	CHECK(release_is_realtime("6.12.117+deb12-rt-amd64"));
	CHECK(release_is_realtime("6.6.1-rt15"));
	CHECK(release_is_realtime("5.10.0-rt"));
	CHECK(release_is_realtime("6.1.0-rtc-rt5"));
	CHECK(!release_is_realtime("6.12.0-amd64"));
	CHECK(!release_is_realtime("6.1.0-rtc"));
	CHECK(!release_is_realtime("6.1.0-art"));
	CHECK(!release_is_realtime(""));
}

TEST(fields_of_the_patches_are_realtime)
{
	CHECK(format_is_realtime(text_of(
		FORMAT("event", 5, FIELD("unsigned char common_preempt_lazy_count", 8, 1, 0)))));
	CHECK(format_is_realtime(
		text_of(FORMAT("event", 5, FIELD("unsigned char common_migrate_disable", 8, 1, 0)))));
	CHECK(!format_is_realtime(text_of(FORMAT("event", 5, FIELD("int migrate_disable", 8, 4, 1)))));
}
