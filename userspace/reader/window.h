/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private header of reader/: a window of time, for --from and --to, and for parts of recordings.
 *
 * Records before the window are observed by tracks without sinks. The records that began what is
 * open at the begin of the window are copied; then all tracks are forgotten, and begun again by
 * these records only. Behind the window, only slices that were open at its end are followed. So a
 * slice that crosses the window is shown whole, and all else as if the recording had these times.
 *
 * A part of a recording has the records of a window, those that began what was open, and those that
 * ended what crosses its end: it is read in the same way, and so shows the same. Records outside of
 * its window may begin or end other slices, too: lines of the file state what they are for.
 *
 *	window FROM TO ORIGIN		times of the trace clock; the whole began at ORIGIN
 *	use NUMBER ID VALUE CATEGORY	the record of this number outside of the window, from 0, see
 *					struct window_use
 *	lost NUMBER BUFFER CPU FROM TO COUNT
 *					a loss, before the record of this number
 *	complete-from TIME, complete-until TIME
 *					records were overwritten, or dropped, but not between these
 *	lost-tasks COUNT		lost records about threads
 *	other lines			see tracks_save_state()
 *
 * Functions with @error return 0, or -1 with it set, unless their descriptions say otherwise.
 */
#ifndef READER_WINDOW_H
#define READER_WINDOW_H

#include "reader/reader.h"

/** time_window_open - before the first record */
int time_window_open(struct pipeline *pipeline, const struct recording *recording, struct error *error);
/** time_window_close - after the tracks were freed; nothing without a window */
void time_window_close(struct pipeline *pipeline);
/** window_record - handle a record of any time */
int window_record(void *context, const struct record *record, struct error *error);
/** window_lose - handle a loss at any time */
int window_lose(struct pipeline *pipeline, const struct loss *loss, struct error *error);
/** window_copy_record - as tracks_settings.copy_record */
struct record_copy *window_copy_record(void *context);

/* What pipeline.c does for it. */

/** pipeline_apply - handle a record of the window */
int pipeline_apply(struct pipeline *pipeline, const struct record *record, struct error *error);

/** struct event_visitor - handles the events of a record; @act returns -1 with @error */
struct event_visitor {
	int (*act)(struct pipeline *pipeline, const struct decoded_event *decoded, bool is_rule,
		   struct error *error);
};

/** pipeline_visit_events - decode a record, and visit the events that the filter wants */
int pipeline_visit_events(struct pipeline *pipeline, const struct record *record,
			  const struct event_visitor *visitor, struct error *error);
/** pipeline_count_loss - count a loss that is shown */
void pipeline_count_loss(struct pipeline *pipeline, const struct loss *loss);
/** pipeline_forget_counts - of the records until now */
void pipeline_forget_counts(struct pipeline *pipeline);

#endif
