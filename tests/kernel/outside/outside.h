/* SPDX-License-Identifier: GPL-2.0-only */
/* What the outside driver's files call of one another. */
#ifndef OUTSIDE_H
#define OUTSIDE_H

#include <linux/types.h>

enum outside_state {
	OUTSIDE_OFF = -1,
	OUTSIDE_ON = 1,
};

enum outside_op {
	OUTSIDE_READ,
	OUTSIDE_WRITE = 7,
};

#define OUTSIDE_SYNC	1
enum outside_flag {
	OUTSIDE_DISCARD = 4,
};

unsigned int outside_attributes_make(void);
unsigned int outside_calls_make(void);
void outside_names_write(void);
unsigned int outside_quiet_make(void);

#endif
