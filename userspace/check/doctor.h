/* SPDX-License-Identifier: GPL-2.0-only */
/* The checks of ktrack doctor. None of them changes anything. */
#ifndef CHECK_DOCTOR_H
#define CHECK_DOCTOR_H

#include "check/check.h"

/**
 * struct doctor - the state of an examination
 * @root, @found, @context: as for doctor_run()
 * @release: of the kernel
 * @tracefs: its mount point with @root before it; empty if it is not mounted
 * @options: the kernel's options, as in its .config; empty if they cannot be read
 * @can_read: whether the files of tracefs can be read
 * @is_failed: whether recording is impossible
 */
struct doctor {
	const char *root;
	void (*found)(void *context, const struct doctor_finding *finding);
	void *context;
	const char *release;
	struct buffer tracefs;
	struct buffer options;
	bool can_read;
	bool is_failed;
};

/** doctor_report - pass on a finding; @remedy may be NULL */
void doctor_report(struct doctor *doctor, const char *check, enum doctor_state state,
		   const char *remedy, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/** doctor_read - read a file below the root; returns 0, or -1 with errno */
int doctor_read(const struct doctor *doctor, const char *path, struct buffer *out);

/** doctor_file_has - whether a file below the root contains a text */
bool doctor_file_has(const struct doctor *doctor, const char *path, const char *text);

/** doctor_tracefs_has - whether tracefs has a file, and in it a text, which may be NULL */
bool doctor_tracefs_has(const struct doctor *doctor, const char *file, const char *text);

/** doctor_access_remedy - what to do if the files of tracefs cannot be read */
const char *doctor_access_remedy(const struct doctor *doctor);

/** doctor_has_option - whether the kernel's options have "NAME=y" or "NAME=m" */
bool doctor_has_option(const struct doctor *doctor, const char *name);

/** doctor_check_options, doctor_check_modules - the kernel's options, and which modules it loads */
void doctor_check_options(struct doctor *doctor);
void doctor_check_modules(struct doctor *doctor);

/** doctor_check_mechanisms, doctor_check_packs, doctor_check_formats - what tracefs offers */
void doctor_check_mechanisms(struct doctor *doctor);
void doctor_check_packs(struct doctor *doctor);
void doctor_check_formats(struct doctor *doctor);

/** doctor_check_probes - how functions of the kernel and programs can be recorded */
void doctor_check_probes(struct doctor *doctor);

/** doctor_check_programs - the programs that run, and who reads their memory */
void doctor_check_programs(struct doctor *doctor);

#endif
