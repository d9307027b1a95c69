// SPDX-License-Identifier: GPL-2.0-only
/* Parses rules; see the grammar in ktrack-rules(5). Fields are checked when they are bound. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/naming.h"
#include "rules/rule.h"

static const char *const kind_names[] = {
	[RULE_SLICE] = "slice",	    [RULE_STATE] = "state", [RULE_COUNTER] = "counter",
	[RULE_INSTANT] = "instant", [RULE_FLOW] = "flow",
};
_Static_assert(sizeof(kind_names) / sizeof(kind_names[0]) == RULE_KIND_COUNT, "a name for a kind");

const char *rule_kind_name(enum rule_kind kind)
{
	return kind_names[kind];
}

/** struct key_use - a key's role, if it names a tracepoint, and the kinds of rules that have it */
struct key_use {
	bool is_tracepoint;
	enum rule_role role;
	unsigned int kinds;
};

#define KIND(kind) (1u << RULE_##kind)
#define ALL_KINDS ((1u << RULE_KIND_COUNT) - 1)

static const struct key_use key_uses[KEY_COUNT] = {
	[KEY_BEGIN] = { true, RULE_BEGIN, KIND(SLICE) },
	[KEY_END] = { true, RULE_END, KIND(SLICE) | KIND(STATE) },
	[KEY_ON] = { true, RULE_ON, KIND(STATE) },
	/* Its role is that of the tracepoint before it. */
	[KEY_OR] = { true, RULE_ROLE_COUNT, ALL_KINDS },
	[KEY_EVENT] = { true, RULE_EVENT, KIND(COUNTER) | KIND(INSTANT) },
	[KEY_FROM] = { true, RULE_FROM, KIND(FLOW) },
	[KEY_TO] = { true, RULE_TO, KIND(FLOW) },
	[KEY_MATCH] = { .kinds = KIND(SLICE) | KIND(FLOW) },
	[KEY_SCOPE] = { .kinds = ALL_KINDS },
	[KEY_TRACK] = { .kinds = ALL_KINDS },
	[KEY_NAME] = { .kinds = KIND(SLICE) | KIND(STATE) | KIND(INSTANT) | KIND(FLOW) },
	[KEY_ARGS] = { .kinds = ALL_KINDS },
	[KEY_WHERE] = { .kinds = ALL_KINDS },
	[KEY_UNLESS] = { .kinds = KIND(STATE) | KIND(SLICE) },
	[KEY_VALUE] = { .kinds = KIND(COUNTER) },
	[KEY_UNIT] = { .kinds = KIND(COUNTER) },
	[KEY_OF] = { .kinds = KIND(COUNTER) },
};

/**
 * struct parser - the rule that is being parsed
 * @rule: NULL before the first one
 * @local: settings of the last tracepoint of this line; NULL if settings are the rule's
 */
struct parser {
	struct line_place place;
	struct rule *rule;
	struct rule_settings *local;
	int (*add)(void *context, struct rule *rule, struct error *error);
	void *context;
};

static int text_copy(char **out, struct text text, struct error *error)
{
	*out = strndup(text.data, text.size);
	return *out ? 0 : error_set(error, "out of memory");
}

/* Sets "SOURCE:LINE:COLUMN: PROBLEM"; returns -1. */
static int line_error(const struct line_place *place, const char *at, struct error *error,
		      const char *format, ...)
{
	struct error problem;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(problem.text, sizeof(problem.text), format, arguments);
	va_end(arguments);
	return error_set(error, "%s:%u:%zu: %s", place->source, place->line,
			 (size_t)(at - place->begin) + 1, problem.text);
}

/* A setting is given once. */
static int text_set(struct parser *parser, char **out, struct text text, const char *key,
		    struct error *error)
{
	if (*out)
		return line_error(&parser->place, text.data, error, "'%s' is given twice", key);
	return text_copy(out, text, error);
}

static bool is_space(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r';
}

static void rule_line_skip(struct text *text, size_t size)
{
	text->data += size;
	text->size -= size;
}

/* Removes leading spaces and tabs. */
static void line_take_space(struct text *line)
{
	while (line->size > 0 && is_space(line->data[0]))
		rule_line_skip(line, 1);
}

static bool take_separator(struct text *rest, char separator)
{
	line_take_space(rest);
	if (rest->size == 0 || rest->data[0] != separator)
		return false;
	rest->data++;
	rest->size--;
	line_take_space(rest);
	return true;
}

static bool is_word(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') || (byte && strchr("_:.-*?[]", byte));
}

/* Removes the first word, of letters, digits and any of "_:.-*?[]". */
static struct text rule_line_take_word(struct text *line)
{
	struct text word = { .data = line->data };

	while (word.size < line->size && is_word(line->data[word.size]))
		word.size++;
	rule_line_skip(line, word.size);
	return word;
}

/* Takes "FIELD", or "FIELD + FIELD" if @may_add, whose name is "FIELD+FIELD". */
static int sum_take(struct parser *parser, struct text *rest, bool may_add, char **out,
		    struct error *error)
{
	struct text name = rule_line_take_word(rest), added = { 0 };
	bool is_sum = name.size > 0 && may_add && take_separator(rest, '+');

	if (is_sum)
		added = rule_line_take_word(rest);
	if (name.size == 0 || (is_sum && added.size == 0))
		return line_error(&parser->place, rest->data, error, "expected a field");
	if (!is_sum)
		return text_copy(out, name, error);
	if (asprintf(out, "%.*s+%.*s", (int)name.size, name.data, (int)added.size, added.data) < 0)
		return error_set(error, "out of memory");
	return 0;
}

/* Takes "FIELD, FIELD". */
static int fields_take(struct parser *parser, struct text *rest, bool may_add,
		       struct field_names *out, size_t max, struct error *error)
{
	do {
		if (out->size == max)
			return line_error(&parser->place, rest->data, error, "more than %zu fields",
					  max);
		if (sum_take(parser, rest, may_add, &out->names[out->size], error) < 0)
			return -1;
		out->size++;
	} while (take_separator(rest, ','));
	return 0;
}

static int expect_end(struct parser *parser, struct text rest, struct error *error)
{
	line_take_space(&rest);
	if (rest.size == 0)
		return 0;
	return line_error(&parser->place, rest.data, error, "unexpected '%.*s'", (int)rest.size,
			  rest.data);
}

/* "FIELD, FIELD", or "FIELD, FIELD -> FIELD, FIELD" if the fields of the end have other names. */
static int match_parse(struct parser *parser, struct text value, struct error *error)
{
	struct rule *rule = parser->rule;
	const char *arrow = memmem(value.data, value.size, "->", 2);
	struct text begin = value, end;

	if (rule->match_begin.size > 0)
		return line_error(&parser->place, value.data, error, "'match' is given twice");
	if (arrow)
		begin.size = arrow - value.data;
	end = begin;
	if (arrow)
		end = (struct text){ arrow + 2, value.data + value.size - arrow - 2 };
	line_take_space(&end);
	if (fields_take(parser, &begin, true, &rule->match_begin, KEYS_IDS_MAX, error) < 0 ||
	    expect_end(parser, begin, error) < 0 ||
	    fields_take(parser, &end, true, &rule->match_end, KEYS_IDS_MAX, error) < 0 ||
	    expect_end(parser, end, error) < 0)
		return -1;
	if (rule->match_begin.size != rule->match_end.size)
		return line_error(&parser->place, value.data, error,
				  "%zu fields on the left of '->', %zu on the right",
				  rule->match_begin.size, rule->match_end.size);
	return 0;
}

/** struct scope_word - a scope by its name; those of a task or CPU may have a field */
struct scope_word {
	const char *word;
	enum descriptor_scope kind;
};

static const struct scope_word scope_words[] = {
	{ "thread", DESCRIPTOR_SCOPE_THREAD },
	{ "process", DESCRIPTOR_SCOPE_PROCESS },
	{ "cpu", DESCRIPTOR_SCOPE_CPU },
	{ "global", DESCRIPTOR_SCOPE_GLOBAL },
};

static const struct scope_word *scope_word_find(struct text word)
{
	for (size_t i = 0; i < sizeof(scope_words) / sizeof(scope_words[0]); i++) {
		if (text_equals(word, text_of(scope_words[i].word)))
			return &scope_words[i];
	}
	return NULL;
}

/* "thread", "thread:FIELD", "process:FIELD", "cpu", "cpu:FIELD", "global", or "FIELD, FIELD". */
static int scope_parse(struct parser *parser, struct rule_scope *scope, struct text value,
		       struct error *error)
{
	const char *colon = memchr(value.data, ':', value.size);
	struct text word = { value.data, colon ? (size_t)(colon - value.data) : value.size };
	const struct scope_word *found;

	if (scope->is_set)
		return line_error(&parser->place, value.data, error, "'scope' is given twice");
	scope->is_set = true;
	found = scope_word_find(word);
	if (!found && colon)
		return line_error(&parser->place, value.data, error,
				  "unknown scope '%.*s'; use thread, process or cpu",
				  (int)word.size, word.data);
	scope->kind = found ? found->kind : DESCRIPTOR_SCOPE_CUSTOM;
	if (found && !colon)
		return 0;
	if (colon)
		value = (struct text){ colon + 1, value.data + value.size - colon - 1 };
	if (fields_take(parser, &value, false, &scope->fields, colon ? 1 : RULE_FIELDS_MAX, error) <
	    0)
		return -1;
	return expect_end(parser, value, error);
}

static int value_parse(struct parser *parser, struct text value, struct error *error)
{
	struct rule *rule = parser->rule;
	char sign = value.size > 0 ? value.data[0] : 0;
	struct text rest;

	if (sign == '+' || sign == '-') {
		rule->sign = sign == '+' ? VALUE_PLUS : VALUE_MINUS;
		value.data++;
		value.size--;
	}
	rest = value;
	if (rule_line_take_word(&rest).size == 0)
		return line_error(&parser->place, value.data, error, "expected a field");
	if (expect_end(parser, rest, error) < 0)
		return -1;
	return text_set(parser, &rule->value, value, "value", error);
}

static int name_split(struct parser *parser, struct text word, char **first, char **second,
		      const char *example, struct error *error)
{
	const char *colon = memchr(word.data, ':', word.size);
	size_t size = colon ? (size_t)(colon - word.data) : 0;

	if (size == 0 || size + 1 == word.size)
		return line_error(&parser->place, word.data, error, "expected %s", example);
	if (text_copy(first, (struct text){ word.data, size }, error) < 0)
		return -1;
	return text_copy(second, (struct text){ colon + 1, word.size - size - 1 }, error);
}

/* "SYSTEM:EVENT", or "program:SYSTEM:EVENT", whose system is behind PROGRAM_PREFIX. */
static int use_split(struct parser *parser, struct text word, struct rule_use *use,
		     struct error *error)
{
	const size_t prefix = strlen(PROGRAM_PREFIX);
	bool is_of_program = word.size > prefix && memcmp(word.data, PROGRAM_PREFIX, prefix) == 0 &&
			     memchr(word.data + prefix, ':', word.size - prefix);
	struct text name = word;
	char *system = NULL;

	if (is_of_program)
		name = (struct text){ word.data + prefix, word.size - prefix };
	if (name_split(parser, name, &use->system, &use->event, "a tracepoint SYS:EVENT", error) <
	    0)
		return -1;
	if (!is_of_program)
		return 0;
	if (asprintf(&system, PROGRAM_PREFIX "%s", use->system) < 0)
		return error_set(error, "out of memory");
	free(use->system);
	use->system = system;
	return 0;
}

static int use_parse(struct parser *parser, enum rule_role role, struct text value,
		     struct error *error)
{
	struct rule *rule = parser->rule;
	bool is_alternative = role == RULE_ROLE_COUNT;
	struct rule_use *use;

	if (!array_reserve(rule->uses, rule->nr_uses))
		return error_set(error, "out of memory");
	if (rule->nr_uses == RULE_USES_MAX)
		return line_error(&parser->place, value.data, error, "more than %d tracepoints",
				  RULE_USES_MAX);
	if (is_alternative && rule->nr_uses == 0)
		return line_error(&parser->place, value.data, error,
				  "'or' needs a tracepoint before it");
	use = &rule->uses[rule->nr_uses++];
	*use = (struct rule_use){ .role = is_alternative ? use[-1].role : role,
				  .is_alternative = is_alternative };
	if (use_split(parser, rule_line_take_word(&value), use, error) < 0)
		return -1;
	line_take_space(&value);
	if (value.size > 3 && memcmp(value.data, "at ", 3) == 0) {
		value = (struct text){ value.data + 3, value.size - 3 };
		line_take_space(&value);
		return scope_parse(parser, &use->settings.scope, value, error);
	}
	return expect_end(parser, value, error);
}

/* Sets a text that @check accepts. */
static int text_set_checked(struct parser *parser, char **out, struct text text, const char *key,
			    int (*check)(const char *text, struct error *error),
			    struct error *error)
{
	struct error problem = { 0 };

	if (text_set(parser, out, text, key, error) < 0)
		return -1;
	if (check(*out, &problem) == 0)
		return 0;
	return line_error(&parser->place, text.data, error, "%s: %s", key, problem.text);
}

/* Tokenizer of rules. It works on one line at a time; the parser joins the lines of a rule. */

static const char *const key_names[] = {
	[KEY_BEGIN] = "begin", [KEY_END] = "end",	[KEY_ON] = "on",
	[KEY_EVENT] = "event", [KEY_FROM] = "from",	[KEY_TO] = "to",
	[KEY_MATCH] = "match", [KEY_SCOPE] = "scope",	[KEY_OR] = "or",
	[KEY_TRACK] = "track", [KEY_NAME] = "name",	[KEY_ARGS] = "args",
	[KEY_WHERE] = "where", [KEY_VALUE] = "value",	[KEY_UNIT] = "unit",
	[KEY_OF] = "of",       [KEY_UNLESS] = "unless",
};
_Static_assert(sizeof(key_names) / sizeof(key_names[0]) == KEY_COUNT, "a name for every key");

/* The key as it is written. */
static const char *rule_key_name(enum rule_key key)
{
	return key_names[key];
}

static int setting_apply(struct parser *parser, enum rule_key key, struct text value,
			 struct error *error)
{
	struct rule_settings *settings = parser->local ? parser->local : &parser->rule->settings;
	const char *name = rule_key_name(key);

	switch (key) {
	case KEY_MATCH:
		return match_parse(parser, value, error);
	case KEY_SCOPE:
		return scope_parse(parser, &settings->scope, value, error);
	case KEY_TRACK:
		return text_set_checked(parser, &settings->track, value, name, naming_check, error);
	case KEY_NAME:
		return text_set_checked(parser, &settings->name, value, name, naming_check, error);
	case KEY_ARGS:
		return text_set(parser, &settings->args, value, name, error);
	case KEY_WHERE:
		return text_set_checked(parser, &settings->where, value, name, event_filter_check,
					error);
	case KEY_UNLESS:
		return text_set(parser, &settings->unless, value, name, error);
	case KEY_VALUE:
		return value_parse(parser, value, error);
	case KEY_UNIT:
		return text_set(parser, &parser->rule->unit, value, name, error);
	default:
		return text_set(parser, &parser->rule->of, value, name, error);
	}
}

/* Whether settings behind a tracepoint are its own: not on the first line, but of states and flows.
 */
static bool has_local_settings(const struct parser *parser, bool is_first)
{
	enum rule_kind kind = parser->rule->kind;

	return !is_first || kind == RULE_STATE || kind == RULE_FLOW;
}

/* Takes "KEY =" from the line, which is no "KEY ==". Returns KEY_COUNT if that does not follow. */
static enum rule_key key_take(struct text *line)
{
	struct text rest = *line;
	struct text word = rule_line_take_word(&rest);
	enum rule_key key = 0;

	line_take_space(&rest);
	if (rest.size == 0 || rest.data[0] != '=' || (rest.size > 1 && rest.data[1] == '='))
		return KEY_COUNT;
	while (key < KEY_COUNT && !text_equals(word, text_of(key_names[key])))
		key++;
	rule_line_skip(&rest, 1);
	if (key < KEY_COUNT)
		*line = rest;
	return key;
}

static int key_refuse(const struct line_place *place, struct text line, struct error *error)
{
	const char *begin = line.data;
	struct text word = rule_line_take_word(&line);
	struct suggestion meant = { 0 };

	for (enum rule_key key = 0; key < KEY_COUNT; key++)
		suggestion_add(&meant, word, key_names[key]);
	if (meant.word[0])
		return line_error(place, begin, error, "no key '%.*s'; did you mean '%s'?",
				  (int)word.size, word.data, meant.word);
	return line_error(place, begin, error, "expected KEY = VALUE; see ktrack-rules(5)");
}

/** struct nesting - whether a byte is within quotes or braces */
struct nesting {
	char quote;
	unsigned int braces;
};

static bool nesting_pass(struct nesting *nesting, char byte)
{
	if (nesting->quote) {
		if (byte == nesting->quote)
			nesting->quote = 0;
		return true;
	}
	if (byte == '"')
		nesting->quote = byte;
	else if (byte == '{')
		nesting->braces++;
	else if (byte == '}' && nesting->braces > 0)
		nesting->braces--;
	return nesting->quote || nesting->braces > 0;
}

static size_t value_size(struct text line)
{
	struct nesting nesting = { 0 };

	for (size_t i = 0; i < line.size; i++) {
		struct text rest = { .data = line.data + i + 1, .size = line.size - i - 1 };

		if (!nesting_pass(&nesting, line.data[i]) && is_space(line.data[i]) &&
		    key_take(&rest) != KEY_COUNT)
			return i;
	}
	return line.size;
}

static struct text text_trim_end(struct text text)
{
	while (text.size > 0 && is_space(text.data[text.size - 1]))
		text.size--;
	return text;
}

/* Quotes around the whole value only protect it. */
static struct text value_unquote(struct text value)
{
	bool is_quoted = value.size >= 2 && value.data[0] == '"' &&
			 memchr(value.data + 1, '"', value.size - 1) == value.data + value.size - 1;

	if (is_quoted) {
		rule_line_skip(&value, 1);
		value.size--;
	}
	return value;
}

/*
 * Removes the first setting
 * @key: its key
 * @value: its value: up to the next "KEY =" after a space, without quotes around all of it
 *
 * Braces and quotes protect what looks like a setting. Returns 0, or -1 with @error.
 */
static int line_take_setting(const struct line_place *place, struct text *line, enum rule_key *key,
			     struct text *value, struct error *error)
{
	const char *begin = line->data;

	*key = key_take(line);
	if (*key == KEY_COUNT)
		return key_refuse(place, *line, error);
	line_take_space(line);
	value->data = line->data;
	value->size = value_size(*line);
	rule_line_skip(line, value->size);
	*value = text_trim_end(*value);
	line_take_space(line);
	if (value->size == 0)
		return line_error(place, begin, error, "'%s' has no value", key_names[*key]);
	*value = value_unquote(*value);
	return 0;
}

static int settings_parse(struct parser *parser, struct text line, bool is_first,
			  struct error *error)
{
	parser->local = NULL;
	line_take_space(&line);
	while (line.size > 0) {
		const char *begin = line.data;
		const struct key_use *use;
		struct text value;
		enum rule_key key;

		if (line_take_setting(&parser->place, &line, &key, &value, error) < 0)
			return -1;
		use = &key_uses[key];
		if (!(use->kinds & 1u << parser->rule->kind))
			return line_error(&parser->place, begin, error, "%s %s has no '%s'",
					  parser->rule->kind == RULE_INSTANT ? "an" : "a",
					  kind_names[parser->rule->kind], rule_key_name(key));
		if (!use->is_tracepoint) {
			if (setting_apply(parser, key, value, error) < 0)
				return -1;
			continue;
		}
		if (use_parse(parser, use->role, value, error) < 0)
			return -1;
		if (has_local_settings(parser, is_first))
			parser->local = &parser->rule->uses[parser->rule->nr_uses - 1].settings;
	}
	return 0;
}

static int rule_begin(struct parser *parser, struct text line, struct error *error)
{
	struct text word = rule_line_take_word(&line);
	struct rule *rule = calloc(1, sizeof(*rule));
	enum rule_kind kind = 0;
	char *pack = NULL, *name = NULL;
	int status;

	parser->rule = rule;
	if (!rule)
		return error_set(error, "out of memory");
	while (kind < RULE_KIND_COUNT && !text_equals(word, text_of(kind_names[kind])))
		kind++;
	if (kind == RULE_KIND_COUNT)
		return line_error(&parser->place, word.data, error,
				  "expected slice, state, counter, instant or flow");
	rule->kind = kind;
	rule->source = parser->place.source;
	rule->line = parser->place.line;
	line_take_space(&line);
	word = rule_line_take_word(&line);
	status = name_split(parser, word, &pack, &name, "a name PACK:NAME", error);
	free(pack);
	free(name);
	if (status < 0 || text_copy(&rule->descriptor.category, word, error) < 0)
		return -1;
	return settings_parse(parser, line, true, error);
}

static bool rule_has_role(const struct rule *rule, enum rule_role role)
{
	for (size_t i = 0; i < rule->nr_uses; i++) {
		if (rule->uses[i].role == role)
			return true;
	}
	return false;
}

static const char *rule_lack(const struct rule *rule)
{
	switch (rule->kind) {
	case RULE_SLICE:
		if (!rule_has_role(rule, RULE_BEGIN))
			return "begin";
		return rule_has_role(rule, RULE_END) ? NULL : "end";
	case RULE_STATE:
		return rule_has_role(rule, RULE_ON) ? NULL : "on";
	case RULE_FLOW:
		if (!rule_has_role(rule, RULE_FROM))
			return "from";
		if (!rule_has_role(rule, RULE_TO))
			return "to";
		return rule_matches(rule) ? NULL : "match";
	case RULE_COUNTER:
		if (rule->of)
			return NULL;
		if (!rule_has_role(rule, RULE_EVENT))
			return "event";
		return rule->value ? NULL : "value";
	default:
		return rule_has_role(rule, RULE_EVENT) ? NULL : "event";
	}
}

/* A counter of open slices has the tracks of their rule, and nothing of its own but a unit. */
static bool rule_counts_more(const struct rule *rule)
{
	const struct rule_settings *own = &rule->settings;

	return rule->of && (rule->nr_uses > 0 || rule->value || own->scope.is_set || own->track ||
			    own->args || own->where);
}

/* Hands over the last rule. */
static int rule_end(struct parser *parser, struct error *error)
{
	struct rule *rule = parser->rule;
	const char *lack = rule ? rule_lack(rule) : NULL;

	if (rule && rule_counts_more(rule))
		return error_set(error, "%s:%u:1: %s: 'of' allows no other setting but unit",
				 rule->source, rule->line, rule->descriptor.category);
	if (lack)
		return error_set(error, "%s:%u:1: %s has no '%s'", rule->source, rule->line,
				 rule->descriptor.category, lack);
	parser->rule = NULL;
	return rule ? parser->add(parser->context, rule, error) : 0;
}

static int line_parse(struct parser *parser, struct text line, struct error *error)
{
	bool is_first = line.data[0] != ' ' && line.data[0] != '\t';

	if (!is_first && !parser->rule)
		return line_error(&parser->place, line.data, error,
				  "an indented line without a rule above it");
	if (!is_first)
		return settings_parse(parser, line, false, error);
	return rule_end(parser, error) < 0 ? -1 : rule_begin(parser, line, error);
}

/* The line without comment and trailing space; '#' begins one after a space. */
static struct text line_cut_comment(struct text line)
{
	struct nesting nesting = { 0 };

	for (size_t i = 0; i < line.size; i++) {
		bool is_nested = nesting_pass(&nesting, line.data[i]);

		if (line.data[i] == '#' && !is_nested && (i == 0 || is_space(line.data[i - 1]))) {
			line.size = i;
			break;
		}
	}
	return text_trim_end(line);
}

int rule_text_parse(struct text text, const char *source,
		    int (*add)(void *context, struct rule *rule, struct error *error),
		    void *context, struct error *error)
{
	struct parser parser = { .place.source = source, .add = add, .context = context };
	int status = 0;

	if (memchr(text.data, '\0', text.size))
		return error_set(error, "%s: not a text file", source);
	while (text.size > 0 && status == 0) {
		struct text line = text_take_line(&text);

		parser.place.line++;
		parser.place.begin = line.data;
		line = line_cut_comment(line);
		if (line.size > 0)
			status = line_parse(&parser, line, error);
	}
	if (status == 0)
		status = rule_end(&parser, error);
	rule_free(parser.rule);
	return status;
}

/* Frees rules. */

static void field_names_free(struct field_names *names)
{
	for (size_t i = 0; i < names->size; i++)
		free(names->names[i]);
}

static void settings_free(struct rule_settings *settings)
{
	field_names_free(&settings->scope.fields);
	free(settings->name);
	free(settings->track);
	free(settings->args);
	free(settings->where);
	free(settings->unless);
}

void rule_free(struct rule *rule)
{
	if (!rule)
		return;
	settings_free(&rule->settings);
	field_names_free(&rule->match_begin);
	field_names_free(&rule->match_end);
	for (size_t i = 0; i < rule->nr_uses; i++) {
		free(rule->uses[i].system);
		free(rule->uses[i].event);
		buffer_release(&rule->uses[i].lacks);
		settings_free(&rule->uses[i].settings);
	}
	free(rule->uses);
	free(rule->value);
	free(rule->unit);
	free(rule->label);
	free(rule->of);
	free(rule->descriptor.category);
	free(rule->descriptor.scope_field);
	free(rule);
}
