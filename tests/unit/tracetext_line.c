// SPDX-License-Identifier: GPL-2.0-only
/* Tests of lines of ftrace's text: their columns, in every form. */
#include "tracetext/internal.h"

#include "fixtures/tap.h"

/* The columns of a line, with "|" between them; "other" for what is none. */
static const char *columns_of(const char *bytes, struct buffer *out)
{
	struct text_line line;

	text_line_parse(text_of(bytes), &line);
	buffer_clear(out);
	if (line.kind == TEXT_LINE_OTHER)
		return "other";
	if (line.kind == TEXT_LINE_LOSS) {
		buffer_printf(out, "cpu %d lost %lld", line.cpu, (long long)line.lost);
		return buffer_string(out);
	}
	if (line.kind == TEXT_LINE_SWITCH) {
		buffer_printf(out, "cpu %d to %.*s-%d", line.cpu, (int)line.comm.size,
			      line.comm.data, line.tid);
		return buffer_string(out);
	}
	buffer_printf(out, "%.*s|%d|%d|%d|%x|%lld|%.*s|%.*s", (int)line.comm.size, line.comm.data,
		      line.tid, line.tgid, line.cpu, line.flags, (long long)line.time_ns,
		      (int)line.event.size, line.event.data, (int)line.text.size, line.text.data);
	return buffer_string(out);
}

/** struct sample - a line, and its columns */
struct sample {
	const char *line;
	const char *columns;
};

static void check_samples(const struct sample *samples, size_t nr_samples)
{
	SCOPED_BUFFER(out);

	for (size_t i = 0; i < nr_samples; i++)
		CHECK_TEXT(columns_of(samples[i].line, &out), samples[i].columns);
}

#define CHECK_SAMPLES(samples) check_samples(samples, sizeof(samples) / sizeof(samples[0]))

TEST(columns_are_those_of_tracefs_trace_cmd_and_systrace)
{
	static const struct sample samples[] = {
		{ "            bash-1977    [000] d..2. 17284.993652: irq_handler_entry: irq=5 "
		  "name=e",
		  "bash|1977|0|0|1|17284993652000|irq_handler_entry|irq=5 name=e" },
		{ "            bash-1977    (   1970) [000] d.h3. 17284.993652: e: x",
		  "bash|1977|1970|0|9|17284993652000|e|x" },
		{ "          <idle>-0     (-----) [013] ..s1 7.000001: e: x",
		  "<idle>|0|0|13|10|7000001000|e|x" },
		{ "           <...>-40    [001]  1000003000: e:    x",
		  "|40|0|1|0|1000003000|e|   x" },
		{ "     kworker/0:1-20    [000]  1.000000002: e: x",
		  "kworker/0:1|20|0|0|0|1000000002|e|x" },
		{ "a-1 [001]1795906463331482646: e: x", "a|1|0|1|0|1795906463331482646|e|x" },
		{ "a-1 [001] 5.000000: e:", "a|1|0|1|0|5000000000|e|" },
		{ "a-1 [001] 5.000000: kfree <-putname",
		  "a|1|0|1|0|5000000000|function|kfree <-putname" },
		{ "      ls-4734    2d.s1. 106439.675571: e: x",
		  "ls|4734|0|2|11|106439675571000|e|x" },
		{ "  <idle>-0       1dNh3.  123us!: e: x", "<idle>|0|0|1|d|123000|e|x" },
		{ "  a-7       1.....  123us : kfree <-putname",
		  "a|7|0|1|0|123000|function|kfree <-putname" },
		{ "a-1 [001] 5.000000: e: x\r", "a|1|0|1|0|5000000000|e|x" },
	};

	CHECK_SAMPLES(samples);
}

TEST(a_name_may_look_like_columns)
{
	static const struct sample samples[] = {
		{ "  my - app]=-77 [002] 5.000000: e: x", "my - app]=|77|0|2|0|5000000000|e|x" },
		{ "  a [001] b-77 [002] 5.000000: e: x", "a [001] b|77|0|2|0|5000000000|e|x" },
		{ "  a-1 [001]-77 [002] 5.000000: e: x", "a-1 [001]|77|0|2|0|5000000000|e|x" },
		{ "  a==>b (3)-77 ( 70) [002] 5.000000: e: x",
		  "a==>b (3)|77|70|2|0|5000000000|e|x" },
		{ "  a-1 [001] 5.000000: e: b-2 [002] 6.000000: f: y",
		  "a|1|0|1|0|5000000000|e|b-2 [002] 6.000000: f: y" },
	};

	CHECK_SAMPLES(samples);
}

TEST(calls_of_function_graph_have_the_columns_of_tracefs)
{
	static const struct sample samples[] = {
		{ " 0)   1.382 us    |      getname();",
		  "|-1|0|0|0|0|funcgraph_entry|  1.382 us    |      getname();" },
		{ " 12)               |  do_sys_open(a=1) {",
		  "|-1|0|12|0|0|funcgraph_entry|              |  do_sys_open(a=1) {" },
		{ " 0) ! 151.456 us  |  } /* f */",
		  "|-1|0|0|0|0|funcgraph_exit|! 151.456 us  |  } /* f */" },
		{ "   10.000001 |   1)    a-b-7      |  d.h1. |               |  f() {",
		  "a-b|7|0|1|9|10000001000|funcgraph_entry|               |  f() {" },
		{ " 0)    <idle>-0    =>   a =>-18  ", "cpu 0 to a =>-18" },
		{ " 0)               |  /* sched_waking: comm=b */",
		  "|-1|0|0|0|0|sched_waking|comm=b" },
		{ " 0)               |  /* so much for this */",
		  "|-1|0|0|0|0|bprint|so much for this" },
		{ " 0)   ==========> |", "other" },
		{ " 0)               |  /* cut", "other" },
		{ " 0)               |  words", "other" },
		{ " 0)               |", "other" },
		{ " 0)   1.3825 us   |  f();", "other" },
		{ " 0)   a note | of more |  f();", "other" },
		{ " 4096)  1.382 us  |  f();", "other" },
		{ " 1.5 |  1.382 us  |  f();", "other" },
		{ "1) f();", "other" },
	};

	CHECK_SAMPLES(samples);
}

TEST(losses_have_the_kernels_and_trace_cmds_form)
{
	static const struct sample samples[] = {
		{ "CPU:3 [LOST 120 EVENTS]", "cpu 3 lost 120" },
		{ "CPU:3 [LOST EVENTS]", "cpu 3 lost -1" },
		{ "CPU:3 [120 EVENTS DROPPED]", "cpu 3 lost 120" },
		{ "CPU:3 [EVENTS DROPPED]", "cpu 3 lost -1" },
		{ "CPU:4096 [LOST 1 EVENTS]", "other" },
	};

	CHECK_SAMPLES(samples);
}

TEST(other_lines_are_no_records)
{
	static const struct sample samples[] = {
		{ "", "other" },
		{ "# tracer: nop", "other" },
		{ "cpus=2", "other" },
		{ "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION", "other" },
		{ "a-1 [4096] 5.000000: e: x", "other" },
		{ "a-1 [001] 5.0000000001: e: x", "other" },
		{ "a-1 [001] 4611686018427387904: e: x", "other" },
		{ "a-1 [001] 99999999999.000000: e: x", "other" },
		{ "a-1 [001] 5.000000:", "other" },
		{ "a-1 1 5.000000: e: x", "other" },
		{ "a-1 1q.... 5.000000: e: x", "other" },
		{ "a-1 1d.... 4611686018427388us: e: x", "other" },
		{ "a-99999999999 [001] 5.000000: e: x", "other" },
		{ "a [001] 5.000000: e: x", "other" },
		{ "-1 [001] 5.000000: e: x", "|1|0|1|0|5000000000|e|x" },
	};

	CHECK_SAMPLES(samples);
}

/* The fields of an event's record by its format, with their values. */
static const char *fields_of(const char *name, const char *text, struct buffer *out)
{
	struct text_line line = { .tid = 7, .event = text_of(name), .text = text_of(text) };
	struct buffer bytes = { 0 }, description = { 0 };
	struct format format = { 0 };
	struct text_event event;
	struct record record;

	CHECK_NUMBER(text_event_init(&event, line.event, true, 1000), 0);
	buffer_clear(out);
	if (!text_event_pack(&event, &line, &bytes)) {
		text_event_release(&event);
		return "no form";
	}
	text_event_describe(&event, &description);
	CHECK_NUMBER(format_parse(&format, buffer_text(&description)), 0);
	record = (struct record){ .data = (unsigned char *)bytes.data, .size = bytes.size };
	buffer_printf(out, "%s:", event.system);
	for (size_t i = format.nr_common; i < format.nr_fields; i++) {
		struct field_ref ref = field_ref_of(&format.fields[i], false);
		struct value value = { 0 };

		/* The text to the end of the record, as that of trace_marker. */
		if (format.fields[i].size == 0)
			value = (struct value){ .kind = VALUE_TEXT,
						.text = text_of(bytes.data +
								format.fields[i].offset) };
		else
			CHECK(field_read(&ref, &record, &value));
		if (value.kind == VALUE_TEXT)
			buffer_printf(out, " %s=%.*s", format.fields[i].name, (int)value.text.size,
				      value.text.data);
		else
			buffer_printf(out, " %s=%lld", format.fields[i].name,
				      (long long)value.signed_number);
	}
	format_release(&format);
	buffer_release(&bytes);
	buffer_release(&description);
	text_event_release(&event);
	return buffer_string(out);
}

TEST(system_calls_are_those_of_the_tracepoints_of_all)
{
	static const char *const samples[][4] = {
		{ "function", "sys_read(fd: 3)", "sys_enter", "NR %d ()" },
		{ "function", "sys_read -> 0x10", "sys_exit", "NR %d = 16" },
		{ "sys_enter_read", "fd: 0x3", "sys_enter", "NR %d ()" },
		{ "sys_exit_read", "     0xfffffffffffffffe", "sys_exit", "NR %d = -2" },
		{ "sys_enter_nocall", "fd: 0x3", "sys_enter_nocall", "fd: 0x3" },
		{ "sys_exit_read", "?", "sys_exit_read", "?" },
		{ "function", "sys_read <-x", "function", "sys_read <-x" },
		{ "function", "kfree <-x", "function", "kfree <-x" },
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct buffer event = { 0 }, text = { 0 }, want = { 0 };

		buffer_append_string(&event, samples[i][0]);
		buffer_append_string(&text, samples[i][1]);
		text_line_name_call(&event, &text);
		buffer_append_string(&want, samples[i][3]);
		if (strstr(samples[i][3], "%d")) {
			buffer_clear(&want);
			buffer_printf(&want, "NR %d%s", syscall_number("read"),
				      samples[i][3] + strlen("NR %d"));
		}
		CHECK_TEXT(buffer_string(&event), samples[i][2]);
		CHECK_TEXT(buffer_string(&text), buffer_string(&want));
		buffer_release(&event);
		buffer_release(&text);
		buffer_release(&want);
	}
}

/** struct form_sample - an event, its text, and its fields */
struct form_sample {
	const char *event;
	const char *text;
	const char *fields;
};

static void check_forms(const struct form_sample *samples, size_t nr_samples)
{
	SCOPED_BUFFER(out);

	for (size_t i = 0; i < nr_samples; i++)
		CHECK_TEXT(fields_of(samples[i].event, samples[i].text, &out), samples[i].fields);
}

#define CHECK_FORMS(samples) check_forms(samples, sizeof(samples) / sizeof(samples[0]))

TEST(switches_have_the_kernels_and_trace_cmds_form)
{
	static const struct form_sample samples[] = {
		{ "sched_switch",
		  "prev_comm=a b prev_pid=1 prev_prio=120 prev_state=D|K ==> next_comm=c ==> d "
		  "next_pid=2 next_prio=-1",
		  "sched: prev_comm=a b prev_pid=1 prev_prio=120 prev_state=2 next_comm=c ==> d "
		  "next_pid=2 next_prio=-1" },
		{ "sched_switch",
		  "prev_comm=a prev_pid=1 prev_prio=120 prev_state=R+ ==> next_comm=c next_pid=2 "
		  "next_prio=9",
		  "sched: prev_comm=a prev_pid=1 prev_prio=120 prev_state=256 next_comm=c "
		  "next_pid=2 next_prio=9" },
		{ "sched_switch", "kworker/1:1:46 [120] W ==> render:295 [101]",
		  "sched: prev_comm=kworker/1:1 prev_pid=46 prev_prio=120 prev_state=128 "
		  "next_comm=render next_pid=295 next_prio=101" },
		{ "sched_switch", "render:295 [120] R ==> kworker/1:1:46",
		  "sched: prev_comm=render prev_pid=295 prev_prio=120 prev_state=0 "
		  "next_comm=kworker/1:1 next_pid=46" },
		{ "sched_switch", "a:1 [120] Z ==> b:2 [120]",
		  "sched: prev_comm=a prev_pid=1 prev_prio=120 prev_state=16 next_comm=b "
		  "next_pid=2 next_prio=120" },
		{ "sched_switch", "something else", "no form" },
	};

	CHECK_FORMS(samples);
}

TEST(fields_are_those_that_rules_use)
{
	static const struct form_sample samples[] = {
		{ "sched_wakeup", "klogd:1084 [120] success=1 CPU:003",
		  "sched: comm=klogd pid=1084 prio=120 target_cpu=3" },
		{ "sched_wakeup", "comm=a b pid=3 prio=120 success=1 target_cpu=001",
		  "sched: comm=a b pid=3 prio=120 target_cpu=1" },
		{ "block_rq_issue", "8,16 WS 4096 () 100 + 8 none,0,0 [dd]",
		  "block: dev=8388624 rwbs=WS bytes=4096 sector=100 nr_sector=8 comm=dd" },
		{ "block_rq_complete", "8,0 FF () 18446744073709551615 + 0 [-5]",
		  "block: dev=8388608 rwbs=FF sector=-1 nr_sector=0 error=-5" },
		{ "sys_enter", "NR 0 (3, 7f, 200, 0, 0, 0)", "raw_syscalls: id=0" },
		{ "sys_exit", "NR -1 = -4", "raw_syscalls: id=-1 ret=-4" },
		{ "irq_handler_exit", "irq=11 ret=unhandled", "irq: irq=11 ret=0" },
		{ "softirq_entry", "vec=3 [action=NET_RX]", "irq: vec=NET_RX" },
		{ "cpuhp_exit", "  cpu: 0001  state:  56 step:  57 ret: 0",
		  "cpuhp: cpu=1 state=56 idx=57 ret=0" },
		{ "workqueue_execute_end", "work struct 0000000000ff01", "workqueue: work=65281" },
		{ "cgroup_attach_task",
		  "dst_root=0 dst_id=20 dst_level=1 dst_path=/a b pid=7 comm=c pid=9",
		  "cgroup: dst_root=0 dst_path=/a b pid=7" },
		{ "cpu_idle", "state=4294967295 cpu_id=5", "power: state=4294967295 cpu_id=5" },
		{ "suspend_resume", "dpm_suspend[2] begin",
		  "power: action=dpm_suspend val=2 start=1" },
		{ "signal_deliver", "sig=17 errno=0 code=1 sa_handler=55d0 sa_flags=14000000",
		  "signal: sig=17 errno=0 code=1 sa_handler=21968 sa_flags=335544320" },
		{ "signal_generate", "sig=17 errno=0 code=262148 comm=a b pid=1 grp=1 res=0",
		  "signal: sig=17 errno=0 code=262148 comm=a b pid=1 group=1 result=0" },
		{ "block_bio_queue", "253,0 WS 2048 + 8 [dd]",
		  "block: dev=265289728 rwbs=WS sector=2048 nr_sector=8 comm=dd" },
		{ "tracing_mark_write", "B|10|frame", "ftrace: ip=0 buf=B|10|frame" },
		{ "print", "tracing_mark_write: E|10", "ftrace: ip=0 buf=E|10" },
		{ "sched_stat_runtime", "comm=a",
		  "sched: track_event_type=73 "
		  "slice_name=sched_stat_runtime text=comm=a" },
		{ "mine", "a\nb", "text: track_event_type=73 slice_name=mine text=a\nb" },
	};

	CHECK_FORMS(samples);
}

TEST(a_pattern_gives_up_on_a_hostile_text)
{
	SCOPED_BUFFER(text);
	SCOPED_BUFFER(out);

	for (int i = 0; i < 800; i++)
		buffer_append_string(&text, "a:1 [");
	CHECK_TEXT(fields_of("sched_switch", buffer_string(&text), &out), "no form");
}
