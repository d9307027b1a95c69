// SPDX-License-Identifier: GPL-2.0-only
/* A file whose tracing is compiled away, in a driver that traces elsewhere. */
#ifndef KTRACK_DISABLE
#define KTRACK_DISABLE
#endif

#include "outside.h"
#include "outside_trace.h"

/* Returns how many of its arguments were evaluated. */
unsigned int outside_quiet_make(void)
{
	unsigned int nr = 0;

	ktrack_guard_named(request, outside_io, (++nr, "quiet"), 1, 0);

	ktrack_begin_printf(outside_work, ("quiet %u", ++nr));
	ktrack_end(outside_work);
	ktrack_instant(outside_text, "quiet", "", (++nr, ""));
	ktrack_sample(outside_depth, ++nr, 0);
	ktrack_guard_set(request, result, ++nr);
	return nr;
}
