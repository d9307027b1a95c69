// SPDX-License-Identifier: GPL-2.0-only
/* Kernel stacks of a recording: which tracepoints have them, and how many. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/run.h"

/* How often the limit of stacks is set again. */
#define STACKS_EVERY_NS NS_PER_S

/*
 * The module of a tracepoint, "" if it is built in or unknown. A kernel symbol shows it: "ADDRESS
 * TYPE __tracepoint_EVENT\t[MODULE]".
 */
static int tracepoint_find_module(const char *event, struct buffer *module)
{
	static const char prefix[] = " __tracepoint_";
	FILE *file = fopen("/proc/kallsyms", "re");
	size_t capacity = 0, size = strlen(event);
	char *line = NULL;

	while (file && getline(&line, &capacity, file) > 0) {
		const char *name = strstr(line, prefix);

		if (!name || strncmp(name + strlen(prefix), event, size) != 0)
			continue;
		name += strlen(prefix) + size;
		buffer_clear(module);
		if (*name == '\n')
			break;
		if (name[0] == '\t' && name[1] == '[')
			buffer_append(module, name + 2, strcspn(name + 2, "]"));
	}
	free(line);
	if (file)
		fclose(file);
	return module->failed ? -1 : 0;
}

/* A trigger would keep the module from being unloaded. */
static int stack_check_module(const char *text, const char *event, struct error *error)
{
	struct buffer module = { 0 };
	int status = 0;

	if (tracepoint_find_module(event, &module) < 0)
		status = error_set(error, "out of memory");
	else if (module.size > 0)
		status = error_set(error,
				   "--stack=%s: a tracepoint of module %s, which could not be "
				   "unloaded; write one that is built into the kernel, such as "
				   "sched:sched_switch",
				   text, buffer_string(&module));
	buffer_release(&module);
	return status;
}

/* The options were checked to be "SYS:EVENT[ if FILTER]". */
static int capture_add_stack(struct capture *capture, const char *text, struct error *error)
{
	static const char condition[] = " if ";
	const char *colon = strchr(text, ':'), *filter = strstr(text, condition);
	size_t size = filter ? (size_t)(filter - text) : strlen(text);
	char *system, *event;
	int status;

	system = strndup(text, colon - text);
	event = strndup(colon + 1, text + size - colon - 1);
	if (!system || !event)
		status = error_set(error, "out of memory");
	else if (!instance_has_event(capture->recorder, system, event))
		status = error_set(error, "--stack=%s: not recorded; select it with -e or -r",
				   text);
	else
		status = stack_check_module(text, event, error);
	if (status == 0)
		status = instance_add_stack(capture->recorder, system, event,
					    filter ? filter + strlen(condition) : NULL,
					    capture->settings->stacks_limit, error);
	free(system);
	free(event);
	return status;
}

int capture_add_stacks(struct capture *capture, struct error *error)
{
	const struct capture_settings *settings = capture->settings;

	for (size_t i = 0; i < settings->nr_stacks; i++) {
		if (capture_add_stack(capture, settings->stacks[i], error) < 0)
			return -1;
	}
	return 0;
}

/* The message is printed once for each tracepoint, the recording has every occurrence. */
static void capture_report_stacks(struct capture *capture, size_t number)
{
	const struct capture_settings *settings = capture->settings;
	struct buffer text = { 0 };

	buffer_printf(&text,
		      "--stack=%s: more than %llu stacks in a second; the others are not recorded",
		      settings->stacks[number], (unsigned long long)settings->stacks_limit);
	if (!(capture->stacks_reported & UINT32_C(1) << number))
		report_message(capture->report,
			       "%s; write a filter for it, or a larger --stack-limit",
			       buffer_string(&text));
	capture->stacks_reported |= UINT32_C(1) << number;
	instance_write_marker(capture->recorder, buffer_text(&text));
	buffer_release(&text);
}

void capture_refill_stacks(struct capture *capture)
{
	size_t nr_stacks = capture->settings->nr_stacks;
	int64_t now_ns = time_now_ns(CLOCK_BOOTTIME);
	uint32_t exhausted;

	if (nr_stacks == 0 || now_ns - capture->stacks_ns < STACKS_EVERY_NS)
		return;
	capture->stacks_ns = now_ns;
	exhausted = instance_refill_stacks(capture->recorder);
	for (size_t i = 0; exhausted && i < nr_stacks; i++) {
		if (exhausted & UINT32_C(1) << i)
			capture_report_stacks(capture, i);
	}
}

int capture_round_ms(const struct capture *capture, int round_ms)
{
	const int stacks_ms = STACKS_EVERY_NS / NS_PER_MS;

	return capture->settings->nr_stacks > 0 && round_ms > stacks_ms ? stacks_ms : round_ms;
}
