/* SPDX-License-Identifier: GPL-2.0-only */
/* A source whose records are in the ring buffers of a tracefs instance. */
#ifndef SOURCE_LIVE_H
#define SOURCE_LIVE_H

#include "source/state.h"
#include "source/statistics.h"

/**
 * struct live - the source
 * @directory: the instance's
 * @durable: that of the one beside it, NULL for none
 * @saved: names of threads that have ended
 * @is_held: only that one is read
 * @clock: its clock's name, where it was asked for
 * @kernel: the running kernel's release
 * @reads_ahead: sub-buffers may be taken before their turn
 * @ahead_ns: when that was last done
 * @ahead_size: how many bytes wait for their turn
 * @watches_drops: writers go on, and what comes to a full buffer is dropped
 * @attached_ns: when we came
 * @clock_id: that of @clock, where @has_clock_id
 * @is_unseen: something was read since the watcher looked
 * @is_cut: nothing more is read
 */
struct live {
	struct source source;
	char *directory;
	char *durable;
	struct source_saved saved;
	bool is_held;
	char *clock;
	char *kernel;
	bool reads_ahead;
	int64_t ahead_ns;
	size_t ahead_size;
	bool watches_drops;
	int64_t attached_ns;
	bool has_clock_id;
	clockid_t clock_id;
	bool is_unseen;
	bool is_cut;
};

/** struct live_page - a sub-buffer that was read */
struct live_page {
	struct live_page *next;
	ssize_t size;
	unsigned char bytes[];
};

/**
 * struct live_stream - one CPU's trace_pipe_raw
 * @fd, @statistics_fd: that, and what the kernel counts of it
 * @directory: of its instance
 * @sub_buffers_left: how many may still be read
 * @overwritten: how many records are behind the gaps so far, where @is_counted
 * @before: what the kernel had counted when somebody else's buffer was opened; zeros for our own
 * @after: what it had counted when reading was over, where @is_sealed
 * @has_older_drops: perhaps of those before it that were dropped, some were so after somebody read
 * @has_looked: whether drops were looked at
 * @dropped: how many the kernel had counted then
 * @told: how many dropped records were told of
 * @settled: what the kernel had counted when it was about to empty the buffer
 * @forgotten: what it had counted in all that it has emptied
 * @size: of a sub-buffer
 * @is_absent: the CPU is not online, and never was
 * @page: whose records are being delivered
 * @first, @last: those that wait for their turn
 */
struct live_stream {
	struct live *live;
	const char *directory;
	int cpu;
	int fd;
	int statistics_fd;
	size_t sub_buffers_left;
	struct statistics before;
	uint64_t overwritten;
	bool is_counted;
	struct statistics after;
	bool is_sealed;
	bool has_older_drops;
	bool has_looked;
	uint64_t dropped;
	uint64_t told;
	struct statistics settled;
	struct statistics forgotten;
	size_t size;
	bool is_absent;
	struct live_page *page;
	struct live_page *first;
	struct live_page *last;
};

/**
 * live_stream_open - open the files of @cpu
 * @is_durable: of the instance beside
 *
 * Returns -1 with @error.
 */
int live_stream_open(struct stream *stream, struct live *live, int cpu, bool is_durable,
		     struct error *error);

/** live_leaves - whether a stream's records are to stay in the buffer for now */
static inline bool live_leaves(const struct live *live, const struct stream *stream)
{
	return live->is_held && !stream->is_durable;
}

/** live_read_ahead - take what all CPUs have now, up to a bound */
void live_read_ahead(struct source *source);

/** live_new - open the files of all CPUs; returns -1 with @error */
int live_new(struct live **out, const char *directory, struct error *error);

/**
 * live_find_task - look up a thread of this machine: in procfs while it lives, then among the names
 * that the kernel saved
 */
void live_find_task(const struct source_saved *saved, int tid, struct source_task *out);

/** live_number - the number in a file of an instance, 0 where there is none */
uint64_t live_number(const char *directory, const char *file);

/** live_statistics_now - what the kernel counts of a stream now; returns -1 with @error */
static inline int live_statistics_now(const struct live_stream *own, struct statistics *out,
				      struct error *error)
{
	return statistics_load(out, own->statistics_fd, own->cpu, error);
}

/**
 * live_statistics - what the kernel counts of a stream, and counted when reading was over; returns
 * -1 with @error
 */
int live_statistics(const struct stream *stream, struct statistics *out, struct error *error);

/** live_tell_drops - of an instance that somebody set up, as in struct source_ops */
int live_tell_drops(struct source *source, const struct source_handler *handler,
		    struct error *error);

/** instance_describe - ask the instance how somebody set it up, and what was counted until now */
void instance_describe(struct live *live);

/** instance_open - like source_instance_open(), by the instance's directory */
int instance_open(struct source **out, const char *directory, struct error *error);

#endif
