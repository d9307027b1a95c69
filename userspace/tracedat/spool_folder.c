// SPDX-License-Identifier: GPL-2.0-only
/* Creates, opens, locks and removes the folder of a spool. */
#include "tracedat/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Reads and writes the origin: lines with the instance's name, the id of the boot, the mode, the id
 * of the recording, the thread that recorded, the threads that were selected, those of 32-bit
 * programs, lines of rules and of the selection, the CPUs of a buffer that survives a restart, and
 * "incomplete" if it is.
 */

/* The instance's name if the spool is complete without it. */
#define ORIGIN_NO_INSTANCE "-"
#define ORIGIN_INCOMPLETE "incomplete"
#define ORIGIN_THREAD "thread "

/* Lines with other words, in their order: lists of numbers, and texts of one or more lines. */
static const struct {
	const char *word;
	size_t offset; /* of a struct buffer in struct spool_origin */
	bool is_list;
} origin_lines[] = {
	{ "workload ", offsetof(struct spool_origin, workload), true },
	{ "32-bit ", offsetof(struct spool_origin, narrow), true },
	{ "survives ", offsetof(struct spool_origin, boot_cpus), true },
	{ "rules:", offsetof(struct spool_origin, rules), false },
	{ "select ", offsetof(struct spool_origin, selection), false },
	{ "label ", offsetof(struct spool_origin, labels), false },
};

#define NR_ORIGIN_LINES (sizeof(origin_lines) / sizeof(origin_lines[0]))

void spool_origin_begin(struct spool_origin *origin, const char *directory,
			const struct buffer_mode *mode)
{
	SCOPED_BUFFER(text);

	file_read_boot_id(&origin->boot);
	buffer_append(&text, origin->boot.data, origin->boot.size);
	buffer_printf(&text, "%s %lld", directory, (long long)time_now_ns(CLOCK_BOOTTIME));
	origin->id = text_hash(buffer_text(&text));
	origin->mode = mode;
	origin->writer = namespace_has_kernel_pids() ? getpid() : 0;
}

/* Only a line with its newline is complete. */
static char *origin_line(char **text)
{
	char *line = strsep(text, "\n");

	return line && *text ? line : NULL;
}

/* Returns what follows @word at the begin of a line, NULL for another line. */
static const char *line_rest(const char *line, const char *word)
{
	return strncmp(line, word, strlen(word)) == 0 ? line + strlen(word) : NULL;
}

/* One of the lines that may be missing. */
static void origin_parse_more(struct spool_origin *origin, const char *line)
{
	const char *rest = line_rest(line, ORIGIN_THREAD);

	if (strcmp(line, ORIGIN_INCOMPLETE) == 0)
		origin->is_incomplete = true;
	else if (rest)
		origin->writer = atoi(rest);
	for (size_t i = 0; i < NR_ORIGIN_LINES; i++) {
		struct buffer *out = (void *)((char *)origin + origin_lines[i].offset);

		rest = line_rest(line, origin_lines[i].word);
		if (rest && !origin_lines[i].is_list)
			buffer_printf(out, "%s\n", rest);
		else if (rest && !rest[strspn(rest, "0123456789,")])
			buffer_append_string(out, rest);
	}
}

static int origin_parse(struct spool_origin *origin, char *text)
{
	const char *name = origin_line(&text), *boot = origin_line(&text);
	const char *mode = origin_line(&text), *id = origin_line(&text);
	const char *more;
	SCOPED_BUFFER(now);

	if (!id || !buffer_mode_find(mode))
		return -1;
	origin->mode = buffer_mode_find(mode);
	buffer_printf(&origin->boot, "%s\n", boot);
	origin->id = strtoull(id, NULL, 16);
	while ((more = origin_line(&text)))
		origin_parse_more(origin, more);
	file_read_boot_id(&now);
	if (strcmp(name, ORIGIN_NO_INSTANCE) == 0)
		origin->instance = strdup("");
	else if (strncmp(buffer_string(&now), boot, strlen(boot)) == 0)
		origin->instance = strdup(name);
	return 0;
}

int spool_origin_read(struct spool_origin *origin, const struct spool_folder *folder,
		      struct error *error)
{
	SCOPED_BUFFER(text);
	int status = spool_entry_read(folder, SPOOL_ORIGIN, &text, error);

	buffer_append_char(&text, '\0');
	if (status == 0 && (text.failed || origin_parse(origin, text.data) < 0))
		status = error_set(error, "%s/%s: damaged; the recording cannot be recovered",
				   folder->path, SPOOL_ORIGIN);
	return status;
}

/* Writes the lines by @entry_write; without @instance the spool is complete. */
static int origin_write(struct spool_origin *origin, struct spool_folder *folder,
			const char *instance,
			int (*entry_write)(struct spool_folder *, const char *,
					   const struct buffer *, struct error *),
			struct error *error)
{
	SCOPED_BUFFER(text);
	int status;

	buffer_printf(&text, "%s\n", instance ? instance : ORIGIN_NO_INSTANCE);
	buffer_append(&text, origin->boot.data, origin->boot.size);
	buffer_printf(&text, "%s\n%llx\n", origin->mode->name, (unsigned long long)origin->id);
	buffer_printf(&text, ORIGIN_THREAD "%d\n", origin->writer);
	for (size_t i = 0; i < NR_ORIGIN_LINES; i++) {
		struct text rest = buffer_text((void *)((char *)origin + origin_lines[i].offset));

		while (rest.size > 0) {
			struct text line = text_take_line(&rest);

			buffer_printf(&text, "%s%.*s\n", origin_lines[i].word, (int)line.size,
				      line.data);
		}
	}
	if (origin->is_incomplete)
		buffer_append_string(&text, ORIGIN_INCOMPLETE "\n");
	status = entry_write(folder, SPOOL_ORIGIN, &text, error);
	return status;
}

int spool_origin_write(struct spool_origin *origin, struct spool_folder *folder,
		       const char *instance, struct error *error)
{
	return origin_write(origin, folder, instance, spool_entry_write, error);
}

int spool_origin_complete(struct spool_origin *origin, struct spool_folder *folder,
			  struct error *error)
{
	return origin_write(origin, folder, NULL, spool_entry_overwrite, error);
}

void spool_origin_release(struct spool_origin *origin)
{
	free(origin->instance);
	buffer_release(&origin->boot);
	buffer_release(&origin->workload);
	buffer_release(&origin->limits);
	buffer_release(&origin->devices);
	buffer_release(&origin->command);
	buffer_release(&origin->narrow);
	buffer_release(&origin->rules);
	buffer_release(&origin->triggers);
	buffer_release(&origin->boot_cpus);
	buffer_release(&origin->selection);
	buffer_release(&origin->labels);
}

static const struct owner this_process;

/* The rights for accessing the folder. */
static const struct owner *spool_folder_rights(const struct spool_folder *folder)
{
	return folder->is_owners ? &folder->owner : &this_process;
}

/*
 * Evaluates @call, which returns an int, with these rights. Returns its result, or -1 with errno if
 * they cannot be had.
 */
#define folder_as_owner(folder, call)                                   \
	({                                                              \
		int result_ = owner_begin(spool_folder_rights(folder)); \
                                                                        \
		if (result_ == 0) {                                     \
			result_ = (call);                               \
			owner_end(spool_folder_rights(folder));         \
		}                                                       \
		result_;                                                \
	})

/* The user that must own the folder and its files. */
static uid_t spool_folder_user(const struct spool_folder *folder)
{
	return folder->is_owners ? folder->owner.user : geteuid();
}

/* Returns NULL if memory ran out. */
static char *folder_path(const char *target)
{
	char *path;

	return asprintf(&path, "%s.spool", target) < 0 ? NULL : path;
}

bool spool_exists(const char *path)
{
	char *folder = folder_path(path);
	bool exists = folder && access(folder, F_OK) == 0;

	free(folder);
	return exists;
}

int spool_folder_init(struct spool_folder *folder, const char *target,
		      const struct spool_owner *owner, struct error *error)
{
	*folder = (struct spool_folder){ .parent_fd = -1, .fd = -1, .joined_fd = -1 };
	folder->target = strdup(target);
	folder->path = folder_path(target);
	if (folder->target && folder->path &&
	    (!owner->is_other || owner_init(&folder->owner, owner->user, owner->group) == 0))
		return 0;
	return error_set(error, "out of memory");
}

static int target_stat(const struct spool_folder *folder, struct stat *status, int flags)
{
	return folder_as_owner(
		folder, fstatat(folder->parent_fd, path_base_name(folder->target), status, flags));
}

bool spool_folder_has_target(const struct spool_folder *folder)
{
	return target_stat(folder, &(struct stat){ 0 }, 0) == 0;
}

static int target_check(const struct spool_folder *folder, struct error *error)
{
	uid_t user = spool_folder_user(folder);
	struct stat parent, file;

	if (!*path_base_name(folder->target))
		return error_set(error, "%s: a directory; name a file in it", folder->target);
	if (target_stat(folder, &file, 0) == 0 && !S_ISREG(file.st_mode))
		return error_set(error, "%s: not a regular file; name another file",
				 folder->target);
	/* In a sticky folder such as /tmp only the owner of a file or of the folder can replace it.
	 */
	if (fstat(folder->parent_fd, &parent) == 0 && parent.st_mode & S_ISVTX &&
	    parent.st_uid != user && target_stat(folder, &file, AT_SYMLINK_NOFOLLOW) == 0 &&
	    file.st_uid != user)
		return error_set(
			error, "%s: belongs to another user in a sticky directory; write elsewhere",
			folder->target);
	return 0;
}

static int folder_reach(struct spool_folder *folder, struct error *error)
{
	size_t size = path_base_name(folder->target) - folder->target;
	char *parent = size > 0 ? strndup(folder->target, size) : strdup(".");

	if (!parent)
		return error_set(error, "out of memory");
	folder->parent_fd = owner_reach(&folder->owner, parent, &folder->is_owners);
	if (folder->parent_fd < 0 && errno == ELOOP)
		error_set(error,
			  "%s: its directory is reached by a symbolic link, which is not followed "
			  "under sudo; name the directory itself",
			  folder->target);
	else if (folder->parent_fd < 0)
		error_set_system(error, errno, "cannot reach %s", folder->path);
	free(parent);
	return folder->parent_fd < 0 ? -1 : target_check(folder, error);
}

static void folder_open_fd(struct spool_folder *folder)
{
	folder->fd = folder_as_owner(folder,
				     openat(folder->parent_fd, path_base_name(folder->path),
					    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

static int folder_lock(struct spool_folder *folder, struct error *error)
{
	struct stat status;

	if (folder->fd < 0)
		folder_open_fd(folder);
	if (folder->fd < 0 && errno == ENOENT)
		return error_set(error, "%s: %s; name the FILE of a killed 'ktrack record -o FILE'",
				 folder->path, strerror(errno));
	if (folder->fd < 0 || fstat(folder->fd, &status) < 0)
		return error_set_system(error, errno, "cannot open %s", folder->path);
	if (status.st_uid != spool_folder_user(folder))
		return error_set(error, "%s: belongs to user %u; run ktrack as that user",
				 folder->path, status.st_uid);
	if (status.st_mode & (S_IWGRP | S_IWOTH))
		return error_set(error,
				 "%s: writable by other users; check its content, then run 'chmod "
				 "go-w' on it",
				 folder->path);
	if (flock(folder->fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	return error_set(error, "%s: in use by another ktrack; wait until that has ended",
			 folder->path);
}

int spool_folder_open(struct spool_folder *folder, struct error *error)
{
	struct stat status;

	if (folder_reach(folder, error) < 0)
		return -1;
	folder_open_fd(folder);
	if (folder->is_owners && folder->fd < 0 && errno == EACCES) {
		folder->is_owners = false;
		folder_open_fd(folder);
	}
	/* Root's folder in a folder of the owner's was created by ktrack as root. */
	if (folder->fd >= 0 && fstat(folder->fd, &status) == 0 && status.st_uid == geteuid())
		folder->is_owners = false;
	return folder_lock(folder, error);
}

int spool_folder_scan(const struct spool_folder *folder, struct dirent ***entries)
{
	return folder_as_owner(folder, scandirat(folder->fd, ".", entries, NULL, versionsort));
}

bool spool_folder_has_recording(const struct spool_folder *folder)
{
	return folder_as_owner(folder, faccessat(folder->fd, SPOOL_ORIGIN, F_OK,
						 AT_EACCESS | AT_SYMLINK_NOFOLLOW)) == 0;
}

/* Whether ktrack creates files of this name. */
static bool spool_entry_is_known(const char *name)
{
	static const char *const names[] = { SPOOL_FORMATS, SPOOL_COMMS,     SPOOL_OPTIONS,
					     SPOOL_SYMBOLS, SPOOL_CONSTANTS, SPOOL_ORIGIN,
					     SPOOL_JOINED,  SPOOL_PROGRAMS,  SPOOL_MACHINE };
	enum instance_kind kind;
	int cpu;

	if (spool_cpu_parse(name, &cpu, &kind))
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t size = strlen(names[i]);

		if (strncmp(name, names[i], size) == 0 &&
		    (!name[size] || strcmp(name + size, ".new") == 0))
			return true;
	}
	return false;
}

/* The origin is removed first: without it an interrupted removal leaves no recording. */
static void folder_remove(const struct spool_folder *folder)
{
	struct dirent **entries;
	int size;

	if (owner_begin(spool_folder_rights(folder)) < 0)
		return;
	unlinkat(folder->fd, SPOOL_ORIGIN, 0);
	size = scandirat(folder->fd, ".", &entries, NULL, NULL);
	for (int i = 0; i < size; i++) {
		if (spool_entry_is_known(entries[i]->d_name))
			unlinkat(folder->fd, entries[i]->d_name, 0);
		free(entries[i]);
	}
	if (size >= 0)
		free(entries);
	unlinkat(folder->parent_fd, path_base_name(folder->path), AT_REMOVEDIR);
	owner_end(spool_folder_rights(folder));
}

int spool_folder_sweep(struct spool_folder *folder, struct error *error)
{
	folder_remove(folder);
	if (folder_as_owner(folder, faccessat(folder->parent_fd, path_base_name(folder->path), F_OK,
					      AT_EACCESS) < 0) > 0)
		return 0;
	return error_set(error, "%s: contains files that are not ktrack's; move them elsewhere",
			 folder->path);
}

/* Removes the rest of a ktrack that was killed before it recorded, or after it wrote trace.dat. */
static int folder_clear(struct spool_folder *folder, struct error *error)
{
	folder->is_kept = true;
	if (folder_lock(folder, error) < 0)
		return -1;
	if (spool_folder_has_recording(folder))
		return error_set(error, "%s: contains a killed recording; run 'ktrack recover %s'",
				 folder->path, folder->target);
	if (spool_folder_sweep(folder, error) < 0)
		return -1;
	close(folder->fd);
	folder->fd = -1;
	folder->is_kept = false;
	return 0;
}

static int folder_make(const struct spool_folder *folder)
{
	return folder_as_owner(folder,
			       mkdirat(folder->parent_fd, path_base_name(folder->path), 0700));
}

static int joined_create(const struct spool_folder *folder, struct error *error)
{
	const struct owner *owner = &folder->owner;
	int fd = spool_entry_create(folder, SPOOL_JOINED, error);

	if (fd < 0 || folder->is_owners || !owner->is_other ||
	    fchown(fd, owner->user, owner->group) == 0)
		return fd;
	error_set_system(error, errno, "cannot give %s to user %u", folder->target, owner->user);
	close(fd);
	return -1;
}

int spool_folder_open_joined(struct spool_folder *folder, struct error *error)
{
	int fd = folder->joined_fd;

	folder->joined_fd = -1;
	return fd >= 0 ? fd : joined_create(folder, error);
}

int spool_folder_create(struct spool_folder *folder, struct error *error)
{
	int status;

	if (folder_reach(folder, error) < 0)
		return -1;
	status = folder_make(folder);
	if (status < 0 && errno == EEXIST) {
		if (folder_clear(folder, error) < 0)
			return -1;
		status = folder_make(folder);
	}
	if (status < 0)
		return error_set_system(error, errno, "cannot create %s", folder->path);
	if (folder_lock(folder, error) < 0) {
		if (folder->fd < 0)
			folder_remove(folder);
		return -1;
	}
	/* In a folder of this process the owner can neither find nor replace it. */
	if (!folder->owner.is_other || folder->is_owners)
		return 0;
	folder->joined_fd = joined_create(folder, error);
	return folder->joined_fd < 0 ? -1 : 0;
}

/* Moves the file and syncs the parent folder, which need not be readable for its user. */
static int joined_rename(const struct spool_folder *folder)
{
	int fd, status = renameat(folder->fd, SPOOL_JOINED, folder->parent_fd,
				  path_base_name(folder->target));

	if (status < 0)
		return -1;
	fd = openat(folder->parent_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	status = fd < 0 ? 0 : file_sync(fd);
	file_close(fd);
	return status;
}

int spool_folder_publish(struct spool_folder *folder, struct error *error)
{
	if (folder_as_owner(folder, joined_rename(folder)) == 0)
		return 0;
	return spool_entry_fail(folder, errno, SPOOL_JOINED, error);
}

void spool_folder_remove_joined(const struct spool_folder *folder)
{
	folder_as_owner(folder, unlinkat(folder->fd, SPOOL_JOINED, 0));
}

int spool_folder_sync(struct spool_folder *folder, struct error *error)
{
	folder->is_synced = true;
	return file_sync(folder->fd) < 0 ? spool_entry_fail(folder, errno, SPOOL_ORIGIN, error) : 0;
}

void spool_folder_release(struct spool_folder *folder)
{
	if (folder->fd >= 0 && !folder->is_kept)
		folder_remove(folder);
	file_close(folder->fd);
	file_close(folder->parent_fd);
	file_close(folder->joined_fd);
	owner_release(&folder->owner);
	free(folder->path);
	free(folder->target);
}

/*
 * The folder may be another user's while ktrack runs as root. Every file is verified through its
 * descriptor: regular, one link, of the expected user.
 */

/* More than all formats of a kernel, or the names of all its threads. */
#define ENTRY_SIZE_MAX (UINT64_C(64) << 20)
/* No kernel has more CPUs. */
#define SPOOL_CPUS_MAX 8192
#define ENTRY_BLOCK_SIZE 65536

/* Begin of the names of CPUs' files. */
static const char *const prefixes[INSTANCE_KINDS] = {
	[INSTANCE_MAIN] = "cpu",
	[INSTANCE_CONVENTION] = "convention",
	[INSTANCE_SIDEBAND] = "sideband",
};

void spool_cpu_name(char *out, int cpu, enum instance_kind kind)
{
	snprintf(out, SPOOL_NAME_SIZE, "%s%d", prefixes[kind], cpu);
}

bool spool_cpu_parse(const char *name, int *cpu, enum instance_kind *out)
{
	const char *digits = name + strcspn(name, "0123456789");
	struct text prefix = { .data = name, .size = digits - name };
	size_t nr_digits = strspn(digits, "0123456789");

	int kind = 0;

	while (kind < INSTANCE_KINDS && !text_equals(prefix, text_of(prefixes[kind])))
		kind++;
	if (kind == INSTANCE_KINDS)
		return false;
	*out = kind;
	if (nr_digits == 0 || nr_digits > 4 || digits[nr_digits] ||
	    (digits[0] == '0' && nr_digits > 1))
		return false;
	*cpu = atoi(digits);
	return *cpu < SPOOL_CPUS_MAX;
}

int spool_entry_fail(struct spool_folder *folder, int number, const char *name, struct error *error)
{
	folder->is_kept = true;
	return error_set(error,
			 "%s/%s: cannot be written: %s; fix that, then run 'ktrack recover %s'",
			 folder->path, name, strerror(number), folder->target);
}

int spool_entry_open(const struct spool_folder *folder, const char *name, int flags,
		     struct error *error)
{
	int fd = folder_as_owner(
		folder,
		openat(folder->fd, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
	bool is_foreign = fd < 0 && (errno == ELOOP || errno == ENXIO || errno == EISDIR);
	struct stat status;

	if (fd >= 0) {
		if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1 &&
		    status.st_uid == spool_folder_user(folder))
			return fd;
		close(fd);
		is_foreign = true;
	}
	if (is_foreign)
		return error_set(error, "%s/%s: not a file of ktrack's; check who created it",
				 folder->path, name);
	return error_set_system(error, errno, "cannot open %s/%s", folder->path, name);
}

static int entry_create(const struct spool_folder *folder, const char *name)
{
	unlinkat(folder->fd, name, 0);
	return openat(folder->fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

int spool_entry_create(const struct spool_folder *folder, const char *name, struct error *error)
{
	int fd = folder_as_owner(folder, entry_create(folder, name));

	return fd < 0 ? error_set_system(error, errno, "cannot create %s/%s", folder->path, name)
		      : fd;
}

static int entry_rename(const struct spool_folder *folder, const char *from, const char *to)
{
	int status = renameat(folder->fd, from, folder->fd, to);

	if (status < 0)
		unlinkat(folder->fd, from, 0);
	return status;
}

int spool_entry_write(struct spool_folder *folder, const char *name, const struct buffer *content,
		      struct error *error)
{
	char unfinished[SPOOL_NAME_SIZE];
	int fd, status = 0;

	if (content->failed)
		return error_set(error, "out of memory");
	snprintf(unfinished, sizeof(unfinished), "%s.new", name);
	fd = spool_entry_create(folder, unfinished, error);
	if (fd < 0)
		return -1;
	if (file_write_all(fd, content->data, content->size, NULL) < 0 ||
	    (folder->is_synced && file_sync(fd) < 0) ||
	    folder_as_owner(folder, entry_rename(folder, unfinished, name)) < 0)
		status = spool_entry_fail(folder, errno, name, error);
	close(fd);
	return status;
}

int spool_entry_overwrite(struct spool_folder *folder, const char *name,
			  const struct buffer *content, struct error *error)
{
	int fd = spool_entry_open(folder, name, O_WRONLY, error);
	int status = 0;

	if (fd < 0)
		return -1;
	if (file_write_all(fd, content->data, content->size, NULL) < 0 ||
	    ftruncate(fd, content->size) < 0 || file_sync(fd) < 0)
		status = spool_entry_fail(folder, errno, name, error);
	close(fd);
	return status;
}

void spool_entry_reserve(const struct spool_folder *folder, const char *name, size_t size)
{
	struct error ignored = { 0 };
	int fd = spool_entry_open(folder, name, O_WRONLY, &ignored);

	if (fd < 0)
		return;
	fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, size);
	close(fd);
}

int spool_entry_sync(struct spool_folder *folder, const char *name, struct error *error)
{
	int fd = spool_entry_open(folder, name, O_RDONLY, error);
	int status = 0;

	if (fd < 0)
		return -1;
	if (file_sync(fd) < 0)
		status = spool_entry_fail(folder, errno, name, error);
	close(fd);
	return status;
}

int spool_entry_read(const struct spool_folder *folder, const char *name, struct buffer *out,
		     struct error *error)
{
	int fd = spool_entry_open(folder, name, O_RDONLY, error);
	uint64_t total = 0;
	ssize_t size;

	if (fd < 0)
		return -1;
	/* Bounded, as the owner may append meanwhile. */
	do {
		char *space = buffer_reserve(out, ENTRY_BLOCK_SIZE);

		size = space ? TEMP_FAILURE_RETRY(read(fd, space, ENTRY_BLOCK_SIZE)) : -1;
		if (size > 0)
			out->size += size;
		total += size;
	} while (size > 0 && total <= ENTRY_SIZE_MAX);
	if (size != 0)
		error_set_system(error, size < 0 ? errno : EFBIG, "cannot read %s/%s", folder->path,
				 name);
	close(fd);
	return size == 0 ? 0 : -1;
}

/*
 * A recording in a buffer that survives a restart of the machine. The folder has what decodes the
 * records; they stay in the kernel until the buffer is read, mostly by the next boot.
 */

/* The last one, whose records are overwritten at once. */
#define BOOT_MODE "circular"
/* The kernel's code begins at this symbol. */
#define TEXT_SYMBOL "_text"
#define TEXT_LINE_SIZE strlen("ffffffff81000000 T ")
#define KALLSYMS_PATH "/proc/kallsyms"
/* Sub-buffers of a full buffer that have no records: the reader's, and the next one to be written.
 */
#define SUB_BUFFERS_EMPTY 3

int spool_refresh_boot(struct spool *spool, struct error *error)
{
	SCOPED_BUFFER(comms);
	SCOPED_BUFFER(earlier);

	/* The first time there are none. */
	spool_entry_read(&spool->folder, SPOOL_COMMS, &earlier, &(struct error){ 0 });
	if (comms_append(&comms, &spool->instance.saved, NULL, &earlier, error) < 0)
		return -1;
	return spool_entry_write(&spool->folder, SPOOL_COMMS, &comms, error);
}

static int boot_begin(struct spool *spool, const char *directory, struct error *error)
{
	/* It has the tracepoints of all instances of the run. */
	const struct instance_paths paths = { .list = { (char *)directory } };
	SCOPED_BUFFER(list);

	spool_origin_begin(&spool->origin, directory, buffer_mode_find(BOOT_MODE));
	if (instance_files_open(&spool->instance, directory, error) < 0 ||
	    instance_files_open_lists(&spool->instance, &paths, error) < 0 ||
	    instance_files_list_enabled(&spool->instance, &list, error) < 0)
		return -1;
	buffer_append_string(&list, "ftrace:print\n");
	if (spool_save_formats(spool, NULL, &list, error) < 0 ||
	    spool_save_symbols(spool, error) < 0)
		return -1;
	return spool_refresh_boot(spool, error);
}

int spool_new_boot(struct spool **out, const char *path, const char *directory, struct error *error)
{
	static const struct spool_owner ourselves;

	if (spool_new(out, path, &ourselves, error) < 0)
		return -1;
	if (boot_begin(*out, directory, error) == 0)
		return 0;
	spool_close(*out);
	*out = NULL;
	return -1;
}

int spool_keep_boot(struct spool *spool, const char *name, struct text cpus, struct error *error)
{
	struct spool_folder *folder = &spool->folder;
	SCOPED_BUFFER(machine);

	buffer_append(&spool->origin.boot_cpus, cpus.data, cpus.size);
	/* Options are complete without statistics, in case that the buffer is lost. */
	if (writer_put_machine(&machine, spool, error) < 0 ||
	    spool_entry_write(folder, SPOOL_MACHINE, &machine, error) < 0 ||
	    spool_entry_write(folder, SPOOL_OPTIONS, &machine, error) < 0 ||
	    spool_entry_sync(folder, SPOOL_SYMBOLS, error) < 0 ||
	    spool_entry_sync(folder, SPOOL_MACHINE, error) < 0 ||
	    spool_origin_write(&spool->origin, folder, name, error) < 0 ||
	    spool_sync(spool, error) < 0)
		return -1;
	folder->is_kept = true;
	folder->is_synced = true;
	return 0;
}

void spool_drop_boot(struct spool *spool)
{
	spool->folder.is_kept = false;
}

/* The symbol's line is "ADDRESS TYPE NAME". */
static uint64_t text_find(const struct buffer *symbols)
{
	struct text rest = buffer_text(symbols);
	uint64_t address = 0;

	while (rest.size > 0 && address == 0) {
		struct text line = text_take_line(&rest);

		if (line.size == TEXT_LINE_SIZE + strlen(TEXT_SYMBOL) &&
		    memcmp(line.data + TEXT_LINE_SIZE, TEXT_SYMBOL, strlen(TEXT_SYMBOL)) == 0)
			address = strtoull(line.data, NULL, 16);
	}
	return address;
}

void spool_describe_boot(const struct spool *spool, struct spool_boot *out)
{
	const struct spool_origin *origin = &spool->origin;
	SCOPED_BUFFER(symbols);
	SCOPED_BUFFER(symbols_now);

	*out = (struct spool_boot){ .is_one = origin->boot_cpus.size > 0,
				    .is_read = origin->instance && !*origin->instance,
				    .is_current = origin->instance && *origin->instance };
	if (spool_entry_read(&spool->folder, SPOOL_SYMBOLS, &symbols, &(struct error){ 0 }) == 0)
		out->text = text_find(&symbols);
	if (file_read(KALLSYMS_PATH, &symbols_now) == 0)
		out->text_now = text_find(&symbols_now);
}

static bool cpus_have(const struct buffer *list, int number)
{
	char word[16];
	SCOPED_BUFFER(all);
	bool has;

	buffer_append_char(&all, ',');
	buffer_append(&all, list->data, list->size);
	buffer_append_char(&all, ',');
	snprintf(word, sizeof(word), ",%d,", number);
	has = strstr(buffer_string(&all), word);
	return has;
}

/*
 * Marks a file that is full. The kernel's counts of overwritten records do not survive, but a full
 * buffer shows that there were some; all CPUs are complete from the latest of their first records
 * on.
 */
static int file_mark(struct spool *spool, struct spool_file *file, struct spool_boot_end *end,
		     struct error *error)
{
	const struct spool_pipe *pipe = &spool->pipe;
	SCOPED_BUFFER(text);
	int64_t first_ns, ignored;
	uint64_t size_kib = 0;

	if (file->buffer && file_read_anew(file->buffer->size_fd, &text) == 0)
		size_kib = strtoull(buffer_string(&text), NULL, 10);
	if (file->size / pipe->page_size + SUB_BUFFERS_EMPTY < size_kib * 1024 / pipe->page_size ||
	    pread(file->fd, pipe->page, pipe->page_size, 0) != (ssize_t)pipe->page_size)
		return 0;
	end->is_full = true;
	if (page_look(pipe->page, pipe->page_size, &first_ns, &ignored) > 0 &&
	    first_ns > end->from_ns)
		end->from_ns = first_ns;
	page_mark_gap(pipe->page);
	if (pwrite(file->fd, pipe->page, pipe->page_size, 0) == (ssize_t)pipe->page_size)
		return 0;
	return spool_file_fail(spool, file, error);
}

static int files_look(struct spool *spool, struct spool_boot_end *end, struct error *error)
{
	for (size_t i = 0; i < spool->nr_files; i++) {
		struct spool_file *file = &spool->files[i];
		struct buffer *rejected = &end->rejected;

		end->nr_records += spool_file_count(spool, file);
		file->is_uncounted = file->size == 0 &&
				     cpus_have(&spool->origin.boot_cpus, file->cpu);
		if (file->is_uncounted)
			buffer_printf(rejected, "%s%d", rejected->size > 0 ? "," : "", file->cpu);
		if (file->size > 0 && file_mark(spool, file, end, error) < 0)
			return -1;
	}
	return 0;
}

int spool_finish_boot(struct spool *spool, const char *directory, struct spool_boot_end *end,
		      struct error *error)
{
	const struct instance_paths paths = { .list = { (char *)directory } };

	*end = (struct spool_boot_end){ 0 };
	if (spool_entry_read(&spool->folder, SPOOL_MACHINE, &spool->machine, error) < 0 ||
	    spool_attach_paths(spool, &paths, error) < 0)
		return -1;
	/* No more than the buffer held when recording stopped. */
	buffer_reader_limit(spool->reader);
	if (spool_read_rest(spool, error) < 0 || files_look(spool, end, error) < 0)
		return -1;
	spool->is_counted = true;
	if (spool_save_now(spool, error) < 0)
		return -1;
	return spool_origin_complete(&spool->origin, &spool->folder, error);
}
