// SPDX-License-Identifier: GPL-2.0-only
/* Puts signals, the duration and the traced command together. */
#include "cli/ending.h"

#include <errno.h>
#include <poll.h>

#include "cli/clock.h"

/* How long readers may take nothing once a signal asked for the end. */
#define PATIENCE_NS NS_PER_S

/* The longest that a wait for an output lasts, so that its caller gets to do other things. */
#define OUTPUT_WAIT_MS 20

/* Signals without a meaning of their own: a command gets them, and they end no recording. */
static bool is_message(int number)
{
	return number == SIGUSR1 || number == SIGUSR2 || number >= SIGRTMIN;
}

static void take_signals(struct ending *ending)
{
	bool was_sent = false;
	int number;

	while ((number = signals_take(&ending->signals, &was_sent))) {
		bool is_final = !is_message(number);

		if (ending->command && was_sent && (!is_final || ending->nr_requests == 0))
			kill(command_pid(ending->command), number);
		if (!is_final)
			continue;
		ending->signal_number = number;
		ending->nr_requests++;
	}
}

bool ending_is_abandoned(const struct ending *ending)
{
	return ending->command && ending->nr_requests > 1;
}

bool ending_is_due(struct ending *ending, int64_t now_ns)
{
	take_signals(ending);
	if (ending->deadline_ns && now_ns >= ending->deadline_ns)
		return true;
	if (ending->command)
		return command_has_ended(ending->command) || ending_is_abandoned(ending);
	return ending->nr_requests > 0;
}

int ending_wait_ms(const struct ending *ending, int64_t now_ns, int max_ms)
{
	int64_t left_ns = ending->deadline_ns - now_ns;

	if (!ending->deadline_ns || left_ns >= max_ms * NS_PER_MS)
		return max_ms;
	return left_ns <= 0 ? 0 : (int)(left_ns / NS_PER_MS) + 1;
}

/*
 * Whether an output that takes nothing is to be given up. A pager is read for as long as it pleases
 * its user: that the time or the command is over is no reason to lose what was recorded.
 */
static bool is_patience_over(struct ending *ending, int fd)
{
	int64_t now_ns = clock_boot_ns();

	if (!ending_is_due(ending, now_ns))
		return false;
	if (fd < 0 || ending->nr_requests > 1)
		return true;
	if (ending->nr_requests == 0)
		return false;
	if (!ending->patience_ns)
		ending->patience_ns = now_ns + PATIENCE_NS;
	return now_ns >= ending->patience_ns;
}

int ending_await_output(struct ending *ending, int fd)
{
	struct pollfd polls[] = {
		{ .fd = ending->signals.fd, .events = POLLIN },
		{ .fd = fd, .events = POLLOUT },
	};

	if (is_patience_over(ending, fd)) {
		errno = ECANCELED;
		return -1;
	}
	poll(polls, 2, OUTPUT_WAIT_MS);
	if (polls[1].revents)
		ending->patience_ns = 0;
	return 0;
}

void ending_set_deadline(struct ending *ending, int64_t start_ns, int64_t duration_ns)
{
	if (duration_ns <= 0)
		return;
	if (__builtin_add_overflow(start_ns, duration_ns, &ending->deadline_ns))
		ending->deadline_ns = INT64_MAX;
}

void ending_stop(struct ending *ending)
{
	ending->deadline_ns = 1;
}

void ending_await_command(struct ending *ending)
{
	struct pollfd wait = { .fd = ending->signals.fd, .events = POLLIN };

	if (!ending->command)
		return;
	ending->deadline_ns = 0;
	while (!ending_is_due(ending, 0))
		poll(&wait, 1, -1);
}
