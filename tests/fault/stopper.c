// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command and kills it with SIGKILL when one of its threads begins a system call: the
 * NUMBER-th of all. Writes how many began to FILE. Processes that it starts are not affected.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define SYSTEM_CALL	(SIGTRAP | 0x80)
#define OPTIONS		(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE)

static void fail(const char *what)
{
	perror(what);
	exit(2);
}

static int call_begins(pid_t thread)
{
	struct __ptrace_syscall_info info;

	return ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof(info), &info) > 0 &&
	       info.op == PTRACE_SYSCALL_INFO_ENTRY;
}

/* The signal that the thread gets when it goes on: not those of tracing itself. */
static int signal_of(int status)
{
	int signal = WSTOPSIG(status);

	return signal == SYSTEM_CALL || signal == SIGTRAP || signal == SIGSTOP || status >> 16 ? 0 : signal;
}

/* Returns the process' status; the rest of its threads have ended then, too. */
static int process_follow(pid_t process, long number, long *nr_calls)
{
	int status = 0;
	pid_t thread;

	while ((thread = waitpid(-1, &status, __WALL)) > 0) {
		if (!WIFSTOPPED(status)) {
			if (thread == process)
				return status;
			continue;
		}
		if (WSTOPSIG(status) == SYSTEM_CALL && call_begins(thread) && ++*nr_calls == number)
			kill(process, SIGKILL);
		ptrace(PTRACE_SYSCALL, thread, 0, signal_of(status));
	}
	fail("waitpid");
	return status;
}

static void count_write(const char *path, long nr_calls)
{
	FILE *file = fopen(path, "w");

	if (!file || fprintf(file, "%ld\n", nr_calls) < 0 || fclose(file))
		fail(path);
}

int main(int argc, char **argv)
{
	long nr_calls = 0;
	pid_t process;
	int status;

	if (argc < 4) {
		fprintf(stderr, "usage: stopper NUMBER FILE COMMAND...\n");
		return 2;
	}
	process = fork();
	if (!process) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execvp(argv[3], argv + 3);
		fail(argv[3]);
	}
	if (waitpid(process, &status, 0) < 0 || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, process, 0, OPTIONS) || ptrace(PTRACE_SYSCALL, process, 0, 0))
		fail("ptrace");
	status = process_follow(process, atol(argv[1]), &nr_calls);
	count_write(argv[2], nr_calls);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
