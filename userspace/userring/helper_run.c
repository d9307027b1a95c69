// SPDX-License-Identifier: GPL-2.0-only
/*
 * The helper's first process: accepts connections, and starts a process for each message, one for a
 * search, and the reader. It receives and closes nothing of a program, and so never blocks.
 *
 * A connection that this process closes is open in a new one until then: the last one that closes
 * it closes what the program has sent. The new process does so when it exits, which waits for no
 * lingering socket; and if it hangs in the kernel, nobody waits for it.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "userring/helper.h"
#include "userring/process.h"
#include "userring/reader.h"
#include "userring/scan.h"

/* The C library's limit is a byte more. */
#define HELPER_NAME "ktrack-programs"

#define NR_STANDARD_FILES 3

/* A search that waits for a process is given up; a busy machine does not make it wait. */
#define HANG_NS (5 * NS_PER_S)
#define HANG_SLEEPS 30

/* How long the helper sleeps at most, and pauses if it can accept nothing. */
#define WAIT_MS 100
#define PAUSE_NS (NS_PER_S / 100)

/* A reader that ends early is replaced so long after its start. */
#define READER_NS (NS_PER_S / 10)

/** struct shared_places - the processes that the search and the reader examine, 0 for none */
struct shared_places {
	int search;
	int reader;
};

/*
 * struct first_process - its state
 * @fd: the connection to who has started it
 * @out_fd: receives messages with descriptors: @fd, or the reader's inbox
 * @inbox_fd: the other end of that, for readers; -1 without a reader
 * @places: shared with the other processes
 * @reader_pid: the reader, 0 if there is none
 * @reader_ns: CLOCK_MONOTONIC when it was started
 * @search_pid: the process that searches, 0 if there is none
 * @plan: of the search
 * @seen, @seen_ns: the process that it examines, and since when that was seen
 * @nr_sleeps: how often it was seen waiting there
 * @nr_skipped: processes that were skipped
 * @hung: the process in which it or the reader hung, until that is reported
 * @reported: of @callers.refused
 * @has_searched: the end of a search is not reported
 */
struct first_process {
	struct helper_work work;
	int fd;
	int out_fd;
	int inbox_fd;
	struct shared_places *places;
	pid_t reader_pid;
	int64_t reader_ns;
	struct caller_list callers;
	pid_t search_pid;
	struct search_plan plan;
	int seen;
	int64_t seen_ns;
	unsigned int nr_sleeps;
	size_t nr_skipped;
	int hung;
	int reported;
	bool has_searched;
};

static void child_note(int number)
{
	(void)number;
}

/* Returns a copy behind the standard files; -1 of -1. */
static int file_keep(int fd)
{
	return fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, NR_STANDARD_FILES);
}

static int number_compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Closes all files except the standard ones and @kept, of which some may be -1. */
static bool files_close_others(int *kept, size_t nr_kept)
{
	int from = NR_STANDARD_FILES;

	qsort(kept, nr_kept, sizeof(*kept), number_compare);
	for (size_t i = 0; i < nr_kept; i++) {
		if (kept[i] < 0)
			continue;
		if (kept[i] > from)
			close_range(from, kept[i] - 1, 0);
		from = kept[i] + 1;
	}
	return close_range(from, ~0U, 0) == 0;
}

/* Closes the files of the recorder, which stay open as long as any process has them. */
static bool state_keep_files(struct first_process *own)
{
	int null_fd = file_keep(open("/dev/null", O_RDWR | O_CLOEXEC));
	int *const files[] = { &own->fd, &own->work.socket_fd, &own->work.descendants_fd,
			       &own->work.reader_fd };
	int kept[sizeof(files) / sizeof(files[0])];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		kept[i] = file_keep(*files[i]);
		if (*files[i] >= 0 && kept[i] < 0)
			return false;
		*files[i] = kept[i];
	}
	if (null_fd < 0)
		return false;
	for (int i = 0; i < NR_STANDARD_FILES; i++)
		dup2(null_fd, i);
	return files_close_others(kept, sizeof(kept) / sizeof(kept[0]));
}

/* Only the end of the recorder, or SIGKILL, ends it. */
static void signals_block(void)
{
	const struct sigaction action = { .sa_handler = child_note };
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigaction(SIGCHLD, &action, NULL);
}

/* Starts a process; in that, returns 0 when the first one has closed what it gave it. */
static pid_t helper_fork(const int *given, size_t nr_given)
{
	int fds[2];
	pid_t pid;
	char byte;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		close(fds[1]);
		while (read(fds[0], &byte, 1) < 0 && errno == EINTR)
			;
		close(fds[0]);
		return 0;
	}
	for (size_t i = 0; i < nr_given && pid > 0; i++)
		close(given[i]);
	close(fds[0]);
	close(fds[1]);
	return pid;
}

static bool helper_message_send(int fd, enum helper_kind kind, int pid, int number)
{
	const struct helper_message message = { .kind = kind, .pid = pid, .number = number };
	ssize_t size;

	do {
		size = send(fd, &message, sizeof(message), MSG_DONTWAIT | MSG_NOSIGNAL);
	} while (size < 0 && errno == EINTR);
	return size > 0;
}

/* A reader that is stopped gets the message later. */
static bool state_send(const struct first_process *own, enum helper_kind kind, int pid, int number)
{
	return helper_message_send(own->out_fd, kind, pid, number);
}

/* A process that sends to the reader has no other right, and not the reader's ends. */
static void sender_begin(const struct first_process *own)
{
	helper_drop_reader_rights();
	file_close(own->inbox_fd);
	file_close(own->work.reader_fd);
}

/* Takes one program; false if there is none, or no process for it. */
static bool state_take_program(struct first_process *own)
{
	uid_t user;
	int connection = callers_take(&own->callers, &user);
	pid_t pid;

	if (connection < 0)
		return false;
	pid = helper_fork(&connection, 1);
	if (pid == 0) {
		callers_leave(&own->callers);
		sender_begin(own);
		offer_run(&own->work, own->out_fd, connection);
		_exit(0);
	}
	if (pid > 0) {
		callers_add_receiver(&own->callers, pid, user);
		return true;
	}
	state_send(own, HELPER_PROBLEM, 0, errno);
	shutdown(connection, SHUT_RDWR);
	own->callers.ended[own->callers.nr_ended++] = connection;
	return false;
}

/* Connections that are over are closed by the exit of a process. */
static void state_close_ended(struct first_process *own)
{
	struct caller_list *callers = &own->callers;
	pid_t pid;

	if (callers->nr_ended == 0)
		return;
	pid = helper_fork(callers->ended, callers->nr_ended);
	if (pid == 0)
		_exit(0);
	if (pid > 0)
		callers->nr_ended = 0;
}

static void state_search(struct first_process *own)
{
	pid_t pid;

	if (own->search_pid != 0)
		return;
	own->plan.reader_pid = own->reader_pid;
	pid = fork();
	if (pid == 0) {
		callers_leave(&own->callers);
		sender_begin(own);
		search_run(&own->work, &own->plan, own->out_fd);
		_exit(0);
	}
	own->nr_sleeps = 0;
	if (pid > 0)
		own->search_pid = pid;
	else
		own->has_searched = true;
}

/* Searches leave out a process from now on; the oldest of very many is tried again. */
static void state_skip(struct first_process *own, int pid)
{
	if (pid <= 0)
		return;
	own->plan.skipped[own->nr_skipped++ % SEARCH_SKIPPED_MAX] = pid;
	own->plan.nr_skipped = own->nr_skipped < SEARCH_SKIPPED_MAX ? own->nr_skipped
								     : SEARCH_SKIPPED_MAX;
	own->hung = pid;
}

/* Gives up a search that hangs in a process, and starts another one without that. */
static void state_check_search(struct first_process *own)
{
	int64_t now_ns = time_now_ns(CLOCK_MONOTONIC);
	int place = __atomic_load_n(&own->places->search, __ATOMIC_RELAXED);

	if (own->search_pid == 0)
		return;
	if (own->nr_sleeps == 0 || place != own->seen) {
		own->seen = place;
		own->seen_ns = now_ns;
		own->nr_sleeps = 0;
	}
	own->nr_sleeps += process_is_sleeping(own->search_pid);
	if (own->nr_sleeps < HANG_SLEEPS || now_ns - own->seen_ns < HANG_NS)
		return;
	kill(own->search_pid, SIGKILL);
	own->search_pid = 0;
	state_skip(own, place);
	state_search(own);
}

/* A new reader finds all programs by a search of its own; what an earlier one has found is lost. */
static void state_start_reader(struct first_process *own)
{
	int64_t now_ns = time_now_ns(CLOCK_MONOTONIC);

	if (own->inbox_fd < 0 || own->reader_pid != 0 || now_ns - own->reader_ns < READER_NS)
		return;
	own->plan.number++;
	own->plan.is_first = true;
	/* The end of an earlier search has no number of its own. */
	own->has_searched = false;
	own->reader_ns = now_ns;
	own->reader_pid = fork();
	if (own->reader_pid == 0) {
		close(own->fd);
		callers_leave(&own->callers);
		close(own->callers.poll_fd);
		close(own->out_fd);
		reader_run(&own->work, own->inbox_fd, &own->places->reader, own->plan.number);
		_exit(0);
	}
	if (own->reader_pid < 0) {
		own->reader_pid = 0;
		return;
	}
	if (own->search_pid != 0)
		kill(own->search_pid, SIGKILL);
	own->search_pid = 0;
	state_search(own);
}

/* One that hangs in the kernel is left to init: nobody waits for it. */
static void state_replace_reader(struct first_process *own)
{
	if (own->reader_pid == 0)
		return;
	state_skip(own, __atomic_load_n(&own->places->reader, __ATOMIC_RELAXED));
	kill(own->reader_pid, SIGKILL);
	own->reader_pid = 0;
}

static void state_reap(struct first_process *own)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == own->search_pid) {
			own->search_pid = 0;
			own->plan.is_first = false;
			own->has_searched = true;
		}
		if (pid == own->reader_pid) {
			own->reader_pid = 0;
			/* A program that makes the reader fail is left out; whoever kills it does
			 * so for another reason. */
			if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
				state_skip(own,
					   __atomic_load_n(&own->places->reader, __ATOMIC_RELAXED));
		}
		callers_end_receiver(&own->callers, pid);
	}
}

static void state_report(struct first_process *own)
{
	if (own->callers.nr_dropped > 0 &&
	    state_send(own, HELPER_DROPPED, 0, own->callers.nr_dropped))
		own->callers.nr_dropped = 0;
	if (own->callers.refused != own->reported &&
	    state_send(own, HELPER_REFUSED, 0, own->callers.refused))
		own->reported = own->callers.refused;
	if (own->hung && state_send(own, HELPER_CUT, own->hung, 1))
		own->hung = 0;
	if (own->has_searched && state_send(own, HELPER_SEARCHED, 0, own->plan.number))
		own->has_searched = false;
}

/* Returns false if the recorder has ended. */
static bool state_read_request(struct first_process *own)
{
	char request;
	ssize_t size = recv(own->fd, &request, 1, MSG_DONTWAIT);

	if (size > 0 && request == HELPER_ASK_SEARCH)
		state_search(own);
	if (size > 0 && request == HELPER_ASK_READER)
		state_replace_reader(own);
	return size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR));
}

static bool state_open_inbox(struct first_process *own)
{
	int fds[2];

	own->out_fd = own->fd;
	own->inbox_fd = -1;
	if (own->work.reader_fd < 0)
		return true;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return false;
	own->inbox_fd = fds[0];
	own->out_fd = fds[1];
	return true;
}

static bool state_open(struct first_process *own)
{
	struct epoll_event event = { .events = EPOLLIN };

	own->plan.is_first = true;
	own->reader_ns = INT64_MIN / 2;
	own->places = mmap(NULL, sizeof(*own->places), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	own->plan.place = &own->places->search;
	return own->places != MAP_FAILED && state_open_inbox(own) &&
	       callers_open(&own->callers, own->work.socket_fd, own->work.descendants_fd) &&
	       epoll_ctl(own->callers.poll_fd, EPOLL_CTL_ADD, own->fd, &event) == 0;
}

void helper_run(const struct helper_work *work, int fd)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	struct first_process own = { .work = *work, .fd = fd };
	struct epoll_event event;
	sigset_t mask;

	signals_block();
	sigfillset(&mask);
	sigdelset(&mask, SIGCHLD);
	prctl(PR_SET_NAME, HELPER_NAME);
	if (!state_keep_files(&own))
		return;
	helper_drop_rights(work->reader_fd >= 0);
	if (!state_open(&own) || !helper_message_send(own.fd, HELPER_BEGUN, 0, 0))
		return;
	while (state_read_request(&own)) {
		state_reap(&own);
		state_start_reader(&own);
		while (own.work.socket_fd >= 0 && state_take_program(&own))
			;
		state_close_ended(&own);
		state_check_search(&own);
		state_report(&own);
		if (own.callers.refused || own.callers.is_held_back)
			nanosleep(&pause, NULL);
		epoll_pwait(own.callers.poll_fd, &event, 1, WAIT_MS, &mask);
	}
	callers_close(&own.callers);
}

/* What a helper may do. */

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
		SYS_epoll_pwait, SYS_pipe2, SYS_socketpair, SYS_setsockopt, SYS_getsockname,
		/* Processes; the reader gives up its rights. */
		SYS_close_range, SYS_clone, SYS_wait4, SYS_kill, SYS_prctl, SYS_seccomp, SYS_capget,
		SYS_capset, SYS_setgroups, SYS_geteuid, SYS_setresuid, SYS_setresgid, SYS_pread64,
		SYS_write,
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

/*
 * The process that takes the message of one program: what the program sends may be any file, and
 * each call that uses it may block for ever. Only this process waits then.
 */

/* How often an offer is made to readers that are killed. */
#define OFFER_TRIES 10

/* A program asks 64 ancestors; its children, which ask the same, have some more. */
#define ASKING_MAX 256

/* Takes the first of the descriptors; the exit of this process closes the others. */
static int message_take_fd(struct msghdr *message)
{
	struct cmsghdr *part = CMSG_FIRSTHDR(message);
	int fd = -1;

	if (part && part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS &&
	    part->cmsg_len >= CMSG_LEN(sizeof(fd)))
		memcpy(&fd, CMSG_DATA(part), sizeof(fd));
	return fd;
}

/* Returns the file of a program's message, -1 if there is none; errno is 0 if that is its fault. */
static int offer_receive(int connection)
{
	union {
		char bytes[CMSG_SPACE(4 * sizeof(int))];
		struct cmsghdr head;
	} control;
	uint32_t version;
	struct iovec part = { .iov_base = &version, .iov_len = sizeof(version) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	ssize_t received;
	int fd;

	do {
		received = recvmsg(connection, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	} while (received < 0 && errno == EINTR);
	if (received < 0) {
		if (errno == ECONNRESET || errno == EAGAIN)
			errno = 0;
		return -1;
	}
	fd = message_take_fd(&message);
	/* The kernel leaves out a descriptor for which this process has no place. */
	errno = fd < 0 && (message.msg_flags & MSG_CTRUNC) ? EMFILE : 0;
	return fd;
}

static void message_add_mapped(void *context, const struct mapping *mapping)
{
	struct helper_message *message = context;

	if (message->nr_mapped < HELPER_MAPPED_MAX)
		message->mapped[message->nr_mapped] = mapping->inode;
	message->nr_mapped++;
}

static void message_list_mapped(struct helper_message *message)
{
	const struct mapping_visitor visitor = { message, message_add_mapped };
	int64_t until_ns = time_now_ns(CLOCK_THREAD_CPUTIME_ID) + MAPPED_LIMIT_NS;

	message->mapped_ns = time_now_ns(CLOCK_BOOTTIME);
	message->nr_mapped = 0;
	if (!process_visit_mappings(message->pid, until_ns, &visitor) ||
	    message->nr_mapped > HELPER_MAPPED_MAX)
		message->nr_mapped = 0;
}

void message_describe(struct helper_message *message)
{
	process_path(message->pid, message->path, sizeof(message->path));
	message->clock_offset_ns = process_clock_offset(message->pid);
	message_list_mapped(message);
}

/*
 * Sends the memory, and waits for the answer; returns 0, or errno. EPIPE: the reader was killed
 * before it answered.
 */
static int offer_send_once(int fd, const struct helper_message *message, int memory_fd)
{
	int answer[2], fds[2];
	ssize_t size;
	char byte;

	if (pipe2(answer, O_CLOEXEC) < 0)
		return errno;
	fds[0] = memory_fd;
	fds[1] = answer[1];
	if (!helper_send(fd, message, fds, 2)) {
		int number = errno;

		close(answer[0]);
		close(answer[1]);
		return number;
	}
	close(answer[1]);
	do {
		size = read(answer[0], &byte, 1);
	} while (size < 0 && errno == EINTR);
	close(answer[0]);
	return size > 0 ? 0 : EPIPE;
}

/* Whether it came to the socket of descendants, which has no path. */
static bool connection_is_abstract(int connection)
{
	struct sockaddr_un own = { .sun_path = "path" };
	socklen_t size = sizeof(own);

	return getsockname(connection, (struct sockaddr *)&own, &size) == 0 && !own.sun_path[0];
}

/*
 * Anybody may connect where descendants find the socket, and that should cost little. Programs
 * trust only ktracks of root and of their user.
 */
static bool offer_is_wanted(const struct helper_work *work, int connection,
			    const struct ucred *peer)
{
	if (!work->of_descendants)
		return true;
	if (geteuid() != 0 && peer->uid != geteuid())
		return false;
	return process_descends(peer->pid, work->own_pid,
				connection_is_abstract(connection) ? ASKING_MAX : ANCESTORS_MAX);
}

void offer_run(const struct helper_work *work, int fd, int connection)
{
	struct helper_message message = { .kind = HELPER_OFFER };
	int sent_fd = offer_receive(connection);
	struct pollfd state = { .fd = connection };
	int problem = errno, memory_fd = -1;
	socklen_t size = sizeof(struct ucred);
	struct ucred peer;

	if (sent_fd >= 0 && getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	    peer.pid > 0 && offer_is_wanted(work, connection, &peer)) {
		message.pid = peer.pid;
		message.user = process_user(peer.pid, peer.uid);
		memory_fd = memfd_open_anew(sent_fd);
		/* Whoever sends another file is no program. */
		problem = memory_fd < 0 && errno != EINVAL ? errno : 0;
	}
	if (memory_fd >= 0) {
		message_describe(&message);
		/* A new reader gets the offer again. */
		problem = EPIPE;
		for (int i = 0; i < OFFER_TRIES && problem == EPIPE; i++)
			problem = offer_send_once(fd, &message, memory_fd);
		message.kind = HELPER_ANSWERED;
		/* Whether the program has gone on without the answer. */
		message.number = problem == 0 && poll(&state, 1, 0) > 0 &&
				 (state.revents & POLLHUP);
	}
	if (problem) {
		message.kind = HELPER_PROBLEM;
		message.number = problem;
	}
	/* In this order: the program may end at once, and the recording with it. */
	if (message.kind != HELPER_OFFER)
		helper_send(fd, &message, NULL, 0);
	shutdown(connection, SHUT_RDWR);
}

/*
 * Accepts the connections of programs that announce themselves, and finds those whose message has
 * arrived. Nothing here waits: a program may be preempted between its connection and its message,
 * or never send one. Nothing is received or closed, which may block.
 */

/*
 * A program sends right after it has connected. Its message is also looked for this often: the time
 * may have passed while this process was stopped, and the program with it.
 */
#define CALLER_NS (5 * NS_PER_S)
#define CALLER_LOOKS 50

bool callers_open(struct caller_list *callers, int socket_fd, int descendants_fd)
{
	struct epoll_event event = { .events = EPOLLIN };
	bool is_open;

	*callers = (struct caller_list){ .sockets = { socket_fd, descendants_fd },
					 .poll_fd = epoll_create1(EPOLL_CLOEXEC) };
	is_open = callers->poll_fd >= 0;
	for (int i = 0; i < 2 && is_open; i++)
		is_open = callers->sockets[i] < 0 ||
			  epoll_ctl(callers->poll_fd, EPOLL_CTL_ADD, callers->sockets[i], &event) ==
				  0;
	return is_open;
}

void callers_leave(struct caller_list *callers)
{
	for (int i = 0; i < 2; i++)
		file_close(callers->sockets[i]);
}

static int callers_accept(const struct caller_list *callers)
{
	int fd = accept4(callers->sockets[0], NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0 && errno == EAGAIN && callers->sockets[1] >= 0)
		fd = accept4(callers->sockets[1], NULL, NULL, SOCK_CLOEXEC);
	return fd;
}

/* One place is left for the connection that is taken, in case there is no process for it. */
static bool callers_are_full(const struct caller_list *callers)
{
	return callers->nr_ended >= CALLERS_ENDED_MAX - 1;
}

static int caller_remove(struct caller_list *callers, size_t index)
{
	int fd = callers->list[index].fd;

	epoll_ctl(callers->poll_fd, EPOLL_CTL_DEL, fd, NULL);
	callers->size--;
	memmove(callers->list + index, callers->list + index + 1,
		(callers->size - index) * sizeof(*callers->list));
	return fd;
}

/* The program goes on at once, whoever else has the connection. */
static void caller_drop(struct caller_list *callers, size_t index)
{
	int fd = caller_remove(callers, index);

	shutdown(fd, SHUT_RDWR);
	callers->ended[callers->nr_ended++] = fd;
	callers->nr_dropped++;
}

static size_t callers_count(const struct caller_list *callers, uid_t user)
{
	size_t nr = 0;

	for (size_t i = 0; i < callers->size; i++)
		nr += callers->list[i].user == user;
	return nr;
}

/* The oldest one of a user, or of the user with the most callers if all together are too many. */
static size_t caller_find_oldest(const struct caller_list *callers, uid_t user)
{
	size_t most = 0, oldest = 0;

	for (size_t i = 0; i < callers->size; i++) {
		size_t nr = callers_count(callers, callers->list[i].user);

		if (callers->size < CALLERS_MAX && callers->list[i].user == user)
			return i;
		if (nr > most)
			oldest = i;
		most = nr > most ? nr : most;
	}
	return oldest;
}

/* The user who has a connection; unknown users share one. */
static uid_t connection_user(int fd)
{
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.pid <= 0)
		return USER_UNKNOWN;
	return process_user(peer.pid, peer.uid);
}

/* The oldest gives way: whoever connects and sends nothing keeps out no other program. */
static void caller_add(struct caller_list *callers, int fd, int64_t now_ns)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };
	uid_t user = connection_user(fd);

	if (callers->size == CALLERS_MAX || callers_count(callers, user) >= USER_CALLERS_MAX)
		caller_drop(callers, caller_find_oldest(callers, user));
	callers->list[callers->size++] =
		(struct program_caller){ .fd = fd, .user = user, .since_ns = now_ns };
	epoll_ctl(callers->poll_fd, EPOLL_CTL_ADD, fd, &event);
}

/* Receivers may hang: those of one user leave places for others, and who has none gets one. */
static bool user_may_send(const struct caller_list *callers, uid_t user)
{
	size_t nr = 0;

	for (size_t i = 0; i < callers->nr_receivers; i++)
		nr += callers->receivers[i].user == user;
	if (callers->nr_receivers >= RECEIVERS_MAX / 2)
		return nr == 0 && callers->nr_receivers < RECEIVERS_MAX;
	return nr < USER_RECEIVERS_MAX;
}

void callers_add_receiver(struct caller_list *callers, pid_t pid, uid_t user)
{
	callers->receivers[callers->nr_receivers++] =
		(struct message_receiver){ .pid = pid, .user = user };
}

void callers_end_receiver(struct caller_list *callers, pid_t pid)
{
	for (size_t i = 0; i < callers->nr_receivers; i++) {
		if (callers->receivers[i].pid == pid) {
			callers->receivers[i] = callers->receivers[--callers->nr_receivers];
			return;
		}
	}
}

/* Returns -1 if no caller has sent its message. */
static int callers_find(struct caller_list *callers, int64_t now_ns, uid_t *user)
{
	size_t index = 0;

	callers->is_held_back = false;
	while (index < callers->size) {
		const struct program_caller *caller = &callers->list[index];
		struct pollfd state = { .fd = caller->fd, .events = POLLIN };
		/* Its message has arrived, or none will. */
		bool is_ready = poll(&state, 1, 0) > 0;

		*user = caller->user;
		if (is_ready && user_may_send(callers, *user))
			return caller_remove(callers, index);
		callers->is_held_back |= is_ready;
		if (caller->nr_looks > CALLER_LOOKS && now_ns - caller->since_ns >= CALLER_NS &&
		    !callers_are_full(callers))
			caller_drop(callers, index);
		else
			index++;
	}
	return -1;
}

/* Whoever connects again and again must not keep the helper here: the rest is accepted later. */
int callers_take(struct caller_list *callers, uid_t *user)
{
	int64_t now_ns = time_now_ns(CLOCK_MONOTONIC);
	int taken;

	if (callers->nr_ended == CALLERS_ENDED_MAX)
		return -1;
	for (size_t i = 0; i < callers->size; i++)
		callers->list[i].nr_looks++;
	taken = callers_find(callers, now_ns, user);
	for (int i = 0; i < USER_CALLERS_MAX && taken < 0 && !callers_are_full(callers); i++) {
		int fd = callers_accept(callers);

		/* An error of this process may pass, and the connection waits until then. */
		callers->refused = fd >= 0 || errno == EAGAIN || errno == EINTR ||
						   errno == ECONNABORTED
					   ? 0
					   : errno;
		if (fd < 0)
			return -1;
		caller_add(callers, fd, now_ns);
		taken = callers_find(callers, now_ns, user);
	}
	return taken;
}

void callers_close(struct caller_list *callers)
{
	for (int i = 0; i < 2; i++) {
		if (callers->sockets[i] >= 0)
			shutdown(callers->sockets[i], SHUT_RDWR);
	}
	for (size_t i = 0; i < callers->size; i++)
		shutdown(callers->list[i].fd, SHUT_RDWR);
}
