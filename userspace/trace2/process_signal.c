// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The death by SIGPIPE, told from within the signal's handler: with memory that is there and no
 * lock.
 */
#include <errno.h>
#include <signal.h>

#include "trace2/process_state.h"

/* Room for a line, beside the session id and the name of a thread. */
#define LINE_SIZE 8192

static struct printer printer;
static bool is_telling;

static void signal_tell(int number)
{
	struct trace2_event event = { .kind = TRACE2_SIGNAL, .file = __FILE__, .line = __LINE__ };
	struct self *self = self_find();

	event.time_ns = process_now_ns() - process.start_ns;
	event.signal.signo = number;
	if (self) {
		event.thread = self->thread;
		event.nr_regions = self_depth(self);
	}
	stamp_shift(&printer.stamp, process_shift_ns(event.time_ns));
	session_print(process.session, &printer, &event);
}

/* The signal comes again, and kills, as soon as this has returned. */
static void signal_handle(int number)
{
	static const struct sigaction death = { .sa_handler = SIG_DFL };
	int saved = errno;

	if (trace2_is_enabled() && !__atomic_exchange_n(&is_telling, true, __ATOMIC_ACQ_REL))
		signal_tell(number);
	sigaction(number, &death, NULL);
	pthread_kill(pthread_self(), number);
	errno = saved;
}

/* A child of a process that is watched has the handler already. */
static bool is_deadly(const struct sigaction *action)
{
	return !(action->sa_flags & SA_SIGINFO) &&
	       (action->sa_handler == SIG_DFL || action->sa_handler == signal_handle);
}

void signals_watch(void)
{
	struct sigaction action = { .sa_handler = signal_handle }, before;
	const struct trace2_session *session = process.session;
	size_t size = LINE_SIZE + 2 * session->main_thread->json.size +
		      2 * session->main_thread->cell.size;

	if (sigaction(SIGPIPE, NULL, &before) < 0 || !is_deadly(&before) ||
	    !buffer_reserve(&printer.line, size))
		return;
	stamp_freeze(&printer.stamp, session->settings.start_unix_ns);
	sigemptyset(&action.sa_mask);
	sigaction(SIGPIPE, &action, NULL);
}
