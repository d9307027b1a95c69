/* SPDX-License-Identifier: GPL-2.0-only */
/* A temporary folder for targets that read files; it is removed at the end. */
#ifndef FUZZ_FOLDER_H
#define FUZZ_FOLDER_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char fuzz_folder[64];

static int fuzz_entry_remove(const char *path, const struct stat *status, int type,
			     struct FTW *position)
{
	(void)status;
	(void)type;
	(void)position;
	return remove(path);
}

static void fuzz_folder_remove(void)
{
	nftw(fuzz_folder, fuzz_entry_remove, 4, FTW_DEPTH | FTW_PHYS);
}

/* An empty folder in memory if possible; the one of the last input is removed. */
static inline const char *fuzz_folder_new(void)
{
	const char *base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

	if (fuzz_folder[0])
		fuzz_folder_remove();
	else
		atexit(fuzz_folder_remove);
	snprintf(fuzz_folder, sizeof(fuzz_folder), "%s/ktrack-fuzz-XXXXXX", base);
	return mkdtemp(fuzz_folder);
}

/* Writes a file below it. */
static inline void fuzz_file_write(const char *name, const void *data, size_t size)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", fuzz_folder, name);
	file = fopen(path, "we");
	if (!file)
		return;
	fwrite(data, 1, size, file);
	fclose(file);
}

#endif
