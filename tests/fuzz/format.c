// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz target: a format file, then after a NUL records, each behind a byte that says how long it
 * is.
 */
#include "convention/convention.h"
#include "event/event.h"
#include "fuzz.h"
#include "records.h"

static void value_touch(const struct value *value)
{
	struct buffer text = { 0 };

	value_append_json(&text, value);
	value_append_text(&text, value);
	buffer_release(&text);
}

static void format_record_read(void *context, const struct record *record)
{
	const struct convention *convention = context;
	struct decoded_event decoded = { 0 };
	const struct descriptor *descriptor;
	struct task_change change;
	uint16_t id;

	if (!record_id(record, convention->is_swapped, &id))
		return;
	descriptor = convention_find_id(convention, id);
	if (descriptor && !convention_decode(&decoded, descriptor, record)) {
		value_touch(&(struct value){ .kind = VALUE_TEXT, .text = decoded.track_name });
		for (size_t i = 0; i < decoded.nr_extras; i++)
			value_touch(&decoded.extras[i].value);
	}
	if (convention_read_task(convention, id, record, &change))
		value_touch(&(struct value){ .kind = VALUE_TEXT, .text = change.comm });
}

/* The number of a text that the event prints, also with the text that it has itself. */
static void print_format_read(struct text format)
{
	static const char *const fields[] = { "op", "state", "flags" };
	struct buffer texts = { 0 };
	int64_t number;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		print_format_find_value(format, text_of(fields[i]), PRINT_TEXTS_OF_VALUES,
					text_of("none"), &number, &texts);
		print_format_find_value(format, text_of(fields[i]), PRINT_TEXTS_OF_BITS,
					text_of("write"), &number, &texts);
	}
	buffer_release(&texts);
}

static void format_read(bool is_swapped, struct text format, struct text records)
{
	static const char *const tasks[] = { "task_newtask", "task_rename", "sched_process_exec" };
	struct convention *convention = convention_new(is_swapped);
	const struct descriptor *descriptor;
	struct error error = { 0 };

	convention_add(convention, "fuzz", format, &descriptor, &error);
	for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++)
		convention_add_task(convention, i < 2 ? "task" : "sched", tasks[i], format, &error);
	records_read(records, format_record_read, convention);
	convention_free(convention);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text records, format = records_take_format(data, size, &records);

	print_format_read(format);
	format_read(false, format, records);
	format_read(true, format, records);
	return 0;
}
