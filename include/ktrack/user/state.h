/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The variables of a program or shared library, one of each whatever the number of files that
 * include this: large ones are in COMDAT sections, which C has no word for. Their names, and those of
 * functions of which one copy is used, have a number. It changes with them: then older headers in
 * the same program have their own, and a memory of their own.
 *
 * checkpatch reports PREFER_DEFINED_ATTRIBUTE_MACRO: programs do not have the kernel's macros.
 */
#ifndef KTRACK_USER_STATE_H
#define KTRACK_USER_STATE_H

#pragma GCC system_header

#include <pthread.h>

#include "layout.h"

#ifdef __cplusplus
extern "C" {
#endif

#define __KTRACK_HIDDEN		__attribute__((visibility("hidden")))

/* A function of which one copy is used. */
#define __KTRACK_ONE		__attribute__((weak, noinline, visibility("hidden")))

#define __KTRACK_LIKELY(x)	__builtin_expect(!!(x), 1)
#define __KTRACK_UNLIKELY(x)	__builtin_expect(!!(x), 0)

/*
 * struct ktrack_user_thread - what a thread has
 * @ring: its ring, NULL before its first record
 * @data: the ring's bytes
 * @id: its id, and above 32 bits @generation of the process; 0 before it has looked for a ring
 * @innermost_ns: begin of the last guard whose end is that of the thread's innermost slice, if it is
 * still open
 * @is_claiming: the ring is being found; a signal handler must not find another one
 * @mask: the ring's size less 1
 * @size: the ring's size
 */
struct ktrack_user_thread {
	struct ktrack_user_ring *ring;
	unsigned char *data;
	uint64_t id;
	uint64_t innermost_ns;
	uint32_t is_claiming;
	uint32_t mask;
	uint32_t size;
};

/*
 * struct ktrack_user_process - what a program or shared library has
 * @base: the memfd without its rings, NULL if there is none
 * @fd, @device, @inode: the memfd; a mark by which ktrack finds the program. The program may close
 * it, and open another file in its place
 * @generation: changes with fork; descriptions of events and threads belong to one
 * @is_set_up: the set-up has begun
 * @has_key: @key's destructor frees the ring of a thread that ends
 * @last_flow: the last number of a flow
 * @ring_size, @nr_rings: of the memfd
 * @ancestor: a ktrack that records its descendants, -1 if there is none; 0 until it is searched
 */
struct ktrack_user_process {
	unsigned char *base;
	int32_t fd;
	uint32_t generation;
	uint32_t is_set_up;
	uint32_t has_key;
	pthread_key_t key;
	int32_t ancestor;
	uint64_t last_flow;
	uint64_t device;
	uint64_t inode;
	uint32_t ring_size;
	uint32_t nr_rings;
};

#define __KTRACK_DEFINE(name, size)						\
	__asm__(".ifndef " name "\n"						\
		"\t.pushsection .bss." name ",\"awG\",%nobits," name ",comdat\n"	\
		"\t.weak " name "\n\t.hidden " name "\n"			\
		"\t.type " name ", %object\n\t.size " name ", " size "\n"	\
		"\t.balign " size "\n" name ":\n\t.zero " size "\n"		\
		"\t.popsection\n\t.endif\n")

/* The control area of the memfd replaces it, so that a call tests a variable at a fixed address. */
__KTRACK_DEFINE("ktrack_user3_control", "65536");
extern struct ktrack_user_control ktrack_user3_control __KTRACK_HIDDEN;

__KTRACK_DEFINE("ktrack_user3_process", "64");
extern struct ktrack_user_process ktrack_user3_process __KTRACK_HIDDEN;

/* Rings that are mapped. */
__KTRACK_DEFINE("ktrack_user3_rings", "1024");
extern unsigned char *ktrack_user3_rings[KTRACK_USER_RINGS] __KTRACK_HIDDEN;

/* Small enough to be in each file; link-time optimization does not see that assembly defines it. */
__attribute__((weak, visibility("hidden"), tls_model("initial-exec")))
__thread struct ktrack_user_thread ktrack_user3_thread;

/* Whether ktrack records this program now. */
#define ktrack_user_is_on() \
	__KTRACK_UNLIKELY(__atomic_load_n(&ktrack_user3_control.on, __ATOMIC_RELAXED))

#ifdef __cplusplus
}
#endif

#endif
