/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A folder with the files of a tracefs instance, a source that reads it, and what the source tells.
 */
#ifndef UNIT_INSTANCE_H
#define UNIT_INSTANCE_H

#include "folder.h"
#include "sheet.h"
#include "source/source.h"
#include "tap.h"

static inline int record_log(void *context, const struct record *record, struct error *error)
{
	(void)error;
	buffer_printf(context, "cpu %d at %lld\n", record->cpu, (long long)record->time_ns);
	return 0;
}

static inline int loss_log(void *context, const struct source_loss *loss, struct error *error)
{
	(void)error;
	if (loss->is_sum)
		buffer_printf(context, "cpu %d lost %lld in all\n", loss->cpu,
			      (long long)loss->count);
	else
		buffer_printf(context, "cpu %d lost %lld from %lld to %lld\n", loss->cpu,
			      (long long)loss->count, (long long)loss->from_ns,
			      (long long)loss->to_ns);
	return 0;
}

/** struct rig - an instance's folder, the source that reads it, and what the source told */
struct rig {
	struct folder instance;
	struct source *source;
	struct buffer log;
	struct source_handler handler;
	struct error error;
};

/* Begins with a folder of @nr_cpus, whose buffers are empty and have lost nothing. */
static inline void rig_begin(struct rig *rig, int nr_cpus)
{
	*rig = (struct rig){
		.handler = { .context = &rig->log, .record = record_log, .loss = loss_log }
	};
	folder_new(&rig->instance);
	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		char name[64];

		snprintf(name, sizeof(name), "per_cpu/cpu%d/trace_pipe_raw", cpu);
		folder_add_text(&rig->instance, name, "");
		snprintf(name, sizeof(name), "per_cpu/cpu%d/stats", cpu);
		folder_add_text(&rig->instance, name, "entries: 0\n");
	}
}

static inline void rig_end(struct rig *rig)
{
	source_close(rig->source);
	folder_remove(&rig->instance);
	buffer_release(&rig->log);
}

/* Adds a sub-buffer with records at these times, which a 0 ends, behind a gap of @lost records. */
static inline void rig_add(struct rig *rig, int cpu, int64_t lost, const uint64_t *times)
{
	struct sheet sheet;
	char name[64];

	sheet_begin(&sheet, times[0]);
	for (; *times; times++)
		sheet_at(&sheet, *times, 0);
	if (lost > 0)
		sheet_end_behind_counted(&sheet, lost);
	else if (lost < 0)
		sheet_end_behind_gap(&sheet);
	else
		sheet_end(&sheet);
	snprintf(name, sizeof(name), "per_cpu/cpu%d/trace_pipe_raw", cpu);
	folder_add(&rig->instance, name, sheet.bytes, SHEET_SIZE);
}

#define ADD(rig, cpu, lost, ...) rig_add(rig, cpu, lost, (const uint64_t[]){ __VA_ARGS__, 0 })

static inline void check_drain(struct rig *rig, int64_t until_ns, const char *want)
{
	buffer_clear(&rig->log);
	CHECK_NUMBER(source_drain(rig->source, until_ns, &rig->handler, &rig->error), 0);
	CHECK_TEXT(buffer_string(&rig->log), want);
}

static inline void check_finish(struct rig *rig, int64_t end_ns, uint64_t want_lost,
				const char *want)
{
	uint64_t lost = 0;

	buffer_clear(&rig->log);
	CHECK_NUMBER(source_finish(rig->source, end_ns, &rig->handler, &lost, &rig->error), 0);
	CHECK_TEXT(buffer_string(&rig->log), want);
	CHECK_NUMBER(lost, want_lost);
}

#endif
