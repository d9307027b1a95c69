// SPDX-License-Identifier: GPL-2.0-only
/* Examines programs that are instrumented, and how --programs would find and read them. */
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check/doctor.h"

/* What finding programs of other users needs, and the marks that they have closed. */
#define SEARCH_CAPABILITIES (UINT64_C(1) << CAP_SYS_PTRACE | UINT64_C(1) << CAP_DAC_READ_SEARCH)
#define MAPPINGS_CAPABILITY (UINT64_C(1) << CAP_CHECKPOINT_RESTORE | UINT64_C(1) << CAP_SYS_ADMIN)

/* What a process for another user needs. */
#define READER_CAPABILITIES \
	(UINT64_C(1) << CAP_SETUID | UINT64_C(1) << CAP_SETGID | UINT64_C(1) << CAP_KILL)

static uint64_t capabilities_own(void)
{
	struct buffer status = { 0 };
	unsigned long long effective = 0;
	const char *line = NULL;

	if (file_read("/proc/self/status", &status) == 0)
		line = strstr(buffer_string(&status), "\nCapEff:");
	if (line && sscanf(line, "\nCapEff:%llx", &effective) != 1)
		effective = 0;
	buffer_release(&status);
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
		doctor_report(doctor, "program reader", DOCTOR_LIMITED,
			      "add the system user " PROGRAMS_READER_USER
			      " (systemd-sysusers ktrack.conf)",
			      "--programs: memory of programs is read by root, without capabilities");
	else if ((capabilities_own() & READER_CAPABILITIES) != READER_CAPABILITIES)
		doctor_report(doctor, "program reader", DOCTOR_LIMITED,
			      "grant CAP_SETUID, CAP_SETGID and CAP_KILL",
			      "--programs: memory of programs is read by root, without capabilities");
	else
		doctor_report(doctor, "program reader", DOCTOR_OK, NULL,
			      "--programs: memory of programs is read by the user "
			      PROGRAMS_READER_USER);
}

static void search_report(struct doctor *doctor)
{
	uint64_t own = capabilities_own();

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
}

static void examined_report(struct doctor *doctor, struct programs_examined *examined)
{
	const char *noun = examined->nr_programs == 1 ? "program" : "programs";

	if (examined->nr_refused == 0)
		doctor_report(doctor, "instrumented", DOCTOR_OK, NULL,
			      "%zu %s with ktrack/user.h can be recorded", examined->nr_programs,
			      noun);
	else
		doctor_report(doctor, "instrumented", DOCTOR_LIMITED, "see ktrack-user(7)",
			      "%zu %s with ktrack/user.h can be recorded, %zu cannot: %s",
			      examined->nr_programs, noun, examined->nr_refused,
			      buffer_string(&examined->refused));
}

void doctor_check_programs(struct doctor *doctor)
{
	struct programs_examined examined;
	struct error error = { 0 };

	reader_report(doctor);
	search_report(doctor);
	if (programs_examine(&examined, &error) < 0)
		doctor_report(doctor, "instrumented", DOCTOR_UNKNOWN, NULL, "%s", error.text);
	else
		examined_report(doctor, &examined);
	buffer_release(&examined.refused);
}
