// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes formats of programs' events as the kernel writes those of the macros for drivers, so that
 * all readers of formats read them, and packs records as these formats describe them. Tracks of a
 * process get its number as a scope: the same scope of another process is another track.
 */
#include <ktrack/user/layout.h>
#include <string.h>

#include "userring/events.h"

static bool is_text(const struct described_field *field)
{
	return field->kind == KTRACK_USER_TEXT;
}

static bool is_number_scope(const struct described_field *field)
{
	return field->kind == KTRACK_USER_SCOPE || field->kind == KTRACK_USER_ASYNC;
}

/* Whether the event's tracks belong to the process, not to each thread. */
static bool event_has_process(const struct described_event *event)
{
	bool has_process = false;

	for (size_t i = 0; i < event->nr_fields; i++) {
		const struct described_field *field = &event->fields[i];

		if (strcmp(field->name, "scope_tgid") == 0)
			return false;
		has_process |= is_number_scope(field) || field->kind == KTRACK_USER_GLOBAL ||
			       strcmp(field->name, "track_name") == 0;
	}
	return has_process;
}

static size_t event_count_scopes(const struct described_event *event)
{
	size_t nr_scopes = event_has_process(event);

	for (size_t i = 0; i < event->nr_fields; i++)
		nr_scopes += is_number_scope(&event->fields[i]);
	return nr_scopes;
}

/* Where the event's fields begin in records of rings, and in those that are stored. */
#define FIELDS_BEGIN (sizeof(struct ktrack_user_record) - KTRACK_USER_STORED)
#define PROCESS_BEGIN (offsetof(struct ktrack_user_record, tgid) - KTRACK_USER_STORED)

/* The process is stored if tracks belong to it. */
static size_t fields_begin(const struct described_event *event)
{
	return PROCESS_BEGIN + (event_has_process(event) ? sizeof(int32_t) : 0);
}

/* @count is the number of elements of an array, 0 of any other field. */
static void put_field(struct buffer *out, const char *type, const char *name, unsigned int count,
		      unsigned int offset, unsigned int size, bool is_signed)
{
	buffer_printf(out, "\tfield:%s %s", type, name);
	if (count > 0)
		buffer_printf(out, "[%u]", count);
	buffer_printf(out, ";\toffset:%u;\tsize:%u;\tsigned:%d;\n", offset, size, is_signed);
}

static void type_append(struct buffer *out, const struct described_field *field, size_t nr_scopes)
{
	static const char *const marked[KTRACK_USER_FLOATING + 1] = {
		[KTRACK_USER_ASYNC] = "ktrack_async_id",
		[KTRACK_USER_FLOW] = "ktrack_flow_id",
		[KTRACK_USER_RESULT] = "ktrack_result",
		[KTRACK_USER_TEXT] = "__data_loc char[]",
		[KTRACK_USER_BYTES] = "u8",
		[KTRACK_USER_POINTER] = "void *"
	};

	if (marked[field->kind]) {
		buffer_append_string(out, marked[field->kind]);
		return;
	}
	if (field->kind == KTRACK_USER_FLOATING) {
		buffer_append_string(out, field->size == sizeof(double) ? "double" : "float");
		return;
	}
	if (field->kind == KTRACK_USER_SCOPE && nr_scopes > 1)
		buffer_append_string(out, "ktrack_scope_");
	/* The convention wants a char. */
	if (strcmp(field->name, "track_event_type") == 0)
		buffer_append_string(out, "char");
	else
		buffer_printf(out, "%c%u", field->is_signed ? 's' : 'u', 8u * field->size);
}

#define COMMON_FIELDS                                                                              \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                      \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                      \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"              \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static void put_fields(struct buffer *out, const struct described_event *event)
{
	size_t nr_scopes = event_count_scopes(event);
	size_t unused = FIELDS_BEGIN - fields_begin(event);
	struct buffer type = { 0 };

	buffer_append_string(out, COMMON_FIELDS);
	if (event_has_process(event))
		put_field(out, nr_scopes > 1 ? "ktrack_scope_s32" : "s32", "scope_tgid", 0,
			  PROCESS_BEGIN, 4, true);
	for (size_t i = 0; i < event->nr_fields; i++) {
		const struct described_field *field = &event->fields[i];

		if (field->kind == KTRACK_USER_GLOBAL)
			continue;
		buffer_clear(&type);
		type_append(&type, field, nr_scopes);
		out->failed |= type.failed;
		put_field(out, buffer_string(&type), field->name,
			  field->kind == KTRACK_USER_BYTES ? field->size : 0,
			  field->offset - unused, field->size, field->is_signed && !is_text(field));
	}
	buffer_release(&type);
}

static bool is_type(const struct described_field *field)
{
	return strcmp(field->name, "track_event_type") == 0;
}

static bool has_values(const struct described_field *field)
{
	return field->nr_texts > 0 &&
	       (field->kind == KTRACK_USER_SYMBOL || field->kind == KTRACK_USER_BITS);
}

static void put_conversion(struct buffer *out, const struct described_field *field)
{
	if (is_type(field)) {
		buffer_append_string(out, "%s");
		return;
	}
	buffer_printf(out, " %s=", field->name);
	if (is_text(field) || has_values(field) || field->kind == KTRACK_USER_BYTES)
		buffer_append_string(out, "%s");
	else if (field->kind == KTRACK_USER_POINTER)
		buffer_append_string(out, "%p");
	else if (field->kind == KTRACK_USER_ASYNC || field->kind == KTRACK_USER_FLOW ||
		 field->kind == KTRACK_USER_FLOATING)
		buffer_append_string(out, "0x%llx");
	else
		buffer_append_string(out, field->is_signed ? "%lld" : "%llu");
}

static void put_values(struct buffer *out, const struct described_event *event,
		       const struct described_field *field)
{
	buffer_printf(out,
		      field->kind == KTRACK_USER_BITS ? "__print_flags(REC->%s, \"|\""
						      : "__print_symbolic(REC->%s",
		      field->name);
	for (size_t i = 0; i < field->nr_texts; i++) {
		const struct described_text *text = &event->texts[field->texts + i];

		buffer_printf(out, ", { %lld, \"%s\" }", (long long)text->value, text->text);
	}
	buffer_append_char(out, ')');
}

static void put_argument(struct buffer *out, const struct described_event *event,
			 const struct described_field *field)
{
	buffer_append_string(out, ", ");
	if (is_type(field))
		buffer_append_string(out, "REC->track_event_type > 69 ? \"I\" : "
					  "(REC->track_event_type < 69 ? \"B\" : \"E\")");
	else if (is_text(field))
		buffer_printf(out, "__get_str(%s)", field->name);
	else if (has_values(field))
		put_values(out, event, field);
	else if (field->kind == KTRACK_USER_BYTES)
		buffer_printf(out, "__print_hex(REC->%s, %u)", field->name, field->size);
	/* Of a floating number, other readers of formats print the bits. */
	else if (field->kind == KTRACK_USER_POINTER || field->kind == KTRACK_USER_FLOATING)
		buffer_printf(out, "REC->%s", field->name);
	else
		buffer_printf(out, "(%s)REC->%s", field->is_signed ? "s64" : "u64", field->name);
}

static void put_print(struct buffer *out, const struct described_event *event)
{
	bool has_process = event_has_process(event);

	buffer_append_string(out, "\nprint fmt: \"");
	for (size_t i = 0; i < event->nr_fields; i++) {
		if (event->fields[i].kind != KTRACK_USER_GLOBAL)
			put_conversion(out, &event->fields[i]);
	}
	buffer_append_string(out, has_process ? " scope_tgid=%d\"" : "\"");
	for (size_t i = 0; i < event->nr_fields; i++) {
		if (event->fields[i].kind != KTRACK_USER_GLOBAL)
			put_argument(out, event, &event->fields[i]);
	}
	buffer_append_string(out, has_process ? ", REC->scope_tgid\n" : "\n");
}

void event_format(struct buffer *out, const struct described_event *event)
{
	buffer_append_string(out, "format:\n");
	put_fields(out, event);
	put_print(out, event);
}

void event_pack(struct event_packing *out, const struct described_event *event)
{
	*out = (struct event_packing){ .begin = fields_begin(event),
				       .end = FIELDS_BEGIN,
				       .texts_begin = event->size };
	for (size_t i = 0; i < event->nr_fields; i++) {
		const struct described_field *field = &event->fields[i];

		if (is_text(field))
			out->texts[out->nr_texts++] = field->offset;
		if (field->kind != KTRACK_USER_GLOBAL && field->offset + field->size > out->end)
			out->end = field->offset + field->size;
	}
}

/* Returns how many bytes of strings a record has: up to the end of the last text. */
static size_t texts_pack(const struct event_packing *packing, const unsigned char *bytes,
			 size_t size, unsigned char *out)
{
	size_t unused = FIELDS_BEGIN - packing->begin, texts_size = 0;

	for (size_t i = 0; i < packing->nr_texts; i++) {
		uint32_t text, offset, end;

		memcpy(&text, bytes + packing->texts[i], sizeof(text));
		offset = text & UINT16_MAX;
		end = offset + (text >> 16);
		if (offset < packing->texts_begin || end > size) {
			text = 0;
		} else {
			text -= packing->texts_begin - packing->end + unused;
			if (end - packing->texts_begin > texts_size)
				texts_size = end - packing->texts_begin;
		}
		memcpy(out + packing->texts[i] - unused, &text, sizeof(text));
	}
	return texts_size;
}

size_t record_pack(const struct event_packing *packing, const struct ktrack_user_record *record,
		   const unsigned char *bytes, size_t size, unsigned char *out)
{
	size_t end = packing->end - FIELDS_BEGIN + packing->begin, texts_size;

	if (size < packing->texts_begin)
		return 0;
	memcpy(out, &record->number, packing->begin);
	memcpy(out + packing->begin, bytes + FIELDS_BEGIN, packing->end - FIELDS_BEGIN);
	texts_size = texts_pack(packing, bytes, size, out);
	memcpy(out + end, bytes + packing->texts_begin, texts_size);
	return end + texts_size;
}
