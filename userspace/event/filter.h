/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Event filters: the kernel's filter expressions, evaluated on records.
 *
 * Syntax and verdict are those of the kernel (Documentation/trace/events.rst), with its oddities: a
 * constant is cut to the size of the field; ~ "1*" is a comparison, because the pattern begins with
 * a digit; ~ "*x" compares the last bytes of a fixed array, not those of its text. In addition, a
 * number may be named by the text as which the event prints it: state == "dma", and one of its bits
 * by that of a flag: prev_state & "X".
 */
#ifndef EVENT_FILTER_H
#define EVENT_FILTER_H

#include "event/format.h"
#include "event/record.h"

/** EVENT_FILTER_SIZE_MAX - limit of an expression in bytes, that of the kernel */
#define EVENT_FILTER_SIZE_MAX 4095
/** EVENT_FILTER_DEPTH_MAX - limit of nested parentheses */
#define EVENT_FILTER_DEPTH_MAX 64

/** enum filter_operator - the operators of conditions, in the order in which they are searched */
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

/**
 * filter_operator_find - the operator at the begin of a text, also for conditions on other values
 *
 * Returns its size, 0 if there is none.
 */
size_t filter_operator_find(struct text text, enum filter_operator *out);

/** filter_compare - compare numbers by any operator but FILTER_GLOB */
hot_inline bool filter_compare(enum filter_operator op, int64_t left, int64_t right)
{
	switch (op) {
	case FILTER_EQUAL:
		return left == right;
	case FILTER_NOT_EQUAL:
		return left != right;
	case FILTER_LESS_EQUAL:
		return left <= right;
	case FILTER_LESS:
		return left < right;
	case FILTER_GREATER_EQUAL:
		return left >= right;
	case FILTER_GREATER:
		return left > right;
	default:
		return left & right;
	}
}

struct event_filter;
struct kallsyms;

/**
 * event_filter_new - compile an expression
 * @out: for event_filter_free(); NULL on failure
 * @format: of the event; not needed after this call
 * @is_swapped: the records' byte order is not this machine's
 *
 * Returns 0, or -1 with @error, which begins with "column N: ". Unknown fields are errors, and so
 * is all that the kernel refuses, and a comparison with a string that records only point to.
 */
int event_filter_new(struct event_filter **out, const char *text, const struct format *format,
		     bool is_swapped, struct error *error);

/** event_filter_check - check the syntax only; returns -1 with @error as event_filter_new() does */
int event_filter_check(const char *text, struct error *error);

/**
 * event_filter_translate - an expression for the kernel, with numbers instead of their texts, and a
 * blank behind each function
 * @file: text of the event's format file
 * @out: the expression is appended
 *
 * Returns 0, or -1 with @error as event_filter_new() does; a text of a number that the event does
 * not print is an error.
 */
int event_filter_translate(const char *text, struct text file, struct buffer *out,
			   struct error *error);

/** event_filter_free - free a filter; NULL is fine */
void event_filter_free(struct event_filter *filter);
/** event_filter_needs_symbols - whether it compares functions, and needs event_filter_resolve() */
bool event_filter_needs_symbols(const struct event_filter *filter);

/**
 * event_filter_resolve - look up all functions that the filter names
 * @symbols: of the recording; not needed after this call; NULL if there are none
 *
 * Until then comparisons with functions are false. Returns 0, or -1 with @error if a function is
 * unknown, unless @symbols are partial: then no record has its address.
 */
int event_filter_resolve(struct event_filter *filter, const struct kallsyms *symbols,
			 struct error *error);

/** event_filter_needs_comm - whether it compares the thread's name: event_filter_matches_task() */
bool event_filter_needs_comm(const struct event_filter *filter);

/**
 * event_filter_matches_task - whether a record matches
 * @comm: name of the thread that wrote it, empty if unknown
 *
 * A record that does not contain all fields matches no filter.
 */
bool event_filter_matches_task(const struct event_filter *filter, const struct record *record,
			       struct text comm);

/** event_filter_matches - event_filter_matches_task() with an unknown thread name */
static inline bool event_filter_matches(const struct event_filter *filter,
					const struct record *record)
{
	return event_filter_matches_task(filter, record, (struct text){ 0 });
}

#endif
