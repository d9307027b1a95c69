// SPDX-License-Identifier: GPL-2.0-only
/* The tracepoints that an instance records: enabling, filters, changes of their state. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

#include "tracefs/instance_state.h"
#include "tracefs/retry.h"

/* If the kernel refuses a filter, the file of the filter contains its reason. */
static int filter_fail(const struct instance *instance, int number, const char *system,
		       const char *event, const char *filter, const struct error *problem,
		       struct error *error)
{
	static const char head[] = "parse_error: ";
	struct buffer text = { 0 };
	const char *reason = NULL;

	if (event_file_read(instance->control.events_fd, system, event, "filter", &text) == 0)
		reason = strstr(buffer_string(&text), head);
	if (reason) {
		reason += strlen(head);
		error_set(error, "the kernel refuses '%s' as a filter of %s:%s: %.*s%s%s", filter,
			  system, event, (int)strcspn(reason, "\n"), reason,
			  *problem->text ? ": " : "", problem->text);
	} else {
		error_set_system(error, number, "cannot write '%s' to %s/events/%s/%s/filter",
				 filter, instance->directory, system, event);
	}
	buffer_release(&text);
	return -1;
}

/* The filter goes with the instance. */
static int event_filter(struct instance *instance, const char *system, const char *event,
			const char *text, struct error *error)
{
	struct buffer filter = { 0 };
	struct error problem = { 0 };
	int fd, status = 0;

	control_translate_filter(&instance->control, system, event, text, &filter, &problem);
	fd = control_open_event(&instance->control, system, event, "filter", O_WRONLY | O_TRUNC);
	if (fd < 0 || retry_write(fd, buffer_string(&filter), filter.size) < 0)
		status = filter_fail(instance, errno, system, event, text, &problem, error);
	else
		control_report_event_write(&instance->control, system, event, "filter",
					   buffer_string(&filter));
	buffer_release(&filter);
	if (fd >= 0)
		close(fd);
	return status;
}

int instance_enable(struct instance *instance, const char *system, const char *event,
		    const char *filter, struct error *error)
{
	if (filter && event_filter(instance, system, event, filter, error) < 0)
		return -1;
	return enabled_add(&instance->enabled, &instance->control, system, event,
			   instance->enabled_lock, error);
}

int instance_watch(struct instance *instance, struct error *error)
{
	return changes_open(&instance->changes, instance, error);
}

int instance_watch_fd(const struct instance *instance)
{
	return instance->changes ? changes_fd(instance->changes) : -1;
}

int instance_look_writes(const struct instance *instance, const struct instance_observer *observer,
			 struct error *error)
{
	struct instance_change change;

	if (!instance->changes || !changes_take(instance->changes, &change))
		return 0;
	return observer->change(observer->context, &change, error);
}

int instance_look(struct instance *instance, const struct instance_observer *observer,
		  struct error *error)
{
	if (instance_look_writes(instance, observer, error) < 0)
		return -1;
	return enabled_look_all(&instance->enabled, observer, error);
}

void instance_release_events(struct instance *instance)
{
	enabled_release_all(&instance->enabled);
}

bool instance_has_event(const struct instance *instance, const char *system, const char *event)
{
	return enabled_has(&instance->enabled, system, event);
}

bool instance_sideband_has_id(const struct instance *instance, unsigned int id)
{
	struct instance *sideband = instance->sideband;

	return sideband && enabled_has_id(&sideband->enabled, &sideband->control, id);
}

size_t instance_count_events(const struct instance *instance)
{
	return enabled_recorded(&instance->enabled);
}
