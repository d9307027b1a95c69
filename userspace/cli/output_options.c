// SPDX-License-Identifier: GPL-2.0-only
/* Options for outputs: one for each row of the table of sinks, and those that all outputs share. */
#include "cli/option_parts.h"

#include <string.h>

static const char *const emitter_words[] = {
	[TIMELINE_EMITTER_TID] = "tid",
	[TIMELINE_EMITTER_CPU] = "cpu",
	[TIMELINE_EMITTER_COMM] = "comm",
};
_Static_assert(sizeof(emitter_words) / sizeof(emitter_words[0]) == TIMELINE_EMITTER_COUNT,
	       "a word for each");

static int emitter_find(struct text word)
{
	for (int i = 0; i < TIMELINE_EMITTER_COUNT; i++) {
		if (text_equals(word, text_of(emitter_words[i])))
			return i;
	}
	return -1;
}

static int apply_with(void *settings, const char *value, struct error *error)
{
	struct output_settings *outputs = settings;
	struct text rest = text_of(value), word;

	while (text_take_item(&rest, &word)) {
		int emitter = emitter_find(word);

		if (emitter < 0)
			return error_set(error, "--with=%.*s: unknown; write tid, cpu or comm",
					 (int)word.size, word.data);
		outputs->with |= 1u << emitter;
	}
	return 0;
}

static int apply_rows(void *settings, const char *value, struct error *error)
{
	struct output_settings *outputs = settings;
	bool is_tracepoint = strcmp(value, "tracepoint") == 0;

	if (!is_tracepoint && strcmp(value, "thread") != 0)
		return error_set(error, "--rows=%s: unknown; write thread or tracepoint", value);
	outputs->rows = is_tracepoint ? SINK_ROWS_TRACEPOINT : SINK_ROWS_THREAD;
	return 0;
}

static const struct option_row shared_rows[OUTPUT_SHARED_ROWS] = {
	{ 0, "append", NULL,
	  "append to EVENT, PERF, NORMAL and Perfetto files instead of replacing them", NULL,
	  offsetof(struct output_settings, is_appending), .is_rare = true },
	{ 0, "with", "WHAT",
	  "add the writer of each record: a comma-separated list of tid, cpu and comm", apply_with,
	  .is_repeatable = true, .is_rare = true },
	{ 0, "rows", "KIND",
	  "draw one row for each 'thread' (default) or 'tracepoint': --html, --chrome, --perfetto",
	  apply_rows, .is_rare = true },
	{ 0, "sid", "TEXT",
	  "set the trace2 session id; 'recording' (export only) derives it from SOURCE",
	  option_store_text, offsetof(struct output_settings, sid), .needs_text = true,
	  .is_rare = true },
	{ .long_name = "fail-on-loss",
	  .help = "exit with status 3 if records were lost",
	  .offset = offsetof(struct output_settings, fails_on_loss),
	  .is_rare = true },
};

struct option_part output_options(struct output_rows *rows, size_t offset)
{
	size_t size = 0;

	for (size_t i = 0; i < sink_kinds_count; i++) {
		const struct sink_kind *kind = &sink_kinds[i];
		size_t target = offsetof(struct output_settings, targets) + i * sizeof(char *);

		if (kind->use == SINK_USE_COMMAND || kind->use == SINK_USE_SERVER)
			continue;
		rows->rows[size++] = (struct option_row){
			.long_name = kind->name,
			.argument = kind->use == SINK_USE_TRACE2 ? "[=TARGET]" : "FILE",
			.help = kind->help,
			.apply = option_store_text,
			.offset = target,
			.needs_text = true,
			.is_rare = kind->is_rare,
		};
	}
	memcpy(rows->rows + size, shared_rows, sizeof(shared_rows));
	size += OUTPUT_SHARED_ROWS;
	return (struct option_part){ .rows = rows->rows, .nr_rows = size, .offset = offset };
}
