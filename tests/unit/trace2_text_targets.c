// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of libtrace2's NORMAL and PERF lines, byte by byte, in git's form; and of the EVENT lines
 * that ktrack does not write.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fixtures/capture.h"
#include "fixtures/tap.h"
#include "trace2/trace2.h"

#define TIME_NS INT64_C(1234567891)

/*
 * What PERF has before a message, of the brief form: depth, thread, kind, repository, two times,
 * category.
 */
#define COLUMNS(thread, kind, repo, t_abs, t_rel, category) \
	"d1 | " thread " | " kind " | " repo " | " t_abs " | " t_rel " | " category " | "
#define MAIN "main                    "
#define NO_TIME "         "
#define NO_CATEGORY "            "
#define BARE(kind) COLUMNS(MAIN, kind, "   ", NO_TIME, NO_TIME, NO_CATEGORY)
#define TIMED(kind) COLUMNS(MAIN, kind, "   ", " 1.234567", NO_TIME, NO_CATEGORY)
#define PAST(kind) COLUMNS(MAIN, kind, "   ", " 1.234567", " 0.020000", NO_CATEGORY)

static struct trace2_string bytes_of(const char *string)
{
	return (struct trace2_string){ .data = string, .size = strlen(string) };
}

/** struct text_targets - a session with a capture for each target */
struct text_targets {
	struct capture catches[TRACE2_TARGET_COUNT];
	struct trace2_session *session;
};

static void text_targets_init(struct text_targets *fixture, const struct trace2_settings *settings)
{
	setenv("TZ", "XXX-2", 1);
	tzset();
	fixture->session = trace2_session_new(settings);
	for (int i = 0; i < TRACE2_TARGET_COUNT; i++)
		CHECK_NUMBER(trace2_session_add(fixture->session, i,
						capture_init(&fixture->catches[i]), "catch"),
			     0);
}

static void text_targets_release(struct text_targets *fixture)
{
	trace2_session_free(fixture->session);
	for (int i = 0; i < TRACE2_TARGET_COUNT; i++)
		capture_release(&fixture->catches[i]);
}

static const struct trace2_settings brief = { .sid = "P/S", .is_brief = { true, true, true } };

/*
 * What each target writes for an event, in the brief form. NULL for @json: that is tested
 * elsewhere.
 */
static void check_line(struct trace2_event event, const char *normal, const char *perf,
		       const char *json)
{
	SCOPED(text_targets) fixture;

	event.time_ns = TIME_NS;
	text_targets_init(&fixture, &brief);
	CHECK_NUMBER(trace2_session_write(fixture.session, &event), 0);
	CHECK_TEXT(capture_text(&fixture.catches[TRACE2_NORMAL]), normal);
	CHECK_TEXT(capture_text(&fixture.catches[TRACE2_PERF]), perf);
	if (json)
		CHECK_TEXT(capture_text(&fixture.catches[TRACE2_EVENT]), json);
}

static char *words[] = { "a", "b c", "", "it's!", "x+,-./:=@_^", "\n|", NULL };
#define QUOTED "a 'b c' '' 'it'\\''s'\\!'' x+,-./:=@_^ '\\n|'"
#define WORDS "[\"a\",\"b c\",\"\",\"it's!\",\"x+,-./:=@_^\",\"\\n|\"]"
#define HEAD(kind) "{\"event\":\"" kind "\",\"sid\":\"P/S\",\"thread\":\"main\""

TEST(the_beginning)
{
	check_line((struct trace2_event){ TRACE2_VERSION, .version.exe = "1.2" }, "version 1.2\n",
		   BARE("version     ") "1.2\n",
		   "{\"event\":\"version\",\"sid\":\"P/"
		   "S\",\"thread\":\"main\",\"time\":\"1970-01-01T00:00:01.234567Z\","
		   "\"evt\":\"4\",\"exe\":\"1.2\"}\n");
	check_line((struct trace2_event){ TRACE2_TOO_MANY_FILES }, "", "",
		   HEAD("too_many_files") "}\n");
	check_line((struct trace2_event){ TRACE2_START, .start.argv = words }, "start " QUOTED "\n",
		   TIMED("start       ") QUOTED "\n",
		   HEAD("start") ",\"t_abs\":1.234567,\"argv\":" WORDS "}\n");
	check_line((struct trace2_event){ TRACE2_CMD_PATH, .cmd_path.path = "/a b" },
		   "cmd_path /a b\n", BARE("cmd_path    ") "/a b\n",
		   HEAD("cmd_path") ",\"path\":\"/a b\"}\n");
	check_line((struct trace2_event){ TRACE2_CMD_ANCESTRY, .cmd_ancestry.ancestry = words + 1 },
		   "cmd_ancestry b c <-  <- it's! <- x+,-./:=@_^ <- \\n|\n",
		   BARE("cmd_ancestry") "ancestry:['b c' '' 'it'\\''s'\\!'' x+,-./:=@_^ '\\n|']\n",
		   HEAD("cmd_ancestry") ",\"ancestry\":[\"b "
					"c\",\"\",\"it's!\",\"x+,-./:=@_^\",\"\\n|\"]}\n");
	check_line((struct trace2_event){ TRACE2_CMD_MODE, .cmd_mode.name = "fast" },
		   "cmd_mode fast\n", BARE("cmd_mode    ") "fast\n",
		   HEAD("cmd_mode") ",\"name\":\"fast\"}\n");
	check_line((struct trace2_event){ TRACE2_ALIAS, .alias = { "k", words } },
		   "alias k -> " QUOTED "\n", BARE("alias       ") "alias:k argv:[" QUOTED "]\n",
		   HEAD("alias") ",\"alias\":\"k\",\"argv\":" WORDS "}\n");
}

TEST(a_command_has_a_hierarchy_or_none)
{
	check_line((struct trace2_event){ TRACE2_CMD_NAME, .cmd_name = { "log", "a/log" } },
		   "cmd_name log (a/log)\n", BARE("cmd_name    ") "log (a/log)\n",
		   HEAD("cmd_name") ",\"name\":\"log\",\"hierarchy\":\"a/log\"}\n");
	check_line((struct trace2_event){ TRACE2_CMD_NAME, .cmd_name = { "log", "" } },
		   "cmd_name log\n", BARE("cmd_name    ") "log\n",
		   HEAD("cmd_name") ",\"name\":\"log\"}\n");
}

TEST(the_end)
{
	check_line((struct trace2_event){ TRACE2_EXIT, .exit.code = 3 },
		   "exit elapsed:1.234567 code:3\n", TIMED("exit        ") "code:3\n",
		   HEAD("exit") ",\"t_abs\":1.234567,\"code\":3}\n");
	check_line((struct trace2_event){ TRACE2_ATEXIT, .exit.code = -1 },
		   "atexit elapsed:1.234567 code:-1\n", TIMED("atexit      ") "code:-1\n", NULL);
	check_line((struct trace2_event){ TRACE2_SIGNAL, .signal.signo = 13 },
		   "signal elapsed:1.234567 code:13\n", TIMED("signal      ") "signo:13\n",
		   HEAD("signal") ",\"t_abs\":1.234567,\"signo\":13}\n");
}

TEST(errors_and_remarks)
{
	check_line((struct trace2_event){ TRACE2_ERROR, .error = { bytes_of("no 1"), "no %d" } },
		   "error no 1\n", BARE("error       ") "no 1\n",
		   HEAD("error") ",\"msg\":\"no 1\",\"fmt\":\"no %d\"}\n");
	check_line((struct trace2_event){ TRACE2_ERROR, .error = { bytes_of(""), "%s" } },
		   "error \n", BARE("error       ") "\n",
		   HEAD("error") ",\"msg\":\"\",\"fmt\":\"%s\"}\n");
	check_line((struct trace2_event){ TRACE2_ERROR }, "error\n", BARE("error       ") "\n",
		   HEAD("error") "}\n");
	check_line((struct trace2_event){ TRACE2_PRINTF, .printf.msg = bytes_of("hello | you") },
		   "hello | you\n", TIMED("printf      ") "hello | you\n",
		   HEAD("printf") ",\"t_abs\":1.234567,\"msg\":\"hello | you\"}\n");
	check_line((struct trace2_event){ TRACE2_PRINTF }, "\n", TIMED("printf      ") "\n",
		   HEAD("printf") ",\"t_abs\":1.234567}\n");
}

TEST(characters_that_turn_the_text_around_are_escaped_for_people)
{
	check_line((struct trace2_event){ TRACE2_PRINTF,
					  .printf.msg = bytes_of("a\u202eb\u2066c\u061c") },
		   "a\\u202eb\\u2066c\\u061c\n", TIMED("printf      ") "a\\u202eb\\u2066c\\u061c\n",
		   HEAD("printf") ",\"t_abs\":1.234567,\"msg\":\"a\u202eb\u2066c\u061c\"}\n");
}

TEST(children)
{
	struct trace2_event hook = {
		TRACE2_CHILD_START, .child_start = { 2, "x", "pre push", "/d d", true, true, words }
	};
	static char *const none[] = { NULL };

	check_line(
		hook, "child_start[2] cd '/d d'; git " QUOTED "\n",
		TIMED("child_start ") "[ch2] class:hook hook:pre push cd:'/d d' argv:[git " QUOTED
				      "]\n",
		HEAD("child_start") ",\"child_id\":2,\"child_class\":\"hook\",\"hook_name\":\"pre "
				    "push\",\"cd\":\"/d d\","
				    "\"use_shell\":true,\"argv\":[\"git\",\"a\",\"b "
				    "c\",\"\",\"it's!\",\"x+,-./:=@_^\",\"\\n|\"]}\n");
	check_line((struct trace2_event){ TRACE2_CHILD_START,
					  .child_start = { .is_git = true, .argv = none } },
		   "child_start[0] git \n", TIMED("child_start ") "[ch0] class:? argv:[git]\n",
		   HEAD("child_start") ",\"child_id\":0,\"child_class\":\"?\",\"use_shell\":false,"
				       "\"argv\":[\"git\"]}\n");
	check_line((struct trace2_event){ TRACE2_CHILD_EXIT, .child_exit = { 2, 77, 1, 20000000 } },
		   "child_exit[2] pid:77 code:1 elapsed:0.020000\n",
		   PAST("child_exit  ") "[ch2] pid:77 code:1\n", NULL);
	check_line((struct trace2_event){ TRACE2_CHILD_READY,
					  .child_ready = { 2, 77, "timeout", 20000000 } },
		   "child_ready[2] pid:77 ready:timeout elapsed:0.020000\n",
		   PAST("child_ready ") "[ch2] pid:77 ready:timeout\n",
		   HEAD("child_ready") ",\"child_id\":2,\"pid\":77,\"ready\":\"timeout\",\"t_rel\":"
				       "0.020000}\n");
}

TEST(programs_that_follow)
{
	check_line((struct trace2_event){ TRACE2_EXEC, .exec = { 1, "git x", words } },
		   "exec[1] git x " QUOTED "\n",
		   TIMED("exec        ") "id:1 argv:[git x " QUOTED "]\n",
		   HEAD("exec") ",\"exec_id\":1,\"exe\":\"git x\",\"argv\":" WORDS "}\n");
	check_line((struct trace2_event){ TRACE2_EXEC, .exec = { 1, NULL, words } },
		   "exec[1] " QUOTED "\n", TIMED("exec        ") "id:1 argv:[" QUOTED "]\n",
		   HEAD("exec") ",\"exec_id\":1,\"argv\":" WORDS "}\n");
	check_line((struct trace2_event){ TRACE2_EXEC_RESULT, .exec_result = { 1, 2 } },
		   "exec_result[1] code:2 err:No such file or directory\n",
		   TIMED("exec_result ") "id:1 code:2 err:No such file or directory\n",
		   HEAD("exec_result") ",\"exec_id\":1,\"code\":2}\n");
	check_line((struct trace2_event){ TRACE2_EXEC_RESULT, .exec_result = { 1, -1 } },
		   "exec_result[1] code:-1\n", TIMED("exec_result ") "id:1 code:-1\n", NULL);
}

TEST(parameters_and_repositories)
{
	static const struct trace2_repository one = { "/w t", 1 }, ten = { "/w", 10 };

	check_line(
		(struct trace2_event){ TRACE2_DEF_PARAM, .def_param = { "command", "a.b", "c d" } },
		"def_param scope:command a.b=c d\n",
		COLUMNS(MAIN, "def_param   ", "   ", NO_TIME, NO_TIME, "scope:comman") "a.b:c d\n",
		NULL);
	check_line((struct trace2_event){ TRACE2_DEF_PARAM, .def_param = { "local", "a.b", NULL } },
		   "def_param scope:local a.b\n",
		   COLUMNS(MAIN, "def_param   ", "   ", NO_TIME, NO_TIME, "scope:local ") "a.b\n",
		   NULL);
	check_line((struct trace2_event){ TRACE2_DEF_REPO, .repository = &one },
		   "worktree '/w t'\n",
		   COLUMNS(MAIN, "def_repo    ", "r1 ", NO_TIME, NO_TIME,
			   NO_CATEGORY) "worktree:'/w t'\n",
		   HEAD("def_repo") ",\"repo\":1,\"worktree\":\"/w t\"}\n");
	check_line((struct trace2_event){ TRACE2_DEF_REPO, .repository = &ten }, "worktree /w\n",
		   COLUMNS(MAIN, "def_repo    ", "r10 ", NO_TIME, NO_TIME,
			   NO_CATEGORY) "worktree:/w\n",
		   NULL);
}

TEST(regions_and_data_are_columns_and_dots)
{
	struct trace2_text *category = trace2_text_new(bytes_of("long|category"));
	struct trace2_text *name = trace2_text_new(bytes_of("la|bel\n"));
	struct trace2_event region = { TRACE2_REGION_LEAVE,
				       .region = { 2, 20000000, category, name, bytes_of("m") } };
	struct trace2_event data = { TRACE2_DATA,
				     .data = { 2, 20000000, category, name, bytes_of("v") } };

	check_line(region, "",
		   COLUMNS(MAIN, "region_leave", "   ", " 1.234567", " 0.020000",
			   "long\\x7ccategor") "..label:la|bel\\n m\n",
		   NULL);
	region.kind = TRACE2_REGION_ENTER;
	region.region.msg.data = NULL;
	region.region.nesting = 1;
	check_line(region, "",
		   COLUMNS(MAIN, "region_enter", "   ", " 1.234567", NO_TIME,
			   "long\\x7ccategor") "label:la|bel\\n\n",
		   HEAD("region_enter") ",\"nesting\":1,\"category\":\"long|category\",\"label\":"
					"\"la|bel\\n\"}\n");
	region.region.category = region.region.label = NULL;
	region.region.msg = bytes_of("");
	check_line(region, "", TIMED("region_enter") " \n",
		   HEAD("region_enter") ",\"nesting\":1,\"msg\":\"\"}\n");
	check_line(data, "",
		   COLUMNS(MAIN, "data        ", "   ", " 1.234567", " 0.020000",
			   "long\\x7ccategor") "..la|bel\\n:v\n",
		   NULL);
	data.data.nesting = 3;
	check_line(data, "",
		   COLUMNS(MAIN, "data        ", "   ", " 1.234567", " 0.020000",
			   "long\\x7ccategor") "....la|bel\\n:v\n",
		   "");
	trace2_text_free(category);
	trace2_text_free(name);
}

TEST(other_events_are_indented_by_the_regions_around_them)
{
	struct trace2_event event = { TRACE2_CMD_MODE, .nr_regions = 2, .cmd_mode.name = "m" };

	check_line(event, "cmd_mode m\n", BARE("cmd_mode    ") "....m\n", NULL);
}

/* 0.0000035 is below its half as a double, 0.0000045 is above. */
TEST(timers_are_rounded_and_counters_unsigned)
{
	struct trace2_text *category = trace2_text_new(bytes_of("c"));
	struct trace2_text *name = trace2_text_new(bytes_of("n"));
	struct trace2_event timer = { TRACE2_TIMER,
				      .timer = { category, name, 3, 1500000600, 3500, 4500 } };
	struct trace2_event counter = { TRACE2_TH_COUNTER,
					.counter = { category, name, UINT64_MAX } };

	check_line(timer, "timer c/n intervals:3 total:1.500001 min:0.000003 max:0.000005\n",
		   COLUMNS(MAIN, "timer       ", "   ", NO_TIME, NO_TIME,
			   "c           ") "name:n intervals:3 total:1.500001 min:0.000003 "
					   "max:0.000005\n",
		   HEAD("timer") ",\"category\":\"c\",\"name\":\"n\",\"intervals\":3,\"t_total\":1."
				 "500001,"
				 "\"t_min\":0.000003,\"t_max\":0.000005}\n");
	check_line(counter, "th_counter c/n value:18446744073709551615\n",
		   COLUMNS(MAIN, "th_counter  ", "   ", NO_TIME, NO_TIME,
			   "c           ") "name:n value:18446744073709551615\n",
		   HEAD("th_counter") ",\"category\":\"c\",\"name\":\"n\",\"count\":-1}\n");
	trace2_text_free(category);
	trace2_text_free(name);
}

static void check_thread(const char *name, bool is_whole, const char *column, const char *json)
{
	struct trace2_settings settings = { .sid = "S",
					    .is_brief = { true, true, true },
					    .has_whole_names = is_whole };
	struct trace2_event event = { .kind = TRACE2_THREAD_START };
	struct trace2_thread *thread;
	SCOPED_BUFFER(want);
	FIXTURE(text_targets, fixture, &settings);

	thread = trace2_thread_new(fixture.session, bytes_of(name));
	event.thread = thread;
	CHECK_NUMBER(trace2_session_write(fixture.session, &event), 0);
	buffer_printf(&want,
		      "d0 | %s | thread_start |     |  0.000000 |           |              | \n",
		      column);
	CHECK_TEXT(capture_text(&fixture.catches[TRACE2_PERF]), buffer_string(&want));
	buffer_clear(&want);
	buffer_printf(&want, "{\"event\":\"thread_start\",\"sid\":\"S\",\"thread\":\"%s\"}\n",
		      json);
	CHECK_TEXT(capture_text(&fixture.catches[TRACE2_EVENT]), buffer_string(&want));
	CHECK_TEXT(capture_text(&fixture.catches[TRACE2_NORMAL]), "");
	trace2_thread_free(thread);
}

TEST(names_of_threads_are_cut_at_a_character_or_whole)
{
	check_thread("th01:a|b", false, "th01:a\\x7cb             ", "th01:a|b");
	check_thread("th01:12345678901234567890", false, "th01:1234567890123456789",
		     "th01:1234567890123456789");
	check_thread("th01:12345678901234567\xc3\xa4\xc3\xa4", false,
		     "th01:12345678901234567\xc3\xa4", "th01:12345678901234567\xc3\xa4");
	check_thread("th01:123456789012345678\xc3\xa4", false, "th01:123456789012345678 ",
		     "th01:123456789012345678");
	check_thread("th01:12345678901234567890", true, "th01:12345678901234567890",
		     "th01:12345678901234567890");
}

static void check_place(const char *file, const char *normal, const char *perf)
{
	struct trace2_settings settings = { .sid = "S",
					    .start_unix_ns = INT64_C(1600000000) * 1000000000 };
	struct trace2_event event = { TRACE2_CMD_MODE, .file = file, .line = 7,
				      .cmd_mode.name = "m" };
	SCOPED_BUFFER(want);
	FIXTURE(text_targets, fixture, &settings);

	CHECK_NUMBER(trace2_session_write(fixture.session, &event), 0);
	buffer_printf(&want, "14:26:40.000000 %scmd_mode m\n", normal);
	CHECK_TEXT(capture_text(&fixture.catches[TRACE2_NORMAL]), buffer_string(&want));
	buffer_clear(&want);
	buffer_printf(&want,
		      "14:26:40.000000 %s | d0 | main                     | cmd_mode     |     |   "
		      "        |"
		      "           |              | m\n",
		      perf);
	CHECK_TEXT(capture_text(&fixture.catches[TRACE2_PERF]), buffer_string(&want));
}

TEST(places_fill_their_column_in_local_time)
{
	check_place("a.c", "a.c:7                             ", "a.c:7                       ");
	check_place(NULL, "                                  ", "                            ");
	check_place("abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz:7      ",
		    "abcdefghijklmnopqrstuvwxyz:7");
	check_place("abcdefghijklmnopqrstuvwxyz1", "abcdefghijklmnopqrstuvwxyz1:7     ",
		    "...efghijklmnopqrstuvwxyz1:7");
	check_place("0123456789012345678901234567890", "0123456789012345678901234567890:7 ",
		    "...89012345678901234567890:7");
	check_place("01234567890123456789012345678901", "01234567890123456789012345678901:7 ",
		    "...90123456789012345678901:7");
}

TEST(nine_decimals_and_wide_categories)
{
	struct trace2_settings settings = {
		.sid = "S", .decimals = 9, .category_width = 24, .is_brief = { true, true, true }
	};
	struct trace2_text *category = trace2_text_new(bytes_of("mydrv:mydrv_io"));
	struct trace2_event event = { TRACE2_REGION_LEAVE, TIME_NS,
				      .region = { 1, 2001, category, category, { NULL, 0 } } };
	FIXTURE(text_targets, fixture, &settings);

	CHECK_NUMBER(trace2_session_write(fixture.session, &event), 0);
	CHECK_TEXT(
		capture_text(&fixture.catches[TRACE2_PERF]),
		"d0 | " MAIN
		" | region_leave |     |  1.234567891 |  0.000002001 | mydrv:mydrv_io           | "
		"label:mydrv:mydrv_io\n");
	trace2_text_free(category);
}
