// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes the begins of symbols from a name of C++. That is safer than to demangle the symbols of a
 * file, which may be hostile.
 */
#include "event/mangle.h"

#include <string.h>

/* Appends the parts of a name between "::", each behind its size; returns how many there are. */
static size_t parts_mangle(struct buffer *out, struct text name)
{
	size_t nr_parts = 0;

	while (name.size > 0) {
		const char *colons = memmem(name.data, name.size, "::", 2);
		size_t size = colons ? (size_t)(colons - name.data) : name.size;
		size_t more = colons ? size + 2 : size;

		if (size > 0)
			buffer_printf(out, "%zu%.*s", size, (int)size, name.data);
		nr_parts += size > 0;
		name.data += more;
		name.size -= more;
	}
	return nr_parts;
}

void name_mangle(struct buffer mangled[MANGLED_FORMS], const char *name)
{
	static const char *const nested[MANGLED_FORMS] = { "_ZN", "_ZNK" };
	static const char *const plain[MANGLED_FORMS] = { "_Z", "_ZL" };
	struct text without = { name, strcspn(name, "(") };
	struct buffer parts = { 0 };
	bool is_nested = parts_mangle(&parts, without) > 1;

	for (size_t i = 0; i < MANGLED_FORMS && without.size > 0; i++)
		buffer_printf(&mangled[i], "%s%s%s", is_nested ? nested[i] : plain[i],
			      buffer_string(&parts), is_nested ? "E" : "");
	buffer_release(&parts);
}
