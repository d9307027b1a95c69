// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queries of a database: those that are built in, whose texts the assembler embeds by their path
 * from the top of the tree, and the results of one as a table, as CSV or as JSON.
 */
#include "sink/sqlite/state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sink/stat/table.h"
#include "sink/text.h"

#define QUERY(name)                                                                  \
	__asm__(".pushsection .rodata\nquery_" #name ":\n"                           \
		".incbin \"userspace/sink/sqlite/queries/" #name ".sql\"\n.byte 0\n" \
		".popsection\n");                                                    \
	extern const char query_##name[] __attribute__((visibility("hidden")))

QUERY(slowest);
QUERY(during);
QUERY(names);
QUERY(inner);
QUERY(flows);
QUERY(why);
QUERY(counters);
QUERY(tracks);
QUERY(losses);
QUERY(recording);

const struct sink_query sink_queries[] = {
	{ "slowest", "the slowest slices; name=GLOB, category=GLOB, limit=N", query_slowest },
	{ "during", "what ran while a slice was open; id=ID or name=GLOB, limit=N", query_during },
	{ "names", "count, times and percentiles of slices by name; name=GLOB", query_names },
	{ "inner", "where the time of slices went, by the slices in them; name=GLOB", query_inner },
	{ "flows", "time between the steps of flows, by their names; name=GLOB", query_flows },
	{ "why", "where the time of the slowest slices went, as ktrack why; name=GLOB", query_why },
	{ "counters", "first, last, least and largest value of counters", query_counters },
	{ "tracks", "all tracks, with their number of events", query_tracks },
	{ "losses", "lost records, and the slices that they may have falsified", query_losses },
	{ "recording", "the recording as a whole: times, clock, kernel, losses", query_recording },
	{ 0 },
};

const char *sink_query_find(const char *text, struct error *error)
{
	struct suggestion meant = { 0 };
	char word[SUGGESTION_SIZE_MAX + 1];

	for (const struct sink_query *query = sink_queries; query->name; query++) {
		if (text[0] == '@' && strcmp(text + 1, query->name) == 0)
			return query->sql;
		snprintf(word, sizeof(word), "@%s", query->name);
		suggestion_add(&meant, text_of(text), word);
	}
	if (meant.word[0])
		error_set(error, "%s: no such query; did you mean '%s'?", text, meant.word);
	else
		error_set(error, "%s: no such query; 'ktrack query --list' prints all", text);
	return NULL;
}

/* The text of a query: @text itself, or that of "@NAME"; NULL with @error. */
static const char *query_text(const char *text, struct error *error)
{
	return text[0] == '@' ? sink_query_find(text, error) : text;
}

/* Rows and bytes that a table collects to find the widths of its columns. */
#define TABLE_ROWS_MAX 1000
#define TABLE_BYTES_MAX (1024 * 1024)

/** struct query_output - where and how the results of a statement are written */
struct query_output {
	const struct sqlite_api *api;
	sqlite3_stmt *statement;
	const struct sink_query_settings *settings;
	struct sink_file *file;
	int nr_columns;
	uint64_t nr_rows; /* number of written rows */
};

static struct text cell_of(const struct query_output *output, int column)
{
	const char *text = (const char *)output->api->column_text(output->statement, column);

	return (struct text){ text ? text : "",
			      text ? output->api->column_bytes(output->statement, column) : 0 };
}

static void csv_row(struct query_output *output)
{
	struct buffer *out = &output->file->out;

	for (int i = 0; i < output->nr_columns; i++) {
		int type = output->api->column_type(output->statement, i);
		struct text text = cell_of(output, i);

		buffer_append_string(out, i > 0 ? "," : "");
		/* Numbers are no formulas. */
		if (type == SQLITE_INTEGER || type == SQLITE_FLOAT)
			buffer_append(out, text.data, text.size);
		else
			csv_append_text(out, text);
	}
	buffer_append_string(out, "\n");
}

static void json_row(struct query_output *output)
{
	const struct sqlite_api *api = output->api;
	struct buffer *out = &output->file->out;
	bool first = true;

	buffer_append_string(out, output->nr_rows > 0 ? ",\n{" : "\n{");
	for (int i = 0; i < output->nr_columns; i++) {
		struct value value = { .kind = VALUE_SIGNED };
		int type = api->column_type(output->statement, i);

		json_append_member(out, text_of(api->column_name(output->statement, i)), &first);
		if (type == SQLITE_INTEGER) {
			value.signed_number = api->column_int64(output->statement, i);
			value_append_json(out, &value);
		} else if (type == SQLITE_NULL ||
			   (type == SQLITE_FLOAT &&
			    !__builtin_isfinite(api->column_double(output->statement, i)))) {
			/* JSON has no infinite numbers. */
			buffer_append_string(out, "null");
		} else if (type == SQLITE_FLOAT) {
			struct text text = cell_of(output, i);

			buffer_append(out, text.data, text.size);
		} else {
			json_append_string(out, cell_of(output, i));
		}
	}
	buffer_append_char(out, '}');
}

/* Writes rows one by one; returns the status of SQLite, or -1 with @error. */
static int rows_write(struct query_output *output, void (*write)(struct query_output *output))
{
	int status;

	while ((status = output->api->step(output->statement)) == SQLITE_ROW) {
		write(output);
		output->nr_rows++;
		sink_file_spill(output->file);
		if (sink_file_status(output->file) < 0)
			return -1;
	}
	return status;
}

/* Adds rows until there are enough for a table; numbers are on the right. */
static int table_fill(struct query_output *output, struct table *table,
		      struct table_column *columns)
{
	size_t size = 0;
	int status = SQLITE_ROW;

	while (table->nr_rows < TABLE_ROWS_MAX && size < TABLE_BYTES_MAX &&
	       (status = output->api->step(output->statement)) == SQLITE_ROW) {
		struct buffer *cells = table_add(table);

		for (int i = 0; i < output->nr_columns; i++) {
			int type = output->api->column_type(output->statement, i);
			struct text text = cell_of(output, i);

			columns[i].is_right |= type == SQLITE_INTEGER || type == SQLITE_FLOAT;
			buffer_append(&cells[i], text.data, text.size);
			table->has_failed |= cells[i].failed;
			size += text.size;
		}
		if (table->has_failed)
			break;
	}
	return status;
}

/* A long result is several tables. */
static int table_rows_print(struct query_output *output)
{
	const struct table_style style = {
		.width = output->settings->width,
		.has_colour = output->settings->has_colour,
		.is_utf8 = output->settings->is_utf8,
	};
	struct table_column columns[TABLE_COLUMNS_MAX] = { 0 };
	struct table table = { .columns = columns, .nr_columns = output->nr_columns };
	int status;

	for (int i = 0; i < output->nr_columns; i++)
		columns[i].title = output->api->column_name(output->statement, i);
	do {
		status = table_fill(output, &table, columns);
		if (status >= 0 && (table.nr_rows > 0 || output->nr_rows == 0)) {
			table_append(&table, &output->file->out, &style);
			sink_file_flush(output->file);
			if (sink_file_status(output->file) < 0)
				status = -1;
		}
		output->nr_rows += table.nr_rows;
		table_release(&table);
	} while (status == SQLITE_ROW);
	return status;
}

/* Writes the results; sets @nr_rows unless it is NULL. Returns SQLite's status, or -1. */
static int query_print(struct database *database, sqlite3_stmt *statement,
		       const struct sink_query_settings *settings, struct sink_file *file,
		       uint64_t *nr_rows)
{
	struct query_output output = {
		.api = &database->api,
		.statement = statement,
		.settings = settings,
		.file = file,
		.nr_columns = database->api.column_count(statement),
	};
	struct buffer *out = &file->out;
	int status;

	if (settings->form == QUERY_CSV) {
		for (int i = 0; i < output.nr_columns && settings->has_header; i++) {
			buffer_append_string(out, i > 0 ? "," : "");
			csv_append_text(out, text_of(output.api->column_name(statement, i)));
		}
		buffer_append_string(out, settings->has_header ? "\n" : "");
		status = rows_write(&output, csv_row);
	} else if (settings->form == QUERY_JSON) {
		buffer_append_char(out, '[');
		status = rows_write(&output, json_row);
		buffer_append_string(out, "\n]\n");
	} else {
		status = table_rows_print(&output);
	}
	if (nr_rows)
		*nr_rows = output.nr_rows;
	if (status == SQLITE_DONE && output.nr_rows == 0)
		report_hint(file->report,
			    "the query has no rows: nothing that was recorded matches it");
	if (status >= 0)
		sink_file_flush(file);
	return sink_file_status(file) < 0 ? -1 : status;
}

/* Functions that load code or affect the process. */
static const char *const refused_functions[] = { "load_extension", "fts3_tokenizer" };

/* Pragmas that only read. */
static const char *const read_pragmas[] = {
	"table_info",  "table_xinfo",	"table_list",	 "index_list",	    "index_info",
	"index_xinfo", "database_list", "function_list", "compile_options",
};

/* Those that read without a value, and change with one. */
static const char *const value_pragmas[] = { "user_version", "application_id", "page_count",
					     "page_size" };

static bool name_is_listed(const char *name, const char *const *list, size_t size)
{
	for (size_t i = 0; name && i < size; i++) {
		if (strcmp(name, list[i]) == 0)
			return true;
	}
	return false;
}

#define IS_LISTED(name, list) name_is_listed(name, list, sizeof(list) / sizeof((list)[0]))

static int query_authorize(void *context, int action, const char *first, const char *second,
			   const char *database, const char *trigger)
{
	(void)context, (void)database, (void)trigger;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return IS_LISTED(second, refused_functions) ? SQLITE_DENY : SQLITE_OK;
	case SQLITE_PRAGMA:
		return IS_LISTED(first, read_pragmas) ||
				       (!second && IS_LISTED(first, value_pragmas))
			       ? SQLITE_OK
			       : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

static int query_refuse(struct error *error)
{
	return error_set(error, "query: it can only read; change a database of --sqlite with "
				"sqlite3(1)");
}

/* Reports the line and column of the problem, from 1, if SQLite knows its place. */
static int query_fail(struct database *database, const char *sql, struct error *error)
{
	const struct sqlite_api *api = &database->api;
	int offset = api->error_offset(database->handle);
	unsigned int line = 1, column = 1;
	SCOPED_BUFFER(place);

	if (api->errcode(database->handle) == SQLITE_AUTH)
		return query_refuse(error);
	if (offset < 0)
		return error_set(error, "query: %s; see ktrack-sql(5)",
				 api->errmsg(database->handle));
	for (int i = 0; i < offset && sql[i]; i++) {
		column = sql[i] == '\n' ? 1 : column + 1;
		line += sql[i] == '\n';
	}
	if (line > 1)
		buffer_printf(&place, "line %u, ", line);
	buffer_printf(&place, "column %u", column);
	error_set(error, "query: %s at %s; see ktrack-sql(5)", api->errmsg(database->handle),
		  buffer_string(&place));
	return -1;
}

static int query_prepare(struct database *database, const char *sql, sqlite3_stmt **statement,
			 struct error *error)
{
	const struct sqlite_api *api = &database->api;
	sqlite3_stmt *next = NULL;
	const char *rest;
	int status = api->prepare_v2(database->handle, sql, -1, statement, &rest);

	if (status != SQLITE_OK)
		return query_fail(database, sql, error);
	if (!*statement)
		return error_set(error, "query: empty; write a SELECT, or see 'ktrack query "
					"--list'");
	if (api->column_count(*statement) == 0)
		return query_refuse(error);
	if (!rest[strspn(rest, " \t\r\n;")])
		return 0;
	/* A comment may follow. */
	status = api->prepare_v2(database->handle, rest, -1, &next, NULL);
	api->finalize(next);
	return status == SQLITE_OK && !next
		       ? 0
		       : error_set(error, "query: more than one statement; write one SELECT");
}

/*
 * Binds "NAME=VALUE" to ":NAME"; numbers compare as numbers. Those that are not given are NULL;
 * named queries have their own defaults.
 */
static int parameters_bind(struct database *database, sqlite3_stmt *statement,
			   const struct sink_query_settings *settings, struct error *error)
{
	const struct sqlite_api *api = &database->api;
	int nr = api->bind_parameter_count(statement);

	for (size_t i = 0; i < settings->nr_parameters; i++) {
		const char *parameter = settings->parameters[i];
		int size = (int)strcspn(parameter, "=");
		bool is_there = false;

		for (int k = 1; k <= nr && !is_there; k++) {
			const char *name = api->bind_parameter_name(statement, k);

			is_there = name && strlen(name + 1) == (size_t)size &&
				   strncmp(name + 1, parameter, size) == 0;
		}
		if (!is_there)
			return error_set(error, "%s: the query has no :%.*s; leave it out",
					 parameter, size, parameter);
	}
	for (int k = 1; k <= nr; k++) {
		const char *name = api->bind_parameter_name(statement, k);
		size_t size = name ? strlen(name + 1) : 0, i = 0;
		const char *value;
		intmax_t number;
		char *end;

		while (name && i < settings->nr_parameters &&
		       (strncmp(settings->parameters[i], name + 1, size) != 0 ||
			settings->parameters[i][size] != '='))
			i++;
		if (!name || i == settings->nr_parameters)
			continue;
		value = settings->parameters[i] + size + 1;
		errno = 0;
		number = strtoimax(value, &end, 10);
		if ((*value && !*end && errno == 0
			     ? api->bind_int64(statement, k, number)
			     : api->bind_text(statement, k, value, -1, SQLITE_STATIC)) != SQLITE_OK)
			return database_fail(database, error);
	}
	return 0;
}

/* @statement is for sqlite3_finalize(), also on failure. */
static int query_begin(struct database *database, const struct sink_query_settings *settings,
		       sqlite3_stmt **statement, struct error *error)
{
	const char *sql = query_text(settings->sql, error);
	int nr_columns;

	*statement = NULL;
	if (!sql)
		return -1;
	database->api.set_authorizer(database->handle, query_authorize, NULL);
	if (query_prepare(database, sql, statement, error) < 0 ||
	    parameters_bind(database, *statement, settings, error) < 0)
		return -1;
	nr_columns = database->api.column_count(*statement);
	if (settings->form != QUERY_TABLE || nr_columns <= TABLE_COLUMNS_MAX)
		return 0;
	return error_set(error, "query: %d columns do not fit a table of %d; use --csv or --json",
			 nr_columns, TABLE_COLUMNS_MAX);
}

int query_check(struct database *database, const struct sink_query_settings *settings,
		struct error *error)
{
	sqlite3_stmt *statement;
	int status = query_begin(database, settings, &statement, error);

	database->api.finalize(statement);
	database->api.set_authorizer(database->handle, NULL, NULL);
	return status;
}

int query_answer(struct database *database, const struct sink_query_settings *settings,
		 struct sink_file *file, uint64_t *nr_rows, struct error *error)
{
	sqlite3_stmt *statement;
	int status;

	if (database_run(database, "PRAGMA query_only = ON", error) < 0)
		return -1;
	status = query_begin(database, settings, &statement, error);
	if (status == 0)
		status = query_print(database, statement, settings, file, nr_rows);
	if (status > 0)
		status = status == SQLITE_DONE
				 ? 0
				 : query_fail(database, query_text(settings->sql, error), error);
	database->api.finalize(statement);
	return status;
}

static int steps_end(void *context)
{
	(void)context;
	return 1;
}

/* A hostile database may have a view of this name that never ends. */
#define LOSSES_STEPS_MAX 10000

bool query_read_losses(struct database *database, struct sink_query_result *result)
{
	static const char sql[] = "SELECT ifnull(lost_records, 0), ifnull(lost_gaps, 0), "
				  "ifnull(lost_gaps_unknown, 0) FROM recording";
	const struct sqlite_api *api = &database->api;
	sqlite3_stmt *statement = NULL;
	bool is_read;

	api->progress_handler(database->handle, LOSSES_STEPS_MAX, steps_end, NULL);
	is_read = api->prepare_v2(database->handle, sql, -1, &statement, NULL) == SQLITE_OK &&
		  api->step(statement) == SQLITE_ROW;

	if (is_read) {
		result->lost = api->column_int64(statement, 0);
		result->gaps = api->column_int64(statement, 1);
		result->gaps_unknown = api->column_int64(statement, 2);
	}
	api->finalize(statement);
	return is_read;
}
