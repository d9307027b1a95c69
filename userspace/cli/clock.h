/* SPDX-License-Identifier: GPL-2.0-only */
/* The clocks of the running machine. */
#ifndef CLI_CLOCK_H
#define CLI_CLOCK_H

#include <stdint.h>

/** clock_boot_ns - what the trace clock "boot" shows now */
int64_t clock_boot_ns(void);

/** clock_wall_offset_ns - what to add to it to get nanoseconds since 1970 */
int64_t clock_wall_offset_ns(void);

#endif
