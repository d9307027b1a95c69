// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest: runs a command that SIGINT ends; the shell ignores it for commands in the background. Its
 * own start is counted with that of the command, and is as short as possible.
 */
#include <signal.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	signal(SIGINT, SIG_DFL);
	return argc > 1 ? execvp(argv[1], argv + 1) : 2;
}
