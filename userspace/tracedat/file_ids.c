// SPDX-License-Identifier: GPL-2.0-only
/* Counts records whose id has no format, which cannot be decoded. */
#include <stdio.h>
#include <string.h>

#include "tracedat/file.h"

/* Smaller ids are ftrace's own, and need not have a format. */
#define EVENT_ID_MIN 20

void trace_file_add_id(struct trace_file *file, unsigned int id)
{
	file->ids.has_format[id / 8] |= 1 << id % 8;
	file->ids.is_visited = true;
}

/* Returns false if too many other ids are counted separately. */
static bool id_count(struct trace_ids *ids, unsigned int id)
{
	size_t i = 0;

	while (i < ids->nr_listed && ids->list[i].id != id)
		i++;
	if (i == TRACE_IDS_MAX)
		return false;
	if (i == ids->nr_listed)
		ids->list[ids->nr_listed++] = (struct trace_id_count){ .id = id };
	ids->list[i].nr_records++;
	return true;
}

void trace_file_count_unknown(struct trace_file *file, const struct record *record)
{
	struct trace_ids *ids = &file->ids;
	uint16_t id;

	if (record->size < sizeof(id) || !ids->is_visited)
		return;
	memcpy(&id, record->data, sizeof(id));
	if (file->is_swapped)
		id = __builtin_bswap16(id);
	if (id < EVENT_ID_MIN || ids->has_format[id / 8] & 1 << id % 8)
		return;
	/* Formats of an unloaded module: ktrack reports these records as lost. */
	if (file->options.is_ktrack && trace_file_is_open(file, record->buffer, record->cpu))
		return;
	ids->nr_others += !id_count(ids, id);
}

void trace_file_check_ids(struct trace_file *file)
{
	const struct trace_ids *ids = &file->ids;
	struct buffer text = { 0 };

	if (ids->nr_listed == 0)
		return;
	buffer_append_string(&text, "records have no format:");
	for (size_t i = 0; i < ids->nr_listed; i++)
		buffer_printf(&text, "%s %llu of id %u", i ? "," : "",
			      (unsigned long long)ids->list[i].nr_records, ids->list[i].id);
	if (ids->nr_others > 0)
		buffer_printf(&text, ", %llu of other ids", (unsigned long long)ids->nr_others);
	trace_file_report(file, file->sections[TRACE_EVENT_FORMATS].offset, buffer_string(&text));
	buffer_release(&text);
}
