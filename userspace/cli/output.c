// SPDX-License-Identifier: GPL-2.0-only
/* Opens what ktrack writes to. */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
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

/* Gives a file that did not exist before to the user behind sudo. */
static int output_give(int fd, const char *target, struct error *error)
{
	unsigned int user, group;

	if (!output_owner(&user, &group) || fchown(fd, user, group) == 0)
		return 0;
	return error_set_system(error, errno, "cannot give %s to user %u", target, user);
}

/* Always at the end of the file: the traced command may be writing its own stream to it. */
static int file_open(const char *target, bool is_appending, struct error *error)
{
	int mode = O_WRONLY | O_APPEND | O_CLOEXEC;
	int fd = open(target, mode | O_CREAT | O_EXCL, 0600);

	if (fd >= 0) {
		if (output_give(fd, target, error) == 0)
			return fd;
		close(fd);
		return -1;
	}
	if (errno == EEXIST)
		fd = open(target, mode | (is_appending ? 0 : O_TRUNC));
	return fd < 0 ? error_set_system(error, errno, "cannot open %s for writing", target) : fd;
}

int output_open(const char *target, bool is_appending, const char **name, struct error *error)
{
	int fd;

	*name = target;
	if (strcmp(target, "-") != 0)
		return file_open(target, is_appending, error);
	*name = "standard output";
	fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	return fd < 0 ? error_set_system(error, errno, "cannot write to standard output") : fd;
}
