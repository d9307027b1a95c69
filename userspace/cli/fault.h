/* SPDX-License-Identifier: GPL-2.0-only */
/* Goes on where a mapped file is taken away under its reader. */
#ifndef CLI_FAULT_H
#define CLI_FAULT_H

/**
 * fault_guard - run what reads a mapped file
 * @run: gets @context; where a page of the file is not there any more, it ends where it is, and
 * nothing that it holds is to be touched again
 * @out: what @run returned
 *
 * Returns 0, or -1 where it ended so. One thread, one guard at a time.
 */
int fault_guard(int (*run)(void *context), void *context, int *out);

#endif
