/* SPDX-License-Identifier: GPL-2.0-only */
/* Names to be made: text with fields in braces, "{rwbs} {bytes}". */
#ifndef RULES_NAMING_H
#define RULES_NAMING_H

#include "base/base.h"
#include "event/event.h"

/** NAMING_PARTS_MAX - limit of texts and fields of a naming */
#define NAMING_PARTS_MAX 16

/** NAMING_SIZE_MAX - limit of a rendered name in bytes; the rest is cut */
#define NAMING_SIZE_MAX 512

/**
 * enum naming_form - how a field is rendered
 * @NAMING_AS_PRINTED: as the kernel prints it: symbols and flags as text, functions by name
 * @NAMING_RAW: numbers as numbers
 * @NAMING_HEX: numbers in hexadecimal
 * @NAMING_DEVICE: the kernel's dev_t as "MAJOR,MINOR"
 * @NAMING_FUNCTION: the name of the function at an address
 * @NAMING_SYSCALL: the name of a system call
 * @NAMING_PRINTK: a format of trace_printk() with the values that the record's field buf has
 */
enum naming_form {
	NAMING_AS_PRINTED,
	NAMING_RAW,
	NAMING_HEX,
	NAMING_DEVICE,
	NAMING_FUNCTION,
	NAMING_SYSCALL,
	NAMING_PRINTK,
	NAMING_FORM_COUNT
};

/**
 * enum naming_way - how a part is put
 * @NAMING_CONSTANT: a text that is no field
 * @NAMING_TEXT: the text of a field
 * @NAMING_INTEGER: an integer in decimal
 * @NAMING_CALL: the name of a system call
 * @NAMING_NUMBERS: an integer as a device's two numbers
 * @NAMING_OTHER: any other field
 */
enum naming_way {
	NAMING_CONSTANT,
	NAMING_TEXT,
	NAMING_INTEGER,
	NAMING_CALL,
	NAMING_NUMBERS,
	NAMING_OTHER,
};

/**
 * struct naming_part - a text, or a field
 * @text: the text, or the name of the field; borrowed from the naming's text
 * @symbols: texts of the field's values; NULL if it has none
 * @values_offset: of NAMING_PRINTK: where the values begin in a record
 */
struct naming_part {
	enum naming_way way;
	enum naming_form form;
	struct text text;
	struct field_ref ref;
	const struct symbol_field *symbols;
	size_t values_offset;
};

/**
 * struct naming_tasks - threads at the time of the record; their members are NULL if nothing is
 * known
 * @find: returns the name of a thread, "" if it is unknown
 * @process: returns the process that a thread means by a number
 */
struct naming_tasks {
	const char *(*find)(void *context, int tid);
	int (*process)(void *context, int tid, int named);
	void *context;
};

/**
 * struct naming_names - names of numbers; each may be NULL
 * @symbols: of the record's tracepoint
 * @kallsyms: functions of the recorded kernel
 * @late: symbols of modules that were loaded later
 * @syscalls: its system calls
 * @tasks: its threads
 * @nr_addresses: counts functions that have no name because there are no @kallsyms
 */
struct naming_names {
	struct symbols *symbols;
	const struct kallsyms *kallsyms;
	struct late_symbols *late;
	struct syscalls *syscalls;
	const struct naming_tasks *tasks;
	uint64_t *nr_addresses;
};

/** struct naming - a name to render, for naming_release(); a zeroed one renders nothing */
struct naming {
	struct naming_part *parts;
	size_t nr_parts;
};

/** naming_check - check braces and forms of a naming; returns 0, or -1 with @error */
int naming_check(const char *text, struct error *error);

/**
 * naming_bind - find the fields of a naming in a format
 * @out: zeroed; for naming_release(), also on failure
 * @text: the naming; outlives @out
 * @format_text: the format file
 *
 * Returns 0, or -1 with @error: a field is unknown, or the naming is malformed.
 */
int naming_bind(struct naming *out, const char *text, const struct format *format,
		struct text format_text, bool is_swapped, struct error *error);

/** naming_release - free what naming_bind() has made */
void naming_release(struct naming *naming);

/** naming_is_fixed - whether the name does not depend on the record; sets @out to it then */
bool naming_is_fixed(const struct naming *naming, struct text *out);

/** naming_needs - whether a field is rendered in this form */
bool naming_needs(const struct naming *naming, enum naming_form form);

/** naming_set_symbols - use the symbols of a tracepoint, which outlive @naming */
void naming_set_symbols(struct naming *naming, const struct symbols *symbols);

/** naming_render_parts - naming_render() into @space */
struct text naming_render_parts(const struct naming *naming, const struct record *record,
				const struct naming_names *names, struct buffer *space);

/** naming_function_find - find the function at an address; returns whether there is one */
static inline bool naming_function_find(const struct naming_names *names, uint64_t address,
					struct kallsyms_symbol *out)
{
	if (!names->kallsyms) {
		if (names->nr_addresses)
			++*names->nr_addresses;
		return false;
	}
	return names->late ? late_symbols_find(names->late, names->kallsyms, address, out)
			   : kallsyms_find(names->kallsyms, address, out);
}

/**
 * struct printk_values - the values of a trace_printk()
 * @bytes: of a record, to its end
 * @pointer_size: of a pointer and a long: 4 or 8
 */
struct printk_values {
	struct text bytes;
	size_t pointer_size;
	bool is_big_endian;
};

/**
 * printk_append - append a format with its values
 *
 * From the first value on that is missing or of an unknown kind, the format itself is appended.
 */
void printk_append(struct buffer *out, struct text format, const struct printk_values *values,
		   const struct naming_names *names);

/** naming_field_text - set @out to the text of a field if it need not be rendered */
bool naming_field_text(const struct naming_part *part, const struct record *record,
		       const struct naming_names *names, struct text *out);

/** naming_call_text - naming_field_text() of a NAMING_CALL */
hot_inline bool naming_call_text(const struct naming_part *part, const struct record *record,
				 const struct naming_names *names, struct text *out)
{
	if (unlikely(part->ref.end > record->size || !names->syscalls))
		return false;
	*out = syscalls_name(names->syscalls,
			     field_integer(&part->ref, record, part->ref.is_swapped));
	return true;
}

/** naming_part_text - naming_field_text(), without a call for what most names are */
hot_inline bool naming_part_text(const struct naming_part *part, const struct record *record,
				 const struct naming_names *names, struct text *out)
{
	if (part->way == NAMING_TEXT)
		return field_read_text(&part->ref, record, out);
	if (part->way == NAMING_CALL)
		return naming_call_text(part, record, names, out);
	return naming_field_text(part, record, names, out);
}

/**
 * naming_render - render a name that depends on the record
 * @space: for the text
 *
 * A field that the record does not contain is left out. Returns a text in @space, in the record or
 * in the naming.
 */
hot_inline struct text naming_render(const struct naming *naming, const struct record *record,
				     const struct naming_names *names, struct buffer *space)
{
	const struct naming_part *part = &naming->parts[0];
	struct text text;

	if (naming->nr_parts != 1 || part->way == NAMING_INTEGER || part->way == NAMING_NUMBERS ||
	    !naming_part_text(part, record, names, &text))
		return naming_render_parts(naming, record, names, space);
	if (text.size > NAMING_SIZE_MAX)
		text.size = NAMING_SIZE_MAX;
	return text;
}

#endif
