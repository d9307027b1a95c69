// SPDX-License-Identifier: GPL-2.0-only
/*
 * Follows modules that come and go.
 *
 * Kernels give the id of a tracepoint that has gone to the next one that comes, and say which
 * tracepoint an id belongs to only as of now. So each tracepoint that is recorded is looked at
 * after records were read, and before they are delivered: as long as its own files are there, its
 * id was its own. Once they are not, records of the id that wait to be delivered may be of either;
 * they are read by nothing, and counted as lost.
 */
#include "cli/modules.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "cli/note.h"

/* ftrace's own records (what users write to trace_marker, for one) have lower ids than others. */
#define FIRST_ID 32

/* Modules that are loaded without end do not keep a run from reading. */
#define PASSES_MAX 8

int template_list_add(struct template_list *list, const struct template *template)
{
	const struct template **grown = reallocarray(list->list, list->size + 1, sizeof(*grown));

	if (!grown)
		return -1;
	list->list = grown;
	grown[list->size++] = template;
	return 0;
}

void template_list_remove(struct template_list *list, const struct template *template)
{
	size_t size = 0;

	for (size_t i = 0; i < list->size; i++) {
		if (list->list[i] != template)
			list->list[size++] = list->list[i];
	}
	list->size = size;
}

static int descriptor_watch(int fd, int watched)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = watched };

	return epoll_ctl(fd, EPOLL_CTL_ADD, watched, &event);
}

static int descriptors_join(struct modules *modules, struct error *error)
{
	modules->fd = epoll_create1(EPOLL_CLOEXEC);
	if (modules->fd >= 0 &&
	    descriptor_watch(modules->fd, modules->capture->ending.signals.fd) == 0 &&
	    descriptor_watch(modules->fd, arrivals_fd(modules->arrivals)) == 0 &&
	    (!modules->changes || descriptor_watch(modules->fd, changes_fd(modules->changes)) == 0))
		return 0;
	return error_set(error, "cannot wait for signals and modules");
}

/*
 * Records of init would not meet a filter, which can be set only when the module is there: what
 * has one is enabled then. So is all where ktrack.ko does not take a wish.
 */
static bool wishes_make(struct modules *modules)
{
	const struct selection *selection = &modules->capture->settings->selection;
	const char *instance = recorder_name(modules->capture->recorder);
	bool are_all_taken = true;

	if (selection->nr_patterns == 0)
		return arrivals_wish(modules->arrivals, instance, "*");
	for (size_t i = 0; i < selection->nr_patterns; i++) {
		const struct pattern *pattern = &selection->patterns[i];

		if (pattern->filter || !arrivals_wish(modules->arrivals, instance, pattern->text))
			are_all_taken = false;
	}
	return are_all_taken;
}

int modules_watch(struct modules *modules, struct capture *capture, struct convention *convention,
		  struct error *error)
{
	*modules = (struct modules){ .capture = capture, .convention = convention, .fd = -1 };
	return arrivals_open(&modules->arrivals, error);
}

int modules_open(struct modules *modules, const struct modules_handler *handler,
		 struct error *error)
{
	struct error problem = { 0 };

	modules->handler = *handler;
	/* Without it, a recording is as good, unless somebody disturbs it. */
	if (changes_open(&modules->changes, modules->capture->recorder, &problem) < 0)
		note_error(&problem);
	return descriptors_join(modules, error);
}

/* Once for each kind: a program that writes a file opens it first, which counts too. */
static void change_report(struct modules *modules, const struct change *change)
{
	const char *name = recorder_name(modules->capture->recorder);
	bool *is_reported = change->is_emptied ? &modules->is_emptied_reported
					       : &modules->is_beside_reported;

	if (*is_reported && !change->is_reclocked)
		return;
	*is_reported = true;
	if (change->is_reclocked)
		note_say("%s: another program changed its clock; the recording ends before that",
			 name);
	else if (change->is_emptied)
		note_say("%s: another program emptied its buffers (wrote '%s')", name,
			 change->file);
	else
		note_say("%s.durable: another program emptied its buffers (wrote '%s'); names of "
			 "threads may be those of others",
			 name, change->file);
}

/* Once the clock is another one, nothing else matters. */
void modules_look_changes(struct modules *modules)
{
	struct change change;

	if (!modules->changes || modules->was_reclocked || !changes_take(modules->changes, &change))
		return;
	change_report(modules, &change);
	modules->was_reclocked = change.is_reclocked;
	if (!change.is_reclocked && !change.is_emptied)
		return;
	modules->was_emptied = true;
	modules->has_gone = true;
	modules->had_unread = true;
}

/* Until now it was known what its id stands for. */
static int template_went(struct modules *modules, const struct template *template,
			 struct error *error)
{
	convention_drop(modules->convention, template);
	template_list_remove(&modules->let_go, template);
	template_list_remove(&modules->waiting, template);
	modules->had_unread = true;
	modules->doubtful_ns = capture_now_ns(modules->capture);
	return modules->handler.went(modules->handler.context, template, error);
}

static int standing_change(void *context, const char *system, const char *event,
			   enum recorder_standing before, enum recorder_standing now,
			   struct error *error)
{
	struct modules *modules = context;
	const struct template *template = convention_find_name(modules->convention, system, event);

	if (!template)
		return 0;
	if (now == RECORDER_GONE) {
		modules->has_gone = true;
		memset(modules->searched, 0, sizeof(modules->searched));
		return before == RECORDER_GIVEN_UP ? 0 : template_went(modules, template, error);
	}
	if (now == RECORDER_RECORDED)
		template_list_remove(&modules->let_go, template);
	else if (template_list_add(&modules->let_go, template) < 0)
		return error_set(error, "out of memory");
	return 0;
}

int modules_look(struct modules *modules, struct error *error)
{
	const struct recorder_observer observer = { .context = modules,
						    .changed = standing_change };

	modules_look_changes(modules);
	return recorder_look(modules->capture->recorder, &observer, error);
}

static bool wants_tracepoint(void *context, const char *system, const char *name)
{
	const struct modules *modules = context;

	return selection_means(&modules->capture->settings->selection, system, name) &&
	       !recorder_has(modules->capture->recorder, system, name);
}

/* Whether the format is still the one that was read before the tracepoint was enabled. */
static bool is_same_tracepoint(int events_fd, const struct source_tracepoint *tracepoint)
{
	struct buffer format = { 0 };
	int status = source_event_read(events_fd, tracepoint->system, tracepoint->name, "format",
				       &format);
	bool is_same = status == 0 && format.size == tracepoint->format.size &&
		       memcmp(format.data, tracepoint->format.data, format.size) == 0;

	buffer_release(&format);
	return is_same;
}

/* What goes again meanwhile is passed over. */
static int template_take_in(struct modules *modules, const struct source_tracepoint *tracepoint,
			    const struct template *template, struct error *error)
{
	struct recorder *recorder = modules->capture->recorder;
	const char *filter = selection_filter(&modules->capture->settings->selection,
					      tracepoint->system, tracepoint->name);
	int events_fd = recorder_events_fd(recorder);
	bool is_early = modules->is_early &&
			source_event_is_enabled(events_fd, tracepoint->system, tracepoint->name);
	struct error ignored = { 0 };

	if (recorder_enable(recorder, tracepoint->system, tracepoint->name, filter, &ignored) < 0 ||
	    !is_same_tracepoint(events_fd, tracepoint)) {
		convention_drop(modules->convention, template);
		return 0;
	}
	return modules->handler.came(modules->handler.context, template, is_early, error);
}

static int tracepoint_visit(void *context, const struct source_tracepoint *tracepoint,
			    struct error *error)
{
	struct modules *modules = context;
	const struct template *template = NULL;
	struct error problem = { 0 };
	int status = convention_add(modules->convention, tracepoint->system, tracepoint->format,
				    &template, &problem);

	if (status < 0)
		return error_set(error, "%s", problem.text);
	return template ? template_take_in(modules, tracepoint, template, error) : 0;
}

/* Those that came when something was in doubt wait until it is not. */
static int templates_hold_back(struct modules *modules, size_t first, struct error *error)
{
	for (size_t i = first; i < convention_size(modules->convention); i++) {
		const struct template *template = convention_template(modules->convention, i);

		convention_drop(modules->convention, template);
		if (template_list_add(&modules->waiting, template) < 0)
			return error_set(error, "out of memory");
	}
	return 0;
}

/* Looks before, so that what has gone is not taken for what is there, and after, likewise. */
static int modules_search(struct modules *modules, struct error *error)
{
	const struct source_visitor visitor = { .context = modules,
						.wants = wants_tracepoint,
						.visit = tracepoint_visit };
	size_t first = convention_size(modules->convention);
	int events_fd = recorder_events_fd(modules->capture->recorder);

	if (modules_look(modules, error) < 0 ||
	    source_tracepoints_visit(events_fd, &visitor, error) < 0 ||
	    modules_look(modules, error) < 0)
		return -1;
	return modules->doubtful_ns ? templates_hold_back(modules, first, error) : 0;
}

int modules_take_in(struct modules *modules, struct error *error)
{
	if (!arrivals_take(modules->arrivals))
		return 0;
	memset(modules->searched, 0, sizeof(modules->searched));
	return modules_search(modules, error);
}

/*
 * ktrack.ko is asked first: a module that comes later is enabled by it, one that came before is
 * found by the search.
 */
int modules_catch_up(struct modules *modules, struct error *error)
{
	modules->is_early = wishes_make(modules);
	for (int i = 0; i < PASSES_MAX && arrivals_take(modules->arrivals); i++) {
		memset(modules->searched, 0, sizeof(modules->searched));
		if (modules_search(modules, error) < 0)
			return -1;
	}
	return 0;
}

/* Whether an id was looked for already; it was from now on. */
static bool search_note(struct modules *modules, uint16_t id)
{
	unsigned char bit = 1U << id % 8;
	bool was_searched = modules->searched[id / 8] & bit;

	modules->searched[id / 8] |= bit;
	return was_searched;
}

int modules_find(struct modules *modules, const struct record *record, bool *is_known,
		 struct error *error)
{
	uint16_t id;

	*is_known = false;
	if (!convention_id(modules->convention, record, &id) || id < FIRST_ID ||
	    recorder_has_beside(modules->capture->recorder, id))
		return 0;
	if (search_note(modules, id))
		return 1;
	if (modules_search(modules, error) < 0)
		return -1;
	*is_known = convention_knows(modules->convention, id);
	return 1;
}

void modules_trust(struct modules *modules)
{
	for (size_t i = 0; i < modules->waiting.size; i++)
		convention_use(modules->convention, modules->waiting.list[i]);
	modules->waiting.size = 0;
	modules->doubtful_ns = 0;
	memset(modules->searched, 0, sizeof(modules->searched));
}

void modules_release(struct modules *modules)
{
	arrivals_close(modules->arrivals);
	changes_close(modules->changes);
	if (modules->capture && modules->fd >= 0)
		close(modules->fd);
	free(modules->let_go.list);
	free(modules->waiting.list);
	*modules = (struct modules){ 0 };
}
