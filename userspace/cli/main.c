// SPDX-License-Identifier: GPL-2.0-only
/* ktrack: chooses the command, prints its error, and exits. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

static const struct cli_command *const commands[] = { &list_command, &stream_command, &export_command };

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct cli_command *command_find(const char *name)
{
	for (size_t i = 0; i < NR_COMMANDS; i++) {
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	}
	return NULL;
}

static void help_print(void)
{
	printf("usage: ktrack COMMAND [ARGUMENT]...\n\n"
	       "Records kernel track events (slices, instants and counters that drivers emit) through tracefs,\n"
	       "and exports them in git's trace2 form.\n\n");
	for (size_t i = 0; i < NR_COMMANDS; i++)
		printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
	printf("\nktrack COMMAND --help tells about a command, ktrack --version which ktrack this is.\n");
}

/* One line, whatever bytes a name brought into it: control characters must not reach a terminal. */
static void error_print(const struct error *error)
{
	char line[sizeof(error->text)];
	size_t size = 0;

	for (const char *at = error->text; *at; at++)
		line[size++] = (unsigned char)*at < 0x20 || *at == 0x7f ? '?' : *at;
	fprintf(stderr, "ktrack: %.*s\n", (int)size, line);
}

static int run(int argc, char **argv, struct error *error)
{
	const char *name = argc > 1 ? argv[1] : "";
	const struct cli_command *command = command_find(name);
	char *help[] = { argv[0], argc > 2 ? argv[2] : NULL, (char *)"--help", NULL };

	if (command)
		return command->run(argc, argv, error);
	if (strcmp(name, "--version") == 0) {
		printf("ktrack %s\n", KTRACK_VERSION);
		return STATUS_DONE;
	}
	if (strcmp(name, "help") == 0 && help[1] && command_find(help[1]))
		return command_find(help[1])->run(3, help, error);
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
		help_print();
		return STATUS_DONE;
	}
	error_set(error, *name ? "unknown command '%s'; see 'ktrack --help'" : "%scommand missing; see 'ktrack --help'",
		  name);
	return STATUS_USAGE;
}

int main(int argc, char **argv)
{
	struct error error = { 0 };
	int status = run(argc, argv, &error);

	if (error.text[0])
		error_print(&error);
	if (fflush(stdout) != 0 && status == STATUS_DONE)
		status = STATUS_FAILED;
	return status;
}
