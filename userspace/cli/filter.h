/* SPDX-License-Identifier: GPL-2.0-only */
/* Which records of a source are wanted. */
#ifndef CLI_FILTER_H
#define CLI_FILTER_H

#include "cli/option.h"
#include "convention/convention.h"
#include "source/source.h"

/**
 * struct filter - what a command line asks for; a zeroed one wants everything
 * @track: a pattern for track names, NULL for all
 * @buffer: a buffer's name, NULL for all
 * @cpu, @pid: where @has_cpu, @has_pid; pid is the thread that wrote
 * @from_ns, @to_ns: since the recording's start; 0 for no bound
 * @start_ns: trace time of that start
 */
struct filter {
	const char *track;
	const char *buffer;
	bool has_cpu;
	int cpu;
	bool has_pid;
	int pid;
	int64_t from_ns;
	int64_t to_ns;
	int64_t start_ns;
};

/** filter_is_open - whether everything is wanted, so that no record need be asked about */
bool filter_is_open(const struct filter *filter);

/**
 * filter_wants_record - whether to read a record at all; @buffers as in struct source_description
 */
bool filter_wants_record(const struct filter *filter, const struct record *record,
			 const char *const *buffers);

/**
 * filter_check - whether a source can have anything that is wanted
 *
 * Returns 0, or -1 with @error where it has no such buffer, or no time is left.
 */
int filter_check(const struct filter *filter, const struct source_description *description,
		 struct error *error);

/** filter_wants_stream - whether what one CPU of a buffer wrote, or lost, is wanted */
bool filter_wants_stream(const struct filter *filter, int cpu, unsigned int buffer,
			 const char *const *buffers);

/** filter_wants_loss - whether a loss could have swallowed records that are wanted */
bool filter_wants_loss(const struct filter *filter, const struct source_loss *loss,
		       const char *const *buffers);

/** filter_has_times - whether records are wanted only of a part of the time */
bool filter_has_times(const struct filter *filter);

/** filter_is_past - whether all that is wanted is older than @time_ns */
bool filter_is_past(const struct filter *filter, int64_t time_ns);

/** filter_wants_observation - whether what the record says is wanted */
bool filter_wants_observation(const struct filter *filter, const struct observation *observation);

/** filter_name - append the options that ask for less than everything, with commas */
void filter_name(const struct filter *filter, struct buffer *out);

/** filter_options - the options that fill a struct filter */
extern const struct option_part filter_options;

#endif
