/* SPDX-License-Identifier: GPL-2.0-only */
/* Templates of names: text with fields in braces, "{rwbs} {bytes}". */
#ifndef RULES_TEMPLATE_H
#define RULES_TEMPLATE_H

#include "base/base.h"
#include "event/event.h"

/** TEMPLATE_PARTS_MAX - limit of texts and fields of a template */
#define TEMPLATE_PARTS_MAX 16

/** TEMPLATE_SIZE_MAX - limit of a rendered name in bytes; the rest is cut */
#define TEMPLATE_SIZE_MAX 512

/**
 * enum template_form - how a field is rendered
 * @TEMPLATE_AS_PRINTED: as the kernel prints it: symbols and flags as text, functions by name
 * @TEMPLATE_RAW: numbers as numbers
 * @TEMPLATE_HEX: numbers in hexadecimal
 * @TEMPLATE_DEVICE: the kernel's dev_t as "MAJOR,MINOR"
 * @TEMPLATE_FUNCTION: the name of the function at an address
 * @TEMPLATE_SYSCALL: the name of a system call
 */
enum template_form {
	TEMPLATE_AS_PRINTED,
	TEMPLATE_RAW,
	TEMPLATE_HEX,
	TEMPLATE_DEVICE,
	TEMPLATE_FUNCTION,
	TEMPLATE_SYSCALL,
	TEMPLATE_FORM_COUNT
};

/**
 * struct template_part - a text, or a field
 * @text: the text, or the name of the field; borrowed from the template's text
 * @symbols: texts of the field's values; NULL if it has none
 */
struct template_part {
	bool is_field;
	enum template_form form;
	struct text text;
	struct field_ref ref;
	const struct symbol_field *symbols;
};

/**
 * struct template_names - names of numbers; each may be NULL
 * @symbols: of the record's tracepoint
 * @kallsyms: functions of the recorded kernel
 * @syscalls: its system calls
 */
struct template_names {
	struct symbols *symbols;
	const struct kallsyms *kallsyms;
	struct syscalls *syscalls;
};

/** struct template - a name to render; a zeroed one renders nothing */
struct template {
	struct template_part parts[TEMPLATE_PARTS_MAX];
	size_t nr_parts;
};

/**
 * template_bind - find the fields of a template in a format
 * @text: the template; outlives @out
 * @format_text: the format file
 *
 * Returns 0, or -1 with @error: a field is unknown, or the template is malformed.
 */
int template_bind(struct template *out, const char *text, const struct format *format,
		  struct text format_text, bool is_swapped, struct error *error);

/** template_needs - whether a field is rendered in this form */
bool template_needs(const struct template *template, enum template_form form);

/** template_set_symbols - use the symbols of a tracepoint, which outlive @template */
void template_set_symbols(struct template *template, const struct symbols *symbols);

/**
 * template_render - render a name
 * @space: for the text
 *
 * A field that the record does not contain is left out. Returns a text in @space, in the record or
 * in the template.
 */
struct text template_render(const struct template *template, const struct record *record,
			    const struct template_names *names, struct buffer *space);

#endif
