// SPDX-License-Identifier: GPL-2.0-only
/* Opens what ktrack writes to. */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int number_of(const char *text)
{
	return text && *text ? atoi(text) : -1;
}

bool output_owner(unsigned int *user, unsigned int *group)
{
	int sudo_user = number_of(getenv("SUDO_UID"));
	int sudo_group = number_of(getenv("SUDO_GID"));

	if (geteuid() != 0 || sudo_user <= 0 || sudo_group < 0)
		return false;
	*user = sudo_user;
	*group = sudo_group;
	return true;
}

/* Whether writing may have to wait for somebody who reads. */
static bool is_pipe_or_terminal(int fd)
{
	struct stat about;

	return isatty(fd) || (fstat(fd, &about) == 0 && S_ISFIFO(about.st_mode));
}

/* Whom files belong to, as long as one is opened. */
static int owner_find(struct owner *owner)
{
	unsigned int user, group;

	*owner = (struct owner){ 0 };
	return output_owner(&user, &group) ? owner_init(owner, user, group) : 0;
}

static int open_fail(const struct owner *owner, const char *target, struct error *error)
{
	if (errno == ECANCELED)
		return error_set(error, "cannot write to %s: nobody reads it", target);
	if (owner->is_other && errno == ELOOP)
		return error_set(error,
				 "cannot open %s for writing: a symbolic link leads there, which "
				 "is not followed under sudo; name the file itself",
				 target);
	return error_set_system(error, errno, "cannot open %s for writing", target);
}

/*
 * Always at the end of the file: the traced command may be writing its own stream to it. With
 * O_CREAT the kernel refuses what somebody else has put into a folder like /tmp
 * (fs.protected_regular, fs.protected_fifos).
 */
static int file_open(const char *target, const struct file_wait *wait, struct error *error)
{
	int flags = O_WRONLY | O_APPEND | O_CREAT;
	struct owner owner;
	int fd = -1;

	if (owner_find(&owner) == 0) {
		fd = owner_open(&owner, target, flags | O_EXCL, 0600, NULL);
		if (fd < 0 && errno == EEXIST && access(target, F_OK) == 0)
			fd = owner_open(&owner, target, flags, 0600, wait);
	}
	if (fd < 0)
		open_fail(&owner, target, error);
	owner_release(&owner);
	return fd;
}

/*
 * Standard output through a descriptor that does not block, without changing how it is for others
 * who have it too. A file has to stay the same one, for its place in it.
 */
static int standard_output_open(void)
{
	char path[64];
	int fd = -1;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", STDOUT_FILENO);
	if (is_pipe_or_terminal(STDOUT_FILENO))
		fd = file_open_unblocked(path, O_WRONLY, 0, NULL);
	return fd < 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) : fd;
}

/* Whether two are the same file. What is no regular one, a terminal or /dev/null, holds nothing. */
static bool is_same_file(const struct stat *one, const struct stat *other)
{
	return S_ISREG(one->st_mode) && one->st_dev == other->st_dev &&
	       one->st_ino == other->st_ino;
}

static bool is_source(const struct output_set *set, int fd)
{
	struct stat source, target;

	if (!set->source || fstat(fd, &target) < 0)
		return false;
	if (strcmp(set->source, "-") == 0)
		return fstat(STDIN_FILENO, &source) == 0 && is_same_file(&source, &target);
	return stat(set->source, &source) == 0 && is_same_file(&source, &target);
}

int output_open(struct output_set *set, const char *target, const char **name, struct error *error)
{
	int fd;

	*name = target;
	if (strcmp(target, "-") == 0) {
		*name = "standard output";
		set->has_terminal = isatty(STDOUT_FILENO);
		fd = standard_output_open();
		return fd < 0 ? error_set_system(error, errno, "cannot write to standard output")
			      : fd;
	}
	if (set->size == OUTPUTS_MAX)
		return error_set(error, "more than %d targets at once", OUTPUTS_MAX);
	fd = file_open(target, &set->wait, error);
	if (fd >= 0 && is_source(set, fd)) {
		close(fd);
		return error_set(error, "%s is what is read; write elsewhere", target);
	}
	set->names[set->size] = target;
	set->fds[set->size] = fd;
	set->size += fd >= 0;
	return fd;
}

int output_check_alone(const struct output_set *set, struct error *error)
{
	size_t last = set->size - 1;
	struct stat one, other;

	for (size_t i = 0; set->size > 1 && i < last; i++) {
		if (fstat(set->fds[last], &one) == 0 && fstat(set->fds[i], &other) == 0 &&
		    is_same_file(&one, &other))
			return error_set(error,
					 "%s is named twice; a file for a viewer has to be alone",
					 set->names[last]);
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
