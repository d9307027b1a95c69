/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbols and user-space static tracepoints (USDT) of a program or library; a part of event.h. */
#ifndef EVENT_ELF_H
#define EVENT_ELF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

struct elf_file;

/**
 * elf_open - open an ELF file
 * @out: for elf_close(); NULL on failure
 *
 * Returns 0, or -1 with @error.
 */
int elf_open(struct elf_file **out, const char *path, struct error *error);

/**
 * elf_find_function - the offset in the file of a function's code
 * @name: of a symbol; those of the file's own table come before those for the dynamic linker
 *
 * Returns 0, or -1 with @error if there is none, if it has no code in the file, or if the kernel
 * cannot probe its first instruction.
 */
int elf_find_function(const struct elf_file *file, const char *name, uint64_t *offset,
		      struct error *error);

/**
 * struct elf_mark - a place in the code that is a USDT; a compiler may make several of one
 * @provider, @name: of the USDT
 * @arguments: "SIZE@OPERAND ..." in the notation of the assembler
 * @offset: of the place in the file
 * @semaphore: the offset in the file of a 16-bit counter of tracers, 0 for none
 */
struct elf_mark {
	const char *provider;
	const char *name;
	const char *arguments;
	uint64_t offset;
	uint64_t semaphore;
};

/**
 * elf_visit_marks - visit the USDTs of a file
 * @visit: receives a borrowed mark; returns -1 with @error
 *
 * Returns 0, or -1 with @error.
 */
int elf_visit_marks(const struct elf_file *file,
		    int (*visit)(void *context, const struct elf_mark *mark, struct error *error),
		    void *context, struct error *error);

/** elf_machine - the number of its instruction set, EM_X86_64 and so on */
unsigned int elf_machine(const struct elf_file *file);

/** elf_close - NULL is fine */
void elf_close(struct elf_file *file);

#endif
