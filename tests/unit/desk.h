/* SPDX-License-Identifier: GPL-2.0-only */
/* An instance in a folder that stands for tracefs, the parts of a recording of it, and their file.
 */
#ifndef UNIT_DESK_H
#define UNIT_DESK_H

#define SHEET_SIZE 4096
#include "recorder/parts.h"

#include "instance.h"
#include "tracefs.h"

static const struct parts_owner ourselves;

/** struct desk - an instance, a file that is to be, and the parts of it */
struct desk {
	struct recorder *recorder;
	struct folder instance;
	struct folder output;
	struct parts *parts;
	struct parts_summary summary;
	struct error error;
};

static const char *output_path(const struct desk *desk)
{
	return folder_path(&desk->output, "trace.dat");
}

static inline bool output_has(const struct desk *desk, const char *name)
{
	return access(folder_path(&desk->output, name), F_OK) == 0;
}

static inline void file_add(const struct desk *desk, int cpu, const char *file, const void *data,
			    size_t size)
{
	char name[64];

	snprintf(name, sizeof(name), "per_cpu/cpu%d/%s", cpu, file);
	folder_add(&desk->instance, name, data, size);
}

static inline void statistics_add(const struct desk *desk, int cpu, const char *text)
{
	file_add(desk, cpu, "stats", text, strlen(text));
}

/* Adds a sub-buffer with records at these times, which a 0 ends. */
static inline void sheet_add(const struct desk *desk, int cpu, const uint64_t *times)
{
	struct sheet sheet;

	sheet_begin(&sheet, times[0]);
	for (; *times; times++)
		sheet_at(&sheet, *times, 0);
	sheet_end(&sheet);
	file_add(desk, cpu, "trace_pipe_raw", sheet.bytes, SHEET_SIZE);
}

#define ADD_RECORDS(desk, cpu, ...) sheet_add(desk, cpu, (const uint64_t[]){ __VA_ARGS__, 0 })

static inline void instance_prepare(struct desk *desk)
{
	static const char *const files[][2] = {
		{ "set_event", "demo:work\nother:thing:mod:none\n" },
		{ "trace_clock", "local [boot]\n" },
		{ "events/header_page", "\tfield: u64 timestamp;\toffset:0;\tsize:8;\n"
					"\tfield: local_t commit;\toffset:8;\tsize:8;\n"
					"\tfield: char data;\toffset:16;\tsize:4080;\n" },
		{ "events/header_event", "# none" },
		{ "events/demo/work/format", "name: work\nID: 7\nformat:\n" },
		{ "per_cpu/cpu0/trace_pipe_raw", "" },
		{ "per_cpu/cpu1/trace_pipe_raw", "" },
		{ "per_cpu/cpu33/trace_pipe_raw", "" },
	};

	snprintf(desk->instance.path, sizeof(desk->instance.path), "%s",
		 recorder_directory(desk->recorder));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		folder_add_text(&desk->instance, files[i][0], files[i][1]);
	instance_mark(desk->instance.path);
}

static inline void desk_begin(struct desk *desk, const char *mode)
{
	*desk = (struct desk){ 0 };
	tracefs_begin();
	folder_add_text(&tracefs.top, "saved_cmdlines", "4194304 gone\n");
	folder_add_text(&tracefs.top, "saved_tgids", "4194304 4194000\n");
	folder_new(&desk->output);
	desk->recorder = recorder_of(64);
	instance_prepare(desk);
	CHECK_NUMBER(parts_new(&desk->parts, output_path(desk), &ourselves, &desk->error), 0);
	CHECK_NUMBER(
		parts_begin(desk->parts, desk->recorder, recorder_mode_find(mode), &desk->error),
		0);
	CHECK_TEXT(desk->error.text, "");
}

static inline void desk_end(struct desk *desk)
{
	parts_close(desk->parts);
	CHECK_NUMBER(recorder_close(desk->recorder, &desk->error), 0);
	folder_remove(&desk->output);
	tracefs_end();
}

/* What happens to the parts of a ktrack that is killed. */
static inline void desk_kill(struct desk *desk)
{
	desk->parts->is_kept = true;
	parts_close(desk->parts);
	desk->parts = NULL;
}

static inline void desk_take_up(struct desk *desk)
{
	CHECK_NUMBER(parts_open(&desk->parts, output_path(desk), &ourselves, &desk->error), 0);
	CHECK_TEXT(desk->error.text, "");
}

static inline void desk_finish(struct desk *desk)
{
	CHECK_NUMBER(parts_finish(desk->parts, &desk->summary, &desk->error), 0);
	CHECK_TEXT(desk->error.text, "");
}

static inline void check_moment(bool is_known, int64_t moment_ns, int64_t want_ns)
{
	CHECK_NUMBER(is_known ? moment_ns : 0, want_ns);
}

/* What the file promises to have all of; 0 stands for a side of which it says nothing. */
static inline void check_span(const struct desk *desk, int64_t want_from_ns, int64_t want_until_ns)
{
	struct rig rig = { .handler = {
				   .context = &rig.log, .record = record_log, .loss = loss_log } };
	const struct source_span *span;
	int64_t first_ns;
	uint64_t lost;

	CHECK_NUMBER(source_file_open(&rig.source, output_path(desk), &rig.error), 0);
	CHECK_NUMBER(source_first_time(rig.source, &first_ns, &rig.error), 1);
	CHECK_NUMBER(source_finish(rig.source, 1000000, &rig.handler, &lost, &rig.error), 0);
	span = source_span(rig.source);
	check_moment(span->has_from, span->from_ns, want_from_ns);
	check_moment(span->has_until, span->until_ns, want_until_ns);
	source_close(rig.source);
	buffer_release(&rig.log);
}

/* Makes the file, and checks what it says of records and of losses. */
static inline void check_joined(struct desk *desk, uint64_t want_lost, const char *want)
{
	struct rig rig = { .handler = {
				   .context = &rig.log, .record = record_log, .loss = loss_log } };

	CHECK_NUMBER(parts_join(desk->parts, &desk->error), 0);
	CHECK_TEXT(desk->error.text, "");
	parts_close(desk->parts);
	desk->parts = NULL;
	CHECK(!output_has(desk, "trace.dat.parts"));
	CHECK_NUMBER(source_file_open(&rig.source, output_path(desk), &rig.error), 0);
	check_finish(&rig, 1000000, want_lost, want);
	CHECK(source_damage(rig.source) == NULL);
	CHECK_TEXT(source_describe(rig.source)->clock, "boot");
	CHECK_TEXT(source_describe(rig.source)->time_source, "date");
	CHECK_NUMBER(source_describe(rig.source)->nr_cpus, 34);
	source_close(rig.source);
	buffer_release(&rig.log);
}

static inline int visit_log(void *context, const struct source_tracepoint *tracepoint,
			    struct error *error)
{
	(void)error;
	buffer_printf(context, "%s:%s ", tracepoint->system, tracepoint->name);
	return 0;
}

#endif
