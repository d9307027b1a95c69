// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recognizes kernels with PREEMPT_RT. Mainline's kernels report it in /sys/kernel/realtime only,
 * which a recording does not contain; the releases of distributions contain -rt.
 */
#include "reader/realtime.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "tracefs/tracefs.h"

#define REALTIME_PATH "/sys/kernel/realtime"

bool release_is_realtime(const char *release)
{
	const char *at = release;

	while ((at = strstr(at, "-rt"))) {
		at += strlen("-rt");
		if (!isalpha((unsigned char)*at))
			return true;
	}
	return false;
}

/*
 * The lazy preemption of mainline has no count, and its migrate_disable is a part of
 * common_preempt_count: a kernel with one of these fields has the patches.
 */
bool format_is_realtime(struct text format)
{
	static const char *const fields[] = { " common_migrate_disable;",
					      " common_preempt_lazy_count;" };

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (memmem(format.data, format.size, fields[i], strlen(fields[i])))
			return true;
	}
	return false;
}

static bool softirqs_want_system(void *context, const char *system)
{
	(void)context;
	return strcmp(system, "irq") == 0;
}

static bool softirqs_want(void *context, const char *system, const char *name)
{
	return softirqs_want_system(context, system) && strcmp(name, "softirq_entry") == 0;
}

static int softirqs_visit(void *context, const struct tracepoint *tracepoint, struct error *error)
{
	bool *is_realtime = context;

	(void)error;
	/* A file has all its formats, also those of programs. */
	*is_realtime |= softirqs_want(context, tracepoint->system, tracepoint->name) &&
			format_is_realtime(tracepoint->format);
	return 0;
}

/* Whether the kernel that runs is real-time and has this release; NULL is any. */
static bool running_is_realtime(const char *release)
{
	struct utsname name;
	FILE *file;
	bool is_realtime;

	if (release && (uname(&name) < 0 || strcmp(name.release, release) != 0))
		return false;
	file = fopen(REALTIME_PATH, "re");
	if (!file)
		return false;
	is_realtime = fgetc(file) == '1';
	fclose(file);
	return is_realtime;
}

bool source_is_realtime(struct source *source)
{
	bool is_realtime = false;
	struct tracepoint_visitor visitor = { .context = &is_realtime,
					      .wants_system = softirqs_want_system,
					      .wants = softirqs_want,
					      .visit = softirqs_visit };
	struct error ignored = { 0 };
	const char *release;

	if (!source)
		return running_is_realtime(NULL);
	release = source_describe(source)->kernel;
	if (release && (release_is_realtime(release) || running_is_realtime(release)))
		return true;
	source_visit(source, &visitor, &ignored);
	return is_realtime;
}
