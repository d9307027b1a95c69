// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the checks of ktrack doctor, on a folder that stands for the root of a machine. */
#include "check/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "fixtures/folder.h"
#include "fixtures/tap.h"

static void state_append(void *context, const struct doctor_finding *finding)
{
	static const char *const names[] = { "ok", "limited", "failed", "unknown" };

	buffer_printf(context, "[%s] %s: %s%s%s\n", finding->check, names[finding->state],
		      finding->text, finding->remedy ? "; " : "",
		      finding->remedy ? finding->remedy : "");
}

static void file_pack(const char *path)
{
	char command[4200];

	snprintf(command, sizeof(command), "gzip '%s'", path);
	CHECK_NUMBER(system(command), 0);
}

/* Each file, its content; NULL ends. The options of the kernel are packed. */
static bool examine(const char *const (*files)[2], struct buffer *out)
{
	struct folder folder;
	bool can_record;

	folder_new(&folder);
	for (; (*files)[0]; files++) {
		folder_set_text(&folder, (*files)[0], (*files)[1]);
		if (strcmp((*files)[0], "proc/config") == 0)
			file_pack(folder_path(&folder, (*files)[0]));
	}
	can_record = doctor_run(folder.path, state_append, out);
	folder_remove(&folder);
	return can_record;
}

static bool has(struct buffer *out, const char *text)
{
	return strstr(buffer_string(out), text);
}

#define WORKING                                                                               \
	{ "proc/mounts", "proc /proc proc rw 0 0\ntracefs /t tracefs rw 0 0\n" },             \
		{ "proc/meminfo", "MemTotal: 9 kB\nMemAvailable:   33554432 kB\n" },          \
		{ "t/instances/x", "" }, { "t/trace_clock", "[local] global boot\n" },        \
		{ "t/README", "f[:[<group>/][<event>]] <func-name>\n stacktrace\n" },         \
		{ "t/kprobe_events", "" }, { "t/available_tracers", "function_graph nop\n" }, \
		{ "t/events/sched/sched_switch/id", "1" }

/* Options of a kernel that checks signatures, and signs its own modules. */
#define SIGNED "CONFIG_MODULE_SIG=y\nCONFIG_MODULE_SIG_ALL=y\n"

TEST(a_machine_that_works_can_record)
{
	static const char *const files[][2] = { WORKING,
						{ "sys/kernel/security/lockdown", "[none] x" },
						{ "proc/config", "CONFIG_EVENT_TRACING=y\n" SIGNED },
						{ NULL } };
	SCOPED_BUFFER(out);

	CHECK(examine(files, &out));
	CHECK(has(&out, "[module signing] ok: without the kernel's key, 'make modules_install' "
			"prints an SSL error and installs ktrack.ko unsigned; see"));
	CHECK(has(&out, "[tracefs] ok: mounted at "));
	CHECK(has(&out, "[permissions] ok: "));
	CHECK(has(&out, "[lockdown] ok: none\n"));
	CHECK(has(&out, "[clocks] ok: "));
	CHECK(has(&out, "[memory] ok: 32768 MiB available"));
	CHECK(has(&out, "[mechanism kprobes] ok: "));
	CHECK(has(&out, "[mechanism fprobe] ok: "));
	CHECK(has(&out, "[mechanism stacktrace triggers] ok: "));
	CHECK(has(&out, "[mechanism function_graph] ok: "));
	CHECK(has(&out, "[mechanism osnoise] limited: the kernel lacks it; use a kernel with "
			"CONFIG_OSNOISE_TRACER"));
	CHECK(has(&out, "[mechanism uprobes] limited: "));
	CHECK(has(&out, "[programs] limited: --uprobe and --usdt: not possible; use a kernel with "
			"CONFIG_UPROBE_EVENTS\n"));
	CHECK(has(&out, "[trace_marker] limited: -r marker: texts of programs are not copied to "));
	CHECK(has(&out, "[functions] "));
	CHECK(!has(&out, "[functions] limited: --function and --probe: "));
	CHECK(has(&out, "[pack marker] limited: 0 of 10 tracepoints exist; "));
	CHECK(has(&out, "[pack sched] limited: "));
	CHECK(has(&out, "[pack fs] limited: 0 of "));
}

TEST(functions_and_programs)
{
	static const char *const off[][2] = { WORKING,
					      { "proc/sys/kernel/ftrace_enabled", "0\n" },
					      { "t/uprobe_events", "" },
					      { "t/options/copy_trace_marker", "0\n" },
					      { "t/events/ftrace/print/id", "5" },
					      { NULL } };
	static const char *const without[][2] = {
		{ "proc/mounts", "tracefs /t tracefs rw 0 0\n" },
		{ "t/instances/x", "" },
		{ "t/trace_clock", "[boot]\n" },
		{ "t/available_tracers", "nop\n" },
		{ "proc/sys/kernel/ftrace_enabled", "1\n" },
		{ NULL }
	};
	SCOPED_BUFFER(out);

	CHECK(examine(off, &out));
	CHECK(has(&out, "[functions] limited: --function and --probe: functions of the kernel are "
			"not traced; sysctl kernel.ftrace_enabled=1\n"));
	CHECK(has(&out, "[programs] ok: --uprobe and --usdt: possible\n"));
	CHECK(has(&out, "[trace_marker] ok: -r marker: texts of programs are copied to "));
	CHECK(has(&out, "[pack marker] ok: 10 of 10 tracepoints exist\n"));
	buffer_clear(&out);
	examine(without, &out);
	CHECK(has(&out, "[functions] limited: --function and --probe: not possible; use a kernel "
			"with CONFIG_KPROBE_EVENTS\n"));
}

TEST(lockdown_prevents_recording_or_unsigned_modules)
{
	static const char *const closed[][2] = {
		WORKING, { "sys/kernel/security/lockdown", "none integrity [confidentiality]" }, { NULL }
	};
	static const char *const integrity[][2] = {
		WORKING,
		{ "sys/kernel/security/lockdown", "none [integrity] confidentiality" },
		{ "proc/config", "CONFIG_EVENT_TRACING=y\n" SIGNED },
		{ NULL }
	};
	SCOPED_BUFFER(out);

	CHECK(!examine(closed, &out));
	CHECK(has(&out, "[lockdown] failed: confidentiality: nobody may trace; boot without"));
	buffer_clear(&out);
	CHECK(examine(integrity, &out));
	CHECK(has(&out, "[lockdown] ok: integrity: "));
	CHECK(has(&out, "[modules] limited: the kernel loads only signed modules; load a ktrack.ko"));
	CHECK(!has(&out, "[module signing]"));
}

TEST(what_is_absent_is_reported_with_a_remedy)
{
	static const char *const files[][2] = {
		{ "proc/mounts", "proc /proc proc rw 0 0\n" },
		{ "proc/meminfo", "MemAvailable: 64 kB\n" },
		{ "sys/module/module/parameters/sig_enforce", "Y\n" },
		{ "sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n" },
		{ NULL }
	};
	SCOPED_BUFFER(out);

	CHECK(!examine(files, &out));
	CHECK(has(&out, "[lockdown] unknown: /sys/kernel/security/lockdown: No such file or directory; "
			"mount -t securityfs securityfs /sys/kernel/security\n"));
	CHECK(has(&out, "[tracefs] failed: not mounted; mount -t tracefs tracefs /sys/kernel/tracing\n"));
	CHECK(has(&out, "[memory] limited: 0 MiB available"));
	CHECK(has(&out, "; use smaller buffers: -b 64\n"));
	CHECK(has(&out, "[modules] limited: "));
	CHECK(has(&out, "[clock source] limited: hpet: "));
	CHECK(has(&out, "; see 'sudo dmesg | grep -i tsc' for the reason\n"));
	CHECK(has(&out, "[clocks] unknown: the trace clocks cannot be read; mount -t tracefs "));
	CHECK(has(&out, "[pack block] unknown: tracefs cannot be read; mount -t tracefs tracefs "));
	CHECK(has(&out, "[mechanism kprobes] unknown: "));
}

TEST(the_remedy_for_little_memory_fits_a_quarter_of_it)
{
	char memory[64];
	const char *const files[][2] = { WORKING, { "proc/meminfo", memory }, { NULL } };
	SCOPED_BUFFER(out);

	/* For each CPU 1,024 KiB, half of which are for the sideband instance and the kernel's own. */
	snprintf(memory, sizeof(memory), "MemAvailable: %ld kB\n",
		 4 * 1024 * sysconf(_SC_NPROCESSORS_ONLN));
	CHECK(examine(files, &out));
	CHECK(has(&out, "; use smaller buffers: -b 512\n"));
}

TEST(a_reliable_tsc_is_the_remedy_for_a_slow_clock_source)
{
	static const char *const files[][2] = {
		WORKING,
		{ "sys/devices/system/clocksource/clocksource0/current_clocksource", "acpi_pm\n" },
		{ "sys/devices/system/clocksource/clocksource0/available_clocksource",
		  "tsc hpet acpi_pm \n" },
		{ NULL }
	};
	SCOPED_BUFFER(out);

	CHECK(examine(files, &out));
	CHECK(has(&out, "[clock source] limited: acpi_pm: "));
	CHECK(has(
		&out,
		"; echo tsc >/sys/devices/system/clocksource/clocksource0/current_clocksource\n"));
}

TEST(options_of_the_kernel_are_read)
{
	struct utsname name;
	char path[128];
	const char *const files[][2] = { WORKING, { path, "CONFIG_EVENT_TRACING=n\n# CONFIG_MODULES "
							   "is not set\nCONFIG_KALLSYMS=y\nCONFIG_MODULE_SIG=y\n" },
					 { NULL } };
	SCOPED_BUFFER(out);

	uname(&name);
	snprintf(path, sizeof(path), "boot/config-%.64s", name.release);
	CHECK(!examine(files, &out));
	CHECK(has(&out, "[options] failed: CONFIG_EVENT_TRACING is not set; needed for recording"));
	CHECK(has(&out, "[options] limited: CONFIG_MODULES is not set"));
	CHECK(!has(&out, "CONFIG_KALLSYMS"));
	CHECK(has(&out,
		  "[module signing] ok: unsigned modules are loaded, and taint the kernel\n"));
}

TEST(options_in_the_kernel_are_read)
{
	static const char *const files[][2] = {
		WORKING, { "proc/config", "CONFIG_EVENT_TRACING=y\nCONFIG_FTRACE_SYSCALLS=y\n" }, { NULL }
	};
	static const char *const damaged[][2] = { WORKING,
						  { "proc/mounts", "tracefs /t tracefs rw 0 0\n"
								   "none /sys/kernel/security "
								   "securityfs rw 0 0\n" },
						  { "proc/config.gz", "\x1f\x8b and more" },
						  { NULL } };
	SCOPED_BUFFER(out);

	CHECK(examine(files, &out));
	CHECK(has(&out, "[options] limited: CONFIG_MODULES is not set; needed for ktrack.ko"));
	CHECK(!has(&out, "CONFIG_EVENT_TRACING"));
	CHECK(!has(&out, "[module signing]"));
	buffer_clear(&out);
	CHECK(examine(damaged, &out));
	CHECK(has(&out, "[lockdown] ok: the kernel does not have it\n"));
	CHECK(has(&out, "[options] unknown: neither /boot/config-"));
	CHECK(has(&out, "nor /proc/config.gz can be read; modprobe configs, if the kernel has"));
}
