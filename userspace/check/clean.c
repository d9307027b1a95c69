// SPDX-License-Identifier: GPL-2.0-only
/* Removes the tracing instances and the dynamic events of killed runs. */
#include <stdio.h>

#include "check/check.h"
#include "tracefs/tracefs.h"

/**
 * struct cleaning - progress of the removal
 * @kept: the last instance that could not be removed
 */
struct cleaning {
	void (*removed)(void *context, const char *name);
	void *context;
	const struct report *report;
	const struct report *writes;
	int status;
	char kept[64];
};

/* If an instance cannot be removed, its sideband instance stays, too. */
static int stale_clean(void *context, const char *name, const char *directory, struct error *error)
{
	struct cleaning *cleaning = context;
	struct error problem = { 0 };

	(void)error;
	if (instance_is_sideband(name, cleaning->kept))
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

/* Their rings fill up, and calls cost time, until somebody switches them off. */
static void programs_report_clean(const struct report *report)
{
	unsigned int number = programs_clean();

	if (number > 0)
		report_message(report, "%u program%s of a killed ktrack switched off", number,
			       number == 1 ? "" : "s");
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

	programs_report_clean(report);
	if (stale_visit(&visitor, error) < 0)
		return STATUS_FAILED;
	/* The names of dynamic events have process numbers: those of running ktracks would look stale. */
	if (!namespace_has_kernel_pids()) {
		report_message(report, "probes of killed runs are left in a PID namespace; run "
				       "'ktrack clean' outside of it");
		return cleaning.status;
	}
	if (dynamic_visit_stale(&groups, error) < 0)
		return STATUS_FAILED;
	return cleaning.status;
}
