// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of who a run is: session ids and hierarchies with and without parents, ids of recordings;
 * and of the clocks.
 */
#include "output/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fixtures/tap.h"

#define PARENT_SID "GIT_TRACE2_PARENT_SID"
#define PARENT_NAME "GIT_TRACE2_PARENT_NAME"

/* How far apart readings of one moment by different clocks may be, on a machine that is busy. */
/* The kernel steers its clocks apart from each other. */
#define SLACK_NS INT64_C(20000000)

static void identity_begin(struct identity *identity, const char *own_sid, const char *parent_sid,
			   const char *parent_name)
{
	struct error error = { 0 };

	if (parent_sid)
		setenv(PARENT_SID, parent_sid, 1);
	if (parent_name)
		setenv(PARENT_NAME, parent_name, 1);
	CHECK_NUMBER(identity_init(identity, "stream", own_sid, &error), 0);
}

static void identity_end(struct identity *identity)
{
	unsetenv(PARENT_SID);
	unsetenv(PARENT_NAME);
	identity_release(identity);
}

/* Whether @sid is YYYYMMDDThhmmss.uuuuuuZ-HOST-P and the number of this process. */
static bool is_own_sid(const char *sid)
{
	static const char shape[] = "########T######.######Z-";
	char process[32];

	for (const char *at = shape; *at; at++, sid++) {
		if (*at == '#' ? *sid < '0' || *sid > '9' : *sid != *at)
			return false;
	}
	snprintf(process, sizeof(process), "-P%08x", (unsigned int)getpid());
	return strlen(sid) > strlen(process) &&
	       strcmp(sid + strlen(sid) - strlen(process), process) == 0;
}

TEST(without_parents_a_run_is_itself_and_reports_its_children)
{
	struct identity identity;

	identity_begin(&identity, NULL, NULL, NULL);
	CHECK(is_own_sid(identity.sid));
	CHECK_TEXT(identity.hierarchy, "stream");
	CHECK_TEXT(getenv(PARENT_SID), identity.sid);
	CHECK_TEXT(getenv(PARENT_NAME), "stream");
	identity_end(&identity);
}

TEST(parents_stand_before_a_run_whatever_they_are_called)
{
	static const char parent[] = "20200101T000000.000000Z-Localhost-P00000001/weird \"sid\"";
	struct identity identity;

	identity_begin(&identity, NULL, parent, "git/_run_git_alias_");
	CHECK(strncmp(identity.sid, parent, strlen(parent)) == 0);
	CHECK(identity.sid[strlen(parent)] == '/' && is_own_sid(identity.sid + strlen(parent) + 1));
	CHECK_TEXT(identity.hierarchy, "git/_run_git_alias_/stream");
	CHECK_TEXT(getenv(PARENT_SID), identity.sid);
	CHECK_TEXT(getenv(PARENT_NAME), identity.hierarchy);
	identity_end(&identity);
}

TEST(a_parent_without_a_name_is_none)
{
	struct identity identity;

	identity_begin(&identity, NULL, "", "");
	CHECK(is_own_sid(identity.sid));
	CHECK_TEXT(identity.hierarchy, "stream");
	identity_end(&identity);
}

TEST(a_run_may_be_given_its_own_id)
{
	struct identity identity;

	identity_begin(&identity, "mine", "parent", NULL);
	CHECK_TEXT(identity.sid, "parent/mine");
	CHECK_TEXT(getenv(PARENT_SID), "parent/mine");
	CHECK_TEXT(identity.hierarchy, "stream");
	identity_end(&identity);
}

static void check_ids(const char *source, int64_t start_ns, const char *other_source,
		      int64_t other_start_ns, bool are_equal)
{
	char id[IDENTITY_ID_SIZE], other[IDENTITY_ID_SIZE];

	identity_id(id, source, start_ns);
	identity_id(other, other_source, other_start_ns);
	CHECK_NUMBER(strspn(id, "0123456789abcdef"), 16);
	CHECK_NUMBER(strlen(id), 16);
	CHECK((strcmp(id, other) == 0) == are_equal);
}

TEST(a_recording_id_stands_for_its_source_and_its_start)
{
	check_ids("ktrack-1", 1000, "ktrack-1", 1000, true);
	check_ids("ktrack-1", 1000, "ktrack-2", 1000, false);
	check_ids("ktrack-1", 1000, "ktrack-1", 1001, false);
	check_ids("ktrack-1", 1000, "ktrack-11", 0, false);
}

static int64_t clock_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

TEST(the_boot_clock_is_the_kernels_and_goes_on)
{
	int64_t before_ns = clock_of(CLOCK_BOOTTIME), first_ns = time_now_ns(CLOCK_BOOTTIME);

	CHECK(before_ns <= first_ns && first_ns <= clock_of(CLOCK_BOOTTIME));
	CHECK(time_now_ns(CLOCK_BOOTTIME) >= first_ns);
}

TEST(boot_time_plus_its_offset_is_the_wall_clock)
{
	int64_t before_ns = clock_of(CLOCK_REALTIME);
	int64_t boot_ns = time_now_ns(CLOCK_BOOTTIME), after_ns = clock_of(CLOCK_REALTIME);
	int64_t wall_ns = boot_ns + time_wall_offset_ns(CLOCK_BOOTTIME);

	CHECK(before_ns - SLACK_NS <= wall_ns && wall_ns <= after_ns + SLACK_NS);
}

TEST(the_offset_is_found_much_more_exactly_than_a_millisecond)
{
	int64_t least_ns = INT64_MAX, most_ns = INT64_MIN;

	/* One reading may be disturbed on a busy machine; not the best of many. */
	for (int i = 0; i < 100; i++) {
		int64_t offset_ns = time_wall_offset_ns(CLOCK_BOOTTIME);

		least_ns = offset_ns < least_ns ? offset_ns : least_ns;
		most_ns = offset_ns > most_ns ? offset_ns : most_ns;
	}
	CHECK(most_ns - least_ns < 20 * NS_PER_MS);
}
