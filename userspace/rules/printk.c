// SPDX-License-Identifier: GPL-2.0-only
/*
 * Puts the values of a trace_printk() into its format. The kernel stores them one behind the other
 * (vbin_printf()): integers of 8 bytes at multiples of 4, others at multiples of their size, and
 * strings up to a NUL. Formats and values may be any bytes.
 */
#include <ctype.h>
#include <string.h>

#include "rules/naming.h"

/** struct printk_spec - what is between a % and the letter that ends it */
struct printk_spec {
	bool is_left;
	bool has_zeros;
	bool has_prefix;
	char positive_sign; /* '+', ' ' or 0 */
	int width;
	int precision;	 /* -1 for none */
	size_t size;	 /* bytes of an integer */
	char conversion; /* 0 if the format ends before */
};

/** struct printk_reader - what is left of a format and of its values */
struct printk_reader {
	struct text format;
	const struct printk_values *values;
	size_t at;
	bool has_all; /* no value was missing so far */
};

static char printk_peek(const struct printk_reader *reader)
{
	return reader->format.size > 0 ? *reader->format.data : '\0';
}

static char printk_take(struct printk_reader *reader)
{
	char c = printk_peek(reader);

	reader->format.data += reader->format.size > 0;
	reader->format.size -= reader->format.size > 0;
	return c;
}

static uint64_t printk_number(struct printk_reader *reader, size_t size)
{
	const struct printk_values *values = reader->values;
	size_t alignment = size == 8 ? 4 : size;
	size_t at = (reader->at + alignment - 1) / alignment * alignment;
	unsigned char bytes[8] = { 0 };
	uint64_t number = 0;

	if (at > values->bytes.size || values->bytes.size - at < size) {
		reader->has_all = false;
		return 0;
	}
	memcpy(bytes, values->bytes.data + at, size);
	reader->at = at + size;
	for (size_t i = 0; i < size; i++)
		number = number << 8 | bytes[values->is_big_endian ? i : size - 1 - i];
	return number;
}

static struct text printk_string(struct printk_reader *reader)
{
	const struct text all = reader->values->bytes;
	size_t at = reader->at < all.size ? reader->at : all.size;
	struct text string = { all.data + at, strnlen(all.data + at, all.size - at) };

	reader->has_all &= at + string.size < all.size;
	reader->at = at + string.size + 1;
	return string;
}

/* A width or precision: digits, or '*' for a value; longer ones than a name are cut. */
static int printk_count(struct printk_reader *reader)
{
	int count = 0;

	if (printk_peek(reader) == '*') {
		printk_take(reader);
		count = (int32_t)printk_number(reader, 4);
		return count > NAMING_SIZE_MAX	  ? NAMING_SIZE_MAX
		       : count < -NAMING_SIZE_MAX ? -NAMING_SIZE_MAX
						  : count;
	}
	while (isdigit((unsigned char)printk_peek(reader))) {
		count = count * 10 + (printk_take(reader) - '0');
		if (count > NAMING_SIZE_MAX)
			count = NAMING_SIZE_MAX;
	}
	return count;
}

static void flags_take(struct printk_reader *reader, struct printk_spec *spec)
{
	for (;; printk_take(reader)) {
		char c = printk_peek(reader);

		if (c == '-')
			spec->is_left = true;
		else if (c == '0')
			spec->has_zeros = true;
		else if (c == '#')
			spec->has_prefix = true;
		else if (c == '+' || (c == ' ' && spec->positive_sign == 0))
			spec->positive_sign = c;
		else if (c != ' ')
			return;
	}
}

static size_t size_take(struct printk_reader *reader)
{
	char c = printk_peek(reader);
	bool is_double;

	if (c == '\0' || !strchr("hlLztj", c))
		return 4;
	printk_take(reader);
	is_double = printk_peek(reader) == c && (c == 'h' || c == 'l');
	if (is_double)
		printk_take(reader);
	if (c == 'h')
		return is_double ? 1 : 2;
	return is_double || c == 'L' || c == 'j' ? 8 : reader->values->pointer_size;
}

static void spec_take(struct printk_reader *reader, struct printk_spec *spec)
{
	*spec = (struct printk_spec){ .precision = -1 };
	flags_take(reader, spec);
	spec->width = printk_count(reader);
	if (spec->width < 0) {
		spec->is_left = true;
		spec->width = -spec->width;
	}
	if (printk_peek(reader) == '.') {
		printk_take(reader);
		spec->precision = printk_count(reader);
		if (spec->precision < 0)
			spec->precision = -1;
	}
	spec->size = size_take(reader);
	spec->conversion = printk_take(reader);
}

static void append_times(struct buffer *out, char c, int count)
{
	for (int i = 0; i < count; i++)
		buffer_append_char(out, c);
}

static void append_padded(struct buffer *out, struct text text, const struct printk_spec *spec)
{
	int pad = spec->width - (int)text.size;

	append_times(out, ' ', spec->is_left ? 0 : pad);
	buffer_append(out, text.data, text.size);
	append_times(out, ' ', spec->is_left ? pad : 0);
}

static void append_number(struct buffer *out, uint64_t number, const struct printk_spec *spec)
{
	const char *letters = spec->conversion == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	unsigned int base = tolower(spec->conversion) == 'x' ? 16
			    : spec->conversion == 'o'	     ? 8
							     : 10;
	bool is_signed = spec->conversion == 'd' || spec->conversion == 'i';
	int bits = 64 - (int)spec->size * 8, nr_digits = 0, nr_zeros, pad;
	char digits[24], prefix[4] = "";

	if (is_signed && (int64_t)(number << bits) < 0) {
		number = -(uint64_t)((int64_t)(number << bits) >> bits);
		prefix[0] = '-';
	} else if (is_signed) {
		prefix[0] = spec->positive_sign;
	} else if (spec->has_prefix && base != 10) {
		prefix[0] = '0';
		prefix[1] = base == 16 ? spec->conversion : '\0';
	}
	do {
		digits[sizeof(digits) - ++nr_digits] = letters[number % base];
		number /= base;
	} while (number > 0);
	nr_zeros = spec->precision > nr_digits ? spec->precision - nr_digits : 0;
	pad = spec->width - nr_zeros - nr_digits - (int)strlen(prefix);
	if (pad > 0 && spec->has_zeros && !spec->is_left && spec->precision < 0) {
		nr_zeros += pad;
		pad = 0;
	}
	append_times(out, ' ', spec->is_left ? 0 : pad);
	buffer_append_string(out, prefix);
	append_times(out, '0', nr_zeros);
	buffer_append(out, digits + sizeof(digits) - nr_digits, nr_digits);
	append_times(out, ' ', spec->is_left ? pad : 0);
}

static void append_string(struct buffer *out, struct text string, const struct printk_spec *spec)
{
	if (spec->precision >= 0 && string.size > (size_t)spec->precision)
		string.size = spec->precision;
	append_padded(out, string, spec);
}

static void append_address(struct buffer *out, uint64_t address, char form,
			   const struct naming_names *names, const struct printk_spec *spec)
{
	SCOPED_BUFFER(text);
	struct kallsyms_symbol symbol;
	bool is_function = form == 's' || form == 'S' || form == 'f' || form == 'F';

	if (is_function && naming_function_find(names, address, &symbol)) {
		buffer_append(&text, symbol.name.data, symbol.name.size);
		if (isupper((unsigned char)form))
			buffer_printf(&text, "+0x%llx",
				      (unsigned long long)(address - symbol.begin));
	} else if (form == 'e' && (int64_t)address < 0 && (int64_t)address >= -4095) {
		buffer_append_signed(&text, (int64_t)address);
	} else {
		buffer_printf(&text, "0x%llx", (unsigned long long)address);
	}
	append_padded(out, buffer_text(&text), spec);
	out->failed |= text.failed;
}

/*
 * The kernel prints what a pointer leads to at once, and stores the text, except for functions and
 * errors. Kernels before 4.17 stored the pointer: it is no text.
 */
static void append_pointer(struct printk_reader *reader, struct buffer *out,
			   const struct naming_names *names, const struct printk_spec *spec)
{
	const struct printk_values *values = reader->values;
	char form = printk_peek(reader);
	bool is_form = isalnum((unsigned char)form);

	while (isalnum((unsigned char)printk_peek(reader)))
		printk_take(reader);
	if (is_form && !strchr("sSxKefF", form) && reader->at < values->bytes.size &&
	    isprint((unsigned char)values->bytes.data[reader->at])) {
		append_string(out, printk_string(reader), spec);
		return;
	}
	append_address(out, printk_number(reader, values->pointer_size), form, names, spec);
}

static void printk_append_value(struct printk_reader *reader, struct buffer *out,
				const struct naming_names *names, const struct printk_spec *spec)
{
	char letter;

	switch (spec->conversion) {
	case 'c':
		letter = (char)printk_number(reader, 1);
		append_padded(out, (struct text){ &letter, 1 }, spec);
		break;
	case 's':
		append_string(out, printk_string(reader), spec);
		break;
	case 'p':
		append_pointer(reader, out, names, spec);
		break;
	default:
		append_number(out, printk_number(reader, spec->size), spec);
		break;
	}
}

void printk_append(struct buffer *out, struct text format, const struct printk_values *values,
		   const struct naming_names *names)
{
	struct printk_reader reader = { .format = format, .values = values, .has_all = true };
	size_t begin = out->size;

	while (reader.format.size > 0 && out->size - begin <= NAMING_SIZE_MAX) {
		const struct text before = reader.format;
		size_t size = out->size;
		struct printk_spec spec;

		if (printk_peek(&reader) != '%') {
			buffer_append_char(out, printk_take(&reader));
			continue;
		}
		printk_take(&reader);
		spec_take(&reader, &spec);
		if (spec.conversion == '%') {
			buffer_append_char(out, '%');
			continue;
		}
		if (spec.conversion != '\0' && strchr("cspdiuoxX", spec.conversion))
			printk_append_value(&reader, out, names, &spec);
		else
			reader.has_all = false;
		/* From what is unknown on, the format is shown as it is. */
		if (!reader.has_all) {
			out->size = size;
			buffer_append(out, before.data, before.size);
			break;
		}
	}
}
