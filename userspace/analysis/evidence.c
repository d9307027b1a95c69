// SPDX-License-Identifier: GPL-2.0-only
/* The records that an answer of ktrack why rests on. */
#include "analysis/internal.h"

#include <stdlib.h>
#include <string.h>

int evidence_add(struct evidence *evidence, int64_t time_ns, int cpu, const char *buffer,
		 const char *event)
{
	struct evidence_record record = {
		.time_ns = time_ns, .cpu = cpu, .buffer = strdup(buffer), .event = strdup(event)
	};

	if (record.buffer && record.event &&
	    array_double(evidence->records, evidence->nr_records, evidence->capacity)) {
		evidence->records[evidence->nr_records++] = record;
		return 0;
	}
	free(record.buffer);
	free(record.event);
	return -1;
}

void evidence_release(struct evidence *evidence)
{
	for (size_t i = 0; i < evidence->nr_records; i++) {
		free(evidence->records[i].buffer);
		free(evidence->records[i].event);
	}
	free(evidence->records);
	*evidence = (struct evidence){ 0 };
}

static bool record_is_before(const void *member, const void *key)
{
	return ((const struct evidence_record *)member)->time_ns < *(const int64_t *)key;
}

const struct evidence_record *evidence_at(const struct evidence *evidence, int64_t time_ns,
					  size_t *nr)
{
	size_t at = sorted_count(evidence->records, evidence->nr_records,
				 sizeof(*evidence->records), record_is_before, &time_ns);

	for (*nr = 0; *nr < EVIDENCE_SHOWN && at + *nr < evidence->nr_records &&
		      evidence->records[at + *nr].time_ns == time_ns;)
		++*nr;
	return *nr > 0 ? &evidence->records[at] : NULL;
}

/** struct times - times of records */
struct times {
	int64_t *list;
	size_t nr;
	size_t capacity;
	bool failed;
};

static void times_add(struct times *times, const struct split *split)
{
	for (size_t i = 0; i < split->nr_parts; i++) {
		const struct part *part = &split->parts[i];

		for (int j = 0; j < 2 && !times->failed; j++) {
			times->failed = !array_double(times->list, times->nr, times->capacity);
			if (!times->failed)
				times->list[times->nr++] = part->longest_at_ns +
							   (j ? part->longest_ns : 0);
		}
		if (part->waker)
			times_add(times, part->waker);
	}
}

static int time_compare(const void *a, const void *b)
{
	int64_t first = *(const int64_t *)a, second = *(const int64_t *)b;

	return (first > second) - (first < second);
}

int why_find_evidence(struct why_sink *why, struct error *error)
{
	const struct evidence_finder *finder = why->settings->evidence;
	struct times times = { 0 };
	int status = 0;

	for (size_t i = 0; i < why->nr_slices; i++)
		times_add(&times, &why->slices[i].split);
	if (times.nr > 1)
		qsort(times.list, times.nr, sizeof(*times.list), time_compare);
	if (times.failed)
		status = error_set(error, "out of memory");
	else if (times.nr > 0)
		status = finder->find(finder->context, times.list, times.nr, &why->evidence, error);
	free(times.list);
	return status;
}
