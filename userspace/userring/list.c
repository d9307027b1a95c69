// SPDX-License-Identifier: GPL-2.0-only
/* Lists programs, and cleans up behind a killed ktrack. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "userring/inspection.h"
#include "userring/process.h"
#include "userring/refusals.h"

static int found_visit(const struct found_memory *memory, const struct program_visitor *visitor,
		       struct error *error)
{
	const struct program_found found = { .pid = memory->found.pid,
					     .path = memory->found.path,
					     .comm = memory->found.comm,
					     .is_recorded = memory->found.is_recorded,
					     .nr_events = memory->nr_events,
					     .events = (const char *const *)memory->events };

	return memory->found.number == 0 ? visitor->visit(visitor->context, &found, error) : 0;
}

/* What was found is visited also if more may be missing. */
int programs_visit(const struct program_visitor *visitor, struct error *error)
{
	struct inspection inspection;
	int status = inspection_run(&inspection, INSPECTION_EVENTS, NULL, error);

	for (size_t i = 0; i < inspection.size; i++) {
		if (found_visit(inspection.list[i], visitor, error) < 0) {
			status = -1;
			break;
		}
	}
	inspection_release(&inspection);
	return status;
}

/* Whoever chose a socket leaves the programs of other ktracks alone. */
static bool chosen_wants(void *context, int pid)
{
	const char *chosen = getenv(KTRACK_USER_SOCKET_VARIABLE);
	char *path = chosen ? process_socket(pid) : NULL;
	bool wants = !chosen || (path && strcmp(path, chosen) == 0);

	(void)context;
	free(path);
	return wants;
}

static void inspection_sum(struct programs_examined *out, const struct inspection *inspection,
			   struct refusals *refusals)
{
	for (size_t i = 0; i < inspection->size; i++) {
		const struct part_found *found = &inspection->list[i]->found;

		if (found->is_recorded)
			refusals_add(refusals, found->pid, found->comm, "a ktrack records it");
		else if (found->number != 0)
			refusals_add(refusals, found->pid, found->comm,
				     refusal_reason(found->number));
		else
			out->nr_programs++;
	}
	if (inspection->cut_pid != 0)
		refusals_add(refusals, inspection->cut_pid, "", refusal_reason(EBUSY));
}

int programs_examine(struct programs_examined *out, struct error *error)
{
	struct refusals *refusals = calloc(1, sizeof(*refusals));
	struct inspection inspection;
	int status;

	*out = (struct programs_examined){ 0 };
	if (!refusals)
		return error_set(error, "out of memory");
	status = inspection_run(&inspection, INSPECTION_STATE, chosen_wants, error);
	inspection_sum(out, &inspection, refusals);
	out->nr_refused = refusals->size;
	buffer_append_string(&out->refused, refusals_text(refusals));
	refusals_release(refusals);
	free(refusals);
	inspection_release(&inspection);
	return status;
}

unsigned int programs_clean(void)
{
	struct error ignored = { 0 };
	struct inspection inspection;
	unsigned int number;

	inspection_run(&inspection, INSPECTION_FREE, chosen_wants, &ignored);
	number = inspection.nr_freed;
	inspection_release(&inspection);
	return number;
}
