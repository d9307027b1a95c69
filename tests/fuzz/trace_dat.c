// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz target: a trace.dat, from the file through all modules, with the rules of all packs, to
 * lines of a stream. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "reader/reader.h"
#include "fuzz.h"
#include "sink/sink.h"

/* The rules of all packs read the same records as the convention does. */
static struct rules *rules_make(bool is_swapped)
{
	struct rules *rules = rules_new();
	struct error error = { 0 };

	for (const struct rule_pack *pack = rule_packs; rules && pack->name; pack++) {
		if (rules_add(rules, pack->name, &error) < 0)
			abort();
	}
	if (!rules || rules_close(rules, is_swapped, &error) < 0)
		abort();
	return rules;
}

static int tracepoint_add(void *context, const struct tracepoint *tracepoint, struct error *error)
{
	struct pipeline *pipeline = context;
	const struct descriptor *descriptor;
	struct error ignored = { 0 };

	convention_add_task(pipeline->convention, tracepoint->system, tracepoint->name,
			    tracepoint->format, &ignored);
	if (rules_want(pipeline->rules, tracepoint->system, tracepoint->name))
		rules_bind(pipeline->rules, tracepoint->system, tracepoint->name,
			   tracepoint->format, &ignored);
	return convention_add(pipeline->convention, tracepoint->system, tracepoint->format,
			      &descriptor, error) < 0
		       ? -1
		       : 0;
}

/* Lines of EVENT are appended to the file that FUZZ_STREAM names, for the strict reader. */
static int fuzz_fd(const char *name)
{
	const char *stream = strcmp(name, "event") == 0 ? getenv("FUZZ_STREAM") : NULL;

	if (!stream)
		return open("/dev/null", O_WRONLY | O_CLOEXEC);
	return open(stream, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* All outputs of the table, into nothing. */
static int sinks_add(struct timeline *timeline, struct error *error)
{
	static const struct sink_trace2_settings trace2 = { .sid = "fuzz", .hierarchy = "export" };
	static const struct sink_stat_settings stat;
	struct sink_settings settings = { .name = "nothing",
					  .with = (1u << TIMELINE_EMITTER_COUNT) - 1,
					  .trace2 = &trace2,
					  .stat = &stat };
	int status = 0;

	for (size_t i = 0; i < sink_kinds_count && status == 0; i++) {
		struct sink *sink;

		/* A database takes files, and a hundred times as long as all others. */
		if (sink_kinds[i]->creates_files || strcmp(sink_kinds[i]->name, "query") == 0)
			continue;
		settings.fd = fuzz_fd(sink_kinds[i]->name);
		sink = sink_open(sink_kinds[i], &settings, error);
		status = sink ? timeline_add(timeline, sink, error) : -1;
	}
	return status;
}

static void source_export(struct source *source)
{
	static char *argv[] = { (char *)"ktrack", NULL };
	const struct recording *description = source_describe(source);
	struct pipeline pipeline = { .convention = convention_new(description->is_swapped),
				     .rules = rules_make(description->is_swapped) };
	struct tracepoint_visitor visitor = { .context = &pipeline, .visit = tracepoint_add };
	struct recording recording = { .command = "export",
				       .argv = argv,
				       .source = "fuzz",
				       .id = "0",
				       .clock = description->clock ? description->clock : "unknown",
				       .time_source = description->time_source,
				       .kernel = "unknown",
				       .nr_cpus = description->nr_cpus };
	struct source_handler handler = pipeline_handler(&pipeline);
	struct error error = { 0 };
	uint64_t lost = 0;
	int status;

	/* Rules and the convention have tracepoints of one numbering. */
	convention_reserve(pipeline.convention, rules_size(pipeline.rules) + 1);
	if (sinks_add(&pipeline.timeline, &error) == 0 &&
	    source_visit(source, &visitor, &error) == 0 &&
	    source_first_time(source, &recording.start_ns, &error) >= 0 &&
	    pipeline_open(&pipeline, source, &recording, 1u << TIMELINE_EMITTER_COMM, &error) ==
		    0) {
		status = source_finish(source, INT64_MAX, &handler, &lost, &error) < 0;
		if (tracks_finish(pipeline.tracks, recording.start_ns, lost, status, &error) == 0)
			timeline_flush(&pipeline.timeline, &error);
	}
	pipeline_release(&pipeline);
	rules_free(pipeline.rules);
}

static void source_read_all_symbols(struct source *source)
{
	struct kallsyms *symbols;
	struct error error = { 0 };

	if (source_read_symbols(source, &symbols, &error) == 0)
		kallsyms_free(symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct error error = { 0 };
	struct source *source;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, size) == (ssize_t)size &&
	    source_file_open(&source, path, NULL, &error) == 0) {
		source_export(source);
		source_read_all_symbols(source);
		source_close(source);
	}
	close(fd);
	return 0;
}
