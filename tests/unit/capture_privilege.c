// SPDX-License-Identifier: GPL-2.0-only
/* Tests of giving up privileges, in processes of their own. */
#include "capture/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixtures/tap.h"

/* A number of this process' status, in hexadecimal digits. */
static uint64_t status_number(const char *name)
{
	struct buffer text = { 0 };
	uint64_t number = UINT64_MAX;
	const char *line;

	CHECK_NUMBER(file_read("/proc/self/status", &text), 0);
	line = strstr(buffer_string(&text), name);
	if (line)
		number = strtoull(line + strlen(name), NULL, 16);
	buffer_release(&text);
	return number;
}

/* What a process still has that gave up all but @kept. */
static uint64_t left_of(uint64_t kept)
{
	struct error error;
	uint64_t left = UINT64_MAX;
	int pair[2];

	CHECK_NUMBER(pipe(pair), 0);
	if (fork() == 0) {
		if (privilege_drop(kept, &error) == 0 && status_number("NoNewPrivs:") == 1 &&
		    status_number("CapEff:") == status_number("CapPrm:"))
			left = status_number("CapPrm:");
		_exit(write(pair[1], &left, sizeof(left)) != sizeof(left));
	}
	wait(NULL);
	CHECK_NUMBER(read(pair[0], &left, sizeof(left)), sizeof(left));
	close(pair[0]);
	close(pair[1]);
	return left;
}

TEST(what_is_kept_of_what_there_is_is_left)
{
	uint64_t all = status_number("CapPrm:");
	uint64_t some = PRIVILEGE(CAP_KILL) | PRIVILEGE(CAP_CHECKPOINT_RESTORE);

	CHECK_NUMBER(left_of(0), 0);
	CHECK_NUMBER(left_of(some), all & some);
	CHECK_NUMBER(left_of(UINT64_MAX), all);
}

TEST(what_is_above_a_folder_counts_too)
{
	char folder[] = "/tmp/ktrack-privilege-XXXXXX", inner[64];

	CHECK(mkdtemp(folder) != NULL);
	snprintf(inner, sizeof(inner), "%s/inner", folder);
	CHECK_NUMBER(mkdir(inner, 0700), 0);
	CHECK_NUMBER(privilege_for_files(inner), 0);
	CHECK_NUMBER(chmod(folder, 0), 0);
	CHECK_NUMBER(privilege_for_files(inner), PRIVILEGE(CAP_DAC_OVERRIDE));
	CHECK_NUMBER(chmod(folder, 0700), 0);
	CHECK_NUMBER(chmod(inner, 0500), 0);
	CHECK_NUMBER(privilege_for_files(inner), PRIVILEGE(CAP_DAC_OVERRIDE));
	CHECK_NUMBER(rmdir(inner), 0);
	CHECK_NUMBER(rmdir(folder), 0);
}

TEST(the_owner_needs_nothing_for_his_files)
{
	char folder[] = "/tmp/ktrack-privilege-XXXXXX";

	CHECK(mkdtemp(folder) != NULL);
	CHECK_NUMBER(privilege_for_files(folder), 0);
	CHECK_NUMBER(rmdir(folder), 0);
	CHECK_NUMBER(privilege_for_files(folder), PRIVILEGE(CAP_DAC_OVERRIDE));
}

TEST(as_many_files_can_be_open_as_may_be_at_all)
{
	struct rlimit before, now;

	CHECK_NUMBER(getrlimit(RLIMIT_NOFILE, &before), 0);
	now = before;
	now.rlim_cur = 64;
	CHECK_NUMBER(setrlimit(RLIMIT_NOFILE, &now), 0);
	privilege_raise_files();
	CHECK_NUMBER(getrlimit(RLIMIT_NOFILE, &now), 0);
	CHECK(now.rlim_cur == before.rlim_max);
	CHECK_NUMBER(setrlimit(RLIMIT_NOFILE, &before), 0);
}
