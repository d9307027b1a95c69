/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of a tracefs instance that a trace.dat needs besides the records, opened once. */
#ifndef TRACEDAT_INSTANCE_FILES_H
#define TRACEDAT_INSTANCE_FILES_H

#include "tracedat/tracedat.h"

/**
 * struct instance_files - open files; no further privilege is needed to read them
 * @events_fd: the directory of tracepoints
 * @list_fd: the list of enabled tracepoints, -1 if not opened
 * @clock_fd: the list of clocks with the current one in brackets
 * @saved: names of ended threads
 * @sideband: directory of the sideband instance, NULL if there is none
 */
struct instance_files {
	int events_fd;
	int list_fd;
	int clock_fd;
	struct saved_tasks saved;
	char *sideband;
};

/** INSTANCE_FILES_NONE - no open files */
#define INSTANCE_FILES_NONE                                                                \
	{                                                                                  \
		.events_fd = -1, .list_fd = -1, .clock_fd = -1, .saved = SAVED_TASKS_NONE, \
	}

/** instance_files_open - open all but the list; @sideband may be NULL; returns -1 with @error */
int instance_files_open(struct instance_files *files, const char *directory, const char *sideband,
			struct error *error);

/** instance_files_open_list - open the list, too; returns -1 with @error */
int instance_files_open_list(struct instance_files *files, const char *directory,
			     struct error *error);

/** instance_files_list_enabled - append lines SYSTEM:EVENT of the tracepoints enabled now */
int instance_files_list_enabled(const struct instance_files *files, struct buffer *out,
				struct error *error);

/** instance_files_list_sideband - the same of the sideband instance, if there is one */
int instance_files_list_sideband(const struct instance_files *files, struct buffer *out,
				 struct error *error);

/** instance_files_list_all - the same of all tracepoints, and of the sideband instance */
int instance_files_list_all(const struct instance_files *files, struct buffer *out,
			    struct error *error);

/** instance_files_clock - append the current list of clocks; returns -1 with @error */
int instance_files_clock(const struct instance_files *files, struct buffer *out,
			 struct error *error);

void instance_files_close(struct instance_files *files);

#endif
