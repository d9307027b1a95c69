// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the kernel's constant strings. */
#include "event/event.h"

#include <stdlib.h>

#include "fixtures/folder.h"
#include "fixtures/tap.h"

static const char lines[] = "0xffffffff82000030 : \"second\"\n"
			    "0xffffffff82000010 : \"Start \\\"it\\\" \\\\ 100%\\ta\\n\\n\"\n"
			    "0xffffffff82000020 : \"\"\n"
			    "0xffffffff82000030 : \"again\"\n"
			    "82000040 : \"no address\"\n"
			    "0x : \"no digits\"\n"
			    "0x11112222333344445 : \"too many\"\n"
			    "0x50 \"no colon\"\n"
			    "0x60 : \"no end\n"
			    "0x70 : \"";

static void check_string(struct constants *constants, uint64_t address, const char *want)
{
	struct text found;

	CHECK(constants_find(constants, address, &found) == (want != NULL));
	if (want)
		CHECK(text_equals(found, text_of(want)));
}

TEST(strings_are_found_by_their_address)
{
	SCOPED(constants) constants = { 0 };

	check_string(&constants, 0xffffffff82000010, NULL);
	CHECK_NUMBER(constants_add(&constants, text_of(lines)), 0);
	check_string(&constants, 0xffffffff82000010, "Start \"it\" \\\\ 100%\ta\n");
	check_string(&constants, 0xffffffff82000020, "");
	check_string(&constants, 0xffffffff82000030, "again");
	CHECK_NUMBER(constants.size, 4);
	for (uint64_t address = 0x40; address <= 0x70; address += 0x10)
		check_string(&constants, address, NULL);
	check_string(&constants, 0xffffffff82000011, NULL);
	check_string(&constants, UINT64_MAX, NULL);
	check_string(&constants, 0, NULL);
}

TEST(a_long_string_is_cut)
{
	SCOPED(constants) constants = { 0 };
	char text[1024];

	snprintf(text, sizeof(text), "0x1 : \"%0*d\"", 2 * CONSTANT_SIZE_MAX, 7);
	CHECK_NUMBER(constants_add(&constants, text_of(text)), 0);
	text[7 + CONSTANT_SIZE_MAX] = '\0';
	check_string(&constants, 1, text + 7);
}

TEST(formats_that_print_functions_are_found)
{
	static const char *const formats[] = { "%ps", "100%% of %-20pS", "%.*pf", "%d%pF" };
	static const char *const others[] = { "", "%p", "%pMs", "%", "%-", "%ds", "ps", "%% ps" };
	struct constants constants = { 0 };
	char line[64];

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		snprintf(line, sizeof(line), "0x1 : \"%s \"", others[i]);
		CHECK_NUMBER(constants_add(&constants, text_of(line)), 0);
	}
	CHECK(!constants_name_functions(&constants));
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		constants_release(&constants);
		snprintf(line, sizeof(line), "0x1 : \"%s\"", formats[i]);
		CHECK_NUMBER(constants_add(&constants, text_of(line)), 0);
		CHECK(constants_name_functions(&constants));
	}
	constants_release(&constants);
}

TEST(a_file_is_read_when_a_string_is_searched)
{
	struct constants constants = { 0 };
	struct folder folder;

	folder_new(&folder);
	CHECK_NUMBER(constants_read_later(&constants, folder_path(&folder, "printk_formats")), 0);
	folder_add_text(&folder, "printk_formats", lines);
	check_string(&constants, 0xffffffff82000030, "again");
	folder_set_text(&folder, "printk_formats", "0x1 : \"one\"\n");
	check_string(&constants, 1, NULL);
	constants_release(&constants);
	CHECK_NUMBER(constants_read_later(&constants, folder_path(&folder, "missing")), 0);
	check_string(&constants, 1, NULL);
	constants_release(&constants);
	folder_remove(&folder);
}

TEST(a_string_without_memory_leaves_those_before_it)
{
	SCOPED(constants) constants = { 0 };

	CHECK_NUMBER(constants_add(&constants, text_of("0x1 : \"one\"\n")), 0);
	constants.texts.failed = true;
	CHECK_NUMBER(constants_add(&constants, text_of("0x2 : \"two\"\n")), -1);
	constants.texts.failed = false;
	check_string(&constants, 1, "one");
	check_string(&constants, 2, NULL);
}

static enum field_kind kind_of(const char *type, uint64_t size)
{
	const struct format_field field = {
		.type = type, .name = "s", .offset = 8, .size = size, .is_pointer = true
	};

	return field_ref_of(&field, false).kind;
}

TEST(pointers_to_characters_are_strings)
{
	CHECK_NUMBER(kind_of("const char *", 8), FIELD_CONSTANT);
	CHECK_NUMBER(kind_of("char *", 4), FIELD_CONSTANT);
	CHECK_NUMBER(kind_of("char *", 2), FIELD_UNSIGNED);
	CHECK_NUMBER(kind_of("char **", 8), FIELD_UNSIGNED);
	CHECK_NUMBER(kind_of("unsigned char *", 8), FIELD_UNSIGNED);
	CHECK_NUMBER(kind_of("struct charge *", 8), FIELD_UNSIGNED);
	CHECK_NUMBER(kind_of("void *", 8), FIELD_UNSIGNED);
}
