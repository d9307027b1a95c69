// SPDX-License-Identifier: GPL-2.0-only
/* Names of system calls, by libseccomp. */
#include "event/syscalls.h"

#include <inttypes.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>

/**
 * struct syscalls - names of one machine's system calls
 * @architecture: libseccomp's number of the machine, 0 if it has none
 * @names: by number; allocated when they are needed
 * @other: the name of a number without a place in @names
 */
struct syscalls {
	uint32_t architecture;
	struct text names[SYSCALLS_CACHE_SIZE];
	char other[32];
};

struct syscalls *syscalls_new(const char *machine)
{
	struct syscalls *syscalls = calloc(1, sizeof(*syscalls));

	if (syscalls)
		syscalls->architecture = machine ? seccomp_arch_resolve_name(machine)
						 : seccomp_arch_native();
	return syscalls;
}

void syscalls_free(struct syscalls *syscalls)
{
	for (size_t i = 0; syscalls && i < SYSCALLS_CACHE_SIZE; i++)
		free((char *)syscalls->names[i].data);
	free(syscalls);
}

/* Returns an allocated text, without data if memory ran out. */
static struct text syscall_make_name(uint32_t architecture, int number)
{
	char *name = NULL;

	if (architecture)
		name = seccomp_syscall_resolve_num_arch(architecture, number);
	if (!name && asprintf(&name, "syscall_%d", number) < 0)
		return (struct text){ 0 };
	return text_of(name);
}

struct text syscalls_name(struct syscalls *syscalls, int64_t number)
{
	if (number >= 0 && number < SYSCALLS_CACHE_SIZE) {
		struct text *name = &syscalls->names[number];

		if (unlikely(!name->data))
			*name = syscall_make_name(syscalls->architecture, number);
		if (likely(name->data))
			return *name;
	}
	snprintf(syscalls->other, sizeof(syscalls->other), "syscall_%" PRId64, number);
	return text_of(syscalls->other);
}
