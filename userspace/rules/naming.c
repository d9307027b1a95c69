// SPDX-License-Identifier: GPL-2.0-only
/* Renders names of slices and tracks. */
#include "rules/naming.h"

#include <stdlib.h>
#include <string.h>

static const char *const form_names[NAMING_FORM_COUNT] = {
	[NAMING_AS_PRINTED] = "",   [NAMING_RAW] = "raw",	    [NAMING_HEX] = "hex",
	[NAMING_DEVICE] = "dev",    [NAMING_FUNCTION] = "function", [NAMING_SYSCALL] = "syscall",
	[NAMING_PRINTK] = "printk",
};

static struct naming_part *part_add(struct naming *naming, struct error *error)
{
	if (naming->nr_parts == NAMING_PARTS_MAX) {
		error_set(error, "more than %d texts and fields", NAMING_PARTS_MAX);
		return NULL;
	}
	if (!array_reserve(naming->parts, naming->nr_parts)) {
		error_set(error, "out of memory");
		return NULL;
	}
	return &naming->parts[naming->nr_parts++];
}

static int naming_form_find(struct text name, enum naming_form *out, struct error *error)
{
	for (*out = 0; *out < NAMING_FORM_COUNT; (*out)++) {
		if (text_equals(name, text_of(form_names[*out])))
			return 0;
	}
	return error_set(error,
			 "unknown form ':%.*s'; use :raw, :hex, :dev, :function, :syscall or "
			 ":printk",
			 (int)name.size, name.data);
}

/* Checks "FIELD" or "FIELD:FORM". */
static int naming_field_check(struct text inside, struct error *error)
{
	const char *colon = memchr(inside.data, ':', inside.size);
	enum naming_form form;

	if (inside.size == 0 || colon == inside.data)
		return error_set(error, "expected a field between '{' and '}'");
	if (!colon)
		return 0;
	colon++;
	return naming_form_find((struct text){ colon, inside.data + inside.size - colon }, &form,
				error);
}

int naming_check(const char *text, struct error *error)
{
	size_t nr_parts = 0;

	while (*text) {
		size_t size = strcspn(text, "{");
		const char *begin = text + size, *end = strchr(begin, '}');

		nr_parts += (size > 0) + (*begin != '\0');
		if (nr_parts > NAMING_PARTS_MAX)
			return error_set(error, "more than %d texts and fields", NAMING_PARTS_MAX);
		if (!*begin)
			return 0;
		if (!end)
			return error_set(error, "'{' without '}'");
		begin++;
		if (naming_field_check((struct text){ begin, end - begin }, error) < 0)
			return -1;
		text = end + 1;
	}
	return 0;
}

static bool form_is_decimal(enum naming_form form)
{
	return form == NAMING_AS_PRINTED || form == NAMING_RAW;
}

static enum naming_way naming_field_way(const struct naming_part *part)
{
	if (part->symbols)
		return NAMING_OTHER;
	if (field_ref_is_text(&part->ref))
		return NAMING_TEXT;
	if (!field_ref_is_number(&part->ref))
		return NAMING_OTHER;
	if (part->form == NAMING_SYSCALL)
		return NAMING_CALL;
	if (part->form == NAMING_DEVICE)
		return NAMING_NUMBERS;
	return form_is_decimal(part->form) ? NAMING_INTEGER : NAMING_OTHER;
}

/* The values are behind all fields of a fixed size. */
static int naming_printk_bind(struct naming_part *part, const struct format *format,
			      struct error *error)
{
	const struct format_field *values = format_find(format, text_of("buf"));

	if (!values || part->ref.kind != FIELD_CONSTANT)
		return error_set(error, "'%.*s' is no format with values in a field 'buf'",
				 (int)part->text.size, part->text.data);
	part->values_offset = values->offset;
	part->way = NAMING_OTHER;
	return 0;
}

/* Adds the field of "{FIELD}" or "{FIELD:FORM}". */
static int naming_field_bind(struct naming *out, struct text inside, const struct format *format,
			     struct text format_text, bool is_swapped, struct error *error)
{
	const char *colon = memchr(inside.data, ':', inside.size);
	struct text name = inside, form = { .data = "" };
	struct naming_part *part = part_add(out, error);
	const struct format_field *field;

	if (!part)
		return -1;
	if (colon) {
		name.size = colon - inside.data;
		form = (struct text){ colon + 1, inside.size - name.size - 1 };
	}
	field = format_find(format, name);
	if (!field)
		return error_set(error, "no field '%.*s'", (int)name.size, name.data);
	*part = (struct naming_part){ .text = name, .ref = field_ref_of(field, is_swapped) };
	if (naming_form_find(form, &part->form, error) < 0)
		return -1;
	if (part->form == NAMING_AS_PRINTED && print_format_is_symbol(format_text, name))
		part->form = NAMING_FUNCTION;
	if (part->form == NAMING_PRINTK)
		return naming_printk_bind(part, format, error);
	if (part->form != NAMING_AS_PRINTED && part->ref.kind == FIELD_CONSTANT)
		part->ref.kind = FIELD_UNSIGNED;
	part->way = naming_field_way(part);
	return 0;
}

static int naming_text_bind(struct naming *out, struct text text, struct error *error)
{
	struct naming_part *part;

	if (text.size == 0)
		return 0;
	part = part_add(out, error);
	if (!part)
		return -1;
	*part = (struct naming_part){ .text = text };
	return 0;
}

int naming_bind(struct naming *out, const char *text, const struct format *format,
		struct text format_text, bool is_swapped, struct error *error)
{
	while (*text) {
		size_t size = strcspn(text, "{");
		const char *end;

		if (naming_text_bind(out, (struct text){ text, size }, error) < 0)
			return -1;
		text += size;
		if (!*text)
			return 0;
		end = strchr(++text, '}');
		if (!end)
			return error_set(error, "'{' without '}'");
		if (naming_field_bind(out, (struct text){ text, end - text }, format, format_text,
				      is_swapped, error) < 0)
			return -1;
		text = end + 1;
	}
	return 0;
}

void naming_release(struct naming *naming)
{
	free(naming->parts);
	*naming = (struct naming){ 0 };
}

void naming_set_symbols(struct naming *naming, const struct symbols *symbols)
{
	for (size_t i = 0; i < naming->nr_parts; i++) {
		struct naming_part *part = &naming->parts[i];

		if (part->way == NAMING_CONSTANT || part->form != NAMING_AS_PRINTED)
			continue;
		part->symbols = symbols_find(symbols, part->text);
		part->way = naming_field_way(part);
	}
}

hot_inline char *device_put(char *out, uint64_t device)
{
	out = put_char(put_unsigned(out, device >> DEVICE_MINOR_BITS), ',');
	return put_unsigned(out, device & ((1ULL << DEVICE_MINOR_BITS) - 1));
}

static char *naming_number_put(char *out, const struct value *value, enum naming_form form)
{
	uint64_t number = value->unsigned_number;

	if (form == NAMING_HEX || form == NAMING_FUNCTION)
		return put_hex(out, number);
	if (form == NAMING_DEVICE)
		return device_put(out, number);
	return value->kind == VALUE_SIGNED ? put_signed(out, value->signed_number)
					   : put_unsigned(out, number);
}

bool naming_is_fixed(const struct naming *naming, struct text *out)
{
	if (naming->nr_parts != 1 || naming->parts[0].way != NAMING_CONSTANT)
		return false;
	*out = naming->parts[0].text;
	return true;
}

bool naming_needs(const struct naming *naming, enum naming_form form)
{
	for (size_t i = 0; i < naming->nr_parts; i++) {
		if (naming->parts[i].way != NAMING_CONSTANT && naming->parts[i].form == form)
			return true;
	}
	return false;
}

static bool value_is_number(const struct value *value)
{
	return value->kind == VALUE_SIGNED || value->kind == VALUE_UNSIGNED;
}

/* A boolean is a number unless it is rendered as a word; texts and bytes are none. */
static void value_make_number(struct value *value, enum naming_form form)
{
	if (value->kind == VALUE_BOOLEAN && !form_is_decimal(form))
		*value = (struct value){ .kind = VALUE_UNSIGNED,
					 .unsigned_number = value->boolean };
}

/* Sets @out to the name of a function or of a system call; returns whether there is one. */
static bool number_text(const struct naming_part *part, const struct record *record,
			const struct naming_names *names, struct text *out)
{
	struct kallsyms_symbol symbol;
	struct value value;

	if (!field_read_any(&part->ref, record, &value))
		return false;
	value_make_number(&value, part->form);
	if (!value_is_number(&value))
		return false;
	if (part->form == NAMING_SYSCALL && names->syscalls) {
		*out = syscalls_name(names->syscalls, value.signed_number);
		return true;
	}
	if (part->form != NAMING_FUNCTION ||
	    !naming_function_find(names, value.unsigned_number, &symbol))
		return false;
	*out = symbol.name;
	return true;
}

bool naming_field_text(const struct naming_part *part, const struct record *record,
		       const struct naming_names *names, struct text *out)
{
	if (part->symbols && symbols_render(names->symbols, part->symbols, record, out))
		return true;
	if (field_ref_is_text(&part->ref))
		return field_read_text(&part->ref, record, out);
	if (part->form == NAMING_SYSCALL || part->form == NAMING_FUNCTION)
		return number_text(part, record, names, out);
	return false;
}

/* Bytes of a name before it is cut, and of one more part. */
#define NAMING_SPACE (2 * NAMING_SIZE_MAX + PUT_NUMBER_MAX)

hot_inline char *text_part_put(char *out, struct text text)
{
	return put_text(out, text.data, text.size < NAMING_SIZE_MAX ? text.size : NAMING_SIZE_MAX);
}

hot_inline char *integer_part_put(char *out, const struct naming_part *part,
				  const struct record *record)
{
	const struct field_ref *ref = &part->ref;
	int64_t number;

	if (ref->end > record->size)
		return out;
	number = field_integer(ref, record, ref->is_swapped);
	if (part->way == NAMING_NUMBERS)
		return device_put(out, number);
	return ref->kind == FIELD_SIGNED ? put_signed(out, number) : put_unsigned(out, number);
}

/* Opaque bytes, and booleans as words, may need more space. */
static char *value_part_put(struct buffer *space, char *out, const struct value *value)
{
	buffer_end_put(space, out);
	value_append_text(space, value);
	return buffer_reserve_put(space, NAMING_SPACE);
}

static char *printk_part_put(struct buffer *space, char *out, const struct naming_part *part,
			     const struct record *record, const struct naming_names *names,
			     struct text format)
{
	size_t offset = part->values_offset < record->size ? part->values_offset : record->size;
	const struct printk_values values = {
		.bytes = { (const char *)record->data + offset, record->size - offset },
		.pointer_size = part->ref.size == 4 ? 4 : 8,
		.is_big_endian = part->ref.is_swapped != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__),
	};

	buffer_end_put(space, out);
	printk_append(space, format, &values, names);
	return buffer_reserve_put(space, NAMING_SPACE);
}

static out_of_line char *other_part_put(struct buffer *space, char *out,
					const struct naming_part *part, const struct record *record,
					const struct naming_names *names)
{
	struct value value;
	struct text text;

	if (naming_field_text(part, record, names, &text))
		return text_part_put(out, text);
	if (!field_read_any(&part->ref, record, &value))
		return out;
	if (part->form == NAMING_PRINTK && value.kind == VALUE_TEXT)
		return printk_part_put(space, out, part, record, names, value.text);
	value_make_number(&value, part->form);
	return value_is_number(&value) ? naming_number_put(out, &value, part->form)
				       : value_part_put(space, out, &value);
}

hot_inline char *naming_part_put(struct buffer *space, char *out, const struct naming_part *part,
				 const struct record *record, const struct naming_names *names)
{
	struct text text;

	switch (part->way) {
	case NAMING_CONSTANT:
		return text_part_put(out, part->text);
	case NAMING_TEXT:
		return field_read_text(&part->ref, record, &text) ? text_part_put(out, text) : out;
	case NAMING_INTEGER:
	case NAMING_NUMBERS:
		return integer_part_put(out, part, record);
	default:
		return other_part_put(space, out, part, record, names);
	}
}

struct text naming_render_parts(const struct naming *naming, const struct record *record,
				const struct naming_names *names, struct buffer *space)
{
	const struct naming_part *part = naming->parts, *end = part + naming->nr_parts;
	char *out;
	size_t size;

	buffer_clear(space);
	out = buffer_reserve_put(space, NAMING_SPACE);
	for (; part < end && out && out - space->data <= NAMING_SIZE_MAX; part++)
		out = naming_part_put(space, out, part, record, names);
	size = out ? (size_t)(out - space->data) : 0;
	return (struct text){ space->data, size < NAMING_SIZE_MAX ? size : NAMING_SIZE_MAX };
}
