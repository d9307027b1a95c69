// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz target: the folder of a killed recording, which becomes a trace.dat that is read. The input
 * is files: the number of a name in a byte, the size in two bytes, the content.
 */
#include <string.h>
#include <sys/stat.h>

#include "folder.h"
#include "fuzz.h"
#include "source/source.h"
#include "tracedat/tracedat.h"

#define HEAD_SIZE 3

static const char *const names[] = {
	"instance", "formats",	 "comms",	"options",   "symbols",
	"programs", "machine",	 "cpu0",	"sideband0", "cpu1",
	"cpu8191",  "trace.dat", "formats.new", "other",     "convention0",
};

static void files_write(const uint8_t *data, size_t size)
{
	while (size >= HEAD_SIZE) {
		size_t content = data[1] | data[2] << 8;
		char name[64];

		if (content > size - HEAD_SIZE)
			content = size - HEAD_SIZE;
		snprintf(name, sizeof(name), "t.spool/%s",
			 names[data[0] % (sizeof(names) / sizeof(names[0]))]);
		fuzz_file_write(name, data + HEAD_SIZE, content);
		data += HEAD_SIZE + content;
		size -= HEAD_SIZE + content;
	}
}

static int record_count(void *context, const struct record *record, struct error *error)
{
	size_t *total = context;

	(void)error;
	*total += record->size;
	return 0;
}

static int loss_count(void *context, const struct loss *loss, struct error *error)
{
	size_t *total = context;

	(void)error;
	*total += loss->cpu;
	return 0;
}

static void file_take(const char *path)
{
	size_t total = 0;
	struct source_handler handler = { .context = &total,
					  .record = record_count,
					  .loss = loss_count };
	struct error error = { 0 };
	struct source *source;
	uint64_t lost;

	if (source_file_open(&source, path, NULL, &error) < 0)
		return;
	source_finish(source, INT64_MAX, &handler, &lost, &error);
	source_close(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct spool_owner ourselves;
	struct error error = { 0 };
	struct spool *spool;
	char path[128];

	if (!fuzz_folder_new())
		return 0;
	snprintf(path, sizeof(path), "%s/t.spool", fuzz_folder);
	if (mkdir(path, 0700) < 0)
		return 0;
	files_write(data, size);
	path[strlen(path) - strlen(".spool")] = '\0';
	if (spool_open(&spool, path, &ourselves, &error) != 0)
		return 0;
	if (spool_join(spool, &error) == 0)
		file_take(path);
	spool_close(spool);
	return 0;
}
