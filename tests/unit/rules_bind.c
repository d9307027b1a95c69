// SPDX-License-Identifier: GPL-2.0-only
/* Tests of rules that are bound to a format: errors, names, scopes, values, and what a record becomes. */
#include "rules/rules.h"

#include <stdio.h>
#include <stdlib.h>

#include "fixtures/event_builder.h"
#include "fixtures/tap.h"

/* A tracepoint with fields of every kind, and a record of it. */
static const char format_text[] = FORMAT(
	"event", 5,
	FIELD("s8 small", 8, 1, 1) FIELD("bool flag", 9, 1, 0) FIELD("u32 dev", 12, 4, 0) FIELD(
		"s64 wide", 16, 8, 1) FIELD("void * function", 24, 8, 0)
		FIELD("char comm[8]", 32, 8, 0) FIELD("__data_loc char[] name", 40, 4, 0)
			FIELD("u8 raw[3]", 44, 3, 0) FIELD("long id", 48, 8, 1));

static const unsigned char record_bytes[64] = {
	[0] = 5,     [4] = 7,	  [8] = 0xfe,  [9] = 1,	    [12] = 0x10, [14] = 0x80, [16] = 0xff,
	[17] = 0xff, [18] = 0xff, [19] = 0xff, [20] = 0xff, [21] = 0xff, [22] = 0xff, [23] = 0xff,
	[24] = 0x04, [25] = 0x10, [32] = 'b',  [33] = 'a',  [34] = 's',	 [35] = 'h',  [40] = 56,
	[42] = 5,    [44] = 1,	  [48] = 1,    [56] = '/',  [57] = 'b',	 [58] = 'i',  [59] = 'n',
};

static const struct record whole_record = { .time_ns = 9,
					    .cpu = 3,
					    .data = record_bytes,
					    .size = sizeof(record_bytes) };

/* Returns rules that are bound to the tracepoint, or NULL with @error. */
static struct rules *rules_make(const char *text, struct error *error)
{
	struct rules *rules = rules_new();
	struct kallsyms *kallsyms = NULL;

	if (rules_add(rules, text, error) == 0 && rules_close(rules, false, error) == 0 &&
	    rules_bind(rules, "s", "event", text_of(format_text), error) == 0) {
		CHECK_NUMBER(kallsyms_new(&kallsyms, text_of("1000 T first\n2000 T second\n"), error), 0);
		rules_set_kallsyms(rules, kallsyms);
		return rules;
	}
	rules_free(rules);
	return NULL;
}

static void check_error(const char *text, const char *want)
{
	struct error error = { 0 };
	struct rules *rules = rules_make(text, &error);

	CHECK(!rules);
	if (!CHECK_TEXT(error.text, want))
		CHECK_TEXT(text, "");
	rules_free(rules);
}

/* The first event of a record; NULL if there is none. */
static const struct decoded_event *event_of(struct rules *rules, const struct record *record)
{
	struct rule_tracepoint *tracepoint = rules ? record_tracepoint(rules, record) : NULL;

	return tracepoint && rules_decode(rules, tracepoint, record) > 0 ? tracepoint->events[0]
									 : NULL;
}

/* Decodes the first event of a record; the caller frees the rules. */
static struct rules *decode(const char *text, const struct record *record, struct decoded_event *out)
{
	struct error error = { 0 };
	struct rules *rules = rules_make(text, &error);
	const struct decoded_event *decoded = event_of(rules, record);

	CHECK_TEXT(error.text, "");
	if (CHECK(decoded != NULL))
		*out = *decoded;
	return rules;
}

/* Call 1 of this machine. */
#ifdef __aarch64__
#define CALL_1 "io_destroy"
#else
#define CALL_1 "write"
#endif

static void check_name(const char *naming, const char *want)
{
	struct decoded_event decoded = { 0 };
	SCOPED_BUFFER(text);
	struct rules *rules;

	buffer_printf(&text, "instant a:b event=s:event name=%s", naming);
	rules = decode(buffer_string(&text), &whole_record, &decoded);
	buffer_clear(&text);
	buffer_append(&text, decoded.slice_name.data, decoded.slice_name.size);
	if (!CHECK_TEXT(buffer_string(&text), want))
		CHECK_TEXT(naming, "");
	rules_free(rules);
}

static const char *comm_find(void *context, int tid)
{
	CHECK_NUMBER(tid, 7);
	return context;
}

/* Checks whether a condition selects the record; functions are resolved, and thread 7 is "reader". */
static void check_where(const char *where, bool want)
{
	const struct naming_tasks tasks = { .find = comm_find, .context = (char *)"reader" };
	struct error error = { 0 };
	SCOPED_BUFFER(text);
	struct rules *rules;

	buffer_printf(&text, "instant a:b event=s:event where=%s", where);
	rules = rules_make(buffer_string(&text), &error);
	CHECK_TEXT(error.text, "");
	CHECK_NUMBER(rules_resolve(rules, &error), 0);
	CHECK_TEXT(error.text, "");
	rules_set_tasks(rules, &tasks);
	if (!CHECK_NUMBER(event_of(rules, &whole_record) != NULL, want))
		CHECK_TEXT(where, "");
	rules_free(rules);
}

TEST(conditions_compare_functions)
{
	check_where("function.function == first", true);
	check_where("function.function != first", false);
	check_where("function.function == second", false);
	check_where("function.function == 0x1008", true);
	check_where("small > 0 || function.function == first", true);
}

TEST(conditions_compare_the_name_of_the_thread)
{
	check_where("COMM == \"reader\"", true);
	check_where("COMM == \"bash\"", false);
	check_where("comm == \"bash\"", true);
	check_where("COMM ~ \"re*\" && small == -2", true);
	check_where("COMM != \"reader\"", false);
}

TEST(the_idle_task_of_a_cpu_has_the_kernels_name)
{
	unsigned char bytes[sizeof(record_bytes)];
	const struct record record = { .cpu = 3, .data = bytes, .size = sizeof(bytes) };
	struct decoded_event decoded = { 0 };

	memcpy(bytes, record_bytes, sizeof(bytes));
	bytes[4] = 0;
	rules_free(decode("instant a:b event=s:event where=COMM == 'swapper/3'", &record, &decoded));
	CHECK_NUMBER(decoded.tid, 0);
}

TEST(functions_that_do_not_exist_are_refused)
{
	struct error error = { 0 };
	struct rules *rules = rules_make("instant a:b event=s:event where=function.function == third",
					 &error);

	CHECK(rules_need_kallsyms(rules, false));
	CHECK(rules_compare_functions(rules->tracepoints[0]));
	CHECK_NUMBER(rules_resolve(rules, &error), -1);
	CHECK_TEXT(error.text, "-r:1: a:b: s:event: where: no function is named 'third'");
	rules_free(rules);
}

TEST(names_are_text_with_fields)
{
	check_name("constant", "constant");
	check_name("\"  quoted = x \"", "  quoted = x ");
	check_name("{comm}", "bash");
	check_name("<{name}>", "</bin>");
	check_name("{small} {flag} {wide}", "-2 true -1");
	check_name("{small:raw} {small:hex} {wide:hex}", "-2 0xfffffffffffffffe 0xffffffffffffffff");
	check_name("{dev:dev} {dev}", "8,16 8388624");
	check_name("{function:function}", "first");
	check_name("{function:function} {wide:function}", "first 0xffffffffffffffff");
	check_name("{id:syscall} {wide:syscall}", CALL_1 " syscall_-1");
	check_name("{flag:hex} {flag:dev} {flag:raw} {flag:syscall}", "0x1 0,1 true " CALL_1);
	check_name("{comm:hex} {comm:syscall} {name:function}", "bash bash /bin");
	check_name("{raw:hex} {raw:dev} {raw:syscall}", "010000 010000 010000");
	check_name("a}b", "a}b");
}

TEST(long_names_are_cut)
{
	SCOPED_BUFFER(text);
	struct decoded_event decoded = { 0 };
	struct rules *rules;

	buffer_append_string(&text, "instant a:b event=s:event name={comm} ");
	for (int i = 0; i < 600; i++)
		buffer_append_char(&text, 'x');
	rules = decode(buffer_string(&text), &whole_record, &decoded);
	CHECK_NUMBER(decoded.slice_name.size, 512);
	rules_free(rules);
}

TEST(unknown_fields_are_refused)
{
	check_error("instant a:b event=s:event name={nothing}",
		    "-r:1: a:b: s:event: no field 'nothing'");
	check_error("instant a:b event=s:event track={nothing:dev}",
		    "-r:1: a:b: s:event: no field 'nothing'");
	check_error("instant a:b event=s:event scope=nothing", "-r:1: a:b: s:event: no field 'nothing'");
	check_error("instant a:b event=s:event scope=dev, nothing",
		    "-r:1: a:b: s:event: no field 'nothing'");
	check_error("instant a:b event=s:event args=dev, nothing",
		    "-r:1: a:b: s:event: args: no field 'nothing'");
	check_error("counter a:b event=s:event value=nothing", "-r:1: a:b: s:event: no field 'nothing'");
	check_error("slice a:b begin=s:event end=s:event match=nothing",
		    "-r:1: a:b: s:event: no field 'nothing'");
	check_error("slice a:b begin=s:event end=s:event match=dev + nothing",
		    "-r:1: a:b: s:event: no field 'nothing'");
	check_error("slice a:b begin=s:event end=s:event match=nothing + dev",
		    "-r:1: a:b: s:event: no field 'nothing'");
	check_error("slice a:b begin=s:event end=s:event match=dev -> nothing",
		    "-r:1: a:b: s:event: no field 'nothing'");
	check_error("instant a:b event=s:event where=nothing > 1",
		    "-r:1: a:b: s:event: column 1: event has no field 'nothing'; it has small, "
		    "flag, dev, wide, function, comm, name, raw, id");
}

/* Of a pack or a recording, or of a program's event, only what does not fit is left out. */
TEST(what_does_not_fit_is_left_out)
{
	static const char text[] = "instant a:whole event=s:event name={dev}\n"
				   "instant a:lacks event=s:event name={nothing}\n"
				   "instant a:none event=program:*:event name={nothing}\n";
	struct rules *rules = rules_new();
	struct error error = { 0 };
	const struct decoded_event *decoded;

	CHECK_NUMBER(rules_add_text(rules, text_of(text), RULES_OF_RECORDING, &error), 0);
	CHECK_NUMBER(rules_close(rules, false, &error), 0);
	CHECK_NUMBER(rules_bind(rules, "s", "event", text_of(format_text), &error), RULES_MISFIT);
	CHECK_TEXT(error.text, RULES_OF_RECORDING ":2: a:lacks: s:event: no field 'nothing'");
	decoded = event_of(rules, &whole_record);
	CHECK(decoded && decoded->descriptor == rules_descriptor(rules, 0));
	error.text[0] = '\0';
	CHECK_NUMBER(rules_bind(rules, "program:s", "event", text_of(format_text), &error),
		     RULES_MISFIT);
	CHECK_TEXT(error.text, RULES_OF_RECORDING ":3: a:none: program:*:event: no field 'nothing'");
	CHECK(!rules_find_name(rules, "program:s", "event"));
	CHECK_NUMBER(rules->nr_misfits, 2);
	rules_free(rules);
}

/* Who wrote a rule corrects it; but no program's event ends a run. */
TEST(a_rule_of_the_user_fits_the_kernel)
{
	struct rules *rules = rules_new();
	struct error error = { 0 };

	CHECK_NUMBER(rules_add(rules, "instant a:none event=program:s:event name={nothing}", &error), 0);
	CHECK_NUMBER(rules_close(rules, false, &error), 0);
	CHECK_NUMBER(rules_bind(rules, "program:s", "event", text_of(format_text), &error),
		     RULES_MISFIT);
	CHECK(!rules_are_bound(rules));
	rules_free(rules);
	check_error("instant a:b event=s:event name={nothing}",
		    "-r:1: a:b: s:event: no field 'nothing'");
}

TEST(a_rule_that_fits_nowhere_is_not_bound)
{
	struct rules *rules = rules_new();
	struct error error = { 0 };

	CHECK_NUMBER(rules_add_text(rules, text_of("instant a:b event=s:event name={nothing}"),
				    RULES_OF_RECORDING, &error), 0);
	CHECK_NUMBER(rules_close(rules, false, &error), 0);
	CHECK_NUMBER(rules_bind(rules, "s", "event", text_of(format_text), &error), RULES_MISFIT);
	CHECK(!rules_are_bound(rules));
	CHECK(!rules_find_name(rules, "s", "event"));
	rules_free(rules);
}

static void line_note(void *context, const char *line)
{
	buffer_append_string(context, line);
}

/* Only the user may correct a list of args. */
TEST(args_that_packs_name_may_lack)
{
	SCOPED_BUFFER(lines);
	const struct report report = { .context = &lines, .message = line_note };
	struct rules *rules = rules_new();
	struct error error = { 0 };
	const struct decoded_event *decoded;

	CHECK_NUMBER(rules_add_text(rules, text_of("instant a:b event=s:event args=nothing, dev, none"),
				    RULES_OF_RECORDING, &error), 0);
	CHECK_NUMBER(rules_close(rules, false, &error), 0);
	CHECK_NUMBER(rules_bind(rules, "s", "event", text_of(format_text), &error), 0);
	decoded = event_of(rules, &whole_record);
	CHECK(decoded && decoded->nr_extras == 1);
	rules_report_absent(rules, &report);
	CHECK_TEXT(buffer_string(&lines), "a:b: args left out, s:event has none: nothing, none");
	rules_free(rules);
	check_error("instant a:b event=s:event args=dev, nothing",
		    "-r:1: a:b: s:event: args: no field 'nothing'");
}

/* The name of the instant of a rule with these alternatives, or why it is not bound. */
static const char *chosen_name(const char *text, const char *source)
{
	static char result[200];
	struct rules *rules = rules_new();
	struct error error = { 0 };
	const struct decoded_event *decoded = NULL;

	CHECK_NUMBER(rules_add_text(rules, text_of(text), source, &error), 0);
	CHECK_NUMBER(rules_close(rules, false, &error), 0);
	if (rules_bind(rules, "s", "event", text_of(format_text), &error) == 0)
		decoded = event_of(rules, &whole_record);
	snprintf(result, sizeof(result), "%.*s", decoded ? (int)decoded->slice_name.size : 100,
		 decoded ? decoded->slice_name.data : error.text);
	rules_free(rules);
	return result;
}

TEST(the_first_alternative_that_fits_is_bound)
{
	static const char first[] = "instant a:b\n event=s:event name=one {dev}\n or=s:event name=two {dev}\n";
	static const char second[] = "instant a:b\n event=s:event name={nothing}\n or=s:event name=two {dev}\n";
	static const char args[] = "instant a:b\n event=s:event name=one args=none\n or=s:event name=two args=none, dev\n";
	static const char none[] = "instant a:b\n event=s:event name={nothing}\n or=s:event name={none}\n";

	CHECK_TEXT(chosen_name(first, "-r"), "one 8388624");
	CHECK_TEXT(chosen_name(second, "-r"), "two 8388624");
	CHECK_TEXT(chosen_name(second, RULES_OF_RECORDING), "two 8388624");
	CHECK_TEXT(chosen_name(args, RULES_OF_RECORDING), "two");
	CHECK_TEXT(chosen_name(none, "-r"), "-r:1: a:b: s:event: no field 'none'");
}

/* What a rule wants of s:x, s:y and s:z if these of them exist. */
static const char *wanted(const char *text, const char *existing)
{
	static char result[4];
	char *at = result, name[2] = "";
	struct rules *rules = rules_new();
	struct error error = { 0 };

	CHECK_NUMBER(rules_add(rules, text, &error), 0);
	CHECK_NUMBER(rules_close(rules, false, &error), 0);
	for (; *existing; existing++) {
		name[0] = *existing;
		rules_note(rules, "s", name);
	}
	rules_choose(rules);
	for (name[0] = 'x'; name[0] <= 'z'; name[0]++) {
		if (rules_want(rules, "s", name))
			*at++ = name[0];
	}
	*at = '\0';
	rules_free(rules);
	return result;
}

TEST(the_first_alternative_that_exists_is_used)
{
	static const char text[] = "instant a:b event=s:x or=s:y or=s:[yz]";

	CHECK_TEXT(wanted(text, "xyz"), "x");
	CHECK_TEXT(wanted(text, "yz"), "y");
	CHECK_TEXT(wanted(text, "z"), "yz");
	CHECK_TEXT(wanted(text, ""), "xyz");
	CHECK_TEXT(wanted("instant a:b event=s:x or=s:y event=s:z", "xyz"), "xz");
}

/* Begins without an end would hide the ends of others; what may come later is not left out. */
TEST(begins_need_an_end_that_exists)
{
	static const char one[] = "slice a:b begin=s:x end=s:y";
	static const char two[] = "slice a:b begin=s:x end=s:y begin=s:z end=s:w";

	CHECK_TEXT(wanted(two, "xyzw"), "xyz");
	CHECK_TEXT(wanted(two, "xyz"), "xy");
	CHECK_TEXT(wanted(two, "xzw"), "yz");
	CHECK_TEXT(wanted(two, "yzw"), "xz");
	CHECK_TEXT(wanted(two, "xy"), "xyz");
	CHECK_TEXT(wanted(one, "x"), "xy");
}

TEST(ids_have_16_bits)
{
	struct rules *rules = rules_new();
	struct error error = { 0 };

	CHECK_NUMBER(rules_add(rules, "instant a:b event=s:event", &error), 0);
	CHECK_NUMBER(rules_close(rules, false, &error), 0);
	CHECK_NUMBER(rules_bind(rules, "s", "event", text_of(FORMAT("event", 65541, "")), &error), 1);
	CHECK(!record_tracepoint(rules, &whole_record));
	rules_free(rules);
}

TEST(fields_have_the_right_kind)
{
	check_error("instant a:b event=s:event scope=comm",
		    "-r:1: a:b: s:event: field 'comm' is not an integer");
	check_error("instant a:b event=s:event scope=thread:name",
		    "-r:1: a:b: s:event: field 'name' is not an integer");
	check_error("counter a:b event=s:event value=raw",
		    "-r:1: a:b: s:event: field 'raw' is not an integer");
	check_error("slice a:b begin=s:event end=s:event match=comm",
		    "-r:1: a:b: s:event: field 'comm' is not an integer");
	check_error("instant a:b event=s:event where=comm > 1",
		    "-r:1: a:b: s:event: column 8: expected a string in quotes, as field comm is text");
}

TEST(the_uses_of_a_rule_agree)
{
	check_error("state a:b on=s:event scope=cpu on=s:event scope=dev",
		    "-r:1:1: a:b: its scopes are of different kinds");
	check_error("state a:b on=s:event scope=id, dev on=s:event scope=dev",
		    "-r:1:1: a:b: its scopes have different numbers of fields");
	check_error("counter a:b of=a:c", "-r:1:1: a:b: 'of' names no slice rule");
	check_error("slice a:work begin=x:y end=x:z\ncounter a:b of=a:wrok",
		    "-r:2:1: a:b: 'of' names no slice rule; did you mean 'a:work'?");
	check_error("slice a:b begin=s:event end=s:event\nslice a:b begin=s:event end=s:event",
		    "-r:2:1: a:b is also in -r:1");
}

static void check_scope(const char *scope, enum descriptor_scope kind, long long want)
{
	struct decoded_event decoded = { 0 };
	SCOPED_BUFFER(text);
	struct rules *rules;

	buffer_printf(&text, "instant a:b event=s:event scope=%s", scope);
	rules = decode(buffer_string(&text), &whole_record, &decoded);
	if (rules) {
		CHECK_NUMBER(decoded.descriptor->scope, kind);
		CHECK_NUMBER(decoded.scope_id.signed_number, want);
		CHECK_NUMBER(decoded.tid, 7);
	}
	rules_free(rules);
}

TEST(every_scope)
{
	check_scope("thread", DESCRIPTOR_SCOPE_THREAD, 7);
	check_scope("thread:small", DESCRIPTOR_SCOPE_THREAD, -2);
	check_scope("process:id", DESCRIPTOR_SCOPE_PROCESS, 1);
	check_scope("cpu", DESCRIPTOR_SCOPE_CPU, 3);
	check_scope("cpu:id", DESCRIPTOR_SCOPE_CPU, 1);
	check_scope("global", DESCRIPTOR_SCOPE_GLOBAL, 0);
	check_scope("wide", DESCRIPTOR_SCOPE_CUSTOM, -1);
	check_scope("flag", DESCRIPTOR_SCOPE_CUSTOM, 1);
	check_scope("small, dev", DESCRIPTOR_SCOPE_CUSTOM, 0x800010);
}

TEST(several_fields_are_one_key)
{
	struct decoded_event decoded = { 0 };
	struct rules *rules = decode("slice a:b begin=s:event end=s:event scope=small, dev "
				     "match=id, wide, dev + small",
				     &whole_record, &decoded);

	if (CHECK(decoded.keys != NULL)) {
		CHECK_NUMBER(decoded.keys->nr_outer, 1);
		CHECK_NUMBER(decoded.keys->outer[0].value.signed_number, -2);
		CHECK_NUMBER(decoded.keys->is_async, 1);
		CHECK_NUMBER(decoded.keys->ids[0], 1);
		CHECK_NUMBER((int64_t)decoded.keys->ids[1], -1);
		CHECK_NUMBER(decoded.keys->ids[2], 0x800010 - 2);
	}
	rules_free(rules);
}

TEST(values_of_counters)
{
	struct decoded_event decoded = { 0 };
	struct rules *rules = decode("counter a:b event=s:event value=small unit=K", &whole_record,
				     &decoded);

	CHECK_NUMBER(decoded.kind, DECODED_COUNTER);
	CHECK_NUMBER(decoded.counter_value.signed_number, -2);
	CHECK_NUMBER(text_equals(decoded.track_name, text_of("b (K)")), 1);
	rules_free(rules);
	rules = decode("counter a:b event=s:event value=-dev", &whole_record, &decoded);
	CHECK_NUMBER(decoded.kind, DECODED_CHANGE);
	CHECK_NUMBER(decoded.counter_value.signed_number, -0x800010);
	rules_free(rules);
}

TEST(args_are_a_list_all_or_none)
{
	static const struct {
		const char *args;
		size_t count;
	} cases[] = { { "", 9 }, { " args=*", 9 }, { " args=-", 0 }, { " args=comm, dev", 2 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct decoded_event decoded = { 0 };
		struct buffer text = { 0 };
		struct rules *rules;

		buffer_printf(&text, "instant a:b event=s:event%s", cases[i].args);
		rules = decode(buffer_string(&text), &whole_record, &decoded);
		CHECK_NUMBER(decoded.nr_extras, cases[i].count);
		rules_free(rules);
		buffer_release(&text);
	}
}

TEST(texts_that_share_their_bytes_take_no_more_than_the_record)
{
	/* Three fields of 24 of the record's 64 bytes each: two fit. */
	static const char shared[] = FORMAT("event", 5,
					    FIELD("u8 a[24]", 8, 24, 0) FIELD("u8 b[24]", 8, 24, 0)
						    FIELD("u8 c[24]", 8, 24, 0));
	struct rules *rules = rules_new();
	const struct decoded_event *decoded;
	struct error error = { 0 };

	CHECK_NUMBER(rules_add(rules, "instant a:b event=s:event", &error), 0);
	CHECK_NUMBER(rules_close(rules, false, &error), 0);
	CHECK_NUMBER(rules_bind(rules, "s", "event", text_of(shared), &error), 0);
	decoded = event_of(rules, &whole_record);
	if (CHECK(decoded != NULL))
		CHECK_NUMBER(decoded->nr_extras, 2);
	rules_free(rules);
}

TEST(a_condition_hides_begins_on_a_stack_and_drops_other_records)
{
	struct decoded_event decoded = { 0 };
	struct error error = { 0 };
	struct rules *rules = decode("slice a:b begin=s:event end=s:event where=id > 1",
				     &whole_record, &decoded);

	CHECK_NUMBER(decoded.kind, DECODED_HIDDEN_BEGIN);
	CHECK(decoded.descriptor->is_selective);
	rules_free(rules);
	rules = decode("slice a:b begin=s:event end=s:event where=id > 1 match=dev", &whole_record,
		       &decoded);
	CHECK_NUMBER(decoded.kind, DECODED_END);
	rules_free(rules);
	rules = rules_make("instant a:b event=s:event where=id > 1", &error);
	CHECK(!event_of(rules, &whole_record));
	rules_free(rules);
}

/* Records of every size are in blocks of their own, so that sanitizers see reads behind them. */
TEST(short_records_are_malformed)
{
	struct error error = { 0 };
	struct rules *rules = rules_make("slice a:b begin=s:event end=s:event scope=dev match=id "
					 "name={name} {comm} {function:function}",
					 &error);

	for (size_t size = 0; size <= sizeof(record_bytes); size++) {
		unsigned char *bytes = malloc(size ? size : 1);
		struct record record = { .data = bytes, .size = size };
		struct rule_tracepoint *tracepoint;
		const struct decoded_event *decoded;

		memcpy(bytes, record_bytes, size);
		tracepoint = record_tracepoint(rules, &record);
		CHECK_NUMBER(tracepoint != NULL, size >= 2);
		decoded = event_of(rules, &record);
		if (tracepoint && CHECK(decoded != NULL))
			CHECK_NUMBER(decoded->problem != NULL, size < 56);
		free(bytes);
	}
	rules_free(rules);
}

TEST(packs_files_and_rules_are_added)
{
	struct rules *rules = rules_new();
	struct error error = { 0 };

	for (const struct rule_pack *pack = rule_packs; pack->name; pack++) {
		CHECK_NUMBER(rules_add(rules, pack->name, &error), 0);
		CHECK(rule_pack_find(text_of(pack->name)) == pack);
	}
	CHECK_NUMBER(rules_add(rules, "block,block", &error), 0);
	CHECK_NUMBER(rules_close(rules, false, &error), 0);
	CHECK_TEXT(error.text, "");
	rules_free(rules);
	check_error("nonsense", "'nonsense': no such pack; see 'ktrack list --rules', write ./nonsense "
				"for a file");
	check_error("shed", "'shed': no such pack; did you mean 'sched'?");
	check_error("irq,blok", "'blok': no such pack; did you mean 'block'?");
	check_error("sched:thread", "'sched:thread': no such pack; did you mean 'sched'?");
	check_error("", "'': no such pack; see 'ktrack list --rules', write ./ for a file");
	check_error("./nothing-there", "./nothing-there: No such file or directory");
}

/* The last line that was reported. */
static void line_keep(void *context, const char *line)
{
	struct buffer *last = context;

	buffer_clear(last);
	buffer_append_string(last, line);
}

/* Returns rules of @nr_rules, each of which uses all tracepoints of the system s. */
static struct rules *wildcards_make(size_t nr_rules)
{
	struct rules *rules = rules_new();
	struct error error = { 0 };

	for (size_t i = 0; i < nr_rules; i++) {
		struct buffer text = { 0 };

		buffer_printf(&text, "instant a:b%zu event=s:*", i);
		CHECK_NUMBER(rules_add(rules, buffer_string(&text), &error), 0);
		buffer_release(&text);
	}
	CHECK_NUMBER(rules_close(rules, false, &error), 0);
	return rules;
}

TEST(memory_of_pairs_has_a_limit)
{
	enum { NR_RULES = 96 };
	struct rules *rules = wildcards_make(NR_RULES);
	SCOPED_BUFFER(last);
	SCOPED_BUFFER(want);
	const struct report report = { .context = &last, .message = line_keep };
	struct error error = { 0 };
	size_t one = 0, nr_bound = 0;

	for (size_t left = RULES_PAIRS_SIZE_MAX; rules->nr_left_out == 0 && left > 0; nr_bound++) {
		CHECK_NUMBER(rules_bind(rules, "s", "event", text_of(format_text), &error), 0);
		one = rules->tracepoints[0]->pairs_size;
		left = RULES_PAIRS_SIZE_MAX - rules->pairs_size;
	}
	CHECK(nr_bound > 20 && one / NR_RULES > 1000);
	CHECK(RULES_PAIRS_SIZE_MAX - rules->pairs_size < one / NR_RULES);
	CHECK_NUMBER(rules->tracepoints[nr_bound - 1]->nr_actions, NR_RULES - rules->nr_left_out);
	buffer_printf(&want,
		      "rules: left out %zu uses of tracepoints: all take at most 16 MiB; use fewer "
		      "rules with wildcards",
		      rules->nr_left_out + NR_RULES);
	CHECK_NUMBER(rules_bind(rules, "s", "more", text_of(format_text), &error), 0);
	CHECK(!rules_find_name(rules, "s", "more"));
	rules_report_left_out(rules, &report);
	CHECK_TEXT(buffer_string(&last), buffer_string(&want));
	buffer_clear(&last);
	rules_report_left_out(rules, &report);
	CHECK_TEXT(buffer_string(&last), "");
	/* A module that is loaded again and again has its memory each time. */
	rules_drop(rules, "s", "event");
	CHECK_NUMBER(rules_bind(rules, "s", "more", text_of(format_text), &error), 0);
	CHECK_NUMBER(rules_find_name(rules, "s", "more")->nr_actions, NR_RULES);
	CHECK_TEXT(error.text, "");
	rules_free(rules);
}

TEST(names_of_fields_count_as_memory_of_pairs)
{
	enum { NAME_SIZE = 100000 };
	struct rules *rules = wildcards_make(50);
	SCOPED_BUFFER(format);
	struct error error = { 0 };

	buffer_append_string(&format, "name: event\nID: 5\nformat:\n" FIELD(
					      "int common_pid", 4, 4, 1) "\n\tfield:u8 ");
	for (int i = 0; i < NAME_SIZE; i++)
		buffer_append_char(&format, 'x');
	buffer_append_string(&format, ";\toffset:8;\tsize:1;\tsigned:0;\n\nprint fmt: \"\"\n");
	for (int i = 0; i < 10; i++)
		CHECK_NUMBER(rules_bind(rules, "s", "event", buffer_text(&format), &error), 0);
	CHECK(rules->pairs_size <= RULES_PAIRS_SIZE_MAX);
	CHECK(rules->pairs_size > RULES_PAIRS_SIZE_MAX - 3 * NAME_SIZE);
	CHECK(rules->nr_left_out > 300 && rules->nr_left_out < 500);
	CHECK_TEXT(error.text, "");
	rules_free(rules);
}

TEST(compared_names_have_a_limit)
{
	struct rules *rules = wildcards_make(3);
	SCOPED_BUFFER(last);
	const struct report report = { .context = &last, .message = line_keep };
	struct error error = { 0 };

	rules->nr_compared = RULES_COMPARED_MAX - 5;
	CHECK_NUMBER(rules_bind(rules, "s", "first", text_of(format_text), &error), 0);
	CHECK_NUMBER(rules_bind(rules, "s", "second", text_of(format_text), &error), 0);
	CHECK(rules_find_name(rules, "s", "first") != NULL);
	CHECK(!rules_find_name(rules, "s", "second"));
	rules_report_left_out(rules, &report);
	CHECK_TEXT(buffer_string(&last),
		   "rules: left out 1 tracepoint: at most 33554432 names are compared; use fewer "
		   "rules");
	rules_free(rules);
}
