// SPDX-License-Identifier: GPL-2.0-only
/* What the folder of the parts has beside the records, for the trace.dat and for its recovery. */
#include "recorder/parts.h"

#include "source/source.h"

int parts_note_now(struct parts *parts, struct error *error)
{
	struct buffer comms = { 0 }, options = { 0 }, earlier = { 0 };
	struct error ignored = { 0 };
	int status;

	/* The first time there is nothing. */
	parts_file(parts, PART_COMMS, &earlier, &ignored);
	status = comms_append(&comms, &parts->sight.saved, &earlier, error);
	if (status == 0)
		status = trace_dat_put_options(&options, parts, error);
	if (status == 0)
		status = parts_write(parts, PART_COMMS, &comms, error);
	if (status == 0)
		status = parts_write(parts, PART_OPTIONS, &options, error);
	buffer_release(&comms);
	buffer_release(&options);
	buffer_release(&earlier);
	return status;
}

int parts_list_beside(const struct parts *parts, struct buffer *out, struct error *error)
{
	return parts->durable ? folder_read(parts->durable, "set_event", out, error) : 0;
}

int parts_list_all(const struct parts *parts, struct buffer *out, struct error *error)
{
	const char *tracefs;

	if (source_directory(&tracefs, error) < 0 ||
	    folder_read(tracefs, "available_events", out, error) < 0)
		return -1;
	return parts_list_beside(parts, out, error);
}

/* How records are laid out stays as it is. */
static int layout_note(struct parts *parts, struct error *error)
{
	if (parts->layout.size > 0)
		return 0;
	return trace_dat_put_layout(&parts->layout, parts->sight.events_fd, error);
}

int parts_note_formats(struct parts *parts, struct buffer *list, struct error *error)
{
	struct buffer formats = { 0 };
	int status;

	if (layout_note(parts, error) < 0 ||
	    formats_note(&parts->formats, parts->sight.events_fd, list, error) < 0)
		return -1;
	buffer_append(&formats, parts->layout.data, parts->layout.size);
	trace_dat_put_formats(&formats, &parts->formats);
	status = parts_write(parts, PART_FORMATS, &formats, error);
	buffer_release(&formats);
	return status;
}

/* The boot is the same in the end. */
static void put_instance(struct buffer *out, struct parts *parts, const char *name)
{
	if (parts->boot.size == 0)
		file_read_boot_id(&parts->boot);
	buffer_printf(out, "%s\n", name);
	buffer_append(out, parts->boot.data, parts->boot.size);
	buffer_printf(out, "%s\n%llx\n", parts->mode->name, (unsigned long long)parts->id);
	if (parts->is_torn)
		buffer_append_string(out, PART_TORN "\n");
}

int parts_note_instance(struct parts *parts, const char *name, struct error *error)
{
	struct buffer text = { 0 };
	int status;

	put_instance(&text, parts, name);
	status = parts_write(parts, PART_INSTANCE, &text, error);
	buffer_release(&text);
	return status;
}

int parts_tear(struct parts *parts, const struct recorder *recorder, struct error *error)
{
	parts->is_torn = true;
	return parts_note_instance(parts, recorder_name(recorder), error);
}

int parts_settle(struct parts *parts, struct error *error)
{
	struct buffer text = { 0 };
	int status;

	put_instance(&text, parts, PART_NO_INSTANCE);
	status = parts_overwrite(parts, PART_INSTANCE, &text, error);
	buffer_release(&text);
	return status;
}

uint64_t parts_make_id(const char *directory)
{
	struct buffer text = { 0 };
	uint64_t id;

	file_read_boot_id(&text);
	buffer_printf(&text, "%s %lld", directory, (long long)time_now_ns(CLOCK_BOOTTIME));
	id = text_hash(buffer_text(&text));
	buffer_release(&text);
	return id;
}
