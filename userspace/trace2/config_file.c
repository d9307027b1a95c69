// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Reads files with settings. inih keeps sections and names together; values stand beside the lines
 * that it gets, which have to be short, because git's have quotes, escapes and any length.
 */
#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace2/config.h"
#include "trace2/config_include.h"
#include "trace2/config_line.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* What inih keeps of a section's name. */
#define SECTION_SIZE_MAX 49

/**
 * struct reader - a file on its way through inih
 * @depth: how many files it is within
 * @text, @text_size: the line of the file, of any length
 * @problem: why the rest of the file cannot be read, an errno; 0 at its end
 * @rest: what of it was not looked at yet, NULL for nothing
 * @is_lost: the section could not be read, so what stands in it is left out too
 * @value: of the name that inih has got last; @has_value where there is one
 */
struct reader {
	struct trace2_config *config;
	FILE *file;
	const char *path;
	unsigned int depth;
	unsigned int line;
	char *text;
	size_t text_size;
	int problem;
	char *rest;
	bool is_lost;
	struct buffer value;
	bool has_value;
};

/* Settings must never fail the program: what cannot be read is left out, with a warning. */
static void line_refuse(struct reader *reader, const char *reason)
{
	config_warn(reader->config, "trace2: %s:%u: %s", reader->path, reader->line, reason);
}

/* The next line without what ends it; false at the file's end. */
static bool text_read(struct reader *reader)
{
	size_t mark = strlen(BYTE_ORDER_MARK), size;

	reader->rest = NULL;
	errno = 0;
	if (getline(&reader->text, &reader->text_size, reader->file) < 0) {
		reader->problem = errno;
		return false;
	}
	reader->line++;
	reader->rest = reader->text;
	if (reader->line == 1 && strncmp(reader->text, BYTE_ORDER_MARK, mark) == 0)
		reader->rest += mark;
	size = strcspn(reader->rest, "\n");
	if (size > 0 && reader->rest[size - 1] == '\r')
		size--;
	reader->rest[size] = '\0';
	return true;
}

/* Goes to what is next in the file besides blanks and comments. */
static bool rest_find(struct reader *reader)
{
	for (;;) {
		if (!reader->rest && !text_read(reader))
			return false;
		while (isspace((unsigned char)*reader->rest))
			reader->rest++;
		if (*reader->rest && !strchr("#;", *reader->rest))
			return true;
		reader->rest = NULL;
	}
}

/* inih ends a section's name at the first bracket, and takes a semicolon for a comment. */
static bool is_section_for_inih(const char *text, const char *end)
{
	size_t size = end - text;
	size_t nr_quotes = 0;

	for (size_t i = 0; i < size; i++) {
		nr_quotes += text[i] == '"';
		if (text[i] == '\\')
			i++;
	}
	return size <= SECTION_SIZE_MAX && !memchr(text, ';', size) && nr_quotes % 2 == 0;
}

static void section_give(struct reader *reader, char *out, size_t size)
{
	const char *text = reader->rest + 1;
	const char *end = strchr(text, ']');

	reader->is_lost = !end || !is_section_for_inih(text, end);
	if (!reader->is_lost) {
		snprintf(out, size, "[%.*s]", (int)(end - text), text);
		reader->rest += end + 1 - reader->rest;
		return;
	}
	snprintf(out, size, "[]");
	line_refuse(reader, "a section's name that cannot be read");
	reader->rest = NULL;
}

static bool value_read(struct reader *reader, const char *text)
{
	struct value_state state = { 0 };
	enum value_result result = value_append(&reader->value, &state, text);

	while (result == VALUE_CONTINUES && text_read(reader))
		result = value_append(&reader->value, &state, reader->rest);
	reader->has_value = true;
	if (result == VALUE_BROKEN)
		line_refuse(reader, "quotes or escapes that are none");
	return result != VALUE_BROKEN;
}

/* Returns false where inih gets nothing of it. */
static bool setting_give(struct reader *reader, char *out, size_t size)
{
	size_t name = name_size(reader->rest);
	const char *text = reader->rest + name;
	bool is_good;

	text += strspn(text, " \t");
	is_good = name > 0 && name + sizeof("=") < size && (!*text || *text == '=');
	if (is_good)
		snprintf(out, size, "%.*s=", (int)name, reader->rest);
	else
		line_refuse(reader, "neither a section nor a setting");
	buffer_clear(&reader->value);
	reader->has_value = false;
	if (is_good && *text)
		is_good = value_read(reader, text + 1);
	reader->rest = NULL;
	return is_good;
}

/* What inih takes for fgets(). */
static char *line_give(char *out, int size, void *context)
{
	struct reader *reader = context;

	while (rest_find(reader)) {
		if (*reader->rest == '[') {
			section_give(reader, out, size);
			return out;
		}
		if (setting_give(reader, out, size))
			return out;
	}
	return NULL;
}

static int entry_add(struct trace2_config *config, struct buffer *key, char *value)
{
	struct config_entry *entries = reallocarray(config->entries, config->nr_entries + 1,
						    sizeof(*entries));

	if (!entries)
		return -1;
	config->entries = entries;
	entries[config->nr_entries] = (struct config_entry){ .scope = config->scope,
							     .key = strdup(buffer_string(key)),
							     .value = value };
	if (!entries[config->nr_entries].key)
		return -1;
	config->nr_entries++;
	return 0;
}

static int setting_add(struct reader *reader, struct buffer *key)
{
	char *value = NULL;

	if (reader->has_value)
		value = strdup(buffer_string(&reader->value));
	if (key->failed || reader->value.failed || (reader->has_value && !value) ||
	    entry_add(reader->config, key, value) < 0) {
		reader->config->has_failed = true;
		free(value);
		return -1;
	}
	return 0;
}

static int settings_read(struct trace2_config *config, const char *path, unsigned int depth);

/* Reads another file here, so that what follows in this one counts over it. */
static int include_read(struct reader *reader)
{
	struct trace2_config *config = reader->config;
	char *path;
	int status;

	if (config->is_too_deep || reader->value.size == 0)
		return 0;
	if (reader->depth == INCLUDE_DEPTH_MAX) {
		config->is_too_deep = true;
		line_refuse(reader, "too many files within one another");
		return 0;
	}
	path = include_path(reader->path, buffer_string(&reader->value));
	if (!path)
		config->has_failed = true;
	status = path ? settings_read(config, path, reader->depth + 1) : -1;
	free(path);
	return status;
}

/* Returns what inih wants: 0 for a failure. */
static int setting_handle(void *context, const char *section, const char *name, const char *value)
{
	struct reader *reader = context;
	struct buffer key = { 0 };
	int status = 0;

	(void)value;
	if (section_append(&key, section)) {
		buffer_append_char(&key, '.');
		for (; *name; name++)
			buffer_append_char(&key, tolower((unsigned char)*name));
		status = setting_add(reader, &key);
		if (status == 0 && strcmp(buffer_string(&key), INCLUDE_KEY) == 0)
			status = include_read(reader);
	} else if (!reader->is_lost) {
		line_refuse(reader, "a setting outside of any section");
	}
	buffer_release(&key);
	return status == 0;
}

static void file_refuse(struct trace2_config *config, const char *path, int number)
{
	config_warn(config, "trace2: could not read '%s': %s", path, strerror(number));
}

static int settings_read(struct trace2_config *config, const char *path, unsigned int depth)
{
	struct reader reader = { .config = config, .path = path, .depth = depth };

	reader.file = fopen(path, "re");
	if (!reader.file) {
		if (errno != ENOENT && errno != ENOTDIR)
			file_refuse(config, path, errno);
		return 0;
	}
	ini_parse_stream(line_give, &reader, setting_handle, &reader);
	if (reader.problem)
		file_refuse(config, path, reader.problem);
	fclose(reader.file);
	free(reader.text);
	buffer_release(&reader.value);
	return config->has_failed ? -1 : 0;
}

int config_file_read(struct trace2_config *config, const char *path, const char *scope)
{
	config->scope = scope;
	return settings_read(config, path, 0);
}
