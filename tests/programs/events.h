/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of the programs of these tests: every attribute and every call. */
#ifndef PROGRAMS_EVENTS_H
#define PROGRAMS_EVENTS_H

#define KTRACK_SYSTEM prog
#include <ktrack/user.h>

KTRACK_SLICE(prog_work);
KTRACK_SLICE(prog_one, KTRACK_FIELD(uint32_t, bytes));
KTRACK_SLICE(prog_io, KTRACK_ASYNC(request), KTRACK_FLOW(prog_request),
	     KTRACK_ENUM(uint8_t, op, { 0, "read" }, { 1, "write" }),
	     KTRACK_FIELD(uint32_t, bytes), KTRACK_TEXT(path), KTRACK_RESULT(result));
KTRACK_SLICE(prog_ring, KTRACK_SCOPE(uint16_t, queue), KTRACK_SCOPE(uint16_t, slot),
	     KTRACK_FLAGS(uint32_t, flags, { 1, "sync" }, { 2, "discard" }));
KTRACK_SLICE(prog_reset, KTRACK_SCOPE_GLOBAL);
KTRACK_SLICE(prog_client, KTRACK_SCOPE_TGID, KTRACK_TRACK_NAME);
KTRACK_COUNTER(prog_depth, uint32_t, KTRACK_SCOPE(uint32_t, queue));
KTRACK_COUNTER(prog_level, int64_t);
KTRACK_COUNTER(prog_cpu, uint64_t, KTRACK_SCOPE_CPU);

/* Each call once; returns the number of records. */
static inline int prog_emit_all(void)
{
	ktrack_guard(prog_work, "parse");
	ktrack_guard_named(transfer, prog_io, "transfer", ktrack_id(&transfer),
			   ktrack_flow_new(prog_io), 0, 512, "/dev/zero");
	ktrack_guard_printf(prog_ring, ("slot %d", 5), 1, 5, 3);
	ktrack_guard_named_printf(ring, prog_ring, ("slot %d", 6), 1, 6, 3);

	ktrack_guard_set(transfer, result, -5);
	ktrack_guard_set(ring, flags, 0);
	ktrack_begin(prog_io, "request", 77, 0, 1, 4096, NULL);
	ktrack_end(prog_io, 77, 0, 1, 4096, "x", 0);
	ktrack_begin_printf(prog_client, ("client %s", "a"), 1, "files");
	ktrack_end(prog_client, 1, "files");
	ktrack_instant(prog_reset, "now");
	ktrack_instant_printf(prog_reset, ("%d", 1));
	ktrack_sample(prog_depth, 5, 1);
	ktrack_sample(prog_level, -5);
	ktrack_sample(prog_cpu, 5, KTRACK_THIS_CPU);
	return 17;
}

#endif
