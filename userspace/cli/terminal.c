// SPDX-License-Identifier: GPL-2.0-only
/* Examines the terminal on standard output. */
#include "cli/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned int terminal_size(const char *variable, bool is_width)
{
	const char *given = getenv(variable);
	struct winsize size;

	if (given && atoi(given) > 0)
		return atoi(given);
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return 0;
	return is_width ? size.ws_col : size.ws_row;
}

struct terminal terminal_find(void)
{
	const char *no_colour = getenv("NO_COLOR");
	struct terminal terminal = { .is_terminal = isatty(STDOUT_FILENO) == 1 };

	setlocale(LC_CTYPE, "");
	terminal.is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	if (!terminal.is_terminal)
		return terminal;
	terminal.width = terminal_size("COLUMNS", true);
	terminal.height = terminal_size("LINES", false);
	terminal.has_colour = !no_colour || !*no_colour;
	return terminal;
}

bool terminal_is_interactive(void)
{
	struct stat input, output;

	return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 &&
	       fstat(STDIN_FILENO, &input) == 0 && fstat(STDOUT_FILENO, &output) == 0 &&
	       input.st_rdev == output.st_rdev && tcgetpgrp(STDIN_FILENO) == getpgrp();
}
