/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unit tests that print TAP: a test is a function whose name is a sentence,
 * TEST(a_released_buffer_is_empty). A file of tests is a program; tap.c has its main().
 */
#ifndef UNIT_TAP_H
#define UNIT_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct tap_test - a test, in the order of the file */
struct tap_test {
	const char *name;
	void (*run)(void);
	struct tap_test *next;
};

void tap_register(struct tap_test *test);

/** TEST - define a test; it passes unless a CHECK in it fails */
#define TEST(test_name)                                                                     \
	static void test_name(void);                                                        \
	static struct tap_test test_name##_test = { .name = #test_name, .run = test_name }; \
	__attribute__((constructor)) static void test_name##_register(void)                 \
	{                                                                                   \
		tap_register(&test_name##_test);                                            \
	}                                                                                   \
	static void test_name(void)

/** CHECK - a claim; the test goes on after a wrong one */
#define CHECK(claim) tap_check(claim, #claim, __FILE__, __LINE__)

/** CHECK_NUMBER, CHECK_TEXT - two values are equal; both are shown where they are not */
#define CHECK_NUMBER(got, want) tap_check_number((got), (want), #got, __FILE__, __LINE__)
#define CHECK_TEXT(got, want) tap_check_text((got), (want), #got, __FILE__, __LINE__)

bool tap_check(bool claim, const char *text, const char *file, int line);
bool tap_check_number(int64_t got, int64_t want, const char *text, const char *file, int line);
bool tap_check_text(const char *got, const char *want, const char *text, const char *file,
		    int line);

#endif
