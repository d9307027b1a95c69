// SPDX-License-Identifier: GPL-2.0-only
/* Asks running ktracks to release tracepoints, so that their modules can be unloaded. */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "tracefs/retry.h"
#include "tracefs/tracefs.h"

/* One minute in total: a slow reader may delay the recording process. */
#define WAIT_TRIES 6000
#define WAIT_US 10000

/**
 * struct released - the enable files of those that were disabled, by their descriptors
 */
struct released {
	const char *pattern;
	const struct release_watcher *watcher;
	int *list;
	size_t size;
};

/* "SYSTEM:EVENT", or a pattern of systems. */
static bool line_meets(const char *line, const char *pattern)
{
	char *system;
	bool meets;

	if (strchr(pattern, ':'))
		return fnmatch(pattern, line, 0) == 0;
	system = strndup(line, strcspn(line, ":"));
	meets = system && fnmatch(pattern, system, 0) == 0;
	free(system);
	return meets;
}

static int enable_file_open(const char *directory, const char *line)
{
	const char *colon = strchr(line, ':');
	struct buffer path = { 0 };
	int fd;

	buffer_printf(&path, "%s/events/%.*s/%s/enable", directory, (int)(colon - line), line,
		      colon + 1);
	fd = file_open_built(AT_FDCWD, &path, O_RDWR);
	buffer_release(&path);
	return fd;
}

static int released_add(struct released *released, int fd, struct error *error)
{
	int *list = reallocarray(released->list, released->size + 1, sizeof(*list));

	if (!list) {
		close(fd);
		return error_set(error, "out of memory");
	}
	released->list = list;
	list[released->size++] = fd;
	return 0;
}

static bool is_locked(int fd, int against)
{
	bool is_free = flock(fd, against | LOCK_NB) == 0;

	flock(fd, LOCK_UN);
	return !is_free;
}

/* Waits for a moment; reports that @nr of @total tracepoints have unread records. */
static void released_wait(const struct released *released, size_t nr, size_t total)
{
	struct buffer what = { 0 };

	buffer_printf(&what, "waiting until the records of %zu of %zu tracepoint%s are read", nr,
		      total, total == 1 ? "" : "s");
	released->watcher->waits(released->watcher->context, buffer_string(&what));
	buffer_release(&what);
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

static int file_release(const struct released *released, int fd, const char *directory,
			const char *line, struct error *error)
{
	if (lock_await(released, fd, directory, line, error) < 0)
		return -1;
	if (retry_write(fd, "0", 1) == 1)
		return 0;
	return error_set_system(error, errno, "cannot disable %s in %s", line, directory);
}

/* What has gone meanwhile needs no release. */
static int line_release(struct released *released, const char *directory, const char *line,
			struct error *error)
{
	int fd = enable_file_open(directory, line);

	if (fd < 0)
		return 0;
	if (file_release(released, fd, directory, line, error) == 0) {
		report_message(released->watcher->writes,
			       "write '0' to the enable file of %s in %s", line, directory);
		return released_add(released, fd, error);
	}
	close(fd);
	return -1;
}

/*
 * A ktrack that waits for records notices writes to files of its instance; otherwise it looks once
 * a second. A blank in set_event changes nothing; truncating the file would disable all events.
 */
static bool owner_wake(const char *directory)
{
	struct error ignored = { 0 };
	int fd = file_open_in(directory, "set_event", O_WRONLY, &ignored);
	bool is_awake = fd >= 0 && retry_write(fd, "\n", 1) == 1;

	file_close(fd);
	return is_awake;
}

static int instance_events_release(void *context, const char *name, const char *directory,
				   struct error *error)
{
	struct released *released = context;
	size_t nr_before = released->size;
	struct buffer text = { 0 };
	char *rest, *line;
	int status = 0;

	/* Tracepoints of the sideband instance belong to no module. */
	if (strstr(name, SIDEBAND_SUFFIX))
		return 0;
	if (file_read_in(directory, "set_event", &text) == 0) {
		buffer_append_char(&text, '\0');
		rest = text.data;
		while (status == 0 && rest && (line = strsep(&rest, "\n"))) {
			if (strchr(line, ':') && line_meets(line, released->pattern))
				status = line_release(released, directory, line, error);
		}
	}
	if (released->size > nr_before)
		(void)owner_wake(directory);
	buffer_release(&text);
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
	int status = owned_visit(&visitor, error);

	if (status == 0)
		status = released_await(&released, error);
	*nr_released = released.size;
	for (size_t i = 0; i < released.size; i++)
		close(released.list[i]);
	free(released.list);
	return status;
}
