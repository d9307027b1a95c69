// SPDX-License-Identifier: GPL-2.0-only
/* Parses sizes, durations, counts and lists of CPUs. */
#include "cli/option.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "capture/capture.h"

static const struct {
	const char *word;
	uint64_t kib;
} units[] = {
	{ "", 1 },	 { "k", 1 },	       { "KiB", 1 },	       { "M", 1024 },
	{ "MiB", 1024 }, { "G", 1024 * 1024 }, { "GiB", 1024 * 1024 },
};

/* Returns 0 if the word is no unit. */
static uint64_t unit_find(const char *word)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcasecmp(units[i].word, word) == 0)
			return units[i].kib;
	}
	return 0;
}

int size_kib_parse(const char *string, uint64_t *out_kib, struct error *error)
{
	size_t nr_digits = strspn(string, "0123456789");
	uint64_t unit_kib = unit_find(string + nr_digits);
	uint64_t number;

	errno = 0;
	number = strtoull(string, NULL, 10);
	if (nr_digits == 0 || number == 0 || unit_kib == 0)
		return error_set(error,
				 "'%s': not a size; write a number of KiB, or one with k, M or G",
				 string);
	if (errno || number > BUFFER_KIB_MAX / unit_kib)
		return error_set(error, "'%s': too large; write at most %dG", string,
				 BUFFER_KIB_MAX / (1024 * 1024));
	*out_kib = number * unit_kib;
	return 0;
}

int duration_parse(const char *string, const char *option, const char *problem, int64_t *out_ns,
		   struct error *error)
{
	if (time_duration_parse(string, out_ns, error) < 0)
		return -1;
	return *out_ns > 0 ? 0
			   : error_set(error, "%s=%s: %s; write a time above 0", option, string,
				       problem);
}

/* Parses a number below CPU_SETSIZE; returns the rest of the text, or NULL. */
static const char *cpu_number_parse(const char *string, int *out)
{
	size_t nr_digits = strspn(string, "0123456789");

	*out = atoi(string);
	return nr_digits > 0 && nr_digits < 6 && *out < CPU_SETSIZE ? string + nr_digits : NULL;
}

/* Parses one CPU or a range; returns the rest of the text, or NULL. */
static const char *cpu_range_parse(const char *string, cpu_set_t *out)
{
	int first, last;
	const char *rest = cpu_number_parse(string, &first);

	last = first;
	if (rest && *rest == '-')
		rest = cpu_number_parse(rest + 1, &last);
	if (!rest || last < first)
		return NULL;
	for (int cpu = first; cpu <= last; cpu++)
		CPU_SET(cpu, out);
	return rest;
}

int cpu_list_parse(const char *string, cpu_set_t *out, struct error *error)
{
	const char *rest = string;

	CPU_ZERO(out);
	do {
		rest = cpu_range_parse(rest, out);
	} while (rest && *rest++ == ',');
	if (rest && !rest[-1])
		return 0;
	return error_set(error, "'%s': not a list of CPUs; write numbers as in 0,2-3", string);
}
