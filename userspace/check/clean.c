// SPDX-License-Identifier: GPL-2.0-only
/* Removes what killed runs left; drains and disables tracepoints in running ones. */
#include "check/check.h"

#include <stdio.h>

#include "output/output.h"
#include "tracefs/tracefs.h"

/** struct cleaning - progress of the removal */
struct cleaning {
	void (*removed)(void *context, const char *name);
	void *context;
	const struct report *report;
	const struct report *writes;
	int status;
	char kept[64]; /* the last instance that could not be removed */
};

/* If an instance cannot be removed, its companions stay, too. */
static int stale_clean(void *context, const char *name, const char *directory, struct error *error)
{
	struct cleaning *cleaning = context;
	struct error problem = { 0 };

	(void)error;
	if (instance_is_companion(name, cleaning->kept))
		return 0;
	if (stale_remove(directory, &problem) == 0) {
		report_message(cleaning->writes, "remove %s", directory);
		cleaning->removed(cleaning->context, name);
		return 0;
	}
	report_error(cleaning->report, &problem);
	cleaning->status = STATUS_FAILED;
	snprintf(cleaning->kept, sizeof(cleaning->kept), "%s", name);
	return 0;
}

/* An instance that was kept may have them enabled. */
static int group_clean(void *context, const char *group, struct error *error)
{
	struct cleaning *cleaning = context;
	struct error problem = { 0 };

	(void)error;
	if (dynamic_remove(group, &problem) == 0) {
		report_message(cleaning->writes, "write '-:%s/*' to dynamic_events", group);
		cleaning->removed(cleaning->context, group);
		return 0;
	}
	report_error(cleaning->report, &problem);
	cleaning->status = STATUS_FAILED;
	return 0;
}

static void stale_skip(void *context, const char *name, const char *directory)
{
	const struct cleaning *cleaning = context;

	report_message(cleaning->report, "%s: not made by ktrack; 'rmdir %s' removes it", name,
		       directory);
}

int clean_run(void (*removed)(void *context, const char *name), void *context,
	      const struct report *report, const struct report *writes, struct error *error)
{
	struct cleaning cleaning = {
		.removed = removed, .context = context, .report = report, .writes = writes
	};
	const struct stale_visitor visitor = { .context = &cleaning,
					       .visit = stale_clean,
					       .unmarked = stale_skip };
	const struct dynamic_visitor groups = { .context = &cleaning, .visit = group_clean };
	unsigned int number = programs_clean();

	/* Their rings fill up, and calls cost time, until somebody switches them off. */
	if (number > 0)
		report_message(report, "%u program%s of a killed ktrack switched off", number,
			       number == 1 ? "" : "s");
	if (stale_visit(&visitor, error) < 0)
		return STATUS_FAILED;
	/* The names of dynamic events have process numbers: those of running ktracks would look
	 * stale. */
	if (!namespace_has_kernel_pids()) {
		report_message(report, "probes of killed runs are left in a PID namespace; run "
				       "'ktrack clean' outside of it");
		return cleaning.status;
	}
	if (dynamic_visit_stale(&groups, error) < 0)
		return STATUS_FAILED;
	return cleaning.status;
}

/* Makes running ktracks drain and disable tracepoints. */

static void release_waits(void *context, const char *what)
{
	transfer_wait(context, what);
}

int release_run(const char *const *patterns, size_t nr_patterns, size_t *nr_released,
		const struct report *report, const struct report *writes, struct error *error)
{
	*nr_released = 0;
	for (size_t i = 0; i < nr_patterns; i++) {
		struct transfer transfer;
		const struct release_watcher watcher = { .writes = writes,
							 .waits = release_waits,
							 .context = &transfer };
		size_t released;
		int status;

		/* Shows what a long release waits for. */
		transfer_begin(&transfer, report, patterns[i], NULL);
		status = tracepoints_release(patterns[i], &watcher, &released, error);
		transfer_end(&transfer);
		if (status < 0)
			return STATUS_FAILED;
		if (released == 0)
			report_message(report,
				       "%s: no running ktrack records it; its module can be "
				       "unloaded unless another program uses it",
				       patterns[i]);
		*nr_released += released;
	}
	return STATUS_DONE;
}
