// SPDX-License-Identifier: GPL-2.0-only
/* Runs one query that can only read. */
#include "sink/sqlite/query.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "sink/stat/table.h"

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

static bool pragma_reads(const char *name, const char *value)
{
	return IS_LISTED(name, read_pragmas) || (!value && IS_LISTED(name, value_pragmas));
}

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
		return pragma_reads(first, second) ? SQLITE_OK : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

/* Appends the line and column of a place in a text, from 1. */
static void place_append(struct buffer *out, const char *text, int offset)
{
	unsigned int line = 1, column = 1;

	for (int i = 0; i < offset && text[i]; i++) {
		column = text[i] == '\n' ? 1 : column + 1;
		line += text[i] == '\n';
	}
	if (line > 1)
		buffer_printf(out, "line %u, ", line);
	buffer_printf(out, "column %u", column);
}

static int query_refuse(struct error *error)
{
	return error_set(error, "query: it can only read; change a database of --sqlite with "
				"sqlite3(1)");
}

static int query_fail(struct database *database, const char *sql, struct error *error)
{
	const struct sqlite_api *api = &database->api;
	int offset = api->error_offset(database->handle);
	struct buffer place = { 0 };

	if (api->errcode(database->handle) == SQLITE_AUTH)
		return query_refuse(error);
	if (offset < 0)
		return error_set(error, "query: %s; see ktrack-sql(5)",
				 api->errmsg(database->handle));
	place_append(&place, sql, offset);
	error_set(error, "query: %s at %s; see ktrack-sql(5)", api->errmsg(database->handle),
		  buffer_string(&place));
	buffer_release(&place);
	return -1;
}

static bool text_is_blank(const char *text)
{
	return text[strspn(text, " \t\r\n;")] == '\0';
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
	if (text_is_blank(rest))
		return 0;
	/* A comment may follow. */
	status = api->prepare_v2(database->handle, rest, -1, &next, NULL);
	api->finalize(next);
	return status == SQLITE_OK && !next
		       ? 0
		       : error_set(error, "query: more than one statement; write one SELECT");
}

/* The value of ":NAME", one of "NAME=VALUE"; NULL if it is not given. */
static const char *parameter_value(const struct sink_query_settings *settings, const char *name)
{
	size_t size = strlen(name);

	for (size_t i = 0; i < settings->nr_parameters; i++) {
		const char *parameter = settings->parameters[i];

		if (strncmp(parameter, name, size) == 0 && parameter[size] == '=')
			return parameter + size + 1;
	}
	return NULL;
}

/* Numbers compare as numbers. */
static int parameter_bind(struct database *database, sqlite3_stmt *statement, int index,
			  const char *value)
{
	const struct sqlite_api *api = &database->api;
	char *end;
	intmax_t number;

	errno = 0;
	number = strtoimax(value, &end, 10);
	if (*value && !*end && errno == 0)
		return api->bind_int64(statement, index, number);
	return api->bind_text(statement, index, value, -1, SQLITE_STATIC);
}

static bool statement_has_parameter(const struct database *database, sqlite3_stmt *statement,
				    const char *parameter)
{
	size_t size = strcspn(parameter, "=");

	for (int i = 1; i <= database->api.bind_parameter_count(statement); i++) {
		const char *name = database->api.bind_parameter_name(statement, i);

		if (name && strlen(name + 1) == size && strncmp(name + 1, parameter, size) == 0)
			return true;
	}
	return false;
}

static int parameters_check(struct database *database, sqlite3_stmt *statement,
			    const struct sink_query_settings *settings, struct error *error)
{
	for (size_t i = 0; i < settings->nr_parameters; i++) {
		const char *parameter = settings->parameters[i];

		if (!statement_has_parameter(database, statement, parameter))
			return error_set(error, "%s: the query has no :%.*s; leave it out",
					 parameter, (int)strcspn(parameter, "="), parameter);
	}
	return 0;
}

/* Those that are not given are NULL; named queries have their own defaults. */
static int parameters_bind(struct database *database, sqlite3_stmt *statement,
			   const struct sink_query_settings *settings, struct error *error)
{
	if (parameters_check(database, statement, settings, error) < 0)
		return -1;
	for (int i = 1; i <= database->api.bind_parameter_count(statement); i++) {
		const char *name = database->api.bind_parameter_name(statement, i);
		const char *value = name ? parameter_value(settings, name + 1) : NULL;

		if (value && parameter_bind(database, statement, i, value) != SQLITE_OK)
			return database_fail(database, error);
	}
	return 0;
}

static int columns_check(const struct database *database, sqlite3_stmt *statement,
			 const struct sink_query_settings *settings, struct error *error)
{
	int nr_columns = database->api.column_count(statement);

	if (settings->form != QUERY_TABLE || nr_columns <= TABLE_COLUMNS_MAX)
		return 0;
	return error_set(error, "query: %d columns do not fit a table of %d; use --csv or --json",
			 nr_columns, TABLE_COLUMNS_MAX);
}

/* @statement is for sqlite3_finalize(), also on failure. */
static int query_begin(struct database *database, const struct sink_query_settings *settings,
		       sqlite3_stmt **statement, struct error *error)
{
	const char *sql = query_text(settings->sql, error);

	*statement = NULL;
	if (!sql)
		return -1;
	database->api.set_authorizer(database->handle, query_authorize, NULL);
	return query_prepare(database, sql, statement, error) < 0 ||
			       parameters_bind(database, *statement, settings, error) < 0 ||
			       columns_check(database, *statement, settings, error) < 0
		       ? -1
		       : 0;
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
		status = query_print(database, statement, settings, file, nr_rows, error);
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
