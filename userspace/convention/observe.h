/* SPDX-License-Identifier: GPL-2.0-only */
/* What of a record may differ from that of another one with the same texts. */
#ifndef CONVENTION_OBSERVE_H
#define CONVENTION_OBSERVE_H

#include "convention/convention.h"

/** observation_read_numbers - take counter value and extras from @record, which is like
 * @observation's */
void observation_read_numbers(struct observation *observation, const struct record *record);

#endif
