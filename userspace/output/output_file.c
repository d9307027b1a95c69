// SPDX-License-Identifier: GPL-2.0-only
/* Opens the files of outputs. */
#include "output/output.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Ids use all 32 bits. Returns false for a text that is none. */
static bool id_parse(const char *text, unsigned int *id)
{
	unsigned long long number;
	char *end;

	if (!text || !isdigit((unsigned char)*text))
		return false;
	errno = 0;
	number = strtoull(text, &end, 10);
	*id = number;
	return !*end && !errno && number <= UINT32_MAX;
}

bool output_owner(unsigned int *user, unsigned int *group)
{
	unsigned int sudo_user, sudo_group;

	if (geteuid() != 0 || !id_parse(getenv("SUDO_UID"), &sudo_user) || sudo_user == 0 ||
	    !id_parse(getenv("SUDO_GID"), &sudo_group))
		return false;
	*user = sudo_user;
	*group = sudo_group;
	return true;
}

/*
 * Writes always append: the traced command may write its own stream to the file. With O_CREAT the
 * kernel refuses files of others in folders like /tmp (fs.protected_regular, fs.protected_fifos).
 */
static int output_file_create(const char *target, const struct file_wait *wait, struct error *error)
{
	int flags = O_WRONLY | O_APPEND | O_CREAT;
	struct owner owner = { 0 };
	unsigned int user, group;
	int fd = -1;

	if (!output_owner(&user, &group) || owner_init(&owner, user, group) == 0) {
		fd = owner_open(&owner, target, flags | O_EXCL, 0600, NULL);
		if (fd < 0 && errno == EEXIST && access(target, F_OK) == 0)
			fd = owner_open(&owner, target, flags, 0600, wait);
	}
	if (fd < 0 && errno == ECANCELED)
		error_set(error, "cannot write to %s: nobody reads it", target);
	else if (fd < 0 && owner.is_other && errno == ELOOP)
		error_set(error,
			  "cannot open %s for writing: symbolic links are not followed under "
			  "sudo; write the path of the file itself",
			  target);
	else if (fd < 0)
		error_set_system(error, errno, "cannot open %s for writing", target);
	owner_release(&owner);
	return fd;
}

/*
 * Opens standard output again, non-blocking, so that other processes with it are not affected. A
 * file is duplicated instead, because its offset is shared, and so is a FIFO whose reader has gone:
 * opening it would wait for another one.
 */
static int standard_output_open(void)
{
	struct stat about;
	char path[64];
	int fd = -1;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", STDOUT_FILENO);
	if (isatty(STDOUT_FILENO) || (fstat(STDOUT_FILENO, &about) == 0 &&
				      S_ISFIFO(about.st_mode) && !file_is_unread(STDOUT_FILENO)))
		fd = file_open_unblocked(path, O_WRONLY, 0, NULL);
	return fd < 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) : fd;
}

/* Whether both are the same regular file. Terminals and /dev/null can be shared. */
static bool output_is_same_file(const struct stat *one, const struct stat *other)
{
	return S_ISREG(one->st_mode) && one->st_dev == other->st_dev &&
	       one->st_ino == other->st_ino;
}

static int source_refuse(const struct output_set *set, const struct stat *target, const char *name,
			 struct error *error)
{
	struct stat source;

	for (size_t i = 0; i < set->nr_sources; i++) {
		bool is_standard = strcmp(set->sources[i], "-") == 0;
		int status = is_standard ? fstat(STDIN_FILENO, &source)
					 : stat(set->sources[i], &source);

		if (status == 0 && output_is_same_file(&source, target))
			return error_set(error, "%s: the source; write to another file", name);
	}
	return 0;
}

static int fd_check(const struct output_set *set, int fd, const char *name, struct error *error)
{
	struct stat target;

	return fstat(fd, &target) < 0 ? 0 : source_refuse(set, &target, name, error);
}

int output_check_path(const struct output_set *set, const char *path, const char *name,
		      struct error *error)
{
	struct stat target;

	return stat(path, &target) < 0 ? 0 : source_refuse(set, &target, name, error);
}

int output_open(struct output_set *set, const char *target, const char **name, struct error *error)
{
	int fd;

	*name = target;
	if (strcmp(target, "-") == 0) {
		*name = "standard output";
		set->has_terminal = isatty(STDOUT_FILENO);
		if (fd_check(set, STDOUT_FILENO, *name, error) < 0)
			return -1;
		fd = standard_output_open();
		return fd < 0 ? error_set_system(error, errno, "cannot write to standard output")
			      : fd;
	}
	if (set->size == OUTPUTS_MAX)
		return error_set(error, "%s: more than %d files; leave out some outputs", target,
				 OUTPUTS_MAX);
	fd = output_file_create(target, &set->wait, error);
	if (fd >= 0 && fd_check(set, fd, target, error) < 0) {
		close(fd);
		return -1;
	}
	set->names[set->size] = target;
	set->fds[set->size] = fd;
	set->size += fd >= 0;
	return fd;
}

bool output_is_compressed(const char *target)
{
	static const char end[] = ".zst";
	size_t size = strlen(target);

	return size >= sizeof(end) - 1 && strcmp(target + size - (sizeof(end) - 1), end) == 0;
}

int output_check_alone(const struct output_set *set, struct error *error)
{
	size_t last = set->size - 1;
	struct stat one, other;

	for (size_t i = 0; set->size > 1 && i < last; i++) {
		if (fstat(set->fds[last], &one) == 0 && fstat(set->fds[i], &other) == 0 &&
		    output_is_same_file(&one, &other))
			return error_set(error, "%s: named twice; write %s to its own path",
					 set->names[last],
					 output_is_compressed(set->names[last])
						 ? "a compressed file"
						 : "a file for a viewer");
	}
	return 0;
}

int output_set_begin(const struct output_set *set, struct error *error)
{
	struct stat about;

	for (size_t i = 0; i < set->size && !set->is_appending; i++) {
		if (fstat(set->fds[i], &about) < 0 || !S_ISREG(about.st_mode))
			continue;
		if (ftruncate(set->fds[i], 0) < 0)
			return error_set_system(error, errno, "cannot replace %s", set->names[i]);
	}
	return 0;
}
