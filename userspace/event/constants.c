// SPDX-License-Identifier: GPL-2.0-only
/* Reads lines '0xADDRESS : "TEXT"', in which \n, \t and \" are escaped. */
#include "event/constants.h"
#include "event/kallsyms.h"

#include <stdlib.h>
#include <string.h>

/** struct constant - a string: its place in the texts */
struct constant {
	uint64_t address;
	uint32_t offset;
	uint32_t size;
};

static bool address_take(struct text *rest, uint64_t *address)
{
	size_t size = 0;

	*address = 0;
	for (; size < rest->size; size++) {
		char c = rest->data[size];

		if (c >= '0' && c <= '9')
			*address = *address << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			*address = *address << 4 | (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	*rest = text_from(*rest, size);
	return size > 0 && size <= 16;
}

/* Only what the kernel escapes; it leaves a backslash as it is. */
static void text_unescape(struct buffer *out, struct text text)
{
	size_t end = out->size + CONSTANT_SIZE_MAX;

	for (size_t i = 0; i < text.size && out->size < end; i++) {
		bool is_escape = text.data[i] == '\\' && i + 1 < text.size &&
				 strchr("nt\"", text.data[i + 1]);
		char c;

		i += is_escape;
		c = text.data[i];
		if (is_escape)
			c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
		buffer_append_char(out, c);
	}
}

/* Returns -1 if memory ran out; other lines have no string. */
static int line_add(struct constants *constants, struct text line)
{
	struct buffer *texts = &constants->texts;
	struct constant constant = { .offset = texts->size };

	if (!text_take_begin(&line, "0x") || !address_take(&line, &constant.address) ||
	    !text_take_begin(&line, " : \"") || line.size == 0 || line.data[line.size - 1] != '"')
		return 0;
	line.size--;
	text_unescape(texts, line);
	constant.size = texts->size - constant.offset;
	if (constant.size > 0 && !texts->failed && texts->data[texts->size - 1] == '\n')
		constant.size--;
	if (texts->failed || !array_reserve(constants->list, constants->size))
		return -1;
	constants->list[constants->size++] = constant;
	return 0;
}

static int constant_compare(const void *a, const void *b)
{
	const struct constant *one = a, *other = b;

	if (one->address != other->address)
		return one->address < other->address ? -1 : 1;
	return one->offset < other->offset ? -1 : one->offset > other->offset;
}

int constants_add(struct constants *constants, struct text lines)
{
	while (lines.size > 0) {
		if (line_add(constants, text_take_line(&lines)) < 0)
			return -1;
	}
	if (constants->size > 0)
		qsort(constants->list, constants->size, sizeof(*constants->list), constant_compare);
	return 0;
}

int constants_read_later(struct constants *constants, const char *path)
{
	constants->path = strdup(path);
	return constants->path ? 0 : -1;
}

/* Adds the lines of the file at the first use. Without it, or memory, addresses remain numbers. */
static void file_add(struct constants *constants)
{
	SCOPED_BUFFER(lines);

	if (!constants->path)
		return;
	if (file_read(constants->path, &lines) == 0)
		constants_add(constants, buffer_text(&lines));
	free(constants->path);
	constants->path = NULL;
}

bool constants_find(struct constants *constants, uint64_t address, struct text *out)
{
	const struct constant *found;
	size_t nr_before;

	file_add(constants);
	nr_before = sorted_count(constants->list, constants->size, sizeof(*constants->list),
				 address_is_up_to, &address);
	if (nr_before == 0)
		return false;
	found = &constants->list[nr_before - 1];
	if (found->address != address)
		return false;
	*out = (struct text){ constants->texts.data + found->offset, found->size };
	return true;
}

bool constants_name_functions(struct constants *constants)
{
	struct text left;

	file_add(constants);
	left = buffer_text(&constants->texts);
	while (left.size > 0) {
		const char *percent = memchr(left.data, '%', left.size);
		const char *end = left.data + left.size, *at = percent;

		if (!percent)
			break;
		at++;
		while (at < end && strchr("-+ #.*0123456789", *at) && *at)
			at++;
		if (end - at >= 2 && *at == 'p' && at[1] && strchr("sSfF", at[1]))
			return true;
		at += at < end && *at == '%';
		left = (struct text){ at, end - at };
	}
	return false;
}

void constants_release(struct constants *constants)
{
	free(constants->path);
	free(constants->list);
	buffer_release(&constants->texts);
	*constants = (struct constants){ 0 };
}
