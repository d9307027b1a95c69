// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which running programs belong to this ktrack: those that announce themselves at its socket. A
 * process may write anything to the files of procfs that are read here.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userring/process.h"
#include "userring/scan.h"

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
