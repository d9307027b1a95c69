// SPDX-License-Identifier: GPL-2.0-only
/* The files of a spool, one for each CPU and instance. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracedat/spool.h"
#include "tracedat/spool_entry.h"

struct spool_file *spool_file_add(struct spool *spool, int cpu, bool is_sideband,
				  struct error *error)
{
	struct spool_file *files = reallocarray(spool->files, spool->nr_files + 1, sizeof(*files));

	if (!files) {
		error_set(error, "out of memory");
		return NULL;
	}
	spool->files = files;
	files[spool->nr_files] = (struct spool_file){
		.cpu = cpu,
		.is_sideband = is_sideband,
		.fd = -1,
	};
	return &files[spool->nr_files++];
}

struct spool_file *spool_file_find(const struct spool *spool, int cpu, bool is_sideband)
{
	for (size_t i = 0; i < spool->nr_files; i++) {
		if (spool->files[i].cpu == cpu && spool->files[i].is_sideband == is_sideband &&
		    !spool->files[i].is_programs)
			return &spool->files[i];
	}
	return NULL;
}

int spool_file_fail(struct spool *spool, const struct spool_file *file, struct error *error)
{
	int number = errno;
	char name[SPOOL_NAME_SIZE] = SPOOL_PROGRAMS;

	if (!file->is_programs)
		spool_cpu_name(name, file->cpu, file->is_sideband);
	return spool_entry_fail(&spool->folder, number, name, error);
}

bool spool_file_is_deferred(const struct spool *spool, const struct spool_file *file)
{
	return spool->origin.mode->is_read_at_end && !file->is_sideband;
}

static int spool_file_truncate(struct spool_file *file, uint64_t size)
{
	if (ftruncate(file->fd, size) < 0 || lseek(file->fd, size, SEEK_SET) < 0)
		return -1;
	file->size = size;
	return 0;
}

/* An incomplete sub-buffer at the end was being written when ktrack was killed. */
static int spool_file_open(struct spool *spool, const char *name, struct error *error)
{
	size_t page_size = spool->pipe.page_size;
	struct spool_file *file;
	struct stat status;
	bool is_sideband = false, is_programs = strcmp(name, SPOOL_PROGRAMS) == 0;
	int cpu = 0;

	if (!is_programs && !spool_cpu_parse(name, &cpu, &is_sideband))
		return 0;
	file = spool_file_add(spool, cpu, is_sideband, error);
	if (!file)
		return -1;
	file->is_programs = is_programs;
	file->fd = spool_entry_open(&spool->folder, name, O_RDWR, error);
	if (file->fd < 0)
		return -1;
	if (fstat(file->fd, &status) == 0 &&
	    spool_file_truncate(file, status.st_size / page_size * page_size) == 0)
		return 0;
	return error_set_system(error, errno, "cannot truncate %s/%s", spool->folder.path, name);
}

int spool_files_open(struct spool *spool, struct error *error)
{
	struct dirent **entries;
	int size = spool_folder_scan(&spool->folder, &entries);
	int status = 0;

	if (size < 0)
		return error_set_system(error, errno, "cannot read %s", spool->folder.path);
	for (int i = 0; i < size; i++) {
		if (status == 0)
			status = spool_file_open(spool, entries[i]->d_name, error);
		free(entries[i]);
	}
	free(entries);
	return status;
}

void spool_files_close(struct spool *spool)
{
	for (size_t i = 0; i < spool->nr_files; i++)
		file_close(spool->files[i].fd);
	buffer_reader_close(spool->reader);
	free(spool->files);
}

void spool_keep(struct spool *spool)
{
	for (size_t i = 0; i < spool->nr_files; i++)
		spool->files[i].kept = spool->files[i].size;
}

int spool_rewind(struct spool *spool, struct error *error)
{
	for (size_t i = 0; i < spool->nr_files; i++) {
		struct spool_file *file = &spool->files[i];

		if (file->size != file->kept && spool_file_truncate(file, file->kept) < 0)
			return spool_file_fail(spool, file, error);
	}
	return 0;
}

uint64_t spool_size(const struct spool *spool)
{
	uint64_t size = 0;

	for (size_t i = 0; i < spool->nr_files; i++)
		size += spool->files[i].size;
	return size;
}
