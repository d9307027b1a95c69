// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz target: the recordings of two machines, merged by wall-clock time and exported. The input is
 * the size of the first one in four bytes, then both.
 */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>

#include "folder.h"
#include "fuzz.h"
#include "replay/replay.h"
#include "sink/sink.h"

#define NR_FILES 2

static const char *const outputs[] = { "event", "chrome", "perfetto", "fxt" };

static char paths[NR_FILES][128];
static char targets[sizeof(outputs) / sizeof(outputs[0])][128];

static void files_write(const uint8_t *data, size_t size)
{
	static const char *const names[NR_FILES] = { "a.dat", "b.dat" };
	uint32_t first;

	memcpy(&first, data, sizeof(first));
	data += sizeof(first);
	size -= sizeof(first);
	first = first < size ? first : size;
	fuzz_file_write(names[0], data, first);
	fuzz_file_write(names[1], data + first, size - first);
	for (size_t i = 0; i < NR_FILES; i++)
		snprintf(paths[i], sizeof(paths[i]), "%s/%s", fuzz_folder, names[i]);
}

static void outputs_choose(struct output_settings *settings)
{
	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
		size_t kind = 0;

		while (strcmp(sink_kinds[kind]->name, outputs[i]) != 0)
			kind++;
		snprintf(targets[i], sizeof(targets[i]), "%s/out.%s", fuzz_folder, outputs[i]);
		settings->targets[kind] = targets[i];
	}
}

/* Lines of EVENT are appended to the file that FUZZ_STREAM names, for the strict reader. */
static void stream_keep(const char *path)
{
	const char *stream = getenv("FUZZ_STREAM");
	struct buffer lines = { 0 };
	int fd;

	if (!stream)
		return;
	fd = open(stream, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0 ||
	    (file_read(path, &lines) == 0 && file_write_all(fd, lines.data, lines.size, NULL) < 0))
		abort();
	close(fd);
	buffer_release(&lines);
}

static void line_drop(void *context, const char *line)
{
	(void)context, (void)line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct report report = { .message = line_drop,
					      .hint = line_drop,
					      .closing = line_drop };
	static char *argv[] = { (char *)"ktrack", NULL };
	struct export_settings settings = { .report = &report,
					    .argv = argv,
					    .sources = { paths[0], paths[1] },
					    .nr_sources = NR_FILES };
	struct error error = { 0 };

	if (size < sizeof(uint32_t) || !fuzz_folder_new())
		return 0;
	files_write(data, size);
	outputs_choose(&settings.outputs);
	export_run(&settings, &error);
	stream_keep(targets[0]);
	selection_release(&settings.selection);
	return 0;
}
