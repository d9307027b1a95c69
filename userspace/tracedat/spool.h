/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private header of tracedat/ for recordings that are written: the folder of a spool, the newest
 * records, the state of a spool, the writer.
 */
#ifndef TRACEDAT_SPOOL_H
#define TRACEDAT_SPOOL_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "tracedat/tracedat.h"
#include "tracefs/page.h"

/*
 * The newest sub-buffers of all CPUs, in memory of a limited size. When it is full, the oldest
 * sub-buffer of all CPUs is dropped, so that every CPU is complete from the same time on.
 */

/** RECENT_NONE - no slot */
#define RECENT_NONE UINT32_MAX

/** struct recent_slot - a sub-buffer */
struct recent_slot {
	uint32_t next; /* of the same CPU, or of the free ones */
	uint32_t size; /* of its bytes */
	uint32_t nr_records;
	bool has_gap;
	bool is_closed; /* nothing can be appended */
	/* @first_ns, @last_ns: times of its first and last record */
	int64_t first_ns;
	int64_t last_ns;
	int64_t gap_count; /* records that were lost before it, if @has_gap; LOSS_COUNT_UNKNOWN */
};

/** struct recent_cpu - the sub-buffers of a CPU, the oldest first */
struct recent_cpu {
	int cpu;
	enum instance_kind kind;
	uint32_t first;
	uint32_t last;
};

/** struct recent - the memory */
struct recent {
	/* @nr_slots sub-buffers of @page_size bytes, used one after the other */
	unsigned char *bytes;
	struct recent_slot *slots;
	size_t page_size;
	uint32_t nr_slots;
	uint32_t nr_used; /* slots that were used at least once */
	uint32_t free;	  /* the first of the slots that were dropped */
	struct recent_cpu *cpus;
	size_t nr_cpus;
	int64_t begin_ns;    /* every record from this time on is kept */
	int64_t end_ns;	     /* time of the newest record */
	uint64_t nr_records; /* kept records */
};

/** struct recent_part - the records of a CPU between two times */
struct recent_part {
	const struct recent *recent;
	const struct recent_cpu *cpu;
	int64_t from_ns;
	int64_t to_ns;
	uint64_t size; /* bytes of its sub-buffers, which are whole pages */
	uint64_t nr_records;
	uint64_t lost;	  /* records in gaps of known size */
	bool has_unknown; /* there is a gap of unknown size */
};

/** recent_part_has - whether a sub-buffer has records of the part */
bool recent_part_has(const struct recent_part *part, const struct recent_slot *slot);
/** recent_part_write - write the sub-buffers, cut to both times; returns -1 with errno */
int recent_part_write(const struct recent_part *part, int fd);

void recent_release(struct recent *recent);

/*
 * The folder of a spool, FILE.spool next to the future FILE. It may belong to another user (sudo):
 * then it is accessed with that user's rights.
 */

/**
 * struct spool_folder - an open, locked folder
 * @is_owners: the owner may write to the parent folder: files are created, opened and removed with
 * the owner's rights
 *
 * All functions below that return int return -1 with @error on failure, unless noted.
 */
struct spool_folder {
	char *target;	    /* path of the future trace.dat */
	char *path;	    /* of the folder */
	struct owner owner; /* owner of the trace.dat */
	bool is_owners;
	int parent_fd; /* folder that contains both */
	int fd;	       /* the folder; its lock is released on close */
	/* the trace.dat being written, if it was created before dropping privileges; else -1 */
	int joined_fd;
	bool is_synced; /* each write is synced from now on */
	bool is_kept;	/* the folder is not removed on release */
};

/** spool_folder_init - an unopened folder; for spool_folder_release() even on failure */
int spool_folder_init(struct spool_folder *folder, const char *target,
		      const struct spool_owner *owner, struct error *error);
/** spool_folder_create - create the folder empty, unless it contains a killed recording */
int spool_folder_create(struct spool_folder *folder, struct error *error);
/** spool_folder_open - open the folder of a killed ktrack, which may be root's or the owner's */
int spool_folder_open(struct spool_folder *folder, struct error *error);
/** spool_folder_release - remove the folder unless it is kept, and close it */
void spool_folder_release(struct spool_folder *folder);
/** spool_folder_sweep - remove a folder without a recording; fails if it has foreign files */
int spool_folder_sweep(struct spool_folder *folder, struct error *error);
/** spool_folder_has_target - whether the trace.dat exists */
bool spool_folder_has_target(const struct spool_folder *folder);
/** spool_folder_has_recording - whether the folder contains a recording that can be recovered */
bool spool_folder_has_recording(const struct spool_folder *folder);
/** spool_folder_scan - list the folder as scandir(3) does; returns -1 with errno */
int spool_folder_scan(const struct spool_folder *folder, struct dirent ***entries);
/** spool_folder_sync - sync the folder itself */
int spool_folder_sync(struct spool_folder *folder, struct error *error);

/** spool_folder_open_joined - an empty, unfinished trace.dat; returns its descriptor, for close()
 */
int spool_folder_open_joined(struct spool_folder *folder, struct error *error);

/** spool_folder_publish - move the unfinished trace.dat to its target, and sync that */
int spool_folder_publish(struct spool_folder *folder, struct error *error);
/** spool_folder_remove_joined - remove the unfinished trace.dat */
void spool_folder_remove_joined(const struct spool_folder *folder);

/**
 * SPOOL_FORMATS, SPOOL_COMMS, SPOOL_OPTIONS, SPOOL_SYMBOLS, SPOOL_CONSTANTS - parts of the future
 * trace.dat but the records; the last two may be absent
 */
#define SPOOL_FORMATS "formats"
#define SPOOL_COMMS "comms"
#define SPOOL_OPTIONS "options"
#define SPOOL_SYMBOLS "symbols"
#define SPOOL_CONSTANTS "constants"
/** SPOOL_PROGRAMS - records of programs; may be absent */
#define SPOOL_PROGRAMS "programs"
/** SPOOL_MACHINE - the options without statistics, of a boot that is over; may be absent */
#define SPOOL_MACHINE "machine"
/** SPOOL_ORIGIN - origin of the records; written last: a folder without it is no recording */
#define SPOOL_ORIGIN "instance"
/** SPOOL_JOINED - the unfinished trace.dat */
#define SPOOL_JOINED "trace.dat"
/** SPOOL_NAME_SIZE - size of any of these names, of a CPU's file, and of ".new" and NUL behind it
 */
#define SPOOL_NAME_SIZE 32

/** spool_cpu_name - write the name of a CPU's file to @out of SPOOL_NAME_SIZE */
void spool_cpu_name(char *out, int cpu, enum instance_kind kind);
/** spool_cpu_parse - parse such a name; returns false if it is another one */
bool spool_cpu_parse(const char *name, int *cpu, enum instance_kind *out);

/**
 * spool_entry_open - open a file of the folder
 * @flags: as for open(2)
 *
 * Refuses links, other file types and files of other users. Returns a descriptor, or -1 with
 * @error.
 */
int spool_entry_open(const struct spool_folder *folder, const char *name, int flags,
		     struct error *error);

/** spool_entry_create - replace a file by an empty one; returns a descriptor, or -1 with @error */
int spool_entry_create(const struct spool_folder *folder, const char *name, struct error *error);
/** spool_entry_read - append the content of a file to @out; returns -1 with @error */
int spool_entry_read(const struct spool_folder *folder, const char *name, struct buffer *out,
		     struct error *error);
/** spool_entry_write - replace a file atomically; returns -1 with @error */
int spool_entry_write(struct spool_folder *folder, const char *name, const struct buffer *content,
		      struct error *error);
/** spool_entry_overwrite - write a file in place, which works on a full disk; -1 with @error */
int spool_entry_overwrite(struct spool_folder *folder, const char *name,
			  const struct buffer *content, struct error *error);
/** spool_entry_reserve - allocate @size bytes of disk for a file, if the filesystem can */
void spool_entry_reserve(const struct spool_folder *folder, const char *name, size_t size);
/** spool_entry_sync - sync a file to the disk; returns -1 with @error */
int spool_entry_sync(struct spool_folder *folder, const char *name, struct error *error);
/** spool_entry_fail - a write to a file failed with errno @number: keep the spool; returns -1 */
int spool_entry_fail(struct spool_folder *folder, int number, const char *name,
		     struct error *error);

/* State of a spool. Each part has one owner, the file of the same name. */

/** struct instance_files - open files; no further privilege is needed to read them */
struct instance_files {
	int events_fd; /* the directory of tracepoints */
	/* The lists of enabled tracepoints of it and its companions, -1 if not opened. */
	int list_fds[INSTANCE_KINDS];
	int clock_fd;		  /* the list of clocks with the current one in brackets */
	struct saved_tasks saved; /* names of ended threads */
};

/** INSTANCE_FILES_NONE - no open files */
#define INSTANCE_FILES_NONE                                                  \
	{                                                                    \
		.events_fd = -1, .list_fds = { -1, -1, -1 }, .clock_fd = -1, \
		.saved = SAVED_TASKS_NONE,                                   \
	}

/** instance_files_open - open all but the lists; returns -1 with @error */
int instance_files_open(struct instance_files *files, const char *directory, struct error *error);
/** instance_files_open_lists - open the lists, too; returns -1 with @error */
int instance_files_open_lists(struct instance_files *files, const struct instance_paths *paths,
			      struct error *error);
/** instance_files_list_enabled - append lines SYSTEM:EVENT of the tracepoints enabled now */
int instance_files_list_enabled(const struct instance_files *files, struct buffer *out,
				struct error *error);
/** instance_files_list_all - the same of all tracepoints that exist */
int instance_files_list_all(const struct instance_files *files, struct buffer *out,
			    struct error *error);

void instance_files_close(struct instance_files *files);

/** struct saved_format - the format of one tracepoint */
struct saved_format {
	char *system;
	char *event;
	struct buffer text;
	int64_t id;	  /* common_type of its records, -1 if the format has none */
	bool is_doubtful; /* another format has the same id, so that neither can decode records */
};

/** struct formats - all formats of a recording; zeroed it is empty */
struct formats {
	struct buffer header_page;  /* layout of sub-buffers, empty until formats_read_layout() */
	struct buffer header_event; /* layout of entries */
	struct saved_format *list;  /* sorted by system, event and id */
	size_t size;
};

/** formats_read_layout - read the layout of records once; returns -1 with @error */
int formats_read_layout(struct formats *formats, int events_fd, struct error *error);

/**
 * formats_read - add the formats that are new
 * @known: formats that need not be read, NULL for none
 * @events_fd: the instance's directory of tracepoints
 * @list: lines SYSTEM:EVENT; other lines are skipped; modified
 *
 * A tracepoint that was removed meanwhile is an error in the first call only. Returns -1 with
 * @error.
 */
int formats_read(struct formats *formats, const struct formats *known, int events_fd,
		 struct buffer *list, struct error *error);

/** formats_count_doubtful - how many formats cannot decode records */
size_t formats_count_doubtful(const struct formats *formats);

void formats_release(struct formats *formats);

/** struct spool_origin - which instance was recorded, and how */
struct spool_origin {
	/* its name; "" if the spool is complete without it, NULL if an earlier boot had it */
	char *instance;
	const struct buffer_mode *mode; /* how the instance buffers records */
	uint64_t id;			/* of the recording */
	struct buffer boot;		/* id of the boot that was recorded, and a newline */
	int writer;			/* ktrack's thread that recorded */
	/* the threads that were selected when it began, "1,2,3"; empty if all were */
	struct buffer workload;
	struct buffer narrow; /* threads that ran 32-bit programs when it began, "1,2,3" */
	/* for the records of probes, one line for each setting; empty for none */
	struct buffer rules;
	struct buffer selection; /* lines of selection_store() */
	struct buffer triggers;	 /* of records in memory that are saved: lines "TIME TEXT" */
	struct buffer labels;	 /* lines "KEY=VALUE" */
	struct buffer command;	 /* number of the process of the command that is recorded */
	/* Of cgroup_limits_append() when it began; only the process that records has them. */
	bool has_limits;
	struct buffer limits;
	struct buffer devices; /* of devices_append() then */
	/*
	 * the instance's buffer survives a restart, and had records of these CPUs, "0,1"; else
	 * empty
	 */
	struct buffer boot_cpus;
	bool is_incomplete; /* the kernel emptied the buffers, with uncounted records */
};

/** spool_origin_begin - a new recording of the instance in @directory */
void spool_origin_begin(struct spool_origin *origin, const char *directory,
			const struct buffer_mode *mode);
/** spool_origin_read - of a killed recording; returns -1 with @error */
int spool_origin_read(struct spool_origin *origin, const struct spool_folder *folder,
		      struct error *error);

/**
 * spool_origin_write - from now on the folder is a recording; returns -1 with @error
 * @instance: name of the instance, NULL if the spool is complete without it
 */
int spool_origin_write(struct spool_origin *origin, struct spool_folder *folder,
		       const char *instance, struct error *error);

/** spool_origin_complete - the spool needs no instance any more; returns -1 with @error */
int spool_origin_complete(struct spool_origin *origin, struct spool_folder *folder,
			  struct error *error);

void spool_origin_release(struct spool_origin *origin);

/** struct spool_file - raw records of one CPU */
struct spool_file {
	int cpu;
	enum instance_kind kind;   /* of the instance it is of */
	bool is_programs;	   /* of programs, not of a CPU */
	bool has_part;		   /* @part has the records, and there is no file */
	bool is_uncounted;	   /* records are missing, and nobody counted them */
	struct cpu_buffer *buffer; /* the CPU's ring buffer, NULL if it is not read any more */
	int fd;			   /* the file */
	uint64_t size;		   /* bytes in the file, whole sub-buffers */
	uint64_t kept;		   /* size at spool_keep() */
	uint64_t in_flight;	   /* records that were read, but are not in the file */
	struct recent_part part;
};

/** struct spool_pipe - moves sub-buffers from ring buffers to files */
struct spool_pipe {
	int fds[2]; /* pipe of @size bytes, for splice(2) */
	size_t size;
	unsigned char *page; /* one sub-buffer of @page_size bytes */
	size_t page_size;
};

/** struct spool - a recording of raw records */
struct spool {
	struct spool_folder folder;
	struct spool_origin origin;
	struct instance_files instance;
	/* of the instance's ring buffers, NULL if they are not read any more */
	struct buffer_reader *reader;
	struct formats formats;
	struct spool_file *files;
	size_t nr_files;
	struct spool_pipe pipe;
	struct programs *programs; /* whose records are in a file; NULL for none */
	/*
	 * SPOOL_BATCH_SIZE bytes of sub-buffers of programs; the first of them is the last one of
	 * the first @batched_size bytes of their file
	 */
	unsigned char *batch;
	uint64_t batched_size;
	size_t nr_events;		/* events of programs whose formats are saved */
	int symbols_fd;			/* /proc/kallsyms, -1 if it is not saved */
	struct byte_progress *progress; /* of spool_finish() and spool_join(), NULL for none */
	bool is_own;			/* the instance is new */
	/* the instance is another program's; its statistics began before the recording */
	bool is_shared;
	bool is_recovered; /* the recording was killed */
	bool is_counted;   /* recording is over: the statistics count all losses */
	/* options without statistics, if the records are of a boot that may be over */
	struct buffer machine;
	/* records in memory, of which spool_save_recent() makes a trace.dat; else NULL */
	struct recent *recent;
};

/** spool_init - a spool that is not created yet; returns NULL with @error */
struct spool *spool_init(const char *path, const struct spool_owner *owner, struct error *error);
/** spool_list_formats - append lines SYSTEM:EVENT of what an instance records; -1 with @error */
int spool_list_formats(struct spool *spool, const struct instance *instance, struct buffer *list,
		       struct error *error);
/** spool_save_symbols_now - save the kernel's symbols as they are now; returns -1 with @error */
int spool_save_symbols_now(struct spool *spool, struct error *error);
/** spool_attach_paths - open an instance and its companions; returns -1 with @error */
int spool_attach_paths(struct spool *spool, const struct instance_paths *paths,
		       struct error *error);
/** spool_read_rest - move all sub-buffers, also incomplete ones; returns -1 with @error */
int spool_read_rest(struct spool *spool, struct error *error);
/** spool_file_add - add a file; it is the caller's to open; returns NULL with @error */
struct spool_file *spool_file_add(struct spool *spool, int cpu, enum instance_kind kind,
				  struct error *error);
/** spool_file_find - the file of a CPU, NULL if there is none */
struct spool_file *spool_file_find(const struct spool *spool, int cpu, enum instance_kind kind);
/** spool_programs_file - the file of programs, NULL if there is none */
struct spool_file *spool_programs_file(const struct spool *spool);
/** spool_file_fail - writing the file failed with errno; returns -1 with @error */
int spool_file_fail(struct spool *spool, const struct spool_file *file, struct error *error);
/** spool_file_is_deferred - whether the CPU is read only after recording stopped */
bool spool_file_is_deferred(const struct spool *spool, const struct spool_file *file);

/**
 * spool_save_formats - save formats of the tracepoints in @list; returns -1 with @error
 * @known: as in formats_read()
 */
int spool_save_formats(struct spool *spool, const struct formats *known, struct buffer *list,
		       struct error *error);

/** spool_save_now - save current names of threads, clock and statistics; returns -1 with @error */
int spool_save_now(struct spool *spool, struct error *error);

/**
 * comms_append - append lines "TID NAME" of all known threads, a NUL, and lines "TID TGID"
 * @saved: names that the kernel saved of ended threads
 * @programs: whose threads may have ended, too; NULL for none
 * @earlier: an earlier result, used for threads that have ended; may be empty
 *
 * Returns -1 with @error.
 */
int comms_append(struct buffer *out, const struct saved_tasks *saved,
		 const struct programs *programs, struct buffer *earlier, struct error *error);

/** spool_share - ignore earlier statistics; returns -1 with @error */
int spool_share(struct spool *spool, const char *directory, struct error *error);
/** spool_freeze - ignore later statistics, and limit reading; returns -1 with @error */
int spool_freeze(struct spool *spool, struct error *error);

/**
 * spool_file_statistics - the kernel's statistics of a file's CPU
 *
 * All zeros if the CPU is not read any more. Returns -1 with @error.
 */
int spool_file_statistics(const struct spool *spool, const struct spool_file *file,
			  struct statistics *out, struct error *error);

/** spool_file_count - how many records a file has */
uint64_t spool_file_count(const struct spool *spool, const struct spool_file *file);
/** trace_dat_put - append a number of @size bytes, in the other byte order if @is_swapped */
void trace_dat_put(struct buffer *out, bool is_swapped, uint64_t number, size_t size);

/** struct trace_dat_buffers - the buffers of a file that is written; the first is unnamed */
struct trace_dat_buffers {
	bool is_swapped; /* numbers are in the other byte order */
	size_t page_size;
	uint32_t nr_cpus;
	const char *const *names;
	size_t nr_buffers;
	/* bytes of a CPU's records: whole pages, which follow each other in this order */
	uint64_t (*size)(const void *context, size_t buffer, uint32_t cpu);
	const void *context;
};

/**
 * trace_dat_put_buffers - append the last options, and tables
 *
 * The options name the other buffers, whose tables are behind the first one. Zeros follow up to the
 * first page of records.
 */
void trace_dat_put_buffers(struct buffer *out, const struct trace_dat_buffers *buffers);
/** writer_put_formats - append the begin of a file: header, layout of records, formats */
void writer_put_formats(struct buffer *out, const struct formats *formats);
/** writer_put_machine - append clock, date, kernel, writer and id; returns -1 with @error */
int writer_put_machine(struct buffer *out, const struct spool *spool, struct error *error);
/** writer_put_options - append the same and the current statistics; returns -1 with @error */
int writer_put_options(struct buffer *out, const struct spool *spool, struct error *error);
/** writer_put_lines - append each of @lines on a line of its own that begins with @begin */
void writer_put_lines(struct buffer *text, const char *begin, struct text lines);

/**
 * kept_symbols_trim - drop the kernel's symbols to which no record of a spool refers
 * @all: the text of /proc/kallsyms; it stays as it is if records are many, or cannot be read
 *
 * Both ktrack and libtraceevent name each address in the records as they do with all symbols.
 */
void kept_symbols_trim(struct buffer *all, const struct spool *spool);

/** writer_write - write the trace.dat of a spool to @fd; returns -1 with @error */
int writer_write(struct spool *spool, int fd, struct error *error);

#endif
