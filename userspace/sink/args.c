// SPDX-License-Identifier: GPL-2.0-only
/* The arguments of an event as JSON. */
#include "sink/args.h"

#include "sink/flow.h"

bool event_has_args(const struct timeline_event *event, unsigned int with)
{
	return event->nr_any > 0 || event->is_suspect || event->is_unfinished ||
	       event->is_foreign || event->is_cut || with;
}

/* With @is_end the name's opening quote is overwritten with the colon of "end:". */
static void arg_name_append(struct buffer *out, struct text name, bool is_end, bool *first)
{
	size_t quote;

	if (!is_end) {
		json_append_member(out, name, first);
		return;
	}
	buffer_append_string(out, *first ? "\"end" : ",\"end");
	*first = false;
	quote = out->size;
	json_append_string(out, name);
	buffer_append_char(out, ':');
	if (!out->failed)
		out->data[quote] = ':';
}

static void arg_number_append(struct buffer *out, const char *name, int64_t number, bool is_end,
			      bool *first)
{
	arg_name_append(out, text_of(name), is_end, first);
	buffer_append_signed(out, number);
}

static void arg_true_append(struct buffer *out, const char *name, bool *first)
{
	json_append_member(out, text_of(name), first);
	buffer_append_string(out, "true");
}

static void args_append_emitter(struct buffer *out, const struct timeline_event *event,
				unsigned int with, bool is_end, bool *first)
{
	if (event_has_emitter(event, with, TIMELINE_EMITTER_TID))
		arg_number_append(out, "ktrack:tid", event->tid, is_end, first);
	if (event_has_emitter(event, with, TIMELINE_EMITTER_CPU))
		arg_number_append(out, "ktrack:cpu", event->cpu, is_end, first);
	if (event_has_emitter(event, with, TIMELINE_EMITTER_COMM)) {
		arg_name_append(out, text_of("ktrack:comm"), is_end, first);
		json_append_string(out, text_of(event->comm));
	}
}

void event_append_args(struct buffer *out, const struct timeline_event *event, unsigned int with,
		       bool names_ends)
{
	bool is_end = names_ends && event->kind == TIMELINE_SLICE_END;
	bool first = true;

	buffer_append_char(out, '{');
	for (size_t i = 0; i < event->nr_fields; i++) {
		arg_name_append(out, event->fields[i].name, is_end, &first);
		value_append_json(out, &event->fields[i].value);
	}
	if (event->nr_flows > 0) {
		arg_name_append(out, text_of("ktrack:flow"), is_end, &first);
		flows_append_json(out, event);
	}
	if (with & ARGS_TRACK) {
		json_append_member(out, text_of("ktrack:track"), &first);
		json_append_string(out, event->track->name);
	}
	args_append_emitter(out, event, with, is_end, &first);
	if (event->is_suspect)
		arg_true_append(out, "ktrack:suspect", &first);
	if (event->is_unfinished)
		arg_true_append(out, "ktrack:unfinished", &first);
	if (event->is_foreign)
		arg_true_append(out, "ktrack:foreign", &first);
	if (event->is_cut && event->kind == TIMELINE_SLICE_BEGIN)
		arg_number_append(out, "ktrack:begin_ns", event->begin_ns, false, &first);
	else if (event->is_cut)
		arg_true_append(out, "ktrack:cut", &first);
	buffer_append_char(out, '}');
}
