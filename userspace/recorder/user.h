/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose process the traced command is. */
#ifndef RECORDER_USER_H
#define RECORDER_USER_H

#include "recorder/recorder.h"

/** user_become - be that user for good, with the groups and the home of one; returns -1 with errno
 */
int user_become(const struct command_user *user);

#endif
