// SPDX-License-Identifier: GPL-2.0-only
/* A program in the common subset of C and C++: traces itself and a child process. */
#include <string.h>

#include <trace2/process.h>
#include <trace2/trace2.h>

static void other_report(void)
{
	struct trace2_settings settings;
	struct trace2_session *session;
	struct trace2_event event;

	memset(&settings, 0, sizeof(settings));
	memset(&event, 0, sizeof(event));
	settings.sid = "S";
	settings.is_brief[TRACE2_PERF] = true;
	session = trace2_session_new(&settings);
	trace2_session_open(session, TRACE2_PERF, "2", "here");
	event.kind = TRACE2_CMD_MODE;
	event.cmd_mode.name = "explicit";
	trace2_session_write(session, &event);
	trace2_session_free(session);
}

int main(void)
{
	char name[] = "both", word[] = "of them";
	char *argv[] = { name, word, NULL };
	struct trace2_program program;
	struct trace2_child child;

	memset(&program, 0, sizeof(program));
	memset(&child, 0, sizeof(child));
	program.version = "1.0";
	trace2_initialize(&program);
	trace2_cmd_start(argv);
	trace2_region_enter_printf("c", "l", NULL, "%d", 1);
	trace2_region_leave("c", "l", NULL);
	child.child_class = "x";
	child.argv = argv + 1;
	trace2_child_start(&child);
	other_report();
	return 0;
}
