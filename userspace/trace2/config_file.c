// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Reads INI files: lines by inih, and what git's files have beyond it: subsections, quotes,
 * indented keys.
 */
#include <ctype.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace2/config.h"

/*
 * inih takes an indented line for more of the value before it; git's own files indent their keys.
 */
static char *line_read(char *out, int size, void *context)
{
	char *line = fgets(out, size, context);
	size_t nr_blanks;

	if (!line)
		return NULL;
	nr_blanks = strspn(line, " \t");
	memmove(line, line + nr_blanks, strlen(line + nr_blanks) + 1);
	return line;
}

static void append_lower(struct buffer *out, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		buffer_append_char(out, tolower((unsigned char)text[i]));
}

/* [One "Two"] and Three make "one.Two.three". */
static char *key_make(const char *section, const char *name)
{
	size_t plain = strcspn(section, " \t\"");
	const char *begin = strchr(section, '"');
	const char *end = strrchr(section, '"');
	struct buffer key = { 0 };
	char *copy;

	append_lower(&key, section, plain);
	buffer_append_char(&key, '.');
	if (begin && end > begin) {
		buffer_append(&key, begin + 1, end - begin - 1);
		buffer_append_char(&key, '.');
	}
	append_lower(&key, name, strlen(name));
	copy = strdup(buffer_string(&key));
	buffer_release(&key);
	return copy;
}

/*
 * The value without its quotes, whose escapes are those of a backslash before a quote or a
 * backslash.
 */
static char *value_make(const char *value)
{
	char *copy = strdup(value), *out = copy;
	bool is_escaped = false;

	for (; copy && *value; value++) {
		bool is_mark = !is_escaped && (*value == '"' || *value == '\\');

		is_escaped = is_mark && *value == '\\';
		if (!is_mark)
			*out++ = *value;
	}
	if (copy)
		*out = '\0';
	return copy;
}

static int entry_add(struct trace2_config *config, const char *section, const char *name,
		     const char *value)
{
	struct config_entry *entries = reallocarray(config->entries, config->nr_entries + 1,
						    sizeof(*entries));
	struct config_entry *entry;

	if (!entries)
		return -1;
	config->entries = entries;
	entry = &entries[config->nr_entries++];
	entry->scope = config->scope;
	entry->key = key_make(section, name);
	entry->value = value_make(value);
	return entry->key && entry->value ? 0 : -1;
}

/* Returns what inih wants: 0 for a failure. */
static int entry_handle(void *context, const char *section, const char *name, const char *value)
{
	return entry_add(context, section, name, value) == 0;
}

/*
 * Lines that are none, and those beyond inih's 200 bytes, are left out: settings must never fail
 * the program.
 */
int config_file_read(struct trace2_config *config, const char *path, const char *scope)
{
	FILE *file = fopen(path, "re");
	size_t i;

	if (!file)
		return 0;
	config->scope = scope;
	ini_parse_stream(line_read, file, entry_handle, config);
	fclose(file);
	for (i = 0; i < config->nr_entries; i++) {
		if (!config->entries[i].key || !config->entries[i].value)
			return -1;
	}
	return 0;
}
