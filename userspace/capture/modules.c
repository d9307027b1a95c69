// SPDX-License-Identifier: GPL-2.0-only
/*
 * Follows modules that are loaded and unloaded.
 *
 * The kernel reuses the id of an unloaded tracepoint, and tells only which tracepoint has an id
 * now. So each recorded tracepoint is checked after records were read and before they are
 * delivered: as long as its files exist, its id was its own. Afterwards, waiting records with this
 * id may belong to either tracepoint; they are not decoded, and counted as lost.
 */
#include "capture/run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "reader/reader.h"
#include "source/source.h"

/* ftrace's own records, such as those of trace_marker, have lower ids. */
#define FIRST_ID 32

/* A run reads records even if modules are loaded all the time. */
#define PASSES_MAX 8

static int wake_fd_add(int fd, int watched)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = watched };

	return epoll_ctl(fd, EPOLL_CTL_ADD, watched, &event);
}

/*
 * Makes enable requests to ktrack.ko. It cannot set event filters, so tracepoints with a filter are
 * enabled later, like all without ktrack.ko.
 */
static bool modules_request(struct modules *modules)
{
	const struct selection *selection = &modules->capture->settings->selection;
	const char *instance = instance_name(capture_convention_recorder(modules->capture));
	bool is_all_requested = true;

	if (selection_is_empty(selection))
		return module_watch_request(modules->watch, instance, "*");
	for (size_t i = 0; i < selection->nr_patterns; i++) {
		const struct pattern *pattern = &selection->patterns[i];

		if (pattern->is_of_programs)
			continue;
		if (pattern->filter ||
		    !module_watch_request(modules->watch, instance, pattern->text))
			is_all_requested = false;
	}
	return is_all_requested;
}

int modules_watch(struct modules *modules, struct capture *capture, struct convention *convention,
		  struct error *error)
{
	if (capture->settings->instance || !capture_records_kernel(capture->settings))
		return 0;
	*modules = (struct modules){ .capture = capture, .convention = convention, .fd = -1 };
	return module_watch_open(&modules->watch, error);
}

bool modules_are_unchanged(struct modules *modules)
{
	if (!modules->capture)
		return false;
	modules->is_changed |= module_watch_take(modules->watch);
	return !modules->is_changed;
}

int modules_open(struct modules *modules, const struct modules_handler *handler,
		 struct error *error)
{
	struct error problem = { 0 };
	int writes_fd;

	if (!modules->capture)
		return 0;
	modules->handler = *handler;
	/* Without it, changes by other programs are not noticed. */
	if (instance_watch(modules->capture->recorder, &problem) < 0)
		report_error(modules->capture->report, &problem);
	writes_fd = instance_watch_fd(modules->capture->recorder);
	modules->fd = epoll_create1(EPOLL_CLOEXEC);
	if (modules->fd >= 0 && wake_fd_add(modules->fd, modules->capture->stop.signals.fd) == 0 &&
	    wake_fd_add(modules->fd, module_watch_fd(modules->watch)) == 0 &&
	    (writes_fd < 0 || wake_fd_add(modules->fd, writes_fd) == 0))
		return 0;
	return error_set(error, "cannot wait for signals and modules");
}

int modules_wake_fd(const struct modules *modules, const struct capture *capture)
{
	return modules->capture ? modules->fd : capture->stop.signals.fd;
}

static struct rules *modules_rules(const struct modules *modules)
{
	return modules->capture->settings->selection.rules;
}

/* Remove a tracepoint, if it is in the list. */
static void releasing_remove(struct releasing_list *list, struct releasing one)
{
	size_t size = 0;

	for (size_t i = 0; i < list->size; i++) {
		if (list->list[i].descriptor != one.descriptor || list->list[i].rule != one.rule)
			list->list[size++] = list->list[i];
	}
	list->size = size;
}

/*
 * From now on its id is ambiguous. Modules with ktrack's macros wait until their tracepoints are
 * released; others are unloaded at once, and nothing of them can be read before.
 */
static int tracepoint_unload(struct modules *modules, enum instance_kind instance,
			     struct releasing one, struct error *error)
{
	releasing_remove(&modules->releasing, one);
	if (one.rule) {
		rules_drop(modules_rules(modules), one.rule->system, one.rule->name);
	} else {
		size_t size = 0;

		convention_drop(modules->convention, one.descriptor);
		for (size_t i = 0; i < modules->waiting.size; i++) {
			if (modules->waiting.list[i] != one.descriptor)
				modules->waiting.list[size++] = modules->waiting.list[i];
		}
		modules->waiting.size = size;
	}
	modules->had_unread[instance] = true;
	modules->doubtful_ns = capture_now_ns(modules->capture);
	return modules->handler.went(modules->handler.context, one.category, one.descriptor, error);
}

/* A released tracepoint has no more records. */
static int tracepoint_change(struct modules *modules, const struct instance_change *change,
			     struct releasing one, struct error *error)
{
	if (change->now == EVENT_UNLOADED)
		return change->before == EVENT_RELEASED
			       ? 0
			       : tracepoint_unload(modules, change->instance, one, error);
	if (change->now == EVENT_RELEASING) {
		struct releasing_list *releasing = &modules->releasing;

		if (!array_reserve(releasing->list, releasing->size))
			return error_set(error, "out of memory");
		releasing->list[releasing->size++] = one;
		return 0;
	}
	releasing_remove(&modules->releasing, one);
	return 0;
}

static int event_state_change(struct modules *modules, const struct instance_change *change,
			      struct error *error)
{
	const struct rules *rules = modules_rules(modules);
	struct releasing found = {
		.descriptor = convention_find_name(modules->convention, change->system,
						   change->event),
	}, of_rules = {
		.rule = rules ? rules_find_name(rules, change->system, change->event) : NULL,
	};

	if (change->now == EVENT_UNLOADED) {
		modules->has_gone[change->instance] = true;
		/* Others may have written since the last pass; what is taken in later did not. */
		if (instance_count_events(modules->capture->recorder, change->instance) > 0)
			modules->had_unread[change->instance] = true;
		memset(modules->searched, 0, sizeof(modules->searched));
	}
	if (of_rules.rule) {
		of_rules.category = of_rules.rule->category;
		if (tracepoint_change(modules, change, of_rules, error) < 0)
			return -1;
	}
	if (!found.descriptor)
		return 0;
	found.category = found.descriptor->category;
	return tracepoint_change(modules, change, found, error);
}

int modules_change(void *context, const struct instance_change *change, struct error *error)
{
	struct modules *modules = context;
	const struct report *report = modules->capture->report;
	const char *name = instance_name(modules->capture->recorder);
	bool *is_reported = change->is_emptied ? &modules->is_emptied_reported
					       : &modules->is_sideband_reported;

	if (change->kind == INSTANCE_EVENT_STATE)
		return event_state_change(modules, change, error);
	/* After a change of the clock, no other change matters. */
	if (modules->was_reclocked)
		return 0;
	/* Reports each kind once: opening a file for writing counts as a change, too. */
	if (change->is_reclocked)
		report_message(report, "%s: another program changed its clock; the recording ends",
			       name);
	else if (!*is_reported && change->is_emptied)
		report_message(report, "%s: another program emptied its buffers (wrote '%s')", name,
			       change->file);
	else if (!*is_reported)
		report_message(report,
			       "%s.sideband: another program emptied its buffers (wrote '%s'); "
			       "thread names may be wrong",
			       name, change->file);
	*is_reported = true;
	modules->was_reclocked = change->is_reclocked;
	if (!change->is_reclocked && !change->is_emptied)
		return 0;
	modules->was_emptied = true;
	for (int kind = 0; kind < INSTANCE_KINDS; kind++)
		modules->has_gone[kind] = modules->had_unread[kind] = kind != INSTANCE_SIDEBAND;
	return 0;
}

void modules_look_changes(struct modules *modules)
{
	const struct instance_observer observer = { .context = modules, .change = modules_change };
	struct error ignored = { 0 };

	if (modules->capture)
		instance_look_writes(modules->capture->recorder, &observer, &ignored);
}

int modules_look(struct modules *modules, struct error *error)
{
	const struct instance_observer observer = { .context = modules, .change = modules_change };

	if (!modules->capture)
		return 0;
	return instance_look(modules->capture->recorder, &observer, error);
}

static bool wants_tracepoint(void *context, const char *system, const char *name)
{
	const struct modules *modules = context;
	const struct rules *rules = modules_rules(modules);

	if (!name)
		return strcmp(system, "ftrace") != 0;
	return (selection_means(&modules->capture->settings->selection, system, name) ||
		(rules && rules_want(rules, system, name))) &&
	       !instance_has_event(modules->capture->recorder, system, name);
}

/* Whether the tracepoint still has the format that was read before it was enabled. */
static bool tracepoint_is_same(int events_fd, const struct tracepoint *tracepoint)
{
	struct buffer format = { 0 };
	int status = event_file_read(events_fd, tracepoint->system, tracepoint->name, "format",
				     &format);
	bool is_same = status == 0 && format.size == tracepoint->format.size &&
		       memcmp(format.data, tracepoint->format.data, format.size) == 0;

	buffer_release(&format);
	return is_same;
}

/* An enabled tracepoint keeps a file open; if too few are left, others are not recorded. */
static bool modules_have_files(struct modules *modules)
{
	bool are_left = files_are_left();

	if (!are_left && !modules->are_files_reported)
		report_message(modules->capture->report,
			       "tracepoints of modules are not recorded, too many files are "
			       "open" FILES_REMEDY);
	modules->are_files_reported |= !are_left;
	return are_left;
}

/* Skips a tracepoint that was unloaded meanwhile. */
static int descriptor_take_in(struct modules *modules, const struct tracepoint *tracepoint,
			      struct error *error)
{
	struct instance *recorder = capture_convention_recorder(modules->capture);
	const char *system = tracepoint->system, *name = tracepoint->name;
	const char *filter = selection_filter(&modules->capture->settings->selection, system, name);
	int events_fd = instance_events_fd(recorder);
	const struct descriptor *descriptor = NULL;
	struct error problem = { 0 }, ignored = { 0 };
	bool is_early;

	if (convention_add(modules->convention, system, tracepoint->format, &descriptor, &problem) <
	    0)
		return error_set(error, "%s", problem.text);
	if (convention_read_symbols(modules->convention, modules->capture->report) < 0)
		return error_set(error, "out of memory");
	if (!descriptor)
		return 0;
	is_early = modules->is_early && event_is_enabled(events_fd, system, name);
	if (!modules_have_files(modules) ||
	    instance_enable(recorder, system, name, filter, &ignored) < 0 ||
	    !tracepoint_is_same(events_fd, tracepoint)) {
		convention_drop(modules->convention, descriptor);
		return 0;
	}
	return modules->handler.came(modules->handler.context, descriptor->category, descriptor,
				     is_early, error);
}

/* Skips a tracepoint that was unloaded meanwhile. */
static int rules_take_in(struct modules *modules, const struct tracepoint *tracepoint,
			 struct error *error)
{
	struct rules *rules = modules_rules(modules);
	const struct report *report = modules->capture->report;
	const char *system = tracepoint->system, *name = tracepoint->name;
	const struct rule_tracepoint *bound;
	struct error problem = { 0 };

	if (!rules || rules_find_name(rules, system, name))
		return 0;
	/* A rule that does not fit a module is of no use, but no reason to end. */
	if (rules_bind(rules, system, name, tracepoint->format, &problem) != 0 ||
	    (!instance_has_event(modules->capture->recorder, system, name) &&
	     !rules_find_name(rules, system, name) &&
	     selection_means(&modules->capture->settings->selection, system, name) &&
	     rules_bind_rest(rules, system, name, tracepoint->format, &problem) != 0))
		report_error(report, &problem);
	rules_report_left_out(rules, report);
	bound = rules_find_name(rules, system, name);
	if (!bound)
		return 0;
	problem = (struct error){ 0 };
	if (!modules_have_files(modules) ||
	    capture_enable_rule(modules->capture, bound, &problem) < 0 ||
	    !tracepoint_is_same(instance_events_fd(modules->capture->recorder), tracepoint)) {
		rules_drop(rules, system, name);
		return 0;
	}
	if (rules_read_symbols(rules, true, report) < 0)
		return error_set(error, "out of memory");
	if (rules->kallsyms && rules_resolve(rules, &problem) < 0)
		report_error(report, &problem);
	return modules->handler.came(modules->handler.context, bound->category, NULL, false, error);
}

static int tracepoint_take_in(void *context, const struct tracepoint *tracepoint,
			      struct error *error)
{
	struct modules *modules = context;
	uint64_t system = text_hash(text_of(tracepoint->system));

	if (selection_refuses(&modules->capture->settings->selection, tracepoint,
			      modules->capture->report))
		return 0;
	/* What went before this module came has taken nothing of it along. */
	if (system != modules->looked && modules_look(modules, error) < 0)
		return -1;
	modules->looked = system;
	if (selection_means(&modules->capture->settings->selection, tracepoint->system,
			    tracepoint->name) &&
	    descriptor_take_in(context, tracepoint, error) < 0)
		return -1;
	return rules_take_in(context, tracepoint, error);
}

/* New descriptors wait until no id is ambiguous. */
static int descriptors_hold_back(struct modules *modules, size_t first, struct error *error)
{
	for (size_t i = first; i < convention_size(modules->convention); i++) {
		const struct descriptor *descriptor = convention_descriptor(modules->convention, i);

		convention_drop(modules->convention, descriptor);
		if (!array_reserve(modules->waiting.list, modules->waiting.size))
			return error_set(error, "out of memory");
		modules->waiting.list[modules->waiting.size++] = descriptor;
	}
	return 0;
}

/* Checks for unloaded tracepoints before and after the search. */
static int modules_search(struct modules *modules, struct error *error)
{
	const struct tracepoint_visitor visitor = { .context = modules,
						    .wants = wants_tracepoint,
						    .visit = tracepoint_take_in };
	size_t first = convention_size(modules->convention);
	struct rules *rules = modules_rules(modules);
	size_t first_of_rules = rules ? rules->nr_tracepoints : 0;
	int events_fd = instance_events_fd(modules->capture->recorder);

	modules->looked = 0;
	if (modules_look(modules, error) < 0 || tracepoints_visit(events_fd, &visitor, error) < 0 ||
	    modules_look(modules, error) < 0)
		return -1;
	if (modules->doubtful_ns && rules)
		rules_hold_back(rules, first_of_rules);
	return modules->doubtful_ns ? descriptors_hold_back(modules, first, error) : 0;
}

int modules_take_in(struct modules *modules, struct error *error)
{
	if (!modules->capture || !module_watch_take(modules->watch))
		return 0;
	if (modules_rules(modules))
		rules_expire_symbols(modules_rules(modules));
	memset(modules->searched, 0, sizeof(modules->searched));
	return modules_search(modules, error);
}

/*
 * ktrack.ko has the request first: it enables modules that are loaded later, and the search finds
 * those that were loaded before.
 */
int modules_catch_up(struct modules *modules, struct error *error)
{
	if (!modules->capture)
		return 0;
	modules->is_early = modules_request(modules);
	for (int i = 0; i < PASSES_MAX && !modules_are_unchanged(modules); i++) {
		modules->is_changed = false;
		memset(modules->searched, 0, sizeof(modules->searched));
		if (modules_search(modules, error) < 0)
			return -1;
	}
	return 0;
}

int modules_find(void *context, uint16_t id, bool *is_known, struct error *error)
{
	struct modules *modules = context;
	unsigned char *searched;

	*is_known = false;
	if (id < FIRST_ID || instance_sideband_has_id(modules->capture->recorder, id))
		return 0;
	/*
	 * An event of a program that is left out: each search takes milliseconds. Kernels up to 6.1
	 * number all that is ever registered, so that without programs it may be one of the kernel.
	 */
	if (modules->capture->programs && id >= PROGRAM_EVENT_ID)
		return 1;
	searched = &modules->searched[id / 8];
	if (*searched & 1U << id % 8)
		return 1;
	*searched |= 1U << id % 8;
	if (modules_search(modules, error) < 0)
		return -1;
	*is_known = convention_has_id(modules->convention, id) ||
		    (modules_rules(modules) && rules_find_id(modules_rules(modules), id));
	return 1;
}

void modules_drop_releasing(struct modules *modules)
{
	for (size_t i = 0; i < modules->releasing.size; i++) {
		const struct releasing *one = &modules->releasing.list[i];

		if (one->rule)
			rules_drop(modules_rules(modules), one->rule->system, one->rule->name);
		else
			convention_drop(modules->convention, one->descriptor);
	}
	modules->releasing.size = 0;
}

void modules_trust(struct modules *modules)
{
	for (size_t i = 0; i < modules->waiting.size; i++)
		convention_use(modules->convention, modules->waiting.list[i]);
	modules->waiting.size = 0;
	if (modules->capture && modules_rules(modules))
		rules_trust(modules_rules(modules));
	modules->doubtful_ns = 0;
	memset(modules->searched, 0, sizeof(modules->searched));
}

void modules_release(struct modules *modules)
{
	module_watch_close(modules->watch);
	if (modules->capture && modules->fd >= 0)
		close(modules->fd);
	free(modules->releasing.list);
	free(modules->waiting.list);
	*modules = (struct modules){ 0 };
}
