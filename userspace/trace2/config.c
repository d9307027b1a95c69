// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Settings: their sources, and their effect on a session. */
#include "trace2/config.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_PREFIX "GIT_TRACE2"

/**
 * struct key_row - the names of a setting
 * @suffix: the end of its variable's name
 * @key: in files; NULL for none
 */
struct key_row {
	const char *suffix;
	const char *key;
};

static const struct key_row keys[] = {
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

/** struct target_keys - the settings of a target */
struct target_keys {
	enum trace2_key target;
	enum trace2_key brief;
};

static const struct target_keys target_keys[] = {
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

static int config_read_sources(struct trace2_config *config, const char *prefix,
			       const char *system_path, const char *user_path)
{
	if (variables_read(config, prefix) < 0)
		return -1;
	if (system_path && config_file_read(config, system_path, "system") < 0)
		return -1;
	return user_path ? config_file_read(config, user_path, "global") : 0;
}

struct trace2_config *trace2_config_new(const char *prefix, const char *system_path,
					const char *user_path)
{
	struct trace2_config *config = calloc(1, sizeof(*config));

	if (!config || config_read_sources(config, prefix, system_path, user_path) == 0)
		return config;
	trace2_config_free(config);
	return NULL;
}

const char *trace2_config_get(const struct trace2_config *config, enum trace2_key key)
{
	if (config->variables[key])
		return config->variables[key];
	for (size_t i = config->nr_entries; keys[key].key && i > 0; i--) {
		const struct config_entry *entry = &config->entries[i - 1];

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

void config_warn(struct trace2_config *config, const char *format, ...)
{
	struct error error = { 0 };
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error.text, sizeof(error.text), format, arguments);
	va_end(arguments);
	buffer_append(&config->warnings, error.text, strlen(error.text) + 1);
}

static void warnings_report(const struct trace2_config *config,
			    const struct trace2_settings *settings)
{
	size_t done = 0;

	if (!settings->reports_all || !settings->report)
		return;
	while (done < config->warnings.size) {
		const char *warning = config->warnings.data + done;

		settings->report(settings->report_context, warning);
		done += strlen(warning) + 1;
	}
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
	warnings_report(config, settings);
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
	struct buffer pattern = { 0 };
	bool is_wanted = false;

	while (param && !is_wanted && list_next(&list, &pattern))
		is_wanted = fnmatch(buffer_string(&pattern), param, FNM_CASEFOLD) == 0;
	buffer_release(&pattern);
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

	for (size_t i = 0; list && i < config->nr_entries && status == 0; i++) {
		const struct config_entry *entry = &config->entries[i];

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
	struct buffer name = { 0 };
	int status = 0;

	while (status == 0 && list_next(&list, &name)) {
		const char *value = secure_getenv(buffer_string(&name));

		if (value && *value)
			status = visit(context, "command", buffer_string(&name), value);
	}
	buffer_release(&name);
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
	for (size_t i = 0; i < config->nr_entries; i++) {
		free(config->entries[i].key);
		free(config->entries[i].value);
	}
	for (int i = 0; i < TRACE2_KEY_COUNT; i++) {
		free(config->names[i]);
		free(config->variables[i]);
	}
	free(config->entries);
	buffer_release(&config->warnings);
	free(config);
}
