// SPDX-License-Identifier: GPL-2.0-only
/* Tests of which lines of saved_cmdlines are kept, if threads have newlines in their names. */
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixtures/folder.h"
#include "fixtures/tap.h"
#include "source/source.h"
#include "tracedat/spool.h"
#include "userring/programs.h"

/* A thread that does not live: above what the kernel gives. */
#define DEAD "99999999"

static void check_clean(const char *names, const char *want)
{
	SCOPED_BUFFER(buffer);

	buffer_append_string(&buffer, names);
	saved_names_clean(&buffer);
	CHECK_TEXT(buffer_string(&buffer), want);
	CHECK(!buffer.failed);
}

TEST(lines_are_kept_and_sorted)
{
	check_clean("", "");
	check_clean("7 b c\n5 a\n", "5 a\n7 b c\n");
	check_clean("5 a", "5 a\n");
	check_clean("5 <...>\n0 <idle>\n", "0 <idle>\n5 <...>\n");
}

TEST(what_is_no_line_of_a_thread_is_dropped)
{
	check_clean("\n5 a\nb\n 6 c\n-7 d\n8\n9x y\n", "5 a\n");
	check_clean("9999999999 a\n123456789 b\n", "123456789 b\n");
}

TEST(two_lines_of_a_thread_are_both_dropped)
{
	check_clean("5 a\n1 init\n6 b\n1 forged\n", "5 a\n6 b\n");
	check_clean("1 a\n1 b\n1 c\n2 d\n", "2 d\n");
}

/* The name of the calling process, "x" on its first line, and the lines of it and a dead thread. */
static int forger_run(const char *name)
{
	struct buffer names = { 0 }, want = { 0 };
	bool is_same;

	prctl(PR_SET_NAME, name);
	buffer_printf(&names, "%d %s\n" DEAD " z\n", getpid(), name);
	buffer_printf(&want, "%d x\n" DEAD " z\n", getpid());
	saved_names_clean(&names);
	is_same = strcmp(buffer_string(&names), buffer_string(&want)) == 0;
	buffer_release(&names);
	buffer_release(&want);
	return !is_same;
}

static bool forger_fails(const char *name)
{
	int status = 1;
	pid_t child = fork();

	if (child == 0)
		_exit(forger_run(name));
	waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(a_living_thread_forges_nothing)
{
	CHECK(forger_fails("x\n1 init"));
	CHECK(forger_fails("x\n1 a\n2 b"));
	CHECK(forger_fails("x\n1 "));
	CHECK(forger_fails("x\n"));
	CHECK(forger_fails("x"));
}

TEST(a_name_is_written_on_one_line)
{
	SCOPED_BUFFER(out);

	thread_name_append(&out, text_of("a\nb\x7f\x1b[c \xc3\xa9"));
	CHECK_TEXT(buffer_string(&out), "a?b??[c \xc3\xa9");
}

/* Of threads that do not live, the first is known to programs, and the second to the kernel. */
enum { OF_PROGRAM = 99999996, OF_KERNEL, OF_EARLIER };

/* Lines of this thread and those from @first to @last. */
static void lines_append(struct buffer *out, int first, int last, const char *rest)
{
	buffer_printf(out, "%d %s\n", getpid(), rest);
	for (int tid = first; tid <= last; tid++)
		buffer_printf(out, "%d %s\n", tid, rest);
}

static int saved_file(const struct folder *folder, const char *name, const char *rest)
{
	struct buffer lines = { 0 };

	lines_append(&lines, OF_PROGRAM, OF_KERNEL, rest);
	folder_set_text(folder, name, buffer_string(&lines));
	buffer_release(&lines);
	return open(folder_path(folder, name), O_RDONLY | O_CLOEXEC);
}

/* A thread has one line, with @rest. */
static void check_line(const char *lines, int tid, const char *rest)
{
	char begin[16], line[64];
	int nr_lines = 0;

	snprintf(begin, sizeof(begin), "%d ", tid);
	snprintf(line, sizeof(line), "%d %s\n", tid, rest);
	for (; *lines; lines += strcspn(lines, "\n") + 1) {
		if (strncmp(lines, begin, strlen(begin)) != 0)
			continue;
		CHECK(strncmp(lines, line, strlen(line)) == 0);
		nr_lines++;
	}
	CHECK_NUMBER(nr_lines, 1);
}

static void check_sources(const char *names, const char *groups)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", getpid());
	check_line(names, getpid(), "living");
	check_line(groups, getpid(), pid);
	check_line(names, OF_PROGRAM, "program");
	check_line(groups, OF_PROGRAM, "2");
	check_line(names, OF_KERNEL, "kernel");
	check_line(groups, OF_KERNEL, "3");
	check_line(names, OF_EARLIER, "earlier");
	check_line(groups, OF_EARLIER, "4");
}

/* Each later source can be forged more easily, or is older. */
TEST(a_name_is_that_of_the_best_source)
{
	struct buffer out = { 0 }, earlier = { 0 };
	struct saved_tasks saved = SAVED_TASKS_NONE;
	struct programs programs = { 0 };
	struct error error = { 0 };
	struct folder folder;

	folder_new(&folder);
	prctl(PR_SET_NAME, "living");
	CHECK(task_table_note(&programs.recorded.tasks, OF_PROGRAM, 2, "program"));
	saved.names_fd = saved_file(&folder, "names", "kernel");
	saved.groups_fd = saved_file(&folder, "groups", "3");
	lines_append(&earlier, OF_PROGRAM, OF_EARLIER, "earlier");
	buffer_append_char(&earlier, '\0');
	lines_append(&earlier, OF_PROGRAM, OF_EARLIER, "4");
	CHECK_NUMBER(comms_append(&out, &saved, &programs, &earlier, &error), 0);
	check_sources(buffer_string(&out), buffer_string(&out) + strlen(buffer_string(&out)) + 1);
	saved_tasks_close(&saved);
	task_table_release(&programs.recorded.tasks);
	buffer_release(&earlier);
	buffer_release(&out);
	folder_remove(&folder);
}
