// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz target: a format file, then after a NUL records, each behind a byte that says how long it
 * is.
 */
#include <stdlib.h>
#include <string.h>

#include "convention/convention.h"
#include "fuzz.h"

static void value_touch(const struct value *value)
{
	struct buffer text = { 0 };

	value_append_json(&text, value);
	value_append_text(&text, value);
	buffer_release(&text);
}

/* The record's bytes are in a block of their own, so that nothing behind them can be read unseen.
 */
static void record_read(const struct convention *convention, const uint8_t *data, size_t size)
{
	unsigned char *bytes = malloc(size ? size : 1);
	struct record record = { .data = bytes, .size = size };
	struct decoded_event decoded = { 0 };
	const struct descriptor *descriptor;
	struct task_change change;

	memcpy(bytes, data, size);
	descriptor = convention_find(convention, &record);
	if (descriptor && !convention_decode(&decoded, descriptor, &record)) {
		value_touch(&(struct value){ .kind = VALUE_TEXT, .text = decoded.track_name });
		for (size_t i = 0; i < decoded.nr_extras; i++)
			value_touch(&decoded.extras[i].value);
	}
	if (convention_read_task(convention, &record, &change))
		value_touch(&(struct value){ .kind = VALUE_TEXT, .text = change.comm });
	free(bytes);
}

static void format_read(bool is_swapped, struct text format, const uint8_t *records, size_t size)
{
	static const char *const tasks[] = { "task_newtask", "task_rename", "sched_process_exec" };
	struct convention *convention = convention_new(is_swapped);
	const struct descriptor *descriptor;
	struct error error = { 0 };

	convention_add(convention, "fuzz", format, &descriptor, &error);
	for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++)
		convention_add_task(convention, i < 2 ? "task" : "sched", tasks[i], format, &error);
	while (size > 0) {
		size_t record_size = records[0] < size - 1 ? records[0] : size - 1;

		record_read(convention, records + 1, record_size);
		records += 1 + record_size;
		size -= 1 + record_size;
	}
	convention_free(convention);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t format_size = strnlen((const char *)data, size);
	size_t rest = size > format_size ? size - format_size - 1 : 0;
	struct text format = { .data = (const char *)data, .size = format_size };

	format_read(false, format, data + size - rest, rest);
	format_read(true, format, data + size - rest, rest);
	return 0;
}
