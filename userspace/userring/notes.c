// SPDX-License-Identifier: GPL-2.0-only
/* Reports what the reader has noted of programs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "userring/program.h"
#include "userring/programs.h"

/* So many programs that did not wait are reported. */
#define LATE_MAX 10

/* If memory runs out, the sum has it. */
void programs_lose(struct programs *programs)
{
	queue_lose(&programs->recorded.queue, time_now_ns(CLOCK_BOOTTIME), LOSS_COUNT_UNKNOWN);
}

/* A program that has not waited for the answer was not recorded until now. The first are reported.
 */
static void programs_report_late(struct programs *programs, int pid, const char *comm)
{
	const char *more = "";

	if (!programs->is_on)
		return;
	programs_lose(programs);
	if (++programs->nr_late > LATE_MAX)
		return;
	if (programs->nr_late == LATE_MAX)
		more = "; the end reports how many others did not";
	report_message(programs->settings.report,
		       "%s (%d): did not wait for ktrack, which was busy; its records until now "
		       "are missing%s",
		       *comm ? comm : "a program", pid, more);
}

static void note_full(struct programs *programs, const struct part_note *note, const char *comm,
		      bool is_first)
{
	refusals_add(&programs->refusals, note->pid, comm, "there are too many programs");
	if (!is_first)
		return;
	report_message(programs->settings.report,
		       "%s (%d): not recorded, as later ones may be: at most %d programs, %d of a "
		       "user, and %d of a process, are recorded; select some by --programs=GLOB",
		       comm, note->pid, PROGRAMS_MAX, PROGRAMS_MAX / 2, PROCESS_PROGRAMS_MAX);
	programs_lose(programs);
}

static void note_locked(struct programs *programs, const struct part_note *note, const char *comm,
			bool is_first)
{
	programs->was_locked = true;
	refusals_add(&programs->refusals, note->pid, comm, "another ktrack records it");
	if (is_first)
		report_message(
			programs->settings.report,
			"%s (%d): another ktrack records it, and perhaps more of the programs",
			comm, note->pid);
}

static void note_problem(struct programs *programs, const struct part_note *note, bool is_first)
{
	programs_lose(programs);
	refusals_add(&programs->refusals, note->pid, "", refusal_reason(note->number));
	if (is_first)
		report_message(programs->settings.report,
			       "a program (%d) is missing: what it has sent cannot be used: %s",
			       note->pid, strerror(note->number));
}

static void note_damaged(struct programs *programs, const struct part_note *note, const char *comm)
{
	programs_lose(programs);
	refusals_add(&programs->refusals, note->pid, comm, "its rings are damaged");
	report_message(programs->settings.report,
		       "%s (%d): its rings are damaged; an unknown number of its records is lost",
		       comm, note->pid);
}

static void note_cut(struct programs *programs, const struct part_note *note, bool is_first)
{
	refusals_add(&programs->refusals, note->pid, "", refusal_reason(EBUSY));
	if (is_first)
		report_message(programs->settings.report,
			       "running programs may be missing: the search left out process %d, "
			       "and perhaps others, which have too many files, or hang",
			       note->pid);
}

/* Most are reported once for all programs. */
void programs_take_note(struct programs *programs, const struct part_note *note)
{
	bool is_first = note->kind < NR_NOTE_KINDS && !(programs->reported >> note->kind & 1);
	char comm[sizeof(note->comm)];

	snprintf(comm, sizeof(comm), "%.*s", (int)sizeof(note->comm) - 1, note->comm);
	if (is_first && (note->kind != NOTE_UNACCEPTED || note->number != 0))
		programs->reported |= 1u << note->kind;
	switch (note->kind) {
	case NOTE_FULL:
		note_full(programs, note, comm, is_first);
		break;
	case NOTE_LOCKED:
		note_locked(programs, note, comm, is_first);
		break;
	case NOTE_REFUSED:
		refusals_add(&programs->refusals, note->pid, comm, refusal_reason(note->number));
		/* What a program offers is its own matter, what fails in ktrack is not. */
		if (note->number != EINVAL && note->number != EPERM && note->number != EAGAIN)
			programs_lose(programs);
		break;
	case NOTE_LATE:
		programs_report_late(programs, note->pid, comm);
		break;
	case NOTE_DROPPED:
		/* No loss: whoever connects and sends nothing need not be a program. */
		if (is_first)
			report_message(programs->settings.report,
				       "a program may be missing: it connected, and sent nothing "
				       "for too long");
		break;
	case NOTE_PROBLEM:
		note_problem(programs, note, is_first);
		break;
	case NOTE_UNACCEPTED:
		/* No loss: the connection may be accepted later. */
		programs->refused = note->number;
		if (note->number != 0 && is_first)
			report_message(programs->settings.report,
				       "a program may be missing: its connection cannot be "
				       "accepted: %s",
				       strerror(note->number));
		break;
	case NOTE_CUT:
		note_cut(programs, note, is_first);
		break;
	case NOTE_DAMAGED:
		note_damaged(programs, note, comm);
		break;
	case NOTE_LEFT:
		refusals_add(&programs->refusals, note->pid, comm,
			     "it had more records at the end than are read");
		break;
	case NOTE_THREADS:
		report_message(programs->settings.report,
			       "%s (%d): too many threads; some records are on the track of the "
			       "first",
			       comm, note->pid);
		break;
	default:
		break;
	}
}

/* More than is read of a user in a pass waits in its rings, and other users do not wait for it. */
static void programs_report_too_late(const struct programs *programs)
{
	const struct record_queue *queue = &programs->recorded.queue;

	for (size_t i = 0; i < queue->nr_users; i++) {
		if (queue->users[i].nr_late > 0)
			report_message(programs->settings.report,
				       "programs of user %u: %zu of their records came too late, and "
				       "are lost; later ones had been delivered",
				       (unsigned int)programs->recorded.users.list[i]->uid,
				       queue->users[i].nr_late);
	}
}

void programs_report_rest(struct programs *programs)
{
	if (programs->nr_late > LATE_MAX)
		report_message(programs->settings.report,
			       "%u programs did not wait for ktrack, which was busy; their first "
			       "records are missing",
			       programs->nr_late);
	programs_report_too_late(programs);
	refusals_report(&programs->refusals, programs->settings.report);
}
