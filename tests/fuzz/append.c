// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz target: a file that --append takes for a Perfetto trace, and adds a recording to. */
#include <fcntl.h>

#include "folder.h"
#include "fuzz.h"
#include "sink/sink.h"

#define START_NS INT64_C(1000000000)
#define WALL_NS (INT64_C(1600000000) * NS_PER_S)

static int recording_add(struct timeline *timeline, struct error *error)
{
	static const struct recording recording = { .start_ns = START_NS,
						    .wall_offset_ns = WALL_NS,
						    .source = "fuzz.dat",
						    .id = "1",
						    .mode = "streaming",
						    .clock = "boot",
						    .time_source = "date",
						    .kernel = "6.1.0",
						    .nr_cpus = 1 };
	static const struct timeline_totals totals;
	const struct timeline_event finish = { .kind = TIMELINE_FINISH,
					       .time_ns = START_NS,
					       .totals = &totals };

	if (timeline_open(timeline, &recording, error) < 0)
		return -1;
	return timeline_push(timeline, &finish, error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sink_settings settings = { .is_appending = true };
	struct timeline timeline = { 0 };
	struct error error = { 0 };
	struct sink *sink;
	char path[128];

	if (!fuzz_folder_new())
		return 0;
	fuzz_file_write("trace", data, size);
	snprintf(path, sizeof(path), "%s/trace", fuzz_folder);
	settings.name = path;
	settings.fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (settings.fd < 0)
		return 0;
	sink = sink_open(sink_kinds[sink_kind_number("perfetto")], &settings, &error);
	if (sink && timeline_add(&timeline, sink, &error) == 0)
		recording_add(&timeline, &error);
	timeline_release(&timeline);
	return 0;
}
