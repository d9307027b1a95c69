// SPDX-License-Identifier: GPL-2.0-only
/* Names the programs that were refused. */
#include "userring/refusals.h"

#include <errno.h>
#include <string.h>

static bool refusals_have(const struct refusals *refusals, int pid)
{
	for (size_t i = 0; i < refusals->size; i++) {
		if (refusals->pids[i] == pid)
			return true;
	}
	return false;
}

void refusals_add(struct refusals *refusals, int pid, const char *comm, const char *reason)
{
	if (refusals->size == REFUSALS_MAX || refusals_have(refusals, pid))
		return;
	refusals->pids[refusals->size++] = pid;
	if (refusals->size <= REFUSALS_NAMED)
		buffer_printf(&refusals->text, "%s%s (%d): %s", refusals->size > 1 ? "; " : "",
			      *comm ? comm : "a program", pid, reason);
}

const char *refusals_text(struct refusals *refusals)
{
	if (refusals->size > REFUSALS_NAMED)
		buffer_printf(&refusals->text, "; and %zu more", refusals->size - REFUSALS_NAMED);
	return buffer_string(&refusals->text);
}

void refusals_report(struct refusals *refusals, const struct report *report)
{
	if (refusals->size > 0)
		report_message(report, "%zu %s not recorded, or only in part: %s", refusals->size,
			       refusals->size == 1 ? "program was" : "programs were",
			       refusals_text(refusals));
}

void refusals_release(struct refusals *refusals)
{
	buffer_release(&refusals->text);
}

const char *refusal_reason(int number)
{
	switch (number) {
	case EINVAL:
		return "its memory has another layout than this version of ktrack/user.h";
	case EPERM:
		return "its memory is not sealed";
	case EAGAIN:
		return "its memory has a lease";
	case EBUSY:
		return "it has too many files, or hangs";
	default:
		return strerror(number);
	}
}
