/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of tracepoints that nobody knows the format of: they are lost, and counted. */
#ifndef CLI_STRANGERS_H
#define CLI_STRANGERS_H

#include "source/source.h"

/** struct stranger - those of one CPU that were not told of yet */
struct stranger {
	int cpu;
	unsigned int buffer;
	int64_t first_ns;
	int64_t last_ns;
	int64_t count;
};

/** struct strangers - those of all CPUs; zeroed there are none */
struct strangers {
	struct stranger *list;
	size_t size;
};

/** strangers_add - one more; returns -1 with @error where memory ran out */
int strangers_add(struct strangers *strangers, const struct record *record, struct error *error);

/** strangers_tell - tell @handler what was lost, and begin anew; returns -1 with @error */
int strangers_tell(struct strangers *strangers, const struct source_handler *handler,
		   struct error *error);

void strangers_release(struct strangers *strangers);

#endif
