/* SPDX-License-Identifier: GPL-2.0-only */
/* What is said to whoever runs ktrack. */
#ifndef CLI_NOTE_H
#define CLI_NOTE_H

#include "base/base.h"

/** note_print - say something on standard error, in one line */
void note_print(const struct error *note);

#endif
