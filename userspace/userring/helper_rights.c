// SPDX-License-Identifier: GPL-2.0-only
/* What a helper may do. */
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "userring/helper.h"

/* The memory that a helper may allocate. */
#define MEMORY_MAX ((rlim_t)128 << 20)

/* Files of processes of other users are found with these. */
#define SEARCH_CAPABILITIES                                                   \
	(UINT64_C(1) << CAP_SYS_PTRACE | UINT64_C(1) << CAP_DAC_READ_SEARCH | \
	 UINT64_C(1) << CAP_CHECKPOINT_RESTORE)

/* The reader has a user of its own, and may have to be killed. */
#define READER_CAPABILITIES \
	(UINT64_C(1) << CAP_SETUID | UINT64_C(1) << CAP_SETGID | UINT64_C(1) << CAP_KILL)

static void capabilities_keep(uint64_t kept)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	if (syscall(SYS_capget, &head, data) < 0)
		return;
	for (size_t i = 0; i < 2; i++) {
		data[i].permitted &= (uint32_t)(kept >> 32 * i);
		data[i].effective = data[i].permitted;
		data[i].inheritable = 0;
	}
	syscall(SYS_capset, &head, data);
}

static bool capabilities_have(uint64_t wanted)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	return syscall(SYS_capget, &head, data) == 0 &&
	       ((data[0].effective | (uint64_t)data[1].effective << 32) & wanted) == wanted;
}

/* Memory that is mapped already: the recorder's, and sanitizers map terabytes that they do not use. */
static rlim_t data_mapped(void)
{
	struct buffer text = { 0 };
	unsigned long long pages = 0;

	if (file_read("/proc/self/statm", &text) < 0 ||
	    sscanf(buffer_string(&text), "%*u %*u %*u %*u %*u %llu", &pages) != 1)
		pages = 0;
	buffer_release(&text);
	return pages * sysconf(_SC_PAGESIZE);
}

/* System calls that both limits allow. */
#define COMMON_CALLS                                                                            \
	/* Messages. */                                                                         \
	SYS_recvmsg, SYS_recvfrom, SYS_sendmsg, SYS_sendto, SYS_ppoll,                          \
	/* Files. */                                                                            \
	SYS_openat, SYS_close, SYS_read, SYS_lseek, SYS_fcntl, SYS_fstat, SYS_newfstatat,       \
	SYS_fstatfs, SYS_getdents64, SYS_readlinkat, SYS_ioctl, SYS_faccessat,                  \
	/* Processes. */                                                                        \
	SYS_exit, SYS_exit_group, SYS_getpid, SYS_gettid, SYS_rt_sigprocmask, SYS_rt_sigaction, \
	SYS_rt_sigreturn, SYS_sigaltstack, SYS_set_robust_list, SYS_restart_syscall,            \
	SYS_sched_yield, SYS_futex, SYS_pidfd_open,                                             \
	/* Memory and time. */                                                                  \
	SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_brk,                   \
	SYS_clock_gettime, SYS_clock_nanosleep, SYS_nanosleep

static bool calls_limit(void)
{
	static const int calls[] = {
		COMMON_CALLS,
		/* Connections. */
		SYS_accept4, SYS_shutdown, SYS_getsockopt, SYS_epoll_create1, SYS_epoll_ctl,
		SYS_epoll_pwait, SYS_pipe2, SYS_socketpair, SYS_setsockopt,
		/* Processes; the reader gives up its rights. */
		SYS_close_range, SYS_clone, SYS_wait4, SYS_kill, SYS_prctl, SYS_seccomp, SYS_capget,
		SYS_capset, SYS_setgroups, SYS_setresuid, SYS_setresgid, SYS_pread64, SYS_write,
#ifdef SYS_poll
		SYS_poll, SYS_epoll_wait, SYS_fork, SYS_readlink, SYS_access,
#endif
	};

	return system_calls_limit(calls, sizeof(calls) / sizeof(calls[0]));
}

/* The reader starts no process, connects to nothing, and sends no signal. */
static bool reader_calls_limit(void)
{
	static const int calls[] = {
		COMMON_CALLS, SYS_pread64, SYS_write,
#ifdef SYS_poll
		SYS_poll, SYS_readlink, SYS_access,
#endif
	};

	return system_calls_limit(calls, sizeof(calls) / sizeof(calls[0]));
}

/* Without seccomp in the kernel, the rest must do. */
void helper_drop_rights(bool starts_reader)
{
	rlim_t memory_max = data_mapped() + MEMORY_MAX;
	struct rlimit memory = { memory_max, memory_max }, none = { 0, 0 }, files;

	capabilities_keep(SEARCH_CAPABILITIES | (starts_reader ? READER_CAPABILITIES : 0));
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	setrlimit(RLIMIT_DATA, &memory);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_FSIZE, &none);
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	calls_limit();
}

void helper_drop_reader_rights(void)
{
	capabilities_keep(SEARCH_CAPABILITIES);
}

static bool user_become(uid_t user, gid_t group)
{
	return capabilities_have(READER_CAPABILITIES) && setgroups(0, NULL) == 0 &&
	       setresgid(group, group, group) == 0 && setresuid(user, user, user) == 0;
}

/* Without the right to become its user, and to be killed then, it keeps that of the recorder. */
void reader_drop_rights(const struct helper_work *work)
{
	if (work->reader_user == 0 || !user_become(work->reader_user, work->reader_group))
		capabilities_keep(0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	reader_calls_limit();
}
