// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz target: the text of kallsyms; and, as the rest of a format file, a print format. */
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "fuzz.h"

/* A name is found at its own address, and its function has a size. */
static void address_check(const struct kallsyms *table, uint64_t address)
{
	struct kallsyms_symbol symbol, again;

	if (!kallsyms_find(table, address, &symbol))
		return;
	if (address < symbol.begin || address >= symbol.end)
		abort();
	if (!kallsyms_find(table, symbol.begin, &again) || again.begin != symbol.begin)
		abort();
	if (!kallsyms_find_name(table, symbol.name, &again) || again.begin > symbol.begin)
		abort();
}

static void symbols_run(struct text text)
{
	struct kallsyms *table;
	struct error error = { 0 };

	if (kallsyms_new(&table, text, &error) < 0) {
		if (!*error.text)
			abort();
		return;
	}
	for (size_t i = 0; i + sizeof(uint64_t) <= text.size && i < 4096; i++)
		address_check(table, word_load(text.data + i));
	for (const char *at = text.data; at && at < text.data + text.size && *at; at++) {
		char digits[20] = "";

		memcpy(digits, at,
		       text.data + text.size - at < 16 ? text.data + text.size - at : 16);
		address_check(table, strtoull(digits, NULL, 16));
		at = memchr(at, '\n', text.data + text.size - at);
		if (!at)
			break;
	}
	kallsyms_free(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *bytes = malloc(size ? size : 1);
	struct text text = { .data = bytes, .size = size };

	memcpy(bytes, data, size);
	symbols_run(text);
	print_format_find(text, text_of("ip"));
	free(bytes);
	return 0;
}
