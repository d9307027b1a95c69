// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz target: a record's bytes, read by formats with every kind of field, and what its tracks
 * become. */
#include <stdlib.h>
#include <string.h>

#include "reader/reader.h"
#include "fuzz.h"

#define FIELD(declaration, offset, size, is_signed) \
	"\tfield:" declaration ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #is_signed ";\n"

#define FORMAT(name, id, fields)                                                              \
	"name: " name "\nID: " #id "\nformat:\n" FIELD("unsigned short common_type", 0, 2, 0) \
		FIELD("int common_pid", 4, 4, 1) "\n" fields "\nprint fmt: \"\"\n"

#define SLICE FIELD("char track_event_type", 8, 1, 0)

static const char *const formats[] = {
	FORMAT("dynamic", 0,
	       SLICE FIELD("__data_loc char[] slice_name", 12, 4, 0)
		       FIELD("__rel_loc char[] track_name", 16, 4, 0) FIELD("u64 scope_x", 20, 8, 0)
			       FIELD("__data_loc u8[] raw", 28, 4, 0)),
	FORMAT("fixed", 1,
	       SLICE FIELD("char slice_name[5]", 9, 5, 0) FIELD("s16 scope_cpu", 14, 2, 1)
		       FIELD("bool flag", 16, 1, 0) FIELD("u8 raw[3]", 17, 3, 0)
			       FIELD("struct odd odd", 20, 12, 0)),
	FORMAT("synthetic", 2,
	       FIELD("u64 track_event_type", 8, 8, 0) FIELD("__data_loc char[] slice_name", 16, 8,
							    0) FIELD("pid_t scope_tgid", 24, 4, 1)),
	FORMAT("level", 3,
	       FIELD("s64 counter_value", 8, 8, 1) FIELD("__data_loc char[] track_name", 16, 4, 0)),
	FORMAT("byte", 4, FIELD("u8 counter_value", 3, 1, 0)),
	FORMAT("usual", 6,
	       SLICE FIELD("__data_loc char[] slice_name", 12, 4, 0) FIELD("u32 bytes", 16, 4, 0)
		       FIELD("__data_loc char[] track_name", 20, 4, 0)),
};

static const char task_format[] =
	FORMAT("task_newtask", 5,
	       FIELD("pid_t pid", 8, 4, 1) FIELD("char comm[16]", 12, 16, 0)
		       FIELD("unsigned long clone_flags", 32, 8, 0));

static void formats_add(struct convention *convention)
{
	const struct descriptor *descriptor;
	struct error error = { 0 };

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		convention_add(convention, "fuzz", text_of(formats[i]), &descriptor, &error);
	convention_add_task(convention, "task", "task_newtask", text_of(task_format), &error);
}

/* Of each record: how long it is, how much later it comes, and on which CPU. */
static size_t record_take(const struct source_handler *handler, const uint8_t *data, size_t size,
			  int64_t *time_ns)
{
	size_t record_size = data[0] < size - 2 ? data[0] : size - 2;
	unsigned char *bytes = malloc(record_size ? record_size : 1);
	struct record record = { .cpu = data[1] & 3, .data = bytes, .size = record_size };
	struct error error = { 0 };

	*time_ns += data[1] >> 2;
	record.time_ns = *time_ns;
	memcpy(bytes, data + 2, record_size);
	if (record_size > 1)
		bytes[1] = 0;
	handler->record(handler->context, &record, &error);
	free(bytes);
	return 2 + record_size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipeline pipeline = { .convention = convention_new(false) };
	struct source_handler handler = pipeline_handler(&pipeline);
	struct tracks_settings settings = { .idle_max = 3, .names_max = 3, .has_comm = true };
	struct error error = { 0 };
	int64_t time_ns = 0;

	formats_add(pipeline.convention);
	pipeline.tracks = tracks_new(&settings, &pipeline.timeline, 0);
	while (size > 2) {
		size_t taken = record_take(&handler, data, size, &time_ns);

		data += taken;
		size -= taken;
	}
	tracks_finish(pipeline.tracks, time_ns, 0, 0, &error);
	pipeline_release(&pipeline);
	return 0;
}
