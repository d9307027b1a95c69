/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes down all that a source tells, a line for each record and each loss. */
#ifndef UNIT_SCRIBE_H
#define UNIT_SCRIBE_H

#include "source/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/** struct scribe - what was told; @nr_records of it are records */
struct scribe {
	struct buffer log;
	size_t nr_records;
	uint64_t lost;
};

static inline int scribe_record(void *context, const struct record *record, struct error *error)
{
	struct scribe *scribe = context;
	uint32_t word = 0;

	(void)error;
	if (record->size >= sizeof(word))
		memcpy(&word, record->data, sizeof(word));
	scribe->nr_records++;
	buffer_printf(&scribe->log, "%u/%d at %lld: %zu %u\n", record->buffer, record->cpu,
		      (long long)record->time_ns, record->size, word);
	return 0;
}

static inline int scribe_loss(void *context, const struct source_loss *loss, struct error *error)
{
	struct scribe *scribe = context;

	(void)error;
	buffer_printf(&scribe->log, "%u/%d lost %lld from %lld to %lld%s\n", loss->buffer,
		      loss->cpu, (long long)loss->count, (long long)loss->from_ns,
		      (long long)loss->to_ns, loss->is_sum ? " in all" : "");
	return 0;
}

/** scribe_take - write down a whole source; returns as source_finish() */
static inline int scribe_take(struct scribe *scribe, struct source *source, struct error *error)
{
	struct source_handler handler = { .context = scribe,
					  .record = scribe_record,
					  .loss = scribe_loss };

	return source_finish(source, 9999, &handler, &scribe->lost, error);
}

static inline void scribe_release(struct scribe *scribe)
{
	buffer_release(&scribe->log);
}

/** struct scratch - a file in memory, which has a path all the same */
struct scratch {
	char path[64];
	int fd;
};

static inline void scratch_new(struct scratch *scratch)
{
	scratch->fd = memfd_create("scratch", MFD_CLOEXEC);
	snprintf(scratch->path, sizeof(scratch->path), "/proc/%d/fd/%d", getpid(), scratch->fd);
	if (scratch->fd < 0) {
		printf("Bail out! cannot make a file in memory\n");
		exit(1);
	}
}

/** scratch_write - let the file be just these bytes */
static inline void scratch_write(struct scratch *scratch, const char *bytes, size_t size)
{
	if (ftruncate(scratch->fd, 0) < 0 || pwrite(scratch->fd, bytes, size, 0) != (ssize_t)size) {
		printf("Bail out! cannot write %s\n", scratch->path);
		exit(1);
	}
}

/**
 * scratch_is_blamed - whether a complaint is one line that begins with the file's name and ends
 * with a place in it, unless it is about a file of another kind
 */
static inline bool scratch_is_blamed(const struct scratch *scratch, const char *text, size_t size)
{
	const char *place = strstr(text, "; at offset ");

	if (strncmp(text, scratch->path, strlen(scratch->path)) != 0 || strchr(text, '\n'))
		return false;
	if (strstr(text, "not a trace.dat; "))
		return true;
	return place && strtoull(place + strlen("; at offset "), NULL, 10) <= size;
}

static inline void scratch_remove(struct scratch *scratch)
{
	close(scratch->fd);
}

#endif
