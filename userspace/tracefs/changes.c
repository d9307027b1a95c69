// SPDX-License-Identifier: GPL-2.0-only
/*
 * Other programs empty the buffers of an instance, and change its clock, by writing to its files.
 * Settings that ktrack writes while it records are ignored by their names.
 */
#include "tracefs/changes.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "tracefs/instance_state.h"

/* Space for some events with names of any length. */
#define EVENTS_SIZE 4096

/**
 * struct changes - watches of all directories
 * @fd: of inotify
 * @first_sideband: number of the sideband instance's first watch
 * @file: name of the last file written
 */
struct changes {
	int fd;
	int first_sideband;
	char file[32];
};

/* When one of them is written, the kernel empties some buffers or all of them. */
static const char *const emptying_files[] = {
	"trace",	  "snapshot",	 "buffer_size_kb", "buffer_subbuf_size_kb",
	"current_tracer", "free_buffer",
};

static int watch_add(struct changes *changes, const char *directory, const char *entry)
{
	struct buffer path = { 0 };
	int watch;

	buffer_printf(&path, "%s/%s", directory, entry);
	watch = inotify_add_watch(changes->fd, buffer_string(&path), IN_MODIFY | IN_ONLYDIR);
	buffer_release(&path);
	return watch;
}

/* Returns -1 with errno. */
static int watch_cpus(struct changes *changes, const char *directory)
{
	struct buffer path = { 0 };
	struct dirent *entry;
	int status = 0;
	DIR *list;

	buffer_printf(&path, "%s/per_cpu", directory);
	list = opendir(buffer_string(&path));
	while (list && status == 0 && (entry = readdir(list))) {
		if (entry->d_name[0] != '.' &&
		    watch_add(changes, buffer_string(&path), entry->d_name) < 0)
			status = -1;
	}
	if (list)
		closedir(list);
	buffer_release(&path);
	return list ? status : -1;
}

static int watch_instance(struct changes *changes, const struct instance *instance, int *first,
			  struct error *error)
{
	*first = watch_add(changes, instance->directory, ".");
	if (*first >= 0 && watch_cpus(changes, instance->directory) == 0)
		return 0;
	return error_set_system(error, errno, "%s: cannot notice what others write to it",
				instance_name(instance));
}

int changes_open(struct changes **out, const struct instance *instance, struct error *error)
{
	struct changes *changes = calloc(1, sizeof(*changes));
	int status, ignored;

	*out = changes;
	if (!changes)
		return error_set(error, "out of memory");
	changes->first_sideband = INT32_MAX;
	changes->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (changes->fd < 0)
		status = error_set_system(error, errno, "cannot watch for changes");
	else
		status = watch_instance(changes, instance, &ignored, error);
	if (status == 0 && instance->sideband)
		status = watch_instance(changes, instance->sideband, &changes->first_sideband,
					error);
	if (status == 0)
		return 0;
	changes_close(changes);
	*out = NULL;
	return -1;
}

int changes_fd(const struct changes *changes)
{
	return changes->fd;
}

static bool name_empties(const char *name)
{
	for (size_t i = 0; i < sizeof(emptying_files) / sizeof(emptying_files[0]); i++) {
		if (strcmp(name, emptying_files[i]) == 0)
			return true;
	}
	return false;
}

/* Events that inotify dropped may have been any. */
static void event_take(struct changes *changes, const struct inotify_event *event,
		       struct instance_change *out)
{
	const char *name = event->len > 0 ? event->name : "";
	bool is_sideband = event->wd >= changes->first_sideband;
	bool is_overflow = event->mask & IN_Q_OVERFLOW;
	bool is_clock = strcmp(name, "trace_clock") == 0;

	if (!is_overflow && !is_clock && !name_empties(name))
		return;
	snprintf(changes->file, sizeof(changes->file), "%s", is_overflow ? "trace" : name);
	out->is_reclocked |= is_clock || is_overflow;
	out->is_emptied |= !is_sideband;
	out->is_sideband_emptied |= is_sideband || is_overflow;
}

bool changes_take(struct changes *changes, struct instance_change *out)
{
	char events[EVENTS_SIZE] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t size;

	*out = (struct instance_change){ .kind = INSTANCE_WRITTEN, .file = changes->file };
	while ((size = TEMP_FAILURE_RETRY(read(changes->fd, events, sizeof(events)))) > 0) {
		for (const char *at = events; at < events + size;) {
			const struct inotify_event *event = (const struct inotify_event *)at;

			event_take(changes, event, out);
			at += sizeof(*event) + event->len;
		}
	}
	return out->is_reclocked || out->is_emptied || out->is_sideband_emptied;
}

void changes_close(struct changes *changes)
{
	if (!changes)
		return;
	file_close(changes->fd);
	free(changes);
}
