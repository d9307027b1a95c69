// SPDX-License-Identifier: GPL-2.0-only
/* Compiles the comparisons of event filters: field, operator, value. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "event/filter_program.h"
#include "event/print_format.h"

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

/** enum operand_kind - what a field can be compared with */
enum operand_kind {
	OPERAND_UNKNOWN,
	OPERAND_NUMBER,
	OPERAND_TEXT,
	OPERAND_POINTER,
	OPERAND_CPU,
	OPERAND_COMM,
};

/**
 * struct operand - the field of a comparison
 * @name: in the expression
 * @field: NULL if @kind is OPERAND_CPU, OPERAND_COMM or OPERAND_UNKNOWN
 * @is_function: ".function" follows the name
 */
struct operand {
	struct text name;
	enum operand_kind kind;
	const struct format_field *field;
	bool is_function;
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

/* The kernel looks into the declared type, too. */
static enum operand_kind operand_kind_of(const struct format_field *field)
{
	bool has_char = strstr(field->type, "char") != NULL;

	if (has_char && (field->is_dynamic || field->is_array))
		return OPERAND_TEXT;
	if (strcmp(field->type, "char *") == 0 || strcmp(field->type, "const char *") == 0)
		return OPERAND_POINTER;
	return OPERAND_NUMBER;
}

/* Sets a field that every event has, unless it has an own one of that name. */
static bool operand_set_generic(struct operand *operand)
{
	struct text name = operand->name;

	if (text_equals(name, text_of("CPU")) || text_equals(name, text_of("cpu")))
		operand->kind = OPERAND_CPU;
	if (text_equals(name, text_of("COMM")) || text_equals(name, text_of("comm")))
		operand->kind = OPERAND_COMM;
	return operand->kind != OPERAND_UNKNOWN;
}

/* Only the event's own fields: the common ones are known. */
static int operand_refuse(const struct filter_reader *reader, const struct operand *operand)
{
	const struct format *format = reader->format;
	struct buffer names = { 0 };
	int status;

	for (size_t i = format->nr_common; i < format->nr_fields; i++)
		buffer_printf(&names, "%s%s", names.size > 0 ? ", " : "; it has ",
			      format->fields[i].name);
	status = filter_reader_refuse(reader, operand->name.data, "%s has no field '%.*s'%s",
				      format->name, (int)operand->name.size, operand->name.data,
				      buffer_string(&names));
	buffer_release(&names);
	return status;
}

static int operand_find(const struct filter_reader *reader, struct operand *operand)
{
	const struct format *format = reader->format;
	size_t nr_common;

	if (!format)
		return 0;
	nr_common = format->nr_common;
	operand->field = operand_search(format->fields + nr_common, format->nr_fields - nr_common,
					operand->name);
	if (!operand->field && operand_set_generic(operand))
		return 0;
	if (!operand->field)
		operand->field = operand_search(format->fields, nr_common, operand->name);
	if (!operand->field)
		return operand_refuse(reader, operand);
	operand->kind = operand_kind_of(operand->field);
	if (operand->kind == OPERAND_POINTER)
		return filter_reader_refuse(
			reader, operand->name.data,
			"field '%s' is a pointer; records do not contain its text",
			operand->field->name);
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

static int operand_parse(struct filter_reader *reader, struct operand *operand)
{
	filter_reader_skip(reader);
	operand->name = reader_take_name(reader);
	if (operand->name.size == 0)
		return filter_reader_refuse(reader, reader->at, "expected the name of a field");
	if (operand_find(reader, operand) < 0)
		return -1;
	operand->is_function = reader_take(reader, ".function");
	/* Only pointers to strings need it; the kernel ignores it at other fields. */
	if (!operand->is_function)
		reader_take(reader, ".ustring");
	return 0;
}

static int operator_parse(struct filter_reader *reader, struct filter_term *term)
{
	filter_reader_skip(reader);
	for (int op = 0; op < FILTER_OPERATOR_COUNT; op++) {
		if (reader_take(reader, operators[op])) {
			term->op = op;
			filter_reader_skip(reader);
			return 0;
		}
	}
	return filter_reader_refuse(reader, reader->at,
				    "expected one of the operators " LIST_OF_OPERATORS);
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

/* The kernel's filters compare the number; ours may name it by the text that the event prints. */
static int named_term_parse(struct filter_reader *reader, const struct operand *operand,
			    struct filter_term *term)
{
	const char *begin = reader->at;
	struct buffer texts = { 0 };
	struct text text;
	int64_t number;
	int status = 0;

	if (reader_take_string(reader, &text) < 0)
		return -1;
	if (!operand->field || !print_format_find_value(reader->format->file, operand->name, text,
							&number, &texts))
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
	else if (term->op != FILTER_EQUAL && term->op != FILTER_NOT_EQUAL)
		status = filter_reader_refuse(reader, begin,
					      "texts of numbers can only be compared with == !=");
	buffer_release(&texts);
	if (status < 0)
		return -1;
	if (reader->translated) {
		buffer_append(reader->translated, reader->copied, begin - reader->copied);
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
	if (term->op > FILTER_GLOB)
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

/* Takes the name of a function, up to a blank, as the kernel does. */
static int reader_take_function(struct filter_reader *reader, struct text *out)
{
	const char *begin = reader->at;

	while (isalnum((unsigned char)*reader->at) || (*reader->at && strchr("_.$", *reader->at)))
		reader->at++;
	if (reader->at == begin)
		return filter_reader_refuse(reader, begin, "expected a function or an address");
	if (*reader->at && !isspace((unsigned char)*reader->at))
		return filter_reader_refuse(reader, reader->at,
					    "expected a blank behind the function");
	*out = (struct text){ .data = begin, .size = reader->at - begin };
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

int filter_term_parse(struct filter_reader *reader, struct filter_term *term)
{
	struct operand operand = { 0 };

	*term = (struct filter_term){ 0 };
	if (operand_parse(reader, &operand) < 0 || operator_parse(reader, term) < 0)
		return -1;
	if (operand.is_function)
		return function_term_parse(reader, &operand, term);
	if (*reader->at == '\'' || *reader->at == '"')
		return text_term_parse(reader, &operand, term);
	if (isdigit((unsigned char)*reader->at) || *reader->at == '-')
		return number_term_parse(reader, &operand, term);
	return filter_reader_refuse(reader, reader->at, "expected a number or a string in quotes");
}
