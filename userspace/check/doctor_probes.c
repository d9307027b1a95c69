// SPDX-License-Identifier: GPL-2.0-only
/* Examines how functions and programs can be recorded: --function, --probe, --uprobe, --usdt, -r marker. */
#include "check/doctor.h"

#include <stdio.h>

/* Since this version, instances have the tracer function_graph. */
#define GRAPH_MAJOR 6
#define GRAPH_MINOR 11

static bool ftrace_is_off(const struct doctor *doctor)
{
	struct buffer content = { 0 };
	bool is_off = doctor_read(doctor, "/proc/sys/kernel/ftrace_enabled", &content) == 0 &&
		      buffer_string(&content)[0] == '0';

	buffer_release(&content);
	return is_off;
}

static bool instances_have_graph(const struct doctor *doctor)
{
	int major = 0, minor = 0;

	if (sscanf(doctor->release, "%d.%d", &major, &minor) != 2 ||
	    !doctor_tracefs_has(doctor, "available_tracers", "function_graph"))
		return false;
	return major > GRAPH_MAJOR || (major == GRAPH_MAJOR && minor >= GRAPH_MINOR);
}

/* Functions are recorded by a tracer, or else by a pair of probes for each. */
static void functions_report(struct doctor *doctor)
{
	if (ftrace_is_off(doctor))
		doctor_report(doctor, "functions", DOCTOR_LIMITED,
			      "sysctl kernel.ftrace_enabled=1",
			      "--function and --probe: functions of the kernel are not traced");
	else if (instances_have_graph(doctor))
		doctor_report(doctor, "functions", DOCTOR_OK, NULL,
			      "--function: by the tracer function_graph");
	else if (doctor_tracefs_has(doctor, "kprobe_events", NULL))
		doctor_report(doctor, "functions", DOCTOR_LIMITED,
			      "use Linux 6.11 or later with CONFIG_FUNCTION_GRAPH_TRACER",
			      "--function: by probes, at most 1,000 functions, without --depth");
	else
		doctor_report(doctor, "functions", DOCTOR_LIMITED,
			      "use a kernel with CONFIG_KPROBE_EVENTS",
			      "--function and --probe: not possible");
}

static void programs_report(struct doctor *doctor)
{
	bool can_probe = doctor_tracefs_has(doctor, "uprobe_events", NULL);

	doctor_report(doctor, "programs", can_probe ? DOCTOR_OK : DOCTOR_LIMITED,
		      can_probe ? NULL : "use a kernel with CONFIG_UPROBE_EVENTS",
		      "--uprobe and --usdt: %s", can_probe ? "possible" : "not possible");
}

static void markers_report(struct doctor *doctor)
{
	bool copies = doctor_tracefs_has(doctor, "options/copy_trace_marker", NULL);

	doctor_report(doctor, "trace_marker", copies ? DOCTOR_OK : DOCTOR_LIMITED,
		      copies ? NULL
			     : "use --instance=top, or Linux 6.16 or later; see ktrack-rules(5)",
		      "-r marker: texts of programs are %scopied to ktrack's instance",
		      copies ? "" : "not ");
}

void doctor_check_probes(struct doctor *doctor)
{
	static const char *const checks[] = { "functions", "programs", "trace_marker" };

	if (doctor->can_read) {
		functions_report(doctor);
		programs_report(doctor);
		markers_report(doctor);
		return;
	}
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		doctor_report(doctor, checks[i], DOCTOR_UNKNOWN, doctor_access_remedy(doctor),
			      "tracefs cannot be read");
}
