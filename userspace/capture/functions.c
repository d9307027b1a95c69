// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of functions as slices: by the tracer function_graph, or by a pair of probes for each
 * function where the kernel has the tracer at the top level only.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/probes.h"
#include "tracefs/tracefs.h"

/* Each takes two dynamic events, and the kernel changes its code twice for each. */
#define PROBED_FUNCTIONS_MAX 1000

/* Hard and soft interrupts of common_flags: their calls are the CPU's, not the thread's. */
#define IN_INTERRUPT "common_flags & 24"

#define RETURN_KIND "r256"

/* Begin of the names of their events; a number follows. */
#define FUNCTION_BEGIN "begin"
#define FUNCTION_END "end"

/** struct function_events - the tracepoints and fields of calls */
struct function_events {
	const char *begin;
	const char *end;
	const char *address;
};

static void rule_append(struct buffer *out, const struct function_events *events,
			const char *name, const char *scope, const char *where)
{
	buffer_printf(out,
		      "slice function:%s scope=%s\n"
		      " begin = %s name={%s:function} args=- where=%s\n"
		      " end = %s args=- where=%s\n",
		      name, scope, events->begin, events->address, where, events->end, where);
}

static void rules_append(struct buffer *out, const struct function_events *events, uint64_t depth)
{
	struct buffer limit = { 0 }, where = { 0 };

	if (depth > 0)
		buffer_printf(&limit, " && depth < %llu", (unsigned long long)depth);
	buffer_printf(&where, "!(" IN_INTERRUPT ")%s", buffer_string(&limit));
	rule_append(out, events, "call", "thread", buffer_string(&where));
	buffer_clear(&where);
	buffer_printf(&where, IN_INTERRUPT "%s", buffer_string(&limit));
	rule_append(out, events, "interrupt", "cpu", buffer_string(&where));
	buffer_release(&limit);
	buffer_release(&where);
}

/* "NAME:mod:MODULE" of a pattern, and "NAME [MODULE]" of the list of functions. */
static bool function_is_meant(const char *pattern, struct text line)
{
	char function[256], module[128] = "", wanted[256];
	const char *colon = strstr(pattern, ":mod:");
	char copy[512];

	snprintf(copy, sizeof(copy), "%.*s", (int)line.size, line.data);
	if (sscanf(copy, "%255s [%127[^]]]", function, module) < 1)
		return false;
	if (!colon)
		return fnmatch(pattern, function, 0) == 0;
	snprintf(wanted, sizeof(wanted), "%.*s", (int)(colon - pattern), pattern);
	return fnmatch(wanted[0] ? wanted : "*", function, 0) == 0 &&
	       fnmatch(colon + strlen(":mod:"), module, 0) == 0;
}

static bool function_is_selected(const struct capture_settings *settings, struct text line)
{
	bool is_selected = false;

	for (size_t i = 0; i < settings->nr_functions && !is_selected; i++)
		is_selected = function_is_meant(settings->functions[i], line);
	for (size_t i = 0; i < settings->nr_unwanted_functions && is_selected; i++)
		is_selected = !function_is_meant(settings->unwanted_functions[i], line);
	return is_selected;
}

/* "NAME [MODULE]" as the kernel reads it: "MODULE:NAME". */
static void place_set(char *out, size_t size, struct text line)
{
	const char *space = memchr(line.data, ' ', line.size);
	const char *bracket = memchr(line.data, '[', line.size);
	int name_size = space ? space - line.data : (int)line.size;
	int module_size = bracket ? (int)strcspn(bracket + 1, "]") : 0;

	snprintf(out, size, "%.*s%s%.*s", module_size, bracket ? bracket + 1 : "",
		 bracket ? ":" : "", name_size, line.data);
}

/* Returns -1 with @error if the kernel refuses a probe, for example of a name that is not unique. */
static int function_probe(struct probes *probes, struct text line, unsigned int number,
			  struct error *error)
{
	char place[384], begin[DYNAMIC_NAME_SIZE], end[DYNAMIC_NAME_SIZE];

	place_set(place, sizeof(place), line);
	snprintf(begin, sizeof(begin), FUNCTION_BEGIN "%u", number);
	snprintf(end, sizeof(end), FUNCTION_END "%u", number);
	if (dynamic_define(&probes->events, "p", begin, place, place, error) < 0)
		return -1;
	if (dynamic_define(&probes->events, RETURN_KIND, end, place, place, error) == 0)
		return 0;
	dynamic_drop(&probes->events);
	return -1;
}

/** struct function_count - functions that were selected, and those that the kernel refused */
struct function_count {
	unsigned int selected;
	unsigned int refused;
	struct error problem;
};

static unsigned int functions_count(const struct capture_settings *settings, struct text lines)
{
	unsigned int number = 0;

	while (lines.size > 0)
		number += function_is_selected(settings, text_take_line(&lines));
	return number;
}

/* Defining a thousand probes takes seconds: it is not begun if there are more. */
static int functions_probe_each(struct probes *probes, const struct capture_settings *settings,
				struct text lines, struct function_count *count,
				struct error *error)
{
	if (functions_count(settings, lines) > PROBED_FUNCTIONS_MAX)
		return error_set(error,
				 "--function: more than %d functions, the limit of this kernel, "
				 "which needs a probe for each; write a narrower pattern",
				 PROBED_FUNCTIONS_MAX);
	while (lines.size > 0) {
		struct text line = text_take_line(&lines);

		if (!function_is_selected(settings, line))
			continue;
		count->selected++;
		if (function_probe(probes, line, count->selected, &count->problem) < 0)
			count->refused++;
	}
	if (count->selected == 0)
		return error_set(error,
				 "'%s': no such function can be traced; see "
				 "available_filter_functions in tracefs",
				 settings->functions[0]);
	if (count->selected == count->refused)
		return error_set(error, "--function: %s", count->problem.text);
	return 0;
}

static int functions_probe(struct probes *probes, const struct capture_settings *settings,
			   const struct report *report, struct error *error)
{
	struct function_count count = { 0 };
	char *list = functions_read(error);
	int status = list ? functions_probe_each(probes, settings, text_of(list), &count, error)
			  : -1;

	free(list);
	if (status == 0 && settings->selection.is_verbose)
		report_message(report,
			       "--function: a pair of probes for each of %u functions; in instances, "
			       "this kernel has no function_graph",
			       count.selected - count.refused);
	if (status == 0 && count.refused > 0)
		report_message(report, "--function: %u of %u functions have no slices: %s",
			       count.refused, count.selected, count.problem.text);
	return status;
}

static int functions_define_probes(struct probes *probes, const struct capture_settings *settings,
				   const struct report *report, struct error *error)
{
	char begin[DYNAMIC_NAME_SIZE + 8], end[DYNAMIC_NAME_SIZE + 8];
	const struct function_events events = { begin, end, "__probe_ip" };

	if (settings->depth > 0)
		return error_set(error, "--depth: this kernel does not record how deep a call is "
					"nested; leave it out");
	if (!dynamic_is_open(&probes->events) && dynamic_open(&probes->events, error) < 0)
		return -1;
	probes->events.writes = capture_writes(settings);
	snprintf(begin, sizeof(begin), "%s:" FUNCTION_BEGIN "*", probes->events.group);
	snprintf(end, sizeof(end), "%s:" FUNCTION_END "*", probes->events.group);
	rules_append(&probes->rules, &events, 0);
	return functions_probe(probes, settings, report, error);
}

int functions_define(struct probes *probes, struct capture_settings *settings,
		     const struct report *report, struct error *error)
{
	static const struct function_events events = { "ftrace:funcgraph_entry",
						       "ftrace:funcgraph_exit", "func" };

	if (settings->nr_functions == 0)
		return 0;
	if (instance_test_functions(&probes->has_tracer, error) < 0)
		return -1;
	if (!probes->has_tracer)
		return functions_define_probes(probes, settings, report, error);
	if (settings->selection.is_verbose)
		report_message(report, "--function: by the tracer function_graph");
	rules_append(&probes->rules, &events, settings->depth);
	return 0;
}

int functions_trace(const struct probes *probes, struct instance *recorder,
		    const struct capture_settings *settings, struct error *error)
{
	if (!probes->has_tracer)
		return 0;
	for (size_t i = 0; i < settings->nr_functions; i++) {
		if (instance_choose_functions(recorder, settings->functions[i], false, error) < 0)
			return -1;
	}
	for (size_t i = 0; i < settings->nr_unwanted_functions; i++) {
		if (instance_choose_functions(recorder, settings->unwanted_functions[i], true,
					      error) < 0)
			return -1;
	}
	return instance_trace_functions(recorder, error);
}
