/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Event formats as the kernel writes them, and records that follow them, for the tests of the
 * convention room.
 */
#ifndef UNIT_FORMAT_H
#define UNIT_FORMAT_H

#include <stdlib.h>
#include <string.h>

#include "convention/convention.h"
#include "tap.h"

/** FIELD - one line of a format file */
#define FIELD(declaration, offset, size, is_signed) \
	"\tfield:" declaration ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #is_signed ";\n"

/** FORMAT - a format file with the common fields that all kernels have, which take 8 bytes */
#define FORMAT(name, id, fields)                                                              \
	"name: " name "\nID: " #id "\nformat:\n" FIELD("unsigned short common_type", 0, 2, 0) \
		FIELD("unsigned char common_flags", 2, 1, 0)                                  \
			FIELD("unsigned char common_preempt_count", 3, 1, 0)                  \
				FIELD("int common_pid", 4, 4, 1) "\n" fields "\nprint fmt: \"\"\n"

/** COUNTER_FORMAT - a format file of a counter */
#define COUNTER_FORMAT(type, size, is_signed) \
	FORMAT("event", 5, FIELD(type " counter_value", 8, size, is_signed))

/** SLICE_FIELDS - the two that make a slice; they take bytes 8 to 15 */
#define SLICE_FIELDS \
	FIELD("char track_event_type", 8, 1, 0) FIELD("__data_loc char[] slice_name", 12, 4, 0)

#define DRAFT_SIZE 512

/**
 * struct draft - a record that is being written
 * @size: so far; the fixed fields first, then what the dynamic ones point to
 */
struct draft {
	unsigned char bytes[DRAFT_SIZE];
	size_t size;
};

/** draft_number - write a field of 1 to 8 bytes, lowest byte first */
static inline void draft_number(struct draft *draft, size_t offset, size_t size, uint64_t number)
{
	memcpy(draft->bytes + offset, &number, size);
}

/** draft_begin - a record whose fixed fields take @size bytes */
static inline void draft_begin(struct draft *draft, unsigned int id, int pid, size_t size)
{
	*draft = (struct draft){ .size = size };
	draft_number(draft, 0, 2, id);
	draft_number(draft, 4, 4, pid);
}

/**
 * draft_text - append a string with its NUL, and make the __data_loc field at @offset point to it
 */
static inline void draft_text(struct draft *draft, size_t offset, const char *text)
{
	size_t size = strlen(text) + 1;

	draft_number(draft, offset, 4, size << 16 | draft->size);
	memcpy(draft->bytes + draft->size, text, size);
	draft->size += size;
}

/** draft_slice - a record of @type with the two fields of SLICE_FIELDS */
static inline void draft_slice(struct draft *draft, unsigned int id, char type,
			       const char *slice_name, size_t size)
{
	draft_begin(draft, id, 7, size);
	draft_number(draft, 8, 1, type);
	draft_text(draft, 12, slice_name);
}

/**
 * convention_add_text - add a format; returns its template, NULL where it does not follow or
 * cannot be read
 */
static inline const struct template *convention_add_text(struct convention *convention,
							 const char *system, const char *format)
{
	const struct template *template = NULL;
	struct error error = { 0 };

	if (convention_add(convention, system, text_of(format), &template, &error) != 0)
		return NULL;
	return template;
}

/** append_template - "slice demo:event custom scope_x track_name: extra extra" */
static inline void append_template(struct buffer *out, const struct template *template)
{
	static const char *const kinds[] = { "none", "slice", "counter" };
	static const char *const scopes[] = { "thread", "process", "cpu", "custom" };

	buffer_printf(out, "%s %s %s", kinds[template->kind], template->category,
		      scopes[template->scope]);
	if (template->scope_field)
		buffer_printf(out, " %s", template->scope_field);
	if (template->track_name.kind != SLOT_ABSENT)
		buffer_append_string(out, " track_name");
	if (template->nr_extras > 0)
		buffer_append_char(out, ':');
	for (size_t i = 0; i < template->nr_extras; i++)
		buffer_printf(out, " %s", template->extras[i].name);
}

/* A number with its sign's letter, 's-5' or 'u200', a truth, a 'text', or <bytes>. */
static inline void append_value(struct buffer *out, const struct value *value)
{
	static const char *const before[VALUE_KIND_COUNT] = { "s", "u", "", "'", "<" };
	static const char *const behind[VALUE_KIND_COUNT] = { "", "", "", "'", ">" };

	buffer_append_string(out, before[value->kind]);
	value_append_text(out, value);
	buffer_append_string(out, behind[value->kind]);
}

static inline void append_observation(struct buffer *out, const struct observation *observation)
{
	static const char letters[] = { 'B', 'E', 'I', 'C' };
	struct value name = { .kind = VALUE_TEXT, .text = observation->slice_name };
	struct value track_name = { .kind = VALUE_TEXT, .text = observation->track_name };

	buffer_printf(out, "%c ", letters[observation->kind]);
	append_value(out, observation->kind == OBSERVATION_COUNTER ? &observation->counter_value
								   : &name);
	buffer_append_string(out, " on ");
	append_value(out, &track_name);
	buffer_append_string(out, " of ");
	append_value(out, &observation->scope_id);
	for (size_t i = 0; i < observation->nr_extras; i++) {
		buffer_append_char(out, ' ');
		buffer_append(out, observation->extras[i].name.data,
			      observation->extras[i].name.size);
		buffer_append_char(out, '=');
		append_value(out, &observation->extras[i].value);
	}
}

/* What was read, the problem with it, or "no template" where it is NULL. */
static inline void append_reading(struct buffer *out, const struct observation *observation)
{
	if (!observation)
		buffer_append_string(out, "no template");
	else if (observation->problem)
		buffer_append_string(out, observation->problem);
	else
		append_observation(out, observation);
}

/**
 * record_read - say what a record says
 *
 * Returns "B 'read' on 'queue0' of u3 bytes=u4096", or the problem, or "no template".
 */
static inline struct buffer record_read(const struct convention *convention,
					const struct record *record)
{
	const struct template *template = convention_find(convention, record);
	struct observation observation;
	struct buffer out = { 0 };

	if (template)
		observation.problem = observation_read(&observation, template, record);
	append_reading(&out, template ? &observation : NULL);
	return out;
}

/**
 * draft_read - the same of a draft, from a block of just its size, so that the sanitizer sees a
 * read behind it
 */
static inline struct buffer draft_read(const struct convention *convention,
				       const struct draft *draft)
{
	unsigned char *block = malloc(draft->size);
	struct record record = { .data = block, .size = draft->size };
	struct buffer out;

	if (draft->size > 0)
		memcpy(block, draft->bytes, draft->size);
	out = record_read(convention, &record);
	free(block);
	return out;
}

/* What a convention reads from a draft. */
static inline void check_draft(const struct convention *convention, const struct draft *draft,
			       const char *want)
{
	struct buffer got = draft_read(convention, draft);

	CHECK_TEXT(buffer_string(&got), want);
	buffer_release(&got);
}

/* Reads one draft by one format. */
static inline void check_by_format(const char *format, const struct draft *draft, const char *want)
{
	struct convention *convention = convention_new(false);

	CHECK(convention_add_text(convention, "demo", format) != NULL);
	check_draft(convention, draft, want);
	convention_free(convention);
}

#endif
