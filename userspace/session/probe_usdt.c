// SPDX-License-Identifier: GPL-2.0-only
/* Parses probes of static tracepoints in programs (USDT). */
#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "session/probe.h"

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

/* Registers of x86-64 as the assembler names them, by size, and as the kernel does. */
static const char *const registers[][5] = {
	{ "ax", "rax", "eax", "ax", "al" },	 { "bx", "rbx", "ebx", "bx", "bl" },
	{ "cx", "rcx", "ecx", "cx", "cl" },	 { "dx", "rdx", "edx", "dx", "dl" },
	{ "si", "rsi", "esi", "si", "sil" },	 { "di", "rdi", "edi", "di", "dil" },
	{ "bp", "rbp", "ebp", "bp", "bpl" },	 { "sp", "rsp", "esp", "sp", "spl" },
	{ "r8", "r8", "r8d", "r8w", "r8b" },	 { "r9", "r9", "r9d", "r9w", "r9b" },
	{ "r10", "r10", "r10d", "r10w", "r10b" }, { "r11", "r11", "r11d", "r11w", "r11b" },
	{ "r12", "r12", "r12d", "r12w", "r12b" }, { "r13", "r13", "r13d", "r13w", "r13b" },
	{ "r14", "r14", "r14d", "r14w", "r14b" }, { "r15", "r15", "r15d", "r15w", "r15b" },
};

/* The kernel's name of a register; NULL for one that it cannot read. */
static const char *register_find(const char *name, size_t size)
{
	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++) {
		for (size_t j = 1; j < sizeof(registers[0]) / sizeof(registers[0][0]); j++) {
			if (strlen(registers[i][j]) == size &&
			    memcmp(registers[i][j], name, size) == 0)
				return registers[i][0];
		}
	}
	return NULL;
}

/* "$5", "%rdi" or "-4(%rbp)" of x86-64; returns false for others, such as those with an index. */
static bool operand_append(struct buffer *out, const char *operand, size_t size)
{
	const char *end = operand + size, *name;
	char *rest;
	long offset;

	if (size > 1 && operand[0] == '$') {
		buffer_printf(out, "\\%.*s", (int)size - 1, operand + 1);
		return isdigit((unsigned char)operand[1]) || operand[1] == '-';
	}
	if (size > 1 && operand[0] == '%') {
		name = register_find(operand + 1, size - 1);
		buffer_printf(out, "%%%s", name ? name : "");
		return name;
	}
	offset = strtol(operand, &rest, 10);
	if (end - rest < 4 || rest[0] != '(' || rest[1] != '%' || end[-1] != ')')
		return false;
	name = register_find(rest + 2, end - rest - 3);
	buffer_printf(out, "%+ld(%%%s)", offset, name ? name : "");
	return name;
}

/* "SIZE@OPERAND"; a negative size means a signed value. */
static bool fetch_append(struct buffer *out, const char *argument, size_t size)
{
	const char *at = memchr(argument, '@', size);
	int bytes = atoi(argument);

	if (!at || (abs(bytes) != 1 && abs(bytes) != 2 && abs(bytes) != 4 && abs(bytes) != 8) ||
	    !operand_append(out, at + 1, argument + size - at - 1))
		return false;
	buffer_printf(out, ":%c%d", bytes < 0 ? 's' : 'u', 8 * abs(bytes));
	return true;
}

/* Arguments that the kernel cannot fetch are left out. */
static void arguments_add(struct probe_site *site, const char *arguments)
{
	struct buffer fetch = { 0 };

	for (int number = 1; *arguments; number++) {
		size_t size = strcspn(arguments, " ");
		char name[16];

		buffer_clear(&fetch);
		snprintf(name, sizeof(name), "arg%d", number);
		if (fetch_append(&fetch, arguments, size))
			probe_site_add(site, text_of(name), buffer_text(&fetch));
		arguments += size;
		arguments += strspn(arguments, " ");
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
	if (usdt->machine == EM_X86_64)
		arguments_add(site, mark->arguments);
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
	char *real;

	if (!provider || provider == text || name - provider < 2 || !name[1] || dots == name + 1 ||
	    (dots && !dots[2]))
		return probe_refuse(usdt->probe, error,
				    "not a USDT; write PATH:PROVIDER:NAME, or "
				    "PATH:PROVIDER:BEGIN..END");
	buffer_append(&usdt->path, text, provider - text);
	real = realpath(buffer_string(&usdt->path), NULL);
	if (real) {
		buffer_clear(&usdt->path);
		buffer_append_string(&usdt->path, real);
		free(real);
	}
	buffer_append(&usdt->provider, provider + 1, name - provider - 1);
	buffer_append(&usdt->begin, name + 1, dots ? (size_t)(dots - name - 1) : strlen(name + 1));
	if (dots)
		buffer_append_string(&usdt->end, dots + 2);
	return 0;
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
