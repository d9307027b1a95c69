/* SPDX-License-Identifier: GPL-2.0-only */
/* What the child does that parses print formats. Only symbols_read() starts it. */
#ifndef EVENT_SYMBOL_CHILD_H
#define EVENT_SYMBOL_CHILD_H

#include "base/base.h"

/** SYMBOLS_ARE_SAFE, SYMBOLS_LACK_SECCOMP - the first byte that the child sends */
#define SYMBOLS_ARE_SAFE 's'
#define SYMBOLS_LACK_SECCOMP 'u'

/**
 * symbol_format_prepare - rewrite a format for libtraceevent
 * @out: the format with casts that keep operands in parentheses together, which libtraceevent
 * separates in "flags & (A | B)", with __print_symbolic() instead of __print_symbolic_u64(), and
 * with a name as value of entries that cannot be used
 */
void symbol_format_prepare(struct buffer *out, struct text format);

/**
 * symbols_answer - parse @format by libtraceevent
 * @out: the symbols of its fields, as symbol_node.h describes; empty if there are none
 *
 * Returns false if memory ran out.
 */
bool symbols_answer(struct buffer *out, struct text format);

/**
 * sandbox_enter - give up all privileges but to write to @fd
 *
 * Returns false if the kernel cannot filter system calls; everything else is given up then.
 */
bool sandbox_enter(int fd);

#endif
