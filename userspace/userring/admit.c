// SPDX-License-Identifier: GPL-2.0-only
/* Which programs are recorded: those that are found, and those that announce themselves. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "userring/process.h"
#include "userring/programs.h"

/* Limits of programs at once, and of those of one process, whose libraries may have their own. */
#define PROGRAMS_MAX 4096
#define PROCESS_PROGRAMS_MAX 256

/* How long the start waits for the search of running programs, in steps. */
#define SEARCH_STEP_MS 100
#define SEARCH_STEPS 100

/* How long the end waits until the helper knows whether programs have waited, in steps. */
#define ANSWER_STEP_MS 50
#define ANSWER_STEPS 100

/* So many are taken before rings are read again. */
#define OFFERS_MAX 256

/* So many programs that did not wait are reported. */
#define LATE_MAX 10

static bool programs_have(const struct programs *programs, const struct program *program)
{
	for (size_t i = 0; i < programs->size; i++) {
		if (programs->list[i]->inode == program->inode &&
		    programs->list[i]->device == program->device)
			return true;
	}
	return false;
}

/* Returns false if the program is not recorded by this run. */
static bool programs_wants(const struct programs *programs, struct program *program)
{
	return !programs_have(programs, program) &&
	       program_matches(program, programs->settings.globs);
}

static size_t programs_count_process(const struct programs *programs, int pid)
{
	size_t nr = 0;

	for (size_t i = 0; i < programs->size; i++)
		nr += programs->list[i]->pid == pid && !programs->list[i]->has_ended;
	return nr;
}

/* If memory runs out, the sum has it. */
void programs_lose(struct programs *programs)
{
	queue_lose(&programs->queue, time_now_ns(CLOCK_BOOTTIME), LOSS_COUNT_UNKNOWN);
}

/* Reported once. Returns false if the program is one too many. */
static bool programs_have_place(struct programs *programs, const struct program *program)
{
	if (user_has_place(program->user->nr_programs, programs->size, PROGRAMS_MAX) &&
	    programs_count_process(programs, program->pid) < PROCESS_PROGRAMS_MAX)
		return true;
	if (!programs->was_full) {
		report_message(programs->settings.report,
			       "%s (%d): not recorded, as later ones may be: at most %d programs, "
			       "%d of a user, and %d of a process, are recorded; select some by "
			       "--programs=GLOB",
			       program->comm, program->pid, PROGRAMS_MAX, PROGRAMS_MAX / 2,
			       PROCESS_PROGRAMS_MAX);
		programs_lose(programs);
	}
	programs->was_full = true;
	return false;
}

static bool message_has_mapped(const struct helper_message *message, ino_t inode)
{
	for (size_t i = 0; i < message->nr_mapped; i++) {
		if (message->mapped[i] == inode)
			return true;
	}
	return false;
}

/* After exec(2), earlier memory of the process has no writer. */
static void programs_end_replaced(struct programs *programs, const struct helper_message *message)
{
	for (size_t i = 0; i < programs->size && message->nr_mapped > 0; i++) {
		struct program *other = programs->list[i];

		other->has_ended |= other->pid == message->pid &&
				    other->added_ns < message->mapped_ns &&
				    !message_has_mapped(message, other->inode);
	}
}

/* Reported once. Returns false if another ktrack records the program. */
static bool programs_lock(struct programs *programs, struct program *program)
{
	if (program_lock(program))
		return true;
	if (!programs->was_refused)
		report_message(
			programs->settings.report,
			"%s (%d): another ktrack records it, and perhaps more of the programs",
			program->comm, program->pid);
	programs->was_refused = true;
	return false;
}

static const struct program *programs_find(const struct programs *programs, int pid)
{
	for (size_t i = programs->size; i > 0; i--) {
		if (programs->list[i - 1]->pid == pid)
			return programs->list[i - 1];
	}
	return NULL;
}

/* A program that has not waited for the answer was not recorded until now. The first are reported. */
static void programs_report_late(struct programs *programs, int pid)
{
	const struct program *program = programs_find(programs, pid);
	const char *more = "";

	/* One that is alive and not recorded is not wanted. */
	if (!programs->is_on || (!program && process_started(pid) != 0))
		return;
	programs_lose(programs);
	if (++programs->nr_late > LATE_MAX)
		return;
	if (programs->nr_late == LATE_MAX)
		more = "; the end reports how many others did not";
	report_message(programs->settings.report,
		       "%s (%d): did not wait for ktrack, which was busy; its records until now "
		       "are missing%s",
		       program && *program->comm ? program->comm : "a program", pid, more);
}

static int programs_add(struct programs *programs, struct program *program,
			const struct helper_message *message, struct error *error)
{
	struct program **list;

	if (!programs_wants(programs, program)) {
		program_close(program);
		return 0;
	}
	program->user = user_table_find(&programs->users, message->user);
	if (!program->user) {
		program_close(program);
		return error_set(error, "out of memory");
	}
	programs_end_replaced(programs, message);
	if (!programs_have_place(programs, program) || !programs_lock(programs, program)) {
		program_close(program);
		return 0;
	}
	list = reallocarray(programs->list, programs->size + 1, sizeof(*list));
	if (!list) {
		program_close(program);
		return error_set(error, "out of memory");
	}
	programs->list = list;
	program->added_ns = time_now_ns(CLOCK_BOOTTIME);
	list[programs->size++] = program;
	program->user->nr_programs++;
	program_switch(program, programs->is_on);
	if (program_take_missed(program))
		programs_report_late(programs, program->pid);
	return 0;
}

static int memory_add(struct programs *programs, const struct helper_report *report,
		      struct error *error)
{
	int pid = report->message.pid;
	struct program *program = program_open(report->memory_fd, pid);

	if (program)
		return programs_add(programs, program, &report->message, error);
	if (errno == EINVAL)
		return 0;
	return error_set_system(error, errno, "cannot record process %d", pid);
}

/* In a process of the helper. */
static bool process_is_wanted(void *context, int pid)
{
	const struct programs *programs = context;

	return program_socket_owns(&programs->socket, pid);
}

void programs_search(struct programs *programs)
{
	programs->searched_ns = time_now_ns(CLOCK_BOOTTIME);
	helper_search(&programs->helper);
}

/* Reported once, and no loss: whoever connects and sends nothing need not be a program. */
static void programs_report_dropped(struct programs *programs)
{
	if (!programs->has_dropped)
		report_message(programs->settings.report,
			       "a program may be missing: it connected, and "
			       "sent nothing for too long");
	programs->has_dropped = true;
}

/* Reported once, and lost each time. */
static void programs_report_problem(struct programs *programs, int pid, int number)
{
	programs_lose(programs);
	if (!programs->has_problem)
		report_message(programs->settings.report,
			       "a program (%d) is missing: what it has sent cannot be used: %s", pid,
			       strerror(number));
	programs->has_problem = true;
}

/* Reported once, and no loss: the connection may be accepted later. */
static void programs_report_refused(struct programs *programs, int number)
{
	programs->refused = number;
	if (number == 0 || programs->has_refused)
		return;
	programs->has_refused = true;
	report_message(programs->settings.report,
		       "a program may be missing: its connection cannot be accepted: %s",
		       strerror(number));
}

/* Reported once. */
static void programs_report_cut(struct programs *programs, int pid)
{
	if (!programs->has_cut)
		report_message(programs->settings.report,
			       "running programs may be missing: the search left out process %d, "
			       "and perhaps others, which have too many files, or hang",
			       pid);
	programs->has_cut = true;
}

/* Programs that start later are missing. */
static void programs_report_end(struct programs *programs)
{
	if (!programs->helper.has_ended || programs->has_lost_helper)
		return;
	programs->has_lost_helper = true;
	programs_lose(programs);
	report_message(programs->settings.report,
		       "programs that start from now on are missing: the helper process has ended");
}

static int programs_take(struct programs *programs, const struct helper_report *report,
			 struct error *error)
{
	const struct helper_message *message = &report->message;

	switch (message->kind) {
	case HELPER_OFFER:
	case HELPER_FOUND:
		return memory_add(programs, report, error);
	case HELPER_ANSWERED:
		if (message->number)
			programs_report_late(programs, message->pid);
		return 0;
	case HELPER_DROPPED:
		programs_report_dropped(programs);
		return 0;
	case HELPER_PROBLEM:
		programs_report_problem(programs, message->pid, message->number);
		return 0;
	case HELPER_REFUSED:
		programs_report_refused(programs, message->number);
		return 0;
	case HELPER_CUT:
		programs_report_cut(programs, message->pid);
		return 0;
	default:
		return 0;
	}
}

/* Takes the next message; @timeout_ms as of helper_receive(). Returns 0 if there is none. */
static int programs_accept_one(struct programs *programs, int timeout_ms, struct error *error)
{
	struct helper_report report;
	int status;

	if (!helper_receive(&programs->helper, &report, timeout_ms))
		return 0;
	status = programs_take(programs, &report, error);
	report_close(&report);
	return status < 0 ? -1 : 1;
}

int programs_accept(struct programs *programs, struct error *error)
{
	int status = 1;

	for (int i = 0; i < OFFERS_MAX && status > 0; i++)
		status = programs_accept_one(programs, 0, error);
	programs_report_end(programs);
	return status < 0 ? -1 : 0;
}

void programs_report_rest(const struct programs *programs)
{
	if (programs->nr_late > LATE_MAX)
		report_message(programs->settings.report,
			       "%u programs did not wait for ktrack, which was busy; their first "
			       "records are missing",
			       programs->nr_late);
}

int programs_await_answers(struct programs *programs, struct error *error)
{
	int status = programs_accept(programs, error);

	for (int nr_steps = 0; status >= 0 && nr_steps < ANSWER_STEPS && programs->helper.nr_unanswered > 0;
	     nr_steps += status == 0)
		status = programs_accept_one(programs, ANSWER_STEP_MS, error);
	return status < 0 ? -1 : 0;
}

int programs_begin(struct programs *programs, struct error *error)
{
	const struct helper_work work = { .socket_fd = programs->socket.fd,
					  .own_pid = getpid(),
					  .context = programs,
					  .wants = process_is_wanted };
	int status = helper_start(&programs->helper, &work, error);

	if (status < 0)
		return -1;
	/* The helper has the socket. */
	close(programs->socket.fd);
	programs->socket.fd = -1;
	programs_search(programs);
	for (int nr_steps = 0; status >= 0 && nr_steps < SEARCH_STEPS && programs->helper.is_searching;
	     nr_steps += status == 0)
		status = programs_accept_one(programs, SEARCH_STEP_MS, error);
	return status < 0 ? -1 : 0;
}
