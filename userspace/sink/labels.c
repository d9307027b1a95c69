// SPDX-License-Identifier: GPL-2.0-only
/* Writes labels, and the machine that was traced, as JSON. */
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
