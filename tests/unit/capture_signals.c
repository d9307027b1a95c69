// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the signals that end a run in order. */
#include "capture/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixtures/tap.h"

static void watch(struct signals *signals)
{
	struct error error = { 0 };

	CHECK_NUMBER(signals_init(signals, &error), 0);
}

/* No signal is pending or blocked for the next test. */
static void unwatch(struct signals *signals)
{
	bool was_sent;

	while (signals_take(signals, &was_sent))
		;
	signals_release(signals);
	sigprocmask(SIG_SETMASK, &signals->before.blocked, NULL);
}

static bool is_readable(const struct signals *signals)
{
	struct pollfd wait = { .fd = signals->fd, .events = POLLIN };

	return poll(&wait, 1, 0) == 1;
}

TEST(signals_that_ask_for_an_end_are_taken_one_after_the_other)
{
	static const int numbers[] = {
		SIGINT,	 SIGTERM, SIGHUP,    SIGQUIT, SIGABRT, SIGALRM, SIGUSR1,   SIGUSR2,
		SIGXCPU, SIGPROF, SIGVTALRM, SIGIO,   SIGPWR,  64,	SIGSTKFLT,
	};
	struct signals signals;
	bool was_sent;

	watch(&signals);
	CHECK(!is_readable(&signals));
	CHECK_NUMBER(signals_take(&signals, &was_sent), 0);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		was_sent = false;
		kill(getpid(), numbers[i]);
		CHECK(is_readable(&signals));
		CHECK_NUMBER(signals_take(&signals, &was_sent), numbers[i]);
		CHECK(was_sent);
	}
	CHECK_NUMBER(signals_take(&signals, &was_sent), 0);
	unwatch(&signals);
}

TEST(the_end_of_a_child_wakes_but_asks_for_nothing)
{
	struct signals signals;
	struct pollfd wait = { .events = POLLIN };
	bool was_sent;
	pid_t child;

	watch(&signals);
	wait.fd = signals.fd;
	child = fork();
	if (child == 0)
		_exit(0);
	CHECK_NUMBER(poll(&wait, 1, -1), 1);
	CHECK_NUMBER(signals_take(&signals, &was_sent), 0);
	CHECK(!is_readable(&signals));
	CHECK(waitpid(child, NULL, 0) == child);
	unwatch(&signals);
}

TEST(a_signal_behind_the_end_of_a_child_is_not_missed)
{
	struct signals signals;
	bool was_sent;

	watch(&signals);
	kill(getpid(), SIGCHLD);
	kill(getpid(), SIGTERM);
	CHECK_NUMBER(signals_take(&signals, &was_sent), SIGTERM);
	unwatch(&signals);
}

TEST(a_reader_that_has_gone_kills_nobody)
{
	struct signals signals;
	int pair[2];

	signal(SIGPIPE, SIG_DFL);
	watch(&signals);
	CHECK_NUMBER(pipe(pair), 0);
	close(pair[0]);
	CHECK(write(pair[1], "x", 1) < 0);
	close(pair[1]);
	unwatch(&signals);
}

TEST(a_file_that_may_not_grow_kills_nobody)
{
	struct rlimit limit = { .rlim_cur = 1, .rlim_max = RLIM_INFINITY };
	struct signals signals;
	FILE *file = tmpfile();

	signal(SIGXFSZ, SIG_DFL);
	watch(&signals);
	CHECK_NUMBER(setrlimit(RLIMIT_FSIZE, &limit), 0);
	CHECK_NUMBER(write(fileno(file), "xy", 2), 1);
	CHECK(write(fileno(file), "z", 1) < 0 && errno == EFBIG);
	limit.rlim_cur = RLIM_INFINITY;
	CHECK_NUMBER(setrlimit(RLIMIT_FSIZE, &limit), 0);
	fclose(file);
	unwatch(&signals);
}

TEST(what_the_caller_ignores_stays_ignored)
{
	struct signals signals;
	bool was_sent;

	signal(SIGHUP, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	watch(&signals);
	signal(SIGCHLD, SIG_DFL);
	kill(getpid(), SIGHUP);
	CHECK_NUMBER(signals_take(&signals, &was_sent), 0);
	CHECK_NUMBER(sigismember(&signals.before.ignored, SIGHUP), 1);
	CHECK_NUMBER(sigismember(&signals.before.ignored, SIGCHLD), 1);
	CHECK_NUMBER(sigismember(&signals.before.ignored, SIGTERM), 0);
	unwatch(&signals);
	signal(SIGHUP, SIG_DFL);
}

/* The leader of a session receives the hang-up alone, and its exit status reports the result. */
static int leader_main(int master)
{
	struct signals signals;
	bool was_sent = false;
	struct pollfd wait = { .events = POLLIN };

	if (setsid() < 0 || open(ptsname(master), O_RDWR) < 0)
		return 1;
	watch(&signals);
	close(master);
	wait.fd = signals.fd;
	if (poll(&wait, 1, -1) != 1 || signals_take(&signals, &was_sent) != SIGHUP)
		return 2;
	return was_sent ? 0 : 3;
}

TEST(a_hang_up_comes_to_the_leader_of_a_session_alone)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	int status = -1;
	pid_t child;

	CHECK(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	child = fork();
	if (child == 0)
		_exit(leader_main(master));
	close(master);
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_NUMBER(status, 0);
}

TEST(the_mask_is_kept_for_children)
{
	sigset_t before, during;
	struct signals signals;

	sigemptyset(&before);
	sigaddset(&before, SIGUSR1);
	sigprocmask(SIG_SETMASK, &before, NULL);
	watch(&signals);
	sigprocmask(SIG_BLOCK, NULL, &during);
	CHECK(sigismember(&during, SIGINT) && sigismember(&during, SIGTERM) &&
	      sigismember(&during, SIGHUP));
	CHECK(sigismember(&during, SIGUSR1));
	CHECK(!sigismember(&signals.before.blocked, SIGINT) &&
	      sigismember(&signals.before.blocked, SIGUSR1));
	unwatch(&signals);
	unwatch(&signals);
}

TEST(what_came_late_does_not_act_in_the_end)
{
	struct signals signals;

	watch(&signals);
	kill(getpid(), SIGTERM);
	signals_release(&signals);
	kill(getpid(), SIGINT);
}
