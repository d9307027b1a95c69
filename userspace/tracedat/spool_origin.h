/* SPDX-License-Identifier: GPL-2.0-only */
/* Origin of a spool's records: the file that makes a folder a recording. */
#ifndef TRACEDAT_SPOOL_ORIGIN_H
#define TRACEDAT_SPOOL_ORIGIN_H

#include "tracedat/spool_folder.h"

/**
 * struct spool_origin - which instance was recorded, and how
 * @instance: its name; "" if the spool is complete without it, NULL if an earlier boot had it
 * @mode: how the instance buffers records
 * @id: of the recording
 * @boot: id of the current boot, empty until it is written
 * @is_incomplete: the kernel emptied the buffers, with uncounted records
 */
struct spool_origin {
	char *instance;
	const struct buffer_mode *mode;
	uint64_t id;
	struct buffer boot;
	bool is_incomplete;
};

/** spool_origin_begin - a new recording of the instance in @directory */
void spool_origin_begin(struct spool_origin *origin, const char *directory,
			const struct buffer_mode *mode);

/** spool_origin_read - of a killed recording; returns -1 with @error */
int spool_origin_read(struct spool_origin *origin, const struct spool_folder *folder,
		      struct error *error);

/**
 * spool_origin_write - from now on the folder is a recording
 * @instance: name of the instance, NULL if the spool is complete without it
 *
 * Returns -1 with @error.
 */
int spool_origin_write(struct spool_origin *origin, struct spool_folder *folder,
		       const char *instance, struct error *error);

/** spool_origin_write_complete - the spool needs no instance any more; returns -1 with @error */
int spool_origin_write_complete(struct spool_origin *origin, struct spool_folder *folder,
				struct error *error);

void spool_origin_release(struct spool_origin *origin);

#endif
