/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symbols and user-space static tracepoints (USDT) of a program or library; a part of event.h.
 *
 * Functions with @error return 0, or -1 with it set, unless their descriptions say otherwise.
 */
#ifndef EVENT_ELF_H
#define EVENT_ELF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

/* Symbols of C++ functions, in the form of the Itanium ABI. */

/** MANGLED_FORMS - a method may be const, a function static */
#define MANGLED_FORMS 2

struct elf_file;

/** elf_open - open an ELF file; @out: for elf_close(); NULL on failure */
int elf_open(struct elf_file **out, const char *path, struct error *error);

/** ELF_NAME_SIZE - longer names of symbols are not suggested */
#define ELF_NAME_SIZE 256

/** struct elf_function - a function of a program */
struct elf_function {
	uint64_t offset; /* of its code in the file */
	uint64_t size;	 /* of its code; 0 if it is unknown */
	/* a symbol with the part of it that the compiler did not inline; "" for none */
	char part[ELF_NAME_SIZE];
};

/**
 * elf_find_function - find a function by its name
 * @name: of a symbol, or a name of C++ such as "space::Class::function(int)", whose parameters are
 * not compared; symbols of the file's own table come before those for the dynamic linker
 *
 * Returns 0, or -1 with @error if there is none, or several, if it has no code in the file, or if
 * the kernel cannot probe its first instruction.
 */
int elf_find_function(const struct elf_file *file, const char *name, struct elf_function *out,
		      struct error *error);

/** elf_is_go - whether a file is a program of Go: it moves stacks, and changed returns crash it */
bool elf_is_go(const struct elf_file *file);

/** struct elf_mark - a place in the code that is a USDT; a compiler may make several of one */
struct elf_mark {
	/* @provider, @name: of the USDT */
	const char *provider;
	const char *name;
	const char *arguments; /* "SIZE@OPERAND ..." in the notation of the assembler */
	uint64_t offset;       /* of the place in the file */
	uint64_t semaphore; /* the offset in the file of a 16-bit counter of tracers, 0 for none */
};

/** elf_visit_marks - visit the USDTs of a file; @visit: receives a borrowed mark */
int elf_visit_marks(const struct elf_file *file,
		    int (*visit)(void *context, const struct elf_mark *mark, struct error *error),
		    void *context, struct error *error);
/** elf_machine - the number of its instruction set, EM_X86_64 and so on */
unsigned int elf_machine(const struct elf_file *file);
/** elf_close - NULL is fine */
void elf_close(struct elf_file *file);

#endif
