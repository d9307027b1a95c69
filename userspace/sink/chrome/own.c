// SPDX-License-Identifier: GPL-2.0-only
/* ktrack's own events: facts of the recording, losses, problems, faults, the traced command. */
#include "sink/args.h"
#include "sink/chrome/state.h"
#include "sink/remark.h"

/* Numbers of CPUs are smaller. */
#define CPUS_MAX 65536

/* A thread of ktrack's own group. */
static struct text own_place(struct chrome_sink *sink, uint64_t thread)
{
	buffer_clear(&sink->file.text);
	buffer_printf(&sink->file.text, "\"pid\":%d,\"tid\":%llu,\"cat\":\"ktrack\"",
		      CHROME_OWN_PROCESS, (unsigned long long)thread);
	sink->file.out.failed |= sink->file.text.failed;
	return buffer_text(&sink->file.text);
}

/* Losses may overlap: each CPU of each buffer has a thread. Thread 0 has all other events. */
static uint64_t loss_thread(const struct timeline_event *loss)
{
	bool is_named = loss->loss_buffer && loss->loss_buffer[0];
	uint64_t number = is_named ? text_hash(text_of(loss->loss_buffer)) & INT16_MAX : 0;

	number += (uint64_t)(loss->loss_machine ? loss->loss_machine->number : 0) << 16;
	return 1 + (uint64_t)loss->loss_cpu + number * CPUS_MAX;
}

static int chrome_write_loss(struct chrome_sink *sink, const struct timeline_event *event,
			     struct error *error)
{
	struct text place = own_place(sink, loss_thread(event));
	struct buffer text = { 0 };
	struct buffer *out;

	loss_append_track(&text, event);
	if (chrome_write_name(sink, "thread_name", place, buffer_text(&text), error) < 0) {
		buffer_release(&text);
		return -1;
	}
	remark_set(&text, event);
	out = chrome_event_begin(sink, "X", place, event->begin_ns);
	buffer_append_string(out, ",\"dur\":");
	buffer_append_decimal(out, event->loss_end_ns - event->begin_ns, 3);
	chrome_append_member(out, "name", buffer_text(&text));
	buffer_release(&text);
	buffer_append_string(out, ",\"cname\":\"terrible\"");
	return chrome_event_end(sink, error);
}

static int chrome_own_write(struct chrome_sink *sink, const char *phase, int64_t time_ns,
			    struct text name, struct error *error)
{
	struct buffer *out = chrome_event_begin(sink, phase, own_place(sink, 0), time_ns);

	chrome_append_member(out, "name", name);
	if (phase[0] == 'i')
		chrome_append_member(out, "s", text_of("g"));
	return chrome_event_end(sink, error);
}

static int remark_write(struct chrome_sink *sink, const char *phase,
			const struct timeline_event *event, struct error *error)
{
	struct buffer text = { 0 };
	int status = chrome_own_write(sink, phase, event->time_ns, remark_set(&text, event), error);

	buffer_release(&text);
	return status;
}

static int chrome_write_command_end(struct chrome_sink *sink, const struct timeline_event *event,
				    struct error *error)
{
	struct buffer *out = chrome_event_begin(sink, "E", own_place(sink, 0), event->time_ns);

	buffer_printf(out, ",\"args\":{\"pid\":%d,\"status\":%d}", event->pid, event->status);
	return chrome_event_end(sink, error);
}

static int chrome_faults_write(struct chrome_sink *sink, const struct timeline_event *finish,
			       struct error *error)
{
	struct buffer text = { 0 };
	int status = 0;

	for (size_t i = 0; i < fault_limit(finish->totals) && status == 0; i++) {
		if (fault_set(&text, finish->totals, sink->file.counts_ticks, i))
			status = chrome_own_write(sink, "i", finish->time_ns, buffer_text(&text),
						  error);
	}
	if (text.failed)
		status = error_set(error, "out of memory");
	buffer_release(&text);
	return status;
}

static int chrome_deep_write(struct chrome_sink *sink, int64_t time_ns, struct error *error)
{
	struct buffer text = { 0 };
	const char *said;
	int status;

	if (sink->nr_deep == 0)
		return 0;
	said = deep_set(&text, sink->nr_deep);
	if (said)
		report_message(sink->report, "%s: %s; --event and --html have all of them",
			       sink->file.name, said);
	status = said ? chrome_own_write(sink, "i", time_ns, text_of(said), error)
		      : error_set(error, "out of memory");
	buffer_release(&text);
	return status;
}

/* A metadata event about the recording, of which no viewer's name is used; its args follow. */
static struct buffer *about_begin(struct chrome_sink *sink)
{
	struct buffer *out = chrome_event_begin(sink, "M", own_place(sink, 0), sink->file.start_ns);

	chrome_append_member(out, "name", text_of("ktrack"));
	buffer_append_string(out, ",\"args\":{");
	return out;
}

static int chrome_write_finish(struct chrome_sink *sink, const struct timeline_event *event,
			       struct error *error)
{
	struct buffer *out = &sink->file.out;

	if (chrome_deep_write(sink, event->time_ns, error) < 0 ||
	    chrome_faults_write(sink, event, error) < 0)
		return -1;
	if (event->totals->has_wall_drift) {
		about_begin(sink);
		buffer_printf(out, "\"wall_drift_ns\":\"%lld\"}",
			      (long long)event->totals->wall_drift_ns);
		if (chrome_event_end(sink, error) < 0)
			return -1;
	}
	buffer_append_string(out, "\n]\n");
	return 0;
}

static void append_about(struct buffer *out, const struct recording *recording)
{
	bool first = true;

	json_append_member(out, text_of("ktrack"), &first);
	json_append_string(out, text_of(KTRACK_VERSION));
	recording_append(out, recording, RECORDING_CHROME);
	machines_append(out, recording);
	buffer_append_string(out, ",\"start_s\":\"");
	buffer_append_decimal(out, recording->start_ns, 9);
	buffer_append_string(out, "\",\"unix_start_s\":\"");
	buffer_append_decimal(out, recording->start_ns + recording->wall_offset_ns, 9);
	buffer_append_char(out, '"');
}

int chrome_own_open(struct chrome_sink *sink, const struct recording *recording,
		    struct error *error)
{
	buffer_append_char(&sink->file.out, '[');
	append_about(about_begin(sink), recording);
	buffer_append_char(&sink->file.out, '}');
	if (chrome_event_end(sink, error) < 0)
		return -1;
	return chrome_write_name(sink, "process_name", own_place(sink, 0), text_of("ktrack"),
				 error);
}

int chrome_own_event(struct chrome_sink *sink, const struct timeline_event *event,
		     struct error *error)
{
	switch (event->kind) {
	case TIMELINE_LOSS:
		return chrome_write_loss(sink, event, error);
	case TIMELINE_COMMAND_BEGIN:
		return remark_write(sink, "B", event, error);
	case TIMELINE_COMMAND_END:
		return chrome_write_command_end(sink, event, error);
	case TIMELINE_FINISH:
		return chrome_write_finish(sink, event, error);
	default:
		return remark_write(sink, "i", event, error);
	}
}
