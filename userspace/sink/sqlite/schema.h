/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables, indexes and views of a database; ktrack-sql(5) documents them. */
#ifndef SINK_SQLITE_SCHEMA_H
#define SINK_SQLITE_SCHEMA_H

/** schema_tables - creates tables and views, and sets the version */
extern const char schema_tables[] __attribute__((visibility("hidden")));

/** schema_indexes - creates indexes */
extern const char schema_indexes[] __attribute__((visibility("hidden")));

/** enum schema_statement - prepared statements, by what they change */
enum schema_statement {
	STATEMENT_RECORDING,
	STATEMENT_COMPLETE,
	STATEMENT_TRACK,
	STATEMENT_TRACK_END,
	STATEMENT_SLICE,
	STATEMENT_INSTANT,
	STATEMENT_COUNTER,
	STATEMENT_ARG,
	STATEMENT_FLOW,
	STATEMENT_LOSS,
	STATEMENT_MACHINE,
	STATEMENT_MESSAGE,
	STATEMENT_EXPLANATION,
	STATEMENT_COUNT
};

/** schema_statements - their text */
extern const char *const schema_statements[STATEMENT_COUNT];

#endif
