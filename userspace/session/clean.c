// SPDX-License-Identifier: GPL-2.0-only
/* Removes the tracing instances of killed runs. */
#include <stdio.h>

#include "session/session.h"
#include "tracefs/tracefs.h"

/**
 * struct cleaning - progress of the removal
 * @kept: the last instance that could not be removed
 */
struct cleaning {
	void (*removed)(void *context, const char *name);
	void *context;
	const struct report *report;
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
		cleaning->removed(cleaning->context, name);
		return 0;
	}
	report_error(cleaning->report, &problem);
	cleaning->status = STATUS_FAILED;
	snprintf(cleaning->kept, sizeof(cleaning->kept), "%s", name);
	return 0;
}

static void stale_skip(void *context, const char *name, const char *directory)
{
	const struct cleaning *cleaning = context;

	report_message(cleaning->report, "%s: not made by ktrack; 'rmdir %s' removes it", name,
		       directory);
}

int clean_run(void (*removed)(void *context, const char *name), void *context,
	      const struct report *report, struct error *error)
{
	struct cleaning cleaning = { .removed = removed, .context = context, .report = report };
	const struct stale_visitor visitor = { .context = &cleaning,
					       .visit = stale_clean,
					       .unmarked = stale_skip };

	return stale_visit(&visitor, error) < 0 ? STATUS_FAILED : cleaning.status;
}
