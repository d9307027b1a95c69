// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the signals that end a run in order. */
#include "cli/signals.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

static void watch(struct signals *signals)
{
	struct error error = { 0 };

	CHECK_NUMBER(signals_init(signals, &error), 0);
}

static bool is_readable(const struct signals *signals)
{
	struct pollfd wait = { .fd = signals->fd, .events = POLLIN };

	return poll(&wait, 1, 0) == 1;
}

TEST(signals_that_ask_for_an_end_are_taken_one_after_the_other)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct signals signals;
	bool was_sent;

	watch(&signals);
	CHECK(!is_readable(&signals));
	CHECK_NUMBER(signals_take(&signals, &was_sent), 0);
	for (int i = 0; i < 3; i++) {
		was_sent = false;
		kill(getpid(), numbers[i]);
		CHECK(is_readable(&signals));
		CHECK_NUMBER(signals_take(&signals, &was_sent), numbers[i]);
		CHECK(was_sent);
	}
	CHECK_NUMBER(signals_take(&signals, &was_sent), 0);
	signals_release(&signals);
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
	CHECK_NUMBER(poll(&wait, 1, 10000), 1);
	CHECK_NUMBER(signals_take(&signals, &was_sent), 0);
	CHECK(!is_readable(&signals));
	CHECK(waitpid(child, NULL, 0) == child);
	signals_release(&signals);
}

TEST(a_signal_behind_the_end_of_a_child_is_not_missed)
{
	struct signals signals;
	bool was_sent;

	watch(&signals);
	kill(getpid(), SIGCHLD);
	kill(getpid(), SIGTERM);
	CHECK_NUMBER(signals_take(&signals, &was_sent), SIGTERM);
	signals_release(&signals);
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
	signals_release(&signals);
}

TEST(the_mask_is_kept_for_children_and_for_the_way_back)
{
	sigset_t before, during, after;
	struct signals signals;

	sigemptyset(&before);
	sigaddset(&before, SIGUSR1);
	sigprocmask(SIG_SETMASK, &before, NULL);
	watch(&signals);
	sigprocmask(SIG_BLOCK, NULL, &during);
	CHECK(sigismember(&during, SIGINT) && sigismember(&during, SIGTERM) &&
	      sigismember(&during, SIGHUP));
	CHECK(sigismember(&during, SIGUSR1));
	CHECK(!sigismember(&signals.before, SIGINT) && sigismember(&signals.before, SIGUSR1));
	signals_release(&signals);
	signals_release(&signals);
	sigprocmask(SIG_BLOCK, NULL, &after);
	CHECK(!sigismember(&after, SIGINT) && !sigismember(&after, SIGTERM) &&
	      sigismember(&after, SIGUSR1));
}
