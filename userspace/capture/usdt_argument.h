/* SPDX-License-Identifier: GPL-2.0-only */
/* Arguments of static tracepoints in programs (USDT), as the notes of a program have them. */
#ifndef CAPTURE_USDT_ARGUMENT_H
#define CAPTURE_USDT_ARGUMENT_H

#include "base/base.h"

/**
 * usdt_argument_take - take the next argument of a note
 * @rest: what is left of "8@%rdi -4@[sp, 12]"
 *
 * Returns it without spaces around it; empty if there is none left.
 */
struct text usdt_argument_take(struct text *rest);

/**
 * usdt_argument_fetch - append how the kernel fetches an argument: "%x0:u64"
 * @machine: of the program: EM_X86_64 or EM_AARCH64
 *
 * Returns false if the kernel cannot fetch it, as floats, sums of registers, and operands of other
 * machines; @out is then undefined.
 */
bool usdt_argument_fetch(struct buffer *out, unsigned int machine, struct text argument);

#endif
