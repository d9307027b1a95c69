/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a sink keeps for each track: it hangs in the track's slot, and in a list, by which it is
 * found where the stream ends early.
 */
#ifndef SINK_NOTE_H
#define SINK_NOTE_H

#include <stddef.h>

/** struct note - the first member of what is kept */
struct note {
	struct note *before;
	struct note *after;
};

/** note_link - put @note into the list that begins at @list */
static inline void note_link(struct note **list, struct note *note)
{
	note->before = NULL;
	note->after = *list;
	if (note->after)
		note->after->before = note;
	*list = note;
}

/** note_unlink - take @note out of it */
static inline void note_unlink(struct note **list, struct note *note)
{
	if (note->before)
		note->before->after = note->after;
	else
		*list = note->after;
	if (note->after)
		note->after->before = note->before;
}

#endif
