// SPDX-License-Identifier: GPL-2.0-only
/* Writes properties of recordings, and the machines that were traced, as JSON. */
#include "sink/args.h"
#include "timeline/timeline.h"

void labels_append(struct buffer *out, const char *labels)
{
	struct text rest = text_of(labels ? labels : ""), key, value;
	bool first = true;

	buffer_append_char(out, '{');
	while (recording_take_label(&rest, &key, &value)) {
		json_append_member(out, key, &first);
		json_append_string(out, value);
	}
	buffer_append_char(out, '}');
}

void recording_append(struct buffer *out, const struct recording *recording, unsigned int output)
{
	const struct recording_property *property = NULL;
	bool first = false;
	struct value value;

	while (recording_next(recording, output, &property, &value)) {
		json_append_member(out, text_of(property->name), &first);
		value_append_json(out, &value);
	}
	json_append_member(out, text_of("labels"), &first);
	labels_append(out, recording->labels);
}

/** machine_append_object - append an object: one of several recordings that are merged */
static void machine_append_object(struct buffer *out, const struct timeline_machine *machine)
{
	const struct recording *recording = machine->recording;
	bool first = true;

	buffer_append_char(out, '{');
	json_append_member(out, text_of("name"), &first);
	json_append_string(out, text_of(machine->name));
	recording_append(out, recording, RECORDING_MACHINE);
	buffer_printf(out,
		      ",\"shift_ns\":\"%lld\",\"wall_error_ns\":", (long long)machine->shift_ns);
	if (machine->recording->wall_error_ns < 0)
		buffer_append_string(out, "null}");
	else
		buffer_printf(out, "%lld}", (long long)machine->recording->wall_error_ns);
}

void machines_append(struct buffer *out, const struct recording *recording)
{
	if (recording->nr_machines == 0)
		return;
	buffer_append_string(out, ",\"machines\":[");
	for (size_t i = 0; i < recording->nr_machines; i++) {
		if (i > 0)
			buffer_append_char(out, ',');
		machine_append_object(out, &recording->machines[i]);
	}
	buffer_append_char(out, ']');
}
