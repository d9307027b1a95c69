// SPDX-License-Identifier: GPL-2.0-only
/*
 * Defines and removes dynamic events by lines written to tracefs' file dynamic_events. libtracefs
 * has calls for some of their kinds only, and none that reports the kernel's reason for an error.
 */
#include "tracefs/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

#include "tracefs/instance_state.h"

#define GROUP_PREFIX "ktrack_"
/* The start of a process in /proc/PID/stat, counted from the state, which follows the name. */
#define STAT_START 19

/* A process is identified by its id and its start; returns 0 for one that does not exist. */
static unsigned long long process_start(int pid)
{
	SCOPED_BUFFER(path);
	SCOPED_BUFFER(text);
	unsigned long long start = 0;
	const char *field = NULL;

	buffer_printf(&path, "/proc/%d/stat", pid);
	if (file_read(buffer_string(&path), &text) == 0)
		field = strrchr(buffer_string(&text), ')');
	for (int i = 0; field && i <= STAT_START; i++)
		field = strchr(field + 1, ' ');
	if (field)
		start = strtoull(field, NULL, 10);
	return start;
}

/* Opening the file with O_TRUNC would remove everybody's events. */
static int dynamic_open_file(int flags, struct error *error)
{
	const char *tracefs;

	if (tracefs_directory(&tracefs, error) < 0)
		return -1;
	return file_open_in(tracefs, "dynamic_events", flags, error);
}

int dynamic_open(struct dynamic_events *events, struct error *error)
{
	*events = (struct dynamic_events){ .fd = dynamic_open_file(O_WRONLY | O_APPEND, error) };
	snprintf(events->group, sizeof(events->group), GROUP_PREFIX "%d_%llu", (int)getpid(),
		 process_start(getpid()));
	return events->fd < 0 ? -1 : 0;
}

/* Before the refused definition in error_log. */
#define COMMAND_PREFIX "  Command: "

/*
 * Appends the kernel's reason for refusing @line: "error: REASON", "Command: LINE", then '^', which
 * points to a word of the line.
 */
static void reason_append(struct buffer *out, const char *line)
{
	static const char key[] = ": error: ";
	char *log = tracefs_instance_file_read(NULL, "error_log", NULL);
	SCOPED_BUFFER(command);
	const char *found = NULL, *next = log ? log : "", *end;
	size_t indent = 0, begin = strlen(COMMAND_PREFIX);

	buffer_printf(&command, "\n" COMMAND_PREFIX "%s\n", line);
	end = strstr(next, buffer_string(&command));
	while (end && (next = strstr(next, key)) && next < end)
		found = next++ + strlen(key);
	if (found) {
		buffer_append(out, found, strcspn(found, "\n"));
		end += command.size;
		indent = strspn(end, " ");
	}
	if (found && end[indent] == '^' && indent >= begin && indent - begin < strlen(line)) {
		for (begin = indent - begin; begin > 0 && line[begin - 1] != ' ';)
			begin--;
		buffer_printf(out, " in '%.*s'", (int)strcspn(line + begin, " "), line + begin);
	}
	free(log);
}

static int event_remove(int fd, const char *group, const char *name, struct error *error)
{
	SCOPED_BUFFER(line);

	buffer_printf(&line, "-:%s/%s", group, name);
	if (retry_write(fd, buffer_string(&line), line.size) >= 0 || errno == ENOENT)
		return 0;
	return error_set_system(error, errno, "cannot remove the dynamic event %s/%s", group, name);
}

int dynamic_define(struct dynamic_events *events, const char *kind, const char *name,
		   const char *place, const char *object, struct error *error)
{
	SCOPED_BUFFER(line);
	SCOPED_BUFFER(reason);
	int problem;

	buffer_printf(&line, "%s:%s/%s %s", kind, events->group, name, place);
	if (line.failed)
		return error_set(error, "out of memory");
	if (retry_write(events->fd, buffer_string(&line), line.size) < 0) {
		problem = errno;
		reason_append(&reason, buffer_string(&line));
		if (reason.size == 0)
			buffer_append_string(&reason, strerror(problem));
		return error_set(error, "%s: the kernel refuses the probe: %s", object,
				 buffer_string(&reason));
	}
	if (!array_reserve(events->names, events->nr_names)) {
		event_remove(events->fd, events->group, name, error);
		return error_set(error, "out of memory");
	}
	snprintf(events->names[events->nr_names++], DYNAMIC_NAME_SIZE, "%s", name);
	report_message(events->writes, "write '%s' to dynamic_events", buffer_string(&line));
	return 0;
}

/* Returns the group and the event of a line "KIND:GROUP/EVENT ...". */
static bool definition_parse(struct text line, struct text *group, struct text *event)
{
	const char *colon = memchr(line.data, ':', line.size), *end = line.data + line.size;
	const char *slash = colon ? memchr(colon, '/', end - colon) : NULL;
	const char *space = slash ? memchr(slash, ' ', end - slash) : NULL;

	if (!space)
		return false;
	*group = (struct text){ colon + 1, slash - colon - 1 };
	*event = (struct text){ slash + 1, space - slash - 1 };
	return true;
}

/*
 * Passes the definitions up to that of an event, and returns its group. Without one, none is
 * passed, and the group is empty.
 */
static struct text group_take(struct text *definitions, const char *name)
{
	struct text rest = *definitions, group, event;

	while (rest.size > 0) {
		if (!definition_parse(text_take_line(&rest), &group, &event) ||
		    !text_equals(event, text_of(name)))
			continue;
		*definitions = rest;
		return group;
	}
	return (struct text){ .data = "" };
}

/*
 * Both files have the kprobes in the same order; only the first one has groups. Between the two
 * reads other programs may remove kprobes, and add some at the end.
 */
void dynamic_visit_missed(const struct dynamic_events *events,
			  void (*visit)(void *context, const char *name, uint64_t missed),
			  void *context)
{
	char *definitions = tracefs_instance_file_read(NULL, "kprobe_events", NULL);
	char *profile = tracefs_instance_file_read(NULL, "kprobe_profile", NULL);
	struct text definition_lines = text_of(definitions ? definitions : "");
	struct text profile_lines = text_of(profile ? profile : "");

	while (profile_lines.size > 0) {
		struct text counts = text_take_line(&profile_lines);
		char name[DYNAMIC_NAME_SIZE];
		unsigned long long missed;

		if (sscanf(counts.data, " %63s %*u %llu", name, &missed) == 2 &&
		    text_equals(group_take(&definition_lines, name), text_of(events->group)) &&
		    missed > 0)
			visit(context, name, missed);
	}
	free(definitions);
	free(profile);
}

void dynamic_drop(struct dynamic_events *events)
{
	struct error ignored = { 0 };

	event_remove(events->fd, events->group, events->names[--events->nr_names], &ignored);
}

/* All are removed, even if one cannot be. */
int dynamic_close(struct dynamic_events *events, struct error *error)
{
	int status = 0;

	for (size_t i = 0; i < events->nr_names; i++) {
		if (event_remove(events->fd, events->group, events->names[i], error) < 0)
			status = -1;
	}
	free(events->names);
	if (dynamic_is_open(events))
		file_close(events->fd);
	*events = (struct dynamic_events){ .fd = -1 };
	return status;
}

static int definitions_read(struct buffer *out, struct error *error)
{
	int fd = dynamic_open_file(O_RDONLY, error);
	int status;

	if (fd < 0)
		return -1;
	status = file_read_anew(fd, out);
	if (status < 0)
		error_set_system(error, errno, "cannot read dynamic_events");
	close(fd);
	return status;
}

int dynamic_remove(const char *group, struct error *error)
{
	SCOPED_BUFFER(definitions);
	struct text lines, found, event;
	int fd = dynamic_open_file(O_WRONLY | O_APPEND, error);
	int status = fd < 0 ? -1 : definitions_read(&definitions, error);

	lines = buffer_text(&definitions);
	while (status == 0 && lines.size > 0) {
		char name[DYNAMIC_NAME_SIZE];

		if (!definition_parse(text_take_line(&lines), &found, &event) ||
		    !text_equals(found, text_of(group)))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)event.size, event.data);
		status = event_remove(fd, group, name, error);
	}
	file_close(fd);
	return status;
}

int dynamic_visit_stale(const struct dynamic_visitor *visitor, struct error *error)
{
	SCOPED_BUFFER(definitions);
	char group[DYNAMIC_NAME_SIZE], last[DYNAMIC_NAME_SIZE] = "";
	struct text lines, found, event;
	unsigned long long start;
	int status, pid, size = 0;

	/* A kernel without dynamic events has none to remove. */
	if (definitions_read(&definitions, error) < 0)
		return 0;
	lines = buffer_text(&definitions);
	for (status = 0; status == 0 && lines.size > 0;) {
		if (!definition_parse(text_take_line(&lines), &found, &event))
			continue;
		snprintf(group, sizeof(group), "%.*s", (int)found.size, found.data);
		/* "ktrack_PID_START" of a process that has ended. */
		if (strcmp(group, last) == 0 ||
		    sscanf(group, GROUP_PREFIX "%d_%llu%n", &pid, &start, &size) != 2 ||
		    group[size] || process_start(pid) == start)
			continue;
		strcpy(last, group);
		status = visitor->visit(visitor->context, group, error);
	}
	return status;
}
