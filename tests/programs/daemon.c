// SPDX-License-Identifier: GPL-2.0-only
/*
 * A daemon: closes all descriptors behind the standard ones, opens the file FILE, forks a child that
 * writes to it, and emits until it is killed. Its socket of workers is descriptor 3.
 */
#include "events.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

static void child_run(int file, int worker)
{
	const char *text = "child\n";

	ktrack_begin(prog_one, "child", 1);
	ktrack_end(prog_one, 1);
	_exit(write(file, text, strlen(text)) < 0 || write(worker, text, strlen(text)) < 0);
}

int main(int argc, char **argv)
{
	const char *text = "parent\n";
	int workers[2], file, status = 1;
	char received[16] = "";
	pid_t pid;

	for (int fd = STDERR_FILENO + 1; fd < 1024; fd++)
		close(fd);
	if (argc != 2 || socketpair(AF_UNIX, SOCK_STREAM, 0, workers) < 0)
		return 2;
	file = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (file < 0 || write(file, text, strlen(text)) < 0)
		return 2;
	pid = fork();
	if (pid == 0)
		child_run(file, workers[0]);
	if (waitpid(pid, &status, 0) != pid || status ||
	    recv(workers[1], received, sizeof(received) - 1, MSG_DONTWAIT) < 0 ||
	    strcmp(received, "child\n") != 0)
		return 1;
	for (;;) {
		ktrack_begin(prog_one, "parent", 2);
		ktrack_end(prog_one, 2);
		usleep(10000);
	}
}
