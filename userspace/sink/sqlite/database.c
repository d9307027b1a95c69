// SPDX-License-Identifier: GPL-2.0-only
/* SQLite, which is loaded when it is needed, its access to files, and rows of values. */
#include "sink/sqlite/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int sqlite_api_load(struct sqlite_api *api, struct error *error)
{
#define SQLITE_API_FIND(name) { "sqlite3_" #name, &api->name },
	const struct library_function functions[] = { SQLITE_API_FUNCTIONS(SQLITE_API_FIND) };
#undef SQLITE_API_FIND

	*api = (struct sqlite_api){ 0 };
	return library_load(&api->handle, "libsqlite3.so.0",
			    "SQLite 3.38 or later (Debian's package libsqlite3-0)", functions,
			    sizeof(functions) / sizeof(functions[0]), error);
}

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

/* For syncs and locks: a process that is killed needs no sync, and the database stays locked. */
static int vfs_accept(sqlite3_file *file, int what)
{
	(void)file, (void)what;
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
	.xSync = vfs_accept,
	.xFileSize = vfs_file_size,
	.xLock = vfs_accept,
	.xUnlock = vfs_accept,
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
	struct owner owner;

	if (!is_journal && !(flags & SQLITE_OPEN_MAIN_DB))
		return files->base->xOpen(files->base, name, file, flags, out_flags);
	*open = (struct open_file){ .files = files, .fd = files->fd, .is_journal = is_journal };
	if (is_journal) {
		open->fd = -1;
		if (journal_owner_find(files, &owner) == 0)
			open->fd = owner_open(&owner, buffer_string(&files->journal),
					      O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600, NULL);
		owner_release(&owner);
	}
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

/*
 * Registers the files of a database.
 * @fd: stays the caller's
 * @user, @group: owner of the journal; @user 0 for the caller
 *
 * Returns 0, or -1 with @error; database_close() works in both cases.
 */
static int database_files_open(struct database_files *files, const struct sqlite_api *api, int fd,
			       const char *path, unsigned int user, unsigned int group,
			       struct error *error)
{
	struct flock lock = { .l_type = F_WRLCK, .l_start = LOCK_BEGIN, .l_len = LOCK_SIZE };
	struct stat about;
	char link[64];

	*files = (struct database_files){ .fd = -1, .user = user, .group = group };
	if (fstat(fd, &about) < 0 || !S_ISREG(about.st_mode))
		return error_set(error, "%s: not a regular file; write a database to a file", path);
	/* Open for reading and without O_APPEND, which SQLite cannot write with. */
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	files->fd = open(link, O_RDWR | O_CLOEXEC);
	if (files->fd < 0)
		return error_set_system(error, errno, "cannot read and write %s", path);
	if (fcntl(files->fd, F_OFD_SETLK, &lock) < 0)
		return errno == EAGAIN || errno == EACCES
			       ? error_set(error,
					   "%s: another program has locked it; try again when it "
					   "has ended",
					   path)
			       : error_set_system(error, errno, "cannot lock %s", path);
	buffer_printf(&files->journal, "%s-journal", path);
	/* That of a database that was replaced. */
	if (journal_remove(files) < 0 && errno != ENOENT)
		return error_set_system(error, errno, "cannot remove %s",
					buffer_string(&files->journal));
	return files->journal.failed || vfs_register(files, api) < 0
		       ? error_set(error, "out of memory")
		       : 0;
}

/* The page cache, and the sorter that creates indexes, take up to 16 MiB each. */
#define SETTINGS                                                                          \
	"PRAGMA page_size = 8192; PRAGMA cache_size = -16384; PRAGMA synchronous = OFF; " \
	"PRAGMA temp_store = FILE; PRAGMA locking_mode = EXCLUSIVE;"

/* Of existing databases: one value, and all memory of SQLite. */
#define VALUE_SIZE_MAX (16 << 20)
#define HEAP_SIZE_MAX (INT64_C(256) << 20)
/* Of the file format: two bytes, of which a write-ahead log needs this value. */
#define VERSIONS_OFFSET 18
#define WAL_VERSION 2

int database_fail(struct database *database, struct error *error)
{
	if (database->files.failure)
		return error_set_system(error, database->files.failure, "cannot write to %s",
					database->name);
	if (!database->handle)
		return error_set(error, "out of memory");
	return error_set(error, "%s: %s", database->name, database->api.errmsg(database->handle));
}

static int database_open(struct database *database, const char *path, int flags,
			 struct error *error)
{
	const struct sqlite_api *api = &database->api;

	if (api->open_v2(path, &database->handle, flags, database->vfs) == SQLITE_OK)
		return 0;
	return database_fail(database, error);
}

int database_run(struct database *database, const char *sql, struct error *error)
{
	if (database->api.exec(database->handle, sql, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	return database_fail(database, error);
}

int database_open_file(struct database *database, int fd, const char *path, unsigned int user,
		       unsigned int group, struct error *error)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_PRIVATECACHE;

	database->name = path;
	database->files.fd = -1;
	if (sqlite_api_load(&database->api, error) < 0 ||
	    database_files_open(&database->files, &database->api, fd, path, user, group, error) < 0)
		return -1;
	database->vfs = database->files.vfs_name;
	return database_open(database, "database", flags, error) < 0
		       ? -1
		       : database_run(database, SETTINGS, error);
}

/* No path: SQLite creates a file in SQLITE_TMPDIR, TMPDIR or /var/tmp, and unlinks it at once. */
int database_open_temporary(struct database *database, const char *name, struct error *error)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_PRIVATECACHE;

	database->name = name;
	database->files.fd = -1;
	if (sqlite_api_load(&database->api, error) < 0 ||
	    database_open(database, "", flags, error) < 0)
		return -1;
	return database_run(database, SETTINGS "PRAGMA journal_mode = OFF", error);
}

/*
 * An existing database may be hostile: its schema runs no code of ours, its triggers never run, and
 * no value takes much memory. What it computes is limited only by the patience of the user.
 */
static void database_defend(const struct database *database)
{
	static const struct {
		int option;
		int value;
	} options[] = {
		{ SQLITE_DBCONFIG_DEFENSIVE, 1 },
		{ SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
		{ SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
		{ SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 },
		{ SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0 },
	};
	const struct sqlite_api *api = &database->api;

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		api->db_config(database->handle, options[i].option, options[i].value, NULL);
	api->limit(database->handle, SQLITE_LIMIT_LENGTH, VALUE_SIZE_MAX);
	api->limit(database->handle, SQLITE_LIMIT_ATTACHED, 0);
	api->limit(database->handle, SQLITE_LIMIT_TRIGGER_DEPTH, 0);
	api->limit(database->handle, SQLITE_LIMIT_WORKER_THREADS, 0);
	api->hard_heap_limit64(HEAP_SIZE_MAX);
}

/* Even to read such a file, SQLite creates two others; @path begins like a database. */
static int database_check_journal(const struct database *database, const char *path,
				  struct error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char versions[2] = { 0 };
	ssize_t size = fd >= 0 ? file_read_block(fd, versions, sizeof(versions), VERSIONS_OFFSET)
			       : -1;

	file_close(fd);
	if (size < 0)
		return error_set_system(error, errno, "cannot open %s", database->name);
	if (versions[0] != WAL_VERSION && versions[1] != WAL_VERSION)
		return 0;
	return error_set(error,
			 "%s: has a write-ahead log; write PRAGMA journal_mode = DELETE with "
			 "sqlite3(1)",
			 database->name);
}

int database_open_existing(struct database *database, const char *path, struct error *error)
{
	int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_PRIVATECACHE;

	database->name = path;
	database->files.fd = -1;
	if (database_check_journal(database, path, error) < 0 ||
	    sqlite_api_load(&database->api, error) < 0 ||
	    database_open(database, path, flags, error) < 0)
		return -1;
	database_defend(database);
	return database_run(database,
			    "PRAGMA cache_size = -16384;"
			    "PRAGMA cell_size_check = ON; PRAGMA query_only = ON",
			    error);
}

int database_prepare(struct database *database, const char *sql, sqlite3_stmt **out,
		     struct error *error)
{
	if (database->api.prepare_v2(database->handle, sql, -1, out, NULL) == SQLITE_OK)
		return 0;
	return database_fail(database, error);
}

void database_close(struct database *database)
{
	struct database_files *files = &database->files;

	if (database->handle)
		database->api.close_v2(database->handle);
	if (files->fd >= 0 && database->is_complete)
		journal_remove(files);
	if (files->base)
		database->api.vfs_unregister(&files->vfs);
	file_close(files->fd);
	buffer_release(&files->journal);
	library_release(database->api.handle);
	buffer_release(&database->text);
	*database = (struct database){ .files.fd = -1 };
}

#define REPLACEMENT "\xef\xbf\xbd"

void row_add_null(struct database_row *row)
{
	row->failed |= row->database->api.bind_null(row->statement, ++row->index) != SQLITE_OK;
}

/* No data would be NULL. */
static void row_bind_text(struct database_row *row, struct text text, void (*lifetime)(void *))
{
	row->failed |= row->database->api.bind_text(row->statement, ++row->index,
						    text.data ? text.data : "", text.size,
						    lifetime) != SQLITE_OK;
}

/* SQLite accepts any bytes as text, but its functions and other programs do not. */
void row_add_text(struct database_row *row, struct text text)
{
	struct buffer *out = &row->database->text;
	bool is_ascii = true;

	for (size_t i = 0; i < text.size && is_ascii; i++)
		is_ascii = (signed char)text.data[i] > 0;
	if (is_ascii) {
		row_bind_text(row, text, SQLITE_STATIC);
		return;
	}
	buffer_clear(out);
	while (text.size > 0) {
		size_t size = *text.data ? utf8_sequence_size(text) : 0;

		if (size > 0)
			buffer_append(out, text.data, size);
		else
			buffer_append_string(out, REPLACEMENT);
		text.data += size > 0 ? size : 1;
		text.size -= size > 0 ? size : 1;
	}
	row->failed |= out->failed;
	row_bind_text(row, buffer_text(out), SQLITE_TRANSIENT);
}

void row_add_string(struct database_row *row, const char *string)
{
	if (string)
		row_add_text(row, text_of(string));
	else
		row_add_null(row);
}

/* A text that is made of a value is copied by SQLite. */
static void row_add_made(struct database_row *row, const struct value *value)
{
	struct buffer *text = &row->database->text;

	buffer_clear(text);
	value_append_text(text, value);
	row->failed |= text->failed;
	row_bind_text(row, buffer_text(text), SQLITE_TRANSIENT);
}

void row_add_value(struct database_row *row, const struct value *value)
{
	switch (value->kind) {
	case VALUE_SIGNED:
		row_add_number(row, value->signed_number);
		break;
	case VALUE_UNSIGNED:
		row_add_unsigned(row, value->unsigned_number);
		break;
	case VALUE_BOOLEAN:
		row_add_number(row, value->boolean);
		break;
	case VALUE_FLOATING:
		/* What is no number becomes NULL. */
		row->failed |= row->database->api.bind_double(row->statement, ++row->index,
							      value->floating) != SQLITE_OK;
		break;
	case VALUE_TEXT:
		row_add_text(row, value->text);
		break;
	default:
		row_add_made(row, value);
	}
}

void row_add_unsigned(struct database_row *row, uint64_t number)
{
	const struct value value = { .kind = VALUE_UNSIGNED, .unsigned_number = number };

	if (number > INT64_MAX)
		row_add_made(row, &value);
	else
		row_add_number(row, (int64_t)number);
}

int row_end(struct database_row *row, struct error *error)
{
	const struct sqlite_api *api = &row->database->api;
	int status;

	if (row->failed)
		return error_set(error, "out of memory");
	status = api->step(row->statement);
	if (status == SQLITE_DONE && api->reset(row->statement) == SQLITE_OK)
		return 0;
	return database_fail(row->database, error);
}
