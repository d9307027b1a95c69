// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz target: a selector of slices, a time, and the names of a track and a slice, with NULs between them. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "fuzz.h"

#define TEXTS 6

enum {
	FUZZ_SELECTOR,
	FUZZ_TIME,
	FUZZ_CATEGORY,
	FUZZ_TRACK,
	FUZZ_COMM,
	FUZZ_SLICE,
};

/* Each text is in a block of its own; there is an empty one if the input has no more. */
static char *text_take(const uint8_t **data, size_t *size)
{
	size_t length = strnlen((const char *)*data, *size);
	char *text = calloc(1, length + 1);

	memcpy(text, *data, length);
	length += length < *size;
	*data += length;
	*size -= length;
	return text;
}

static void selector_run(char *const texts[TEXTS])
{
	struct timeline_category category = { .text = texts[FUZZ_CATEGORY] };
	struct timeline_track track = { .category = &category,
					.scope = SCOPE_THREAD,
					.name = text_of(texts[FUZZ_TRACK]),
					.comm = texts[FUZZ_COMM],
					.id = { .kind = VALUE_SIGNED, .signed_number = 7 } };
	struct slice_selector selector;
	struct error error = { 0 };
	int status = slice_selector_parse(&selector, text_of(texts[FUZZ_SELECTOR]), &error);

	if (status < 0 && !*error.text)
		abort();
	if (status == 0) {
		slice_selector_matches_track(&selector, &track);
		slice_selector_matches_name(&selector, text_of(texts[FUZZ_SLICE]));
	}
	slice_selector_release(&selector);
}

static void time_run(const char *text)
{
	struct error error = { 0 };
	int64_t ns = 0;

	if (time_duration_parse(text, &ns, &error) == 0 ? ns < 0 : !*error.text)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *texts[TEXTS];

	for (size_t i = 0; i < TEXTS; i++)
		texts[i] = text_take(&data, &size);
	selector_run(texts);
	time_run(texts[FUZZ_TIME]);
	for (size_t i = 0; i < TEXTS; i++)
		free(texts[i]);
	return 0;
}
