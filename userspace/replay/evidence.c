// SPDX-License-Identifier: GPL-2.0-only
/* Finds the records of a file at given times: those that an explanation rests on. */
#include <stdlib.h>
#include <string.h>

#include "reader/reader.h"
#include "replay/replay.h"
#include "source/source.h"

/** struct evidence_run - a search */
struct evidence_run {
	const struct recording *recording;
	char **names; /* of events, by their id */
	const int64_t *times_ns;
	size_t nr_times;
	size_t next; /* the first time that has not passed */
	struct evidence *out;
};

static int evidence_visit(void *context, const struct tracepoint *tracepoint, struct error *error)
{
	struct evidence_run *run = context;
	const char *of_program = program_system(tracepoint->system);
	int64_t id = format_read_id(tracepoint->format);
	SCOPED_BUFFER(name);

	if (id < 0 || id >= RULES_IDS || run->names[id])
		return 0;
	buffer_printf(&name, "%s:%s", of_program ? of_program : tracepoint->system,
		      tracepoint->name);
	run->names[id] = strdup(buffer_string(&name));
	return run->names[id] ? 0 : error_set(error, "out of memory");
}

static int evidence_record(void *context, const struct record *record, struct error *error)
{
	struct evidence_run *run = context;
	const struct recording *recording = run->recording;
	const char *buffer = "";
	uint16_t id;

	while (run->next < run->nr_times && run->times_ns[run->next] < record->time_ns)
		run->next++;
	if (run->next == run->nr_times || run->times_ns[run->next] != record->time_ns ||
	    !record_id(record, recording->is_swapped, &id) || !run->names[id])
		return 0;
	if (recording->buffers && record->buffer < recording->nr_buffers)
		buffer = recording->buffers[record->buffer];
	return evidence_add(run->out, record->time_ns, record->cpu, buffer, run->names[id]) < 0
		       ? error_set(error, "out of memory")
		       : 0;
}

static int evidence_loss(void *context, const struct loss *loss, struct error *error)
{
	(void)context, (void)loss, (void)error;
	return 0;
}

int evidence_find(void *context, const int64_t *times_ns, size_t nr, struct evidence *out,
		  struct error *error)
{
	const struct why_run_settings *settings = context;
	const struct input_settings input = { .max_kib = settings->limits.max_input_kib };
	struct evidence_run run = { .times_ns = times_ns, .nr_times = nr, .out = out };
	const struct tracepoint_visitor visitor = { .context = &run, .visit = evidence_visit };
	const struct source_handler handler = { .context = &run,
						.record = evidence_record,
						.loss = evidence_loss };
	struct source *source;
	uint64_t lost;
	int status;

	if (source_open(&source, settings->source, &input, error) < 0)
		return -1;
	run.recording = source_describe(source);
	run.names = calloc(RULES_IDS, sizeof(*run.names));
	status = run.names ? source_visit(source, &visitor, error)
			   : error_set(error, "out of memory");
	if (status == 0)
		status = source_finish(source, INT64_MAX, &handler, &lost, error);
	for (size_t id = 0; run.names && id < RULES_IDS; id++)
		free(run.names[id]);
	free(run.names);
	source_close(source);
	return status;
}
