// SPDX-License-Identifier: GPL-2.0-only
/* Tests of names of system calls, and of print formats. */
#include "event/print_format.h"
#include "event/syscalls.h"

#include "fixtures/tap.h"

static void check_name(const char *machine, int64_t number, const char *want)
{
	struct syscalls *syscalls = syscalls_new(machine);
	struct text name = syscalls_name(syscalls, number);
	SCOPED_BUFFER(got);

	buffer_append(&got, name.data, name.size);
	CHECK_TEXT(buffer_string(&got), want);
	CHECK(text_equals(syscalls_name(syscalls, number), buffer_text(&got)));
	syscalls_free(syscalls);
}

TEST(system_calls_are_named_for_each_machine)
{
	check_name("x86_64", 20, "writev");
	check_name("x86_64", 0, "read");
	check_name("x86_64", 231, "exit_group");
	check_name("aarch64", 64, "write");
	check_name("riscv64", 64, "write");
	check_name("mips64", 5001, "write");
	check_name("i686", 4, "write");
	check_name("armv7l", 4, "write");
	check_name("x86_64", 0x40000027, "getpid");
}

TEST(unknown_system_calls_have_a_number)
{
	check_name("x86_64", 9999, "syscall_9999");
	check_name("x86_64", 8191, "syscall_8191");
	check_name("x86_64", -1, "syscall_-1");
	check_name("x86_64", 0x40000000 + 8192, "syscall_1073750016");
	check_name("x86_64", INT64_MIN, "syscall_-9223372036854775808");
	check_name("vax", 1, "syscall_1");
}

TEST(the_default_is_this_machine)
{
#ifdef __x86_64__
	check_name(NULL, 20, "writev");
#else
	check_name(NULL, 9999, "syscall_9999");
#endif
}

static void check_conversion(const char *print_format, const char *field,
			     enum print_conversion want)
{
	SCOPED_BUFFER(text);

	buffer_printf(&text, "name: event\nID: 5\nformat:\n\tfield:int a;\n\nprint fmt: %s\n",
		      print_format);
	if (!CHECK_NUMBER(print_format_find(buffer_text(&text), text_of(field)), want))
		CHECK_TEXT(print_format, field);
}

TEST(functions_are_recognized_by_their_conversion)
{
	static const char workqueue[] =
		"\"work struct %p: function %ps\", REC->work, REC->function";

	check_conversion(workqueue, "function", PRINT_CONVERSION_SYMBOL);
	check_conversion(workqueue, "work", PRINT_CONVERSION_POINTER);
	check_conversion("\"%pS\", (void *)REC->ip", "ip", PRINT_CONVERSION_SYMBOL);
	check_conversion("\"%-5pf|\", ((void *)(REC->ip))", "ip", PRINT_CONVERSION_SYMBOL);
	check_conversion("\"%lx %pB\", REC->ip, (void *) REC->ip ", "ip", PRINT_CONVERSION_SYMBOL);
}

TEST(other_conversions_are_distinguished)
{
	static const char text[] = "\"%s\" \"%%%d %08lx %pM %pI4 %c\", __get_str(name), REC->b, "
				   "REC->c, REC->mac, REC->ip, REC->letter";

	check_conversion(text, "name", PRINT_CONVERSION_NONE);
	check_conversion(text, "b", PRINT_CONVERSION_PLAIN);
	check_conversion(text, "c", PRINT_CONVERSION_HEX);
	check_conversion(text, "mac", PRINT_CONVERSION_MAC);
	check_conversion(text, "ip", PRINT_CONVERSION_PLAIN);
	check_conversion(text, "letter", PRINT_CONVERSION_PLAIN);
	check_conversion(text, "absent", PRINT_CONVERSION_NONE);
}

TEST(parts_of_expressions_are_not_the_field)
{
	static const char text[] = "\"%d %s %ps %d %d %ps\", REC->a ? 1 : REC->b, "
				   "__print_symbolic(REC->c, { 1, \"%ps, REC->d\" }), f(REC->d), "
				   "2 * REC->e, (2 * REC->f), xREC->g";

	check_conversion(text, "a", PRINT_CONVERSION_NONE);
	check_conversion(text, "b", PRINT_CONVERSION_NONE);
	check_conversion(text, "c", PRINT_CONVERSION_NONE);
	check_conversion(text, "d", PRINT_CONVERSION_NONE);
	check_conversion(text, "e", PRINT_CONVERSION_NONE);
	check_conversion(text, "f", PRINT_CONVERSION_NONE);
	check_conversion(text, "g", PRINT_CONVERSION_NONE);
}

TEST(a_width_in_an_argument_takes_that_argument)
{
	check_conversion("\"%*ps %.*s %d\", 5, REC->a, REC->size, REC->b, REC->c", "a",
			 PRINT_CONVERSION_SYMBOL);
	check_conversion("\"%*ps %.*s %d\", 5, REC->a, REC->size, REC->b, REC->c", "size",
			 PRINT_CONVERSION_NONE);
	check_conversion("\"%*ps %.*s %d\", 5, REC->a, REC->size, REC->b, REC->c", "c",
			 PRINT_CONVERSION_PLAIN);
}

TEST(damaged_print_formats_have_no_fields)
{
	static const char *const texts[] = { "",
					     "\"%ps",
					     "\"%",
					     "\"%ps\"",
					     "\"%ps\",",
					     "\"%ps\", REC->",
					     "\"%ps\", REC->a))",
					     "\"%p\\",
					     "\"%ps\", (((",
					     ",REC->a",
					     "%ps, \"REC->a" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		check_conversion(texts[i], "a", PRINT_CONVERSION_NONE);
	CHECK_NUMBER(print_format_find(text_of(""), text_of("")), PRINT_CONVERSION_NONE);
	CHECK_NUMBER(print_format_find(text_of("print fmt: \"%ps\", REC->a"), text_of("a")),
		     PRINT_CONVERSION_SYMBOL);
}
