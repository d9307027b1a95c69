// SPDX-License-Identifier: GPL-2.0-only
/* Gives up capabilities that are not needed any more, and makes use of what there is of files. */
#include "cli/privilege.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NR_WORDS _LINUX_CAPABILITY_U32S_3

/* Of what there is only: to ask for more is refused. */
static void words_limit(struct __user_cap_data_struct *words, uint64_t kept)
{
	for (unsigned int i = 0; i < NR_WORDS; i++) {
		words[i].permitted &= (uint32_t)(kept >> 32 * i);
		words[i].effective = words[i].permitted;
		words[i].inheritable = 0;
	}
}

int privilege_drop(uint64_t kept, struct error *error)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct words[NR_WORDS];

	if (syscall(SYS_capget, &header, words) < 0)
		return error_set_system(error, errno, "cannot read this process' capabilities");
	words_limit(words, kept);
	if (syscall(SYS_capset, &header, words) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return error_set_system(error, errno, "cannot give up capabilities");
	return 0;
}

/* Tries it with none in effect; those that there are stay permitted. */
static bool folder_is_open(const char *directory)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct words[NR_WORDS], none[NR_WORDS];
	bool is_open;

	if (syscall(SYS_capget, &header, words) < 0)
		return false;
	for (unsigned int i = 0; i < NR_WORDS; i++) {
		none[i] = words[i];
		none[i].effective = 0;
	}
	if (syscall(SYS_capset, &header, none) < 0)
		return false;
	is_open = faccessat(AT_FDCWD, directory, R_OK | W_OK | X_OK, AT_EACCESS) == 0;
	return syscall(SYS_capset, &header, words) == 0 && is_open;
}

uint64_t privilege_for_files(const char *directory)
{
	return folder_is_open(directory) ? 0 : PRIVILEGE(CAP_DAC_OVERRIDE);
}

/* Where that fails, so does opening them, which is told. */
void privilege_raise_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}
