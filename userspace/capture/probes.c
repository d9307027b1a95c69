// SPDX-License-Identifier: GPL-2.0-only
/* Defines probes and function graphs for a run. */
#include "capture/run.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
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

static void rule_append(struct buffer *out, const struct function_events *events, const char *name,
			const char *scope, const char *where)
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

/* Returns -1 with @error if the kernel refuses a probe, as of a name that is not unique. */
static int function_probe(struct probes *probes, struct text line, unsigned int number,
			  struct error *error)
{
	char place[384], begin[DYNAMIC_NAME_SIZE], end[DYNAMIC_NAME_SIZE];
	const char *space = memchr(line.data, ' ', line.size);
	const char *bracket = memchr(line.data, '[', line.size);
	int name_size = space ? space - line.data : (int)line.size;
	int module_size = bracket ? (int)strcspn(bracket + 1, "]") : 0;

	/* "NAME [MODULE]" as the kernel reads it: "MODULE:NAME". */
	snprintf(place, sizeof(place), "%.*s%s%.*s", module_size, bracket ? bracket + 1 : "",
		 bracket ? ":" : "", name_size, line.data);
	snprintf(begin, sizeof(begin), FUNCTION_BEGIN "%u", number);
	snprintf(end, sizeof(end), FUNCTION_END "%u", number);
	if (dynamic_define(&probes->events, "p", begin, place, place, error) < 0)
		return -1;
	if (dynamic_define(&probes->events, RETURN_KIND, end, place, place, error) == 0)
		return 0;
	dynamic_drop(&probes->events);
	return -1;
}

static int functions_probe(struct probes *probes, const struct capture_settings *settings,
			   const struct report *report, struct error *error)
{
	unsigned int nr_matching = 0, number = 0, nr_refused = 0;
	char *list = functions_read(error);
	struct error problem = { 0 };
	int status = list ? 0 : -1;

	for (struct text lines = text_of(list ? list : ""); lines.size > 0;)
		nr_matching += function_is_selected(settings, text_take_line(&lines));
	/* Defining a thousand probes takes seconds: it is not begun if there are more. */
	if (nr_matching > PROBED_FUNCTIONS_MAX)
		status = error_set(error,
				   "--function: more than %d functions, the limit of this kernel, "
				   "which needs a probe for each; write a narrower pattern",
				   PROBED_FUNCTIONS_MAX);
	else if (status == 0 && nr_matching == 0)
		status = error_set(error,
				   "'%s': no such function can be traced; see "
				   "available_filter_functions in tracefs",
				   settings->functions[0]);
	for (struct text lines = text_of(list ? list : ""); status == 0 && lines.size > 0;) {
		struct text line = text_take_line(&lines);

		if (function_is_selected(settings, line))
			nr_refused += function_probe(probes, line, ++number, &problem) < 0;
	}
	free(list);
	if (status == 0 && nr_matching == nr_refused)
		status = error_set(error, "--function: %s", problem.text);
	if (status == 0 && settings->selection.is_verbose)
		report_message(
			report,
			"--function: a pair of probes for each of %u functions; in instances, "
			"this kernel has no function_graph",
			nr_matching - nr_refused);
	if (status == 0 && nr_refused > 0)
		report_message(report, "--function: %u of %u functions have no slices: %s",
			       nr_refused, nr_matching, problem.text);
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

/** struct name_search - a name among those of lines: whether it is there, or which one is near */
struct name_search {
	struct text name;
	bool is_found;
	struct suggestion nearest;
};

/* Longer names of symbols are not compared. */
#define NAME_SIZE 128

/* @scan: reads the name from a line into NAME_SIZE bytes. */
static void name_search_file(struct name_search *search, const char *path, const char *scan)
{
	FILE *file = fopen(path, "re");
	char *line = NULL, name[NAME_SIZE];
	size_t capacity = 0;

	while (file && getline(&line, &capacity, file) > 0) {
		if (sscanf(line, scan, name) != 1)
			continue;
		search->is_found |= text_equals(search->name, text_of(name));
		suggestion_add(&search->nearest, search->name, name);
	}
	free(line);
	if (file)
		fclose(file);
}

/* Finds out why the kernel sets no probe: there is no such module or function, or it refuses. */

#define MODULES "/proc/modules"

/* Refuse a probe in a module that is not loaded. */
static int probe_check_module(const struct probe *probe, bool waits, struct error *error)
{
	const char *colon = strchr(probe->text, ':');
	struct name_search search = { .name = { probe->text, colon ? colon - probe->text : 0 } };

	if (!colon || colon > strchrnul(probe->text, ' ') || waits)
		return 0;
	name_search_file(&search, MODULES, "%127s");
	if (search.is_found)
		return 0;
	if (search.nearest.word[0])
		return error_set(error, "%s '%s': no module '%.*s' is loaded; did you mean '%s'?",
				 probe->option, probe->text, (int)search.name.size,
				 search.name.data, search.nearest.word);
	return error_set(
		error,
		"%s '%s': no module '%.*s' is loaded; load it, or --wait until somebody does",
		probe->option, probe->text, (int)search.name.size, search.name.data);
}

#define SYMBOLS "/proc/kallsyms"

/* Add to the @error of a refused probe whether its function exists, or which is. */
static int probe_explain(const struct probe *probe, struct error *error)
{
	const struct text title = buffer_text(&probe->title);
	const char *plus = memchr(title.data, '+', title.size);
	/* "FUNCTION" of "FUNCTION+OFFSET". */
	struct name_search search = { .name = { title.data,
						plus ? (size_t)(plus - title.data) : title.size } };
	struct error before = *error;

	if (strcmp(probe->pack, PROBE_PACK_KERNEL) != 0)
		return -1;
	name_search_file(&search, SYMBOLS, "%*s %*[tTwW] %127s");
	*error = (struct error){ 0 };
	if (!search.is_found && search.nearest.word[0])
		return error_set(error, "%s; did you mean '%s'?", before.text, search.nearest.word);
	if (!search.is_found)
		return error_set(error,
				 "%s; there is no such function, or the compiler has inlined it: "
				 "name a function that calls it",
				 before.text);
	*error = before;
	return -1;
}

static int site_define(const struct probe *probe, const struct probe_site *site,
		       struct dynamic_events *events, struct error *error)
{
	struct buffer place = { 0 }, object = { 0 };
	int status;

	buffer_append(&place, site->place.data, site->place.size);
	buffer_append(&place, site->arguments.data, site->arguments.size);
	buffer_printf(&object, "%s '%s'", probe->option, probe->text);
	if (site->place.failed || site->arguments.failed || site->names.failed)
		status = error_set(error, "out of memory");
	else
		status = dynamic_define(events, site->kind, site->name, buffer_string(&place),
					buffer_string(&object), error) == 0
				 ? 0
				 : probe_explain(probe, error);
	buffer_release(&place);
	buffer_release(&object);
	return status;
}

static int probe_add(struct probes *probes, const struct capture_settings *settings,
		     unsigned int number, struct error *error)
{
	struct probe_setting setting = settings->probes[number];
	struct probe probe;
	int status;

	setting.is_entry_only = settings->entry_only;
	status = probe_parse(&probe, &setting, number, error);
	if (status == 0 && setting.kind == PROBE_KERNEL)
		status = probe_check_module(&probe, settings->selection.waits, error);
	for (size_t i = 0; i < probe.nr_sites && status == 0; i++)
		status = site_define(&probe, &probe.sites[i], &probes->events, error);
	if (status == 0 && probe.part.size > 0)
		report_message(
			settings->report,
			"%s '%s': partly inlined: calls that do not get to %.*s may be missing",
			probe.option, probe.text, (int)probe.part.size, probe.part.data);
	if (status == 0)
		probe_append_rule(&probe, probes->events.group, &probes->rules);
	probe_release(&probe);
	return status;
}

int probes_define(struct probes *probes, struct capture_settings *settings, struct error *error)
{
	if (settings->nr_probes == 0)
		return 0;
	if (dynamic_open(&probes->events, error) < 0)
		return -1;
	probes->events.writes = capture_writes(settings);
	for (size_t i = 0; i < settings->nr_probes; i++) {
		if (probe_add(probes, settings, i, error) < 0)
			return -1;
	}
	return 0;
}

int probes_add_rules(struct probes *probes, struct capture_settings *settings, struct error *error)
{
	if (probes->rules.failed)
		return error_set(error, "out of memory");
	if (probes->rules.size == 0)
		return 0;
	return selection_add_rule_text(&settings->selection, buffer_text(&probes->rules), "--probe",
				       error);
}

static void missed_report(const struct report *report, const char *title, uint64_t missed)
{
	if (missed > 0)
		report_message(report,
			       "%s: the kernel missed %llu call%s (too many at once, or inside "
			       "another probe); their slices are incomplete",
			       title, (unsigned long long)missed, missed > 1 ? "s" : "");
}

/** struct missed_calls - where missed calls are reported, and those of functions with patterns */
struct missed_calls {
	const struct report *report;
	uint64_t functions;
};

static void missed_add(void *context, const char *name, uint64_t missed)
{
	struct missed_calls *calls = context;
	const char *title = strchr(name, '_');

	/* "p0_1_FUNCTION" without what makes it unique, or one of many functions. */
	if (title)
		missed_report(calls->report, strchr(title + 1, '_') + 1, missed);
	else
		calls->functions += missed;
}

void probes_report_missed(const struct probes *probes, const struct report *report)
{
	struct missed_calls calls = { .report = report };

	if (probes->events.nr_names > 0)
		dynamic_visit_missed(&probes->events, missed_add, &calls);
	missed_report(report, "--function", calls.functions);
}

int probes_remove(struct probes *probes, struct error *error)
{
	buffer_release(&probes->rules);
	return dynamic_close(&probes->events, error);
}

/* The events of a probe, and its rule. */

static const char *const role_keys[] = {
	[PROBE_BEGIN] = "begin",
	[PROBE_END] = "end",
	[PROBE_INSTANT] = "event",
};

/** probe_refuse - set @error to a problem with the text of a probe; returns -1 */
static int probe_refuse(const struct probe *probe, struct error *error, const char *problem)
{
	return error_set(error, "%s '%s': %s", probe->option, probe->text, problem);
}

/** probe_unsafe_find - the first character that the kernel takes for the end of a definition, or
 * for a comment; NULL if there is none
 */
static const char *probe_unsafe_find(const char *text)
{
	while (*text && isprint((unsigned char)*text) && !strchr("#;\"{}", *text))
		text++;
	return *text ? text : NULL;
}

/**
 * probe_find_file - append the real path of a program's file, or @path if it does not exist
 *
 * The path may lead through symbolic links of another user, whose names the kernel must not take
 * for definitions. Returns -1 with @error.
 */
static int probe_find_file(const struct probe *probe, const char *path, struct buffer *out,
			   struct error *error)
{
	char *real = realpath(path, NULL);
	bool is_unsafe = real && (probe_unsafe_find(real) || strchr(real, ' '));

	buffer_append_string(out, real ? real : path);
	free(real);
	return is_unsafe ? probe_refuse(probe, error,
					"the real path of the file has a space, one of '#;\"{}' or "
					"a control character; name a copy elsewhere")
			 : 0;
}

/* Adds an event, after the title is set; returns it without arguments, or NULL with @error. */
static struct probe_site *probe_add_site(struct probe *probe, enum probe_role role,
					 const char *kind, struct text place, struct error *error)
{
	struct probe_site *site = &probe->sites[probe->nr_sites];
	size_t size;

	if (probe->nr_sites == PROBE_SITES_MAX) {
		probe_refuse(probe, error, "more than 64 places; write another name");
		return NULL;
	}
	*site = (struct probe_site){ .role = role, .kind = kind };
	size = snprintf(site->name, sizeof(site->name), "p%u_%zu_", probe->number, probe->nr_sites);
	/* The numbers come first, so that a long name does not lose them. */
	for (size_t i = 0; i < probe->title.size && size < sizeof(site->name) - 1; i++) {
		char byte = probe->title.data[i];

		site->name[size++] = isalnum((unsigned char)byte) ? byte : '_';
	}
	site->name[size] = '\0';
	buffer_append(&site->place, place.data, place.size);
	probe->nr_sites++;
	return site;
}

/** probe_site_add - add an argument: a name, and how the kernel fetches its value */
static void probe_site_add(struct probe_site *site, struct text name, struct text fetch)
{
	buffer_printf(&site->arguments, " %.*s=%.*s", (int)name.size, name.data, (int)fetch.size,
		      fetch.data);
	buffer_printf(&site->names, "%s%.*s", site->names.size ? "," : "", (int)name.size,
		      name.data);
}

void probe_append_rule(const struct probe *probe, const char *group, struct buffer *out)
{
	bool is_instant = probe->sites[0].role == PROBE_INSTANT;
	struct buffer head = { 0 };

	/* The first words of a rule: its kind and its name. */
	buffer_printf(&head, "%s %s:", is_instant ? "instant" : "slice", probe->pack);
	/* Names of rules have fewer characters than those of functions. */
	for (size_t i = 0; i < probe->title.size; i++)
		buffer_append_char(&head, isalnum((unsigned char)probe->title.data[i]) ||
							  probe->title.data[i] == '.'
						  ? probe->title.data[i]
						  : '_');
	/* Two programs may have functions of one name. */
	if (out->size > 0 && memmem(out->data, out->size, head.data, head.size))
		buffer_printf(&head, ".%u", probe->number);
	buffer_append(out, head.data, head.size);
	out->failed |= head.failed;
	buffer_release(&head);
	buffer_printf(out, " name=\"%.*s\"", (int)probe->title.size, probe->title.data);
	for (size_t i = 0; i < probe->nr_sites; i++) {
		/* The kernel's own fields of a probe are no arguments. */
		buffer_printf(out, "\n %s = %s:%s args=", role_keys[probe->sites[i].role], group,
			      probe->sites[i].name);
		if (probe->sites[i].names.size > 0)
			buffer_append(out, probe->sites[i].names.data, probe->sites[i].names.size);
		else
			buffer_append_char(out, '-');
	}
	buffer_append_char(out, '\n');
}

void probe_release(struct probe *probe)
{
	buffer_release(&probe->title);
	buffer_release(&probe->part);
	for (size_t i = 0; i < probe->nr_sites; i++) {
		buffer_release(&probe->sites[i].place);
		buffer_release(&probe->sites[i].arguments);
		buffer_release(&probe->sites[i].names);
	}
}

/* Parses probes of functions, in the kernel and in programs. */

/* The kernel's limit of arguments of an event. */
#define ARGUMENTS_MAX 128

/* Concurrent calls of a function whose returns are recorded; others are missed, and reported. */
#define KERNEL_RETURN "r1024"
#define PROGRAM_RETURN "r"

/* The value that a function returns, unless the user asks for another form of it. */
#define RETVAL "$retval"

/** struct symbol_place - a place in a function of a program */
struct symbol_place {
	struct text name;
	bool has_offset;
	uint64_t offset;
};

static bool is_identifier(struct text name)
{
	if (name.size == 0 || isdigit((unsigned char)name.data[0]))
		return false;
	for (size_t i = 0; i < name.size; i++) {
		if (!isalnum((unsigned char)name.data[i]) && name.data[i] != '_')
			return false;
	}
	return true;
}

/* Parameters of a C++ function may have spaces between their parentheses. */
static struct text probe_take_word(const char **rest)
{
	const char *begin = *rest + strspn(*rest, " "), *end;
	int depth = 0;

	for (end = begin; *end && (*end != ' ' || depth > 0); end++)
		depth += (*end == '(') - (*end == ')');
	*rest = end;
	return (struct text){ begin, end - begin };
}

static int argument_refuse(const struct probe *probe, struct text argument, struct error *error,
			   const char *problem)
{
	return error_set(error, "%s '%s': argument '%.*s': %s", probe->option, probe->text,
			 (int)argument.size, argument.data, problem);
}

/* "NAME=FETCHARG"; the value that the function returns is known at its end only. */
static int argument_add(struct probe *probe, struct text argument, struct error *error)
{
	const char *equals = memchr(argument.data, '=', argument.size);
	struct text name = { argument.data, equals ? equals - argument.data : 0 }, fetch;
	bool is_return;

	if (!is_identifier(name))
		return argument_refuse(probe, argument, error,
				       "not NAME=FETCHARG; write for example size=%dx:u64");
	fetch = (struct text){ equals + 1, argument.data + argument.size - equals - 1 };
	is_return = memmem(fetch.data, fetch.size, RETVAL, strlen(RETVAL));
	if (is_return && probe->nr_sites < 2)
		return argument_refuse(probe, argument, error,
				       "$retval is known at the return of a function only; leave "
				       "out +OFFSET and --entry-only");
	probe_site_add(&probe->sites[is_return], name, fetch);
	return 0;
}

static int arguments_parse(struct probe *probe, const char *rest, struct error *error)
{
	for (int i = 0; i <= ARGUMENTS_MAX; i++) {
		struct text argument = probe_take_word(&rest);

		if (argument.size == 0)
			break;
		if (i == ARGUMENTS_MAX)
			return probe_refuse(probe, error, "more than 128 arguments; write fewer");
		if (argument_add(probe, argument, error) < 0)
			return -1;
	}
	if (probe->nr_sites == 2 && probe->sites[1].names.size == 0)
		probe_site_add(&probe->sites[1], text_of("ret"), text_of(RETVAL ":s64"));
	return 0;
}

/* A place inside of a function gets instants, the function itself slices. */
static int sites_add(struct probe *probe, bool is_slice, const char *return_kind, struct text place,
		     struct error *error)
{
	if (!probe_add_site(probe, is_slice ? PROBE_BEGIN : PROBE_INSTANT, "p", place, error))
		return -1;
	return !is_slice || probe_add_site(probe, PROBE_END, return_kind, place, error) ? 0 : -1;
}

/* "[MODULE:]FUNCTION[+OFFSET]" */
static int function_parse(struct probe *probe, struct text place, struct error *error)
{
	const char *colon = memchr(place.data, ':', place.size);
	struct text title = place;

	if (colon) {
		title.data = colon + 1;
		title.size -= title.data - place.data;
	}
	if (title.size == 0 || memchr(place.data, '/', place.size) ||
	    memchr(title.data, ':', title.size))
		return probe_refuse(probe, error,
				    "not a function of the kernel; write FUNCTION or "
				    "MODULE:FUNCTION");
	probe->pack = PROBE_PACK_KERNEL;
	buffer_append(&probe->title, title.data, title.size);
	return sites_add(probe, !probe->is_entry_only && !memchr(title.data, '+', title.size),
			 KERNEL_RETURN, place, error);
}

/* The kernel would kill a program of Go: its stacks move, with the changed return addresses. */
static int function_check(const struct probe *probe, const struct elf_file *file,
			  const struct elf_function *function, const struct symbol_place *place,
			  struct error *error)
{
	if (!place->has_offset && elf_is_go(file))
		return probe_refuse(probe, error,
				    "a program of Go, which crashes if returns are recorded; write "
				    "PATH:SYMBOL+0, or --entry-only, for instants at its calls");
	if (place->offset > 0 && place->offset >= function->size)
		return probe_refuse(probe, error,
				    "the offset is behind the function's end; 'objdump -d PATH' "
				    "shows where its instructions begin");
	return 0;
}

/* The kernel's form of a place is "PATH:OFFSET", with the file's real path. */
static int symbol_locate(struct probe *probe, const char *path, const struct symbol_place *place,
			 struct buffer *out, struct error *error)
{
	struct elf_function function = { 0 };
	struct buffer name = { 0 };
	struct elf_file *file = NULL;
	int status = probe_find_file(probe, path, out, error);

	buffer_append(&name, place->name.data, place->name.size);
	if (status == 0)
		status = elf_open(&file, buffer_string(out), error);
	if (status == 0)
		status = elf_find_function(file, buffer_string(&name), &function, error);
	if (status == 0)
		status = function_check(probe, file, &function, place, error);
	if (status == 0) {
		buffer_printf(out, ":0x%llx",
			      (unsigned long long)(function.offset + place->offset));
		buffer_append_string(&probe->part, function.part);
	}
	buffer_release(&name);
	elf_close(file);
	return status;
}

/*
 * Names of C++ and of Go have colons and slashes, and so may paths: the path is the first part that
 * exists. Without one, it is what comes before the first colon.
 */
static const char *path_end(struct text place)
{
	const char *end = place.data + place.size, *first = NULL;

	for (const char *at = place.data; (at = memchr(at, ':', end - at)); at++) {
		struct buffer name = { 0 };
		bool exists;

		if (at == place.data || at + 1 == end)
			continue;
		buffer_append(&name, place.data, at - place.data);
		exists = file_find_built(AT_FDCWD, &name) == 0;
		buffer_release(&name);
		if (exists)
			return at;
		first = first ? first : at;
	}
	return first;
}

/* "SYMBOL[+OFFSET]"; names of operators have a '+', too. */
static struct symbol_place symbol_split(struct text symbol)
{
	struct symbol_place place = { .name = symbol };
	const char *plus = memrchr(symbol.data, '+', symbol.size);
	char *end = NULL;

	if (!plus || plus == symbol.data || !isdigit((unsigned char)plus[1]))
		return place;
	place.offset = strtoull(plus + 1, &end, 0);
	place.has_offset = end == symbol.data + symbol.size;
	if (place.has_offset)
		place.name.size = plus - symbol.data;
	else
		place.offset = 0;
	return place;
}

/* "PATH:SYMBOL[+OFFSET]" */
static int symbol_parse(struct probe *probe, struct text text, struct error *error)
{
	const char *colon = path_end(text);
	struct buffer path = { 0 }, located = { 0 };
	struct symbol_place place;
	struct text title;
	int status = 0;

	if (!colon)
		return probe_refuse(probe, error, "not a function of a program; write PATH:SYMBOL");
	title = (struct text){ colon + 1, text.data + text.size - colon - 1 };
	place = symbol_split(title);
	place.has_offset |= probe->is_entry_only;
	probe->pack = "uprobe";
	buffer_append(&probe->title, title.data, title.size);
	buffer_append(&path, text.data, colon - text.data);
	if (!probe->is_checked_only)
		status = symbol_locate(probe, buffer_string(&path), &place, &located, error);
	if (status == 0)
		status = sites_add(probe, !place.has_offset, PROGRAM_RETURN, buffer_text(&located),
				   error);
	buffer_release(&path);
	buffer_release(&located);
	return status;
}

/* Parses probes of static tracepoints in programs (USDT). */

/** struct usdt - the parts of "PATH:PROVIDER:BEGIN..END" */
struct usdt {
	struct probe *probe;
	struct buffer path;
	struct text provider;
	struct text begin;
	struct text end; /* empty for an instant */
	unsigned int machine;
};

/* Splits the text from its end, since a path may have colons. */
static int usdt_split(struct usdt *usdt, struct error *error)
{
	const char *text = usdt->probe->text, *name = strrchr(text, ':');
	const char *provider = name ? memrchr(text, ':', name - text) : NULL;
	const char *dots = name ? strstr(name, "..") : NULL;
	struct buffer path = { 0 };
	int status;

	if (!provider || provider == text || name - provider < 2 || !name[1] || dots == name + 1 ||
	    (dots && !dots[2]))
		return probe_refuse(usdt->probe, error,
				    "not a USDT; write PATH:PROVIDER:NAME, or "
				    "PATH:PROVIDER:BEGIN..END");
	buffer_append(&path, text, provider - text);
	status = probe_find_file(usdt->probe, buffer_string(&path), &usdt->path, error);
	buffer_release(&path);
	usdt->provider = (struct text){ provider + 1, name - provider - 1 };
	usdt->begin = text_of(name + 1);
	if (dots) {
		usdt->begin.size = dots - name - 1;
		usdt->end = text_of(dots + 2);
	}
	return status;
}

/* Arguments that the kernel cannot fetch are left out. */
static void arguments_add(struct probe_site *site, const char *arguments, unsigned int machine)
{
	struct text rest = text_of(arguments), argument;
	struct buffer fetch = { 0 };
	char name[16];

	for (int number = 1; (argument = usdt_argument_take(&rest)).size > 0; number++) {
		buffer_clear(&fetch);
		snprintf(name, sizeof(name), "arg%d", number);
		if (usdt_argument_fetch(&fetch, machine, argument))
			probe_site_add(site, text_of(name), buffer_text(&fetch));
	}
	buffer_release(&fetch);
}

static int mark_add(void *context, const struct elf_mark *mark, struct error *error)
{
	struct usdt *usdt = context;
	bool is_slice = usdt->end.size > 0;
	bool is_begin = text_equals(text_of(mark->name), usdt->begin);
	bool is_end = is_slice && text_equals(text_of(mark->name), usdt->end);
	struct probe_site *site;

	if (!text_equals(text_of(mark->provider), usdt->provider) || (!is_begin && !is_end))
		return 0;
	site = probe_add_site(usdt->probe,
			      !is_slice	 ? PROBE_INSTANT
			      : is_begin ? PROBE_BEGIN
					 : PROBE_END,
			      "p", text_of(""), error);
	if (!site)
		return -1;
	buffer_printf(&site->place, "%s:0x%llx", buffer_string(&usdt->path),
		      (unsigned long long)mark->offset);
	if (mark->semaphore)
		buffer_printf(&site->place, "(0x%llx)", (unsigned long long)mark->semaphore);
	arguments_add(site, mark->arguments, usdt->machine);
	return 0;
}

static bool has_role(const struct probe *probe, enum probe_role role)
{
	for (size_t i = 0; i < probe->nr_sites; i++) {
		if (probe->sites[i].role == role)
			return true;
	}
	return false;
}

static int marks_find(struct usdt *usdt, struct error *error)
{
	const struct probe *probe = usdt->probe;
	struct elf_file *file;
	int status;

	if (elf_open(&file, buffer_string(&usdt->path), error) < 0)
		return -1;
	usdt->machine = elf_machine(file);
	status = elf_visit_marks(file, mark_add, usdt, error);
	elf_close(file);
	if (status < 0 || has_role(probe, PROBE_INSTANT) ||
	    (has_role(probe, PROBE_BEGIN) && has_role(probe, PROBE_END)))
		return status;
	return probe_refuse(probe, error,
			    "the file has no such USDT; 'readelf -n FILE' lists those it has");
}

/* Parse "PATH:PROVIDER:NAME" or "PATH:PROVIDER:BEGIN..END". */
static int probe_parse_usdt(struct probe *probe, struct error *error)
{
	struct usdt usdt = { .probe = probe };
	int status = usdt_split(&usdt, error);

	probe->pack = "usdt";
	if (status == 0) {
		buffer_append_string(&probe->title, strrchr(probe->text, ':') + 1);
		status = probe->is_checked_only ? 0 : marks_find(&usdt, error);
	}
	buffer_release(&usdt.path);
	return status;
}

static int probe_parse_text(struct probe *out, const struct probe_setting *setting,
			    unsigned int number, bool is_checked_only, struct error *error)
{
	const char *rest = setting->text, *unsafe;
	struct text place;

	*out = (struct probe){ .is_checked_only = is_checked_only,
			       .is_entry_only = setting->is_entry_only,
			       .option = setting->option,
			       .text = setting->text,
			       .number = number };
	unsafe = probe_unsafe_find(setting->text);
	if (unsafe)
		return error_set(error,
				 "%s '%s': column %zu: one of '#;\"{}' or a control character; "
				 "remove it",
				 setting->option, setting->text,
				 (size_t)(unsafe - setting->text) + 1);
	if (setting->kind == PROBE_USDT)
		return probe_parse_usdt(out, error);
	place = probe_take_word(&rest);
	if (setting->kind == PROBE_PROGRAM ? symbol_parse(out, place, error) < 0
					   : function_parse(out, place, error) < 0)
		return -1;
	return arguments_parse(out, rest, error);
}

int probe_parse(struct probe *out, const struct probe_setting *setting, unsigned int number,
		struct error *error)
{
	return probe_parse_text(out, setting, number, false, error);
}

int probe_setting_check(const struct probe_setting *setting, struct error *error)
{
	struct probe probe;
	int status = probe_parse_text(&probe, setting, 0, true, error);

	probe_release(&probe);
	return status;
}

/* Arguments "SIZE@OPERAND" of static tracepoints; operands are those of an assembler. */

/* Registers of x86-64 as the kernel names them, and as the assembler does, by size. */
static const char *const x86_registers[][5] = {
	{ "ax", "rax", "eax", "ax", "al" },	  { "bx", "rbx", "ebx", "bx", "bl" },
	{ "cx", "rcx", "ecx", "cx", "cl" },	  { "dx", "rdx", "edx", "dx", "dl" },
	{ "si", "rsi", "esi", "si", "sil" },	  { "di", "rdi", "edi", "di", "dil" },
	{ "bp", "rbp", "ebp", "bp", "bpl" },	  { "sp", "rsp", "esp", "sp", "spl" },
	{ "r8", "r8", "r8d", "r8w", "r8b" },	  { "r9", "r9", "r9d", "r9w", "r9b" },
	{ "r10", "r10", "r10d", "r10w", "r10b" }, { "r11", "r11", "r11d", "r11w", "r11b" },
	{ "r12", "r12", "r12d", "r12w", "r12b" }, { "r13", "r13", "r13d", "r13w", "r13b" },
	{ "r14", "r14", "r14d", "r14w", "r14b" }, { "r15", "r15", "r15d", "r15w", "r15b" },
};

/* The highest number of a register x0, x1, ... of arm64. */
#define ARM_REGISTER_MAX 30

static bool take_byte(struct text *rest, char byte)
{
	if (rest->size == 0 || rest->data[0] != byte)
		return false;
	rest->data++;
	rest->size--;
	return true;
}

static void take_blanks(struct text *rest)
{
	while (take_byte(rest, ' '))
		;
}

/* Takes a decimal number; the bytes of a note end with a NUL, which is none. */
static bool number_take_signed(struct text *rest, int64_t *out)
{
	bool is_negative = take_byte(rest, '-');
	const char *begin = rest->data;
	int64_t number = 0;

	while (rest->size > 0 && rest->data[0] >= '0' && rest->data[0] <= '9') {
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, rest->data[0] - '0', &number))
			return false;
		rest->data++;
		rest->size--;
	}
	*out = is_negative ? -number : number;
	return rest->data > begin;
}

/* A space is also behind the commas of "[sp, 12]". */
struct text usdt_argument_take(struct text *rest)
{
	struct text argument;
	size_t depth = 0;

	take_blanks(rest);
	argument = (struct text){ rest->data, 0 };
	while (rest->size > 0 && (depth > 0 || rest->data[0] != ' ')) {
		depth += rest->data[0] == '[';
		depth -= depth > 0 && rest->data[0] == ']';
		argument.size++;
		rest->data++;
		rest->size--;
	}
	return argument;
}

static const char *x86_register_find(struct text name)
{
	const size_t nr_names = sizeof(x86_registers[0]) / sizeof(x86_registers[0][0]);

	for (size_t i = 0; i < sizeof(x86_registers) / sizeof(x86_registers[0]); i++) {
		for (size_t j = 1; j < nr_names; j++) {
			if (text_equals(text_of(x86_registers[i][j]), name))
				return x86_registers[i][0];
		}
	}
	return NULL;
}

static bool constant_append(struct buffer *out, struct text operand)
{
	int64_t number;

	if (!number_take_signed(&operand, &number) || operand.size > 0)
		return false;
	buffer_printf(out, "\\%lld", (long long)number);
	return true;
}

/* "%NAME" */
static bool x86_register_append(struct buffer *out, struct text operand)
{
	const char *name = take_byte(&operand, '%') ? x86_register_find(operand) : NULL;

	buffer_printf(out, "%%%s", name ? name : "");
	return name;
}

/* "$5", "%rdi" or "-4(%rbp)" */
static bool x86_append(struct buffer *out, struct text operand)
{
	int64_t offset = 0;

	if (take_byte(&operand, '$'))
		return constant_append(out, operand);
	if (operand.size > 0 && operand.data[0] == '%')
		return x86_register_append(out, operand);
	if ((operand.size > 0 && operand.data[0] != '(' &&
	     !number_take_signed(&operand, &offset)) ||
	    !take_byte(&operand, '(') || operand.size == 0 || operand.data[operand.size - 1] != ')')
		return false;
	operand.size--;
	buffer_printf(out, "%+lld(", (long long)offset);
	if (!x86_register_append(out, operand))
		return false;
	buffer_append_char(out, ')');
	return true;
}

/* Takes "x0", "w0" or "sp", and appends the name of the whole register. */
static bool arm_register_append(struct buffer *out, struct text *rest)
{
	int64_t number;

	if (rest->size > 2 && rest->data[0] == 'w' && rest->data[1] == 's')
		take_byte(rest, 'w');
	if (take_byte(rest, 's')) {
		buffer_append_string(out, "%sp");
		return take_byte(rest, 'p');
	}
	if ((!take_byte(rest, 'x') && !take_byte(rest, 'w')) || rest->size == 0 ||
	    rest->data[0] == '-' || !number_take_signed(rest, &number) || number > ARM_REGISTER_MAX)
		return false;
	buffer_printf(out, "%%x%lld", (long long)number);
	return true;
}

/* "[sp]" or "[x29, -8]"; the kernel adds no second register, and scales none. */
static bool arm_memory_append(struct buffer *out, struct text operand)
{
	struct buffer name = { 0 };
	int64_t offset = 0;
	bool is_good = arm_register_append(&name, &operand);

	take_blanks(&operand);
	if (is_good && take_byte(&operand, ',')) {
		take_blanks(&operand);
		take_byte(&operand, '#');
		is_good = number_take_signed(&operand, &offset);
		take_blanks(&operand);
	}
	is_good = is_good && take_byte(&operand, ']') && operand.size == 0;
	buffer_printf(out, "%+lld(%s)", (long long)offset, buffer_string(&name));
	buffer_release(&name);
	return is_good;
}

/* "5", "x0", "wzr" or "[sp, 12]" */
static bool arm_append(struct buffer *out, struct text operand)
{
	if (take_byte(&operand, '['))
		return arm_memory_append(out, operand);
	if (text_equals(operand, text_of("xzr")) || text_equals(operand, text_of("wzr"))) {
		buffer_append_string(out, "\\0");
		return true;
	}
	if (operand.size > 0 &&
	    (operand.data[0] == 'x' || operand.data[0] == 'w' || operand.data[0] == 's'))
		return arm_register_append(out, &operand) && operand.size == 0;
	take_byte(&operand, '#');
	return constant_append(out, operand);
}

/* A negative size means a signed value; "4f" and "8f" are floats. */
bool usdt_argument_fetch(struct buffer *out, unsigned int machine, struct text argument)
{
	int64_t bytes;
	bool is_good;

	if (!number_take_signed(&argument, &bytes) || !take_byte(&argument, '@') ||
	    (llabs(bytes) != 1 && llabs(bytes) != 2 && llabs(bytes) != 4 && llabs(bytes) != 8))
		return false;
	if (machine == EM_X86_64)
		is_good = x86_append(out, argument);
	else
		is_good = machine == EM_AARCH64 && arm_append(out, argument);
	buffer_printf(out, ":%c%lld", bytes < 0 ? 's' : 'u', 8 * llabs(bytes));
	return is_good;
}
