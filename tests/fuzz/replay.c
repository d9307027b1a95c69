// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a fuzz target without a fuzzer: on files as they are, and with random changes, the same in
 * every run. Arguments: how many changes of each file, then the files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "fuzz.h"
#include "../unit/fixtures/random.h"

/* What was run last stays, for whoever looks into a crash. */
static void input_run(const char *data, size_t size)
{
	FILE *last = fopen("build/fuzz/last", "w");

	if (last) {
		fwrite(data, 1, size, last);
		fclose(last);
	}
	LLVMFuzzerTestOneInput((const uint8_t *)data, size);
}

static void change_number(char *data, size_t size, struct random *random)
{
	static const uint64_t extremes[] = { 0, 1, UINT32_MAX, UINT64_MAX, INT64_MAX, 0xffff };
	size_t width = (size_t)1 << random_below(random, 4);
	uint64_t number = 0;
	size_t at;

	if (width > size)
		return;
	at = random_below(random, size - width + 1);
	memcpy(&number, data + at, width);
	if (random_below(random, 2))
		number += random_below(random, 64) - 32;
	else
		number = random_below(random, 2)
				 ? random_next(random)
				 : extremes[random_below(random, sizeof(extremes) / 8)];
	memcpy(data + at, &number, width);
}

/* Changes some numbers; now and then cuts, or takes a piece out. */
static size_t input_change(char *data, size_t size, struct random *random)
{
	for (uint64_t i = 1 + random_below(random, 4); i > 0; i--)
		change_number(data, size, random);
	if (size > 1 && random_below(random, 8) == 0)
		size = random_below(random, size);
	if (size > 8 && random_below(random, 8) == 0) {
		size_t at = random_below(random, size - 8);
		size_t taken = random_below(random, 8);

		memmove(data + at, data + at + taken, size - at - taken);
		size -= taken;
	}
	return size;
}

static int file_replay(const char *path, unsigned int nr_changes, struct random *random)
{
	struct buffer whole = { 0 };
	char *changed;

	if (file_read(path, &whole) < 0) {
		fprintf(stderr, "cannot read %s\n", path);
		return -1;
	}
	input_run(whole.data, whole.size);
	changed = malloc(whole.size + 1);
	for (unsigned int i = 0; i < nr_changes; i++) {
		memcpy(changed, whole.data, whole.size);
		input_run(changed, input_change(changed, whole.size, random));
	}
	free(changed);
	buffer_release(&whole);
	return 0;
}

int main(int argc, char **argv)
{
	struct random random = { .state = 23 };
	unsigned int nr_changes = argc > 1 ? atoi(argv[1]) : 0;

	for (int i = 2; i < argc; i++) {
		if (file_replay(argv[i], nr_changes, &random) < 0)
			return 1;
	}
	return 0;
}
