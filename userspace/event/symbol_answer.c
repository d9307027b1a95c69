// SPDX-License-Identifier: GPL-2.0-only
/* Reads the symbols of a tracepoint from a child's answer, which may be hostile. */
#include <stdlib.h>
#include <string.h>

#include "event/symbol_node.h"
#include "event/symbols.h"

/**
 * struct answer_reader - state of reading an answer
 * @rest: not read yet
 * @depth: number of nodes around the next one
 */
struct answer_reader {
	struct symbols *symbols;
	const struct format *format;
	bool is_swapped;
	struct text rest;
	unsigned int depth;
};

static bool answer_take(struct answer_reader *reader, void *out, size_t size)
{
	if (reader->rest.size < size)
		return false;
	memcpy(out, reader->rest.data, size);
	reader->rest.data += size;
	reader->rest.size -= size;
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
	reader->rest.data += size;
	reader->rest.size -= size;
	return !memchr(out->data, '\0', size);
}

/* Makes space for one more element in steps of powers of two; returns false if that fails. */
static bool list_grow(void **list, size_t count, size_t max, size_t size)
{
	void *grown;

	if (count >= max)
		return false;
	if (count & (count - 1))
		return true;
	grown = reallocarray(*list, count ? 2 * count : 1, size);
	if (grown)
		*list = grown;
	return grown;
}

static bool answer_take_entry(struct answer_reader *reader)
{
	struct symbols *symbols = reader->symbols;
	struct symbol_entry entry;

	if (!answer_take(reader, &entry.value, sizeof(entry.value)) ||
	    !answer_take_string(reader, &entry.text) ||
	    !list_grow((void **)&symbols->entries, symbols->nr_entries, SYMBOL_ENTRIES_MAX,
		       sizeof(entry)))
		return false;
	symbols->entries[symbols->nr_entries++] = entry;
	return true;
}

static bool answer_take_table(struct answer_reader *reader, struct symbol_node *node)
{
	uint16_t count;

	if (!answer_take(reader, &count, sizeof(count)))
		return false;
	node->first_entry = reader->symbols->nr_entries;
	node->nr_entries = count;
	for (unsigned int i = 0; i < count; i++) {
		if (!answer_take_entry(reader))
			return false;
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

static bool answer_take_cast(struct answer_reader *reader, struct symbol_node *node)
{
	uint8_t is_signed;

	if (!answer_take_byte(reader, 9, &node->op) || !answer_take_byte(reader, 2, &is_signed))
		return false;
	node->is_signed = is_signed;
	return node->op == 1 || node->op == 2 || node->op == 4 || node->op == 8;
}

/* The members of a node that precede its operands. */
static bool answer_take_members(struct answer_reader *reader, struct symbol_node *node)
{
	switch ((enum symbol_kind)node->kind) {
	case SYMBOL_NUMBER:
		return answer_take(reader, &node->number, sizeof(node->number));
	case SYMBOL_FIELD:
		return answer_take_field(reader, node);
	case SYMBOL_CAST:
		return answer_take_cast(reader, node);
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
		number = symbol_number_unary(node->op,
					     (struct symbol_number){ .bits = a->number });
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
	    !list_grow((void **)&symbols->nodes, symbols->nr_nodes, SYMBOL_NODES_MAX, sizeof(node)))
		return false;
	*index = symbols->nr_nodes++;
	symbols->nodes[*index] = node;
	if (!answer_take_operands(reader, *index))
		return false;
	node_fold(symbols, *index);
	return true;
}

static bool answer_take_symbols(struct answer_reader *reader, struct symbol_field *field)
{
	uint8_t nr_parts;

	*field = (struct symbol_field){ 0 };
	if (!answer_take_byte(reader, SYMBOL_PARTS_MAX + 1, &nr_parts))
		return false;
	for (; field->nr_parts < nr_parts; field->nr_parts++) {
		if (!answer_take_node(reader, true, &field->parts[field->nr_parts]))
			return false;
	}
	return answer_take_string(reader, &field->name);
}

static bool answer_take_all(struct answer_reader *reader)
{
	struct symbols *symbols = reader->symbols;
	uint8_t nr_fields;

	if (!answer_take_byte(reader, SYMBOL_FIELDS_MAX + 1, &nr_fields) || nr_fields == 0)
		return false;
	symbols->fields = calloc(nr_fields, sizeof(*symbols->fields));
	if (!symbols->fields)
		return false;
	for (; symbols->nr_fields < nr_fields; symbols->nr_fields++) {
		if (!answer_take_symbols(reader, &symbols->fields[symbols->nr_fields]))
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
	       2 * (symbols->nr_nodes * sizeof(*symbols->nodes) +
		    symbols->nr_entries * sizeof(*symbols->entries));
}

const struct symbol_field *symbols_find(const struct symbols *symbols, struct text name)
{
	for (size_t i = 0; i < symbols->nr_fields; i++) {
		if (text_equals(symbols->fields[i].name, name))
			return &symbols->fields[i];
	}
	return NULL;
}
