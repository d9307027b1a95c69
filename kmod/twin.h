/* SPDX-License-Identifier: GPL-2.0-only */
/* The function of ktrack_twin.ko that the test module looks up when it needs it. */
#ifndef KTRACK_TWIN_H
#define KTRACK_TWIN_H

#include <linux/types.h>

void ktrack_twin_emit(char type, const char *name, u32 sequence);

#endif
