// SPDX-License-Identifier: GPL-2.0-only
/* Lets an instance record only what some threads, or some CPUs, write. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <tracefs.h>
#include <unistd.h>

#include "tracefs/instance_state.h"

/* Children are followed first, so that none is missed. */
static int follow_by(struct instance *instance, const char *option, const char *file, pid_t pid,
		     struct error *error)
{
	char number[32];

	if (instance_write(instance, option, "1", error) < 0)
		return -1;
	snprintf(number, sizeof(number), "%d", (int)pid);
	if (instance_append(instance, file, number))
		return 0;
	return error_set_system(error, errno, "cannot append '%s' to %s/%s", number,
				instance->directory, file);
}

int instance_follow(struct instance *instance, pid_t pid, struct error *error)
{
	if (instance->traces_functions &&
	    follow_by(instance, "options/function-fork", "set_ftrace_pid", pid, error) < 0)
		return -1;
	return follow_by(instance, "options/event-fork", "set_event_pid", pid, error);
}

static bool cpu_exists(const struct instance *instance, int cpu)
{
	struct buffer path = { 0 };
	bool exists;

	buffer_printf(&path, "%s/per_cpu/cpu%d", instance->directory, cpu);
	exists = file_find_built(AT_FDCWD, &path) == 0;
	buffer_release(&path);
	return exists;
}

int instance_limit_cpus(struct instance *instance, const cpu_set_t *cpus, struct error *error)
{
	struct buffer mask = { 0 };
	int status;

	for (int group = CPU_SETSIZE / 32 - 1; group >= 0; group--) {
		uint32_t bits = 0;

		for (int cpu = 32 * group; cpu < 32 * group + 32; cpu++) {
			if (!CPU_ISSET(cpu, cpus))
				continue;
			if (!cpu_exists(instance, cpu)) {
				buffer_release(&mask);
				return error_set(error, "this machine has no CPU %d", cpu);
			}
			bits |= UINT32_C(1) << cpu % 32;
		}
		if (bits || mask.size || group == 0)
			buffer_printf(&mask, mask.size ? ",%08x" : "%x", bits);
	}
	instance->limits_cpus = true;
	status = instance_write(instance, "tracing_cpumask", buffer_string(&mask), error);
	buffer_release(&mask);
	return status;
}
