// SPDX-License-Identifier: GPL-2.0-only
/* Meets the kernel's tracepoints with the patterns of a command line. */
#include "cli/tracepoints.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/note.h"

static int pattern_add(struct selection *selection, const char *text, size_t size,
		       struct error *error)
{
	struct pattern *patterns = reallocarray(selection->patterns, selection->nr_patterns + 1,
						sizeof(*patterns));
	char *copy = strndup(text, size);

	if (patterns)
		selection->patterns = patterns;
	if (!patterns || !copy) {
		free(copy);
		return error_set(error, "out of memory");
	}
	patterns[selection->nr_patterns++] = (struct pattern){
		.text = copy,
		.option = selection->nr_options,
	};
	return 0;
}

/* No name has a comma in it. */
static int apply_tracepoint(void *settings, const char *text, struct error *error)
{
	struct selection *selection = settings;
	const char *rest = text;

	selection->nr_options++;

	for (;;) {
		size_t size = strcspn(rest, ",");

		if (size == 0)
			return error_set(error, "'%s' leaves a tracepoint out; write SYS[:EVENT]",
					 text);
		if (pattern_add(selection, rest, size, error) < 0)
			return -1;
		if (!rest[size])
			return 0;
		rest += size + 1;
	}
}

static const struct option_row selection_rows[] = {
	{ 'e', "tracepoint", "SYS[:EVENT]", "only these; wildcards allowed, several with commas",
	  apply_tracepoint, .is_repeatable = true },
};

const struct option_part selection_options = {
	.rows = selection_rows,
	.nr_rows = sizeof(selection_rows) / sizeof(selection_rows[0]),
};

void selection_release(struct selection *selection)
{
	for (size_t i = 0; i < selection->nr_patterns; i++)
		free(selection->patterns[i].text);
	free(selection->patterns);
	*selection = (struct selection){ 0 };
}

void template_system(const struct template *template, struct buffer *out)
{
	buffer_append(out, template->category, template->name - template->category - 1);
}

/* "SYS" means all of the system, "SYS:EVENT" what matches both. */
static bool pattern_meets(const struct pattern *pattern, const struct source_tracepoint *tracepoint)
{
	const char *colon = strchr(pattern->text, ':');
	char *system;
	bool meets;

	if (!colon)
		return fnmatch(pattern->text, tracepoint->system, 0) == 0;
	system = strndup(pattern->text, colon - pattern->text);
	meets = system && fnmatch(system, tracepoint->system, 0) == 0 &&
		fnmatch(colon + 1, tracepoint->name, 0) == 0;
	free(system);
	return meets;
}

int selection_set_filter(struct selection *selection, const char *filter, struct error *error)
{
	if (selection->nr_options == 0)
		return error_set(error, "--filter is about the -e before it, and there is none");
	for (size_t i = 0; i < selection->nr_patterns; i++) {
		if (selection->patterns[i].option == selection->nr_options)
			selection->patterns[i].filter = filter;
	}
	return 0;
}

bool selection_means(const struct selection *selection, const char *system, const char *name)
{
	const struct source_tracepoint tracepoint = { .system = system, .name = name };

	for (size_t i = 0; i < selection->nr_patterns; i++) {
		if (pattern_meets(&selection->patterns[i], &tracepoint))
			return true;
	}
	return selection->nr_patterns == 0;
}

const char *selection_filter(const struct selection *selection, const char *system,
			     const char *name)
{
	const struct source_tracepoint tracepoint = { .system = system, .name = name };
	const char *filter = NULL;

	for (size_t i = 0; i < selection->nr_patterns; i++) {
		const struct pattern *pattern = &selection->patterns[i];

		if (pattern->filter && pattern_meets(pattern, &tracepoint))
			filter = pattern->filter;
	}
	return filter;
}

struct finder {
	struct convention *convention;
	struct selection *selection;
};

/* Marks every pattern that meets the tracepoint; returns whether it is meant at all. */
static bool selection_meets(struct selection *selection, const struct source_tracepoint *tracepoint)
{
	bool meets = selection->nr_patterns == 0;

	for (size_t i = 0; i < selection->nr_patterns; i++) {
		struct pattern *pattern = &selection->patterns[i];

		if (!pattern_meets(pattern, tracepoint))
			continue;
		pattern->met_tracepoint = true;
		meets = true;
	}
	return meets;
}

static void selection_note(struct selection *selection, const struct source_tracepoint *tracepoint)
{
	for (size_t i = 0; i < selection->nr_patterns; i++) {
		if (pattern_meets(&selection->patterns[i], tracepoint))
			selection->patterns[i].met_template = true;
	}
}

/* One tracepoint that cannot be read does not keep us from the others. */
static void tracepoint_leave(struct finder *finder, const struct source_tracepoint *tracepoint,
			     const struct error *problem)
{
	struct error note = { 0 };

	finder->selection->nr_unreadable++;
	error_set(&note, "%s:%s is left out: %s", tracepoint->system, tracepoint->name,
		  problem->text);
	note_print(&note);
}

static int tracepoint_visit(void *context, const struct source_tracepoint *tracepoint,
			    struct error *error)
{
	struct finder *finder = context;
	const struct template *template;
	struct error problem = { 0 };
	int status;

	/* Which tracepoints are wanted does not matter for who writes their records. */
	status = convention_add_task(finder->convention, tracepoint->system, tracepoint->name,
				     tracepoint->format, &problem);
	if (status > 0)
		tracepoint_leave(finder, tracepoint, &problem);
	else if (status < 0)
		return error_set(error, "%s", problem.text);
	if (!selection_meets(finder->selection, tracepoint))
		return 0;
	status = convention_add(finder->convention, tracepoint->system, tracepoint->format,
				&template, &problem);
	if (status > 0)
		tracepoint_leave(finder, tracepoint, &problem);
	else if (status < 0)
		return error_set(error, "%s", problem.text);
	if (template)
		selection_note(finder->selection, tracepoint);
	return 0;
}

static int selection_check(const struct selection *selection, bool is_of_source,
			   struct error *error)
{
	const char *hint = is_of_source ? "" : "; is its module loaded? See 'ktrack list'";
	const char *remedy = selection->can_wait ? "; --wait waits for it" : "";

	for (size_t i = 0; i < selection->nr_patterns; i++) {
		const struct pattern *pattern = &selection->patterns[i];

		if (!pattern->met_tracepoint && selection->waits)
			continue;
		if (!pattern->met_tracepoint)
			return error_set(error, "no tracepoint%s matches '%s'%s%s",
					 is_of_source ? " of the source" : "", pattern->text, hint,
					 remedy);
		if (!pattern->met_template)
			return error_set(error,
					 "'%s' does not follow the track event convention (it "
					 "needs track_event_type and slice_name, or counter_value)",
					 pattern->text);
	}
	return 0;
}

static int tracepoints_visit(struct source *source, const struct source_visitor *visitor,
			     struct error *error)
{
	int events_fd, status;

	if (source)
		return source_visit(source, visitor, error);
	events_fd = source_events_open(error);
	if (events_fd < 0)
		return -1;
	status = source_tracepoints_visit(events_fd, visitor, error);
	close(events_fd);
	return status;
}

int tracepoints_find(struct convention *convention, struct source *source,
		     struct selection *selection, struct error *error)
{
	struct finder finder = { .convention = convention, .selection = selection };
	struct source_visitor visitor = { .context = &finder, .visit = tracepoint_visit };

	if (tracepoints_visit(source, &visitor, error) < 0)
		return -1;
	return selection_check(selection, source, error);
}
