// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timeline as an SQLite database. Rows are committed in transactions of limited size and age:
 * whatever ends ktrack, the database then has all rows up to the last commit.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "sink/kinds.h"
#include "sink/sqlite/query.h"
#include "sink/sqlite/state.h"

#define PENDING_MAX 100000
#define COMMIT_NS NS_PER_S

static struct sqlite_sink *sqlite_sink_of(struct sink_file *file)
{
	return container_of(file, struct sqlite_sink, file);
}

static int64_t commit_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static int sqlite_commit(struct sqlite_sink *sink, struct error *error)
{
	sink->nr_pending = 0;
	sink->committed_ns = commit_clock_ns();
	return database_run(&sink->database, "COMMIT; BEGIN", error);
}

static int sqlite_database_open(struct sqlite_sink *sink, struct error *error)
{
	const struct sink_file *file = &sink->file;

	if (sink->query)
		return database_open_temporary(&sink->database, file->name, error);
	return database_open_file(&sink->database, file->fd, file->name, sink->user, sink->group,
				  error);
}

static int sqlite_statements_prepare(struct sqlite_sink *sink, struct error *error)
{
	for (int i = 0; i < STATEMENT_COUNT; i++) {
		if (database_prepare(&sink->database, schema_statements[i], &sink->statements[i],
				     error) < 0)
			return -1;
	}
	return 0;
}

static int sqlite_open(struct sink_file *file, const struct recording *recording,
		       struct error *error)
{
	struct sqlite_sink *sink = sqlite_sink_of(file);

	if (sqlite_database_open(sink, error) < 0 ||
	    database_run(&sink->database, "BEGIN", error) < 0 ||
	    database_run(&sink->database, schema_tables, error) < 0 ||
	    (sink->query && query_check(&sink->database, sink->query, error) < 0) ||
	    sqlite_statements_prepare(sink, error) < 0 ||
	    sqlite_recording_add(sink, recording, error) < 0)
		return -1;
	return sqlite_commit(sink, error);
}

static int sqlite_event(struct sink_file *file, const struct timeline_event *event,
			struct error *error)
{
	struct sqlite_sink *sink = sqlite_sink_of(file);

	if (sqlite_rows_add(sink, event, error) < 0)
		return -1;
	return sink->nr_pending > PENDING_MAX ? sqlite_commit(sink, error) : 0;
}

static void statements_release(struct sqlite_sink *sink)
{
	for (int i = 0; i < STATEMENT_COUNT; i++) {
		if (sink->statements[i])
			sink->database.api.finalize(sink->statements[i]);
		sink->statements[i] = NULL;
	}
}

static int sqlite_complete(struct sink_file *file, struct error *error)
{
	struct sqlite_sink *sink = sqlite_sink_of(file);

	if (database_run(&sink->database, schema_indexes, error) < 0 ||
	    sqlite_explanations_add(sink, error) < 0)
		return -1;
	statements_release(sink);
	if (database_run(&sink->database, "COMMIT", error) < 0)
		return -1;
	sink->database.is_complete = true;
	return sink->query ? query_answer(&sink->database, sink->query, file, NULL, error) : 0;
}

static int sqlite_flush(struct sink_file *file, struct error *error)
{
	struct sqlite_sink *sink = sqlite_sink_of(file);

	if (sink->query || sink->nr_pending == 0 || sink->database.is_complete ||
	    commit_clock_ns() - sink->committed_ns < COMMIT_NS)
		return 0;
	return sqlite_commit(sink, error);
}

static void sqlite_track_release(struct sink_track *link)
{
	free(container_of(link, struct sqlite_track, link)->open);
}

static void sqlite_release(struct sink_file *file)
{
	struct sqlite_sink *sink = sqlite_sink_of(file);

	statements_release(sink);
	rows_release(&sink->rows);
	database_close(&sink->database);
}

static const struct sink_file_ops sqlite_file = {
	.size = sizeof(struct sqlite_sink),
	.open = sqlite_open,
	.event = sqlite_event,
	.complete = sqlite_complete,
	.flush = sqlite_flush,
	.track_release = sqlite_track_release,
	.release = sqlite_release,
};

static struct sqlite_sink *sqlite_new(const struct sink_settings *settings, struct error *error)
{
	struct sink *sink = sink_file_new(&sqlite_file, settings, error);
	struct sqlite_sink *sqlite = sink ? container_of(sink, struct sqlite_sink, file.sink)
					  : NULL;

	if (!sqlite)
		return NULL;
	sqlite->explanations = settings->explanations;
	sqlite->database.files.fd = -1;
	return sqlite;
}

/* SQLite reads what it wrote, and needs a journal next to the file. */
struct sink *sink_sqlite_new(const struct sink_settings *settings, struct error *error)
{
	struct sqlite_sink *sink;
	struct stat about;

	if (!settings->path || fstat(settings->fd, &about) < 0 || !S_ISREG(about.st_mode)) {
		file_close(settings->fd);
		error_set(error, "%s: not a regular file; write a database to a file",
			  settings->name);
		return NULL;
	}
	sink = sqlite_new(settings, error);
	if (!sink)
		return NULL;
	sink->user = settings->user;
	sink->group = settings->group;
	return &sink->file.sink;
}

int sink_query_database(const struct sink_settings *settings, const char *path,
			struct sink_query_result *result, struct error *error)
{
	struct sink_file file = { .name = settings->name,
				  .fd = settings->fd,
				  .wait = settings->wait };
	struct database database = { .files.fd = -1 };
	int status = database_open_existing(&database, path, error);

	if (status == 0)
		status = query_answer(&database, settings->query, &file, &result->nr_rows, error);
	result->has_recording = status == 0 && query_read_losses(&database, result);
	database_close(&database);
	buffer_release(&file.out);
	file_close(file.fd);
	return status;
}

struct sink *sink_query_new(const struct sink_settings *settings, struct error *error)
{
	struct sqlite_sink *sink = sqlite_new(settings, error);

	if (!sink)
		return NULL;
	sink->query = settings->query;
	return &sink->file.sink;
}
