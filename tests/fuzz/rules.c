// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz target: rules, then after a NUL a record; they are bound to a format that has fields of every kind. Also lines of a stored selection. */
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "fuzz.h"
#include "reader/reader.h"
#include "rules/rule.h"
#include "rules/rules.h"

static const char format_text[] =
	FUZZ_FORMAT "\nprint fmt: \"%ps %d\", (void *)REC->f, REC->a\n";

static void decoded_check(const struct rules *rules, const struct decoded_event *decoded)
{
	if (decoded->descriptor->index >= rules_size(rules))
		abort();
	if (!decoded->problem && decoded->slice_name.size > 0 && !decoded->slice_name.data)
		abort();
}

static void rules_run(struct rules *rules, const struct record *record)
{
	uint16_t id;
	struct rule_tracepoint *tracepoint = record_id(record, rules->is_swapped, &id)
						     ? rules_find_id(rules, id)
						     : NULL;
	size_t nr_events = tracepoint ? rules_decode(rules, tracepoint, record) : 0;

	for (size_t i = 0; i < nr_events; i++)
		decoded_check(rules, tracepoint->events[i]);
}

/* Every failure has an error. */
static bool rules_make(struct rules *rules, const char *text, bool is_swapped)
{
	struct error error = { 0 };
	bool is_good = rules_add(rules, text, &error) == 0 &&
		       rules_close(rules, is_swapped, &error) == 0;

	if (is_good) {
		rules_note(rules, "s", "event");
		rules_choose(rules);
		is_good = rules_bind(rules, "s", "event", text_of(format_text), &error) == 0;
	}
	if (!is_good && !*error.text)
		abort();
	return is_good;
}

static void text_run(const char *text, const struct record *record, bool is_swapped)
{
	struct rules *rules = rules_new();
	struct kallsyms *symbols = NULL;
	struct error error = { 0 };

	if (rules && rules_make(rules, text, is_swapped)) {
		free(rules_filter(rules, "s", "event"));
		rules_run(rules, record);
		kallsyms_new(&symbols, text_of(FUZZ_SYMBOLS), &error);
		rules_set_kallsyms(rules, symbols);
		rules_run(rules, record);
	}
	rules_free(rules);
}

/* As the selection of a recording; no path is opened. */
static void stored_run(const char *text)
{
	struct selection selection = { .origin = SELECTION_RECORDED };
	struct buffer lines = { 0 };
	struct error error = { 0 };

	if (selection_add_stored(&selection, text_of(text), NULL, &error) < 0 && !*error.text)
		abort();
	selection_describe(&selection, &lines);
	selection_store(&selection, true, &lines);
	buffer_release(&lines);
	selection_release(&selection);
}

/* The text and the record are in blocks of their own, so that no read behind them is unseen. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t text_size = strnlen((const char *)data, size);
	size_t rest = size > text_size ? size - text_size - 1 : 0;
	char *text = strndup((const char *)data, text_size);
	unsigned char *bytes = malloc(rest ? rest : 1);
	struct record record = { .cpu = 1, .data = bytes, .size = rest };

	memcpy(bytes, data + size - rest, rest);
	/* Without a space, it is a name of a pack or a path, which no fuzzer opens. */
	if (strchr(text, ' ')) {
		text_run(text, &record, false);
		text_run(text, &record, true);
	}
	stored_run(text);
	free(bytes);
	free(text);
	return 0;
}
