/* SPDX-License-Identifier: GPL-2.0-only */
/* What is said to whoever runs ktrack: lines on standard error. */
#ifndef CLI_NOTE_H
#define CLI_NOTE_H

#include "base/base.h"

/** note_print - say something in one line, whatever bytes names brought into it */
void note_print(const struct error *note);

/** note_say - the same, of a format */
void note_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * note_progress - show a line that the next one takes the place of, whatever that is; nothing where
 * there is no room now
 */
void note_progress(const char *text);

/** note_error - say at once why something failed, where it did, and clear @error */
void note_error(struct error *error);

#endif
