// SPDX-License-Identifier: GPL-2.0-only
/* Renders names of slices and tracks. */
#include "rules/naming.h"

#include <string.h>

#define DEVICE_MINOR_BITS 20

static const char *const form_names[NAMING_FORM_COUNT] = {
	[NAMING_AS_PRINTED] = "", [NAMING_RAW] = "raw",		  [NAMING_HEX] = "hex",
	[NAMING_DEVICE] = "dev",  [NAMING_FUNCTION] = "function", [NAMING_SYSCALL] = "syscall",
};

static struct naming_part *part_add(struct naming *naming, struct error *error)
{
	if (naming->nr_parts == NAMING_PARTS_MAX) {
		error_set(error, "more than %d texts and fields", NAMING_PARTS_MAX);
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
	return error_set(error, "unknown form ':%.*s'; use :raw, :hex, :dev, :function or :syscall",
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
	*part = (struct naming_part){ .is_field = true,
				      .text = name,
				      .ref = field_ref_of(field, is_swapped) };
	if (naming_form_find(form, &part->form, error) < 0)
		return -1;
	if (part->form == NAMING_AS_PRINTED && print_format_is_symbol(format_text, name))
		part->form = NAMING_FUNCTION;
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
	out->nr_parts = 0;
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

void naming_set_symbols(struct naming *naming, const struct symbols *symbols)
{
	for (size_t i = 0; i < naming->nr_parts; i++) {
		struct naming_part *part = &naming->parts[i];

		if (part->is_field && part->form == NAMING_AS_PRINTED)
			part->symbols = symbols_find(symbols, part->text);
	}
}

static char *device_put(char *out, uint64_t device)
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
	if (naming->nr_parts != 1 || naming->parts[0].is_field)
		return false;
	*out = naming->parts[0].text;
	return true;
}

bool naming_needs(const struct naming *naming, enum naming_form form)
{
	for (size_t i = 0; i < naming->nr_parts; i++) {
		if (naming->parts[i].is_field && naming->parts[i].form == form)
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
	bool is_word = form == NAMING_AS_PRINTED || form == NAMING_RAW;

	if (value->kind == VALUE_BOOLEAN && !is_word)
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
	if (part->form != NAMING_FUNCTION || !names->kallsyms ||
	    !kallsyms_find(names->kallsyms, value.unsigned_number, &symbol))
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

/* There is space for any number, and for NAMING_SIZE_MAX bytes of a text. */
static char *text_part_put(char *out, struct text text)
{
	return put_text(out, text.data, text.size < NAMING_SIZE_MAX ? text.size : NAMING_SIZE_MAX);
}

static void field_part_append(struct buffer *space, char *out, const struct naming_part *part,
			      const struct record *record, const struct naming_names *names)
{
	struct value value;
	struct text text;

	if (naming_field_text(part, record, names, &text)) {
		buffer_end_put(space, text_part_put(out, text));
		return;
	}
	if (!field_read_any(&part->ref, record, &value))
		return;
	value_make_number(&value, part->form);
	if (likely(value_is_number(&value)))
		buffer_end_put(space, naming_number_put(out, &value, part->form));
	else
		value_append_text(space, &value);
}

static void naming_part_append(struct buffer *space, const struct naming_part *part,
			       const struct record *record, const struct naming_names *names)
{
	char *out = buffer_reserve_put(space, NAMING_SIZE_MAX + PUT_NUMBER_MAX);

	if (out && part->is_field)
		field_part_append(space, out, part, record, names);
	else if (out)
		buffer_end_put(space, text_part_put(out, part->text));
}

struct text naming_render_parts(const struct naming *naming, const struct record *record,
				const struct naming_names *names, struct buffer *space)
{
	struct text text;

	buffer_clear(space);
	for (size_t i = 0; i < naming->nr_parts && space->size <= NAMING_SIZE_MAX; i++)
		naming_part_append(space, &naming->parts[i], record, names);
	text = buffer_text(space);
	if (text.size > NAMING_SIZE_MAX)
		text.size = NAMING_SIZE_MAX;
	return text;
}
