// SPDX-License-Identifier: GPL-2.0-only
/* Tests of dynamic events: the calls that kprobes missed. */
#include "tracefs/tracefs.h"

#include "fixtures/fake_tracefs.h"

static const struct dynamic_events ours = { .group = "ktrack_7_9" };

static void missed_note(void *context, const char *name, uint64_t missed)
{
	buffer_printf(context, "%s %llu;", name, (unsigned long long)missed);
}

static void check_missed(const char *definitions, const char *profile, const char *want)
{
	SCOPED_BUFFER(got);

	fake_tracefs_begin();
	folder_add_text(&fake_tracefs.top, "kprobe_events", definitions);
	folder_add_text(&fake_tracefs.top, "kprobe_profile", profile);
	dynamic_visit_missed(&ours, missed_note, &got);
	CHECK_TEXT(buffer_string(&got), want);
	fake_tracefs_end();
}

TEST(missed_calls_of_one_group)
{
	check_missed("p:kprobes/other vfs_read\n"
		     "p:ktrack_7_9/p0_0_vfs_read vfs_read\n"
		     "r1024:ktrack_7_9/p0_1_vfs_read vfs_read\n"
		     "p:ktrack_8_9/p0_0_vfs_read vfs_read\n",
		     "  other                  5               1\n"
		     "  p0_0_vfs_read          5               0\n"
		     "  p0_1_vfs_read          5               2\n"
		     "  p0_0_vfs_read          5               3\n",
		     "p0_1_vfs_read 2;");
}

/* The profile is read later, when others may have removed and added kprobes. */
TEST(kprobes_of_others_that_come_and_go)
{
	check_missed("p:kprobes/gone vfs_read\n"
		     "p:ktrack_7_9/p0_0_vfs_read vfs_read\n"
		     "p:kprobes/a_b vfs_read\n"
		     "p:ktrack_7_9/p1_0_vfs_write vfs_write\n",
		     "  p0_0_vfs_read          5               4\n"
		     "  a_b                    5               7\n"
		     "  p1_0_vfs_write         5               6\n"
		     "  new_one                5               8\n",
		     "p0_0_vfs_read 4;p1_0_vfs_write 6;");
}
