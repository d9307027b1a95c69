// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz target: the number of a query, and a database that ktrack query asks. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"
#include "sink/sink.h"

/* The built-in ones cover all views; these ask for everything. */
static const char *const others[] = {
	"SELECT * FROM sqlite_schema",
	"SELECT * FROM slices LIMIT 1000",
	"SELECT * FROM event_args LIMIT 1000",
	"SELECT * FROM ancestor LIMIT 1000",
	"SELECT * FROM why_part LIMIT 1000",
	"SELECT group_concat(text) FROM message",
};

#define NR_OTHERS (sizeof(others) / sizeof(others[0]))

static const char *query_choose(unsigned int number)
{
	size_t count = 0;

	while (sink_queries[count].name)
		count++;
	number %= count + NR_OTHERS;
	return number < count ? sink_queries[number].sql : others[number - count];
}

static void database_write(const char *path, const uint8_t *data, size_t size)
{
	FILE *file = fopen(path, "w");

	if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sink_query_settings query = { .form = QUERY_JSON };
	struct sink_settings settings = { .name = "output", .query = &query };
	struct sink_query_result result = { 0 };
	struct error error = { 0 };
	char path[64];

	if (size < 1)
		return 0;
	snprintf(path, sizeof(path), "/dev/shm/ktrack-fuzz-%d.db", (int)getpid());
	database_write(path, data + 1, size - 1);
	query.sql = query_choose(data[0]);
	query.form = data[0] & 0x80 ? QUERY_TABLE : QUERY_JSON;
	settings.fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (sink_query_database(&settings, path, &result, &error) < 0 && !*error.text)
		abort();
	unlink(path);
	return 0;
}
