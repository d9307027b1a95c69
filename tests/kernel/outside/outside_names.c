// SPDX-License-Identifier: GPL-2.0-only
/* Names that are hard to carry: none, empty, long, and cut inside of a character. */
#include <linux/kernel.h>
#include <linux/string.h>

#include "outside.h"
#include "outside_trace.h"

/**
 * struct outside_name - so many times the letter "a", and what follows
 * @nr_letters: how many
 * @rest: the rest
 */
struct outside_name {
	unsigned int nr_letters;
	const char *rest;
};

static const struct outside_name outside_names[] = {
	{ 0, "" },
	{ 126, "b" },
	{ 126, "bc" },
	{ 299, "" },
	{ 125, "\xc3\xa9" },
	{ 126, "\xc3\xa9" },
	{ 124, "\xe2\x82\xac" },
	{ 125, "\xe2\x82\xac" },
	{ 126, "\xe2\x82\xac" },
	{ 123, "\xf0\x9f\x90\xa7" },
	{ 124, "\xf0\x9f\x90\xa7" },
	{ 125, "\xf0\x9f\x90\xa7" },
	{ 126, "\xf0\x9f\x90\xa7" },
	{ 122, "\x80\x80\x80\x80\x80\x80\x80\x80" },
};

static void outside_name_write(const char *name)
{
	ktrack_instant(outside_text, name, name, name);
	ktrack_instant_printf(outside_text, ("%s", name), name, name);
	ktrack_begin_printf(outside_text, ("%s", name), name, name);
	ktrack_end(outside_text, name, name);
}

/* Each goes through all ways that a string has into a record. */
void outside_names_write(void)
{
	const struct outside_name *name;
	char text[320];

	outside_name_write(NULL);
	for (name = outside_names; name < outside_names + ARRAY_SIZE(outside_names); name++) {
		memset(text, 'a', name->nr_letters);
		strscpy(text + name->nr_letters, name->rest, sizeof(text) - name->nr_letters);
		outside_name_write(text);
	}
}
