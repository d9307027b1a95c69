// SPDX-License-Identifier: GPL-2.0-only
/* Parses probes of functions, in the kernel and in programs. */
#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "capture/probe.h"
#include "event/event.h"

/* The kernel's limit of arguments of an event. */
#define ARGUMENTS_MAX 128

/* Concurrent calls of a function whose returns are recorded; others are missed, and reported. */
#define KERNEL_RETURN "r1024"
#define PROGRAM_RETURN "r"

/* The value that a function returns, unless the user asks for another form of it. */
#define RETVAL "$retval"

/** struct symbol_place - a place in a function of a program */
struct symbol_place {
	struct text name;
	bool has_offset;
	uint64_t offset;
};

static bool is_identifier(struct text name)
{
	if (name.size == 0 || isdigit((unsigned char)name.data[0]))
		return false;
	for (size_t i = 0; i < name.size; i++) {
		if (!isalnum((unsigned char)name.data[i]) && name.data[i] != '_')
			return false;
	}
	return true;
}

/* Parameters of a C++ function may have spaces between their parentheses. */
static struct text probe_take_word(const char **rest)
{
	const char *begin = *rest + strspn(*rest, " "), *end;
	int depth = 0;

	for (end = begin; *end && (*end != ' ' || depth > 0); end++)
		depth += (*end == '(') - (*end == ')');
	*rest = end;
	return (struct text){ begin, end - begin };
}

static int argument_refuse(const struct probe *probe, struct text argument, struct error *error,
			   const char *problem)
{
	return error_set(error, "%s '%s': argument '%.*s': %s", probe->option, probe->text,
			 (int)argument.size, argument.data, problem);
}

/* "NAME=FETCHARG"; the value that the function returns is known at its end only. */
static int argument_add(struct probe *probe, struct text argument, struct error *error)
{
	const char *equals = memchr(argument.data, '=', argument.size);
	struct text name = { argument.data, equals ? equals - argument.data : 0 }, fetch;
	bool is_return;

	if (!is_identifier(name))
		return argument_refuse(probe, argument, error,
				       "not NAME=FETCHARG; write for example size=%dx:u64");
	fetch = (struct text){ equals + 1, argument.data + argument.size - equals - 1 };
	is_return = memmem(fetch.data, fetch.size, RETVAL, strlen(RETVAL));
	if (is_return && probe->nr_sites < 2)
		return argument_refuse(probe, argument, error,
				       "$retval is known at the return of a function only; leave "
				       "out +OFFSET and --entry-only");
	probe_site_add(&probe->sites[is_return], name, fetch);
	return 0;
}

static int arguments_parse(struct probe *probe, const char *rest, struct error *error)
{
	for (int i = 0; i <= ARGUMENTS_MAX; i++) {
		struct text argument = probe_take_word(&rest);

		if (argument.size == 0)
			break;
		if (i == ARGUMENTS_MAX)
			return probe_refuse(probe, error, "more than 128 arguments; write fewer");
		if (argument_add(probe, argument, error) < 0)
			return -1;
	}
	if (probe->nr_sites == 2 && probe->sites[1].names.size == 0)
		probe_site_add(&probe->sites[1], text_of("ret"), text_of(RETVAL ":s64"));
	return 0;
}

static int site_add(struct probe *probe, enum probe_role role, const char *kind, struct text place,
		    struct error *error)
{
	struct probe_site *site = probe_add_site(probe, role, kind, error);

	if (!site)
		return -1;
	buffer_append(&site->place, place.data, place.size);
	return 0;
}

/* A place inside of a function gets instants, the function itself slices. */
static int sites_add(struct probe *probe, bool is_slice, const char *return_kind, struct text place,
		     struct error *error)
{
	if (!is_slice)
		return site_add(probe, PROBE_INSTANT, "p", place, error);
	if (site_add(probe, PROBE_BEGIN, "p", place, error) < 0)
		return -1;
	return site_add(probe, PROBE_END, return_kind, place, error);
}

/* "[MODULE:]FUNCTION[+OFFSET]" */
static int function_parse(struct probe *probe, struct text place, struct error *error)
{
	const char *colon = memchr(place.data, ':', place.size);
	struct text title = place;

	if (colon) {
		title.data = colon + 1;
		title.size -= title.data - place.data;
	}
	if (title.size == 0 || memchr(place.data, '/', place.size) ||
	    memchr(title.data, ':', title.size))
		return probe_refuse(probe, error,
				    "not a function of the kernel; write FUNCTION or "
				    "MODULE:FUNCTION");
	probe->pack = PROBE_PACK_KERNEL;
	probe_set_title(probe, title);
	return sites_add(probe, !probe->is_entry_only && !memchr(title.data, '+', title.size),
			 KERNEL_RETURN, place, error);
}

/* The kernel would kill a program of Go: its stacks move, with the changed return addresses. */
static int function_check(const struct probe *probe, const struct elf_file *file,
			  const struct elf_function *function, const struct symbol_place *place,
			  struct error *error)
{
	if (!place->has_offset && elf_is_go(file))
		return probe_refuse(probe, error,
				    "a program of Go, which crashes if returns are recorded; write "
				    "PATH:SYMBOL+0, or --entry-only, for instants at its calls");
	if (place->offset > 0 && place->offset >= function->size)
		return probe_refuse(probe, error,
				    "the offset is behind the function's end; 'objdump -d PATH' "
				    "shows where its instructions begin");
	return 0;
}

/* The kernel's form of a place is "PATH:OFFSET", with the file's real path. */
static int symbol_locate(struct probe *probe, const char *path, const struct symbol_place *place,
			 struct buffer *out, struct error *error)
{
	struct elf_function function = { 0 };
	struct buffer name = { 0 };
	struct elf_file *file = NULL;
	int status = probe_find_file(probe, path, out, error);

	buffer_append(&name, place->name.data, place->name.size);
	if (status == 0)
		status = elf_open(&file, buffer_string(out), error);
	if (status == 0)
		status = elf_find_function(file, buffer_string(&name), &function, error);
	if (status == 0)
		status = function_check(probe, file, &function, place, error);
	if (status == 0) {
		buffer_printf(out, ":0x%llx",
			      (unsigned long long)(function.offset + place->offset));
		buffer_append_string(&probe->part, function.part);
	}
	buffer_release(&name);
	elf_close(file);
	return status;
}

static bool file_exists(struct text path)
{
	struct buffer name = { 0 };
	bool exists;

	buffer_append(&name, path.data, path.size);
	exists = file_find_built(AT_FDCWD, &name) == 0;
	buffer_release(&name);
	return exists;
}

/*
 * Names of C++ and of Go have colons and slashes, and so may paths: the path is the first part that
 * exists. Without one, it is what comes before the first colon.
 */
static const char *path_end(struct text place)
{
	const char *end = place.data + place.size, *first = NULL;

	for (const char *at = place.data; (at = memchr(at, ':', end - at)); at++) {
		if (at == place.data || at + 1 == end)
			continue;
		if (file_exists((struct text){ place.data, at - place.data }))
			return at;
		first = first ? first : at;
	}
	return first;
}

/* "SYMBOL[+OFFSET]"; names of operators have a '+', too. */
static struct symbol_place symbol_split(struct text symbol)
{
	struct symbol_place place = { .name = symbol };
	const char *plus = memrchr(symbol.data, '+', symbol.size);
	char *end = NULL;

	if (!plus || plus == symbol.data || !isdigit((unsigned char)plus[1]))
		return place;
	place.offset = strtoull(plus + 1, &end, 0);
	place.has_offset = end == symbol.data + symbol.size;
	if (place.has_offset)
		place.name.size = plus - symbol.data;
	else
		place.offset = 0;
	return place;
}

/* "PATH:SYMBOL[+OFFSET]" */
static int symbol_parse(struct probe *probe, struct text text, struct error *error)
{
	const char *colon = path_end(text);
	struct buffer path = { 0 }, located = { 0 };
	struct symbol_place place;
	struct text title;
	int status = 0;

	if (!colon)
		return probe_refuse(probe, error,
				    "not a function of a program; write PATH:SYMBOL");
	title = (struct text){ colon + 1, text.data + text.size - colon - 1 };
	place = symbol_split(title);
	place.has_offset |= probe->is_entry_only;
	probe->pack = "uprobe";
	probe_set_title(probe, title);
	buffer_append(&path, text.data, colon - text.data);
	if (!probe->is_checked_only)
		status = symbol_locate(probe, buffer_string(&path), &place, &located, error);
	if (status == 0)
		status = sites_add(probe, !place.has_offset, PROGRAM_RETURN,
				   buffer_text(&located), error);
	buffer_release(&path);
	buffer_release(&located);
	return status;
}

static int probe_parse_text(struct probe *out, const struct probe_setting *setting,
			    unsigned int number, bool is_checked_only, struct error *error)
{
	const char *rest = setting->text, *unsafe;
	struct text place;

	*out = (struct probe){ .is_checked_only = is_checked_only,
			       .is_entry_only = setting->is_entry_only,
			       .option = setting->option,
			       .text = setting->text,
			       .number = number };
	unsafe = probe_unsafe_find(setting->text);
	if (unsafe)
		return error_set(error,
				 "%s '%s': column %zu: one of '#;\"{}' or a control character; "
				 "remove it",
				 setting->option, setting->text, (size_t)(unsafe - setting->text) + 1);
	if (setting->kind == PROBE_USDT)
		return probe_parse_usdt(out, error);
	place = probe_take_word(&rest);
	if (setting->kind == PROBE_PROGRAM ? symbol_parse(out, place, error) < 0
					   : function_parse(out, place, error) < 0)
		return -1;
	return arguments_parse(out, rest, error);
}

int probe_parse(struct probe *out, const struct probe_setting *setting, unsigned int number,
		struct error *error)
{
	return probe_parse_text(out, setting, number, false, error);
}

int probe_setting_check(const struct probe_setting *setting, struct error *error)
{
	struct probe probe;
	int status = probe_parse_text(&probe, setting, 0, true, error);

	probe_release(&probe);
	return status;
}
