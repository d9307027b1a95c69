// SPDX-License-Identifier: GPL-2.0-only
/* Finds out why the kernel sets no probe: the module or the function does not exist, or is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/probe.h"

#define MODULES "/proc/modules"
#define SYMBOLS "/proc/kallsyms"

/* Longer names of symbols are not compared. */
#define NAME_SIZE 128

/** struct name_search - a name among those of lines: whether it is there, or which one is near */
struct name_search {
	struct text name;
	bool is_found;
	struct suggestion nearest;
};

/* @scan: reads the name from a line into NAME_SIZE bytes. */
static void name_search_file(struct name_search *search, const char *path, const char *scan)
{
	FILE *file = fopen(path, "re");
	char *line = NULL, name[NAME_SIZE];
	size_t capacity = 0;

	while (file && getline(&line, &capacity, file) > 0) {
		if (sscanf(line, scan, name) != 1)
			continue;
		search->is_found |= text_equals(search->name, text_of(name));
		suggestion_add(&search->nearest, search->name, name);
	}
	free(line);
	if (file)
		fclose(file);
}

int probe_check_module(const struct probe *probe, bool waits, struct error *error)
{
	const char *colon = strchr(probe->text, ':');
	struct name_search search = { .name = { probe->text, colon ? colon - probe->text : 0 } };

	if (!colon || colon > strchrnul(probe->text, ' ') || waits)
		return 0;
	name_search_file(&search, MODULES, "%127s");
	if (search.is_found)
		return 0;
	if (search.nearest.word[0])
		return error_set(error, "%s '%s': no module '%.*s' is loaded; did you mean '%s'?",
				 probe->option, probe->text, (int)search.name.size,
				 search.name.data, search.nearest.word);
	return error_set(error,
			 "%s '%s': no module '%.*s' is loaded; load it, or --wait until somebody does",
			 probe->option, probe->text, (int)search.name.size, search.name.data);
}

/* "FUNCTION" of "FUNCTION+OFFSET". */
static struct text function_name(const struct probe *probe)
{
	struct text name = buffer_text(&probe->title);
	const char *plus = memchr(name.data, '+', name.size);

	if (plus)
		name.size = plus - name.data;
	return name;
}

int probe_explain(const struct probe *probe, struct error *error)
{
	struct name_search search = { .name = function_name(probe) };
	struct error before = *error;

	if (strcmp(probe->pack, PROBE_PACK_KERNEL) != 0)
		return -1;
	name_search_file(&search, SYMBOLS, "%*s %*[tTwW] %127s");
	*error = (struct error){ 0 };
	if (!search.is_found && search.nearest.word[0])
		return error_set(error, "%s; did you mean '%s'?", before.text, search.nearest.word);
	if (!search.is_found)
		return error_set(error,
				 "%s; there is no such function, or the compiler has inlined it: "
				 "name a function that calls it",
				 before.text);
	*error = before;
	return -1;
}
