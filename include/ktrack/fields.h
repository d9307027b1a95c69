/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The constants of the track event convention which writers and readers share. */
#ifndef KTRACK_FIELDS_H
#define KTRACK_FIELDS_H

/*
 * What a record's track_event_type says. Numbers, not character constants: they end up as
 * text in the event's format file, whose readers (event filters, libtraceevent) understand
 * numbers only.
 */
#define KTRACK_TYPE_BEGIN	66 /* 'B' opens a slice */
#define KTRACK_TYPE_END		69 /* 'E' closes the track's last opened slice */
#define KTRACK_TYPE_INSTANT	73 /* 'I' is a point in time */

/* The longest string, in bytes without its NUL, which a record of ours carries. */
#define KTRACK_STRING_MAX	127

/* What a record carries in place of a NULL string. */
#define KTRACK_STRING_NULL	"(null)"

#endif
