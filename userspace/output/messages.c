// SPDX-License-Identifier: GPL-2.0-only
/* Words the last line of a run. */
#include "output/closing.h"

#include <stdlib.h>
#include <string.h>

#include "output/output_file.h"
#include "output/outputs.h"
#include "timeline/timeline.h"

void closing_report(const struct closing *closing, const char *next, const struct report *report)
{
	struct buffer line = { 0 };

	buffer_printf(&line, "%s: %llu %s%s, ", closing->object, (unsigned long long)closing->count,
		      closing->things, closing->count == 1 ? "" : "s");
	if (closing->has_lost)
		timeline_append_loss(&line, closing->lost, closing->gaps, closing->gaps_unknown);
	else
		buffer_append_string(&line, "nothing lost");
	report_closing(report, "%s; next: %s", buffer_string(&line), next);
	buffer_release(&line);
}

static bool target_is_file(const struct output_settings *outputs, size_t kind)
{
	const char *target = outputs->targets[kind];

	return target && strcmp(target, "-") != 0;
}

/* The targets but standard output, separated by commas. */
static void outputs_append(struct buffer *out, const struct output_settings *outputs)
{
	for (size_t i = 0; i < sink_kinds_count; i++) {
		if (target_is_file(outputs, i))
			buffer_printf(out, "%s%s", out->size > 0 ? ", " : "", outputs->targets[i]);
	}
}

void pipeline_report_end(const struct pipeline_counts *counts,
			 const struct output_settings *outputs, const char *source,
			 const char *next, const struct report *report)
{
	struct buffer object = { 0 };
	struct closing closing = {
		.count = counts->nr_events,
		.things = "event",
		.has_lost = counts->has_lost,
		.lost = counts->lost,
		.gaps = counts->nr_gaps,
		.gaps_unknown = counts->nr_gaps_unknown,
	};

	outputs_append(&object, outputs);
	closing.object = object.size > 0 ? buffer_string(&object) : source;
	closing_report(&closing, next, report);
	buffer_release(&object);
}

bool closing_append_view(struct buffer *out, const struct output_settings *outputs)
{
	size_t found = sink_kinds_count;

	/* The last kinds need no other program. */
	for (size_t i = 0; i < sink_kinds_count; i++) {
		if (target_is_file(outputs, i) && sink_kinds[i].viewer &&
		    !output_is_compressed(outputs->targets[i]))
			found = i;
	}
	if (found == sink_kinds_count)
		return false;
	buffer_printf(out, "open %s in %s", outputs->targets[found], sink_kinds[found].viewer);
	return true;
}

const char *sudo_prefix(void)
{
	return getenv("SUDO_UID") ? "sudo " : "";
}

/* " -e PATTERNS": with rules alone, the tracepoints that follow the convention have no tracks. */
static void patterns_append(struct buffer *out, const struct selection *selection)
{
	struct buffer list = { 0 };

	for (size_t i = 0; i < selection->nr_patterns; i++)
		buffer_printf(&list, "%s%s", i > 0 ? "," : "", selection->patterns[i].text);
	buffer_append_string(out, " -e ");
	buffer_append_word(out, buffer_string(&list));
	buffer_release(&list);
}

void closing_append_command(struct buffer *out, const char *command,
			    const struct selection *selection, const char *source)
{
	buffer_printf(out, "ktrack %s", command);
	if (selection->rule_words.size > 0 && selection->nr_patterns > 0)
		patterns_append(out, selection);
	if (selection->rule_words.size > 0)
		buffer_append(out, selection->rule_words.data, selection->rule_words.size);
	if (!source)
		return;
	buffer_append_char(out, ' ');
	buffer_append_word(out, source);
}
