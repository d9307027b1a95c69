// SPDX-License-Identifier: GPL-2.0-only
/* Searches the open files of all processes for memfds of ktrack/user.h. */
#include "userring/helper.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "userring/process.h"
#include "userring/scan.h"

#define MEMORY_LINK "/memfd:" KTRACK_USER_NAME " (deleted)"

static int procfs_number(const char *name)
{
	char *end;
	long number = strtol(name, &end, 10);

	return *name >= '0' && *name <= '9' && !*end && number <= INT32_MAX ? (int)number : -1;
}

static bool is_memory(int folder_fd, const char *name)
{
	char target[sizeof(MEMORY_LINK)];
	ssize_t size = readlinkat(folder_fd, name, target, sizeof(target));

	return size == (ssize_t)strlen(MEMORY_LINK) && memcmp(target, MEMORY_LINK, size) == 0;
}

/*
 * Any file can have such a path in another mount namespace, and a program may send any file.
 * Opening a device with this process's rights may wait, or change what it does.
 */
int memfd_open_anew(int path_fd)
{
	struct statfs filesystem;
	struct stat status;
	char path[32];

	if (fstat(path_fd, &status) < 0)
		return -1;
	if (!S_ISREG(status.st_mode) || fstatfs(path_fd, &filesystem) < 0 ||
	    filesystem.f_type != TMPFS_MAGIC) {
		errno = EINVAL;
		return -1;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", path_fd);
	return open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
}

/* What a search examines of a process: marks have low numbers, as they are opened first. */
#define DESCRIPTORS_MAX 4096

/* CPU time that a search takes for the processes of a user, and for users it distinguishes. */
#define USER_LIMIT_NS (5 * NS_PER_S)
#define USERS_MAX 256

/** struct searched_user - the time that a search has taken for the processes of a user */
struct searched_user {
	uid_t uid;
	int64_t used_ns;
};

/**
 * struct search - a search in a process of the helper
 * @message: of the process @pid; its own @pid is 0 until the process has something to send
 * @is_over: the process is not wanted
 * @has_ended: the recorder has
 * @users: the last one is for all others
 * @first_cut, @nr_cut: processes that were not examined, or in part
 */
struct search {
	const struct helper_work *work;
	int fd;
	int pid;
	struct helper_message message;
	bool is_over;
	bool has_ended;
	struct searched_user users[USERS_MAX];
	size_t nr_users;
	int first_cut;
	int nr_cut;
};

/* Whether a process that has sent nothing yet is asked for. */
static bool search_is_asked_for(const struct search *search)
{
	return !search->work->wants || search->work->wants(search->work->context, search->pid);
}

/*
 * Sends a memory, or that it has a lease, if @fd is -1. The process is asked for its socket, and
 * its mappings are read, only once.
 */
static void memory_send(struct search *search, int fd)
{
	if (search->message.pid == 0 && !search_is_asked_for(search)) {
		search->is_over = true;
		return;
	}
	if (search->message.pid == 0) {
		search->message.pid = search->pid;
		search->message.user = process_user(search->pid,
						    process_effective_user(search->pid));
		message_describe(&search->message);
	}
	search->message.kind = fd < 0 ? HELPER_LEASED : HELPER_FOUND;
	search->has_ended = !helper_send(search->fd, &search->message, &fd, fd >= 0);
	search->is_over = search->has_ended;
}

/* Opens a file of procfs anew, and sends it if it is one of the kernel's memory. */
static void link_send(struct search *search, int folder_fd, const char *name)
{
	int path_fd = openat(folder_fd, name, O_PATH | O_CLOEXEC);
	int fd = path_fd < 0 ? -1 : memfd_open_anew(path_fd);
	bool has_lease = path_fd >= 0 && fd < 0 && errno == EAGAIN;

	file_close(path_fd);
	if (fd >= 0 || has_lease)
		memory_send(search, fd);
	file_close(fd);
}

/* A process that nobody asked for is not missed. */
static void search_cut(struct search *search)
{
	if (search->message.pid == 0 && !search_is_asked_for(search))
		return;
	if (search->nr_cut++ == 0)
		search->first_cut = search->pid;
}

/* Finds the files that mark a program. */
static void search_files(struct search *search)
{
	size_t nr_files = 0;
	struct dirent *entry;
	char path[32];
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", search->pid);
	folder = opendir(path);
	if (!folder)
		return;
	while (!search->is_over && nr_files++ < DESCRIPTORS_MAX && (entry = readdir(folder))) {
		if (procfs_number(entry->d_name) >= 0 && is_memory(dirfd(folder), entry->d_name))
			link_send(search, dirfd(folder), entry->d_name);
	}
	if (nr_files > DESCRIPTORS_MAX)
		search_cut(search);
	closedir(folder);
}

/* The control area is mapped a second time, and nothing else: rings have offsets. */
static void mapping_send(void *context, const struct mapping *mapping)
{
	struct search *search = context;
	char path[96];

	if (mapping->offset != 0 || search->is_over ||
	    mapping->end - mapping->begin <= KTRACK_USER_CONTROL_SIZE)
		return;
	snprintf(path, sizeof(path), "/proc/%d/map_files/%lx-%lx", search->pid, mapping->begin,
		 mapping->end);
	link_send(search, AT_FDCWD, path);
}

static struct searched_user *search_find_user(struct search *search)
{
	uid_t uid = process_user(search->pid, process_effective_user(search->pid));

	for (size_t i = 0; i < search->nr_users; i++) {
		if (search->users[i].uid == uid)
			return &search->users[i];
	}
	if (search->nr_users == USERS_MAX)
		return &search->users[USERS_MAX - 1];
	search->users[search->nr_users].uid = uid;
	return &search->users[search->nr_users++];
}

static void search_process(struct search *search, const struct search_plan *plan)
{
	const struct mapping_visitor visitor = { search, mapping_send };
	int64_t begin_ns = time_now_ns(CLOCK_THREAD_CPUTIME_ID);
	struct searched_user *user = search_find_user(search);

	if (user->used_ns > USER_LIMIT_NS) {
		search_cut(search);
		return;
	}
	search_files(search);
	/* Finds the memory of a program that has closed its mark, which needs rights. */
	if (!search->is_over && plan->is_first && search->message.pid == 0)
		process_visit_mappings(search->pid,
				       time_now_ns(CLOCK_THREAD_CPUTIME_ID) + MAPPED_LIMIT_NS,
				       &visitor);
	user->used_ns += time_now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
}

static bool plan_has(const struct search_plan *plan, const struct helper_work *work, int pid)
{
	for (size_t i = 0; i < plan->nr_skipped; i++) {
		if (plan->skipped[i] == pid)
			return false;
	}
	return pid > 0 && pid != work->own_pid && pid != plan->reader_pid;
}

void search_run(const struct helper_work *work, const struct search_plan *plan, int fd)
{
	struct search search = { .work = work, .fd = fd };
	DIR *folder = opendir("/proc");
	struct dirent *entry;

	while (folder && !search.has_ended && (entry = readdir(folder))) {
		search.pid = procfs_number(entry->d_name);
		search.message = (struct helper_message){ .number = plan->number };
		search.is_over = false;
		__atomic_store_n(plan->place, search.pid, __ATOMIC_RELAXED);
		if (plan_has(plan, work, search.pid))
			search_process(&search, plan);
	}
	search.message = (struct helper_message){ .kind = HELPER_CUT,
						  .pid = search.first_cut,
						  .number = search.nr_cut };
	if (search.nr_cut > 0 && !search.has_ended)
		helper_send(fd, &search.message, NULL, 0);
	if (folder)
		closedir(folder);
}

/*
 * Which running programs belong to this ktrack: those that announce themselves at its socket. A
 * process may write anything to the files of procfs that are read here.
 */

/* The kernel's usual limit of arguments and environment together. */
#define ENVIRONMENT_MAX ((size_t)2 << 20)

/* Some tens of entries. */
#define AUXV_MAX ((size_t)16 << 10)

#define TEMPORARY_FOLDER "/ktrack-"
#define TEMPORARY_SOCKET "XXXXXX/user.sock"

/* Returns the value of the first string that sets a variable, as getenv(3); NULL if none does. */
static const char *environment_find(struct buffer *strings, const char *name)
{
	const char *text = buffer_string(strings);
	const char *end = text + (strings->failed ? 0 : strings->size);
	size_t size = strlen(name);

	for (; text < end; text += strlen(text) + 1) {
		if (strncmp(text, name, size) == 0 && text[size] == '=')
			return text + size + 1;
	}
	return NULL;
}

/* A program with more rights than its user ignores the variable; the kernel marks it. */
static bool process_is_secure(int pid)
{
	struct buffer entries = { 0 };
	bool is_secure = false;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/auxv", pid);
	file_read_up_to(path, AUXV_MAX, &entries);
	for (size_t at = 0; at + sizeof(Elf64_auxv_t) <= entries.size; at += sizeof(Elf64_auxv_t)) {
		Elf64_auxv_t entry;

		memcpy(&entry, entries.data + at, sizeof(entry));
		is_secure |= entry.a_type == AT_SECURE && entry.a_un.a_val != 0;
	}
	buffer_release(&entries);
	return is_secure;
}

char *process_socket(int pid)
{
	struct buffer strings = { 0 };
	const char *value = NULL;
	char path[32], *socket;

	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	if (!process_is_secure(pid)) {
		file_read_up_to(path, ENVIRONMENT_MAX, &strings);
		value = environment_find(&strings, KTRACK_USER_SOCKET_VARIABLE);
	}
	socket = strdup(value ? value : KTRACK_USER_SOCKET);
	buffer_release(&strings);
	return socket;
}

/* The name that socket.c makes for a ktrack's command. */
static bool socket_is_temporary(const char *path)
{
	size_t size = strlen(path);
	const char *folder = path + size - strlen(TEMPORARY_FOLDER TEMPORARY_SOCKET);

	return size >= strlen(TEMPORARY_FOLDER TEMPORARY_SOCKET) &&
	       strncmp(folder, TEMPORARY_FOLDER, strlen(TEMPORARY_FOLDER)) == 0 &&
	       strcmp(strrchr(path, '/'), strrchr(TEMPORARY_SOCKET, '/')) == 0;
}

/*
 * The command of a ktrack that was killed may still name its temporary socket: another ktrack with
 * a temporary one takes it, unless its user has chosen a socket.
 */
bool program_socket_owns(const struct program_socket *own, int pid)
{
	char *path = process_socket(pid);
	bool is_own = path && (strcmp(path, own->usual) == 0 ||
			       (own->path && strcmp(path, own->path) == 0) ||
			       (own->folder && !own->is_chosen && socket_is_temporary(path)));

	free(path);
	return is_own;
}
