// SPDX-License-Identifier: GPL-2.0-only
/* Gives SQLite open files in place of paths. */
#include "sink/sqlite/vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* The bytes that programs with SQLite lock, and where they are: part of its file format. */
#define LOCK_BEGIN 0x40000000
#define LOCK_SIZE 512

#define SECTOR_SIZE 4096
#define PATH_SIZE_MAX 512

/** struct open_file - a file that SQLite has open */
struct open_file {
	sqlite3_file file;
	struct database_files *files;
	int fd;
	bool is_journal;
};

static struct open_file *open_file_of(sqlite3_file *file)
{
	return container_of(file, struct open_file, file);
}

static int vfs_fail(struct open_file *open, int code)
{
	open->files->failure = errno;
	return errno == ENOSPC || errno == EDQUOT ? SQLITE_FULL : code;
}

static int vfs_close(sqlite3_file *file)
{
	struct open_file *open = open_file_of(file);

	if (open->is_journal)
		close(open->fd);
	return SQLITE_OK;
}

/* What is behind the end of the file is read as zeros. */
static int vfs_read(sqlite3_file *file, void *data, int size, sqlite3_int64 offset)
{
	struct open_file *open = open_file_of(file);
	ssize_t done = file_read_block(open->fd, data, size, offset);

	if (done < 0)
		return vfs_fail(open, SQLITE_IOERR_READ);
	if (done == size)
		return SQLITE_OK;
	memset((char *)data + done, 0, size - done);
	return SQLITE_IOERR_SHORT_READ;
}

static int vfs_write(sqlite3_file *file, const void *data, int size, sqlite3_int64 offset)
{
	struct open_file *open = open_file_of(file);
	int done = 0;

	while (done < size) {
		ssize_t part = pwrite(open->fd, (const char *)data + done, size - done,
				      offset + done);

		if (part < 0 && errno != EINTR)
			return vfs_fail(open, SQLITE_IOERR_WRITE);
		done += part > 0 ? part : 0;
	}
	return SQLITE_OK;
}

static int vfs_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	struct open_file *open = open_file_of(file);

	return ftruncate(open->fd, size) == 0 ? SQLITE_OK : vfs_fail(open, SQLITE_IOERR_TRUNCATE);
}

/* The process may be killed at any time, which needs no sync. */
static int vfs_sync(sqlite3_file *file, int flags)
{
	(void)file, (void)flags;
	return SQLITE_OK;
}

static int vfs_file_size(sqlite3_file *file, sqlite3_int64 *size)
{
	struct open_file *open = open_file_of(file);
	struct stat about;

	if (fstat(open->fd, &about) < 0)
		return vfs_fail(open, SQLITE_IOERR_FSTAT);
	*size = about.st_size;
	return SQLITE_OK;
}

/* The database is locked as long as it is open. */
static int vfs_lock(sqlite3_file *file, int level)
{
	(void)file, (void)level;
	return SQLITE_OK;
}

static int vfs_check_lock(sqlite3_file *file, int *is_reserved)
{
	(void)file;
	*is_reserved = 0;
	return SQLITE_OK;
}

static int vfs_control(sqlite3_file *file, int operation, void *argument)
{
	(void)file, (void)operation, (void)argument;
	return SQLITE_NOTFOUND;
}

static int vfs_sector_size(sqlite3_file *file)
{
	(void)file;
	return SECTOR_SIZE;
}

static int vfs_characteristics(sqlite3_file *file)
{
	(void)file;
	return 0;
}

static const sqlite3_io_methods file_methods = {
	.iVersion = 1,
	.xClose = vfs_close,
	.xRead = vfs_read,
	.xWrite = vfs_write,
	.xTruncate = vfs_truncate,
	.xSync = vfs_sync,
	.xFileSize = vfs_file_size,
	.xLock = vfs_lock,
	.xUnlock = vfs_lock,
	.xCheckReservedLock = vfs_check_lock,
	.xFileControl = vfs_control,
	.xSectorSize = vfs_sector_size,
	.xDeviceCharacteristics = vfs_characteristics,
};

/* Groups change when a live run drops its privileges, so they are looked up each time. */
static int journal_owner_find(const struct database_files *files, struct owner *owner)
{
	*owner = (struct owner){ 0 };
	return files->user > 0 ? owner_init(owner, files->user, files->group) : 0;
}

static int journal_open(struct database_files *files)
{
	struct owner owner;
	int fd = -1;

	if (journal_owner_find(files, &owner) == 0)
		fd = owner_open(&owner, buffer_string(&files->journal),
				O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600, NULL);
	owner_release(&owner);
	return fd;
}

static int journal_remove(struct database_files *files)
{
	const char *path = buffer_string(&files->journal);
	struct owner owner;
	int status = -1;

	if (journal_owner_find(files, &owner) == 0 && owner_begin(&owner) == 0) {
		status = unlink(path);
		owner_end(&owner);
	}
	owner_release(&owner);
	return status;
}

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
		    int *out_flags)
{
	struct database_files *files = vfs->pAppData;
	struct open_file *open = open_file_of(file);
	bool is_journal = flags & SQLITE_OPEN_MAIN_JOURNAL;

	if (!is_journal && !(flags & SQLITE_OPEN_MAIN_DB))
		return files->base->xOpen(files->base, name, file, flags, out_flags);
	*open = (struct open_file){ .files = files, .fd = files->fd, .is_journal = is_journal };
	if (is_journal)
		open->fd = journal_open(files);
	if (open->fd < 0)
		return vfs_fail(open, SQLITE_CANTOPEN);
	open->file.pMethods = &file_methods;
	if (out_flags)
		*out_flags = flags;
	return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int syncs)
{
	struct database_files *files = vfs->pAppData;

	(void)name, (void)syncs;
	if (journal_remove(files) == 0 || errno == ENOENT)
		return SQLITE_OK;
	files->failure = errno;
	return SQLITE_IOERR_DELETE;
}

/* Only journals of runs that were killed can exist; they were removed. */
static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result)
{
	(void)vfs, (void)name, (void)flags;
	*result = 0;
	return SQLITE_OK;
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *name, int size, char *out)
{
	(void)vfs;
	snprintf(out, size, "%s", name);
	return SQLITE_OK;
}

/* What has nothing to do with the database's files is left to SQLite. */
static int vfs_randomness(sqlite3_vfs *vfs, int size, char *out)
{
	sqlite3_vfs *base = ((struct database_files *)vfs->pAppData)->base;

	return base->xRandomness(base, size, out);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds)
{
	sqlite3_vfs *base = ((struct database_files *)vfs->pAppData)->base;

	return base->xSleep(base, microseconds);
}

static int vfs_time(sqlite3_vfs *vfs, double *days)
{
	sqlite3_vfs *base = ((struct database_files *)vfs->pAppData)->base;

	return base->xCurrentTime(base, days);
}

static int vfs_last_error(sqlite3_vfs *vfs, int size, char *out)
{
	(void)vfs, (void)size, (void)out;
	return 0;
}

static int vfs_register(struct database_files *files, const struct sqlite_api *api)
{
	int own_size = sizeof(struct open_file);

	files->base = api->vfs_find(NULL);
	if (!files->base)
		return -1;
	snprintf(files->vfs_name, sizeof(files->vfs_name), "ktrack-%p", (void *)files);
	files->vfs = (sqlite3_vfs){
		.iVersion = 1,
		.szOsFile = own_size > files->base->szOsFile ? own_size : files->base->szOsFile,
		.mxPathname = PATH_SIZE_MAX,
		.zName = files->vfs_name,
		.pAppData = files,
		.xOpen = vfs_open,
		.xDelete = vfs_delete,
		.xAccess = vfs_access,
		.xFullPathname = vfs_full_path,
		.xRandomness = vfs_randomness,
		.xSleep = vfs_sleep,
		.xCurrentTime = vfs_time,
		.xGetLastError = vfs_last_error,
	};
	return api->vfs_register(&files->vfs, 0) == SQLITE_OK ? 0 : -1;
}

/* Open for reading and without O_APPEND, which SQLite cannot write with. */
static int database_reopen(int fd, const char *path, struct error *error)
{
	char link[64];
	struct stat about;

	if (fstat(fd, &about) < 0 || !S_ISREG(about.st_mode))
		return error_set(error, "%s: not a regular file; write a database to a file", path);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	fd = open(link, O_RDWR | O_CLOEXEC);
	return fd < 0 ? error_set_system(error, errno, "cannot read and write %s", path) : fd;
}

static int database_lock(int fd, const char *path, struct error *error)
{
	struct flock lock = { .l_type = F_WRLCK, .l_start = LOCK_BEGIN, .l_len = LOCK_SIZE };

	if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
		return 0;
	if (errno == EAGAIN || errno == EACCES)
		return error_set(error,
				 "%s: another program has locked it; try again when it has ended",
				 path);
	return error_set_system(error, errno, "cannot lock %s", path);
}

int database_files_open(struct database_files *files, const struct sqlite_api *api, int fd,
			const char *path, unsigned int user, unsigned int group,
			struct error *error)
{
	*files = (struct database_files){ .fd = database_reopen(fd, path, error),
					  .user = user,
					  .group = group };
	if (files->fd < 0 || database_lock(files->fd, path, error) < 0)
		return -1;
	buffer_printf(&files->journal, "%s-journal", path);
	/* That of a database that was replaced. */
	if (journal_remove(files) < 0 && errno != ENOENT)
		return error_set_system(error, errno, "cannot remove %s",
					buffer_string(&files->journal));
	return files->journal.failed || vfs_register(files, api) < 0
		       ? error_set(error, "out of memory")
		       : 0;
}

void database_files_close(struct database_files *files, const struct sqlite_api *api,
			  bool is_complete)
{
	if (is_complete)
		journal_remove(files);
	if (files->base)
		api->vfs_unregister(&files->vfs);
	file_close(files->fd);
	buffer_release(&files->journal);
}
