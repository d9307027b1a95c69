// SPDX-License-Identifier: GPL-2.0-only
/* Parses probes of static tracepoints in programs (USDT). */
#include <stdio.h>
#include <string.h>

#include "capture/probe.h"
#include "capture/usdt_argument.h"
#include "event/event.h"

/**
 * struct usdt - the parts of "PATH:PROVIDER:BEGIN..END"
 * @end: empty for an instant
 */
struct usdt {
	struct probe *probe;
	struct buffer path;
	struct buffer provider;
	struct buffer begin;
	struct buffer end;
	unsigned int machine;
};

/* Arguments that the kernel cannot fetch are left out. */
static void arguments_add(struct probe_site *site, const char *arguments, unsigned int machine)
{
	struct text rest = text_of(arguments), argument;
	struct buffer fetch = { 0 };
	char name[16];

	for (int number = 1; (argument = usdt_argument_take(&rest)).size > 0; number++) {
		buffer_clear(&fetch);
		snprintf(name, sizeof(name), "arg%d", number);
		if (usdt_argument_fetch(&fetch, machine, argument))
			probe_site_add(site, text_of(name), buffer_text(&fetch));
	}
	buffer_release(&fetch);
}

static int mark_add(void *context, const struct elf_mark *mark, struct error *error)
{
	struct usdt *usdt = context;
	bool is_slice = usdt->end.size > 0;
	bool is_begin = strcmp(mark->name, buffer_string(&usdt->begin)) == 0;
	bool is_end = is_slice && strcmp(mark->name, buffer_string(&usdt->end)) == 0;
	struct probe_site *site;

	if (strcmp(mark->provider, buffer_string(&usdt->provider)) != 0 || (!is_begin && !is_end))
		return 0;
	site = probe_add_site(usdt->probe,
			      !is_slice ? PROBE_INSTANT : is_begin ? PROBE_BEGIN : PROBE_END, "p",
			      error);
	if (!site)
		return -1;
	buffer_printf(&site->place, "%s:0x%llx", buffer_string(&usdt->path),
		      (unsigned long long)mark->offset);
	if (mark->semaphore)
		buffer_printf(&site->place, "(0x%llx)", (unsigned long long)mark->semaphore);
	arguments_add(site, mark->arguments, usdt->machine);
	return 0;
}

static bool has_role(const struct probe *probe, enum probe_role role)
{
	for (size_t i = 0; i < probe->nr_sites; i++) {
		if (probe->sites[i].role == role)
			return true;
	}
	return false;
}

static int marks_find(struct usdt *usdt, struct error *error)
{
	const struct probe *probe = usdt->probe;
	struct elf_file *file;
	int status;

	if (elf_open(&file, buffer_string(&usdt->path), error) < 0)
		return -1;
	usdt->machine = elf_machine(file);
	status = elf_visit_marks(file, mark_add, usdt, error);
	elf_close(file);
	if (status < 0 || has_role(probe, PROBE_INSTANT) ||
	    (has_role(probe, PROBE_BEGIN) && has_role(probe, PROBE_END)))
		return status;
	return probe_refuse(probe, error,
			    "the file has no such USDT; 'readelf -n FILE' lists those it has");
}

/* Splits the text from its end, since a path may have colons. */
static int usdt_split(struct usdt *usdt, struct error *error)
{
	const char *text = usdt->probe->text, *name = strrchr(text, ':');
	const char *provider = name ? memrchr(text, ':', name - text) : NULL;
	const char *dots = name ? strstr(name, "..") : NULL;
	struct buffer path = { 0 };
	int status;

	if (!provider || provider == text || name - provider < 2 || !name[1] || dots == name + 1 ||
	    (dots && !dots[2]))
		return probe_refuse(usdt->probe, error,
				    "not a USDT; write PATH:PROVIDER:NAME, or "
				    "PATH:PROVIDER:BEGIN..END");
	buffer_append(&path, text, provider - text);
	status = probe_find_file(usdt->probe, buffer_string(&path), &usdt->path, error);
	buffer_release(&path);
	buffer_append(&usdt->provider, provider + 1, name - provider - 1);
	buffer_append(&usdt->begin, name + 1, dots ? (size_t)(dots - name - 1) : strlen(name + 1));
	if (dots)
		buffer_append_string(&usdt->end, dots + 2);
	return status;
}

int probe_parse_usdt(struct probe *probe, struct error *error)
{
	struct usdt usdt = { .probe = probe };
	int status = usdt_split(&usdt, error);

	probe->pack = "usdt";
	if (status == 0) {
		probe_set_title(probe, text_of(strrchr(probe->text, ':') + 1));
		status = probe->is_checked_only ? 0 : marks_find(&usdt, error);
	}
	buffer_release(&usdt.path);
	buffer_release(&usdt.provider);
	buffer_release(&usdt.begin);
	buffer_release(&usdt.end);
	return status;
}
