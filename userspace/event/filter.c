// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compiles and evaluates event filters. libtraceevent's filters are not used: they compare signed
 * fields as unsigned ones.
 */
#include "event/filter.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/format.h"
#include "event/kallsyms.h"
#include "event/print_format.h"

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

/** struct filter_term - one comparison */
struct filter_term {
	enum filter_term_kind kind;
	enum filter_operator op;
	struct field_ref ref; /* of the field */
	/* number to compare with, cut to the size of the field; first address of a function */
	uint64_t value;
	uint64_t end;		       /* address behind a function; 0 as long as it is unknown */
	struct filter_pattern pattern; /* of texts */
	struct text function;	       /* name to look up, empty if @value is an address */
	bool is_inverted; /* the result of a text's or a function's comparison is inverted */
	int exits[2];	  /* next term if the comparison is false, and if it is true */
};

/** struct event_filter - a program; every exit leads to a later term */
struct event_filter {
	char *text;	     /* the expression, for patterns */
	struct buffer terms; /* of struct filter_term */
	size_t nr_terms;
	size_t record_size; /* minimum size of a record that contains all fields */
};

/** filter_terms - the terms of a filter */
static inline struct filter_term *filter_terms(const struct event_filter *filter)
{
	return (struct filter_term *)filter->terms.data;
}

/** struct filter_reader - an expression that is being compiled */
struct filter_reader {
	const char *text;	     /* begin of the expression */
	const char *at;		     /* the next character */
	const struct format *format; /* NULL if only the syntax is checked */
	bool is_swapped;
	unsigned int depth; /* number of open parentheses */
	/* receives the expression as the kernel understands it; NULL if it is not needed */
	struct buffer *translated;
	const char *copied; /* up to where @translated has it */
	struct error *error;
};

/** filter_reader_skip - skip white space; returns the next character */
static char filter_reader_skip(struct filter_reader *reader)
{
	reader->at += strspn(reader->at, " \t\n\v\f\r");
	return *reader->at;
}

/** filter_reader_refuse - what is at @at is wrong; returns -1 with the reader's error */
static int __attribute__((format(printf, 3, 4)))
filter_reader_refuse(const struct filter_reader *reader, const char *at, const char *format, ...)
{
	char problem[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(problem, sizeof(problem), format, arguments);
	va_end(arguments);
	return error_set(reader->error, "column %zu: %s", (size_t)(at - reader->text) + 1, problem);
}

/* Patterns of event filters, compared as the kernel does. */

static struct text pattern_cut(struct text text, size_t nr_begin, size_t nr_end)
{
	return (struct text){ .data = text.data + nr_begin, .size = text.size - nr_begin - nr_end };
}

/* Asterisks at the ends only are searches for the text between them. */
static enum filter_pattern_kind pattern_kind(struct text text)
{
	enum filter_pattern_kind kind = FILTER_PATTERN_EQUAL;

	if (text.size > 0 && isdigit((unsigned char)*text.data))
		return FILTER_PATTERN_EQUAL;
	for (size_t i = 0; i < text.size; i++) {
		if (strchr("[?\\", text.data[i]))
			return FILTER_PATTERN_GLOB;
		if (text.data[i] != '*')
			continue;
		if (i == 0)
			kind = FILTER_PATTERN_END;
		else if (i < text.size - 1)
			return FILTER_PATTERN_GLOB;
		else
			kind = kind == FILTER_PATTERN_END ? FILTER_PATTERN_MIDDLE
							  : FILTER_PATTERN_BEGIN;
	}
	return kind;
}

/** filter_pattern_of - the kind of a pattern of ~; @is_inverted is set if it begins with '!' */
static struct filter_pattern filter_pattern_of(struct text text, bool *is_inverted)
{
	struct filter_pattern pattern;

	*is_inverted = text.size > 0 && *text.data == '!';
	if (*is_inverted)
		text = pattern_cut(text, 1, 0);
	pattern.kind = pattern_kind(text);
	if (pattern.kind == FILTER_PATTERN_BEGIN)
		text = pattern_cut(text, 0, 1);
	else if (pattern.kind == FILTER_PATTERN_MIDDLE)
		text = pattern_cut(text, 1, 1);
	else if (pattern.kind == FILTER_PATTERN_END)
		text = pattern_cut(text, 1, 0);
	pattern.text = text;
	return pattern;
}

/* The byte at @i; NUL behind the end. */
static unsigned char byte_at(struct text text, size_t i)
{
	return i < text.size ? text.data[i] : '\0';
}

/** struct glob - a comparison in progress */
struct glob {
	struct text pattern;
	size_t at;   /* next byte of the pattern */
	size_t back; /* byte behind its last asterisk, 0 if there was none */
};

/* Whether a class contains @byte. Returns -1 if the class has no end. */
static int glob_match_class(struct glob *glob, unsigned char byte)
{
	bool is_inverted = byte_at(glob->pattern, glob->at) == '!', is_found = false;
	size_t at = glob->at + is_inverted;
	unsigned char first = byte_at(glob->pattern, at++), last;

	do {
		last = first;
		if (byte_at(glob->pattern, at) == '-' && byte_at(glob->pattern, at + 1) != ']') {
			last = byte_at(glob->pattern, at + 1);
			at += 2;
		}
		if (first == '\0' || last == '\0')
			return -1;
		is_found |= first <= byte && byte <= last;
		first = byte_at(glob->pattern, at++);
	} while (first != ']');
	if (is_found != is_inverted)
		glob->at = at;
	return is_found != is_inverted;
}

/* Whether the next part of the pattern, which is no asterisk, matches @byte. */
static bool glob_match_byte(struct glob *glob, unsigned char byte)
{
	unsigned char want = byte_at(glob->pattern, glob->at++);
	int result;

	if (want == '?')
		return byte != '\0';
	if (want == '[') {
		result = glob_match_class(glob, byte);
		if (result >= 0)
			return result;
	}
	if (want == '\\')
		want = byte_at(glob->pattern, glob->at++);
	return byte == want;
}

/* Both end together, or the rest of the text is retried behind the last asterisk. */
static bool glob_matches(struct text pattern, struct text text)
{
	struct glob glob = { .pattern = pattern };
	size_t at = 0, back = 0;

	for (;;) {
		unsigned char byte = byte_at(text, at);

		if (byte_at(pattern, glob.at) == '*') {
			glob.back = ++glob.at;
			back = at;
			if (glob.at >= pattern.size)
				return true;
			continue;
		}
		if (glob_match_byte(&glob, byte)) {
			if (byte == '\0' && glob.at > pattern.size)
				return true;
			at++;
			continue;
		}
		if (byte == '\0' || glob.back == 0)
			return false;
		glob.at = glob.back;
		at = ++back;
	}
}

static bool filter_pattern_matches(const struct filter_pattern *pattern, struct text field)
{
	struct text want = pattern->text;
	size_t size = field.size;

	switch (pattern->kind) {
	case FILTER_PATTERN_GLOB:
		return glob_matches(want, field);
	case FILTER_PATTERN_MIDDLE:
		return memmem(field.data, size, want.data, want.size) != NULL;
	case FILTER_PATTERN_END:
		return size > want.size &&
		       memcmp(field.data + size - 1 - want.size, want.data, want.size) == 0;
	case FILTER_PATTERN_BEGIN:
		return size >= want.size && memcmp(field.data, want.data, want.size) == 0;
	case FILTER_PATTERN_EQUAL:
		break;
	}
	return strnlen(field.data, size) == want.size &&
	       memcmp(field.data, want.data, want.size) == 0;
}

/* Compiles the comparisons of event filters: field, operator, value. */

/* Limits of a pattern and of a number in bytes, those of the kernel. */
#define PATTERN_SIZE_MAX 255
#define NUMBER_SIZE_MAX 23
/* Function addresses are as large as the kernel's longs. */
#define ADDRESS_SIZE 8
#define LIST_OF_OPERATORS "== != ~ < <= > >= &"

static const char *const operators[FILTER_OPERATOR_COUNT] = {
	[FILTER_EQUAL] = "==",	    [FILTER_NOT_EQUAL] = "!=", [FILTER_GLOB] = "~",
	[FILTER_LESS_EQUAL] = "<=", [FILTER_LESS] = "<",       [FILTER_GREATER_EQUAL] = ">=",
	[FILTER_GREATER] = ">",	    [FILTER_BITS] = "&",
};

size_t filter_operator_find(struct text text, enum filter_operator *out)
{
	for (int op = 0; op < FILTER_OPERATOR_COUNT; op++) {
		if (text_begins(text, text_of(operators[op]))) {
			*out = op;
			return strlen(operators[op]);
		}
	}
	return 0;
}

/** enum operand_kind - what a field can be compared with */
enum operand_kind {
	OPERAND_UNKNOWN,
	OPERAND_NUMBER,
	OPERAND_TEXT,
	OPERAND_CPU,
	OPERAND_COMM,
};

/** struct operand - the field of a comparison */
struct operand {
	struct text name; /* in the expression */
	enum operand_kind kind;
	const struct format_field *field; /* NULL if it is no field of the format */
	bool is_function;		  /* ".function" follows the name */
};

static const struct format_field *operand_search(const struct format_field *fields,
						 size_t nr_fields, struct text name)
{
	for (size_t i = 0; i < nr_fields; i++) {
		if (text_equals(text_of(fields[i].name), name))
			return &fields[i];
	}
	return NULL;
}

/* Finds the field that the operand names; every event has some that are in no format. */
static int operand_find(const struct filter_reader *reader, struct operand *operand)
{
	const struct format *format = reader->format;
	struct text name = operand->name;
	const struct format_field *field;
	SCOPED_BUFFER(names);

	if (!format)
		return 0;
	field = operand_search(format->fields + format->nr_common,
			       format->nr_fields - format->nr_common, name);
	if (!field && (text_equals(name, text_of("CPU")) || text_equals(name, text_of("cpu")))) {
		operand->kind = OPERAND_CPU;
		return 0;
	}
	if (!field && (text_equals(name, text_of("COMM")) || text_equals(name, text_of("comm")))) {
		operand->kind = OPERAND_COMM;
		return 0;
	}
	if (!field)
		field = operand_search(format->fields, format->nr_common, name);
	operand->field = field;
	if (!field) {
		/* Only the event's own fields: the common ones are known. */
		for (size_t i = format->nr_common; i < format->nr_fields; i++)
			buffer_printf(&names, "%s%s", names.size > 0 ? ", " : "; it has ",
				      format->fields[i].name);
		return filter_reader_refuse(reader, name.data, "%s has no field '%.*s'%s",
					    format->name, (int)name.size, name.data,
					    buffer_string(&names));
	}
	/* The kernel looks into the declared type, too. */
	operand->kind = OPERAND_NUMBER;
	if (strstr(field->type, "char") && (field->is_dynamic || field->is_array))
		operand->kind = OPERAND_TEXT;
	else if (strcmp(field->type, "char *") == 0 || strcmp(field->type, "const char *") == 0)
		return filter_reader_refuse(
			reader, name.data,
			"field '%s' is a pointer; records do not contain its text", field->name);
	return 0;
}

/* Takes @word if it is next. */
static bool reader_take(struct filter_reader *reader, const char *word)
{
	size_t size = strlen(word);

	if (strncmp(reader->at, word, size) != 0)
		return false;
	reader->at += size;
	return true;
}

static struct text reader_take_name(struct filter_reader *reader)
{
	const char *begin = reader->at;

	while (isalnum((unsigned char)*reader->at) || *reader->at == '_')
		reader->at++;
	return (struct text){ .data = begin, .size = reader->at - begin };
}

/* Parses digits as the kernel does: hexadecimal after 0x, octal after 0. */
static bool number_digits_parse(const char *digits, uint64_t *out)
{
	bool is_hex = digits[0] == '0' && tolower((unsigned char)digits[1]) == 'x' &&
		      isxdigit((unsigned char)digits[2]);
	unsigned int base = is_hex ? 16 : *digits == '0' ? 8 : 10;
	uint64_t number = 0;

	if (!*digits)
		return false;
	for (digits += is_hex ? 2 : 0; *digits; digits++) {
		unsigned char byte = tolower((unsigned char)*digits);
		unsigned int digit = isdigit(byte) ? byte - '0' : byte - 'a' + 10;

		if (digit >= base || __builtin_mul_overflow(number, base, &number) ||
		    __builtin_add_overflow(number, digit, &number))
			return false;
	}
	*out = number;
	return true;
}

/* Parses a number that must fit into a signed or unsigned 64-bit number. */
static bool number_parse(const char *text, bool is_signed, bool is_unsigned, uint64_t *out)
{
	bool is_negative = *text == '-';
	uint64_t number;

	if (!number_digits_parse(text + is_negative, &number))
		return false;
	*out = is_negative ? -number : number;
	if (is_negative)
		return is_signed && number <= (uint64_t)INT64_MAX + 1;
	return is_unsigned || number <= INT64_MAX;
}

/* Takes a number; without a format it may have any sign. */
static int reader_take_number(struct filter_reader *reader, const struct format_field *field,
			      bool is_signed, uint64_t *out)
{
	const char *begin = reader->at;
	char number[NUMBER_SIZE_MAX + 1];
	size_t size;

	reader->at += *reader->at == '-';
	while (isalnum((unsigned char)*reader->at))
		reader->at++;
	size = reader->at - begin;
	if (size <= NUMBER_SIZE_MAX) {
		memcpy(number, begin, size);
		number[size] = '\0';
		if (number_parse(number, is_signed, !reader->format || !is_signed, out))
			return 0;
	}
	return filter_reader_refuse(reader, begin, "expected %s, as field%s%s is %s",
				    is_signed ? "a 64-bit number" : "a 64-bit number without sign",
				    field ? " " : "", field ? field->name : "",
				    is_signed ? "signed" : "unsigned");
}

/* The bits of @value that fit into the field, extended to 64 bits as the field's value is. */
static uint64_t value_cut(const struct field_ref *ref, uint64_t value)
{
	unsigned int shift = 8 * (WORD_SIZE - ref->size);

	if (ref->kind == FIELD_SIGNED)
		return (int64_t)(value << shift) >> shift;
	return value << shift >> shift;
}

/* Any field of an integer's size is compared as one, arrays included. */
static int term_set_number(const struct filter_reader *reader, const struct operand *operand,
			   struct filter_term *term)
{
	struct format_field number;

	term->kind = operand->kind == OPERAND_CPU ? FILTER_TERM_CPU : FILTER_TERM_NEVER;
	if (!operand->field)
		return 0;
	number = *operand->field;
	number.type = "u64";
	number.is_array = number.is_dynamic = number.is_relative = number.is_pointer = false;
	term->ref = field_ref_of(&number, reader->is_swapped);
	if (term->ref.end == FIELD_END_NEVER)
		return filter_reader_refuse(reader, operand->name.data,
					    "field '%s' has an impossible position",
					    operand->field->name);
	if (!field_ref_is_number(&term->ref))
		return 0;
	term->kind = FILTER_TERM_NUMBER;
	term->value = value_cut(&term->ref, term->value);
	return 0;
}

static int number_term_parse(struct filter_reader *reader, const struct operand *operand,
			     struct filter_term *term)
{
	const struct format_field *field = operand->field;
	bool is_text = operand->kind == OPERAND_TEXT || operand->kind == OPERAND_COMM;

	if (is_text)
		return filter_reader_refuse(reader, reader->at,
					    "expected a string in quotes, as field %.*s is text",
					    (int)operand->name.size, operand->name.data);
	if (term->op == FILTER_GLOB)
		return filter_reader_refuse(reader, reader->at,
					    "expected a string in quotes after ~");
	if (reader_take_number(reader, field, field ? field->is_signed : true, &term->value) < 0)
		return -1;
	return term_set_number(reader, operand, term);
}

/* Takes a string in quotes, either ' or ". */
static int reader_take_string(struct filter_reader *reader, struct text *out)
{
	const char *begin = reader->at + 1;
	const char *end = strchr(begin, *reader->at);

	if (!end)
		return filter_reader_refuse(reader, reader->at,
					    "the string has no end; expected %c", *reader->at);
	if (end - begin > PATTERN_SIZE_MAX)
		return filter_reader_refuse(reader, reader->at, "the string exceeds %d bytes",
					    PATTERN_SIZE_MAX);
	*out = (struct text){ .data = begin, .size = end - begin };
	reader->at = end + 1;
	return 0;
}

/*
 * The kernel's filters compare the number; ours may name it, or one of its bits, by the text that
 * the event prints.
 */
static int named_term_parse(struct filter_reader *reader, const struct operand *operand,
			    struct filter_term *term)
{
	enum print_texts kind = term->op == FILTER_BITS ? PRINT_TEXTS_OF_BITS
							: PRINT_TEXTS_OF_VALUES;
	const char *begin = reader->at;
	SCOPED_BUFFER(texts);
	struct text text;
	int64_t number;
	int status = 0;

	if (reader_take_string(reader, &text) < 0)
		return -1;
	if (!operand->field || !print_format_find_value(reader->format->file, operand->name, kind,
							text, &number, &texts))
		status = texts.size > 0
				 ? filter_reader_refuse(reader, begin,
							"field %.*s has no value '%.*s'; it has %s",
							(int)operand->name.size, operand->name.data,
							(int)text.size, text.data,
							buffer_string(&texts))
				 : filter_reader_refuse(
					   reader, begin,
					   "expected a number, as field %.*s is no text",
					   (int)operand->name.size, operand->name.data);
	else if (term->op > FILTER_NOT_EQUAL && term->op != FILTER_BITS)
		status = filter_reader_refuse(reader, begin,
					      "texts of numbers can only be compared with == != &");
	if (status < 0)
		return -1;
	if (reader->translated) {
		buffer_append(reader->translated, reader->copied, begin - reader->copied);
		if (operand->field && !operand->field->is_signed)
			buffer_append_unsigned(reader->translated, (uint64_t)number);
		else
			buffer_append_signed(reader->translated, number);
		reader->copied = reader->at;
	}
	term->value = number;
	return term_set_number(reader, operand, term);
}

static int text_term_parse(struct filter_reader *reader, const struct operand *operand,
			   struct filter_term *term)
{
	struct text text;

	if (operand->kind == OPERAND_NUMBER || operand->kind == OPERAND_CPU)
		return named_term_parse(reader, operand, term);
	/* Without a format, it may be the text of bits. */
	if (term->op > FILTER_GLOB && (reader->format || term->op != FILTER_BITS))
		return filter_reader_refuse(reader, reader->at,
					    "strings can only be compared with == != ~");
	if (reader_take_string(reader, &text) < 0)
		return -1;
	term->kind = operand->kind == OPERAND_COMM ? FILTER_TERM_COMM : FILTER_TERM_TEXT;
	if (operand->field)
		term->ref = field_ref_of(operand->field, reader->is_swapped);
	if (operand->field && term->ref.end == FIELD_END_NEVER)
		return filter_reader_refuse(reader, operand->name.data,
					    "field '%s' has an impossible position",
					    operand->field->name);
	term->pattern = (struct filter_pattern){ .text = text };
	term->is_inverted = term->op == FILTER_NOT_EQUAL;
	if (term->op == FILTER_GLOB)
		term->pattern = filter_pattern_of(text, &term->is_inverted);
	return 0;
}

/* Takes the name of a function. The kernel takes all up to a blank for it, which it gets. */
static int reader_take_function(struct filter_reader *reader, struct text *out)
{
	const char *begin = reader->at;

	while (isalnum((unsigned char)*reader->at) || (*reader->at && strchr("_.$", *reader->at)))
		reader->at++;
	*out = (struct text){ .data = begin, .size = reader->at - begin };
	if (out->size == 0)
		return filter_reader_refuse(reader, begin, "expected a function or an address");
	if (!*reader->at || isspace((unsigned char)*reader->at))
		return 0;
	if (!strchr(")&|", *reader->at))
		return filter_reader_refuse(reader, reader->at,
					    "expected a blank behind the function");
	if (reader->translated) {
		buffer_append(reader->translated, reader->copied, reader->at - reader->copied);
		buffer_append_string(reader->translated, " ");
		reader->copied = reader->at;
	}
	return 0;
}

static int function_term_parse(struct filter_reader *reader, const struct operand *operand,
			       struct filter_term *term)
{
	if (term->op != FILTER_EQUAL && term->op != FILTER_NOT_EQUAL)
		return filter_reader_refuse(reader, reader->at,
					    "functions can only be compared with == !=");
	if (reader->format &&
	    (operand->kind != OPERAND_NUMBER || operand->field->size != ADDRESS_SIZE))
		return filter_reader_refuse(reader, operand->name.data,
					    "field %.*s is too small for an address",
					    (int)operand->name.size, operand->name.data);
	if (isdigit((unsigned char)*reader->at)) {
		if (reader_take_number(reader, operand->field, false, &term->value) < 0)
			return -1;
	} else if (reader_take_function(reader, &term->function) < 0) {
		return -1;
	}
	if (term_set_number(reader, operand, term) < 0)
		return -1;
	term->kind = FILTER_TERM_FUNCTION;
	term->is_inverted = term->op == FILTER_NOT_EQUAL;
	return 0;
}

static int filter_term_parse(struct filter_reader *reader, struct filter_term *term)
{
	struct operand operand = { 0 };
	size_t size;

	*term = (struct filter_term){ 0 };
	filter_reader_skip(reader);
	operand.name = reader_take_name(reader);
	if (operand.name.size == 0)
		return filter_reader_refuse(reader, reader->at, "expected the name of a field");
	if (operand_find(reader, &operand) < 0)
		return -1;
	operand.is_function = reader_take(reader, ".function");
	/* Only pointers to strings need it; the kernel ignores it at other fields. */
	if (!operand.is_function)
		reader_take(reader, ".ustring");
	filter_reader_skip(reader);
	size = filter_operator_find(text_of(reader->at), &term->op);
	if (size == 0)
		return filter_reader_refuse(reader, reader->at,
					    "expected one of the operators " LIST_OF_OPERATORS);
	reader->at += size;
	filter_reader_skip(reader);
	if (operand.is_function)
		return function_term_parse(reader, &operand, term);
	if (*reader->at == '\'' || *reader->at == '"')
		return text_term_parse(reader, &operand, term);
	if (isdigit((unsigned char)*reader->at) || *reader->at == '-')
		return number_term_parse(reader, &operand, term);
	return filter_reader_refuse(reader, reader->at, "expected a number or a string in quotes");
}

/* Compiles and evaluates filters. */

/* Size of a thread's name in the kernel. */
#define COMM_SIZE 16

/** struct filter_exits - exits of an expression that lead nowhere yet */
struct filter_exits {
	/*
	 * of the lists for false and true, linked through the exits: 2 * term + result, or NO_EXIT
	 */
	int heads[2];
};

#define NO_EXIT (-3)

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

static int filter_parse_chain(struct filter_reader *reader, struct event_filter *filter,
			      bool is_either, struct filter_exits *out);

/* Parses what is behind an opening parenthesis. */
static int filter_parse_nested(struct filter_reader *reader, struct event_filter *filter,
			       struct filter_exits *out)
{
	const char *begin = reader->at++;

	if (reader->depth == EVENT_FILTER_DEPTH_MAX)
		return filter_reader_refuse(reader, begin, "more than %d open parentheses",
					    EVENT_FILTER_DEPTH_MAX);
	reader->depth++;
	if (filter_parse_chain(reader, filter, true, out) < 0)
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

/*
 * Parses operands that "&&" or "||" joins: "&&" is decided if one is false, "||" if one is true.
 * The other result leads to the next operand.
 */
static int filter_parse_chain(struct filter_reader *reader, struct event_filter *filter,
			      bool is_either, struct filter_exits *out)
{
	int decided = NO_EXIT, status;

	for (;;) {
		status = is_either ? filter_parse_chain(reader, filter, false, out)
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

static int filter_parse(struct filter_reader *reader, struct event_filter *filter)
{
	struct filter_exits exits;

	if (strlen(reader->text) > EVENT_FILTER_SIZE_MAX)
		return error_set(reader->error, "column %d: the filter exceeds %d bytes",
				 EVENT_FILTER_SIZE_MAX + 1, EVENT_FILTER_SIZE_MAX);
	if (filter_parse_chain(reader, filter, true, &exits) < 0)
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
	struct filter_reader reader = {
		.format = format, .is_swapped = is_swapped, .translated = translated, .error = error
	};

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
	/* No record refers to it: no address is in its range. */
	if (!is_found && kallsyms_is_partial(symbols)) {
		term->value = term->end = UINT64_MAX;
		return 0;
	}
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

/* Moves unsigned numbers to the range of signed ones, in the same order. */
static bool unsigned_compare(enum filter_operator op, uint64_t left, uint64_t right)
{
	if (op == FILTER_BITS)
		return left & right;
	return filter_compare(op, left ^ (uint64_t)INT64_MIN, right ^ (uint64_t)INT64_MIN);
}

hot_inline bool number_matches(const struct filter_term *term, const struct record *record)
{
	const struct field_ref *ref = &term->ref;
	int64_t number = field_integer(ref, record, ref->is_swapped);

	if (ref->kind == FIELD_SIGNED)
		return filter_compare(term->op, number, term->value);
	return unsigned_compare(term->op, number, term->value);
}

static bool term_matches(const struct filter_term *term, const struct record *record,
			 struct text comm)
{
	char bytes[COMM_SIZE] = "";
	struct text text = { bytes, COMM_SIZE };
	uint64_t address;

	switch (term->kind) {
	case FILTER_TERM_NEVER:
		return false;
	case FILTER_TERM_NUMBER:
		return number_matches(term, record);
	case FILTER_TERM_CPU:
		return term->op != FILTER_BITS &&
		       filter_compare(term->op, record->cpu, (int)term->value);
	case FILTER_TERM_TEXT:
		return field_bytes(&term->ref, record, term->ref.is_swapped, &text) &&
		       filter_pattern_matches(&term->pattern, text) != term->is_inverted;
	case FILTER_TERM_COMM:
		/* As in the kernel, the name is in an array of fixed size. */
		if (comm.size > 0)
			memcpy(bytes, comm.data, comm.size < COMM_SIZE ? comm.size : COMM_SIZE - 1);
		return filter_pattern_matches(&term->pattern, text) != term->is_inverted;
	case FILTER_TERM_FUNCTION:
		address = field_integer(&term->ref, record, term->ref.is_swapped);
		return term->end > 0 &&
		       (address >= term->value && address < term->end) != term->is_inverted;
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
