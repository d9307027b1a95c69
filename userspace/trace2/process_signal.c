// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The event of SIGPIPE, written in the signal handler: without allocation, without locks. */
#include <errno.h>
#include <signal.h>

#include "trace2/process_state.h"

/* Fits a line without its session id and thread name. */
#define LINE_SIZE 8192

static struct printer printer;
static bool is_reporting;

static void signal_write(int number)
{
	struct trace2_event event = { .kind = TRACE2_SIGNAL, .file = __FILE__, .line = __LINE__ };
	struct self *self = self_find();

	event.time_ns = process_now_ns() - process.start_ns;
	event.signal.signo = number;
	if (self) {
		event.thread = self->thread;
		event.nr_regions = self_depth(self);
	}
	time_cache_shift(&printer.times, process_shift_ns(event.time_ns));
	session_print(process.session, &printer, &event);
}

/* The signal is raised again when this returns, and kills. */
static void signal_handle(int number)
{
	static const struct sigaction death = { .sa_handler = SIG_DFL };
	int saved = errno;

	if (trace2_is_enabled() && !__atomic_exchange_n(&is_reporting, true, __ATOMIC_ACQ_REL))
		signal_write(number);
	sigaction(number, &death, NULL);
	pthread_kill(pthread_self(), number);
	errno = saved;
}

/* A forked child inherits the handler. */
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
		      2 * session->main_thread->columns.size;

	if (sigaction(SIGPIPE, NULL, &before) < 0 || !is_deadly(&before) ||
	    !buffer_reserve(&printer.line, size))
		return;
	time_cache_freeze(&printer.times, session->settings.start_unix_ns);
	sigemptyset(&action.sa_mask);
	sigaction(SIGPIPE, &action, NULL);
}
