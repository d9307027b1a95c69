/* SPDX-License-Identifier: GPL-2.0-only */
/* What ktrack_twin.ko does for the test module, which looks it up when it is needed. */
#ifndef KTRACK_TWIN_H
#define KTRACK_TWIN_H

#include <linux/types.h>

void ktrack_twin_emit(char type, const char *name, u32 sequence);

#endif
