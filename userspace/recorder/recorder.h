/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recorder room's public header: a tracefs instance of one's own, and the command that is
 * traced.
 *
 * A run writes nowhere else in tracefs, so that it disturbs neither another run nor the user's own
 * tracing.
 */
#ifndef RECORDER_RECORDER_H
#define RECORDER_RECORDER_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/base.h"
#include "recorder/changes.h"

struct recorder;

/**
 * struct recorder_mode - what becomes of records when a buffer is full, and who reads it when
 * @overwrites: the oldest give way; otherwise what comes is dropped
 * @is_read_at_end: nobody reads before recording is off
 *
 * Read all the time, everything is complete but for gaps, which are where they happened. Read at
 * the end, what was overwritten is the oldest of each CPU: all is complete from the latest of those
 * moments on at which a CPU that overwrote still has records. What was dropped is the youngest of
 * each CPU: all is complete up to the earliest last record of the CPUs that dropped.
 */
struct recorder_mode {
	const char *name;
	bool overwrites;
	bool is_read_at_end;
};

/** recorder_modes - all of them, up to the one without a name; the first is the usual one */
extern const struct recorder_mode recorder_modes[];

/** recorder_mode_find - the mode of that name, or NULL */
const struct recorder_mode *recorder_mode_find(const char *name);

/**
 * struct recorder_settings - how an instance is to be
 * @clock: what records are stamped with; "boot", mostly, because "local" and "x86-tsc" do not
 * compare across CPUs
 * @buffer_kib: ring buffer for each CPU
 * @keeps_modules: tracepoints cannot be let go of before the end
 */
struct recorder_settings {
	const struct recorder_mode *mode;
	const char *clock;
	uint64_t buffer_kib;
	bool keeps_modules;
};

/**
 * recorder_open - make an instance that records nothing yet, and a small one beside it for what is
 * too important to be overwritten, as recorder_durable() has it
 * @out: a new recorder for recorder_close()
 *
 * Returns 0, or -1 with @error; no instance is left then.
 */
int recorder_open(struct recorder **out, const struct recorder_settings *settings,
		  struct error *error);

/**
 * recorder_attach - use an instance that somebody set up, which stays as it is, whatever is asked
 * of the recorder
 *
 * Returns 0, or -1 with @error where there is none of that name, or another ktrack uses it.
 */
int recorder_attach(struct recorder **out, const char *name, struct error *error);

/**
 * instance_lock - keep every other ktrack from using the instance in @directory
 * @name: what errors call it
 *
 * Returns a descriptor, which is the lock until it is closed, or -1 with @error.
 */
int instance_lock(const char *directory, const char *name, struct error *error);

/** recorder_is_attached - whether the instance is somebody's */
bool recorder_is_attached(const struct recorder *recorder);

/** recorder_name - the instance's name */
const char *recorder_name(const struct recorder *recorder);

/** recorder_directory - the instance's directory in tracefs */
const char *recorder_directory(const struct recorder *recorder);

/**
 * recorder_durable - the instance beside it: who threads are, and which modules come and go, on the
 * same clock, of all threads and CPUs
 *
 * It starts, stops and goes with the other, and is to be read all the time, whatever the mode. NULL
 * where the kernel has no tracepoints that tell such things.
 */
const struct recorder *recorder_durable(const struct recorder *recorder);

/** recorder_memory_kib - what the buffers of both take, over all CPUs; 0 where nobody tells */
uint64_t recorder_memory_kib(const struct recorder *recorder);

/**
 * recorder_enable - record a tracepoint from recorder_start() on
 * @filter: what its records have to meet, in the kernel's words; NULL for nothing
 */
int recorder_enable(struct recorder *recorder, const char *system, const char *event,
		    const char *filter, struct error *error);

/**
 * enum recorder_standing - what becomes of a tracepoint that was enabled
 *
 * It is recorded, until somebody disables it in the instance's folder: it is let go of then, and
 * its module can go, with which the kernel empties all buffers that ever had records of it. So
 * who lets go of it waits until its records have been read and it is given up ('ktrack release'
 * does both). It is gone with its module; one of the same name that comes later is another.
 */
enum recorder_standing {
	RECORDER_RECORDED,
	RECORDER_LET_GO,
	RECORDER_GIVEN_UP,
	RECORDER_GONE,
};

/**
 * struct recorder_observer - who is told
 * @changed: a tracepoint stands @now, where it stood @before; returns -1 with @error
 */
struct recorder_observer {
	void *context;
	int (*changed)(void *context, const char *system, const char *event,
		       enum recorder_standing before, enum recorder_standing now,
		       struct error *error);
};

/** recorder_look - tell what has changed since the last look; returns -1 with @error */
int recorder_look(struct recorder *recorder, const struct recorder_observer *observer,
		  struct error *error);

/** recorder_give_up - of what was let go, nothing is needed any more */
void recorder_give_up(struct recorder *recorder);

/** recorder_has - whether a tracepoint was enabled, and is not gone */
bool recorder_has(const struct recorder *recorder, const char *system, const char *event);

/** recorder_has_beside - whether records of this id are of the instance beside it */
bool recorder_has_beside(const struct recorder *recorder, unsigned int id);

/** recorder_size - how many tracepoints there may be unread records of */
size_t recorder_size(const struct recorder *recorder);

/**
 * recorder_events_fd - the directory of the instance's tracepoints, also of those that come later
 *
 * It is open as long as the recorder is; -1 for an instance that somebody set up.
 */
int recorder_events_fd(const struct recorder *recorder);

/**
 * recorder_follow - record only what this thread writes, and those that it starts from now on
 *
 * What others do on its behalf (kernel threads, interrupts elsewhere) is left out. Returns -1 with
 * @error.
 */
int recorder_follow(struct recorder *recorder, pid_t pid, struct error *error);

/** recorder_limit_cpus - record only what is written on these; returns -1 with @error */
int recorder_limit_cpus(struct recorder *recorder, const cpu_set_t *cpus, struct error *error);

/**
 * recorder_resize - give the buffers their size, once all tracepoints are enabled; returns -1 with
 * @error
 */
int recorder_resize(struct recorder *recorder, struct error *error);

/** recorder_start - switch recording on */
int recorder_start(struct recorder *recorder, struct error *error);

/** recorder_stop - switch recording off; what the buffers hold stays */
int recorder_stop(struct recorder *recorder, struct error *error);

/**
 * recorder_close - remove the instance, and with it its hold on modules
 *
 * Whoever reads the instance has closed it before. Returns 0, or -1 with @error where the kernel
 * refuses; NULL is fine.
 */
int recorder_close(struct recorder *recorder, struct error *error);

/**
 * recorder_adopt - take over the instance of a run that was killed
 * @out: NULL where there is no such instance any more, or it never was one of ours
 *
 * Recording is off then. Returns -1 with @error, as where somebody owns it now.
 */
int recorder_adopt(struct recorder **out, const char *name, struct error *error);

/** recorder_leave - give back all but the instance, for another recorder_adopt(); NULL is fine */
void recorder_leave(struct recorder *recorder);

/**
 * recorder_restore_clock - give the instance, and the one beside it, the clock that they had; with
 * that, the kernel empties their buffers
 */
void recorder_restore_clock(const struct recorder *recorder);

struct arrivals;

/**
 * arrivals_open - notice modules that are loaded or unloaded from now on
 * @out: for arrivals_close()
 *
 * Returns -1 with @error.
 */
int arrivals_open(struct arrivals **out, struct error *error);

/**
 * arrivals_wish - have ktrack.ko enable the tracepoints of modules before their init runs
 * @instance: where; it cannot be removed before arrivals_close()
 * @pattern: SYSTEM[:EVENT], both with wildcards
 *
 * Returns false where ktrack.ko is not loaded, or does not take it: then they are to be enabled
 * when the module is there.
 */
bool arrivals_wish(struct arrivals *arrivals, const char *instance, const char *pattern);

/** arrivals_fd - can be read when there is something to take */
int arrivals_fd(const struct arrivals *arrivals);

/** arrivals_take - whether modules have come or gone since the last time */
bool arrivals_take(struct arrivals *arrivals);

/** arrivals_close - NULL is fine */
void arrivals_close(struct arrivals *arrivals);

struct parts;

/** struct parts_owner - whom new files belong to, where that is not who we are */
struct parts_owner {
	bool is_other;
	uid_t user;
	gid_t group;
};

/**
 * parts_new - begin a recording of raw records, each CPU's in a file of its own
 * @out: for parts_close()
 * @path: of the trace.dat that is to be; the parts are in the folder PATH.parts
 *
 * Returns 0, or -1 with @error, also where parts of a killed recording are there already.
 */
int parts_new(struct parts **out, const char *path, const struct parts_owner *owner,
	      struct error *error);

/**
 * parts_open - take up the parts that a killed recording left
 *
 * Returns 1 without parts where the file was made already and what was left of the parts has been
 * removed, or -1 with @error.
 */
int parts_open(struct parts **out, const char *path, const struct parts_owner *owner,
	       struct error *error);

/**
 * parts_instance - the name of the instance whose records these are; "" where nothing of it is
 * needed any more, NULL where it went with an earlier boot
 */
const char *parts_instance(const struct parts *parts);

/**
 * parts_begin - note what it takes to understand the records of an instance, whose tracepoints are
 * enabled, and read it from now on
 *
 * Returns -1 with @error.
 */
int parts_begin(struct parts *parts, const struct recorder *recorder,
		const struct recorder_mode *mode, struct error *error);

/**
 * parts_note_more - note the formats of tracepoints that were enabled since
 * @nr_doubtful: how many formats of the recording there are whose id another one has, too: their
 * records can be read by neither
 *
 * Returns -1 with @error.
 */
int parts_note_more(struct parts *parts, size_t *nr_doubtful, struct error *error);

/**
 * parts_tear - note that the kernel has emptied the buffers of the instance, with what nobody has
 * counted; returns -1 with @error
 */
int parts_tear(struct parts *parts, const struct recorder *recorder, struct error *error);

/** parts_sync - let all notes survive a crash; returns -1 with @error, as the next */
int parts_sync(struct parts *parts, struct error *error);

/** parts_keep_rights - need no privilege any more in a folder of the owner's (@are_owners) */
int parts_keep_rights(struct parts *parts, bool *are_owners, struct error *error);

/** parts_attach - read the instance of parts that were opened; returns -1 with @error */
int parts_attach(struct parts *parts, const struct recorder *recorder, struct error *error);

/**
 * parts_wait - wait until a buffer has filled up to the instance's buffer_percent
 * @also_fd: or until this can be read
 * @timeout_ms: or until this time is over
 */
void parts_wait(const struct parts *parts, int also_fd, int timeout_ms);

/**
 * parts_read - move whole sub-buffers to the files, of buffers that are not to be read at the end
 *
 * Returns -1 with @error; the parts stay then, for 'ktrack recover'.
 */
int parts_read(struct parts *parts, struct error *error);

/** parts_keep - remember how much the files have now, all of which can be used */
void parts_keep(struct parts *parts);

/** parts_rewind - cut the files back to what parts_keep() remembers; returns -1 with @error */
int parts_rewind(struct parts *parts, struct error *error);

struct source_counts;

/** parts_count - how much has been recorded until now, and waits in buffers that are to be read */
void parts_count(const struct parts *parts, struct source_counts *out);

/** parts_size - how many bytes of records the files have */
uint64_t parts_size(const struct parts *parts);

/**
 * struct parts_summary - what became of the records
 * @lost: how many the kernel counts as lost
 * @lost_durable: of those that tell who threads are
 * @has_begin: CPUs have overwritten their first records; all is complete from @begin_ns on
 * @has_end: CPUs have dropped their last records; all is complete up to @end_ns
 *
 * The moments are those of buffers that were read at the end; otherwise there are gaps.
 */
struct parts_summary {
	uint64_t lost;
	uint64_t lost_durable;
	bool has_begin;
	bool has_end;
	int64_t begin_ns;
	int64_t end_ns;
};

/**
 * parts_finish - move all that is left, once recording is off, and note names and statistics
 *
 * Returns -1 with @error; the parts stay then.
 */
int parts_finish(struct parts *parts, struct parts_summary *summary, struct error *error);

/**
 * parts_abandon - where moving records failed: note how many did not get into the files, as far as
 * that can still be written
 */
void parts_abandon(struct parts *parts);

/**
 * parts_join - make one trace.dat of the parts, which takes the place of what was there; the parts
 * go when they are closed
 *
 * The file is read again and on the disk before anything is removed. Returns -1 with @error; the
 * parts stay then.
 */
int parts_join(struct parts *parts, struct error *error);

/**
 * parts_save - make a trace.dat of what the buffers of an instance hold now, whoever set it up
 * @directory: the instance's; one beside it is saved along with it
 *
 * What is read is gone from the buffers; nothing else of the instance changes. Returns -1 with
 * @error.
 */
int parts_save(const char *path, const struct parts_owner *owner, const char *directory,
	       struct error *error);

/** parts_close - NULL is fine */
void parts_close(struct parts *parts);

/**
 * struct stale_visitor - who takes a look at instances that runs left behind
 * @visit: @name is an instance without an owner, in @directory; returns 0 to go on, -1 with @error
 * @unmarked: the same, but nothing shows that ktrack made it; may be NULL
 */
struct stale_visitor {
	void *context;
	void (*unmarked)(void *context, const char *name, const char *directory);
	int (*visit)(void *context, const char *name, const char *directory, struct error *error);
};

/**
 * instance_is_beside - whether the instance @name is the one beside @other: of the same run, and of
 * no use without it; it is visited behind it
 */
bool instance_is_beside(const char *name, const char *other);

/**
 * stale_visit - show all instances whose owner did not come to its end in order; returns -1 with
 * @error
 */
int stale_visit(const struct stale_visitor *visitor, struct error *error);

/** living_visit - the same with those that have an owner */
int living_visit(const struct stale_visitor *visitor, struct error *error);

/**
 * release_tracepoints - let running ktracks read what there is of tracepoints, and no more
 * @pattern: SYSTEM[:EVENT], both with wildcards
 * @nr_released: how many there were, over all of them
 *
 * Once this is done, nothing of ktrack keeps their module from being unloaded, and nothing is lost
 * by that. Returns -1 with @error, also where it takes too long.
 */
int release_tracepoints(const char *pattern, size_t *nr_released, struct error *error);

/** stale_remove - remove such an instance, with its hold on modules; returns -1 with @error */
int stale_remove(const char *directory, struct error *error);

/**
 * struct command_signals - how a command finds its signals
 * @blocked, @ignored: these; the rest act by default
 */
struct command_signals {
	sigset_t blocked;
	sigset_t ignored;
};

/**
 * struct command_user - whom the command belongs to
 * @name: NULL for whom we belong to
 */
struct command_user {
	uid_t uid;
	gid_t gid;
	char *name;
	char *home;
};

/**
 * command_user_find - look a user up
 * @name: or number; NULL for the one behind sudo
 *
 * Returns 0, or -1 with @error; command_user_release() is fine in any case.
 */
int command_user_find(struct command_user *out, const char *name, struct error *error);

void command_user_release(struct command_user *user);

struct command;

/**
 * command_check - whether there is a program to run, as far as that can be told without running it
 * @status: what command_status() would be where there is none
 *
 * Returns 0, or -1 with @error.
 */
int command_check(char *const *argv, int *status, struct error *error);

/**
 * command_new - start a process that waits to become the traced command
 * @out: for command_free()
 * @argv: NULL-terminated; the first word is searched in PATH
 * @user: whose process it becomes
 */
int command_new(struct command **out, char *const *argv, const struct command_signals *signals,
		const struct command_user *user, struct error *error);

/** command_argv, command_pid - its words, its process */
char *const *command_argv(const struct command *command);
pid_t command_pid(const struct command *command);

/**
 * command_run - let the process become the command
 *
 * Returns 0, or -1 with @error where that fails; command_status() is 126 or 127 then, as env(1) has
 * it.
 */
int command_run(struct command *command, struct error *error);

/** command_has_ended - whether the command has ended; does not wait */
bool command_has_ended(struct command *command);

/** command_status - exit status of a command that has ended, 128+N where signal N ended it */
int command_status(const struct command *command);

/**
 * command_free - forget the command, which goes on if it runs; one that was never run ends; NULL
 * is fine
 */
void command_free(struct command *command);

#endif
