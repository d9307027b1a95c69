/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Makes the memory that is shared with ktrack, and offers it to a ktrack that records. */
#ifndef KTRACK_USER_SETUP_H
#define KTRACK_USER_SETUP_H

#pragma GCC system_header

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "map.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kernel's numbers, which some headers hide in strict standard modes. */
#define __KTRACK_MFD_FLAGS	(1u | 2u)	/* MFD_CLOEXEC, MFD_ALLOW_SEALING */
#define __KTRACK_ADD_SEALS	1033		/* F_ADD_SEALS */
#define __KTRACK_DUPFD_CLOEXEC	1030		/* F_DUPFD_CLOEXEC */
#define __KTRACK_SEALS		(1 | 2 | 4)	/* F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW */
#define __KTRACK_DONTDUMP	16		/* MADV_DONTDUMP */
#define __KTRACK_CLOEXEC	SOCK_CLOEXEC	/* O_CLOEXEC, which is equal */

/* How long a program's start waits for a ktrack that has accepted its memory; ktrack's tests set it. */
#ifndef __KTRACK_ANSWER_MS
#define __KTRACK_ANSWER_MS	5000
#endif

/* Signals may interrupt a connection. */
#define __KTRACK_CONNECT_TRIES	10

/* How many ancestors are asked, and how often again because one has ended meanwhile. */
#define __KTRACK_ANCESTORS	64
#define __KTRACK_ANCESTOR_TRIES	4

/* How the name of a ktrack begins in procfs. */
#define __KTRACK_ANCESTOR	"(ktrack"

/* Where the time of its start is there: so many fields behind the name. */
#define __KTRACK_START_FIELD	20

/* A program may have so many mappings of its memory's size. */
#define __KTRACK_AS_SHARES	4

__KTRACK_ONE void ktrack_user3_set_up(void);
__KTRACK_ONE void ktrack_user3_after_fork(void);
__KTRACK_ONE void ktrack_user3_free_ring(void *ring);

/* The same fields as struct ucred, which needs _GNU_SOURCE. */
struct ktrack_user_peer {
	int32_t pid;
	uint32_t uid;
	uint32_t gid;
};

/* Only root and the own user may read the records. */
static inline int ktrack_user_is_trusted(int fd)
{
	struct ktrack_user_peer peer;
	socklen_t size = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	       (peer.uid == 0 || peer.uid == geteuid());
}

static inline int ktrack_user_send(int socket_fd, int memory_fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr head;
	} control;
	uint32_t version = KTRACK_USER_VERSION;
	struct iovec part;
	struct msghdr message;

	memset(&control, 0, sizeof(control));
	memset(&message, 0, sizeof(message));
	part.iov_base = &version;
	part.iov_len = sizeof(version);
	message.msg_iov = &part;
	message.msg_iovlen = 1;
	message.msg_control = control.bytes;
	message.msg_controllen = sizeof(control.bytes);
	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.head), &memory_fd, sizeof(memory_fd));
	return sendmsg(socket_fd, &message, MSG_NOSIGNAL) < 0 ? -1 : 0;
}

/* Waits while many programs connect. Returns -1 with errno, EAGAIN if it was for too long. */
static inline int ktrack_user_connect(int fd, const struct sockaddr_un *address)
{
	struct timeval limit;
	int status = -1;

	limit.tv_sec = __KTRACK_ANSWER_MS / 1000;
	limit.tv_usec = __KTRACK_ANSWER_MS % 1000 * 1000;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	errno = EINTR;
	for (int i = 0; i < __KTRACK_CONNECT_TRIES && status < 0 && errno == EINTR; i++)
		status = connect(fd, (const struct sockaddr *)address, sizeof(*address));
	return status;
}

/*
 * Waits until ktrack records the program, or does not want it and closes the connection. Returns 1
 * if it was reached, 0 if none listens there, or -1 if one does that could not be reached. Anybody
 * may listen at an abstract address: no place in its queue is waited for.
 */
static inline int ktrack_user_offer(int memory_fd, const struct sockaddr_un *address)
{
	int flags = SOCK_SEQPACKET | SOCK_CLOEXEC | (address->sun_path[0] ? 0 : SOCK_NONBLOCK);
	struct pollfd answer;
	int status = 0;

	answer.fd = socket(AF_UNIX, flags, 0);
	answer.events = POLLIN;
	if (answer.fd < 0)
		return -1;
	if (ktrack_user_connect(answer.fd, address) < 0) {
		status = errno == EAGAIN || errno == EINTR ? -1 : 0;
	} else if (ktrack_user_is_trusted(answer.fd)) {
		status = ktrack_user_send(answer.fd, memory_fd) < 0 ? -1 : 1;
		if (status > 0)
			poll(&answer, 1, __KTRACK_ANSWER_MS);
	}
	close(answer.fd);
	return status;
}

static inline int ktrack_user_offer_at(int memory_fd, const char *path)
{
	struct sockaddr_un address;

	memset(&address, 0, sizeof(address));
	address.sun_family = AF_UNIX;
	if (strlen(path) >= sizeof(address.sun_path))
		return 0;
	memcpy(address.sun_path, path, strlen(path));
	return ktrack_user_offer(memory_fd, &address);
}

/*
 * The parent of a process, 0 if it has none in this PID namespace, -1 if that cannot be read. If it
 * is named ktrack, @address is where it listens for descendants, otherwise of no family.
 */
static inline int ktrack_user_parent_of(int pid, struct sockaddr_un *address)
{
	char text[512], *name, *behind, *start;
	ssize_t size = -1;
	int fd;

	memset(address, 0, sizeof(*address));
	snprintf(text, sizeof(text), "/proc/%d/stat", pid);
	fd = open(text, O_RDONLY | __KTRACK_CLOEXEC);
	if (fd >= 0) {
		size = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[size > 0 ? size : 0] = '\0';
	/* The name is in parentheses and may contain anything; a letter is between. */
	name = strchr(text, '(');
	behind = strrchr(text, ')');
	if (!behind || strlen(behind) <= 4)
		return -1;
	start = behind;
	for (int i = 0; i < __KTRACK_START_FIELD && start; i++)
		start = strchr(start + 1, ' ');
	if (start && strncmp(name, __KTRACK_ANCESTOR, strlen(__KTRACK_ANCESTOR)) == 0) {
		start[1 + strcspn(start + 1, " ")] = '\0';
		address->sun_family = AF_UNIX;
		snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, KTRACK_USER_ANCESTOR,
			 pid, start + 1);
	}
	return atoi(behind + 4);
}

/*
 * A ktrack that records the descendants of its command is an ancestor, whatever has become of the
 * environment. A child has the ancestors of its parent, and its parent. Others are not asked:
 * anybody could listen there, and not answer.
 */
static inline int ktrack_user_offer_to_ancestor(int memory_fd)
{
	struct ktrack_user_process *process = &ktrack_user3_process;
	int pid = process->ancestor ? process->ancestor : getppid();
	int nr_left = process->ancestor ? 1 : __KTRACK_ANCESTORS;
	int nr_tries = 0, status = 0, parent;
	struct sockaddr_un address;

	if (!process->ancestor)
		process->ancestor = -1;
	for (; nr_left > 0 && pid > 0 && status == 0; nr_left--) {
		parent = ktrack_user_parent_of(pid, &address);
		if (address.sun_family)
			status = ktrack_user_offer(memory_fd, &address);
		if (status > 0)
			process->ancestor = pid;
		pid = parent < 0 && ++nr_tries < __KTRACK_ANCESTOR_TRIES ? getppid() : parent;
	}
	return status;
}

static inline void ktrack_user_find_ktrack(int memory_fd)
{
	const char *path = getauxval(AT_SECURE) ? NULL : getenv(KTRACK_USER_SOCKET_VARIABLE);
	int status = path ? 0 : ktrack_user_offer_to_ancestor(memory_fd);

	if (status == 0)
		status = ktrack_user_offer_at(memory_fd, path ? path : KTRACK_USER_SOCKET);
	/* ktrack reports it when it finds the program otherwise. */
	if (status < 0)
		ktrack_user3_control.is_missed = 1;
}

static inline uint64_t ktrack_user_memory_size(const struct ktrack_user_process *process)
{
	return __KTRACK_HEAD_SIZE + (uint64_t)process->nr_rings * process->ring_size;
}

/* The kernel ends a program that makes a larger file than its limit. */
static inline int ktrack_user_memory_is_allowed(const struct ktrack_user_process *process)
{
	uint64_t size = ktrack_user_memory_size(process);
	struct rlimit file, space;

	return getrlimit(RLIMIT_FSIZE, &file) == 0 && file.rlim_cur >= size &&
	       getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur / __KTRACK_AS_SHARES >= size;
}

/* Where limits refuse the usual rings, they are smaller, then fewer. Returns false without any. */
static inline int ktrack_user_rings_choose(struct ktrack_user_process *process)
{
	process->ring_size = KTRACK_USER_RING_SIZE;
	process->nr_rings = KTRACK_USER_RINGS;
	if (ktrack_user_memory_is_allowed(process))
		return 1;
	if (process->ring_size > KTRACK_USER_RING_SMALL)
		process->ring_size = KTRACK_USER_RING_SMALL;
	if (ktrack_user_memory_is_allowed(process))
		return 1;
	process->nr_rings = KTRACK_USER_RINGS_FEW;
	return ktrack_user_memory_is_allowed(process);
}

/* A program that was started without standard files writes to the first descriptors all the same. */
static inline int ktrack_user_file_move(int fd)
{
	int moved = fd;

	if (fd >= 0 && fd <= STDERR_FILENO) {
		moved = fcntl(fd, __KTRACK_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		close(fd);
	}
	return moved;
}

/* A memory of the sizes that are stored in @process. */
static inline int ktrack_user_memory_new(struct ktrack_user_process *process)
{
	int fd;

	if (!ktrack_user_rings_choose(process))
		return -1;
	fd = ktrack_user_file_move((int)syscall(SYS_memfd_create, KTRACK_USER_NAME,
						__KTRACK_MFD_FLAGS));
	if (fd < 0)
		return -1;
	if (ftruncate(fd, (off_t)ktrack_user_memory_size(process)) == 0 &&
	    fcntl(fd, __KTRACK_ADD_SEALS, __KTRACK_SEALS) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Maps what is before its rings, and its control area a second time, over the variable. */
static inline unsigned char *ktrack_user_memory_map(const struct ktrack_user_process *process,
						    int fd)
{
	void *base = mmap(NULL, __KTRACK_BASE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct ktrack_user_control *control = (struct ktrack_user_control *)base;
	uint32_t selection;

	if (base == MAP_FAILED)
		return NULL;
	/* A core dump would allocate all of it. */
	madvise(base, __KTRACK_BASE_SIZE, __KTRACK_DONTDUMP);
	control->version = KTRACK_USER_VERSION;
	control->pid = getpid();
	control->nr_rings = process->nr_rings;
	control->ring_size = process->ring_size;
	control->events_size = KTRACK_USER_EVENTS_SIZE;
	control->can_agree = 1;
	control->can_select = 1;
	/* A child's events have decided by its parent's selections; an event that has not, by 0. */
	selection = __atomic_load_n(&ktrack_user3_control.selection, __ATOMIC_RELAXED) + 1;
	control->selection = selection + !selection;
	__atomic_store_n(&control->magic, KTRACK_USER_MAGIC, __ATOMIC_RELEASE);
	if (mmap(&ktrack_user3_control, KTRACK_USER_CONTROL_SIZE, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED)
		return (unsigned char *)base;
	munmap(base, __KTRACK_BASE_SIZE);
	return NULL;
}

/* Returns -1 if there is no memory: then the program is not recorded. */
static inline int ktrack_user_memory_set_up(void)
{
	struct ktrack_user_process *process = &ktrack_user3_process;
	int fd = ktrack_user_memory_new(process);

	process->base = fd < 0 ? NULL : ktrack_user_memory_map(process, fd);
	ktrack_user_mark_set(process, fd);
	process->generation = process->generation % 0xffff + 1;
	if (process->base) {
		ktrack_user_ring_map(0);
		return 0;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

void ktrack_user3_free_ring(void *ring)
{
	memset(&ktrack_user3_thread, 0, sizeof(ktrack_user3_thread));
	__atomic_store_n(&((struct ktrack_user_ring *)ring)->owner, 0, __ATOMIC_RELEASE);
}

/*
 * The child's memory is its own; of its threads only this one exists. Without memory, the variable
 * must not be the parent's any more.
 */
void ktrack_user3_after_fork(void)
{
	struct ktrack_user_process *process = &ktrack_user3_process;
	int saved_errno = errno;
	unsigned char *base;

	memset(&ktrack_user3_thread, 0, sizeof(ktrack_user3_thread));
	if (process->has_key)
		pthread_setspecific(process->key, NULL);
	if (!process->base)
		return;
	/* A signal handler finds no ring meanwhile. */
	base = process->base;
	__atomic_store_n(&process->base, (unsigned char *)NULL, __ATOMIC_SEQ_CST);
	munmap(base, __KTRACK_BASE_SIZE);
	ktrack_user_rings_unmap();
	if (ktrack_user_mark_is_open(process))
		close(process->fd);
	if (ktrack_user_memory_set_up() == 0)
		ktrack_user_find_ktrack(process->fd);
	else
		mmap(&ktrack_user3_control, KTRACK_USER_CONTROL_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	errno = saved_errno;
}

/* Old loaders align data to 4 KiB only; then nothing is recorded. */
void ktrack_user3_set_up(void)
{
	struct ktrack_user_process *process = &ktrack_user3_process;
	uintptr_t page = sysconf(_SC_PAGESIZE);
	int saved_errno = errno;

	if (process->is_set_up || (uintptr_t)&ktrack_user3_control % page)
		return;
	process->is_set_up = 1;
	if (ktrack_user_memory_set_up() == 0) {
		process->has_key = pthread_key_create(&process->key, ktrack_user3_free_ring) == 0;
		pthread_atfork(NULL, NULL, ktrack_user3_after_fork);
		ktrack_user_find_ktrack(process->fd);
	}
	errno = saved_errno;
}

/* Before the constructors of the program, whose priorities begin with 101. */
static __attribute__((constructor(101), unused)) void ktrack_user_begin(void)
{
	ktrack_user3_set_up();
}

/* Threads may run on after a shared library is closed, or while the process exits. */
static __attribute__((destructor, unused)) void ktrack_user_end(void)
{
	if (ktrack_user3_process.has_key)
		pthread_key_delete(ktrack_user3_process.key);
	ktrack_user3_process.has_key = 0;
}

#ifdef __cplusplus
}
#endif

#endif
