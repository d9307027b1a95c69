/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Public header of tracedat: reads trace.dat files (version 6 and 7), spools the raw sub-buffers of
 * a recording, and writes the trace.dat of a spool.
 */
#ifndef TRACEDAT_TRACEDAT_H
#define TRACEDAT_TRACEDAT_H

#include "base/base.h"
#include "event/event.h"
#include "tracefs/page.h"
#include "tracefs/tracefs.h"
#include "userring/userring.h"

struct trace_file;

/**
 * gzip_read - append the content of a compressed file
 * @size_max: limit of the compressed and of the uncompressed size
 *
 * Returns 0, or -1 with errno; EINVAL if the content is damaged or too large.
 */
int gzip_read(const char *path, size_t size_max, struct buffer *out);

/**
 * trace_file_open - open a trace.dat
 * @out: a new file, for trace_file_close(); NULL on failure
 * @path: "-" is standard input
 * @settings: NULL for the default
 *
 * A damaged or truncated file is opened too: all complete records before the damage can be read,
 * trace_file_damage() reports the damage. Returns 0, or -1 with @error if the file is of another
 * kind, or so short that it names no records.
 */
int trace_file_open(struct trace_file **out, const char *path,
		    const struct input_settings *settings, struct error *error);

/**
 * trace_input_open - open a file, or copy a pipe to an unnamed temporary file; decompress it
 * @path: "-" is standard input
 * @is_other: whether the first bytes of a pipe are those of another recording, which is copied too
 * @settings: NULL for the default
 *
 * Ctrl-C ends a pipe of the other kind, which is read as far as it came. Returns a descriptor, or
 * -1 with @error.
 */
int trace_input_open(const char *path, bool (*is_other)(struct text head),
		     const struct input_settings *settings, struct error *error);

/** trace_file_open_at - trace_file_open() of an opened input, which it takes */
int trace_file_open_at(struct trace_file **out, int fd, const char *path, struct error *error);
/** trace_file_close - close the file and its streams; NULL is fine */
void trace_file_close(struct trace_file *file);
/** trace_file_set_progress - count the bytes that are read from now on; NULL for none */
void trace_file_set_progress(struct trace_file *file, struct byte_progress *progress);
/** trace_file_describe - properties of the file; borrowed from it */
const struct recording *trace_file_describe(const struct trace_file *file);

/**
 * trace_file_streams - one stream for each CPU of each buffer, sorted by buffer and CPU
 * @nr_streams: how many
 *
 * The file owns the streams; the caller reads them.
 */
struct stream *trace_file_streams(struct trace_file *file, size_t *nr_streams);

/**
 * trace_file_statistics - the kernel's statistics of a stream's CPU
 * @stream: of this file, read to its end
 *
 * In a file of ktrack's, records that the statistics count and the stream lacks are damage. Returns
 * NULL if the file has no statistics of this CPU.
 */
const struct statistics *trace_file_statistics(struct trace_file *file,
					       const struct stream *stream);

/** trace_file_visit - visit all event formats; returns the visitor's last result */
int trace_file_visit(struct trace_file *file, const struct tracepoint_visitor *visitor,
		     struct error *error);

/**
 * trace_file_read_symbols - read the symbols of the traced kernel
 * @out: for kallsyms_free(); NULL on failure
 *
 * Returns 0, or -1 with @error if the file has none, or hidden ones.
 */
int trace_file_read_symbols(struct trace_file *file, struct kallsyms **out, struct error *error);

/** trace_file_read_constants - add the kernel's constant strings; returns -1 with @error */
int trace_file_read_constants(struct trace_file *file, struct constants *out, struct error *error);
/** trace_file_find_task - look up a thread among the saved names; @out is zeroed */
void trace_file_find_task(const struct trace_file *file, int tid, struct thread_identity *out);
/**
 * trace_file_find_cgroup - the path of a process's cgroup; borrowed
 *
 * It is that of before the first recorded move, if there is one; empty if it is unknown.
 */
struct text trace_file_find_cgroup(const struct trace_file *file, int pid);
/** trace_file_count_unknown - count a record with event id @id that could not be decoded */
void trace_file_count_unknown(struct trace_file *file, uint16_t id, const struct record *record);
/** trace_file_finish - report unused bytes and unknown ids, after all streams were read */
void trace_file_finish(struct trace_file *file);

/**
 * trace_file_damage - the first problem of the file and the number of further ones
 *
 * Returns one line, valid until the next call that reads the file; NULL if there was no problem.
 */
const char *trace_file_damage(const struct trace_file *file);

/** struct spool_owner - owner of new files, if @is_other than this process */
struct spool_owner {
	bool is_other;
	uid_t user;
	gid_t group;
};

/*
 * A part of a trace.dat, which is a trace.dat, too: records of a time, and others that begin or end
 * what is in that time.
 */

struct part_writer;

/** struct part_state - what no record of a part has */
struct part_state {
	const char *lines; /* what is known of the rest, see struct recording */
	/* @workload, @narrow: as in struct recording, at the begin of the part; NULL if unknown */
	const char *workload;
	const char *narrow;
};

/**
 * part_writer_new - begin to write a part of a file; returns -1 with @error
 * @out: for part_writer_free(), also on failure
 * @file: with its streams; outlives the writer
 * @path: of the new trace.dat, which is replaced when it is complete
 */
int part_writer_new(struct part_writer **out, struct trace_file *file, const char *path,
		    const struct spool_owner *owner, struct error *error);

/** part_writer_add - add a record of the file; those of a CPU in their order; -1 with @error */
int part_writer_add(struct part_writer *writer, const struct record *record, struct error *error);
/** part_writer_add_gap - records were lost before the next one of a CPU; returns -1 with @error */
int part_writer_add_gap(struct part_writer *writer, const struct loss *loss, struct error *error);
/** part_writer_has_gap - whether records were lost before a record, if it is added next */
bool part_writer_has_gap(struct part_writer *writer, const struct record *record);
/** part_writer_finish - write the trace.dat, sync it and replace the target; -1 with @error */
int part_writer_finish(struct part_writer *writer, const struct part_state *state,
		       uint64_t *nr_records, struct error *error);
/** part_writer_free - remove what was not finished; NULL is fine */
void part_writer_free(struct part_writer *writer);

struct spool;

/**
 * spool_new - create the spool of a recording: a folder with the raw records of each CPU
 * @out: for spool_close()
 * @path: of the future trace.dat; the folder is PATH.spool
 *
 * Returns 0, or -1 with @error, for example if the folder holds a killed recording.
 */
int spool_new(struct spool **out, const char *path, const struct spool_owner *owner,
	      struct error *error);

/** spool_exists - whether @path, of a trace.dat, has a spool */
bool spool_exists(const char *path);

/**
 * spool_open - open the spool that a killed recording left
 * @out: for spool_close()
 *
 * Returns 0; 1 without a spool if the trace.dat was complete already, and the rest of the spool has
 * been removed; or -1 with @error.
 */
int spool_open(struct spool **out, const char *path, const struct spool_owner *owner,
	       struct error *error);

/**
 * spool_instance - the tracing instance that was recorded
 *
 * Returns its name; "" if the spool is complete without it, NULL if an earlier boot had it.
 */
const char *spool_instance(const struct spool *spool);

/** struct spool_description - what describes a recording; empty texts do not */
struct spool_description {
	struct text workload;  /* only these threads and their descendants are recorded: "1,2,3" */
	struct text narrow;    /* these threads run 32-bit programs: "1,2,3" */
	struct text rules;     /* for its records, as ktrack-rules(5) describes them */
	struct text selection; /* lines of selection_store() */
	struct text labels;    /* lines "KEY=VALUE" */
	struct text command;   /* number of the process of the command that is recorded */
};

/** spool_describe - before spool_begin(); returns -1 if memory ran out */
int spool_describe(struct spool *spool, const struct spool_description *description);
/** formats_new - an empty collection of event formats; NULL if memory ran out */
struct formats *formats_new(void);
/** formats_keep - add the text of a format; returns -1 if memory ran out */
int formats_keep(struct formats *formats, const char *system, const char *event, struct text text);
/** formats_free - free it; NULL is allowed */
void formats_free(struct formats *formats);

/**
 * spool_set_programs - also record programs; before spool_begin(); returns -1 with @error
 * @programs: outlive the spool; spool_finish() stops them
 */
int spool_set_programs(struct spool *spool, struct programs *programs, struct error *error);

/**
 * spool_begin - write the files that decode the records, and open the instance for reading
 * @instance: whose tracepoints are enabled; not needed after this call; NULL to record programs
 * only
 * @known: formats of tracepoints that still have them, so that they are not read again; NULL for
 * none
 *
 * Returns 0, or -1 with @error.
 */
int spool_begin(struct spool *spool, const struct instance *instance,
		const struct buffer_mode *mode, const struct formats *known, struct error *error);

/**
 * spool_save_more - add the formats of tracepoints that were enabled since; returns -1 with @error
 * @nr_doubtful: formats of the recording that share their id with another one, so that neither can
 * decode its records
 */
int spool_save_more(struct spool *spool, size_t *nr_doubtful, struct error *error);

/**
 * spool_mark_incomplete - the kernel emptied the instance's buffers, with uncounted records
 *
 * Returns 0, or -1 with @error.
 */
int spool_mark_incomplete(struct spool *spool, const struct instance *instance,
			  struct error *error);

/** spool_sync - make everything but the records survive a crash of the machine; returns -1 with
 * @error */
int spool_sync(struct spool *spool, struct error *error);

/**
 * spool_keep_rights - prepare for dropping privileges; returns -1 with @error
 * @are_owners: set if the owner may write to the folder, so that no privilege is needed any more
 */
int spool_keep_rights(struct spool *spool, bool *are_owners, struct error *error);

/** spool_attach - open the instance of a spool_open()ed spool for reading; returns -1 with @error
 */
int spool_attach(struct spool *spool, const struct instance *instance, struct error *error);

/**
 * spool_wait - wait until a buffer has filled up to the instance's buffer_percent
 * @also_fd: or until this descriptor is readable
 * @timeout_ms: or until this time has passed
 */
void spool_wait(const struct spool *spool, int also_fd, int timeout_ms);

/**
 * spool_read - move whole sub-buffers to the files, except from buffers that are read at the end
 *
 * Returns 0, or -1 with @error; the spool is kept for 'ktrack recover' then.
 */
int spool_read(struct spool *spool, struct error *error);

/**
 * spool_save_symbols - save the kernel's symbols, too, after spool_begin()
 *
 * The file stays open: its addresses are hidden from who opens it without privileges. Returns -1
 * with @error.
 */
int spool_save_symbols(struct spool *spool, struct error *error);

/** spool_keep - remember the current sizes of the files, for spool_rewind() */
void spool_keep(struct spool *spool);
/** spool_rewind - truncate the files to the sizes at spool_keep(); returns -1 with @error */
int spool_rewind(struct spool *spool, struct error *error);
/** spool_count - records and losses until now, and bytes in the buffers */
void spool_count(const struct spool *spool, struct buffer_counts *out);
/** spool_size - bytes of records in the files */
uint64_t spool_size(const struct spool *spool);

/**
 * struct spool_summary - losses of a recording
 *
 * Both times exist only if buffers were read at the end; otherwise losses are gaps.
 */
struct spool_summary {
	uint64_t lost; /* records that the kernel counts as lost */
	/* those of them that are of the buffer of INSTANCE_CONVENTION */
	uint64_t lost_convention;
	uint64_t lost_sideband; /* the same of the sideband buffer */
	/* CPUs overwrote their first records; all records from @begin_ns on are complete */
	bool has_begin;
	/* CPUs dropped their last records; all records up to @end_ns are complete */
	bool has_end;
	int64_t begin_ns;
	int64_t end_ns;
};

/**
 * spool_finish - read the rest of the buffers after recording stopped, save names and statistics
 *
 * Returns 0, or -1 with @error; the spool is kept for 'ktrack recover' then.
 */
int spool_finish(struct spool *spool, struct spool_summary *summary, struct error *error);

/** spool_abandon - after a failed spool_read() or spool_finish(): save statistics if possible */
void spool_abandon(struct spool *spool);

/**
 * spool_set_progress - count the bytes that spool_finish() reads, or that spool_join() writes and
 * verifies; NULL for none
 */
void spool_set_progress(struct spool *spool, struct byte_progress *progress);

/**
 * spool_join - write the trace.dat, verify it, sync it and replace the target by it
 *
 * spool_close() removes the spool then. Returns 0, or -1 with @error; the spool is kept then.
 */
int spool_join(struct spool *spool, struct error *error);

/**
 * spool_save - write a trace.dat of the current buffers of any instance
 * @directory: of the instance; its companions are saved along with it
 * @has_symbols: the kernel's symbols are saved, too
 *
 * Consumes the buffers; nothing else of the instance changes. Returns 0, or -1 with @error.
 */
int spool_save(const char *path, const struct spool_owner *owner, const char *directory,
	       bool has_symbols, struct error *error);

/**
 * spool_new_recent - keep the newest records of an instance in memory
 * @out: for spool_close(); NULL on failure
 * @instance: whose tracepoints are enabled; not needed after this call
 * @known: as for spool_begin()
 * @size: of the memory for records; it is used as it is needed
 *
 * spool_describe(), spool_save_symbols() and spool_save_more() work as they do for a folder.
 * Returns -1 with @error.
 */
int spool_new_recent(struct spool **out, const struct instance *instance,
		     const struct formats *known, uint64_t size, struct error *error);

/** spool_take - keep a sub-buffer that was read, and drop the oldest; returns -1 with @error */
int spool_take(struct spool *spool, int cpu, enum instance_kind kind, const void *bytes,
	       size_t size, struct error *error);
/** spool_clear_recent - drop all records, which cannot be decoded any more */
void spool_clear_recent(struct spool *spool, int64_t now_ns);

/** struct recent_span - the records in memory */
struct recent_span {
	int64_t begin_ns; /* all records from this time on are kept, unless they were lost */
	int64_t end_ns;	  /* time of the newest record, 0 if there was none */
	uint64_t nr_records;
};

/** spool_recent_span - the records in memory */
struct recent_span spool_recent_span(const struct spool *spool);

/** struct recent_saved - a trace.dat of records in memory */
struct recent_saved {
	/* requested begin; then that of the file, which is later if older records were dropped */
	int64_t from_ns;
	int64_t to_ns;	     /* end of the file */
	uint64_t nr_records; /* in the file */
	/*
	 * records that are missing in it, and their gaps of known size; @has_unknown: there are
	 * others
	 */
	uint64_t lost;
	bool has_unknown;
};

/**
 * spool_save_recent - write, sync and publish a trace.dat of the records between two times
 * @path: of the trace.dat, which does not exist
 * @triggers: lines "TIME TEXT", see struct recording
 * @saved: with the times; the rest is filled
 *
 * The spool is used up: call it in a child process, which has its own copy. What was written of a
 * file that failed is removed. Returns 0, or -1 with @error, also if no record of that time is kept
 * any more.
 */
int spool_save_recent(struct spool *spool, const char *path, struct text triggers,
		      struct recent_saved *saved, struct error *error);

/**
 * spool_new_boot - the spool of a recording whose buffer survives a restart, without records
 * @out: for spool_close(), which removes it until spool_keep_boot()
 * @path: of the future trace.dat
 * @directory: of the instance, with its tracepoints enabled and its clock set; it is not read
 *
 * spool_save_more() works as it does for others. Returns 0, or -1 with @error.
 */
int spool_new_boot(struct spool **out, const char *path, const char *directory,
		   struct error *error);

/**
 * spool_keep_boot - from now on the folder is a recording, whatever happens to the machine
 * @name: of the instance
 * @cpus: whose buffers have records, "0,1"
 *
 * Returns 0, or -1 with @error.
 */
int spool_keep_boot(struct spool *spool, const char *name, struct text cpus, struct error *error);

/** spool_refresh_boot - save names of threads again; returns -1 with @error */
int spool_refresh_boot(struct spool *spool, struct error *error);
/** spool_drop_boot - spool_close() removes the spool */
void spool_drop_boot(struct spool *spool);

/** struct spool_boot - a spool_open()ed spool of such a recording */
struct spool_boot {
	bool is_one;	 /* it is one */
	bool is_read;	 /* its records are in the spool, and the instance is not needed */
	bool is_current; /* the machine was not restarted since */
	uint64_t text;	 /* address of the kernel's code in the boot that recorded, 0 if unknown */
	uint64_t text_now; /* the same in this boot */
};

/** spool_describe_boot - what is known before the records are read */
void spool_describe_boot(const struct spool *spool, struct spool_boot *out);

/** struct spool_boot_end - records that were read */
struct spool_boot_end {
	struct buffer rejected; /* CPUs that had records and have none, "0,1" */
	uint64_t nr_records;	/* in the file */
	bool is_full;		/* buffers were full: records before @from_ns are not complete */
	int64_t from_ns;
};

/**
 * spool_finish_boot - read all records of a stopped instance, for spool_join()
 * @directory: of the instance
 *
 * Returns 0, or -1 with @error.
 */
int spool_finish_boot(struct spool *spool, const char *directory, struct spool_boot_end *end,
		      struct error *error);

/** spool_close - close the spool and remove its folder unless it is kept; NULL is fine */
void spool_close(struct spool *spool);

#endif
