// SPDX-License-Identifier: GPL-2.0-only
/* Examines whether this machine can record: kernel, tracefs, lockdown, permissions, clocks, memory. */
#include "check/doctor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The oldest kernel that was tried. */
#define KERNEL_MAJOR_MIN 6
#define KERNEL_MINOR_MIN 1

/* By default the buffers of a CPU take a MiB, those of the sideband instance less. */
#define CPU_BUFFERS_KIB 2048
/* With less, even short bursts are lost. */
#define BUFFER_KIB_MIN 64

/* For a shell; tests type them. */
#define MOUNT_TRACEFS "mount -t tracefs tracefs /sys/kernel/tracing"
#define MOUNT_SECURITYFS "mount -t securityfs securityfs /sys/kernel/security"
#define CLOCK_SOURCES "/sys/devices/system/clocksource/clocksource0/"
#define USE_TSC "echo tsc >" CLOCK_SOURCES "current_clocksource"

void doctor_report(struct doctor *doctor, const char *check, enum doctor_state state,
		   const char *remedy, const char *format, ...)
{
	char text[2048];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	doctor->found(doctor->context, &(struct doctor_finding){ check, state, text, remedy });
}

int doctor_read(const struct doctor *doctor, const char *path, struct buffer *out)
{
	struct buffer whole = { 0 };
	int status;

	buffer_printf(&whole, "%s%s", doctor->root, path);
	status = file_read(buffer_string(&whole), out);
	buffer_release(&whole);
	return status;
}

bool doctor_tracefs_has(const struct doctor *doctor, const char *file, const char *text)
{
	struct buffer content = { 0 };
	bool has = file_read_in(doctor->tracefs.data, file, &content) == 0 &&
		   (!text || strstr(buffer_string(&content), text));

	buffer_release(&content);
	return has;
}

bool doctor_file_has(const struct doctor *doctor, const char *path, const char *text)
{
	struct buffer content = { 0 };
	bool has = doctor_read(doctor, path, &content) == 0 &&
		   strstr(buffer_string(&content), text);

	buffer_release(&content);
	return has;
}

const char *doctor_access_remedy(const struct doctor *doctor)
{
	if (geteuid() != 0)
		return "sudo ktrack doctor";
	return doctor->tracefs.size > 0 ? "see the failed checks" : MOUNT_TRACEFS;
}

static void check_kernel(struct doctor *doctor)
{
	int major = 0, minor = 0;

	if (sscanf(doctor->release, "%d.%d", &major, &minor) == 2 &&
	    (major > KERNEL_MAJOR_MIN ||
	     (major == KERNEL_MAJOR_MIN && minor >= KERNEL_MINOR_MIN)))
		doctor_report(doctor, "kernel", DOCTOR_OK, NULL, "%s", doctor->release);
	else
		doctor_report(doctor, "kernel", DOCTOR_LIMITED, "use a kernel from 6.1",
			      "%s: older than 6.1, not tried", doctor->release);
}

/* Without the file of a mounted securityfs, the kernel has no lockdown. */
static void check_no_lockdown(struct doctor *doctor, int number)
{
	struct buffer mounts = { 0 };

	if (doctor_read(doctor, "/proc/mounts", &mounts) == 0 &&
	    strstr(buffer_string(&mounts), " /sys/kernel/security securityfs "))
		doctor_report(doctor, "lockdown", DOCTOR_OK, NULL, "the kernel does not have it");
	else
		doctor_report(doctor, "lockdown", DOCTOR_UNKNOWN, MOUNT_SECURITYFS,
			      "/sys/kernel/security/lockdown: %s", strerror(number));
	buffer_release(&mounts);
}

static void check_lockdown(struct doctor *doctor)
{
	struct buffer levels = { 0 };

	if (doctor_read(doctor, "/sys/kernel/security/lockdown", &levels) < 0) {
		check_no_lockdown(doctor, errno);
	} else if (strstr(buffer_string(&levels), "[confidentiality]")) {
		doctor->is_failed = true;
		doctor_report(doctor, "lockdown", DOCTOR_FAILED,
			      "boot without lockdown=confidentiality; see kernel_lockdown(7)",
			      "confidentiality: nobody may trace");
	} else if (strstr(buffer_string(&levels), "[integrity]")) {
		doctor_report(doctor, "lockdown", DOCTOR_OK, NULL,
			      "integrity: recording works, only signed modules are loaded");
	} else {
		doctor_report(doctor, "lockdown", DOCTOR_OK, NULL, "none");
	}
	buffer_release(&levels);
}

/* Takes the mount point from a list of mounts: "DEVICE PATH TYPE ...". */
static void tracefs_find(struct doctor *doctor)
{
	struct buffer mounts = { 0 };
	struct text rest;

	if (doctor_read(doctor, "/proc/mounts", &mounts) == 0) {
		buffer_string(&mounts);
		rest = buffer_text(&mounts);
		while (rest.size > 0 && doctor->tracefs.size == 0) {
			struct text line = text_take_line(&rest);
			char path[256], type[32];

			/* Lines end before the terminator of the buffer. */
			if (line.size > 0 && sscanf(line.data, "%*s %255s %31s", path, type) == 2 &&
			    strcmp(type, "tracefs") == 0)
				buffer_printf(&doctor->tracefs, "%s%s", doctor->root, path);
		}
	}
	buffer_release(&mounts);
}

static void check_tracefs(struct doctor *doctor)
{
	tracefs_find(doctor);
	if (doctor->tracefs.size > 0) {
		doctor_report(doctor, "tracefs", DOCTOR_OK, NULL, "mounted at %s",
			      buffer_string(&doctor->tracefs));
		return;
	}
	doctor->is_failed = true;
	doctor_report(doctor, "tracefs", DOCTOR_FAILED,
		      MOUNT_TRACEFS, "not mounted");
}

static void check_permissions(struct doctor *doctor)
{
	struct buffer instances = { 0 }, clock = { 0 };

	if (doctor->tracefs.size == 0)
		return;
	buffer_printf(&instances, "%s/instances", buffer_string(&doctor->tracefs));
	buffer_printf(&clock, "%s/trace_clock", buffer_string(&doctor->tracefs));
	doctor->can_read = access(buffer_string(&clock), R_OK) == 0;
	if (access(buffer_string(&instances), W_OK) == 0) {
		doctor_report(doctor, "permissions", DOCTOR_OK, NULL,
			      "tracing instances can be created");
	} else {
		doctor->is_failed = true;
		doctor_report(doctor, "permissions", DOCTOR_FAILED, doctor_access_remedy(doctor),
			      "tracing instances cannot be created: %s", strerror(errno));
	}
	buffer_release(&instances);
	buffer_release(&clock);
}

/* The kernel lists the TSC while it finds it reliable. */
static const char *clock_source_remedy(const struct doctor *doctor)
{
	if (doctor_file_has(doctor, CLOCK_SOURCES "available_clocksource", "tsc"))
		return USE_TSC;
	return "see 'sudo dmesg | grep -i tsc' for the reason";
}

static void check_clock_source(struct doctor *doctor)
{
	struct buffer source = { 0 };
	const char *name;

	if (doctor_read(doctor, CLOCK_SOURCES "current_clocksource", &source) == 0) {
		name = buffer_string(&source);
		source.data[strcspn(name, "\n")] = '\0';
		if (strcmp(name, "hpet") == 0 || strcmp(name, "acpi_pm") == 0)
			doctor_report(doctor, "clock source", DOCTOR_LIMITED,
				      clock_source_remedy(doctor),
				      "%s: reading the time takes about a microsecond per record",
				      name);
		else
			doctor_report(doctor, "clock source", DOCTOR_OK, NULL, "%s", name);
	}
	buffer_release(&source);
}

static void check_clocks(struct doctor *doctor)
{
	struct buffer clocks = { 0 };

	check_clock_source(doctor);
	if (!doctor->can_read ||
	    file_read_in(buffer_string(&doctor->tracefs), "trace_clock", &clocks) < 0)
		doctor_report(doctor, "clocks", DOCTOR_UNKNOWN, doctor_access_remedy(doctor),
			      "the trace clocks cannot be read");
	else if (strstr(buffer_string(&clocks), "boot"))
		doctor_report(doctor, "clocks", DOCTOR_OK, NULL, "the kernel has the clock boot");
	else
		doctor_report(doctor, "clocks", DOCTOR_LIMITED, "use --clock=mono",
			      "the kernel lacks the clock boot");
	buffer_release(&clocks);
}

/* At most a quarter of the available memory is for the buffers; the value of -b is that of one CPU. */
static void memory_report(struct doctor *doctor, long available_kib, long nr_cpus)
{
	long share_kib = available_kib / 4 / nr_cpus;
	bool is_little = share_kib < CPU_BUFFERS_KIB;
	char remedy[64];

	snprintf(remedy, sizeof(remedy), "use smaller buffers: -b %ld",
		 share_kib / 2 > BUFFER_KIB_MIN ? share_kib / 2 : BUFFER_KIB_MIN);
	doctor_report(doctor, "memory", is_little ? DOCTOR_LIMITED : DOCTOR_OK,
		      is_little ? remedy : NULL,
		      "%ld MiB available, %ld MiB for the buffers of %ld CPU%s",
		      available_kib / 1024, nr_cpus * CPU_BUFFERS_KIB / 1024, nr_cpus,
		      nr_cpus == 1 ? "" : "s");
}

static void check_memory(struct doctor *doctor)
{
	long nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct buffer memory = { 0 };
	const char *line = NULL;

	if (doctor_read(doctor, "/proc/meminfo", &memory) == 0)
		line = strstr(buffer_string(&memory), "MemAvailable:");
	if (!line || nr_cpus < 1)
		doctor_report(doctor, "memory", DOCTOR_UNKNOWN, "see 'free -m'",
			      "/proc/meminfo has no MemAvailable");
	else
		memory_report(doctor, strtol(line + strlen("MemAvailable:"), NULL, 10), nr_cpus);
	buffer_release(&memory);
}

bool doctor_run(const char *root,
		void (*found)(void *context, const struct doctor_finding *finding), void *context)
{
	struct utsname name = { 0 };
	struct doctor doctor = { .root = root, .found = found, .context = context };

	uname(&name);
	doctor.release = name.release;
	check_kernel(&doctor);
	doctor_check_options(&doctor);
	check_lockdown(&doctor);
	check_tracefs(&doctor);
	check_permissions(&doctor);
	doctor_check_modules(&doctor);
	check_clocks(&doctor);
	check_memory(&doctor);
	doctor_check_mechanisms(&doctor);
	doctor_check_probes(&doctor);
	doctor_check_packs(&doctor);
	doctor_check_formats(&doctor);
	doctor_check_programs(&doctor);
	buffer_release(&doctor.tracefs);
	buffer_release(&doctor.options);
	return !doctor.is_failed;
}
