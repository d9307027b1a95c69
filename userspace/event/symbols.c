// SPDX-License-Identifier: GPL-2.0-only
/* The text of print formats, before and for libtraceevent. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "event/print_format.h"
#include "event/symbol_node.h"
#include "event/symbols.h"

/* Operators of print formats, as in C with 64 bits. */

static struct symbol_number symbol_number_unary(enum symbol_unary op, struct symbol_number a)
{
	if (op == SYMBOL_NOT)
		return (struct symbol_number){ .bits = !a.bits };
	a.bits = op == SYMBOL_INVERT ? ~a.bits : -a.bits;
	return a;
}

/* Shifting by 64 and more gives 0. */
static struct symbol_number symbol_number_binary(enum symbol_binary op, struct symbol_number a,
						 struct symbol_number b)
{
	bool is_unsigned = a.is_unsigned || b.is_unsigned;
	bool is_less = is_unsigned ? a.bits < b.bits : (int64_t)a.bits < (int64_t)b.bits;

	switch (op) {
	case SYMBOL_AND:
		return (struct symbol_number){ a.bits & b.bits, is_unsigned };
	case SYMBOL_OR:
		return (struct symbol_number){ a.bits | b.bits, is_unsigned };
	case SYMBOL_XOR:
		return (struct symbol_number){ a.bits ^ b.bits, is_unsigned };
	case SYMBOL_ADD:
		return (struct symbol_number){ a.bits + b.bits, is_unsigned };
	case SYMBOL_SUBTRACT:
		return (struct symbol_number){ a.bits - b.bits, is_unsigned };
	case SYMBOL_SHIFT_LEFT:
		return (struct symbol_number){ b.bits < 64 ? a.bits << b.bits : 0, a.is_unsigned };
	case SYMBOL_SHIFT_RIGHT:
		if (b.bits >= 64)
			return (struct symbol_number){ 0, a.is_unsigned };
		return (struct symbol_number){ a.is_unsigned
						       ? a.bits >> b.bits
						       : (uint64_t)((int64_t)a.bits >> b.bits),
					       a.is_unsigned };
	case SYMBOL_EQUAL:
		return (struct symbol_number){ .bits = a.bits == b.bits };
	case SYMBOL_DIFFERENT:
		return (struct symbol_number){ .bits = a.bits != b.bits };
	case SYMBOL_LESS:
		return (struct symbol_number){ .bits = is_less };
	case SYMBOL_GREATER_EQUAL:
		return (struct symbol_number){ .bits = !is_less };
	case SYMBOL_LESS_EQUAL:
		return (struct symbol_number){ .bits = is_less || a.bits == b.bits };
	case SYMBOL_GREATER:
		return (struct symbol_number){ .bits = !is_less && a.bits != b.bits };
	case SYMBOL_BOTH:
		return (struct symbol_number){ .bits = a.bits && b.bits };
	default:
		return (struct symbol_number){ .bits = a.bits || b.bits };
	}
}

/* Unsigned types of fewer than 64 bits fit into signed 64 bits. */
static struct symbol_number symbol_number_cast(unsigned int size, bool is_signed,
					       struct symbol_number a)
{
	unsigned int shift = 64 - 8 * size;
	uint64_t bits = a.bits << shift;

	if (is_signed)
		return (struct symbol_number){ .bits = (uint64_t)((int64_t)bits >> shift) };
	return (struct symbol_number){ .bits = bits >> shift, .is_unsigned = size == 8 };
}

static struct text text_behind(struct text text, const char *key)
{
	const char *at = memmem(text.data, text.size, key, strlen(key));
	size_t size = at ? (size_t)(at - text.data) + strlen(key) : text.size;

	return (struct text){ text.data + size, text.size - size };
}

static struct text print_format_of(struct text format)
{
	return text_behind(format, "\nprint fmt:");
}

static bool is_name_byte(char byte)
{
	return isalnum((unsigned char)byte) || byte == '_';
}

bool symbols_have_text(struct text format, struct text name)
{
	static const char *const calls[] = { "__print_symbolic", "__print_flags" };

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct text rest = text_behind(print_format_of(format), calls[i]);

		for (; rest.size > 0; rest = text_behind(rest, calls[i])) {
			const char *comma = memchr(rest.data, ',', rest.size);
			size_t size = comma ? (size_t)(comma - rest.data) : rest.size;

			if (print_argument_has_field((struct text){ rest.data, size }, name))
				return true;
		}
	}
	return false;
}

/* Whether a parenthesis behind @text is an operand of a binary operator. */
static bool ends_with_operator(struct text text)
{
	while (text.size > 0 && text.data[text.size - 1] == ' ')
		text.size--;
	return text.size > 0 && memchr("&|^+-*/%<>=", text.data[text.size - 1], 11);
}

static size_t literal_size(struct text text)
{
	size_t size = 1;

	while (size < text.size && text.data[size] != '"')
		size += text.data[size] == '\\' ? 2 : 1;
	return size < text.size ? size + 1 : text.size;
}

static size_t word_size(struct text text)
{
	size_t size = 0;

	while (size < text.size && is_name_byte(text.data[size]))
		size++;
	return size;
}

/* The size of a cast, "(TYPE)" before an operand, at the begin of @text; 0 if there is none. */
static size_t cast_size(struct text text)
{
	size_t size = 1;
	struct text operand;

	while (size < text.size && (is_name_byte(text.data[size]) || text.data[size] == ' '))
		size++;
	if (size == text.size || text.data[size] != ')')
		return 0;
	operand = text_trim(text_from(text, size + 1));
	return operand.size > 0 && (is_name_byte(*operand.data) || strchr("(-~", *operand.data))
		       ? size + 1
		       : 0;
}

/* Whether the value of a table's entry contains a name, which the kernel did not replace. */
static bool value_has_name(struct text value)
{
	while (value.size > 0) {
		size_t size = value.data[0] == '(' ? cast_size(value) : word_size(value);

		if (size > 0 && is_name_byte(value.data[0]) &&
		    !isdigit((unsigned char)value.data[0]))
			return true;
		value = text_from(value, size > 0 ? size : 1);
	}
	return false;
}

/*
 * The size of "{ VALUE," at the begin of @text if the entry cannot be used: libtraceevent takes
 * names in VALUE as 0. An entry without a literal text, "{ -1, NULL }", ends some tables. Returns
 * 0 if it can be used.
 */
static size_t entry_useless_size(struct text text)
{
	const char *comma = memchr(text.data, ',', text.size);
	struct text behind;
	size_t size;

	if (!comma)
		return 0;
	size = comma + 1 - text.data;
	behind = text_trim(text_from(text, size));
	if (value_has_name((struct text){ text.data + 1, size - 2 }))
		return size;
	return behind.size > 0 && behind.data[0] == '"' ? 0 : size;
}

void symbol_format_prepare(struct buffer *out, struct text format)
{
	struct text rest = print_format_of(format);

	buffer_append(out, format.data, format.size - rest.size);
	while (rest.size > 0) {
		size_t size;

		if (text_begins(rest, text_of("_u64(")))
			rest = text_from(rest, strlen("_u64"));
		size = rest.data[0] == '{' ? entry_useless_size(rest) : 0;
		if (size > 0) {
			buffer_append_string(out, "{ useless,");
		} else {
			size = rest.data[0] == '"' ? literal_size(rest) : 1;
			if (rest.data[0] == '(' && ends_with_operator(buffer_text(out)))
				buffer_append_string(out, "(u64)");
			buffer_append(out, rest.data, size);
		}
		rest = text_from(rest, size);
	}
}

/* Reads the symbols of a tracepoint from a child's answer, which may be hostile. */

/** struct answer_reader - state of reading an answer */
struct answer_reader {
	struct symbols *symbols;
	const struct format *format;
	bool is_swapped;
	struct text rest;   /* not read yet */
	unsigned int depth; /* number of nodes around the next one */
};

static bool answer_take(struct answer_reader *reader, void *out, size_t size)
{
	if (reader->rest.size < size)
		return false;
	memcpy(out, reader->rest.data, size);
	reader->rest = text_from(reader->rest, size);
	return true;
}

static bool answer_take_byte(struct answer_reader *reader, uint8_t limit, uint8_t *out)
{
	return answer_take(reader, out, sizeof(*out)) && *out < limit;
}

/* Texts of formats contain no NUL. */
static bool answer_take_string(struct answer_reader *reader, struct text *out)
{
	uint8_t size;

	if (!answer_take(reader, &size, sizeof(size)) || reader->rest.size < size)
		return false;
	*out = (struct text){ reader->rest.data, size };
	reader->rest = text_from(reader->rest, size);
	return !memchr(out->data, '\0', size);
}

static bool answer_take_table(struct answer_reader *reader, struct symbol_node *node)
{
	struct symbols *symbols = reader->symbols;
	struct symbol_entry entry;
	uint16_t count;

	if (!answer_take(reader, &count, sizeof(count)))
		return false;
	node->first_entry = symbols->nr_entries;
	node->nr_entries = count;
	for (unsigned int i = 0; i < count; i++) {
		if (!answer_take(reader, &entry.value, sizeof(entry.value)) ||
		    !answer_take_string(reader, &entry.text) ||
		    symbols->nr_entries == SYMBOL_ENTRIES_MAX ||
		    !array_reserve(symbols->entries, symbols->nr_entries))
			return false;
		symbols->entries[symbols->nr_entries++] = entry;
	}
	return true;
}

/* A field that is no number cannot be read, so that its text is not rendered. */
static bool answer_take_field(struct answer_reader *reader, struct symbol_node *node)
{
	struct text name;

	if (!answer_take_string(reader, &name))
		return false;
	for (size_t i = 0; i < reader->format->nr_fields; i++) {
		const struct format_field *field = &reader->format->fields[i];

		if (text_equals(text_of(field->name), name))
			node->ref = field_ref_of(field, reader->is_swapped);
	}
	if (!field_ref_is_number(&node->ref) && node->ref.kind != FIELD_BOOLEAN)
		node->ref = (struct field_ref)FIELD_REF_ABSENT;
	return true;
}

/* The members of a node that precede its operands. */
static bool answer_take_members(struct answer_reader *reader, struct symbol_node *node)
{
	uint8_t is_signed;

	switch ((enum symbol_kind)node->kind) {
	case SYMBOL_NUMBER:
		return answer_take(reader, &node->number, sizeof(node->number));
	case SYMBOL_FIELD:
		return answer_take_field(reader, node);
	case SYMBOL_CAST:
		if (!answer_take_byte(reader, 9, &node->op) ||
		    !answer_take_byte(reader, 2, &is_signed))
			return false;
		node->is_signed = is_signed;
		return node->op == 1 || node->op == 2 || node->op == 4 || node->op == 8;
	case SYMBOL_UNARY:
		return answer_take_byte(reader, SYMBOL_UNARY_COUNT, &node->op);
	case SYMBOL_BINARY:
		return answer_take_byte(reader, SYMBOL_BINARY_COUNT, &node->op);
	case SYMBOL_TEXT:
		return answer_take_string(reader, &node->text);
	case SYMBOL_FLAGS:
		return answer_take_string(reader, &node->text) && answer_take_table(reader, node);
	case SYMBOL_VALUES:
		return answer_take_table(reader, node);
	default:
		return true;
	}
}

static bool answer_take_node(struct answer_reader *reader, bool is_text, uint16_t *index);

/* "n" stands for an operand that is a number, "t" for one that is a text. */
static bool answer_take_operands(struct answer_reader *reader, uint16_t index)
{
	static const char *const operands[SYMBOL_KIND_COUNT] = {
		[SYMBOL_NUMBER] = "",  [SYMBOL_FIELD] = "",	[SYMBOL_CAST] = "n",
		[SYMBOL_UNARY] = "n",  [SYMBOL_BINARY] = "nn",	[SYMBOL_TEXT] = "",
		[SYMBOL_VALUES] = "n", [SYMBOL_CHOICE] = "ntt", [SYMBOL_FLAGS] = "n",
	};
	const char *wanted = operands[reader->symbols->nodes[index].kind];

	if (++reader->depth > SYMBOL_DEPTH_MAX)
		return false;
	for (size_t i = 0; wanted[i]; i++) {
		uint16_t operand;

		if (!answer_take_node(reader, wanted[i] == 't', &operand))
			return false;
		reader->symbols->nodes[index].operands[i] = operand;
	}
	reader->depth--;
	return true;
}

/* An operator on constants, such as the mask of all states of a thread, is evaluated only once. */
static void node_fold(struct symbols *symbols, uint16_t index)
{
	struct symbol_node *node = &symbols->nodes[index];
	const struct symbol_node *a = &symbols->nodes[node->operands[0]];
	const struct symbol_node *b = &symbols->nodes[node->operands[1]];
	struct symbol_number number;

	if (a->kind != SYMBOL_NUMBER)
		return;
	if (node->kind == SYMBOL_UNARY)
		number = symbol_number_unary(node->op, (struct symbol_number){ .bits = a->number });
	else if (node->kind == SYMBOL_BINARY && b->kind == SYMBOL_NUMBER)
		/* cppcheck-suppress unknownEvaluationOrder ; no argument has side effects */
		number = symbol_number_binary(node->op, (struct symbol_number){ .bits = a->number },
					      (struct symbol_number){ .bits = b->number });
	else
		return;
	*node = (struct symbol_node){ .kind = SYMBOL_NUMBER, .number = number.bits };
	symbols->nr_nodes = index + 1;
}

static bool answer_take_node(struct answer_reader *reader, bool is_text, uint16_t *index)
{
	struct symbols *symbols = reader->symbols;
	struct symbol_node node = { 0 };

	if (!answer_take_byte(reader, SYMBOL_KIND_COUNT, &node.kind) ||
	    is_text != (node.kind >= SYMBOL_TEXT) || !answer_take_members(reader, &node) ||
	    symbols->nr_nodes == SYMBOL_NODES_MAX ||
	    !array_reserve(symbols->nodes, symbols->nr_nodes))
		return false;
	*index = symbols->nr_nodes++;
	symbols->nodes[*index] = node;
	if (!answer_take_operands(reader, *index))
		return false;
	node_fold(symbols, *index);
	return true;
}

static bool answer_take_all(struct answer_reader *reader)
{
	struct symbols *symbols = reader->symbols;
	uint8_t nr_fields, nr_parts;

	if (!answer_take_byte(reader, SYMBOL_FIELDS_MAX + 1, &nr_fields) || nr_fields == 0)
		return false;
	symbols->fields = calloc(nr_fields, sizeof(*symbols->fields));
	if (!symbols->fields)
		return false;
	for (; symbols->nr_fields < nr_fields; symbols->nr_fields++) {
		struct symbol_field *field = &symbols->fields[symbols->nr_fields];

		if (!answer_take_byte(reader, SYMBOL_PARTS_MAX + 1, &nr_parts))
			return false;
		for (; field->nr_parts < nr_parts; field->nr_parts++) {
			if (!answer_take_node(reader, true, &field->parts[field->nr_parts]))
				return false;
		}
		if (!answer_take_string(reader, &field->name))
			return false;
	}
	return reader->rest.size == 0;
}

struct symbols *symbols_of_answer(struct text answer, const struct format *format, bool is_swapped)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));
	struct answer_reader reader = { .symbols = symbols,
					.format = format,
					.is_swapped = is_swapped };

	if (!symbols)
		return NULL;
	symbols->texts = malloc(SYMBOLS_TEXTS_MAX);
	symbols->answer = malloc(answer.size + 1);
	if (symbols->texts && symbols->answer && answer.size <= SYMBOL_ANSWER_MAX) {
		memcpy(symbols->answer, answer.data, answer.size);
		symbols->answer_size = answer.size;
		reader.rest = (struct text){ symbols->answer, answer.size };
		if (answer_take_all(&reader))
			return symbols;
	}
	symbols_free(symbols);
	return NULL;
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->fields);
	free(symbols->entries);
	free(symbols->nodes);
	free(symbols->answer);
	free(symbols->texts);
	free(symbols);
}

size_t symbols_size(const struct symbols *symbols)
{
	if (!symbols)
		return 0;
	return sizeof(*symbols) + symbols->answer_size + SYMBOLS_TEXTS_MAX +
	       symbols->nr_fields * sizeof(*symbols->fields) +
	       symbols->nr_nodes * sizeof(*symbols->nodes) +
	       symbols->nr_entries * sizeof(*symbols->entries);
}

const struct symbol_field *symbols_find(const struct symbols *symbols, struct text name)
{
	for (size_t i = 0; i < symbols->nr_fields; i++) {
		if (text_equals(symbols->fields[i].name, name))
			return &symbols->fields[i];
	}
	return NULL;
}

/* Renders the texts of fields from their symbols, as the kernel does. */

/** struct symbol_rendering - a text that is being written to @symbols */
struct symbol_rendering {
	struct symbols *symbols;
	const struct record *record;
	bool has_failed;
};

static void symbol_append(struct symbol_rendering *rendering, struct text text)
{
	struct symbols *symbols = rendering->symbols;

	if (text.size > SYMBOLS_TEXTS_MAX - symbols->nr_used) {
		rendering->has_failed = true;
		return;
	}
	memcpy(symbols->texts + symbols->nr_used, text.data, text.size);
	symbols->nr_used += text.size;
}

static void symbol_append_hexadecimal(struct symbol_rendering *rendering, uint64_t number)
{
	char text[PUT_NUMBER_MAX];

	symbol_append(rendering, (struct text){ text, put_hex(text, number) - text });
}

static struct symbol_number symbol_evaluate(struct symbol_rendering *rendering, uint16_t index)
{
	const struct symbol_node *node = &rendering->symbols->nodes[index];
	struct value value = { 0 };
	struct symbol_number a;

	if (node->kind == SYMBOL_NUMBER)
		return (struct symbol_number){ .bits = node->number };
	if (node->kind == SYMBOL_FIELD) {
		rendering->has_failed |= !field_read(&node->ref, rendering->record, &value);
		if (value.kind == VALUE_BOOLEAN)
			return (struct symbol_number){ .bits = value.boolean };
		return (struct symbol_number){ .bits = value.unsigned_number,
					       .is_unsigned = value.kind == VALUE_UNSIGNED &&
							      node->ref.size == sizeof(uint64_t) };
	}
	a = symbol_evaluate(rendering, node->operands[0]);
	if (node->kind == SYMBOL_CAST)
		return symbol_number_cast(node->op, node->is_signed, a);
	if (node->kind == SYMBOL_UNARY)
		return symbol_number_unary(node->op, a);
	return symbol_number_binary(node->op, a, symbol_evaluate(rendering, node->operands[1]));
}

static void symbol_append_value(struct symbol_rendering *rendering, const struct symbol_node *node,
				uint64_t value)
{
	const struct symbol_entry *entries = rendering->symbols->entries + node->first_entry;

	for (size_t i = 0; i < node->nr_entries; i++) {
		if (entries[i].value == value) {
			symbol_append(rendering, entries[i].text);
			return;
		}
	}
	symbol_append_hexadecimal(rendering, value);
}

/* As in the kernel, a flag takes its bits from the flags behind it, and 0 has no text. */
static void symbol_append_flags(struct symbol_rendering *rendering, const struct symbol_node *node,
				uint64_t flags)
{
	const struct symbol_entry *entries = rendering->symbols->entries + node->first_entry;
	bool is_first = true;

	for (size_t i = 0; i < node->nr_entries && flags; i++) {
		if ((flags & entries[i].value) != entries[i].value)
			continue;
		if (!is_first)
			symbol_append(rendering, node->text);
		symbol_append(rendering, entries[i].text);
		is_first = false;
		flags &= ~entries[i].value;
	}
	if (!flags)
		return;
	if (!is_first)
		symbol_append(rendering, node->text);
	symbol_append_hexadecimal(rendering, flags);
}

static void symbol_append_node(struct symbol_rendering *rendering, uint16_t index)
{
	const struct symbol_node *node = &rendering->symbols->nodes[index];
	uint64_t number;

	if (node->kind == SYMBOL_TEXT) {
		symbol_append(rendering, node->text);
		return;
	}
	number = symbol_evaluate(rendering, node->operands[0]).bits;
	if (node->kind == SYMBOL_CHOICE)
		symbol_append_node(rendering, node->operands[number ? 1 : 2]);
	else if (node->kind == SYMBOL_VALUES)
		symbol_append_value(rendering, node, number);
	else
		symbol_append_flags(rendering, node, number);
}

void symbols_begin(struct symbols *symbols)
{
	symbols->nr_used = 0;
}

bool symbols_render(struct symbols *symbols, const struct symbol_field *field,
		    const struct record *record, struct text *out)
{
	struct symbol_rendering rendering = { .symbols = symbols, .record = record };
	size_t begin = symbols->nr_used;

	for (size_t i = 0; i < field->nr_parts; i++)
		symbol_append_node(&rendering, field->parts[i]);
	*out = (struct text){ symbols->texts + begin, symbols->nr_used - begin };
	if (rendering.has_failed)
		symbols->nr_used = begin;
	return !rendering.has_failed;
}
