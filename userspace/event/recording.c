// SPDX-License-Identifier: GPL-2.0-only
/* The table of a recording's properties; copies of their texts, and labels. */
#include "event/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/** struct recording_text - a copy that a recording owns */
struct recording_text {
	struct recording_text *next;
	char text[];
};

#define MEMBER(name) offsetof(struct recording, name)
/* Outputs that print most properties of the whole recording. */
#define WHOLE (RECORDING_TRACE2 | RECORDING_CHROME | RECORDING_HTML | RECORDING_SQLITE)

/* In the order of outputs. Labels, machines and times have forms of their own in each output. */
static const struct recording_property properties[] = {
	{ "source", VALUE_TEXT, MEMBER(source),
	  WHOLE | RECORDING_TRACE2_MACHINE | RECORDING_MACHINE | RECORDING_PERFETTO |
		  RECORDING_OTLP },
	{ "recording_id", VALUE_TEXT, MEMBER(id),
	  RECORDING_TRACE2 | RECORDING_TRACE2_MACHINE | RECORDING_CHROME | RECORDING_SQLITE },
	{ "mode", VALUE_TEXT, MEMBER(mode), RECORDING_SQLITE },
	{ "clock", VALUE_TEXT, MEMBER(clock), WHOLE | RECORDING_TRACE2_MACHINE | RECORDING_OTLP },
	{ "time_source", VALUE_TEXT, MEMBER(time_source), WHOLE | RECORDING_OTLP },
	{ "counts_ticks", VALUE_BOOLEAN, MEMBER(counts_ticks), RECORDING_SQLITE | RECORDING_OTLP },
	{ "kernel", VALUE_TEXT, MEMBER(kernel),
	  WHOLE | RECORDING_TRACE2_MACHINE | RECORDING_MACHINE },
	{ "host", VALUE_TEXT, MEMBER(host), WHOLE | RECORDING_MACHINE | RECORDING_PERFETTO },
	{ "boot_id", VALUE_TEXT, MEMBER(boot_id),
	  RECORDING_TRACE2 | RECORDING_TRACE2_MACHINE | RECORDING_CHROME | RECORDING_MACHINE |
		  RECORDING_PERFETTO | RECORDING_OTLP },
	{ "command_pid", VALUE_TEXT, MEMBER(process), RECORDING_HTML },
	{ "time_unit", VALUE_BOOLEAN, MEMBER(counts_ticks), RECORDING_TRACE2, .word = "ticks" },
	{ "selection", VALUE_TEXT, MEMBER(selection), WHOLE | RECORDING_PERFETTO | RECORDING_OTLP },
	{ "overwrite", VALUE_TEXT, MEMBER(overwrite), RECORDING_TRACE2 },
	{ "cpus", VALUE_UNSIGNED, MEMBER(nr_cpus), RECORDING_TRACE2 | RECORDING_SQLITE,
	  .has_zero = true },
	{ "buffer_kib", VALUE_UNSIGNED, MEMBER(buffer_kib), RECORDING_TRACE2 | RECORDING_SQLITE },
	{ "memory_kib", VALUE_UNSIGNED, MEMBER(memory_kib), RECORDING_TRACE2 },
	{ "read_before", VALUE_UNSIGNED, MEMBER(read_before), RECORDING_TRACE2 },
};

static bool property_value(const struct recording *recording,
			   const struct recording_property *property, struct value *value)
{
	const void *member = (const char *)recording + property->offset;
	const char *text;

	*value = (struct value){ .kind = property->kind };
	switch (property->kind) {
	case VALUE_UNSIGNED:
		value->unsigned_number = *(const uint64_t *)member;
		return value->unsigned_number > 0 || property->has_zero;
	case VALUE_BOOLEAN:
		value->boolean = *(const bool *)member;
		if (value->boolean && property->word)
			*value = (struct value){ .kind = VALUE_TEXT,
						 .text = text_of(property->word) };
		return *(const bool *)member;
	default:
		text = *(const char *const *)member;
		value->text = text ? text_of(text) : (struct text){ 0 };
		return text;
	}
}

bool recording_next(const struct recording *recording, unsigned int output,
		    const struct recording_property **property, struct value *value)
{
	const struct recording_property *end = properties +
					       sizeof(properties) / sizeof(properties[0]);
	const struct recording_property *next = *property ? *property + 1 : properties;

	/* A table has columns for all. */
	while (next < end &&
	       (!(next->outputs & output) ||
		(!property_value(recording, next, value) && output != RECORDING_SQLITE)))
		next++;
	*property = next;
	return next < end;
}

/* A file may state a property any number of times. */
static void text_drop(struct recording *recording, const char *text)
{
	for (struct recording_text **at = &recording->texts; *at; at = &(*at)->next) {
		struct recording_text *kept = *at;

		if (kept->text != text)
			continue;
		*at = kept->next;
		free(kept);
		return;
	}
}

int recording_keep(struct recording *recording, const char **member, struct text text)
{
	struct recording_text *kept = malloc(sizeof(*kept) + text.size + 1);

	if (!kept)
		return -1;
	text_drop(recording, *member);
	memcpy(kept->text, text.data, text.size);
	kept->text[text.size] = '\0';
	kept->next = recording->texts;
	recording->texts = kept;
	*member = kept->text;
	return 0;
}

int recording_keep_id(struct recording *recording, uint64_t hash)
{
	char digits[17];

	snprintf(digits, sizeof(digits), "%016llx", (unsigned long long)hash);
	return recording_keep(recording, &recording->id, text_of(digits));
}

int recording_keep_system(struct recording *recording)
{
	SCOPED_BUFFER(boot_id);
	struct utsname system;
	struct text lines;
	int status = 0;

	file_read_boot_id(&boot_id);
	lines = buffer_text(&boot_id);
	if (lines.size > 0)
		status = recording_keep(recording, &recording->boot_id, text_take_line(&lines));
	if (status < 0 || uname(&system) < 0)
		return status;
	if (recording_keep(recording, &recording->kernel, text_of(system.release)) < 0)
		return -1;
	return recording_keep(recording, &recording->host, text_of(system.nodename));
}

void recording_release(struct recording *recording)
{
	while (recording->texts) {
		struct recording_text *kept = recording->texts;

		recording->texts = kept->next;
		free(kept);
	}
}

/* The kernel's limit of names is 31. */
#define DEVICE_NAME_MAX 64

/* Lines may be those of a hostile file. */
struct text recording_device(const char *devices, uint64_t number)
{
	struct text rest = text_of(devices ? devices : "");
	char digits[48];

	snprintf(digits, sizeof(digits), "%llu:%llu ",
		 (unsigned long long)number >> DEVICE_MINOR_BITS,
		 (unsigned long long)number & ((1ULL << DEVICE_MINOR_BITS) - 1));
	while (rest.size > 0) {
		struct text line = text_take_line(&rest);

		if (text_take_begin(&line, digits) && line.size <= DEVICE_NAME_MAX)
			return line;
	}
	return (struct text){ 0 };
}

/* Lines may be those of a hostile file. */
bool recording_take_label(struct text *rest, struct text *key, struct text *value)
{
	while (rest->size > 0) {
		struct text line = text_take_line(rest);
		const char *equals = memchr(line.data, '=', line.size);

		if (!equals || equals == line.data)
			continue;
		*key = (struct text){ line.data, equals - line.data };
		*value = (struct text){ equals + 1, line.data + line.size - equals - 1 };
		return true;
	}
	return false;
}
