// SPDX-License-Identifier: GPL-2.0-only
/* Writes and reads the trigger files of tracepoints with kernel stacks. */
#include "tracefs/stack_trigger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracefs/retry.h"

int stack_trigger_set(struct stack_trigger *out, const struct control *control, const char *system,
		      const char *event, const char *filter, uint64_t limit, struct error *error)
{
	struct buffer text = { 0 };
	struct error ignored = { 0 };

	buffer_append_string(&text, "stacktrace");
	if (limit > 0)
		buffer_printf(&text, ":%llu", (unsigned long long)limit);
	if (filter) {
		struct buffer translated = { 0 };

		control_translate_filter(control, system, event, filter, &translated, &ignored);
		buffer_printf(&text, " if %s", buffer_string(&translated));
		buffer_release(&translated);
	}
	*out = (struct stack_trigger){ .limit = limit,
				       .text = text.failed ? NULL : strdup(buffer_string(&text)) };
	buffer_release(&text);
	out->fd = control_open_event(control, system, event, "trigger", O_RDWR);
	if (!out->text)
		return error_set(error, "out of memory");
	if (out->fd >= 0 && retry_write(out->fd, out->text, strlen(out->text)) >= 0) {
		control_report_event_write(control, system, event, "trigger", out->text);
		return 0;
	}
	return error_set_system(error, errno, "cannot write '%s' to events/%s/%s/trigger",
				out->text, system, event);
}

/* The file has lines "stacktrace:count=N if FILTER". */
static bool trigger_read_count(const struct stack_trigger *trigger, uint64_t *out)
{
	static const char key[] = ":count=";
	char text[256];
	ssize_t size = retry_pread(trigger->fd, text, sizeof(text) - 1);
	const char *count;

	if (size <= 0)
		return false;
	text[size] = '\0';
	count = strstr(text, key);
	if (count)
		*out = strtoull(count + strlen(key), NULL, 10);
	return count;
}

bool stack_trigger_refill(const struct stack_trigger *trigger)
{
	static const char removal[] = "!stacktrace";
	uint64_t left = 0;

	if (trigger->limit == 0 || !trigger_read_count(trigger, &left) || left > trigger->limit / 2)
		return false;
	/* The count of a trigger cannot be changed. Without it, records have no stacks: that shows. */
	if (retry_write(trigger->fd, removal, strlen(removal)) < 0 ||
	    retry_write(trigger->fd, trigger->text, strlen(trigger->text)) < 0)
		return true;
	return left == 0;
}

void stack_trigger_close(struct stack_trigger *trigger)
{
	file_close(trigger->fd);
	free(trigger->text);
	*trigger = (struct stack_trigger){ .fd = -1 };
}
