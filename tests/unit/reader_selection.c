// SPDX-License-Identifier: GPL-2.0-only
/* Tests of choosing tracepoints by pattern, in a folder that stands for tracefs. */
#include "reader/reader.h"

#include <tracefs.h>

#include "analysis/analysis.h"
#include "fixtures/folder.h"
#include "fixtures/event_builder.h"
#include "source/source.h"
#include "fixtures/tap.h"

#define COUNTER_FIELD FIELD("s64 counter_value", 8, 8, 1)
#define PLAIN_FIELD FIELD("int pid", 8, 4, 1)

static struct folder top;
static bool is_mounted;

/* Stands in for the library's, which reads the list of mounts. */
int tracefs_tracing_dir_is_mounted(bool mount, const char **path)
{
	CHECK(!mount);
	*path = is_mounted ? top.path : NULL;
	return is_mounted;
}

static void event_add(const char *name, const char *format)
{
	char path[256];

	snprintf(path, sizeof(path), "events/%.*s/enable", (int)strcspn(name, "/"), name);
	folder_add_text(&top, path, "0\n");
	snprintf(path, sizeof(path), "events/%s/enable", name);
	folder_add_text(&top, path, "0\n");
	snprintf(path, sizeof(path), "events/%s/format", name);
	folder_add_text(&top, path, format);
}

static void top_begin(void)
{
	folder_new(&top);
	tracefs_set_tracing_dir(top.path);
	is_mounted = true;
	event_add("net/net_queue", FORMAT("net_queue", 10, SLICE_FIELDS));
	event_add("net/net_depth", FORMAT("net_depth", 11, COUNTER_FIELD));
	event_add("net/net_plain", FORMAT("net_plain", 12, PLAIN_FIELD));
	event_add("netdisk/work", FORMAT("work", 13, SLICE_FIELDS));
	event_add("sched/sched_switch", FORMAT("sched_switch", 14, PLAIN_FIELD));
	event_add("task/task_rename", FORMAT("task_rename", 15, PLAIN_FIELD));
}

static void top_end(void)
{
	tracefs_set_tracing_dir(NULL);
	folder_remove(&top);
}

/* Finds by up to two patterns; writes the categories that were found, or the error. */
static struct buffer find(const char *first, const char *second)
{
	struct convention *convention = convention_new(false);
	struct selection selection = { 0 };
	struct buffer found = { 0 };
	struct error error = { 0 };

	if (first)
		CHECK_NUMBER(selection_add(&selection, first, &error), 0);
	if (second)
		CHECK_NUMBER(selection_add(&selection, second, &error), 0);
	if (tracepoints_find(convention, NULL, &selection, NULL, &error) < 0)
		buffer_printf(&found, "error: %s", error.text);
	for (size_t i = 0; i < convention_size(convention) && !error.text[0]; i++)
		buffer_printf(&found, "%s ", convention_descriptor(convention, i)->category);
	selection_release(&selection);
	convention_free(convention);
	return found;
}

static void check_found(const char *first, const char *second, const char *want)
{
	struct buffer found = find(first, second);

	CHECK_TEXT(buffer_string(&found), want);
	buffer_release(&found);
}

/* First, because a folder of tracefs that was found is kept. */
TEST_IN(top, without_tracefs_the_remedy_is_reported)
{
	is_mounted = false;
	check_found(NULL, NULL,
		    "error: tracefs is not mounted; as root: mount -t tracefs tracefs "
		    "/sys/kernel/tracing");
}

static void check_rule_words(const char *const *texts, const char *want)
{
	SCOPED(selection) selection = { 0 };
	struct error error = { 0 };

	for (; *texts; texts++)
		CHECK_NUMBER(selection_add_rules(&selection, *texts, &error), 0);
	CHECK_TEXT(buffer_string(&selection.rule_words), want);
}

TEST(packs_are_suggested_as_one_list)
{
	const char *rule = "instant a:b event=c:d";

	check_rule_words((const char *[]){ "sched", "irq", "syscalls,block", NULL },
			 " -r sched,irq,syscalls,block");
	check_rule_words((const char *[]){ "sched", rule, "irq", NULL },
			 " -r sched -r 'instant a:b event=c:d' -r irq");
}

TEST_IN(top, commas_are_between_patterns)
{
	check_found("netdisk,net:net_q*", NULL, "net:net_queue netdisk:work ");
	check_found("netdisk,nonsense", NULL,
		    "error: 'nonsense': no tracepoint matches; load its module, or see 'ktrack "
		    "list'");
}

TEST_IN(top, what_is_waited_for_need_not_be_there)
{
	struct selection selection = { .can_wait = true };
	struct convention *convention = convention_new(false);
	struct error error = { 0 };

	CHECK_NUMBER(selection_add(&selection, "nonsense,netdisk", &error), 0);
	CHECK_NUMBER(tracepoints_find(convention, NULL, &selection, NULL, &error), -1);
	CHECK_TEXT(error.text, "'nonsense': no tracepoint matches; "
			       "load its module, or see 'ktrack list'; --wait waits for it");
	selection.waits = true;
	CHECK_NUMBER(tracepoints_find(convention, NULL, &selection, NULL, &error), 0);
	CHECK(selection_means(&selection, "nonsense", "anything"));
	CHECK(!selection_means(&selection, "sense", "anything"));
	selection_release(&selection);
	CHECK(selection_means(&selection, "sense", "anything"));
	convention_free(convention);
}

static void check_tasks(enum task_formats tasks, bool has_rename, bool has_switch)
{
	SCOPED(selection) selection = { .tasks = tasks };
	struct convention *convention = convention_new(false);
	struct error error = { 0 };

	CHECK_NUMBER(selection_add(&selection, "net", &error), 0);
	CHECK_NUMBER(tracepoints_find(convention, NULL, &selection, NULL, &error), 0);
	CHECK_NUMBER(convention_has_task_id(convention, 15), has_rename);
	CHECK_NUMBER(convention_has_task_id(convention, 14), has_switch);
	convention_free(convention);
}

TEST_IN(top, tracepoints_about_threads_are_read_if_their_records_are_decoded)
{
	check_tasks(TASK_FORMATS_NONE, false, false);
	check_tasks(TASK_FORMATS_SIDEBAND, true, false);
	check_tasks(TASK_FORMATS_ALL, true, true);
}

static void check_refused(const char *text)
{
	SCOPED(selection) selection = { 0 };
	struct error error = { 0 };
	char want[128];

	snprintf(want, sizeof(want), "'%s': empty tracepoint; write SYS[:EVENT]", text);
	CHECK_NUMBER(selection_add(&selection, text, &error), -1);
	CHECK_TEXT(error.text, want);
}

TEST(there_is_a_pattern_between_commas)
{
	check_refused("");
	check_refused(",");
	check_refused("netdisk,");
	check_refused(",netdisk");
	check_refused("netdisk,,net");
}

static void select_add(struct selection *selection, const char *patterns, const char *filter)
{
	struct error error = { 0 };

	CHECK_NUMBER(selection_add(selection, patterns, &error), 0);
	if (filter)
		CHECK_NUMBER(selection_set_filter(selection, filter, &error), 0);
}

TEST(a_filter_is_about_the_patterns_of_the_option_before_it)
{
	SCOPED(selection) selection = { 0 };
	struct error error = { 0 };

	CHECK_NUMBER(selection_set_filter(&selection, "early > 0", &error), -1);
	CHECK_TEXT(error.text, "--filter: no preceding -e; write -e SYS:EVENT before it");
	select_add(&selection, "disk,net:net_q*", "bytes > 5");
	select_add(&selection, "other", NULL);
	select_add(&selection, "net:net_queue", "later == 1");
	CHECK_TEXT(selection_filter(&selection, "disk", "work"), "bytes > 5");
	CHECK_TEXT(selection_filter(&selection, "net", "net_quota"), "bytes > 5");
	CHECK_TEXT(selection_filter(&selection, "net", "net_queue"), "later == 1");
	CHECK(selection_filter(&selection, "net", "net_depth") == NULL);
	CHECK(selection_filter(&selection, "other", "work") == NULL);
}

TEST_IN(top, without_a_pattern_all_that_follow_are_found)
{
	check_found(NULL, NULL, "net:net_depth net:net_queue netdisk:work ");
}

TEST_IN(top, a_system_stands_for_all_of_its_tracepoints_that_follow)
{
	check_found("net", NULL, "net:net_depth net:net_queue ");
	check_found("netdisk", NULL, "netdisk:work ");
	check_found("net*", NULL, "net:net_depth net:net_queue netdisk:work ");
	check_found("n?t", NULL, "net:net_depth net:net_queue ");
	check_found("*", NULL, "net:net_depth net:net_queue netdisk:work ");
}

TEST_IN(top, a_tracepoint_is_named_behind_its_system)
{
	check_found("net:net_depth", NULL, "net:net_depth ");
	check_found("net:net_[dq]*", NULL, "net:net_depth net:net_queue ");
	check_found("*:work", NULL, "netdisk:work ");
	check_found("net:*", NULL, "net:net_depth net:net_queue ");
}

TEST_IN(top, several_patterns_add_up_and_nothing_is_found_twice)
{
	check_found("netdisk", "net:net_queue", "net:net_queue netdisk:work ");
	check_found("net", "net:net_queue", "net:net_depth net:net_queue ");
}

#define NO_MATCH(pattern) \
	"error: '" pattern "': no tracepoint matches; load its module, or see 'ktrack list'"

TEST_IN(top, each_pattern_must_match_a_tracepoint)
{
	check_found("disk", NULL, NO_MATCH("disk"));
	check_found("net", "disk", NO_MATCH("disk"));
	check_found("elsewhere:net_queue", NULL, NO_MATCH("elsewhere:net_queue"));
	check_found("net:q*", NULL, NO_MATCH("net:q*"));
}

TEST_IN(top, events_of_programs_are_no_tracepoints)
{
	check_found(
		"program:net:net_send", NULL,
		"error: 'program:net:net_send': an event of programs, no tracepoint; --programs "
		"records it, and rules (-r) name it 'program:net:net_send'");
}

#define NEAR(pattern, word) "error: '" pattern "': no tracepoint matches; did you mean '" word "'?"

TEST_IN(top, the_nearest_tracepoint_is_suggested)
{
	check_found("net:net", NULL, NEAR("net:net", "net:net_depth"));
	check_found("net_queue", NULL, NEAR("net_queue", "net:net_queue"));
	check_found("net:net_qeue", NULL, NEAR("net:net_qeue", "net:net_queue"));
	check_found("NET", NULL, NEAR("NET", "net"));
	check_found("netdsk", NULL, NEAR("netdsk", "netdisk"));
	check_found(":net_queue", NULL, NEAR(":net_queue", "net:net_queue"));
	check_found("net:net_queue:x", NULL, NEAR("net:net_queue:x", "net:net_queue"));
}

#define NOT_FOLLOWING(pattern)                                                        \
	"error: '" pattern "': does not follow the track event convention; it needs " \
	"track_event_type and slice_name, or counter_value, or a rule (-r)"

TEST_IN(top, each_pattern_must_match_one_that_follows)
{
	check_found("sched", NULL, NOT_FOLLOWING("sched"));
	check_found("net", "net:net_plain", NOT_FOLLOWING("net:net_plain"));
}

TEST(the_system_of_a_pattern_is_what_stands_before_the_colon)
{
	struct convention *convention = convention_new(false);
	const struct descriptor *descriptor;
	SCOPED_BUFFER(system);
	struct error error = { 0 };

	CHECK_NUMBER(convention_add(convention, "net", text_of(FORMAT("a_b", 10, SLICE_FIELDS)),
				    &descriptor, &error),
		     0);
	descriptor_system(descriptor, &system);
	CHECK_TEXT(buffer_string(&system), "net");
	convention_free(convention);
}

TEST_IN(top, a_format_that_cannot_be_read_is_left_out)
{
	event_add("net/broken", "name: broken\nformat: counter_value");
	check_found("netdisk", NULL, "netdisk:work ");
	check_found("net:net_queue", NULL, "net:net_queue ");
	check_found("net", NULL, "net:net_depth net:net_queue ");
	check_found("net:broken", NULL,
		    "error: 'net:broken': does not follow the track event convention; it needs "
		    "track_event_type and slice_name, or counter_value, or a rule (-r)");
}

static void line_keep(void *context, const char *line)
{
	buffer_append_string(context, line);
}

/* Kernels up to 6.1 number all that is ever registered. */
TEST_IN(top, beside_programs_a_tracepoint_with_the_number_of_their_events_is_left_out)
{
	const char *rule = "instant my:far event=far:plain";
	SCOPED_BUFFER(line);
	struct error error = { 0 };

	event_add("far/depth", FORMAT("depth", 40000, COUNTER_FIELD));
	event_add("far/near", FORMAT("near", 39999, COUNTER_FIELD));
	event_add("far/plain", FORMAT("plain", 65535, PLAIN_FIELD));
	for (int is_with_programs = 0; is_with_programs < 2; is_with_programs++) {
		SCOPED(selection) selection = { .is_with_programs = is_with_programs };
		struct convention *convention = convention_new(false);
		const struct report report = { .context = &line, .message = line_keep };

		buffer_clear(&line);
		CHECK_NUMBER(selection_add(&selection, "far:depth,far:near", &error), 0);
		CHECK_NUMBER(selection_add_rules(&selection, rule, &error), 0);
		CHECK_NUMBER(selection_add_rules(&selection, "instant my:net event=net:net_plain",
						 &error), 0);
		CHECK_NUMBER(tracepoints_find(convention, NULL, &selection, &report, &error), 0);
		CHECK_NUMBER(convention_has_id(convention, 39999), 1);
		CHECK_NUMBER(convention_has_id(convention, 40000), !is_with_programs);
		CHECK_NUMBER(rules_find_id(selection.rules, 65535) != NULL, !is_with_programs);
		CHECK(!is_with_programs || strstr(buffer_string(&line), "far:plain: not recorded"));
		convention_free(convention);
	}
}

/* Finds by a pattern and packs, NULL for none; writes what is found, or the error. */
static void check_any(const char *pattern, const char *packs, const char *want)
{
	struct convention *convention = convention_new(false);
	SCOPED(selection) selection = { 0 };
	SCOPED_BUFFER(found);
	struct error error = { 0 };

	CHECK_NUMBER(selection_add(&selection, pattern, &error), 0);
	if (packs)
		CHECK_NUMBER(selection_add_rules(&selection, packs, &error), 0);
	CHECK_NUMBER(selection_add_rest(&selection, &error), 0);
	if (tracepoints_find(convention, NULL, &selection, NULL, &error) < 0)
		buffer_printf(&found, "error: %s", error.text);
	for (size_t i = 0; i < convention_size(convention); i++)
		buffer_printf(&found, "%s ", convention_descriptor(convention, i)->category);
	for (size_t i = 0; i < selection.rules->nr_tracepoints && !error.text[0]; i++) {
		const struct rule_tracepoint *tracepoint = selection.rules->tracepoints[i];

		buffer_printf(&found, "%s=%s ", tracepoint->category,
			      tracepoint->is_rest ? "instants" : "rules");
	}
	CHECK_TEXT(buffer_string(&found), want);
	convention_free(convention);
}

TEST_IN(top, any_tracepoint_can_be_an_instant)
{
	const char *rule = "instant my:switch event=sched:sched_switch";

	check_any("sched:sched_switch", NULL, "sched:sched_switch=instants ");
	check_any("net", NULL, "net:net_depth net:net_queue net:net_plain=instants ");
	check_any("sched", rule, "sched:sched_switch=rules ");
	check_any("net:net_plain", rule, "net:net_plain=instants sched:sched_switch=rules ");
	check_any("sched", "none", "sched:sched_switch=instants ");
	check_any("sched", "fs",
		  "error: -r: none of the tracepoints that the rules use exists; see 'ktrack list "
		  "--rules'");
}

TEST_IN(top, none_selects_nothing)
{
	struct convention *convention = convention_new(false);
	SCOPED(selection) selection = { 0 };
	struct error error = { 0 };

	CHECK_NUMBER(selection_add_rules(&selection, "none", &error), 0);
	CHECK_NUMBER(tracepoints_find(convention, NULL, &selection, NULL, &error), -1);
	CHECK_TEXT(error.text, "-r: selects nothing; add packs or rules, or tracepoints with -e");
	CHECK_NUMBER(convention_size(convention), 0);
	convention_free(convention);
}

TEST_IN(top, the_default_group_has_the_convention)
{
	struct convention *convention = convention_new(false);
	SCOPED(selection) selection = { 0 };
	struct error error = { 0 };

	CHECK_NUMBER(selection_add_rules(&selection, RULES_DEFAULT, &error), 0);
	CHECK(selection_is_empty(&selection));
	CHECK(selection_has_states(&selection));
	CHECK_NUMBER(tracepoints_find(convention, NULL, &selection, NULL, &error), 0);
	CHECK_NUMBER(convention_size(convention), 3);
	CHECK(rules_want(selection.rules, "irq", "softirq_entry"));
	CHECK(rules_want(selection.rules, "raw_syscalls", "sys_enter"));
	CHECK(rules_want(selection.rules, "block", "block_rq_issue"));
	CHECK(!rules_want(selection.rules, "timer", "timer_start"));
	convention_free(convention);
}

/* Stores a selection, adds it to another one, and stores that. */
static void check_stored(const struct selection *selection, bool has_programs, const char *want,
			 const char *shown)
{
	SCOPED(selection) copy = { .origin = SELECTION_RECORDED };
	SCOPED_BUFFER(lines);
	SCOPED_BUFFER(again);
	SCOPED_BUFFER(text);
	struct error error = { 0 };

	CHECK_NUMBER(selection_store(selection, has_programs, &lines), 0);
	CHECK_TEXT(buffer_string(&lines), want);
	CHECK_NUMBER(selection_add_stored(&copy, buffer_text(&lines), NULL, &error), 0);
	CHECK_TEXT(error.text, "");
	CHECK_NUMBER(copy.nr_options, 0);
	CHECK_NUMBER(copy.has_programs, has_programs);
	selection_describe(&copy, &text);
	CHECK_TEXT(buffer_string(&text), shown);
	selection_append_options(&copy, &again);
	CHECK_TEXT(buffer_string(&again), "");
}

TEST(a_recording_keeps_its_selection)
{
	struct selection selection = { 0 };
	struct error error = { 0 };
	char path[256];

	check_stored(&selection, false, "", "recorded ()");
	folder_new(&top);
	folder_add_text(&top, "my.rules", "# About it.\n\ninstant my:rx  # here\n  event=net:rx\n");
	snprintf(path, sizeof(path), "sched,%s/my.rules,recorded", top.path);
	CHECK_NUMBER(selection_add(&selection, "net,*:work", &error), 0);
	CHECK_NUMBER(selection_add_rules(&selection, path, &error), 0);
	CHECK_NUMBER(selection_add_rules(&selection, "convention", &error), 0);
	CHECK_NUMBER(selection_add_rules(&selection, "instant my:b event=a:b", &error), 0);
	check_stored(&selection, true,
		     "-e net\n-e *:work\n-r sched\n-r convention\n--programs\ninstant my:rx  # "
		     "here\n  event=net:rx\ninstant my:b event=a:b\n",
		     "recorded (-e net, -e *:work, sched, convention, programs, rules)");
	selection.origin = SELECTION_ALL;
	check_stored(&selection, false, "", "recorded ()");
	selection_release(&selection);
	folder_remove(&top);
}

static void check_stored_text(const char *line, int repetitions, const char *want)
{
	SCOPED(selection) selection = { .origin = SELECTION_RECORDED };
	SCOPED_BUFFER(text);
	struct error error = { 0 };

	for (int i = 0; i < repetitions; i++) {
		buffer_printf(&text, line, i);
		buffer_append_char(&text, '\n');
	}
	CHECK_NUMBER(selection_add_stored(&selection, buffer_text(&text), NULL, &error),
		     *want ? -1 : 0);
	CHECK_TEXT(error.text, want);
	CHECK(selection.stored.size < 300);
}

TEST(a_stored_selection_is_limited_and_names_no_file)
{
	check_stored_text("-e net:net_%d", 256, "");
	check_stored_text("-e net:net_%d", 257, "more than 256 patterns");
	check_stored_text("instant a:r%d event=s:e", 256, "");
	check_stored_text("instant a:r%d event=s:e", 257, "more than 256 rules");
	check_stored_text("# %d", 20000, "more than 65536 bytes");
	check_stored_text("-r /etc/passwd,./x%d,,recorded", 1, "");
	check_stored_text("/etc/passwd%d", 1,
			  "rules of the recording:1:1: expected slice, state, counter, instant or "
			  "flow");
}

TEST(packs_of_a_newer_ktrack_are_reported)
{
	SCOPED(selection) selection = { .origin = SELECTION_RECORDED };
	SCOPED_BUFFER(line);
	const struct report report = { .context = &line, .message = line_keep };
	struct error error = { 0 };

	CHECK_NUMBER(selection_add_stored(&selection, text_of("-r future,irq\n"), &report, &error),
		     0);
	CHECK_TEXT(buffer_string(&line),
		   "the recording has a selection with an unknown pack, 'future'; a newer ktrack "
		   "shows it");
	CHECK(rules_want(selection.rules, "irq", "softirq_entry"));
}

/* Rules for probes are stored elsewhere, and that for tracepoints of -e is made again. */
TEST(rules_that_are_not_stored_do_not_count)
{
	SCOPED(selection) selection = { 0 };
	SCOPED_BUFFER(lines);
	SCOPED_BUFFER(rule);
	struct error error = { 0 };

	for (int i = 0; i < 256; i++)
		buffer_printf(&rule, "instant a:r%d event=s:e\n", i);
	CHECK_NUMBER(selection_add_rules(&selection, buffer_string(&rule), &error), 0);
	CHECK_NUMBER(selection_add_rule_text(&selection, text_of("instant probe:x event=s:x\n"),
					     "--probe", &error),
		     0);
	CHECK_NUMBER(selection_add(&selection, "net", &error), 0);
	CHECK_NUMBER(selection_add_rest(&selection, &error), 0);
	CHECK_NUMBER(selection_store(&selection, false, &lines), 0);
	CHECK(strstr(buffer_string(&lines), "instant a:r255 event=s:e\n") != NULL);
	CHECK(strstr(buffer_string(&lines), "probe:x") == NULL);
}

static void check_why(const char *pattern, const char *rules, const char *want)
{
	SCOPED(selection) selection = { 0 };
	SCOPED_BUFFER(shown);
	struct error error = { 0 };

	if (pattern)
		CHECK_NUMBER(selection_add(&selection, pattern, &error), 0);
	if (rules)
		CHECK_NUMBER(selection_add_rules(&selection, rules, &error), 0);
	CHECK_NUMBER(selection_add_why(&selection, &error), 0);
	/* As a run that records has it. */
	selection.origin = SELECTION_GIVEN;
	selection_describe(&selection, &shown);
	CHECK_TEXT(buffer_string(&shown), want);
}

TEST(the_rules_that_explain_slices_are_named)
{
	check_why(NULL, NULL, "-r convention," WHY_PACKS);
	check_why(NULL, "net", "-r net,convention," WHY_PACKS);
	check_why("demo", NULL, "-e demo -r " WHY_PACKS);
}

TEST(more_rules_than_a_file_keeps_are_not_stored)
{
	SCOPED(selection) selection = { 0 };
	SCOPED_BUFFER(lines);
	SCOPED_BUFFER(rule);
	struct error error = { 0 };

	for (int i = 0; i < 257; i++)
		buffer_printf(&rule, "instant a:r%d event=s:e\n", i);
	CHECK_NUMBER(selection_add_rules(&selection, buffer_string(&rule), &error), 0);
	CHECK_NUMBER(selection_store(&selection, false, &lines), 1);
	CHECK_NUMBER(lines.size, 0);
}
