// SPDX-License-Identifier: GPL-2.0-only
/* Tests of which boot the records of a buffer are of. */
#include "tracefs/tracefs.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fixtures/folder.h"
#include "fixtures/tap.h"

/* Addresses of a kernel's code in two boots. */
#define THEN UINT64_C(0xffffffff9c600000)
#define NOW UINT64_C(0xffffffff81a00000)

/* NULL: there is no file */
static bool agrees_with(const char *info, uint64_t then, uint64_t now)
{
	char directory[] = "/tmp/ktrack-boot-XXXXXX", path[64];
	struct boot_instance boot = { .directory = mkdtemp(directory), .lock_fd = -1 };
	FILE *file;
	bool agrees;

	snprintf(path, sizeof(path), "%s/last_boot_info", directory);
	file = info ? fopen(path, "w") : NULL;
	if (file) {
		fputs(info, file);
		fclose(file);
	}
	agrees = boot_instance_shift(&boot, then, now);
	unlink(path);
	rmdir(directory);
	return agrees;
}

TEST(a_kernel_reports_how_far_its_code_moved)
{
	char info[64];

	snprintf(info, sizeof(info), "text delta:\t%lld\ndata delta:\t0\n", (long long)(NOW - THEN));
	CHECK(agrees_with(info, THEN, NOW));
	CHECK(!agrees_with(info, THEN + 0x200000, NOW));
	CHECK(!agrees_with("text delta:\t0\ndata delta:\t0\n", THEN, NOW));
	CHECK(agrees_with("text delta:\t0\ndata delta:\t0\n", NOW, NOW));
}

TEST(a_later_kernel_reports_where_it_was)
{
	CHECK(agrees_with("ffffffff9c600000\t[kernel]\nffffffffc0400000\tktrack\n", THEN, NOW));
	CHECK(agrees_with("1b600000\t[kernel]\n", THEN, NOW));
	CHECK(!agrees_with("1b800000\t[kernel]\n", THEN, NOW));
	CHECK(!agrees_with("# Current\n", THEN, NOW));
	CHECK(agrees_with("# Current\n", NOW, NOW));
}

TEST(without_a_report_nothing_contradicts)
{
	CHECK(agrees_with(NULL, THEN, NOW));
	CHECK(agrees_with("", THEN, NOW));
	CHECK(agrees_with("something else\n", THEN, NOW));
}

static void line_keep(void *context, const char *line)
{
	buffer_append_string(context, line);
	buffer_append_char(context, '\n');
}

/* While an instance that is off gets copies, no program can write to trace_marker. */
TEST(copies_of_trace_marker_begin_after_recording_and_end_before_it)
{
	struct buffer lines = { 0 };
	struct report writes = { .context = &lines, .message = line_keep };
	struct boot_instance boot = { .lock_fd = -1, .writes = &writes };
	struct error error = { 0 };
	struct folder folder;
	const char *copies, *off;

	folder_new(&folder);
	folder_add_text(&folder, "events/enable", "0\n");
	folder_add_text(&folder, "tracing_on", "1\n");
	folder_add_text(&folder, "options/copy_trace_marker", "1\n");
	boot.directory = folder.path;
	CHECK_NUMBER(boot_instance_stop(&boot, &error), 0);
	CHECK_TEXT(error.text, "");
	copies = strstr(buffer_string(&lines), "write '0' to ");
	off = strstr(buffer_string(&lines), "/tracing_on\n");
	CHECK(copies && off && copies < off);
	copies = strstr(copies, "/options/copy_trace_marker\n");
	CHECK(copies && copies < off);

	buffer_clear(&lines);
	CHECK_NUMBER(boot_instance_start(&boot, false, &error), 0);
	CHECK(strstr(buffer_string(&lines), "/tracing_on\n"));
	CHECK(!strstr(buffer_string(&lines), "/options/copy_trace_marker\n"));

	buffer_clear(&lines);
	CHECK_NUMBER(boot_instance_start(&boot, true, &error), 0);
	copies = strstr(buffer_string(&lines), "/options/copy_trace_marker\n");
	off = strstr(buffer_string(&lines), "/tracing_on\n");
	CHECK(copies && off && off < copies);
	buffer_release(&lines);
	folder_remove(&folder);
}
