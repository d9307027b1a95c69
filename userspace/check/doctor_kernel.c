// SPDX-License-Identifier: GPL-2.0-only
/* Examines the kernel's options, and which modules it loads. */
#include "check/doctor.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tracedat/tracedat.h"

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

bool doctor_has_option(const struct doctor *doctor, const char *name)
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

/* A kernel may contain its options. */
static void options_read_packed(struct doctor *doctor)
{
	struct buffer path = { 0 };

	if (doctor->options.size > 0)
		return;
	buffer_printf(&path, "%s/proc/config.gz", doctor->root);
	if (gzip_read(buffer_string(&path), CONFIG_SIZE_MAX, &doctor->options) < 0)
		buffer_clear(&doctor->options);
	buffer_release(&path);
}

void doctor_check_options(struct doctor *doctor)
{
	size_t nr_missing = 0;

	options_read_from(doctor, "/boot/config-%s");
	options_read_from(doctor, "/lib/modules/%s/config");
	options_read_packed(doctor);
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

static bool loads_only_signed(const struct doctor *doctor)
{
	return doctor_file_has(doctor, "/sys/module/module/parameters/sig_enforce", "Y") ||
	       doctor_file_has(doctor, "/sys/kernel/security/lockdown", "[integrity]") ||
	       doctor_file_has(doctor, "/sys/kernel/security/lockdown", "[confidentiality]");
}

/* Errors of the build and the taint of unsigned modules matter only if signatures are enforced. */
static void check_signing(struct doctor *doctor)
{
	if (doctor_has_option(doctor, "CONFIG_MODULE_SIG_ALL"))
		doctor_report(doctor, "module signing", DOCTOR_OK, NULL,
			      "without the kernel's key, 'make modules_install' prints an SSL error "
			      "and installs ktrack.ko unsigned; see ktrack-doctor(1)");
	else if (doctor_has_option(doctor, "CONFIG_MODULE_SIG"))
		doctor_report(doctor, "module signing", DOCTOR_OK, NULL,
			      "unsigned modules are loaded, and taint the kernel");
}

void doctor_check_modules(struct doctor *doctor)
{
	struct buffer loaded = { 0 };

	buffer_printf(&loaded, "%s/sys/module/ktrack", doctor->root);
	if (access(buffer_string(&loaded), F_OK) == 0) {
		doctor_report(doctor, "modules", DOCTOR_OK, NULL, "ktrack.ko is loaded");
	} else if (loads_only_signed(doctor)) {
		doctor_report(
			doctor, "modules", DOCTOR_LIMITED,
			"load a ktrack.ko that is signed with an enrolled key, see "
			"ktrack-doctor(1); most uses do not need it",
			"the kernel loads only signed modules");
	} else {
		doctor_report(doctor, "modules", DOCTOR_OK, NULL,
			      "ktrack.ko is not loaded; it is optional");
		check_signing(doctor);
	}
	buffer_release(&loaded);
}
