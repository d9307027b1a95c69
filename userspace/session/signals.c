// SPDX-License-Identifier: GPL-2.0-only
/* Reads signals from a descriptor. */
#include "session/signals.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/*
 * Signals that end a process by default, without SIGKILL, which cannot be caught, signals that
 * report a fault, and SIGPIPE and SIGXFSZ, whose write fails.
 */
static const int stop_signals[] = {
	SIGHUP,	 SIGINT,  SIGQUIT,   SIGABRT, SIGUSR1, SIGUSR2, SIGALRM,
	SIGTERM, SIGXCPU, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR,	SIGSTKFLT,
};

static bool is_ignored(int number)
{
	struct sigaction action;

	return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static void signals_save(struct command_signals *before)
{
	sigemptyset(&before->ignored);
	for (int number = 1; number <= SIGRTMAX; number++) {
		if (is_ignored(number))
			sigaddset(&before->ignored, number);
	}
	sigprocmask(SIG_BLOCK, NULL, &before->blocked);
}

static void signal_set_add(sigset_t *set, int number, const struct command_signals *before)
{
	if (!sigismember(&before->ignored, number))
		sigaddset(set, number);
}

int signals_init(struct signals *signals, struct error *error)
{
	sigset_t set;

	signals_save(&signals->before);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < sizeof(stop_signals) / sizeof(stop_signals[0]); i++)
		signal_set_add(&set, stop_signals[i], &signals->before);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		signal_set_add(&set, number, &signals->before);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signals->fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return signals->fd < 0 ? error_set_system(error, errno, "cannot watch signals") : 0;
}

/*
 * Signals of processes are sent to us alone; so is the hang-up of the terminal if we lead its
 * session. The terminal's keyboard and other hang-ups signal the command too.
 */
static bool signal_is_ours_alone(const struct signalfd_siginfo *info)
{
	return info->ssi_code <= 0 || (info->ssi_signo == SIGHUP && getsid(0) == getpid());
}

int signals_take(struct signals *signals, bool *was_sent)
{
	struct signalfd_siginfo info;

	while (read(signals->fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		*was_sent = signal_is_ours_alone(&info);
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
