// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the warning of large outputs. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fixtures/folder.h"
#include "fixtures/tap.h"
#include "replay/machines.h"

#define MIB ((uint64_t)1 << 20)

/** struct warned - what was reported */
struct warned {
	struct report report;
	char text[512];
	int count;
};

static void warned_message(void *context, const char *text)
{
	struct warned *warned = context;

	snprintf(warned->text, sizeof(warned->text), "%s", text);
	warned->count++;
}

static void warned_begin(struct warned *warned)
{
	*warned = (struct warned){ .report = { .context = warned, .message = warned_message } };
}

TEST(sizes_are_estimated_from_what_is_written)
{
	CHECK(large_estimate(32 * MIB, MIB, 10 * MIB) == 0);
	CHECK(large_estimate(32 * MIB, MIB, 100 * MIB) == 3200.0 * MIB);
	/* Too little is no sample, and at the end nothing is left to warn of. */
	CHECK(large_estimate(15 * MIB, 1, 100 * MIB) == 0);
	CHECK(large_estimate(2000 * MIB, 100 * MIB, 100 * MIB) == 0);
	CHECK(large_estimate(2000 * MIB, 0, 0) == 0);
}

TEST(a_large_file_is_announced_once_with_the_remedy)
{
	struct output_settings settings = { 0 };
	struct large_watch watch;
	struct warned warned;
	struct folder folder;
	const char *path;

	folder_new(&folder);
	warned_begin(&warned);
	path = folder_path(&folder, "out.event");
	settings.targets[0] = path;
	large_watch_begin(&watch, &settings, &warned.report);
	folder_add_text(&folder, "out.event", "");
	large_watch_check(&watch, MIB, 100 * MIB);
	CHECK_NUMBER(warned.count, 0);
	CHECK_NUMBER(truncate(path, 32 * MIB), 0);
	/* Not asked before another hundredth was read. */
	large_watch_check(&watch, 2 * MIB - 1, 100 * MIB);
	CHECK_NUMBER(warned.count, 0);
	large_watch_check(&watch, 2 * MIB, 100 * MIB);
	large_watch_check(&watch, 4 * MIB, 100 * MIB);
	CHECK_NUMBER(warned.count, 1);
	CHECK(strstr(warned.text, "out.event: grows to about 1.7 GB; write --event="));
	CHECK(strstr(warned.text, "out.event.zst, or select less with -e, -r, --from and --to"));
	folder_remove(&folder);
}

TEST(other_targets_are_not_announced)
{
	static const char *const targets[] = { "/dev/null", "/", "missing" };
	struct warned warned;

	warned_begin(&warned);
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		struct output_settings settings = { .targets = { targets[i] } };
		struct large_watch watch;

		large_watch_begin(&watch, &settings, &warned.report);
		large_watch_check(&watch, MIB, 1000000 * MIB);
	}
	CHECK_NUMBER(warned.count, 0);
}

TEST(what_a_file_had_before_does_not_count)
{
	struct output_settings settings = { .is_appending = true };
	struct large_watch watch;
	struct warned warned;
	struct folder folder;
	const char *path;

	folder_new(&folder);
	warned_begin(&warned);
	path = folder_path(&folder, "out.event");
	folder_add_text(&folder, "out.event", "");
	CHECK_NUMBER(truncate(path, 500 * MIB), 0);
	settings.targets[0] = path;
	large_watch_begin(&watch, &settings, &warned.report);
	CHECK_NUMBER(truncate(path, 508 * MIB), 0);
	large_watch_check(&watch, MIB, 100 * MIB);
	CHECK_NUMBER(warned.count, 0);
	folder_remove(&folder);
}
