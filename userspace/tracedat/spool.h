/* SPDX-License-Identifier: GPL-2.0-only */
/* State of a spool. Each part has one owner, the file of the same name. */
#ifndef TRACEDAT_SPOOL_H
#define TRACEDAT_SPOOL_H

#include "tracedat/formats.h"
#include "tracedat/instance_files.h"
#include "tracedat/spool_folder.h"
#include "tracedat/spool_origin.h"

/**
 * struct spool_file - raw records of one CPU
 * @is_sideband: of the sideband instance, which is read in any mode
 * @buffer: the CPU's ring buffer, NULL if it is not read any more
 * @fd: the file
 * @size: bytes in the file, whole sub-buffers
 * @kept: size at spool_keep()
 * @in_flight: records that were read, but are not in the file
 */
struct spool_file {
	int cpu;
	bool is_sideband;
	struct cpu_buffer *buffer;
	int fd;
	uint64_t size;
	uint64_t kept;
	uint64_t in_flight;
};

/**
 * struct spool_pipe - moves sub-buffers from ring buffers to files
 * @fds: pipe of @size bytes, for splice(2)
 * @page: one sub-buffer of @page_size bytes
 */
struct spool_pipe {
	int fds[2];
	size_t size;
	unsigned char *page;
	size_t page_size;
};

/**
 * struct spool - a recording of raw records
 * @reader: of the instance's ring buffers, NULL if they are not read any more
 * @is_shared: the instance is another program's; its statistics began before the recording
 * @is_recovered: the recording was killed
 * @is_counted: recording is over: the statistics count all losses
 */
struct spool {
	struct spool_folder folder;
	struct spool_origin origin;
	struct instance_files instance;
	struct buffer_reader *reader;
	struct formats formats;
	struct spool_file *files;
	size_t nr_files;
	struct spool_pipe pipe;
	bool is_shared;
	bool is_recovered;
	bool is_counted;
};

/** spool_attach_directory - open an instance; @sideband may be NULL; returns -1 with @error */
int spool_attach_directory(struct spool *spool, const char *directory, const char *sideband,
			   struct error *error);

/** spool_read_rest - move all sub-buffers, also incomplete ones; returns -1 with @error */
int spool_read_rest(struct spool *spool, struct error *error);

/** spool_file_add - add a file; it is the caller's to open; returns NULL with @error */
struct spool_file *spool_file_add(struct spool *spool, int cpu, bool is_sideband,
				  struct error *error);

/** spool_file_find - the file of a CPU, NULL if there is none */
struct spool_file *spool_file_find(const struct spool *spool, int cpu, bool is_sideband);

/** spool_file_fail - writing the file failed with errno; returns -1 with @error */
int spool_file_fail(struct spool *spool, const struct spool_file *file, struct error *error);

/** spool_file_is_deferred - whether the CPU is read only after recording stopped */
bool spool_file_is_deferred(const struct spool *spool, const struct spool_file *file);

/** spool_files_open - open all files in the folder; returns -1 with @error */
int spool_files_open(struct spool *spool, struct error *error);

void spool_files_close(struct spool *spool);

/** spool_save_formats - save formats of the tracepoints in @list; returns -1 with @error */
int spool_save_formats(struct spool *spool, struct buffer *list, struct error *error);

/** spool_save_now - save current names of threads, clock and statistics; returns -1 with @error */
int spool_save_now(struct spool *spool, struct error *error);

#endif
