// SPDX-License-Identifier: GPL-2.0-only
/* The events of a probe, and its rule. */
#include "capture/probe.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const role_keys[] = {
	[PROBE_BEGIN] = "begin",
	[PROBE_END] = "end",
	[PROBE_INSTANT] = "event",
};

int probe_refuse(const struct probe *probe, struct error *error, const char *problem)
{
	return error_set(error, "%s '%s': %s", probe->option, probe->text, problem);
}

const char *probe_unsafe_find(const char *text)
{
	while (*text && isprint((unsigned char)*text) && !strchr("#;\"{}", *text))
		text++;
	return *text ? text : NULL;
}

int probe_find_file(const struct probe *probe, const char *path, struct buffer *out,
		    struct error *error)
{
	char *real = realpath(path, NULL);
	bool is_unsafe = real && (probe_unsafe_find(real) || strchr(real, ' '));

	buffer_append_string(out, real ? real : path);
	free(real);
	return is_unsafe ? probe_refuse(probe, error,
					"the real path of the file has a space, one of '#;\"{}' or "
					"a control character; name a copy elsewhere")
			 : 0;
}

void probe_set_title(struct probe *probe, struct text title)
{
	buffer_append(&probe->title, title.data, title.size);
}

/* The numbers come first, so that a long name does not lose them. */
static void site_name(struct probe_site *site, const struct probe *probe)
{
	size_t size = snprintf(site->name, sizeof(site->name), "p%u_%zu_", probe->number,
			       probe->nr_sites);

	for (size_t i = 0; i < probe->title.size && size < sizeof(site->name) - 1; i++) {
		char byte = probe->title.data[i];

		site->name[size++] = isalnum((unsigned char)byte) ? byte : '_';
	}
	site->name[size] = '\0';
}

struct probe_site *probe_add_site(struct probe *probe, enum probe_role role, const char *kind,
				  struct error *error)
{
	struct probe_site *site = &probe->sites[probe->nr_sites];

	if (probe->nr_sites == PROBE_SITES_MAX) {
		probe_refuse(probe, error, "more than 64 places; write another name");
		return NULL;
	}
	*site = (struct probe_site){ .role = role, .kind = kind };
	site_name(site, probe);
	probe->nr_sites++;
	return site;
}

void probe_site_add(struct probe_site *site, struct text name, struct text fetch)
{
	buffer_printf(&site->arguments, " %.*s=%.*s", (int)name.size, name.data, (int)fetch.size,
		      fetch.data);
	buffer_printf(&site->names, "%s%.*s", site->names.size ? "," : "", (int)name.size,
		      name.data);
}

static int site_define(const struct probe *probe, const struct probe_site *site,
		       struct dynamic_events *events, struct error *error)
{
	struct buffer place = { 0 }, object = { 0 };
	int status;

	buffer_append(&place, site->place.data, site->place.size);
	buffer_append(&place, site->arguments.data, site->arguments.size);
	buffer_printf(&object, "%s '%s'", probe->option, probe->text);
	if (site->place.failed || site->arguments.failed || site->names.failed)
		status = error_set(error, "out of memory");
	else
		status = dynamic_define(events, site->kind, site->name, buffer_string(&place),
					buffer_string(&object), error) == 0
				 ? 0
				 : probe_explain(probe, error);
	buffer_release(&place);
	buffer_release(&object);
	return status;
}

int probe_define(const struct probe *probe, struct dynamic_events *events, struct error *error)
{
	int status = 0;

	for (size_t i = 0; i < probe->nr_sites && status == 0; i++)
		status = site_define(probe, &probe->sites[i], events, error);
	return status;
}

/* Names of rules have fewer characters than those of functions. */
static char rule_character(char byte)
{
	return isalnum((unsigned char)byte) || byte == '.' ? byte : '_';
}

/* The kernel's own fields of a probe are no arguments. */
static void site_append_rule(const struct probe_site *site, const char *group, struct buffer *out)
{
	buffer_printf(out, "\n %s = %s:%s args=", role_keys[site->role], group, site->name);
	if (site->names.size > 0)
		buffer_append(out, site->names.data, site->names.size);
	else
		buffer_append_char(out, '-');
}

/* The first words of a rule: its kind and its name. */
static void rule_append_head(const struct probe *probe, struct buffer *out)
{
	bool is_instant = probe->sites[0].role == PROBE_INSTANT;
	struct buffer head = { 0 };

	buffer_printf(&head, "%s %s:", is_instant ? "instant" : "slice", probe->pack);
	for (size_t i = 0; i < probe->title.size; i++)
		buffer_append_char(&head, rule_character(probe->title.data[i]));
	/* Two programs may have functions of one name. */
	if (out->size > 0 && memmem(out->data, out->size, head.data, head.size))
		buffer_printf(&head, ".%u", probe->number);
	buffer_append(out, head.data, head.size);
	out->failed |= head.failed;
	buffer_release(&head);
}

void probe_append_rule(const struct probe *probe, const char *group, struct buffer *out)
{
	rule_append_head(probe, out);
	buffer_printf(out, " name=\"%.*s\"", (int)probe->title.size, probe->title.data);
	for (size_t i = 0; i < probe->nr_sites; i++)
		site_append_rule(&probe->sites[i], group, out);
	buffer_append_char(out, '\n');
}

void probe_release(struct probe *probe)
{
	buffer_release(&probe->title);
	buffer_release(&probe->part);
	for (size_t i = 0; i < probe->nr_sites; i++) {
		buffer_release(&probe->sites[i].place);
		buffer_release(&probe->sites[i].arguments);
		buffer_release(&probe->sites[i].names);
	}
}
