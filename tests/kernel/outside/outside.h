/* SPDX-License-Identifier: GPL-2.0-only */
/* What the outside driver's files call of one another. */
#ifndef OUTSIDE_H
#define OUTSIDE_H

#include <linux/types.h>

enum outside_state {
	OUTSIDE_OFF = -1,
	OUTSIDE_ON = 1,
};

unsigned int outside_calls_make(void);
void outside_names_write(void);
unsigned int outside_quiet_make(void);

#endif
