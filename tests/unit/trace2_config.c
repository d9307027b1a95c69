// SPDX-License-Identifier: GPL-2.0-only
/* Tests of libtrace2's settings: which source counts, and how git reads values. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/base.h"
#include "fixtures/folder.h"
#include "fixtures/tap.h"
#include "trace2/trace2.h"

/* A file without a name that can be opened by its path. */
static void file_make(char *path, const char *text)
{
	int fd;

	strcpy(path, "/tmp/trace2-config-XXXXXX");
	fd = mkstemp(path);
	CHECK_NUMBER(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static struct trace2_config *config_new(const char *system_text, const char *user_text)
{
	char system_path[32], user_path[32];
	struct trace2_config *config;

	file_make(system_path, system_text);
	file_make(user_path, user_text);
	config = trace2_config_new("X_TRACE2", system_path, user_path);
	unlink(system_path);
	unlink(user_path);
	return config;
}

/* Whether the kernel started this program with the rights of another user. */
static bool is_privileged;

/* Takes the place of the C library's. */
__attribute__((visibility("default"))) char *secure_getenv(const char *name)
{
	return is_privileged ? NULL : getenv(name);
}

static void check_get(const struct trace2_config *config, enum trace2_key key, const char *want)
{
	const char *got = trace2_config_get(config, key);

	CHECK_TEXT(got ? got : "(none)", want);
}

TEST(the_environment_counts_over_the_user_over_the_system)
{
	struct trace2_config *config;

	setenv("X_TRACE2", "/env", 1);
	setenv("X_TRACE2_PERF", "", 1);
	config = config_new("[trace2]\nnormalTarget=/s\nperfTarget=/s\neventTarget=/s\n",
			    "[trace2]\nnormalTarget=/u\nperfTarget=/u\n");
	check_get(config, TRACE2_KEY_NORMAL, "/env");
	check_get(config, TRACE2_KEY_PERF, "/u");
	check_get(config, TRACE2_KEY_EVENT, "/s");
	check_get(config, TRACE2_KEY_MAX_FILES, "(none)");
	CHECK_TEXT(trace2_config_name(config, TRACE2_KEY_NORMAL), "X_TRACE2");
	CHECK_TEXT(trace2_config_name(config, TRACE2_KEY_EVENT_NESTING), "X_TRACE2_EVENT_NESTING");
	trace2_config_free(config);
	unsetenv("X_TRACE2");
	unsetenv("X_TRACE2_PERF");
}

TEST(files_that_are_not_there_are_empty)
{
	struct trace2_config *config = trace2_config_new("X_TRACE2", "/nowhere/at/all", NULL);

	check_get(config, TRACE2_KEY_EVENT, "(none)");
	trace2_config_free(config);
}

TEST(files_look_like_gits)
{
	struct trace2_config *config =
		config_new("# comment\n; comment\n[user]\n\tname = \"A \\\"B\\\" "
			   "C\"\n[Trace2]\n\tEVENTtarget = /a b ; comment\n"
			   "\tperfTarget=/p\n\tnovalue\n\tmaxFiles = 1\n\tmaxFiles = 5\n[trace2 "
			   "\"x\"]\n\teventTarget = /wrong\n",
			   "");

	check_get(config, TRACE2_KEY_EVENT, "/a b");
	check_get(config, TRACE2_KEY_PERF, "/p");
	check_get(config, TRACE2_KEY_MAX_FILES, "5");
	trace2_config_free(config);
}

static bool brief_of(const char *value)
{
	struct trace2_settings settings = { .is_brief = { [TRACE2_PERF] = true } };
	struct trace2_config *config;

	setenv("X_TRACE2_EVENT_BRIEF", value, 1);
	setenv("X_TRACE2_PERF_BRIEF", value, 1);
	config = trace2_config_new("X_TRACE2", NULL, NULL);
	trace2_config_apply(config, &settings);
	trace2_config_free(config);
	unsetenv("X_TRACE2_EVENT_BRIEF");
	unsetenv("X_TRACE2_PERF_BRIEF");
	/* A value that is no truth leaves both as they were, which was not the same. */
	return CHECK(settings.is_brief[TRACE2_EVENT] == settings.is_brief[TRACE2_PERF]) &&
	       settings.is_brief[TRACE2_EVENT];
}

/* An int of git is less than 2^31 with its unit, too. */
TEST(truths_are_words_or_ints_with_units)
{
	static const char *const yes[] = { "true",     "YES",	   "On",	 "1",
					   "-1",       "0x10",	   "1k",	 "2M",
					   "1g",       "-1g",	   "2147483647", "-2147483648",
					   "2097151k", "-2097152K" };
	static const char *const no[] = { "false", "No", "OFF", "0", "0k", "00" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		CHECK(brief_of(yes[i]));
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		CHECK(!brief_of(no[i]));
}

static struct trace2_settings settings_with(const char *variable, const char *value)
{
	struct trace2_settings settings = { .max_nesting = 7,
					    .is_brief = { [TRACE2_PERF] = true } };
	struct trace2_config *config;

	setenv(variable, value, 1);
	config = trace2_config_new("X_TRACE2", NULL, NULL);
	trace2_config_apply(config, &settings);
	trace2_config_free(config);
	unsetenv(variable);
	return settings;
}

TEST(values_that_are_none_change_nothing)
{
	static const char *const wrong[] = {
		"",   "maybe", "1x",  "1kk",	    "99999999999", "t",	       "yes!",
		"1t", "2g",    "-3g", "2147483648", "-2147483649", "2097152k", "-2097153k"
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		CHECK(settings_with("X_TRACE2_PERF_BRIEF", wrong[i]).is_brief[TRACE2_PERF]);
		CHECK(!settings_with("X_TRACE2_BRIEF", wrong[i]).is_brief[TRACE2_NORMAL]);
		CHECK(!settings_with("X_TRACE2_REDACT", wrong[i]).keeps_passwords);
	}
}

TEST(numbers_are_read_as_far_as_they_go)
{
	CHECK_NUMBER(settings_with("X_TRACE2_EVENT_NESTING", "3x").max_nesting, 3);
	CHECK_NUMBER(settings_with("X_TRACE2_EVENT_NESTING", "0").max_nesting, 7);
	CHECK_NUMBER(settings_with("X_TRACE2_EVENT_NESTING", "-1").max_nesting, 7);
	CHECK_NUMBER(settings_with("X_TRACE2_EVENT_NESTING", "abc").max_nesting, 7);
	CHECK_NUMBER(settings_with("X_TRACE2_MAX_FILES", "12").max_files, 12);
	CHECK_NUMBER(settings_with("X_TRACE2_MAX_FILES", "-12").max_files, 0);
	CHECK(settings_with("X_TRACE2_DST_DEBUG", "1").reports_all);
	CHECK(!settings_with("X_TRACE2_DST_DEBUG", "true").reports_all);
	CHECK(settings_with("X_TRACE2_REDACT", "0").keeps_passwords);
	CHECK(!settings_with("X_TRACE2_REDACT", "1").keeps_passwords);
}

TEST(a_file_includes_others_where_it_says_so)
{
	struct trace2_config *config;
	struct folder folder;

	folder_new(&folder);
	folder_add_text(&folder, "user",
			"[trace2]\nperfTarget=/1\nnormalTarget=/1\n[include]\npath\npath=\n"
			"path=sub/more\n[trace2]\nnormalTarget=/4\n");
	folder_add_text(&folder, "sub/more",
			"[trace2]\nperfTarget=/2\nnormalTarget=/2\n[include]\npath=nowhere\n"
			"path=sibling\npath=~/home\n");
	folder_add_text(&folder, "sub/sibling", "[trace2]\neventTarget=/3\n");
	folder_add_text(&folder, "home", "[trace2]\nmaxFiles=3\n");
	setenv("HOME", folder.path, 1);
	config = trace2_config_new("X_TRACE2", NULL, folder_path(&folder, "user"));
	check_get(config, TRACE2_KEY_PERF, "/2");
	check_get(config, TRACE2_KEY_EVENT, "/3");
	check_get(config, TRACE2_KEY_NORMAL, "/4");
	check_get(config, TRACE2_KEY_MAX_FILES, "3");
	trace2_config_free(config);
	folder_remove(&folder);
}

static void report_keep(void *context, const char *message)
{
	struct buffer *reports = context;

	buffer_printf(reports, "%s\n", message);
}

/* Reads a file of a folder; all that is reported of it begins with @before and ends with @behind.
 */
static struct trace2_config *reported_new(const struct folder *folder, const char *name,
					  const char *before, const char *behind)
{
	struct trace2_config *config = trace2_config_new("X_TRACE2", NULL,
							 folder_path(folder, name));
	struct buffer reports = { 0 }, want = { 0 };
	struct trace2_settings settings = { .reports_all = true,
					    .report = report_keep,
					    .report_context = &reports };

	trace2_config_apply(config, &settings);
	buffer_printf(&want, "%s%s%s\n", before, folder_path(folder, name), behind);
	CHECK_TEXT(buffer_string(&reports), buffer_string(&want));
	buffer_release(&reports);
	buffer_release(&want);
	return config;
}

TEST(what_cannot_be_read_is_reported_once)
{
	struct folder folder;

	folder_new(&folder);
	folder_make(&folder, "folder");
	trace2_config_free(
		reported_new(&folder, "folder", "trace2: could not read '", "': Is a directory"));
	folder_remove(&folder);
}

TEST(files_that_include_themselves_come_to_an_end)
{
	struct trace2_config *config;
	struct folder folder;

	folder_new(&folder);
	folder_add_text(&folder, "twice",
			"[include]\npath=twice\npath=twice\n[trace2]\neventTarget=/5\n");
	config = reported_new(&folder, "twice", "trace2: ", ":2: too many included files");
	check_get(config, TRACE2_KEY_EVENT, "/5");
	trace2_config_free(config);
	folder_remove(&folder);
}

static int visit(void *context, const char *scope, const char *param, const char *value)
{
	struct buffer *reported = context;

	buffer_printf(reported, "%s %s=%s\n", scope, param, value);
	return 0;
}

TEST(parameters_and_variables_that_were_asked_for_are_reported)
{
	struct trace2_config *config;
	struct buffer reported = { 0 };

	setenv("X_ONE", "1", 1);
	setenv("X_EMPTY", "", 1);
	setenv("X_TRACE2_CONFIG_PARAMS", " CORE.* ,user.name,remote.*.url", 1);
	setenv("X_TRACE2_ENV_VARS", "X_EMPTY, X_ONE ,X_NONE", 1);
	config = config_new("[core]\na=1\n[user]\nname=N\nemail=E\n",
			    "[core]\nb=2\n[remote \"Or/igin\"]\nurl=U\n");
	CHECK_NUMBER(trace2_config_visit(config, visit, &reported), 0);
	CHECK_TEXT(buffer_string(&reported),
		   "system core.a=1\nsystem user.name=N\nglobal core.b=2\n"
		   "global remote.Or/igin.url=U\ncommand X_ONE=1\n");
	CHECK(trace2_config_wants(config, "Core.x") && !trace2_config_wants(config, "user.email"));
	buffer_release(&reported);
	trace2_config_free(config);
	unsetenv("X_TRACE2_CONFIG_PARAMS");
	unsetenv("X_TRACE2_ENV_VARS");
}

TEST(targets_are_opened_by_their_settings)
{
	struct trace2_settings settings = { .sid = "S", .is_lenient = true };
	struct trace2_session *session = trace2_session_new(&settings);
	struct trace2_config *config = config_new("[trace2]\neventTarget=/dev/null\nperfTarget=0\n",
						  "");

	CHECK_NUMBER(trace2_config_open(config, session), 1);
	CHECK(trace2_session_has(session, TRACE2_EVENT) &&
	      !trace2_session_has(session, TRACE2_PERF));
	CHECK(!trace2_session_has(session, TRACE2_NORMAL));
	trace2_config_free(config);
	config = config_new("", "");
	CHECK_NUMBER(trace2_config_open(config, session), 0);
	trace2_config_free(config);
	trace2_session_free(session);
}

TEST(a_child_has_its_parent)
{
	char *sid;

	unsetenv(TRACE2_PARENT_SID);
	sid = trace2_inherit(TRACE2_PARENT_SID, "a");
	CHECK_TEXT(sid, "a");
	free(sid);
	sid = trace2_inherit(TRACE2_PARENT_SID, "b");
	CHECK_TEXT(sid, "a/b");
	CHECK_TEXT(getenv(TRACE2_PARENT_SID), "a/b");
	free(sid);
	setenv(TRACE2_PARENT_SID, "", 1);
	sid = trace2_inherit(TRACE2_PARENT_SID, "c");
	CHECK_TEXT(sid, "c");
	free(sid);
}

/* Fails a run that takes time for each pair of settings: that would be hours. */
#define NR_MANY 300000
#define MANY_LIMIT_S 60

/* SIGPROF ends a process that has used so much CPU time; 0 is no limit. */
static void cpu_limit(int seconds)
{
	const struct itimerval limit = { .it_value.tv_sec = seconds };

	CHECK_NUMBER(setitimer(ITIMER_PROF, &limit, NULL), 0);
}

static int param_count(void *context, const char *scope, const char *param, const char *value)
{
	(void)scope, (void)param, (void)value;
	++*(size_t *)context;
	return 0;
}

TEST(many_settings_are_visited_in_time)
{
	struct trace2_config *config;
	SCOPED_BUFFER(text);
	size_t nr_params = 0;

	buffer_append_string(&text, "[trace2]\nconfigParams=a.*\n[a]\n");
	for (int i = 0; i < NR_MANY; i++)
		buffer_append_string(&text, "b\n");
	cpu_limit(MANY_LIMIT_S);
	config = config_new(buffer_string(&text), "");
	CHECK_NUMBER(trace2_config_visit(config, param_count, &nr_params), 0);
	cpu_limit(0);
	CHECK_NUMBER(nr_params, NR_MANY);
	trace2_config_free(config);
}

/* The caller could have root write files, and read those that are included. */
TEST(programs_with_the_rights_of_others_ignore_the_environment)
{
	struct trace2_config *config;
	char *parent;

	setenv("X_TRACE2", "/env", 1);
	setenv("X_PARENT", "caller", 1);
	is_privileged = true;
	config = config_new("[trace2]\n\tnormalTarget = /system\n", "");
	check_get(config, TRACE2_KEY_NORMAL, "/system");
	trace2_config_free(config);
	parent = trace2_inherit("X_PARENT", "own");
	CHECK_TEXT(parent, "own");
	free(parent);
	is_privileged = false;
	setenv("X_PARENT", "caller", 1);
	parent = trace2_inherit("X_PARENT", "own");
	CHECK_TEXT(parent, "caller/own");
	free(parent);
	unsetenv("X_TRACE2");
	unsetenv("X_PARENT");
}
