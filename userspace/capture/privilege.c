// SPDX-License-Identifier: GPL-2.0-only
/* Drops capabilities that are no longer needed, and raises the limit of open files. */
#include "capture/privilege.h"

#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Capabilities in a set. */
#define NR_CAPABILITIES 64

/* libcap-ng reads four files of procfs for this; later calls use what it found. */
static bool capabilities_read(void)
{
	static bool are_read;

	are_read = are_read || capng_get_caps_process() == 0;
	return are_read;
}

/* Those of @kept that this process has. */
static uint64_t privileges_intersect(uint64_t kept)
{
	for (unsigned int i = 0; i < NR_CAPABILITIES; i++) {
		if (kept & PRIVILEGE(i) && !capng_have_capability(CAPNG_PERMITTED, i))
			kept &= ~PRIVILEGE(i);
	}
	return kept;
}

int privilege_drop(uint64_t kept, struct error *error)
{
	if (!capabilities_read())
		return error_set_system(error, errno, "cannot read this process' capabilities");
	kept = privileges_intersect(kept);
	capng_clear(CAPNG_SELECT_CAPS);
	for (unsigned int i = 0; i < NR_CAPABILITIES; i++) {
		if (kept & PRIVILEGE(i))
			capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, i);
	}
	if (capng_apply(CAPNG_SELECT_CAPS) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return error_set_system(error, errno, "cannot drop capabilities");
	return 0;
}

/* Checks the access without effective capabilities, which stay permitted. */
static bool folder_is_open(const char *directory)
{
	bool is_open = false;
	void *saved;

	if (!capabilities_read())
		return false;
	saved = capng_save_state();
	if (!saved)
		return false;
	for (unsigned int i = 0; i < NR_CAPABILITIES; i++)
		capng_update(CAPNG_DROP, CAPNG_EFFECTIVE, i);
	if (capng_apply(CAPNG_SELECT_CAPS) == 0)
		is_open = faccessat(AT_FDCWD, directory, R_OK | W_OK | X_OK, AT_EACCESS) == 0;
	capng_restore_state(&saved);
	return capng_apply(CAPNG_SELECT_CAPS) == 0 && is_open;
}

uint64_t privilege_for_files(const char *directory)
{
	return folder_is_open(directory) ? 0 : PRIVILEGE(CAP_DAC_OVERRIDE);
}

/* If this fails, opening the files fails too, with a message. */
void privilege_raise_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}
