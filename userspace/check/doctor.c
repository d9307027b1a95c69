// SPDX-License-Identifier: GPL-2.0-only
/* Examines whether this machine can record: kernel, tracefs, permissions, clocks, memory. */
#include "check/check.h"

#include <errno.h>
#include <glob.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tracedat/tracedat.h"
#include "tracefs/tracefs.h"

/** struct doctor - the state of an examination */
struct doctor {
	/* As for doctor_run(). */
	const char *root;
	void (*found)(void *context, const struct doctor_finding *finding);
	void *context;
	const char *release;   /* of the kernel */
	struct buffer tracefs; /* its mount point with root before it; empty if it is not mounted */
	/* The kernel's options, as in its .config; empty if they cannot be read. */
	struct buffer options;
	bool can_read;	/* whether the files of tracefs can be read */
	bool is_failed; /* whether recording is impossible */
};

/* The oldest kernel that was tried. */
#define KERNEL_MAJOR_MIN 6
#define KERNEL_MINOR_MIN 1

/* By default the buffers of a CPU take a MiB, those of the convention another one, the sideband
 * less. */
#define CPU_BUFFERS_KIB (1024 + 1024 + 64)
/* With less, even short bursts are lost. */
#define BUFFER_KIB_MIN 64

/* For a shell; tests type them. */
#define MOUNT_SECURITYFS "mount -t securityfs securityfs /sys/kernel/security"
#define CLOCK_SOURCES "/sys/devices/system/clocksource/clocksource0/"
#define USE_TSC "echo tsc >" CLOCK_SOURCES "current_clocksource"

__attribute__((format(printf, 5, 6))) static void doctor_report(struct doctor *doctor,
								const char *check,
								enum doctor_state state,
								const char *remedy,
								const char *format, ...)
{
	char text[2048];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	doctor->found(doctor->context, &(struct doctor_finding){ check, state, text, remedy });
}

static int doctor_read(const struct doctor *doctor, const char *path, struct buffer *out)
{
	SCOPED_BUFFER(whole);

	buffer_printf(&whole, "%s%s", doctor->root, path);
	return file_read(buffer_string(&whole), out);
}

static bool doctor_tracefs_has(const struct doctor *doctor, const char *file, const char *text)
{
	SCOPED_BUFFER(content);

	return file_read_in(doctor->tracefs.data, file, &content) == 0 &&
	       (!text || strstr(buffer_string(&content), text));
}

static bool doctor_file_has(const struct doctor *doctor, const char *path, const char *text)
{
	SCOPED_BUFFER(content);

	return doctor_read(doctor, path, &content) == 0 && strstr(buffer_string(&content), text);
}

static const char *doctor_access_remedy(const struct doctor *doctor)
{
	if (doctor->tracefs.size == 0)
		return geteuid() == 0 ? TRACEFS_MOUNT_COMMAND : "sudo " TRACEFS_MOUNT_COMMAND;
	return geteuid() == 0 ? "see the failed checks" : "sudo ktrack doctor";
}

static void check_kernel(struct doctor *doctor)
{
	int major = 0, minor = 0;

	if (sscanf(doctor->release, "%d.%d", &major, &minor) == 2 &&
	    (major > KERNEL_MAJOR_MIN || (major == KERNEL_MAJOR_MIN && minor >= KERNEL_MINOR_MIN)))
		doctor_report(doctor, "kernel", DOCTOR_OK, NULL, "%s", doctor->release);
	else
		doctor_report(doctor, "kernel", DOCTOR_LIMITED, "use a kernel from 6.1",
			      "%s: older than 6.1, not tried", doctor->release);
}

static void check_lockdown(struct doctor *doctor)
{
	SCOPED_BUFFER(levels);

	if (doctor_read(doctor, "/sys/kernel/security/lockdown", &levels) < 0) {
		struct buffer mounts = { 0 };

		/* Without the file of a mounted securityfs, the kernel has no lockdown. */
		if (doctor_read(doctor, "/proc/mounts", &mounts) == 0 &&
		    strstr(buffer_string(&mounts), " /sys/kernel/security securityfs "))
			doctor_report(doctor, "lockdown", DOCTOR_OK, NULL,
				      "the kernel does not have it");
		else
			doctor_report(doctor, "lockdown", DOCTOR_UNKNOWN, MOUNT_SECURITYFS,
				      "/sys/kernel/security/lockdown: %s", strerror(errno));
		buffer_release(&mounts);
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
}

static void check_tracefs(struct doctor *doctor)
{
	struct buffer mounts = { 0 };
	struct text rest = { 0 };

	/* Takes the mount point from a list of mounts: "DEVICE PATH TYPE ...". */
	if (doctor_read(doctor, "/proc/mounts", &mounts) == 0) {
		buffer_string(&mounts);
		rest = buffer_text(&mounts);
	}
	while (rest.size > 0 && doctor->tracefs.size == 0) {
		struct text line = text_take_line(&rest);
		char path[256], type[32];

		/* Lines end before the terminator of the buffer. */
		if (line.size > 0 && sscanf(line.data, "%*s %255s %31s", path, type) == 2 &&
		    strcmp(type, "tracefs") == 0)
			buffer_printf(&doctor->tracefs, "%s%s", doctor->root, path);
	}
	buffer_release(&mounts);
	if (doctor->tracefs.size > 0) {
		doctor_report(doctor, "tracefs", DOCTOR_OK, NULL, "mounted at %s",
			      buffer_string(&doctor->tracefs));
		return;
	}
	doctor->is_failed = true;
	doctor_report(doctor, "tracefs", DOCTOR_FAILED, doctor_access_remedy(doctor),
		      "not mounted");
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

static void check_clocks(struct doctor *doctor)
{
	SCOPED_BUFFER(clocks);
	struct buffer source = { 0 };
	const char *name;

	if (doctor_read(doctor, CLOCK_SOURCES "current_clocksource", &source) == 0) {
		name = buffer_string(&source);
		source.data[strcspn(name, "\n")] = '\0';
		if (strcmp(name, "hpet") == 0 || strcmp(name, "acpi_pm") == 0)
			/* The kernel lists the TSC while it finds it reliable. */
			doctor_report(doctor, "clock source", DOCTOR_LIMITED,
				      doctor_file_has(doctor, CLOCK_SOURCES "available_clocksource",
						      "tsc")
					      ? USE_TSC
					      : "see 'sudo dmesg | grep -i tsc' for the reason",
				      "%s: reading the time takes about a microsecond per record",
				      name);
		else
			doctor_report(doctor, "clock source", DOCTOR_OK, NULL, "%s", name);
	}
	buffer_release(&source);
	if (!doctor->can_read ||
	    file_read_in(buffer_string(&doctor->tracefs), "trace_clock", &clocks) < 0)
		doctor_report(doctor, "clocks", DOCTOR_UNKNOWN, doctor_access_remedy(doctor),
			      "the trace clocks cannot be read");
	else if (strstr(buffer_string(&clocks), "boot"))
		doctor_report(doctor, "clocks", DOCTOR_OK, NULL, "the kernel has the clock boot");
	else
		doctor_report(doctor, "clocks", DOCTOR_LIMITED, "use --clock=mono",
			      "the kernel lacks the clock boot");
}

static void check_memory(struct doctor *doctor)
{
	long nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	SCOPED_BUFFER(memory);
	const char *line = NULL;

	if (doctor_read(doctor, "/proc/meminfo", &memory) == 0)
		line = strstr(buffer_string(&memory), "MemAvailable:");
	if (!line || nr_cpus < 1) {
		doctor_report(doctor, "memory", DOCTOR_UNKNOWN, "see 'free -m'",
			      "/proc/meminfo has no MemAvailable");
	} else {
		long available_kib = strtol(line + strlen("MemAvailable:"), NULL, 10);
		/* At most a quarter is for the buffers; the value of -b is that of one CPU. */
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
}

/* Examines the kernel's options, and which modules it loads. */

/* The options of a distribution take 300 KiB. */
#define CONFIG_SIZE_MAX (4 << 20)

/** struct wanted_option - an option of the kernel, and what works only with it */
struct wanted_option {
	const char *name;
	const char *purpose;
	bool is_required;
};

static const struct wanted_option wanted_options[] = {
	{ "CONFIG_EVENT_TRACING", "recording", true },
	{ "CONFIG_FTRACE_SYSCALLS", "the tracepoints of each system call" },
	{ "CONFIG_MODULES", "ktrack.ko" },
	{ "CONFIG_KALLSYMS", "names of functions" },
};

static bool doctor_has_option(const struct doctor *doctor, const char *name)
{
	struct text rest = buffer_text(&doctor->options);
	size_t size = strlen(name);

	while (rest.size > 0) {
		struct text line = text_take_line(&rest);

		if (line.size > size + 1 && memcmp(line.data, name, size) == 0 &&
		    line.data[size] == '=' && strchr("ym", line.data[size + 1]))
			return true;
	}
	return false;
}

static void options_read_from(struct doctor *doctor, const char *format)
{
	char path[256];

	if (doctor->options.size > 0)
		return;
	snprintf(path, sizeof(path), format, doctor->release);
	if (doctor_read(doctor, path, &doctor->options) < 0)
		buffer_clear(&doctor->options);
}

static void doctor_check_options(struct doctor *doctor)
{
	struct buffer path = { 0 };
	size_t nr_missing = 0;

	options_read_from(doctor, "/boot/config-%s");
	options_read_from(doctor, "/lib/modules/%s/config");
	/* A kernel may contain its options. */
	buffer_printf(&path, "%s/proc/config.gz", doctor->root);
	if (doctor->options.size == 0 &&
	    gzip_read(buffer_string(&path), CONFIG_SIZE_MAX, &doctor->options) < 0)
		buffer_clear(&doctor->options);
	buffer_release(&path);
	if (doctor->options.size == 0) {
		doctor_report(doctor, "options", DOCTOR_UNKNOWN,
			      "modprobe configs, if the kernel has that module",
			      "neither /boot/config-%s nor /proc/config.gz can be read",
			      doctor->release);
		return;
	}
	for (size_t i = 0; i < sizeof(wanted_options) / sizeof(wanted_options[0]); i++) {
		const struct wanted_option *option = &wanted_options[i];

		if (doctor_has_option(doctor, option->name))
			continue;
		nr_missing++;
		doctor->is_failed |= option->is_required;
		doctor_report(doctor, "options",
			      option->is_required ? DOCTOR_FAILED : DOCTOR_LIMITED,
			      "use a kernel that has this option", "%s is not set; needed for %s",
			      option->name, option->purpose);
	}
	if (nr_missing == 0)
		doctor_report(doctor, "options", DOCTOR_OK, NULL,
			      "the kernel has the options it needs");
}

static void doctor_check_modules(struct doctor *doctor)
{
	SCOPED_BUFFER(loaded);

	buffer_printf(&loaded, "%s/sys/module/ktrack", doctor->root);
	if (access(buffer_string(&loaded), F_OK) == 0) {
		doctor_report(doctor, "modules", DOCTOR_OK, NULL, "ktrack.ko is loaded");
	} else if (doctor_file_has(doctor, "/sys/module/module/parameters/sig_enforce", "Y") ||
		   doctor_file_has(doctor, "/sys/kernel/security/lockdown", "[integrity]") ||
		   doctor_file_has(doctor, "/sys/kernel/security/lockdown", "[confidentiality]")) {
		doctor_report(doctor, "modules", DOCTOR_LIMITED,
			      "load a ktrack.ko that is signed with an enrolled key, see "
			      "ktrack-doctor(1); most uses do not need it",
			      "the kernel loads only signed modules");
	} else {
		doctor_report(doctor, "modules", DOCTOR_OK, NULL,
			      "ktrack.ko is not loaded; it is optional");
		/* Errors of the build and the taint of unsigned modules matter only if signatures
		 * are enforced. */
		if (doctor_has_option(doctor, "CONFIG_MODULE_SIG_ALL"))
			doctor_report(doctor, "module signing", DOCTOR_OK, NULL,
				      "without the kernel's key, 'make modules_install' prints an "
				      "SSL error "
				      "and installs ktrack.ko unsigned; see ktrack-doctor(1)");
		else if (doctor_has_option(doctor, "CONFIG_MODULE_SIG"))
			doctor_report(doctor, "module signing", DOCTOR_OK, NULL,
				      "unsigned modules are loaded, and taint the kernel");
	}
}

/* Examines which mechanisms of tracefs and which packs of rules work. */

/** struct mechanism - a feature of tracefs */
struct mechanism {
	const char *name;
	const char *file;   /* that exists if the kernel has it */
	const char *text;   /* that file then has, NULL for any */
	const char *option; /* of the kernel */
	const char *remedy; /* if the kernel does not have it */
};

#define MECHANISM(name, file, text, option)                                        \
	{                                                                          \
		"mechanism " name, file, text, option, "use a kernel with " option \
	}

static const struct mechanism mechanisms[] = {
	MECHANISM("kprobes", "kprobe_events", NULL, "CONFIG_KPROBE_EVENTS"),
	MECHANISM("fprobe", "README", "f[:[<group>", "CONFIG_FPROBE_EVENTS"),
	MECHANISM("function_graph", "available_tracers", "function_graph",
		  "CONFIG_FUNCTION_GRAPH_TRACER"),
	MECHANISM("uprobes", "uprobe_events", NULL, "CONFIG_UPROBE_EVENTS"),
	MECHANISM("synthetic events", "synthetic_events", NULL, "CONFIG_SYNTH_EVENTS"),
	MECHANISM("stacktrace triggers", "README", "stacktrace", "CONFIG_STACKTRACE"),
	MECHANISM("osnoise", "available_tracers", "osnoise", "CONFIG_OSNOISE_TRACER"),
};

static void doctor_check_mechanisms(struct doctor *doctor)
{
	static const char *const texts[] = {
		[DOCTOR_OK] = "the kernel has it",
		[DOCTOR_LIMITED] = "the kernel lacks it",
		[DOCTOR_UNKNOWN] = "neither tracefs nor the kernel's options can be read",
	};

	for (size_t i = 0; i < sizeof(mechanisms) / sizeof(mechanisms[0]); i++) {
		const struct mechanism *mechanism = &mechanisms[i];
		enum doctor_state state = DOCTOR_OK;
		const char *remedy;

		/* tracefs has precedence over the kernel's options. */
		if (!doctor->can_read && doctor->options.size == 0)
			state = DOCTOR_UNKNOWN;
		else if (!(doctor->can_read
				   ? doctor_tracefs_has(doctor, mechanism->file, mechanism->text)
				   : doctor_has_option(doctor, mechanism->option)))
			state = DOCTOR_LIMITED;
		remedy = state == DOCTOR_LIMITED ? mechanism->remedy : NULL;
		doctor_report(doctor, mechanism->name, state,
			      state == DOCTOR_UNKNOWN ? doctor_access_remedy(doctor) : remedy, "%s",
			      texts[state]);
	}
}

static bool tracepoint_exists(const struct doctor *doctor, const struct rule_use_about *use)
{
	SCOPED_BUFFER(pattern);
	glob_t found = { 0 };
	bool exists;

	buffer_printf(&pattern, "%s/events/%s/%s", doctor->tracefs.data, use->of_system,
		      use->of_event);
	exists = glob(buffer_string(&pattern), GLOB_NOSORT, NULL, &found) == 0;
	globfree(&found);
	return exists;
}

static void doctor_check_packs(struct doctor *doctor)
{
	struct selection selection = { 0 };
	struct rule_listing *listing;
	struct error error = { 0 };

	if (rule_listing_new(&listing, &selection, NULL, &error) == 0) {
		/* Tracepoints that the rules of a pack name, and those that exist. */
		size_t nr_named = 0, nr_found = 0;
		const struct rules *rules = rule_listing_rules(listing);

		/* The rules of a pack follow each other. */
		for (size_t i = 0; i < rules_size(rules); i++) {
			struct rule_about rule, next = { 0 };
			bool is_whole;
			char check[64];

			rules_about(rules, i, &rule);
			for (size_t j = 0; doctor->can_read && j < rule.nr_uses; j++) {
				struct rule_use_about use;

				rules_use(rules, i, j, &use);
				nr_named++;
				nr_found += tracepoint_exists(doctor, &use);
			}
			if (i + 1 < rules_size(rules))
				rules_about(rules, i + 1, &next);
			if (next.source && strcmp(next.source, rule.source) == 0)
				continue;
			is_whole = nr_found == nr_named;
			snprintf(check, sizeof(check), "pack %s", rule.source);
			if (!doctor->can_read)
				doctor_report(doctor, check, DOCTOR_UNKNOWN,
					      doctor_access_remedy(doctor),
					      "tracefs cannot be read");
			else
				doctor_report(doctor, check, is_whole ? DOCTOR_OK : DOCTOR_LIMITED,
					      is_whole ? NULL
						       : "ktrack list --rules lists the missing "
							 "tracepoints",
					      "%zu of %zu tracepoints exist", nr_found, nr_named);
			nr_named = nr_found = 0;
		}
		rule_listing_free(listing);
	} else {
		doctor_report(doctor, "packs", DOCTOR_UNKNOWN, NULL, "%s", error.text);
	}
	selection_release(&selection);
}

/* A message is "OBJECT: PROBLEM; REMEDY". */
static void format_report(void *context, const char *line)
{
	struct doctor *doctor = context;
	const char *remedy = strstr(line, "; ");

	doctor_report(doctor, "tracepoints", DOCTOR_LIMITED, remedy ? remedy + 2 : NULL, "%.*s",
		      (int)(remedy ? remedy - line : (int)strlen(line)), line);
}

static void doctor_check_formats(struct doctor *doctor)
{
	const struct report report = { .context = doctor, .message = format_report };
	struct selection selection = { 0 };
	struct listing *listing;
	struct error error = { 0 };

	if (doctor->can_read && listing_new(&listing, &selection, &report, &error) == 0)
		listing_free(listing);
	selection_release(&selection);
}

/* Examines how functions and programs can be recorded: --function, --probe, --uprobe, --usdt, -r
 * marker. */

/* Since this version, instances have the tracer function_graph. */
#define GRAPH_MAJOR 6
#define GRAPH_MINOR 11

static bool ftrace_is_off(const struct doctor *doctor)
{
	SCOPED_BUFFER(content);

	return doctor_read(doctor, "/proc/sys/kernel/ftrace_enabled", &content) == 0 &&
	       buffer_string(&content)[0] == '0';
}

static bool instances_have_graph(const struct doctor *doctor)
{
	int major = 0, minor = 0;

	if (sscanf(doctor->release, "%d.%d", &major, &minor) != 2 ||
	    !doctor_tracefs_has(doctor, "available_tracers", "function_graph"))
		return false;
	return major > GRAPH_MAJOR || (major == GRAPH_MAJOR && minor >= GRAPH_MINOR);
}

static void doctor_check_probes(struct doctor *doctor)
{
	static const char *const checks[] = { "functions", "programs", "trace_marker" };

	if (doctor->can_read) {
		bool can_probe;
		bool copies;

		/* Functions are recorded by a tracer, or else by a pair of probes for each. */
		if (ftrace_is_off(doctor))
			doctor_report(
				doctor, "functions", DOCTOR_LIMITED,
				"sysctl kernel.ftrace_enabled=1",
				"--function and --probe: functions of the kernel are not traced");
		else if (instances_have_graph(doctor))
			doctor_report(doctor, "functions", DOCTOR_OK, NULL,
				      "--function: by the tracer function_graph");
		else if (doctor_tracefs_has(doctor, "kprobe_events", NULL))
			doctor_report(
				doctor, "functions", DOCTOR_LIMITED,
				"use Linux 6.11 or later with CONFIG_FUNCTION_GRAPH_TRACER",
				"--function: by probes, at most 1,000 functions, without --depth");
		else
			doctor_report(doctor, "functions", DOCTOR_LIMITED,
				      "use a kernel with CONFIG_KPROBE_EVENTS",
				      "--function and --probe: not possible");
		can_probe = doctor_tracefs_has(doctor, "uprobe_events", NULL);
		doctor_report(doctor, "programs", can_probe ? DOCTOR_OK : DOCTOR_LIMITED,
			      can_probe ? NULL : "use a kernel with CONFIG_UPROBE_EVENTS",
			      "--uprobe and --usdt: %s", can_probe ? "possible" : "not possible");
		copies = doctor_tracefs_has(doctor, "options/copy_trace_marker", NULL);
		doctor_report(
			doctor, "trace_marker", copies ? DOCTOR_OK : DOCTOR_LIMITED,
			copies ? NULL
			       : "use --instance=top, or Linux 6.16 or later; see ktrack-rules(5)",
			"-r marker: texts of programs are %scopied to ktrack's instance",
			copies ? "" : "not ");
		return;
	}
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		doctor_report(doctor, checks[i], DOCTOR_UNKNOWN, doctor_access_remedy(doctor),
			      "tracefs cannot be read");
}

/* Examines programs that are instrumented, and how --programs would find and read them. */

/* What finding programs of other users needs, and the marks that they have closed. */
#define SEARCH_CAPABILITIES (UINT64_C(1) << CAP_SYS_PTRACE | UINT64_C(1) << CAP_DAC_READ_SEARCH)
#define MAPPINGS_CAPABILITY (UINT64_C(1) << CAP_CHECKPOINT_RESTORE | UINT64_C(1) << CAP_SYS_ADMIN)

/* What a process for another user needs. */
#define READER_CAPABILITIES \
	(UINT64_C(1) << CAP_SETUID | UINT64_C(1) << CAP_SETGID | UINT64_C(1) << CAP_KILL)

static uint64_t capabilities_own(void)
{
	SCOPED_BUFFER(status);
	unsigned long long effective = 0;
	const char *line = NULL;

	if (file_read("/proc/self/status", &status) == 0)
		line = strstr(buffer_string(&status), "\nCapEff:");
	if (line && sscanf(line, "\nCapEff:%llx", &effective) != 1)
		effective = 0;
	return effective;
}

static void reader_report(struct doctor *doctor)
{
	uid_t user;
	gid_t group;

	if (geteuid() != 0)
		doctor_report(doctor, "program reader", DOCTOR_OK, NULL,
			      "--programs: memory of programs is read as this user");
	else if (!programs_find_reader(&user, &group))
		doctor_report(
			doctor, "program reader", DOCTOR_LIMITED,
			"add the system user " PROGRAMS_READER_USER
			" (systemd-sysusers ktrack.conf)",
			"--programs: memory of programs is read by root, without capabilities");
	else if ((capabilities_own() & READER_CAPABILITIES) != READER_CAPABILITIES)
		doctor_report(
			doctor, "program reader", DOCTOR_LIMITED,
			"grant CAP_SETUID, CAP_SETGID and CAP_KILL",
			"--programs: memory of programs is read by root, without capabilities");
	else
		doctor_report(
			doctor, "program reader", DOCTOR_OK, NULL,
			"--programs: memory of programs is read by the user " PROGRAMS_READER_USER);
}

static void doctor_check_programs(struct doctor *doctor)
{
	struct programs_examined examined;
	struct error error = { 0 };
	uint64_t own;

	reader_report(doctor);
	own = capabilities_own();
	if (geteuid() != 0)
		doctor_report(doctor, "program search", DOCTOR_OK, NULL,
			      "--programs: programs of this user are found");
	else if ((own & SEARCH_CAPABILITIES) != SEARCH_CAPABILITIES)
		doctor_report(doctor, "program search", DOCTOR_LIMITED,
			      "grant CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH",
			      "--programs: running programs of other users are not found, only "
			      "those that start");
	else if (!(own & MAPPINGS_CAPABILITY))
		doctor_report(doctor, "program search", DOCTOR_LIMITED,
			      "grant CAP_CHECKPOINT_RESTORE",
			      "--programs: running programs that have closed all files are not "
			      "found");
	else
		doctor_report(doctor, "program search", DOCTOR_OK, NULL,
			      "--programs: programs of all users are found");
	if (programs_examine(&examined, &error) < 0) {
		doctor_report(doctor, "instrumented", DOCTOR_UNKNOWN, NULL, "%s", error.text);
	} else {
		const char *noun = examined.nr_programs == 1 ? "program" : "programs";

		if (examined.nr_refused == 0)
			doctor_report(doctor, "instrumented", DOCTOR_OK, NULL,
				      "%zu %s with ktrack/user.h can be recorded",
				      examined.nr_programs, noun);
		else
			doctor_report(doctor, "instrumented", DOCTOR_LIMITED, "see ktrack-user(7)",
				      "%zu %s with ktrack/user.h can be recorded, %zu cannot: %s",
				      examined.nr_programs, noun, examined.nr_refused,
				      buffer_string(&examined.refused));
	}
	buffer_release(&examined.refused);
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
