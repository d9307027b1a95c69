/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symbols: texts of numbers and flags, by the print formats of tracepoints.
 *
 * libtraceevent parses print formats. Its parser crashes on hostile formats, so a child without
 * privileges runs it, and returns tables in a form that is simple to check. Records are rendered
 * from these tables.
 */
#ifndef EVENT_SYMBOLS_H
#define EVENT_SYMBOLS_H

#include "event/format.h"
#include "event/record.h"

/** SYMBOLS_TEXTS_MAX - bytes of all texts of a record; further fields remain numbers */
#define SYMBOLS_TEXTS_MAX 4096

struct symbols;
struct symbol_field;

/** symbols_have_text - whether the print format mentions field @name as a symbol or as flags */
bool symbols_have_text(struct text format, struct text name);

/** struct symbols_request - a tracepoint whose symbols are to be read */
struct symbols_request {
	struct text format; /* text of its format file */
	/* result, for symbols_free(); NULL if none of its fields has symbols */
	struct symbols *symbols;
	bool has_failed; /* result: the parser crashed on @format, or was not allowed to read it */
};

/** struct symbols_reader - reads the symbols of a source's tracepoints */
struct symbols_reader {
	bool is_swapped; /* the records' byte order is not this machine's */
	bool is_trusted; /* formats are the running kernel's, and may be parsed without seccomp */
	/* number of children that crashed; after SYMBOLS_CRASHES_MAX nothing is parsed */
	unsigned int nr_crashes;
	bool lacks_seccomp; /* the kernel does not filter the child's system calls */
};

/** SYMBOLS_CRASHES_MAX - limit of the time that hostile formats may take */
#define SYMBOLS_CRASHES_MAX 4

/** symbols_read - read the symbols of @nr_requests formats, and set their results */
void symbols_read(struct symbols_reader *reader, struct symbols_request *requests,
		  size_t nr_requests);

/**
 * symbols_of_answer - check the answer of a child for one format
 *
 * Returns symbols for symbols_free(); NULL if there are none, the answer is malformed, or memory
 * ran out.
 */
struct symbols *symbols_of_answer(struct text answer, const struct format *format, bool is_swapped);

void symbols_free(struct symbols *symbols);

/** symbols_size - the memory of @symbols in bytes, 0 of NULL */
size_t symbols_size(const struct symbols *symbols);
/** symbols_find - the symbols of the field @name, NULL if it has none */
const struct symbol_field *symbols_find(const struct symbols *symbols, struct text name);
/** symbols_begin - drop the texts of the previous record */
void symbols_begin(struct symbols *symbols);

/**
 * symbols_render - the text of a field of @record
 * @field: of symbols_find()
 * @out: valid until symbols_begin()
 *
 * Returns false if there is none: the record is too short, or has too many texts.
 */
bool symbols_render(struct symbols *symbols, const struct symbol_field *field,
		    const struct record *record, struct text *out);

#endif
