// SPDX-License-Identifier: GPL-2.0-only
/* Writes labels, and the machines that were traced, as JSON. */
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

void machine_append(struct buffer *out, const struct recording *recording)
{
	bool first = false;

	json_append_member(out, text_of("kernel"), &first);
	json_append_string(out, text_of(recording->kernel));
	if (recording->host) {
		json_append_member(out, text_of("host"), &first);
		json_append_string(out, text_of(recording->host));
	}
	json_append_member(out, text_of("labels"), &first);
	labels_append(out, recording->labels);
}

void machine_append_object(struct buffer *out, const struct timeline_machine *machine)
{
	const struct recording *recording = machine->recording;
	bool first = true;

	buffer_append_char(out, '{');
	json_append_member(out, text_of("name"), &first);
	json_append_string(out, text_of(machine->name));
	json_append_member(out, text_of("source"), &first);
	json_append_string(out, text_of(recording->source));
	machine_append(out, recording);
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
