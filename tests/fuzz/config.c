// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz target: a file with libtrace2's settings, which may include itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "trace2/trace2.h"

static char folder[] = "/tmp/ktrack-fuzz-XXXXXX";
static char path[sizeof(folder) + sizeof("/config")];

static void folder_remove(void)
{
	unlink(path);
	rmdir(folder);
}

static int file_write(const uint8_t *data, size_t size)
{
	FILE *file;

	if (!path[0]) {
		if (!mkdtemp(folder))
			return -1;
		snprintf(path, sizeof(path), "%s/config", folder);
		atexit(folder_remove);
	}
	file = fopen(path, "we");
	if (!file)
		return -1;
	fwrite(data, 1, size, file);
	return fclose(file);
}

static int setting_visit(void *context, const char *scope, const char *param, const char *value)
{
	size_t *total = context;

	*total += strlen(scope) + strlen(param) + (value ? strlen(value) : 0);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace2_settings settings = { .sid = "fuzz" };
	struct trace2_config *config;
	size_t total = 0;

	/* No file outside of the folder is to be included. */
	if (memchr(data, '/', size) || file_write(data, size) != 0)
		return 0;
	config = trace2_config_new("FUZZ_TRACE2", path, NULL);
	if (!config)
		return 0;
	for (int key = 0; key < TRACE2_KEY_COUNT; key++) {
		const char *value = trace2_config_get(config, key);

		total += value ? strlen(value) : 0;
	}
	trace2_config_apply(config, &settings);
	trace2_config_visit(config, setting_visit, &total);
	trace2_config_free(config);
	return 0;
}
