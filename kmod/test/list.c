// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints all scenarios for programs, one item per line, with words separated by one blank:
 *
 *	event NAME SCOPE_FIELD TRACK_FIELD		a tracepoint; - for no field
 *	scenario NAME					followed by its steps:
 *	step TYPE EVENT CONTEXT CPU TIMES NUMBERED NAME TRACK SCOPE VALUE
 *
 * TYPE is a record's type in decimal, or C for a counter; CPU 0 is the writer's first one, 1 the
 * second; strings are quoted, special characters are \xNN, and NULL is not quoted.
 */
#include <linux/ctype.h>
#include <linux/seq_file.h>

#include "test.h"

static void test_list_string(struct seq_file *file, const char *text)
{
	if (!text) {
		seq_puts(file, " NULL");
		return;
	}
	seq_puts(file, " \"");
	for (; *text; text++)
		if (isascii(*text) && isgraph(*text) && *text != '"' && *text != '\\')
			seq_putc(file, *text);
		else
			seq_printf(file, "\\x%02x", (u8)*text);
	seq_putc(file, '"');
}

static void test_list_step(struct seq_file *file, const struct test_step *step)
{
	if (step->type == TEST_TYPE_SAMPLE)
		seq_puts(file, "step C");
	else
		seq_printf(file, "step %d", step->type);
	seq_printf(file, " %s %s %d %u %d", test_events[step->event].name,
		   test_context_names[step->context], step->on_second_cpu, step->times ?: 1,
		   step->is_numbered);
	test_list_string(file, step->name);
	test_list_string(file, step->track);
	seq_printf(file, " %lld %lld\n", step->scope, step->value);
}

void test_list_all(struct seq_file *file)
{
	const struct test_scenario *scenario;
	const struct test_event *event;
	u32 index;

	for (event = test_events; event < test_events + TEST_NR_EVENTS; event++)
		seq_printf(file, "event %s %s %s\n", event->name, event->scope ?: "-",
			   event->track ?: "-");
	for (scenario = test_scenarios; scenario < test_scenarios + test_nr_scenarios; scenario++) {
		seq_printf(file, "scenario %s\n", scenario->name);
		for (index = 0; index < scenario->nr_steps; index++)
			test_list_step(file, &scenario->steps[index]);
	}
}
