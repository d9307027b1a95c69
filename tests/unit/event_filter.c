// SPDX-License-Identifier: GPL-2.0-only
/* Tests of event filters: syntax, errors, and verdicts on one record. */
#include "event/filter.h"

#include <stdio.h>

#include "event/kallsyms.h"
#include "fixtures/event_builder.h"
#include "fixtures/tap.h"

/* Fields of every kind, and a record of them. */
static const char format_text[] = FORMAT(
	"event", 5,
	FIELD("s8 s8", 8, 1, 1) FIELD("u8 u8", 9, 1, 0) FIELD("s16 s16", 10, 2, 1) FIELD(
		"int s32", 12, 4, 1) FIELD("u32 u32", 16, 4, 0) FIELD("s64 s64", 24, 8, 1)
		FIELD("u64 u64", 32, 8, 0) FIELD("bool flag", 40, 1, 0) FIELD(
			"char comm[8]", 41, 8, 0) FIELD("__data_loc char[] name", 52, 4, 0)
			FIELD("__rel_loc char[] path", 56, 4, 0) FIELD("u8 raw[3]", 60, 3, 0)
				FIELD("const char * pointer", 64, 8, 0) FIELD("void * ip", 72, 8, 0)
					FIELD("u8 word[4]", 80, 4, 0));

#define RECORD_SIZE 96

static const unsigned char record_bytes[RECORD_SIZE] = {
	[0] = 5,     [4] = 7,	  [8] = 0xfe,  [9] = 0xfe,  [10] = 0xff, [11] = 0xff, [12] = 0xf6,
	[13] = 0xff, [14] = 0xff, [15] = 0xff, [16] = 0xf6, [17] = 0xff, [18] = 0xff, [19] = 0xff,
	[24] = 0xff, [25] = 0xff, [26] = 0xff, [27] = 0xff, [28] = 0xff, [29] = 0xff, [30] = 0xff,
	[31] = 0xff, [32] = 0xff, [33] = 0xff, [34] = 0xff, [35] = 0xff, [36] = 0xff, [37] = 0xff,
	[38] = 0xff, [39] = 0xff, [40] = 1,    [41] = 'b',  [42] = 'a',	 [43] = 's',  [44] = 'h',
	[46] = 'x',  [47] = 'y',  [52] = 84,   [54] = 5,    [56] = 29,	 [58] = 3,    [60] = 1,
	[72] = 0x10, [73] = 0x20, [80] = 1,    [84] = 'w',  [85] = 'o',	 [86] = 'r',  [87] = 'k',
	[89] = '/',  [90] = 'a',
};

static const struct record record = { .cpu = 3, .data = record_bytes, .size = RECORD_SIZE };

static struct event_filter *filter_make(const char *text, struct error *error)
{
	struct event_filter *filter;
	struct format format;

	CHECK_NUMBER(format_parse(&format, text_of(format_text)), 0);
	event_filter_new(&filter, text, &format, false, error);
	format_release(&format);
	return filter;
}

static void check_verdict(const char *text, bool want)
{
	struct error error = { 0 };
	struct event_filter *filter = filter_make(text, &error);

	if (CHECK_TEXT(error.text, "") && CHECK(filter != NULL) &&
	    !CHECK_NUMBER(event_filter_matches(filter, &record), want))
		CHECK_TEXT(text, "");
	event_filter_free(filter);
}

static void check_true(const char *text)
{
	check_verdict(text, true);
}

static void check_false(const char *text)
{
	check_verdict(text, false);
}

static void check_error(const char *text, const char *want)
{
	struct error error = { 0 };
	struct event_filter *filter = filter_make(text, &error);

	CHECK(filter == NULL);
	if (!CHECK_TEXT(error.text, want))
		CHECK_TEXT(text, "");
	event_filter_free(filter);
}

TEST(signed_fields_are_compared_as_signed)
{
	check_true("s8 == -2");
	check_true("s8 < 0");
	check_true("s16 <= -1 && s32 > -11 && s32 < -9");
	check_true("s64 == -1 && s64 >= -1 && s64 < 0");
	check_false("s32 > 0");
	check_false("s64 > 0");
}

TEST(unsigned_fields_are_compared_as_unsigned)
{
	check_true("u8 > 200");
	check_true("u32 == 4294967286 && u32 > 0x7fffffff");
	check_true("u64 == 18446744073709551615 && u64 > 0");
	check_false("u64 < 1");
	check_true("flag == 1 && flag != 0");
	check_true("common_pid == 7 && common_type == 5");
}

TEST(numbers_are_decimal_hexadecimal_or_octal)
{
	check_true("u8 == 0xfe && u8 == 0XFE && u8 == 0376 && u8 == 254");
	check_true("s32 == -0xa && s32 == -012");
	/* The longest one. */
	check_true("u64 == 01777777777777777777777");
}

TEST(numbers_are_cut_to_the_size_of_the_field)
{
	check_true("u8 == 0x1fe");
	check_true("s8 == 0x1fe");
	check_true("s32 == 0xfffffff6");
}

TEST(bits_are_tested)
{
	check_true("u8 & 2");
	check_false("u8 & 1");
	check_true("s8 & 0x80");
	check_true("u64 & 0x8000000000000000");
	check_false("cpu & 3");
}

TEST(arrays_of_an_integers_size_are_compared_as_one)
{
	check_true("word == 1");
	check_false("raw == 1");
	check_false("raw != 1");
	check_true("!(raw == 1)");
}

TEST(strings_are_compared_up_to_their_end)
{
	check_true("comm == \"bash\" && comm == 'bash' && comm != \"bas\"");
	check_false("comm == \"bashxy\"");
	check_true("name == \"work\" && path == \"/a\"");
	check_true("name != \"\" && name != \"works\"");
}

TEST(globs_match_as_in_the_kernel)
{
	check_true("comm ~ \"ba*\" && comm ~ \"*as*\" && comm ~ \"b*h\" && comm ~ \"b?sh\"");
	check_true("name ~ \"*rk\" && name ~ \"*\" && name ~ \"**\" && path ~ \"*a\"");
	check_true("name ~ \"w[a-o]r[!x]\"");
	check_true("name ~ \"[]w]ork\"");
	check_true("name ~ \"\\work\"");
	check_true("name ~ \"!*x*\" && name ~ \"w*r*k\" && name ~ \"work*\"");
	check_false("name ~ \"w[b-n]rk\"");
	check_false("name ~ \"wor\"");
	check_false("name ~ \"?work\"");
	check_false("name ~ \"[work\"");
	check_false("name ~ \"w*x*\"");
}

TEST(the_end_of_a_fixed_array_is_compared_and_not_that_of_its_text)
{
	check_false("comm ~ \"*sh\"");
	check_true("comm ~ \"*xy*\"");
}

TEST(operators_bind_as_in_the_kernel)
{
	check_true("u8 == 1 && u8 == 2 || u8 == 254");
	check_true("u8 == 254 || u8 == 1 && u8 == 2");
	check_false("(u8 == 254 || u8 == 1) && u8 == 2");
	check_true("!(u8 == 1 || u8 == 2) && !!(u8 == 254)");
	check_false("!(u8 == 1 && u8 == 2 || u8 == 254)");
	check_true("!u8 == 1");
	check_true("(((u8==254)))&&(s8==-2)");
	check_true("\t u8\t==\n254 ");
}

TEST(cpu_and_comm_are_fields_of_every_event)
{
	check_true("CPU == 3 && cpu >= 3 && cpu != 2");
	/* This event has its own comm. */
	check_true("comm == \"bash\"");
	check_false("COMM == \"bash\"");
	check_true("COMM != \"bash\"");
}

TEST(the_name_of_the_thread_comes_from_the_caller)
{
	struct error error = { 0 };
	struct event_filter *filter = filter_make("COMM ~ \"kwork*\"", &error);

	CHECK(event_filter_needs_comm(filter));
	CHECK(event_filter_matches_task(filter, &record, text_of("kworker/0:1")));
	CHECK(!event_filter_matches_task(filter, &record, text_of("bash")));
	CHECK(event_filter_matches_task(filter, &record, text_of("kworker/0:1-with-a-long-name")));
	event_filter_free(filter);
	filter = filter_make("comm == \"x\"", &error);
	CHECK(!event_filter_needs_comm(filter));
	event_filter_free(filter);
}

static void check_function_of(const char *text, bool is_partial, bool want)
{
	struct error error = { 0 };
	struct event_filter *filter = filter_make(text, &error);
	struct kallsyms *symbols;

	CHECK_NUMBER(kallsyms_new(&symbols, text_of("2000 T first\n2100 T second\n2200 D data\n"),
				  &error),
		     0);
	if (is_partial)
		kallsyms_set_partial(symbols);
	CHECK(event_filter_needs_symbols(filter));
	CHECK(!event_filter_matches(filter, &record));
	CHECK_NUMBER(event_filter_resolve(filter, symbols, &error), 0);
	CHECK_NUMBER(event_filter_matches(filter, &record), want);
	kallsyms_free(symbols);
	event_filter_free(filter);
}

static void check_function(const char *text, bool want)
{
	check_function_of(text, false, want);
	check_function_of(text, true, want);
}

TEST(functions_are_compared_by_their_addresses)
{
	check_function("ip.function == first", true);
	check_function("ip.function != first", false);
	check_function("ip.function == second", false);
	check_function("ip.function == 0x2004", true);
	check_function("(ip.function == first )", true);
}

TEST(functions_that_no_record_refers_to_match_none)
{
	check_function_of("ip.function == third", true, false);
	check_function_of("ip.function != third", true, true);
	check_function_of("ip.function == 0x9000", true, false);
}

TEST(functions_need_symbols)
{
	struct error error = { 0 };
	struct event_filter *filter = filter_make("ip.function == third", &error);
	struct kallsyms *symbols;

	CHECK_NUMBER(event_filter_resolve(filter, NULL, &error), -1);
	CHECK_TEXT(error.text, "the recording has no kernel symbols");
	error.text[0] = '\0';
	kallsyms_new(&symbols, text_of("2000 T first\n"), &error);
	CHECK_NUMBER(event_filter_resolve(filter, symbols, &error), -1);
	CHECK_TEXT(error.text, "no function is named 'third'");
	kallsyms_free(symbols);
	event_filter_free(filter);
}

#define EXISTING                                                                               \
	"; it has s8, u8, s16, s32, u32, s64, u64, flag, comm, name, path, raw, pointer, ip, " \
	"word"

/* A driver's enum, and what hostile formats may have instead. */
static const char enum_format[] = "name: event\nID: 5\nformat:\n" FIELD(
	"int common_pid", 4, 4, 1) "\n" FIELD("u8 op", 8, 1, 0) FIELD("int state", 12, 4, 1)
	FIELD("unsigned long ip", 16, 8, 0) "\nprint fmt: \"%s %s %s\", __print_symbolic(REC->op, "
					    "{ 0, \"read\" }, { 0x1, \"wr, {ite\" }), "
					    "__print_symbolic((int)REC->state, { (-1), \"off\" }, "
					    "{ IDLE, \"idle\" }, { 7UL, \"dma\" }, "
					    "{ 8, \"dma\" }), __print_symbolic(REC->op, { 9,\n";

static const char *translated(const char *text)
{
	static char result[600];
	struct buffer out = { 0 };
	struct error error = { 0 };
	int status = event_filter_translate(text, text_of(enum_format), &out, &error);

	snprintf(result, sizeof(result), "%s", status < 0 ? error.text : buffer_string(&out));
	buffer_release(&out);
	return result;
}

TEST(numbers_are_named_by_the_texts_that_events_print)
{
	CHECK_TEXT(translated("state == \"dma\""), "state == 7");
	CHECK_TEXT(translated("(op != 'read' && op!=\"wr, {ite\") || state ==\"off\" && op == 3"),
		   "(op != 0 && op!=1) || state ==-1 && op == 3");
	CHECK_TEXT(translated("op == 1 && COMM == \"sh\""), "op == 1 && COMM == \"sh\"");
	CHECK_TEXT(translated("state == \"DMA\""),
		   "column 10: field state has no value 'DMA'; it has \"off\", \"dma\", \"dma\"");
	CHECK_TEXT(translated("state == \"idle\""),
		   "column 10: field state has no value 'idle'; it has \"off\", \"dma\", \"dma\"");
	CHECK_TEXT(translated("state > \"dma\""),
		   "column 9: texts of numbers can only be compared with == != &");
	CHECK_TEXT(translated("state ~ \"dma\""),
		   "column 9: texts of numbers can only be compared with == != &");
	CHECK_TEXT(translated("common_pid == \"dma\""),
		   "column 15: expected a number, as field common_pid is no text");
	CHECK_TEXT(translated("CPU == \"0\""),
		   "column 8: expected a number, as field CPU is no text");
}

/* The kernel takes all up to a blank for the name of a function. */
TEST(functions_have_a_blank_behind_them)
{
	CHECK_TEXT(translated("(state.function == do_it) && op == 'read'"),
		   "column 2: field state is too small for an address");
	CHECK_TEXT(translated("(ip.function == do_it) && op == 'read'"),
		   "(ip.function == do_it ) && op == 0");
	CHECK_TEXT(translated("!((ip.function != a.b$1))||ip.function==c&&op > 1"),
		   "!((ip.function != a.b$1 ))||ip.function==c &&op > 1");
	CHECK_TEXT(translated("(ip.function == do_it ) || (ip.function == 0x10)"),
		   "(ip.function == do_it ) || (ip.function == 0x10)");
}

/* As the kernel prints them: in a condition, of some bits, with more behind the last flag. */
static const char flags_format[] =
	"name: event\nID: 5\nformat:\n" FIELD("int common_pid", 4, 4, 1) "\n" FIELD(
		"long state", 8, 8,
		1) "\nprint fmt: \"%s%s\", (REC->state_of & 3) ? __print_flags(REC->state_of & 3, "
		   "\"|\", "
		   "{ 1, \"a\" }) : \"R\", (REC->state & 127) ? __print_flags(REC->state & 127, "
		   "\"|\", "
		   "{ 0x00000010, \"X\" } , { 32, \"Z\" }, { 64, \"}\" }) : \"R\"\n";

TEST(bits_are_named_by_the_flags_that_events_print)
{
	SCOPED_BUFFER(out);
	struct error error = { 0 };
	const struct text file = text_of(flags_format);

	CHECK_NUMBER(event_filter_translate("!(state & \"X\") || state & 'Z'", file, &out, &error),
		     0);
	CHECK_TEXT(buffer_string(&out), "!(state & 16) || state & 32");
	buffer_clear(&out);
	CHECK_NUMBER(event_filter_translate("state & \"}\"", file, &out, &error), 0);
	CHECK_TEXT(buffer_string(&out), "state & 64");
	CHECK_NUMBER(event_filter_translate("state & \"a\"", file, &out, &error), -1);
	CHECK_TEXT(error.text,
		   "column 9: field state has no value 'a'; it has \"X\", \"Z\", \"}\"");
	error = (struct error){ 0 };
	CHECK_NUMBER(event_filter_translate("state == \"X\"", file, &out, &error), -1);
	CHECK_TEXT(error.text, "column 10: expected a number, as field state is no text");
	CHECK_NUMBER(event_filter_check("state & \"X\"", &error), 0);
}

TEST(records_are_compared_with_the_number_of_a_text)
{
	unsigned char bytes[16] = { [0] = 5, [8] = 1, [12] = 7 };
	const struct record recorded = { .data = bytes, .size = sizeof(bytes) };
	struct event_filter *filter;
	struct error error = { 0 };
	SCOPED(format) format;

	CHECK_NUMBER(format_parse(&format, text_of(enum_format)), 0);
	CHECK_NUMBER(event_filter_new(&filter, "state == \"dma\" && op != \"read\"", &format, false,
				      &error),
		     0);
	CHECK(event_filter_matches(filter, &recorded));
	bytes[12] = 8;
	CHECK(!event_filter_matches(filter, &recorded));
	event_filter_free(filter);
}

TEST(errors_name_the_column_and_the_remedy)
{
	check_error("", "column 1: expected the name of a field");
	check_error("0", "column 1: event has no field '0'" EXISTING);
	check_error("nothing == 1", "column 1: event has no field 'nothing'" EXISTING);
	check_error("u8 = 1", "column 4: expected one of the operators == != ~ < <= > >= &");
	check_error("u8", "column 3: expected one of the operators == != ~ < <= > >= &");
	check_error("u8 == ", "column 7: expected a number or a string in quotes");
	check_error("u8 == x", "column 7: expected a number or a string in quotes");
	check_error("u8 == 1 &&", "column 11: expected the name of a field");
	check_error("u8 == 1 & u8 == 2", "column 9: expected && or || or the end");
	check_error("u8 == 1 u8 == 2", "column 9: expected && or || or the end");
	check_error("(u8 == 1", "column 9: expected && || or )");
	check_error("u8 == 1)", "column 8: expected && or || or the end");
	check_error("()", "column 2: expected the name of a field");
	check_error("!", "column 2: expected the name of a field");
	check_error("comm == \"x", "column 9: the string has no end; expected \"");
}

TEST(values_must_fit_the_field)
{
	check_error("u8 == -1",
		    "column 7: expected a 64-bit number without sign, as field u8 is unsigned");
	check_error("s8 == 0x8000000000000000",
		    "column 7: expected a 64-bit number, as field s8 is signed");
	check_error("u8 == 18446744073709551616",
		    "column 7: expected a 64-bit number without sign, as field u8 is unsigned");
	check_error("s8 == 08", "column 7: expected a 64-bit number, as field s8 is signed");
	check_error("s8 == 0x", "column 7: expected a 64-bit number, as field s8 is signed");
	check_error("s8 == 5a", "column 7: expected a 64-bit number, as field s8 is signed");
	check_error("s8 == -", "column 7: expected a 64-bit number, as field s8 is signed");
	check_error("s8 == 000000000000000000000001",
		    "column 7: expected a 64-bit number, as field s8 is signed");
	check_error("u8 == 'x'", "column 7: expected a number, as field u8 is no text");
	check_error("u8 ~ 1", "column 6: expected a string in quotes after ~");
	check_error("comm == 1", "column 9: expected a string in quotes, as field comm is text");
	check_error("comm < 'x'", "column 8: strings can only be compared with == != ~");
	check_error("cpu == 'x'", "column 8: expected a number, as field cpu is no text");
	check_error("pointer.ustring == 'x'",
		    "column 1: field 'pointer' is a pointer; records do not contain its text");
	check_error("ip.function > 1", "column 15: functions can only be compared with == !=");
	check_error("u8.function == x", "column 1: field u8 is too small for an address");
	check_error("ip.function == x+1", "column 17: expected a blank behind the function");
}

TEST(strings_and_nesting_have_limits)
{
	SCOPED_BUFFER(text);
	struct error error = { 0 };

	for (int i = 0; i < EVENT_FILTER_DEPTH_MAX; i++)
		buffer_append_char(&text, '(');
	buffer_append_string(&text, "x == 1");
	for (int i = 0; i < EVENT_FILTER_DEPTH_MAX; i++)
		buffer_append_char(&text, ')');
	CHECK_NUMBER(event_filter_check(buffer_string(&text), &error), 0);
	buffer_clear(&text);
	for (int i = 0; i <= EVENT_FILTER_DEPTH_MAX; i++)
		buffer_append_char(&text, '(');
	CHECK_NUMBER(event_filter_check(buffer_string(&text), &error), -1);
	CHECK_TEXT(error.text, "column 65: more than 64 open parentheses");
	buffer_clear(&text);
	error.text[0] = '\0';
	buffer_append_string(&text, "x == '");
	while (text.size < 6 + 256)
		buffer_append_char(&text, 'a');
	buffer_append_string(&text, "'");
	CHECK_NUMBER(event_filter_check(buffer_string(&text), &error), -1);
	CHECK_TEXT(error.text, "column 6: the string exceeds 255 bytes");
}

TEST(a_long_filter_is_evaluated_and_a_longer_one_refused)
{
	SCOPED_BUFFER(text);
	struct error error = { 0 };
	struct event_filter *filter;

	while (text.size < EVENT_FILTER_SIZE_MAX - 32)
		buffer_append_string(&text, "u8 == 1 || ");
	buffer_append_string(&text, "u8 == 254");
	check_true(buffer_string(&text));
	while (text.size <= EVENT_FILTER_SIZE_MAX)
		buffer_append_char(&text, ' ');
	filter = filter_make(buffer_string(&text), &error);
	CHECK(filter == NULL);
	CHECK_TEXT(error.text, "column 4096: the filter exceeds 4095 bytes");
}

TEST(a_record_without_all_fields_matches_nothing)
{
	struct error error = { 0 };
	struct event_filter *filter = filter_make("u8 != 1 || u64 == 1", &error);
	struct record cut = record;

	cut.size = 40;
	CHECK(event_filter_matches(filter, &cut));
	cut.size = 39;
	CHECK(!event_filter_matches(filter, &cut));
	event_filter_free(filter);
	filter = filter_make("name != \"x\"", &error);
	cut.size = 89;
	CHECK(event_filter_matches(filter, &cut));
	cut.size = 88;
	CHECK(!event_filter_matches(filter, &cut));
	event_filter_free(filter);
}

TEST(syntax_is_checked_without_a_format)
{
	struct error error = { 0 };

	CHECK_NUMBER(event_filter_check("a == -1 && b ~ 'x*' || !(c & 0xffffffffffffffff)", &error),
		     0);
	CHECK_NUMBER(event_filter_check("a.ustring == 'x' && ip.function == foo", &error), 0);
	CHECK_NUMBER(event_filter_check("a === 1", &error), -1);
	CHECK_TEXT(error.text, "column 5: expected a number or a string in quotes");
}

TEST(records_of_the_other_byte_order_are_swapped)
{
	static const unsigned char bytes[16] = {
		[0] = 0, [1] = 5, [7] = 7, [8] = 0xff, [9] = 0xff, [10] = 0xff, [11] = 0xf6
	};
	const struct record swapped = { .data = bytes, .size = sizeof(bytes) };
	struct event_filter *filter;
	struct error error = { 0 };
	SCOPED(format) format;

	format_parse(&format, text_of(FORMAT("event", 5, FIELD("int x", 8, 4, 1))));
	CHECK_NUMBER(
		event_filter_new(&filter, "x == -10 && common_pid == 7", &format, true, &error), 0);
	CHECK(event_filter_matches(filter, &swapped));
	event_filter_free(filter);
}
