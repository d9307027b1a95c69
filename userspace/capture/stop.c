// SPDX-License-Identifier: GPL-2.0-only
/* Reads signals from a descriptor, and combines them with the duration and the traced command. */
#include "capture/run.h"

#include <errno.h>
#include <poll.h>
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

int signals_init(struct signals *signals, struct error *error)
{
	struct sigaction action;
	sigset_t set;

	sigemptyset(&signals->before.ignored);
	for (int number = 1; number <= SIGRTMAX; number++) {
		if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			sigaddset(&signals->before.ignored, number);
	}
	sigprocmask(SIG_BLOCK, NULL, &signals->before.blocked);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < sizeof(stop_signals) / sizeof(stop_signals[0]); i++)
		if (!sigismember(&signals->before.ignored, stop_signals[i]))
			sigaddset(&set, stop_signals[i]);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		if (!sigismember(&signals->before.ignored, number))
			sigaddset(&set, number);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signals->fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return signals->fd < 0 ? error_set_system(error, errno, "cannot watch signals") : 0;
}

int signals_take(struct signals *signals, bool *was_sent)
{
	struct signalfd_siginfo info;

	while (read(signals->fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		/*
		 * Signals of processes are sent to us alone; so is the hang-up of the terminal if
		 * we lead its session. The terminal's keyboard and other hang-ups signal the
		 * command too.
		 */
		*was_sent = info.ssi_code <= 0 ||
			    (info.ssi_signo == SIGHUP && getsid(0) == getpid());
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

/* Time for blocked readers after a signal requested the end. */
#define PATIENCE_NS NS_PER_S

/* Longest wait for an output, so that its caller can read records meanwhile. */
#define OUTPUT_WAIT_MS 20

/* Signals without a meaning of their own are forwarded to a command, and end no recording. */
static bool is_user_signal(int number)
{
	return number == SIGUSR1 || number == SIGUSR2 || number >= SIGRTMIN;
}

bool stop_is_abandoned(const struct stop_condition *stop)
{
	return stop->command && stop->nr_requests > 1;
}

bool stop_is_due(struct stop_condition *stop, int64_t now_ns)
{
	bool was_sent = false;
	int number;

	while ((number = signals_take(&stop->signals, &was_sent))) {
		bool is_final = !is_user_signal(number);

		if (stop->take && stop->take(stop->context, number))
			continue;
		if (stop->command && was_sent && (!is_final || stop->nr_requests == 0))
			kill(command_pid(stop->command), number);
		if (!is_final)
			continue;
		stop->signal_number = number;
		stop->nr_requests++;
	}
	if (stop->deadline_ns && now_ns >= stop->deadline_ns)
		return true;
	if (stop->command)
		return command_has_ended(stop->command) || stop_is_abandoned(stop);
	return stop->nr_requests > 0;
}

int stop_wait_ms(const struct stop_condition *stop, int64_t now_ns, int max_ms)
{
	return stop->deadline_ns ? time_left_ms(stop->deadline_ns, now_ns, max_ms) : max_ms;
}

/*
 * Whether a blocked output is given up. A user may read a pager for any time: the end of the
 * duration or of the command is no reason to lose records.
 */
static bool is_patience_over(struct stop_condition *stop, int fd)
{
	int64_t now_ns = time_now_ns(CLOCK_BOOTTIME);

	if (!stop_is_due(stop, now_ns))
		return false;
	if (fd < 0 || stop->nr_requests > 1)
		return true;
	if (stop->nr_requests == 0)
		return false;
	if (!stop->patience_ns)
		stop->patience_ns = now_ns + PATIENCE_NS;
	return now_ns >= stop->patience_ns;
}

int stop_await_output(struct stop_condition *stop, int fd)
{
	struct pollfd polls[] = {
		{ .fd = stop->signals.fd, .events = POLLIN },
		{ .fd = fd, .events = POLLOUT },
	};

	if (is_patience_over(stop, fd)) {
		errno = ECANCELED;
		return -1;
	}
	poll(polls, 2, OUTPUT_WAIT_MS);
	if (polls[1].revents)
		stop->patience_ns = 0;
	return 0;
}

void stop_set_deadline(struct stop_condition *stop, int64_t start_ns, int64_t duration_ns)
{
	if (duration_ns <= 0)
		return;
	if (__builtin_add_overflow(start_ns, duration_ns, &stop->deadline_ns))
		stop->deadline_ns = INT64_MAX;
}

void stop_now(struct stop_condition *stop)
{
	stop->deadline_ns = 1;
}

bool stop_is_asked_again(struct stop_condition *stop)
{
	bool was_sent = false;
	int number;

	while ((number = signals_take(&stop->signals, &was_sent))) {
		if (!is_user_signal(number))
			return true;
	}
	return false;
}

void stop_await_command(struct stop_condition *stop)
{
	struct pollfd wait = { .fd = stop->signals.fd, .events = POLLIN };

	if (!stop->command)
		return;
	stop->deadline_ns = 0;
	while (!stop_is_due(stop, 0))
		poll(&wait, 1, -1);
}

/* Reads rounds of records; shows events, their rate, lost records and the use of the buffers. */

#define SHOW_EVERY_NS (500 * NS_PER_MS)

void progress_begin(struct progress *progress, const struct report *report, uint64_t buffer_bytes,
		    int64_t now_ns)
{
	*progress = (struct progress){ .report = report && report->progress ? report : NULL,
				       .buffer_bytes = buffer_bytes,
				       .shown_ns = now_ns };
}

void progress_text(const struct progress *progress, const struct progress_counts *now,
		   int64_t now_ns, struct buffer *out)
{
	double passed_s = (double)(now_ns - progress->shown_ns) / NS_PER_S;
	double rate = (double)(now->records.read - progress->shown.read) / passed_s;

	buffer_printf(out, "%llu events, %.0f/s, %llu lost, buffers %.0f%% full",
		      (unsigned long long)now->records.read, rate,
		      (unsigned long long)now->records.lost,
		      100.0 * (double)now->records.held_bytes / (double)progress->buffer_bytes);
	if (now->file_bytes > 0)
		buffer_printf(out, ", %llu KiB", (unsigned long long)now->file_bytes / 1024);
}

static void loop_show_progress(const struct read_loop *loop)
{
	struct progress *progress = loop->progress;
	int64_t now_ns = time_now_ns(CLOCK_BOOTTIME);
	struct progress_counts counts;
	struct buffer line = { 0 };

	if (!progress->report || now_ns - progress->shown_ns < SHOW_EVERY_NS)
		return;
	loop->count(loop->context, &counts);
	progress_text(progress, &counts, now_ns, &line);
	progress->report->progress(progress->report->context, buffer_string(&line));
	buffer_release(&line);
	progress->shown = counts.records;
	progress->shown_ns = now_ns;
}

int read_loop_run(const struct read_loop *loop, struct error *error)
{
	bool is_over = false;

	while (!is_over) {
		int64_t now_ns = time_now_ns(CLOCK_BOOTTIME);

		if (loop->wait)
			loop->wait(loop->context, loop->wake_fd,
				   stop_wait_ms(loop->stop, now_ns, loop->wait_max_ms));
		is_over = stop_is_due(loop->stop, time_now_ns(CLOCK_BOOTTIME));
		if (loop->read(loop->context, error) < 0)
			return -1;
		loop_show_progress(loop);
		is_over = is_over || (loop->is_full && loop->is_full(loop->context));
	}
	/* Removes the line. */
	if (loop->progress->report)
		loop->progress->report->progress(loop->progress->report->context, "");
	loop->progress->report = NULL;
	return 0;
}
