// SPDX-License-Identifier: GPL-2.0-only
/* Turns signals into something to poll. */
#include "cli/signals.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/*
 * Those whose default is an end. Not here: SIGKILL, which nobody can take; those that report a
 * fault, behind which a program cannot go on; SIGPIPE and SIGXFSZ, of which the failing write
 * tells.
 */
static const int ending_signals[] = {
	SIGHUP,	 SIGINT,  SIGQUIT,   SIGABRT, SIGUSR1, SIGUSR2, SIGALRM,
	SIGTERM, SIGXCPU, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR,	SIGSTKFLT,
};

static bool is_ignored(int number)
{
	struct sigaction action;

	return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static void signals_note(struct command_signals *before)
{
	sigemptyset(&before->ignored);
	for (int number = 1; number <= SIGRTMAX; number++) {
		if (is_ignored(number))
			sigaddset(&before->ignored, number);
	}
	sigprocmask(SIG_BLOCK, NULL, &before->blocked);
}

static void set_add(sigset_t *set, int number, const struct command_signals *before)
{
	if (!sigismember(&before->ignored, number))
		sigaddset(set, number);
}

int signals_init(struct signals *signals, struct error *error)
{
	sigset_t set;

	signals_note(&signals->before);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < sizeof(ending_signals) / sizeof(ending_signals[0]); i++)
		set_add(&set, ending_signals[i], &signals->before);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		set_add(&set, number, &signals->before);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signals->fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return signals->fd < 0 ? error_set_system(error, errno, "cannot watch signals") : 0;
}

/*
 * What a process sent comes to us alone, and so does the terminal's hang-up where we lead its
 * session. What its keyboard sends goes to the command too, and so do other hang-ups.
 */
static bool came_to_us_alone(const struct signalfd_siginfo *info)
{
	return info->ssi_code <= 0 || (info->ssi_signo == SIGHUP && getsid(0) == getpid());
}

int signals_take(struct signals *signals, bool *was_sent)
{
	struct signalfd_siginfo info;

	while (read(signals->fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		*was_sent = came_to_us_alone(&info);
		return info.ssi_signo;
	}
	return 0;
}

void signals_release(struct signals *signals)
{
	if (signals->fd >= 0)
		close(signals->fd);
	signals->fd = -1;
}
