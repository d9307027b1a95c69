/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Constants of the track event convention, shared by writers and readers. */
#ifndef KTRACK_FIELDS_H
#define KTRACK_FIELDS_H

/*
 * Values of a record's track_event_type. They are numbers, not character constants, since they
 * appear as text in the event's format file, whose readers (event filters, libtraceevent) accept
 * only numbers.
 */
#define KTRACK_TYPE_BEGIN	66 /* 'B' begins a slice */
#define KTRACK_TYPE_END		69 /* 'E' ends the track's innermost open slice */
#define KTRACK_TYPE_INSTANT	73 /* 'I' is a point in time */

/* The longest string in a record of these macros, in bytes without its NUL. */
#define KTRACK_STRING_MAX	127

/* The most bytes of a field of bytes. */
#define KTRACK_BYTES_MAX	64

/* The text that replaces a NULL string in a record. */
#define KTRACK_STRING_NULL	"(null)"

#endif
