// SPDX-License-Identifier: GPL-2.0-only
/* Locks of instances, and requests to running ktracks to release tracepoints. */
#include "tracefs/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tracefs/instance_state.h"

/*
 * The lock that an owner holds on its instance's directory, which the kernel gives back whatever
 * becomes of the process.
 */

/* A fifth of a second in all. */
#define LOCK_TRIES 10
#define LOCK_WAIT_US 20000

int lock_take(const char *directory)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat ours, theirs;

	if (fd < 0)
		return -1;
	/* Another directory may have its path by now. */
	if (flock(fd, LOCK_EX) == 0 && fstat(fd, &ours) == 0 && stat(directory, &theirs) == 0 &&
	    ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev)
		return fd;
	close(fd);
	return -1;
}

/** lock_try - the same, but where somebody owns it, fail instead of waiting */
static int lock_try(const char *directory)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int number;

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	number = errno;
	close(fd);
	errno = number;
	return -1;
}

/* The process that has locked a directory; 0 if the system does not tell. */
static int lock_owner(const char *directory)
{
	SCOPED_BUFFER(locks);
	unsigned int major_number, minor_number;
	unsigned long inode;
	struct stat about;
	int pid, owner = 0;

	if (stat(directory, &about) < 0 || file_read("/proc/locks", &locks) < 0)
		about.st_ino = 0;
	for (const char *line = buffer_string(&locks); line; line = strchr(line + 1, '\n')) {
		if (sscanf(line, "%*d: FLOCK %*s %*s %d %x:%x:%lu", &pid, &major_number,
			   &minor_number, &inode) == 4 &&
		    inode == about.st_ino && makedev(major_number, minor_number) == about.st_dev)
			owner = pid;
	}
	return owner;
}

/* Whoever looks for instances that were left behind has a lock for a moment only. */
int instance_lock(const char *directory, const char *name, struct error *error)
{
	int owner, fd = -1;

	for (int i = 0; i < LOCK_TRIES && fd < 0; i++) {
		if (i > 0)
			usleep(LOCK_WAIT_US);
		fd = lock_try(directory);
	}
	if (fd >= 0)
		return fd;
	if (errno != EWOULDBLOCK)
		return error_set_system(error, errno, "cannot lock %s", name);
	owner = lock_owner(directory);
	if (owner > 0)
		return error_set(error, "%s is in use by another ktrack, process %d", name, owner);
	return error_set(error, "%s is in use by another ktrack", name);
}

/*
 * The mark is the time of the directory's last change: nothing changes the directory of an instance
 * but whoever makes it, and tracefs keeps the time.
 */

/* A time in nanoseconds since 1970 that no clock shows. */
#define MARK_NS 0x6b7472

void mark_set(int directory_fd)
{
	const struct timespec times[] = { { .tv_nsec = UTIME_OMIT }, { .tv_nsec = MARK_NS } };

	/* Not every user who may make instances may set their times. */
	if (futimens(directory_fd, times) < 0)
		return;
}

/** mark_is_set - whether ktrack made the instance in @directory */
static bool mark_is_set(const char *directory)
{
	struct stat about;

	return stat(directory, &about) == 0 && about.st_mtim.tv_sec == 0 &&
	       about.st_mtim.tv_nsec == MARK_NS;
}

/* Finds instances of ktrack with an owner (running) and without one (killed). */

#define OWN_PREFIX "ktrack-"
#define DIGITS "0123456789"
/* Time for an owner between creating an instance and locking it. */
#define OWNER_WAIT_US 50000

static bool is_suffix(const char *name)
{
	for (int kind = INSTANCE_MAIN + 1; kind < INSTANCE_KINDS; kind++) {
		if (strcmp(name, instance_suffixes[kind]) == 0)
			return true;
	}
	return false;
}

/*
 * "ktrack-PID" or "ktrack-PID.N", or the name of a companion. Other names are not ktrack's,
 * whatever their prefix.
 */
static bool is_own_name(const char *name)
{
	size_t nr_digits;

	if (strncmp(name, OWN_PREFIX, strlen(OWN_PREFIX)) != 0)
		return false;
	name += strlen(OWN_PREFIX);
	nr_digits = strspn(name, DIGITS);
	if (nr_digits == 0)
		return false;
	name += nr_digits;
	nr_digits = name[0] == '.' ? strspn(name + 1, DIGITS) : 0;
	name += nr_digits ? nr_digits + 1 : 0;
	return !*name || is_suffix(name);
}

bool instance_is_companion(const char *name, const char *other)
{
	size_t size = strlen(other);

	return size > 0 && strncmp(name, other, size) == 0 && is_suffix(name + size);
}

int stale_lock(const char *name, int *lock_fd, struct error *error)
{
	SCOPED_BUFFER(directory);
	const char *tracefs;

	*lock_fd = -1;
	if (!is_own_name(name))
		return 0;
	if (tracefs_directory(&tracefs, error) < 0)
		return -1;
	buffer_printf(&directory, "%s/instances/%s", tracefs, name);
	if (!mark_is_set(buffer_string(&directory)))
		return 0;
	usleep(OWNER_WAIT_US);
	*lock_fd = instance_lock(buffer_string(&directory), name, error);
	return *lock_fd < 0 ? -1 : 0;
}

static int name_visit(const char *instances, const char *name, bool are_stale,
		      const struct stale_visitor *visitor, struct error *error)
{
	SCOPED_BUFFER(directory);
	const char *path;
	bool is_free = true;

	if (!is_own_name(name))
		return 0;
	buffer_printf(&directory, "%s/%s", instances, name);
	path = buffer_string(&directory);
	/* An owner may have just created it, and not yet locked it. */
	for (int i = 0; i < 2 && is_free; i++) {
		int fd;

		if (i > 0)
			usleep(OWNER_WAIT_US);
		fd = lock_try(path);
		is_free = fd >= 0;
		file_close(fd);
	}
	if (is_free != are_stale)
		return 0;
	if (mark_is_set(path))
		return visitor->visit(visitor->context, name, path, error);
	if (visitor->unmarked)
		visitor->unmarked(visitor->context, name, path);
	return 0;
}

static int instances_visit(bool are_stale, const struct stale_visitor *visitor, struct error *error)
{
	SCOPED_BUFFER(instances);
	struct dirent **entries;
	const char *tracefs;
	int size, status = 0;

	if (tracefs_directory(&tracefs, error) < 0)
		return -1;
	buffer_printf(&instances, "%s/instances", tracefs);
	size = scandir(buffer_string(&instances), &entries, NULL, versionsort);
	if (size < 0)
		status = error_set_system(error, errno, "cannot read %s",
					  buffer_string(&instances));
	for (int i = 0; i < size; i++) {
		if (status == 0)
			status = name_visit(buffer_string(&instances), entries[i]->d_name,
					    are_stale, visitor, error);
		free(entries[i]);
	}
	if (size >= 0)
		free(entries);
	return status;
}

int stale_visit(const struct stale_visitor *visitor, struct error *error)
{
	return instances_visit(true, visitor, error);
}

/* The kernel disables the enabled tracepoints. */
int stale_remove(const char *directory, struct error *error)
{
	if (rmdir(directory) == 0)
		return 0;
	if (errno == EBUSY)
		return error_set(error, "cannot remove %s: somebody has its files open", directory);
	return error_set_system(error, errno, "cannot remove %s", directory);
}

/* Asks running ktracks to release tracepoints, so that their modules can be unloaded. */

/* One minute in total: a slow reader may delay the recording process. */
#define WAIT_TRIES 6000
#define WAIT_US 10000

/** struct released - the enable files of those that were disabled, by their descriptors */
struct released {
	const char *pattern;
	const struct release_watcher *watcher;
	int *list;
	size_t size;
};

static bool is_locked(int fd, int against)
{
	bool is_free = flock(fd, against | LOCK_NB) == 0;

	flock(fd, LOCK_UN);
	return !is_free;
}

/* Waits for a moment; reports that @nr of @total tracepoints have unread records. */
static void released_wait(const struct released *released, size_t nr, size_t total)
{
	SCOPED_BUFFER(what);

	buffer_printf(&what, "waiting until the records of %zu of %zu tracepoint%s are read", nr,
		      total, total == 1 ? "" : "s");
	released->watcher->waits(released->watcher->context, buffer_string(&what));
	usleep(WAIT_US);
}

/*
 * A tracepoint that ktrack.ko enabled is not locked until its owner has noticed it; its records are
 * unread until then.
 */
static int lock_await(const struct released *released, int fd, const char *directory,
		      const char *line, struct error *error)
{
	for (int i = 0; i < WAIT_TRIES; i++) {
		if (is_locked(fd, LOCK_SH))
			return error_set(error, "%s: recorded in %s until that recording ends",
					 line, directory);
		if (is_locked(fd, LOCK_EX))
			return 0;
		released_wait(released, 1, 1);
	}
	return error_set(error,
			 "%s: the process that records in %s did not release it within a minute",
			 line, directory);
}

/* What has gone or was disabled meanwhile needs no release. */
static int line_release(struct released *released, const char *directory, const char *line,
			struct error *error)
{
	const char *colon = strchr(line, ':');
	SCOPED_BUFFER(path);
	char digit = '1';
	int fd, status = 0;

	buffer_printf(&path, "%s/events/%.*s/%s/enable", directory, (int)(colon - line), line,
		      colon + 1);
	fd = file_open_built(AT_FDCWD, &path, O_RDWR);
	if (fd < 0)
		return 0;
	/* A trigger keeps it in the list of enabled ones. */
	if (retry_pread(fd, &digit, 1) == 1 && digit == '0') {
		close(fd);
		return 0;
	}
	status = lock_await(released, fd, directory, line, error);
	if (status == 0 && retry_write(fd, "0", 1) != 1)
		status = error_set_system(error, errno, "cannot disable %s in %s", line, directory);
	if (status == 0) {
		report_message(released->watcher->writes,
			       "write '0' to the enable file of %s in %s", line, directory);
		if (array_reserve(released->list, released->size))
			released->list[released->size++] = fd;
		else
			status = error_set(error, "out of memory");
	}
	if (status < 0)
		close(fd);
	return status;
}

static int instance_events_release(void *context, const char *name, const char *directory,
				   struct error *error)
{
	struct released *released = context;
	bool names_events = strchr(released->pattern, ':');
	size_t nr_before = released->size;
	SCOPED_BUFFER(text);
	struct text rest;
	int status = 0, fd;

	/* Tracepoints of the sideband instance belong to no module. */
	if (strstr(name, instance_suffixes[INSTANCE_SIDEBAND]))
		return 0;
	if (file_read_in(directory, "set_event", &text) < 0)
		buffer_clear(&text);
	rest = buffer_text(&text);
	while (status == 0 && rest.size > 0) {
		struct text whole = text_take_line(&rest);
		char *line = strndup(whole.data, whole.size),
		     *colon = line ? strchr(line, ':') : NULL;
		bool meets;

		if (!colon) {
			free(line);
			continue;
		}
		if (!names_events)
			*colon = '\0';
		meets = fnmatch(released->pattern, line, 0) == 0;
		*colon = ':';
		if (meets)
			status = line_release(released, directory, line, error);
		free(line);
	}
	/*
	 * A ktrack that waits for records notices writes to files of its instance; otherwise it
	 * looks once a second. A blank in set_event changes nothing; truncating the file would
	 * disable all events.
	 */
	if (released->size > nr_before) {
		fd = file_open_in(directory, "set_event", O_WRONLY, &(struct error){ 0 });
		if (fd >= 0)
			retry_write(fd, "\n", 1);
		file_close(fd);
	}
	return status;
}

/* Whoever records has a lock on the file until nothing of it is needed any more. */
static int released_await(const struct released *released, struct error *error)
{
	size_t done = 0;

	for (int i = 0; i < WAIT_TRIES; i++) {
		while (done < released->size && flock(released->list[done], LOCK_EX | LOCK_NB) == 0)
			done++;
		if (done == released->size)
			return 0;
		released_wait(released, released->size - done, released->size);
	}
	return error_set(error,
			 "who records '%s' has not read all of it in a minute; an unloaded "
			 "module takes what is not read with it",
			 released->pattern);
}

int tracepoints_release(const char *pattern, const struct release_watcher *watcher,
			size_t *nr_released, struct error *error)
{
	struct released released = { .pattern = pattern, .watcher = watcher };
	struct stale_visitor visitor = { .context = &released, .visit = instance_events_release };
	size_t nr_found;
	int status;

	*nr_released = 0;
	/*
	 * Of a module that has just come, its owner may not have enabled all: it has by the time
	 * that it has read what the first ones had.
	 */
	do {
		released.size = 0;
		status = instances_visit(false, &visitor, error);
		if (status == 0)
			status = released_await(&released, error);
		nr_found = released.size;
		*nr_released += nr_found;
		for (size_t i = 0; i < nr_found; i++)
			close(released.list[i]);
	} while (status == 0 && nr_found > 0);
	free(released.list);
	return status;
}
