// SPDX-License-Identifier: GPL-2.0-only
/* ktrack: selects the command, prints its error and exits. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/option.h"

static const struct cli_command *const commands[] = {
	&list_command,	  &stream_command,  &record_command, &watch_command,
	&recover_command, &export_command,  &stat_command,   &query_command,
	&why_command,	  &release_command, &clean_command,  &doctor_command,
};

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
	printf("usage: ktrack COMMAND [ARGUMENT]...\n"
	       "Shows what the kernel did, and where the time went: timelines, tables, SQL.\n\n");
	for (size_t i = 0; i < NR_COMMANDS; i++)
		printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
	printf("\nFirst things to try; none of them needs a kernel module:\n"
	       "    sudo ktrack doctor                                          # what works\n"
	       "    sudo ktrack stat --live -r syscalls -d 5 --by-name --limit=10 # a table\n"
	       "    sudo ktrack stream -r sched,irq --html=page.html -- sleep 1 # a timeline\n"
	       "\n'man ktrack-tutorial-performance' leads to the cause of a delay in ten minutes.\n"
	       "'ktrack COMMAND --help' prints its common options, '--help-all' all of them.\n");
}

static int command_refuse(const char *name, struct error *error)
{
	struct suggestion meant = { 0 };

	if (name[0] == '-') {
		suggestion_add(&meant, text_of(name), "--version");
		suggestion_add(&meant, text_of(name), "--help");
		if (meant.word[0])
			error_set(error, "unknown option '%s'; did you mean '%s'?", name,
				  meant.word);
		else
			error_set(error, "'%s': options follow the command; see 'ktrack --help'",
				  name);
		return STATUS_USAGE;
	}
	for (size_t i = 0; i < NR_COMMANDS; i++)
		suggestion_add(&meant, text_of(name), commands[i]->name);
	if (meant.word[0])
		error_set(error, "unknown command '%s'; did you mean '%s'?", name, meant.word);
	else
		error_set(error, "unknown command '%s'; see 'ktrack --help'", name);
	return STATUS_USAGE;
}

static bool is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
	       strcmp(word, "--help-all") == 0;
}

static int help_run(int argc, char **argv, struct error *error)
{
	char *help[] = { argv[0], argc > 2 ? argv[2] : NULL, (char *)"--help", NULL };
	const struct cli_command *command;

	if (!help[1] || is_help(help[1])) {
		help_print();
		return STATUS_DONE;
	}
	command = command_find(help[1]);
	return command ? command->run(3, help, error) : command_refuse(help[1], error);
}

static int run(int argc, char **argv, struct error *error)
{
	const char *name = argc > 1 ? argv[1] : "";
	const struct cli_command *command = command_find(name);

	if (command)
		return command->run(argc, argv, error);
	if (strcmp(name, "--version") == 0) {
		printf("ktrack %s\n", KTRACK_VERSION);
		return STATUS_DONE;
	}
	if (strcmp(name, "help") == 0)
		return help_run(argc, argv, error);
	if (strcmp(name, "--" OPTION_LIST) == 0) {
		int status = STATUS_DONE;

		/* Lines "command NAME SUMMARY", separated by tabs, each before the lines of its
		 * options. */
		for (size_t i = 0; i < NR_COMMANDS && status == STATUS_DONE; i++) {
			char *words[] = { argv[0], (char *)commands[i]->name,
					  (char *)"--" OPTION_LIST, NULL };

			printf("command\t%s\t%s\n", commands[i]->name, commands[i]->summary);
			status = commands[i]->run(3, words, error);
		}
		return status;
	}
	if (is_help(name)) {
		help_print();
		return STATUS_DONE;
	}
	if (*name)
		return command_refuse(name, error);
	help_print();
	return STATUS_USAGE;
}

static int output_end(int status, struct error *error)
{
	/* If an earlier write failed and this one does not, the reason is lost. */
	errno = EIO;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	error_set_system(error, file_is_unread(STDOUT_FILENO) ? EPIPE : errno,
			 "cannot write to standard output");
	return status == STATUS_DONE ? STATUS_FAILED : status;
}

static void signal_ignore(int number)
{
	(void)number;
}

/*
 * Writing to a file that may not grow, or to a pipe that nobody reads, fails instead. A command has
 * the default action of a signal that is handled, but would inherit one that is ignored.
 */
static void write_signals_handle(void)
{
	static const int numbers[] = { SIGXFSZ, SIGPIPE };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (signal(numbers[i], signal_ignore) == SIG_IGN)
			signal(numbers[i], SIG_IGN);
	}
}

/* The C library would keep freed blocks of the largest size that was freed before, up to 32 MiB. */
#define KEPT_BLOCK_MAX (1 << 20)

int main(int argc, char **argv)
{
	struct error error = { 0 };
	int status;
	int fd;

	/*
	 * With closed standard streams, the first opened files would get their numbers and receive
	 * messages. A file that cannot be written takes the numbers instead, so that writing still
	 * fails.
	 */
	do {
		fd = open("/dev/null", O_RDONLY);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
	write_signals_handle();
	mallopt(M_MMAP_THRESHOLD, KEPT_BLOCK_MAX);
	status = output_end(run(argc, argv, &error), &error);
	/* All else is complete: ends as if the signal had not been handled. */
	if (error_is_unread(&error)) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	report_error(message_report(), &error);
	return status;
}
