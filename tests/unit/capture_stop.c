// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the end of a run: signals, the duration, the traced command, and blocked outputs.
 */
#include "capture/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#define OWN_CLOCK CLOCK_BOOTTIME
#include "fixtures/folder.h"
#include "fixtures/own_clock.h"
#include "fixtures/wait.h"
#include "fixtures/tap.h"

static struct stop_condition stop_begin(void)
{
	struct stop_condition stop = { 0 };
	struct error error = { 0 };

	CHECK_NUMBER(signals_init(&stop.signals, &error), 0);
	return stop;
}

/* The same while a command runs. */
static struct stop_condition stop_begin_with(const char *script)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)script, NULL };
	struct stop_condition stop = stop_begin();
	struct command_user us = { 0 };
	struct error error = { 0 };

	CHECK_NUMBER(command_new(&stop.command, argv, &stop.signals.before, &us, &error), 0);
	CHECK_NUMBER(command_run(stop.command, &error), 0);
	return stop;
}

static void stop_end(struct stop_condition *stop)
{
	if (stop->command) {
		kill(command_pid(stop->command), SIGKILL);
		command_wait_end(stop->command);
	}
	command_free(stop->command);
	stop->command = NULL;
	/* No signal is pending or blocked for the next test. */
	stop_is_due(stop, 0);
	signals_release(&stop->signals);
	sigprocmask(SIG_SETMASK, &stop->signals.before.blocked, NULL);
}

/* Looks until the recording is over; returns whether it is. */
static bool comes_due(struct stop_condition *stop)
{
	struct pollfd wait = { .fd = stop->signals.fd, .events = POLLIN };

	for (int i = 0; i < WAIT_LOOKS && !stop_is_due(stop, 0); i++)
		poll(&wait, 1, 10);
	return stop_is_due(stop, 0);
}

TEST(without_a_command_a_signal_is_the_end)
{
	struct stop_condition stop = stop_begin();

	CHECK(!stop_is_due(&stop, 0));
	kill(getpid(), SIGHUP);
	CHECK(stop_is_due(&stop, 0));
	CHECK_NUMBER(stop.signal_number, SIGHUP);
	kill(getpid(), SIGINT);
	CHECK(stop_is_due(&stop, 0));
	CHECK(!stop_is_abandoned(&stop));
	stop_end(&stop);
}

TEST(without_a_command_user_and_real_time_signals_are_ignored)
{
	struct stop_condition stop = stop_begin();

	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGUSR2);
	kill(getpid(), SIGRTMIN);
	kill(getpid(), SIGRTMAX);
	CHECK(!stop_is_due(&stop, 0));
	CHECK_NUMBER(stop.nr_requests, 0);
	CHECK_NUMBER(stop.signal_number, 0);
	kill(getpid(), SIGTERM);
	CHECK(stop_is_due(&stop, 0));
	stop_end(&stop);
}

TEST(a_duration_ends_at_its_moment)
{
	struct stop_condition stop = stop_begin();

	CHECK_NUMBER(stop_wait_ms(&stop, 0, 50), 50);
	stop.deadline_ns = 100 * NS_PER_MS;
	CHECK(!stop_is_due(&stop, 100 * NS_PER_MS - 1));
	CHECK(stop_is_due(&stop, 100 * NS_PER_MS));
	CHECK_NUMBER(stop_wait_ms(&stop, 0, 50), 50);
	CHECK_NUMBER(stop_wait_ms(&stop, 80 * NS_PER_MS, 50), 21);
	CHECK_NUMBER(stop_wait_ms(&stop, 100 * NS_PER_MS, 50), 0);
	CHECK_NUMBER(stop_wait_ms(&stop, INT64_MAX, 50), 0);
	stop.deadline_ns = INT64_MAX;
	CHECK_NUMBER(stop_wait_ms(&stop, 0, 50), 50);
	stop_end(&stop);
}

TEST(the_end_of_the_command_is_the_end)
{
	struct stop_condition stop = stop_begin_with("exit 3");

	CHECK(comes_due(&stop));
	CHECK(!stop_is_abandoned(&stop));
	CHECK_NUMBER(command_status(stop.command), 3);
	stop_end(&stop);
}

TEST(a_signal_is_passed_on_and_the_commands_end_waited_for)
{
	struct stop_condition stop = stop_begin_with("exec sleep 3600");

	CHECK(!stop_is_due(&stop, 0));
	kill(getpid(), SIGTERM);
	stop_await_command(&stop);
	CHECK(!stop_is_abandoned(&stop));
	CHECK_NUMBER(command_status(stop.command), 128 + SIGTERM);
	stop_end(&stop);
}

/* It ignores both. */
TEST(a_second_signal_does_not_wait_for_the_command)
{
	struct stop_condition stop;
	struct folder folder;
	char script[256];

	folder_new(&folder);
	snprintf(script, sizeof(script), "trap '' TERM INT; touch %s/ready; exec sleep 3600",
		 folder.path);
	stop = stop_begin_with(script);
	for (int i = 0; i < WAIT_LOOKS && access(folder_path(&folder, "ready"), F_OK) < 0; i++)
		usleep(1000);
	folder_remove(&folder);
	kill(getpid(), SIGTERM);
	CHECK(!stop_is_due(&stop, 0));
	kill(getpid(), SIGINT);
	stop_await_command(&stop);
	CHECK(stop_is_abandoned(&stop));
	CHECK_NUMBER(stop.signal_number, SIGINT);
	CHECK(!command_has_ended(stop.command));
	stop_end(&stop);
}

TEST(signals_that_only_the_command_understands_ask_for_no_end)
{
	struct stop_condition stop = stop_begin_with("exec sleep 3600");

	kill(getpid(), SIGUSR2);
	kill(getpid(), SIGRTMAX);
	CHECK(comes_due(&stop));
	CHECK(!stop_is_abandoned(&stop));
	CHECK_NUMBER(stop.nr_requests, 0);
	CHECK_NUMBER(command_status(stop.command), 128 + SIGUSR2);
	stop_end(&stop);
}

/* The kernel itself sends it, as it does for a terminal's keyboard: then everybody has it. */
TEST(what_the_kernel_sent_is_not_passed_on)
{
	struct itimerval soon = { .it_value.tv_usec = 1000 };
	struct stop_condition stop = stop_begin_with("exec sleep 3600");
	struct pollfd wait = { .fd = stop.signals.fd, .events = POLLIN };

	CHECK_NUMBER(setitimer(ITIMER_REAL, &soon, NULL), 0);
	while (stop.nr_requests == 0 && poll(&wait, 1, -1) == 1)
		CHECK(!stop_is_due(&stop, 0));
	CHECK_NUMBER(stop.signal_number, SIGALRM);
	kill(command_pid(stop.command), SIGKILL);
	CHECK(comes_due(&stop));
	CHECK_NUMBER(command_status(stop.command), 128 + SIGKILL);
	stop_end(&stop);
}

/** struct stuck - a pipe without a reader */
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

/* Waits for an output until it is given up; returns how long that took, in steps of 100 ms. */
static int64_t patience_of(struct stop_condition *stop, int fd)
{
	int64_t begin_ns = own_clock_ns;

	errno = 0;
	while (stop_await_output(stop, fd) == 0 && own_clock_ns - begin_ns < 100 * NS_PER_S)
		own_clock_ns += 100 * NS_PER_MS;
	CHECK_NUMBER(errno, ECANCELED);
	return own_clock_ns - begin_ns;
}

TEST(a_stuck_output_is_waited_for_while_nothing_asks_for_an_end)
{
	struct stop_condition stop = stop_begin();
	struct stuck stuck = stuck_new();

	for (int i = 0; i < 3; i++)
		CHECK_NUMBER(stop_await_output(&stop, stuck.pair[1]), 0);
	CHECK_NUMBER(stop_await_output(&stop, -1), 0);
	stuck_free(&stuck);
	stop_end(&stop);
}

TEST(a_stuck_output_is_waited_for_when_the_time_is_over)
{
	struct stop_condition stop = stop_begin();
	struct stuck stuck = stuck_new();

	stop.deadline_ns = 1;
	CHECK_NUMBER(stop_await_output(&stop, stuck.pair[1]), 0);
	CHECK_NUMBER(stop.patience_ns, 0);
	CHECK_NUMBER(stop_await_output(&stop, -1), -1);
	stuck_free(&stuck);
	stop_end(&stop);
}

TEST(a_duration_beyond_all_time_is_never_over)
{
	struct stop_condition stop = stop_begin();

	stop_set_deadline(&stop, NS_PER_S, INT64_MAX);
	CHECK(!stop_is_due(&stop, NS_PER_S * 1000));
	stop_set_deadline(&stop, NS_PER_S, 5);
	CHECK(stop_is_due(&stop, NS_PER_S + 5));
	stop_end(&stop);
}

TEST(after_a_signal_a_stuck_output_has_a_second)
{
	struct stop_condition stop = stop_begin();
	struct stuck stuck = stuck_new();

	kill(getpid(), SIGTERM);
	CHECK_NUMBER(patience_of(&stop, stuck.pair[1]), NS_PER_S);
	stuck_free(&stuck);
	stop_end(&stop);
}

TEST(a_reader_that_takes_something_has_another_second)
{
	struct stop_condition stop = stop_begin();
	struct stuck stuck = stuck_new();
	/* The kernel frees whole pages. */
	size_t size = sysconf(_SC_PAGESIZE);
	char *block = malloc(size);

	kill(getpid(), SIGTERM);
	CHECK_NUMBER(stop_await_output(&stop, stuck.pair[1]), 0);
	CHECK(stop.patience_ns > 0);
	CHECK(block && read(stuck.pair[0], block, size) > 0);
	free(block);
	CHECK_NUMBER(stop_await_output(&stop, stuck.pair[1]), 0);
	CHECK_NUMBER(stop.patience_ns, 0);
	stuck_free(&stuck);
	stop_end(&stop);
}

TEST(a_second_signal_does_not_wait_for_readers)
{
	struct stop_condition stop = stop_begin();
	struct stuck stuck = stuck_new();

	kill(getpid(), SIGTERM);
	CHECK_NUMBER(stop_await_output(&stop, stuck.pair[1]), 0);
	kill(getpid(), SIGINT);
	CHECK_NUMBER(stop_await_output(&stop, stuck.pair[1]), -1);
	stuck_free(&stuck);
	stop_end(&stop);
}

TEST(a_reader_that_never_came_is_not_waited_for_at_the_end)
{
	struct stop_condition stop = stop_begin();

	kill(getpid(), SIGTERM);
	CHECK_NUMBER(stop_await_output(&stop, -1), -1);
	CHECK_NUMBER(errno, ECANCELED);
	stop_end(&stop);
}
