/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of a recording's parts: files in a folder beside the trace.dat that is to be. */
#ifndef RECORDER_PARTS_H
#define RECORDER_PARTS_H

#include <dirent.h>

#include "recorder/formats.h"
#include "recorder/recorder.h"
#include "source/source.h"
#include "source/statistics.h"

/**
 * PART_FORMATS, PART_COMMS, PART_OPTIONS, PART_INSTANCE - files of the folder beside "cpuN" and
 * "durableN"
 */
#define PART_FORMATS "formats"
#define PART_COMMS "comms"
#define PART_OPTIONS "options"
#define PART_INSTANCE "instance"

/** PART_NO_INSTANCE - the name of none, in that file: all its records, or their number, are known
 */
#define PART_NO_INSTANCE "-"

/** PART_TORN - the last line of that file, where the parts are torn */
#define PART_TORN "torn"

/** PART_UNFINISHED - the trace.dat while it is made */
#define PART_UNFINISHED "trace.dat"

/** PART_NAME_SIZE - room for any of these names and its NUL */
#define PART_NAME_SIZE 32

/**
 * struct part - the raw records of one CPU
 * @is_durable: of the instance beside, which is read in any mode
 * @raw_fd: its trace_pipe_raw, -1 where nothing reads any more
 * @statistics_fd: its statistics, -1 likewise
 * @bound_fd: the size of its buffer, which others may change, -1 where that does not matter
 * @fd: where they go
 * @size: how many bytes went there; whole sub-buffers
 * @kept: how many went there by parts_keep()
 * @left: how many more may
 * @in_flight: how many records were read, but did not get there
 * @before: what the kernel had counted of others before; zeros for an instance of our own
 * @after: what it had counted of ours once that was over, in parts that are sealed
 */
struct part {
	int cpu;
	bool is_durable;
	int raw_fd;
	int statistics_fd;
	int bound_fd;
	int fd;
	uint64_t size;
	uint64_t kept;
	uint64_t left;
	uint64_t in_flight;
	struct statistics before;
	struct statistics after;
};

/**
 * struct sight - what is to be seen of an instance beside its records, in files that are opened
 * with it; -1 where they are not
 * @events_fd: the directory of its tracepoints
 * @list_fd: the list of those that are enabled, whoever did that
 * @clock_fd: the list of clocks, which says what is in use
 * @saved: names of threads that have ended
 */
struct sight {
	int events_fd;
	int list_fd;
	int clock_fd;
	struct source_saved saved;
};

/**
 * struct parts - all of them
 * @path: of the trace.dat
 * @folder: of the parts
 * @owner: to whom files belong
 * @is_owners: the owner may write to the folder that both are in: files are made, opened and
 * removed with the owner's rights
 * @place_fd: the folder that both are in
 * @folder_fd: the folder of the parts, locked as long as this lives
 * @joined_fd: the trace.dat while it is made, where that takes a privilege that is dropped; or -1
 * @list: by CPU
 * @sight: of the usual instance
 * @durable: directory of the instance beside, NULL for none
 * @pipe: what splice(2) needs between two files, of @pipe_size bytes
 * @page: room for one sub-buffer of @page_size
 * @instance: its name, "" where nothing of it is needed any more, NULL where it went with an
 * earlier boot
 * @boot: what tells this boot from others, once that was asked for
 * @mode: how it buffers
 * @layout: of records, and how a trace.dat begins with that
 * @formats: of all tracepoints that there may be records of
 * @id: of the recording
 * @is_shared: the instance is somebody's, who goes on with it
 * @is_sealed: what happens in it now is no matter of these parts any more
 * @is_taken_up: somebody else began, and was killed
 * @is_torn: the kernel has emptied the buffers, with records that nobody has counted
 * @is_counted: what has been lost is known: recording is over
 * @is_synced: what is written from now on is to survive a crash of the machine
 * @is_kept: the parts stay when this is closed
 */
struct parts {
	char *path;
	char *folder;
	struct owner owner;
	bool is_owners;
	int place_fd;
	int folder_fd;
	int joined_fd;
	struct part *list;
	size_t nr_parts;
	struct sight sight;
	char *durable;
	int pipe[2];
	size_t pipe_size;
	unsigned char *page;
	size_t page_size;
	char *instance;
	struct buffer boot;
	const struct recorder_mode *mode;
	struct buffer layout;
	struct formats formats;
	uint64_t id;
	bool is_shared;
	bool is_sealed;
	bool is_taken_up;
	bool is_torn;
	bool is_counted;
	bool is_synced;
	bool is_kept;
};

/** parts_fail - writing a file of the parts failed: say what to do; returns -1 with @error */
int parts_fail(struct parts *parts, int number, const char *file, struct error *error);

/** parts_rights - whose rights are used on the parts, for owner_begin() */
const struct owner *parts_rights(const struct parts *parts);

/** parts_user - to whom the parts belong */
uid_t parts_user(const struct parts *parts);

/**
 * parts_entry - open a file of the folder
 * @flags: as for open(2)
 *
 * Neither a link nor anything but a file of parts_user() is opened. Returns a descriptor, or -1
 * with
 * @error.
 */
int parts_entry(const struct parts *parts, const char *name, int flags, struct error *error);

/** parts_base - the last word of a path */
const char *parts_base(const char *path);

/** parts_reach - open the folder that all will be in; returns -1 with @error, as the next two do */
int parts_reach(struct parts *parts, struct error *error);

/** parts_make_folder - an empty one, locked */
int parts_make_folder(struct parts *parts, struct error *error);

/** parts_lock - take up the folder that is there, unless somebody else is at work in it */
int parts_lock(struct parts *parts, struct error *error);

/** parts_take_up - the same with what a killed ktrack left, which may be root's or the owner's */
int parts_take_up(struct parts *parts, struct error *error);

/** parts_have_file - whether there is a file where the trace.dat is to be */
bool parts_have_file(const struct parts *parts);

/** parts_scan - the folder's entries, as scandir(3) returns them */
int parts_scan(const struct parts *parts, struct dirent ***entries);

/** parts_have_instance - whether there is something to recover; noted last, and removed first */
bool parts_have_instance(const struct parts *parts);

/**
 * parts_sweep_folder - remove what is left where nothing can be recovered; returns -1 with @error
 * where the folder has files of somebody else's
 */
int parts_sweep_folder(struct parts *parts, struct error *error);

/** parts_remove_folder - with all files of ours in it */
void parts_remove_folder(struct parts *parts);

/**
 * parts_make_joined - the file that is to become the trace.dat, which belongs to the owner; returns
 * a descriptor, or -1 with @error
 */
int parts_make_joined(struct parts *parts, struct error *error);

/** part_parse - whether @name is that of a CPU's file, and of which */
bool part_parse(const char *name, int *cpu, bool *is_durable);

/** parts_create - a new file of the folder; returns a descriptor, or -1 with @error */
int parts_create(struct parts *parts, const char *name, struct error *error);

/** parts_write - let a file of the folder hold just this; returns -1 with @error */
int parts_write(struct parts *parts, const char *name, const struct buffer *content,
		struct error *error);

/** parts_overwrite - the same where the disk is full, in the room of the file that is there */
int parts_overwrite(struct parts *parts, const char *name, const struct buffer *content,
		    struct error *error);

/** parts_reserve - keep room for a file of the folder to grow to @size, where that can be had */
void parts_reserve(struct parts *parts, const char *name, size_t size);

/** parts_file - append what a file of the folder holds; returns -1 with @error */
int parts_file(const struct parts *parts, const char *file, struct buffer *out,
	       struct error *error);

/** folder_read - append what a file of any folder holds; returns -1 with @error */
int folder_read(const char *folder, const char *file, struct buffer *out, struct error *error);

/** parts_make_id - a number for a recording of the instance in @directory that begins now */
uint64_t parts_make_id(const char *directory);

/** sight_open - open all but the list, in the directory of an instance; returns -1 with @error */
int sight_open(struct sight *sight, const char *directory, struct error *error);

/** sight_open_list - open that, too; returns -1 with @error, as the next does */
int sight_open_list(struct sight *sight, const char *directory, struct error *error);

/** sight_list - append lines of "SYSTEM:EVENT", one for each tracepoint that is enabled now */
int sight_list(const struct sight *sight, struct buffer *out, struct error *error);

/** sight_clock - append the list of clocks as it is now; returns -1 with @error */
int sight_clock(const struct sight *sight, struct buffer *out, struct error *error);

void sight_close(struct sight *sight);

/**
 * parts_note_formats - how records are laid out, and the formats of tracepoints
 * @list: lines of "SYSTEM:EVENT"
 *
 * Returns -1 with @error, as the next four do.
 */
int parts_note_formats(struct parts *parts, struct buffer *list, struct error *error);

/** parts_list_beside - append such lines of what is beside the instance, where there is something
 */
int parts_list_beside(const struct parts *parts, struct buffer *out, struct error *error);

/** parts_list_all - append lines of all that can be enabled, and of what is beside */
int parts_list_all(const struct parts *parts, struct buffer *out, struct error *error);

/** parts_note_now - names of threads, the clock and the statistics, as they are now */
int parts_note_now(struct parts *parts, struct error *error);

/**
 * parts_note_instance - of which instance the records are; noted last: whoever finds it can recover
 * the recording
 */
int parts_note_instance(struct parts *parts, const char *name, struct error *error);

/** parts_settle - from now on the files tell all, and nothing of the instance is needed */
int parts_settle(struct parts *parts, struct error *error);

/**
 * instance_attach - like parts_attach(), by the instance's directory
 * @durable: directory of the one beside, NULL for none
 */
int instance_attach(struct parts *parts, const char *directory, const char *durable,
		    struct error *error);

/** parts_read_rest - move all that is left, now that nothing is recorded; returns -1 with @error */
int parts_read_rest(struct parts *parts, struct error *error);

/**
 * parts_open_bounds - be able to tell how much the buffers of the instance in @directory hold;
 * returns -1 with @error
 */
int parts_open_bounds(struct parts *parts, const char *directory, struct error *error);

/** parts_bound - of what is written from now on, read no more than a buffer holds */
void parts_bound(struct parts *parts);

/** parts_check_instance - whether records of an instance can be files; returns -1 with @error */
int parts_check_instance(const struct parts *parts, const char *directory, struct error *error);

/** parts_share - what was counted until now is no matter of these parts; returns -1 with @error */
int parts_share(struct parts *parts, const char *directory, struct error *error);

/**
 * parts_seal - what is counted from now on is no matter of these parts either, of which only what
 * the buffers hold is to be read; returns -1 with @error
 */
int parts_seal(struct parts *parts, struct error *error);

/**
 * part_statistics - what the kernel counts of a part's records; zeros where the instance beside has
 * gone
 *
 * Returns -1 with @error.
 */
int part_statistics(const struct parts *parts, const struct part *part, struct statistics *out,
		    struct error *error);

/**
 * comms_append - "TID NAME" lines of all threads whose name is known now, a NUL, and "TID TGID"
 * lines of all whose process is
 * @saved: those that the kernel has saved
 * @earlier: the same of an earlier time, which stands for those that have ended; may be empty
 *
 * Returns -1 with @error.
 */
int comms_append(struct buffer *out, const struct source_saved *saved, struct buffer *earlier,
		 struct error *error);

/** parts_add - one CPU more, whose file is open; returns NULL with @error where memory ran out */
struct part *parts_add(struct parts *parts, int cpu, bool is_durable, struct error *error);

/** part_name - the name of its file, in @out of PART_NAME_SIZE */
void part_name(const struct part *part, char *out);

/** part_directory - the directory of the instance that has its CPU, where @directory is the usual
 */
const char *part_directory(const struct parts *parts, const struct part *part,
			   const char *directory);

/**
 * trace_dat_put_layout - the beginning of a trace.dat: the header, and how records are laid out
 * @events_fd: directory of tracepoints
 *
 * Returns -1 with @error.
 */
int trace_dat_put_layout(struct buffer *out, int events_fd, struct error *error);

/** trace_dat_put_formats - what comes behind that */
void trace_dat_put_formats(struct buffer *out, const struct formats *formats);

/**
 * trace_dat_put_options - the clock, the kernel, the wall clock's offset, and what was lost
 * @parts: whose instance and CPUs, and whose id
 *
 * Returns -1 with @error.
 */
int trace_dat_put_options(struct buffer *out, const struct parts *parts, struct error *error);

/** trace_dat_join - write the file of all parts to @fd; returns -1 with @error */
int trace_dat_join(struct parts *parts, int fd, struct error *error);

#endif
