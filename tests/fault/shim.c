// SPDX-License-Identifier: GPL-2.0-only
/*
 * A library to preload: functions of the C library that fail at one site. See site.h for what a
 * site is, and faults.py for the failures of each kind.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "site.h"

#define SHIM __attribute__((visibility("default")))

/* The function that is replaced. */
#define NEXT(name)                                                         \
	({                                                                 \
		static __typeof__(&name) next;                             \
		if (!next)                                                 \
			next = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
		next;                                                      \
	})

/* A function that fails with an error, and processes no part of its bytes. */
#define HOOK(kind, failed, type, name, parameters, arguments)                                  \
	SHIM type name parameters                                                              \
	{                                                                                      \
		return fault_at(kind, #name) == FAULT_ERROR ? (failed) : NEXT(name) arguments; \
	}

/* The child that parses print formats is killed for any system call but those that it needs. */
static bool is_child;

/*
 * Whether what is written to a file is a command, as in tracefs: its kernel takes words and lines as
 * a whole (kernel/trace/trace.c, trace_get_user()), and half of one is another command. No child
 * writes any.
 */
static bool is_command(int fd)
{
	struct statfs status;

	return !is_child && !fstatfs(fd, &status) && status.f_type == TRACEFS_MAGIC;
}

/* A function that may also process a part of its bytes. */
#define HOOK_BYTES(kind, name, parameters, arguments)         \
	SHIM ssize_t name parameters                          \
	{                                                     \
		enum fault_way way = fault_at(kind, #name);   \
                                                              \
		if (way == FAULT_ERROR)                       \
			return -1;                            \
		if (way == FAULT_SHORT && size > 1 &&         \
		    (kind != FAULT_WRITE || !is_command(fd))) \
			size /= 2;                            \
		return NEXT(name) arguments;                  \
	}

HOOK(FAULT_MEMORY, NULL, void *, malloc, (size_t size), (size))
HOOK(FAULT_MEMORY, NULL, void *, realloc, (void *old, size_t size), (old, size))
HOOK(FAULT_MEMORY, NULL, void *, reallocarray, (void *old, size_t nr, size_t size), (old, nr, size))
HOOK(FAULT_MEMORY, NULL, char *, strdup, (const char *text), (text))
HOOK(FAULT_MEMORY, NULL, char *, strndup, (const char *text, size_t size), (text, size))
HOOK(FAULT_MEMORY, NULL, char *, realpath, (const char *path, char *out), (path, out))
HOOK(FAULT_MEMORY, -1, ssize_t, getline, (char **out, size_t *size, FILE *file), (out, size, file))
HOOK(FAULT_MEMORY, -1, ssize_t, __getdelim, (char **out, size_t *size, int end, FILE *file),
     (out, size, end, file))
HOOK(FAULT_MEMORY, MAP_FAILED, void *, mmap,
     (void *address, size_t size, int protection, int flags, int fd, off_t offset),
     (address, size, protection, flags, fd, offset))

/* dlsym(3) itself may call it. */
SHIM void *calloc(size_t nr, size_t size)
{
	static void *(*next)(size_t nr, size_t size);
	static bool is_searching;

	if (!next && is_searching)
		return NULL;
	if (!next) {
		is_searching = true;
		next = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
		is_searching = false;
	}
	return fault_at(FAULT_MEMORY, "calloc") == FAULT_NONE ? next(nr, size) : NULL;
}

SHIM int vasprintf(char **out, const char *format, va_list list)
{
	return fault_at(FAULT_MEMORY, "vasprintf") == FAULT_NONE
		       ? NEXT(vasprintf)(out, format, list)
		       : -1;
}

SHIM int asprintf(char **out, const char *format, ...)
{
	va_list list;
	int size = -1;

	va_start(list, format);
	if (fault_at(FAULT_MEMORY, "asprintf") == FAULT_NONE)
		size = NEXT(vasprintf)(out, format, list);
	va_end(list);
	return size;
}

/* Under _FORTIFY_SOURCE, calls go to these. */
int __asprintf_chk(char **out, int flag, const char *format, ...);
int __open_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);

SHIM int __asprintf_chk(char **out, int flag, const char *format, ...)
{
	va_list list;
	int size = -1;

	(void)flag;
	va_start(list, format);
	if (fault_at(FAULT_MEMORY, "asprintf") == FAULT_NONE)
		size = NEXT(vasprintf)(out, format, list);
	va_end(list);
	return size;
}

SHIM int __open_2(const char *path, int flags)
{
	return fault_at(FAULT_OPEN, "open") == FAULT_NONE ? NEXT(open)(path, flags) : -1;
}

SHIM int __openat_2(int folder, const char *path, int flags)
{
	return fault_at(FAULT_OPEN, "openat") == FAULT_NONE ? NEXT(openat)(folder, path, flags)
							    : -1;
}

/* A mode is only there with these flags. */
static mode_t open_mode(int flags, va_list list)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
}

SHIM int open(const char *path, int flags, ...)
{
	va_list list;
	mode_t mode;

	va_start(list, flags);
	mode = open_mode(flags, list);
	va_end(list);
	return fault_at(FAULT_OPEN, "open") == FAULT_NONE ? NEXT(open)(path, flags, mode) : -1;
}

SHIM int openat(int folder, const char *path, int flags, ...)
{
	va_list list;
	mode_t mode;

	va_start(list, flags);
	mode = open_mode(flags, list);
	va_end(list);
	return fault_at(FAULT_OPEN, "openat") == FAULT_NONE
		       ? NEXT(openat)(folder, path, flags, mode)
		       : -1;
}

SHIM int open64(const char *path, int flags, ...) __attribute__((alias("open")));
SHIM int openat64(int folder, const char *path, int flags, ...) __attribute__((alias("openat")));
HOOK(FAULT_OPEN, NULL, FILE *, fopen, (const char *path, const char *mode), (path, mode))
HOOK(FAULT_OPEN, NULL, FILE *, fopen64, (const char *path, const char *mode), (path, mode))
HOOK(FAULT_OPEN, NULL, FILE *, fdopen, (int fd, const char *mode), (fd, mode))
HOOK(FAULT_OPEN, NULL, DIR *, opendir, (const char *path), (path))
HOOK(FAULT_OPEN, NULL, DIR *, fdopendir, (int fd), (fd))
HOOK(FAULT_OPEN, -1, int, memfd_create, (const char *name, unsigned int flags), (name, flags))
HOOK(FAULT_OPEN, -1, int, pipe2, (int fds[2], int flags), (fds, flags))
HOOK(FAULT_OPEN, -1, int, socket, (int domain, int type, int protocol), (domain, type, protocol))
HOOK(FAULT_OPEN, -1, int, epoll_create1, (int flags), (flags))
HOOK(FAULT_OPEN, -1, int, inotify_init1, (int flags), (flags))
HOOK(FAULT_OPEN, -1, int, signalfd, (int fd, const sigset_t *mask, int flags), (fd, mask, flags))
HOOK(FAULT_OPEN, -1, int, accept4,
     (int fd, struct sockaddr *address, socklen_t *size, int flags), (fd, address, size, flags))
HOOK(FAULT_OPEN, -1, int, dup, (int fd), (fd))
HOOK(FAULT_OPEN, -1, int, scandir,
     (const char *path, struct dirent ***list, int (*wants)(const struct dirent *),
      int (*compare)(const struct dirent **, const struct dirent **)),
     (path, list, wants, compare))
HOOK(FAULT_OPEN, -1, int, scandirat,
     (int folder, const char *path, struct dirent ***list, int (*wants)(const struct dirent *),
      int (*compare)(const struct dirent **, const struct dirent **)),
     (folder, path, list, wants, compare))

SHIM pid_t fork(void)
{
	pid_t process = fault_at(FAULT_OPEN, "fork") == FAULT_NONE ? NEXT(fork)() : -1;

	is_child = is_child || process == 0;
	return process;
}

HOOK_BYTES(FAULT_READ, read, (int fd, void *bytes, size_t size), (fd, bytes, size))
HOOK_BYTES(FAULT_READ, pread, (int fd, void *bytes, size_t size, off_t offset),
	   (fd, bytes, size, offset))
HOOK_BYTES(FAULT_READ, pread64, (int fd, void *bytes, size_t size, off64_t offset),
	   (fd, bytes, size, offset))

HOOK(FAULT_READ, -1, ssize_t, recv, (int fd, void *bytes, size_t size, int flags),
     (fd, bytes, size, flags))
HOOK(FAULT_READ, -1, ssize_t, recvmsg, (int fd, struct msghdr *message, int flags),
     (fd, message, flags))

HOOK(FAULT_WRITE, -1, ssize_t, send, (int fd, const void *bytes, size_t size, int flags),
     (fd, bytes, size, flags))
HOOK_BYTES(FAULT_WRITE, write, (int fd, const void *bytes, size_t size), (fd, bytes, size))
HOOK_BYTES(FAULT_WRITE, pwrite, (int fd, const void *bytes, size_t size, off_t offset),
	   (fd, bytes, size, offset))
HOOK_BYTES(FAULT_WRITE, pwrite64, (int fd, const void *bytes, size_t size, off64_t offset),
	   (fd, bytes, size, offset))
HOOK_BYTES(FAULT_WRITE, sendfile, (int fd, int in, off_t *offset, size_t size),
	   (fd, in, offset, size))
HOOK_BYTES(FAULT_WRITE, copy_file_range,
	   (int in, off64_t *in_offset, int fd, off64_t *offset, size_t size, unsigned int flags),
	   (in, in_offset, fd, offset, size, flags))
HOOK_BYTES(FAULT_WRITE, splice,
	   (int in, off64_t *in_offset, int fd, off64_t *offset, size_t size, unsigned int flags),
	   (in, in_offset, fd, offset, size, flags))

SHIM ssize_t writev(int fd, const struct iovec *parts, int nr_parts)
{
	enum fault_way way = fault_at(FAULT_WRITE, "writev");

	if (way == FAULT_ERROR)
		return -1;
	return NEXT(writev)(fd, parts,
			    way == FAULT_SHORT && nr_parts > 1 ? nr_parts / 2 : nr_parts);
}

HOOK(FAULT_SYNC, -1, int, fsync, (int fd), (fd))
HOOK(FAULT_SYNC, -1, int, fdatasync, (int fd), (fd))
HOOK(FAULT_SYNC, -1, int, ftruncate, (int fd, off_t size), (fd, size))
HOOK(FAULT_SYNC, -1, int, ftruncate64, (int fd, off64_t size), (fd, size))

HOOK(FAULT_CHANGE, -1, int, rename, (const char *old, const char *name), (old, name))
HOOK(FAULT_CHANGE, -1, int, renameat, (int from, const char *old, int to, const char *name),
     (from, old, to, name))
HOOK(FAULT_CHANGE, -1, int, renameat2,
     (int from, const char *old, int to, const char *name, unsigned int flags),
     (from, old, to, name, flags))
HOOK(FAULT_CHANGE, -1, int, linkat,
     (int from, const char *old, int to, const char *name, int flags), (from, old, to, name, flags))
HOOK(FAULT_CHANGE, -1, int, unlink, (const char *path), (path))
HOOK(FAULT_CHANGE, -1, int, unlinkat, (int folder, const char *path, int flags),
     (folder, path, flags))
HOOK(FAULT_CHANGE, -1, int, mkdir, (const char *path, mode_t mode), (path, mode))
HOOK(FAULT_CHANGE, -1, int, mkdirat, (int folder, const char *path, mode_t mode),
     (folder, path, mode))
HOOK(FAULT_CHANGE, -1, int, fchmod, (int fd, mode_t mode), (fd, mode))
HOOK(FAULT_CHANGE, -1, int, flock, (int fd, int operation), (fd, operation))
HOOK(FAULT_CHANGE, -1, int, fstat, (int fd, struct stat *status), (fd, status))

HOOK(FAULT_WAIT, -1, int, poll, (struct pollfd * list, nfds_t nr, int limit_ms),
     (list, nr, limit_ms))
HOOK(FAULT_WAIT, -1, int, ppoll,
     (struct pollfd * list, nfds_t nr, const struct timespec *limit, const sigset_t *mask),
     (list, nr, limit, mask))
HOOK(FAULT_WAIT, -1, int, epoll_wait, (int fd, struct epoll_event *list, int nr, int limit_ms),
     (fd, list, nr, limit_ms))
