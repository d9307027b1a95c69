// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the table of kernel symbols. */
#include "event/kallsyms.h"

#include "fixtures/tap.h"

static const char text[] = "0000000000000000 A fixed_percpu_data\n"
			   "ffffffff81000000 T _text\n"
			   "ffffffff81000000 T startup_64\n"
			   "ffffffff81000040 t helper\n"
			   "ffffffff81000100 W weak_function\n"
			   "ffffffff81000200 T _etext\n"
			   "ffffffff81001000 R rodata\n"
			   "ffffffff81002000 D data\n"
			   "ffffffff81003000 T _sinittext\n"
			   "ffffffff81003000 t init_function\n"
			   "ffffffff81003100 T _einittext\n"
			   "ffffffffc0002000 t second\t[one]\n"
			   "ffffffffc0001000 t first\t[one]\n"
			   "ffffffffc0003000 d data\t[one]\n"
			   "ffffffffc0800000 t helper\t[two]\n"
			   "ffffffffc0810000 t bpf_prog_1 [bpf]";

static struct kallsyms *table_make(const char *lines, const char *want)
{
	struct error error = { 0 };
	struct kallsyms *table;

	CHECK_NUMBER(kallsyms_new(&table, text_of(lines), &error), *want ? -1 : 0);
	CHECK_TEXT(error.text, want);
	return table;
}

/* "name+offset [module]", "" if there is none. */
static void check_address(const struct kallsyms *table, uint64_t address, const char *want)
{
	struct kallsyms_symbol symbol;
	SCOPED_BUFFER(got);

	if (kallsyms_find(table, address, &symbol)) {
		buffer_append(&got, symbol.name.data, symbol.name.size);
		buffer_printf(&got, "+0x%llx", (unsigned long long)(address - symbol.begin));
		if (symbol.module.size > 0)
			buffer_printf(&got, " [%.*s]", (int)symbol.module.size, symbol.module.data);
	}
	CHECK_TEXT(buffer_string(&got), want);
}

TEST(addresses_have_the_name_of_the_function_that_contains_them)
{
	struct kallsyms *table = table_make(text, "");

	check_address(table, 0xffffffff81000000, "_text+0x0");
	check_address(table, 0xffffffff8100003f, "_text+0x3f");
	check_address(table, 0xffffffff81000044, "helper+0x4");
	check_address(table, 0xffffffff810001ff, "weak_function+0xff");
	check_address(table, 0xffffffff81003010, "_sinittext+0x10");
	check_address(table, 0xffffffffc0001001, "first+0x1 [one]");
	check_address(table, 0xffffffffc0002fff, "second+0xfff [one]");
	check_address(table, 0xffffffffc0800000, "helper+0x0 [two]");
	check_address(table, 0xffffffffc0810004, "bpf_prog_1+0x4 [bpf]");
	CHECK_NUMBER(kallsyms_count(table), 10);
	kallsyms_free(table);
}

TEST(addresses_outside_of_code_have_no_name)
{
	struct kallsyms *table = table_make(text, "");

	check_address(table, 0, "");
	check_address(table, 0xffffffff80ffffff, "");
	check_address(table, 0xffffffff81000200, "");
	check_address(table, 0xffffffff81002000, "");
	check_address(table, 0xffffffff81003100, "");
	check_address(table, 0xffffffffc0003000, "");
	/* Nothing follows in the same module: a function of 64 KiB is assumed. */
	check_address(table, 0xffffffffc080ffff, "helper+0xffff [two]");
	check_address(table, 0xffffffffc0820000, "");
	check_address(table, UINT64_MAX, "");
	kallsyms_free(table);
}

TEST(functions_are_found_by_any_of_their_names)
{
	struct kallsyms *table = table_make(text, "");
	struct kallsyms_symbol symbol;

	CHECK(kallsyms_find_name(table, text_of("startup_64"), &symbol));
	CHECK(symbol.begin == 0xffffffff81000000 && symbol.end == 0xffffffff81000040);
	CHECK(kallsyms_find_name(table, text_of("helper"), &symbol));
	CHECK(symbol.begin == 0xffffffff81000040 && symbol.module.size == 0);
	CHECK(kallsyms_find_name(table, text_of("first"), &symbol));
	CHECK(symbol.begin == 0xffffffffc0001000 && symbol.end == 0xffffffffc0002000);
	CHECK(!kallsyms_find_name(table, text_of("data"), &symbol));
	CHECK(!kallsyms_find_name(table, text_of(""), &symbol));
	kallsyms_free(table);
}

TEST(hidden_addresses_make_no_table)
{
	table_make("0000000000000000 T _text\n0000000000000000 t helper\n",
		   "kernel symbols: all addresses are hidden; read them as root, with "
		   "kernel.kptr_restrict below 2");
	table_make("", "kernel symbols: no functions");
	table_make("ffffffff81002000 D data\n", "kernel symbols: no functions");
}

TEST(lines_that_are_no_symbols_are_skipped)
{
	struct kallsyms *table = table_make("\n1000\n1000 T\n1000 T \nx T name\n1000 TT name\n"
					    "12345678123456789 T long\n1000 T name x\n"
					    "1000 T name [x\n 1000 T name\n2000 T right\n",
					    "");

	CHECK_NUMBER(kallsyms_count(table), 1);
	check_address(table, 0x2000, "right+0x0");
	kallsyms_free(table);
}

TEST(lines_may_be_split_between_parts)
{
	struct kallsyms *table = kallsyms_begin();
	struct error error = { 0 };

	for (size_t i = 0; i < strlen(text); i++)
		kallsyms_add(table, (struct text){ text + i, 1 });
	CHECK_NUMBER(kallsyms_finish(table, &error), 0);
	CHECK_NUMBER(kallsyms_count(table), 10);
	check_address(table, 0xffffffffc0810004, "bpf_prog_1+0x4 [bpf]");
	kallsyms_free(table);
}

TEST(overlong_names_and_lines_are_skipped)
{
	SCOPED_BUFFER(lines);
	struct kallsyms *table;

	for (size_t size = 511; size <= 4096; size += 1) {
		size_t end = lines.size + size;

		buffer_printf(&lines, "%zx T ", 0x1000 * size);
		for (end = lines.size + size; lines.size < end;)
			buffer_append_char(&lines, 'n');
		buffer_append_char(&lines, '\n');
	}
	table = table_make(buffer_string(&lines), "");
	CHECK_NUMBER(kallsyms_count(table), 1);
	kallsyms_free(table);
}

/* Every name occurs twice, as names in kernels rarely do. */
static struct buffer lines_make(size_t nr_symbols)
{
	struct buffer lines = { 0 };

	for (size_t i = 0; i < nr_symbols; i++)
		buffer_printf(&lines, "%016zx t function_of_usual_size_%05zx\n",
			      0xffffffff81000000 + i * 64, i % 2 ? i - 1 : i);
	return lines;
}

TEST(a_table_of_200000_symbols_takes_less_than_8_mib)
{
	SCOPED_BUFFER(lines);
	struct kallsyms *table;

	for (size_t i = 0; i < 200000; i++)
		buffer_printf(&lines, "%016zx t function_of_usual_%05zx\n",
			      0xffffffff81000000 + i * 64, i);
	table = table_make(buffer_string(&lines), "");
	CHECK_NUMBER(kallsyms_count(table), 200000);
	CHECK(kallsyms_size(table) < 8 << 20);
	check_address(table, 0xffffffff81000000 + 123456 * 64 + 5, "function_of_usual_1e240+0x5");
	kallsyms_free(table);
}

TEST(names_are_stored_once)
{
	struct buffer lines = lines_make(1000);
	struct kallsyms *table = table_make(buffer_string(&lines), "");

	CHECK(kallsyms_size(table) < 1000 * 16 + 500 * 30 + 512);
	check_address(table, 0xffffffff81000000 + 999 * 64, "function_of_usual_size_003e6+0x0");
	kallsyms_free(table);
	buffer_release(&lines);
}

TEST(too_many_symbols_make_no_table)
{
	SCOPED_BUFFER(lines);

	for (size_t i = 0; i <= KALLSYMS_SYMBOLS_MAX; i++)
		buffer_printf(&lines, "%zx t f\n", i + 1);
	table_make(buffer_string(&lines),
		   "kernel symbols: more than 500000 symbols or 16 MiB of names");
}

TEST(the_symbols_of_a_file_are_read)
{
	struct error error = { 0 };
	struct kallsyms *table;

	CHECK_NUMBER(kallsyms_read(&table, "/nonexistent", &error), -1);
	CHECK_TEXT(error.text, "cannot open /nonexistent: No such file or directory");
	error.text[0] = '\0';
	if (kallsyms_read(&table, NULL, &error) == 0)
		CHECK(kallsyms_count(table) > 1000);
	else
		CHECK(*error.text);
	kallsyms_free(table);
}

/* Assemblers write them on ARM and RISC-V; they are no functions, and end none. */
TEST(marks_of_code_and_data_are_no_functions)
{
	struct kallsyms *table = table_make("ffff800080010000 t $x\n"
					    "ffff800080010000 T vfs_read\n"
					    "ffff800080010010 t $d.3\n"
					    "ffff800080010020 t $xrv64i2p1_m2p0\n"
					    "ffff800080011000 t helper\n",
					    "");

	check_address(table, 0xffff800080010000, "vfs_read+0x0");
	check_address(table, 0xffff800080010018, "vfs_read+0x18");
	check_address(table, 0xffff800080010020, "vfs_read+0x20");
	CHECK_NUMBER(kallsyms_count(table), 2);
	kallsyms_free(table);
}
