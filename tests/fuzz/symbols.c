// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz target: a record of 32 bytes, then the answer of a child that parses print formats. */
#include <string.h>

#include "event/event.h"
#include "fuzz.h"

#define RECORD_SIZE 32

static const char format_text[] =
	"name: event\nID: 5\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\n"
	"\tfield:u32 flags;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:s64 v;\toffset:16;\tsize:8;\tsigned:1;\n"
	"\tfield:bool on;\toffset:24;\tsize:1;\tsigned:0;\n"
	"\tfield:char text[4];\toffset:26;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 far;\toffset:40;\tsize:8;\tsigned:0;\n"
	"\nprint fmt: \"\"\n";

static void texts_render(struct symbols *symbols, const struct format *format,
			 const struct record *record)
{
	struct text text;

	symbols_begin(symbols);
	for (size_t i = 0; i < format->nr_fields; i++) {
		const struct symbol_field *field = symbols_find(symbols,
								text_of(format->fields[i].name));

		if (field && symbols_render(symbols, field, record, &text) &&
		    memchr(text.data, '\0', text.size))
			__builtin_trap();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct record record = { .data = data, .size = RECORD_SIZE };
	struct format format;
	struct text answer;

	if (size < RECORD_SIZE || format_parse(&format, text_of(format_text)) != 0)
		return 0;
	answer = (struct text){ (const char *)data + RECORD_SIZE, size - RECORD_SIZE };
	for (int is_swapped = 0; is_swapped < 2; is_swapped++) {
		struct symbols *symbols = symbols_of_answer(answer, &format, is_swapped);

		if (symbols)
			texts_render(symbols, &format, &record);
		symbols_free(symbols);
	}
	format_release(&format);
	return 0;
}
