/* SPDX-License-Identifier: GPL-2.0-only */
/* A compiled event filter: terms, each with the next one for both results. */
#ifndef EVENT_FILTER_PROGRAM_H
#define EVENT_FILTER_PROGRAM_H

#include "event/field_ref.h"
#include "event/filter.h"

/** enum filter_operator - the operators, in the order in which they are searched */
enum filter_operator {
	FILTER_EQUAL,
	FILTER_NOT_EQUAL,
	FILTER_GLOB,
	FILTER_LESS_EQUAL,
	FILTER_LESS,
	FILTER_GREATER_EQUAL,
	FILTER_GREATER,
	FILTER_BITS,
	FILTER_OPERATOR_COUNT
};

/** enum filter_term_kind - what a term compares; NEVER is a field that the kernel cannot compare */
enum filter_term_kind {
	FILTER_TERM_NEVER,
	FILTER_TERM_NUMBER,
	FILTER_TERM_CPU,
	FILTER_TERM_TEXT,
	FILTER_TERM_COMM,
	FILTER_TERM_FUNCTION,
};

/** enum filter_pattern_kind - how a text is compared with a pattern */
enum filter_pattern_kind {
	FILTER_PATTERN_EQUAL,
	FILTER_PATTERN_BEGIN,
	FILTER_PATTERN_MIDDLE,
	FILTER_PATTERN_END,
	FILTER_PATTERN_GLOB,
};

/** struct filter_pattern - a pattern without the asterisks that @kind stands for */
struct filter_pattern {
	enum filter_pattern_kind kind;
	struct text text;
};

/** FILTER_ACCEPT, FILTER_REJECT - exits of the last terms */
#define FILTER_ACCEPT (-1)
#define FILTER_REJECT (-2)

/**
 * struct filter_term - one comparison
 * @ref: of the field
 * @value: number to compare with, cut to the size of the field; first address of a function
 * @end: address behind a function; 0 as long as it is unknown
 * @pattern: of texts
 * @function: name to look up, empty if @value is an address
 * @is_inverted: the result of a text's or a function's comparison is inverted
 * @exits: next term if the comparison is false, and if it is true
 */
struct filter_term {
	enum filter_term_kind kind;
	enum filter_operator op;
	struct field_ref ref;
	uint64_t value;
	uint64_t end;
	struct filter_pattern pattern;
	struct text function;
	bool is_inverted;
	int exits[2];
};

/**
 * struct event_filter - a program; every exit leads to a later term
 * @text: the expression, for patterns
 * @terms: of struct filter_term
 * @nr_terms: their number
 * @record_size: minimum size of a record that contains all fields
 */
struct event_filter {
	char *text;
	struct buffer terms;
	size_t nr_terms;
	size_t record_size;
};

/** filter_terms - the terms of a filter */
static inline struct filter_term *filter_terms(const struct event_filter *filter)
{
	return (struct filter_term *)filter->terms.data;
}

/**
 * struct filter_reader - an expression that is being compiled
 * @text: begin of the expression
 * @at: the next character
 * @format: NULL if only the syntax is checked
 * @depth: number of open parentheses
 * @translated: receives the expression with numbers instead of their texts; NULL if it is not needed
 * @copied: up to where that has it
 */
struct filter_reader {
	const char *text;
	const char *at;
	const struct format *format;
	bool is_swapped;
	unsigned int depth;
	struct buffer *translated;
	const char *copied;
	struct error *error;
};

/** filter_reader_skip - skip white space; returns the next character */
char filter_reader_skip(struct filter_reader *reader);

/** filter_reader_refuse - what is at @at is wrong; returns -1 with the reader's error */
int filter_reader_refuse(const struct filter_reader *reader, const char *at, const char *format,
			 ...) __attribute__((format(printf, 3, 4)));

/** filter_term_parse - compile one comparison; returns -1 with the reader's error */
int filter_term_parse(struct filter_reader *reader, struct filter_term *term);

/** filter_pattern_of - the kind of a pattern of ~; @is_inverted is set if it begins with '!' */
struct filter_pattern filter_pattern_of(struct text text, bool *is_inverted);

/** filter_pattern_matches - compare all bytes of a field, which may contain NULs, with a pattern */
bool filter_pattern_matches(const struct filter_pattern *pattern, struct text field);

#endif
