// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Settings: their sources, and their effect on a session. */
#include "trace2/session.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define DEFAULT_PREFIX "GIT_TRACE2"

/* The names of the settings: the end of a variable's, and that in files. */
static const struct {
	const char *suffix;
	const char *key; /* NULL for none */
} keys[] = {
	[TRACE2_KEY_NORMAL] = { "", "trace2.normaltarget" },
	[TRACE2_KEY_NORMAL_BRIEF] = { "_BRIEF", "trace2.normalbrief" },
	[TRACE2_KEY_PERF] = { "_PERF", "trace2.perftarget" },
	[TRACE2_KEY_PERF_BRIEF] = { "_PERF_BRIEF", "trace2.perfbrief" },
	[TRACE2_KEY_EVENT] = { "_EVENT", "trace2.eventtarget" },
	[TRACE2_KEY_EVENT_BRIEF] = { "_EVENT_BRIEF", "trace2.eventbrief" },
	[TRACE2_KEY_EVENT_NESTING] = { "_EVENT_NESTING", "trace2.eventnesting" },
	[TRACE2_KEY_CONFIG_PARAMS] = { "_CONFIG_PARAMS", "trace2.configparams" },
	[TRACE2_KEY_ENV_VARS] = { "_ENV_VARS", "trace2.envvars" },
	[TRACE2_KEY_DST_DEBUG] = { "_DST_DEBUG", "trace2.destinationdebug" },
	[TRACE2_KEY_MAX_FILES] = { "_MAX_FILES", "trace2.maxfiles" },
	[TRACE2_KEY_REDACT] = { "_REDACT", NULL },
};
_Static_assert(sizeof(keys) / sizeof(keys[0]) == TRACE2_KEY_COUNT, "names for every setting");

/* The settings of each target. */
static const struct {
	enum trace2_key target;
	enum trace2_key brief;
} target_keys[] = {
	[TRACE2_NORMAL] = { TRACE2_KEY_NORMAL, TRACE2_KEY_NORMAL_BRIEF },
	[TRACE2_PERF] = { TRACE2_KEY_PERF, TRACE2_KEY_PERF_BRIEF },
	[TRACE2_EVENT] = { TRACE2_KEY_EVENT, TRACE2_KEY_EVENT_BRIEF },
};
_Static_assert(sizeof(target_keys) / sizeof(target_keys[0]) == TRACE2_TARGET_COUNT,
	       "settings for every target");

/* An empty variable counts as unset, so it does not override a file. */
static int variables_read(struct trace2_config *config, const char *prefix)
{
	for (int i = 0; i < TRACE2_KEY_COUNT; i++) {
		const char *value;

		if (asprintf(&config->names[i], "%s%s", prefix ? prefix : DEFAULT_PREFIX,
			     keys[i].suffix) < 0) {
			config->names[i] = NULL;
			return -1;
		}
		value = secure_getenv(config->names[i]);
		if (!value || !*value)
			continue;
		config->variables[i] = strdup(value);
		if (!config->variables[i])
			return -1;
	}
	return 0;
}

/* Reads a file, and those that it includes. */
static void config_read_file(struct trace2_config *config, const char *path, unsigned int depth);

struct trace2_config *trace2_config_new(const char *prefix, const char *system_path,
					const char *user_path)
{
	struct trace2_config *config = calloc(1, sizeof(*config));

	if (!config)
		return NULL;
	config->has_failed = variables_read(config, prefix) < 0;
	config->scope = "system";
	if (!config->has_failed && system_path)
		config_read_file(config, system_path, 0);
	config->scope = "global";
	if (!config->has_failed && user_path)
		config_read_file(config, user_path, 0);
	if (!config->has_failed)
		return config;
	trace2_config_free(config);
	return NULL;
}

static size_t config_entry_count(const struct trace2_config *config)
{
	return config->entries.size / sizeof(struct config_entry);
}

static const struct config_entry *config_entry_at(const struct trace2_config *config, size_t index)
{
	return (const struct config_entry *)config->entries.data + index;
}

const char *trace2_config_get(const struct trace2_config *config, enum trace2_key key)
{
	if (config->variables[key])
		return config->variables[key];
	for (size_t i = config_entry_count(config); keys[key].key && i > 0; i--) {
		const struct config_entry *entry = config_entry_at(config, i - 1);

		if (entry->value && strcmp(entry->key, keys[key].key) == 0)
			return entry->value;
	}
	return NULL;
}

const char *trace2_config_name(const struct trace2_config *config, enum trace2_key key)
{
	return config->names[key];
}

/* Keeps @out if the setting is missing or malformed. */
static void boolean_get(const struct trace2_config *config, enum trace2_key key, bool *out)
{
	const char *value = trace2_config_get(config, key);

	if (value && *value)
		boolean_parse(value, out);
}

/* git parses these three with atoi(), so "true" is 0. */
static int config_number(const struct trace2_config *config, enum trace2_key key)
{
	const char *value = trace2_config_get(config, key);

	return value ? atoi(value) : 0;
}

/* Keeps a warning, for a session that reports all failures. */
static void config_warn(struct trace2_config *config, const char *format, ...)
{
	struct error error = { 0 };
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error.text, sizeof(error.text), format, arguments);
	va_end(arguments);
	buffer_append(&config->warnings, error.text, strlen(error.text) + 1);
}

void trace2_config_apply(const struct trace2_config *config, struct trace2_settings *settings)
{
	int nesting = config_number(config, TRACE2_KEY_EVENT_NESTING);
	int max_files = config_number(config, TRACE2_KEY_MAX_FILES);
	bool hides_passwords = !settings->keeps_passwords;

	for (int i = 0; i < TRACE2_TARGET_COUNT; i++)
		boolean_get(config, target_keys[i].brief, &settings->is_brief[i]);
	if (nesting > 0)
		settings->max_nesting = nesting;
	if (max_files > 0)
		settings->max_files = max_files;
	if (config_number(config, TRACE2_KEY_DST_DEBUG) > 0)
		settings->reports_all = true;
	boolean_get(config, TRACE2_KEY_REDACT, &hides_passwords);
	settings->keeps_passwords = !hides_passwords;
	if (!settings->reports_all || !settings->report)
		return;
	for (size_t done = 0; done < config->warnings.size;
	     done += strlen(config->warnings.data + done) + 1)
		settings->report(settings->report_context, config->warnings.data + done);
}

int trace2_config_open(const struct trace2_config *config, struct trace2_session *session)
{
	int is_any_on = 0;

	for (int i = 0; i < TRACE2_TARGET_COUNT; i++) {
		enum trace2_key key = target_keys[i].target;
		int result = trace2_session_open(session, i, trace2_config_get(config, key),
						 config->names[key]);

		if (result < 0)
			return -1;
		is_any_on |= result;
	}
	return is_any_on;
}

/* Sets @out to the next word of a list with commas, without blanks; false at the end. */
static bool list_next(const char **list, struct buffer *out)
{
	const char *begin = *list;
	size_t size;

	if (!begin || !*begin)
		return false;
	size = strcspn(begin, ",");
	*list = begin + size + (begin[size] == ',');
	for (; size > 0 && strchr(" \t", *begin); size--)
		begin++;
	while (size > 0 && strchr(" \t", begin[size - 1]))
		size--;
	buffer_clear(out);
	buffer_append(out, begin, size);
	return true;
}

/* Whether a pattern of the list matches. */
static bool list_wants(const char *list, const char *param)
{
	SCOPED_BUFFER(pattern);
	bool is_wanted = false;

	while (param && !is_wanted && list_next(&list, &pattern))
		is_wanted = fnmatch(buffer_string(&pattern), param, FNM_CASEFOLD) == 0;
	return is_wanted;
}

bool trace2_config_wants(const struct trace2_config *config, const char *param)
{
	return list_wants(trace2_config_get(config, TRACE2_KEY_CONFIG_PARAMS), param);
}

/* The list is found once: the search for it reads all settings. */
int config_visit_params(const struct trace2_config *config,
			int (*visit)(void *context, const char *scope, const char *param,
				     const char *value),
			void *context)
{
	const char *list = trace2_config_get(config, TRACE2_KEY_CONFIG_PARAMS);
	int status = 0;

	for (size_t i = 0; list && i < config_entry_count(config) && status == 0; i++) {
		const struct config_entry *entry = config_entry_at(config, i);

		if (list_wants(list, entry->key))
			status = visit(context, entry->scope, entry->key, entry->value);
	}
	return status;
}

int config_visit_variables(const struct trace2_config *config,
			   int (*visit)(void *context, const char *scope, const char *param,
					const char *value),
			   void *context)
{
	const char *list = trace2_config_get(config, TRACE2_KEY_ENV_VARS);
	SCOPED_BUFFER(name);
	int status = 0;

	while (status == 0 && list_next(&list, &name)) {
		const char *value = secure_getenv(buffer_string(&name));

		if (value && *value)
			status = visit(context, "command", buffer_string(&name), value);
	}
	return status;
}

int trace2_config_visit(const struct trace2_config *config,
			int (*visit)(void *context, const char *scope, const char *param,
				     const char *value),
			void *context)
{
	int status = config_visit_params(config, visit, context);

	return status ? status : config_visit_variables(config, visit, context);
}

void trace2_config_free(struct trace2_config *config)
{
	if (!config)
		return;
	for (size_t i = 0; i < config_entry_count(config); i++) {
		free(config_entry_at(config, i)->key);
		free(config_entry_at(config, i)->value);
	}
	for (int i = 0; i < TRACE2_KEY_COUNT; i++) {
		free(config->names[i]);
		free(config->variables[i]);
	}
	buffer_release(&config->entries);
	buffer_release(&config->warnings);
	free(config);
}

/*
 * Reads settings in the syntax of git-config(1):
 *
 *	file       = { blank | comment | section | setting }
 *	section    = "[" name { "." name } [ blanks '"' subsection '"' ] "]"
 *	setting    = name [ "=" value ] end of line
 *	name       = letters, digits and "-"; in any case; a setting's begins with a letter
 *	subsection = any bytes but newlines; "\" makes the next byte literal
 *	value      = up to "#", ";" or the end of the line, without blanks at its ends; within
 *quotes all bytes are literal, except \" \\ \n \t \b and "\" before a newline, which also work
 *outside
 *
 * include.path names a file to read at that point. includeIf is not followed, because git takes no
 * trace2 settings from it. git refuses a whole file for one bad line; settings must not fail a
 * program here, so only the bad line is omitted, with a warning.
 */

#define BYTE_ORDER_MARK "\xef\xbb\xbf"
#define INCLUDE_KEY "include.path"
/* Files within one another, as in git; and files in all, which git does not limit. */
#define INCLUDE_DEPTH_MAX 10
#define FILES_MAX 1000
#define FILE_SIZE_MAX (16 * 1024 * 1024)

/** struct config_parser - a file that is being parsed */
struct config_parser {
	struct trace2_config *config;
	const char *path;
	unsigned int depth;    /* number of files that include it */
	struct text rest;      /* what is not parsed yet */
	unsigned int line;     /* the number of the line that @rest begins in */
	struct buffer section; /* the prefix of keys, up to a point; empty outside of sections */
	bool is_skipped;       /* the section's name is malformed, so its settings are omitted */
};

static void parser_warn(const struct config_parser *parser, const char *problem)
{
	config_warn(parser->config, "trace2: %s:%u: %s", parser->path, parser->line, problem);
}

/* The next byte; a file ends like a line. */
static char parser_peek(const struct config_parser *parser)
{
	const struct text *rest = &parser->rest;

	if (rest->size == 0 || (rest->size > 1 && rest->data[0] == '\r' && rest->data[1] == '\n'))
		return '\n';
	return rest->data[0];
}

static void parser_skip(struct config_parser *parser)
{
	size_t size = parser->rest.size > 1 && memcmp(parser->rest.data, "\r\n", 2) == 0 ? 2 : 1;

	if (parser->rest.size == 0)
		return;
	parser->line += parser->rest.data[size - 1] == '\n';
	parser->rest.data += size;
	parser->rest.size -= size;
}

static char parser_next(struct config_parser *parser)
{
	char byte = parser_peek(parser);

	parser_skip(parser);
	return byte;
}

/* Returns whether the next byte was @byte. */
static bool parser_accept(struct config_parser *parser, char byte)
{
	if (parser_peek(parser) != byte)
		return false;
	parser_skip(parser);
	return true;
}

static void parser_skip_line(struct config_parser *parser)
{
	while (parser_peek(parser) != '\n')
		parser_skip(parser);
}

static bool is_config_space(char byte)
{
	return isspace((unsigned char)byte);
}

static void parser_skip_blanks(struct config_parser *parser)
{
	while (parser_peek(parser) != '\n' && is_config_space(parser_peek(parser)))
		parser_skip(parser);
}

/* Appends a name in lower case; @others: the bytes that it may contain besides letters and digits
 */
static void parser_read_name(struct config_parser *parser, const char *others, struct buffer *out)
{
	for (;;) {
		unsigned char byte = parser_peek(parser);

		if (!isalnum(byte) && (!byte || !strchr(others, byte)))
			return;
		buffer_append_char(out, tolower(byte));
		parser_skip(parser);
	}
}

/* Reads "name.name]" or "name "subsection"]" after a bracket; returns false if it is malformed. */
static bool parser_read_header(struct config_parser *parser)
{
	struct buffer *section = &parser->section;

	buffer_clear(section);
	parser_read_name(parser, "-.", section);
	if (section->size == 0)
		return false;
	if (parser_peek(parser) != ']') {
		parser_skip_blanks(parser);
		if (!parser_accept(parser, '"'))
			return false;
		buffer_append_char(section, '.');
		while (!parser_accept(parser, '"')) {
			parser_accept(parser, '\\');
			if (parser_peek(parser) == '\n')
				return false;
			buffer_append_char(section, parser_next(parser));
		}
	}
	buffer_append_char(section, '.');
	return parser_accept(parser, ']');
}

/* Appends an escape behind its backslash; a newline continues the value. */
static bool parser_read_escape(struct config_parser *parser, struct buffer *value)
{
	static const char escapes[] = {
		['n'] = '\n', ['t'] = '\t', ['b'] = '\b', ['\\'] = '\\', ['"'] = '"'
	};
	unsigned char byte = parser_next(parser);

	if (byte == '\n')
		return true;
	if (byte >= sizeof(escapes) || !escapes[byte])
		return false;
	buffer_append_char(value, escapes[byte]);
	return true;
}

/* Returns false if quotes or escapes are malformed. */
static bool parser_read_value(struct config_parser *parser, struct buffer *value)
{
	bool is_quoted = false;
	/* Up to the last byte that is no blank at the end. */
	size_t size = 0;

	for (;;) {
		char byte = parser_peek(parser);

		if (byte == '\n' || (!is_quoted && (byte == ';' || byte == '#')))
			break;
		parser_skip(parser);
		if (byte == '"') {
			is_quoted = !is_quoted;
		} else if (byte == '\\') {
			bool is_continued = parser_peek(parser) == '\n';

			if (!parser_read_escape(parser, value))
				return false;
			if (is_continued)
				continue;
		} else if (is_quoted || !is_config_space(byte)) {
			buffer_append_char(value, byte);
		} else {
			if (value->size > 0)
				buffer_append_char(value, byte);
			continue;
		}
		size = value->size;
	}
	value->size = size;
	return !is_quoted;
}

/* Appends "= VALUE" to @value, if there is one. */
static bool parser_read_assignment(struct config_parser *parser, struct buffer *value,
				   bool *has_value)
{
	parser_skip_blanks(parser);
	*has_value = parser_accept(parser, '=');
	if (!*has_value && parser_peek(parser) != '\n') {
		parser_warn(parser, "neither a section nor a setting");
		return false;
	}
	if (*has_value && !parser_read_value(parser, value)) {
		parser_warn(parser, "malformed quotes or escapes");
		return false;
	}
	return true;
}

/* Settings of an included file come before those that follow in this one. */
static void parser_include(const struct config_parser *parser, const char *value)
{
	struct trace2_config *config = parser->config;
	const char *home = secure_getenv("HOME");
	int folder_size = path_base_name(parser->path) - parser->path;
	SCOPED_BUFFER(path);

	if (config->is_too_deep || !*value)
		return;
	if (parser->depth == INCLUDE_DEPTH_MAX || config->nr_files == FILES_MAX) {
		config->is_too_deep = true;
		parser_warn(parser, "too many included files");
		return;
	}
	if (strncmp(value, "~/", 2) == 0 && home)
		buffer_printf(&path, "%s/%s", home, value + 2);
	else if (*value == '/')
		buffer_append_string(&path, value);
	else
		buffer_printf(&path, "%.*s%s", folder_size, parser->path, value);
	if (path.failed)
		config->has_failed = true;
	else
		config_read_file(config, buffer_string(&path), parser->depth + 1);
}

static void parser_add(struct config_parser *parser, struct buffer *key, const char *value)
{
	struct trace2_config *config = parser->config;
	struct config_entry entry = { .scope = config->scope, .key = strdup(buffer_string(key)) };

	if (value)
		entry.value = strdup(value);
	if (!key->failed && entry.key && (!value || entry.value))
		buffer_append(&config->entries, &entry, sizeof(entry));
	else
		config->entries.failed = true;
	if (config->entries.failed) {
		free(entry.key);
		free(entry.value);
		config->has_failed = true;
		return;
	}
	if (value && strcmp(entry.key, INCLUDE_KEY) == 0)
		parser_include(parser, value);
}

static void parser_read_setting(struct config_parser *parser)
{
	struct buffer key = { 0 }, value = { 0 };
	bool has_value;

	buffer_append(&key, parser->section.data, parser->section.size);
	if (isalpha((unsigned char)parser_peek(parser)))
		parser_read_name(parser, "-", &key);
	if (key.size == parser->section.size)
		parser_warn(parser, "neither a section nor a setting");
	else if (parser_read_assignment(parser, &value, &has_value)) {
		if (parser->section.size > 0 && !parser->is_skipped)
			parser_add(parser, &key, has_value ? buffer_string(&value) : NULL);
		else if (!parser->is_skipped)
			parser_warn(parser, "setting outside of any section");
	}
	parser->config->has_failed |= value.failed;
	parser_skip_line(parser);
	buffer_release(&key);
	buffer_release(&value);
}

static void config_parse(struct config_parser *parser)
{
	size_t mark = strlen(BYTE_ORDER_MARK);

	if (parser->rest.size >= mark && memcmp(parser->rest.data, BYTE_ORDER_MARK, mark) == 0)
		parser->rest = (struct text){ parser->rest.data + mark, parser->rest.size - mark };
	while (parser->rest.size > 0 && !parser->config->has_failed) {
		char byte = parser_peek(parser);

		if (is_config_space(byte)) {
			parser_skip(parser);
		} else if (byte == '#' || byte == ';') {
			parser_skip_line(parser);
		} else if (byte == '[') {
			parser_skip(parser);
			parser->is_skipped = !parser_read_header(parser);
			if (parser->is_skipped) {
				parser_warn(parser, "malformed section name");
				parser_skip_line(parser);
			}
		} else {
			parser_read_setting(parser);
		}
	}
	parser->config->has_failed |= parser->section.failed;
	buffer_release(&parser->section);
}

static void config_read_file(struct trace2_config *config, const char *path, unsigned int depth)
{
	SCOPED_BUFFER(text);
	struct config_parser parser = { .config = config, .path = path, .depth = depth, .line = 1 };

	config->nr_files++;
	if (file_read_up_to(path, FILE_SIZE_MAX, &text) == 0) {
		parser.rest = buffer_text(&text);
		config_parse(&parser);
	} else if (errno == ENOMEM) {
		config->has_failed = true;
	} else if (errno != ENOENT && errno != ENOTDIR) {
		config_warn(config, "trace2: could not read '%s': %s", path, strerror(errno));
	}
}

/* Parses git's booleans. */

/* The factor of a unit behind a number; 0 if it is malformed. */
static long long unit_parse(const char *text)
{
	static const char units[] = "kmg";
	const char *unit = *text ? strchr(units, tolower((unsigned char)*text)) : NULL;

	if (!*text)
		return 1;
	return unit && !text[1] ? 1ll << 10 * (unit - units + 1) : 0;
}

/* An int of git: decimal, octal or hexadecimal, with k, m or g behind it. */
static int boolean_number_parse(const char *value, bool *out)
{
	long long number, unit;
	char *end;

	errno = 0;
	number = strtoll(value, &end, 0);
	unit = unit_parse(end);
	if (end == value || errno || unit == 0)
		return -1;
	if (number > INT_MAX / unit || number < INT_MIN / unit)
		return -1;
	*out = number != 0;
	return 0;
}

int boolean_parse(const char *value, bool *out)
{
	static const char *const words[2][3] = { { "false", "no", "off" },
						 { "true", "yes", "on" } };

	for (int truth = 0; truth < 2; truth++) {
		for (int i = 0; i < 3; i++) {
			if (strcasecmp(value, words[truth][i]) != 0)
				continue;
			*out = truth;
			return 0;
		}
	}
	return boolean_number_parse(value, out);
}
