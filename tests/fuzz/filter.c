// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz target: an event filter, then after a NUL a record, which has fields of every kind. */
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "fields.h"
#include "fuzz.h"

static void filter_run(const char *text, const struct format *format, const struct record *record,
		       bool is_swapped)
{
	struct event_filter *filter;
	struct error error = { 0 };
	struct kallsyms *symbols = NULL;

	if (event_filter_new(&filter, text, format, is_swapped, &error) < 0) {
		if (!*error.text)
			abort();
		return;
	}
	event_filter_matches(filter, record);
	if (event_filter_needs_symbols(filter)) {
		kallsyms_new(&symbols, text_of(FUZZ_SYMBOLS), &error);
		event_filter_resolve(filter, symbols, &error);
		kallsyms_free(symbols);
	}
	event_filter_matches_task(filter, record, text_of("name"));
	event_filter_free(filter);
	/* Whatever can be compiled has the right syntax. */
	if (event_filter_check(text, &error) < 0)
		abort();
}

/* The text and the record are in blocks of their own, so that no read behind them is unseen. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t text_size = strnlen((const char *)data, size);
	size_t rest = size > text_size ? size - text_size - 1 : 0;
	char *text = strndup((const char *)data, text_size);
	unsigned char *bytes = malloc(rest ? rest : 1);
	struct record record = { .cpu = 1, .data = bytes, .size = rest };
	struct format format;

	memcpy(bytes, data + size - rest, rest);
	format_parse(&format, text_of(FUZZ_FORMAT));
	filter_run(text, &format, &record, false);
	filter_run(text, &format, &record, true);
	format_release(&format);
	free(bytes);
	free(text);
	return 0;
}
