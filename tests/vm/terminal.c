// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command on a pseudo-terminal and types for it: terminal LOG [TEXT KEYS]... -- COMMAND...
 * Types KEYS when TEXT is in the output since the last keys. LOG receives the output. The status is
 * the command's, or 99 if its terminal was not restored.
 */
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

#define OUTPUT_MAX (1 << 20)

static char output[OUTPUT_MAX + 1];

static pid_t command_start(char **command, int own, int terminal)
{
	pid_t child = fork();

	if (child == 0) {
		close(own);
		login_tty(terminal);
		execvp(command[0], command);
		_exit(127);
	}
	return child;
}

static void talk(int own, char **steps, FILE *log)
{
	size_t size = 0;
	ssize_t done;

	while ((done = read(own, output + size, OUTPUT_MAX - size)) > 0) {
		fwrite(output + size, 1, (size_t)done, log);
		size += (size_t)done;
		output[size] = '\0';
		if (strcmp(steps[0], "--") == 0 || !strstr(output, steps[0])) {
			size = size > OUTPUT_MAX / 2 ? 0 : size;
			continue;
		}
		if (write(own, steps[1], strlen(steps[1])) < 0)
			break;
		steps += 2;
		size = 0;
	}
}

int main(int argc, char **argv)
{
	struct winsize size = { .ws_row = 60, .ws_col = 120 };
	struct termios before, after;
	char **command = argv + 2;
	int own, terminal, status;
	pid_t child, talker;
	FILE *log;

	while (*command && strcmp(*command, "--") != 0)
		command++;
	if (argc < 4 || !*command || openpty(&own, &terminal, NULL, NULL, &size) < 0)
		return 98;
	log = fopen(argv[1], "w");
	tcgetattr(terminal, &before);
	child = command_start(command + 1, own, terminal);
	talker = fork();
	if (talker == 0) {
		close(terminal);
		talk(own, argv + 2, log);
		fclose(log);
		_exit(0);
	}
	waitpid(child, &status, 0);
	tcgetattr(terminal, &after);
	close(terminal);
	close(own);
	waitpid(talker, NULL, 0);
	if (memcmp(&before, &after, sizeof(before)) != 0)
		return 99;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
