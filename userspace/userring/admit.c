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

/*
 * Of each second, for reading the mappings of processes, of which a hostile one may have many. It is
 * CPU time: while this process is preempted, it reads none.
 */
#define MAPPED_LIMIT_NS (NS_PER_S / 2)

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
	if (programs->size < PROGRAMS_MAX &&
	    programs_count_process(programs, program->pid) < PROCESS_PROGRAMS_MAX)
		return true;
	if (!programs->was_full) {
		report_message(programs->settings.report,
			       "%s (%d): not recorded, as later ones may be: at most %d programs, "
			       "and %d of a process, are recorded; select some by "
			       "--programs=GLOB",
			       program->comm, program->pid, PROGRAMS_MAX, PROCESS_PROGRAMS_MAX);
		programs_lose(programs);
	}
	programs->was_full = true;
	return false;
}

static void program_mark_mapped(void *context, ino_t inode)
{
	struct programs *programs = context;

	for (size_t i = 0; i < programs->size; i++)
		programs->list[i]->is_mapped |= programs->list[i]->inode == inode;
}

/* Whether the mappings of a process are known; marks its programs. */
static bool programs_look_up_mappings(struct programs *programs, int pid)
{
	const struct mapping_visitor visitor = { programs, program_mark_mapped };
	int64_t begin_ns = time_now_ns(CLOCK_THREAD_CPUTIME_ID);
	int64_t left_ns = time_share_left(&programs->mappings, time_now_ns(CLOCK_MONOTONIC),
					  MAPPED_LIMIT_NS);
	bool is_known;

	for (size_t i = 0; i < programs->size; i++)
		programs->list[i]->is_mapped = false;
	is_known = process_visit_mappings(pid, begin_ns + left_ns, &visitor);
	programs->mappings.used_ns += time_now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
	return is_known;
}

/* After exec(2), earlier memory of the process has no writer. */
static void programs_end_replaced(struct programs *programs, const struct program *program)
{
	if (programs_count_process(programs, program->pid) == 0 ||
	    !programs_look_up_mappings(programs, program->pid))
		return;
	for (size_t i = 0; i < programs->size; i++) {
		struct program *other = programs->list[i];

		other->has_ended |= other->pid == program->pid && !other->is_mapped;
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

static int programs_add(struct programs *programs, struct program *program, struct error *error)
{
	struct program **list;

	if (!programs_wants(programs, program)) {
		program_close(program);
		return 0;
	}
	programs_end_replaced(programs, program);
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
	list[programs->size++] = program;
	program_switch(program, programs->is_on);
	return 0;
}

static int memory_add(void *context, int fd, int pid, struct error *error)
{
	struct program *program = program_open(fd, pid);

	if (program)
		return programs_add(context, program, error);
	if (errno == EINVAL)
		return 0;
	return error_set_system(error, errno, "cannot record process %d", pid);
}

static bool process_is_wanted(void *context, int pid)
{
	const struct programs *programs = context;

	return program_socket_owns(&programs->socket, pid);
}

int programs_search(struct programs *programs, struct error *error)
{
	const struct memory_visitor visitor = { .context = programs,
						.wants = process_is_wanted,
						.visit = memory_add };

	programs->searched_ns = time_now_ns(CLOCK_BOOTTIME);
	return memfds_visit(&visitor, error);
}

static const struct program *programs_find(const struct programs *programs, int pid)
{
	for (size_t i = programs->size; i > 0; i--) {
		if (programs->list[i - 1]->pid == pid)
			return programs->list[i - 1];
	}
	return NULL;
}

/* A program that has not waited for the answer was not recorded until now. */
static void programs_report_late(struct programs *programs, int pid)
{
	const struct program *program = programs_find(programs, pid);
	const char *more = "";

	/* One that is alive and not recorded is not wanted. */
	if (!programs->is_on || programs->nr_late == LATE_MAX ||
	    (!program && process_started(pid) != 0))
		return;
	programs_lose(programs);
	if (++programs->nr_late == LATE_MAX)
		more = "; more programs are not reported";
	report_message(programs->settings.report,
		       "%s (%d): did not wait for ktrack, which was busy; its records until now "
		       "are missing%s",
		       program && *program->comm ? program->comm : "a program", pid, more);
}

/* Reported once, and no loss: whoever connects and sends nothing need not be a program. */
static void programs_report_dropped(struct programs *programs)
{
	if (programs->socket.nr_dropped == 0 || programs->has_dropped)
		return;
	programs->has_dropped = true;
	report_message(programs->settings.report, "a program may be missing: it connected, and "
						  "sent nothing for too long");
}

/* Reported once, and lost each time. */
static void programs_report_problem(struct programs *programs)
{
	if (programs->socket.problem == 0)
		return;
	programs_lose(programs);
	if (!programs->has_problem)
		report_message(programs->settings.report,
			       "a program is missing: its message cannot be received: %s",
			       strerror(programs->socket.problem));
	programs->has_problem = true;
	programs->socket.problem = 0;
}

/* Reported once, and no loss: the connection may be accepted later. */
static void programs_report_refused(struct programs *programs)
{
	if (programs->socket.refused == 0 || programs->has_refused)
		return;
	programs->has_refused = true;
	report_message(programs->settings.report,
		       "a program may be missing: its connection cannot be accepted: %s",
		       strerror(programs->socket.refused));
}

int programs_accept(struct programs *programs, struct error *error)
{
	struct program_offer offer;
	int status = 0;

	for (int i = 0; i < OFFERS_MAX && status == 0; i++) {
		if (!program_socket_take(&programs->socket, &offer))
			break;
		status = memory_add(programs, offer.memory_fd, offer.pid, error);
		if (program_offer_is_late(&offer))
			programs_report_late(programs, offer.pid);
		close(offer.memory_fd);
		close(offer.connection);
	}
	programs_report_dropped(programs);
	programs_report_problem(programs);
	programs_report_refused(programs);
	return status;
}
