// SPDX-License-Identifier: GPL-2.0-only
/* Parses probes of functions, in the kernel and in programs. */
#include <ctype.h>
#include <string.h>

#include "event/event.h"
#include "session/probe.h"

/* The kernel's limit of arguments of an event. */
#define ARGUMENTS_MAX 128

/* Concurrent calls of a function whose returns are recorded; others are missed, and reported. */
#define KERNEL_RETURN "r1024"
#define PROGRAM_RETURN "r"

/* The value that a function returns, unless the user asks for another form of it. */
#define RETVAL "$retval"

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

static struct text probe_take_word(const char **rest)
{
	const char *begin = *rest + strspn(*rest, " ");

	*rest = begin + strcspn(begin, " ");
	return (struct text){ begin, *rest - begin };
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
				       "out +OFFSET");
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
	probe->pack = "probe";
	probe_set_title(probe, title);
	return sites_add(probe, !memchr(title.data, '+', title.size), KERNEL_RETURN, place, error);
}

/* The kernel's form of a place is "PATH:OFFSET", with the file's real path. */
static int symbol_locate(struct probe *probe, const char *path, struct buffer *out,
			 struct error *error)
{
	struct elf_file *file = NULL;
	uint64_t offset;
	int status = probe_find_file(probe, path, out, error);

	if (status == 0)
		status = elf_open(&file, buffer_string(out), error);
	if (status == 0)
		status = elf_find_function(file, buffer_string(&probe->title), &offset, error);
	if (status == 0)
		buffer_printf(out, ":0x%llx", (unsigned long long)offset);
	elf_close(file);
	return status;
}

/* "PATH:SYMBOL" */
static int symbol_parse(struct probe *probe, struct text place, struct error *error)
{
	const char *colon = memrchr(place.data, ':', place.size);
	struct text title = { colon + 1, colon ? place.data + place.size - colon - 1 : 0 };
	struct buffer path = { 0 }, located = { 0 };
	int status;

	if (title.size == 0 || colon == place.data)
		return probe_refuse(probe, error,
				    "not a function of a program; write PATH:SYMBOL");
	probe->pack = "uprobe";
	probe_set_title(probe, title);
	buffer_append(&path, place.data, colon - place.data);
	status = probe->is_checked_only
			 ? 0
			 : symbol_locate(probe, buffer_string(&path), &located, error);
	if (status == 0)
		status = sites_add(probe, true, PROGRAM_RETURN, buffer_text(&located), error);
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
