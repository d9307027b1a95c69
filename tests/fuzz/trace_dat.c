// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz target: a trace.dat, from the file through all rooms to lines of a stream. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/pipeline.h"
#include "fuzz.h"
#include "sink/sink.h"

static int tracepoint_add(void *context, const struct source_tracepoint *tracepoint,
			  struct error *error)
{
	const struct template *template;
	struct error ignored = { 0 };

	convention_add_task(context, tracepoint->system, tracepoint->name, tracepoint->format,
			    &ignored);
	return convention_add(context, tracepoint->system, tracepoint->format, &template, error) < 0
		       ? -1
		       : 0;
}

static int sink_add(struct timeline *timeline, struct error *error)
{
	struct sink_trace2_settings settings = { .sid = "fuzz",
						 .hierarchy = "fuzz",
						 .with = (1u << TIMELINE_EMITTER_COUNT) - 1 };

	struct sink_file_settings picture = { .name = "nothing",
					      .fd = open("/dev/null", O_WRONLY | O_CLOEXEC),
					      .with = settings.with };

	for (int i = 0; i < TRACE2_TARGET_COUNT; i++) {
		settings.targets[i].name = "nothing";
		settings.targets[i].fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	}
	return timeline_add(timeline, sink_trace2_new(&settings, error), error) < 0 ||
			       timeline_add(timeline, sink_chrome_new(&picture, error), error) < 0
		       ? -1
		       : 0;
}

static void source_export(struct source *source)
{
	static char *argv[] = { (char *)"ktrack", NULL };
	const struct source_description *description = source_describe(source);
	struct pipeline pipeline = { .convention = convention_new(description->is_swapped) };
	struct source_visitor visitor = { .context = pipeline.convention, .visit = tracepoint_add };
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
	uint64_t lost;

	if (sink_add(&pipeline.timeline, &error) == 0 &&
	    source_visit(source, &visitor, &error) == 0 &&
	    source_first_time(source, &recording.start_ns, &error) >= 0 &&
	    pipeline_open(&pipeline, source, &recording, true, &error) == 0 &&
	    source_finish(source, INT64_MAX, &handler, &lost, &error) == 0)
		tracks_finish(pipeline.tracks, recording.start_ns, lost, 0, &error);
	pipeline_release(&pipeline);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct error error = { 0 };
	struct source *source;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, size) == (ssize_t)size &&
	    source_file_open(&source, path, &error) == 0) {
		source_export(source);
		source_close(source);
	}
	close(fd);
	return 0;
}
