// SPDX-License-Identifier: GPL-2.0-only
/* Tests of amounts on a command line. */
#include "cli/option.h"

#include <string.h>

#include "fixtures/tap.h"

static uint64_t kib_of(const char *string)
{
	struct error error = { 0 };
	uint64_t kib = 0;

	CHECK_NUMBER(size_kib_parse(string, &kib, &error), 0);
	return kib;
}

static void check_refused_as(const char *string, const char *reason)
{
	struct error error = { 0 };
	uint64_t kib = 7;

	CHECK_NUMBER(size_kib_parse(string, &kib, &error), -1);
	CHECK(strstr(error.text, reason) != NULL);
	CHECK_NUMBER(kib, 7);
}

static void check_refused(const char *string)
{
	check_refused_as(string, "not a size");
}

TEST(a_size_is_a_number_of_kib_or_has_a_unit)
{
	CHECK_NUMBER(kib_of("1"), 1);
	CHECK_NUMBER(kib_of("064"), 64);
	CHECK_NUMBER(kib_of("64k"), 64);
	CHECK_NUMBER(kib_of("64KiB"), 64);
	CHECK_NUMBER(kib_of("3M"), 3 * 1024);
	CHECK_NUMBER(kib_of("3mib"), 3 * 1024);
	CHECK_NUMBER(kib_of("64G"), 64 * 1024 * 1024);
	CHECK_NUMBER(kib_of("2GiB"), 2 * 1024 * 1024);
	CHECK_NUMBER(kib_of("67108864"), 64 * 1024 * 1024);
}

TEST(what_is_no_size_is_refused)
{
	check_refused("");
	check_refused("0");
	check_refused("0M");
	check_refused("-1");
	check_refused("+1");
	check_refused(" 1");
	check_refused("1.5M");
	check_refused("1x");
	check_refused("1kk");
	check_refused("M");
	check_refused("18446744073709551616x");
}

TEST(a_size_that_is_too_large_is_reported_so)
{
	static const char reason[] = "too large; write at most 64G";

	check_refused_as("65G", reason);
	check_refused_as("67108865", reason);
	check_refused_as("18446744073709551616", reason);
	check_refused_as("18014398509481985M", reason);
}

static void check_cpus(const char *string, int want_count, int want_last)
{
	struct error error = { 0 };
	cpu_set_t cpus;

	CHECK_NUMBER(cpu_list_parse(string, &cpus, &error), 0);
	CHECK_NUMBER(CPU_COUNT(&cpus), want_count);
	CHECK(CPU_ISSET(want_last, &cpus));
}

TEST(cpus_are_numbers_and_ranges)
{
	check_cpus("0", 1, 0);
	check_cpus("0,2-3", 3, 3);
	check_cpus("5-5,1,1", 2, 5);
	check_cpus("1023", 1, 1023);
	check_cpus("0-1023", 1024, 77);
}

TEST(what_is_no_list_of_cpus_is_refused)
{
	static const char *const lists[] = { "",    "a",    "1,",    ",1",	   "3-2",
					     "1-",  "-1",   "1 2",   "1024",	   "0-1024",
					     "1;2", "1,,2", "1-2-3", "4294967296" };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct error error = { 0 };
		cpu_set_t cpus;

		CHECK_NUMBER(cpu_list_parse(lists[i], &cpus, &error), -1);
		CHECK(strstr(error.text, "not a list of CPUs; write numbers as in 0,2-3") != NULL);
	}
}

TEST(a_count_is_a_number_from_1_on)
{
	static const char *const others[] = { "", "0", "-1", "1x", "18446744073709551616" };
	struct error error = { 0 };
	uint64_t count;

	CHECK_NUMBER(count_parse("18446744073709551615", "tracks", &count, &error), 0);
	CHECK(count == UINT64_MAX);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		CHECK_NUMBER(count_parse(others[i], "tracks", &count, &error), -1);
		CHECK(strstr(error.text, "not a number of tracks; write a number from 1") != NULL);
	}
}
