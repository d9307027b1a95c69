// SPDX-License-Identifier: GPL-2.0-only
/* Renders the texts of fields from their symbols, as the kernel does. */
#include "event/symbol_node.h"
#include "event/symbols.h"

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
	static const char digits[] = "0123456789abcdef";
	char text[2 + 16];
	size_t at = sizeof(text);

	do {
		text[--at] = digits[number & 15];
		number >>= 4;
	} while (number);
	text[--at] = 'x';
	text[--at] = '0';
	symbol_append(rendering, (struct text){ text + at, sizeof(text) - at });
}

static struct symbol_number symbol_field_number(struct symbol_rendering *rendering,
						const struct field_ref *ref)
{
	struct value value = { 0 };

	if (!field_read(ref, rendering->record, &value))
		rendering->has_failed = true;
	if (value.kind == VALUE_BOOLEAN)
		return (struct symbol_number){ .bits = value.boolean };
	return (struct symbol_number){ .bits = value.unsigned_number,
				       .is_unsigned = value.kind == VALUE_UNSIGNED &&
						      ref->size == sizeof(uint64_t) };
}

static struct symbol_number symbol_evaluate(struct symbol_rendering *rendering, uint16_t index)
{
	const struct symbol_node *node = &rendering->symbols->nodes[index];
	struct symbol_number a;

	switch ((enum symbol_kind)node->kind) {
	case SYMBOL_NUMBER:
		return (struct symbol_number){ .bits = node->number };
	case SYMBOL_FIELD:
		return symbol_field_number(rendering, &node->ref);
	default:
		break;
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
