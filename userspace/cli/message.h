/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages to the user: lines on standard error. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include "base/base.h"

/** message_print - print one line; control characters in it become '?' */
void message_print(const char *text);

/** message_report - the interface that prints messages, for session/ */
const struct report *message_report(void);

#endif
