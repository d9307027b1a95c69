/* SPDX-License-Identifier: GPL-2.0-only */
/* Selects the records of a source. */
#ifndef READER_FILTER_H
#define READER_FILTER_H

#include "convention/convention.h"
#include "source/source.h"

/**
 * struct filter - which records are exported; a zeroed one exports all
 * @track: a pattern for track names, NULL for all
 * @buffer: the name of a buffer, NULL for all
 * @cpu, @pid: if @has_cpu, @has_pid; pid is the thread that wrote the record
 * @from_ns, @to_ns: since @start_ns; 0 for no limit
 * @start_ns: trace time of the recording's start
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

/** filter_is_open - whether the filter matches all records */
bool filter_is_open(const struct filter *filter);

/** filter_wants_record - whether to decode a record; @buffers as in struct recording */
bool filter_wants_record(const struct filter *filter, const struct record *record,
			 const char *const *buffers);

/** filter_check - refuse a filter that matches nothing of a source; returns -1 with @error */
int filter_check(const struct filter *filter, const struct recording *recording,
		 struct error *error);

/** filter_wants_stream - whether records and losses of one CPU of a buffer match */
bool filter_wants_stream(const struct filter *filter, int cpu, unsigned int buffer,
			 const char *const *buffers);

/** filter_wants_loss - whether the lost records could have matched */
bool filter_wants_loss(const struct filter *filter, const struct loss *loss,
		       const char *const *buffers);

/** filter_has_all_threads - whether all records of a time match, so that they show states */
bool filter_has_all_threads(const struct filter *filter);

/** filter_has_times - whether the filter limits the time */
bool filter_has_times(const struct filter *filter);

/** filter_is_past - whether all matching records are older than @time_ns */
bool filter_is_past(const struct filter *filter, int64_t time_ns);

/** filter_wants_event - whether a decoded record matches */
bool filter_wants_event(const struct filter *filter, const struct decoded_event *decoded);

/** filter_name - append the options of the filter, with commas */
void filter_name(const struct filter *filter, struct buffer *out);

#endif
