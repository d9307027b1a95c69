// SPDX-License-Identifier: GPL-2.0-only
/* Tests of what ends a run: signals, the duration, the traced command, and outputs that are stuck.
 */
#include "cli/ending.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/time.h>
#include <unistd.h>

#include "await.h"
#include "cli/clock.h"
#include "tap.h"

#define LIMIT_MS 20000

static struct ending ending_begin(void)
{
	struct ending ending = { 0 };
	struct error error = { 0 };

	CHECK_NUMBER(signals_init(&ending.signals, &error), 0);
	return ending;
}

/* The same with a command that is running. */
static struct ending ending_begin_with(const char *script)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)script, NULL };
	struct ending ending = ending_begin();
	struct command_user us = { 0 };
	struct error error = { 0 };

	CHECK_NUMBER(command_new(&ending.command, argv, &ending.signals.before, &us, &error), 0);
	CHECK_NUMBER(command_run(ending.command, &error), 0);
	return ending;
}

static void ending_end(struct ending *ending)
{
	if (ending->command) {
		kill(command_pid(ending->command), SIGKILL);
		command_await(ending->command);
	}
	command_free(ending->command);
	ending->command = NULL;
	/* For the next test nothing is pending, and nothing blocked. */
	ending_is_due(ending, 0);
	signals_release(&ending->signals);
	sigprocmask(SIG_SETMASK, &ending->signals.before.blocked, NULL);
}

/* Looks until the recording is over; returns whether it is. */
static bool comes_due(struct ending *ending)
{
	struct pollfd wait = { .fd = ending->signals.fd, .events = POLLIN };

	for (int ms = 0; ms < LIMIT_MS && !ending_is_due(ending, 0); ms += 10)
		poll(&wait, 1, 10);
	return ending_is_due(ending, 0);
}

TEST(without_a_command_a_signal_is_the_end)
{
	struct ending ending = ending_begin();

	CHECK(!ending_is_due(&ending, 0));
	kill(getpid(), SIGHUP);
	CHECK(ending_is_due(&ending, 0));
	CHECK_NUMBER(ending.signal_number, SIGHUP);
	kill(getpid(), SIGINT);
	CHECK(ending_is_due(&ending, 0));
	CHECK(!ending_is_abandoned(&ending));
	ending_end(&ending);
}

TEST(without_a_command_user_and_real_time_signals_are_ignored)
{
	struct ending ending = ending_begin();

	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGUSR2);
	kill(getpid(), SIGRTMIN);
	kill(getpid(), SIGRTMAX);
	CHECK(!ending_is_due(&ending, 0));
	CHECK_NUMBER(ending.nr_requests, 0);
	CHECK_NUMBER(ending.signal_number, 0);
	kill(getpid(), SIGTERM);
	CHECK(ending_is_due(&ending, 0));
	ending_end(&ending);
}

TEST(a_duration_ends_at_its_moment)
{
	struct ending ending = ending_begin();

	CHECK_NUMBER(ending_wait_ms(&ending, 0, 50), 50);
	ending.deadline_ns = 100 * NS_PER_MS;
	CHECK(!ending_is_due(&ending, 100 * NS_PER_MS - 1));
	CHECK(ending_is_due(&ending, 100 * NS_PER_MS));
	CHECK_NUMBER(ending_wait_ms(&ending, 0, 50), 50);
	CHECK_NUMBER(ending_wait_ms(&ending, 80 * NS_PER_MS, 50), 21);
	CHECK_NUMBER(ending_wait_ms(&ending, 100 * NS_PER_MS, 50), 0);
	CHECK_NUMBER(ending_wait_ms(&ending, INT64_MAX, 50), 0);
	ending.deadline_ns = INT64_MAX;
	CHECK_NUMBER(ending_wait_ms(&ending, 0, 50), 50);
	ending_end(&ending);
}

TEST(the_end_of_the_command_is_the_end)
{
	struct ending ending = ending_begin_with("exit 3");

	CHECK(comes_due(&ending));
	CHECK(!ending_is_abandoned(&ending));
	CHECK_NUMBER(command_status(ending.command), 3);
	ending_end(&ending);
}

TEST(a_signal_is_passed_on_and_the_commands_end_waited_for)
{
	struct ending ending = ending_begin_with("exec sleep 60");

	CHECK(!ending_is_due(&ending, 0));
	kill(getpid(), SIGTERM);
	ending_await_command(&ending);
	CHECK(!ending_is_abandoned(&ending));
	CHECK_NUMBER(command_status(ending.command), 128 + SIGTERM);
	ending_end(&ending);
}

/* A shell that waits for its child is deaf until that has ended. */
TEST(a_second_signal_does_not_wait_for_the_command)
{
	struct ending ending = ending_begin_with("trap '' TERM INT; sleep 60; exit 1");

	kill(getpid(), SIGTERM);
	CHECK(!ending_is_due(&ending, 0));
	kill(getpid(), SIGINT);
	ending_await_command(&ending);
	CHECK(ending_is_abandoned(&ending));
	CHECK_NUMBER(ending.signal_number, SIGINT);
	CHECK(!command_has_ended(ending.command));
	ending_end(&ending);
}

TEST(signals_that_only_the_command_understands_ask_for_no_end)
{
	struct ending ending = ending_begin_with("exec sleep 60");

	kill(getpid(), SIGUSR2);
	kill(getpid(), SIGRTMAX);
	CHECK(comes_due(&ending));
	CHECK(!ending_is_abandoned(&ending));
	CHECK_NUMBER(ending.nr_requests, 0);
	CHECK_NUMBER(command_status(ending.command), 128 + SIGUSR2);
	ending_end(&ending);
}

/* The kernel itself sends it, as it does for a terminal's keyboard: then everybody has it. */
TEST(what_the_kernel_sent_is_not_passed_on)
{
	struct itimerval soon = { .it_value.tv_usec = 1000 };
	struct ending ending = ending_begin_with("exec sleep 60");
	struct pollfd wait = { .fd = ending.signals.fd, .events = POLLIN };

	CHECK_NUMBER(setitimer(ITIMER_REAL, &soon, NULL), 0);
	while (ending.nr_requests == 0 && poll(&wait, 1, LIMIT_MS) == 1)
		CHECK(!ending_is_due(&ending, 0));
	CHECK_NUMBER(ending.signal_number, SIGALRM);
	kill(command_pid(ending.command), SIGKILL);
	CHECK(comes_due(&ending));
	CHECK_NUMBER(command_status(ending.command), 128 + SIGKILL);
	ending_end(&ending);
}

/** struct stuck - a pipe that nobody empties */
struct stuck {
	int pair[2];
};

static struct stuck stuck_new(void)
{
	static const char block[4096];
	struct stuck stuck;

	CHECK_NUMBER(pipe2(stuck.pair, O_NONBLOCK), 0);
	while (write(stuck.pair[1], block, sizeof(block)) > 0)
		;
	return stuck;
}

static void stuck_free(struct stuck *stuck)
{
	close(stuck->pair[0]);
	close(stuck->pair[1]);
}

/* Waits for an output until it is given up; returns how long that took. */
static int64_t patience_of(struct ending *ending, int fd)
{
	int64_t begin_ns = clock_boot_ns();

	while (clock_boot_ns() - begin_ns < LIMIT_MS * NS_PER_MS) {
		errno = 0;
		if (ending_await_output(ending, fd) < 0)
			break;
	}
	CHECK_NUMBER(errno, ECANCELED);
	return clock_boot_ns() - begin_ns;
}

TEST(a_stuck_output_is_waited_for_while_nothing_asks_for_an_end)
{
	struct ending ending = ending_begin();
	struct stuck stuck = stuck_new();

	for (int i = 0; i < 3; i++)
		CHECK_NUMBER(ending_await_output(&ending, stuck.pair[1]), 0);
	CHECK_NUMBER(ending_await_output(&ending, -1), 0);
	stuck_free(&stuck);
	ending_end(&ending);
}

TEST(a_stuck_output_is_waited_for_when_the_time_is_over)
{
	struct ending ending = ending_begin();
	struct stuck stuck = stuck_new();

	ending.deadline_ns = 1;
	CHECK_NUMBER(ending_await_output(&ending, stuck.pair[1]), 0);
	CHECK_NUMBER(ending.patience_ns, 0);
	CHECK_NUMBER(ending_await_output(&ending, -1), -1);
	stuck_free(&stuck);
	ending_end(&ending);
}

TEST(a_duration_beyond_all_time_is_never_over)
{
	struct ending ending = ending_begin();

	ending_set_deadline(&ending, NS_PER_S, INT64_MAX);
	CHECK(!ending_is_due(&ending, NS_PER_S * 1000));
	ending_set_deadline(&ending, NS_PER_S, 5);
	CHECK(ending_is_due(&ending, NS_PER_S + 5));
	ending_end(&ending);
}

TEST(after_a_signal_a_stuck_output_has_a_second)
{
	struct ending ending = ending_begin();
	struct stuck stuck = stuck_new();

	kill(getpid(), SIGTERM);
	CHECK(patience_of(&ending, stuck.pair[1]) >= NS_PER_S);
	stuck_free(&stuck);
	ending_end(&ending);
}

TEST(a_reader_that_takes_something_has_another_second)
{
	struct ending ending = ending_begin();
	struct stuck stuck = stuck_new();
	char block[4096];

	kill(getpid(), SIGTERM);
	CHECK_NUMBER(ending_await_output(&ending, stuck.pair[1]), 0);
	CHECK(ending.patience_ns > 0);
	CHECK(read(stuck.pair[0], block, sizeof(block)) > 0);
	CHECK_NUMBER(ending_await_output(&ending, stuck.pair[1]), 0);
	CHECK_NUMBER(ending.patience_ns, 0);
	stuck_free(&stuck);
	ending_end(&ending);
}

TEST(a_second_signal_does_not_wait_for_readers)
{
	struct ending ending = ending_begin();
	struct stuck stuck = stuck_new();

	kill(getpid(), SIGTERM);
	CHECK_NUMBER(ending_await_output(&ending, stuck.pair[1]), 0);
	kill(getpid(), SIGINT);
	CHECK_NUMBER(ending_await_output(&ending, stuck.pair[1]), -1);
	stuck_free(&stuck);
	ending_end(&ending);
}

TEST(a_reader_that_never_came_is_not_waited_for_at_the_end)
{
	struct ending ending = ending_begin();

	kill(getpid(), SIGTERM);
	CHECK_NUMBER(ending_await_output(&ending, -1), -1);
	CHECK_NUMBER(errno, ECANCELED);
	ending_end(&ending);
}
