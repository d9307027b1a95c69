// SPDX-License-Identifier: GPL-2.0-only
/* Embeds the schema. The assembler reads it, by its path from the top of the tree. */
#include "sink/sqlite/schema.h"

#define SCHEMA(name)                                                                              \
	__asm__(".pushsection .rodata\n.globl schema_" #name "\n.hidden schema_" #name            \
		"\nschema_" #name ":\n.incbin \"userspace/sink/sqlite/" #name ".sql\"\n.byte 0\n" \
		".popsection\n")

SCHEMA(tables);
SCHEMA(indexes);

const char *const schema_statements[STATEMENT_COUNT] = {
	[STATEMENT_RECORDING] =
		/* The rest in the order of recording_next(). */
	"INSERT INTO recording(is_complete, schema, ktrack, command, labels, start_ns, "
	"unix_start_ns, source, recording_id, mode, clock, time_source, counts_ticks, "
	"kernel, host, cpus, buffer_kib) SELECT 0, user_version, ?, ?, ?, ?, ?, ?, ?, ?, "
	"?, ?, ?, ?, ?, ?, ? FROM pragma_user_version",
	[STATEMENT_COMPLETE] =
		"UPDATE recording SET is_complete = 1, duration_ns = ?, lost_records = ?, "
		"lost_gaps = ?, lost_gaps_unknown = ?, lost_task_records = ?, late_records = ?, "
		"unmatched_ends = ?, filtered_ends = ?, foreign_ends = ?, malformed = ?, "
		"unfinished = ?, suspect = ?, retired_tracks = ?, renamed_threads = ?, "
		"evicted_slices = ?, complete_from_ns = ?, complete_until_ns = ?, "
		"wall_drift_ns = ?",
	[STATEMENT_TRACK] =
		"INSERT INTO track VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?)",
	[STATEMENT_TRACK_END] = "UPDATE track SET end_ns = ? WHERE id = ?",
	[STATEMENT_SLICE] =
		"INSERT INTO slice VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[STATEMENT_INSTANT] = "INSERT INTO instant VALUES(?, ?, ?, ?, ?, ?, ?)",
	[STATEMENT_COUNTER] = "INSERT INTO counter VALUES(?, ?, ?, ?, ?, ?)",
	[STATEMENT_ARG] = "INSERT INTO arg VALUES(?, ?, ?, ?, ?)",
	[STATEMENT_FLOW] = "INSERT INTO flow VALUES(?, ?, ?, ?, ?)",
	[STATEMENT_LOSS] = "INSERT INTO loss VALUES(?, ?, ?, ?, ?, ?)",
	[STATEMENT_MACHINE] = "INSERT INTO machine VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[STATEMENT_MESSAGE] = "INSERT INTO message VALUES(?, ?)",
	[STATEMENT_EXPLANATION] = "INSERT OR IGNORE INTO explanation SELECT id, ? FROM slice WHERE "
				  "track_id = ? AND ts_ns = ? AND depth = ? AND dur_ns = ?",
};
