/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private header of the interactive view of statistics (ktrack stat --live on a terminal).
 *
 * The rows of the stat sink are copied at each interval. Everything is shown, sorted and filtered
 * from the copy, so that a paused view stands still while the sink counts on.
 */
#ifndef SINK_TOP_TOP_H
#define SINK_TOP_TOP_H

#include "sink/stat/state.h"

/** top_begin - show the view, as soon as ktrack is in the foreground; returns -1 with @error */
int top_begin(struct stat_top *top, const struct stat_sink *sink, struct error *error);
/** top_update - process keys and signals, copy the rows if it @is_due, draw; -1 with @error */
int top_update(struct stat_top *top, bool is_due, struct error *error);
/** top_end - restore the terminal, and report what was kept; the sink may end */
void top_end(struct stat_top *top);

#endif
