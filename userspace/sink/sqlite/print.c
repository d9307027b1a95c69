// SPDX-License-Identifier: GPL-2.0-only
/* Writes the results of a query row by row; only a table collects rows, a limited number. */
#include "sink/csv.h"
#include "sink/sqlite/query.h"
#include "sink/stat/table.h"

/* Rows and bytes that a table collects to find the widths of its columns. */
#define TABLE_ROWS_MAX 1000
#define TABLE_BYTES_MAX (1024 * 1024)

/**
 * struct query_output - where and how the results of a statement are written
 * @nr_rows: number of written rows
 */
struct query_output {
	const struct sqlite_api *api;
	sqlite3_stmt *statement;
	const struct sink_query_settings *settings;
	struct sink_file *file;
	int nr_columns;
	uint64_t nr_rows;
};

static struct text cell_of(const struct query_output *output, int column)
{
	const char *text = (const char *)output->api->column_text(output->statement, column);

	return (struct text){ text ? text : "",
			      text ? output->api->column_bytes(output->statement, column) : 0 };
}

static void csv_titles(struct query_output *output)
{
	struct buffer *out = &output->file->out;

	for (int i = 0; i < output->nr_columns; i++) {
		buffer_append_string(out, i > 0 ? "," : "");
		csv_append_text(out, text_of(output->api->column_name(output->statement, i)));
	}
	buffer_append_string(out, "\n");
}

/* Numbers are no formulas. */
static void csv_cell(struct query_output *output, int column)
{
	int type = output->api->column_type(output->statement, column);
	struct text text = cell_of(output, column);

	if (type == SQLITE_INTEGER || type == SQLITE_FLOAT)
		buffer_append(&output->file->out, text.data, text.size);
	else
		csv_append_text(&output->file->out, text);
}

static void csv_row(struct query_output *output)
{
	struct buffer *out = &output->file->out;

	for (int i = 0; i < output->nr_columns; i++) {
		buffer_append_string(out, i > 0 ? "," : "");
		csv_cell(output, i);
	}
	buffer_append_string(out, "\n");
}

/* JSON has no infinite numbers. */
static void json_number(struct buffer *out, const struct query_output *output, int column)
{
	struct text text = cell_of(output, column);

	if (__builtin_isfinite(output->api->column_double(output->statement, column)))
		buffer_append(out, text.data, text.size);
	else
		buffer_append_string(out, "null");
}

static void json_cell(struct query_output *output, int column)
{
	const struct sqlite_api *api = output->api;
	struct buffer *out = &output->file->out;
	struct value value = { .kind = VALUE_SIGNED };

	switch (api->column_type(output->statement, column)) {
	case SQLITE_INTEGER:
		value.signed_number = api->column_int64(output->statement, column);
		value_append_json(out, &value);
		break;
	case SQLITE_NULL:
		buffer_append_string(out, "null");
		break;
	case SQLITE_FLOAT:
		json_number(out, output, column);
		break;
	default:
		json_append_string(out, cell_of(output, column));
	}
}

static void json_row(struct query_output *output)
{
	struct buffer *out = &output->file->out;
	bool first = true;

	buffer_append_string(out, output->nr_rows > 0 ? ",\n{" : "\n{");
	for (int i = 0; i < output->nr_columns; i++) {
		json_append_member(out, text_of(output->api->column_name(output->statement, i)),
				   &first);
		json_cell(output, i);
	}
	buffer_append_char(out, '}');
}

/* Writes rows one by one; returns the status of SQLite, or -1 with @error. */
static int rows_write(struct query_output *output, void (*write)(struct query_output *output),
		      struct error *error)
{
	int status;

	while ((status = output->api->step(output->statement)) == SQLITE_ROW) {
		write(output);
		output->nr_rows++;
		if (sink_file_spill(output->file, error) < 0)
			return -1;
	}
	return status;
}

static int csv_rows_print(struct query_output *output, struct error *error)
{
	if (output->settings->has_header)
		csv_titles(output);
	return rows_write(output, csv_row, error);
}

static int json_rows_print(struct query_output *output, struct error *error)
{
	int status;

	buffer_append_char(&output->file->out, '[');
	status = rows_write(output, json_row, error);
	buffer_append_string(&output->file->out, "\n]\n");
	return status;
}

/* Adds rows until there are enough for a table; numbers are on the right. */
static int table_fill(struct query_output *output, struct table *table,
		      struct table_column *columns, struct error *error)
{
	size_t size = 0;
	int status = SQLITE_ROW;

	while (table->nr_rows < TABLE_ROWS_MAX && size < TABLE_BYTES_MAX &&
	       (status = output->api->step(output->statement)) == SQLITE_ROW) {
		struct buffer *cells = table_add(table);
		bool has_failed = !cells;

		for (int i = 0; cells && i < output->nr_columns; i++) {
			int type = output->api->column_type(output->statement, i);
			struct text text = cell_of(output, i);

			columns[i].is_right |= type == SQLITE_INTEGER || type == SQLITE_FLOAT;
			buffer_append(&cells[i], text.data, text.size);
			has_failed |= cells[i].failed;
			size += text.size;
		}
		if (has_failed)
			return error_set(error, "out of memory");
	}
	return status;
}

static int table_write(struct query_output *output, struct table *table, struct error *error)
{
	const struct table_style style = {
		.width = output->settings->width,
		.has_colour = output->settings->has_colour,
		.is_utf8 = output->settings->is_utf8,
	};

	table_append(table, &output->file->out, &style);
	return sink_file_flush(output->file, error);
}

/* A long result is several tables. */
static int table_rows_print(struct query_output *output, struct error *error)
{
	struct table_column columns[TABLE_COLUMNS_MAX] = { 0 };
	struct table table = { .columns = columns, .nr_columns = output->nr_columns };
	int status;

	for (int i = 0; i < output->nr_columns; i++)
		columns[i].title = output->api->column_name(output->statement, i);
	do {
		status = table_fill(output, &table, columns, error);
		if (status >= 0 && (table.nr_rows > 0 || output->nr_rows == 0) &&
		    table_write(output, &table, error) < 0)
			status = -1;
		output->nr_rows += table.nr_rows;
		table_release(&table);
	} while (status == SQLITE_ROW);
	return status;
}

int query_print(struct database *database, sqlite3_stmt *statement,
		const struct sink_query_settings *settings, struct sink_file *file,
		uint64_t *nr_rows, struct error *error)
{
	struct query_output output = {
		.api = &database->api,
		.statement = statement,
		.settings = settings,
		.file = file,
		.nr_columns = database->api.column_count(statement),
	};
	int status;

	if (settings->form == QUERY_CSV)
		status = csv_rows_print(&output, error);
	else if (settings->form == QUERY_JSON)
		status = json_rows_print(&output, error);
	else
		status = table_rows_print(&output, error);
	if (nr_rows)
		*nr_rows = output.nr_rows;
	return status >= 0 && sink_file_flush(file, error) < 0 ? -1 : status;
}
