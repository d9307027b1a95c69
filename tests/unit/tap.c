// SPDX-License-Identifier: GPL-2.0-only
/* Runs the tests of one program, and prints TAP. */
#include "tap.h"

#include <stdio.h>
#include <string.h>

static struct tap_test *first;
static struct tap_test **last = &first;
static bool has_failed;

void tap_register(struct tap_test *test)
{
	*last = test;
	last = &test->next;
}

bool tap_check(bool claim, const char *text, const char *file, int line)
{
	if (!claim)
		printf("# %s:%d: not so: %s\n", file, line, text);
	has_failed |= !claim;
	return claim;
}

bool tap_check_number(int64_t got, int64_t want, const char *text, const char *file, int line)
{
	if (got != want)
		printf("# %s: got %lld, want %lld\n", text, (long long)got, (long long)want);
	return tap_check(got == want, text, file, line);
}

/* Shows a text as a comment, however many lines it has. */
static void print_text(const char *what, const char *text)
{
	printf("#   %s ", what);
	for (; *text; text++) {
		putchar(*text);
		if (*text == '\n' && text[1])
			printf("#        ");
	}
	putchar('\n');
}

bool tap_check_text(const char *got, const char *want, const char *text, const char *file, int line)
{
	bool is_equal = got && strcmp(got, want) == 0;

	if (!is_equal) {
		printf("# %s:\n", text);
		print_text("got ", got ? got : "(null)");
		print_text("want", want);
	}
	return tap_check(is_equal, text, file, line);
}

static void print_name(const char *name)
{
	for (; *name; name++)
		putchar(*name == '_' ? ' ' : *name);
	putchar('\n');
}

int main(void)
{
	unsigned int number = 0, failed = 0;

	for (struct tap_test *test = first; test; test = test->next) {
		has_failed = false;
		test->run();
		printf("%sok %u - ", has_failed ? "not " : "", ++number);
		print_name(test->name);
		failed += has_failed;
		fflush(stdout);
	}
	printf("1..%u\n", number);
	return failed > 0;
}
