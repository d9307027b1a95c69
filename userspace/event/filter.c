// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compiles and evaluates event filters. libtraceevent's filters are not used: they compare signed
 * fields as unsigned ones.
 */
#include "event/filter.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/filter_program.h"
#include "event/kallsyms.h"

/* Size of a thread's name in the kernel. */
#define COMM_SIZE 16

/**
 * struct filter_exits - exits of an expression that lead nowhere yet
 * @heads: of the lists for false and true, linked through the exits: 2 * term + result, or NO_EXIT
 */
struct filter_exits {
	int heads[2];
};

#define NO_EXIT (-3)

char filter_reader_skip(struct filter_reader *reader)
{
	reader->at += strspn(reader->at, " \t\n\v\f\r");
	return *reader->at;
}

int filter_reader_refuse(const struct filter_reader *reader, const char *at, const char *format,
			 ...)
{
	char problem[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(problem, sizeof(problem), format, arguments);
	va_end(arguments);
	return error_set(reader->error, "column %zu: %s", (size_t)(at - reader->text) + 1, problem);
}

static int *filter_exit(struct event_filter *filter, int exit)
{
	return &filter_terms(filter)[exit / 2].exits[exit % 2];
}

/* Leads all exits of a list to @target. */
static void exits_lead(struct event_filter *filter, int head, int target)
{
	while (head != NO_EXIT) {
		int *exit = filter_exit(filter, head);

		head = *exit;
		*exit = target;
	}
}

/* Joins two lists. */
static int exits_join(struct event_filter *filter, int first, int second)
{
	int last = first;

	if (first == NO_EXIT)
		return second;
	while (*filter_exit(filter, last) != NO_EXIT)
		last = *filter_exit(filter, last);
	*filter_exit(filter, last) = second;
	return first;
}

static int filter_add_term(struct filter_reader *reader, struct event_filter *filter,
			   struct filter_exits *out)
{
	struct filter_term term;
	int number = filter->nr_terms;

	if (filter_term_parse(reader, &term) < 0)
		return -1;
	term.exits[0] = term.exits[1] = NO_EXIT;
	buffer_append(&filter->terms, &term, sizeof(term));
	if (filter->terms.failed)
		return error_set(reader->error, "out of memory");
	if (term.ref.kind != FIELD_ABSENT && term.ref.end > filter->record_size)
		filter->record_size = term.ref.end;
	filter->nr_terms++;
	*out = (struct filter_exits){ { 2 * number, 2 * number + 1 } };
	return 0;
}

static int filter_parse_either(struct filter_reader *reader, struct event_filter *filter,
			       struct filter_exits *out);

/* Parses what is behind an opening parenthesis. */
static int filter_parse_nested(struct filter_reader *reader, struct event_filter *filter,
			       struct filter_exits *out)
{
	const char *begin = reader->at++;

	if (reader->depth == EVENT_FILTER_DEPTH_MAX)
		return filter_reader_refuse(reader, begin, "more than %d open parentheses",
					    EVENT_FILTER_DEPTH_MAX);
	reader->depth++;
	if (filter_parse_either(reader, filter, out) < 0)
		return -1;
	reader->depth--;
	if (*reader->at != ')')
		return filter_reader_refuse(reader, reader->at, "expected && || or )");
	reader->at++;
	return 0;
}

/* Parses a term or parentheses, with any number of ! before them. */
static int filter_parse_operand(struct filter_reader *reader, struct event_filter *filter,
				struct filter_exits *out)
{
	bool is_negated = false;
	int status;

	while (filter_reader_skip(reader) == '!' && reader->at[1] != '=' && reader->at[1] != '~') {
		is_negated = !is_negated;
		reader->at++;
	}
	status = *reader->at == '(' ? filter_parse_nested(reader, filter, out)
				    : filter_add_term(reader, filter, out);
	if (status == 0 && is_negated)
		*out = (struct filter_exits){ { out->heads[1], out->heads[0] } };
	return status;
}

/* Takes "&&" or "||". */
static bool reader_take_pair(struct filter_reader *reader, char byte)
{
	if (filter_reader_skip(reader) != byte || reader->at[1] != byte)
		return false;
	reader->at += 2;
	return true;
}

static int filter_parse_both(struct filter_reader *reader, struct event_filter *filter,
			     struct filter_exits *out);

/*
 * Parses operands that "&&" or "||" joins: "&&" is decided if one is false, "||" if one is true.
 * The other result leads to the next operand.
 */
static int filter_parse_chain(struct filter_reader *reader, struct event_filter *filter,
			      bool is_either, struct filter_exits *out)
{
	int decided = NO_EXIT, status;

	for (;;) {
		status = is_either ? filter_parse_both(reader, filter, out)
				   : filter_parse_operand(reader, filter, out);
		if (status < 0)
			return -1;
		decided = exits_join(filter, out->heads[is_either], decided);
		if (!reader_take_pair(reader, is_either ? '|' : '&'))
			break;
		exits_lead(filter, out->heads[!is_either], filter->nr_terms);
	}
	out->heads[is_either] = decided;
	return 0;
}

static int filter_parse_both(struct filter_reader *reader, struct event_filter *filter,
			     struct filter_exits *out)
{
	return filter_parse_chain(reader, filter, false, out);
}

static int filter_parse_either(struct filter_reader *reader, struct event_filter *filter,
			       struct filter_exits *out)
{
	return filter_parse_chain(reader, filter, true, out);
}

static int filter_parse(struct filter_reader *reader, struct event_filter *filter)
{
	struct filter_exits exits;

	if (strlen(reader->text) > EVENT_FILTER_SIZE_MAX)
		return error_set(reader->error, "column %d: the filter exceeds %d bytes",
				 EVENT_FILTER_SIZE_MAX + 1, EVENT_FILTER_SIZE_MAX);
	if (filter_parse_either(reader, filter, &exits) < 0)
		return -1;
	if (*reader->at)
		return filter_reader_refuse(reader, reader->at, "expected && or || or the end");
	exits_lead(filter, exits.heads[false], FILTER_REJECT);
	exits_lead(filter, exits.heads[true], FILTER_ACCEPT);
	return 0;
}

/* Compiles an expression; @format is NULL to check the syntax only. */
static int filter_compile(struct event_filter **out, const char *text, const struct format *format,
			  bool is_swapped, struct buffer *translated, struct error *error)
{
	struct event_filter *filter = calloc(1, sizeof(*filter));
	struct filter_reader reader = { .format = format,
					.is_swapped = is_swapped,
					.translated = translated,
					.error = error };

	*out = NULL;
	if (filter)
		filter->text = strdup(text);
	if (!filter || !filter->text) {
		event_filter_free(filter);
		return error_set(error, "out of memory");
	}
	reader.text = reader.at = reader.copied = filter->text;
	if (filter_parse(&reader, filter) < 0) {
		event_filter_free(filter);
		return -1;
	}
	if (translated)
		buffer_append_string(translated, reader.copied);
	*out = filter;
	return 0;
}

int event_filter_new(struct event_filter **out, const char *text, const struct format *format,
		     bool is_swapped, struct error *error)
{
	return filter_compile(out, text, format, is_swapped, NULL, error);
}

int event_filter_translate(const char *text, struct text file, struct buffer *out,
			   struct error *error)
{
	struct event_filter *filter = NULL;
	struct format format;
	int status = format_parse(&format, file);

	if (status == 0)
		status = filter_compile(&filter, text, &format, false, out, error);
	else
		status = error_set(error, "the event's format cannot be read");
	event_filter_free(filter);
	format_release(&format);
	return out->failed ? error_set(error, "out of memory") : status;
}

int event_filter_check(const char *text, struct error *error)
{
	struct event_filter *filter;
	int status = filter_compile(&filter, text, NULL, false, NULL, error);

	event_filter_free(filter);
	return status;
}

void event_filter_free(struct event_filter *filter)
{
	if (!filter)
		return;
	buffer_release(&filter->terms);
	free(filter->text);
	free(filter);
}

static bool filter_has_kind(const struct event_filter *filter, enum filter_term_kind kind)
{
	for (size_t i = 0; i < filter->nr_terms; i++) {
		if (filter_terms(filter)[i].kind == kind)
			return true;
	}
	return false;
}

bool event_filter_needs_symbols(const struct event_filter *filter)
{
	return filter_has_kind(filter, FILTER_TERM_FUNCTION);
}

bool event_filter_needs_comm(const struct event_filter *filter)
{
	return filter_has_kind(filter, FILTER_TERM_COMM);
}

/* Sets the addresses of the function that the term names, or that contains its address. */
static int term_resolve(struct filter_term *term, const struct kallsyms *symbols,
			struct error *error)
{
	struct kallsyms_symbol symbol;
	bool is_found;

	if (term->function.size > 0)
		is_found = kallsyms_find_name(symbols, term->function, &symbol);
	else
		is_found = kallsyms_find(symbols, term->value, &symbol);
	if (!is_found && term->function.size > 0)
		return error_set(error, "no function is named '%.*s'", (int)term->function.size,
				 term->function.data);
	if (!is_found)
		return error_set(error, "no function is at 0x%llx",
				 (unsigned long long)term->value);
	term->value = symbol.begin;
	term->end = symbol.end;
	return 0;
}

int event_filter_resolve(struct event_filter *filter, const struct kallsyms *symbols,
			 struct error *error)
{
	for (size_t i = 0; i < filter->nr_terms; i++) {
		struct filter_term *term = &filter_terms(filter)[i];

		if (term->kind != FILTER_TERM_FUNCTION)
			continue;
		if (!symbols)
			return error_set(error, "the recording has no kernel symbols");
		if (term_resolve(term, symbols, error) < 0)
			return -1;
	}
	return 0;
}

hot_inline bool signed_compare(enum filter_operator op, int64_t left, int64_t right)
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

/* Moves unsigned numbers to the range of signed ones, in the same order. */
static bool unsigned_compare(enum filter_operator op, uint64_t left, uint64_t right)
{
	if (op == FILTER_BITS)
		return left & right;
	return signed_compare(op, left ^ (uint64_t)INT64_MIN, right ^ (uint64_t)INT64_MIN);
}

hot_inline bool number_matches(const struct filter_term *term, const struct record *record)
{
	const struct field_ref *ref = &term->ref;
	int64_t number = field_integer(ref, record, ref->is_swapped);

	if (ref->kind == FIELD_SIGNED)
		return signed_compare(term->op, number, term->value);
	return unsigned_compare(term->op, number, term->value);
}

static bool text_matches(const struct filter_term *term, const struct record *record)
{
	struct text text;

	if (!field_bytes(&term->ref, record, term->ref.is_swapped, &text))
		return false;
	return filter_pattern_matches(&term->pattern, text) != term->is_inverted;
}

/* As in the kernel, the name is in an array of fixed size. */
static bool comm_matches(const struct filter_term *term, struct text comm)
{
	char bytes[COMM_SIZE] = "";

	if (comm.size > 0)
		memcpy(bytes, comm.data, comm.size < COMM_SIZE ? comm.size : COMM_SIZE - 1);
	return filter_pattern_matches(&term->pattern, (struct text){ bytes, COMM_SIZE }) !=
	       term->is_inverted;
}

static bool function_matches(const struct filter_term *term, const struct record *record)
{
	uint64_t address = field_integer(&term->ref, record, term->ref.is_swapped);

	if (term->end == 0)
		return false;
	return (address >= term->value && address < term->end) != term->is_inverted;
}

static bool term_matches(const struct filter_term *term, const struct record *record,
			 struct text comm)
{
	switch (term->kind) {
	case FILTER_TERM_NEVER:
		return false;
	case FILTER_TERM_NUMBER:
		return number_matches(term, record);
	case FILTER_TERM_CPU:
		return term->op != FILTER_BITS &&
		       signed_compare(term->op, record->cpu, (int)term->value);
	case FILTER_TERM_TEXT:
		return text_matches(term, record);
	case FILTER_TERM_COMM:
		return comm_matches(term, comm);
	case FILTER_TERM_FUNCTION:
		return function_matches(term, record);
	}
	return false;
}

/* Any filter, from its first term on. */
static out_of_line bool terms_match(const struct filter_term *terms, const struct record *record,
				    struct text comm)
{
	int at = 0;

	while (at >= 0)
		at = terms[at].exits[term_matches(&terms[at], record, comm)];
	return at == FILTER_ACCEPT;
}

/* Most filters compare numbers only. */
bool event_filter_matches_task(const struct event_filter *filter, const struct record *record,
			       struct text comm)
{
	const struct filter_term *terms = filter_terms(filter);
	int at = 0;

	if (filter->record_size > record->size)
		return false;
	while (at >= 0) {
		if (unlikely(terms[at].kind != FILTER_TERM_NUMBER))
			return terms_match(terms, record, comm);
		at = terms[at].exits[number_matches(&terms[at], record)];
	}
	return at == FILTER_ACCEPT;
}
